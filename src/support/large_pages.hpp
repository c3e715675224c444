// Asking for large pages behind buffers that are about to be filled: taking memory a small page at a time costs more than
// filling it.
#pragma once

#include <sys/mman.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace isaforge {

inline constexpr std::size_t usual_heap = std::size_t{3} << 23;  // bytes that most runs do with

inline void prefer_large_pages([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t size) {
#ifdef MADV_HUGEPAGE
    constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t before = (page - address % page) % page;  // what lies in a page that is not all ours
    if (size < before + page) return;
    // It is only advice: where the system does not take it, all is as before.
    void* const begin = const_cast<char*>(static_cast<const char*>(memory) + before);
    ::madvise(begin, (size - before) / page * page, MADV_HUGEPAGE);
#endif
}

// The heap that this thread takes memory from has that much more of it in large pages, of which it keeps what is unused. With
// malloc's own settings, which give back what is free at its end, the heap has nothing of it. What is not used is address space.
inline void extend_heap(std::size_t bytes) {
#ifdef __GLIBC__
    constexpr int most_mapped = 1 << 16;  // as malloc begins with
    mallopt(M_MMAP_MAX, 0);               // no block is mapped apart
#endif
    void* const end = std::malloc(bytes);
    if (end != nullptr) prefer_large_pages(end, bytes);
    std::free(end);
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, most_mapped);
#endif
}

// From now on all threads take memory from the first one's heap, and none begins with an empty one of small pages. That is for
// work that waits for memory little but at its begin: a run of many threads that take much would wait for each other.
inline void share_heap() {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
#endif
}

}  // namespace isaforge

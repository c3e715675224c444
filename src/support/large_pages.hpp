// Asking for large pages behind buffers that are about to be filled: taking memory a small page at a time costs more than
// filling it.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace isaforge {

inline void prefer_large_pages([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t size) {
#ifdef MADV_HUGEPAGE
    constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
    const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
    const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(memory) + size) / page * page;
    // It is only advice: where the system does not take it, all is as before.
    if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace isaforge

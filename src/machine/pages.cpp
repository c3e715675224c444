#include "machine/pages.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>

#include "isaforge/limits.hpp"

namespace isaforge::machine {

namespace {

// Accesses at the end of a memory may look at a few bytes behind it.
constexpr std::uint64_t margin = 8;
// As much is cleared sooner than given back.
constexpr std::uint64_t small = std::uint64_t{1} << 16;

}  // namespace

std::uint8_t* take_pages(std::uint64_t bytes) {
    if (bytes > most_memory_bytes) return nullptr;
    constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const at = ::mmap(nullptr, bytes + margin, PROT_READ | PROT_WRITE, kind, -1, 0);
    return at == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(at);  // NOLINT(performance-no-int-to-ptr): a macro's
}

void release_pages(std::uint8_t* pages, std::uint64_t bytes) {
    if (pages != nullptr) ::munmap(pages, bytes + margin);
}

void clear_pages(std::uint8_t* pages, std::uint64_t bytes) {
    if (pages != nullptr && bytes <= small) {
        std::memset(pages, 0, bytes);
        return;
    }
    if (pages != nullptr && ::madvise(pages, bytes + margin, MADV_DONTNEED) != 0) std::memset(pages, 0, bytes);
}

std::string no_room_for(std::uint64_t bytes) {
    if (bytes > most_memory_bytes)
        return fmt::format("there is no room for {:#x} bytes; the most is {:#x}", bytes, most_memory_bytes);
    return fmt::format("there is no room for {:#x} bytes", bytes);
}

}  // namespace isaforge::machine

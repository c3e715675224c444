// Memory of the program's own, which a browser gives as zeros.
#include "machine/pages.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

namespace isaforge::machine {

namespace {

constexpr std::uint64_t margin = 8;   // accesses at the end of a memory may look at a few bytes behind it
constexpr std::uint64_t most = std::uint64_t{1} << 30;

}  // namespace

std::uint8_t* take_pages(std::uint64_t bytes) {
    if (bytes > most) return nullptr;
    return static_cast<std::uint8_t*>(std::calloc(static_cast<std::size_t>(bytes + margin), 1));
}

void release_pages(std::uint8_t* pages, std::uint64_t) { std::free(pages); }

void clear_pages(std::uint8_t* pages, std::uint64_t bytes) {
    if (pages != nullptr) std::memset(pages, 0, static_cast<std::size_t>(bytes));
}

std::string no_room_for(std::uint64_t bytes) { return fmt::format("there is no room for {:#x} bytes", bytes); }

}  // namespace isaforge::machine

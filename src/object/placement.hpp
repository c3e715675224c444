// Addresses for sections; shared by place_sections on objects and by the assembler, which must place sections before
// there is an object.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isaforge/object.hpp"

namespace isaforge {

// The first address from this one on that is a multiple of `alignment`, which 0 leaves as it is.
inline std::uint64_t aligned(std::uint64_t address, std::uint64_t alignment) {
    return alignment > 1 ? (address + alignment - 1) / alignment * alignment : address;
}

struct Placed {
    Section* section = nullptr;
    std::uint64_t extent = 0;
    std::optional<std::uint64_t> address;  // where it is asked to be; those behind it follow it
};

// `separate_code`: code is a memory of its own. `page`: what has other permissions begins at a multiple of it, where it is not 0.
void place_sections(std::vector<Placed>& sections, bool separate_code, std::uint64_t base, std::uint64_t page = 0);

}  // namespace isaforge

// Addresses for sections; shared by place_sections on objects and by the assembler, which must place sections before
// there is an object.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isaforge/object.hpp"

namespace isaforge {

struct Placed {
    Section* section = nullptr;
    std::uint64_t extent = 0;
    std::optional<std::uint64_t> address;  // where it is asked to be; those behind it follow it
};

// `separate_code`: code is a memory of its own.
void place_sections(std::vector<Placed>& sections, bool separate_code, std::uint64_t base);

}  // namespace isaforge

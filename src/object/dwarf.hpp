// Line tables written in DWARF, version 4: just enough of it for debuggers and tools to map addresses to lines. Encoded by
// hand, since libdw only reads. Apart from elf_write.cpp because it is a format of its own; dwarf_read.hpp reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isaforge/object.hpp"

namespace isaforge {

// An address field in a debug section that counts from the begin of one of the object's sections.
struct DebugAddress {
    std::size_t offset = 0;
    Index section = no_index;
};

struct DebugSections {
    std::vector<std::uint8_t> line, info, abbrev;
    std::vector<DebugAddress> line_addresses, info_addresses;
};

// Addresses are bytes from the section's begin, plus its address; multi-byte values as `object.big_endian` says.
DebugSections make_debug_sections(const Object& object);

}  // namespace isaforge

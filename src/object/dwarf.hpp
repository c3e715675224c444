// Line tables in DWARF, version 4: just enough of it for debuggers and tools to map addresses to lines. Encoded by hand,
// since libdw only reads. Apart from elf.cpp because it is a format of its own.
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

// One row of a line table that was read.
struct DebugLine {
    std::size_t address_at = 0;  // offset in .debug_line of the sequence's start address, for its relocation
    std::uint64_t address = 0;
    std::uint32_t file = 0;  // index in `files`
    std::uint32_t line = 0;
    bool end = false;  // the first address behind a sequence
};

// Reads what it understands, versions 2 to 4, of any bytes.
void read_debug_lines(std::span<const std::uint8_t> bytes, bool big_endian, std::vector<DebugLine>& lines,
                      std::vector<std::string>& files);

}  // namespace isaforge

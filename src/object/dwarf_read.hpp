// Line tables of DWARF 2 to 5, as assemblers and compilers write them, of any bytes. Apart from elf_read.cpp because it is
// a format of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "isaforge/object.hpp"

namespace isaforge {

// A field of .debug_line as it is once relocated: a number that counts from the begin of a section, or just a number.
struct DebugField {
    std::uint64_t value = 0;
    Index section = no_index;
};

struct DebugLineInput {
    std::span<const std::uint8_t> line, line_strings, strings;  // .debug_line, .debug_line_str, .debug_str
    bool big_endian = false;
    // Asked for each address and each offset into another section, with what stands at `at`.
    std::function<DebugField(std::size_t at, std::uint64_t stored)> relocated;
};

// One row of a line table that was read.
struct DebugLine {
    std::uint64_t address = 0;  // from the begin of `section`, where there is one
    Index section = no_index;
    std::uint32_t file = 0;  // index in `files`
    std::uint32_t line = 0;  // 0: of no line
    bool end = false;        // the first address behind a sequence
};

struct DebugLines {
    std::vector<DebugLine> rows;
    std::vector<std::string> files;
    std::string problem;  // why some or all of it could not be read; empty where all was
};

DebugLines read_debug_lines(const DebugLineInput& input);

}  // namespace isaforge

// Notations in which every instruction is a line or a picture of its own: readers of each, all of which make encodings.
#pragma once

#include <string_view>

#include "isaforge/notations.hpp"

namespace isaforge::notes {

// `add rd rs1 rs2 31..25=0 14..12=0 6..0=0x33`: bits with values, and fields whose places a table says, as `"rd", 11, 7` does.
bool has_opcode_lines(std::string_view text);
void read_opcode_lines(std::string_view text, NotedTables& notes);

// `ADD r, m   00000001 11 rrr mmm`: digits and letters, one for each bit.
bool has_bit_patterns(std::string_view text);
void read_bit_patterns(std::string_view text, NotedTables& notes);

// LaTeX's `\begin{bytefield}{32} … \bitbox{7}{funct} & … \end{bytefield}`.
bool has_bytefields(std::string_view text);
void read_bytefields(std::string_view text, NotedTables& notes);

// `{reg: [{bits: 7, name: 'opcode', attr: 51}, …]}`, one or a list of them, least significant first.
bool has_wavedrom(std::string_view text);
void read_wavedrom(std::string_view text, NotedTables& notes);

}  // namespace isaforge::notes

// Sheets with one column a bit: `Instruction 31 30 … 0`, as spreadsheets are exported or pasted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isaforge/notations.hpp"
#include "notes/table.hpp"

namespace isaforge::notes {

// Where a table's columns are numbered as bits.
struct BitHeading {
    std::size_t row = 0, first = 0;  // of the table, and the column of the first bit
    unsigned bits = 0;
    bool rising = false;             // bit 0 stands first
};
std::optional<BitHeading> bit_heading(const Table& table);

// Adds the rows of all such tables, and what their reading finds.
void read_bit_sheet(const Table& table, const BitHeading& heading, NotedTables& notes);

}  // namespace isaforge::notes

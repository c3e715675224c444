// Tables in texts, whatever they are drawn with: rows of cells that know their places. What the cells mean is for others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isaforge/source.hpp"

namespace isaforge::notes {

struct TableCell {
    std::string text;  // without blanks around it, and without marks of emphasis
    Place where;
    std::string name;  // in a sheet `N7`; elsewhere empty
};

struct Table {
    const char* drawn = "";  // "separated by tabs"
    std::vector<std::vector<TableCell>> rows;  // a cell that spans columns is followed by empty ones
    std::string title = {};                    // where the table itself says it
};

inline constexpr std::size_t most_table_cells = 4'000'000;  // of one text; what is behind is not read

// All tables of a text, in its order.
std::vector<Table> tables_of(FileId file, const SourceManager& sources);

// `A`, …, `Z`, `AA`: the name of a sheet's column, from 0.
std::string column_name(std::size_t column);

}  // namespace isaforge::notes

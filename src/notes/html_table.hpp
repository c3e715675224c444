// Tables of HTML. Only what makes tables is looked at: the tags of tables, rows and cells, and headings for their titles. Tags
// may be left open, as pages do.
#pragma once

#include <string_view>
#include <vector>

#include "notes/table.hpp"

namespace isaforge::notes {

bool has_html_tables(std::string_view text);
// A cell that spans columns is followed by empty ones, and one that spans rows has empty ones below it.
std::vector<Table> html_tables(FileId file, std::string_view text);

}  // namespace isaforge::notes

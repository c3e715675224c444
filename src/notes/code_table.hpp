// Tables of operand codes: `Code | Name | Description`, with ranges, rows for one generation of a machine, and halves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isaforge/notations.hpp"
#include "notes/table.hpp"

namespace isaforge::notes {

// `S0 - S103`: what is before the number, and the numbers.
struct NameRange {
    std::string before;
    std::int64_t first = 0, last = 0;

    std::uint64_t count() const { return static_cast<std::uint64_t>(first < last ? last - first : first - last) + 1; }
};
// Nothing where the row's names are no range.
std::optional<NameRange> name_range(const CodeRow& row);

// Whether its heading says that a column has codes.
bool is_code_table(const Table& table);
// `title`: what the table is about, or empty.
void read_code_table(const Table& table, std::string title, NotedTables& notes);

// The row that this one is a part of, as FLAT_SCRATCH_LO of FLAT_SCRATCH; null where it is none.
const CodeRow* whole_of(const CodeTable& table, const CodeRow& part);
// Generations in which both are; of tables that name none, one without a name.
std::vector<std::string> common_generations(const CodeTables& codes, const CodeRow& a, const CodeRow& b);
// Runs of codes between the lowest and the highest of the table that no row has, by generation.
struct CodeGap {
    std::uint64_t low = 0, high = 0;
    std::vector<std::string> generations;  // empty: in all
    const CodeRow* behind = nullptr;       // the first row behind it; null where there is none
};
std::vector<CodeGap> gaps_of(const CodeTables& codes, const CodeTable& table);

void check_code_tables(const CodeTables& codes, std::vector<Diagnostic>& findings);

std::string draft_of_codes(const NotedTables& notes, const std::vector<Diagnostic>& findings,
                           const SourceManager& sources, std::string_view name);

}  // namespace isaforge::notes

// A list of instructions: a table with tabs between its columns.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isaforge/notes.hpp"
#include "notes/scanner.hpp"

namespace isaforge {

namespace {

struct Cell {
    std::string_view text;
    Place where;
};

std::vector<Cell> cells_of(FileId file, std::size_t offset, std::string_view line) {
    std::vector<Cell> cells;
    std::size_t start = 0;
    while (start <= line.size()) {
        const std::size_t end = std::min(line.find('\t', start), line.size());
        const std::string_view whole = line.substr(start, end - start);
        const std::string_view text = notes::trimmed(whole);
        const std::size_t skipped = text.empty() ? 0 : static_cast<std::size_t>(text.data() - whole.data());
        cells.push_back(
            {text,
             {file, static_cast<std::uint32_t>(offset + start + skipped), static_cast<std::uint32_t>(text.size())}});
        start = end + 1;
    }
    return cells;
}

// Which column holds what. Without a heading: group, format, mnemonic, name, privilege.
struct Columns {
    static constexpr std::size_t none = ~std::size_t{0};
    std::size_t group = 0, format = 1, mnemonic = 2, title = 3, privilege = 4;

    bool read_heading(const std::vector<Cell>& cells) {
        Columns found{none, none, none, none, none};
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string word = notes::lower(cells[i].text);
            if (word == "group") found.group = i;
            if (word == "format") found.format = i;
            if (word == "mnemonic") found.mnemonic = i;
            if (word == "name" || word == "title") found.title = i;
            if (word == "privilege") found.privilege = i;
        }
        if (found.format == none || found.mnemonic == none) return false;
        *this = found;
        return true;
    }
};

}  // namespace

std::vector<ListedInstruction> read_instruction_list(FileId file, const SourceManager& sources,
                                                     Diagnostics& diagnostics) {
    const std::string_view text = sources.text(file);
    std::vector<ListedInstruction> list;
    Columns columns;
    bool first = true;
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        const std::string_view line = text.substr(start, end - start);
        const std::size_t offset = start;
        start = end + 1;
        if (notes::trimmed(line).empty()) continue;
        const std::vector<Cell> cells = cells_of(file, offset, line);
        const bool heading = first && columns.read_heading(cells);
        first = false;
        if (heading) continue;
        const auto cell = [&](std::size_t index) { return index < cells.size() ? cells[index] : Cell{}; };
        const Cell format = cell(columns.format), mnemonic = cell(columns.mnemonic);
        const Place whole{file, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(line.size())};
        if (mnemonic.text.empty()) {
            diagnostics.error(whole,
                              fmt::format("this row has no mnemonic: it has {} column{}; columns are separated by tabs",
                                          cells.size(), cells.size() == 1 ? "" : "s"));
            continue;
        }
        if (mnemonic.text.find_first_of(" \"") != std::string_view::npos) {
            diagnostics.error(mnemonic.where, "a mnemonic has no blanks and no quotes");
            continue;
        }
        ListedInstruction row;
        row.group = cell(columns.group).text;
        row.format = format.text;
        row.mnemonic = mnemonic.text;
        row.title = cell(columns.title).text;
        row.privilege = cell(columns.privilege).text;
        row.where = whole;
        row.format_where = format.where.known() ? format.where : whole;
        row.mnemonic_where = mnemonic.where;
        list.push_back(std::move(row));
    }
    return list;
}

}  // namespace isaforge

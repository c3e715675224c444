// Which notation a text has, and the readers, checkers and writers of each.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "isaforge/notations.hpp"
#include "isaforge/notes.hpp"
#include "notes/bit_sheet.hpp"
#include "notes/code_table.hpp"
#include "notes/encodings.hpp"
#include "notes/pictures.hpp"
#include "notes/scanner.hpp"
#include "notes/table.hpp"

namespace isaforge {

namespace {

struct NotationName {
    Notation notation;
    const char* name;
};
constexpr std::array notation_table{
    NotationName{Notation::bars, "bars"},
    NotationName{Notation::bit_sheet, "sheet"},
    NotationName{Notation::code_table, "codes"},
    NotationName{Notation::opcode_lines, "opcodes"},
    NotationName{Notation::bit_patterns, "patterns"},
    NotationName{Notation::bytefield, "bytefield"},
    NotationName{Notation::wavedrom, "wavedrom"},
};

bool holds_bars(FileId file, const SourceManager& sources) {
    Diagnostics ignored;
    return !read_notes(file, sources, ignored).empty();
}

std::string counted(std::size_t count, const char* thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string counted_instructions(const notes::Encodings& encodings) {
    std::size_t count = 0;
    for (const notes::Encoding& row : encodings.rows) count += row.mnemonics.size();
    return counted(count, "instruction");
}

void read_sheets(NotedTables& notes, const SourceManager& sources) {
    unsigned bits = 0;
    const char* drawn = "";
    for (const notes::Table& table : notes::tables_of(notes.file, sources)) {
        // A table may have several headings, and each is for the rows below it.
        notes::Table rest = table;
        while (const auto heading = notes::bit_heading(rest)) {
            bits = heading->bits;
            drawn = table.drawn;
            notes::read_bit_sheet(rest, *heading, notes);
            rest.rows.erase(rest.rows.begin(), rest.rows.begin() + static_cast<std::ptrdiff_t>(heading->row) + 1);
        }
    }
    notes.what = fmt::format("a sheet with a column for each of {} bits, {}: {} in {}", bits, drawn,
                             counted_instructions(notes.encodings), counted(notes.encodings.rows.size(), "row"));
}

// The nearest heading above a place: `## Title`, or a line with another of `===` below.
std::string title_above(std::string_view text, std::size_t offset) {
    std::string title;
    std::string_view before;
    for (std::size_t at = 0; at < offset;) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = notes::trimmed(text.substr(at, end - at));
        const bool underlines = line.size() > 2 && line.find_first_not_of(line[0]) == std::string_view::npos &&
                                std::string_view("=-~^").find(line[0]) != std::string_view::npos;
        if (line.starts_with('#'))
            title = notes::trimmed(line.substr(std::min(line.find_first_not_of('#'), line.size())));
        else if (underlines && !before.empty())
            title = before;
        before = line;
        at = end + 1;
    }
    return title;
}

void read_codes(NotedTables& notes, const SourceManager& sources) {
    const char* drawn = "";
    std::size_t rows = 0;
    for (const notes::Table& table : notes::tables_of(notes.file, sources)) {
        if (!notes::is_code_table(table)) continue;
        drawn = table.drawn;
        const std::uint32_t begin = table.rows[0][0].where.offset;
        notes::read_code_table(table, table.title.empty() ? title_above(sources.text(notes.file), begin) : table.title,
                               notes);
    }
    for (const notes::CodeTable& table : notes.codes.tables) rows += table.rows.size();
    notes.what = fmt::format("{} of operand codes, {}: {}", counted(notes.codes.tables.size(), "table"), drawn,
                             counted(rows, "row"));
    const std::size_t generations = notes.codes.generations.size();
    if (generations > 0) notes.what += fmt::format(" for {}", counted(generations, "generation"));
}

std::vector<Diagnostic> all_findings(const NotedTables& notes) {
    std::vector<Diagnostic> findings = notes.findings;
    notes::check_encodings(notes.encodings, findings);
    notes::check_code_tables(notes.codes, findings);
    std::ranges::stable_sort(
        findings, {}, [](const Diagnostic& finding) { return std::tuple(finding.place.file, finding.place.offset); });
    return findings;
}

}  // namespace

std::optional<Notation> notation_of(FileId file, const SourceManager& sources) {
    const std::string_view text = sources.text(file);
    if (notes::has_wavedrom(text)) return Notation::wavedrom;
    if (notes::has_bytefields(text)) return Notation::bytefield;
    if (holds_bars(file, sources)) return Notation::bars;
    const std::vector<notes::Table> tables = notes::tables_of(file, sources);
    for (const notes::Table& table : tables) {
        if (notes::bit_heading(table)) return Notation::bit_sheet;
    }
    if (std::ranges::any_of(tables, notes::is_code_table)) return Notation::code_table;
    if (notes::has_opcode_lines(text)) return Notation::opcode_lines;
    if (notes::has_bit_patterns(text)) return Notation::bit_patterns;
    return std::nullopt;
}

std::optional<Notation> notation_named(std::string_view name) {
    for (const NotationName& known : notation_table) {
        if (known.name == name) return known.notation;
    }
    return std::nullopt;
}

std::vector<std::string> notation_names() {
    std::vector<std::string> out;
    out.reserve(notation_table.size());
    for (const NotationName& known : notation_table) out.emplace_back(known.name);
    return out;
}

NotedTables read_noted_tables(Notation notation, FileId file, const SourceManager& sources) {
    NotedTables out;
    out.file = file;
    out.notation = notation;
    const std::string_view text = sources.text(file);
    const auto pictures = [&](const char* what) {
        out.what = fmt::format("{}: {}", what, counted_instructions(out.encodings));
    };
    switch (notation) {
        case Notation::bars: break;
        case Notation::bit_sheet: read_sheets(out, sources); break;
        case Notation::code_table: read_codes(out, sources); break;
        case Notation::opcode_lines:
            notes::read_opcode_lines(text, out);
            pictures("lines of bits with values");
            break;
        case Notation::bit_patterns:
            notes::read_bit_patterns(text, out);
            pictures("lines with a digit or a letter for each bit");
            break;
        case Notation::bytefield:
            notes::read_bytefields(text, out);
            pictures("pictures of LaTeX's bytefield");
            break;
        case Notation::wavedrom:
            notes::read_wavedrom(text, out);
            pictures("pictures for WaveDrom");
            break;
    }
    return out;
}

void check_noted_tables(const NotedTables& notes, const SourceManager&, Diagnostics& diagnostics) {
    for (const Diagnostic& finding : all_findings(notes)) diagnostics.take(finding);
}

std::string import_noted_tables(const NotedTables& notes, const SourceManager& sources, std::string_view name) {
    const bool are_codes = notes.notation == Notation::code_table;
    return (are_codes ? notes::draft_of_codes : notes::draft_of_encodings)(notes, all_findings(notes), sources, name);
}

}  // namespace isaforge

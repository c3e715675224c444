// Notes in the forms that the world keeps them in, beside the bars of notes.hpp: sheets with one column a bit, tables of
// operand codes, lines and pictures of bits. One function says which notation a text has; a reader for each makes one of two
// models of it, encodings or code tables, in which everything knows its place; both are checked and become descriptions.
// docs/notes.md shows each notation and what is found in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/diagnostics.hpp"
#include "isaforge/source.hpp"

namespace isaforge {

enum class Notation { bars, bit_sheet, code_table, opcode_lines, bit_patterns, bytefield, wavedrom };

namespace notes {

// What several texts of notes call one thing, and where: a mnemonic and its other names.
struct Mnemonic {
    std::vector<std::string> names;  // at least one
    Place where;
};

// Bits high to low of a word: fixed ones, a field or a part of it, or bits that are left blank.
struct Piece {
    enum class Kind { fixed, field, blank, ignored };
    Kind kind = Kind::field;
    unsigned high = 0, low = 0;
    std::string bits;                // fixed: the bits, most significant first
    std::string name;                // field
    std::optional<unsigned> from;    // field: the piece's lowest bit is this bit of the value; nothing: it is not said
    bool chooses = false;            // field: its values tell the row's mnemonics apart
    std::string cell;                // how the notes' form calls the place: a sheet's `N7`
    Place where;

    unsigned width() const { return high - low + 1; }
};

// A field that a row has instead of others, behind a bit that chooses: `k_ra` is a constant k or a register ra.
struct Alternative {
    std::size_t chooser = 0;         // of Encoding::pieces; the values count from 0: the pieces, this one
    std::size_t first = 0, last = 0; // the pieces it stands instead of
    Piece piece;
};

// A row: one or more mnemonics with the same layout.
struct Encoding {
    std::vector<Mnemonic> mnemonics;
    std::string title;
    std::vector<Piece> pieces;       // by falling bits
    std::optional<Alternative> alternative;
    std::optional<unsigned> open;    // from this bit down to 0 the notes do not say what stands where
    unsigned width = 0;
    Place where;
};

struct Encodings {
    std::vector<Encoding> rows;
    bool low_first = false;          // of words of different lengths the lowest bits tell which; else the highest
};

// `0-103 | S0 - S103 | SGPR's (GCN1.1)`
struct CodeRow {
    std::uint64_t low = 0, high = 0;
    std::vector<std::string> names;  // one for all of the codes, or the first and the last; none: reserved
    std::vector<std::string> aliases;
    std::string description;
    std::vector<std::string> generations;  // empty: all
    bool reserved = false;
    Place where, code_where, name_where;
};

struct CodeTable {
    std::string title;
    std::vector<CodeRow> rows;
    Place where;
};

struct CodeTables {
    std::vector<CodeTable> tables;
    std::vector<std::string> generations;  // all that rows name, in their order
};

}  // namespace notes

// Notes of any notation but bars.
struct NotedTables {
    FileId file = 0;
    Notation notation = Notation::bit_sheet;
    std::string what;                      // "a sheet of 32 bits with 26 rows, separated by tabs"
    notes::Encodings encodings;
    notes::CodeTables codes;
    std::vector<Diagnostic> findings;      // what reading them has found: defects are errors, open questions warnings

    bool empty() const { return encodings.rows.empty() && codes.tables.empty(); }
};

// The notation that a text has; nothing where it has none of them.
std::optional<Notation> notation_of(FileId file, const SourceManager& sources);
// By the name that the command line has for it; and those names.
std::optional<Notation> notation_named(std::string_view name);
std::vector<std::string> notation_names();

// Reads notes in one notation, which is not bars. `empty()` where there is nothing of it in the text.
NotedTables read_noted_tables(Notation notation, FileId file, const SourceManager& sources);

// Reports what reading has found and every inconsistency that can be computed, in the order of the text.
void check_noted_tables(const NotedTables& notes, const SourceManager& sources, Diagnostics& diagnostics);

// A description that loads. What the notes leave open stands in it as a comment beside the row, with its cells.
std::string import_noted_tables(const NotedTables& notes, const SourceManager& sources, std::string_view name);

}  // namespace isaforge

// Designers' notes: the text files in which an instruction set lives before there is a description of it. Bars such as
// `[B] |OPCODE(09)|RA(05)|IMM(08/24)|`, patterns of mode bits, legends, ranges of the opcode space, counts. The reader is
// tolerant: prose is passed over, and what looks like notation but is not understood is a warning. docs/notes.md shows
// the notation and what the checker finds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/diagnostics.hpp"
#include "isaforge/isa.hpp"
#include "isaforge/source.hpp"

namespace isaforge {

namespace notes {

// A number as it stands in the notes. Unknown is `??`.
struct Count {
    std::uint64_t value = 0;
    bool unknown = false;
    Place where;
};

// The name of a format, as in `[B.l]` or `(B.1)`.
struct FormatName {
    std::string name;
    Place where;
};

// `IMM(08/24)`: a cell of a bar, with its alternatives.
struct BarField {
    std::string name;
    std::vector<unsigned> widths;   // 1 or more, each up to 4096
    Place where;
};

// `length: 4B`, `- lengths: 4B, 6B`: in bits.
struct Lengths {
    std::vector<unsigned> bits;
    Place where;
};

// What an instruction operates on: `r,r,i`, `R-R-I`. One letter each.
struct OperandLetters {
    std::string letters;            // in lower case; empty for `-`
    Place where;
};

struct Bar {
    FormatName format;              // the name in brackets, or that of the block
    std::vector<BarField> fields;
    std::optional<Lengths> lengths;
    std::optional<OperandLetters> operands;
    std::optional<Count> tally;     // how many instructions, at the line's end
    Index block = no_index;         // no_index: in a list outside of the blocks
    Place where;
};

// `"ttmuu"`, `x mstt`, `m01tt -> acquire`. Blanks mean nothing.
struct ModePattern {
    std::string bits;               // letters, 0, 1, and `-` for a bit that means nothing
    std::string meaning;            // behind the arrow
    bool bare = false;              // without quotes: may yet turn out to be prose
    Place where;
};

// `MOD(05): "ttmuu"`, or `MOD(05):` with patterns below it.
struct ModeLabel {
    std::string field;
    unsigned width = 0;
    std::vector<FormatName> formats;  // `[E, E.l]` before it; empty: all of the block
    std::vector<ModePattern> patterns;
    bool nested_opcode = false;     // the field is said to be a part of the opcode
    Place where;
};

struct LegendValue {
    std::string code;               // `00`, or empty where the values count from 0
    std::string text;
};

// `('tt' is data type length: 8, 16, 32, 64)`
struct Legend {
    std::vector<std::string> letters;  // mostly one; two in `('tt', 'tt' is …)`
    std::string what;                  // "data type length"
    std::vector<LegendValue> values;   // empty where none are listed
    bool open = false;                 // the list ends in `...`
    bool extra_opcode = false;         // the letters are extra opcode bits
    Place where;
};

// "vector load & store instructions:" with what stands below it.
struct Group {
    std::string title;              // may be empty
    std::optional<OperandLetters> operands;
    std::vector<ModeLabel> labels;
    std::vector<Legend> legends;
    Place where;
};

// `[A] format { … }`, or a bar that ends in `{`.
struct Block {
    FormatName format;
    std::optional<Lengths> lengths;
    std::optional<OperandLetters> operands;
    std::vector<Group> groups;
    Place where;
};

// `0111000xxxxxxxxx ... 1100111xxxxxxxxx  max: 48; current: 31; free: 17`
struct Range {
    unsigned low_bits = 0, high_bits = 0;     // of the whole pattern, 4 to 48: the width of the opcode space
    unsigned low_fixed = 0, high_fixed = 0;   // how many leading bits are not x
    std::uint64_t low = 0, high = 0;          // those bits as numbers
    std::optional<Count> max, current, free, cost;
    bool max_is_bare = false;       // a number without a word
    std::vector<FormatName> formats;
    Place where, low_where, high_where;
};

// Ranges that follow each other without anything but blank lines in between.
struct RangeTable {
    std::vector<Range> ranges;
};

// `[A]: 72`
struct Tally {
    FormatName format;
    Count count;
};

enum class TotalKind { capacity, used, left, unsaid };

// `max opcode pool: 300`, `384 combinations left`, or a number alone below the ranges.
struct Total {
    TotalKind kind = TotalKind::unsaid;
    std::string words;
    Count count;
    Place where;
};

}  // namespace notes

// Everything that was understood, in the order of the text.
struct Notes {
    FileId file = 0;
    std::vector<notes::Bar> bars;
    std::vector<notes::Block> blocks;
    std::vector<notes::RangeTable> tables;
    std::vector<notes::Tally> tallies;
    std::vector<notes::Total> totals;
    std::string dont_care;          // letters that the notes' legend calls don't care

    bool empty() const { return bars.empty() && tables.empty(); }
};

// One row of a list of instructions: group, format, mnemonic, name, privilege, separated by tabs.
struct ListedInstruction {
    std::string group, mnemonic, title;
    std::string privilege;          // or empty
    std::string format;             // `?` where the list leaves it open
    Place where, format_where, mnemonic_where;
};

// Reads notes. What looks like notation and is not understood is a warning.
Notes read_notes(FileId file, const SourceManager& sources, Diagnostics& diagnostics);

// Reads a list of instructions. A row with fewer than three columns is an error; the first row may name the columns.
std::vector<ListedInstruction> read_instruction_list(FileId file, const SourceManager& sources,
                                                     Diagnostics& diagnostics);

// Reports every inconsistency that can be computed, in the order of the text: one error for each cause, with the other
// places as notes. With a list of instructions also where demand and supply do not fit.
void check_notes(const Notes& notes, Diagnostics& diagnostics);
void check_notes(const Notes& notes, const std::vector<ListedInstruction>& list, Diagnostics& diagnostics);

// The notes as a description that loads: formats, operands, pools, and rows for the list's instructions or, without a
// list, one row for each format as a comment. `name` is the instruction set's.
std::string import_notes(const Notes& notes, const std::vector<ListedInstruction>& list, const SourceManager& sources,
                         std::string_view name);

// Whether a text is a description: a line of it begins with `isa NAME`.
bool is_description(std::string_view text);

}  // namespace isaforge

// What the allocator solves, without the rest of a description: rows that wait for a code, and what is in their way. Tests
// make thousands of these at random.
//
// A row's code is `chosen` bits of the leading bits: those in the unbroken run at the front, its block, and extra ones
// behind it. A block holds rows of one class only: rows of one format, or of formats with the same pools where that is
// needed, with the same chosen bits and the same constant bits. So whoever has read the block knows which bits to look at
// next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allocator/bdd.hpp"

namespace isaforge::allocator {

// One encoding of a row: its constant bits, beside those that are chosen.
struct Shape {
    unsigned format = 0;  // Problem::formats
    unsigned length = 0;  // in bits
    Cube constants;
};

// Blocks have at most so many leading bits, so that sums of them keep within 64 bits.
inline constexpr unsigned widest_block = 40;

struct Item {
    std::vector<Shape> forms;  // at least one; all have the same chosen bits
    Bits chosen = 0;
    unsigned table = 0;
    unsigned aligned = 1;      // rows of the table in chunks of so many, a power of two, each aligned to that
};

struct FixedRow {
    Shape shape;
    std::string name;
};

struct PoolRange {
    std::string name;
    unsigned width = 0;
    std::uint64_t low = 0, high = 0;
    std::vector<unsigned> formats;
};

struct ReservedWords {
    Cube pattern;
    std::string reason;
};

struct Problem {
    // Where all opcodes stand behind operand bits, those bits are skipped: all words here begin behind them, but not the
    // bounds of pools.
    unsigned skipped = 0;
    bool partial = false;  // some row is told from others by bits behind those that are seen here
    std::vector<std::string> formats;
    std::vector<PoolRange> pools;
    std::vector<ReservedWords> reserved;
    std::vector<FixedRow> fixed;
    std::vector<Item> items;
    std::vector<std::pair<std::size_t, std::size_t>> related;  // items that had best be one bit apart
};

// What a decoder looks at, as a two-level cover of minimal size with unused words as don't-care.
struct DecoderCost {
    unsigned bits = 0;   // leading bits that it looks at
    unsigned terms = 0;  // products, each distinct one counted once
};

struct Figures {
    DecoderCost length, format;
    unsigned apart = 0;  // related rows more than one bit apart

    // What is minimised: the length decoder counts twice the format decoder, a pair apart a quarter of a term of that.
    unsigned cost() const { return 8 * (length.bits + length.terms) + 4 * (format.bits + format.terms) + apart; }
};

// A full assignment: the chosen bits of each item, in place.
using Assignment = std::vector<Bits>;

// The proof that nothing fits. `formats` together need more than there is, unless `fragmented` or `searched`: then the sums
// fit, but trying every placement shows that the pieces do not.
struct Shortage {
    struct Part {
        std::size_t pool = 0;        // Problem::pools, or their number: what no pool holds
        std::uint64_t holds = 0, fixed = 0, reserved = 0;  // in units; what is taken by rows with a number, or reserved
    };
    struct Demand {
        std::vector<unsigned> formats;                     // that share blocks
        std::size_t rows = 0;
        unsigned width = 0, extra = 0;                     // leading bits of a block, and extra bits behind it
        std::uint64_t units = 0;                           // in new blocks
    };
    bool fragmented = false;
    bool searched = false;           // codes were tried one by one: `units` of a demand are those that are free for its rows
    unsigned width = 0;              // a unit is a block of so many leading bits
    std::uint64_t needed = 0, available = 0;
    std::vector<Demand> demands;
    std::vector<Part> parts;         // where they may be
};

// A change after which an assignment exists.
struct Change {
    enum class Kind { drop_rows, grow_pool_up, grow_pool_down, wider_opcode, extra_bit };
    Kind kind = Kind::drop_rows;
    std::size_t subject = 0;         // a pool; for wider_opcode and extra_bit a format
    std::uint64_t amount = 0;        // grow_pool: in opcodes of the pool; wider_opcode: leading bits there are then
    std::vector<std::pair<unsigned, std::uint64_t>> rows;  // drop_rows: how many of which format
};

enum class Answer { yes, no, gave_up };

struct Outcome {
    Answer answer = Answer::no;
    std::uint64_t placements = 0;                  // that the search for the answer tried
    Assignment assignment;                         // yes
    Figures ours;
    std::optional<Figures> in_order, first_fit;    // nothing where that order does not fit
    Assignment in_order_words, first_fit_words;    // … and what these are
    std::optional<Shortage> shortage;              // no
    std::vector<Change> changes;                   // no: the smallest, each tried
};

// The whole work. The same problem always gives the same outcome.
Outcome solve(const Problem& problem);

// Only whether an assignment exists.
Answer fits(const Problem& problem, std::uint64_t most);
inline constexpr std::uint64_t most_placements = 200000;

// The proof as a sentence with its figures as further ones, and changes as what to do: "drop 3 rows of A or B". Changes that
// differ in their format alone are grouped.
std::string describe(const Problem& problem, const Shortage& shortage);
std::vector<std::string> describe_figures(const Problem& problem, const Shortage& shortage);
std::vector<std::vector<Change>> grouped(const std::vector<Change>& changes);
std::string describe(const Problem& problem, const std::vector<Change>& alike);

}  // namespace isaforge::allocator

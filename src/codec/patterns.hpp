// The texts of all operands that may stand at one place of a statement, in one automaton, so that a register, a range of
// registers or a named constant is read by one walk over its letters, whichever of them it is for. A number in a text is a
// transition of its own: "s[{n}:{n+1}]" is one pattern and not fifty texts. So is an operand inside of a text, if it has many
// texts: "-|{source}|".
//
// Patterns know a text only as it is printed: single blanks, plain numbers. Other spacings and expressions are read row by
// row (read.cpp), which takes longer and finds the same.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/isa.hpp"

namespace isaforge::codec {

// Stand for a number and for an operand in a pattern.
inline constexpr char number_mark = '\1';
inline constexpr char operand_mark = '\2';

// What stands behind an operand in a text.
struct After {
    bool glued = false;            // it may continue the operand's word
    char stop = 0;                 // what it begins with is no operator of an expression in the operand; 0: it may be one

    friend bool operator==(const After&, const After&) = default;
};

// One number of a pattern: value = (number - bias) / scale, which must be low..high, a multiple of `step` from low. Without its
// lowest `drop` bits it is put into the operand's code from bit `shift` on, or into the word behind the instruction, or it only has to
// agree with an earlier one. The number of an operand is its code.
struct PatternNumber {
    Index operand = no_index;
    After after;                   // operand: what stands behind it
    std::int64_t scale = 1, bias = 0;
    std::int64_t low = 0, high = 0, step = 1;
    std::uint64_t mask = 0;        // bits that are kept of the value, without those that are dropped
    std::uint8_t shift = 0, drop = 0;
    std::uint8_t tail_bits = 0;    // the word behind the instruction: so many; 0: the code
    bool named = false;            // part of a register's name: it is no number that says which code is meant
    bool tail_shared = false;      // other operands may have the same word
    std::int8_t same_as = -1;      // the earlier number of the same field

    // The bits of a code, or of the word behind the instruction, that stand for a value.
    std::uint64_t bits(std::int64_t value) const { return static_cast<std::uint64_t>(value) >> drop & mask; }
    // Whether the value is nothing but those bits.
    bool is_bits() const { return drop == 0 && low >= 0 && static_cast<std::uint64_t>(high) <= mask; }
    friend bool operator==(const PatternNumber&, const PatternNumber&) = default;
};

// One way to write some codes of an operand.
struct Spelling {
    std::string text;              // with number_mark for each number
    std::uint64_t code = 0;        // where the numbers are 0
    std::vector<PatternNumber> numbers;
    std::uint32_t row = 0;         // of the operand's table
    bool spaced = false;           // behind other text, a blank stands before it
};

// What was read of an operand.
struct PatternMatch {
    std::uint64_t code = 0;
    std::uint64_t tail = 0;
    unsigned tail_bits = 0;
    bool tail_shared = false;
    bool numeric = false;          // there was a number in the text
    bool nested = false;           // there was an operand in the text, so that nobody has seen yet what the code …
    std::uint32_t row = 0;         // … of this row is printed as
};

struct Derivation;

// Reads operands inside of texts.
class NestedReader {
public:
    virtual ~NestedReader() = default;
    // Where the text of the operand at `p` ends; null where there is none, or none that is surely all of it.
    virtual const char* read(Index type, const char* p, const After& after, PatternMatch& out) = 0;
    // The same with what decided. False where that cannot be said.
    virtual bool derive(Index, const char*, const After&, Derivation&) { return false; }
};

// For texts without operands.
class NoNested final : public NestedReader {
public:
    const char* read(Index, const char*, const After&, PatternMatch&) override { return nullptr; }
};

// Why no text of an operand fits.
struct PatternRefusal {
    const char* end = nullptr;     // where a text ended that fits but for its numbers
    bool may_vary = false;         // with other blanks, or an expression in place of a number, one might fit
};

class Patterns {
public:
    static constexpr std::size_t most_numbers = 4;
    static constexpr unsigned most_types = 32;

    // The numbers that were read, and what the operands among them brought along.
    struct Numbers {
        std::uint64_t value[most_numbers];
        std::uint64_t tail;
        std::uint8_t tail_bits;
        bool tail_shared, numeric;
    };

    // The ends of patterns that one walk came by, which have their numbers in common. What they mean for each of the operands
    // is asked afterwards.
    class Walk {
    public:
        // Nothing is set before there is something to set it to.
        Walk() {}  // NOLINT(*-member-init)
        const char* begin;

    private:
        friend class Patterns;
        static constexpr unsigned most_stops = 8;
        struct Stop {
            const char* at;
            std::uint32_t node;
        };
        unsigned count_;
        bool more_;                             // there were more, or the text may be read in two ways
        Numbers numbers_;
        Stop stops_[most_stops];
    };

    explicit Patterns(bool case_insensitive = false);

    // One more operand; its number. With `expressions`, a number may go on as one ("5 + 3"): what stands behind a pattern is
    // looked at. At most most_types.
    unsigned add_type(bool expressions);
    // Of two that fit equally well the first added is taken. At most `most_numbers` numbers.
    void add(unsigned type, const Spelling& spelling);
    void add(unsigned type, std::string_view text, std::uint64_t code);
    // Nothing is found before this, and nothing can be added behind it.
    void finish();
    bool empty(unsigned type) const { return !passes(0, type); }

    // `stop`: see After. What is taken from a walk has the same behind it.
    void walk(const char* begin, const char* end, NestedReader& nested, char stop, Walk& out) const;

    // The longest text of the operand that does not end inside a word (unless what follows is glued to it): where it ends,
    // or null where none fits. The empty text fits everywhere.
    const char* take(const Walk& walk, const char* end, NestedReader& nested, unsigned type, const After& after,
                     PatternMatch& out) const;

    // Both, and which numbers and rules decided. False where the text may be read in more than one way.
    bool derive(const char* begin, const char* end, NestedReader& nested, unsigned type, const After& after,
                Derivation& out) const;

    // At `word`, behind signs, begins a name that is no number.
    PatternRefusal refusal(const Walk& walk, const char* end, unsigned type, const After& after,
                           const char* word) const;

    // Both for an operand that is alone.
    bool match(const char*& cursor, const char* end, NestedReader& nested, const After& after, PatternMatch& out) const;

private:
    struct Node {
        std::uint32_t number = 0;              // the node behind a number; 0: none
        std::uint32_t ending_types = 0;        // a bit for each operand of which a text ends here …
        std::uint32_t first_span = 0;          // … and for each, in order, where its endings are: spans_
        std::uint32_t first_nested = 0;        // nested_
        std::uint32_t nested_count = 0;
        std::uint32_t row = 0;                 // where its cells begin, and whether it is special
    };
    // The operands that have a text which comes by a node, a bit for each: all, and those where it goes on so.
    struct Passing {
        std::uint32_t types = 0;
        std::uint32_t varies = 0;              // with a number or a blank …
        std::uint32_t nests = 0;               // … with an operand …
        std::uint32_t marks = 0;               // … or with a mark
    };
    // Whose row it belongs to, where the letter leads, and where that node's own cells begin.
    struct Cell {
        std::uint32_t node = 0, next = 0, row = 0;
    };
    struct Span {
        std::uint32_t first = 0, count = 0;    // endings_
    };
    // Of a node's row: there is more to it than letters.
    static constexpr std::uint32_t special = std::uint32_t{1} << 31;
    struct Nested {
        Index operand = no_index;
        After after;
        std::uint32_t next = 0;                // node
    };
    struct Ending {
        std::uint64_t code = 0;
        std::uint32_t first_number = 0;        // numbers_
        std::uint16_t count = 0, type = 0;
        std::uint32_t order = 0, row = 0;
        bool nested = false;
        // Its only number, less `bias`, is in low .. high, and lies in the code from bit `shift` on, without its lowest `drop` bits.
        bool simple = false, named = false;
        std::uint8_t shift = 0, drop = 0;
        std::uint32_t bias = 0, low = 0, high = 0, mask = 0;
    };
    // While texts are added.
    struct Branch {
        char letter = 0;
        After after;
        Index operand = no_index;
        std::uint32_t child = 0, sibling = 0;  // branches; 0: none
    };
    struct Added {
        std::uint32_t node = 0;
        Ending ending;
    };

    char fold(char c) const { return case_insensitive_ && c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
    static void set_simple(Ending& ending, const PatternNumber& rule);
    void place_rows();
    const Cell& cell(std::uint32_t row, char c) const {
        return cells_[(row & ~special) + classes_[static_cast<unsigned char>(c)]];
    }
    bool goes_on(const Cell& cell, const char* p, const char* end) const;
    bool may_end_or_go_on(std::uint32_t node, const char* begin, const char* p, const char* end, char stop) const;
    template <typename Log>
    void walk(const char* begin, const char* end, NestedReader& nested, char stop, Walk& out, Log& log) const;
    bool has_digit(std::uint32_t node, std::uint32_t row, unsigned type) const;
    class DerivationLog;
    void flatten(const Ending& ending, DerivationLog& log, Derivation& out) const;
    template <typename Visit>
    void follow(std::uint32_t node, const char* begin, const char* p, const char* end, NestedReader& nested,
                Numbers& numbers, unsigned count, const Visit& visit) const;
    // std::popcount is a call where the processor is not said to have an instruction for it.
    static unsigned count_bits(std::uint32_t bits) {
        bits -= bits >> 1 & 0x55555555u;
        bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
        return (((bits + (bits >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
    }
    const Span* span_of(const Node& node, unsigned type) const {
        const std::uint32_t bit = 1u << type;
        if ((node.ending_types & bit) == 0) return nullptr;
        if (node.ending_types == bit) return &spans_[node.first_span];
        return &spans_[node.first_span + count_bits(node.ending_types & (bit - 1))];
    }
    bool passes(std::uint32_t node, unsigned type) const { return (passing_[node].types >> type & 1) != 0; }
    static bool add_nested(Numbers& numbers, unsigned count, const PatternMatch& match);
    bool fits(const char* begin, const char* at, const char* end, unsigned type, const After& after) const;
    const char* take_best(const char* begin, const char* end, NestedReader& nested, unsigned type, const After& after,
                          PatternMatch& out) const;
    const Ending* take_first(const Span& span, const Numbers& numbers, std::uint32_t before, PatternMatch& out) const;
    bool take(const Ending& ending, const Numbers& numbers, PatternMatch& out) const;
    static std::uint32_t stopped_at(const Passing& passing, char c, bool is_name);
    bool may_vary(std::uint32_t node, const char* begin, const char* p, const char* end, unsigned type,
                  const char* word) const;

    bool case_insensitive_;
    std::uint32_t type_count_ = 0, expressions_ = 0;  // a bit for each
    const std::uint8_t* classes_;                     // of letters: their cells in a row
    std::vector<Node> nodes_;
    std::vector<Passing> passing_;                    // by node
    std::vector<Cell> cells_;
    std::vector<Nested> nested_;
    std::vector<Span> spans_;
    std::vector<Ending> endings_;
    std::vector<PatternNumber> numbers_;
    std::vector<Branch> branches_;                    // as nodes_
    std::vector<Added> added_;
};

}  // namespace isaforge::codec

// The texts of an operand in one automaton, so that a register, a range of registers or a named constant is read by one walk over
// its letters. A number in a text is a transition of its own: "s[{n}:{n+1}]" is one pattern and not fifty texts. So is an operand
// inside of a text, if it has many texts: "-|{source}|".
//
// Patterns know a text only as it is printed: single blanks, plain numbers. Other spacings and expressions are read row by
// row (read.cpp), which takes longer and finds the same.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/characters.hpp"
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

// What was read of an operand; where nothing was, `ended` and `several_ways` alone are set.
struct PatternMatch {
    std::uint64_t code = 0;
    std::uint64_t tail = 0;
    std::uint32_t row = 0;
    std::uint8_t tail_bits = 0;
    bool tail_shared = false;
    bool numeric = false;          // there was a number in the text
    // There was an operand in the text: nobody has seen yet as which row the code is printed.
    bool nested = false;
    bool several_ways = false;     // the text may be read in more than one way
    const char* ended = nullptr;   // where the longest text ended that fits but, perhaps, for its numbers
};

// Reads operands inside of texts.
class NestedReader {
public:
    virtual ~NestedReader() = default;
    // Where the text of the operand at `p` ends; null where there is none, or none that is surely all of it.
    virtual const char* read(Index type, const char* p, const After& after, PatternMatch& out) = 0;
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

// As plain_number, for what begins with a 0.
const char* odd_number(const char* p, const char* end, bool in_word, std::uint64_t& value);

// A decimal number without leading zeros, or, where no word is being read, one with 0x: where it ends. Null where it may be
// something else or does not fit into 63 bits.
inline const char* plain_number(const char* p, const char* end, bool in_word, std::uint64_t& value) {
    constexpr std::ptrdiff_t most_digits = 18;
    if (*p == '0') return odd_number(p, end, in_word, value);
    const char* const begin = p;
    value = static_cast<std::uint64_t>(*p++ - '0');
    for (; p != end && is_digit(*p); ++p) {
        if (p - begin == most_digits) return nullptr;
        value = value * 10 + static_cast<std::uint64_t>(*p - '0');
    }
    return p;
}

// Whether what stands behind a number may make it a part of an expression. Blanks may stand in between.
bool may_go_on(const char* p, const char* end, char stop);

class Patterns {
public:
    static constexpr std::size_t most_numbers = 4;

    // With `expressions`, a number may go on as one ("5 + 3"): what stands behind a pattern is looked at.
    explicit Patterns(bool case_insensitive = false, bool expressions = false);

    // Of two that fit equally well the first added is taken. At most `most_numbers` numbers.
    void add(const Spelling& spelling);
    void add(std::string_view text, std::uint64_t code);
    // Nothing is found before this, and nothing can be added behind it.
    void finish();
    bool empty() const { return nodes_.size() == 1 && nodes_[0].ending_count == 0; }

    // The longest text at `begin` that does not end inside a word (unless what follows is glued to it): where it ends, or null
    // where none fits. The empty text fits everywhere.
    const char* match(const char* begin, const char* end, NestedReader& nested, const After& after,
                      PatternMatch& out) const;

    // The same of what most texts are: a letter with a number behind it, behind letters that are the same for all. Where something
    // else stands there, null.
    const char* match_counted(const char* begin, const char* end, bool glued, std::uint64_t& code) const {
        const char* p = begin;
        if (end - p <= static_cast<std::ptrdiff_t>(before_size_) + 1) return nullptr;
        for (unsigned i = 0; i < before_size_; ++i)
            if (*p++ != before_[i]) return nullptr;
        const auto letter = static_cast<unsigned char>(*p++);
        if (letter >= counted_.size() || counted_[letter] == 0 || *p < '1' || *p > '9') return nullptr;
        auto value = static_cast<std::uint64_t>(*p++ - '0');
        for (unsigned digits = 1; p != end && is_digit(*p) && digits < most_counted; ++digits)
            value = value * 10 + static_cast<std::uint64_t>(*p++ - '0');
        if (!fits(begin, p, end, {glued, 0}) || (p != end && is_digit(*p))) return nullptr;
        const Ending& ending = endings_[counted_[letter] - 1];
        value -= ending.bias;
        if (value < ending.low || value > ending.high) return nullptr;
        code = ending.code | (value >> ending.drop & ending.mask) << ending.shift;
        return p;
    }

    // Of what did not match so. At `word`, behind signs, begins a name that is no number.
    PatternRefusal refusal(const char* begin, const char* end, const PatternMatch& match, const char* word) const;

private:
    // The numbers that were read, and what the operands among them brought along.
    struct Numbers {
        std::uint64_t value[most_numbers];
        std::uint64_t tail;
        std::uint8_t tail_bits;
        bool tail_shared, numeric;
    };
    struct Node {
        std::uint32_t number = 0;              // the node behind a number; 0: none
        std::uint32_t first_ending = 0;        // endings_
        std::uint32_t first_nested = 0;        // nested_
        std::uint16_t ending_count = 0, nested_count = 0;
        std::uint32_t row = 0;                 // where its cells begin, and what there is to it beside letters
        // Whether a text goes on behind it with a number or a blank, with an operand, with a mark.
        bool varies = false, nests = false, marks = false;
    };
    // Whose row it belongs to, where the letter leads, and where that node's own cells begin.
    struct Cell {
        std::uint32_t node = 0, next = 0, row = 0;
    };
    // Of a node's row: a text ends there; digits begin a number and nothing else; it may go on in other ways.
    static constexpr std::uint32_t ends = std::uint32_t{1} << 31, counts = std::uint32_t{1} << 30,
                                   turns = std::uint32_t{1} << 29, beside_letters = ends | counts | turns;
    struct Nested {
        Index operand = no_index;
        After after;
        std::uint32_t next = 0;                // node
    };
    struct Ending {
        std::uint64_t code = 0;
        std::uint32_t first_number = 0;        // numbers_
        std::uint16_t count = 0;
        bool nested = false;
        // Its only number, less `bias`, is in low .. high, and lies in the code from bit `shift` on, without its lowest `drop` bits.
        bool simple = false, named = false;
        std::uint8_t shift = 0, drop = 0;
        std::uint32_t bias = 0, low = 0, high = 0, mask = 0;
        std::uint32_t order = 0, row = 0;
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
    // The way through the texts so far.
    struct Way {
        const char* p;
        std::uint32_t node;
        unsigned count;                        // of numbers
    };
    enum class Turn : std::uint8_t { none, one, several };

    char fold(char c) const { return case_insensitive_ && c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
    static void set_simple(Ending& ending, const PatternNumber& rule);
    void place_rows();
    const Cell& cell(std::uint32_t row, char c) const {
        return cells_[(row & ~beside_letters) + classes_[static_cast<unsigned char>(c)]];
    }
    bool goes_on(const Cell& cell, const char* p, const char* end) const;
    void find_counted();
    bool may_end_or_go_on(std::uint32_t node, const char* begin, const char* p, const char* end, char stop) const;
    Turn turn(Way& way, const char* begin, const char* end, NestedReader& nested, char stop, Numbers& numbers) const;
    template <typename Visit>
    void follow(std::uint32_t node, const char* begin, const char* p, const char* end, NestedReader& nested,
                Numbers& numbers, unsigned count, const Visit& visit) const;
    static bool add_nested(Numbers& numbers, unsigned count, const PatternMatch& match);
    bool fits(const char* begin, const char* at, const char* end, const After& after) const;
    const char* match_best(const char* begin, const char* end, NestedReader& nested, const After& after,
                           PatternMatch& out) const;
    // The first of the node's spellings whose numbers are in range.
    const Ending* take_first(const Node& node, const Numbers& numbers, PatternMatch& out) const {
        const Ending* ending = endings_.data() + node.first_ending;
        for (const Ending* const last = ending + node.ending_count; ending != last; ++ending)
            if (take(*ending, numbers, out)) return ending;
        return nullptr;
    }
    bool take(const Ending& ending, const Numbers& numbers, PatternMatch& out) const {
        if (ending.count == 0) {
            set(out, ending.code, ending, false);
            return true;
        }
        if (!ending.simple) return take_numbers(ending, numbers, out);
        const std::uint64_t value = numbers.value[0] - ending.bias;  // NOLINT(clang-analyzer-*): it was read
        if (value < ending.low || value > ending.high) return false;
        set(out, ending.code | (value >> ending.drop & ending.mask) << ending.shift, ending, !ending.named);
        return true;
    }
    // A text with nothing behind the instruction.
    static void set(PatternMatch& out, std::uint64_t code, const Ending& ending, bool numeric) {
        out.code = code;
        out.tail = 0;
        out.tail_bits = 0;
        out.tail_shared = out.nested = false;
        out.numeric = numeric;
        out.row = ending.row;
    }
    bool take_numbers(const Ending& ending, const Numbers& numbers, PatternMatch& out) const;
    bool may_vary(std::uint32_t node, const char* begin, const char* p, const char* end, const char* word) const;

    bool case_insensitive_, expressions_;
    std::uint32_t root_row_ = 0;                      // Node::row of the first
    // See match_counted: what stands before each letter, and by letter its ending in endings_, + 1; 0: none.
    static constexpr unsigned most_before = 4, most_counted = 9;  // digits
    std::uint8_t before_size_ = 0;
    char before_[most_before] = {};
    std::array<std::uint16_t, 128> counted_{};
    const std::uint8_t* classes_;                     // of letters: their cells in a row
    std::vector<Node> nodes_;
    std::vector<Cell> cells_;
    std::vector<Ending> endings_;
    std::vector<Nested> nested_;
    std::vector<PatternNumber> numbers_;
    std::vector<Branch> branches_;                    // as nodes_
    std::vector<Added> added_;
};

inline bool Patterns::fits(const char* begin, const char* at, const char* end, const After& after) const {
    if (at == begin || !is_word(at[-1])) return true;
    if (!after.glued && at != end && is_word(*at)) return false;
    // A number may go on as an expression; a name does not.
    return !expressions_ || at == end || is_alpha(*begin) || !may_go_on(at, end, after.stop);
}

// What is not one way through the texts, with one end, is match_best's.
inline const char* Patterns::match(const char* begin, const char* end, NestedReader& nested, const After& after,
                                   PatternMatch& out) const {
    const Node* const nodes = nodes_.data();
    const Cell* const cells = cells_.data();
    const std::uint8_t* const classes = classes_;
    Numbers numbers;
    numbers.tail_bits = 0;
    numbers.numeric = false;
    Way way{begin, 0, 0};
    std::uint32_t row = root_row_, passed = 0;  // passed: where a text ended before
    out.several_ways = false;
    out.ended = nullptr;
    while (way.p != end) {
        const bool may_count = row >= turns && is_digit(*way.p);
        if (may_count && (row & counts) != 0) {
            const bool in_word = way.p != begin && is_word(way.p[-1]);
            const char* const behind = plain_number(way.p, end, in_word, numbers.value[way.count]);
            if (!behind) break;
            way = {behind, nodes[way.node].number, way.count + 1};
        } else if ((row & turns) != 0 && (may_count || nodes[way.node].nested_count != 0)) {
            const Turn turned = turn(way, begin, end, nested, after.stop, numbers);
            out.several_ways = turned == Turn::several;
            if (out.several_ways) return match_best(begin, end, nested, after, out);
            if (turned == Turn::none) break;
        } else {
            const Cell& cell = cells[(row & ~beside_letters) + classes[static_cast<unsigned char>(*way.p)]];
            if (cell.node != way.node) break;
            passed |= row & ends;
            way.node = cell.next;
            row = cell.row;
            ++way.p;
            continue;
        }
        passed |= row & ends;
        row = nodes[way.node].row;
    }
    // Nothing goes on here.
    if ((row & ends) != 0 && fits(begin, way.p, end, after)) {
        out.ended = way.p;
        if (take_first(nodes[way.node], numbers, out)) return way.p;
    }
    return passed != 0 ? match_best(begin, end, nested, after, out) : nullptr;
}

}  // namespace isaforge::codec

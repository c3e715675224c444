// The texts of an operand in one automaton, so that a register, a range of registers or a named constant is read by one walk over
// its letters. A number in a text is a transition of its own: "s[{n}:{n+1}]" is one pattern and not fifty texts. So is an operand
// inside of a text, if it has many texts: "-|{source}|".
//
// Patterns know a text only as it is printed: single blanks, plain numbers. Other spacings and expressions are read row by
// row (read.cpp), which takes longer and finds the same.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
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
    bool is_number = false;        // operand: its texts begin with numbers, perhaps behind signs
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
    const char* const begin = p;
    if (*p == '0' && p + 1 != end && is_word(p[1])) return odd_number(p, end, in_word, value);
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

    // With `expressions`, a number may go on as one ("5 + 3"): what stands behind a pattern is looked at. `marks`: how numbers are
    // written besides, which has to stay there.
    explicit Patterns(bool case_insensitive = false, bool expressions = false, std::span<const NumberMark> marks = {});

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

    // The same of what most texts are, which has nothing behind the instruction and no operands in it. Where something else stands
    // there, no end. A number, a letter with one behind it, or with a range ("v[4:5]"), all of them behind characters that are the
    // same for all texts, is known by a rule, some way before `end`; another text by its letters.
    struct Quick {
        const char* end = nullptr;
        std::uint64_t code = 0;
    };
    Quick match_quick(const char* begin, const char* end, bool glued) const;

    // Whether what begins with a letter at `p`, and is none of them, is no text however it is written: because of a mark behind the
    // letter, or because it is a range of other numbers.
    bool excludes(const char* p, const char* end) const;

    // Where, behind signs, a name begins, or a mark stands, that is no number; and whether a symbol may stand there.
    struct Word {
        const char* begin = nullptr;
        bool may_count = true;
        bool for_message = false;      // then it is told which word behind marks that fit is wrong, and that is looked for
    };
    // Of what did not match so.
    PatternRefusal refusal(const char* begin, const char* end, const PatternMatch& match, const Word& word) const;

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
        std::uint32_t run = 0;                 // runs_, where its row says so
        // Whether a text goes on behind it with a number or a blank, with an operand that is no number, with a mark.
        bool varies = false, may_nest = false, marks = false;
    };
    // Whose row it belongs to, where the letter leads, and where that node's own cells begin.
    struct Cell {
        std::uint32_t node = 0, next = 0, row = 0;
    };
    // Of a node's row: a text ends there; digits begin a number and nothing else, or also letters; an operand may stand there.
    static constexpr std::uint32_t ends = std::uint32_t{1} << 31, counts = std::uint32_t{1} << 30,
                                   turns = std::uint32_t{1} << 29, nests = std::uint32_t{1} << 28,
                                   beside_letters = ends | counts | turns | nests;
    // Likewise: all texts go on with the same few characters, a run; an operand that may stand there begins with a number.
    static constexpr std::uint32_t runs = std::uint32_t{1} << 27, nests_number = std::uint32_t{1} << 26,
                                   row_flags = beside_letters | runs | nests_number;
    struct Run {
        std::uint64_t characters = 0, mask = 0;
        std::uint32_t node = 0;                // behind them
        std::uint8_t size = 0;
    };
    static bool has_room(const char* p, const char* end) {
        return end - p >= static_cast<std::ptrdiff_t>(sizeof(Run::characters));
    }
    bool has_run(const Run& run, const char* p) const {
        std::uint64_t characters = 0;
        std::memcpy(&characters, p, sizeof characters);
        if (case_insensitive_) characters = small_letters(characters);
        return ((characters ^ run.characters) & run.mask) == 0;
    }
    // Whether an operand may stand at `p`.
    static bool may_nest(std::uint32_t row, const char* p) {
        return (row & nests) != 0 && ((row & nests_number) == 0 || !is_word(*p) || is_digit(*p));
    }
    struct Nested {
        Index operand = no_index;
        After after;
        std::uint32_t next = 0;                // node
    };
    // A number that, less `bias`, is `low` or at most `span` more, by none of the bits `between`. It lies in the code from bit `shift` on,
    // without its lowest `drop` bits.
    struct Counted {
        std::uint32_t code = 0;
        std::int32_t bias = 0;
        std::uint32_t low = 0, span = 0, between = 0, mask = 0;
        std::uint8_t shift = 0, drop = 0;

        std::uint64_t value_of(std::uint64_t number) const {
            return number - static_cast<std::uint64_t>(std::int64_t{bias});
        }
        bool has(std::uint64_t value) const { return value - low <= span && ((value - low) & between) == 0; }
        std::uint64_t code_of(std::uint64_t value) const { return code | (value >> drop & mask) << shift; }
    };
    struct Ending {
        std::uint64_t code = 0;
        std::uint32_t first_number = 0;        // numbers_
        std::uint16_t count = 0;
        bool nested = false;
        bool simple = false, named = false;    // its number is such a one; a second one is larger by `gap`
        std::uint16_t gap = 0;
        Counted number;
        std::uint32_t order = 0, row = 0;
    };
    // How texts that begin with a character are numbers: those that are one, and ranges.
    struct alignas(64) Rule {
        Counted single, range;
        std::uint16_t gap = 0;                  // of a range
        std::uint8_t singles = 0;               // so many endings has a text that is one number, the first of which is `single`
        std::uint8_t letters = 0;               // so many before the number
        std::uint8_t forbidden = 0;             // what must not stand behind it: of `behind_kinds`; and whether it is `closed`
        char open = number_mark, middle = 0, close = 0;  // of a range; where there is none, what no text has

        void set_single(const Ending& first, std::uint8_t count) {
            single = first.number;
            singles = count;
        }
    };
    static constexpr unsigned goes_on_as_word = 1, goes_on_as_number = 2;
    static constexpr std::uint8_t closed = 4;  // texts that begin so are such numbers and ranges, and nothing else
    // Whether what stands behind a number may be more of the word, or of an expression or another text that begins with the number.
    static constexpr std::string_view behind_numbers = ",)]\n";
    static constexpr std::array<std::uint8_t, 256> behind_kinds = [] {
        std::array<std::uint8_t, 256> out{};
        for (std::size_t c = 0; c < out.size(); ++c) {
            const bool ends_number = behind_numbers.find(static_cast<char>(c)) != std::string_view::npos;
            out[c] = static_cast<std::uint8_t>((word_characters[c] ? goes_on_as_word : 0) |
                                               (ends_number ? 0 : goes_on_as_number));
        }
        return out;
    }();
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
    static void set_simple(Ending& ending, const std::vector<PatternNumber>& numbers);
    void place_rows();
    // Whether a number may begin at `p`, in a text that begins at `begin`; and that number: see plain_number.
    bool begins_number(const char* begin, const char* p) const {
        return is_digit(*p) || (marked_[static_cast<unsigned char>(*p) % marked_.size()] == *p && is_marked(begin, p));
    }
    bool is_marked(const char* begin, const char* p) const {
        return !marks_.empty() && (p == begin || !is_word(p[-1]));
    }
    const char* number_at(const char* begin, const char* p, const char* end, std::uint64_t& value) const {
        return is_digit(*p) ? plain_number(p, end, p != begin && is_word(p[-1]), value) : marked_number(p, end, value);
    }
    const char* marked_number(const char* p, const char* end, std::uint64_t& value) const;
    const Cell& cell(std::uint32_t row, char c) const {
        return cells_[(row & ~row_flags) + classes_[static_cast<unsigned char>(c)]];
    }
    void find_runs();
    void find_rules();
    bool is_closed(std::uint32_t node, const Rule& rule) const;
    void find_number(std::uint32_t node);
    std::uint8_t simple_endings(std::uint32_t node, std::uint16_t numbers) const;
    std::uint32_t single_way(std::uint32_t node, char& letter) const;
    std::uint32_t only_branch(std::uint32_t node, char& letter) const;
    bool number_may_go_on(std::uint32_t node, bool by_digits) const;
    Rule& rule_for(char letter);
    const Rule* rule_of(char c) const {
        const unsigned at = rule_at_[key_of_[static_cast<unsigned char>(c)]];
        return at == 0 ? nullptr : rules_.data() + (at - 1);
    }
    static Quick match_range(const char* p, const char* end, const Rule& rule);
    Quick match_word(const char* p, const char* end, bool glued) const;
    // Where the letters that were looked at led to.
    struct Walked {
        const char* p = nullptr;
        std::uint32_t node = 0;
        unsigned count = 0;                    // of numbers
    };
    Quick end_of(const Walked& way, const char* begin, const char* end, bool glued, const std::uint64_t* numbers) const;
    bool is_last(std::uint32_t node, const char* p, const char* end) const {
        const std::uint32_t row = nodes_[node].row;
        return (row & (counts | turns | nests)) == 0 && (p == end || cell(row, *p).node != node);
    }
    template <typename Visit>
    void follow(std::uint32_t node, const char* begin, const char* p, const char* end, NestedReader& nested,
                Numbers& numbers, unsigned count, bool& several_ways, const Visit& visit) const;
    static bool add_nested(Numbers& numbers, unsigned count, const PatternMatch& match);
    bool fits(const char* begin, const char* at, const char* end, const After& after) const;
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
        const std::uint64_t value = ending.number.value_of(numbers.value[0]);  // NOLINT(clang-analyzer-*): it was read
        if (!ending.number.has(value)) return false;
        if (ending.count == 2 && numbers.value[1] - numbers.value[0] != ending.gap) return false;
        set(out, ending.number.code_of(value), ending, !ending.named);
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
    bool may_vary(std::uint32_t node, const char* begin, const char* p, const char* end, const Word& word) const;
    bool may_vary_at(std::uint32_t node, const char* begin, const char* p, const char* end, const Word& word) const;

    bool case_insensitive_, expressions_;
    std::span<const NumberMark> marks_;
    std::array<char, 8> marked_{};                    // first characters of these, by their low bits
    // See match_quick: what stands before all texts, and which rule the character behind it has.
    static constexpr unsigned most_before = 4;
    std::uint8_t before_size_ = 0;
    char before_[most_before] = {};
    static constexpr unsigned most_keys = 1 + 1 + 2 * 26;  // nothing, digits, letters
    std::uint8_t rule_at_[most_keys] = {};            // by key: the number of the rule, from 1
    const std::uint8_t* key_of_;
    std::vector<Rule> rules_;
    std::uint32_t root_row_ = 0;                      // Node::row of the first
    const std::uint8_t* classes_;                     // of letters: their cells in a row
    std::vector<Node> nodes_;
    std::vector<Cell> cells_;
    std::vector<Ending> endings_;
    std::vector<Nested> nested_;
    std::vector<Run> runs_;
    std::vector<PatternNumber> numbers_;
    std::vector<Branch> branches_;                    // as nodes_
    std::vector<Added> added_;
};

inline bool Patterns::fits(const char* begin, const char* at, const char* end, const After& after) const {
    if (at == begin || !is_word(at[-1])) return true;
    if (!after.glued && at != end && is_word(*at)) return false;
    // A number may go on as an expression; a name does not.
    return !expressions_ || at == end || is_letter(*begin) || !may_go_on(at, end, after.stop);
}

// No loops but over the digits, and no calls: this is what most of a program's operands are read by.
inline Patterns::Quick Patterns::match_quick(const char* begin, const char* end, bool glued) const {
    constexpr std::ptrdiff_t most = most_before + 18;  // characters that are looked at
    if (end - begin < most) [[unlikely]]
        return match_word(begin, end, glued);
    const char* p = begin;
    for (unsigned i = 0; i < before_size_; ++i)
        if (*p++ != before_[i]) return {};
    const Rule* const known = rule_of(*p);
    if (!known) return match_word(begin, end, glued);
    const Rule& rule = *known;
    p += rule.letters;
    unsigned digit = static_cast<unsigned>(*p) - '0';
    if (digit > 9 || rule.singles == 0) {
        const bool is_range = *p == rule.open && rule.letters != 0;
        return is_range ? match_range(p, end, rule) : match_word(begin, end, glued);
    }
    std::uint64_t number = digit;
    if (number == 0 && is_word(p[1])) return match_word(begin, end, glued);
    while ((digit = static_cast<unsigned>(*++p) - '0') <= 9) {
        number = number * 10 + digit;
        if (p - begin == most - 1) return {};
    }
    const unsigned forbidden = rule.forbidden & ~static_cast<unsigned>(glued);
    if ((behind_kinds[static_cast<unsigned char>(*p)] & forbidden) != 0) [[unlikely]]
        return match_word(begin, end, glued);
    const std::uint64_t value = rule.single.value_of(number);
    if (rule.single.has(value)) return {p, rule.single.code_of(value)};
    return rule.singles == 1 ? Quick{} : match_word(begin, end, glued);
}

[[gnu::noinline]] inline Patterns::Quick Patterns::match_range(const char* p, const char* end, const Rule& rule) {
    std::uint64_t low = 0, high = 0;
    if (p >= end || ++p == end || !is_digit(*p)) return {};
    p = plain_number(p, end, true, low);
    if (!p || p == end || *p != rule.middle || ++p == end || !is_digit(*p)) return {};
    p = plain_number(p, end, true, high);
    if (!p || p == end || *p != rule.close || high - low != rule.gap) return {};
    const std::uint64_t value = rule.range.value_of(low);
    return rule.range.has(value) ? Quick{p + 1, rule.range.code_of(value)} : Quick{};
}

// What the texts have that end there.
inline Patterns::Quick Patterns::end_of(const Walked& way, const char* begin, const char* end, bool glued,
                                        const std::uint64_t* numbers) const {
    const Node& node = nodes_[way.node];
    if ((node.row & (ends | nests)) != ends || way.p == begin || !fits(begin, way.p, end, {glued, 0})) return {};
    const Ending* ending = endings_.data() + node.first_ending;
    if (ending->count == 0) return {way.p, ending->code};
    for (unsigned i = node.ending_count; i != 0 && ending->simple && ending->count == way.count; --i, ++ending) {
        const std::uint64_t value = ending->number.value_of(numbers[0]);
        const bool is_range = way.count == 1 || numbers[1] - numbers[0] == ending->gap;
        if (is_range && ending->number.has(value)) return {way.p, ending->number.code_of(value)};
    }
    return {};
}

// A text of letters, or with numbers in it that can be nothing else.
[[gnu::noinline]] inline Patterns::Quick Patterns::match_word(const char* const begin, const char* end,
                                                              bool glued) const {
    const Cell* const cells = cells_.data();
    std::uint64_t numbers[2] = {};
    Walked way{begin}, by_number;  // the latter where digits, which may be letters, are a number
    std::uint32_t row = root_row_;
    for (; way.p != end; ++way.p) {
        if (row >= runs) {
            if (may_nest(row, way.p)) return {};
            if ((row & runs) != 0 && has_room(way.p, end)) {
                const Run& run = runs_[nodes_[way.node].run];
                if (!has_run(run, way.p)) return {};
                way.p += run.size;
                way.node = run.node;
                row = nodes_[way.node].row;
                if (way.p >= end) break;
                if (may_nest(row, way.p)) return {};
            }
            if ((row & (counts | turns)) != 0 && begins_number(begin, way.p)) {
                if (way.count == 2 || by_number.p) return {};
                const char* const behind = number_at(begin, way.p, end, numbers[way.count]);
                const Walked number{behind, nodes_[way.node].number, way.count + 1};
                if ((row & turns) == 0) {
                    if (!behind) return {};
                    way = number;
                    row = nodes_[way.node].row;
                    if (way.p == end) break;
                    if (may_nest(row, way.p)) return {};
                } else if (behind) {
                    if (!is_last(number.node, behind, end)) return {};
                    by_number = number;
                }
            }
        }
        const Cell& next = cells[(row & ~row_flags) + classes_[static_cast<unsigned char>(*way.p)]];
        if (next.node != way.node) break;
        way.node = next.next;
        row = next.row;
    }
    const Quick found = end_of(way, begin, end, glued, numbers);
    if (!by_number.p) return found;
    if (!found.end) return end_of(by_number, begin, end, glued, numbers);
    return found.end > by_number.p ? found : Quick{};
}

}  // namespace isaforge::codec

// The texts of an operand in one tree, so that reading a register, a range of registers or a named constant is one walk
// over its letters. A number in a text is a branch of its own: "s[{n}:{n+1}]" is one pattern and not fifty texts.
//
// Patterns know a text only as it is printed: single blanks, plain numbers. Other spacings and expressions are read row by
// row (read.cpp), which takes longer and finds the same.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace isaforge::codec {

// Stands for a number in a pattern.
inline constexpr char number_mark = '\1';

// One number of a pattern: value = (number - bias) / scale, which must be low..high, a multiple of `step` from low. It is
// put into the operand's code from bit `shift` on, or into the word behind the instruction, or it only has to agree with
// an earlier one.
struct PatternNumber {
    std::int64_t scale = 1, bias = 0;
    std::int64_t low = 0, high = 0, step = 1;
    std::uint64_t mask = 0;        // bits of the value that are kept
    std::uint8_t shift = 0;
    std::uint8_t tail_bits = 0;    // the word behind the instruction: so many; 0: the code
    bool named = false;            // part of a register's name: it is no number that says which code is meant
    bool tail_shared = false;      // other operands may have the same word
    std::int8_t same_as = -1;      // the earlier number of the same field
};

// One way to write some codes of an operand.
struct Spelling {
    std::string text;              // with number_mark for each number
    std::uint64_t code = 0;        // where the numbers are 0
    std::vector<PatternNumber> numbers;
    std::uint32_t row = 0;         // of the operand's table
};

// What was read.
struct PatternMatch {
    std::uint64_t code = 0;
    std::uint64_t tail = 0;
    unsigned tail_bits = 0;
    bool tail_shared = false;
    bool numeric = false;          // there was a number in the text
    const char* refused = nullptr; // where a text ended that fits but for its numbers
    bool may_vary = false;         // none fits; with other blanks, or an expression in place of a number, one might
};

class Trace;

class Patterns {
public:
    static constexpr std::size_t most_numbers = 4;

    // With `expressions`, a number may go on as one ("5 + 3"): what stands behind a pattern is looked at.
    explicit Patterns(bool case_insensitive = false, bool expressions = false)
        : case_insensitive_(case_insensitive), expressions_(expressions), nodes_(1) {}

    // Of two that fit equally well the first added is taken. At most `most_numbers` numbers.
    void add(const Spelling& spelling);
    void add(std::string_view text, std::uint64_t code);
    bool empty() const { return spellings_.empty(); }

    // Whether some text begins with this character.
    bool may_begin(char c) const { return first_[static_cast<unsigned char>(c)]; }

    // Reads the longest text at `cursor` that does not end inside a word (unless what follows is glued to it). False, cursor
    // unmoved, where none fits. The empty text fits everywhere.
    // `trace`, where given, is told what was decided because of numbers, and which of them were read.
    bool match(const char*& cursor, const char* end, bool glued, PatternMatch& out, Trace* trace = nullptr) const;

private:
    struct Node {
        char letter = 0;
        std::uint32_t child = 0, sibling = 0;  // nodes; 0: none
        std::uint32_t spelling = 0;            // spellings_ + 1: the first that ends here
    };
    struct Ending {
        std::uint64_t code = 0;
        std::uint32_t first_number = 0;        // numbers_
        std::uint32_t count = 0;
        std::uint32_t next = 0;                // spellings_ + 1: the next that ends at the same node
    };
    struct Walk;

    char fold(char c) const { return case_insensitive_ && c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
    void follow(Walk& walk, std::uint32_t node, const char* p, unsigned count) const;
    bool accept(Walk& walk, std::uint32_t node, const char* p) const;
    bool take(const Ending& ending, const std::uint64_t* numbers, PatternMatch& out) const;
    void trace_take(const Ending& ending, const Walk& walk) const;
    static bool trace_range(Trace& trace, unsigned number, const PatternNumber& rule, std::int64_t value);

    bool case_insensitive_, expressions_;
    std::vector<Node> nodes_;
    std::array<std::uint32_t, 256> root_{};  // children of the first node by their letters
    std::vector<Ending> spellings_;
    std::vector<PatternNumber> numbers_;
    std::array<bool, 256> first_{};
    bool fixed_numbers_ = false;           // some text holds an integer: other digits are parts of words and of floats
};

}  // namespace isaforge::codec

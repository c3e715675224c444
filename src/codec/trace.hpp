// What the reading of a statement depended on, so that other statements that differ in their numbers only need not be read
// again. The numbers of a statement are found beforehand (Shape); while it is read, every decision that was made because
// of a number narrows the values for which all decisions would be the same, and what a number puts into the
// instruction is kept. A reading that depended on something else than the text, a symbol or the address, says so.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "codec/patterns.hpp"
#include "codec/spellings.hpp"
#include "isaforge/image.hpp"

namespace isaforge::codec {

inline constexpr unsigned most_written = 12;

// A number of a statement as it is written: decimal without leading zeros, or hexadecimal behind 0x. Its value is below 2^63.
struct WrittenNumber {
    const char* begin = nullptr;
    const char* end = nullptr;
    std::uint64_t value = 0;
};

// A statement with marks in place of its numbers.
struct Shape {
    static constexpr std::size_t longest = 184;
    char text[longest + 8];             // zeros behind it up to a multiple of eight
    std::size_t size = 0;
    unsigned count = 0;
    WrittenNumber numbers[most_written];
    const char* end = nullptr;          // of the statement, without the blanks behind it
};

// The values of a number for which the statement is read the same way.
struct Guard {
    std::int64_t low = 0, high = std::numeric_limits<std::int64_t>::max();
    std::uint64_t mask = 0, bits = 0;   // its low bits: value & mask == bits

    bool allows(std::uint64_t value) const {
        const auto number = static_cast<std::int64_t>(value);
        return number >= low && number <= high && (value & mask) == bits;
    }
};

// Two numbers whose difference has to stay as it is: the ends of a range.
struct Link {
    std::uint8_t a = 0, b = 0;
    std::uint64_t distance = 0;         // b - a
};

// What a number puts into the image: ((number - bias) / scale >> right) & mask, at `position`.
struct Put {
    std::uint8_t number = 0;
    std::uint8_t right = 0;
    std::uint8_t width = 0;
    std::uint16_t position = 0;
    std::int64_t scale = 1, bias = 0;

    std::uint64_t bits(const WrittenNumber* numbers) const {
        std::int64_t value = static_cast<std::int64_t>(numbers[number].value) - bias;
        if (scale != 1) value /= scale;
        return static_cast<std::uint64_t>(value) >> right & low_bits(width);
    }
};

class Trace {
public:
    // A number of a pattern that was read, in an operand whose place is not known yet.
    struct Held {
        const PatternNumber* rule = nullptr;
        std::uint64_t base = 0;         // the pattern's code where its numbers put zeros
        std::uint8_t number = 0;
    };

    void begin(const Shape& shape) {
        shape_ = &shape;
        for (unsigned i = 0; i < shape.count; ++i) guards_[i] = {};
        links_.clear();
        puts_.clear();
        held_.clear();
        independent_ = learnable_ = true;
    }

    // The number that begins at `p`, or -1: digits there are letters of the shape.
    int number_at(const char* p) const {
        for (unsigned i = 0; i < shape_->count; ++i) {
            if (shape_->numbers[i].begin == p) return static_cast<int>(i);
        }
        return -1;
    }

    // The digits that stand between two places have to stay as they are.
    void fix(const char* begin, const char* end) {
        for (unsigned i = 0; i < shape_->count; ++i) {
            if (shape_->numbers[i].begin < end && shape_->numbers[i].end > begin) fix(i);
        }
    }
    void fix(const char* at) { fix(at, at + 1); }
    void fix(unsigned number) {
        Guard& guard = guards_[number];
        guard.low = guard.high = static_cast<std::int64_t>(shape_->numbers[number].value);
    }
    // A character was looked up in a set of letters.
    void look_up(const char* at, const char* end, const Letters& letters) {
        if (at != end && *at >= '0' && *at <= '9' && !digits_alike(letters)) fix(at);
    }

    void at_least(unsigned number, std::int64_t low) { guards_[number].low = std::max(guards_[number].low, low); }
    void at_most(unsigned number, std::int64_t high) { guards_[number].high = std::min(guards_[number].high, high); }
    // The remainder by a power of two stays.
    void same_remainder(unsigned number, std::uint64_t power) {
        Guard& guard = guards_[number];
        guard.mask |= power - 1;
        guard.bits = shape_->numbers[number].value & guard.mask;
    }
    // The difference of two numbers stays; -1 is one that stays anyway.
    void link(int a, int b);

    // The result depends on something else than the text up to `end`.
    void depends(const char* end) {
        independent_ = false;
        dependent_end_ = end;
    }
    // What was tried since then made no difference.
    void still_independent() { independent_ = true; }
    const char* dependent_end() const { return dependent_end_; }
    void forget() { learnable_ = false; }      // too much to say when it would be the same
    bool independent() const { return independent_; }
    bool learnable() const { return independent_ && learnable_; }

    // --- what the numbers of patterns put into the instruction

    void matched(const PatternNumber* rules, const char* const* at, unsigned count, std::uint64_t base);
    // Takes over the numbers of the pattern that was matched last: their range in the list of those held.
    std::uint16_t held_count() const { return static_cast<std::uint16_t>(held_.size()); }
    std::uint16_t hold();
    void fix_held(std::uint16_t first, std::uint16_t count);
    // The operand's code was looked up: its number has to stay among those with the same answer.
    void same_answer(std::uint16_t first, std::uint16_t count, const std::vector<std::uint8_t>& answers);
    void begin_candidate() {
        puts_.clear();
        held_.clear();
    }
    // They are at a field's place, or behind `form_bits`.
    void put(std::uint16_t first, std::uint16_t count, const BitPlace& place, unsigned form_bits);

    // What was found: guards for all numbers, links, puts.
    void finish();
    const Guard& guard(unsigned number) const { return guards_[number]; }
    const std::vector<Link>& links() const { return links_; }
    const std::vector<Put>& puts() const { return puts_; }

private:
    static bool digits_alike(const Letters& letters) {
        for (char c = '1'; c <= '9'; ++c) {
            if (letters[static_cast<unsigned char>(c)] != letters[static_cast<unsigned char>('0')]) return false;
        }
        return true;
    }

    const Shape* shape_ = nullptr;
    std::array<Guard, most_written> guards_;
    std::vector<Link> links_;
    std::vector<Put> puts_;
    std::vector<Held> held_;
    std::array<Held, Patterns::most_numbers> matched_;
    unsigned matched_count_ = 0;
    const char* dependent_end_ = nullptr;
    bool independent_ = true, learnable_ = true;
};

}  // namespace isaforge::codec

#include "codec/trace.hpp"

#include <algorithm>
#include <bit>

namespace isaforge::codec {

void Trace::matched(const PatternNumber* rules, const char* const* at, unsigned count, std::uint64_t base) {
    matched_count_ = 0;
    for (unsigned i = 0; i < count; ++i) {
        const int number = number_at(at[i]);
        if (number >= 0 && rules[i].same_as < 0)
            matched_[matched_count_++] = {rules + i, base, static_cast<std::uint8_t>(number)};
    }
}

void Trace::link(int a, int b) {
    if (a < 0 || b < 0) {
        if (a >= 0) fix(static_cast<unsigned>(a));
        if (b >= 0) fix(static_cast<unsigned>(b));
        return;
    }
    const Link link{static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b),
                    shape_->numbers[b].value - shape_->numbers[a].value};
    const auto known = [&](const Link& other) { return other.a == link.a && other.b == link.b; };
    if (std::none_of(links_.begin(), links_.end(), known)) links_.push_back(link);
}

std::uint16_t Trace::hold() {
    held_.insert(held_.end(), matched_.begin(), matched_.begin() + matched_count_);
    return static_cast<std::uint16_t>(matched_count_);
}

void Trace::fix_held(std::uint16_t first, std::uint16_t count) {
    for (unsigned i = first; i < first + count; ++i) fix(held_[i].number);
}

void Trace::same_answer(std::uint16_t first, std::uint16_t count, const std::vector<std::uint8_t>& answers) {
    if (count == 0) return;
    const PatternNumber& rule = *held_[first].rule;
    if (count != 1 || rule.tail_bits != 0 || rule.scale != 1) return fix_held(first, count);
    const unsigned number = held_[first].number;
    const std::int64_t value = static_cast<std::int64_t>(shape_->numbers[number].value) - rule.bias;
    const auto answer = [&](std::int64_t of) {
        const std::uint64_t code = held_[first].base | (static_cast<std::uint64_t>(of) & rule.mask) << rule.shift;
        return code < answers.size() ? int{answers[code]} : -1;
    };
    const int found = answer(value);
    const auto same = [&](std::int64_t other) {
        return other >= rule.low && other <= rule.high && answer(other) == found;
    };
    std::int64_t step = 1;  // registers of several words begin at every second, every fourth
    while (step < 16 && !same(value - step) && !same(value + step)) step *= 2;
    std::int64_t low = value, high = value;
    while (same(low - step)) low -= step;
    while (same(high + step)) high += step;
    at_least(number, low + rule.bias);
    at_most(number, high + rule.bias);
    if (step != 1) same_remainder(number, static_cast<std::uint64_t>(step));
}

void Trace::put(std::uint16_t first, std::uint16_t count, const BitPlace& place, unsigned form_bits) {
    for (unsigned i = first; i < first + count; ++i) {
        const PatternNumber& rule = *held_[i].rule;
        // Where it cannot be negative it never fills all of its bits.
        std::uint64_t mask = rule.mask;
        if (rule.low >= 0)
            mask &= low_bits(static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(rule.high))));
        const unsigned width = static_cast<unsigned>(std::bit_width(mask));
        if (mask != low_bits(width) || (rule.tail_bits == 0 && (held_[i].base & mask << rule.shift) != 0))
            return forget();
        Put put{.number = held_[i].number, .scale = rule.scale, .bias = rule.bias};
        if (rule.tail_bits != 0) {
            put.width = static_cast<std::uint8_t>(width);
            put.position = static_cast<std::uint16_t>(form_bits);
            puts_.push_back(put);
            continue;
        }
        for (const BitPiece& piece : place.pieces) {
            const unsigned low = std::max<unsigned>(rule.shift, piece.shift);
            const unsigned high = std::min<unsigned>(rule.shift + width, piece.shift + piece.width);
            if (low >= high) continue;
            put.right = static_cast<std::uint8_t>(low - rule.shift);
            put.width = static_cast<std::uint8_t>(high - low);
            put.position = static_cast<std::uint16_t>(piece.position + low - piece.shift);
            puts_.push_back(put);
        }
    }
}

// A number that nothing was found out about has no part in the result that is known: it stays.
void Trace::finish() {
    std::array<bool, most_written> free{};
    for (const Put& put : puts_) free[put.number] = true;
    for (const Link& link : links_) free[link.a] = free[link.b] = true;
    for (unsigned i = 0; i < shape_->count; ++i) {
        if (!free[i]) fix(i);
    }
}

}  // namespace isaforge::codec

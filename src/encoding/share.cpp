// Arithmetic of exact parts of the space.
#include <algorithm>
#include <cmath>

#include "isaforge/space.hpp"
#include "support/wide.hpp"

namespace isaforge {

namespace {

std::string decimal(UnsignedWide value) {
    std::string out;
    do {
        out += static_cast<char>('0' + static_cast<int>(value % 10));
        value /= 10;
    } while (value != 0);
    std::reverse(out.begin(), out.end());
    return out;
}

// Multiplies by a small number, or divides; the carry out, or the remainder.
template <std::size_t N>
std::uint64_t multiply(std::array<std::uint64_t, N>& words, std::uint64_t factor) {
    UnsignedWide carry = 0;
    for (std::uint64_t& word : words) {
        carry += static_cast<UnsignedWide>(word) * factor;
        word = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
    return static_cast<std::uint64_t>(carry);
}

template <std::size_t N>
unsigned divide(std::array<std::uint64_t, N>& words, unsigned divisor) {
    UnsignedWide rest = 0;
    for (std::size_t i = N; i-- > 0;) {
        rest = rest << 64 | words[i];
        words[i] = static_cast<std::uint64_t>(rest / divisor);
        rest %= divisor;
    }
    return static_cast<unsigned>(rest);
}

}  // namespace

Share Share::block(unsigned bits) {
    Share out;
    const unsigned position = 256 - bits;
    out.words_[position / 64] = std::uint64_t{1} << position % 64;
    return out;
}

Share& Share::operator+=(const Share& other) {
    UnsignedWide carry = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        carry += static_cast<UnsignedWide>(words_[i]) + other.words_[i];
        words_[i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
    return *this;
}

Share& Share::operator-=(const Share& other) {
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        const UnsignedWide less = static_cast<UnsignedWide>(other.words_[i]) + borrow;
        borrow = words_[i] < less;
        words_[i] -= static_cast<std::uint64_t>(less);
    }
    return *this;
}

Share Share::half() const {
    Share out;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        out.words_[i] = words_[i] >> 1 | (i + 1 < words_.size() ? words_[i + 1] << 63 : 0);
    }
    return out;
}

Share Share::times(std::uint64_t factor) const {
    Share out = *this;
    multiply(out.words_, factor);
    return out;
}

std::strong_ordering Share::operator<=>(const Share& other) const {
    for (std::size_t i = words_.size(); i-- > 0;) {
        if (words_[i] != other.words_[i]) return words_[i] <=> other.words_[i];
    }
    return std::strong_ordering::equal;
}

double Share::fraction() const {
    double out = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        out += std::ldexp(static_cast<double>(words_[i]), static_cast<int>(64 * i) - 256);
    }
    return out;
}

std::string Share::count(unsigned bits, unsigned digits) const {
    if (is_zero()) return "0";
    // The point stands 256 - bits binary digits from the right.
    UnsignedWide whole = static_cast<UnsignedWide>(words_[4]) << bits;
    if (bits > 0) whole |= words_[3] >> (64 - bits);
    std::array<std::uint64_t, 4> rest{words_[0], words_[1], words_[2], words_[3]};
    if (bits > 0) {
        for (unsigned i = 0; i < 4; ++i) {
            const std::uint64_t below = i > 0 ? words_[i - 1] : 0;
            rest[i] = bits == 64 ? below : words_[i] << bits | below >> (64 - bits);
        }
    }
    std::string behind;
    for (unsigned i = 0; i < digits; ++i) behind += static_cast<char>('0' + multiply(rest, 10));
    const bool more = std::any_of(rest.begin(), rest.end(), [](std::uint64_t word) { return word != 0; });
    const bool nothing = whole == 0 && behind.find_first_not_of('0') == std::string::npos;
    if (nothing && more) return digits == 0 ? "<1" : "<0." + std::string(digits - 1, '0') + '1';
    behind.erase(behind.find_last_not_of('0') + 1);
    return decimal(whole) + (behind.empty() ? "" : "." + behind);
}

std::string Share::exact(unsigned bits) const {
    std::array<std::uint64_t, 5> words = words_;
    unsigned shift = 256 - bits;
    if (is_zero()) return "0";
    while (shift > 0 && (words[0] & 1) == 0) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            words[i] = words[i] >> 1 | (i + 1 < words.size() ? words[i + 1] << 63 : 0);
        }
        --shift;
    }
    std::string digits;
    while (std::any_of(words.begin(), words.end(), [](std::uint64_t word) { return word != 0; })) {
        digits += static_cast<char>('0' + divide(words, 10));
    }
    std::reverse(digits.begin(), digits.end());
    return shift == 0 ? digits : digits + "/2^" + std::to_string(shift);
}

std::string leading_pattern(std::uint64_t value, unsigned width, unsigned digits) {
    std::string out;
    for (unsigned i = 0; i < digits; ++i) {
        if (i > 0 && i % 4 == 0) out += '_';
        out += i >= width ? 'x' : value >> (width - 1 - i) & 1 ? '1' : '0';
    }
    return out;
}

std::string range_text(const SpaceRange& range) {
    std::uint64_t low = range.low, high = range.high;
    unsigned width = range.width;
    while (width > 0 && (low & 1) == 0 && (high & 1) == 1) {
        low >>= 1;
        high >>= 1;
        --width;
    }
    const std::string first = leading_pattern(low, width, range.width);
    return low == high ? first : first + " .. " + leading_pattern(high, width, range.width);
}

}  // namespace isaforge

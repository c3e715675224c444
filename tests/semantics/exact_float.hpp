// An independent model of IEEE 754 arithmetic for the tests: numbers are integers times powers of two, operations are
// exact but for a mark that something smaller is left over, and one function rounds to a format. Slow, and plain.
#pragma once

#include <algorithm>
#include <cstdint>

namespace isaforge::exact {

__extension__ using Big = unsigned __int128;

struct Format {
    unsigned bits, fraction;
    int max_exponent;  // of the largest number

    std::uint64_t sign() const { return std::uint64_t{1} << (bits - 1); }
    std::uint64_t infinity() const { return sign() - (std::uint64_t{1} << fraction); }
    std::uint64_t nan() const { return infinity() | quiet(); }
    std::uint64_t quiet() const { return std::uint64_t{1} << (fraction - 1); }
    bool is_nan(std::uint64_t x) const { return (x & ~sign()) > infinity(); }
    std::uint64_t flushed(std::uint64_t x) const { return (x & infinity()) == 0 ? x & sign() : x; }
    int min_exponent() const { return 1 - max_exponent; }
};

inline const Format half{16, 10, 15}, single{32, 23, 127}, wide{64, 52, 1023};

// (magnitude, and a little more where `more`) * 2^exponent.
struct Number {
    enum class Kind { finite, infinite, nan };
    Kind kind = Kind::finite;
    bool negative = false;
    Big magnitude = 0;
    int exponent = 0;
    bool more = false;

    bool zero() const { return kind == Kind::finite && magnitude == 0 && !more; }
};

inline const Number nan{.kind = Number::Kind::nan};

inline int length(Big value) {
    int bits = 0;
    for (; value != 0; value >>= 1) ++bits;
    return bits;
}

inline Number from_bits(const Format& f, std::uint64_t x) {
    if (f.is_nan(x)) return nan;
    Number n{.negative = (x & f.sign()) != 0};
    std::uint64_t exponent = (x & f.infinity()) >> f.fraction;
    n.magnitude = x & ((std::uint64_t{1} << f.fraction) - 1);
    if ((x & f.infinity()) == f.infinity()) n.kind = Number::Kind::infinite;
    if (exponent != 0) n.magnitude |= std::uint64_t{1} << f.fraction;
    n.exponent = std::max(int(exponent), 1) - f.max_exponent - int(f.fraction);
    return n;
}

inline Number from_integer(std::uint64_t magnitude, bool negative) {
    return {.negative = negative, .magnitude = magnitude};
}

// To nearest, ties to the even multiple of the quantum.
inline std::uint64_t round_to(const Format& f, const Number& n) {
    if (n.kind == Number::Kind::nan) return f.nan();
    std::uint64_t sign = n.negative ? f.sign() : 0;
    if (n.kind == Number::Kind::infinite) return sign | f.infinity();
    if (n.zero()) return sign;
    int leading = std::max(n.exponent + length(n.magnitude) - 1, f.min_exponent());
    int quantum = leading - int(f.fraction), cut = quantum - n.exponent;
    Big count = 0;
    if (cut <= 0) {
        count = n.magnitude << -cut;
    } else if (cut < 128) {
        count = n.magnitude >> cut;
        Big rest = n.magnitude & ((Big{1} << cut) - 1), middle = Big{1} << (cut - 1);
        if (rest > middle || (rest == middle && (n.more || (count & 1) != 0))) ++count;
    }
    if (count >> (f.fraction + 1) != 0) count >>= 1, ++leading;
    if (leading > f.max_exponent) return sign | f.infinity();
    if (count >> f.fraction == 0) return sign | std::uint64_t(count);
    const auto biased = static_cast<std::uint64_t>(std::int64_t{leading} + f.max_exponent);
    return sign | biased << f.fraction | (std::uint64_t(count) & ((std::uint64_t{1} << f.fraction) - 1));
}

// The number with an exponent that is larger by `places`, what falls off being remembered as "more".
inline Number lowered(Number n, int places) {
    if (places >= 128)
        return {.negative = n.negative, .exponent = n.exponent + places, .more = n.magnitude != 0 || n.more};
    n.more |= (n.magnitude & ((Big{1} << places) - 1)) != 0;
    n.magnitude >>= places;
    n.exponent += places;
    return n;
}

inline Number add(Number a, Number b) {
    if (a.kind == Number::Kind::nan || b.kind == Number::Kind::nan) return nan;
    if (a.kind == Number::Kind::infinite && b.kind == Number::Kind::infinite) return a.negative == b.negative ? a : nan;
    if (a.kind == Number::Kind::infinite) return a;
    if (b.kind == Number::Kind::infinite) return b;
    if (a.zero() && b.zero()) return a.negative && b.negative ? a : Number{};
    if (a.zero()) return b;
    if (b.zero()) return a;
    if (a.exponent < b.exponent) std::swap(a, b);
    int room = std::min(a.exponent - b.exponent, 126 - length(a.magnitude));
    a.magnitude <<= room;
    a.exponent -= room;
    b = lowered(b, a.exponent - b.exponent);
    if (a.negative == b.negative)
        return {.negative = a.negative, .magnitude = a.magnitude + b.magnitude, .exponent = a.exponent, .more = b.more};
    if (b.more) ++b.magnitude;  // a - (b + a little) = a - (b + 1) + the rest of that little
    bool swapped = a.magnitude < b.magnitude;
    Number result{.negative = swapped ? b.negative : a.negative, .exponent = a.exponent, .more = b.more};
    result.magnitude = swapped ? b.magnitude - a.magnitude : a.magnitude - b.magnitude;
    if (result.zero()) result.negative = false;
    return result;
}

inline Number negate(Number n) {
    n.negative = !n.negative;
    return n;
}

inline Number multiply(const Number& a, const Number& b) {
    if (a.kind == Number::Kind::nan || b.kind == Number::Kind::nan) return nan;
    bool infinite = a.kind == Number::Kind::infinite || b.kind == Number::Kind::infinite;
    if (infinite && (a.zero() || b.zero())) return nan;
    Number result{.negative = a.negative != b.negative,
                  .magnitude = a.magnitude * b.magnitude,
                  .exponent = a.exponent + b.exponent};
    if (infinite) result.kind = Number::Kind::infinite;
    return result;
}

inline Number divide(const Number& a, const Number& b) {
    if (a.kind == Number::Kind::nan || b.kind == Number::Kind::nan) return nan;
    bool a_infinite = a.kind == Number::Kind::infinite, b_infinite = b.kind == Number::Kind::infinite;
    if ((a_infinite && b_infinite) || (a.zero() && b.zero())) return nan;
    Number result{.negative = a.negative != b.negative};
    if (b_infinite) return result;
    if (a_infinite || b.zero()) {
        result.kind = Number::Kind::infinite;
        return result;
    }
    if (a.zero()) return result;
    int up = 127 - length(a.magnitude);
    Big numerator = a.magnitude << up;
    result.magnitude = numerator / b.magnitude;
    result.more = numerator % b.magnitude != 0;
    result.exponent = a.exponent - up - b.exponent;
    return result;
}

inline Number square_root(Number a) {
    if (a.kind == Number::Kind::nan || a.zero()) return a;
    if (a.negative) return nan;
    if (a.kind == Number::Kind::infinite) return a;
    int up = 126 - length(a.magnitude);
    if ((a.exponent - up) % 2 != 0) --up;
    Big radicand = a.magnitude << up, root = 0;
    for (Big bit = Big{1} << 63; bit != 0; bit >>= 1)
        if ((root | bit) * (root | bit) <= radicand) root |= bit;
    return {.magnitude = root, .exponent = (a.exponent - up) / 2, .more = root * root != radicand};
}

enum class Direction { zero, up, down, half_away, half_even };

inline Number integral(const Number& a, Direction direction) {
    if (a.kind != Number::Kind::finite || a.exponent >= 0 || a.zero()) return a;
    int cut = -a.exponent;
    Big whole = cut < 128 ? a.magnitude >> cut : 0;
    Big rest = cut < 128 ? a.magnitude & ((Big{1} << cut) - 1) : a.magnitude;
    // Beyond 120 places the value is far below one half.
    int against_half = cut > 120 ? -1 : rest > Big{1} << (cut - 1) ? 1 : rest == Big{1} << (cut - 1) ? 0 : -1;
    bool away = false;
    switch (direction) {
        case Direction::zero: break;
        case Direction::up: away = rest != 0 && !a.negative; break;
        case Direction::down: away = rest != 0 && a.negative; break;
        case Direction::half_away: away = against_half >= 0; break;
        case Direction::half_even: away = against_half > 0 || (against_half == 0 && (whole & 1) != 0); break;
    }
    return {.negative = a.negative, .magnitude = whole + away};
}

// -1, 0 or 1; both are numbers.
inline int compare(const Number& a, const Number& b) {
    if (a.kind == Number::Kind::infinite && b.kind == a.kind && a.negative == b.negative) return 0;
    Number difference = add(a, negate(b));
    return difference.zero() ? 0 : difference.negative ? -1 : 1;
}

// The integer part, kept within the bounds of so many bits; two's complement.
inline std::uint64_t saturated(const Number& a, unsigned bits, bool is_signed) {
    if (a.kind == Number::Kind::nan) return 0;
    Big limit = a.negative ? (is_signed ? Big{1} << (bits - 1) : 0) : (Big{1} << (bits - is_signed)) - 1;
    Number whole = integral(a, Direction::zero);
    bool huge =
        a.kind == Number::Kind::infinite || (whole.magnitude != 0 && whole.exponent + length(whole.magnitude) > 65);
    Big magnitude =
        huge ? limit : std::min(limit, whole.exponent >= 0 ? whole.magnitude << whole.exponent : whole.magnitude);
    return a.negative ? std::uint64_t(-magnitude) : std::uint64_t(magnitude);
}

}  // namespace isaforge::exact

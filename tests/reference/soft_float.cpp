// Every operation takes its operands apart, computes exactly (or with one bit at the bottom that stands for all that was
// cut off) and rounds once, in round().
#include "soft_float.hpp"

namespace soft_float {
namespace {

enum class Kind { zero, finite, infinite, nan };

// +-significand * 2^exponent.
struct Number {
    Kind kind = Kind::zero;
    bool negative = false;
    int exponent = 0;
    Wide significand = 0;
};

int width(Wide value) {
    auto high = static_cast<std::uint64_t>(value >> 64);
    auto low = static_cast<std::uint64_t>(value);
    if (high != 0) return 128 - __builtin_clzll(high);
    return low != 0 ? 64 - __builtin_clzll(low) : 0;
}

Number take_apart(const Format& format, std::uint64_t a) {
    Number n;
    n.negative = (a & format.sign_bit()) != 0;
    std::uint64_t fraction = a & ((std::uint64_t{1} << format.fraction_bits) - 1);
    auto biased = static_cast<int>((a & format.infinity()) >> format.fraction_bits);
    if (biased == (1 << format.exponent_bits) - 1) {
        n.kind = fraction != 0 ? Kind::nan : Kind::infinite;
        return n;
    }
    if (biased == 0 && fraction == 0) return n;
    n.kind = Kind::finite;
    n.significand = biased == 0 ? fraction : fraction | std::uint64_t{1} << format.fraction_bits;
    n.exponent = (biased == 0 ? 1 : biased) - format.bias() - static_cast<int>(format.fraction_bits);
    return n;
}

std::uint64_t zero(const Format& format, bool negative) { return negative ? format.sign_bit() : 0; }
std::uint64_t infinity(const Format& format, bool negative) { return zero(format, negative) | format.infinity(); }

// Shifted right, the lowest bit 1 where a 1 fell off.
Wide shift_right_sticky(Wide value, int count) {
    if (count <= 0) return value;
    if (count >= 128) return value != 0 ? 1 : 0;
    return value >> count | ((value & ((Wide{1} << count) - 1)) != 0 ? 1 : 0);
}

// Cut to a multiple of 2^count (count > 0), then the next one up where the mode says so; divided by 2^count.
Wide round_at(Wide value, int count, bool negative, Rounding rounding, bool& inexact) {
    if (count > 126) {  // far below half a unit: bring it near, keeping "not zero"
        value = shift_right_sticky(value, count - 126);
        count = 126;
    }
    Wide whole = value >> count, rest = value & ((Wide{1} << count) - 1), half = Wide{1} << (count - 1);
    inexact = rest != 0;
    bool up = false;
    switch (rounding) {
        case Rounding::up: up = inexact && !negative; break;
        case Rounding::down: up = inexact && negative; break;
        case Rounding::zero: break;
        case Rounding::nearest: up = rest > half || (rest == half && (whole & 1) != 0); break;
        case Rounding::nearest_away: up = rest >= half; break;
    }
    return whole + (up ? 1 : 0);
}

std::uint64_t overflowed(const Format& format, bool negative, Rounding rounding, Flags& flags) {
    flags.overflow = flags.inexact = true;
    bool to_largest = rounding == Rounding::zero || (rounding == Rounding::up && negative) ||
                      (rounding == Rounding::down && !negative);
    return zero(format, negative) | (to_largest ? format.largest() : format.infinity());
}

// The float of a finite number that is not zero. The lowest bit of the significand may be sticky where it has at least
// three bits more than the format keeps.
std::uint64_t round(const Format& format, Number n, Rounding rounding, Flags& flags) {
    int precision = static_cast<int>(format.fraction_bits) + 1;
    int lowest = 1 - format.bias() - static_cast<int>(format.fraction_bits);  // exponent of the last bit of subnormals
    if (width(n.significand) < precision + 3) {
        int room = precision + 3 - width(n.significand);
        n.significand <<= room;
        n.exponent -= room;
    }
    int cut = width(n.significand) - precision;
    bool inexact = false;
    // As if the exponent had no lower bound: is that below the normal numbers?
    Wide unbounded = round_at(n.significand, cut, n.negative, rounding, inexact);
    bool tiny = n.exponent + cut + width(unbounded) - precision < lowest;
    if (n.exponent + cut < lowest) cut = lowest - n.exponent;
    Wide significand = round_at(n.significand, cut, n.negative, rounding, inexact);
    int exponent = n.exponent + cut;
    if (width(significand) > precision) {
        significand >>= 1;
        ++exponent;
    }
    flags.inexact |= inexact;
    flags.underflow |= inexact && tiny;
    if (significand == 0) return zero(format, n.negative);
    int biased = width(significand) < precision ? 0 : exponent - lowest + 1;
    if (biased >= (1 << format.exponent_bits) - 1) return overflowed(format, n.negative, rounding, flags);
    auto fraction = static_cast<std::uint64_t>(significand) & ((std::uint64_t{1} << format.fraction_bits) - 1);
    return zero(format, n.negative) | static_cast<std::uint64_t>(biased) << format.fraction_bits | fraction;
}

std::uint64_t invalid(const Format& format, Flags& flags) {
    flags.invalid = true;
    return format.nan();
}

// A NaN among the operands: signalling ones are invalid.
std::uint64_t pass_nan(const Format& format, Flags& flags, std::uint64_t a, std::uint64_t b, std::uint64_t c = 0) {
    if (is_signalling(format, a) || is_signalling(format, b) || is_signalling(format, c)) flags.invalid = true;
    return format.nan();
}

// To a significand of 126 bits: room for a carry above it.
void normalise(Number& n) {
    int room = 126 - width(n.significand);
    if (room >= 0) {
        n.significand <<= room;
    } else {
        n.significand = shift_right_sticky(n.significand, -room);
    }
    n.exponent -= room;
}

// a + b of numbers that are no NaNs. A zero sum of different signs is -0 only when rounding down.
std::uint64_t sum(const Format& format, Number a, Number b, Rounding rounding, Flags& flags) {
    if (a.kind == Kind::infinite && b.kind == Kind::infinite && a.negative != b.negative) return invalid(format, flags);
    if (a.kind == Kind::infinite) return infinity(format, a.negative);
    if (b.kind == Kind::infinite) return infinity(format, b.negative);
    bool zero_sign = rounding == Rounding::down;
    if (a.kind == Kind::zero && b.kind == Kind::zero)
        return zero(format, a.negative == b.negative ? a.negative : zero_sign);
    if (a.kind == Kind::zero) return round(format, b, rounding, flags);
    if (b.kind == Kind::zero) return round(format, a, rounding, flags);
    normalise(a);
    normalise(b);
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
        Number swap = a;
        a = b;
        b = swap;
    }
    b.significand = shift_right_sticky(b.significand, a.exponent - b.exponent);
    if (a.negative == b.negative) {
        a.significand += b.significand;
    } else {
        a.significand -= b.significand;
        if (a.significand == 0) return zero(format, zero_sign);
    }
    return round(format, a, rounding, flags);
}

Number product(const Number& a, const Number& b) {
    Number n;
    n.negative = a.negative != b.negative;
    if (a.kind == Kind::infinite || b.kind == Kind::infinite) {
        n.kind = Kind::infinite;
    } else if (a.kind == Kind::finite && b.kind == Kind::finite) {
        n.kind = Kind::finite;
        n.significand = a.significand * b.significand;  // 53 bits each
        n.exponent = a.exponent + b.exponent;
    }
    return n;
}

bool infinity_times_zero(const Number& a, const Number& b) {
    return (a.kind == Kind::infinite && b.kind == Kind::zero) || (a.kind == Kind::zero && b.kind == Kind::infinite);
}

// Bits as whole numbers in the order of the values, both zeros at 0.
std::int64_t place(const Format& format, std::uint64_t a) {
    auto magnitude = static_cast<std::int64_t>(a & (format.sign_bit() - 1));
    return (a & format.sign_bit()) != 0 ? -magnitude : magnitude;
}

}  // namespace

const Format& format_of(unsigned bits) { return bits == 16 ? binary16 : bits == 32 ? binary32 : binary64; }

bool is_nan(const Format& format, std::uint64_t a) { return take_apart(format, a).kind == Kind::nan; }
bool is_infinite(const Format& format, std::uint64_t a) { return take_apart(format, a).kind == Kind::infinite; }
bool is_zero(const Format& format, std::uint64_t a) { return take_apart(format, a).kind == Kind::zero; }
bool is_subnormal(const Format& format, std::uint64_t a) {
    return take_apart(format, a).kind == Kind::finite && (a & format.infinity()) == 0;
}
bool is_signalling(const Format& format, std::uint64_t a) { return is_nan(format, a) && (a & format.quiet_bit()) == 0; }

std::uint64_t add(const Format& format, std::uint64_t a, std::uint64_t b, Rounding rounding, Flags& flags) {
    if (is_nan(format, a) || is_nan(format, b)) return pass_nan(format, flags, a, b);
    return sum(format, take_apart(format, a), take_apart(format, b), rounding, flags);
}

std::uint64_t sub(const Format& format, std::uint64_t a, std::uint64_t b, Rounding rounding, Flags& flags) {
    return add(format, a, b ^ format.sign_bit(), rounding, flags);
}

std::uint64_t mul(const Format& format, std::uint64_t a, std::uint64_t b, Rounding rounding, Flags& flags) {
    if (is_nan(format, a) || is_nan(format, b)) return pass_nan(format, flags, a, b);
    Number x = take_apart(format, a), y = take_apart(format, b);
    if (infinity_times_zero(x, y)) return invalid(format, flags);
    Number n = product(x, y);
    if (n.kind == Kind::infinite) return infinity(format, n.negative);
    return n.kind == Kind::zero ? zero(format, n.negative) : round(format, n, rounding, flags);
}

std::uint64_t div(const Format& format, std::uint64_t a, std::uint64_t b, Rounding rounding, Flags& flags) {
    if (is_nan(format, a) || is_nan(format, b)) return pass_nan(format, flags, a, b);
    Number x = take_apart(format, a), y = take_apart(format, b);
    bool negative = x.negative != y.negative;
    if (x.kind == y.kind && x.kind != Kind::finite) return invalid(format, flags);
    if (x.kind == Kind::infinite) return infinity(format, negative);
    if (y.kind == Kind::infinite || x.kind == Kind::zero) return zero(format, negative);
    if (y.kind == Kind::zero) {
        flags.division_by_zero = true;
        return infinity(format, negative);
    }
    int room = 126 - width(x.significand);  // at least 73 bits of quotient
    Wide dividend = x.significand << room;
    Number n{Kind::finite, negative, x.exponent - room - y.exponent, dividend / y.significand};
    if (dividend % y.significand != 0) n.significand |= 1;
    return round(format, n, rounding, flags);
}

std::uint64_t fma(const Format& format, std::uint64_t a, std::uint64_t b, std::uint64_t c, Rounding rounding,
                  Flags& flags) {
    Number x = take_apart(format, a), y = take_apart(format, b);
    if (infinity_times_zero(x, y)) return invalid(format, flags);
    if (is_nan(format, a) || is_nan(format, b) || is_nan(format, c)) return pass_nan(format, flags, a, b, c);
    return sum(format, product(x, y), take_apart(format, c), rounding, flags);
}

std::uint64_t remainder(const Format& format, std::uint64_t a, std::uint64_t b, Flags& flags) {
    if (is_nan(format, a) || is_nan(format, b)) return pass_nan(format, flags, a, b);
    Number x = take_apart(format, a), y = take_apart(format, b);
    if (x.kind == Kind::infinite || y.kind == Kind::zero) return invalid(format, flags);
    if (x.kind == Kind::zero || y.kind == Kind::infinite) return a;
    if (x.exponent < y.exponent) {  // y's units are coarser: they become x's, or y is larger anyway
        if (y.exponent - x.exponent > 70) return a;
        y.significand <<= y.exponent - x.exponent;
        y.exponent = x.exponent;
    }
    for (int left = x.exponent - y.exponent; left > 0;) {
        int step = left < 64 ? left : 64;  // remainders have at most 53 bits where anything is left to do
        x.significand = (x.significand % y.significand) << step;
        left -= step;
    }
    x.significand %= y.significand;
    x.exponent = y.exponent;
    if (x.significand == 0) return zero(format, x.negative);
    return round(format, x, Rounding::zero, flags);
}

std::uint64_t convert(const Format& from, const Format& to, std::uint64_t a, Rounding rounding, Flags& flags) {
    Number n = take_apart(from, a);
    switch (n.kind) {
        case Kind::zero: return zero(to, n.negative);
        case Kind::infinite: return infinity(to, n.negative);
        case Kind::nan: flags.invalid |= is_signalling(from, a); return to.nan();
        case Kind::finite: break;
    }
    return round(to, n, rounding, flags);
}

std::uint64_t from_signed(const Format& to, Int128 a, Rounding rounding, Flags& flags) {
    if (a == 0) return 0;
    Number n{Kind::finite, a < 0, 0, a < 0 ? -static_cast<Wide>(a) : static_cast<Wide>(a)};
    return round(to, n, rounding, flags);
}

Int128 to_integer(const Format& from, std::uint64_t a, Rounding rounding, Flags& flags) {
    Number n = take_apart(from, a);
    if (n.kind == Kind::zero) return 0;
    if (n.kind == Kind::nan) {
        flags.invalid = true;
        return 0;
    }
    Int128 magnitude = static_cast<Int128>(1) << 100;
    if (n.kind == Kind::finite && n.exponent < 0) {
        bool inexact = false;
        magnitude = static_cast<Int128>(round_at(n.significand, -n.exponent, n.negative, rounding, inexact));
        flags.inexact |= inexact;
    } else if (n.kind == Kind::finite && width(n.significand) + n.exponent <= 100) {
        magnitude = static_cast<Int128>(n.significand << n.exponent);
    }
    return n.negative ? -magnitude : magnitude;
}

bool equal(const Format& format, std::uint64_t a, std::uint64_t b) {
    return !is_nan(format, a) && !is_nan(format, b) && place(format, a) == place(format, b);
}
bool less(const Format& format, std::uint64_t a, std::uint64_t b) {
    return !is_nan(format, a) && !is_nan(format, b) && place(format, a) < place(format, b);
}
bool less_equal(const Format& format, std::uint64_t a, std::uint64_t b) {
    return !is_nan(format, a) && !is_nan(format, b) && place(format, a) <= place(format, b);
}

std::uint64_t distance(const Format& format, std::uint64_t a, std::uint64_t b) {
    std::int64_t x = place(format, a), y = place(format, b);
    return x < y ? static_cast<std::uint64_t>(y) - static_cast<std::uint64_t>(x)
                 : static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y);
}

}  // namespace soft_float

#include "ir/soft_float.hpp"

#include <algorithm>
#include <bit>

#include "semantics/types.hpp"
#include "support/wide.hpp"

namespace isaforge::ir {

namespace {

using Wide = UnsignedWide;

struct Format {
    int fraction, bias;

    explicit Format(unsigned bits)
        : fraction(bits == 16   ? 10
                   : bits == 32 ? 23
                                : 52),
          bias(bits == 16   ? 15
               : bits == 32 ? 127
                            : 1023) {}
    std::uint64_t sign() const { return infinity() + (std::uint64_t{1} << fraction); }
    std::uint64_t infinity() const { return static_cast<std::uint64_t>(2 * bias + 1) << fraction; }
    int lowest() const { return 1 - bias - fraction; }  // the exponent of the last bit of a subnormal number
};

constexpr int top_bit = 52;  // of a Number's significand, whatever its format

// significand * 2^exponent.
struct Number {
    enum class Class { zero, finite, infinite, nan } kind = Class::zero;
    bool negative = false, signals = false;
    int exponent = 0;
    std::uint64_t significand = 0;

    bool is(Class wanted) const { return kind == wanted; }
};
using Class = Number::Class;

int highest_one(Wide value) {
    const auto high = static_cast<std::uint64_t>(value >> 64), low = static_cast<std::uint64_t>(value);
    return high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(low);
}

Number unpack(const Format& format, std::uint64_t bits, bool flush_subnormals) {
    Number number{.negative = (bits & format.sign()) != 0};
    const std::uint64_t magnitude = bits & (format.sign() - 1), unit = std::uint64_t{1} << format.fraction;
    if (magnitude >= format.infinity()) {
        number.kind = magnitude == format.infinity() ? Class::infinite : Class::nan;
        number.signals = number.is(Class::nan) && (magnitude & unit >> 1) == 0;
        return number;
    }
    const bool subnormal = magnitude < unit;
    if (magnitude == 0 || (subnormal && flush_subnormals)) return number;
    number.kind = Class::finite;
    const std::uint64_t significand = subnormal ? magnitude : (magnitude & (unit - 1)) | unit;
    const int shift = top_bit - highest_one(significand);
    number.significand = significand << shift;
    number.exponent = format.lowest() + (subnormal ? 0 : static_cast<int>(magnitude >> format.fraction) - 1) - shift;
    return number;
}

struct Whole {
    Wide value = 0;
    bool is_exact = true;
};

// significand / 2^shift as a whole number; the significand is below 2^127.
Whole whole_of(Wide significand, int shift, bool negative, Rounding rounding) {
    if (shift <= 0) return {significand << -shift, true};
    const Wide below = shift >= 128 ? 0 : significand >> shift;
    const Wide rest = shift >= 128 ? significand : significand - (below << shift);
    if (rest == 0) return {below, true};
    const Wide half = shift > 128 ? ~Wide{0} : Wide{1} << (shift - 1);
    bool up = false;
    switch (rounding) {
        case Rounding::nearest: up = rest > half || (rest == half && (below & 1) != 0); break;
        case Rounding::nearest_away: up = rest >= half; break;
        case Rounding::up: up = !negative; break;
        case Rounding::down: up = negative; break;
        case Rounding::zero: break;
    }
    return {below + (up ? 1 : 0), false};
}

// significand * 2^exponent as a float; the significand is not 0 and below 2^127, its last bit a 1 where more bits were lost.
SoftResult rounded(const Format& format, bool negative, Wide significand, int exponent, Rounding rounding) {
    const std::uint64_t sign = negative ? format.sign() : 0;
    const int top = exponent + highest_one(significand);
    const auto overflowed = [&] {
        const bool to_infinity = rounding != Rounding::zero && rounding != (negative ? Rounding::up : Rounding::down);
        return SoftResult{sign | (to_infinity ? format.infinity() : format.infinity() - 1), overflow | inexact};
    };
    if (top > format.bias) return overflowed();
    if (top < format.lowest() - 1) significand = 1, exponent = format.lowest() - 2;  // less than half of what there is
    const int last = std::max(top - format.fraction, format.lowest());
    const Whole whole = whole_of(significand, last - exponent, negative, rounding);
    // A carry out of the significand is one into the exponent.
    const std::uint64_t magnitude = (static_cast<std::uint64_t>(last - format.lowest()) << format.fraction) +
                                    static_cast<std::uint64_t>(whole.value);
    if (magnitude >= format.infinity()) return overflowed();
    SoftResult result{sign | magnitude, 0};
    if (whole.is_exact) return result;
    result.exceptions = inexact;
    const auto grows = [&] {  // to the smallest normal number, if the exponent had no lower bound
        const int unbounded = top - format.fraction;
        return whole_of(significand, unbounded - exponent, negative, rounding).value >> (format.fraction + 1) != 0;
    };
    if (top < -format.bias || (top == -format.bias && !grows())) result.exceptions |= underflow;
    return result;
}

SoftResult zero(const Format& format, bool negative) { return {negative ? format.sign() : 0, 0}; }
SoftResult infinity(const Format& format, bool negative) {
    return {format.infinity() | zero(format, negative).number.value(), 0};
}
constexpr SoftResult invalid_result{std::nullopt, invalid};

// The number in another format, times a power of 2.
SoftResult scaled(const Format& format, const Number& a, int power, Rounding rounding) {
    if (a.is(Class::zero)) return zero(format, a.negative);
    if (a.is(Class::infinite)) return infinity(format, a.negative);
    return rounded(format, a.negative, a.significand, a.exponent + power, rounding);
}

SoftResult product(const Format& format, const Number& a, const Number& b, Rounding rounding) {
    const bool negative = a.negative != b.negative;
    if (a.is(Class::infinite) || b.is(Class::infinite))
        return a.is(Class::zero) || b.is(Class::zero) ? invalid_result : infinity(format, negative);
    if (a.is(Class::zero) || b.is(Class::zero)) return zero(format, negative);
    return rounded(format, negative, Wide{a.significand} * b.significand, a.exponent + b.exponent, rounding);
}

// a * b + c. Both summands get their highest bit at one place; what the smaller loses is in its last bit.
SoftResult fused(const Format& format, const Number& a, const Number& b, const Number& c, Rounding rounding) {
    constexpr int place = 124;
    const bool negative = a.negative != b.negative;
    if (a.is(Class::infinite) || b.is(Class::infinite)) {
        const bool is_none =
            a.is(Class::zero) || b.is(Class::zero) || (c.is(Class::infinite) && c.negative != negative);
        return is_none ? invalid_result : infinity(format, negative);
    }
    if (c.is(Class::infinite)) return infinity(format, c.negative);
    const bool zero_product = a.is(Class::zero) || b.is(Class::zero), down = rounding == Rounding::down;
    if (zero_product && c.is(Class::zero)) return zero(format, negative == c.negative ? negative : down);
    if (zero_product) return scaled(format, c, 0, rounding);
    if (c.is(Class::zero)) return product(format, a, b, rounding);
    const Wide exact = Wide{a.significand} * b.significand;
    const int shift = place - highest_one(exact);
    Wide larger = exact << shift, smaller = Wide{c.significand} << (place - top_bit);
    int exponent = a.exponent + b.exponent - shift, other = c.exponent - (place - top_bit);
    bool larger_negative = negative, smaller_negative = c.negative;
    if (other > exponent || (other == exponent && smaller > larger)) {
        std::swap(larger, smaller);
        std::swap(exponent, other);
        std::swap(larger_negative, smaller_negative);
    }
    const int distance = exponent - other;
    if (distance > place)
        smaller = 1;
    else if (distance > 0)
        smaller = smaller >> distance | (smaller << (128 - distance) != 0 ? 1 : 0);
    if (larger_negative == smaller_negative)
        return rounded(format, larger_negative, larger + smaller, exponent, rounding);
    if (larger == smaller) return zero(format, down);
    return rounded(format, larger_negative, larger - smaller, exponent, rounding);
}

SoftResult quotient(const Format& format, const Number& a, const Number& b, Rounding rounding) {
    const bool negative = a.negative != b.negative;
    if (a.kind == b.kind && !a.is(Class::finite)) return invalid_result;
    if (a.is(Class::infinite)) return infinity(format, negative);
    if (a.is(Class::zero) || b.is(Class::infinite)) return zero(format, negative);
    if (b.is(Class::zero)) return {infinity(format, negative).number, division_by_zero};
    constexpr int shift = 64;
    const Wide dividend = Wide{a.significand} << shift, divided = dividend / b.significand;
    const bool is_exact = divided * b.significand == dividend;
    return rounded(format, negative, divided << 1 | (is_exact ? 0 : 1), a.exponent - b.exponent - shift - 1, rounding);
}

SoftResult square_root(const Format& format, const Number& a, Rounding rounding) {
    if (a.is(Class::zero)) return zero(format, a.negative);
    if (a.negative) return invalid_result;
    if (a.is(Class::infinite)) return infinity(format, false);
    const int shift = (a.exponent & 1) != 0 ? 61 : 60;  // an even exponent remains
    Wide rest = Wide{a.significand} << shift, root = 0;
    for (Wide bit = Wide{1} << 56; bit != 0; bit >>= 1) {
        const Wide larger = root | bit;
        if (larger * larger <= rest) root = larger;
    }
    const bool is_exact = root * root == rest;
    return rounded(format, false, root << 1 | (is_exact ? 0 : 1), (a.exponent - shift) / 2 - 1, rounding);
}

// What is raised when it becomes a whole number in that direction.
std::uint8_t raised_by_rounding(const Number& a, Rounding rounding) {
    if (!a.is(Class::finite)) return 0;
    return whole_of(a.significand, -a.exponent > 0 ? -a.exponent : 0, a.negative, rounding).is_exact ? 0 : inexact;
}

// The same of one that has to fit an integer type.
std::uint8_t raised_by_integer(const Number& a, unsigned bits, bool is_signed, Rounding rounding) {
    if (a.is(Class::zero)) return 0;
    if (!a.is(Class::finite) || a.exponent > 64 - top_bit) return invalid;
    const Whole whole = whole_of(a.significand, -a.exponent, a.negative, rounding);
    const Wide limit = Wide{1} << (is_signed ? bits - 1 : bits);
    const bool fits = !a.negative ? whole.value < limit : whole.value <= (is_signed ? limit : 0);
    return !fits ? invalid : whole.is_exact ? 0 : inexact;
}

SoftResult from_integer(const Format& format, std::uint64_t value, bool is_signed, Rounding rounding) {
    if (value == 0) return zero(format, false);
    const bool negative = is_signed && value >> 63 != 0;
    return rounded(format, negative, negative ? 0 - value : value, 0, rounding);
}

}  // namespace

SoftResult compute_softly(Op op, unsigned operand_bits, unsigned result_bits, std::span<const std::uint64_t> operands,
                          Rounding rounding, bool flush_subnormals) {
    if (op == Op::u64_to_float || op == Op::s64_to_float)
        return from_integer(Format(result_bits), operands[0], op == Op::s64_to_float, rounding);
    const Format format(operand_bits);
    const bool power_follows = op == Op::fscale;
    Number numbers[most_operands];
    bool signals = false, nan = false;
    for (std::size_t i = 0; i < operands.size() && !(power_follows && i == 1); ++i) {
        numbers[i] = unpack(format, operands[i], flush_subnormals);
        signals |= numbers[i].signals;
        nan |= numbers[i].is(Class::nan);
    }
    const auto& [a, b, c] = numbers;
    if (nan) {
        const bool is_ordered = op == Op::fless || op == Op::fless_equal,
                   to_integer = op == Op::float_to_u64 || op == Op::float_to_s64;
        // IEEE 754 leaves it open what infinity * 0 + NaN raises; RISC-V does not.
        const bool no_product = op == Op::fma && ((a.is(Class::infinite) && b.is(Class::zero)) ||
                                                  (a.is(Class::zero) && b.is(Class::infinite)));
        return signals || is_ordered || to_integer || no_product ? invalid_result : SoftResult{};
    }
    const Number one{.kind = Class::finite, .exponent = -top_bit, .significand = std::uint64_t{1} << top_bit};
    switch (op) {
        case Op::fadd: return fused(format, a, one, b, rounding);
        case Op::fsub: {
            Number negated = b;
            negated.negative = !b.negative;
            return fused(format, a, one, negated, rounding);
        }
        case Op::fmul: return product(format, a, b, rounding);
        case Op::fdiv: return quotient(format, a, b, rounding);
        case Op::fsqrt: return square_root(format, a, rounding);
        case Op::fma: return fused(format, a, b, c, rounding);
        case Op::fscale: {
            const std::int64_t power = semantics::sign_extend(operands[1], operand_bits);
            return scaled(format, a, static_cast<int>(std::clamp<std::int64_t>(power, -5000, 5000)), rounding);
        }
        case Op::float_narrow: return scaled(Format(result_bits), a, 0, rounding);
        case Op::fremainder: return a.is(Class::infinite) || b.is(Class::zero) ? invalid_result : SoftResult{};
        case Op::fround_to_zero: return {{}, raised_by_rounding(a, Rounding::zero)};
        case Op::fround_half_away: return {{}, raised_by_rounding(a, Rounding::nearest_away)};
        case Op::fround_half_even: return {{}, raised_by_rounding(a, Rounding::nearest)};
        case Op::fround_up: return {{}, raised_by_rounding(a, Rounding::up)};
        case Op::fround_down: return {{}, raised_by_rounding(a, Rounding::down)};
        case Op::float_to_u64:
        case Op::float_to_s64: return {{}, raised_by_integer(a, result_bits, op == Op::float_to_s64, rounding)};
        default: return {};  // minima, comparisons of numbers and wider formats: nothing is raised
    }
}

}  // namespace isaforge::ir

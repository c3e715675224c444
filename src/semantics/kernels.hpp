// What each operation computes, on plain unsigned containers. Folding, scalar and vector execution all instantiate
// these same functions, so that they cannot disagree.
//
// Rules where sources differ: division by zero gives all ones and the remainder the dividend, the signed overflow
// -2^(n-1) / -1 wraps (RISC-V unprivileged specification, chapter M). A shift by the width or more shifts everything
// out.
//
// Floats follow IEEE 754-2019, rounding to nearest even. Where a machine flushes subnormals, operands are flushed
// before and the rounded result after the operation, keeping the sign; a result that rounding lifts to the smallest
// normal number stays. A NaN result is the canonical one where the machine has it so; else it is the first NaN operand
// made quiet, or the canonical one where no operand is a NaN.
//
// This file must be compiled without contraction of a * b + c into one operation, and without -ffast-math.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "isaforge/isa.hpp"
#include "support/wide.hpp"

namespace isaforge::semantics {

// The rules as constants, for machines with both: the compiler then folds the questions away.
struct StrictFloatRules {
    static constexpr bool flush_subnormals = true;
    static constexpr bool canonical_nan = true;
    static constexpr Rounding rounding = Rounding::nearest;
};

namespace kernels {

// Operand and result containers for a kernel instantiated for container T.
struct Plain {
    template <class T>
    using In = T;
    template <class T>
    using Out = T;
};
struct Test {
    template <class T>
    using In = T;
    template <class T>
    using Out = std::uint8_t;
};
struct To64 {
    template <class T>
    using In = T;
    template <class T>
    using Out = std::uint64_t;
};
struct From64 {
    template <class T>
    using In = std::uint64_t;
    template <class T>
    using Out = T;
};

template <class T>
inline constexpr unsigned bits_of = sizeof(T) * 8;
template <class T>
using Signed = std::make_signed_t<T>;
template <class T>
Signed<T> as_signed(T value) {
    return static_cast<Signed<T>>(value);
}

// ---------------------------------------------------------------------------------------------------------------------
// Integers

#define ISAFORGE_KERNEL2(Name, Base, expression)          \
    struct Name : Base {                                  \
        template <class T, class R>                       \
        static Out<T> apply(In<T> a, In<T> b, In<T>, R) { \
            return Out<T>(expression);                    \
        }                                                 \
    };
#define ISAFORGE_KERNEL1(Name, Base, expression)        \
    struct Name : Base {                                \
        template <class T, class R>                     \
        static Out<T> apply(In<T> a, In<T>, In<T>, R) { \
            return Out<T>(expression);                  \
        }                                               \
    };

// Products of 16-bit containers must not overflow `int`, to which C++ promotes them.
ISAFORGE_KERNEL2(Add, Plain, a + b)
ISAFORGE_KERNEL2(Sub, Plain, a - b)
ISAFORGE_KERNEL2(Mul, Plain, std::uint64_t{a} * b)
ISAFORGE_KERNEL2(DivideUnsigned, Plain, b == 0 ? T(~T(0)) : T(a / b))
ISAFORGE_KERNEL2(RemainderUnsigned, Plain, b == 0 ? a : T(a % b))
ISAFORGE_KERNEL2(DivideSigned, Plain, b == 0 ? T(~T(0)) : b == T(~T(0)) ? T(T(0) - a) : T(as_signed(a) / as_signed(b)))
ISAFORGE_KERNEL2(RemainderSigned, Plain, b == 0 ? a : b == T(~T(0)) ? T(0) : T(as_signed(a) % as_signed(b)))
ISAFORGE_KERNEL2(MinUnsigned, Plain, a < b ? a : b)
ISAFORGE_KERNEL2(MaxUnsigned, Plain, a < b ? b : a)
ISAFORGE_KERNEL2(MinSigned, Plain, as_signed(a) < as_signed(b) ? a : b)
ISAFORGE_KERNEL2(MaxSigned, Plain, as_signed(a) < as_signed(b) ? b : a)
ISAFORGE_KERNEL2(BitAnd, Plain, a& b)
ISAFORGE_KERNEL2(BitOr, Plain, a | b)
ISAFORGE_KERNEL2(BitXor, Plain, a ^ b)
ISAFORGE_KERNEL1(BitNot, Plain, ~a)
ISAFORGE_KERNEL2(ShiftLeft, Plain, b < bits_of<T> ? T(std::uint64_t{a} << (b & (bits_of<T> - 1))) : T(0))
ISAFORGE_KERNEL2(ShiftRight, Plain, b < bits_of<T> ? T(a >> (b & (bits_of<T> - 1))) : T(0))
ISAFORGE_KERNEL2(ShiftRightSigned, Plain, as_signed(a) >> (b < bits_of<T> ? b : T(bits_of<T> - 1)))
ISAFORGE_KERNEL2(RotateLeft, Plain, std::rotl(a, int(b&(bits_of<T> - 1))))
ISAFORGE_KERNEL2(SignExtendFrom, Plain,
                 as_signed(T(std::uint64_t{a} << ((bits_of<T> - b) & (bits_of<T> - 1)))) >>
                     ((bits_of<T> - b) & (bits_of<T> - 1)))
ISAFORGE_KERNEL2(Equal, Test, a == b)
ISAFORGE_KERNEL2(NotEqual, Test, a != b)
ISAFORGE_KERNEL2(LessUnsigned, Test, a < b)
ISAFORGE_KERNEL2(LessEqualUnsigned, Test, a <= b)
ISAFORGE_KERNEL2(LessSigned, Test, as_signed(a) < as_signed(b))
ISAFORGE_KERNEL2(LessEqualSigned, Test, as_signed(a) <= as_signed(b))
ISAFORGE_KERNEL1(CountOnes, Plain, std::popcount(a))
ISAFORGE_KERNEL1(CountLeadingZeros, Plain, std::countl_zero(a))
ISAFORGE_KERNEL1(CountTrailingZeros, Plain, std::countr_zero(a))

struct MulHighUnsigned : Plain {
    template <class T, class R>
    static T apply(T a, T b, T, R) {
        if constexpr (sizeof(T) == 8)
            return T((static_cast<UnsignedWide>(a) * b) >> 64);
        else
            return T((std::uint64_t{a} * b) >> bits_of<T>);
    }
};

struct MulHighSigned : Plain {
    template <class T, class R>
    static T apply(T a, T b, T, R) {
        if constexpr (sizeof(T) == 8) return T((static_cast<Wide>(as_signed(a)) * as_signed(b)) >> 64);
        // In `int` where it fits: with a 64-bit product GCC 12 turns 16-bit lanes into the unsigned instruction.
        else if constexpr (sizeof(T) < 4)
            return T((as_signed(a) * as_signed(b)) >> bits_of<T>);
        else
            return T((std::int64_t{as_signed(a)} * as_signed(b)) >> bits_of<T>);
    }
};

struct Reverse : Plain {
    template <class T, class R>
    static T apply(T a, T, T, R) {
        std::uint64_t x = std::uint64_t{a} << (64 - bits_of<T>);
        x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
        x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
        x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
        return T(__builtin_bswap64(x));
    }
};

// The b highest bits from the highest one that is set; the rest is cleared.
struct LeadingBits : Plain {
    template <class T, class R>
    static T apply(T a, T b, T, R) {
        std::uint64_t width = std::uint64_t(std::bit_width(a));
        if (width <= b) return a;
        return b == 0 ? T(0) : T(a & (~std::uint64_t{0} << (width - b)));
    }
};

// Products over GF(2): sums without carries.
template <class T>
T carryless_high(T a, T b) {
    T high = 0;
    for (unsigned i = 1; i < bits_of<T>; ++i)
        if ((b >> i & 1) != 0) high = T(high ^ T(a >> (bits_of<T> - i)));
    return high;
}
struct CarrylessMul : Plain {
    template <class T, class R>
    static T apply(T a, T b, T, R) {
        std::uint64_t product = 0;
        for (unsigned i = 0; i < bits_of<T>; ++i)
            if ((b >> i & 1) != 0) product ^= std::uint64_t{a} << i;
        return T(product);
    }
};
struct CarrylessMulHigh : Plain {
    template <class T, class R>
    static T apply(T a, T b, T, R) {
        return carryless_high(a, b);
    }
};

// Adjacent groups of 2^b bits change places; b modulo the logarithm of the width.
struct SwapGroups : Plain {
    template <class T, class R>
    static T apply(T a, T b, T, R) {
        constexpr std::uint64_t low_halves[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                                0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
        constexpr unsigned steps = unsigned(std::countr_zero(bits_of<T> + 0u));
        unsigned n = unsigned(b % steps), size = 1u << n;
        std::uint64_t mask = low_halves[n], x = a;
        return T((x >> size & mask) | (x & mask) << size);
    }
};

// Of the double-width number a:b by c.
struct WideQuotient : Plain {
    template <class T, class R>
    static T apply(T a, T b, T c, R) {
        if (c <= a) return T(~T(0));
        return T((static_cast<UnsignedWide>(a) << bits_of<T> | b) / c);
    }
};
struct WideRemainder : Plain {
    template <class T, class R>
    static T apply(T a, T b, T c, R) {
        if (c <= a) return b;
        return T((static_cast<UnsignedWide>(a) << bits_of<T> | b) % c);
    }
};

// a is u1 for scalars; vectors have it widened to the container first.
struct Select : Plain {
    template <class T, class R>
    static T apply(T a, T b, T c, R) {
        return a != 0 ? b : c;
    }
};

// ---------------------------------------------------------------------------------------------------------------------
// Floats. Half precision computes in double: 53 bits are more than 2 * 11 + 2, so that rounding twice is harmless for
// one addition, multiplication, division or square root (Figueroa 1995).

template <class T>
struct FloatLayout;
template <>
struct FloatLayout<std::uint16_t> {
    using Native = double;
    static constexpr std::uint16_t sign = 0x8000, exponent = 0x7c00, quiet = 0x0200, nan = 0x7e00;
};
template <>
struct FloatLayout<std::uint32_t> {
    using Native = float;
    static constexpr std::uint32_t sign = 0x80000000, exponent = 0x7f800000, quiet = 0x00400000, nan = 0x7fc00000;
};
template <>
struct FloatLayout<std::uint64_t> {
    using Native = double;
    static constexpr std::uint64_t sign = 0x8000000000000000, exponent = 0x7ff0000000000000, quiet = 0x0008000000000000,
                                   nan = 0x7ff8000000000000;
};
template <class T>
using Native = typename FloatLayout<T>::Native;

inline double half_to_double(std::uint16_t half) {
    std::uint64_t sign = std::uint64_t(half & 0x8000) << 48;
    unsigned exponent = half >> 10 & 31, fraction = half & 0x3ff;
    if (exponent == 31) return std::bit_cast<double>(sign | 0x7ff0000000000000 | std::uint64_t{fraction} << 42);
    if (exponent != 0)
        return std::bit_cast<double>(sign | std::uint64_t{exponent + 1008} << 52 | std::uint64_t{fraction} << 42);
    double magnitude = fraction * 0x1p-24;
    return sign != 0 ? -magnitude : magnitude;
}

// Rounds to nearest even; NaNs become quiet and keep their upper bits.
inline std::uint16_t double_to_half(double value) {
    std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    std::uint16_t sign = std::uint16_t(bits >> 48 & 0x8000);
    if (value != value) return std::uint16_t(sign | 0x7e00 | (bits >> 42 & 0x3ff));
    double magnitude = std::fabs(value);
    if (magnitude >= 65520) return sign | 0x7c00;
    if (magnitude < 0x1p-14) return std::uint16_t(sign | unsigned(std::nearbyint(magnitude * 0x1p24)));
    // Adding half a unit less the parity carries into the exponent exactly where it must.
    std::uint64_t rebased = (bits & 0x7fffffffffffffff) - (std::uint64_t{1008} << 52);
    return std::uint16_t(sign | (rebased + 0x1ffffffffff + (rebased >> 42 & 1)) >> 42);
}

// The same in another direction. `value` may have been rounded in that direction before: once more is harmless.
inline std::uint16_t double_to_half(double value, Rounding rounding) {
    if (rounding == Rounding::nearest || value != value || std::isinf(value)) return double_to_half(value);
    bool negative = std::signbit(value);
    double magnitude = std::fabs(value);
    std::uint16_t sign = negative ? 0x8000 : 0;
    bool away = rounding == (negative ? Rounding::down : Rounding::up);
    if (magnitude > 65504) return std::uint16_t(sign | (away ? 0x7c00 : 0x7bff));
    // The largest half that is not larger: units are 2^-24 below the smallest normal number, else the 11th bit.
    std::uint64_t bits = std::bit_cast<std::uint64_t>(magnitude);
    std::uint16_t below;
    bool exact;
    if (magnitude < 0x1p-14) {
        double units = magnitude * 0x1p24;  // exact, or so small that what is lost is less than a unit
        below = static_cast<std::uint16_t>(units);
        exact = static_cast<double>(below) * 0x1p-24 == magnitude;
    } else {
        below = std::uint16_t((bits - (std::uint64_t{1008} << 52)) >> 42);
        exact = (bits & ((std::uint64_t{1} << 42) - 1)) == 0;
    }
    return std::uint16_t(sign | (below + (away && !exact ? 1 : 0)));
}

template <class T>
bool is_nan(T bits) {
    return T(bits & ~FloatLayout<T>::sign) > FloatLayout<T>::exponent;
}

template <class T, class R>
T flushed(T bits, R rules) {
    if (!rules.flush_subnormals) return bits;
    return (bits & FloatLayout<T>::exponent) == 0 ? T(bits & FloatLayout<T>::sign) : bits;
}

template <class T, class R>
Native<T> unpack(T bits, R rules) {
    bits = flushed(bits, rules);
    if constexpr (sizeof(T) == 2)
        return half_to_double(bits);
    else
        return std::bit_cast<Native<T>>(bits);
}

template <class T, class R>
T pack_number(Native<T> value, R rules) {
    if constexpr (sizeof(T) == 2)
        return flushed<T>(double_to_half(value, rules.rounding), rules);
    else
        return flushed(std::bit_cast<T>(value), rules);
}

template <class T, class R>
T nan_of(R rules, T a, T b = 0, T c = 0) {
    if (!rules.canonical_nan)
        for (T operand : {a, b, c})
            if (is_nan(operand)) return operand | FloatLayout<T>::quiet;
    return FloatLayout<T>::nan;
}

template <class T, class R>
T pack(Native<T> value, R rules, T a, T b = 0, T c = 0) {
    if (std::isnan(value)) return nan_of(rules, a, b, c);
    return pack_number<T>(value, rules);
}

#define ISAFORGE_FLOAT2(Name, expression)                         \
    struct Name : Plain {                                         \
        template <class T, class R>                               \
        static T apply(T a, T b, T, R rules) {                    \
            Native<T> x = unpack(a, rules), y = unpack(b, rules); \
            return pack<T>(expression, rules, a, b);              \
        }                                                         \
    };
#define ISAFORGE_FLOAT1(Name, expression)         \
    struct Name : Plain {                         \
        template <class T, class R>               \
        static T apply(T a, T, T, R rules) {      \
            Native<T> x = unpack(a, rules);       \
            return pack<T>(expression, rules, a); \
        }                                         \
    };
#define ISAFORGE_FLOAT_TEST(Name, expression)                     \
    struct Name : Test {                                          \
        template <class T, class R>                               \
        static std::uint8_t apply(T a, T b, T, R rules) {         \
            Native<T> x = unpack(a, rules), y = unpack(b, rules); \
            return expression;                                    \
        }                                                         \
    };

ISAFORGE_FLOAT2(FloatAdd, x + y)
ISAFORGE_FLOAT2(FloatSub, x - y)
ISAFORGE_FLOAT2(FloatMul, x* y)
ISAFORGE_FLOAT2(FloatDiv, x / y)
ISAFORGE_FLOAT1(FloatSqrt, std::sqrt(x))
ISAFORGE_FLOAT1(FloatRoundToZero, std::trunc(x))
ISAFORGE_FLOAT1(FloatRoundHalfAway, std::round(x))
ISAFORGE_FLOAT1(FloatRoundHalfEven, std::nearbyint(x))
ISAFORGE_FLOAT1(FloatRoundUp, std::ceil(x))
ISAFORGE_FLOAT1(FloatRoundDown, std::floor(x))
ISAFORGE_FLOAT_TEST(FloatEqual, x == y)
ISAFORGE_FLOAT_TEST(FloatLess, x < y)
ISAFORGE_FLOAT_TEST(FloatLessEqual, x <= y)

struct FloatUnordered : Test {
    template <class T, class R>
    static std::uint8_t apply(T a, T b, T, R) {
        return is_nan(a) || is_nan(b);
    }
};

struct FloatInfinite : Test {
    template <class T, class R>
    static std::uint8_t apply(T a, T, T, R) {
        return T(a & ~FloatLayout<T>::sign) == FloatLayout<T>::exponent;
    }
};
struct FloatSubnormal : Test {
    template <class T, class R>
    static std::uint8_t apply(T a, T, T, R) {
        return (a & FloatLayout<T>::exponent) == 0 && T(a & ~FloatLayout<T>::sign) != 0;
    }
};
struct FloatZero : Test {
    template <class T, class R>
    static std::uint8_t apply(T a, T, T, R) {
        return T(a & ~FloatLayout<T>::sign) == 0;
    }
};

struct FloatFlush : Plain {
    template <class T, class R>
    static T apply(T a, T, T, R) {
        return (a & FloatLayout<T>::exponent) == 0 ? T(a & FloatLayout<T>::sign) : a;
    }
};

// Computed by the host's library with more digits than the result has, and rounded to the format.
template <class T>
using Wider = std::conditional_t<sizeof(T) == 8, long double, double>;
template <class T>
Wider<T> widened(Native<T> x) {
    return std::isnan(x) ? std::numeric_limits<Wider<T>>::quiet_NaN() : Wider<T>(x);
}

ISAFORGE_FLOAT2(FloatRemainder, Native<T>(std::fmod(x, y)))
ISAFORGE_FLOAT2(FloatPow, Native<T>(std::pow(widened<T>(x), widened<T>(y))))
ISAFORGE_FLOAT1(FloatExp2, Native<T>(std::exp2(widened<T>(x))))
ISAFORGE_FLOAT1(FloatLog2, Native<T>(std::log2(widened<T>(x))))
ISAFORGE_FLOAT1(FloatSin, Native<T>(std::sin(widened<T>(x))))
ISAFORGE_FLOAT1(FloatCos, Native<T>(std::cos(widened<T>(x))))
ISAFORGE_FLOAT1(FloatAsin, Native<T>(std::asin(widened<T>(x))))
ISAFORGE_FLOAT1(FloatAcos, Native<T>(std::acos(widened<T>(x))))

// IEEE 754-2008 minNum and maxNum: a NaN operand yields the other one; -0 is less than +0.
template <bool maximum, class T, class R>
T min_or_max(T a, T b, R rules) {
    if (is_nan(a) && is_nan(b)) return nan_of(rules, a, b);
    if (is_nan(a)) return flushed(b, rules);
    if (is_nan(b)) return flushed(a, rules);
    Native<T> x = unpack(a, rules), y = unpack(b, rules);
    bool a_first = x < y || (x == y && std::signbit(x));
    return flushed(a_first != maximum ? a : b, rules);
}
struct FloatMin : Plain {
    template <class T, class R>
    static T apply(T a, T b, T, R rules) {
        return min_or_max<false>(a, b, rules);
    }
};
struct FloatMax : Plain {
    template <class T, class R>
    static T apply(T a, T b, T, R rules) {
        return min_or_max<true>(a, b, rules);
    }
};

// x * y + z for half precision: the product is exact in double, the sum is rounded to odd, so that rounding it once
// more to half gives what one rounding would have given (Boldo and Melquiond 2008).
inline double fma_to_odd(double x, double y, double z) {
    double product = x * y, sum = product + z;
    if (!std::isfinite(sum)) return sum;
    double part = sum - product, error = (product - (sum - part)) + (z - part);
    std::uint64_t bits = std::bit_cast<std::uint64_t>(sum);
    if (error == 0 || (bits & 1) != 0) return sum;
    bool grow = (error > 0) == (sum > 0);
    return std::bit_cast<double>(grow ? bits + 1 : bits - 1);
}

struct FloatFma : Plain {
    template <class T, class R>
    static T apply(T a, T b, T c, R rules) {
        Native<T> x = unpack(a, rules), y = unpack(b, rules), z = unpack(c, rules);
        if constexpr (sizeof(T) == 2)
            return pack<T>(rules.rounding == Rounding::nearest ? fma_to_odd(x, y, z) : std::fma(x, y, z), rules, a, b,
                           c);
        else
            return pack<T>(std::fma(x, y, z), rules, a, b, c);
    }
};

// a * 2^b, b signed. In double no intermediate rounding can matter to the narrower formats.
struct FloatScale : Plain {
    template <class T, class R>
    static T apply(T a, T b, T, R rules) {
        std::int64_t power = as_signed(b);
        int clamped = power > 5000 ? 5000 : power < -5000 ? -5000 : int(power);
        return pack<T>(static_cast<Native<T>>(std::ldexp(static_cast<double>(unpack(a, rules)), clamped)), rules, a);
    }
};

// Truncation that saturates; NaN gives 0.
struct FloatToU64 : To64 {
    template <class T, class R>
    static std::uint64_t apply(T a, T, T, R rules) {
        double x = unpack(a, rules);
        if (!(x > 0)) return 0;
        return x >= 0x1p64 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(x);
    }
};
struct FloatToS64 : To64 {
    template <class T, class R>
    static std::uint64_t apply(T a, T, T, R rules) {
        double x = unpack(a, rules);
        if (x != x) return 0;
        if (x >= 0x1p63) return std::uint64_t{0x7fffffffffffffff};
        return x < -0x1p63 ? std::uint64_t{0x8000000000000000} : std::uint64_t(static_cast<std::int64_t>(x));
    }
};

// To half precision by way of a double that is rounded to odd: 64 bits do not fit a double exactly.
inline double magnitude_to_odd(std::uint64_t value) {
    unsigned width = unsigned(std::bit_width(value));
    if (width <= 53) return double(value);
    bool inexact = (value & ((std::uint64_t{1} << (width - 53)) - 1)) != 0;
    value = value >> (width - 53) | inexact;
    return std::ldexp(double(value), int(width - 53));
}
struct U64ToFloat : From64 {
    template <class T, class R>
    static T apply(std::uint64_t a, std::uint64_t, std::uint64_t, R rules) {
        if constexpr (sizeof(T) == 2)
            return pack_number<T>(magnitude_to_odd(a), rules);
        else
            return pack_number<T>(static_cast<Native<T>>(a), rules);
    }
};
struct S64ToFloat : From64 {
    template <class T, class R>
    static T apply(std::uint64_t a, std::uint64_t, std::uint64_t, R rules) {
        std::int64_t value = as_signed(a);
        if constexpr (sizeof(T) == 2) {
            double magnitude = magnitude_to_odd(value < 0 ? 0 - a : a);
            return pack_number<T>(value < 0 ? -magnitude : magnitude, rules);
        } else {
            return pack_number<T>(static_cast<Native<T>>(value), rules);
        }
    }
};

// Between the formats by way of double. NaNs keep the upper bits of their payload where the machine has no canonical
// one.
struct FloatWiden : To64 {
    template <class T, class R>
    static std::uint64_t apply(T a, T, T, R rules) {
        if (is_nan(a)) {
            if (rules.canonical_nan) return FloatLayout<std::uint64_t>::nan;
            constexpr unsigned fraction = sizeof(T) == 2 ? 42 : sizeof(T) == 4 ? 29 : 0;
            std::uint64_t sign = std::uint64_t(a & FloatLayout<T>::sign) << (64 - bits_of<T>);
            std::uint64_t payload = std::uint64_t(a & T(~FloatLayout<T>::sign & ~FloatLayout<T>::exponent)) << fraction;
            return sign | payload | FloatLayout<std::uint64_t>::nan;
        }
        return std::bit_cast<std::uint64_t>(static_cast<double>(unpack(a, rules)));
    }
};
struct FloatNarrow : From64 {
    template <class T, class R>
    static T apply(std::uint64_t a, std::uint64_t, std::uint64_t, R rules) {
        if (is_nan(a)) {
            if (rules.canonical_nan) return FloatLayout<T>::nan;
            constexpr unsigned fraction = sizeof(T) == 2 ? 42 : sizeof(T) == 4 ? 29 : 0;
            T sign = T(a >> (64 - bits_of<T>)) & FloatLayout<T>::sign;
            T payload = T(a >> fraction) & T(~FloatLayout<T>::sign & ~FloatLayout<T>::exponent);
            return sign | payload | FloatLayout<T>::nan;
        }
        return pack_number<T>(static_cast<Native<T>>(std::bit_cast<double>(a)), rules);
    }
};

#undef ISAFORGE_KERNEL2
#undef ISAFORGE_KERNEL1
#undef ISAFORGE_FLOAT2
#undef ISAFORGE_FLOAT1
#undef ISAFORGE_FLOAT_TEST

}  // namespace kernels
}  // namespace isaforge::semantics

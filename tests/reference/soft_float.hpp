// Floats of 16, 32 and 64 bits in integer arithmetic, for tests: a witness of what IEEE 754 says that shares no line with
// the emulator. Values are their bits in the low part of a 64-bit word. Plain rather than fast.
#pragma once

#include <cstdint>

namespace soft_float {

__extension__ using Int128 = __int128;
__extension__ using Wide = unsigned __int128;

// Towards +infinity, -infinity, 0; to the nearest, ties to even, or away from zero.
enum class Rounding { up, down, zero, nearest, nearest_away };

struct Format {
    unsigned exponent_bits, fraction_bits;

    unsigned bits() const { return 1 + exponent_bits + fraction_bits; }
    std::uint64_t sign_bit() const { return std::uint64_t{1} << (bits() - 1); }
    std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits; }
    std::uint64_t quiet_bit() const { return std::uint64_t{1} << (fraction_bits - 1); }
    std::uint64_t nan() const { return infinity() | quiet_bit(); }  // the one that operations make
    std::uint64_t largest() const { return infinity() - 1; }
    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};

inline constexpr Format binary16{5, 10}, binary32{8, 23}, binary64{11, 52};

// The format of so many bits: 16, 32 or 64.
const Format& format_of(unsigned bits);

// What an operation had to say. Underflow: the result is inexact and, rounded as if the exponent had no lower bound, is
// smaller than the smallest normal number.
struct Flags {
    bool invalid = false, division_by_zero = false, overflow = false, underflow = false, inexact = false;
};

bool is_nan(const Format& format, std::uint64_t a);
bool is_infinite(const Format& format, std::uint64_t a);
bool is_zero(const Format& format, std::uint64_t a);
bool is_subnormal(const Format& format, std::uint64_t a);
bool is_signalling(const Format& format, std::uint64_t a);

// Where an operand is a NaN, the result is Format::nan().
std::uint64_t add(const Format& format, std::uint64_t a, std::uint64_t b, Rounding rounding, Flags& flags);
std::uint64_t sub(const Format& format, std::uint64_t a, std::uint64_t b, Rounding rounding, Flags& flags);
std::uint64_t mul(const Format& format, std::uint64_t a, std::uint64_t b, Rounding rounding, Flags& flags);
std::uint64_t div(const Format& format, std::uint64_t a, std::uint64_t b, Rounding rounding, Flags& flags);
// a * b + c, rounded once.
std::uint64_t fma(const Format& format, std::uint64_t a, std::uint64_t b, std::uint64_t c, Rounding rounding,
                  Flags& flags);
// a - n * b with n = a / b cut off, exactly: C's fmod.
std::uint64_t remainder(const Format& format, std::uint64_t a, std::uint64_t b, Flags& flags);

std::uint64_t convert(const Format& from, const Format& to, std::uint64_t a, Rounding rounding, Flags& flags);
std::uint64_t from_signed(const Format& to, Int128 a, Rounding rounding, Flags& flags);

// The whole number that `a` rounds to. Nothing is lost for numbers below 2^100; above, and for infinities, the result is
// +-2^100; for a NaN 0 with `invalid`. The caller fits it into the type it has.
Int128 to_integer(const Format& from, std::uint64_t a, Rounding rounding, Flags& flags);

// False where one is a NaN.
bool equal(const Format& format, std::uint64_t a, std::uint64_t b);
bool less(const Format& format, std::uint64_t a, std::uint64_t b);
bool less_equal(const Format& format, std::uint64_t a, std::uint64_t b);

// How many floats lie between a and b: 0 equal, 1 neighbours; -0 and +0 are the same place. Not for NaNs.
std::uint64_t distance(const Format& format, std::uint64_t a, std::uint64_t b);

}  // namespace soft_float

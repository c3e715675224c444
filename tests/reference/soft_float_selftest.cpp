// Checks of the soft float: against MPFR in all formats and rounding modes, and against the host's own arithmetic, flags
// included. Two judges that know nothing of each other.
#include "soft_float.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <random>

#include "float_operands.hpp"
#include "mpfr_float.hpp"

namespace soft_float {
namespace {

constexpr std::array formats{binary16, binary32, binary64};
constexpr std::array modes{Rounding::up, Rounding::down, Rounding::zero, Rounding::nearest};

std::uint64_t compute(mpfr_float::Function function, const Format& format, std::uint64_t a, std::uint64_t b,
                      std::uint64_t c, Rounding rounding, Flags& flags) {
    switch (function) {
        case mpfr_float::Function::add: return add(format, a, b, rounding, flags);
        case mpfr_float::Function::sub: return sub(format, a, b, rounding, flags);
        case mpfr_float::Function::mul: return mul(format, a, b, rounding, flags);
        case mpfr_float::Function::div: return div(format, a, b, rounding, flags);
        case mpfr_float::Function::remainder: return remainder(format, a, b, flags);
        default: return fma(format, a, b, c, rounding, flags);
    }
}

TEST(SoftFloat, ArithmeticEqualsMpfr) {
    std::mt19937_64 random(20261121);
    for (int i = 0; i < 400000; ++i) {
        const Format& format = formats[random() % 3];
        auto function = static_cast<mpfr_float::Function>(random() % 6);
        Rounding rounding = modes[random() % 4];
        std::uint64_t a = random_float(format, random), b = random_float(format, random),
                      c = random_float(format, random);
        if (random() % 4 == 0) b = near_by(format, a, random);
        Flags flags;
        bool inexact = false;
        std::uint64_t expected = mpfr_float::compute(function, format, a, b, c, rounding, inexact);
        ASSERT_EQ(compute(function, format, a, b, c, rounding, flags), expected)
            << std::hex << "function " << static_cast<int>(function) << " bits " << format.bits() << " mode "
            << static_cast<int>(rounding) << ' ' << a << ' ' << b << ' ' << c;
        ASSERT_EQ(flags.inexact, inexact) << std::hex << static_cast<int>(function) << ' ' << a << ' ' << b << ' ' << c;
    }
}

TEST(SoftFloat, ConversionsEqualMpfr) {
    std::mt19937_64 random(7);
    for (int i = 0; i < 200000; ++i) {
        const Format &from = formats[random() % 3], &to = formats[random() % 3];
        Rounding rounding = modes[random() % 4];
        std::uint64_t a = random_float(from, random);
        Flags flags;
        ASSERT_EQ(convert(from, to, a, rounding, flags), mpfr_float::convert(from, to, a, rounding)) << std::hex << a;
        std::uint64_t integer = random() >> random() % 64;
        auto as_signed = static_cast<std::int64_t>(random() % 2 != 0 ? integer : 0 - integer);
        ASSERT_EQ(from_signed(to, as_signed, rounding, flags), mpfr_float::from_signed(to, as_signed, rounding))
            << as_signed;
        ASSERT_EQ(from_signed(to, integer, rounding, flags), mpfr_float::from_unsigned(to, integer, rounding))
            << integer;
        Int128 whole = to_integer(from, a, rounding, flags);
        if (auto expected = mpfr_float::to_signed(from, a, rounding)) {
            ASSERT_TRUE(whole == *expected) << std::hex << a;
        } else {
            ASSERT_TRUE(is_nan(from, a) ? whole == 0 : whole != static_cast<std::int64_t>(whole)) << std::hex << a;
        }
    }
}

// All floats of 16 bits: there and back.
TEST(SoftFloat, HalvesAreExactInWiderFormats) {
    for (std::uint64_t a = 0; a < 0x10000; ++a) {
        if (is_nan(binary16, a)) continue;
        for (const Format& format : formats) {
            Flags flags;
            std::uint64_t wide = convert(binary16, format, a, Rounding::nearest, flags);
            ASSERT_EQ(convert(format, binary16, wide, Rounding::nearest, flags), a);
            ASSERT_FALSE(flags.inexact || flags.overflow || flags.underflow || flags.invalid);
        }
    }
}

// The host's arithmetic. `volatile`: computed when the program runs, in the rounding mode of that moment.
template <class Float, class Bits>
class Host {
public:
    static std::uint64_t compute(mpfr_float::Function function, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                                 Rounding rounding, Flags& flags) {
        volatile Float x = of(a), y = of(b), z = of(c), result = 0;
        constexpr std::array native{FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
        std::feclearexcept(FE_ALL_EXCEPT);
        std::fesetround(native[static_cast<std::size_t>(rounding)]);
        switch (function) {
            case mpfr_float::Function::add: result = x + y; break;
            case mpfr_float::Function::sub: result = x - y; break;
            case mpfr_float::Function::mul: result = x * y; break;
            case mpfr_float::Function::div: result = x / y; break;
            case mpfr_float::Function::remainder: result = std::fmod(x, y); break;
            default: result = std::fma(x, y, z); break;
        }
        flags = {std::fetestexcept(FE_INVALID) != 0, std::fetestexcept(FE_DIVBYZERO) != 0,
                 std::fetestexcept(FE_OVERFLOW) != 0, std::fetestexcept(FE_UNDERFLOW) != 0,
                 std::fetestexcept(FE_INEXACT) != 0};
        std::fesetround(FE_TONEAREST);
        return std::bit_cast<Bits>(static_cast<Float>(result));
    }

private:
    static Float of(std::uint64_t bits) { return std::bit_cast<Float>(static_cast<Bits>(bits)); }
};

template <class Float, class Bits>
void expect_like_host(const Format& format) {
    std::mt19937_64 random(format.bits());
    for (int i = 0; i < 300000; ++i) {
        auto function = static_cast<mpfr_float::Function>(random() % 6);
        Rounding rounding = modes[random() % 4];
        std::uint64_t a = random_float(format, random), b = random_float(format, random),
                      c = random_float(format, random);
        if (random() % 4 == 0) b = near_by(format, a, random);
        Flags flags, expected_flags;
        std::uint64_t expected = Host<Float, Bits>::compute(function, a, b, c, rounding, expected_flags);
        std::uint64_t result = compute(function, format, a, b, c, rounding, flags);
        std::string what = "function " + std::to_string(static_cast<int>(function)) + " mode " +
                           std::to_string(static_cast<int>(rounding));
        ASSERT_EQ(is_nan(format, result), is_nan(format, expected)) << what << std::hex << ' ' << a << ' ' << b;
        if (!is_nan(format, result)) {
            ASSERT_EQ(result, expected) << what << std::hex << ' ' << a << ' ' << b << ' ' << c;
        }
        if (function == mpfr_float::Function::remainder)
            continue;                                         // a function of the library's, flags not its concern
        if (function == mpfr_float::Function::fma) continue;  // where it has no instruction, it is one as well
        ASSERT_EQ(flags.invalid, expected_flags.invalid) << what << std::hex << ' ' << a << ' ' << b << ' ' << c;
        ASSERT_EQ(flags.division_by_zero, expected_flags.division_by_zero) << what;
        ASSERT_EQ(flags.overflow, expected_flags.overflow) << what << std::hex << ' ' << a << ' ' << b;
        ASSERT_EQ(flags.underflow, expected_flags.underflow) << what << std::hex << ' ' << a << ' ' << b;
        ASSERT_EQ(flags.inexact, expected_flags.inexact) << what << std::hex << ' ' << a << ' ' << b;
    }
}

TEST(SoftFloat, FloatsEqualTheHosts) { expect_like_host<float, std::uint32_t>(binary32); }
TEST(SoftFloat, DoublesEqualTheHosts) { expect_like_host<double, std::uint64_t>(binary64); }

TEST(SoftFloat, ComparesEqualTheHosts) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 200000; ++i) {
        std::uint64_t a = random_float(binary64, random), b = random_float(binary64, random);
        if (random() % 2 == 0) b = near_by(binary64, a, random);
        auto x = std::bit_cast<double>(a), y = std::bit_cast<double>(b);
        ASSERT_EQ(equal(binary64, a, b), x == y);
        ASSERT_EQ(less(binary64, a, b), x < y);
        ASSERT_EQ(less_equal(binary64, a, b), x <= y);
        ASSERT_EQ(is_subnormal(binary64, a), std::fpclassify(x) == FP_SUBNORMAL);
    }
}

}  // namespace
}  // namespace soft_float

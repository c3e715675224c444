// What float operations give and which exceptions they raise in each direction of rounding, in one lane and in many, by both
// engines: against MPFR, and against the host's own arithmetic and flags.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <random>

#include "bench_machine.hpp"
#include "effort.hpp"
#include "reference/float_operands.hpp"
#include "reference/mpfr_float.hpp"

namespace isaforge {
namespace {

using mpfr_float::Function;
using soft_float::Flags;
using soft_float::Format;
using soft_float::Rounding;

// As RISC-V numbers them.
constexpr std::array directions{Rounding::nearest, Rounding::zero, Rounding::down, Rounding::up,
                                Rounding::nearest_away};

std::uint64_t bits_of(const Flags& flags) {
    return (flags.inexact ? 1u : 0) | (flags.underflow ? 2u : 0) | (flags.overflow ? 4u : 0) |
           (flags.division_by_zero ? 8u : 0) | (flags.invalid ? 16u : 0);
}

struct Operands {
    std::uint64_t a, b, c, h, f, d, i;
};

Operands random_operands(const Format& format, std::mt19937_64& random) {
    Operands made{random_float(format, random),
                  random_float(format, random),
                  random_float(format, random),
                  random_float(soft_float::binary16, random),
                  random_float(soft_float::binary32, random),
                  random_float(soft_float::binary64, random),
                  edgy(random, 64) >> (random() % 2 != 0 ? random() % 64 : 0)};
    if (random() % 4 == 0) made.b = near_by(format, made.a, random);
    if (random() % 4 == 0) {  // next to the product, which it cancels
        Flags flags;
        made.c = near_by(format, mul(format, made.a, made.b, Rounding::nearest, flags), random);
    }
    return made;
}

struct Expected {
    std::uint64_t value = 0;
    Flags flags;
};

struct Case {
    std::string value;      // what is computed
    const char* to = "z";   // where it goes; empty: only the exceptions are looked at
    std::function<Expected(const Format&, const Operands&, Rounding)> expected;
};

Case arithmetic(const std::string& value, Function function) {
    return {value, "z", [function](const Format& format, const Operands& x, Rounding rounding) {
                const bool binary = function != Function::sqrt;
                Expected e;
                e.value = mpfr_float::compute(function, format, format, x.a, binary ? x.b : 0,
                                              function == Function::fma ? x.c : 0, rounding, e.flags);
                return e;
            }};
}

Case from_float(const std::string& value, const Format& from, std::uint64_t Operands::*operand) {
    return {value, "z", [&from, operand](const Format& format, const Operands& x, Rounding rounding) {
                Expected e;
                e.value = mpfr_float::compute(Function::convert, from, format, x.*operand, 0, 0, rounding, e.flags);
                return e;
            }};
}

Case from_integer(const std::string& value, unsigned bits, bool is_signed) {
    return {value, "z", [=](const Format& format, const Operands& x, Rounding rounding) {
                const unsigned above = 64 - bits;
                const std::uint64_t number =
                    is_signed ? std::uint64_t(std::int64_t(x.i << above) >> above) : x.i << above >> above;
                Expected e;
                e.value = mpfr_float::from_integer(format, number, is_signed, rounding, e.flags);
                return e;
            }};
}

// `direction`: of rounding, in place of the mode's.
Expected integer_of(const Format& format, std::uint64_t a, unsigned bits, bool is_signed, Rounding rounding) {
    Expected e;
    bool inexact = false;
    const std::uint64_t whole = mpfr_float::whole(format, a, rounding, inexact);
    const std::uint64_t as_double = mpfr_float::convert(format, soft_float::binary64, whole, Rounding::nearest);
    const double number = std::bit_cast<double>(as_double);
    const double limit = std::ldexp(1.0, int(is_signed ? bits - 1 : bits));
    const std::uint64_t ones = ~std::uint64_t{0} >> (64 - bits), largest = is_signed ? ones >> 1 : ones;
    e.flags.invalid = std::isnan(number) || number >= limit || number < (is_signed ? -limit : 0);
    e.flags.inexact = !e.flags.invalid && inexact;
    if (std::isnan(number))
        e.value = 0;
    else if (number >= limit)
        e.value = largest;
    else if (e.flags.invalid)
        e.value = is_signed ? largest + 1 : 0;
    else
        e.value = (is_signed ? std::uint64_t(std::int64_t(number)) : std::uint64_t(number)) & ones;
    return e;
}

Case to_integer(unsigned bits, bool is_signed, bool by_mode) {
    const std::string name =
        std::string("float_to_") + (is_signed ? "signed" : "unsigned") + (by_mode ? "_by_mode" : "");
    const std::string value = name + "(a, " + std::to_string(bits) + ")";
    return {"u64(u" + std::to_string(bits) + "(" + value + "))", "i",
            [=](const Format& format, const Operands& x, Rounding rounding) {
                return integer_of(format, x.a, bits, is_signed, by_mode ? rounding : Rounding::zero);
            }};
}

Case whole(const std::string& value, std::optional<Rounding> direction) {
    return {value, "z", [direction](const Format& format, const Operands& x, Rounding rounding) {
                Expected e;
                e.value = mpfr_float::whole(format, x.a, direction.value_or(rounding), e.flags.inexact);
                e.flags.invalid = is_signalling(format, x.a);
                return e;
            }};
}

// Invalid where an operand is a NaN, or only where it is a signalling one.
Case comparison(const std::string& value, bool of_any_nan) {
    return {value, "", [of_any_nan](const Format& format, const Operands& x, Rounding) {
                Expected e;
                e.flags.invalid = of_any_nan ? is_nan(format, x.a) || is_nan(format, x.b)
                                             : is_signalling(format, x.a) || is_signalling(format, x.b);
                return e;
            }};
}

std::vector<Case> cases(const Format& format) {
    const std::string n = std::to_string(format.bits()) + ")";
    std::vector<Case> made = {
        arithmetic("a +. b", Function::add),
        arithmetic("a -. b", Function::sub),
        arithmetic("a *. b", Function::mul),
        arithmetic("a /. b", Function::div),
        arithmetic("sqrt(a)", Function::sqrt),
        arithmetic("fma(a, b, c)", Function::fma),
        from_float("float_to_float(h, " + n, soft_float::binary16, &Operands::h),
        from_float("float_to_float(f, " + n, soft_float::binary32, &Operands::f),
        from_float("float_to_float(d, " + n, soft_float::binary64, &Operands::d),
        from_integer("signed_to_float(s64(i), " + n, 64, true),
        from_integer("unsigned_to_float(i, " + n, 64, false),
        from_integer("signed_to_float(s32(i[31:0]), " + n, 32, true),
        from_integer("unsigned_to_float(i[31:0], " + n, 32, false),
        whole("round_by_mode(a)", {}),
        whole("round_half_even(a)", Rounding::nearest),
        whole("round_half_away(a)", Rounding::nearest_away),
        whole("round_up(a)", Rounding::up),
        whole("round_down(a)", Rounding::down),
        whole("round_to_zero(a)", Rounding::zero),
        comparison("a <. b", true),
        comparison("a >=. b", true),
        comparison("a ==. b", false),
        comparison("a !=. b", false),
        comparison("unordered(a, b)", false),
        comparison("min_number(a, b)", false),
        comparison("max_number(a, b)", false),
    };
    for (const unsigned bits : {8u, 32u, 64u})
        for (const bool is_signed : {false, true})
            for (const bool by_mode : {false, true}) made.push_back(to_integer(bits, is_signed, by_mode));
    return made;
}

constexpr const char* modes = R"(
register frm : u3
mode RM : u3 = frm
floats canonical_nan rounding RM nearest zero down up nearest_away
)";

std::string registers(const Format& format, unsigned lanes) {
    std::string text = modes;
    const auto declare = [&](const std::string& name, unsigned bits) {
        text += "register " + name + " : u" + std::to_string(bits) +
                (lanes != 1 ? " lanes " + std::to_string(lanes) : "") + "\n";
    };
    for (const char* const name : {"a", "b", "c", "z"}) declare(name, format.bits());
    declare("h", 16);
    declare("f", 32);
    declare("d", 64);
    declare("i", 64);
    declare("x", 5);
    return text;
}

class Exceptions : public testing::TestWithParam<std::tuple<const Format*, unsigned>> {};

TEST_P(Exceptions, AreThoseOfMpfr) {
    const Format* const format = std::get<0>(GetParam());
    const unsigned lanes = std::get<1>(GetParam());
    const std::vector<Case> all = cases(*format);
    std::vector<std::string> meanings;
    for (const Case& each : all) {
        meanings.push_back("x = exceptions(" + each.value + ")");
        meanings.push_back(each.to[0] != 0 ? each.to + std::string(" = ") + each.value : "x = 0");
    }
    BenchMachine bench(registers(*format, lanes), meanings, lanes != 1 ? "lanes " + std::to_string(lanes) : "");
    ASSERT_TRUE(bench);
    std::mt19937_64 random(format->bits() + lanes);
    std::vector<Operands> given(lanes);
    const auto set_operands = [&] {
        for (unsigned lane = 0; lane < lanes; ++lane) {
            const Operands& x = given[lane];
            const std::pair<const char*, std::uint64_t> values[] = {{"a", x.a}, {"b", x.b}, {"c", x.c}, {"h", x.h},
                                                                    {"f", x.f}, {"d", x.d}, {"i", x.i}};
            for (const auto& [name, value] : values) bench.set(name, value, lane);
        }
    };
    const unsigned rounds = test::times_effort(lanes == 1 ? 1000 : 60);
    for (std::size_t k = 0; k < all.size(); ++k)
        for (std::uint64_t direction = 0; direction < directions.size(); ++direction)
            for (unsigned round = 0; round < rounds; ++round) {
                for (Operands& x : given) x = random_operands(*format, random);
                bench.set("frm", direction);
                set_operands();
                ASSERT_TRUE(bench.execute(2 * k).ok());
                std::vector<std::uint64_t> raised;
                for (unsigned lane = 0; lane < lanes; ++lane) raised.push_back(bench.get("x", lane));
                ASSERT_TRUE(bench.execute(2 * k + 1).ok());
                for (unsigned lane = 0; lane < lanes; ++lane) {
                    const Operands& x = given[lane];
                    const Expected expected = all[k].expected(*format, x, directions[direction]);
                    const std::string where = all[k].value + " direction " + std::to_string(direction);
                    ASSERT_EQ(raised[lane], bits_of(expected.flags))
                        << where << std::hex << ' ' << x.a << ' ' << x.b << ' ' << x.c << ' ' << x.f << ' ' << x.d
                        << ' ' << x.i;
                    if (all[k].to[0] == 0) continue;
                    ASSERT_EQ(bench.get(all[k].to, lane), expected.value)
                        << where << std::hex << ' ' << x.a << ' ' << x.b << ' ' << x.c << ' ' << x.f << ' ' << x.d
                        << ' ' << x.i;
                }
            }
}

INSTANTIATE_TEST_SUITE_P(Formats, Exceptions,
                         testing::Combine(testing::Values(&soft_float::binary16, &soft_float::binary32,
                                                          &soft_float::binary64),
                                          testing::Values(1u, 16u)));

// ---------------------------------------------------------------------------------------------------------------------
// The host's arithmetic. `volatile`: computed when the program runs, in the direction of that moment.

#if defined(__x86_64__)

template <class Float, class Bits>
class Host {
public:
    static std::uint64_t compute(std::size_t line, const Operands& given, std::uint64_t direction,
                                 std::uint64_t& raised) {
        constexpr std::array native{FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
        volatile Float x = of(given.a), y = of(given.b), z = of(given.c), result = 0;
        volatile float single = std::bit_cast<float>(std::uint32_t(given.f));
        volatile double wide = std::bit_cast<double>(given.d);
        volatile std::int64_t integer = std::int64_t(given.i);
        [[maybe_unused]] volatile std::int64_t whole = 0;
        [[maybe_unused]] volatile bool test = false;
        std::feclearexcept(FE_ALL_EXCEPT);
        std::fesetround(native[direction]);
        switch (line) {
            case 0: result = x + y; break;
            case 1: result = x - y; break;
            case 2: result = x * y; break;
            case 3: result = x / y; break;
            case 4: result = std::sqrt(x); break;
            case 5: result = std::fma(x, y, z); break;
            case 6: result = Float(single); break;
            case 7: result = Float(wide); break;
            case 8: result = Float(integer); break;
            case 9: result = std::rint(x); break;
            case 10: whole = std::llrint(x); break;
            case 11: test = x < y; break;
            default: test = x == y; break;
        }
        const int found = std::fetestexcept(FE_ALL_EXCEPT);
        std::fesetround(FE_TONEAREST);
        raised = bits_of({(found & FE_INVALID) != 0, (found & FE_DIVBYZERO) != 0, (found & FE_OVERFLOW) != 0,
                          (found & FE_UNDERFLOW) != 0, (found & FE_INEXACT) != 0});
        return std::bit_cast<Bits>(Float(result));
    }
    static constexpr std::size_t with_float =
        9;  // lines whose value is looked at; compilers round to whole numbers in their own ways

private:
    static Float of(std::uint64_t bits) { return std::bit_cast<Float>(static_cast<Bits>(bits)); }
};

template <class Float, class Bits>
void expect_like_host(const Format& format) {
    const std::string n = std::to_string(format.bits()) + ")";
    const std::vector<std::string> values = {"a +. b",
                                             "a -. b",
                                             "a *. b",
                                             "a /. b",
                                             "sqrt(a)",
                                             "fma(a, b, c)",
                                             "float_to_float(f, " + n,
                                             "float_to_float(d, " + n,
                                             "signed_to_float(s64(i), " + n,
                                             "round_by_mode(a)",
                                             "float_to_signed_by_mode(a, 64)",
                                             "a <. b",
                                             "a ==. b"};
    std::vector<std::string> meanings;
    for (std::size_t i = 0; i < values.size(); ++i)
        meanings.push_back("x = exceptions(" + values[i] + ")" +
                           (i < Host<Float, Bits>::with_float ? "; z = " + values[i] : ""));
    BenchMachine bench(registers(format, 1), meanings);
    ASSERT_TRUE(bench);
    std::mt19937_64 random(format.bits());
    const std::size_t same_format = format.bits() == 32 ? 6 : 7;  // a conversion that the host does not make
    for (std::size_t line = 0; line < values.size(); ++line)
        for (int round = 0; line != same_format && round < 20000; ++round) {
            const Operands x = random_operands(format, random);
            const std::uint64_t direction = random() % 4;
            bench.set("frm", direction);
            for (const auto& [name, value] :
                 {std::pair{"a", x.a}, {"b", x.b}, {"c", x.c}, {"f", x.f}, {"d", x.d}, {"i", x.i}})
                bench.set(name, value);
            ASSERT_TRUE(bench.execute(line).ok());
            std::uint64_t raised = 0;
            const std::uint64_t value = Host<Float, Bits>::compute(line, x, direction, raised);
            const bool nan_added = line == 5 && is_nan(format, x.c);  // there IEEE 754 leaves it open what fma raises
            if (!nan_added) {
                ASSERT_EQ(bench.get("x"), raised) << values[line] << std::hex << ' ' << direction << ' ' << x.a << ' '
                                                  << x.b << ' ' << x.c << ' ' << x.f << ' ' << x.d << ' ' << x.i;
            }
            if (line >= Host<Float, Bits>::with_float) continue;
            ASSERT_EQ(bench.get("z"), is_nan(format, value) ? format.nan() : value)
                << values[line] << std::hex << ' ' << direction << ' ' << x.a << ' ' << x.b << ' ' << x.c;
        }
}

TEST(HostExceptions, OfSingles) { expect_like_host<float, std::uint32_t>(soft_float::binary32); }
TEST(HostExceptions, OfDoubles) { expect_like_host<double, std::uint64_t>(soft_float::binary64); }

#endif

// ---------------------------------------------------------------------------------------------------------------------
// What an expression raises is what is computed of it.

constexpr std::uint64_t one = 0x3f800000, third = 0x3eaaaaab, nan_that_signals = 0x7f800001, tiny = 1,
                        largest = 0x7f7fffff;

TEST(RaisedExceptions, AreThoseOfTheSideThatIsChosen) {
    BenchMachine bench(std::string(modes) + R"(
registers r : 1 of u32 "r{n}"
register c : u1
register x : u5
function chosen(a, b) {
    if c == 1 { return a +. b }
    return a <. b ? a *. b : sqrt(a)
}
)",
                       {"x = exceptions(c == 1 ? r[0] /. r[1] : r[0] *. r[1])", "x = exceptions(chosen(r[0], r[1]))",
                        "x = exceptions(r[0]) | exceptions(r[0] +. u32(exceptions(r[1] <. r[1])))",
                        "x = exceptions(fma(r[0] *. r[0], r[1], sqrt(r[1])))"});
    ASSERT_TRUE(bench);
    const auto raised = [&](std::size_t line, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
        bench.set("r0", a);
        bench.set("r1", b);
        bench.set("c", c);
        EXPECT_TRUE(bench.execute(line).ok());
        return bench.get("x");
    };
    EXPECT_EQ(raised(0, one, 0, 1), 8u);
    EXPECT_EQ(raised(0, one, 0, 0), 0u);
    EXPECT_EQ(raised(0, third, third, 0), 1u);
    EXPECT_EQ(raised(1, tiny, one, 1), 1u);
    EXPECT_EQ(raised(1, tiny, third, 0), 3u);
    EXPECT_EQ(raised(1, one, 0, 0), 0u);
    EXPECT_EQ(raised(1, nan_that_signals, one, 0), 16u);
    EXPECT_EQ(raised(2, one, nan_that_signals, 0), 1u);
    EXPECT_EQ(raised(3, largest, 0xbf800000, 0), 4u | 1u | 16u);
}

TEST(RaisedExceptions, AreThoseOfTheLanesThatExecute) {
    BenchMachine bench(std::string(modes) + R"(
register a : u32 lanes 8
register b : u32 lanes 8
register x : u5 lanes 8
register all : u5
register s : u32
)",
                       {"x = exceptions(a <. b ? a /. b : sqrt(a))", "all = reduce_or(exceptions(a /. b))",
                        "x = exceptions(a *. s) | exceptions(s +. s)", "x = exceptions(s <. s ? a : a +. b)"},
                       "lanes 8");
    ASSERT_TRUE(bench);
    const std::uint64_t minus_one = 0xbf800000;
    for (unsigned lane = 0; lane < 8; ++lane) {
        bench.set("a", lane % 2 == 0 ? minus_one : one, lane);
        bench.set("b", lane < 4 ? 0 : third, lane);
    }
    bench.set("s", largest);
    bench.execute(0);
    for (unsigned lane = 0; lane < 8; ++lane)
        EXPECT_EQ(bench.get("x", lane), (lane % 2 != 0 ? 0u : lane < 4 ? 8u : 1u)) << lane;
    bench.execute(1);
    EXPECT_EQ(bench.get("all"), 9u);
    bench.execute(2);
    for (unsigned lane = 0; lane < 8; ++lane) EXPECT_EQ(bench.get("x", lane), 5u);
    bench.execute(3);
    for (unsigned lane = 0; lane < 8; ++lane) EXPECT_EQ(bench.get("x", lane), lane < 4 ? 0u : 1u);
}

// A direction that the instruction names goes before that of the mode.
TEST(RaisedExceptions, AndResultsByANumberedDirection) {
    std::vector<std::string> meanings;
    for (int i = 0; i < 6; ++i) {
        const std::string value =
            "floats(" + std::string(i == 5 ? "RM" : std::to_string(i)) + ", float_to_signed_by_mode(a, 32))";
        meanings.push_back("z = " + value + "; x = exceptions(" + value + ")");
    }
    BenchMachine bench(std::string(modes) + "register a : u32\nregister z : s32\nregister x : u5\n", meanings);
    ASSERT_TRUE(bench);
    const std::uint64_t half = 0x40200000, expected[] = {2, 2, 2, 3, 3};  // 2.5
    bench.set("a", half);
    for (std::uint64_t mode = 0; mode < 5; ++mode)
        for (std::uint64_t line = 0; line < 6; ++line) {
            bench.set("frm", mode);
            bench.execute(line);
            EXPECT_EQ(bench.get("z"), expected[line == 5 ? mode : line]) << line << ' ' << mode;
            EXPECT_EQ(bench.get("x"), 1u);
        }
}

}  // namespace
}  // namespace isaforge

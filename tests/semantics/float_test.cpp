// Every float operator and built-in function in three formats and under all rules, against the exact model.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "bench_machine.hpp"
#include "exact_float.hpp"

namespace isaforge {
namespace {

using exact::Direction;
using exact::Format;
using exact::Number;

std::uint64_t random_float(std::mt19937_64& random, const Format& f) {
    std::uint64_t all = f.sign() | (f.sign() - 1), sign = random() & f.sign();
    std::uint64_t one = std::uint64_t(f.max_exponent) << f.fraction, unit = std::uint64_t{1} << f.fraction;
    switch (random() % 12) {
        case 0: return sign;
        case 1: return sign | f.infinity();
        case 2: return sign | f.infinity() | std::max<std::uint64_t>(1, random() & (unit - 1));
        case 3: return sign | (random() & (unit - 1));              // subnormal
        case 4: return sign | (unit + random() % 4);                // the smallest normal ones
        case 5: return sign | (f.infinity() - 1 - random() % 4);    // the largest
        case 6: return sign | (one + random() % 64 * (unit >> 3));  // quarters and small numbers
        case 7: return sign | (one + random() % 8 * unit + random() % 5 - 2);
        case 8: return sign | (one + random() % (f.bits == 16 ? 15 : 60) * unit + (random() & (unit - 1)));
        default: return random() & all;
    }
}

// Two operands, often near each other.
std::pair<std::uint64_t, std::uint64_t> random_pair(std::mt19937_64& random, const Format& f) {
    std::uint64_t a = random_float(random, f), b = random_float(random, f);
    if (random() % 4 == 0) b = a ^ (random() & f.sign());
    if (random() % 4 == 0) b = (a + random() % 5 - 2) & (f.sign() | (f.sign() - 1));
    return {a, b};
}

struct Rules {
    bool flush, canonical;
};

class Floats : public testing::TestWithParam<std::tuple<const Format*, int>> {
protected:
    const Format& f = *std::get<0>(GetParam());
    Rules rules{(std::get<1>(GetParam()) & 1) != 0, (std::get<1>(GetParam()) & 2) != 0};
    std::mt19937_64 random{f.bits};

    std::string declarations() const {
        std::string type = "u" + std::to_string(f.bits), text = "floats nearest_even";
        if (rules.flush) text += " flush_subnormals";
        if (rules.canonical) text += " canonical_nan";
        for (const char* name : {"a", "b", "c", "z"}) text += std::string("\nregister ") + name + " : " + type;
        return text +
               "\nregister k : u13\nregister t : u1\nregister i : u64\nregister h : u16\nregister f : u32\nregister d "
               ": u64";
    }
    std::uint64_t flush(std::uint64_t x) const { return rules.flush ? f.flushed(x) : x; }
    Number number(std::uint64_t x) const { return exact::from_bits(f, flush(x)); }
    std::uint64_t result(const Number& n) const { return flush(exact::round_to(f, n)); }
    // The result of an operation that has a NaN among its operands, the first of which is `first`.
    std::uint64_t nan_from(std::uint64_t first) const { return rules.canonical ? f.nan() : first | f.quiet(); }
};

struct Case {
    const char* meaning;
    unsigned operands;
    std::function<Number(const Number&, const Number&, int)> expected;
};

const Number two = exact::from_integer(2, false), half_of_one{.magnitude = 1, .exponent = -1};

const Case arithmetic[] = {
    {"z = a +. b", 2, [](auto& a, auto& b, int) { return exact::add(a, b); }},
    {"z = a -. b", 2, [](auto& a, auto& b, int) { return exact::add(a, exact::negate(b)); }},
    {"z = a *. b", 2, [](auto& a, auto& b, int) { return exact::multiply(a, b); }},
    {"z = a /. b", 2, [](auto& a, auto& b, int) { return exact::divide(a, b); }},
    {"z = sqrt(a)", 1, [](auto& a, auto&, int) { return exact::square_root(a); }},
    {"z = round_to_zero(a)", 1, [](auto& a, auto&, int) { return exact::integral(a, Direction::zero); }},
    {"z = round_half_away(a)", 1, [](auto& a, auto&, int) { return exact::integral(a, Direction::half_away); }},
    {"z = round_half_even(a)", 1, [](auto& a, auto&, int) { return exact::integral(a, Direction::half_even); }},
    {"z = round_up(a)", 1, [](auto& a, auto&, int) { return exact::integral(a, Direction::up); }},
    {"z = round_down(a)", 1, [](auto& a, auto&, int) { return exact::integral(a, Direction::down); }},
    {"z = a *. 2", 1, [](auto& a, auto&, int) { return exact::multiply(a, two); }},
    {"z = 0.5 -. a", 1, [](auto& a, auto&, int) { return exact::add(half_of_one, exact::negate(a)); }},
    {"z = scale_by_power(a, s13(k))", 1,
     [](auto& a, auto&, int k) {
         Number scaled = a;
         if (!a.zero()) scaled.exponent += k;
         return scaled;
     }},
};

TEST_P(Floats, ArithmeticIsRoundedOnce) {
    std::vector<std::string> meanings;
    for (const Case& each : arithmetic) meanings.push_back(each.meaning);
    BenchMachine bench(declarations(), meanings);
    ASSERT_TRUE(bench);
    for (std::size_t line = 0; line < std::size(arithmetic); ++line)
        for (int round = 0; round < 20000; ++round) {
            auto [a, b] = random_pair(random, f);
            int k = int(random() % (round % 2 ? 8192 : 64)) - (round % 2 ? 4096 : 32);
            bench.set("a", a);
            bench.set("b", b);
            bench.set("k", std::uint64_t(k));
            RunResult run = bench.execute(line);
            ASSERT_TRUE(run.ok()) << run.message;
            bool binary = arithmetic[line].operands == 2;
            std::uint64_t expected = f.is_nan(a) ? nan_from(a)
                                     : binary && f.is_nan(b)
                                         ? nan_from(b)
                                         : result(arithmetic[line].expected(number(a), number(b), k));
            ASSERT_EQ(bench.get("z"), expected)
                << std::hex << arithmetic[line].meaning << " a=" << a << " b=" << b << " k=" << k;
        }
}

TEST_P(Floats, FusedMultiplyAddIsRoundedOnce) {
    BenchMachine bench(declarations(), {"z = fma(a, b, c)"});
    ASSERT_TRUE(bench);
    for (int round = 0; round < 100000; ++round) {
        auto [a, b] = random_pair(random, f);
        std::uint64_t c = random_float(random, f);
        // Often next to the product, so that they cancel.
        if (round % 2) c = exact::round_to(f, exact::multiply(number(a), number(b))) ^ (random() & f.sign());
        bench.set("a", a);
        bench.set("b", b);
        bench.set("c", c);
        bench.execute(0);
        std::uint64_t expected = f.is_nan(a)   ? nan_from(a)
                                 : f.is_nan(b) ? nan_from(b)
                                 : f.is_nan(c) ? nan_from(c)
                                               : result(exact::add(exact::multiply(number(a), number(b)), number(c)));
        ASSERT_EQ(bench.get("z"), expected) << std::hex << a << ' ' << b << ' ' << c;
    }
}

TEST_P(Floats, ComparisonsAndMinima) {
    BenchMachine bench(declarations(),
                       {"t = a <. b", "t = a <=. b", "t = a ==. b", "t = a !=. b", "t = a >. b", "t = a >=. b",
                        "t = unordered(a, b)", "z = min_number(a, b)", "z = max_number(a, b)", "z = -.a"});
    ASSERT_TRUE(bench);
    for (int round = 0; round < 30000; ++round) {
        auto [a, b] = random_pair(random, f);
        bench.set("a", a);
        bench.set("b", b);
        bool na = f.is_nan(a), nb = f.is_nan(b), no = na || nb;
        int order = no ? 0 : exact::compare(number(a), number(b));
        bool tests[] = {!no && order < 0,
                        !no && order <= 0,
                        !no && order == 0,
                        no || order != 0,
                        !no && order > 0,
                        !no && order >= 0,
                        no};
        for (std::size_t line = 0; line < 7; ++line) {
            bench.execute(line);
            ASSERT_EQ(bench.get("t"), tests[line]) << line << std::hex << ' ' << a << ' ' << b;
        }
        std::uint64_t fa = flush(a), fb = flush(b);
        bool a_first = order < 0 || (order == 0 && (fa & f.sign()) != 0);
        bench.execute(7);
        ASSERT_EQ(bench.get("z"), na && nb  ? nan_from(a)
                                  : na      ? fb
                                  : nb      ? fa
                                  : a_first ? fa
                                            : fb)
            << std::hex << a << ' ' << b;
        bench.execute(8);
        ASSERT_EQ(bench.get("z"), na && nb  ? nan_from(a)
                                  : na      ? fb
                                  : nb      ? fa
                                  : a_first ? fb
                                            : fa)
            << std::hex << a << ' ' << b;
        bench.execute(9);
        ASSERT_EQ(bench.get("z"), a ^ f.sign());
    }
}

TEST_P(Floats, ToIntegersAndBack) {
    std::string bits = std::to_string(f.bits);
    BenchMachine bench(
        declarations(),
        {"i = u64(float_to_unsigned(a, 8))", "i = u64(float_to_unsigned(a, 32))", "i = float_to_unsigned(a, 64)",
         "i = u64(float_to_signed(a, 11))", "i = u64(float_to_signed(a, 32))", "i = u64(float_to_signed(a, 64))",
         "z = unsigned_to_float(i, " + bits + ")", "z = signed_to_float(i, " + bits + ")",
         "z = unsigned_to_float(k, " + bits + ")", "z = signed_to_float(k, " + bits + ")"});
    ASSERT_TRUE(bench);
    struct {
        unsigned bits;
        bool is_signed;
    } targets[] = {{8, false}, {32, false}, {64, false}, {11, true}, {32, true}, {64, true}};
    for (int round = 0; round < 30000; ++round) {
        std::uint64_t a = random_float(random, f);
        bench.set("a", a);
        for (std::size_t line = 0; line < std::size(targets); ++line) {
            bench.execute(line);
            ASSERT_EQ(bench.get("i"), exact::saturated(number(a), targets[line].bits, targets[line].is_signed))
                << line << std::hex << ' ' << a;
        }
        std::uint64_t i = edgy(random, 64), k = i & 8191;
        bench.set("i", i);
        bench.set("k", k);
        bool negative = i >> 63 != 0, small_negative = k >= 4096;
        Number expected[] = {exact::from_integer(i, false), exact::from_integer(negative ? 0 - i : i, negative),
                             exact::from_integer(k, false),
                             exact::from_integer(small_negative ? 8192 - k : k, small_negative)};
        for (std::size_t line = 6; line < 10; ++line) {
            bench.execute(line);
            ASSERT_EQ(bench.get("z"), result(expected[line - 6])) << line << ' ' << i;
        }
    }
}

TEST_P(Floats, BetweenTheFormats) {
    BenchMachine bench(declarations(),
                       {"h = float_to_float(a, 16)", "f = float_to_float(a, 32)", "d = float_to_float(a, 64)"});
    ASSERT_TRUE(bench);
    const Format* targets[] = {&exact::half, &exact::single, &exact::wide};
    const char* registers[] = {"h", "f", "d"};
    for (int round = 0; round < 30000; ++round) {
        std::uint64_t a = random_float(random, f);
        bench.set("a", a);
        for (std::size_t line = 0; line < 3; ++line) {
            const Format& to = *targets[line];
            bench.execute(line);
            std::uint64_t given = bench.get(registers[line]);
            if (f.is_nan(a)) {
                ASSERT_TRUE(rules.canonical ? given == to.nan() : to.is_nan(given) && (given & to.quiet()) != 0);
                ASSERT_TRUE(rules.canonical || ((given & to.sign()) != 0) == ((a & f.sign()) != 0));
                continue;
            }
            std::uint64_t expected = exact::round_to(to, number(a));
            ASSERT_EQ(given, rules.flush ? to.flushed(expected) : expected) << line << std::hex << ' ' << a;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, Floats,
                         testing::Combine(testing::Values(&exact::half, &exact::single, &exact::wide),
                                          testing::Values(0, 1, 2, 3)));

}  // namespace
}  // namespace isaforge

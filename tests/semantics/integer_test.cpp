// Every integer operator and built-in function, in many widths, against what 128-bit arithmetic says.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "bench_machine.hpp"

namespace isaforge {
namespace {

__extension__ using Wide = __int128;

Wide signed_value(std::uint64_t value, unsigned bits) {
    return value >> (bits - 1) & 1 ? Wide(value) - (Wide{1} << bits) : Wide(value);
}

struct Case {
    const char* meaning;  // of z, a u64; a and b are uN, sa and sb the same as sN, k is u8
    std::function<Wide(Wide a, Wide b, Wide sa, Wide sb, unsigned k, unsigned n)> expected;
};

Wide floor_shift(Wide value, unsigned amount) { return amount > 100 ? (value < 0 ? -1 : 0) : value >> amount; }
Wide two_to(unsigned n) { return Wide{1} << n; }

unsigned ones(Wide value) {
    unsigned count = 0;
    for (; value != 0; value >>= 1) count += value & 1;
    return count;
}

unsigned length(Wide value) {
    unsigned bits = 0;
    while (value >> bits != 0) ++bits;
    return bits;
}

Wide reversed(Wide value, unsigned n) {
    Wide result = 0;
    for (unsigned i = 0; i < n; ++i) result |= (value >> i & 1) << (n - 1 - i);
    return result;
}

bool out_of_range(Wide value, unsigned n) { return value < -two_to(n - 1) || value >= two_to(n - 1); }

// In each the result is taken modulo 2^n, or for one bit as it is.
#define ARGUMENTS                                                                                         \
    [[maybe_unused]] Wide a, [[maybe_unused]] Wide b, [[maybe_unused]] Wide sa, [[maybe_unused]] Wide sb, \
        [[maybe_unused]] unsigned k, [[maybe_unused]] unsigned n

const Case cases[] = {
    {"a + b", [](ARGUMENTS) { return a + b; }},
    {"a - b", [](ARGUMENTS) { return a - b; }},
    {"a * b",
     [](ARGUMENTS) {
         const std::uint64_t low = std::uint64_t(a) * std::uint64_t(b);
         return Wide{low};
     }},
    {"a / b", [](ARGUMENTS) { return b == 0 ? Wide(-1) : a / b; }},
    {"a % b", [](ARGUMENTS) { return b == 0 ? a : a % b; }},
    {"S(a) / S(b)", [](ARGUMENTS) { return b == 0 ? Wide(-1) : sa / sb; }},
    {"S(a) % S(b)", [](ARGUMENTS) { return b == 0 ? sa : sa % sb; }},
    {"a & b", [](ARGUMENTS) { return a & b; }},
    {"a | b", [](ARGUMENTS) { return a | b; }},
    {"a ^ b", [](ARGUMENTS) { return a ^ b; }},
    {"~a", [](ARGUMENTS) { return -a - 1; }},
    {"-a", [](ARGUMENTS) { return -a; }},
    {"!a", [](ARGUMENTS) { return Wide(a == 0); }},
    {"a && b", [](ARGUMENTS) { return Wide(a != 0 && b != 0); }},
    {"a || b", [](ARGUMENTS) { return Wide(a != 0 || b != 0); }},
    {"a == b", [](ARGUMENTS) { return Wide(a == b); }},
    {"a != b", [](ARGUMENTS) { return Wide(a != b); }},
    {"a < b", [](ARGUMENTS) { return Wide(a < b); }},
    {"a <= b", [](ARGUMENTS) { return Wide(a <= b); }},
    {"a > b", [](ARGUMENTS) { return Wide(a > b); }},
    {"a >= b", [](ARGUMENTS) { return Wide(a >= b); }},
    {"S(a) < S(b)", [](ARGUMENTS) { return Wide(sa < sb); }},
    {"S(a) <= S(b)", [](ARGUMENTS) { return Wide(sa <= sb); }},
    {"S(a) > S(b)", [](ARGUMENTS) { return Wide(sa > sb); }},
    {"S(a) >= S(b)", [](ARGUMENTS) { return Wide(sa >= sb); }},
    {"a << k", [](ARGUMENTS) { return k >= n ? Wide(0) : a << k; }},
    {"a >> k", [](ARGUMENTS) { return k >= n ? Wide(0) : a >> k; }},
    {"S(a) >> k", [](ARGUMENTS) { return floor_shift(sa, k); }},
    {"a << b", [](ARGUMENTS) { return b >= n ? Wide(0) : a << unsigned(b); }},
    {"a >> b", [](ARGUMENTS) { return b >= n ? Wide(0) : a >> unsigned(b); }},
    {"S(a) >> b", [](ARGUMENTS) { return floor_shift(sa, b >= n ? n : unsigned(b)); }},
    {"a << w", [](ARGUMENTS) { return k * 1000u >= n ? Wide(0) : a << (k * 1000u); }},
    {"k != 0 ? a : b", [](ARGUMENTS) { return k != 0 ? a : b; }},
    {"if a < b then a else b", [](ARGUMENTS) { return a < b ? a : b; }},
    {"min(a, b)", [](ARGUMENTS) { return a < b ? a : b; }},
    {"max(a, b)", [](ARGUMENTS) { return a < b ? b : a; }},
    {"min(S(a), S(b))", [](ARGUMENTS) { return sa < sb ? sa : sb; }},
    {"max(S(a), S(b))", [](ARGUMENTS) { return sa < sb ? sb : sa; }},
    {"abs(S(a))", [](ARGUMENTS) { return sa < 0 ? -sa : sa; }},
    {"popcount(a)", [](ARGUMENTS) { return Wide(ones(a)); }},
    {"count_leading_zeros(a)", [](ARGUMENTS) { return Wide(n - length(a)); }},
    {"count_trailing_zeros(a)", [](ARGUMENTS) { return Wide(a == 0 ? n : ones(((a - 1) ^ a) >> 1)); }},
    {"reverse_bits(a)", [](ARGUMENTS) { return reversed(a, n); }},
    {"leading_bits(a, 3)",
     [](ARGUMENTS) {
         unsigned l = length(a);
         return l <= 3 ? a : a >> (l - 3) << (l - 3);
     }},
    {"sign_extend(a, 1)", [](ARGUMENTS) { return a & 1 ? Wide(-1) : Wide(0); }},
    {"rotate_left(a, k)", [](ARGUMENTS) { return (a << k % n) | (a >> (n - k % n)); }},
    {"rotate_right(a, k)", [](ARGUMENTS) { return (a >> k % n) | (a << (n - k % n)); }},
    {"mul_high_unsigned(a, b)",
     [](ARGUMENTS) {
         __extension__ unsigned __int128 product = (unsigned __int128)a * (unsigned __int128)b;
         return Wide(product >> n);
     }},
    {"mul_high_signed(a, b)", [](ARGUMENTS) { return floor_shift(sa * sb, n); }},
    {"add_carry(a, b, k[0])", [](ARGUMENTS) { return Wide((a + b + (k & 1)) >> n); }},
    {"sub_borrow(a, b, k[0])", [](ARGUMENTS) { return Wide(a - b - Wide(k & 1) < 0); }},
    {"add_overflow(a, b)", [](ARGUMENTS) { return Wide(out_of_range(sa + sb, n)); }},
    {"sub_overflow(a, b)", [](ARGUMENTS) { return Wide(out_of_range(sa - sb, n)); }},
    {"a[0]", [](ARGUMENTS) { return a & 1; }},
    {"a[N-1]", [](ARGUMENTS) { return a >> (n - 1); }},
    {"a[k]", [](ARGUMENTS) { return k >= n ? Wide(0) : a >> k & 1; }},
    {"a[w]", [](ARGUMENTS) { return k * 1000u >= n ? Wide(0) : a >> (k * 1000u) & 1; }},
    {"a >> w", [](ARGUMENTS) { return k * 1000u >= n ? Wide(0) : a >> (k * 1000u); }},
    {"S(a) >> w", [](ARGUMENTS) { return floor_shift(sa, k * 1000u); }},
    {"insert(a, 0, b[0])", [](ARGUMENTS) { return (a & -2) | (b & 1); }},
    {"insert(a, N-1, b[0])", [](ARGUMENTS) { return (a & (two_to(n - 1) - 1)) | (b & 1) << (n - 1); }},
};

// Replaces the letters that depend on the width.
std::string spelled(std::string meaning, unsigned bits) {
    for (std::size_t at; (at = meaning.find("S(")) != std::string::npos;)
        meaning.replace(at, 2, "s" + std::to_string(bits) + "(");
    for (std::size_t at; (at = meaning.find("N-1")) != std::string::npos;)
        meaning.replace(at, 3, std::to_string(bits - 1));
    return meaning;
}

class Integers : public testing::TestWithParam<unsigned> {};

TEST_P(Integers, EveryOperatorEqualsWideArithmetic) {
    const unsigned bits = GetParam();
    const std::string type = "u" + std::to_string(bits);
    std::vector<std::string> meanings;
    for (const Case& each : cases) meanings.push_back("z = u64(u64(" + spelled(each.meaning, bits) + "))");
    BenchMachine bench(
        "register a : " + type + "\nregister b : " + type + "\nregister k : u8\nregister w : u16\nregister z : u64",
        meanings);
    ASSERT_TRUE(bench);
    std::mt19937_64 random(bits);
    for (std::size_t line = 0; line < std::size(cases); ++line)
        for (int round = 0; round < 2000; ++round) {
            std::uint64_t a = edgy(random, bits), b = edgy(random, bits);
            unsigned k = unsigned(random() % 2 ? random() % 256 : random() % (bits + 2));
            bench.set("a", a);
            bench.set("b", b);
            bench.set("k", k);
            bench.set("w", k * 1000);
            RunResult result = bench.execute(line);
            ASSERT_TRUE(result.ok()) << cases[line].meaning << ": " << result.message;
            Wide expected =
                cases[line].expected(Wide(a), Wide(b), signed_value(a, bits), signed_value(b, bits), k, bits);
            std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
            // Signed results are widened to 64 bits with their sign; only their own bits are compared.
            ASSERT_EQ(bench.get("z") & mask, std::uint64_t(expected) & mask)
                << cases[line].meaning << " of " << type << " a=" << a << " b=" << b << " k=" << k;
        }
}

INSTANTIATE_TEST_SUITE_P(Widths, Integers, testing::Values(1, 2, 5, 8, 11, 16, 24, 31, 32, 33, 48, 63, 64));

// The rule for shifting by the width or more and for dividing by zero, and for the one quotient that does not fit, in every
// width: the same when operands are known beforehand, when they are not, and lane by lane.
struct Edge {
    const char* operation;  // of A and B
    bool is_signed;
    std::function<Wide(Wide a, Wide b, unsigned n)> expected;
};

const Edge edges[] = {
    {"<<", false, [](Wide a, Wide b, unsigned n) { return b >= n ? Wide(0) : a << unsigned(b); }},
    {">>", false, [](Wide a, Wide b, unsigned n) { return b >= n ? Wide(0) : a >> unsigned(b); }},
    {">>", true, [](Wide a, Wide b, unsigned n) { return floor_shift(a, b >= n ? n : unsigned(b)); }},
    {"/", false, [](Wide a, Wide b, unsigned) { return b == 0 ? Wide(-1) : a / b; }},
    {"%", false, [](Wide a, Wide b, unsigned) { return b == 0 ? a : a % b; }},
    {"/", true, [](Wide a, Wide b, unsigned) { return b == 0 ? Wide(-1) : a / b; }},
    {"%", true, [](Wide a, Wide b, unsigned) { return b == 0 ? a : a % b; }},
};

class Edges : public testing::TestWithParam<unsigned> {};

TEST_P(Edges, AreTheSameFoldedAndExecutedInOneLaneAndInMany) {
    const unsigned n = GetParam();
    const std::uint64_t all = n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
    const std::vector<std::uint64_t> values = {0, 1, (n - 1) & all, n & all, (n + 1) & all, all, all / 2 + 1};
    const std::string width = std::to_string(n);
    // Vectors have lanes of 8 to 64 bits; values of other widths have no lanes.
    const bool has_lanes = n == 8 || n == 16 || n == 32 || n == 64;
    std::vector<std::string> executed, folded;  // what is folded is the same graph for whatever executes it
    const auto sign = [](const Edge& edge) { return edge.is_signed ? "s" : "u"; };
    for (const Edge& edge : edges) {
        const std::string type = sign(edge) + width;
        const std::string amount = edge.operation[0] == '<' || edge.operation[0] == '>' ? "u" + width : type;
        const auto of = [&](const std::string& a, const std::string& b) {
            return "z = u64(u" + width + "(" + type + "(" + a + ") " + edge.operation + " " + amount + "(" + b + ")))";
        };
        executed.push_back(of("a", "b"));
        for (std::uint64_t a : values)
            for (std::uint64_t b : values) {
                const std::string first = "u" + width + "(" + std::to_string(a) + ")";
                folded.push_back(of(first, "u" + width + "(" + std::to_string(b) + ")"));
            }
        if (has_lanes) {
            std::string lanes = "p", other = "q";
            if (edge.is_signed) lanes = type + "(p)";
            if (edge.is_signed && amount == type) other = type + "(q)";
            executed.push_back("x = u" + width + "(" + lanes + " " + edge.operation + " " + other + ")");
        }
    }
    const std::string registers = "register a : u" + width + "\nregister b : u" + width + "\nregister z : u64" +
                                  (has_lanes ? "\nregister p : u" + width + " lanes 2\nregister q : u" + width +
                                                   " lanes 2\nregister x : u" + width + " lanes 2"
                                             : "");
    BenchMachine bench(registers, executed), known(registers, folded, "", {.memory_bytes = 4096}, false);
    ASSERT_TRUE(bench && known);
    std::size_t line = 0, next_folded = 0;
    for (const Edge& edge : edges) {
        const std::size_t in_one = line, by_lane = line + 1;
        for (std::uint64_t a : values)
            for (std::uint64_t b : values) {
                const bool is_shift = edge.operation[0] == '<' || edge.operation[0] == '>';
                const Wide x = edge.is_signed ? signed_value(a, n) : Wide(a);
                const Wide y = edge.is_signed && !is_shift ? signed_value(b, n) : Wide(b);
                const std::uint64_t expected = std::uint64_t(edge.expected(x, y, n)) & all;
                const auto where = [&] {
                    return std::string(sign(edge)) + width + ": " + std::to_string(a) + " " + edge.operation + " " +
                           std::to_string(b);
                };
                bench.set("a", a);
                bench.set("b", b);
                ASSERT_TRUE(bench.execute(in_one).ok());
                ASSERT_EQ(bench.get("z"), expected) << where() << ", executed";
                ASSERT_TRUE(known.execute(next_folded++).ok());
                ASSERT_EQ(known.get("z"), expected) << where() << ", folded";
                if (!has_lanes) continue;
                bench.set("p", a, 1);
                bench.set("q", b, 1);
                ASSERT_TRUE(bench.execute(by_lane).ok());
                ASSERT_EQ(bench.get("x", 1), expected) << where() << ", in a lane";
            }
        line += has_lanes ? 2 : 1;
    }
}

INSTANTIATE_TEST_SUITE_P(EveryWidth, Edges, testing::Range(1u, 65u));

TEST(Integers, ConversionsExtendBySignAndCut) {
    BenchMachine bench("register a : u13\nregister z : u64",
                       {"z = u64(s13(a))", "z = u64(s40(s13(a)))", "z = u64(u7(a))", "z = u64(s7(a))",
                        "z = u64(u64(a))", "z = a[12:5] ++ a[4:0] ++ u51(5)", "z = u64(s64(s13(a)) >> 3)"});
    ASSERT_TRUE(bench);
    auto sign = [](std::uint64_t value, unsigned bits) {
        return std::uint64_t(std::int64_t(value << (64 - bits)) >> (64 - bits));
    };
    for (std::uint64_t a = 0; a < 8192; ++a) {
        std::uint64_t expected[] = {sign(a, 13),
                                    sign(a, 13),
                                    a & 127,
                                    sign(a & 127, 7),
                                    a,
                                    a << 51 | 5,
                                    std::uint64_t(std::int64_t(sign(a, 13)) >> 3)};
        bench.set("a", a);
        for (std::size_t line = 0; line < std::size(expected); ++line) {
            ASSERT_TRUE(bench.execute(line).ok());
            ASSERT_EQ(bench.get("z"), expected[line]) << line << ' ' << a;
        }
    }
}

}  // namespace
}  // namespace isaforge

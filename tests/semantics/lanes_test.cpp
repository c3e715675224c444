// Lanes: what an instruction computes in many lanes must be what the same meaning computes for each lane by itself; and
// rows as two real machines have them, a wavefront under an execution mask and vectors whose element size an operand
// chooses.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>

#include "bench_machine.hpp"

namespace isaforge {
namespace {

const std::vector<std::string> integer_meanings = {"z = a + b",
                                                   "z = a - b",
                                                   "z = a * b",
                                                   "z = a / b",
                                                   "z = a % b",
                                                   "z = uN(sN(a) / sN(b))",
                                                   "z = a & b",
                                                   "z = a | b",
                                                   "z = a ^ b",
                                                   "z = ~a",
                                                   "z = -a",
                                                   "z = a << k",
                                                   "z = a >> b",
                                                   "z = uN(sN(a) >> k)",
                                                   "z = uN(a < b)",
                                                   "z = uN(sN(a) <= sN(b))",
                                                   "z = a == b ? a : b",
                                                   "z = k[0] ? a : b",
                                                   "z = min(a, b)",
                                                   "z = max(sN(a), sN(b))",
                                                   "z = popcount(a)",
                                                   "z = count_leading_zeros(a)",
                                                   "z = count_trailing_zeros(a)",
                                                   "z = reverse_bits(a)",
                                                   "z = leading_bits(a, 3)",
                                                   "z = rotate_left(a, k)",
                                                   "z = rotate_right(a, b)",
                                                   "z = mul_high_unsigned(a, b)",
                                                   "z = mul_high_signed(a, b)",
                                                   "z = uN(add_carry(a, b, b[0]))",
                                                   "z = uN(add_overflow(a, b))",
                                                   "z = insert(a, 2, b[3:0])",
                                                   "z = uN(a[4:1] ++ b[2:0])",
                                                   "z = uN(u64(a) * u64(b) >> 3)",
                                                   "z = uN(s64(sN(a)) / 3)",
                                                   "if (a < b) { z = a } else { z = z + b }",
                                                   "let x = a; if (b[0]) { x = x + 1; z = x }; z = z ^ x",
                                                   "z = uN(data.u8[u64(b[7:0])])",
                                                   "z = b[0] ? uN(data.u16[u64(a[7:0])]) : b"};

std::string with_width(std::string text, unsigned bits) {
    for (std::size_t at; (at = text.find("uN")) != std::string::npos;) text.replace(at, 2, "u" + std::to_string(bits));
    for (std::size_t at; (at = text.find("sN")) != std::string::npos;) text.replace(at, 2, "s" + std::to_string(bits));
    return text;
}

class Lanes : public testing::TestWithParam<std::tuple<unsigned, unsigned>> {};

void compare_with_scalar(const std::vector<std::string>& meanings, unsigned bits, unsigned lanes,
                         const std::string& more, bool floats) {
    auto declared = [&](const std::string& suffix) {
        std::string text = more;
        for (const char* name : {"a", "b", "z"})
            text += std::string("register ") + name + " : u" + std::to_string(bits) + suffix + "\n";
        return text + "register k : u8\nmemory data : u8 little\n";
    };
    BenchMachine wide(declared(" lanes " + std::to_string(lanes)), meanings, "lanes " + std::to_string(lanes));
    BenchMachine narrow(declared(""), meanings);
    ASSERT_TRUE(wide && narrow);
    std::mt19937_64 random(bits * lanes);
    for (int i = 0; i < 4096; ++i) wide.machine().memory(0)[i] = narrow.machine().memory(0)[i] = std::uint8_t(random());
    for (std::size_t line = 0; line < meanings.size(); ++line)
        for (int round = 0; round < 20; ++round) {
            std::vector<std::uint64_t> a, b, z;
            std::uint64_t k = random() % (bits + 3);
            wide.set("k", k);
            for (unsigned lane = 0; lane < lanes; ++lane) {
                a.push_back(floats ? random() : edgy(random, bits));
                b.push_back(edgy(random, bits));
                z.push_back(edgy(random, bits));
                wide.set("a", a[lane], lane);
                wide.set("b", b[lane], lane);
                wide.set("z", z[lane], lane);
            }
            RunResult result = wide.execute(line);
            ASSERT_TRUE(result.ok()) << result.message << ' ' << meanings[line];
            for (unsigned lane = 0; lane < lanes; ++lane) {
                narrow.set("a", a[lane]);
                narrow.set("b", b[lane]);
                narrow.set("z", z[lane]);
                narrow.set("k", k);
                result = narrow.execute(line);
                ASSERT_TRUE(result.ok()) << result.message << ' ' << meanings[line];
                ASSERT_EQ(wide.get("z", lane), narrow.get("z"))
                    << meanings[line] << " lane " << lane << " a=" << a[lane] << " b=" << b[lane] << " k=" << k;
            }
        }
}

TEST_P(Lanes, EachLaneComputesWhatAScalarWould) {
    auto [bits, lanes] = GetParam();
    std::vector<std::string> meanings;
    for (const std::string& meaning : integer_meanings)
        if (bits >= 8 || (meaning.find('[') == std::string::npos && meaning.find("leading") == std::string::npos))
            meanings.push_back(with_width(meaning, bits));
    compare_with_scalar(meanings, bits, lanes, "", false);
}

TEST_P(Lanes, EachLaneComputesWithFloatsAsAScalarWould) {
    auto [bits, lanes] = GetParam();
    if (bits != 16 && bits != 32 && bits != 64) return;
    std::vector<std::string> meanings;
    for (const char* meaning : {"z = a +. b",
                                "z = a -. b",
                                "z = a *. b",
                                "z = a /. b",
                                "z = uN(a <. b)",
                                "z = uN(a !=. b)",
                                "z = sqrt(a)",
                                "z = fma(a, b, z)",
                                "z = min_number(a, b)",
                                "z = max_number(a, b)",
                                "z = round_up(a)",
                                "z = round_half_away(a)",
                                "z = uN(unordered(a, b))",
                                "z = a *. 0.5",
                                "z = uN(float_to_unsigned(a, 8))",
                                "z = uN(float_to_signed(a, 16))",
                                "z = unsigned_to_float(a, N)",
                                "z = signed_to_float(a, N)",
                                "z = scale_by_power(a, s8(k))",
                                "z = float_to_float(float_to_float(a, 16), N)"}) {
        std::string text = with_width(meaning, bits);
        for (std::size_t at; (at = text.find("N)")) != std::string::npos;) text.replace(at, 1, std::to_string(bits));
        meanings.push_back(text);
    }
    for (const char* rules : {"floats nearest_even\n", "floats flush_subnormals canonical_nan nearest_even\n"})
        compare_with_scalar(meanings, bits, lanes, rules, true);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Lanes,
                         testing::Combine(testing::Values(8, 13, 16, 32, 33, 64), testing::Values(2, 16, 64)));

// ---------------------------------------------------------------------------------------------------------------------
// A wavefront: 64 lanes under a mask, scalar operands broadcast, comparisons into a mask register.

const char* wavefront = R"(
floats nearest_even
registers s : 7 of u32 "s{n}"
registers v : 8 of u32 lanes 64 "v{n}"
register vcc : u64
register exec : u64
memory data : u8 little
)";

TEST(WavefrontRows, RunUnderTheirMask) {
    BenchMachine bench(
        wavefront,
        {"v[0] = v[1] +. v[2]", "v[0] = s[3] +. v[2]", "v[0] = vcc[lane()] ? v[2] : v[1]",
         "vcc = lane_bits(v[1] <. v[2])", "v[0] = data.u32[v[3]]", "data.u32[v[3]] = v[2]", "v[0] = lane()",
         "s[0] = sum(v[1])", "s[0] = u32(any(v[1] == v[2]))", "s[0] = u32(all(v[1] != v[2]))",
         "v[0] = element(v[1], v[2])", "s[0] = element(v[1], s[3])", "v[0] = s[3] * 3"},
        "lanes 64 under exec[lane()]");
    ASSERT_TRUE(bench);
    std::mt19937_64 random(42);
    auto as_float = [](std::uint64_t x) { return std::bit_cast<float>(std::uint32_t(x)); };
    auto as_bits = [](float x) { return std::uint64_t(std::bit_cast<std::uint32_t>(x)); };
    for (int round = 0; round < 200; ++round) {
        std::uint64_t exec = edgy(random, 64), vcc = random();
        std::uint64_t v[4][64], memory[64];
        bench.set("exec", exec);
        bench.set("s3", as_bits(2.5f));
        for (unsigned lane = 0; lane < 64; ++lane) {
            v[0][lane] = random() & 0xffffffff;
            v[1][lane] = as_bits(float(random() % 1000) / 8);
            v[2][lane] = random() % 4 ? as_bits(float(random() % 1000) / 8) : v[1][lane];
            // An address outside the memory in lanes that are off does no harm.
            v[3][lane] = exec >> lane & 1 ? lane * 4 : 0xfffffff0;
            for (unsigned n = 0; n < 4; ++n) bench.set("v" + std::to_string(n), v[n][lane], lane);
            memory[lane] = random() & 0xffffffff;
            std::memcpy(bench.machine().memory(0).data() + lane * 4, &memory[lane], 4);
        }
        auto on = [&](unsigned lane) { return (exec >> lane & 1) != 0; };
        auto expect_v0 = [&](std::size_t line, auto expected) {
            for (unsigned lane = 0; lane < 64; ++lane) bench.set("v0", v[0][lane], lane);
            bench.set("vcc", vcc);
            RunResult result = bench.execute(line);
            ASSERT_TRUE(result.ok()) << result.message;
            for (unsigned lane = 0; lane < 64; ++lane)
                ASSERT_EQ(bench.get("v0", lane), on(lane) ? std::uint64_t(expected(lane)) : v[0][lane])
                    << line << ' ' << lane;
        };
        expect_v0(0, [&](unsigned i) { return as_bits(as_float(v[1][i]) + as_float(v[2][i])); });
        expect_v0(1, [&](unsigned i) { return as_bits(2.5f + as_float(v[2][i])); });
        expect_v0(2, [&](unsigned i) { return vcc >> i & 1 ? v[2][i] : v[1][i]; });
        expect_v0(4, [&](unsigned i) { return memory[i]; });
        expect_v0(6, [&](unsigned i) { return i; });
        expect_v0(10, [&](unsigned i) { return v[1][v[2][i] % 64]; });
        expect_v0(12, [&](unsigned) { return as_bits(2.5f) * 3 & 0xffffffff; });
        std::uint64_t less = 0, sum = 0;
        bool any = false, all = true;
        for (unsigned i = 0; i < 64; ++i) {
            if (!on(i)) continue;
            less |= std::uint64_t(as_float(v[1][i]) < as_float(v[2][i])) << i;
            sum += v[1][i];
            any |= v[1][i] == v[2][i];
            all &= v[1][i] != v[2][i];
        }
        bench.execute(3);
        EXPECT_EQ(bench.get("vcc"), less);
        bench.execute(7);
        EXPECT_EQ(bench.get("s0"), sum & 0xffffffff);
        bench.execute(8);
        EXPECT_EQ(bench.get("s0"), any);
        bench.execute(9);
        EXPECT_EQ(bench.get("s0"), all);
        bench.set("s3", 77);
        bench.execute(11);
        EXPECT_EQ(bench.get("s0"), v[1][77 % 64]);
        bench.execute(5);
        for (unsigned i = 0; i < 64; ++i) {
            std::uint32_t stored = 0;
            std::memcpy(&stored, bench.machine().memory(0).data() + i * 4, 4);
            EXPECT_EQ(stored, on(i) ? v[2][i] : memory[i]);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Vectors of 64 bytes with a mask bit for each byte of the result; an operand says how large the elements are.

const char* vectors = R"(
isa vectors "Vectors"
code unit 32 little addressed in units
registers V : 5 of u8 lanes 64 "V{n}"
register mask : u64
operand size : 2 {
    00 "8"   = 8
    01 "16"  = 16
    10 "32"  = 32
    11 "64"  = 64
}
function add(a, b, n) = elements(elements(a, n) + elements(b, n), 8)
function larger(a, b, n) = elements(max(elements(a, n), elements(b, n)), 8)
format B | OP:8 | SIZE:size | -:7 | RA:V | RB:V | RC:V |
instructions B [OP] "{name}.{SIZE}: {RA}, {RB}, {RC}" lanes 64 under mask[lane()] {
    1 ADD  RA = add(RB, RC, SIZE)
    2 MAX  RA = larger(RB, RC, SIZE)
}
)";

TEST(Vectors, AddUnderAByteMaskInEveryElementSize) {
    SourceManager sources;
    Diagnostics diagnostics;
    auto isa = load_isa_text("vectors.isa", vectors, sources, diagnostics);
    ASSERT_TRUE(isa) << to_text(diagnostics, sources);
    Machine machine(std::make_shared<const Codec>(isa));
    std::vector<std::uint32_t> words;
    for (std::uint32_t op : {1u, 2u})
        for (std::uint32_t size = 0; size < 4; ++size) words.push_back(op << 24 | size << 22 | 3 << 10 | 4 << 5 | 5);
    std::vector<std::uint8_t> bytes(words.size() * 4);
    std::memcpy(bytes.data(), words.data(), bytes.size());
    machine.load_code(bytes);
    std::mt19937_64 random(3);
    for (int round = 0; round < 100; ++round)
        for (unsigned line = 0; line < words.size(); ++line) {
            std::uint8_t a[64], b[64], c[64];
            std::uint64_t mask = edgy(random, 64);
            machine.set(1, 0, mask);
            for (unsigned i = 0; i < 64; ++i) {
                machine.set(0, 3, a[i] = std::uint8_t(random()), i);
                machine.set(0, 4, b[i] = std::uint8_t(random()), i);
                machine.set(0, 5, c[i] = std::uint8_t(random()), i);
            }
            machine.set_pc(line);
            RunResult result = machine.step();
            ASSERT_TRUE(result.ok()) << result.message;
            unsigned element = 1u << line % 4;
            for (unsigned at = 0; at < 64; at += element) {
                std::uint64_t x = 0, y = 0;
                std::memcpy(&x, b + at, element);
                std::memcpy(&y, c + at, element);
                std::uint64_t z = line < 4 ? x + y : std::max(x, y);
                for (unsigned i = 0; i < element; ++i) {
                    std::uint8_t fresh = std::uint8_t(z >> 8 * i);
                    ASSERT_EQ(machine.get(0, 3, at + i), mask >> (at + i) & 1 ? fresh : a[at + i])
                        << machine.text(line);
                }
            }
        }
}

}  // namespace
}  // namespace isaforge

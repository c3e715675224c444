// `case`, functions and operators as arguments, and tuples of consecutive registers and places in memory.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

#include "semantics/bench_machine.hpp"

namespace isaforge {
namespace {

const char* const declarations = R"(registers s : 3 of u32 "s{n}"
registers b : 2 of u8 "b{n}"
registers v : 2 of u32 lanes 4 "v{n}"
registers w : 1 of u64 lanes 4 "w{n}"
register wide : u64
memory mem : u8 little
constant HALF = 3
function pick(k, x, y) = case k { 0: x; 1, 2: y; HALF..6: x + y; else: 0 }
function logarithm(x) = case bits(x) { 8: 3; 32: 5; else: 9 }
function fold(f, v) = f(f(element(v, 0), element(v, 1)), f(element(v, 2), element(v, 3)))
function apply(f, x) = f(x)
function both(f, g, x, y) = f(g(x, y), y)
function nand(x, y) = ~(x & y)
function count() { s[7] = s[7] + 1; return s[7][2:0] }
)";

TEST(Case, ChoosesAsIfChainsWould) {
    BenchMachine bench(
        declarations, {"s[0] = pick(b[1], s[1], s[2])",
                       "case b[1] {\n 0: s[0] = 10\n 1, 2: { s[0] = 20; s[3] = 1 }\n 3..6: s[0] = 30\n }",
                       "case b[1][1:0] { 0: s[0] = 1; 1: s[0] = 2; 2, 3: if s[1] == 0 { s[0] = 3 } else { s[0] = 4 } }",
                       "s[0] = pick(u8(2), s[1], s[2]) + logarithm(b[1]) + (case HALF { 3: s[3]\n else: 0 })",
                       "s[0] = case s32(s[1]) { -2..-1: 7; 0: 8; else: 9 }",
                       "case count() { 0..3: s[0] = 1; 4: s[0] = 2; else: s[0] = 3 }",
                       "v[0] = case v[1][1:0] { 0: v[2]; 1: v[3]; 2, 3: 0 }",
                       "s[0] = case b[1] { 0: mem.u32[256]; else: case b[2] { 0: 1; else: 2 } }"});
    ASSERT_TRUE(bench);
    std::mt19937_64 random{3};
    for (unsigned k = 0; k < 600; ++k) {
        std::uint32_t s[4], v[4][4];
        for (unsigned i = 0; i < 4; ++i) bench.set("s" + std::to_string(i), s[i] = std::uint32_t(edgy(random, 32)));
        if (k % 5 == 0) bench.set("s1", s[1] = 0xfffffffd + k % 7);
        for (unsigned i = 0; i < 4; ++i)
            for (unsigned lane = 0; lane < 4; ++lane)
                bench.set("v" + std::to_string(i), v[i][lane] = std::uint32_t(random()), lane);
        const std::uint8_t b1 = k < 300 ? k % 10 : std::uint8_t(random());
        bench.set("b1", b1);
        ASSERT_TRUE(bench.execute(0).ok()) << k;
        EXPECT_EQ(bench.get("s0"), b1 == 0 ? s[1] : b1 <= 2 ? s[2] : b1 <= 6 ? s[1] + s[2] : 0u);
        bench.set("s0", 5);
        ASSERT_TRUE(bench.execute(1).ok()) << k;
        EXPECT_EQ(bench.get("s0"), b1 == 0 ? 10u : b1 <= 2 ? 20u : b1 <= 6 ? 30u : 5u);
        ASSERT_TRUE(bench.execute(2).ok()) << k;
        EXPECT_EQ(bench.get("s0"), b1 % 4 == 0 ? 1u : b1 % 4 == 1 ? 2u : s[1] == 0 ? 3u : 4u);
        bench.set("s3", s[3]);
        ASSERT_TRUE(bench.execute(3).ok()) << k;
        EXPECT_EQ(bench.get("s0"), std::uint32_t(s[2] + 3 + s[3]));
        ASSERT_TRUE(bench.execute(4).ok()) << k;
        EXPECT_EQ(bench.get("s0"), s[1] >= 0xfffffffe ? 7u : s[1] == 0 ? 8u : 9u);
        bench.set("s7", k);
        ASSERT_TRUE(bench.execute(5).ok()) << k;
        EXPECT_EQ(bench.get("s7"), k + 1);
        EXPECT_EQ(bench.get("s0"), (k + 1) % 8 < 4 ? 1u : (k + 1) % 8 == 4 ? 2u : 3u);
        ASSERT_TRUE(bench.execute(6).ok()) << k;
        for (unsigned lane = 0; lane < 4; ++lane)
            EXPECT_EQ(bench.get("v0", lane), v[1][lane] % 4 == 0 ? v[2][lane] : v[1][lane] % 4 == 1 ? v[3][lane] : 0u);
        bench.set("b2", k % 2);
        bench.machine().load_data(0, 256, std::array<std::uint8_t, 4>{1, 2, 3, 4});
        ASSERT_TRUE(bench.execute(7).ok()) << k;
        EXPECT_EQ(bench.get("s0"), b1 == 0 ? 0x04030201u : k % 2 == 0 ? 1u : 2u);
    }
}

TEST(Functions, AreArguments) {
    BenchMachine bench(declarations,
                       {"s[0] = fold(+, v[1])", "s[0] = fold(nand, v[1])", "s[0] = fold(max, v[1])",
                        "s[0] = apply(-, s[1]) + apply(popcount, s[2])", "s[0] = both(-, ^, s[1], s[2])",
                        "s[0] = apply( ~ , s[1]); s[3] = apply(!, s[2])", "s[0] = both( <<, &, s[1], s[2])"});
    ASSERT_TRUE(bench);
    std::mt19937_64 random{4};
    for (unsigned k = 0; k < 100; ++k) {
        std::uint32_t v[4], a = std::uint32_t(edgy(random, 32)), c = std::uint32_t(edgy(random, 32));
        for (unsigned lane = 0; lane < 4; ++lane) bench.set("v1", v[lane] = std::uint32_t(edgy(random, 32)), lane);
        bench.set("s1", a);
        bench.set("s2", c);
        ASSERT_TRUE(bench.execute(0).ok()) << k;
        EXPECT_EQ(bench.get("s0"), std::uint32_t(v[0] + v[1] + v[2] + v[3]));
        ASSERT_TRUE(bench.execute(1).ok()) << k;
        EXPECT_EQ(bench.get("s0"), std::uint32_t(~(~(v[0] & v[1]) & ~(v[2] & v[3]))));
        ASSERT_TRUE(bench.execute(2).ok()) << k;
        EXPECT_EQ(bench.get("s0"), std::max(std::max(v[0], v[1]), std::max(v[2], v[3])));
        ASSERT_TRUE(bench.execute(3).ok()) << k;
        EXPECT_EQ(bench.get("s0"), std::uint32_t(-a + unsigned(__builtin_popcount(c))));
        ASSERT_TRUE(bench.execute(4).ok()) << k;
        EXPECT_EQ(bench.get("s0"), std::uint32_t((a ^ c) - c));
        ASSERT_TRUE(bench.execute(5).ok()) << k;
        EXPECT_EQ(bench.get("s0"), std::uint32_t(~a));
        EXPECT_EQ(bench.get("s3"), c == 0 ? 1u : 0u);
        ASSERT_TRUE(bench.execute(6).ok()) << k;
        EXPECT_EQ(bench.get("s0"), c < 32 ? (a & c) << c : 0u);
    }
}

TEST(Tuples, AreRegistersSideBySide) {
    BenchMachine bench(
        std::string(declarations) + "function add(t, x) { for i in 0..2 { t[i] = t[i] + x } }\n",
        {"wide = s[2 +: 2]", "s[3 +: 2] = wide", "s[1 +: 4] = s[2 +: 4]", "s[0 +: 2] += 1", "add(s[b[1] +: 3], s[0])",
         "s[b[1] +: 2] = mem.u32[s[0] +: 2]", "mem.u16[s[0] +: 3][1] = s[1][15:0]", "mem.u32[s[0] +: 4] = s[4 +: 4]",
         "w[0] = v[1 +: 2]", "v[0 +: 2] = w[1]", "s[1][b[1][4:0] +: 8] = b[2]", "s[0] = s[1][4 +: 12]",
         "v[1 +: 2] = mem.u32[v[0] +: 2]", "s[count() +: 2] ^= wide"});
    ASSERT_TRUE(bench);
    std::mt19937_64 random{6};
    for (unsigned k = 0; k < 200; ++k) {
        std::uint32_t s[8], v[4][4];
        std::uint64_t wide = random(), w[4];
        const auto fill = [&] {
            for (unsigned i = 0; i < 8; ++i) bench.set("s" + std::to_string(i), s[i] = std::uint32_t(random()));
        };
        const auto expect = [&](int line) {
            for (unsigned i = 0; i < 8; ++i) ASSERT_EQ(bench.get("s" + std::to_string(i)), s[i]) << line << " s" << i;
        };
        fill();
        for (unsigned i = 0; i < 4; ++i)
            for (unsigned lane = 0; lane < 4; ++lane)
                bench.set("v" + std::to_string(i), v[i][lane] = std::uint32_t(random()), lane);
        ASSERT_TRUE(bench.execute(0).ok()) << k;
        EXPECT_EQ(bench.get("wide"), std::uint64_t{s[3]} << 32 | s[2]);
        bench.set("wide", wide);
        ASSERT_TRUE(bench.execute(1).ok()) << k;
        s[3] = std::uint32_t(wide), s[4] = std::uint32_t(wide >> 32);
        expect(1);
        ASSERT_TRUE(bench.execute(2).ok()) << k;
        for (unsigned i = 1; i < 5; ++i) s[i] = s[i + 1];
        expect(2);
        if (k % 2 == 0) bench.set("s0", s[0] = 0xffffffff);
        ASSERT_TRUE(bench.execute(3).ok()) << k;
        if (++s[0] == 0) ++s[1];
        expect(3);
        const unsigned at = k % 5 + 1;
        bench.set("b1", at);
        ASSERT_TRUE(bench.execute(4).ok()) << k;
        for (unsigned i = 0; i < 3; ++i) s[at + i] += s[0];
        expect(4);
        std::array<std::uint8_t, 16> cells{};
        for (std::uint8_t& each : cells) each = std::uint8_t(random());
        bench.machine().load_data(0, 0x100, cells);
        bench.set("s0", s[0] = 0x100);
        ASSERT_TRUE(bench.execute(5).ok()) << k;
        std::memcpy(&s[at], cells.data(), 8);
        expect(5);
        ASSERT_TRUE(bench.execute(6).ok()) << k;
        std::memcpy(cells.data() + 2, &s[1], 2);
        std::array<std::uint8_t, 16> now{};
        ASSERT_TRUE(bench.machine().peek(0, 0x100, now));
        ASSERT_EQ(now, cells);
        ASSERT_TRUE(bench.execute(7).ok()) << k;
        ASSERT_TRUE(bench.machine().peek(0, 0x100, now));
        ASSERT_EQ(std::memcmp(now.data(), &s[4], 16), 0);
        ASSERT_TRUE(bench.execute(8).ok()) << k;
        for (unsigned lane = 0; lane < 4; ++lane)
            ASSERT_EQ(bench.get("w0", lane), std::uint64_t{v[2][lane]} << 32 | v[1][lane]);
        for (unsigned lane = 0; lane < 4; ++lane) bench.set("w1", w[lane] = random(), lane);
        ASSERT_TRUE(bench.execute(9).ok()) << k;
        for (unsigned lane = 0; lane < 4; ++lane) {
            ASSERT_EQ(bench.get("v0", lane), std::uint32_t(w[lane]));
            ASSERT_EQ(bench.get("v1", lane), std::uint32_t(w[lane] >> 32));
        }
        bench.set("b1", k % 24);
        bench.set("b2", 0xa5);
        ASSERT_TRUE(bench.execute(10).ok()) << k;
        s[1] = (s[1] & ~(0xffu << k % 24)) | 0xa5u << k % 24;
        expect(10);
        ASSERT_TRUE(bench.execute(11).ok()) << k;
        s[0] = s[1] >> 4 & 0xfff;
        expect(11);
        for (unsigned lane = 0; lane < 4; ++lane) bench.set("v0", 0x108 - 4 * (lane % 3), lane);
        ASSERT_TRUE(bench.execute(12).ok()) << k;
        for (unsigned lane = 0; lane < 4; ++lane)
            for (unsigned part = 0; part < 2; ++part) {
                std::uint32_t loaded = 0;
                std::memcpy(&loaded, now.data() + 8 - 4 * (lane % 3) + 4 * part, 4);
                ASSERT_EQ(bench.get("v" + std::to_string(1 + part), lane), loaded);
            }
        bench.set("s7", s[7] = 2);
        ASSERT_TRUE(bench.execute(13).ok()) << k;
        s[7] = 3, s[3] ^= std::uint32_t(wide), s[4] ^= std::uint32_t(wide >> 32);
        expect(13);
    }
}

// What is not given a value means its code, however wide.
TEST(Enumerations, MeanTheirCodes) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa_text("bench.isa", R"(isa bench "Bench"
code unit 16 little
registers r : 1 of u16 "r{n}"
enum way : 2 of u4 { "up" "down"  2 "left" = 9  "right" }
format F | OP:4 | D:r | W:way | -:9 |
instructions F [OP] "{name} {D}, {W}" {
    1  set   D = W
}
)",
                                   sources, diagnostics);
    ASSERT_TRUE(isa) << to_text(diagnostics, sources);
    Machine machine(std::make_shared<const Codec>(isa), {.memory_bytes = 16});
    const unsigned expected[] = {0, 1, 9, 3};
    for (unsigned way = 0; way < 4; ++way) {
        const std::uint16_t word = static_cast<std::uint16_t>(0x1000 | way << 9);
        const std::uint8_t bytes[] = {static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8)};
        machine.load_code(bytes);
        machine.set_pc(0);
        ASSERT_TRUE(machine.step().ok());
        EXPECT_EQ(machine.get(0, 0), expected[way]) << way;
    }
}

}  // namespace
}  // namespace isaforge

// Kinds: what they say in meanings, where they stand in columns, and their numbers.
#include <gtest/gtest.h>

#include "semantics/bench_machine.hpp"

namespace isaforge {
namespace {

const char* const declarations = R"(registers s : 3 of u32 "s{n}"
constant wide = 32
kind BYTE = bits 8
kind WORD = bits wide
kind REAL = bits wide, float
function kept(x, t) = t.bits == 32 ? x : u32(u(t.bits)(x))
function sum(a, b, t) = if t.float then a +. b else kept(a + b, t)
)";

TEST(Kinds, SayInMeaningsWhatTheyAre) {
    BenchMachine bench(declarations,
                       {"s[0] = sum(s[1], s[2], BYTE)", "s[0] = sum(s[1], s[2], WORD)", "s[0] = sum(s[1], s[2], REAL)",
                        "s[0] = u32(REAL.float + WORD.float)", "s[0] = REAL == WORD ? 1 : 2"});
    ASSERT_TRUE(bench);
    bench.set("s1", 0x3f8000ff);
    bench.set("s2", 0x3f800001);
    bench.execute(0);
    EXPECT_EQ(bench.get("s0"), 0u);
    bench.execute(1);
    EXPECT_EQ(bench.get("s0"), 0x7f000100u);
    bench.execute(2);
    EXPECT_EQ(bench.get("s0"), 0x40000080u);
    bench.execute(3);
    EXPECT_EQ(bench.get("s0"), 1u);
    bench.execute(4);
    EXPECT_EQ(bench.get("s0"), 2u);
}

std::shared_ptr<const Isa> loaded(const char* variant) {
    static SourceManager sources;
    Diagnostics diagnostics;
    LoadOptions options;
    options.variant = variant;
    return load_isa_text("kinds.isa", R"(isa kinds
variants one two
code unit 16 little
registers r : 3 of u32 "r{n}"
kind ONLY = bits 8          only one
kind WORD = bits 32
kind SIZE = bits 8          only one
kind SIZE = bits 16, whole  only two
operand source(t) : 4 {
    0 n:r  "{n}"   = n
    1 n:3  "#{n}"  = u32(n)  if t.whole
}
format R(t) | OP:4 | D:r | S:source(t) | -:5 |
instructions R(t) [OP, t] "{name} {D}, {S}" {
    1 WORD  mov   D = S
    2 SIZE  low   D = u32(u(t.bits)(S))
}
)",
                         sources, diagnostics, options);
}

// A kind has the same number in all variants, also where another one is not there.
TEST(Kinds, AreTheSameInAllVariants) {
    const auto one = loaded("one"), two = loaded("two");
    ASSERT_TRUE(one && two);
    EXPECT_EQ(one->kinds.size(), 3u);
    EXPECT_EQ(two->kinds.size(), 2u);
    for (const char* name : {"WORD", "SIZE"}) EXPECT_EQ(one->constants.at(name), two->constants.at(name)) << name;
    EXPECT_NE(one->constants.at("WORD"), one->constants.at("SIZE"));
    const std::uint64_t size = two->constants.at("SIZE");
    EXPECT_EQ(one->kind_fact(size, "bits").value, 8u);
    EXPECT_EQ(two->kind_fact(size, "bits").value, 16u);
    EXPECT_EQ(two->kind_fact(two->constants.at("WORD"), "whole").value, 0u);
}

TEST(Kinds, SayOnlyWhatSomeKindSays) {
    const auto one = loaded("one");
    ASSERT_TRUE(one);
    const KindFact unknown = one->kind_fact(one->constants.at("WORD"), "bit");
    EXPECT_FALSE(unknown.value);
    EXPECT_EQ(unknown.nearest, "bits");
    EXPECT_FALSE(one->kind_fact(32, "bits").value);
    EXPECT_EQ(one->kind_fact(one->constants.at("WORD"), "whole").value, 0u);  // which the other variant's say
}

}  // namespace
}  // namespace isaforge

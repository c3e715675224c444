// What lets one meaning serve many encodings: places with a rule, what an operand's row says besides, names behind formats, and
// rules for floats that differ by width, by mode and for a single value.
#include <gtest/gtest.h>

#include <bit>
#include <tuple>

#include "semantics/bench_machine.hpp"

namespace isaforge {
namespace {

TEST(Encodings, APlaceWithARuleDoesWhatTheRuleSays) {
    BenchMachine bench(R"(registers s : 3 of u32 "s{n}"
registers v : 2 of u32 lanes 4 "v{n}"
where R(x) = set(x), K(x) = keep(x)
function set(x) { s[7] = s[7] + 1; s[0] = x }
function keep(x) { v[0] = x }
function through(place) { place = s[2] ^ s[3] }
)",
                       {"R = s[2] + s[3]", "through(R)", "if s[2] < 5 { R = s[2] }", "K = v[1] + v[2]"});
    ASSERT_TRUE(bench);
    bench.set("s2", 3);
    bench.set("s3", 10);
    bench.execute(0);
    EXPECT_EQ(bench.get("s0"), 13u);
    bench.execute(1);
    EXPECT_EQ(bench.get("s0"), 9u);
    bench.execute(2);
    EXPECT_EQ(bench.get("s0"), 3u);
    EXPECT_EQ(bench.get("s7"), 3u);
    bench.set("s2", 5);
    bench.execute(2);
    EXPECT_EQ(bench.get("s7"), 3u);
    for (unsigned lane = 0; lane < 4; ++lane) bench.set("v1", lane, lane), bench.set("v2", 100, lane);
    bench.execute(3);
    for (unsigned lane = 0; lane < 4; ++lane) EXPECT_EQ(bench.get("v0", lane), 100 + lane);
}

std::string problems(const std::string& rest) {
    SourceManager sources;
    Diagnostics diagnostics;
    const std::string head = "isa a\ncode unit 16 little\nregisters r : 3 of u16 \"r{n}\"\n";
    const auto isa = load_isa_text("machine.isa", head + rest, sources, diagnostics);
    if (isa) check_isa(*isa, diagnostics);
    return to_text(diagnostics, sources);
}

TEST(Encodings, ARuleIsNoValue) {
    const std::string head =
        "format F | OP:4 | D:r | A:r | -:6 | where R(x) = set(D, x)\nfunction set(d, x) { d = x }\n";
    EXPECT_EQ(problems(head + "instructions F [OP] \"{name} {D}, {A}\" {\n    1 a R = A\n}\n"), "");
    EXPECT_NE(problems(head + "instructions F [OP] \"{name} {D}, {A}\" {\n    1 a D = R\n}\n").find("has a rule"),
              std::string::npos);
    EXPECT_NE(problems(head + "instructions F [OP] \"{name} {D}, {A}\" {\n    1 a R += A\n}\n").find("alone"),
              std::string::npos);
}

TEST(Encodings, FactsAreOfTheRow) {
    const std::string head = R"(operand source : 5 {
    0 0 n:r  "{n}"   = n
    0 1 n:r  "-{n}"  = n, negative = 1
    1 n:u4   "#{n}"  = u16(n)
}
format F | OP:4 | D:r | S:source | -:4 | where X = S.negative ? -S : S
instructions F [OP] "{name} {D}, {S}" {
    1 a D = X
    2 b D = S.positive
}
)";
    EXPECT_NE(problems(head).find("`positive`"), std::string::npos) << problems(head);
    EXPECT_EQ(problems(head).find("negative"), std::string::npos) << problems(head);
}

// What a name stands for is worked out where it is mentioned, by the statements or by another name that is.
TEST(Encodings, NamesThatNobodyMentionsDoNothing) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa_text("machine.isa", R"(isa a
code unit 16 little
registers r : 3 of u16 "r{n}"
register asked : u16
memory mem : u8 little holds code
format F | OP:4 | D:r | A:r | -:6 | where X = ask(A), Y = X + 1, R(x) = set(D, Y + x)
function ask(a) { asked = asked + 1; return a }
function set(d, x) { d = x }
instructions F [OP] "{name} {D}, {A}" where Z = Y + 1 {
    1 plain D = A
    2 first D = X
    3 third D = Z
    4 ruled R = A
}
)",
                                   sources, diagnostics);
    ASSERT_TRUE(isa) << to_text(diagnostics, sources);
    check_isa(*isa, diagnostics);
    EXPECT_TRUE(diagnostics.ok()) << to_text(diagnostics, sources);
    const Index r = 0, asked = 1;
    for (const auto& [opcode, times, result] :
         {std::tuple{1, 0u, 40u}, std::tuple{2, 1u, 40u}, std::tuple{3, 1u, 42u}, std::tuple{4, 1u, 81u}}) {
        Machine machine(std::make_shared<const Codec>(isa), {});
        const auto word = static_cast<std::uint16_t>(opcode << 12 | 1 << 9 | 2 << 6);
        const std::uint8_t code[] = {static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8)};
        machine.load_code(code);
        machine.set(r, 2, 40);
        machine.run(1);
        EXPECT_EQ(machine.get(r, 1), result) << opcode;
        EXPECT_EQ(machine.get(asked, 0), times) << opcode;
    }
}

TEST(Encodings, NamesThatNobodyMentionsAreChecked) {
    const std::string of_format =
        "format F | OP:4 | D:r | A:r | -:6 | where X = nowhere + A\n"
        "instructions F [OP] \"{name} {D}, {A}\" {\n    1 a D = A\n}\n";
    EXPECT_NE(problems(of_format).find("`nowhere`"), std::string::npos);
    const std::string of_table =
        "format F | OP:4 | D:r | A:r | -:6 |\n"
        "instructions F [OP] \"{name} {D}, {A}\" where X = nowhere + A {\n    1 a D = A\n}\n";
    EXPECT_NE(problems(of_table).find("`nowhere`"), std::string::npos);
}

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

TEST(Encodings, FloatsOfEachWidthHaveRulesOfTheirOwn) {
    BenchMachine bench(
        R"(registers s : 3 of u32 "s{n}"
registers d : 2 of u64 "d{n}"
register control : u8
mode narrow : u2 = control[1:0]
mode wide : u2 = control[3:2]
mode kept : u2 = control[5:4]
floats f32 rounding narrow nearest up down zero subnormals kept flush keep_inputs keep_results keep
floats f64 rounding wide nearest up down zero
)",
        {"s[0] = s[1] +. s[2]", "d[0] = d[1] +. d[2]", "s[0] = floats(\"up keep\", s[1] +. s[2])", "s[0] = s[1] *. 0.5",
         "s[0] = s[1] +. 0.0", "s[0] = floats(\"flush\", s[1] *. 1.0)", "s[0] = round_half_even(s[1])",
         "s[0] = flush(s[1])", "s[0] = exp2(s[1])", "s[0] = log2(s[1])"});
    ASSERT_TRUE(bench);
    bench.set("s1", bits(1.0f));
    bench.set("s2", bits(1e-10f));
    bench.set("d1", bits(1.0));
    bench.set("d2", bits(1e-30));
    const std::uint32_t above = bits(1.0f) + 1;
    for (unsigned narrow = 0; narrow < 4; ++narrow)
        for (unsigned wide = 0; wide < 4; ++wide) {
            bench.set("control", narrow | wide << 2 | 0x30);
            bench.execute(0);
            EXPECT_EQ(bench.get("s0"), narrow == 1 ? above : bits(1.0f));
            bench.execute(1);
            EXPECT_EQ(bench.get("d0"), wide == 1 ? bits(1.0) + 1 : bits(1.0));
            bench.execute(2);
            EXPECT_EQ(bench.get("s0"), above);
        }
    constexpr std::uint32_t least = 0x00800000, subnormal = 0x00400000;
    for (unsigned kept = 0; kept < 4; ++kept) {
        bench.set("control", kept << 4);
        bench.set("s1", least);
        bench.execute(3);
        EXPECT_EQ(bench.get("s0"), (kept & 2) != 0 ? subnormal : 0u) << kept;
        bench.set("s1", subnormal | 0x80000000);
        bench.execute(4);
        EXPECT_EQ(bench.get("s0"), kept == 3 ? subnormal | 0x80000000 : kept == 1 ? 0x80000000 : 0u) << kept;
        bench.execute(5);
        EXPECT_EQ(bench.get("s0"), 0x80000000u);
        bench.execute(7);
        EXPECT_EQ(bench.get("s0"), 0x80000000u);
    }
    for (unsigned narrow = 0; narrow < 4; ++narrow) {  // the operation's own direction
        bench.set("control", narrow | 0x30);
        bench.set("s1", bits(2.5f));
        bench.execute(6);
        EXPECT_EQ(bench.get("s0"), bits(2.0f));
        bench.set("s1", bits(3.0f));
        bench.execute(8);
        EXPECT_EQ(bench.get("s0"), bits(8.0f));
        bench.set("s1", bits(8.0f));
        bench.execute(9);
        EXPECT_EQ(bench.get("s0"), bits(3.0f));
    }
}

}  // namespace
}  // namespace isaforge

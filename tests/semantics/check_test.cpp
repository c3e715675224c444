// Meanings that do not type-check, and what is said about them: the whole report, as it is printed.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "isaforge/isa.hpp"
#include "semantics/check.hpp"

namespace isaforge {
namespace {

const char* const declarations = R"(isa bench "Bench"
code unit 32 little
registers r : 5 of u32 "r{n}"
registers v : 5 of u32 lanes 64 "v{n}"
register latch : u16
register flag : u1
register exec : u64
register status : u32 { MODE = 7:6, TRAP = 26, DONE }
memory data : u8 little
constant limit = 12
operand size : 2 {
    00 "b" = 8
    01 "h" = 16
    10 "w" = 32
    11 reserved
}
operand source : 6 {
    0 n:r "{n}" = n
    1 k:5 "{k}" = u32(k)
}
number small = u7
type word = u(limit + 20)
type like(x) = s(bits(x))
type endless(n) = u(bits(endless(n)(1)))
function twice(x) = x + x
function loop(x) = other(x)
function other(x) = loop(x)
function maybe(x) { if (x[0]) { return x } }
function low(x, n) = x[n-1:0]
function through(f, x) = f(x)
format F | OP:4 | SIZE:size | S:source | K:small | -:3 | A:r | B:r |
format G | 11 | OP:2 | -:18 | A:v | B:v |
)";

// The report on one row of format F, or of format G under a lane mask.
std::string report(const std::string& meaning, bool lanes = false) {
    std::string text = declarations;
    text += lanes ? "instructions G [OP] \"{name} {A}, {B}\" lanes 64 under exec[lane()] {\n"
                  : "instructions F [OP] \"{name} {SIZE}, {S}, {K}, {A}, {B}\" {\n";
    text += "0 op " + meaning + "\n}\n";
    SourceManager sources;
    Diagnostics loading, found;
    auto isa = load_isa_text("bench.isa", text, sources, loading);
    if (!isa) return "does not load: " + to_text(loading, sources);
    bool good = semantics::check_semantics(*isa, found);
    EXPECT_EQ(good, found.errors() == 0) << meaning;
    return to_text(found, sources);
}

struct Case {
    const char* meaning;
    const char* message;  // the first line of the report without its place
    bool lanes = false;
};

std::string first_message(const std::string& text) {
    std::string line = text.substr(0, text.find('\n'));
    std::size_t at = line.find("error: ");
    if (at == std::string::npos) at = line.find("warning: ");
    return at == std::string::npos ? line : line.substr(at);
}

const Case wrong[] = {
    {"A = lacth", "error: `lacth` is not known here"},
    {"latch = A", "error: the target is u16 but the value is u32: cut it with u16(…)"},
    {"A = B + 0x100000000", "error: 4294967296 does not fit in 32 bits"},
    {"flag = 2", "error: 2 does not fit in 1 bits"},
    {"A = 1.5 + B", "error: `+` computes with integers: write +. for floats"},
    {"flag = flag +. flag", "error: there is no float of 1 bits, only of 16, 32 and 64"},
    {"A = s32(A) < B ? A : B", "error: one side of `<` is s32, the other u32: convert one, for the sign matters here"},
    {"A = r", "error: `r` has 32 registers: say which, as in r[0]"},
    {"A = r[32]", "error: `r` has registers 0 to 31, not 32"},
    {"A = A[32]", "error: bit 32 of a u32 value"},
    {"status.TARP = 1", "error: `status` has no field `TARP`"},
    {"r[3].TRAP = 1", "error: `r` has no field `TRAP`"},
    {"A = (A + B).TRAP", "error: this has no named fields: registers have"},
    {"A = small.TRAP", "error: `small` is not known here"},
    {"A = data.TRAP", "error: expected data.TYPE[address], a type such as u32, or data[address] for one cell"},
    {"A = data.wrd[B]", "error: there is no type `wrd`"},
    {"A = like(latch)(B)", "error: the target is u32 but the value is s16: widen it with s32(…)"},
    {"A = like(A, B)(B)", "error: `like` takes 1 argument (`x`), not 2"},
    {"A = like(B)", "error: `like` takes 1 argument (`x`), not 0"},
    {"A = word(A, B)", "error: a conversion takes one value, not 2"},
    {"A = endless(1)(B)", "error: nested more than 200 deep, with the functions and names that are used here"},
    {"A = case flag { 0: A }", "error: no case is for 1: write `else:`"},
    {"A = case A { 0: 1; 3, 1..2: 2; 2: 3; else: 4 }", "error: this is never reached: another case has it"},
    {"case flag { 0, 2: A = 1 }", "error: a u1 is never 2"},
    {"case A { 5..4: A = 1 }", "error: 5..4 is empty"},
    {"case A { B: A = 1 }", "error: a value of a `case` must be known when the instruction is decoded"},
    {"A = case flag { 0: A; 1: B; else: 3 }", "warning: the `else` of this is never reached"},
    {"A = case limit { 3: A }", "error: no case is for 12: write `else:`"},
    {"A = through(A, B)", "error: `f` is called, but what it stands for here is no function"},
    {"A = through(<<, B)", "error: `<<` takes two sides, but `f` is called with 1"},
    {"A = through(max, B)", "error: `max` takes 2 arguments (a, b), not 1"},
    {"A = twice(twice)", "error: `twice` is a function: call it, as in twice(…)"},
    {"A = twice(+)", "error: `+` is an operator, not a value"},
    {"r[1 +: 2] = A", "error: the target is u64 but the value is u32: widen it with u64(…)"},
    {"r[31 +: 2] = exec", "error: `r` has registers 0 to 31, not 32"},
    {"r[1 +: 4] = r[1 +: 2]", "error: 128 bits of targets: no value is wider than 64"},
    {"exec = r[1 +: 4]", "error: 4 values of 32 bits: no value is wider than 64, so take one, as in t[0]"},
    {"A = r[1 +: 4][4]", "error: there are 4 here, 0 to 3, not 4"},
    {"A = r[1 +: 4][B]", "error: which of these is meant must be known when the instruction is decoded"},
    {"A = r[1 +: 2][7:0]",
     "error: t[i] is one of these, and not a bit: convert them for their bits, as in u64(t)[7:0]"},
    {"exec = r[1 +: A]", "error: how many there are must be known when the instruction is decoded"},
    {"exec = r[1 +: 65]", "error: 1 to 64 can stand side by side, not 65"},
    {"A = u32(A[30 +: 4])", "error: bits 33..30 of a u32 value"},
    {"status.TRAP = 2", "error: 2 does not fit in 1 bits"},
    {"status.TRAP = A", "error: the target is u1 but the value is u32: cut it with u1(…)"},
    {"A = u32(A[40:30])", "error: bits 40..30 of a u32 value"},
    {"A = u32(A[3:7])", "error: [3:7] is no slice: the high bit stands first"},
    {"A = A[B:0]", "error: the bounds of a slice must be known when the instruction is decoded"},
    {"A = u65(A)", "error: a type of 65 bits: 1 to 64 are possible"},
    {"A = u32(A, B)", "error: a conversion takes one value, not 2"},
    {"A + B = A", "error: this cannot be assigned: it is a value, not a register, memory or local"},
    {"K = 1", "error: this cannot be assigned: it is a value, not a register, memory or local"},
    {"limit = 1", "error: this cannot be assigned: it is a value, not a register, memory or local"},
    {"A = twice(A, B)", "error: `twice` takes 1 argument (`x`), not 2"},
    {"A = twcie(A)", "error: there is no function `twcie`"},
    {"A = loop(A)", "error: `loop` calls itself: a meaning cannot be recursive"},
    {"A = maybe(A)", "error: not every path through `maybe` returns a value"},
    {"A = sqrt(latch)", "error: the target is u32 but the value is u16: widen it with u32(…)"},
    {"A = min_number(A, latch)", "error: the arguments of `min_number` are u32 and u16: they must be of one width"},
    {"A = unsigned_to_float(A, 24)", "error: there is no float of 24 bits, only of 16, 32 and 64"},
    {"A = u32(exceptions(sin(A)))", "error: it is not said which exceptions `sin` raises"},
    {"A = floats(B, A +. B)", "error: the number of a direction must be known when the instruction is decoded"},
    {"A = floats(\"away\", A +. B)",
     "error: the rules are in quotes: \"nearest\", \"nearest_away\", \"up\", \"down\" or \"zero\"; \"keep\", "
     "\"flush\", "
     "\"keep_inputs\" or \"keep_results\"; or both; or a number that is known when the instruction is decoded"},
    {"A = float_to_unsigned(A, B)", "error: this argument must be known when the instruction is decoded"},
    {"A = insert(A, 30, latch)", "error: 16 bits at 30 do not fit a u32"},
    {"signal(A)", "error: a signal's name is written in quotes: signal(\"irq\")"},
    {"stop(1)", "error: `stop` takes 0 arguments (), not 1"},
    {"A = data.u24[B]", "error: memory is accessed in 8, 16, 32 or 64 bits, not in 24"},
    {"data.u16[A] = B", "error: the target is u16 but the value is u32: cut it with u16(…)"},
    {"A = latch + latch", "error: the target is u32 but the value is u16: widen it with u32(…)"},
    {"A = A + (latch << 3)", "error: `A` is u32 but the right side is u16: widen the right side with u32(…)"},
    {"A = A & ~flag", "error: `A` is u32 but the right side is u1: widen the right side with u32(…)"},
    {"A = B - (flag ? latch *. 2 : latch)",
     "error: `B` is u32 but the right side is u16: widen the right side with u32(…)"},
    {"A = B +. latch", "error: `B` is u32 but `latch` is u16: widen it with u32(latch)"},
    {"A = B + s16(latch)", "error: `B` is u32 but the right side is s16: widen the right side with s32(…)"},
    {"flag = s32(A) < latch", "error: the left side is s32 but `latch` is u16: widen it with u32(latch)"},
    {"A, B = A", "error: the target is u64 but the value is u32: widen it with u64(…)"},
    {"A ++ B = A", "error: the target is u64 but the value is u32: widen it with u64(…)"},
    {"flag = flag == 2", "error: 2 does not fit in 1 bits"},
    {"flag = A < latch[5:0] ++ latch ++ exec", "error: 86 bits side by side: no value is wider than 64"},
    {"flag = latch == u32(0x10000)", "warning: this is always the same: one side has 16 bits, the other is 65536"},
    {"A = A + (v[1] == v[2])", "error: `A` is u32 but the right side is u1: widen the right side with u32(…)"},
    {"A = B after 64", "error: a result can come 0 to 63 instructions late"},
    {"A[3:0] = B[3:0] after 1", "error: only whole registers of one lane, and pc, can be written late"},
    {"data.u32[A] = B after 1", "error: only whole registers of one lane, and pc, can be written late"},
    {"for i in 0..B { A = A + 1 }", "error: the bound of a loop must be known when the instruction is decoded"},
    {"for i in 0..1000000 { A = A + 1 }", "error: a loop of more than 4096 rounds"},
    {"for i in 0..4000 { for k in 0..4000 { A = A + 1 } }", "error: the meaning of this instruction is too large"},
    {"let x = 5; x = x + 1", "error: the width of this number does not follow from anything: convert it, as in u32(1)"},
    {"A = u64(A) ++ B", "error: 96 bits side by side: no value is wider than 64"},
    {"A = 5 / 0", "error: division by zero"},
    {"A = v[1]", "error: 64 lanes do not fit a target of one: use element(), lane_bits() or a sum"},
    {"r[v[1]] = 0", "error: the number of a register cannot differ from lane to lane"},
    {"pc = v[1]", "error: pc is one for all lanes"},
    {"r[0] = A", "error: 64 lanes do not fit a target of one: use element(), lane_bits() or a sum", true},
    {"if (A == B) { exec = 0 }",
     "error: a target of one lane is written under a condition that differs from lane to lane", true},
    {"let unused = A; B = A", "warning: `unused` is never read"},
    {"let unused = A; if (SIZE == 16) { unused = B }", "warning: `unused` is never read"},
};

TEST(CheckSemantics, SaysWhatIsWrong) {
    for (const Case& each : wrong) {
        std::string text = report(each.meaning, each.lanes), message = first_message(text);
        EXPECT_EQ(message.substr(0, std::string(each.message).size()), each.message) << each.meaning << '\n' << text;
    }
}

const char* const right[] = {
    "A = B + latch + flag",
    "A = latch & 7 ^ K | flag",
    "A = flag ? latch : B",
    "data.u32[B] = latch",
    "case A { 1: B = 2; else: { A = 1 } }",
    "r[A +: 4] = data.u32[B +: 4]; exec = r[0 +: 2] + K; A = u64(r[0 +: 2])[40:9]",
    "A = data.word[word(latch)]; data.word[B] = A",
    "A = u32(like(latch)(A)); data.u(16)[B] = A[15:0]",
    "A = max(latch, B) + u32(~flag)",
    "let x = latch; A += x",
    "let x = A; if (SIZE == 16) { B = x }",
    "let x = A; B = SIZE == 16 ? x : 0",
    "let x = A; if (SIZE == 16) { data.u32[x] = B }",
    "latch = A[31:16]",
    "flag = A <. 1.5",
    "A = S",
    "A = S + limit",
    "A = twice(S)",
    "A = low(A, SIZE)",
    "A = sqrt(A) after 3",
    "pc = A after 1",
    "A = r[B[4:0]]",
    "r[K] = A",
    "A = u32(K)",
    "data.u(SIZE)[A] = B[SIZE-1:0]",
    "A = u32(data.u(SIZE)[B])",
    "for i in 0..31 { A = A ^ (B >> i) }",
    "if (flag) { A = B } else { stop() }",
    "let x = A; A = B; B = x",
    "A[7:0] = B[15:8]",
    "A = flag ? data.u32[B] : 0",
    "A, B = u64(A) * u64(B)",
    "A = -1",
    "A = ~A & 0xff",
    "A = A *. 2",
    "latch = latch +. 1",
    "flag = A[3] && !flag",
    "status.MODE = 3; flag = status.DONE || status.MODE[0]",
};

TEST(CheckSemantics, LeavesGoodMeaningsAlone) {
    for (const char* meaning : right) EXPECT_EQ(report(meaning), "") << meaning;
    for (const char* meaning :
         {"A = A + B", "A = A +. 1", "exec = lane_bits(A < B)", "if (A[0]) { A = B } else { A = 0 }", "A = data.u32[B]",
          "A = exec[lane()] ? A : B", "A = r[3]", "A = element(B, A)"})
        EXPECT_EQ(report(meaning, true), "") << meaning;
}

TEST(CheckSemantics, PointsAtThePlaceAndSuggests) {
    EXPECT_EQ(report("A = latc"), R"(bench.isa:34:10: error: `latc` is not known here
0 op A = latc
         ^~~~
         latch
)");
    EXPECT_EQ(report("A = twice(latch)"),
              R"(bench.isa:34:6: error: the target is u32 but the value is u16: widen it with u32(…)
0 op A = twice(latch)
     ^~~~~~~~~~~~~~~~
bench.isa:34:10: note: this is not widened by itself: what its bits could not hold is lost, or it is a float
0 op A = twice(latch)
         ^~~~~~~~~~~~
)");
}

TEST(CheckSemantics, SaysWhereAFunctionWasCalled) {
    std::string text = report("A = low(A, 40)");
    EXPECT_NE(text.find("error: bits 39..0 of a u32 value"), std::string::npos) << text;
    EXPECT_NE(text.find("note: called here as `low`"), std::string::npos) << text;
}

const char* const of_variants = R"(isa bench "Bench"
variants one two three
code unit 32 little
registers r : 5 of u32 "r{n}"
register half : u16
operand source : 6 {
    0 n:r "{n}" = n
    1 k:5 "{k}" = u32(k)
}
constant limit = 12 only one
constant limit = 40 only two three
function through(x) = ends(x)
function ends(x) = u32(x[limit:0])
format F | OP:8 | S:source | A:r | B:r | -:8 |
instructions F [OP] "{name} {S}, {A}, {B}" {
    0 add   A = B + S
    1 lost  A = nowhere
    2 cut   half = A
    3 part  A = u32(B[limit:0])
    4 own   A = absent  only two
    5 late  A = S[3] + half
    6 mute
    7 calls A = through(B)
}
)";

std::string report_on(const Isa& isa, const SourceManager& sources, MeaningsChecked* done) {
    Diagnostics found;
    semantics::check_semantics(isa, found, done);
    return to_text(found, sources);
}

// Several threads, each with a variant of its own, find what one finds that looks at that variant alone.
TEST(CheckSemantics, SaysOfVariantsAtOnceWhatItSaysOfEach) {
    SourceManager sources;
    std::vector<std::shared_ptr<const Isa>> variants;
    std::vector<std::string> alone;
    for (const char* const name : {"one", "two", "three"}) {
        Diagnostics loading;
        LoadOptions options;
        options.variant = name;
        variants.push_back(load_isa_text("bench.isa", of_variants, sources, loading, options));
        ASSERT_TRUE(variants.back()) << to_text(loading, sources);
        alone.push_back(report_on(*variants.back(), sources, nullptr));
        EXPECT_NE(alone.back().find("nowhere"), std::string::npos);
    }
    EXPECT_EQ(alone[0].find("bits 40..0"), std::string::npos);
    EXPECT_NE(alone[1].find("bits 40..0"), std::string::npos) << alone[1];
    EXPECT_NE(alone[1].find("absent"), std::string::npos);
    EXPECT_EQ(alone[2].find("absent"), std::string::npos);
    EXPECT_EQ(alone[0].find("called here"), std::string::npos);
    EXPECT_NE(alone[2].find("called here"), std::string::npos) << alone[2];
    for (int round = 0; round < 20; ++round) {
        MeaningsChecked done;
        std::vector<std::string> together(2 * variants.size());
        {
            std::vector<std::jthread> threads;
            for (std::size_t i = 0; i < together.size(); ++i)
                threads.emplace_back(
                    [&, i] { together[i] = report_on(*variants[i % variants.size()], sources, &done); });
        }
        for (std::size_t i = 0; i < together.size(); ++i) EXPECT_EQ(together[i], alone[i % variants.size()]);
    }
}

}  // namespace
}  // namespace isaforge

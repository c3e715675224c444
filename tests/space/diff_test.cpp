// Comparisons of a description with one that was changed in one place: the change is found, and nothing else.
#include <gtest/gtest.h>

#include "isa/diff.hpp"

namespace isaforge::test {
namespace {

const std::string original = R"(isa sample
code unit 16 little
constant top = 7
registers r : 3 of u16 "r{n}"
memory data : u8 little
enum size : 2 { "b" "h" "w" "d" }
operand long : 1 {
    0 ""
    1 ".l" | ""
}
reserved 0000000000000000 "zeros"
pool main 0001 .. 0111 for ALU capacity 7
format ALU  | OP:4 | D:r | A:r | B:r | S:size | -:1 |
format LOAD | OP:4 | D:r | L:long | K:s8/s24 by L |
instructions ALU [OP] "{name}.{S} {D}, {A}, {B}" {
    1  add  "Addition"     D = A + B
    2  sub  "Subtraction"  D = A - B
    3  mul  "Multiplication"
    4  not
}
instructions LOAD [OP] "{name}{L} {D}, {K}" {
    8  li   D = u16(K)
    9  lj
}
)";

std::shared_ptr<const Isa> load(const std::string& text) {
    SourceManager sources;
    Diagnostics diagnostics;
    auto isa = load_isa_text("test.isa", text, sources, diagnostics);
    EXPECT_TRUE(isa) << to_text(diagnostics, sources);
    return isa;
}

// One line for each change: subject, sign, name, and its differences.
std::vector<std::string> lines_of(const std::vector<Change>& changes) {
    static constexpr const char* subjects[] = {"machine", "registers", "memory", "operand",
                                               "pool",    "reserved",  "format", "instruction"};
    std::vector<std::string> out;
    for (const Change& change : changes) {
        std::string line = subjects[static_cast<int>(change.subject)];
        line += change.verb == Change::Verb::added ? " +" : change.verb == Change::Verb::removed ? " -" : " ~";
        line += change.name;
        if (change.renamed) line += " renamed";
        if (change.moved) line += " moved";
        for (const ChangedPart& d : change.differences) line += "; " + d.what + " [" + d.before + "] [" + d.after + "]";
        out.push_back(line);
    }
    return out;
}

struct Mutation {
    const char *name, *from, *to;
    std::vector<std::string> expected;
};

class Mutated : public testing::TestWithParam<Mutation> {};

TEST_P(Mutated, IsTheOnlyDifference) {
    const auto& [name, from, to, expected] = GetParam();
    std::string changed = original;
    const std::size_t at = changed.find(from);
    ASSERT_NE(at, std::string::npos);
    changed.replace(at, std::string(from).size(), to);
    const auto before = load(original), after = load(changed);
    ASSERT_TRUE(before && after);
    EXPECT_EQ(lines_of(compare(*before, *after)), expected);
    // The other way round it is as many changes of the same things.
    EXPECT_EQ(compare(*after, *before).size(), expected.size());
}

INSTANTIATE_TEST_SUITE_P(
    One, Mutated,
    testing::Values(
        Mutation{"comment", "isa sample\n", "isa sample  // a comment\n\n", {}},
        Mutation{"order",
                 "    3  mul  \"Multiplication\"\n    4  not\n",
                 "    4  not\n    3  mul  \"Multiplication\"\n",
                 {}},
        Mutation{"constant", "top = 7", "top = 8", {"machine ~constant top; value [7] [8]"}},
        Mutation{"order_of_bytes", "16 little", "16 big", {"machine ~code; order [little] [big]"}},
        Mutation{"register_names",
                 "\"r{n}\"",
                 "\"r{n}\" { 7 \"sp\" }",
                 {"registers ~r; name [7 \"r7\"] [7 \"r7\" | \"sp\"]"}},
        Mutation{"memory", "u8 little", "u16 little", {"memory ~data; cells [u8] [u16]"}},
        Mutation{"entry", "\"w\" \"d\"", "\"w\" \"q\"", {"operand ~size; entry [3 \"d\"] [3 \"q\"]"}},
        Mutation{"row", "0 \"\"\n", "0 \".s\"\n", {"operand ~long; row [0 \"\"] [0 \".s\"]"}},
        Mutation{"pool",
                 ".. 0111 for ALU capacity 7",
                 ".. 1000 for ALU capacity 8",
                 {"pool ~main; bounds [0001 .. 0111] [0001 .. 1000]; capacity [7] [8]"}},
        Mutation{"reserved", "\"zeros\"", "\"none\"", {"reserved ~0000000000000000; reason [zeros] [none]"}},
        Mutation{"bar",
                 "| A:r | B:r |",
                 "| B:r | A:r |",
                 {"format ~ALU; bar [| OP:4 | D:r | A:r | B:r | S:size | 0 | 16 bits] [| OP:4 | D:r | B:r | A:r | "
                  "S:size | 0 | 16 bits]"}},
        Mutation{"moved", "4  not", "5  not", {"instruction ~not moved; opcode [OP 4] [OP 5]"}},
        Mutation{"renamed_by_title", "mul  \"M", "times  \"M", {"instruction ~times renamed; name [mul] [times]"}},
        Mutation{"renamed_and_moved",
                 "3  mul  \"M",
                 "6  times  \"M",
                 {"instruction ~times renamed moved; name [mul] [times]; opcode [OP 3] [OP 6]"}},
        Mutation{"renamed_by_encoding", "4  not", "4  inv", {"instruction ~inv renamed; name [not] [inv]"}},
        Mutation{"replaced",
                 "3  mul  \"Multiplication\"",
                 "3  div  \"Division\"",
                 {"instruction -mul; title [Multiplication] []; opcode [OP 3] []",
                  "instruction +div; title [] [Division]; opcode [] [OP 3]"}},
        Mutation{"removed", "    4  not\n", "", {"instruction -not; opcode [OP 4] []"}},
        Mutation{"added", "    4  not\n", "    4  not\n    5  neg\n", {"instruction +neg; opcode [] [OP 5]"}},
        Mutation{"second_name", "4  not", "4  not | inv", {"instruction ~not; name [not] [not | inv]"}},
        Mutation{"title", "Addition", "Sum", {"instruction ~add; title [Addition] [Sum]"}},
        Mutation{"meaning", "D = A + B", "D = B + A", {"instruction ~add; meaning [] []"}},
        Mutation{"text",
                 "{name}{L} {D}, {K}",
                 "{name}{L} {D} = {K}",
                 {"instruction ~li; text [{name}{L} {D}, {K}] [{name}{L} {D} = {K}]",
                  "instruction ~lj; text [{name}{L} {D}, {K}] [{name}{L} {D} = {K}]"}}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(Comparison, OfTheSameIsEmpty) {
    SourceManager sources;
    Diagnostics diagnostics;
    for (const char* name : {"gcn-sample.isa", "fabrisc-sample.isa"}) {
        const std::string path = std::string(ISAFORGE_SOURCE_DIR "/tests/isas/") + name;
        const auto isa = load_isa(path, sources, diagnostics), again = load_isa(path, sources, diagnostics);
        ASSERT_TRUE(isa && again);
        EXPECT_EQ(lines_of(compare(*isa, *again)), std::vector<std::string>{});
    }
}

TEST(Comparison, FollowsAnInstructionIntoAnotherFormat) {
    std::string changed = original;
    changed.replace(changed.find("    4  not\n"), 10, "");
    const auto before = load(original);
    const auto after =
        load(changed + "format NONE | OP:16 |\ninstructions NONE [OP] \"{name}\" {\n    0xf000  not\n}\n");
    EXPECT_EQ(
        lines_of(compare(*before, *after)),
        (std::vector<std::string>{"format +NONE; bar [] [| OP:16 | 16 bits]",
                                  "instruction ~not moved; formats [ALU 16] [NONE 16]; opcode [OP 4] [OP 0xf000]; "
                                  "operands [D:r A:r B:r S:size] [none]; "
                                  "text [{name}.{S} {D}, {A}, {B}] [{name}]"}));
}

TEST(Comparison, TellsANewFormatAndItsInstructions) {
    const auto before = load(original);
    const auto after =
        load(original + "format NONE | OP:16 |\ninstructions NONE [OP] \"{name}\" {\n    0xf000  halt\n}\n");
    EXPECT_EQ(lines_of(compare(*before, *after)),
              (std::vector<std::string>{"format +NONE; bar [] [| OP:16 | 16 bits]",
                                        "instruction +halt; opcode [] [OP 0xf000]"}));
}

}  // namespace
}  // namespace isaforge::test

// Descriptions that are right although they look like what is wrong: nothing is said of them.
#include <gtest/gtest.h>

#include <string>

#include "isaforge/allocate.hpp"
#include "isaforge/isa.hpp"

namespace isaforge {
namespace {

std::string said(const std::string& text, const LoadOptions& options = {}) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa_text("m.isa", text, sources, diagnostics, options);
    if (isa) check_isa(*isa, diagnostics);
    return to_text(diagnostics, sources);
}

// Both formats have the same two leading opcode bits; the five at the end tell them apart.
const std::string behind_operands = R"(isa m "m"
code unit 16 little
registers r : 3 of u16 "r{n}"
format R | F:2 | D:r | A:r | B:r | OP:5 |
format I | F:2 | D:r | K:s6 | OP:5 |
instructions R [F, OP] "{name} {D}, {A}, {B}" {
    0    1  add
    1    1  sub
    auto 1  xor
    auto 1  or
}
instructions I [F, OP] "{name} {D}, {K}" {
    0    2  li
    1    2  addi
    2    2  subi
    3    2  andi
}
)";

TEST(Accepted, OpcodesBehindOperandsTellRowsApart) {
    EXPECT_EQ(said(behind_operands), "");
    SourceManager sources;
    Diagnostics diagnostics;
    const auto draft = load_isa_text("m.isa", behind_operands, sources, diagnostics, {.draft = true});
    ASSERT_TRUE(draft);
    std::vector<AutoChoice> choices;
    ASSERT_TRUE(allocate(*draft, choices, diagnostics)) << to_text(diagnostics, sources);
    ASSERT_EQ(choices.size(), 2u);
    EXPECT_EQ(choices[0].value, 2u);
    EXPECT_EQ(choices[1].value, 3u);
}

TEST(Accepted, OneRowMoreThanThereAreOpcodesBehindOperandsIsAProof) {
    std::string text = behind_operands;
    text.insert(text.find("    auto 1  or"), "    auto 1  nor\n");
    EXPECT_EQ(said(text).substr(0, said(text).find('\n')),
              "m.isa:9:5: error: the rows of format R that wait for opcodes do not fit beside one another and those "
              "that have "
              "one; every choice was tried");
}

TEST(Accepted, ATableThatAParameterTakesAway) {
    const std::string text = R"(isa m "m"
code unit 16 little
parameter has_mul = 1 in 0, 1
registers r : 3 of u16 "r{n}"
format R | OP:4 | D:r | A:r | B:r | -:3 |
instructions R [OP] "{name} {D}, {A}, {B}" {
    1  add  D = A + B
}
instructions R [OP] "{name} {D}, {A}, {B}" if has_mul == 1 {
    2  mul  D = A * B
}
)";
    for (const std::uint64_t value : {0, 1}) {
        LoadOptions options;
        options.parameters["has_mul"] = value;
        EXPECT_EQ(said(text, options), "");
    }
}

TEST(Accepted, AnAliasOfASpecialCaseThatNamesItsRowDotsIncluded) {
    EXPECT_EQ(said(R"(isa m "m"
code unit 16 little
registers r : 5 of u32 "r{n}"
format RR | F:6 | D:r | S:r |
instructions RR [F] "{name} {D}, {S}" {
    1  c.add  D = D + S
}
instructions RR [F] with S = 0 "{name} {D}" {
    c.add  c.keep alias
}
instructions RR [F] with D = 0, S = 0 "{name}" {
    c.add  c.nop alias
}
)"),
              "");
}

TEST(Accepted, EvenAndOddNumbersOfWideOperands) {
    EXPECT_EQ(said(R"(isa m "m"
code unit 32 little
operand even : 16 { k:16 in 0..65534 step 2  "{k}" = u32(k) }
operand odd  : 16 { a:4 b:12 in 1..4095 step 2  "{a}:{b}" = u32(b) }
register t : u32
format A | P:even | 1:16 |
format B | K:odd  | 1:16 |
instructions A [] "{name} {P}" {
    one  t = P
}
instructions B [] "{name} {K}" {
    two  t = K
}
)"),
              "");
}

}  // namespace
}  // namespace isaforge

// Symbols in operands: a word behind the instruction that operands share, names of registers, and where an expression ends.
#include "assembler/assemble_text.hpp"
#include "isaforge/disassembler.hpp"

namespace isaforge {
namespace {

using testing::assemble_text;
using testing::Assembled;

const Codec& gcn() { return testing::sample("gcn-sample", "gcn1.2"); }

std::unique_ptr<Assembled> assemble_gcn(const std::string& text, bool flat = true) {
    AssembleOptions options;
    options.flat = flat;
    return assemble_text(text, options, gcn());
}

std::string bytes_of(const std::string& text) {
    const auto made = assemble_gcn(text);
    return made->good ? made->hex(".text") : made->messages();
}

TEST(SharedLiteral, SymbolsAreComparedOnceTheyAreKnown) {
    const std::string both = "ffff008045230100";
    EXPECT_EQ(bytes_of("s_add_u32 s0, 0x12345, 0x12345\n"), both);
    EXPECT_EQ(bytes_of("s_add_u32 s0, here, here\n.set here, 0x12345\n"), both);
    EXPECT_EQ(bytes_of("s_add_u32 s0, here, there\n.set here, 0x12345\n.set there, here + 1 - 1\n"), both);
    EXPECT_EQ(bytes_of("s_add_u32 s0, here, 0x12345\n.set here, 0x12345\n"), both);
    EXPECT_EQ(bytes_of("s_add_u32 s0, 0x12345, here\n.set here, 0x12345\n"), both);
    for (const char* text :
         {"s_add_u32 s0, here, there\n.set here, 0x12345\n.set there, 0x12346\n",
          "s_add_u32 s0, here, there\n.set here, 0x12345\n.set there, 0\n",
          "s_add_u32 s0, here, 0x12346\n.set here, 0x12345\n", "s_add_u32 s0, 0x12346, here\n.set here, 0x12345\n"}) {
        EXPECT_NE(bytes_of(text).find("share one value"), std::string::npos) << text << bytes_of(text);
    }
}

TEST(SharedLiteral, OneRelocationForASymbolOfTheLinker) {
    const auto made = assemble_gcn("s_add_u32 s0, outside, outside\ns_add_u32 s1, s2, outside + 4\n", false);
    ASSERT_TRUE(made->good) << made->messages();
    ASSERT_EQ(made->object.relocations.size(), 2u);
    EXPECT_EQ(made->object.relocations[0].offset, 0u);
    EXPECT_EQ(made->object.relocations[1].offset, 8u);
    const std::string text = disassemble(gcn(), made->object, {});
    EXPECT_NE(text.find("s_add_u32 s0, outside, outside\n"), std::string::npos) << text;
    EXPECT_NE(text.find("s_add_u32 s1, s2, outside + 4\n"), std::string::npos) << text;
    for (const char* wrong :
         {"s_add_u32 s0, outside, other\n", "s_add_u32 s0, outside, outside + 1\n", "s_add_u32 s0, outside, 0x12345\n",
          "s_add_u32 s0, 0x12345, outside\n", "s_add_u32 s0, outside, zero\n.set zero, 0\n"}) {
        const auto refused = assemble_gcn(wrong, false);
        EXPECT_FALSE(refused->good) << wrong;
        EXPECT_NE(refused->messages().find("share one value"), std::string::npos) << wrong << refused->messages();
    }
}

TEST(RegisterNames, AreNoSymbols) {
    for (const char* text : {"s_add_u32 s0, v5, s1\n", "s_add_u32 s0, s1, v5 + 1\n", "s_add_u32 s0, V5, s1\n",
                             "s_and_b32 s0, vcc, s1\n", "s_add_u32 s0, -s1, s1\n"}) {
        const std::string said = bytes_of(text);
        EXPECT_NE(said.find("error: "), std::string::npos) << text << said;
        EXPECT_EQ(said.find("not defined"), std::string::npos) << text << said;
    }
    EXPECT_EQ(bytes_of("v_add_f32 v0, -v1, v2\n"), "000001d101050220");
    EXPECT_EQ(bytes_of(".set v5, 7\ns_add_u32 s0, v5, s1\n"), bytes_of("s_add_u32 s0, 7, s1\n"));
    EXPECT_EQ(bytes_of(".set v500, 7\ns_add_u32 s0, v500, s1\n"), bytes_of("s_add_u32 s0, 7, s1\n"));
}

TEST(Expressions, EndWhereTheTextBehindThemBegins) {
    EXPECT_EQ(bytes_of("v_add_f32 v0, |1|, v2\n"), bytes_of("v_add_f32 v0, abs(1), v2\n"));
    EXPECT_EQ(bytes_of("v_add_f32 v0, |1| , |v2| clamp\n"), bytes_of("v_add_f32 v0, abs(1), abs(v2) clamp\n"));
    EXPECT_EQ(bytes_of("v_add_f32 v0, v2, |1| clamp\n"), bytes_of("v_add_f32 v0, v2, abs(1) clamp\n"));
    EXPECT_EQ(bytes_of("v_add_f32 v0, v2, -|2.0| mul:4\n"), bytes_of("v_add_f32 v0, v2, -abs(2.0) mul:4\n"));
    EXPECT_EQ(bytes_of("v_add_f32 v0, v2, |-16| clamp\n"), bytes_of("v_add_f32 v0, v2, abs(-16) clamp\n"));
    EXPECT_EQ(bytes_of("v_add_f32 v0, v2, |(1 | 2)| clamp\n"), bytes_of("v_add_f32 v0, v2, abs(3) clamp\n"));
    EXPECT_EQ(bytes_of("s_add_u32 s0, s1, 1 | 2\n"), bytes_of("s_add_u32 s0, s1, 3\n"));
    EXPECT_EQ(bytes_of("v_add_f32 v0, v2, |1| clamp\n").size(), 16u);
}

}  // namespace
}  // namespace isaforge

// Whole programs: labels, definitions, statement ends, symbols, relocations, listings, and what is said about mistakes.
#include <random>

#include "assembler/assemble_text.hpp"

namespace isaforge {
namespace {

using testing::assemble_text;

AssembleOptions flat() {
    AssembleOptions options;
    options.flat = true;
    return options;
}

TEST(Program, LabelsAndBranches) {
    const auto made = assemble_text("start: again:\n nop;\n[!cr0] jump start;\n jump end; end: stop_core;\n");
    EXPECT_EQ(made->messages(), "");
    // One word back: opcode 10101, condition 11000, offset 11111111 in bits 21..14, sel 0111, offset 1111111111.
    EXPECT_EQ(made->hex(".text"),
              "00000000"
              "ffdf3fae"
              "011c00a8"
              "000000c0");
}

TEST(Program, StatementsRunOverLinesAndComments) {
    const auto made = assemble_text("fadd r1, // first\n /* second */ r2,\n r3 ; nop;\n");
    EXPECT_EQ(made->messages(), "");
    EXPECT_EQ(made->hex(".text"), "4300212000000000");
}

TEST(Program, TextualDefinitions) {
    const auto plain = assemble_text("fmul r5, r5, r5; copy r5, r6;\n");
    const auto made =
        assemble_text("#def x r5\n#def twice x, x // as in C\nfmul twice, x; copy x, y;\n#undef x\n#def y r6\n");
    EXPECT_NE(made->messages().find("t.s:3:24: error"), std::string::npos) << made->messages();  // y is defined later
    const auto good = assemble_text("#def x r5\n#def twice x, x\n#def y r6;\nfmul twice, x; copy x, y;\n");
    EXPECT_EQ(good->messages(), "");
    EXPECT_EQ(good->hex(".text"), plain->hex(".text"));
}

TEST(Program, DataAddressesAreRelocatedInObjects) {
    const auto made = assemble_text(
        "ploadaddr_l table + 4;\nloadaddr_h table, r3;\njump far;\n.data\n.long 0\ntable: .long table, far - .\n");
    EXPECT_EQ(made->messages(), "");
    ASSERT_EQ(made->object.relocations.size(), 5u);
    EXPECT_EQ(made->object.relocations[0].type, 1u);
    EXPECT_EQ(made->object.relocations[0].addend, 8);
    EXPECT_EQ(made->object.relocations[1].type, 2u);
    EXPECT_EQ(made->object.symbols[made->object.relocations[2].symbol].name, "far");
    EXPECT_EQ(made->object.relocations[3].type, relocation_type::absolute_32);
    EXPECT_EQ(made->object.relocations[4].type, relocation_type::relative_32);
}

TEST(Program, FlatOutputIsResolved) {
    const auto made = assemble_text(
        "ploadaddr_l table;\nloadaddr_h table, r3;\nnop;\n.data\n.long 0\ntable: .long table, code\n.text\ncode: "
        "nop;\n",
        flat());
    EXPECT_EQ(made->messages(), "");
    EXPECT_EQ(made->hex(".text"),
              "00010008"
              "23000008"
              "00000000"
              "00000000");
    EXPECT_EQ(made->hex(".data"),
              "00000000"
              "04000000"
              "03000000");                           // code addresses count words
    ASSERT_EQ(made->object.relocations.size(), 2u);  // a loader adds the base of the data
    EXPECT_EQ(made->object.relocations[0].symbol, no_index);
}

TEST(Program, ApplyingRelocationsGivesTheFlatBytes) {
    const char* text =
        "start: ploadaddr_l table+4;\nloadaddr_h table, r3;\njump other;\nnop;\n.section .text.b,\"ax\"\nother: jump "
        "start;\n"
        ".data\n.long 0\ntable: .long table, other\n";
    const auto object = assemble_text(text);
    const auto direct = assemble_text(text, flat());
    ASSERT_EQ(object->messages() + direct->messages(), "");
    place_sections(object->object);
    EXPECT_TRUE(apply_relocations(object->object, testing::gpu(), object->diagnostics)) << object->messages();
    for (const char* section : {".text", ".text.b", ".data"})
        EXPECT_EQ(object->hex(section), direct->hex(section)) << section;
}

TEST(Program, ListingAsJson) {
    const auto made = assemble_text("nop;\nbroken here;\n\n.macro m\nnop;\nnop;\n.endm\nm\n.data\n.byte 1\n");
    EXPECT_FALSE(made->good);
    EXPECT_EQ(listing_json(made->listing, made->object, made->sources, made->file),
              "{\"line\":1,\"address\":0,\"bytes\":\"00000000\"}\n"
              "{\"line\":8,\"address\":4,\"bytes\":\"0000000000000000\"}\n"
              "{\"line\":10,\"address\":0,\"bytes\":\"01\",\"section\":\".data\"}\n");
}

TEST(Program, LineTable) {
    const auto made = assemble_text("\nnop;\n\nnop; nop;\n.macro m\nnop;\n.endm\nm\n");
    const std::vector<LineEntry> lines(made->object.lines.begin(), made->object.lines.end());
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_EQ(lines[0].line, 2u);
    EXPECT_EQ(lines[1].line, 4u);
    EXPECT_EQ(lines[3].line, 8u);
    EXPECT_EQ(lines[3].offset, 12u);
}

struct Mistake {
    const char* text;
    const char* message;
};

const Mistake mistakes[] = {
    {"nop\nnop;\n", "t.s:1:4: error: expected ';'"},
    {"add r1, r2\nnop;\n", "t.s:1:11: error: expected ','"},
    {"fadd r1, r2, r99;\n", "t.s:1:14: error: expected r0 to r31, found 'r99'"},
    {"fad r1, r2, r3;\n", "t.s:1:1: error: unknown instruction 'fad'"},
    {".worrd 1\n", "t.s:1:1: error: unknown directive '.worrd'; did you mean '.word'?"},
    {".byte 1\n.balignw 8, 2\n", "t.s:2:10: error: the padding of 7 bytes is no multiple of 2"},
    {"a: nop;\na: nop;\n", "t.s:2:1: error: 'a' is defined twice"},
    {".if 1\nnop;\n", "t.s:1:5: error: no .endif ends this condition"},
    {".else\n", "no .if stands before this .else"},
    {".endm\n", "no .macro stands before this .endm"},
    {".rept 2\nnop;\n", "no .endr ends this repetition"},
    {".macro m\nnop;\n", "no .endm ends this macro"},
    {".macro m a:req\n.endm\nm\n", "the macro 'm' needs a value for 'a'"},
    {".macro m a\n.endm\nm 1, 2\n", "the macro 'm' takes 1 argument"},
    {".macro m\nfoo;\n.endm\nm\n", "t.s:4:1: note: in expansion of macro 'm'"},
    {".include \"nowhere.inc\"\n", "'nowhere.inc' cannot be read: no such file"},
    {".error \"stop here\"\n", "error: stop here"},
    {".byte 300\n", "t.s:1:7: warning: the value 300 is cut to 8 bits"},
    {".byte 1/0\n", "t.s:1:8: error: division by zero"},
    {".byte (1\n", "error: expected ')'"},
    {".byte 12ab\n", "error: '12ab' is not a number"},
    {".byte 99999999999999999999\n", "this number does not fit into 64 bits"},
    {".ascii \"abc\n", "this string does not end"},
    {".align 3\n", "an alignment must be a power of two"},
    {"nop; nop;\n.org 1\n", "the location counter cannot move backwards"},
    {"x = y\ny = x\n.long x\n", "depends on itself"},
    {".if later\n.endif\nlater = 1\n", "the value of 'later' must be known here"},
    {"fmulp2 r1, 300, r2;\n", "300 is out of range: -256 to 255"},
    {".fill 1000000000, 8\n", "the output exceeds the limit"},
    {".space 0xffffffffffffffff\n", "the output exceeds the limit"},
    {".macro m\nm\n.endm\nm\n", "nest more than 200 deep"},
    {".rept 100000000000\nx = 1\n.endr\n", "more than 536870912 bytes of text are repeated"},
    {".bss\n.byte 1\n", "section .bss holds no bytes"},
    {".byte 1\nnop;\n", "an instruction must begin at a multiple of 4 bytes"},
    {"/* no end\nnop;\n", "t.s:1:1: error: this comment does not end"},
};

TEST(Program, Mistakes) {
    for (const Mistake& mistake : mistakes) {
        const auto made = assemble_text(mistake.text);
        EXPECT_NE(made->messages().find(mistake.message), std::string::npos) << mistake.text << "\n"
                                                                             << made->messages();
    }
}

TEST(Program, AllErrorsInOneGo) {
    const auto made = assemble_text("foo r1;\nnop;\n.wrod\njump nowhere;\njump nowhare;\nnowhere2: nop;\n", flat());
    EXPECT_EQ(made->diagnostics.errors(), 4u) << made->messages();
    EXPECT_NE(made->messages().find("'nowhere' is not defined; did you mean 'nowhere2'?"), std::string::npos)
        << made->messages();
}

TEST(Program, CommandLineDefinitions) {
    AssembleOptions options;
    options.defines = {{"N", "3 * 4"}, {"FLAG", ""}};
    const auto made = assemble_text(".data\n.byte N, FLAG\n", options);
    EXPECT_EQ(made->messages(), "");
    EXPECT_EQ(made->hex(".data"), "0c01");
}

TEST(Program, RandomTextNeverCrashes) {
    std::mt19937 random(7);
    const char* pieces[] = {
        "nop",  ";",      "\n",     " ",        ".rept 3", ".endr",    ".macro m a", ".endm",
        "m",    "\\a",    "(",      ")",        "1f",      "1:",       "-",          ".if",
        "1",    ".else",  ".endif", "\"",       "'",       "/*",       "*/",         "//",
        "x",    "=",      "jump",   "r1",       ",",       "#def x y", "#undef x",   ".byte",
        ".org", ".align", ".long",  ".section", ".text",   ".data",    "?",          ":",
        "<<",   "\x80",   "0x",     "1e",       ".irp",    ".exitm",   ".include",   "fadd r1, r2, r3;",
        ". ",   "y:",     "\t"};
    for (int round = 0; round < 3000; ++round) {
        std::string text;
        const unsigned count = random() % 60;
        for (unsigned i = 0; i < count; ++i) {
            if (random() % 20 == 0) {
                text += static_cast<char>(random() % 256);
            } else {
                text += pieces[random() % std::size(pieces)];
                if (random() % 3 == 0) text += '\n';
            }
        }
        AssembleOptions options;
        options.flat = round % 2 == 0;
        options.max_output = 1 << 20;
        const auto made = assemble_text(text, options);
        listing_text(made->listing, made->object, made->sources, made->file);
        made->messages();
    }
}

}  // namespace
}  // namespace isaforge

// Scopes, names of registers, loops and other conveniences of large hand-written sources.
#include "assembler/assemble_text.hpp"

namespace isaforge {
namespace {

using testing::assemble_text;

std::string text_bytes(const std::string& source) {
    const auto made = assemble_text(source);
    return made->messages().empty() ? made->hex(".text") : made->messages();
}

TEST(Scopes, ANameIsLookedForFromTheInside) {
    EXPECT_EQ(text_bytes(".scope outer\n x = 4\n y = 11\n .byte x\n"
                         " .scope inner\n  x = 5\n  .byte x, y\n .ends\n"
                         " .scope\n  x = 8\n  .byte x\n .ends\n .byte x\n.ends\n"),
              "04050b0804");
}

TEST(Scopes, Paths) {
    EXPECT_EQ(text_bytes("x = 9\n.scope a\n x = 4\n .scope b\n  x = 7\n .ends\n .byte ::x, b::x\n.ends\n"
                         ".byte a::x, a::b::x, ::a::x\n::a::x = 3\n.byte a::x, x\n"),
              "09070407040309");
}

TEST(Scopes, UsedScopesComeInOrderLastFirst) {
    EXPECT_EQ(
        text_bytes(".scope a\n m = 4\n.ends\n.scope b\n m = 6\n n = 15\n.ends\n.using a\n.byte m\n"
                   ".scope c\n .using b\n .byte m\n .using a\n .byte m, n\n .unusing a\n .byte m\n.ends\n.byte m\n"),
        "0406040f0604");
}

TEST(Scopes, WhatIsNamedBeforeItIsDefined) {
    EXPECT_EQ(text_bytes(".scope a\n .byte later, own\n own = 2\n.ends\nlater = 99\n"), "6302");
    EXPECT_NE(text_bytes(".scope a\n .byte never\n.ends\n.if 1\n.byte ::never - 1\n.endif\n.set none, 1\n"), "");
    EXPECT_NE(text_bytes(".ends\n").find("no .scope"), std::string::npos);
}

TEST(Scopes, LabelsAreNamesToo) {
    const auto inner = assemble_text(".scope a\nhere: nop;\n.scope b\njump here;\n.ends\n.ends\njump a::here;\n");
    const auto plain = assemble_text("here: nop;\njump here;\njump here;\n");
    EXPECT_EQ(inner->messages(), "");
    EXPECT_EQ(inner->hex(".text"), plain->hex(".text"));
}

TEST(Scopes, CountersAreTheirs) {
    EXPECT_EQ(text_bytes(".enum a, b\n.enum >8, c, d\n.scope s\n.enum e, f\n.ends\n.enum g\n.byte a, b, c, d, s::f, g\n"
                         ".enum >, h\n.byte h\n"),
              "0001080901"
              "0a00");
}

TEST(Registers, NamesStandForThem) {
    const auto made = assemble_text(
        "sum = %r5\nk = 2\nall = %r[8:11]\nfadd sum, all[1], all[k + 1];\n"
        "part = %all[2:3]\nsum = %part[1]\ncopy sum, sum;\nsum = 3\n.long sum\n");
    const auto plain = assemble_text("fadd r5, r9, r11;\ncopy r11, r11;\n.long 3\n");
    EXPECT_EQ(made->messages(), "");
    EXPECT_EQ(made->hex(".text"), plain->hex(".text"));
}

TEST(Registers, AreNamesOfScopes) {
    const auto made =
        assemble_text(".scope a\nx = %r5\n.ends\nx = %r6\n.scope a\ncopy x, ::x;\n.ends\ncopy x, a::x;\n");
    const auto plain = assemble_text("copy r5, r6;\ncopy r6, r5;\n");
    EXPECT_EQ(made->messages(), "");
    EXPECT_EQ(made->hex(".text"), plain->hex(".text"));
}

TEST(Registers, WhatIsNotInTheRange) {
    EXPECT_NE(assemble_text("all = %r[8:11]\ncopy all[4], r1;\n")->messages(), "");
    EXPECT_NE(assemble_text("all = %\n")->messages(), "");
    EXPECT_NE(assemble_text("all: nop;\nall = %r5\n")->messages().find("defined twice"), std::string::npos);
}

TEST(Loops, ForAndWhile) {
    EXPECT_EQ(text_bytes(".for x = 1, x < 16, x + x\n.byte x\n.endr\n"), "01020408");
    EXPECT_EQ(text_bytes("x = 3\n.while x\n.byte x\n.rept 2\n.byte 0x77\n.endr\nx = x - 1\n.endr\n"),
              "037777027777017777");
    EXPECT_EQ(text_bytes(".for x = 0, 0, 0\n.byte 1\n.endrept\n"), "");
}

TEST(Loops, WithoutEndAreFoundOut) {
    EXPECT_NE(text_bytes(".while 1\n.endr\n").find("more than 536870912 bytes of text are repeated"),
              std::string::npos);
    EXPECT_NE(text_bytes(".while later\n.endr\nlater = 0\n").find("must be a number"), std::string::npos);
}

TEST(Symbols, EqvIsTakenAnew) {
    EXPECT_EQ(
        text_bytes("a = 3\nb = 5\n.eqv sum, a + b\n.byte sum * 2\nb = 7\n.byte sum\n.ifdef sum\n.byte 1\n.endif\n"),
        "100a01");
}

TEST(Symbols, Undef) {
    EXPECT_EQ(text_bytes("a = 3\n.byte a\n.undef a\n.ifndef a\n.byte 9\n.endif\n"), "0309");
    EXPECT_NE(text_bytes("a: nop;\n.undef a\n").find("stays one"), std::string::npos);
}

TEST(Conditions, EveryKindOfElseif) {
    EXPECT_EQ(text_bytes("x = -1\n.if 0\n.elseifge x\n.byte 1\n.elseifndef x\n.byte 2\n.elseifc a, b\n.byte 3\n"
                         ".elseiflt x\n.byte 4\n.elseifdef x\n.byte 5\n.endif\n"),
              "04");
}

TEST(Statements, ABackslashContinuesTheLine) {
    const auto made = assemble_text(".byte 1, \\\n  2, \\\n  3\n.byte 4\n.wrong\n");
    EXPECT_EQ(made->hex(".text"), "01020304");
    EXPECT_NE(made->messages().find("t.s:5:1: error"), std::string::npos) << made->messages();
}

TEST(Macros, BlanksPartArguments) {
    EXPECT_EQ(
        text_bytes(".macro m a, b, c=9\n.byte \\a, \\b, \\c\n.endm\nm 1 2\nm 1 + 2 3, 4\nm (1 - 1), 5\nm 6, 7 8\n"),
        "010209"
        "030304"
        "000509"
        "060708");
}

TEST(Data, WideStringsAndWholeFills) {
    EXPECT_EQ(text_bytes(".string16 \"a\"\n.string32 \"b\"\n.fillq 1, 8, 0x1122334455667788\n"),
              "61000000"
              "6200000000000000"
              "8877665544332211");
}

}  // namespace
}  // namespace isaforge

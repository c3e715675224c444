// Data, repetition, conditions and macros: text and the bytes of .data. Where GNU as is installed, the same text goes
// through it, and both must agree.
#include <fstream>

#include "assembler/assemble_text.hpp"

namespace isaforge {
namespace {

using testing::assemble_text;

struct Case {
    const char* name;
    const char* text;  // after .data
    const char* bytes;
    bool gnu = true;  // means the same to GNU as for x86
};

const Case cases[] = {
    {"bytes", ".byte 1, -1, 255, 'a', '\\n', 0x7f, 0b101, 017\n", "01ffff610a7f050f"},
    {"sizes", ".2byte 0x1234\n.short -2\n.4byte 0x12345678\n.long 1\n.int 2\n.8byte 0x1122334455667788\n.quad -1\n",
     "3412feff785634120100000002000000"
     "8877665544332211ffffffffffffffff"},
    {"word has four bytes", ".word 1\n", "01000000", false},
    {"octa", ".octa 0x0102030405060708090a0b0c0d0e0f10\n", "100f0e0d0c0b0a090807060504030201"},
    {"strings", ".ascii \"ab\", \"c\"\n.asciz \"x\\ty\\\"\"\n.string \"\\101\\x42\"\n",
     "61626378097922004142"
     "00"},
    {"floats", ".float 1.5, -0.1\n.double 1e10\n.single 3\n", "0000c03fcdccccbd000000205fa0024200004040"},
    {"halves", ".float16 1.0, 65504, 0.00006103515625, 1e9, 5.9604645e-8\n", "003cff7b0004007c0100", false},
    {"fill", ".fill 3, 2, 0x1234\n.fill 2\n.skip 2, 7\n.zero 3\n.space 1\n",
     "3412341234120000"
     "070700000000"},
    {"align", ".byte 1\n.balign 4, 9\n.byte 2\n.p2align 3\n.byte 3\n.balign 8,,3\n.byte 4\n",
     "0109090902000000"
     "0304"},
    {"align with a word pattern", ".2byte 1\n.balignw 8, 0x1234\n", "0100341234123412"},
    {"org", ".byte 1\n.org 4, 0xff\n.byte 2\n. = . + 2\n.byte 3\n", "01ffffff02000003"},
    {"differences", "a: .byte 1,2,3\nb: .byte b-a, (b-a)*2, . - a\n", "010203030605"},
    {"forward difference", ".byte b-a\na: .long 7\nb:\n", "0407000000"},
    {"set", ".set x, 5\n.byte x\n.set x, x+1\n.byte x\ny = x * 2\n.byte y\n", "05060c"},
    {"equ forward", ".byte later\n.equ later, 9\n", "09"},
    {"rept", ".rept 3\n.byte 1\n.endr\n", "010101"},
    {"nested rept", ".rept 2\n.byte 1\n.rept 2\n.byte 2\n.endr\n.endr\n", "010202010202"},
    {"irp", ".irp v, 1, 2, 3\n.byte \\v\n.endr\n", "010203"},
    {"irpc", ".irpc v, 123\n.byte \\v\n.endr\n", "010203"},
    {"if", ".if 1\n.byte 1\n.else\n.byte 2\n.endif\n.if 0\n.byte 3\n.elseif 1\n.byte 4\n.else\n.byte 5\n.endif\n",
     "0104"},
    {"if nested in what is off", ".if 0\n.if 1\n.byte 1\n.else\n.byte 2\n.endif\n.else\n.byte 3\n.endif\n", "03"},
    {"comparisons",
     ".ifeq 0\n.byte 1\n.endif\n.ifgt 1\n.byte 2\n.endif\n.iflt 1\n.byte 3\n.endif\n.ifge 0\n.byte 4\n.endif\n",
     "010204"},
    {"ifdef", "x = 1\n.ifdef x\n.byte 1\n.endif\n.ifndef x\n.byte 2\n.endif\n", "01"},
    {"ifc", ".ifc a b, a b\n.byte 1\n.endif\n.ifnc a, b\n.byte 2\n.endif\n.ifeqs \"a\", \"a\"\n.byte 3\n.endif\n",
     "010203"},
    {"macro", ".macro two a, b=7\n.byte \\a, \\b\n.endm\ntwo 1\ntwo 2, 3\ntwo b=4, a=5\n", "010702030504"},
    {"macro recursion", ".macro down n\n.byte \\n\n.if \\n\ndown \"(\\n-1)\"\n.endif\n.endm\ndown 3\n", "03020100"},
    {"macro counter and glue", ".macro m p\n\\p\\()_\\@: .byte \\@\n.endm\nm a\nm a\n.byte a_1 - a_0\n", "000101"},
    {"macro vararg", ".macro m a, r:vararg\n.byte \\a\n.ifnb \\r\nm \\r\n.endif\n.endm\nm 1, 2, 3\n", "010203"},
    {"exitm", ".macro m a\n.byte 1\n.if \\a\n.exitm\n.endif\n.byte 2\n.endm\nm 0\nm 1\n", "010201"},
    {"purgem", ".macro m\n.byte 1\n.endm\nm\n.purgem m\n.macro m\n.byte 2\n.endm\nm\n", "0102"},
    {"local labels", "1: .byte 1\n.byte 1f - 1b\n1: .byte 1f - 1b\n1:\n", "010201"},
    {"comment", ".byte 1 // 2\n.byte /* 3 */ 4 /* 5 */, 6\n", "010406", false},
    {"sections",
     ".byte 1\n.section .other,\"aw\",@progbits\n.byte 9\n.previous\n.byte 2\n.pushsection .other\n.byte "
     "8\n.popsection\n.byte 3\n",
     "010203"},
};

TEST(Data, Bytes) {
    for (const Case& one : cases) {
        const auto made = assemble_text(std::string(".data\n") + one.text);
        EXPECT_EQ(made->messages(), "") << one.name;
        EXPECT_EQ(made->hex(".data"), one.bytes) << one.name;
    }
}

TEST(Data, AgreesWithGnuAs) {
    const std::string base = ::testing::TempDir() + "isaforge_gnu";
    for (const Case& one : cases) {
        if (!one.gnu) continue;
        std::ofstream(base + ".s") << ".data\n" << one.text;
        std::string output;
        ASSERT_TRUE(testing::run_command(
            "as -o " + base + ".o " + base + ".s && objcopy -O binary -j .data " + base + ".o " + base + ".bin",
            output))
            << one.name << "\n"
            << output;
        std::ifstream in(base + ".bin", std::ios::binary);
        std::string hex;
        for (char c; in.get(c);) {
            char digits[3];
            std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(c));
            hex += digits;
        }
        // objcopy may pad to the section's alignment; as itself does on x86.
        EXPECT_EQ(hex.substr(0, std::string(one.bytes).size()), one.bytes) << one.name;
    }
}

}  // namespace
}  // namespace isaforge

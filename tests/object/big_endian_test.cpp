// Machines whose high byte comes first, from text to bytes and back: 8-bit units, where only what crosses units has an
// order, and 16-bit units with data in the other order. The expected bytes are those of a manual.
#include <fstream>

#include "assembler/assemble_text.hpp"
#include "isaforge/disassembler.hpp"

namespace isaforge {
namespace {

using testing::assemble_text;
using testing::sample;

const Codec& bytes_machine() { return sample("big-endian-sample"); }
const Codec& words_machine() { return sample("big-endian-words-sample"); }

AssembleOptions flat() {
    AssembleOptions options;
    options.flat = true;
    return options;
}

std::string hex(const Codec& codec, const std::string& text, const char* section = ".text") {
    const auto made = assemble_text(text, flat(), codec);
    return made->messages().empty() ? made->hex(section) : made->messages();
}

struct Case {
    const char* text;
    const char* bytes;
};

const Case byte_cases[] = {
    {"add r3", "03"},
    {"STA R7", "17"},
    {"addi #-2", "80fe"},
    {"addi 0x1234", "811234"},
    {"addi.w 5", "810005"},
    {"bra 2", "9002"},
    {"bra 0x1234", "911234"},
    {"lda 0x12", "a012"},
    {"lda 0x1234", "a11234"},
    {"ldi r5, 0x0abcd", "f55bcd"},  // K is 0 0101 0101 | 1 1100 1101
    {"ldi r5, -1", "fffbff"},
    {".2byte 0x1234", "1234"},
    {".long 0x12345678", "12345678"},
    {".octa 0x0102030405060708090a0b0c0d0e0f10", "0102030405060708090a0b0c0d0e0f10"},
    {".float 1.0", "3f800000"},
    {"a: bra b\nb: add r1 ! bra a\n.2byte b - a, later\nlater:",
     "9002"
     "01"
     "90fd"
     "0002"
     "0009"},
};

const Case word_cases[] = {
    {"move d1, d2", "2401"},
    {"move (sp), d7", "2e17"},
    {"move #0x12345678, d2", "243c12345678"},
    {"move #later, d2\n.set later, 1", "243c00000001"},
    {"moveq #-1, d3", "76ff"},
    {"bra.s 2", "6000"},
    {"bra 2", "6000"},
    {"bra.w 2", "61000000"},
    {"bra 0x1236", "61123400"},
    {"link sp, #-8", "4e57fff8"},
    {"link a1, #0x12345678", "4e5912345678"},
    {".2byte 0x1234", "3412"},  // the data is little-endian
};

TEST(BigEndian, BytesOfAMachineOfBytes) {
    for (const Case& one : byte_cases) {
        EXPECT_EQ(hex(bytes_machine(), one.text), one.bytes) << one.text;
    }
    const std::string grown = hex(bytes_machine(), "lda later\n.zero 300\nlater: add r0\n");
    EXPECT_EQ(grown.substr(0, 6), "a1012f");
}

TEST(BigEndian, BytesOfAMachineOfWords) {
    for (const Case& one : word_cases) {
        EXPECT_EQ(hex(words_machine(), one.text), one.bytes) << one.text;
    }
    EXPECT_NE(hex(words_machine(), "move later, d2\n.set later, 1").find("error"), std::string::npos);
}

const char* const byte_program =
    "start: lda table\nldi r1, start\nbsr outside\nbra start\n.2byte table, outside - .\n"
    ".data\ntable: .long 0x01020304, table\n";
const char* const word_program =
    "start: link sp, #-8\nmove #table, d1\nbra outside\nbne start\nlink a1, #table + 4\n"
    ".data\ntable: .long 0x01020304, table\n";

std::optional<Object> through_elf(const Object& object, std::string& file) {
    std::string error;
    EXPECT_TRUE(write_elf(object, file, error)) << error;
    auto back = read_elf({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()}, error);
    EXPECT_TRUE(back) << error;
    return back;
}

void expect_elf_and_text_back(const Codec& codec, const char* program, char order) {
    const auto made = assemble_text(program, {}, codec);
    ASSERT_EQ(made->messages(), "");
    std::string file;
    const auto back = through_elf(made->object, file);
    ASSERT_TRUE(back);
    EXPECT_EQ(file[5], order);
    ASSERT_EQ(back->sections.size(), made->object.sections.size());
    ASSERT_EQ(back->relocations.size(), made->object.relocations.size());
    EXPECT_EQ(back->lines.size(), made->object.lines.size());
    EXPECT_EQ(back->unit_bytes, codec.isa().unit_bytes());
    const std::string text = disassemble(codec, *back);
    const auto again = assemble_text(text, {}, codec);
    ASSERT_EQ(again->messages(), "") << text;
    ASSERT_EQ(again->object.relocations.size(), made->object.relocations.size()) << text;
    for (std::size_t i = 0; i < made->object.sections.size(); ++i) {
        EXPECT_EQ(back->sections[i].bytes, made->object.sections[i].bytes);
        const Index same = again->object.find_section(made->object.sections[i].name);
        ASSERT_NE(same, no_index) << text;
        EXPECT_EQ(again->object.sections[same].bytes, made->object.sections[i].bytes) << text;
    }
}

TEST(BigEndian, ObjectFilesAndTheirTextComeBack) {
    expect_elf_and_text_back(bytes_machine(), byte_program, 2);
    expect_elf_and_text_back(words_machine(), word_program, 1);
}

TEST(BigEndian, ApplyingRelocationsGivesTheFlatBytes) {
    const auto check = [](const Codec& codec, const std::string& text) {
        const auto object = assemble_text(text, {}, codec);
        const auto direct = assemble_text(text, flat(), codec);
        ASSERT_EQ(object->messages() + direct->messages(), "");
        place_sections(object->object);
        EXPECT_TRUE(apply_relocations(object->object, codec, object->diagnostics)) << object->messages();
        for (const char* section : {".text", ".text.b", ".data"})
            EXPECT_EQ(object->hex(section), direct->hex(section)) << section;
    };
    // In one length only, as an object takes the long form for what is not known.
    check(bytes_machine(),
          "start: lda.x table\nldi r1, start\nbsr.l other\n.2byte table\n.section .text.b,\"ax\"\nother: bra.l start\n"
          ".data\ntable: .long 0x01020304, table\n");
    check(words_machine(),
          "start: move #table, d1\nbra.w other\nlink.l a1, #table + 4\n.section .text.b,\"ax\"\nother: bra.w start\n"
          ".data\ntable: .long 0x01020304, table\n");
}

TEST(BigEndian, UnitsInFlatOutputs) {
    const auto made = assemble_text("move #0x12345678, d2\n", flat(), words_machine());
    std::string out, error;
    ASSERT_TRUE(write_memh(made->object, out, error)) << error;
    EXPECT_EQ(out, "@00000000\n243C\n1234\n5678\n");
    out.clear();
    ASSERT_TRUE(write_c_header(made->object, out, error)) << error;
    EXPECT_NE(out.find("0x243C,\n    0x1234,\n    0x5678,\n"), std::string::npos) << out;
    out.clear();
    ASSERT_TRUE(write_vhdl(made->object, out, error)) << error;
    EXPECT_NE(out.find("0 => x\"243C\""), std::string::npos) << out;
    out.clear();
    ASSERT_TRUE(write_binary(made->object, out, error)) << error;
    EXPECT_EQ(out, "\x24\x3c\x12\x34\x56\x78");
}

}  // namespace
}  // namespace isaforge

// The disassembler's text, and that it assembles back: for programs with symbols and relocations, and for random words.
#include <random>

#include "assembler/assemble_text.hpp"
#include "isaforge/disassembler.hpp"

namespace isaforge {
namespace {

using testing::assemble_text;
using testing::gpu;

std::string hex_of(const Section& section) {
    std::string text;
    for (const std::uint8_t byte : section.bytes) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", byte);
        text += digits;
    }
    return text;
}

TEST(Disassemble, Source) {
    const auto made = assemble_text(
        "start: nop;\nloop: fadd -1.f, r2, r3;\n[cr1] jump loop;\njump past;\n.long 0xffffffff\npast: ploadaddr_l "
        "table;\n"
        "jump outside;\n.data\ntable: .asciz \"text\"\n.zero 16\n.byte 1\n");
    ASSERT_EQ(made->messages(), "");
    EXPECT_EQ(disassemble(gpu(), made->object),
              ".global outside\n"
              "\n.text\nstart:\n    nop;\nloop:\n    fadd -1.f, r2, r3;\n    [cr1] jump loop;\n    jump past;\n    "
              ".4byte 0xffffffff\n"
              "past:\n    ploadaddr_l .L_section_1;\n    jump outside;\n"
              "\n.data\ntable:\n.L_section_1:\n    .asciz \"text\"\n    .zero 16\n    .byte 0x01\n");
}

TEST(Disassemble, MakesLabelsForTargets) {
    const auto made = assemble_text("nop;\njump 0;\njump 3;\nnop;\n");
    EXPECT_EQ(disassemble(gpu(), made->object),
              ".text\nL_0:\n    nop;\n    jump L_0;\n    jump L_3;\nL_3:\n    nop;\n");
    DisassembleOptions options;
    options.labels = false;
    EXPECT_EQ(disassemble(gpu(), made->object, options), ".text\n    nop;\n    jump 0;\n    jump 3;\n    nop;\n");
}

TEST(Disassemble, Listing) {
    const auto made = assemble_text("nop;\nx: fadd r1, r2, r3;\n");
    DisassembleOptions options;
    options.style = DisassemblyStyle::listing;
    EXPECT_EQ(
        disassemble(gpu(), made->object, options),
        "Section .text:\n00000000:  00000000            nop;\nx:\n00000001:  43002120            fadd r1, r2, r3;\n");
}

TEST(Disassemble, Json) {
    const auto made = assemble_text("nop;\nfadd r1, r2, r3;\n.long 0xffffffff\n");
    DisassembleOptions options;
    options.style = DisassemblyStyle::json;
    EXPECT_EQ(disassemble(gpu(), made->object, options),
              "{\"address\":0,\"bytes\":\"00000000\",\"text\":\"nop\",\"mnemonic\":\"nop\",\"fields\":{\"COND\":0}}\n"
              "{\"address\":4,\"bytes\":\"43002120\",\"text\":\"fadd r1, r2, r3\",\"mnemonic\":\"fadd\","
              "\"fields\":{\"COND\":0,\"A\":33,\"B\":2,\"C\":3}}\n"
              "{\"address\":8,\"bytes\":\"ffffffff\",\"text\":\".4byte 0xffffffff\",\"mnemonic\":null}\n");
}

// Relocations, several sections, symbols of every kind: assembled again, everything is as before.
TEST(Disassemble, ObjectsComeBack) {
    const auto first = assemble_text(
        "start: ploadaddr_l table+4;\nloadaddr_h table+4, r3;\nploadaddr_l 1020;\njump outside;\nrcall outside + 2;\n"
        ".global start\n.section .text.more,\"ax\",@progbits\nmore: jump start;\nnop;\n.data\ntable: .long 1, table, "
        "start\n.quad outside\n"
        ".byte 1,2,3\n.bss\nroom: .zero 10\nrest: .zero 6\n.comm shared, 16, 8\n.set constant, 0x1234\n");
    ASSERT_EQ(first->messages(), "");
    const auto second = assemble_text(disassemble(gpu(), first->object));
    ASSERT_EQ(second->messages(), "") << disassemble(gpu(), first->object);
    for (const Section& section : first->object.sections) {
        const Index index = second->object.find_section(section.name);
        ASSERT_NE(index, no_index) << section.name;
        EXPECT_EQ(hex_of(second->object.sections[index]), hex_of(section)) << section.name;
        EXPECT_EQ(second->object.sections[index].extent(), section.extent()) << section.name;
    }
    ASSERT_EQ(second->object.relocations.size(), first->object.relocations.size());
    for (const Relocation& relocation : first->object.relocations) {
        const bool found = std::any_of(second->object.relocations.begin(), second->object.relocations.end(),
                                       [&](const Relocation& other) {
                                           return other.offset == relocation.offset && other.type == relocation.type &&
                                                  other.addend == relocation.addend;
                                       });
        EXPECT_TRUE(found) << relocation.offset << " type " << relocation.type;
    }
    for (const Symbol& symbol : first->object.symbols) {
        if (symbol.name.empty()) continue;
        const Index index = second->object.find_symbol(symbol.name);
        ASSERT_NE(index, no_index) << symbol.name;
        EXPECT_EQ(second->object.symbols[index].value, symbol.value) << symbol.name;
        EXPECT_EQ(second->object.symbols[index].binding, symbol.binding) << symbol.name;
    }
}

TEST(Disassemble, RandomBytesComeBack) {
    std::mt19937 random(11);
    for (int round = 0; round < 20; ++round) {
        std::vector<std::uint8_t> bytes(40000 + random() % 4);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            bytes[i] = static_cast<std::uint8_t>(random());
            // Opcode 0 to 25, mostly plausible words.
            if (i % 4 == 3 && round % 2) bytes[i] = static_cast<std::uint8_t>(random() % 26 << 3);
            if (i % 4 == 2 && round % 2) bytes[i] &= 0x3F;
        }
        const Object object = read_binary(bytes, gpu().isa());
        const std::string text = disassemble(gpu(), object);
        AssembleOptions options;
        options.flat = true;
        const auto again = assemble_text(text, options);
        ASSERT_EQ(again->messages().substr(0, 1000), "");
        ASSERT_EQ(again->object.sections[0].bytes, bytes);
    }
}

}  // namespace
}  // namespace isaforge

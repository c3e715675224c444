// Numbers that a linker fills in, wherever they stand in an instruction: an object that goes through an ELF file and is
// relocated has the bytes that the assembler makes where it knows all addresses itself; and what is disassembled of the
// object makes the same object.
#include "assembler/assemble_text.hpp"
#include "isaforge/disassembler.hpp"
#include "object/relocation_place.hpp"

namespace isaforge {
namespace {

using Bytes = std::vector<std::uint8_t>;

class Relocations : public ::testing::Test {
protected:
    // Everything about one description and one program.
    void check(const std::string& description, const std::string& program) {
        SCOPED_TRACE(program);
        SourceManager sources;
        Diagnostics diagnostics;
        const auto isa = load_isa_text("m.isa", description, sources, diagnostics);
        ASSERT_TRUE(isa) << to_text(diagnostics, sources);
        const Codec codec(isa);
        const std::string elf = elf_of(codec, program);
        text_ = disassemble(codec, read(elf));
        EXPECT_EQ(shape(read(elf_of(codec, text_))), shape(read(elf))) << text_;
        EXPECT_EQ(linked(codec, elf), flat(codec, program)) << text_;
    }

    static std::string elf_of(const Codec& codec, const std::string& program) {
        const auto made = testing::assemble_text(program, {}, codec);
        EXPECT_EQ(made->messages(), "") << program;
        std::string bytes, error;
        EXPECT_TRUE(write_elf(made->object, bytes, error)) << error;
        return bytes;
    }

    static Object read(const std::string& elf) {
        std::string error;
        auto object = read_elf({reinterpret_cast<const std::uint8_t*>(elf.data()), elf.size()}, error);
        EXPECT_TRUE(object) << error;
        return object.value_or(Object());
    }

    // What a linker would see, without names that are made anew.
    static std::vector<std::tuple<Index, std::uint64_t, std::uint32_t, unsigned>> shape(const Object& object) {
        std::vector<std::tuple<Index, std::uint64_t, std::uint32_t, unsigned>> all;
        for (const Relocation& one : object.relocations)
            all.emplace_back(one.section, one.offset, one.type, one.number);
        return all;
    }

    static std::vector<Bytes> bytes_of(const Object& object) {
        std::vector<Bytes> all;
        for (const Section& section : object.sections) {
            if (section.allocated) all.push_back(section.bytes);
        }
        return all;
    }

    static std::vector<Bytes> linked(const Codec& codec, const std::string& elf) {
        Object object = read(elf);
        Diagnostics diagnostics;
        place_sections(object);
        SourceManager none;
        EXPECT_TRUE(apply_relocations(object, codec, diagnostics)) << to_text(diagnostics, none);
        return bytes_of(object);
    }

    static std::vector<Bytes> flat(const Codec& codec, const std::string& program) {
        AssembleOptions options;
        options.flat = true;
        const auto made = testing::assemble_text(program, options, codec);
        EXPECT_EQ(made->messages(), "");
        return bytes_of(made->object);
    }

    std::string text_;
};

constexpr const char* head =
    "isa m \"m\"\ncode unit 32 little\nregisters r : 5 of u32 \"r{n}\"\nmemory mem : u8 little holds code\n";

TEST_F(Relocations, InAnAliasRow) {
    check(std::string(head) +
              "number lo = u32[11:0] relocation 27 \"LO\"\n"
              "operand imm12 : 12 {\n  k:s12 \"{k}\" = u32(k)\n  k:lo \"%lo({k})\" alias = u32(k)\n}\n"
              "format I | OP:10 | D:r | A:r | K:imm12 |\n"
              "instructions I [OP] \"{name} {D}, {A}, {K}\" {\n  1 addi D = A + K\n  2 stop stop()\n}\n",
          "addi r1, r0, %lo(x)\naddi r2, r0, %lo(x + 4)\naddi r3, r0, 5\nstop r0, r0, 0\n.data\ny: .word 1\nx: .word "
          "5, 6\n");
    EXPECT_NE(text_.find("addi r1, r0, %lo("), std::string::npos) << text_;
    EXPECT_NE(text_.find("+ 8)"), std::string::npos) << text_;
}

TEST_F(Relocations, InTwoOperandsOfOneKind) {
    check(
        std::string(head) +
            "operand imm : 8 {\n  k:s8 \"{k}\" = u32(k)\n  k:u8 \"low({k})\" alias = u32(k)\n}\n"
            "format I | OP:6 | A:imm | D:r | B:imm | E:r |\n"
            "instructions I [OP] \"{name} {D}, {B}, {E}, {A}\" {\n  1 two D = A + B + E\n}\n",
        "two r1, low(x), r2, low(y)\ntwo r1, 3, r2, low(y)\ntwo r1, low(x), r2, 4\n.data\nx: .byte 1, 2\ny: .byte 3\n");
    EXPECT_NE(text_.find("r2, 4"), std::string::npos) << text_;
    EXPECT_NE(text_.find("two r1, 3, r2, low("), std::string::npos) << text_;
}

TEST_F(Relocations, InWordsBehindTheInstruction) {
    const std::string description =
        "isa m \"m\"\ncode unit 8 little\nconstant pc_bits = 16\nsyntax { comment \";\" label \"{name}:\" }\n"
        "register a : u8\nmemory mem : u8 little holds code\n"
        "operand mode : 3 {\n  001 + k:u8 \"{k},X\" = mem.u8[u16(k)]\n  010 + k:u8 \"#{k}\" = k\n"
        "  011 + k:u16 \"{k}\" = mem.u8[k]\n}\n"
        "format G1 | A:3 | M:mode | 01 |\ninstructions G1 [A] \"{name} {M}\" {\n  0 ORA a = a | M\n}\n";
    check(description, " ORA table\n ORA table+1\n ORA #1\n ORA table-1\n.data\n.byte 9\ntable: .byte 1, 2\n");
    EXPECT_NE(text_.find("ORA "), std::string::npos) << text_;
    check(description, " ORA #table\n ORA table,X\n.section z,\"aw\"\ntable: .byte 1, 2\n");
}

TEST_F(Relocations, CountedFromTheInstruction) {
    check(std::string(head) +
              "number near = pc + 4 * s12\n"
              "operand target : 14 {\n  0 0 k:near \"{k}\"\n  0 1 k:near \"far {k}\"\n  1 0 n:s12 \"#{n}\"\n}\n"
              "format J | OP:18 | T:target |\ninstructions J [OP] \"{name} {T}\" {\n  1 jump pc = pc\n}\n",
          "jump here\njump far there\njump far there + 4\nhere: jump #5\n"
          ".section .text.b,\"ax\"\njump here\nthere: jump far here\n jump there\n");
    EXPECT_NE(text_.find("jump far .L_section_1 + 8"), std::string::npos) << text_;
}

TEST_F(Relocations, OperandsInOperands) {
    check(std::string(head) +
              "number lo = u32[7:0] relocation 30 \"LO\"\nnumber hi = u32[15:8] relocation 31 \"HI\"\n"
              "operand part : 9 {\n  0 k:lo \"lo({k})\"\n  1 k:hi \"hi({k})\"\n}\n"
              "operand both : 15 {\n  0 p:part n:r \"{p}[{n}]\"\n  1 000000 n:s8 \"{n}\"\n}\n"
              "format I | OP:12 | D:r | S:both |\ninstructions I [OP] \"{name} {D}, {S}\" {\n  1 ld D = D\n}\n",
          "ld r1, lo(x)[r2]\nld r1, hi(x)[r31]\nld r4, hi(x+300)[r0]\nld r2, -3\n.data\n.zero 700\nx: .byte 1\n");
    EXPECT_NE(text_.find("hi(.L_section_1 + 700)[r31]"), std::string::npos) << text_;
}

// A relocation that asks for more numbers than there are is refused.
TEST_F(Relocations, ANumberThatIsNotThere) {
    auto made = testing::assemble_text("jump elsewhere;\n");
    Object& object = made->object;
    ASSERT_EQ(object.relocations.size(), 1u);
    RelocatedNumber found;
    const Bytes& bytes = object.sections[0].bytes;
    const Image image = testing::gpu().load(bytes.data(), bytes.size());
    EXPECT_TRUE(find_relocated_number(testing::gpu(), image, 32, object.relocations[0].type, 0, found));
    EXPECT_FALSE(find_relocated_number(testing::gpu(), image, 32, object.relocations[0].type, 1, found));
    EXPECT_FALSE(find_relocated_number(testing::gpu(), image, 32, object.relocations[0].type, ~0u, found));
}

}  // namespace
}  // namespace isaforge

// Checks of the witness itself: encodings worked out by hand from the field positions, and the timing rules one by one.
// Kept apart from the tests that use the witness, because here it stands alone and Isaforge is not linked.
#include "random_program.hpp"
#include "wishbone_gpu.hpp"

#include <gtest/gtest.h>

#include <bit>

namespace wishbone_reference {
namespace {

const Labels labels = {{"start", 0}, {"far", 100000}, {"loop", 8}};

uint32_t word(std::string_view statement, uint32_t pc = 0) {
    auto result = encode(statement, pc, labels);
    EXPECT_TRUE(result.has_value()) << statement;
    return result.value_or(0xffffffff);
}

Machine machine(std::initializer_list<const char*> statements) {
    std::vector<uint32_t> code;
    for (const char* statement : statements) code.push_back(word(statement, static_cast<uint32_t>(code.size())));
    Machine result(code, 4096);
    result.address_register = 1024;
    return result;
}

void steps(Machine& m, int count) {
    for (int i = 0; i < count; ++i) m.step();
}

uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

TEST(Encode, HandCheckedWords) {
    EXPECT_EQ(word("nop;"), 0x00000000u);
    EXPECT_EQ(word("[cr3] nop;"), 0x04c00000u);
    // 00100 | 1 1 011 | 0 00101 | 000000 | 00100 | 00101
    EXPECT_EQ(word("[!cr3] fadd pi, r4, r5;"), 0b00100'11011'0'00101'000000'00100'00101u);
    EXPECT_EQ(word("fsub r31, r0, r1;"), 0b00100'00000'1'11111'000001'00000'00001u);
    EXPECT_EQ(word("ploadu_l 0x12345678;"), 0b00001'00000'0101011001111000'0'00000u);
    EXPECT_EQ(word("loadu_h 0x12345678, r7;"), 0b00001'00000'0001001000110100'1'00111u);
    EXPECT_EQ(word("loadf_h 1.0f, r2;"), 0b00001'00000'0011111110000000'1'00010u);
    EXPECT_EQ(word("fmulp2 r1, -1, r2;"), 0b00011'00000'1'00001'11111111111'00010u);
    EXPECT_EQ(word("ftou8_hl r1, r2, r3;"), 0b01001'00000'1'00001'000010'00010'00011u);
    EXPECT_EQ(word("fcomp_u nan, r2, cr7;"), 0b01111'00000'0'00111'000111'00010'00111u);
    EXPECT_EQ(word("add r1, r2, r3;"), 0b10000'00000'1'00001'000000'00010'00011u);
    EXPECT_EQ(word("load_addr r9;"), 0b10001'00000'0'00000'000000'00000'01001u);
    EXPECT_EQ(word("store_addr r9;"), 0b10010'00000'0'00000'000000'01001'00000u);
    EXPECT_EQ(word("pop r4;"), word("i_load r4;"));
    EXPECT_EQ(word("push -1.f;"), word("store_d -1.f;"));
    EXPECT_EQ(word("store r1, r2;"), 0b10100'00000'1'00001'000000'00010'00000u);
    EXPECT_EQ(word("ret;"), 0b10111'00000'0'00000'000010'00000'00000u);
    EXPECT_EQ(word("  stop_core  ;"), 0b11000u << 27);
}

TEST(Encode, JumpsAreRelativeToThemselves) {
    EXPECT_EQ(word("jump loop;", 8), 0b10101u << 27 | 7u << 10);
    EXPECT_EQ(word("jump loop;", 9), 0b10101'00000'11111111'0111'1111111111u);
    EXPECT_EQ(word("rcall far;", 0), 0b10101'00000'01100001'1111'1010100000u);
    EXPECT_FALSE(encode("jump nowhere;", 0, labels));
    EXPECT_FALSE(encode("jump far;", 300000, labels));
}

TEST(Encode, RefusesWhatTheMachineLacks) {
    for (const char* statement : {"fadd r1, r2;", "fadd r1, r2, r32;", "fadd r1, 0.f, r2;", "add 0.f, r1, r2;", "nop",
                                  "fcomp_l r1, r2, cr8;", "fmulp2 r1, 256, r2;", "loadu_h 0x100000000, r1;",
                                  "[cr8] nop;", "frob r1;", "loadf_h x, r1;", "ploadu_l 1 2;"})
        EXPECT_FALSE(encode(statement, 0, labels)) << statement;
}

TEST(Encode, TakesEveryRandomStatementAndTheSimulatorFindsItLegal) {
    std::mt19937_64 random(1);
    Labels places;
    for (const std::string& name : random_label_names()) places[name] = static_cast<uint32_t>(places.size());
    for (int i = 0; i < 20000; ++i) {
        std::string statement = random_statement(random);
        auto encoded = encode(statement, 3, places);
        ASSERT_TRUE(encoded) << statement;
        Machine m({*encoded}, 4096);
        m.step();
        EXPECT_EQ(m.error.find("illegal"), std::string::npos) << statement;
    }
}

TEST(Timing, LateSumLeavesTheOldValueReadable) {
    Machine m = machine({"fadd 1.f, r1, r1;", "copy r1, r2;", "nop;", "copy r1, r4;", "stop_core;"});
    steps(m, 2);
    EXPECT_EQ(m.registers[2], 0u);
    steps(m, 3);
    EXPECT_EQ(m.registers[4], bits(1));
    EXPECT_TRUE(m.stopped);
    EXPECT_EQ(m.error, "");
}

TEST(Timing, ReadTwoWordsAfterASumIsStillOld) {
    Machine m = machine({"fadd 1.f, r1, r1;", "nop;", "store r1, r0;", "store r1, r0;", "stop_core;"});
    steps(m, 3);
    EXPECT_EQ(m.word_at(0), 0u);
    steps(m, 1);
    EXPECT_EQ(m.word_at(0), bits(1));
}

TEST(Timing, QuotientIsReadableElevenWordsLater) {
    Machine m = machine({"fdiv 1.f, r1, r2;", "nop;", "nop;", "nop;", "nop;", "nop;", "nop;", "nop;", "nop;", "nop;",
                         "store r2, r0;", "store r2, r0;", "stop_core;"});
    m.registers[1] = bits(4);
    steps(m, 11);
    EXPECT_EQ(m.word_at(0), 0u);
    steps(m, 1);
    EXPECT_EQ(m.word_at(0), bits(0.25f));
}

TEST(Timing, TwoResultsInOneCycleAreAnError) {
    Machine sum_and_add = machine({"fadd 1.f, r1, r2;", "nop;", "add r3, r4, r5;", "stop_core;"});
    EXPECT_FALSE(sum_and_add.run(10));
    EXPECT_EQ(sum_and_add.error, "word 2: two register results fall due in one cycle");

    Machine quotient_and_product = machine({"fdiv 1.f, r1, r2;", "nop;", "nop;", "nop;", "nop;", "nop;", "nop;", "nop;",
                                            "fmul 1.f, r1, r3;", "nop;", "nop;", "stop_core;"});
    EXPECT_FALSE(quotient_and_product.run(20));
    EXPECT_NE(quotient_and_product.error, "");
}

TEST(Timing, SumsAndProductsFollowEachOtherFreely) {
    Machine m = machine({"fmul pi, r1, r2;", "fadd 1.f, r1, r3;", "fmul e, r1, r4;", "nop;", "nop;", "stop_core;"});
    m.registers[1] = bits(1);
    EXPECT_TRUE(m.run(10));
    EXPECT_EQ(m.registers[2], 0x40490fdbu);
    EXPECT_EQ(m.registers[3], bits(2));
    EXPECT_EQ(m.registers[4], 0x402df854u);
}

TEST(Timing, InstructionThatDoesNotExecuteWritesNothing) {
    Machine m = machine({"fadd 1.f, r1, r2;", "nop;", "[cr0] add r3, r4, r5;", "stop_core;"});
    EXPECT_TRUE(m.run(10));
}

TEST(Timing, WordAfterAJumpExecutes) {
    Machine m =
        machine({"jump loop;", "copy 1.f, r1;", "copy 1.f, r2;", "nop;", "nop;", "nop;", "nop;", "nop;", "stop_core;"});
    EXPECT_TRUE(m.run(10));
    EXPECT_EQ(m.registers[1], bits(1));
    EXPECT_EQ(m.registers[2], 0u);
    EXPECT_EQ(m.steps, 3u);
}

TEST(Timing, DelaySlotOfACallRunsAgainAfterTheReturn) {
    Machine m = machine({"rcall loop;", "add r1, r2, r1;", "stop_core;", "nop;", "nop;", "nop;", "nop;", "nop;",
                         "copy r1, r3;", "ret;", "nop;"});
    m.registers[2] = 1;
    EXPECT_TRUE(m.run(20));
    EXPECT_EQ(m.registers[3], 1u);      // once before the subroutine
    EXPECT_EQ(m.registers[1], 2u);      // and once after it
    EXPECT_EQ(m.word_at(1024), 1u);     // its own index is the return address
    EXPECT_EQ(m.address_register, 1024u);
}

TEST(Memory, AddressRegisterStepsBeforeOrAfter) {
    Machine m = machine(
        {"store_i r1;", "store_d r2;", "i_load r3;", "d_load r4;", "load r5, r6;", "load_addr r7;", "stop_core;"});
    m.registers[1] = 11, m.registers[2] = 22, m.registers[5] = 1024;
    EXPECT_TRUE(m.run(10));
    EXPECT_EQ(m.word_at(1024), 11u);
    EXPECT_EQ(m.word_at(1028), 22u);
    EXPECT_EQ(m.registers[3], 22u);
    EXPECT_EQ(m.registers[4], 11u);
    EXPECT_EQ(m.registers[6], 11u);
    EXPECT_EQ(m.registers[7], 1024u);
}

TEST(Memory, BadAddressesAreErrors) {
    Machine unaligned = machine({"load r1, r2;"});
    unaligned.registers[1] = 2;
    EXPECT_FALSE(unaligned.run(1));
    Machine beyond = machine({"load r1, r2;"});
    beyond.registers[1] = 4096;
    EXPECT_FALSE(beyond.run(1));
    EXPECT_EQ(beyond.error, "word 0: data address beyond the memory");
}

uint32_t computed(const char* statement, uint32_t r1, uint32_t r2 = 0) {
    Machine m({word(statement), 0xc0000000}, 64);
    m.registers[1] = r1, m.registers[2] = r2;
    EXPECT_TRUE(m.run(2));
    m.drain();
    return m.registers[3];
}

TEST(Values, FloatsFlushAndNaNsAreCanonical) {
    EXPECT_EQ(computed("fadd r1, r2, r3;", 1, 1), 0u);
    EXPECT_EQ(computed("fmul r1, r2, r3;", 0x80800000, bits(0.5f)), 0x80000000u);
    EXPECT_EQ(computed("fdiv 0.f, r2, r3;", 0, 0), 0x7fc00000u);
    EXPECT_EQ(computed("copy r1, r3;", 1), 1u);
    EXPECT_EQ(computed("fneg r1, r3;", 0x7f800001), 0xff800001u);
    EXPECT_EQ(computed("fmulp2 r1, -3, r3;", bits(12)), bits(1.5f));
    EXPECT_EQ(computed("fmin r1, r2, r3;", 0x80000000, 0), 0x80000000u);
    EXPECT_EQ(computed("fmax r1, r2, r3;", 0x80000000, 0), 0u);
    EXPECT_EQ(computed("fmin nan, r2, r3;", 0, bits(7)), bits(7));
    EXPECT_EQ(computed("fmax r1, r2, r3;", 0xffc00001, 0x7fc00001), 0x7fc00000u);
}

TEST(Values, ConversionsSaturateAndTruncate) {
    EXPECT_EQ(computed("round r1, r3;", bits(-2.5f)), bits(-3));
    EXPECT_EQ(computed("ftou8_lh r1, r2, r3;", bits(18.9f), 0xaabbccdd), 0xaabb12ddu);
    EXPECT_EQ(computed("ftou8_hh inf, r2, r3;", 0, 0), 0xff000000u);
    EXPECT_EQ(computed("ftou16_h -1.f, r2, r3;", 0, 0x12345678), 0x5678u);
    EXPECT_EQ(computed("ftou32 r1, r3;", bits(3e9f)), 3000000000u);
    EXPECT_EQ(computed("ftou32 r1, r3;", bits(5e9f)), 0xffffffffu);
    EXPECT_EQ(computed("u8tof_hl r2, r3;", 0, 0x00630000), bits(99));
    EXPECT_EQ(computed("u32tof r2, r3;", 0, 0x1ffffff), bits(33554430));
}

TEST(Values, ComparisonsWithNaN) {
    Machine m = machine({"fcomp_ne nan, r0, cr1;", "fcomp_o nan, r0, cr2;", "fcomp_u nan, r0, cr3;",
                         "fcomp_ge nan, r0, cr4;", "stop_core;"});
    EXPECT_TRUE(m.run(10));
    EXPECT_TRUE(m.conditions[1]);
    EXPECT_FALSE(m.conditions[2]);
    EXPECT_TRUE(m.conditions[3]);
    EXPECT_FALSE(m.conditions[4]);
}

TEST(Words, UnusedBitsMustBeZero) {
    for (uint32_t bad : {0x00000001u, 0x00400000u, 0x10180000u, 0xd0000000u, 0x20000800u, 0x78000008u, 0x80000000u}) {
        Machine m({bad}, 64);
        EXPECT_FALSE(m.step());
        EXPECT_EQ(m.error, "word 0: illegal instruction") << std::hex << bad;
    }
}

TEST(RandomProgram, RunsToItsEnd) {
    std::mt19937_64 random(7);
    for (int i = 0; i < 300; ++i) {
        std::string source = random_program(random, 200);
        auto words = assemble(source);
        ASSERT_TRUE(words) << source;
        Machine m(*words, random_program_memory);
        ASSERT_TRUE(m.run(100000)) << m.error << '\n' << source;
    }
}

}  // namespace
}  // namespace wishbone_reference

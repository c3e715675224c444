// The hard cases of FabRISC: 16-bit units, instructions of two, four and six bytes, one bar with two lengths, fields that
// cross units, modifiers glued to the mnemonic. Expected bits are put together here from the bars, as strings.
#include <gtest/gtest.h>

#include <bitset>

#include "codec/plain_reader.hpp"
#include "isaforge/codec.hpp"

namespace isaforge::test {
namespace {

const Codec& codec() {
    static const Codec* const instance = [] {
        static SourceManager sources;
        Diagnostics diagnostics;
        auto isa = load_isa(ISAFORGE_SOURCE_DIR "/tests/isas/fabrisc-sample.isa", sources, diagnostics);
        if (!isa) {
            std::fputs(to_text(diagnostics, sources).c_str(), stderr);
            std::abort();
        }
        return new Codec(isa);
    }();
    return *instance;
}

std::string assemble(const std::string& text, std::uint64_t address = 0, unsigned skip = 0) {
    PlainReader reader;
    reader.symbols["end"] = 100;
    const char* cursor = text.data();
    Encoded out;
    ReadFailure failure;
    const auto takes = [&](const Encoded&, const char*) { return skip-- == 0; };
    if (!codec().assemble(cursor, text.data() + text.size(), address, reader, out, failure, takes))
        return failure.message;
    std::uint8_t bytes[16];
    codec().store(out.image, out.bits, bytes);
    std::string hex;
    for (unsigned i = 0; i < out.bits / 8; ++i) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x", bytes[i]);
        hex += two;
    }
    return hex;
}

// A bar written out from its most significant bit, as bytes: 16-bit units, each little-endian.
std::string bar(std::string bits) {
    std::erase(bits, ' ');
    std::string hex;
    for (std::size_t i = 0; i < bits.size(); i += 16) {
        const auto unit = std::bitset<16>(bits.substr(i, 16)).to_ulong();
        char four[5];
        std::snprintf(four, sizeof four, "%02x%02x", static_cast<unsigned>(unit & 255),
                      static_cast<unsigned>(unit >> 8));
        hex += four;
    }
    return hex;
}

std::string bits(long value, unsigned width) {
    return std::bitset<64>(static_cast<unsigned long>(value)).to_string().substr(64 - width);
}

TEST(FabriscSample, FieldsCrossUnits) {
    EXPECT_EQ(assemble("ADD.32: $S0, $N0, $RA;"),
              bar(bits(0x100, 12) + "0 0 10 0" + bits(6, 5) + bits(24, 5) + bits(31, 5)));
    EXPECT_EQ(assemble("SUB.64um: $GP, $SP, $P5;"),
              bar(bits(0x101, 12) + "1 1 11 0" + bits(29, 5) + bits(30, 5) + bits(5, 5)));
}

TEST(FabriscSample, OneBarWithTwoLengthsTakesTheShorterThatFits) {
    const std::string head = bits(0x080, 9);
    EXPECT_EQ(assemble("IADD.8: $P0, $P1, #5;"), bar(head + "0 0 0 00" + bits(0, 5) + bits(1, 5) + bits(5, 8)));
    EXPECT_EQ(assemble("IADD.8: $P0, $P1, #-128;"), bar(head + "0 0 0 00" + bits(0, 5) + bits(1, 5) + bits(-128, 8)));
    EXPECT_EQ(assemble("IADD.8: $P0, $P1, #128;"), bar(head + "0 1 0 00" + bits(0, 5) + bits(1, 5) + bits(128, 24)));
    EXPECT_EQ(assemble("IADD.8l: $P0, $P1, #5;"), bar(head + "0 1 0 00" + bits(0, 5) + bits(1, 5) + bits(5, 24)));
    EXPECT_EQ(assemble("IADD.8s: $P0, $P1, #5;"), bar(head + "0 0 0 00" + bits(0, 5) + bits(1, 5) + bits(5, 8)));
    EXPECT_EQ(assemble("IADD.8: $P0, $P1, #5;", 0, 1), bar(head + "0 1 0 00" + bits(0, 5) + bits(1, 5) + bits(5, 24)));
    EXPECT_EQ(assemble("IADD.16ulm: $P0, $P1, #-8388608;"),
              bar(head + "1 1 1 01" + bits(0, 5) + bits(1, 5) + bits(-8388608, 24)));
    EXPECT_EQ(assemble("IADD.8s: $P0, $P1, #500;"), "500 is out of range: -128 to 127");
    EXPECT_EQ(assemble("IADD.8: $P0, $P1, #8388608;"), "8388608 is out of range: -8388608 to 8388607");
}

TEST(FabriscSample, BranchesCountHalfwordsAndReachALongForm) {
    EXPECT_EQ(assemble("BLE.8: $S0, $S2, @end;"),
              bar(bits(0x42, 7) + "00 0" + bits(0, 2) + bits(6, 5) + bits(8, 5) + bits(50, 10)));
    EXPECT_EQ(assemble("BLE.8i: $S0, $S2, @end;", 200),
              bar(bits(0x42, 7) + "00 0" + bits(3, 2) + bits(6, 5) + bits(8, 5) + bits(-50, 10)));
    EXPECT_EQ(assemble("BLE.32f: $S0, $S2, 10000;"),
              bar(bits(0x43, 7) + "10 1 00" + bits(6, 5) + bits(8, 5) + bits(5000, 26)));
    EXPECT_EQ(assemble("BLE.8l: $S0, $S2, @end;"),
              bar(bits(0x43, 7) + "00 0 00" + bits(6, 5) + bits(8, 5) + bits(50, 26)));
    EXPECT_EQ(assemble("BLE.8: $S0, $S2, 101;"), "the distance to the target, 101, is no multiple of 2");
}

TEST(FabriscSample, ShortFormatsAndFamilies) {
    EXPECT_EQ(assemble("CSUB: $P2, $S1;"), bar(bits(0x60, 7) + bits(1, 3) + bits(2, 3) + bits(7, 3)));
    EXPECT_EQ(assemble("CIADD: $P2, #-32;"), bar(bits(0x61, 7) + bits(2, 3) + bits(-32, 6)));
    EXPECT_EQ(assemble("NOP;"), bar(bits(0xfe00, 16)));
    EXPECT_EQ(assemble("CADD: $S5, $S1;"),
              "expected $P0, $P1, $P2, $P3, $P4, $P5, $S0 or $S1, found '$S5'; the form is `CADD: RD, RS`");
}

TEST(FabriscSample, EveryFirstUnitDecodesOrIsNoInstructionAndComesBack) {
    unsigned instructions = 0;
    for (unsigned first = 0; first < 65536; ++first) {
        for (const std::uint64_t rest : {0x00000000ull, 0x12345678ull, 0xffffffffull, 0x00ff8001ull}) {
            Image image;
            image.words[0] = first | rest << 16;
            unsigned size = 0;
            const Index form = codec().decode(image, 48, size);
            if (form == no_index) continue;
            ++instructions;
            char line[Codec::max_text];
            const std::string text(line, codec().print(line, form, image, size, 1000));
            PlainReader reader;
            const char* cursor = text.data();
            Encoded out;
            ReadFailure failure;
            ASSERT_TRUE(codec().assemble(cursor, text.data() + text.size(), 1000, reader, out, failure))
                << text << ": " << failure.message;
            ASSERT_EQ(out.bits, size) << text;
            ASSERT_EQ(out.image.words[0], image.words[0] & ((std::uint64_t{1} << size) - 1)) << text;
        }
    }
    EXPECT_GT(instructions, 15000u);
}

}  // namespace
}  // namespace isaforge::test

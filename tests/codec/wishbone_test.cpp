// The WISHBONE GPU through the generated codec, against an encoder that was written by hand from the facts.
#include <gtest/gtest.h>

#include <random>

#include "codec/plain_reader.hpp"
#include "isaforge/codec.hpp"
#include "reference/wishbone_gpu.hpp"

namespace isaforge::test {
namespace {

const Codec& codec() {
    static const Codec* const instance = [] {
        static SourceManager sources;
        Diagnostics diagnostics;
        auto isa = load_isa("wishbone-gpu", sources, diagnostics);
        EXPECT_TRUE(isa) << to_text(diagnostics, sources);
        return isa ? new Codec(isa) : nullptr;
    }();
    return *instance;
}

std::optional<std::uint32_t> assemble(const std::string& text, std::uint64_t pc, PlainReader& reader,
                                      std::string* message = nullptr) {
    const char* cursor = text.data();
    Encoded out;
    ReadFailure failure;
    if (codec().assemble(cursor, text.data() + text.size(), pc, reader, out, failure))
        return static_cast<std::uint32_t>(out.image.words[0]);
    if (message) *message = failure.message;
    return std::nullopt;
}

std::string print(std::uint32_t word, std::uint64_t pc) {
    Image image;
    image.words[0] = word;
    unsigned bits = 0;
    const Index form = codec().decode(image, 32, bits);
    if (form == no_index) return {};
    char text[Codec::max_text];
    return {text, codec().print(text, form, image, bits, pc)};
}

TEST(WishboneCodec, EncodesAHundredThousandRandomStatementsAsTheReferenceDoes) {
    std::mt19937_64 random(1);
    wishbone_reference::Labels labels;
    PlainReader reader;
    for (const std::string& name : wishbone_reference::random_label_names()) {
        labels[name] = static_cast<std::uint32_t>(random() % 100000);
        reader.symbols[name] = labels[name];
    }
    for (int i = 0; i < 100000; ++i) {
        const std::string text = wishbone_reference::random_statement(random);
        const auto pc = static_cast<std::uint32_t>(random() % 100000);
        const auto expected = wishbone_reference::encode(text, pc, labels);
        ASSERT_TRUE(expected) << text;
        std::string message;
        const auto got = assemble(text, pc, reader, &message);
        ASSERT_TRUE(got) << text << ": " << message;
        ASSERT_EQ(*got, *expected) << text;
    }
}

TEST(WishboneCodec, AWordIsNoInstructionOrItsTextAssemblesBackToIt) {
    std::mt19937_64 random(2);
    PlainReader reader;
    unsigned instructions = 0;
    for (int i = 0; i < 2000000; ++i) {
        // Half of the words keep the upper bits plausible, so that many of them are instructions.
        auto word = static_cast<std::uint32_t>(random());
        if (i % 2 == 0) word &= 0xFC3F1FFF;
        if (i % 4 == 0) word &= 0xF83F1C1F;
        const auto pc = random() % 4096;
        const std::string text = print(word, pc);
        if (text.empty()) continue;
        ++instructions;
        const auto back = assemble(text, pc, reader);
        ASSERT_TRUE(back) << text;
        ASSERT_EQ(*back, word) << text;
    }
    EXPECT_GT(instructions, 50000u);
}

TEST(WishboneCodec, PrintsWhatTheOriginalAssemblerTakes) {
    EXPECT_EQ(print(0x00000000, 0), "nop");
    PlainReader reader;
    for (const char* text :
         {"[!cr3] fadd pi, r4, r5", "copy 0.f, r31", "[cr0] ret", "fmulp2 r1, -256, r2", "push r3", "goto r9",
          "load_addr r1", "fcomp_ne r1, r2, cr7", "jump -5", "rcall 77", "ploadu_l 0x1234", "loadu_h 0x40490000, r1"}) {
        const auto word = assemble(text, 10, reader);
        ASSERT_TRUE(word) << text;
        EXPECT_EQ(print(*word, 10), std::string(text) == "push r3" ? "store_d r3" : text);
    }
}

TEST(WishboneCodec, ErrorsSayWhatWasExpected) {
    PlainReader reader;
    const auto message = [&](const std::string& text) {
        std::string out;
        EXPECT_FALSE(assemble(text, 0, reader, &out)) << text;
        return out;
    };
    EXPECT_EQ(message("fad r1, r2, r3;"), "unknown instruction 'fad'");
    EXPECT_EQ(message("fadd r1 r2, r3;"), "expected ',', found 'r2'; the form is `fadd A, B, C`");
    EXPECT_EQ(message("fadd r1, r2;"), "expected ',', found ';'; the form is `fadd A, B, C`");
    EXPECT_EQ(message("fadd r1, r32, r3;"), "expected r0 to r31, found 'r32'; the form is `fadd A, B, C`");
    EXPECT_EQ(message("fmulp2 r1, 256, r3;"), "256 is out of range: -256 to 255");
    EXPECT_EQ(message("fmulp2 r1, 1.5, r3;"), "an integer is expected here, not 1.5");
    EXPECT_EQ(message("jump 131072;"), "the target is 131072 away; the reach is -131072 to 131071");
    EXPECT_EQ(message("add 1.f, r2, r3;"), "expected r0 to r31, found '1.f'; the form is `add A, B, C`");
    EXPECT_EQ(message("nop nop;"), "expected the end of the statement, found 'nop'; the form is `nop`");
}

}  // namespace
}  // namespace isaforge::test

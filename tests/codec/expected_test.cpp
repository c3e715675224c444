// What the grammar allows behind the begin of a statement.
#include "isaforge/expected.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "plain_reader.hpp"

namespace isaforge {
namespace {

const Codec& codec_of(const std::string& name) {
    static std::map<std::string, std::unique_ptr<Codec>> all;
    std::unique_ptr<Codec>& one = all[name];
    if (!one) {
        SourceManager sources;
        Diagnostics diagnostics;
        one = std::make_unique<Codec>(load_isa(name, sources, diagnostics));
    }
    return *one;
}

// The texts that may follow, in order, with blanks between.
std::string follows(const std::string& isa, std::string_view text, std::string_view prefix) {
    test::PlainReader reader;
    std::string out;
    for (const Continuation& one : expected_behind(codec_of(isa), text, prefix, 0, reader, 1000).continuations)
        out += (out.empty() ? "" : " ") + one.text;
    return out;
}

TEST(Expected, Mnemonics) {
    EXPECT_EQ(follows("wishbone-gpu", "", "fmul"), "fmulp2 fmul");
    EXPECT_EQ(follows("wishbone-gpu", "[cr0] ", "fad"), "fadd");
    EXPECT_EQ(follows("wishbone-gpu", "add ", "fad"), "");
}

TEST(Expected, OperandsOfThatPlaceAlone) {
    EXPECT_EQ(follows("gcn1.2", "s_mov_b64 ", "vcc"), "vcc");
    EXPECT_EQ(follows("gcn1.2", "s_mov_b32 ", "vcc"), "vcc_lo vcc_hi");
    EXPECT_EQ(follows("gcn1.2", "s_mov_b64 ", "s[1"), "s[10:11] s[12:13] s[14:15] s[16:17] s[18:19] s[100:101]");
    EXPECT_EQ(follows("gcn1.2", "v_mov_b32 ", "s"), "");
    EXPECT_EQ(follows("gcn1.2", "v_mov_b32 v1, ", "s10"), "s10 s100 s101");
}

TEST(Expected, WhatAStatementWithoutMnemonicBeginsWith) {
    EXPECT_EQ(follows("bpf", "", "go"), "goto gotol");
    EXPECT_EQ(follows("bpf", "", "r1"), "r1 r10");
    EXPECT_EQ(follows("bpf", "", "i"), "if");
    EXPECT_EQ(follows("bpf", "", "*"), "*(u8 *(u16 *(u32 *(u64");
    EXPECT_EQ(follows("bpf", "r1 ", ""), "= += -= *= /= s/= |= &= <<= >>= %= s%= ^= s>>=");
    EXPECT_EQ(follows("bpf", "r1 = ", "r1"), "r1 r10");
    EXPECT_EQ(follows("bpf", "if r1 ", "s"), "s> s>= s< s<=");
    EXPECT_EQ(follows("bpf", "goto ", "r"), "");
}

TEST(Expected, WhatMayBeLeftOut) {
    EXPECT_EQ(follows("gcn1.2", "flat_load_dword v1, v[2:3] ", "g"), "glc");
    EXPECT_EQ(follows("gcn1.2", "flat_load_dword v1, v[2:3] glc ", "s"), "slc");
}

TEST(Expected, NumbersAndForms) {
    test::PlainReader reader;
    const Expected at = expected_behind(codec_of("wishbone-gpu"), "add r1, ", "", 0, reader, 0);
    EXPECT_FALSE(at.numbers);
    ASSERT_EQ(at.signatures.size(), 1u);
    EXPECT_EQ(at.signatures[0].label, "CONDadd A, B, C");
    EXPECT_EQ(at.signatures[0].active, 2u);
    ASSERT_FALSE(at.operands.empty());
    EXPECT_EQ(at.operands[0].words, "r0 to r31");
    EXPECT_TRUE(at.more);  // than nothing
    EXPECT_TRUE(expected_behind(codec_of("wishbone-gpu"), "jump ", "", 0, reader, 0).numbers);
}

TEST(Expected, AnyBeginOfAnyText) {
    test::PlainReader reader;
    const std::string text = "[!cr3] v_add_f32 v1, s[2:3], 0x10 clamp $S0 @x , , ]]";
    for (const char* isa : {"wishbone-gpu", "gcn1.2", "fabrisc-2022-05-15"})
        for (std::size_t size = 0; size <= text.size(); ++size)
            EXPECT_LE(expected_behind(codec_of(isa), std::string_view(text).substr(0, size), "", 0, reader, 7)
                          .continuations.size(),
                      7u);
}

}  // namespace
}  // namespace isaforge

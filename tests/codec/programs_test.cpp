// Programs of statements: whatever they read, the reader reads so, for every built-in instruction set.
#include <gtest/gtest.h>

#include "codec/known_statements.hpp"
#include "isaforge/sample.hpp"

namespace isaforge::test {
namespace {

std::vector<std::string> sampled(const Codec& codec, SampledText kind, std::uint64_t seed, unsigned count) {
    Sampler sampler(codec, seed, kind);
    SplitMix64 random(seed);
    std::vector<std::string> out;
    Sampled one;
    for (unsigned tries = 0; out.size() < count && tries < 4 * count; ++tries) {
        if (sampler.statement(static_cast<Index>(random.next() % codec.isa().forms.size()), 0, one))
            out.emplace_back(one.view());
    }
    return out;
}

std::shared_ptr<const Isa> built_in(const std::string& name) {
    SourceManager sources;
    Diagnostics diagnostics;
    return load_isa(name, sources, diagnostics);
}

class EveryProgram : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryProgram, ReadsWhatTheReaderReads) {
    const auto isa = built_in(GetParam());
    ASSERT_TRUE(isa);
    const Codec codec(isa);
    for (const SampledText kind : {SampledText::printed, SampledText::other}) {
        const KnownStatements read = read_known_statements(codec, sampled(codec, kind, 5, 300), 7, 60);
        EXPECT_EQ(read.wrong, "") << GetParam();
        // Many of those that are instructions are known after a while: of each sixty, with any other numbers.
        EXPECT_GT(read.known * 4, read.good) << GetParam() << ": " << read.known << " of " << read.good;
    }
}

INSTANTIATE_TEST_SUITE_P(Programs, EveryProgram,
                         ::testing::Values("fabrisc-2022-05-15", "wishbone-gpu", "gcn1.0", "gcn1.1", "gcn1.2", "gcn1.4",
                                           "rv64gc", "mos6502", "msp430", "bpf"),
                         [](const auto& one) {
                             std::string name = one.param;
                             for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                             return name;
                         });

KnownStatements read_once(const char* isa, const std::vector<std::string>& statements) {
    const Codec codec(built_in(isa));
    return read_known_statements(codec, statements, 1, 1);
}

TEST(Programs, OneIsMadeWhenAnOutlineComesAgain) {
    EXPECT_EQ(read_once("gcn1.2", {"v_add_f32 v1, v2, v3", "v_add_f32 v4, v5, v6", "v_add_f32 v7, v8, v9"}).known, 1u);
    // With other numbers of digits it is another outline.
    EXPECT_EQ(read_once("gcn1.2", {"v_add_f32 v1, v2, v3", "v_add_f32 v4, v5, v6", "v_add_f32 v10, v8, v9"}).known, 0u);
}

TEST(Programs, NumbersThatMeanAnotherFormAreNoneOfTheirs) {
    const KnownStatements numbers = read_once(
        "gcn1.2", {"s_mov_b32 s1, 63", "s_mov_b32 s1, 64", "s_mov_b32 s1, 65", "s_mov_b32 s1, 66", "s_mov_b32 s1, 62"});
    EXPECT_EQ(numbers.wrong, "");
    EXPECT_GT(numbers.known, 0u);
    // Compressed where an operand is the same as another.
    const KnownStatements same = read_once("rv64gc", {"add a0, a0, a1", "add a2, a2, a1", "add a3, a4, a5",
                                                      "add a4, a4, a5", "add a5, a4, a4", "add a1, a2, a3"});
    EXPECT_EQ(same.wrong, "");
    EXPECT_GT(same.known, 1u);
}

// What stands before a mnemonic has to be the same, and what stands behind it does not.
TEST(Programs, KnowWhatStandsBeforeAMnemonic) {
    const auto read = [](std::vector<std::string> last) {
        std::vector<std::string> all{"fadd r1, r2, r3",       "fadd r4, r5, r6",        "[cr1] fadd r1, r2, r3",
                                     "[cr1] fadd r4, r5, r6", "[!cr1] fadd r1, r2, r3", "[!cr1] fadd r4, r5, r6"};
        all.insert(all.end(), last.begin(), last.end());
        const KnownStatements found = read_once("wishbone-gpu", all);
        EXPECT_EQ(found.wrong, "");
        return found.known;
    };
    EXPECT_EQ(read({}), 0u);
    EXPECT_EQ(read({"fadd r7, r8, r9"}), 1u);
    EXPECT_EQ(read({"[cr1] fadd r7, r8, r9", "[!cr1] fadd r7, r8, r9"}), 2u);
    EXPECT_EQ(read({"[cr2] fadd r7, r8, r9", "[!cr3] fadd r7, r8, r9"}), 0u);
}

// Wherever a comment, a mark, a letter that is none of ours or a long line stands, thirty-two characters at a time or sixteen.
TEST(Programs, EndWhereStatementsEnd) {
    const Codec codec(built_in("gcn1.2"));
    assembler::PlainStatements fast(codec), plain(codec, false);
    unsigned known = 0;
    for (const char* const behind :
         {"", " ", "// 1x", "; s_nop 0", " /* 0x1 */", "\xc3\xa9", "\"", "0x1f", " x", "\x01"}) {
        for (unsigned i = 0; i < 3 * 110; ++i) {
            const std::string line = "v_add_f32 v1," + std::string(i / 3, ' ') + "v2, v3" + behind;
            const std::string text = line + std::string(256, '\n');
            const auto read = [&](assembler::PlainStatements& statements, bool& is_known) {
                const char* p = text.data();
                Encoded encoded;
                is_known = statements.known(p, text.data() + text.size(), encoded);
                const bool good = is_known || statements.read(p, text.data() + line.size(), encoded);
                return std::pair(good, p - text.data());
            };
            bool is_known = false, is_known_plainly = false;
            EXPECT_EQ(read(fast, is_known), read(plain, is_known_plainly)) << line;
            EXPECT_EQ(is_known, is_known_plainly) << line;
            known += is_known;
        }
    }
    EXPECT_GT(known, 500u);
}

// Pairs have to be pairs, and an instruction takes one scalar register, of whichever number.
TEST(Programs, WhatIsNoInstructionIsNotKnown) {
    std::vector<std::string> pairs{"s_mov_b64 s[0:1], 0", "s_mov_b64 s[2:3], 0", "s_mov_b64 s[6:7], 0"};
    std::vector<std::string> scalars{"v_add_f32_e64 v0, s1, s1", "v_add_f32_e64 v0, s2, s2",
                                     "v_add_f32_e64 v0, s3, s3"};
    for (char i = '0'; i < '9'; ++i) {
        pairs.push_back(std::string("s_mov_b64 s[") + i + ":9], 0");
        scalars.push_back(std::string("v_add_f32_e64 v0, s9, s") + i);
    }
    for (const auto& statements : {pairs, scalars}) {
        const KnownStatements read = read_once("gcn1.2", statements);
        EXPECT_EQ(read.wrong, "");
        EXPECT_GE(read.known, 1u);
        EXPECT_LE(read.known, 2u);
    }
}

}  // namespace
}  // namespace isaforge::test

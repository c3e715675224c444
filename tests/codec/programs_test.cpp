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

// The last of these lines, after the same line three times.
unsigned is_known_behind(const std::string& line, const std::string& last) {
    return read_once("gcn1.2", {line, line, line, last}).known;
}

TEST(Programs, OneIsMadeWhenAnOutlineComesTheThirdTime) {
    const std::string line = "v_add_f32 v1, v2, v3";
    EXPECT_EQ(read_once("gcn1.2", {line, line, line}).known, 0u);
    EXPECT_EQ(is_known_behind(line, "v_add_f32 v7, v8, v9"), 1u);
    // However many digits numbers have.
    EXPECT_EQ(is_known_behind(line, "v_add_f32 v10, v28, v219"), 1u);
    EXPECT_EQ(is_known_behind("v_add_f32 v100, v28, v219", line), 1u);
    EXPECT_EQ(is_known_behind(line, "v_add_f32 v01, v8, v9"), 0u);
    EXPECT_EQ(is_known_behind(line, "v_add_f32 v7, v8, v256"), 0u);
    EXPECT_EQ(is_known_behind(line, "v_add_f32 v7, s8, v9"), 0u);
    // Of hexadecimal ones it counts, for they may begin with zeros.
    EXPECT_EQ(is_known_behind("s_mov_b32 s1, 0x12345", "s_mov_b32 s12, 0xabcde"), 1u);
    EXPECT_EQ(is_known_behind("s_mov_b32 s1, 0x12345", "s_mov_b32 s12, 0xabcdef"), 0u);
    // A floating-point number is known by itself, and what stands behind it by its rule.
    const std::vector<std::string> loads(3, "loadf_h 0.125, r3");
    const auto is_known = [&](const char* last) {
        std::vector<std::string> all = loads;
        all.emplace_back(last);
        return read_once("wishbone-gpu", all).known;
    };
    EXPECT_EQ(is_known("loadf_h 0.125, r22"), 1u);
    EXPECT_EQ(is_known("loadf_h 0.126, r3"), 0u);
}

// Wherever in a statement of up to 127 characters a number stands, across the words of their bits as well.
TEST(Programs, NumbersAreFoundWhereverTheyStand) {
    for (std::size_t blanks = 1; blanks < 110; ++blanks) {
        const auto line = [&](const std::string& one, const std::string& two) {
            return "v_add_f32 v1," + std::string(blanks, ' ') + "v" + one + ", v" + two;
        };
        EXPECT_EQ(is_known_behind(line("2", "3"), line("213", "14")), blanks < 106 ? 1u : 0u) << blanks;
        EXPECT_EQ(read_once("gcn1.2", {line("2", "3"), line("21", "3"), line("101", "30"), line("213", "14")}).wrong,
                  "");
    }
}

TEST(Programs, NumbersThatMeanAnotherFormAreNoneOfTheirs) {
    const KnownStatements numbers = read_once("gcn1.2", {"s_mov_b32 s1, 6", "s_mov_b32 s1, 63", "s_mov_b32 s1, 64",
                                                         "s_mov_b32 s1, 65", "s_mov_b32 s1, 66", "s_mov_b32 s1, 2"});
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
        std::vector<std::string> all;
        for (const char* const line : {"fadd r1, r2, r3", "[cr1] fadd r1, r2, r3", "[!cr1] fadd r1, r2, r3"})
            all.insert(all.end(), 3, line);
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

// Texts in which digits are letters, at places where numbers may stand that begin with the same digits or are longer.
constexpr const char* digits_as_letters = R"isa(
isa digits "Numbers beside names and marks of digits"
code      unit 16 little
registers r : 3 of u16 "r{n}"
operand amount : 6 {
    100110         "7"
    100111         "13"
    0 0 n:4        "{n}"
    100000         "16"
    100001         "1x"
    100010         "20k"
    100011         "1.5"
    100100         "n1"
    100101         "n12"
    101 n:3        "p{n+8}"
    110000         "p1"
    110001         "p160"
}
format LOAD   | OP:4 | A:r | B:r | N:u6 |
format AMOUNT | OP:4 | A:r | -:3 | K:amount |
instructions LOAD [OP] with N = 1 "ld {A}, 1({B})" { 0 one }
instructions LOAD [OP] "ld {A}, {N}({B})" { 1 any }
instructions LOAD [OP] with N = 2, B = 0 "sh {A}, 2" { 2 two }
instructions LOAD [OP] with N = 34, B = 0 "sh {A}, 34" { 3 many }
instructions LOAD [OP] with N = 0, B = 0 "sh {A}, 0" { 4 none }
instructions LOAD [OP] with B = 0 "sh {A}, {N}" { 5 other }
instructions LOAD [OP] with N = 12, B = 0 "mv 12 {A}" { 6 twelve }
instructions LOAD [OP] with B = 0 "mv {N} {A}" { 7 some }
instructions AMOUNT [OP] "am {A}, {K}" { 8 by }
instructions AMOUNT [OP] "am {K}, {A}" { 9 from }
instructions LOAD [OP] with B = 0 "gl {A}, 1{N}" { 10 glued }
instructions LOAD [OP] with B = 0 "gl {A}, {N}" { 11 alone }
)isa";

TEST(Programs, NumbersAreNoTextsThatBeginWithTheirDigits) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa_text("digits.isa", digits_as_letters, sources, diagnostics);
    ASSERT_TRUE(isa) << to_text(diagnostics, sources);
    const Codec codec(isa);
    SplitMix64 random(3);
    constexpr const char* shapes[] = {"ld rA, N(rB)", "ld rA, N (rB)", "sh rA, N",  "mv N rA",    "am rA, N",
                                      "am N, rA",     "am rA, Nx",     "am rA, Nk", "am rA, N.N", "am rA, nN",
                                      "am rA, pN",    "am pN, rA",     "gl rA, N"};
    unsigned known = 0;
    for (unsigned round = 0; round < 150; ++round) {
        std::vector<std::string> all;
        for (unsigned i = 0; i < 400; ++i) {
            std::string text;
            for (const char c : std::string_view(shapes[random.next() % std::size(shapes)])) {
                if (c == 'N') {
                    const std::uint64_t few = random.next() % 6;
                    text += std::to_string(few == 0 ? random.next() % 200 : random.next() % (few == 1 ? 3 : 36));
                } else {
                    text += c == 'A' || c == 'B' ? static_cast<char>('0' + random.next() % 8) : c;
                }
            }
            all.push_back(text);
        }
        const KnownStatements read = read_known_statements(codec, all, round, 1);
        EXPECT_EQ(read.wrong, "");
        known += read.known;
    }
    EXPECT_GT(known, 8000u);
}

// Pairs have to be pairs, and an instruction takes one scalar register, of whichever number.
TEST(Programs, WhatIsNoInstructionIsNotKnown) {
    std::vector<std::string> pairs{"s_mov_b64 s[0:1], 0", "s_mov_b64 s[4:5], 0", "s_mov_b64 s[2:3], 0",
                                   "s_mov_b64 s[6:7], 0"};
    std::vector<std::string> scalars{"v_add_f32_e64 v0, s1, s1", "v_add_f32_e64 v0, s2, s2", "v_add_f32_e64 v0, s3, s3",
                                     "v_add_f32_e64 v0, s4, s4"};
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

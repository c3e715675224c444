// The printed reader: what it takes or refuses, the reader that goes step by step does too, for every built-in instruction set.
#include <gtest/gtest.h>

#include "codec/printed_statements.hpp"
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

std::shared_ptr<const Isa> described(const char* text) {
    SourceManager sources;
    Diagnostics diagnostics;
    auto isa = load_isa_text("described.isa", text, sources, diagnostics);
    EXPECT_TRUE(isa) << to_text(diagnostics, sources);
    return isa;
}

// The statement with a character left out, doubled, or exchanged for another that such statements have.
std::string with_other_character(std::string text, SplitMix64& random) {
    constexpr std::string_view others = " ,()[]|-:.#$@0129abcrsvx_/;*+\t";
    const std::size_t at = random.next() % text.size();
    switch (random.next() % 3) {
        case 0: return text.erase(at, 1);
        case 1: return text.insert(at, 1, others[random.next() % others.size()]);
        default: text[at] = others[random.next() % others.size()]; return text;
    }
}

class EveryPrintedStatement : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryPrintedStatement, IsReadAsStepByStep) {
    const auto isa = built_in(GetParam());
    ASSERT_TRUE(isa);
    const Codec codec(isa);
    for (const SampledText kind : {SampledText::printed, SampledText::other}) {
        const std::vector<std::string> statements = sampled(codec, kind, 5, 1500);
        const PrintedStatements read = read_printed_statements(codec, statements, 7, 1);
        EXPECT_EQ(read.wrong, "") << GetParam();
        EXPECT_GT(read.taken * 8, read.good) << GetParam();
        const PrintedStatements others = read_printed_statements(codec, statements, 7, 8);
        EXPECT_EQ(others.wrong, "") << GetParam();
        EXPECT_GT((others.taken + others.refused) * 8, others.statements) << GetParam();
        SplitMix64 random(11);
        std::vector<std::string> broken;
        for (unsigned i = 0; i < 8; ++i) {
            for (const std::string& statement : statements) broken.push_back(with_other_character(statement, random));
        }
        EXPECT_EQ(read_printed_statements(codec, broken, 13, 1).wrong, "") << GetParam();
    }
}

INSTANTIATE_TEST_SUITE_P(PrintedReader, EveryPrintedStatement,
                         ::testing::Values("fabrisc-2022-03-18", "fabrisc-2022-05-02", "fabrisc-2022-05-15",
                                           "wishbone-gpu", "gcn1.0", "gcn1.1", "gcn1.2", "gcn1.4", "rv64gc", "mos6502",
                                           "msp430", "bpf"),
                         [](const auto& one) {
                             std::string name = one.param;
                             for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                             return name;
                         });

using Seen = codec::PrintedReader::Seen;

Seen seen(const Codec& codec, std::string_view text) {
    const char* p = text.data();
    Encoded encoded;
    return codec::PrintedReader(codec.isa(), codec.tables_so_far(), p + text.size()).statement(p, encoded);
}

TEST(PrintedReader, TakesWhatIsWrittenAsItIsPrinted) {
    const Codec codec(built_in("gcn1.2"));
    EXPECT_EQ(seen(codec, "v_add_f32 v1, v2, v3"), Seen::taken);
    EXPECT_EQ(seen(codec, "v_add_f32 \tv1,v2,   v3  // comment"), Seen::taken);
    EXPECT_EQ(seen(codec, "v_add_f32_e64 v1, -|v2|, s3 clamp"), Seen::taken);
    EXPECT_EQ(seen(codec, "s_mov_b64 s[0:1], s[2:3]"), Seen::taken);
    EXPECT_EQ(seen(codec, "v_add_f32 v1, v2, v256"), Seen::refused);
    EXPECT_EQ(seen(codec, "v_add_f32_e64 v0, s1, s2"), Seen::refused) << "of such registers it takes one";
    EXPECT_EQ(seen(codec, "s_mov_b64 s[0:2], 0"), Seen::refused);
    EXPECT_EQ(seen(codec, "no_such_name v1"), Seen::refused);
    EXPECT_EQ(seen(codec, "s_branch there"), Seen::unclear) << "for whoever knows symbols";
    EXPECT_EQ(seen(codec, "s_branch 12"), Seen::taken) << "a number alone is what it says";
    EXPECT_EQ(seen(codec, "s_branch 65536"), Seen::refused);
    EXPECT_EQ(seen(codec, "s_endpgm // nothing behind it"), Seen::taken);
    EXPECT_EQ(seen(codec, "v_add_f32 v[1], v2, 1 + 1"), Seen::unclear);
}

// What an operand brings along is put behind the instruction. Two of them are looked at by whoever knows whether they are one.
TEST(PrintedReader, TakesAWordBehindTheInstruction) {
    const Codec codec(built_in("gcn1.2"));
    EXPECT_EQ(seen(codec, "s_mov_b32 s0, 0x12345678"), Seen::taken);
    EXPECT_EQ(seen(codec, "v_and_b32_e32 v6, 0x12345678, v2"), Seen::taken);
    EXPECT_EQ(seen(codec, "s_add_u32 s0, 0x12345678, 0x12345678"), Seen::unclear);
    EXPECT_EQ(seen(codec, "s_mov_b32 s0, 0x12345678 + 1"), Seen::unclear);
    EXPECT_EQ(seen(codec, "v_and_b32_e64 v6, 0x12345678, v2"), Seen::refused);
    const std::string text = "s_mov_b32 s0, 0x12345678";
    const char* p = text.data();
    Encoded encoded;
    codec::PrintedReader(codec.isa(), codec.tables_so_far(), p + text.size()).statement(p, encoded);
    EXPECT_EQ(encoded.bits, 64u);
    EXPECT_EQ(encoded.image.words[0], 0x12345678'be8000ffu);
    EXPECT_EQ(p, text.data() + text.size());
}

// Forms of a mnemonic that differ in what may stand in front of an operand, or behind all of them.
TEST(PrintedReader, RefusesWhatIsOfAnotherForm) {
    const Codec codec(built_in("gcn1.2"));
    EXPECT_EQ(seen(codec, "v_cmp_lt_f32 vcc, -|v1|, |v2| src0_sel:DWORD src1_sel:WORD_1"), Seen::taken);
    EXPECT_EQ(seen(codec, "v_cmp_lt_u16 vcc, sext(v1), sext(v2) clamp src0_sel:DWORD src1_sel:WORD_1"), Seen::taken);
    EXPECT_EQ(seen(codec, "image_atomic_sub v[8:9], v61, ttmp[4:11] dmask:0x1 tfe lwe da"), Seen::taken);
    EXPECT_EQ(seen(codec, "image_sample_d_o v127, v[24:26], ttmp[4:11], s[24:27] dmask:0x2 unorm glc lwe d16"),
              Seen::taken);
    EXPECT_EQ(seen(codec, "buffer_store_dword v1, v0, ttmp[8:11], src_scc offen offset:10 glc tfe"), Seen::taken);
    EXPECT_EQ(seen(codec, "ds_read2st64_b32 v[0:1], v0 offset1:213"), Seen::taken);
    EXPECT_EQ(seen(codec, "s_mov_b32 s0, there(s1)"), Seen::refused) << "nothing is called";
    EXPECT_EQ(seen(codec, "v_mul_f32_e64 v1, |v2|, |v[1 + 2]|"), Seen::unclear);
    EXPECT_EQ(seen(codec, "v_mul_f32_e64 v1, | v2 |, v3"), Seen::unclear);
    EXPECT_EQ(seen(codec, "v_cvt_f32_ubyte3 v255, sext( v95) clamp dst_unused:UNUSED_PAD src0_sel:WORD_1"),
              Seen::unclear);
    EXPECT_EQ(seen(codec, "ds_read2st64_b32 v[0:1], v0 offset1 : 213"), Seen::unclear);
}

// Registers that are written twice, fields in many pieces, and numbers in front of a parenthesis.
TEST(PrintedReader, TakesFieldsOfAllShapes) {
    const Codec codec(built_in("rv64gc"));
    EXPECT_EQ(seen(codec, "c.add a5, a4"), Seen::taken);
    EXPECT_EQ(seen(codec, "add a5, a0, s1"), Seen::taken) << "another form of it has the first register twice";
    EXPECT_EQ(seen(codec, "addi a5, a5, 24"), Seen::taken);
    EXPECT_EQ(seen(codec, "c.addi16sp sp, 32"), Seen::taken);
    EXPECT_EQ(seen(codec, "c.addi16sp sp, 33"), Seen::refused);
    EXPECT_EQ(seen(codec, "ld a4, 530(a4)"), Seen::taken);
    EXPECT_EQ(seen(codec, "ld a5, 16(s2)"), Seen::taken) << "the short one has eight registers";
    EXPECT_EQ(seen(codec, "ld a5, 16(x32)"), Seen::refused);
    EXPECT_EQ(seen(codec, "ld a5, 16+8(s2)"), Seen::unclear);
    EXPECT_EQ(seen(codec, "beq a0, a1, there"), Seen::unclear);
    EXPECT_EQ(seen(Codec(built_in("mos6502")), "cmp (1936),y"), Seen::unclear) << "what the parentheses are decides";
}

// Blanks may stand behind a mark, as the assembler of LLVM has it.
TEST(PrintedReader, LeavesBlanksInTextsToWhoeverReadsThem) {
    const Codec codec(built_in("gcn1.2"));
    EveryReader every(codec);
    const std::string text = "v_interp_p2_f32 v255, neg( v0), attr7.y div:2";
    const char* p = text.data();
    Encoded encoded;
    ASSERT_TRUE(every.read(p, p + text.size(), encoded));
    EXPECT_EQ(encoded.image.words[0], 0x58020047'd27100ffu);
    EXPECT_EQ(seen(codec, text), Seen::unclear);
}

// Where numbers have marks before them that are elsewhere parts of texts, and parentheses stand behind them.
constexpr const char* numbers_with_marks = R"isa(
isa marks "Marks in front of numbers"
code      unit 16 little
syntax {
    expression "|"
    hex        "["
}
registers r : 2 of u16 "r{n}"
operand what : 6 {
    00 n:4     "{n}"
    01 00 n:r  "{n}"
    10 n:4     "at({n})"
    11 00 n:r  "-{n}"
}
format ONE | OP:4 | -:6 | K:what |
instructions ONE [OP] "mv {K}, r1" { 0 move }
instructions ONE [OP] "go {K}(r1)" { 1 call }
)isa";

TEST(PrintedReader, LeavesMarksOfNumbersToWhoeverKnowsThem) {
    const auto isa = described(numbers_with_marks);
    ASSERT_TRUE(isa);
    const Codec codec(isa);
    EXPECT_EQ(seen(codec, "mv 5, r1"), Seen::taken);
    EXPECT_EQ(seen(codec, "mv -r2, r1"), Seen::taken);
    EXPECT_EQ(seen(codec, "mv [5, r1"), Seen::taken);
    EXPECT_EQ(seen(codec, "mv [x, r1"), Seen::unclear);
    EXPECT_EQ(seen(codec, "mv |there, r1"), Seen::unclear);
    EXPECT_EQ(seen(codec, "mv {5, r1"), Seen::refused);
    EXPECT_EQ(seen(codec, "mv -{r2, r1"), Seen::refused);
    EXPECT_EQ(seen(codec, "mv above(r1), r1"), Seen::refused);
    EXPECT_EQ(seen(codec, "mv above$(r1), r1"), Seen::unclear);
    EXPECT_EQ(seen(codec, "go there(r1)"), Seen::unclear);
    EXPECT_EQ(seen(codec, "go 5(r1)"), Seen::taken);
}

// A text is read up to its end: a statement ends where its line does, and comments that do not end there are nobody's.
TEST(PrintedReader, StaysInTheLineOfTheStatement) {
    const Codec codec(built_in("gcn1.2"));
    const std::string behind = "\n    s_mov_b32 s0, s1\n    s_mov_b32 s0, s1\n";
    EXPECT_EQ(seen(codec, "s_mov_b32 s0, s1" + behind), Seen::taken);
    EXPECT_EQ(seen(codec, "s_mov_b32 s0, s1 /* a */ // b" + behind), Seen::taken);
    EXPECT_EQ(seen(codec, "s_mov_b32 s0, s1 /* a" + behind + "*/ + 1"), Seen::taken);
    EXPECT_NE(seen(codec, "s_mov_b32 s0,\n s1" + behind), Seen::taken);
    EXPECT_NE(seen(codec, "s_mov_b32\n s0, s1" + behind), Seen::taken);
    EXPECT_NE(seen(codec, "s_mov_b32 s0, /* a\n */ s1" + behind), Seen::taken);
}

TEST(Tails, AreKeptInOneByte) {
    using codec::OneTail;
    for (unsigned bits = 1; bits <= 64; ++bits) {
        for (const bool shared : {false, true}) {
            const std::uint8_t packed = OneTail{bits, shared}.packed();
            EXPECT_GT(packed, OneTail::unknown);
            EXPECT_EQ(OneTail::unpacked(packed).bits, bits);
            EXPECT_EQ(OneTail::unpacked(packed).shared, shared);
        }
    }
    EXPECT_EQ(OneTail{}.packed(), OneTail::nothing);
    EXPECT_EQ(OneTail::unpacked(OneTail::nothing).bits, 0u);
    EXPECT_EQ(OneTail::unpacked(OneTail::no_code).bits, 0u);
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

TEST(PrintedReader, NumbersAreNoTextsThatBeginWithTheirDigits) {
    const auto isa = described(digits_as_letters);
    ASSERT_TRUE(isa);
    const Codec codec(isa);
    SplitMix64 random(3);
    constexpr const char* shapes[] = {"ld rA, N(rB)", "ld rA, N (rB)", "sh rA, N",  "mv N rA",    "am rA, N",
                                      "am N, rA",     "am rA, Nx",     "am rA, Nk", "am rA, N.N", "am rA, nN",
                                      "am rA, pN",    "am pN, rA",     "gl rA, N"};
    std::vector<std::string> all;
    for (unsigned i = 0; i < 60000; ++i) {
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
    const PrintedStatements read = read_printed_statements(codec, all, 1, 1);
    EXPECT_EQ(read.wrong, "");
    EXPECT_GT(read.taken, 20000u);
}

}  // namespace
}  // namespace isaforge::test

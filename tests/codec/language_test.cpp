// What the language can say about operands: values that they share behind an instruction, constants by their bits, limits of
// what an instruction has in sum; and which texts of operands are read.
// Each test has a small machine of its own; expected words are put together by hand.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <set>

#include "codec/plain_reader.hpp"
#include "isaforge/codec.hpp"

namespace isaforge::test {
namespace {

// Names that begin with `later` are numbers to come, in the order they are read.
class LateReader : public PlainReader {
public:
    bool read(const char*& cursor, const char* end, NumberValue& value) override {
        constexpr std::string_view word = "later";
        if (!std::string_view(cursor, static_cast<std::size_t>(end - cursor)).starts_with(word))
            return PlainReader::read(cursor, end, value);
        value = {};
        value.kind = NumberValue::Kind::deferred;
        value.handle = count++;
        cursor += word.size();
        return true;
    }
    std::uint32_t count = 0;
};

class Machine {
public:
    explicit Machine(const std::string& description) {
        Diagnostics diagnostics;
        auto isa = load_isa_text("machine.isa", description, sources_, diagnostics);
        if (isa) check_isa(*isa, diagnostics);
        EXPECT_TRUE(isa && diagnostics.all().empty()) << to_text(diagnostics, sources_);
        if (isa) codec_ = std::make_unique<Codec>(isa);
    }

    // The units of the instruction, or the message with what it points to.
    std::string assemble(const std::string& text) {
        LateReader reader;
        const char* cursor = text.data();
        ReadFailure failure;
        if (!codec_->assemble(cursor, text.data() + text.size(), 0, reader, encoded, failure))
            return fmt::format("{} [{}]", failure.message, text.substr(failure.offset, failure.length));
        return units(encoded.image, encoded.bits);
    }

    std::string print(std::initializer_list<std::uint64_t> words) {
        const unsigned unit = codec_->isa().unit_bits;
        Image image;
        unsigned at = 0, bits = 0;
        for (const std::uint64_t word : words) image.set(unit * at++, unit, word);
        const Index form = codec_->decode(image, unit * at, bits);
        if (form == no_index) return "no instruction";
        char line[Codec::max_text];
        const std::string text(line, codec_->print(line, form, image, bits, 0));
        return bits == unit * at ? text : fmt::format("{} ({} bits)", text, bits);
    }

    // What rule a word breaks, and what it would be.
    std::string why(std::initializer_list<std::uint64_t> words) {
        const unsigned unit = codec_->isa().unit_bits;
        Image image;
        unsigned at = 0, bits = 0;
        for (const std::uint64_t word : words) image.set(unit * at++, unit, word);
        std::string rule;
        const Index form = codec_->refused(image, unit * at, bits, rule);
        if (form == no_index) return "no rule";
        char line[Codec::max_text];
        return fmt::format("{}: {}, {} bits", std::string(line, codec_->print(line, form, image, bits, 0)), rule, bits);
    }

    std::string patch(unsigned number, std::int64_t value) {
        return codec_->patch(encoded, encoded.deferred[number], value, 0);
    }

    std::string units(const Image& image, unsigned bits) const {
        const unsigned unit = codec_->isa().unit_bits;
        std::string out;
        for (unsigned i = 0; i < bits; i += unit)
            out += fmt::format("{}{:0{}x}", i ? " " : "", image.get(i, unit), unit / 4);
        return out;
    }

    Encoded encoded;

private:
    SourceManager sources_;
    std::unique_ptr<Codec> codec_;
};

// --- values behind the instruction -----------------------------------------------------------------------------------------

const char* const sources = R"isa(
isa machine
code unit 16 little
registers r : 3 of u16 "r{n}"
number word = b16 hex
operand source : 4 {
    0 n:r                  "{n}"
    1 000 + k:word shared  "{k}"
    1 001 + k:byte shared  "low {k}"
    1 010 + k:word         "own {k}"
}
operand byte : 16 {
    0:8 n:u8  "{n}"
}
format RR | OP:4 | A:source | B:source | D:r | -:1 |
instructions RR [OP] "{name} {D}, {A}, {B}" {
    1  add
}
)isa";

TEST(Tails, OperandsShareAnEqualValue) {
    Machine machine(sources);
    EXPECT_EQ(machine.assemble("add r1, r2, r3"), "1232");
    EXPECT_EQ(machine.assemble("add r1, r2, 0x1234"), "1282 1234");
    EXPECT_EQ(machine.assemble("add r1, 0x1234, 0x1234"), "1882 1234");
    EXPECT_EQ(machine.assemble("add r1, 4660, 0x1234"), "1882 1234");
    EXPECT_EQ(machine.assemble("add r1, 12, low 12"), "1892 000c");
    EXPECT_EQ(machine.assemble("add r1, -1, 0xffff"), "1882 ffff");
    EXPECT_EQ(machine.print({0x1882, 0x1234}), "add r1, 0x1234, 0x1234");
    EXPECT_EQ(machine.print({0x1892, 12}), "add r1, 0xc, low 12");
    EXPECT_EQ(machine.print({0x1882}), "no instruction");
}

TEST(Tails, AnotherValueIsAnErrorAtTheSecond) {
    Machine machine(sources);
    const std::string differs = "the operands of an instruction share one value behind it, and this is another";
    EXPECT_EQ(machine.assemble("add r1, 0x1234, 0x1235"), differs + " [0x1235]");
    EXPECT_EQ(machine.assemble("add r1, 0x10c, low 12"), differs + " [low 12]");
    EXPECT_NE(machine.assemble("add r1, 0x1234, 0x1235, 5").find("the end of the statement"), std::string::npos);
}

TEST(Tails, WithoutTheWordEachOperandHasItsOwn) {
    Machine machine(sources);
    EXPECT_EQ(machine.assemble("add r1, own 5, r2"), "1a22 0005");
    EXPECT_EQ(machine.assemble("add r1, own 5, own 6"), "1aa2 0005 0006");
    EXPECT_EQ(machine.assemble("add r1, own 5, own 5"), "1aa2 0005 0005");
    EXPECT_EQ(machine.assemble("add r1, 5, own 6"), "18a2 0005 0006");
    EXPECT_EQ(machine.assemble("add r1, own 6, low 5"), "1a92 0006 0005");
    EXPECT_EQ(machine.print({0x1aa2, 5, 6}), "add r1, own 0x5, own 0x6");
    EXPECT_EQ(machine.print({0x18a2, 5, 6}), "add r1, 0x5, own 0x6");
    EXPECT_EQ(machine.print({0x1aa2, 5}), "no instruction");
    EXPECT_EQ(machine.print({0x18a2, 5}), "no instruction");
    EXPECT_EQ(machine.print({0x1a22, 5}), "add r1, own 0x5, r2");
    EXPECT_EQ(machine.print({0x1a92, 6, 0x105}), "no instruction");  // the second is a byte
}

TEST(Tails, NumbersToComeAreTheirOwnOperands) {
    Machine machine(sources);
    EXPECT_EQ(machine.assemble("add r1, own later, own later"), "1aa2 0000 0000");
    ASSERT_EQ(machine.encoded.deferred_count, 2u);
    EXPECT_EQ(machine.patch(0, 0x1234), "");
    EXPECT_EQ(machine.patch(1, 0x5678), "");
    EXPECT_EQ(machine.units(machine.encoded.image, machine.encoded.bits), "1aa2 1234 5678");
    EXPECT_EQ(machine.assemble("add r1, own later, later"), "1a82 0000 0000");
    EXPECT_EQ(machine.patch(0, 1), "");
    EXPECT_EQ(machine.patch(1, 2), "");
    EXPECT_EQ(machine.units(machine.encoded.image, machine.encoded.bits), "1a82 0001 0002");
}

// They lie in the order in which they are written, wherever the operands' codes are in the word.
TEST(Tails, TheTextHasTheirOrder) {
    Machine machine(R"isa(
isa machine
code unit 16 little
registers r : 3 of u16 "r{n}"
number wide = b32 hex
number word = b16 hex
operand source : 4 {
    0 n:r          "{n}"
    1 000 + k:word "{k}"
    1 001 + k:wide "wide {k}"
}
limit numbers 1 "one number has to do"
operand counted : 4 {
    0 n:r          "{n}"
    1 000 + k:word "{k}"  takes numbers
}
format BACK    | OP:4 | D:source | S:source | -:4 |
format COUNTED | OP:4 | A:counted | B:counted | -:4 | takes numbers in A, B
instructions BACK [OP] "{name} {S}, {D}" {
    1  move
}
instructions COUNTED [OP] "{name} {A}, {B}" {
    2  few
}
)isa");
    EXPECT_EQ(machine.assemble("move 0x1234, 0x5678"), "1880 1234 5678");
    EXPECT_EQ(machine.assemble("move wide 0x12345678, 7"), "1890 1234 5678 0007");
    EXPECT_EQ(machine.assemble("move 7, wide 0x12345678"), "1980 0007 1234 5678");
    EXPECT_EQ(machine.print({0x1980, 7, 0x1234, 0x5678}), "move 0x7, wide 0x12345678");
    EXPECT_EQ(machine.assemble("few 5, r1"), "2810 0005");
    EXPECT_EQ(machine.assemble("few 5, 5"), "one number has to do [5]");  // equal ones are two
}

TEST(Tails, TheBitsOfATailAreLookedAt) {
    Machine machine(sources);
    EXPECT_EQ(machine.print({0x1922, 0x00ff}), "add r1, low 255, r2");
    EXPECT_EQ(machine.print({0x1922, 0x01ff}), "no instruction");
    EXPECT_EQ(machine.print({0x1892, 0x01ff}), "no instruction");
}

TEST(Tails, NumbersToComeAreComparedWhenTheyAreKnown) {
    Machine machine(sources);
    EXPECT_EQ(machine.assemble("add r1, later, later"), "1882 0000");
    ASSERT_EQ(machine.encoded.deferred_count, 2u);
    EXPECT_EQ(machine.patch(0, 0x1234), "");
    EXPECT_NE(machine.patch(1, 0x1235), "");
    EXPECT_EQ(machine.patch(1, 0x1234), "");
    EXPECT_EQ(machine.units(machine.encoded.image, machine.encoded.bits), "1882 1234");

    for (const char* text : {"add r1, 0x1234, later", "add r1, later, 0x1234"}) {
        EXPECT_EQ(machine.assemble(text), "1882 1234");
        ASSERT_EQ(machine.encoded.deferred_count, 1u);
        EXPECT_NE(machine.patch(0, 0), "") << text;
        EXPECT_EQ(machine.patch(0, 0x1234), "") << text;
    }
}

// --- constants by their bits -----------------------------------------------------------------------------------------------

std::string constants(unsigned width) {
    return fmt::format(R"isa(
isa machine
code unit 16 little
operand value : 8 {{
    n:8 in 0..64    "{{n:b{0}}}"
    n:8 in 65..80   "{{64 - n:b{0}}}"
    81:8            "{{0.5:b{0}}}"
    82:8            "{{-4.0:b{0}}}"
    83:8            "{{1000:b{0}}}"
    84:8            "{{-1000:b{0}}}"
}}
format R | OP:4 | A:value | -:4 |
instructions R [OP] "{{name}} {{A}}" {{
    1  put
}}
)isa",
                       width);
}

std::string word(unsigned code) { return fmt::format("{:04x}", 0x1000u | code << 4); }

TEST(ConstantsByBits, IntegersOfEitherSignAndFloats) {
    Machine half(constants(16)), single(constants(32)), twice(constants(64));
    for (unsigned n = 0; n <= 64; ++n) {
        for (Machine* machine : {&half, &single, &twice}) {
            EXPECT_EQ(machine->assemble(fmt::format("put {}", n)), word(n));
            EXPECT_EQ(machine->assemble(fmt::format("put 0x{:x}", n)), word(n));
        }
    }
    for (unsigned n = 1; n <= 16; ++n) {
        EXPECT_EQ(half.assemble(fmt::format("put -{}", n)), word(64 + n));
        EXPECT_EQ(half.assemble(fmt::format("put {}", 0x10000 - n)), word(64 + n));
        EXPECT_EQ(single.assemble(fmt::format("put {}", 0x100000000 - n)), word(64 + n));
        EXPECT_EQ(twice.assemble(fmt::format("put {}", ~std::uint64_t{0} - n + 1)), word(64 + n));
        EXPECT_NE(single.assemble(fmt::format("put {}", 0x10000 - n)), word(64 + n));
        EXPECT_NE(half.assemble(fmt::format("put {}", 0x100000000 - n)), word(64 + n));
    }
    for (const char* text : {"0.5", ".5", "5e-1", "0x3800"})
        EXPECT_EQ(half.assemble(fmt::format("put {}", text)), word(81));
    for (const char* text : {"0.5", "0x3f000000"}) EXPECT_EQ(single.assemble(fmt::format("put {}", text)), word(81));
    EXPECT_EQ(twice.assemble("put 0x3fe0000000000000"), word(81));
    EXPECT_EQ(half.assemble("put -4.0"), word(82));
    EXPECT_EQ(half.assemble("put 0xc400"), word(82));
    EXPECT_EQ(half.assemble("put -15360"), word(82));  // 0xc400 as a signed number
    EXPECT_EQ(half.assemble("put 0x3e8"), word(83));
    EXPECT_EQ(half.assemble("put 0xfc18"), word(84));
    EXPECT_EQ(half.assemble("put 0.0"), word(0));       // its bits are those of 0
    EXPECT_EQ(half.assemble("put 0.50001"), word(81));  // the nearest of 16 bits
    EXPECT_EQ(half.assemble("put 0xffffffffffffffff"), word(65));
}

TEST(ConstantsByBits, OtherNumbersAreNone) {
    Machine half(constants(16)), single(constants(32));
    for (const char* text : {"65", "-17", "0x3801", "4.0", "0x1003800", "1e10", "-0.0", "1e-8"}) {
        EXPECT_NE(half.assemble(fmt::format("put {}", text)).find("expected"), std::string::npos) << text;
    }
    EXPECT_NE(single.assemble("put 0x3800").find("expected"), std::string::npos);
}

TEST(ConstantsByBits, ThePlainNumberIsPrinted) {
    Machine half(constants(16));
    EXPECT_EQ(half.print({0x1000u | 7 << 4}), "put 7");
    EXPECT_EQ(half.print({0x1000u | 80 << 4}), "put -16");
    EXPECT_EQ(half.print({0x1000u | 81 << 4}), "put 0.5");
    EXPECT_EQ(half.print({0x1000u | 84 << 4}), "put -1000");
}

// --- limits ----------------------------------------------------------------------------------------------------------------

const char* const limited = R"isa(
isa machine
code unit 16 little
registers v : 3 of u16 "v{n}"
registers s : 2 of u16 "s{n}"
limit bus 1 "one scalar only"
limit pair 2 "two at most"
number word = b16 hex
operand scalar(w) : 3 takes bus {
    0 n:s          "{n}"                    if w == 1
    0 n:2 in 0..2 step 2  "s[{n}:{n+1}]"           if w == 2
    100            "mask"
    111 + k:word shared  "#{k}"             if w == 1
}
operand source(w) : 4 {
    0 n:v          "{n}"      takes pair
    1 r:scalar(w)  "{r}"
}
format RR  | OP:4 | A:source(1) | B:source(1) | D:v | -:1 | takes bus in A, B takes pair in A, B, D
format WW  | OP:4 | A:source(1) | B:source(2) | D:scalar(2) | -:1 | takes bus in A, B
format RRR | OP:4 | A[3] | B:source(1) | A[2:0]:source(1) | -:4 | C:source(1) | -:12 |
instructions RR [OP] "{name} {D}, {A}, {B}" {
    1  add
}
instructions RR [OP] "{name} {D}, {A}, {B}, mask" takes bus in "mask" {
    2  pick
}
instructions WW [OP] "{name} {D}, {A}, {B}" {
    3  wide
}
instructions RRR [OP] "{name} {A}, {B}, {C}" takes bus in A, C, 1 {
    4  own
}
instructions RRR [OP] "{name} {A}, {B}, {C}" takes bus in A, B, C takes pair in A, B, C {
    5  all
}
)isa";

// The same question put to the texts of operands: which scalars a statement has, each once.
unsigned scalars(const std::vector<std::string>& operands) {
    std::set<std::string> seen;
    for (const std::string& text : operands) {
        if (text[0] != 'v') seen.insert(text[0] == '#' ? "#" : text);
    }
    return static_cast<unsigned>(seen.size());
}

TEST(Limits, EveryPairOfOperands) {
    Machine machine(limited);
    const std::vector<std::string> operands = {"v0", "v7", "s0", "s1", "s3", "mask", "#0x1234"};
    for (const std::string& a : operands) {
        for (const std::string& b : operands) {
            const std::string add = machine.assemble(fmt::format("add v1, {}, {}", a, b));
            EXPECT_EQ(add == fmt::format("one scalar only [{}]", b), scalars({a, b}) > 1) << a << " " << b;
            EXPECT_EQ(machine.encoded.form != no_index && add.find('[') == std::string::npos, scalars({a, b}) <= 1)
                << a << " " << b << ": " << add;
            const std::string pick = machine.assemble(fmt::format("pick v1, {}, {}, mask", a, b));
            EXPECT_EQ(pick.find('[') == std::string::npos, scalars({a, b, "mask"}) <= 1)
                << a << " " << b << ": " << pick;
            const bool first = scalars({a, "mask"}) > 1;
            if (pick.find('[') != std::string::npos) {
                EXPECT_EQ(pick, fmt::format("one scalar only [{}]", first ? a : b));
            }
        }
    }
}

TEST(Limits, AScalarAndAPairThatBeginsWithItAreTwo) {
    Machine machine(limited);
    EXPECT_EQ(machine.assemble("wide s[0:1], s0, s[0:1]"), "one scalar only [s[0:1]]");
    EXPECT_EQ(machine.assemble("wide s[0:1], v0, s[2:3]"), "30a0");      // the result does not count
    EXPECT_EQ(machine.assemble("wide s[0:1], mask, mask"), "3cc0");      // the same row of one declaration
    EXPECT_EQ(machine.assemble("wide s[0:1], s1, v1"), "3910");
}

TEST(Limits, SplitFieldsCountAndSoDoOwnThings) {
    Machine machine(limited);
    EXPECT_EQ(machine.assemble("own s1, v2, v3"), "one scalar only [s1]");
    EXPECT_EQ(machine.assemble("own v1, s2, v3"), "4510 3000");
    EXPECT_EQ(machine.assemble("all v1, s2, s2"), "5510 a000");
    EXPECT_EQ(machine.assemble("all s2, s1, v3"), "one scalar only [s1]");
    EXPECT_EQ(machine.assemble("all v1, v2, v1"), "5110 1000");
    EXPECT_EQ(machine.assemble("all v1, v2, v3"), "two at most [v3]");
}

TEST(Limits, AWordBeyondTheLimitIsNoInstruction) {
    Machine machine(limited);
    EXPECT_EQ(machine.print({0x1992}), "add v1, s1, s1");
    EXPECT_EQ(machine.print({0x19a2}), "no instruction");
    EXPECT_EQ(machine.print({0x5510, 0xa000}), "all v1, s2, s2");
    EXPECT_EQ(machine.print({0x5510, 0x9000}), "no instruction");
    EXPECT_EQ(machine.why({0x19a2}), "add v1, s1, s2: one scalar only, 16 bits");
    EXPECT_EQ(machine.why({0x5510, 0x9000}), "all v1, s2, s1: one scalar only, 32 bits");
    EXPECT_EQ(machine.why({0x1992}), "no rule");
    EXPECT_EQ(machine.why({0x0000}), "no rule");
}

// --- which texts are read --------------------------------------------------------------------------------------------------

const char* const names = R"isa(
isa machine
code unit 16 little
registers s : 3 of u16 "s{n}"
operand base : 3 {
    111    "off"
    110    reserved
    n:s    "{n}"
}
operand count : 4 {
    0000   ""
    0011   " n:three"
    n:4    " n:{n:hex}"
}
operand pair : 3 {
    n:3    "s[{n}:{n}]"
}
operand size : 8 {
    0 n:7  "|{n}|" | "abs({n})" | "<{n}>"
    1 n:7  "-|{n}|"
}
format B | OP:4 | A:base | -:5 | C:count |
format P | OP:4 | A:pair | -:1 | N:size |
instructions B [OP] "{name} {A}{C}" {
    1  load
}
instructions B [OP, C] "{name}_three {A}{C}" {
    4 3  load
}
instructions P [OP] "{name} {A}, {N}" {
    2  both
}
instructions P [OP] "{name} {A}, {N}, {A}" {
    3  again
}
)isa";

TEST(Texts, ANameForWhatARowBeforeTakesIsNotRead) {
    Machine machine(names);
    EXPECT_EQ(machine.assemble("load s5"), "1a00");
    EXPECT_EQ(machine.assemble("load off"), "1e00");
    EXPECT_NE(machine.assemble("load s7").find("expected"), std::string::npos);
    EXPECT_NE(machine.assemble("load s6").find("expected"), std::string::npos);
    EXPECT_EQ(machine.assemble("load s5 n:0x3"), "1a03");  // a number says which code is meant
    EXPECT_EQ(machine.assemble("load s5 n:0"), "1a00");
}

TEST(Texts, AFixedFieldIsReadInEveryWayItIsWritten) {
    Machine machine(names);
    for (const char* written : {"n:three", "n:0x3", "n:3", "n:03"})
        EXPECT_EQ(machine.assemble(fmt::format("load_three s5 {}", written)), "4a03") << written;
    EXPECT_NE(machine.assemble("load_three s5 n:4").find("expected"), std::string::npos);
    EXPECT_NE(machine.assemble("load_three s5").find("expected"), std::string::npos);
}

TEST(Texts, WhatStandsTwiceIsCompared) {
    Machine machine(names);
    EXPECT_EQ(machine.assemble("both s[1:1], |1|"), "2201");
    EXPECT_NE(machine.assemble("both s[1:2], |1|").find("expected"), std::string::npos);
    EXPECT_EQ(machine.assemble("again s[1:1], |1|, s[1:1]"), "3201");
    EXPECT_NE(machine.assemble("again s[1:1], |1|, s[2:2]").find("expected"), std::string::npos);
}

TEST(Texts, AMessageShowsTheFormOnce) {
    Machine machine(names);
    EXPECT_EQ(machine.assemble("load_three 5 n:3"),
              "expected off or s0 to s7, found '5'; the form is `load_three A [C]` [5]");
}

// --- operands too wide for tables

// --- statements without a mnemonic

const char* const nameless = R"isa(
isa machine
code unit 16 little
registers r : 3 of u16 "r{n}"
format RR | OP:4 | D:r | S:r | -:6 |
format RK | OP:4 | D:r | K:s9 |
format N  | OP:4 | -:12 |
instructions RR [OP] "{D} = {S}" {
    1  move
    2  add   as "{D} += {S}"
    3  skip  as "if {D} == {S} skip"
}
instructions RK [OP] "{D} = {K}" {
    4  set
}
instructions RK [OP] "{name} {D}, {K}" {
    6  r4
}
instructions N [OP] "{name}" {
    5  halt
}
)isa";

TEST(Nameless, BeginWithAnOperandOrAMark) {
    Machine machine(nameless);
    const std::pair<std::string, std::uint64_t> statements[] = {
        {"r1 = r2", 0x1280}, {"r1 += r2", 0x2280}, {"if r1 == r2 skip", 0x3280}, {"r3 = -5", 0x47fb},
        {"halt", 0x5000},    {"r4 r1, 7", 0x6207}, {"r4 = r1", 0x1840}};
    for (const auto& [text, word] : statements) {
        EXPECT_EQ(machine.assemble(text), fmt::format("{:04x}", word));
        EXPECT_EQ(machine.print({word}), text);
    }
    EXPECT_EQ(machine.assemble("r1+=r2"), "2280");
}

TEST(Nameless, MessagesSayWhatIsExpected) {
    Machine machine(nameless);
    EXPECT_EQ(machine.assemble("r1 = q"), "expected r0 to r7 or a number, found 'q' [q]");
    EXPECT_EQ(machine.assemble("r1 + r2"), "expected '=' or '+=', found '+' [+]");
    EXPECT_EQ(machine.assemble("r9 = r2"), "unknown instruction 'r9' [r9]");
    EXPECT_EQ(machine.assemble("hold"), "unknown instruction 'hold' [hold]");
    EXPECT_EQ(machine.assemble("if r1 == 5 skip"), "expected r0 to r7, found '5'; the form is `if D == S skip` [5]");
    EXPECT_EQ(machine.assemble("r1 = 300"), "300 is out of range: -256 to 255 [300]");
    EXPECT_EQ(machine.assemble("r4 r1 7"), "expected ',', found '7'; the form is `r4 D, K` [7]");
}

// A cell of zeros may be wider than a number.
TEST(Wide, ReservedBitsMayBeMoreThanAValueHas) {
    for (const std::string order : {"", " last unit first"}) {
        Machine machine(fmt::format(R"isa(
isa machine
code unit 32 little{}
registers r : 4 of u32 "r{{n}}"
format NUMBER | OP:8 | -:144  | D:r | S:r |
format DASHES | OP:8 | {} | D:r | S:r | 01 |
instructions NUMBER [OP] "{{name}} {{D}}, {{S}}" {{
    1  move
}}
instructions DASHES [OP] "{{name}} {{D}}, {{S}}" {{
    0x82  load
}}
)isa",
                                    order, std::string(78, '-')));
        EXPECT_EQ(machine.assemble("move r3, r10"), order.empty() ? "01000000 00000000 00000000 00000000 0000003a"
                                                                  : "0000003a 00000000 00000000 00000000 01000000");
        EXPECT_EQ(machine.assemble("load r3, r10"),
                  order.empty() ? "82000000 00000000 000000e9" : "000000e9 00000000 82000000");
        if (order.empty()) {
            EXPECT_EQ(machine.print({0x82000000, 0, 0xe9}), "load r3, r10");
            EXPECT_EQ(machine.print({0x82000000, 0x10, 0xe9}), "no instruction");
            EXPECT_EQ(machine.print({0x01000000, 0, 0, 0, 0x3a}), "move r3, r10");
            EXPECT_EQ(machine.print({0x01800000, 0, 0, 0, 0x3a}), "no instruction");
        } else {
            EXPECT_EQ(machine.print({0xe9, 0, 0x82000000}), "load r3, r10");
            EXPECT_EQ(machine.print({0x4000'00e9, 0, 0x82000000}), "no instruction");
        }
    }
}

TEST(Wide, AReservedRowBeforeTheLastIsNoInstruction) {
    Machine machine(R"isa(
isa machine
code unit 16 little
operand wide : 14 {
    11111 n:9   reserved
    n:14        "{n}"
}
format W | OP:2 | N:wide |
instructions W [OP] "{name} {N}" {
    1  load
}
)isa");
    EXPECT_EQ(machine.print({0x7bff}), "load 15359");
    EXPECT_EQ(machine.print({0x7e00}), "no instruction");
    EXPECT_EQ(machine.print({0x7fff}), "no instruction");
}

// Declarations, texts and names behind `where`, all on one line, parts that begin with another one, and a last argument that is empty.
TEST(Repeated, StandsOnOneLineAndInsideOfParts) {
    Machine machine(R"isa(
isa m
code unit 16 little
registers r : 3 of u16 "r{n}"
part bar(more) { OP:4 | D:r | more }
part one { X = D + 1 }
part sum { use one, Y = X + 1 }
for x in A B { format x | use bar(-:9) | where use sum }
part plain(t, x) { "{name}{x} {t}" }
part both(t) { use plain("{t}", ) | "{name}.w {t}" }
part wide(x) { format x | use bar(S:r | -:6) | where use sum }
for x in C { use wide(x) }
instructions A [OP] use both("{D}") { for (o, n) in (1, inc) (2, ink) { o n D = Y } }
instructions B [OP] use plain("{D}", "") { 3 one D = X }
instructions C [OP] use both("{D}, {S}") { 4 two D = X + S }
)isa");
    EXPECT_EQ(machine.assemble("ink.w r3"), "2600");
    EXPECT_EQ(machine.assemble("one r1"), "3200");
    EXPECT_EQ(machine.assemble("two r1, r7"), "43c0");
    EXPECT_EQ(machine.print({0x1a00}), "inc r5");
}

}  // namespace
}  // namespace isaforge::test

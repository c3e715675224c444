// What the operands of instructions are, and where they stand in the text. The witness is the text itself.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <vector>

#include "codec/plain_reader.hpp"
#include "isaforge/codec.hpp"
#include "isaforge/sample.hpp"

namespace isaforge::test {
namespace {

std::unique_ptr<Codec> codec_of(const std::string& name) {
    SourceManager sources;
    Diagnostics diagnostics;
    auto isa = load_isa(name, sources, diagnostics, {.meanings = false});
    EXPECT_TRUE(isa) << to_text(diagnostics, sources);
    return std::make_unique<Codec>(isa);
}

std::string kind_of(const Isa& isa, const Operand& operand) {
    switch (operand.kind) {
        case Operand::Kind::number: return fmt::format("{} {}", operand.relative ? "target" : "number", operand.value);
        case Operand::Kind::registers:
            return fmt::format("{} {}+{}", isa.register_files[operand.file].name, operand.first, operand.count);
        case Operand::Kind::entry: return "entry";
        case Operand::Kind::word: return "word";
    }
    return {};
}

// `FIELD 'text' kind` of each operand.
std::string told(const Codec& codec, const std::string& line, std::uint64_t address = 0) {
    PlainReader reader;
    const char* cursor = line.data();
    Encoded encoded;
    ReadFailure failure;
    if (!codec.assemble(cursor, line.data() + line.size(), address, reader, encoded, failure)) return failure.message;
    unsigned bits = 0;
    const Index form = codec.decode(encoded.image, encoded.bits, bits);
    char text[Codec::max_text + 64];
    std::vector<PrintedOperand> operands;
    codec.print(text, form, encoded.image, address, {}, operands);
    std::string out;
    for (const PrintedOperand& operand : operands) {
        out += fmt::format("{}{} '{}' {}", out.empty() ? "" : ", ", codec.isa().forms[form].fields[operand.field].name,
                           std::string_view(text + operand.begin, operand.end - operand.begin),
                           kind_of(codec.isa(), operand));
    }
    return out;
}

TEST(Operands, AreToldWithTheirPlacesInTheText) {
    const auto gcn = codec_of("gcn1.4");
    EXPECT_EQ(told(*gcn, "v_add_f32 v1, v2, v3"), "VDST 'v1' v 1+1, SRC0 'v2' v 2+1, SRC1 'v3' v 3+1");
    EXPECT_EQ(told(*gcn, "s_and_b64 s[4:5], vcc, exec"),
              "SDST 's[4:5]' s 4+2, SSRC0 'vcc' vcc 0+1, SSRC1 'exec' exec 0+1");
    EXPECT_EQ(told(*gcn, "s_mov_b32 s1, -2"), "SDST 's1' s 1+1, SSRC0 '-2' number -2");
    EXPECT_EQ(told(*gcn, "s_mov_b32 s1, 0x12345"), "SDST 's1' s 1+1, SSRC0 '0x12345' number 74565");
    EXPECT_EQ(told(*gcn, "v_fma_f32 v1, -v2, |v3|, 1.0"),
              "VDST 'v1' v 1+1, SRC0 'v2' v 2+1, SRC1 'v3' v 3+1, SRC2 '1.0' word");
    EXPECT_EQ(told(*gcn, "global_load_dwordx4 v[4:7], v[2:3], off offset:16 glc"),
              "VDST 'v[4:7]' v 4+4, ADDR 'v[2:3]' v 2+2, OFFSET '16' number 16, GLC 'glc' word");
    EXPECT_EQ(told(*gcn, "image_sample v[0:3], v[4:6], s[0:7], s[8:11] dmask:0xf da"),
              "VDATA 'v[0:3]' v 0+4, VADDR 'v4' v 4+1, SRSRC 's[0:7]' s 0+8, SSAMP 's[8:11]' s 8+4, DMASK '0xf' number "
              "15, DA 'da' word");
    EXPECT_EQ(told(*gcn, "s_branch 4", 100), "SIMM16 '4' target 120");
    const auto fabrisc = codec_of("fabrisc-2022-05-15");
    EXPECT_EQ(told(*fabrisc, "IADD.32: $S0, $S1, #5"),
              "SIZE '32' entry, RA '$S0' SGPR 6+1, RB '$S1' SGPR 7+1, IMM '#5' number 5");
}

// The highest register of a file whose names are a letter and a number, `v7` or `s[4:7]`, that a text has; -1: none.
std::int64_t highest_in(std::string_view text, char letter) {
    const auto is_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    std::int64_t highest = -1;
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        if (text[i] != letter || (i != 0 && is_word(text[i - 1]))) continue;
        std::size_t at = i + 1;
        if (text[at] == '[') at = text.find(':', at) + 1;
        std::int64_t number = 0;
        const std::size_t digits = at;
        for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])); ++at)
            number = number * 10 + (text[at] - '0');
        if (at != digits && (at == text.size() || !is_word(text[at]))) highest = std::max(highest, number);
    }
    return highest;
}

bool same(const Operand& a, const Operand& b) {
    return a.kind == b.kind && a.relative == b.relative && a.field == b.field && a.type == b.type && a.row == b.row &&
           a.code == b.code && a.file == b.file && a.first == b.first && a.count == b.count && a.value == b.value;
}

// Statements of all forms of an instruction set.
void expect_consistent(const std::string& name) {
    const auto codec = codec_of(name);
    const Isa& isa = codec->isa();
    Sampler sampler(*codec, 1);
    const bool has_vectors = isa.object_flavour == "amdgpu";
    constexpr std::uint64_t address = 0x4000;
    constexpr Index samples = 3;
    for (Index i = 0; i < samples * isa.forms.size(); ++i) {
        Sampled sampled;
        const Index form = i / samples;
        if (isa.forms[form].alias || !sampler.statement(form, address, sampled)) continue;
        std::vector<Operand> walked;
        codec->operands(sampled.form, sampled.image, address, [&](const Operand& one) { walked.push_back(one); });
        std::vector<PrintedOperand> printed;
        char text[Codec::max_text + 64];
        const char* const end = codec->print(text, sampled.form, sampled.image, address, {}, printed);
        const std::string_view whole(text, static_cast<std::size_t>(end - text));
        ASSERT_EQ(whole, sampled.view());
        ASSERT_EQ(walked.size(), printed.size()) << whole;
        std::size_t behind = 0;
        std::int64_t vector = -1, scalar = -1;
        for (std::size_t k = 0; k < walked.size(); ++k) {
            const PrintedOperand& one = printed[k];
            ASSERT_TRUE(same(walked[k], one)) << whole << ": " << kind_of(isa, walked[k]) << ", " << kind_of(isa, one);
            ASSERT_LE(behind, one.begin) << whole;
            ASSERT_LT(one.begin, one.end) << whole;
            behind = one.end;
            const OperandType& type = isa.operand_types[one.type];
            const std::uint64_t held = one.bit == PrintedOperand::no_bit ? 0 : sampled.image.get(one.bit, 1);
            ASSERT_TRUE(type.width == 0 || one.bit == PrintedOperand::no_bit || held == (one.code & 1)) << whole;
            if (one.kind != Operand::Kind::registers) continue;
            ASSERT_LE(one.first + one.count, isa.register_files[one.file].count) << whole;
            const std::int64_t last = std::int64_t{one.first} + one.count - 1;
            if (isa.register_files[one.file].name == "v") vector = std::max(vector, last);
            if (isa.register_files[one.file].name == "s") scalar = std::max(scalar, last);
        }
        ASSERT_LE(behind, whole.size());
        if (!has_vectors) continue;
        ASSERT_EQ(vector, highest_in(whole, 'v')) << whole;
        ASSERT_EQ(scalar, highest_in(whole, 's')) << whole;
    }
}

TEST(Operands, AreTheSameWithAndWithoutTheText) {
    for (const auto& [name, title] : builtin_isas()) expect_consistent(name);
}

TEST(Operands, AreInTailsAndInsideOfOthers) {
    SourceManager sources;
    Diagnostics diagnostics;
    auto isa = load_isa_text("t.isa", R"isa(isa t "T"
code unit 16 little
registers r : 3 of u16 "r{n}"
register  pc2 : u16
number    far = pc + 2 * s16
operand   source : 4 {
    0 n:r           "{n}"        = n
    1 00 n:1        "(r{n})"     = r[n]
    1010 + k:16     "={k}"       = k
    1011            "pc2"        = pc2
    11 n:2          "{2 * n + 1}" = u16(n)
}
format A | OP:4 | D:r | S:source | -:5 |
format J | OP:4 | -:12 | T:far |
instructions A [OP] "{name} {D}, {S}" { 0 mov D = S }
instructions J [OP] "{name} {T}" { 1 jmp pc = T }
)isa",
                             sources, diagnostics);
    ASSERT_TRUE(isa) << to_text(diagnostics, sources);
    const Codec codec(isa);
    EXPECT_EQ(told(codec, "mov r3, r5"), "D 'r3' r 3+1, S 'r5' r 5+1");
    EXPECT_EQ(told(codec, "mov r3, (r1)"), "D 'r3' r 3+1, S '(r1)' r 1+1");
    EXPECT_EQ(told(codec, "mov r3, =700"), "D 'r3' r 3+1, S '700' number 700");
    EXPECT_EQ(told(codec, "mov r3, pc2"), "D 'r3' r 3+1, S 'pc2' pc2 0+1");
    EXPECT_EQ(told(codec, "mov r3, 5"), "D 'r3' r 3+1, S '5' number 5");
    EXPECT_EQ(told(codec, "jmp 16", 4), "T '16' target 16");
}

}  // namespace
}  // namespace isaforge::test

// Notations with a line or a picture for each instruction, each with the same few instructions: they become the same
// descriptions. Every computable defect is planted into each.
#include <algorithm>
#include <map>

#include "notes/noted_tables.hpp"
#include "render/wavedrom.hpp"

namespace isaforge {
namespace {

const std::string opcode_lines =
    "# a few instructions\n"
    "\"off\", 7, 0\n"
    "add  rd rs 15..12=0x1 11=0 10..8=3 1..0=0\n"
    "sub  rd rs 15..12=0x1 11=1 10..8=3 1..0=0\n"
    "jump off   15..12=0x2 11..8=0\n";

// rd at 7..5, rs at 4..2.
std::string lines(const std::string& text) { return "\"rd\", 7, 5\n\"rs\", 4, 2\n" + text; }

const std::string patterns =
    "A few instructions\n\n"
    "ADD d, s     0001 0011 dddsss00\n"
    "SUB d, s     0001 1011 dddsss00\n"
    "JUMP to    : 0010 0000 tttttttt\n"
    "ENTER n    : 0011 00-- nnnnnnnn\n"
    "LEAVE        0100 0000 00000000\n";

const std::string bytefields =
    "\\section{add}\n"
    "\\begin{bytefield}[bitwidth=2em]{16}\n"
    "  \\bitheader{0-15} \\\\ % not the words\n"
    "  \\bitbox{4}{0001} & \\bitbox{1}{0} & \\bitbox{3}{011} & \\bitbox[tlr]{3}{rd} & \\bitbox{3}{\\textit{rs}} & "
    "\\bitbox{2}{00}\n"
    "\\end{bytefield}\n"
    "\\begin{bytefield}{16}\n"
    "  \\begin{rightwordgroup}{sub}\n"
    "    \\bitbox{4}{0001} & \\bitbox{1}{1} & \\bitbox{3}{011} & \\bitbox{3}{rd} & \\bitbox{3}{rs} & \\bitbox{2}{00}\n"
    "  \\end{rightwordgroup} \\\\\n"
    "  \\begin{rightwordgroup}{jump}\n"
    "    \\bitbox{4}{0010} & \\bitbox{4}{0x0} & \\bitbox{8}{off}\n"
    "  \\end{rightwordgroup}\n"
    "\\end{bytefield}\n";

const std::string wavedrom =
    "// a few instructions\n"
    "[ {reg: [{bits: 2, name: 0}, {bits: 3, name: 'rs', type: 4}, {bits: 3, name: 'rd', type: 2},\n"
    "         {bits: 3, name: 'FN', attr: 3}, {bits: 1, name: 'SUB', attr: '0'}, {bits: 4, name: 'OP', attr: ['ALU', "
    "1]},],\n"
    "   config: {bits: 16, label: {left: 'add'}}},\n"
    "  {\"reg\": [{\"bits\": 2, \"name\": 0}, {\"bits\": 3, \"name\": \"rs\"}, {\"bits\": 3, \"name\": \"rd\"},\n"
    "           {\"bits\": 3, \"name\": 3}, {\"bits\": 1, \"attr\": 1}, {\"bits\": 4, \"name\": \"0001\"}],\n"
    "   \"config\": {\"bits\": 16, \"label\": {\"right\": \"sub\"}}},\n"
    "  {reg: [{bits: 8, name: 'off'}, {bits: 4, name: 0x0}, {bits: 4, name: 0b10}], head: {text: 'jump'}, config: "
    "{bits: 16}} ]\n";

TEST(Pictures, OfEachNotationBecomeTheSameBits) {
    for (const std::string& text : {lines(opcode_lines), patterns, bytefields, wavedrom}) {
        const Noted notes = read_noted(text);
        EXPECT_EQ(notes.findings, "") << text;
        EXPECT_EQ(notes.errors, "") << notes.draft;
        ASSERT_TRUE(notes.isa) << text;
        const bool upper = text == patterns;
        const Form* const add = form_named(*notes.isa, upper ? "ADD" : "add");
        const Form* const sub = form_named(*notes.isa, upper ? "SUB" : "sub");
        const Form* const jump = form_named(*notes.isa, upper ? "JUMP" : "jump");
        ASSERT_TRUE(add && sub && jump) << notes.draft;
        const auto bits = [](const Image& image) { return image.get(0, 16); };
        EXPECT_EQ(bits(add->mask), 0xff03U) << notes.draft;
        EXPECT_EQ(bits(add->value), 0x1300U);
        EXPECT_EQ(bits(sub->value), 0x1b00U);
        EXPECT_EQ(bits(jump->mask), 0xff00U);
        EXPECT_EQ(bits(jump->value), 0x2000U);
    }
}

TEST(Pictures, AreToldByTheirTexts) {
    EXPECT_EQ(read_noted(lines(opcode_lines)).what, "lines of bits with values: 3 instructions");
    EXPECT_EQ(read_noted(patterns).what, "lines with a digit or a letter for each bit: 5 instructions");
    EXPECT_EQ(read_noted(bytefields).what, "pictures of LaTeX's bytefield: 3 instructions");
    EXPECT_EQ(read_noted(wavedrom).what, "pictures for WaveDrom: 3 instructions");
    for (const char* text : {"", "nothing\n", "{ }\n", "a = b\nc..d\n", "1 2 3\n4 5 6\n", "{\"name\": \"reg\"}\n"})
        EXPECT_FALSE(read_noted(text).notation) << text;
}

// --- opcode lines -----------------------------------------------------------------------------------------------------------

TEST(OpcodeLines, KnowTheUsualArgumentsAndLengths) {
    const Noted notes = read_noted(
        "beq  bimm12hi rs1 rs2 bimm12lo 14..12=0 6..2=0x18 1..0=3\nsw   imm12hi rs1 rs2 imm12lo 14..12=2 6..2=0x08 "
        "1..0=3\n"
        "add  rd rs1 rs2 31..25=0 14..12=0 6..2=0x0C 1..0=3\njal  rd jimm20 6..2=0x1b 1..0=3\n"
        "c.li rd c_imm6lo c_imm6hi 1..0=1 15..13=2\n$pseudo_op x::addi nop 31..20=0 1..0=3\n");
    EXPECT_EQ(notes.findings, "");
    EXPECT_EQ(notes.errors, "") << notes.draft;
    ASSERT_TRUE(notes.isa);
    const Form* const add = form_named(*notes.isa, "add");
    ASSERT_TRUE(add);
    // The lower half of a word comes first.
    EXPECT_EQ(add->value.get(0, 32), 0x33U);
    EXPECT_EQ(add->mask.get(0, 32), 0xfe00707fU);
    EXPECT_EQ(form_named(*notes.isa, "beq")->mask.get(0, 32), 0x707fU);
    EXPECT_EQ(form_named(*notes.isa, "c.li")->bits, 16U);
}

TEST(OpcodeLines, WithEachDefectAreFound) {
    const auto found = [](const char* from, const char* to) { return findings_with(lines(opcode_lines), from, to); };
    EXPECT_EQ(found("11=1", "11=0"), "6:1: sub has words of add: 0x1300\n5:1:   that one is here\n");
    EXPECT_EQ(found("11=1", ""),
              "6:1: sub has words of add: 0x1300\n5:1:   that one is here\n6:24: nothing says what bit 11 of sub is\n");
    EXPECT_EQ(found("11=1", "11..10=2"), "6:32: `011` overlaps what stands before it in bit 10 of sub\n");
    EXPECT_EQ(found("11=1", "11=2"),
              "6:1: sub has words of add: 0x1300\n5:1:   that one is here\n6:23: 2 does not fit into 1 bit\n");
    EXPECT_EQ(found("rd rs 15..12=0x1 11=1", "rd rt1 15..12=0x1 11=1"),
              "6:9: where `rt1` stands is not said; a line `\"rt1\", HIGH, LOW` says it\n"
              "6:37: nothing says what bits 4..2 of sub are\n");
    EXPECT_EQ(found("jump", "add"), "7:1: add stands for two instructions\n5:1:   the other is here\n");
}

// --- patterns ---------------------------------------------------------------------------------------------------------------

TEST(BitPatterns, WithEachDefectAreFound) {
    EXPECT_EQ(findings_with(patterns, "0001 1011", "0001 0011"),
              "4:1: SUB has words of ADD: 0x1300\n3:1:   that one is here\n");
    EXPECT_EQ(findings_with(patterns, "tttttttt", "ttttttt"), "5:14: this has 15 bits, all others 16\n");
    EXPECT_EQ(findings_with(patterns, "tttttttt", "tttttttt tttttttt"), "5:14: this has 24 bits, all others 16\n");
    EXPECT_EQ(read_noted("ADD d  0001 dddd\nSUB d  0010 ddd\nXOR d  0011 dddd\n", false).findings,
              "2:8: this has 7 bits, which are no whole bytes\n");
    EXPECT_EQ(findings_with(patterns, "LEAVE ", "ADD "),
              "7:1: ADD stands for two instructions\n3:1:   the other is here\n");
}

// Each digit and letter that is lost or twice.
TEST(BitPatterns, WithOneBitMoreOrLessAreFound) {
    std::size_t tried = 0;
    for (std::size_t i = patterns.find("0001"); i < patterns.size(); ++i) {
        const std::size_t line = patterns.rfind('\n', i) + 1;
        if (patterns[i] == '\n' || i < line + 13 || patterns[i] == ' ') continue;
        EXPECT_NE(read_noted(patterns.substr(0, i) + patterns.substr(i + 1), false).count, 0U) << i - line;
        EXPECT_NE(read_noted(patterns.substr(0, i) + patterns[i] + patterns.substr(i), false).count, 0U) << i - line;
        ++tried;
    }
    EXPECT_EQ(tried, 80U);
}

TEST(BitPatterns, OfDifferentLengthsAreToldApartByTheirFirstBytes) {
    const std::string text =
        "ADD r, m  00000001 11 rrr mmm\nMOV r, i  00000010 00000rrr iiiiiiii\nNOP       10010000\n";
    const Noted notes = read_noted(text);
    EXPECT_EQ(notes.findings, "");
    EXPECT_EQ(notes.errors, "") << notes.draft;
    EXPECT_EQ(notes.isa->forms.size(), 3U) << notes.draft;
    EXPECT_EQ(read_noted(text + "BAD  00000001\n", false).findings,
              "4:1: BAD has words of ADD: 0x01c0\n1:1:   that one is here\n");
}

// --- bytefield ----------------------------------------------------------------------------------------------------------------

TEST(Bytefields, WithEachDefectAreFound) {
    const auto found = [](const char* from, const char* to) { return findings_with(bytefields, from, to); };
    EXPECT_EQ(found("\\bitbox{1}{1}", "\\bitbox{1}{0}"),
              "8:5: sub has words of add: 0x1300\n4:3:   that one is here\n");
    EXPECT_EQ(found("{8}{off}", "{7}{off}"), "11:5: this row has 15 bits, and the picture 16\n");
    EXPECT_EQ(found("{8}{off}", "{9}{off}"), "11:5: this row has 17 bits, and the picture 16\n");
    EXPECT_EQ(found("\\bitbox{4}{0010}", "\\bitbox{4}{00100}"), "11:5: `00100` has 5 digits, and its box 4 bits\n");
    EXPECT_EQ(found("{0x0}", "{0x10}"), "11:24: 0x10 does not fit into 4 bits\n");
    EXPECT_EQ(found("{rd}", "{rd[3:0]}"), "4:56: `rd[3:0]` are 4 bits, and its place has 3\n");
    EXPECT_EQ(found("{jump}", "{sub}"), "11:5: sub stands for two instructions\n8:5:   the other is here\n");
}

// --- WaveDrom -------------------------------------------------------------------------------------------------------------------

TEST(WaveDrom, WithEachDefectAreFound) {
    const auto found = [](const char* from, const char* to) { return findings_with(wavedrom, from, to); };
    EXPECT_EQ(found("\"attr\": 1}", "\"attr\": 0}"), "5:11: sub has words of add: 0x1300\n2:9:   that one is here\n");
    EXPECT_EQ(found("{bits: 8,", "{bits: 7,"), "8:117: the fields have 15 bits, and the picture is said to have 16\n");
    EXPECT_EQ(found("name: 0b10}", "name: 0b10000}"), "8:72: 0b10000 does not fit into 4 bits\n");
    EXPECT_EQ(found("name: 'rd'", "name: 'rd[4:0]'"), "2:62: `rd[4:0]` are 5 bits, and its place has 3\n");
    EXPECT_EQ(found("'jump'", "'sub'"), "8:9: sub stands for two instructions\n5:11:   the other is here\n");
    EXPECT_EQ(found("16, label", "16 label"), "4:22: a ',' or a '}' is missing\n");
    EXPECT_EQ(read_noted("{reg: [{bits: 1000, name: 'x'}]}", false).findings,
              "1:8: a field has `bits`, and a picture at most 192\n");
}

// Every form that is shipped, as a picture and back: the same fixed bits, the same fields in the same places.
TEST(WaveDrom, OfEveryShippedInstructionReadsBackToItsBits) {
    std::size_t forms = 0;
    for (const char* name : {"wishbone-gpu", "fabrisc-2022-05-15", "gcn1.2"}) {
        SourceManager shipped;
        Diagnostics diagnostics;
        const auto isa = load_isa(name, shipped, diagnostics, {.meanings = false});
        ASSERT_TRUE(isa);
        for (const Form& form : isa->forms) {
            const unsigned unit = isa->unit_bits, units = form.bits / unit;
            SourceManager sources;
            const FileId file = sources.add("picture.json", render::wavedrom_picture(*isa, form));
            ASSERT_EQ(notation_of(file, sources), Notation::wavedrom);
            const NotedTables notes = read_noted_tables(Notation::wavedrom, file, sources);
            ASSERT_EQ(notes.encodings.rows.size(), 1U) << sources.text(file);
            ASSERT_EQ(notes.findings.size(), 0U) << sources.text(file);
            const notes::Encoding& row = notes.encodings.rows.front();
            ASSERT_EQ(row.width, form.bits);
            Image mask, value;
            std::map<std::string, BitPlace> places;
            for (const notes::Piece& piece : row.pieces) {
                for (unsigned i = 0; i < piece.width(); ++i) {
                    const unsigned bar = piece.low + i, position = (units - 1 - bar / unit) * unit + bar % unit;
                    if (piece.kind == notes::Piece::Kind::fixed) {
                        mask.set(position, 1, 1);
                        value.set(position, 1, piece.bits[piece.width() - 1 - i] == '1');
                    } else if (piece.kind == notes::Piece::Kind::field) {
                        places[piece.name].pieces.push_back({static_cast<std::uint16_t>(position), 1,
                                                             static_cast<std::uint8_t>(piece.from.value_or(0) + i)});
                    }
                }
            }
            EXPECT_EQ(mask.words, form.mask.words) << sources.text(file);
            EXPECT_EQ(value.words, form.value.words) << sources.text(file);
            for (const Field& field : form.fields.list()) {
                if (field.in_tail || field.fixed) continue;
                Image theirs, ours;
                field.place.insert(theirs, 0x5aa5'1e3c'7b90'd2f1);
                places[field.name].insert(ours, 0x5aa5'1e3c'7b90'd2f1);
                EXPECT_EQ(ours.words, theirs.words) << field.name << "\n" << sources.text(file);
            }
            ++forms;
        }
    }
    EXPECT_GT(forms, 1000U);
}

// The picture's draft has the same format: a small machine out and in.
TEST(WaveDrom, OfAMachineBecomesItsFormats) {
    const std::string description =
        "isa toy\ncode unit 16\nregisters r : 3 of u16 \"r{n}\"\n"
        "format RR | OP:4 | rd:r | rs:r | -:6 |\nformat I | OP:4 | K[8:6] | rd:r | K[5:0]:u9 |\n"
        "instructions RR [OP] \"{name} {rd}, {rs}\" {\n 1 add\n 2 sub\n}\n"
        "instructions I [OP] \"{name} {rd}, {K}\" {\n 3 li\n}\n";
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa_text("toy.isa", description, sources, diagnostics);
    ASSERT_TRUE(isa) << to_text(diagnostics, sources);
    std::vector<const Form*> all;
    for (const Form& form : isa->forms) all.push_back(&form);
    const Noted notes = read_noted(render::wavedrom_pictures(*isa, all));
    EXPECT_EQ(notes.findings, "");
    EXPECT_EQ(notes.errors, "") << notes.draft;
    ASSERT_TRUE(notes.isa && notes.isa->forms.size() == isa->forms.size()) << notes.draft;
    for (const char* name : {"add", "sub", "li"}) {
        const Form* const ours = form_named(*notes.isa, name);
        const Form* const theirs = form_named(*isa, name);
        ASSERT_TRUE(ours && theirs);
        EXPECT_EQ(ours->mask.words, theirs->mask.words);
        EXPECT_EQ(ours->value.words, theirs->value.words);
    }
    EXPECT_TRUE(draft_has(notes, "| K[8:6] | rd:r | K[5:0]:u9 |")) << notes.draft;
}

}  // namespace
}  // namespace isaforge

// Notes become descriptions that load, that have the bits the notes draw, and that a codec can be built from.
#include <gtest/gtest.h>

#include "isaforge/codec.hpp"
#include "notes/reading.hpp"

namespace isaforge {
namespace {

struct Draft {
    std::string text;
    std::shared_ptr<const Isa> isa;
    std::string errors;
};

Draft import_text(const std::string& text, const std::string& list = {}) {
    SourceManager sources;
    Diagnostics diagnostics;
    const Notes notes = read_notes(sources.add("notes.txt", text), sources, diagnostics);
    std::vector<ListedInstruction> rows;
    if (!list.empty()) rows = read_instruction_list(sources.add("list.tsv", list), sources, diagnostics);
    Draft draft;
    draft.text = import_notes(notes, rows, sources, "toy");
    SourceManager ours;
    Diagnostics found;
    draft.isa = load_isa_text("toy.isa", draft.text, ours, found);
    if (draft.isa) check_isa(*draft.isa, found);
    draft.errors = found.ok() ? "" : to_text(found, ours);
    return draft;
}

bool has(const Draft& draft, std::string_view line) { return draft.text.find(line) != std::string::npos; }

const std::string toy_list =
    "group\tformat\tmnemonic\tname\tprivilege\n"
    "arithmetic\tA\tADD\tAddition\t\narithmetic\tA\tADD\tSubtraction\t\n"
    "immediate\tB\tLI\tLoad \"now\"\tprivileged\njumps\tC\tJMP\tJump\t\njumps\t?\tCALL\tCall\n";

TEST(Import, OfTheToyHasItsBarsOperandsAndPools) {
    const Draft draft = import_text(std::string(toy_notes));
    EXPECT_EQ(draft.errors, "") << draft.text;
    EXPECT_TRUE(has(draft, "// notes line 9: [A] |OP(04)|MOD(03)|RA(04)|RB(05)|\n")) << draft.text;
    EXPECT_TRUE(has(draft, "operand data_size : 2 {\n    00 \"8\"\n    01 \"16\"\n    10 \"32\"\n    11 \"64\"\n}\n"))
        << draft.text;
    EXPECT_TRUE(has(draft, "format A | OP:4 | tt:data_size | m:mask | RA:r | RB:r5 |")) << draft.text;
    EXPECT_TRUE(has(draft, "format B | OP:6 | l:length | kind:immediate_kind | RA:r | IMM:s4/s20 by l |"))
        << draft.text;
    EXPECT_TRUE(has(draft, "pool 11110000xxxxxxxx .. 11110111xxxxxxxx  for C  capacity 8\n")) << draft.text;
    EXPECT_TRUE(has(draft, "// instructions A [OP] \"{name}.{tt}.{m} {RA}, {RB}\" {\n//     auto  EXAMPLE_A\n// }\n"))
        << draft.text;
}

TEST(Import, WithAListHasRowsThatAssembleAndReadBack) {
    const Draft draft = import_text(std::string(toy_notes), toy_list);
    EXPECT_EQ(draft.errors, "") << draft.text;
    ASSERT_TRUE(draft.isa);
    EXPECT_EQ(draft.isa->instructions.size(), 4U);
    EXPECT_TRUE(has(draft, "    auto  ADD    \"Addition\"\n")) << draft.text;
    EXPECT_TRUE(has(draft, "    auto  ADD_2  \"Subtraction\"   // the list calls it ADD again\n")) << draft.text;
    EXPECT_TRUE(has(draft, "    auto  LI  \"Load \\\"now\\\"\"   // privileged\n")) << draft.text;
    EXPECT_TRUE(has(draft, "//   CALL  \"Call\"  format ?\n")) << draft.text;
}

TEST(Import, OfAShortBarIsPaddedAndSaysSo) {
    const Draft draft = import_text("[A] |OP(04)|RA(05)|RB(05)| length: 2B\n", "g\tA\tadd\n");
    EXPECT_EQ(draft.errors, "") << draft.text;
    EXPECT_TRUE(has(draft, "// notes line 1: [A] has 14 bits (4 + 5 + 5), 2 too few for the 16 bits of 2 bytes\n"))
        << draft.text;
    EXPECT_TRUE(has(draft, "//   2 zeros at the end: the bar has 14 bits\nformat A | OP:4 | RA:r | RB:r | -:2 |"))
        << draft.text;
}

TEST(Import, MakesAFormatForEachGroup) {
    const Draft draft = import_text(
        "[A] |OP(04)|MOD(03)|IMM(09)| {\n- length: 2B\nscalar loads:\nMOD(03): \"tti\"\n('tt' is size: 8, 16, 32)\n"
        "('i' is extra immediate)\nvector loads:\nMOD(03): \"oo-\"\n('oo' are extra opcode bits)\n}\n",
        "scalar\tA\tld\tLoad\nvector\tA\tvld\tLoad\nvector\tA\tvst\tStore\n");
    EXPECT_EQ(draft.errors, "") << draft.text;
    EXPECT_TRUE(has(draft, "format A_scalar | OP:4 | tt:size | IMM[9] | IMM[8:0]:s10 |")) << draft.text;
    EXPECT_TRUE(has(draft, "format A_vector | OP:4 | oo:2 | -:1 | IMM:s9 |")) << draft.text;
    EXPECT_TRUE(has(draft,
                    "instructions A_vector [OP, oo] \"{name} {IMM}\" {\n    auto auto  vld  \"Load\"\n    auto auto  "
                    "vst  \"Store\"\n}\n"))
        << draft.text;
}

TEST(Import, OfAlternativesThatAreNoWholeUnitsIsAComment) {
    const std::string modes = "MOD(01):\nl\n('l' is immediate length: 11, 28)\n}\n";
    const Draft draft = import_text("[A] |OP(04)|MOD(01)|IMM(11/28)| {\n" + modes);
    EXPECT_TRUE(draft.isa) << draft.errors << draft.text;
    EXPECT_TRUE(has(draft, "// not to be said: format A | OP:4 | l:length | IMM:s11/s28 by l |")) << draft.text;
}

TEST(Import, OfMoreThanThePoolsHoldStillLoads) {
    std::string list;
    for (int i = 0; i < 20; ++i) list += "g\tA\tadd" + std::to_string(i) + "\n";
    const Draft draft =
        import_text("[A] |OP(04)|IMM(12)| length: 2B\n____\n0000xxxxxxxxxxxx ... 0011xxxxxxxxxxxx [A]\n", list);
    EXPECT_TRUE(draft.isa) << draft.errors << draft.text;
}

// Each hand-made bar comes back as the same widths.
TEST(Import, KeepsEveryWidth) {
    for (unsigned opcode = 1; opcode <= 15; ++opcode) {
        const Draft draft = import_text(
            "[A] |OP(" + std::to_string(opcode) + ")|IMM(" + std::to_string(16 - opcode) + ")| length: 2B\n",
            "g\tA\tadd\n");
        ASSERT_TRUE(draft.isa) << draft.errors;
        ASSERT_EQ(draft.isa->forms.size(), 1U);
        unsigned fixed = 0;
        for (unsigned i = 0; i < 16; ++i) fixed += static_cast<unsigned>(draft.isa->forms[0].mask.get(i, 1));
        EXPECT_EQ(fixed, opcode);
        EXPECT_EQ(draft.isa->forms[0].bits, 16U);
    }
}

}  // namespace
}  // namespace isaforge

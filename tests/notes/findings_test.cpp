// Every kind of finding, each on notes that have just that defect, with its places; and notes that have none.
#include <gtest/gtest.h>

#include "notes/reading.hpp"

namespace isaforge {
namespace {

TEST(CleanNotes, HaveNoFindings) { EXPECT_EQ(all_findings(std::string(toy_notes)), ""); }

TEST(CleanNotes, OfNothingButProseHaveNoFindings) {
    EXPECT_EQ(
        all_findings("The A format is for arithmetic, x -> y.\n- see [A] below | or above\n(RAS hint: push)\n12\n"),
        "");
}

TEST(CleanNotes, MayUseAnyOfTheNotationsOfRanges) {
    EXPECT_EQ(all_findings("[A] |OP(02)|IMM(14)| length: 2B\n"
                           "[B] |OP(03)|IMM(13)| length: 2B\n\n"
                           "00 xxxxxxxxxxxxxx -> 10 xxxxxxxxxxxxxx  (max: 3) (current: 1) [A]\n"
                           "110xxxxxxxxxxxxx .. 111xxxxxxxxxxxxx    2; formats: (B)\n\n"
                           "5\n"),
              "");
}

// --- bars ---------------------------------------------------------------------------------------------------------------

TEST(Bars, ThatDoNotFillTheirLength) {
    EXPECT_EQ(all_findings("[A] |OP(04)|RA(05)|RB(06)| length: 2B\n"),
              "1:5: [A] has 15 bits (4 + 5 + 6), 1 too few for the 16 bits of 2 bytes\n"
              "1:28:   the length is stated here\n");
}

TEST(Bars, WithAnAlternativeThatDoesNotFillItsLength) {
    EXPECT_EQ(all_findings("[A] |OP(04)|IMM(12/28)| {\n- lengths: 2B, 6B\n}\n"),
              "1:5: [A] has 32 bits in alternative 2 (4 + 28), 16 too few for the 48 bits of 6 bytes\n"
              "2:3:   the length is stated here\n");
}

TEST(Bars, WithMoreAlternativesThanLengths) {
    EXPECT_EQ(all_findings("[A] |OP(04)|IMM(12/28)| length: 2B\n"),
              "1:5: [A] is drawn with 2 alternatives but has 1 length\n"
              "1:25:   the lengths are stated here\n");
}

TEST(Bars, WithoutALengthAreWholeUnitsOfTheOthers) {
    EXPECT_EQ(all_findings("[A] |OP(04)|RA(12)| length: 2B\n[B] |OP(04)|RA(11)|\n"),
              "2:5: [B] has 15 bits (4 + 11), which is no whole number of 16 bits\n");
}

TEST(Bars, OfOneNameThatDiffer) {
    EXPECT_EQ(all_findings("[A] |OP(04)|RA(05)|RB(07)|  r,r\n"
                           "[A] {\n[A] |OP(04)|RA(06)|RB(06)| length: 2B\n}\n"),
              "1:13: [A] is drawn twice and differs: RA(05) here, RA(06) there\n"
              "3:13:   this bar has 16 bits (4 + 6 + 6), the other 16 (4 + 5 + 7)\n");
}

TEST(Bars, ThatDifferAreTheReasonWhyOneIsTooShort) {
    EXPECT_EQ(all_findings("[A] |OP(04)|RA(06)|RB(06)|\n"
                           "[A] {\n[A] |OP(04)|RA(06)|RB(05)| length: 2B\n}\n"),
              "1:20: [A] is drawn twice and differs: RB(06) here, RB(05) there\n"
              "3:20:   this bar has 15 bits (4 + 6 + 5), the other 16 (4 + 6 + 6)\n");
}

TEST(Bars, WithOneCellTwice) {
    EXPECT_EQ(all_findings("[A] |OP(04)|RA(06)|RA(06)| length: 2B\n"),
              "1:20: [A] has two cells called RA\n1:13:   the other is here\n");
}

TEST(Bars, WithOtherOperandsThanStated) {
    EXPECT_EQ(all_findings("[A] |OP(04)|MOD(02)|RA(05)|IMM(05)|   r,r\n"),
              "1:39: [A] is said to have 2 operands: r,r\n1:5:   its cells are others\n");
    EXPECT_EQ(all_findings("[A] |OP(04)|RA(06)|IMM(06)| {\ntype: R,I\nloads r,i:\nstores [R-R-I]:\n}\n"),
              "4:8: [A] is said to have 3 operands: r,r,i\n1:5:   its cells are others\n");
}

TEST(Bars, WhoseLongFormIsNotLonger) {
    EXPECT_EQ(all_findings("[A] |OP(04)|IMM(12)| length: 2B\n[A.l] |OP(04)|IMM(12)| length: 2B\n"),
              "2:7: [A.l], the long form, has 16 bits, not more than the 16 of [A]\n1:5:   the short form is here\n");
}

TEST(Bars, WhoseLongFormHasOtherCells) {
    EXPECT_EQ(all_findings("[A] |OP(04)|RA(04)|IMM(08)| length: 2B\n[A.l] |OP(04)|IMM(28)| length: 4B\n"),
              "2:7: [A.l], the long form, has other cells than [A]\n1:5:   the short form is here\n");
}

TEST(Bars, WhoseNameIsSpelledInTwoWays) {
    EXPECT_EQ(all_findings("[A]   |OP(04)|IMM(12)|\n[A.1] |OP(04)|IMM(28)|\n"
                           "[A] {\n[A]   |OP(04)|IMM(12)| length: 2B\n[A.l] |OP(04)|IMM(28)| length: 4B\n}\n"),
              "2:2: [A.1] is called [A.l] elsewhere\n5:2:   [A.l] is here\n");
}

TEST(Bars, ThatAreMissing) {
    EXPECT_EQ(all_findings("[A] |OP(04)|IMM(12)| length: 2B\n____\n[B] format {\n}\n____\n[C]: 3\n"),
              "3:2: [B] is described here but drawn nowhere\n6:2: no bar draws a format [C]\n");
}

TEST(Bars, InTheBlockOfAnother) {
    EXPECT_EQ(all_findings("[A] format {\n[A] |OP(04)|IMM(12)| length: 2B\n[B] |OP(04)|IMM(12)| length: 2B\n}\n"),
              "3:2: [B] is drawn in the block of [A]\n1:2:   the block begins here\n");
}

// --- modes --------------------------------------------------------------------------------------------------------------

std::string format_with(const std::string& modes) {
    return "[A] |OP(04)|MOD(03)|RA(09)| {\n- length: 2B\nloads:\n" + modes + "}\n";
}

TEST(Modes, WithAPatternOfAnotherWidth) {
    EXPECT_EQ(all_findings(format_with("MOD(03): \"tt\"\n('tt' is size: 8, 16, 32)\n")),
              "4:10: this pattern has 2 bits, MOD has 3\n1:13:   [A] draws 3 bits\n");
}

TEST(Modes, WithABarePatternOfAnotherWidth) {
    EXPECT_EQ(all_findings(format_with(
                  "MOD(03):\n\n    x mm\n    ttmt\n\n('tt' is size: 8, 16, 32)\n('m' is mask)\n('x' is unused)\n")),
              "7:5: this pattern has 4 bits, MOD has 3\n1:13:   [A] draws 3 bits\n");
}

TEST(Modes, WhoseLabelSaysAnotherWidthThanBarAndPattern) {
    EXPECT_EQ(all_findings(format_with("MOD(02): \"tto\"\n('tt' is size: 8, 16, 32)\n('o' is an extra opcode bit)\n")),
              "4:1: MOD has 2 bits here, 3 in the bar of [A], and 3 in the pattern\n1:13:   [A] draws 3 bits\n");
}

TEST(Modes, WhoseLabelFillsABarThatIsTooShort) {
    EXPECT_EQ(all_findings("[A] |OP(04)|MOD(03)|RA(08)| {\n- length: 2B\nMOD(04): \"ttmm\"\n('tt' is size: 8, 16, "
                           "32)\n('mm' is mode)\n}\n"),
              "1:5: [A] has 15 bits (4 + 3 + 8), 1 too few for the 16 bits of 2 bytes\n"
              "2:3:   the length is stated here\n"
              "3:1:   MOD has 4 bits here, with which the bar is full\n");
}

TEST(Modes, OfAFieldThatNoBarHas) {
    EXPECT_EQ(all_findings(format_with("MODE(03): \"---\"\n")),
              "4:1: no cell is called MODE\n1:5:   [A] is drawn here\n");
}

TEST(Modes, OfOneOfTwoForms) {
    EXPECT_EQ(all_findings("[A] {\n[A] |OP(04)|MOD(03)|IMM(09)| length: 2B\n[A.l] |OP(04)|MOD(05)|IMM(23)| length: 4B\n"
                           "loads:\n[A] MOD(05): \"-----\"\n[A.l] MOD(05): \"-----\"\n}\n"),
              "5:1: MOD has 5 bits here, 3 in the bar of [A], and 5 in the pattern\n2:13:   [A] draws 3 bits\n");
}

TEST(Modes, WhosePatternsMatchTheSameBits) {
    EXPECT_EQ(all_findings(format_with("MOD(03):\n00m -> a\n0mm -> b\n('m' is mask)\n")),
              "6:1: the pattern `0mm` also matches bits of `00m`\n5:1:   that pattern is here\n");
}

TEST(Modes, WithALetterThatNoLegendExplains) {
    EXPECT_EQ(all_findings(format_with("MOD(03): \"tta\"\n('tt' is size: 8, 16, 32)\n")),
              "4:10: no legend says what 'a' is\n5:1:   the legends begin here\n");
}

TEST(Modes, WithALegendOfALetterThatNoPatternHas) {
    EXPECT_EQ(all_findings(format_with("MOD(03): \"tt-\"\n('tt' is size: 8, 16, 32)\n('m' is mask)\n")),
              "6:1: no pattern here has the letter 'm' of this legend\n4:1:   the patterns begin here\n");
}

TEST(Modes, WithALegendOfMoreValuesThanBits) {
    EXPECT_EQ(all_findings(format_with("MOD(03): \"tt-\"\n('tt' is size: 8, 16, 32, 64, 128)\n")),
              "5:1: 5 values for 'tt', which has room for 4\n");
}

TEST(Modes, WithALegendOfFewerValuesThanItsLettersAreFor) {
    EXPECT_EQ(all_findings(format_with("MOD(03): \"ttt\"\n('ttt' is size: 8, 16, 32, 64)\n")),
              "5:1: 4 values for 'ttt': 2 letters would do\n");
    EXPECT_EQ(
        all_findings(
            "[A] |OP(04)|MOD(04)|RA(08)| {\n- length: 2B\nMOD(04): \"tttt\"\n('tttt' is size: 8, 16, 32, 64)\n}\n"),
        "");
}

TEST(Modes, WithCodesOfAnotherWidth) {
    EXPECT_EQ(all_findings(format_with("MOD(03): \"tt-\"\n('tt' is what: 00 a, 1 b)\n")),
              "5:1: `1 b` has a code of 1 bit, 'tt' has 2\n");
    EXPECT_EQ(all_findings(format_with("MOD(03): \"tt-\"\n('tt' is what: 00 a, 00 b)\n")),
              "5:1: the code 00 stands for two values\n");
}

TEST(Modes, WithALegendOfAnotherNumberOfLetters) {
    EXPECT_EQ(all_findings(format_with("MOD(03): \"ttt\"\n('tt' is size: 8, 16, 32)\n")),
              "5:1: the legend is about 'tt', the pattern has 'ttt'\n4:10:   in this pattern\n");
}

TEST(Modes, WithALegendOfOtherWidthsThanTheBar) {
    EXPECT_EQ(all_findings("[A] |OP(04)|MOD(01)|IMM(11/27)| {\n- lengths: 2B, 4B\nMOD(01):\nl\n('l' is immediate "
                           "length: 12, 28)\n}\n"),
              "5:1: IMM has 12/28 bits by this legend, 11/27 by the bar of [A]\n1:21:   [A] draws 11/27 bits\n");
}

TEST(Modes, ThatDoNotChooseBetweenTwoLengths) {
    EXPECT_EQ(all_findings("[A] |OP(04)|MOD(02)|IMM(10/26)| {\n- lengths: 2B, 4B\n"
                           "jumps:\nMOD(02):\nlf\n('l' is immediate length: 10, 26)\n('f' is flag)\n"
                           "loads:\nMOD(02):\n00 -> a\n01 -> b\n}\n"),
              "8:1: no bit of \"loads\" chooses between the 2 lengths of [A]\n"
              "1:21:   this cell has more than one width\n6:1:   another group has a bit for it\n");
}

// --- ranges -------------------------------------------------------------------------------------------------------------

std::string ranges(const std::string& lines) {
    return "[A] |OP(02)|IMM(14)| length: 2B\n[B] |OP(03)|IMM(13)| length: 2B\n____\n" + lines;
}

TEST(Ranges, ThatDoNotHoldWhatTheyState) {
    EXPECT_EQ(
        all_findings(ranges("00xxxxxxxxxxxxxx ... 10xxxxxxxxxxxxxx max: 4;\n110xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx\n")),
        "4:44: this range is said to hold 4; its bounds hold 3\n4:1:   0 to 2 of 2 bits\n");
}

TEST(Ranges, ThatOverlapAreOneFindingWithTheirCapacity) {
    EXPECT_EQ(all_findings(ranges(
                  "00xxxxxxxxxxxxxx ... 11xxxxxxxxxxxxxx max: 3;\n110xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx max: 2;\n")),
              "4:44: this range is said to hold 3; its bounds hold 4\n4:1:   0 to 3 of 2 bits\n"
              "5:1:   it overlaps this range in 16384 words\n");
}

TEST(Ranges, ThatOverlap) {
    EXPECT_EQ(all_findings(ranges("00xxxxxxxxxxxxxx ... 10xxxxxxxxxxxxxx\n101xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx\n")),
              "5:1: this range overlaps the one that ends at 10 in 8192 words\n4:22:   that range is here\n");
}

TEST(Ranges, ThatLeaveAGap) {
    EXPECT_EQ(all_findings(ranges("00xxxxxxxxxxxxxx ... 10xxxxxxxxxxxxxx\n111xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx\n")),
              "5:1: 8192 words of 65536 lie between this range and the one before\n4:22:   it ends here\n");
}

TEST(Ranges, WithBoundsThatDoNotBelongTogether) {
    EXPECT_EQ(all_findings(ranges("00xxxxxxxxxxxxxx ... 101xxxxxxxxxxxxx\n110xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx\n")),
              "4:22: the bounds differ in their opcode bits: 2 and 3\n4:1:   the lower bound is here\n");
    EXPECT_EQ(all_findings(ranges("01xxxxxxxxxxxxxx ... 00xxxxxxxxxxxxxx\n110xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx\n")),
              "4:1: this range ends before it begins\n4:22:   the upper bound is here\n");
    EXPECT_EQ(all_findings(ranges("00xxxxxxxxxxxxxx ... 10xxxxxxxxxxxxx\n110xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx\n")),
              "4:22: this bound has 15 bits, the others have 16\n");
}

TEST(Ranges, WithMoreThanTheyHold) {
    EXPECT_EQ(all_findings(ranges("00xxxxxxxxxxxxxx ... 10xxxxxxxxxxxxxx max: 3; current: 4; free: 0\n110xxxxxxxxxxxxx "
                                  "... 111xxxxxxxxxxxxx\n")),
              "4:56: 4 opcodes in a range of 3\n4:1:   the bounds hold 3\n");
}

TEST(Ranges, WhoseFreeIsNotWhatRemains) {
    EXPECT_EQ(all_findings(ranges("00xxxxxxxxxxxxxx ... 10xxxxxxxxxxxxxx max: 3; current: 1; free: 1\n110xxxxxxxxxxxxx "
                                  "... 111xxxxxxxxxxxxx\n")),
              "4:65: 3 - 1 is 2, not 1\n4:56:   of these opcodes\n");
}

TEST(Ranges, WhoseCostIsNotThatOfTheirBits) {
    EXPECT_EQ(
        all_findings(ranges(
            "00xxxxxxxxxxxxxx ... 10xxxxxxxxxxxxxx cost_per_unit: 8192\n110xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx\n")),
        "4:54: an opcode of 2 bits costs 16384 of 65536, not 8192\n4:1:   14 bits are free here\n");
}

TEST(Ranges, WithoutAFormatAndFormatsWithoutARange) {
    EXPECT_EQ(all_findings(ranges("0000xxxxxxxxxxxx ... 1011xxxxxxxxxxxx\n110xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx\n")),
              "1:6: [A] has no range: none is for 2 bits of OP\n4:1:   the ranges begin here\n"
              "4:1: no format has an opcode of 4 bits, as this range gives\n1:6:   the formats have 2, 3 bits; this is "
              "the first\n");
}

TEST(Ranges, ThatNameFormatsOfOtherWidths) {
    EXPECT_EQ(
        all_findings(ranges("00xxxxxxxxxxxxxx ... 10xxxxxxxxxxxxxx [A] [B]\n110xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx\n")),
        "4:44: [B] has 3 bits of OP; this range gives 2\n2:6:   its bar is here\n");
    EXPECT_EQ(
        all_findings(ranges("00xxxxxxxxxxxxxx ... 10xxxxxxxxxxxxxx [A]\n110xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx\n")),
        "2:5: [B] has no range of opcodes\n4:1:   the ranges begin here\n");
    EXPECT_EQ(all_findings(
                  ranges("00xxxxxxxxxxxxxx ... 10xxxxxxxxxxxxxx [A] [D]\n110xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx [B]\n")),
              "4:44: no bar draws a format [D]\n");
}

TEST(Ranges, OfTwoTablesThatContradict) {
    EXPECT_EQ(
        all_findings(ranges("00xxxxxxxxxxxxxx ... 10xxxxxxxxxxxxxx\n110xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx\n____\n"
                            "00xxxxxxxxxxxxxx ... 01xxxxxxxxxxxxxx\n100xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx\n")),
        "7:1: two statements of the opcodes of 2 bits: 2 from 00 here, 3 from 00 before\n4:1:   the other is here\n"
        "8:1: two statements of the opcodes of 3 bits: 4 from 100 here, 2 from 110 before\n5:1:   the other is here\n");
}

// --- counts -------------------------------------------------------------------------------------------------------------

const std::string two_ranges =
    "00xxxxxxxxxxxxxx ... 10xxxxxxxxxxxxxx max: 3; current: 2; free: 1\n"
    "110xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx max: 2; current: 2; free: 0\n";

TEST(Counts, OfFormatsThatTheRangeCannotHold) {
    EXPECT_EQ(all_findings(ranges(
                  "00xxxxxxxxxxxxxx ... 10xxxxxxxxxxxxxx\n110xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx\n[A]: 4\n[B]: ??\n")),
              "6:6: 4 instructions need opcodes of 2 bits ([A] 4); the range holds 3\n4:1:   the range is here\n");
}

TEST(Counts, OfFormatsThatAreNotWhatTheRangeStates) {
    EXPECT_EQ(all_findings(ranges(two_ranges + "[A]: 1\n")),
              "4:56: 2 opcodes are used here; the formats' counts give 1: [A] 1\n6:6:   the counts begin here\n");
}

TEST(Counts, ThatAStatedCapacityHoldsAndTheBoundsDoNot) {
    EXPECT_EQ(all_findings(ranges(
                  "00xxxxxxxxxxxxxx ... 10xxxxxxxxxxxxxx max: 4;\n110xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx\n[A]: 4\n")),
              "4:44: this range is said to hold 4; its bounds hold 3\n4:1:   0 to 2 of 2 bits\n"
              "6:6: 4 instructions need opcodes of 2 bits ([A] 4); the range holds 3\n4:1:   the range is here\n");
}

TEST(Counts, OfOneFormatThatContradict) {
    EXPECT_EQ(all_findings("[A] |OP(02)|IMM(14)|   i   7\n[A]: 8\n"),
              "2:6: [A] has 8 instructions here and 7 elsewhere\n1:28:   the other count is here\n");
}

TEST(Counts, ThatAddUpToNoTotal) {
    EXPECT_EQ(
        all_findings(ranges(two_ranges + "\nmax opcode pool: 6\ncurrently used: 5\n12 combinations left\n")),
        "7:1: 6 is none of what adds up: 5 stated as maxima, 5 opcodes in the ranges\n4:1:   counted from here on\n"
        "8:1: 5 is none of what adds up: 4 used in the ranges\n4:1:   counted from here on\n"
        "9:1: 12 is none of what adds up: 1 free in the ranges, 1 not used in the ranges, 0 words above the last "
        "range, "
        "0 words outside of the ranges\n4:1:   counted from here on\n");
}

TEST(Counts, WithoutWordsAreAWarning) {
    EXPECT_EQ(
        all_findings(ranges("00xxxxxxxxxxxxxx ... 10xxxxxxxxxxxxxx\n110xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx\n\n12\n")),
        "7:1: warning: 12 is none of what adds up: 5 opcodes in the ranges, 0 words above the last range, "
        "0 words outside of the ranges\n4:1:   counted from here on\n");
}

// --- lists --------------------------------------------------------------------------------------------------------------

const std::string listed_notes =
    ranges("00xxxxxxxxxxxxxx ... 10xxxxxxxxxxxxxx\n110xxxxxxxxxxxxx ... 111xxxxxxxxxxxxx\n");

TEST(Lists, ThatFitHaveNoFindings) {
    EXPECT_EQ(
        all_findings(listed_notes,
                     "group\tformat\tmnemonic\tname\tprivilege\nx\t A \tadd\tAddition\t\n\nx\tB\tsub\tSubtraction\n"),
        "");
}

TEST(Lists, WithDemandBeyondSupply) {
    EXPECT_EQ(all_findings(listed_notes, "g\tA\ta1\nb\tA\ta2\nc\tB\tb1\nd\tB\tb2\ne\tB\tb3\n"),
              "5:1: the list needs 3 opcodes of 3 bits ([B] 3), 24576 words; there are 2, 16384 words\n2:5:   [B]: 3 "
              "instructions\n");
}

TEST(Lists, OfFormatsWithExtraOpcodeBitsNeedFewerOpcodes) {
    const std::string notes =
        "[A] |OP(02)|MOD(02)|IMM(12)| {\n- length: 2B\nMOD(02): \"o-\"\n('o' is an extra opcode bit)\n}\n____\n"
        "00xxxxxxxxxxxxxx ... 01xxxxxxxxxxxxxx\n";
    EXPECT_EQ(all_findings(notes, "g\tA\ta1\ng\tA\ta2\ng\tA\ta3\ng\tA\ta4\n"), "");
    EXPECT_EQ(all_findings(notes, "g\tA\ta1\ng\tA\ta2\ng\tA\ta3\ng\tA\ta4\ng\tA\ta5\n"),
              "7:1: the list needs 3 opcodes of 2 bits ([A] 3), 49152 words; there are 2, 32768 words\n"
              "1:5:   [A]: 5 instructions, 2 to an opcode at best\n");
}

TEST(Lists, OfFormatsWithANestedOpcodeNeedFewerOpcodes) {
    EXPECT_EQ(
        all_findings(
            "[A] |OP(02)|MOD(02)|IMM(12)| {\n- length: 2B\nMOD(02):\n- MOD(02) is treated as a nested opcode\n}\n____\n"
            "00xxxxxxxxxxxxxx ... 00xxxxxxxxxxxxxx\n[A]: 1\n",
            "g\tA\ta1\ng\tA\ta2\ng\tA\ta3\ng\tA\ta4\n"),
        "");
}

TEST(Lists, WithMoreThanTheNotesCount) {
    EXPECT_EQ(all_findings("[A] |OP(02)|IMM(14)|   i   1\n", "g\tA\ta1\ng\tA\ta2\n"),
              "1:28: [A] is counted as 1; the list has 2 instructions\n1:3:   the first of them is here\n");
    EXPECT_EQ(all_findings(ranges(two_ranges), "g\tA\ta1\ng\tA\ta2\ng\tA\ta3\ng\tB\tb\n"),
              "4:56: 2 opcodes are used here; the list needs 3 at least: [A] 3\n4:1:   in this range\n");
}

TEST(Lists, WithRepeatedMnemonicsAndWithoutFormats) {
    EXPECT_EQ(all_findings("[A] |OP(02)|IMM(14)| length: 2B\n[B] |OP(02)|IMM(14)| length: 2B\n",
                           "g\tA\tadd\tAddition\ng\tA\tadd\tSubtraction\ng\t?\tnop\ng\tC\tjump\n"),
              "2:5: warning: no instruction of the list has the format [B]\n"
              "2:5: the mnemonic add stands for 2 instructions\n1:5:   \"Addition\"\n"
              "3:3: nop has no format\n4:3: jump has a format that is drawn nowhere: [C]\n");
}

TEST(Lists, WithDamagedRows) {
    EXPECT_EQ(all_findings("[A] |OP(02)|IMM(14)| length: 2B\n", "g\tA\ta1\nnonsense\ng\tA\ttwo words\n"),
              "2:1: this row has no mnemonic: it has 1 column; columns are separated by tabs\n"
              "3:5: a mnemonic has no blanks and no quotes\n");
}

// --- notation that lost something -----------------------------------------------------------------------------------------

TEST(Damage, IsAWarningWithItsLine) {
    const auto warned = [](const std::string& line) {
        return all_findings("[A] |OP(02)|IMM(14)| {\n- length: 2B\n" + line + "\n}\n");
    };
    EXPECT_EQ(warned("[A] |OP(O2)|IMM(14)|"),
              "3:6: warning: this cell is not understood: a cell is `NAME(BITS)`, as `RA(05)`\n");
    EXPECT_EQ(warned("MOD(02) \"tt\""),
              "3:1: warning: this looks like the bits of a field, as `MOD(05): \"ttm\"`, but is not understood\n");
    EXPECT_EQ(warned("MOD(02): \"tt"),
              "3:10: warning: this looks like a pattern of bits, as `\"ttm\"`, but is not understood\n");
    EXPECT_EQ(warned("('tt is size: 8)"),
              "3:1: warning: this looks like a legend, as `('tt' is size: 8, 16)`, but is not understood\n");
    EXPECT_EQ(warned("length: four"), "3:1: warning: this looks like a length, as `4B`, but is not understood\n");
    EXPECT_EQ(all_findings("00xxxxxxxxxxxxxx -> \n"),
              "1:1: warning: this looks like a range of opcodes but is not understood\n");
    EXPECT_EQ(all_findings("00xxxxxxxxxxxxxx -> 01xxxxxxxxxxxxxx (limit: 2)\n"),
              "1:38: warning: this looks like something about this range but is not understood\n");
}

}  // namespace
}  // namespace isaforge

// Tables of operand codes. The folder gcn has one of a real machine, with its mistakes; what it becomes is compared with the
// description that a person wrote.
#include <algorithm>

#include "isaforge/codec.hpp"
#include "notes/noted_tables.hpp"

namespace isaforge {
namespace {

const std::string heading = "Code | Name | Description\n-----|------|------------\n";

const std::string toy_table = "## Sources\n\n" + heading +
                              "0-11 | R0 - R11 | registers (M1)\n"
                              "0-9 | R0 - R9 | registers (M2)\n"
                              "10-11 | ACC | accumulator (M2)\n"
                              "10 | ACC_LO | low half of ACC (M2)\n"
                              "11 | ACC_HI | high half of ACC (M2)\n"
                              "12 | SP, R12 | stack pointer (M1/M2)\n"
                              "13-14 | - | reserved\n"
                              "15 | PC | program counter\n"
                              "16-23 | 0-7 | constants\n"
                              "24-27 | -1 - -4 | constants\n"
                              "28 | 0.5 | a half\n"
                              "29-31 | F1..F3 | flags\n";

TEST(CleanCodes, HaveNoFindings) {
    const Noted notes = read_noted(toy_table);
    EXPECT_EQ(notes.findings, "");
    EXPECT_EQ(notes.errors, "") << notes.draft;
    EXPECT_EQ(notes.what, "1 table of operand codes, a table of pipes: 12 rows for 2 generations");
    for (const char* line :
         {"variants m1 m2\n", "operand sources(w) : 5 {\n", "    n:5 in 0..11 \"R{n}\"  if w == 1  only m1 ",
          "    10:5 \"ACC\"  if w == 2  only m2 ", "    10:5 \"ACC_LO\"  if w == 1  only m2 ",
          "    12:5 \"SP\" | \"R12\"  if w == 1 ", "    n:5 in 13..14 reserved ",
          "    n:5 in 16..23 \"{n - 16}\"  if w == 1 ", "    n:5 in 24..27 \"{23 - n}\"  if w == 1 ",
          "    28:5 \"{0.5}\"  if w == 1 ", "    n:5 in 29..31 \"F{n - 28}\"  if w == 1 "})
        EXPECT_TRUE(draft_has(notes, line)) << line << "\n" << notes.draft;
}

TEST(CleanCodes, MayStandInAPage) {
    const Noted notes = read_noted(
        "<!DOCTYPE html><html><head><style>table > td { color: red }</style></head><body>\n<h2>Condition codes</h2>\n"
        "<p>a &lt; b</p><TABLE border=1><thead><tr><th>Code<th>Name<th>Since</tr></thead>\n<!-- <tr><td>7 -->\n"
        "<tr><td>0</td><td><code>eq</code></td><td rowspan=\"2\">&nbsp;</td></tr>\n<tr><td>1<td>ne\n"
        "<tr><td>2&ndash;3</td><td>c0&#x2D;c1</td><td></td></tr></table>\n");
    EXPECT_EQ(notes.findings, "");
    EXPECT_EQ(notes.errors, "") << notes.draft;
    for (const char* line : {"operand condition_codes : 2 {\n    0:2 \"eq\" ", "    n:2 in 2..3 \"c{n - 2}\" "})
        EXPECT_TRUE(draft_has(notes, line)) << notes.draft;
    EXPECT_EQ(read_noted("<table><tr><td>Code<td>Name<tr><td>0<td>eq<tr><td>2<td> ne </table>", false).findings,
              "1:51: code 1 before this is neither named nor said to be reserved\n");
}

TEST(CleanCodes, MayBeWrittenInOtherWays) {
    for (const char* text :
         {"| Binary | Condition |\n|---|---|\n| 00 | eq |\n| 01 | ne |\n| 10 | lt |\n| 11 | `ge` |\n",
          "Value,Name,Meaning,Since\n0x0,eq,equal,\n0x1,ne,not equal,\n0x2,lt,less,\n0x3,ge,not less,\n",
          "====  ========\nCode  Name\n====  ========\n0     eq\n1     ne\n2     lt\n3     ge\n====  ========\n",
          "+------+------+\n| Code | Name |\n+======+======+\n| 0    | eq   |\n+------+------+\n| 1    | ne   |\n"
          "+------+------+\n| 2    | lt   |\n+------+------+\n| 3    | ge   |\n+------+------+\n"}) {
        const Noted notes = read_noted(text);
        EXPECT_EQ(notes.findings, "") << text;
        EXPECT_EQ(notes.errors, "") << notes.draft;
        EXPECT_TRUE(draft_has(notes, "operand codes : 2 {\n    0:2 \"eq\" ")) << notes.draft;
        EXPECT_TRUE(draft_has(notes, "    3:2 \"ge\" ")) << notes.draft;
    }
}

// A sign alone is no number, and what ends in one no range of names.
TEST(CleanCodes, MayHaveNamesThatEndLikeRanges) {
    for (const char* name : {"x0 - -", "x0--", "0..-", "7 to -", "x1-", "0-", "x12345678901-x12345678902"}) {
        const Noted notes = read_noted(heading + "0 | a |\n1 | " + name + " |\n2 | b |\n3 | c |\n");
        EXPECT_EQ(notes.findings, "") << name;
        EXPECT_EQ(notes.errors, "") << notes.draft;
        EXPECT_TRUE(draft_has(notes, std::string("    1:2 \"") + name + "\" ")) << notes.draft;
    }
}

TEST(Codes, WithEachDefectAreFound) {
    EXPECT_EQ(findings_with(toy_table, "0-9 | R0 - R9", "0-9 | R0 - R10"),
              "6:7: 10 codes, and 11 names: 10 codes end at R9\n6:1:   the codes are here\n");
    EXPECT_EQ(findings_with(toy_table, "15 | PC", "14 | PC"),
              "12:1: code 14 is reserved already in m1 and m2\n11:1:   here\n"
              "13:1: code 15 before this is neither named nor said to be reserved\n");
    EXPECT_EQ(findings_with(toy_table, "registers (M1)", "registers (M1/M2)"),
              "6:1: codes 0-9 are R0 - R11 already in m2\n5:1:   here\n7:1: codes 10-11 are R0 - R11 already in "
              "m2\n5:1:   here\n");
    EXPECT_EQ(findings_with(toy_table, "15 | PC", "15 | SP"),
              "12:6: SP is code 12 and code 15 in m1 and m2\n10:6:   here\n");
    EXPECT_EQ(findings_with(toy_table, "13-14 | - | reserved\n", ""),
              "11:1: codes 13-14 before this are neither named nor said to be reserved\n");
    EXPECT_EQ(findings_with(toy_table, "0-9 | R0 - R9 | registers (M2)\n", ""),
              "6:1: codes 0-9 before this are neither named nor said to be reserved in m2\n");
    EXPECT_EQ(findings_with(toy_table, "| flags", "| flags (M2)"),
              "16:1: codes 29-31 are neither named nor said to be reserved in m1\n");
    EXPECT_EQ(findings_with(toy_table, "13-14 |", "14-13 |"),
              "11:1: this range ends at 13, before it begins\n"
              "12:1: codes 13-14 before this are neither named nor said to be reserved\n");
    EXPECT_EQ(findings_with(toy_table, "reserved", "a prefix"),
              "11:9: open question: how is code 13 written: a prefix\n");
}

// Every digit of a code, of a name with a number, and of a generation.
TEST(Codes, WithAnyDigitChangedAreFound) {
    std::size_t tried = 0;
    for (std::size_t i = toy_table.find("0-11"); i < toy_table.size(); ++i) {
        if (toy_table[i] == '\n') continue;
        const std::size_t line = toy_table.rfind('\n', i) + 1;
        const auto column = std::count(toy_table.begin() + static_cast<std::ptrdiff_t>(line),
                                       toy_table.begin() + static_cast<std::ptrdiff_t>(i), '|');
        const bool digit = toy_table[i] >= '0' && toy_table[i] <= '9';
        // What nothing else says: the number in SP's other name, the half, where names without a first number begin.
        const std::string row = toy_table.substr(line, toy_table.find('\n', line) - line);
        if (!digit || column > 1 || (column == 1 && (row.starts_with("12 ") || row.starts_with("28 ")))) continue;
        for (char other = '0'; other <= '9'; ++other) {
            if (other == toy_table[i]) continue;
            std::string text = toy_table;
            text[i] = other;
            // They count as many names downwards, or among the negative numbers, as before.
            if (text.find("-7 - -4") != std::string::npos || text.find("F5..F3") != std::string::npos) continue;
            ++tried;
            EXPECT_GT(read_noted(text, false).count, 0U) << row << " with " << other << " at " << i - line;
        }
    }
    EXPECT_GT(tried, 250U);
}

TEST(Codes, WithARowLostOrTwiceAreFound) {
    for (std::size_t at = toy_table.find("0-11"); at < toy_table.size();) {
        const std::size_t end = toy_table.find('\n', at) + 1;
        const std::string row = toy_table.substr(at, end - at);
        // Halves may be missing, or what they are halves of; what is behind the last row nobody knows.
        if (row.find("ACC") == std::string::npos && !row.starts_with("29")) {
            EXPECT_GT(read_noted(toy_table.substr(0, at) + toy_table.substr(end), false).count, 0U) << row;
        }
        EXPECT_GT(read_noted(toy_table.substr(0, end) + row + toy_table.substr(end), false).count, 0U) << row;
        at = end;
    }
}

// A draft of whatever cannot be an operand loads all the same.
TEST(Codes, OfAnyNamesBecomeADraftThatLoads) {
    for (const char* row : {"343113802 | -05 |", "1 | { |", "2 | {x} | (M1)", "3 | \"\\ |", "4294967295 | a-b | c",
                            "0-4294967295 | N0 - N4 |"}) {
        const Noted notes = read_noted(heading + row + "\n");
        EXPECT_EQ(notes.errors, "") << row << "\n" << notes.draft;
        EXPECT_TRUE(notes.isa) << notes.draft;
    }
}

// --- a real machine's -------------------------------------------------------------------------------------------------------

TEST(RealCodes, HaveExactlyTheseDefects) {
    EXPECT_EQ(read_noted(notes_file("gcn/operands.md"), false).findings,
              "10:12: 102 codes, and 103 names: 102 codes end at S101\n10:1:   the codes are here\n"
              "17:1: codes 104-105 are FLAT_SCRATCH already in gcn1.1\n11:1:   here\n"
              "48:12: open question: how is code 249 written: SDWA dword (GCN1.2)\n"
              "49:12: open question: how is code 250 written: DPP dword (GCN1.2)\n"
              "50:1: codes 249-250 before this are neither named nor said to be reserved in gcn1.0 and gcn1.1\n"
              "53:1: code 254 before this is neither named nor said to be reserved\n"
              "53:12: open question: is code 255 written as `255`: Literal constant (follows instruction dword)\n");
}

// What an instruction with this code as its source is printed as, in lower case and without the mnemonic.
std::string printed(const Codec& codec, std::uint32_t word) {
    Image image;
    image.set(0, 32, word);
    unsigned bits = 0;
    const Index form = codec.decode(image, 64, bits);
    if (form == no_index) return "nothing";
    std::string text(Codec::max_text, '\0');
    text.resize(static_cast<std::size_t>(codec.print(text.data(), form, image, bits, 0) - text.data()));
    const std::size_t comma = text.find(", ");
    text = text.substr(comma == std::string::npos ? text.find(' ') + 1 : comma + 2);
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

TEST(RealCodes, AreThoseOfTheDescriptionButWhereTheTableIsWrongOrSilent) {
    const Noted notes = read_noted(notes_file("gcn/operands.md"));
    EXPECT_EQ(notes.errors, "") << notes.draft;
    std::string differences;
    for (const char* generation : {"gcn1.0", "gcn1.1", "gcn1.2"}) {
        SourceManager sources, ours;
        Diagnostics diagnostics;
        const auto shipped =
            load_isa(generation, sources, diagnostics, {.variant = generation, .dialect = "clrx", .meanings = false});
        const auto draft = load_isa_text("draft.isa", notes.draft, ours, diagnostics, {.variant = generation});
        ASSERT_TRUE(shipped && draft) << to_text(diagnostics, ours);
        const Codec real(shipped), imported(draft);
        for (std::uint32_t code = 0; code < 512; ++code) {
            // v_mov_b32 has one register, v_cvt_i32_f64 two.
            for (const auto& [word, example] : {std::pair(0x7e000200U, 101U), {0x7e000600U, 102U}}) {
                const std::string theirs = printed(real, word | code),
                                  ours_text = printed(imported, example << 9 | code);
                const bool pair_unsaid = example == 102 && ours_text == "nothing";  // the table has few pairs
                if (theirs != ours_text && !pair_unsaid)
                    differences +=
                        std::string(generation) + " " + std::to_string(code) + ": " + theirs + ", " + ours_text + "\n";
            }
        }
    }
    EXPECT_EQ(
        differences,
        "gcn1.0 104: nothing, xnack_mask_lo\ngcn1.0 104: nothing, xnack_mask\ngcn1.0 105: nothing, xnack_mask_hi\n"
        "gcn1.0 248: nothing, 1/(2*pi)\ngcn1.0 254: lds, nothing\ngcn1.0 255: lit(0x0), 255\n"
        "gcn1.1 248: nothing, 1/(2*pi)\ngcn1.1 254: lds, nothing\ngcn1.1 255: lit(0x0), 255\n"
        "gcn1.2 248: 0.15915494, 1/(2*pi)\n"
        "gcn1.2 249: v0 dst_unused:pad dst_sel:byte0 src0_sel:byte0 sdwa, nothing\n"
        "gcn1.2 250: v0 quad_perm:[0,0,0,0] bank_mask:0 row_mask:0, nothing\n"
        "gcn1.2 254: lds, nothing\ngcn1.2 255: lit(0x0), 255\n");
}

}  // namespace
}  // namespace isaforge

// Sheets with a column for each bit. The folder wishbone-gpu has two of one machine: as it was pasted from a spreadsheet, which
// lost tabs on the way, and with all of them. What they become is compared with the description that a person wrote.
#include <algorithm>
#include <map>
#include <set>

#include "notes/noted_tables.hpp"

namespace isaforge {
namespace {

// A sheet of 16 bits from rows of `NAME cell@bit cell@bit`; `~` in a name is a blank in its cell.
std::string sheet(const std::string& rows, char separator = '\t') {
    std::string out = "Instruction";
    for (int bit = 15; bit >= 0; --bit) out += separator + std::to_string(bit);
    std::istringstream lines(rows);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        std::ranges::replace(name, '~', ' ');
        out += "\n" + (name == "." ? "" : name);
        int at = 16;
        for (std::string word; words >> word;) {
            const std::size_t mark = word.rfind('@');
            const int bit = std::stoi(word.substr(mark + 1));
            for (; at > bit; --at) out += separator;
            out += word.substr(0, mark);
        }
    }
    return out + "\n";
}

const std::string toy_rows =
    "nop 0000@15 000000000000@11\n"
    "add~sub 0001@15 rd@11 ra@8 rb@5 sel@2 00@1\n"
    "and~or 0010@15 rd@11 ra@8 rb@5 sel@2 00@1\n"
    "li 0011@15 rd@11 imm@8\n"
    "ld 0100@15 rd@11 ra@8 off@5\n"
    "st 0101@15 rd@11 ra@8 off@5\n"
    "mov 0110@15 rd@11 k_rb@8 k@7 00000@4\n"
    ". rb@7\n"
    "jmp 1000@15 to@11\n"
    "jz 1001@15 rd@11 imm@8\n"
    "split 1010@15 rd@11 at[4:2]@8 ra@5 at[1:0|5]@2\n";

TEST(CleanSheets, HaveNoFindings) {
    const Noted notes = read_noted(sheet(toy_rows));
    EXPECT_EQ(notes.findings, "");
    EXPECT_EQ(notes.errors, "") << notes.draft;
    EXPECT_EQ(notes.what, "a sheet with a column for each of 16 bits, separated by tabs: 12 instructions in 10 rows");
    EXPECT_TRUE(draft_has(notes,
                          "format F2 | OP:4 | rd:r | ra:r | rb:r | sel:1 | OP_2:2 |\n"
                          "instructions F2 [bits OP, sel, bits OP_2] \"{name} {rd}, {ra}, {rb}\" {\n"
                          "    // line 3: add sub\n    0001 0 00  add\n    0001 1 00  sub\n"))
        << notes.draft;
    EXPECT_TRUE(draft_has(notes, "operand k_rb_source : 4 {\n    0 k:u3  \"{k}\"\n    1 rb:r  \"{rb}\"\n}\n"))
        << notes.draft;
    EXPECT_TRUE(draft_has(notes, "| at[4:2] | ra:r | at[1:0] | at[5:5]:u6 |")) << notes.draft;
}

TEST(CleanSheets, MayBeSeparatedByCommasOrSemicolonsAndHaveQuotes) {
    for (const char separator : {',', ';'}) {
        std::string text = sheet(toy_rows, separator);
        const std::size_t at = text.find("and or");
        text.replace(at, 6, "\"and\nor\"");
        const Noted notes = read_noted(text);
        EXPECT_EQ(notes.findings, "") << text;
        EXPECT_TRUE(notes.isa && form_named(*notes.isa, "or")) << notes.draft;
    }
}

TEST(CleanSheets, MayBeTablesOfTextAndBeginWithBitNought) {
    const Noted notes = read_noted(
        "| bits | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |\n|---|---|---|---|---|---|---|---|---|\n"
        "| add | rd | | | ra | | | 01 | |\n| sub | rd | | | ra | | | 00 | |\n");
    EXPECT_EQ(notes.findings, "");
    EXPECT_TRUE(draft_has(notes, "format F1 | OP:2 | ra:r | rd:r |")) << notes.draft;
    ASSERT_TRUE(notes.isa) << notes.errors;
    EXPECT_EQ(form_named(*notes.isa, "add")->value.get(6, 2), 2U);  // the first column is bit 0
}

TEST(CleanSheets, MayBeTablesOfAPageWithCellsThatSpanOthers) {
    std::string page = "<table><tr><th>bits";
    for (int bit = 7; bit >= 0; --bit) page += "<th>" + std::to_string(bit);
    page +=
        "<tr><td>add<br>sub<td colspan=2>01<td colspan='2'>rd<td colspan=\"3\">rs<td>sel\n"
        "<tr><td rowspan=2>mov<td colspan=2 rowspan=2>10<td colspan=2 rowspan=2>rd<td rowspan=2>k_rs<td colspan=3>k\n"
        "<tr><td colspan=3>rs\n</table>\n";
    const Noted notes = read_noted(page);
    EXPECT_EQ(notes.findings, "");
    EXPECT_EQ(notes.errors, "") << notes.draft;
    EXPECT_TRUE(draft_has(notes, "    01 1  sub\n")) << notes.draft;
    EXPECT_TRUE(draft_has(notes, "    0 k:u3  \"#{k}\"\n    1 rs:u3  \"{rs}\"\n")) << notes.draft;
}

TEST(Sheets, WithEachDefectAreFound) {
    const auto found = [](const std::string& from, const std::string& to) {
        return read_noted(sheet(std::string(toy_rows).replace(toy_rows.find(from), from.size(), to)), false).findings;
    };
    EXPECT_EQ(found("jz 1001", "jz 1000"), "11:1: jz has words of jmp: 0x8000\n10:1:   that one is here\n");
    EXPECT_EQ(found("jz ", "jmp "), "11:1: jmp stands for two instructions\n10:1:   the other is here\n");
    EXPECT_EQ(found("00000@4", "0000@4"), "8:27: open question: nothing says what bit 0 of mov is (M8)\n");
    EXPECT_EQ(found("li 0011@15", "li 00110@15"),
              "5:4: `00110` has 5 digits, and there is room for 4 (B5)\n"
              "5:13: open question: where in bits 10..0 of li are rd (F5) and imm (I5)\n");
    EXPECT_EQ(found("add~sub", "add~sub~rsb"), "3:36: 3 instructions, and `sel` has room for 2 (O3)\n");
    EXPECT_EQ(found("ra@8 off@5\nst", "ra@8 off@4\nst"),
              "6:17: open question: nothing says what bit 5 of ld is (I6)\n");
    EXPECT_EQ(found("rd@11 ra@8 off@5\nst", "rd@11 ra@9 off@5\nst"),
              "6:12: `rd` has 2 bits here, 3 in 7 other rows (F6)\n"
              "6:16: open question: nothing says what bit 6 of ld is (H6)\n");
    EXPECT_EQ(found("at[1:0|5]", "at[1:0|6]"), "12:35: bit 5 of at stands nowhere\n");
}

// Each tab that a clean sheet loses or gets, each digit that fixed bits lose or get.
TEST(Sheets, WithOneTabOrDigitMoreOrLessAreFound) {
    const std::string clean = sheet(toy_rows);
    ASSERT_EQ(read_noted(clean, false).count, 0U);
    std::size_t tried = 0;
    const auto expect_findings = [&](const std::string& text, const std::string& what, std::size_t at) {
        ++tried;
        EXPECT_GT(read_noted(text, false).count, 0U) << what << " at " << at << "\n" << text;
    };
    for (std::size_t i = clean.find('\n') + 1; i < clean.size(); ++i) {
        const std::size_t cell = clean.find_last_of("\t\n", i) + 1;
        const bool digit =
            clean[i] != '\n' &&
            clean.substr(cell, clean.find_first_of("\t\n", i) - cell).find_first_not_of("01") == std::string::npos;
        if (clean[i] == '\t') {
            expect_findings(clean.substr(0, i) + clean.substr(i + 1), "a tab lost", i);
            expect_findings(clean.substr(0, i) + "\t" + clean.substr(i), "a tab more", i);
        } else if (digit) {
            expect_findings(clean.substr(0, i) + clean.substr(i + 1), "a digit lost", i);
            expect_findings(clean.substr(0, i) + clean[i] + clean.substr(i), "a digit more", i);
        }
    }
    EXPECT_GT(tried, 300U);
}

TEST(Sheets, WhereOneRowLostATabAreReadByTheOthers) {
    std::string text = sheet(toy_rows);
    const std::size_t at = text.find("rd\t\t\t", text.find("and or"));
    text.erase(at + 3, 1);
    const Noted notes = read_noted(text);
    EXPECT_EQ(notes.errors, "") << notes.draft;
    EXPECT_NE(notes.findings, "");
}

// --- a real machine's -------------------------------------------------------------------------------------------------------

// Calls `compare(name, form of the draft, form of the description)` for each mnemonic of the draft; how many there are.
template <typename Compare>
std::size_t compare_with_shipped(const Isa& draft, Compare compare) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto shipped = load_isa("wishbone-gpu", sources, diagnostics);
    std::size_t names = 0;
    for (const Instruction& instruction : draft.instructions) {
        for (const std::string& name : instruction.names) {
            const Form* const real = form_named(*shipped, name);
            EXPECT_TRUE(real) << name;
            if (real) compare(name, draft.forms[instruction.forms.front()], *real);
            ++names;
        }
    }
    return names;
}

// The lowest bit of the only piece of a field.
std::pair<unsigned, unsigned> place_of(const Form& form, std::string_view name) {
    const Field* const field = field_of(form, name);
    if (!field || field->place.pieces.size() != 1) return {0, 0};
    return {field->place.pieces[0].position, field->place.width};
}

TEST(PastedSheet, SaysOnlyWhatIsSo) {
    const Noted notes = read_noted(notes_file("wishbone-gpu/pasted.tsv"));
    EXPECT_EQ(notes.errors, "") << notes.draft;
    ASSERT_TRUE(notes.isa);
    const std::size_t names =
        compare_with_shipped(*notes.isa, [](const std::string& name, const Form& draft, const Form& real) {
            // That k_ra is 1 the description says in an operand.
            Image fixed = real.mask, value = real.value;
            if (name == "add") fixed.set(21, 1, 1), value.set(21, 1, 1);
            EXPECT_EQ((draft.mask & fixed).words, draft.mask.words) << name << ": a bit that is not fixed";
            EXPECT_EQ((value & draft.mask).words, draft.value.words) << name;
            EXPECT_EQ(place_of(draft, "condition"), place_of(real, "COND")) << name;
            const auto [chooser, width] = place_of(draft, "k_ra");
            const auto [source, all] = place_of(real, "A");
            if (width > 0) {
                EXPECT_EQ(std::pair(chooser, width), std::pair(source + all - 1, 1U)) << name;
            }
        });
    EXPECT_EQ(names, 65U);
}

TEST(PastedSheet, LeavesTheRestOpenWithItsCells) {
    const Noted notes = read_noted(notes_file("wishbone-gpu/pasted.tsv"), false);
    for (const char* line :
         {"open question: where in bits 20..0 of fadd are k (N9), sel (T9), rb (V9), rc (Z9) and ra of the line below",
          "open question: where in bits 21..0 of jump are k (D37), sel (G37), 111 (H37) and k (I37)\n",
          "open question: nothing says what bits 21..0 of irq are (C41)\n",
          "open question: `load i` is read as `load_i`: `load` stands here twice\n",
          "tabs were lost: `rc` begins at bit 21 here (L31)\n"}) {
        EXPECT_NE(notes.findings.find(line), std::string::npos) << line << notes.findings;
    }
    EXPECT_EQ(std::ranges::count(notes.findings, '\n'), 37);
}

TEST(WholeSheet, HasTheBitsOfTheDescriptionInEachRow) {
    const Noted notes = read_noted(notes_file("wishbone-gpu/sheet.tsv"));
    EXPECT_EQ(notes.findings, "");
    EXPECT_EQ(notes.errors, "") << notes.draft;
    ASSERT_TRUE(notes.isa);
    const std::map<std::string, std::string> called{{"condition", "COND"}, {"k_ra", "A"}, {"rb", "B"},
                                                    {"rc", "C"},           {"k", "K"},    {"p2", "N"}};
    std::size_t fields = 0;
    const std::size_t names =
        compare_with_shipped(*notes.isa, [&](const std::string& name, const Form& draft, const Form& real) {
            // What a person left to operands, as that k_ra is 1 for `add`, may be fixed here.
            EXPECT_EQ((draft.mask & real.mask).words, real.mask.words) << name;
            EXPECT_EQ((draft.value & real.mask).words, real.value.words) << name;
            for (const Field& field : draft.fields.list()) {
                const auto own = called.find(field.name);
                if (own == called.end() || !field_of(real, own->second)) continue;
                ++fields;
                EXPECT_EQ(place_of(draft, field.name), place_of(real, own->second)) << name << " " << field.name;
            }
        });
    EXPECT_EQ(names, 60U);
    EXPECT_GT(fields, 150U);
}

}  // namespace
}  // namespace isaforge

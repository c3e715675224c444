// The descriptions against the author's lists: every row is an instruction, under its own title, and nothing else is.
#include <cctype>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "fabrisc/revision.hpp"

namespace isaforge::test {
namespace {

class ListOfRevision : public OfRevision {};

struct ListedRow {
    std::string group, format, mnemonic, title;
};

std::vector<ListedRow> listed_rows(const std::string& date) {
    std::ifstream file(ISAFORGE_SOURCE_DIR "/tests/notes/fabrisc/instructions-" + date + ".tsv");
    std::vector<ListedRow> out;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream columns(line);
        ListedRow& row = out.emplace_back();
        for (std::string* column : {&row.group, &row.format, &row.mnemonic, &row.title})
            std::getline(columns, *column, '\t');
    }
    return out;
}

bool is_alias(const Isa& isa, const Instruction& instruction) { return isa.forms[instruction.forms[0]].alias; }

// The letter of a format: A of A_vector; with .l where there is a short one, which a list may leave to it: of El, and of E
// with six bytes.
std::string letter(const Isa& isa, const Instruction& instruction) {
    const Form& form = isa.forms[instruction.forms[0]];
    const std::string name = isa.formats[form.format].name;
    return name.substr(0, 1) + (form.bits == 48 ? ".l" : "");
}

TEST_P(ListOfRevision, HasAnInstructionForEachRowOfTheList) {
    unsigned instructions = 0;
    std::set<std::string> names;
    for (const Instruction& instruction : isa().instructions) {
        if (is_alias(isa(), instruction)) continue;
        ++instructions;
        EXPECT_TRUE(names.insert(instruction.names[0]).second) << instruction.names[0] << " is there twice";
        EXPECT_FALSE(instruction.title.empty()) << instruction.names[0];
    }
    EXPECT_EQ(instructions, GetParam().rows);
}

TEST_P(ListOfRevision, AgreesWithTheListInTitlesFormatsAndMnemonics) {
    const std::vector<ListedRow> rows = listed_rows(GetParam().date);
    ASSERT_EQ(rows.size(), GetParam().rows);
    std::multimap<std::string, const Instruction*> by_title;
    for (const Instruction& instruction : isa().instructions) {
        if (!is_alias(isa(), instruction)) by_title.emplace(instruction.title, &instruction);
    }
    std::map<std::string, unsigned> listed;
    for (const ListedRow& row : rows) ++listed[row.mnemonic];
    for (const ListedRow& row : rows) {
        const auto [first, last] = by_title.equal_range(row.title);
        ASSERT_NE(first, last) << row.mnemonic << ": no instruction is called \"" << row.title << '"';
        auto found = first;  // of several with one title the one with the listed name, if it has kept that
        for (auto i = first; i != last; ++i) {
            if (i->second->names[0] == row.mnemonic) found = i;
        }
        const Instruction& instruction = *found->second;
        const std::string& name = instruction.names[0];
        if (row.format != "?") {
            EXPECT_EQ(letter(isa(), instruction), row.format) << row.title;
        }
        if (listed[row.mnemonic] == 1) {
            EXPECT_EQ(name, row.mnemonic) << row.title;
        }
        by_title.erase(found);
    }
    EXPECT_TRUE(by_title.empty()) << by_title.begin()->first << " is in no list";
}

TEST_P(ListOfRevision, HasNoDefects) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto loaded = load_isa(GetParam().name, sources, diagnostics);
    if (loaded) check_isa(*loaded, diagnostics);
    EXPECT_TRUE(diagnostics.all().empty()) << to_text(diagnostics, sources);
}

INSTANTIATE_TEST_SUITE_P(Fabrisc, ListOfRevision, ::testing::ValuesIn(revisions), revision_name);

}  // namespace
}  // namespace isaforge::test

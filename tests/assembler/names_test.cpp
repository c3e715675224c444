// Where the names of a program stand.
#include <gtest/gtest.h>

#include "assemble_text.hpp"

namespace isaforge::testing {
namespace {

// "name kind value: places", where a place is line:column, with ! where it defines.
std::vector<std::string> names_in(const std::string& text) {
    SourceManager sources;
    Diagnostics diagnostics;
    Object object;
    ProgramNames names;
    assemble(gpu(), sources.add("t.s", text), sources, {}, object, diagnostics, nullptr, &names);
    EXPECT_EQ(to_text(diagnostics, sources), "");
    constexpr const char* kinds[] = {"undefined", "label", "number", "expression", "common", "macro", "definition"};
    std::vector<std::string> out;
    for (Index i = 0; i < names.names.size(); ++i) {
        const ProgramName& name = names.names[i];
        std::string line = name.name + " " + kinds[static_cast<unsigned>(name.kind)];
        line += name.text.empty() ? " " + std::to_string(name.value) : " " + name.text;
        for (const Mention& one : names.mentions) {
            if (one.name != i) continue;
            const LineColumn at = sources.line_column(one.place);
            line += " " + std::to_string(at.line) + ":" + std::to_string(at.column) + (one.defines ? "!" : "");
        }
        out.push_back(line);
    }
    return out;
}

using Lines = std::vector<std::string>;

TEST(Names, SymbolsWhereTheyStand) {
    EXPECT_EQ(names_in("size = 4\n.globl main\nmain: ploadu_l size + 1;\n jump main; nop;\nlater = end - main\nend:\n"),
              (Lines{"size number 4 1:1! 3:16", "main label 0 2:8 3:1! 4:7 5:15", "end label 3 5:9 6:1!",
                     "later number 3 5:1!"}));
}

TEST(Names, MacrosAndDefinitions) {
    EXPECT_EQ(names_in("#def sum r5\n.macro twice reg, by=2\n add \\reg, r1, sum;\ninside\\@:\n.endm\n twice r1\n add "
                       "sum, r1, sum;\n"),
              (Lines{"inside0 label 1", "twice macro reg, by=2 2:8! 6:2", "sum definition r5 1:6! 7:6 7:15"}));
}

TEST(Names, RepetitionsMentionOnce) {
    EXPECT_EQ(names_in("x = 1\n.rept 3\n.byte x\n.endr\n"), Lines{"x number 1 1:1! 3:7"});
}

}  // namespace
}  // namespace isaforge::testing

// Descriptions in an editor.
#include <algorithm>

#include "session.hpp"

namespace isaforge::lsp {
namespace {

using Words = std::vector<std::string>;

constexpr const char* uri = "file:///nowhere/tiny.isa";
const std::string description = R"(isa tiny "Three instructions"

code     unit 16 little
registers r : 3 of u16 "r{n}"
number    near = pc + 2 * s6        // branches count instructions
function twice(x) = x + x

format REG    | OP:4 | D:r | A:r | B:r | -:3 |
format BRANCH | OP:4 | A:r | B:r | T:near |

instructions REG [OP] "{name} {D}, {A}, {B}" {
    0  add   D = A + B
    1  dbl   D = twice(A) + B
}
instructions BRANCH [OP] "{name} {A}, {B}, {T}" {
    3  bne   if A != B { pc = T }
}
)";

bool has(const Words& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

TEST(LspDescription, FindingsComeAndGo) {
    Session session;
    session.open(uri, description);
    EXPECT_EQ(session.messages(uri), Words{});
    session.change({15, 4}, {15, 5}, "1");
    EXPECT_EQ(session.messages(uri), Words{"16:5-11 bne (BRANCH) and dbl (REG) both match 0x1000"});
    session.change({15, 4}, {15, 5}, "3");
    EXPECT_EQ(session.messages(uri), Words{});
}

TEST(LspDescription, DefinitionsAndReferences) {
    Session session;
    session.open(uri, description);
    EXPECT_EQ(Session::places(session.at("definition", "T:ne", "ar")), Words{"5:11-15"});
    EXPECT_EQ(Session::places(session.at("definition", "instructions RE", "G")), Words{"8:8-11"});
    EXPECT_EQ(Session::places(session.at("definition", "= twi", "ce(A)")), Words{"6:10-15"});
    EXPECT_EQ(Session::places(session.at("definition", "= A", " + B")), Words{"8:30-31"});
    EXPECT_EQ(Session::places(session.at("definition", "if A", " !=")), Words{"9:24-25"})
        << "the format of its own table";
}

TEST(LspDescription, FieldsAreRenamedInTextsToo) {
    Session session;
    session.open(uri, description);
    const Json edits = session.at("rename", "| D", ":r", {{"newName", "DST"}});
    ASSERT_TRUE(edits.contains("changes")) << edits;
    const std::string text = session.edited(edits["changes"][uri]);
    EXPECT_NE(text.find("| DST:r |"), std::string::npos) << text;
    EXPECT_NE(text.find("{name} {DST}, {A}, {B}"), std::string::npos) << text;
    EXPECT_NE(text.find("add   DST = A + B"), std::string::npos) << text;
    session.change(text);
    EXPECT_EQ(session.messages(uri), Words{});
    EXPECT_TRUE(session.at("rename", "| DS", "T:r", {{"newName", "A"}}).contains("error"));
}

TEST(LspDescription, FreeOpcodesAndNamesAreOffered) {
    Session session;
    session.open(uri, description);
    session.change("isa tiny\n" + description.substr(description.find('\n')));
    const Words opcodes = session.labels("    ", "1  dbl");
    EXPECT_TRUE(has(opcodes, "2") && has(opcodes, "15")) << Json(opcodes);
    EXPECT_FALSE(has(opcodes, "0") || has(opcodes, "1") || has(opcodes, "3"));
    const Words names = session.labels("D = twi", "ce(A)");
    EXPECT_EQ(names, Words{"twice"});
    EXPECT_TRUE(has(session.labels("D = ", "A + B"), "D"));
    EXPECT_FALSE(has(session.labels("D = ", "A + B"), "T"));
}

TEST(LspDescription, LensesAndHovers) {
    Session session;
    session.open(uri, description);
    const Json lenses = session.about("codeLens");
    ASSERT_EQ(lenses.size(), 2u);
    EXPECT_TRUE(lenses[0]["command"]["title"].get<std::string>().starts_with(
        "2 instructions · REG: 1.56 % of the opcode space"))
        << lenses[0];
    EXPECT_NE(session.hover("instructions RE", "G").find("│"), std::string::npos);
    EXPECT_NE(session.hover("T:ne", "ar").find("number"), std::string::npos);
    EXPECT_NE(session.hover("  ad", "d ").find("D = A + B"), std::string::npos);
}

TEST(LspDescription, ProseIsShown) {
    Session session;
    std::string told = description;
    told.insert(told.find("\nnumber"), "\ndoc \"Numbers **and** addresses.\"");
    told.insert(told.find("\n    1  dbl"), "\n       doc \"What does not fit\"\n       doc \"is lost.\"");
    session.open(uri, told);
    EXPECT_NE(session.hover("registers ", "r : 3").find("Numbers **and** addresses."), std::string::npos);
    EXPECT_NE(session.hover("  ad", "d ").find("What does not fit\nis lost."), std::string::npos);
    EXPECT_TRUE(session.messages(uri).empty());
}

TEST(LspDescription, AHalfWrittenOneStillAnswers) {
    Session session;
    session.open(uri, description);
    session.change({11, 0}, {11, 0}, "    2  sub   D = A -\n");
    EXPECT_FALSE(session.messages(uri).empty());
    EXPECT_EQ(session.about("codeLens").size(), 2u);
    EXPECT_FALSE(session.about("documentSymbol").empty());
    for (std::size_t cut = 0; cut < description.size(); cut += 7) {
        session.change(description.substr(0, cut));
        for (const char* method : {"semanticTokens/full", "foldingRange", "documentSymbol", "codeLens", "documentLink"})
            EXPECT_TRUE(session.about(method).is_structured()) << method << " at " << cut;
        const Json end = to_json(Text(description.substr(0, cut)).position_of(static_cast<std::uint32_t>(cut)));
        for (const char* method : {"completion", "hover", "definition"})
            EXPECT_FALSE(session.about(method, {{"position", end}}).contains("error")) << method << " at " << cut;
    }
}

}  // namespace
}  // namespace isaforge::lsp

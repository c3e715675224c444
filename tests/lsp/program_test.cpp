// Programs in an editor.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "session.hpp"

namespace isaforge::lsp {
namespace {

using Words = std::vector<std::string>;

constexpr const char* uri = "file:///nowhere/program.s";
const std::string program = R"(// isaforge: wishbone-gpu
count = 3 * 5
.macro twice reg, other=r2
    add \reg, \reg, \reg;
    jump again;
.endm
    ploadu_l count; loadu_h 10, r1;
again:
    add r3, r1, r3;
    twice r4
    [cr0] jump again; /* back */
    nop;
)";

bool has(const Words& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

TEST(LspProgram, MessagesComeAndGo) {
    Session session;
    session.open(uri, program);
    EXPECT_EQ(session.messages(uri), Words{});
    session.change({8, 4}, {8, 7}, "adx");
    EXPECT_EQ(session.messages(uri), Words{"9:5-8 unknown instruction 'adx'"});
    session.change({8, 4}, {8, 7}, "add");
    EXPECT_EQ(session.messages(uri), Words{});
}

TEST(LspProgram, AMessageInAMacroIsToldWhereThatIsCalled) {
    Session session;
    session.open(uri, "// isaforge: wishbone-gpu\n.macro wrong a\n    add \\a, r1;\n.endm\n    wrong r1\n");
    const Words messages = session.messages(uri);
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_TRUE(messages[0].starts_with("5:5-")) << messages[0];
    EXPECT_NE(messages[0].find("(in `add r1, r1;`)"), std::string::npos) << messages[0];
}

TEST(LspProgram, WhichInstructionSetIsSaidOrAskedFor) {
    Session session;
    session.open(uri, "    add r1, r2, r3;\n");
    ASSERT_EQ(session.messages(uri).size(), 1u);
    EXPECT_TRUE(session.messages(uri)[0].starts_with("1:1-20 no instruction set is known for this program"))
        << session.messages(uri)[0];
    EXPECT_TRUE(session.at("hover", "    a", "dd").is_null());
    session.change("// isaforge: wishbone-cpu\n    add r1, r2, r3;\n");
    EXPECT_EQ(session.messages(uri),
              Words{"1:4-26 there is no instruction set 'wishbone-cpu'; did you mean 'wishbone-gpu'?"});
    session.change("    add r1, r2, r3;\n");
    session.tell("workspace/didChangeConfiguration", {{"settings", {{"isaforge", {{"isa", "wishbone-gpu"}}}}}});
    EXPECT_EQ(session.messages(uri), Words{});
}

TEST(LspProgram, SettingsDefineSymbols) {
    Session session(Json{{"initializationOptions", {{"isa", "gcn1.2"}, {"define", {{"COUNT", 7}}}}}});
    session.open(uri, "s_mov_b32 s0, COUNT\n");
    EXPECT_EQ(session.messages(uri), Words{});
}

TEST(LspProgram, CompletionIsWhatTheGrammarAllows) {
    Session session(Json{{"initializationOptions", {{"isa", "gcn1.2"}}}});
    session.open(uri,
                 "here:\n    v_add_f\n    v_add_f32 v1, s2, v\n    s_add_u32 s0, vc\n    s_branch he\n"
                 "    buffer_load_dword v1, v2, s[0:3], s4 off\n    v_add_f32 v1, abs(v2), v3 cl\n");
    const Words mnemonics = session.labels("v_add_f", "\n");
    EXPECT_TRUE(has(mnemonics, "v_add_f32") && has(mnemonics, "v_add_f64_e64")) << Json(mnemonics);
    EXPECT_FALSE(has(mnemonics, "v_sub_f32"));
    const Words vector = session.labels("s2, v", "\n");
    EXPECT_TRUE(has(vector, "v0") && has(vector, "v255"));
    EXPECT_FALSE(has(vector, "s0") || has(vector, "v256"));
    const Words scalar = session.labels("s0, vc", "\n");
    EXPECT_TRUE(has(scalar, "vcc_lo") && has(scalar, "vcc_hi"));
    EXPECT_FALSE(has(scalar, "v0"));
    EXPECT_TRUE(has(session.labels("s_branch he", "\n"), "here"));
    const Words modifiers = session.labels("s4 off", "\n");
    EXPECT_EQ(modifiers, (Words{"offen", "offset:"}));
    EXPECT_TRUE(has(session.labels("v3 cl", "\n"), "clamp"));
}

TEST(LspProgram, CompletionKnowsMacrosDirectivesAndMarks) {
    Session session;
    session.open(uri, program + "    tw\n.by\n    [!c\n");
    EXPECT_EQ(session.labels("    tw", "\n"), Words{"twice"});
    EXPECT_EQ(session.labels(".by", "\n"), Words{".byte"});
    EXPECT_TRUE(session.labels("/* ba", "ck */").empty());
    session.change(
        "// isaforge: fabrisc-2022-05-15\n.back:\n    ADD.32: $S0, $S1, $S;\n    BTST.32NEZ: $S1, @ba;\n    IAD\n");
    EXPECT_TRUE(has(session.labels("$S1, $S", ";"), "$S2"));
    EXPECT_TRUE(has(session.labels("$S1, @ba", ";"), "back"));
    EXPECT_TRUE(has(session.labels("    IAD", "\n"), "IADD"));
}

TEST(LspProgram, HoverTellsMeaningBitsAndValues) {
    Session session;
    session.open(uri, program);
    const std::string add = session.hover("    a", "dd r3");
    EXPECT_NE(add.find("C = A + B"), std::string::npos) << add;
    EXPECT_NE(add.find("│ 10000 │ COND │"), std::string::npos) << add;
    EXPECT_NE(add.find("at 0x2: `23002380`"), std::string::npos) << add;
    EXPECT_NE(session.hover("add r", "3").find("r0 … r31"), std::string::npos);
    EXPECT_NE(session.hover("[cr0] jump a", "gain").find("`again`: 0x2 in .text"), std::string::npos);
    EXPECT_NE(session.hover("ploadu_l c", "ount").find("`count`: 15 = 0xf"), std::string::npos);
    EXPECT_NE(session.hover("loadu_h 1", "0").find("10 = 0xa = 0b1010"), std::string::npos);
    EXPECT_NE(session.hover("    tw", "ice r4").find("`twice reg, other=r2`: a macro"), std::string::npos);
    EXPECT_EQ(session.hover("/* ba", "ck"), "null");
}

TEST(LspProgram, SignaturesFollowTheCursor) {
    Session session;
    session.open(uri, program);
    const Json second = session.at("signatureHelp", "add r3, r", "1");
    ASSERT_TRUE(second.is_object()) << second;
    EXPECT_EQ(second["signatures"][0]["label"], "CONDadd A, B, C");
    EXPECT_EQ(second["signatures"][0]["activeParameter"], 2);
    EXPECT_EQ(second["signatures"][0]["parameters"][2]["label"], Json({11, 12}));
    const Json macro = session.at("signatureHelp", "twice r", "4");
    EXPECT_EQ(macro["signatures"][0]["label"], "twice reg, other=r2");
}

TEST(LspProgram, NamesAreFoundEverywhere) {
    Session session;
    session.open(uri, program);
    EXPECT_EQ(Session::places(session.at("definition", "[cr0] jump ag", "ain")), Words{"8:1-6"});
    EXPECT_EQ(Session::places(session.at("definition", "    tw", "ice")), Words{"3:8-13"});
    const Json all{{"context", {{"includeDeclaration", true}}}};
    Words places = Session::places(session.at("references", "a", "gain:", all));
    std::sort(places.begin(), places.end());
    EXPECT_EQ(places, (Words{"11:16-21", "5:10-15", "8:1-6"}));
    const Json edits = session.at("rename", "a", "gain:", {{"newName", "loop"}});
    const std::string renamed = session.edited(edits["changes"][uri]);
    EXPECT_EQ(renamed.find("again"), std::string::npos) << renamed;
    EXPECT_NE(renamed.find("jump loop;"), std::string::npos);
    for (const char* bad : {"count", "r1", "1x", "a b", ""})
        EXPECT_TRUE(session.at("rename", "a", "gain:", {{"newName", bad}}).contains("error")) << bad;
    EXPECT_EQ(session.at("documentHighlight", "co", "unt =").size(), 2u);
}

TEST(LspProgram, NumericLabelsAndDefinitions) {
    Session session;
    session.open(uri,
                 "// isaforge: wishbone-gpu\n#def sum r5\n1:  add sum, r1, sum;\n    jump 1b; nop;\n1:  nop;\n    jump "
                 "1b; nop;\n");
    EXPECT_EQ(session.messages(uri), Words{});
    EXPECT_EQ(Session::places(session.at("definition", "jump 1", "b")), Words{"3:1-2"});
    EXPECT_EQ(Session::places(session.at("definition", "add su", "m")), Words{"2:6-9"});
    EXPECT_NE(session.hover("add su", "m").find("stands for `r5`"), std::string::npos);
}

TEST(LspProgram, HintsTellAddressBytesAndForm) {
    Session session;
    session.open(uri, program);
    const Json range = to_json(Range{{0, 0}, {99, 0}});
    Words hints;
    for (const Json& hint : session.about("inlayHint", {{"range", range}}))
        hints.push_back(std::to_string(hint["position"]["line"].get<int>() + 1) + " " +
                        hint["label"].get<std::string>());
    ASSERT_EQ(hints.size(), 6u) << Json(hints);
    EXPECT_EQ(hints[2], "9 0x2: 23002380 ALU");
    EXPECT_EQ(hints[4], "11 0x5: fddf3fac JUMP after 1");
}

TEST(LspProgram, WhatWasMeantIsAnAction) {
    Session session;
    session.open(uri, "// isaforge: wishbone-gpu\n    ad r1, r2, r3;\n    nop\n    nop;\n");
    const Json actions = session.about(
        "codeAction", {{"range", to_json(Range{{1, 4}, {1, 4}})}, {"context", {{"diagnostics", Json::array()}}}});
    ASSERT_EQ(actions.size(), 1u) << session.messages(uri)[0];
    EXPECT_EQ(actions[0]["title"], "Change to 'add'");
    EXPECT_NE(session.edited(actions[0]["edit"]["changes"][uri]).find("    add r1"), std::string::npos);
}

TEST(LspProgram, FormattingKeepsWhatIsAssembled) {
    Session session;
    session.open(uri,
                 "// isaforge: wishbone-gpu\n    add r1 ,r2,r3;   // one\n    nop;  \n  nop;    // two\nx: .byte 1 , "
                 "2\n\t.ascii \"a,b\"\n/* a ,b\n  c ,d */\n");
    EXPECT_EQ(session.edited(session.about("formatting", {{"options", Json::object()}})),
              "// isaforge: wishbone-gpu\n    add r1, r2, r3;  // one\n    nop;\n    nop;  // two\nx: .byte 1 , "
              "2\n\t.ascii \"a,b\"\n/* a ,b\n  c ,d */\n");
}

TEST(LspProgram, FoldsAndColours) {
    Session session;
    session.open(uri, program);
    const Json folds = session.about("foldingRange");
    ASSERT_EQ(folds.size(), 1u) << folds;
    EXPECT_EQ(folds[0]["startLine"], 2);
    EXPECT_EQ(folds[0]["endLine"], 5);
    const Json before = session.about("semanticTokens/full");
    session.change({8, 4}, {8, 7}, "sub");
    const Json delta = session.about("semanticTokens/full/delta", {{"previousResultId", before["resultId"]}});
    EXPECT_EQ(delta["edits"], Json::array());  // as long, and as much of an instruction
    session.change({11, 0}, {11, 0}, "// more\n");
    const Json more = session.about("semanticTokens/full/delta", {{"previousResultId", delta["resultId"]}});
    ASSERT_EQ(more["edits"].size(), 1u);
    const Json whole = session.about("semanticTokens/full");
    Json data = before["data"];
    const std::size_t start = more["edits"][0]["start"], gone = more["edits"][0]["deleteCount"];
    data.erase(data.begin() + static_cast<long>(start), data.begin() + static_cast<long>(start + gone));
    data.insert(data.begin() + static_cast<long>(start), more["edits"][0]["data"].begin(),
                more["edits"][0]["data"].end());
    EXPECT_EQ(data, whole["data"]);
}

TEST(LspProgram, IncludedFilesAreThoseOfTheEditor) {
    Session session;
    const std::string folder = std::string(ISAFORGE_BINARY_DIR) + "/lsp-include";
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/shared.inc") << "value = 1\n";
    const std::string main = uri_of(folder + "/main.s"), shared = uri_of(folder + "/shared.inc");
    session.open(shared, "// isaforge: wishbone-gpu\nother = 2\n");
    session.open(main, "// isaforge: wishbone-gpu\n.include \"shared.inc\"\n.byte other\n");
    EXPECT_EQ(session.messages(main), Words{});
    const Json where = session.at("definition", ".byte ot", "her");
    ASSERT_EQ(where.size(), 1u) << where;
    EXPECT_EQ(where[0]["uri"], shared);
    EXPECT_EQ(Session::place(where[0]["range"]), "2:1-6");
    EXPECT_EQ(session.about("documentLink")[0]["target"], shared);
    // What the included file says is told there, and goes when it does.
    session.current = shared;
    session.change("// isaforge: wishbone-gpu\n.error \"no\"\n");
    EXPECT_EQ(session.messages(shared).size(), 1u);
}

}  // namespace
}  // namespace isaforge::lsp

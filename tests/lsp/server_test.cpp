// What the server does with what an editor should not send.
#include "session.hpp"

namespace isaforge::lsp {
namespace {

int error_of(const Json& answer) {
    return answer.is_object() && answer.contains("error") ? answer["error"]["code"].get<int>() : 0;
}

TEST(LspServer, WhatIsNotKnownIsAnError) {
    Session session;
    EXPECT_EQ(error_of(session.ask("textDocument/nothing")), -32601);
    EXPECT_EQ(error_of(session.ask("initialize")), -32600);
    EXPECT_TRUE(session.ask("textDocument/hover", {{"textDocument", {{"uri", "file:///unknown.s"}}}}).is_null());
    session.server().handle({protocol::Incoming::Kind::damaged, {}, "a message that is no JSON"});
    session.server().handle({protocol::Incoming::Kind::message, 5, {}});
    ASSERT_EQ(session.others.size(), 2u);
    EXPECT_EQ(error_of(session.others[0]), -32700);
    EXPECT_EQ(error_of(session.others[1]), -32600);
}

TEST(LspServer, NothingIsAnsweredBeforeItIsInitialized) {
    std::vector<Json> out;
    Server server(Session::one_thread(), [&](const Json& message) { out.push_back(message); });
    server.handle({protocol::Incoming::Kind::message, protocol::request(1, "textDocument/hover", nullptr), {}});
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(error_of(out[0]), -32002);
    server.handle({protocol::Incoming::Kind::message, protocol::notification("exit", nullptr), {}});
    EXPECT_TRUE(server.exited());
    EXPECT_EQ(server.exit_status(), 1);  // nobody shut it down
}

TEST(LspServer, ParametersOfAnyShape) {
    Session session;
    session.open("file:///x.s", "// isaforge: wishbone-gpu\n    add r1, r2, r3;\n");
    const Json shapes[] = {
        nullptr,
        1,
        "x",
        Json::array(),
        {{"textDocument", 1}},
        {{"textDocument", {{"uri", 5}}}},
        {{"textDocument", {{"uri", "file:///x.s"}}}},
        {{"textDocument", {{"uri", "file:///x.s"}}}, {"position", {{"line", -1}, {"character", 1e99}}}},
        {{"textDocument", {{"uri", "file:///x.s"}}}, {"position", "x"}, {"range", 7}, {"context", 3}, {"newName", 4}},
        {{"textDocument", {{"uri", "file:///x.s"}}}, {"range", {{"start", {{"line", 9}}}, {"end", {{"line", 0}}}}}}};
    for (const char* method :
         {"completion", "hover", "signatureHelp", "definition", "references", "documentHighlight", "prepareRename",
          "rename", "documentSymbol", "foldingRange", "formatting", "rangeFormatting", "semanticTokens/full",
          "semanticTokens/full/delta", "semanticTokens/range", "inlayHint", "codeLens", "codeAction", "documentLink"}) {
        for (const Json& params : shapes)
            EXPECT_NE(session.ask(std::string("textDocument/") + method, params), "no answer") << method;
    }
    for (const char* method : {"didOpen", "didChange", "didClose", "didSave"})
        for (const Json& params : shapes) session.tell(std::string("textDocument/") + method, params);
    EXPECT_TRUE(session.ask("shutdown").is_null());
}

TEST(LspServer, OnThreadsToo) {
    ServerOptions options;
    options.preset.name = "wishbone-gpu";
    Session session({{"capabilities", Json::object()}}, options);
    session.open("file:///x.s", "    add r1, r2, r3;\n");
    for (int i = 0; i < 50; ++i) session.change({0, 0}, {0, 0}, "l" + std::to_string(i) + ": ");
    EXPECT_EQ(session.about("references", {{"position", {{"line", 0}, {"character", 1}}}}).size(), 1u);
    session.server().settle();
    EXPECT_EQ(session.messages("file:///x.s"), std::vector<std::string>{});
}

}  // namespace
}  // namespace isaforge::lsp

// The adapter in process: each request is answered once, and what a program says while it runs is told.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dap/adapter.hpp"
#include "dap/base64.hpp"
#include "debugger/program.hpp"

namespace isaforge::dap {
namespace {

class LoadedDebuggee : public Debuggee {
public:
    explicit LoadedDebuggee(const std::string& text) : loaded_("t.s", text) {}
    Machine& machine() override { return *loaded_.machine; }
    const debugger::ProgramMap& map() const override { return loaded_.map; }
    bool restart(std::string& error) override { return error.clear(), loaded_.machine->start(0), true; }
    std::optional<std::string> source(const std::string&) override { return loaded_.text; }
    std::uint64_t limit() const override { return 1000; }

private:
    debugger::Loaded loaded_;
};

struct Session {
    std::vector<Json> said;
    unsigned asked = 0, asks_at = 0;  // somebody asks each so many times
    Adapter adapter;

    explicit Session(const std::string& text)
        : adapter(
              [text](bool, const Json&, const Output&, std::string&) { return std::make_unique<LoadedDebuggee>(text); },
              [this](const Json& message) { said.push_back(message); },
              [this](bool) { return asks_at != 0 && ++asked % asks_at == 0; }) {}

    Json ask(const std::string& command, const Json& arguments = Json::object()) {
        adapter.handle({{"type", "request"}, {"seq", 7}, {"command", command}, {"arguments", arguments}});
        for (auto each = said.rbegin(); each != said.rend(); ++each) {
            if (text(*each, "type") != "response") continue;
            EXPECT_EQ(text(*each, "command"), command);
            EXPECT_EQ(number(*each, "request_seq"), 7);
            return *each;
        }
        ADD_FAILURE() << "no response to " << command;
        return {};
    }
    Json body(const std::string& command, const Json& arguments = Json::object()) {
        const Json response = ask(command, arguments);
        EXPECT_TRUE(flag(response, "success")) << response;
        return member(response, "body");
    }
    std::string last_event() const {
        for (auto each = said.rbegin(); each != said.rend(); ++each)
            if (text(*each, "type") == "event") return text(*each, "event");
        return {};
    }
};

constexpr const char* endless = "start: nop;\nloop: jump loop;\n nop;";

TEST(Adapter, TheOrderOfASession) {
    Session session(endless);
    EXPECT_FALSE(flag(session.ask("threads"), "success"));
    EXPECT_TRUE(flag(session.body("initialize"), "supportsStepBack"));
    session.body("launch");
    EXPECT_EQ(session.last_event(), "initialized");
    EXPECT_FALSE(flag(session.ask("launch"), "success"));
    EXPECT_FALSE(session.adapter.is_running());
    session.body("configurationDone");
    EXPECT_TRUE(session.adapter.is_running());
    EXPECT_FALSE(flag(session.ask("next"), "success"));
    session.adapter.run();  // up to the limit
    EXPECT_FALSE(session.adapter.is_running());
    EXPECT_EQ(session.last_event(), "stopped");
    session.body("disconnect");
    EXPECT_TRUE(session.adapter.has_ended());
}

// Who asks something while the program runs is answered, and it runs on; who wants it to stop is told that it has.
TEST(Adapter, ARunningProgramIsHeard) {
    Session session(endless);
    session.body("launch");
    session.body("configurationDone");
    session.asks_at = 1;
    session.adapter.run();
    const bool running = session.adapter.is_running();
    session.asks_at = 0;
    EXPECT_EQ(session.body("threads")["threads"].size(), 1u);
    EXPECT_EQ(session.adapter.is_running(), running);
    if (!running) session.body("continue", {{"threadId", 1}});
    session.body("pause");
    EXPECT_FALSE(session.adapter.is_running());
    EXPECT_EQ(session.last_event(), "stopped");
}

TEST(Adapter, EveryHitRule) {
    using debugger::parse_hit_rule;
    const auto allowed = [](std::string_view text) {
        std::string hits;
        for (unsigned i = 1; i < 8; ++i)
            if (parse_hit_rule(text)->allows(i)) hits += std::to_string(i);
        return hits;
    };
    EXPECT_EQ(allowed(""), "1234567");
    EXPECT_EQ(allowed("3"), "3");
    EXPECT_EQ(allowed(" == 3 "), "3");
    EXPECT_EQ(allowed(">3"), "4567");
    EXPECT_EQ(allowed(">= 3"), "34567");
    EXPECT_EQ(allowed("<3"), "12");
    EXPECT_EQ(allowed("<=3"), "123");
    EXPECT_EQ(allowed("% 3"), "36");
    for (const char* wrong : {"%0", "three", ">", "3 3", "!=3"}) EXPECT_FALSE(parse_hit_rule(wrong)) << wrong;
}

TEST(Adapter, Base64) {
    for (std::size_t size = 0; size < 9; ++size) {
        std::vector<std::uint8_t> bytes;
        for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::uint8_t>(251 * (i + 1)));
        EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    }
    EXPECT_EQ(to_base64(std::vector<std::uint8_t>{'f', 'o', 'o', 'b'}), "Zm9vYg==");
    EXPECT_FALSE(from_base64("Zm9"));
    EXPECT_FALSE(from_base64("Zm9!"));
}

// Messages of any shape: whatever is a request is answered once.
TEST(Adapter, AnythingMayBeSent) {
    Session session(endless);
    session.body("launch");
    session.body("configurationDone");
    const Json odd[] = {nullptr,
                        7,
                        "text",
                        Json::array(),
                        {{"type", "request"}},
                        {{"command", 3}, {"type", "request"}},
                        {{"type", "event"}, {"event", "stopped"}}};
    for (const Json& each : odd) session.adapter.handle(each);
    const Json values[] = {nullptr, -1, 1, 1e9, ~std::uint64_t{0}, "", "r1", "0x0", Json::array({1}), {{"path", 1}}};
    unsigned answers = 0;
    for (const char* command : {"setBreakpoints",
                                "setFunctionBreakpoints",
                                "setInstructionBreakpoints",
                                "setDataBreakpoints",
                                "threads",
                                "dataBreakpointInfo",
                                "breakpointLocations",
                                "stackTrace",
                                "scopes",
                                "variables",
                                "setVariable",
                                "setExpression",
                                "evaluate",
                                "completions",
                                "next",
                                "stepIn",
                                "stepOut",
                                "stepBack",
                                "reverseContinue",
                                "gotoTargets",
                                "goto",
                                "exceptionInfo",
                                "readMemory",
                                "writeMemory",
                                "disassemble",
                                "source",
                                "restart"}) {
        for (const Json& value : values) {
            session.adapter.run();
            Json arguments = Json::object();
            for (const char* name : {"threadId",
                                     "frameId",
                                     "variablesReference",
                                     "name",
                                     "value",
                                     "expression",
                                     "source",
                                     "line",
                                     "breakpoints",
                                     "memoryReference",
                                     "offset",
                                     "count",
                                     "instructionCount",
                                     "instructionOffset",
                                     "targetId",
                                     "text",
                                     "column",
                                     "start",
                                     "data",
                                     "bytes"})
                arguments[name] = value;
            arguments["breakpoints"] = Json::array({arguments, value});
            session.ask(command, arguments);
            ++answers;
        }
    }
    EXPECT_EQ(answers, 270u);
    EXPECT_TRUE(flag(session.ask("threads"), "success"));
}

}  // namespace
}  // namespace isaforge::dap

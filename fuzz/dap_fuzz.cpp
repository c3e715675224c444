// Any messages from an editor: each is answered once, by an adapter with a small program in a small memory. A program that
// runs is heard again after a while.
#include "dap/adapter.hpp"
#include "debugged.hpp"

using namespace isaforge;

namespace {

using protocol::Json;

constexpr unsigned most_messages = 48;
constexpr std::size_t most_response = std::size_t{1} << 24;

const fuzz::Pieces& pieces() {
    static const fuzz::Pieces all({fuzz::read_file(ISAFORGE_SOURCE_DIR "/tests/dap/client.py")});
    return all;
}

class SmallDebuggee : public dap::Debuggee {
public:
    explicit SmallDebuggee(std::uint8_t number) : debugged_(number) {}
    Machine& machine() override { return *debugged_.machine; }
    const debugger::ProgramMap& map() const override { return debugged_.program.map; }
    bool restart(std::string& error) override {
        debugged_.machine->reset();
        error.clear();
        return true;
    }
    std::optional<std::string> source(const std::string&) override { return debugged_.program.text; }
    std::uint64_t limit() const override { return 200; }
    bool shows_lanes() const override { return true; }

private:
    fuzz::Debugged debugged_;
};

std::string request_text(fuzz::Random& random) {
    static const fuzz::Grammar grammar(
        {
            {'m', {"{\"type\":\"request\",\"seq\":1,\"command\":\"%c\",\"arguments\":{%a}}"}},
            {'a', {"%b", "%b,%b", "%b,%b,%b", "%b,%b,%b,%b"}},
            {'c',
             {"initialize",
              "launch",
              "configurationDone",
              "threads",
              "stackTrace",
              "scopes",
              "variables",
              "setVariable",
              "setExpression",
              "evaluate",
              "completions",
              "continue",
              "next",
              "stepIn",
              "stepOut",
              "stepBack",
              "reverseContinue",
              "pause",
              "gotoTargets",
              "goto",
              "exceptionInfo",
              "readMemory",
              "writeMemory",
              "disassemble",
              "source",
              "loadedSources",
              "setBreakpoints",
              "setFunctionBreakpoints",
              "setInstructionBreakpoints",
              "setDataBreakpoints",
              "dataBreakpointInfo",
              "breakpointLocations",
              "restart",
              "terminate",
              "%w"}},
            {'b',
             {"\"threadId\":%n",
              "\"frameId\":%n",
              "\"variablesReference\":%n",
              "\"name\":\"%e\"",
              "\"value\":\"%e\"",
              "\"expression\":\"%e\"",
              "\"context\":\"repl\"",
              "\"granularity\":\"instruction\"",
              "\"line\":%n",
              "\"source\":{\"path\":\"small.s\"}",
              "\"source\":{\"sourceReference\":%n}",
              "\"memoryReference\":\"%r\"",
              "\"offset\":%n",
              "\"count\":%n",
              "\"instructionCount\":%n",
              "\"instructionOffset\":%n",
              "\"targetId\":%n",
              "\"start\":%n",
              "\"data\":\"AAAA\"",
              "\"breakpoints\":[{%p},{%p}]",
              "\"text\":\"%e\"",
              "\"column\":%n",
              "\"stopOnEntry\":true",
              "\"stopAtEnd\":true",
              "\"bytes\":%n",
              "\"endLine\":%n"}},
            {'p',
             {"\"line\":%n", "\"name\":\"l0\"", "\"instructionReference\":\"%r\"", "\"dataId\":\"memory:0:%n:%n\"",
              "\"dataId\":\"register:0:%n:%n\"", "%p,\"condition\":\"%e\"", "%p,\"hitCondition\":\"%h%n\"",
              "%p,\"logMessage\":\"{%e}\"", "%p,\"accessType\":\"read\"", "%p,\"offset\":%n"}},
            {'n', {"1", "0", "2", "3", "-1", "64", "65537", "%1"}},
            {'r', {"0x0", "2", "%n", "data:0x0", "zz"}},
            {'h', {"", ">", ">=", "<", "%%"}},
            {'e',
             {"step", "reverse-step", "rc", "r1", "pc", "data.u32[0]", "[0]", "r1 + 1", "l0", "0", "watch r1", "%w"}},
        },
        [](char rule, fuzz::Random& r) -> std::string {
            if (rule == '1') return std::to_string(static_cast<std::int64_t>(r.edge()));
            return rule == '%' ? "%" : std::string(1 + r.below(3), static_cast<char>('a' + r.below(26)));
        });
    return grammar.make('m', random) + "\n";
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return fuzz::mutate_behind(data, size, most, seed, [](std::string& stream, fuzz::Random& random, std::uint8_t) {
        fuzz::change_text(stream, random, pieces(), request_text);
    });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    unsigned responses = 0, asked = 0;
    dap::Adapter adapter(
        [&](bool, const Json&, const dap::Output&, std::string&) { return std::make_unique<SmallDebuggee>(data[0]); },
        [&](const Json& message) {
            fuzz::require(protocol::to_text(message).size() <= most_response);
            if (dap::text(message, "type") == "response") ++responses;
        },
        [&](bool) { return ++asked % 16 == 0; });
    adapter.handle({{"type", "request"}, {"command", "launch"}});
    unsigned messages = 1;
    std::string_view rest = fuzz::text_of(data + 1, size - 1);
    while (!rest.empty() && messages < most_messages && !adapter.has_ended()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const Json message = Json::parse(line, nullptr, false);
        if (message.is_discarded()) continue;
        if (dap::text(message, "type") == "request") ++messages;
        adapter.handle(message);
        for (unsigned runs = 0; runs < 4 && adapter.is_running(); ++runs) adapter.run();
    }
    fuzz::require(responses == messages);
    return 0;
}

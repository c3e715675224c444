// The requests by name, responses and events.
#include "dap/adapter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace isaforge::dap {

struct Adapter::Request {
    const char* name;
    Handler handle;
    bool needs_program = true;
    bool needs_rest = false;  // the program must not run
};

const std::vector<Adapter::Request>& Adapter::requests() {
    static const std::vector<Request> all = {
        {"initialize", &Adapter::initialize, false},
        {"launch", &Adapter::launch, false},
        {"attach", &Adapter::attach, false},
        {"disconnect", &Adapter::disconnect, false},
        {"terminate", &Adapter::terminate, false},
        {"cancel", &Adapter::cancel, false},
        {"configurationDone", &Adapter::configuration_done},
        {"restart", &Adapter::restart},
        {"setBreakpoints", &Adapter::set_breakpoints},
        {"setFunctionBreakpoints", &Adapter::set_function_breakpoints},
        {"setInstructionBreakpoints", &Adapter::set_instruction_breakpoints},
        {"setDataBreakpoints", &Adapter::set_data_breakpoints},
        {"setExceptionBreakpoints", &Adapter::set_exception_breakpoints},
        {"dataBreakpointInfo", &Adapter::data_breakpoint_info},
        {"breakpointLocations", &Adapter::breakpoint_locations},
        {"threads", &Adapter::threads},
        {"stackTrace", &Adapter::stack_trace},
        {"scopes", &Adapter::scopes},
        {"variables", &Adapter::variables},
        {"setVariable", &Adapter::set_variable},
        {"setExpression", &Adapter::set_expression},
        {"evaluate", &Adapter::evaluate},
        {"completions", &Adapter::completions},
        {"continue", &Adapter::go_on},
        {"next", &Adapter::next, true, true},
        {"stepIn", &Adapter::step_in, true, true},
        {"stepOut", &Adapter::step_out, true, true},
        {"stepBack", &Adapter::step_back, true, true},
        {"reverseContinue", &Adapter::reverse_continue, true, true},
        {"pause", &Adapter::pause},
        {"gotoTargets", &Adapter::goto_targets},
        {"goto", &Adapter::go_to, true, true},
        {"exceptionInfo", &Adapter::exception_info},
        {"readMemory", &Adapter::read_memory},
        {"writeMemory", &Adapter::write_memory},
        {"disassemble", &Adapter::disassemble},
        {"source", &Adapter::source},
        {"loadedSources", &Adapter::loaded_sources},
    };
    return all;
}

Adapter::Adapter(Launcher launcher, Send send, Asks asks)
    : launcher_(std::move(launcher)), send_(std::move(send)), asks_(std::move(asks)) {}

Adapter::~Adapter() = default;

Json Adapter::fail(std::string message) {
    error_ = std::move(message);
    failed_ = true;
    return Json::object();
}

void Adapter::event(const char* name, Json body) {
    send_({{"seq", sequence_++}, {"type", "event"}, {"event", name}, {"body", std::move(body)}});
}

void Adapter::output(const char* category, std::string_view text) {
    if (!text.empty()) event("output", {{"category", category}, {"output", text}});
}

void Adapter::respond(const Json& request, Json body) {
    Json response = {{"seq", sequence_++},
                     {"type", "response"},
                     {"request_seq", number(request, "seq").value_or(0)},
                     {"success", !failed_},
                     {"command", text(request, "command")}};
    if (failed_) {
        response["message"] = error_;
        response["body"] = {
            {"error", {{"id", 1}, {"format", "{text}"}, {"variables", {{"text", error_}}}, {"showUser", true}}}};
    } else if (!body.empty()) {
        response["body"] = std::move(body);
    }
    send_(std::move(response));
}

void Adapter::handle(const Json& message) {
    if (text(message, "type") != "request") return;
    const std::string name = text(message, "command");
    failed_ = false;
    afterwards_ = nullptr;
    Json body = Json::object();
    const auto found = std::ranges::find_if(requests(), [&](const Request& each) { return each.name == name; });
    if (found == requests().end())
        fail(fmt::format("there is no request '{}' here", name));
    else if (found->needs_program && debuggee_ == nullptr)
        fail("there is no program yet: launch comes first");
    else if (found->needs_rest && is_running())
        fail("the program runs; pause stops it");
    else
        body = (this->*found->handle)(member(message, "arguments"));
    respond(message, std::move(body));
    if (const auto then = std::exchange(afterwards_, nullptr)) then();
}

Json Adapter::cancel(const Json&) { return Json::object(); }

}  // namespace isaforge::dap

// The begin and the end of a session.
#include <fmt/format.h>

#include "dap/adapter.hpp"

namespace isaforge::dap {

Json Adapter::initialize(const Json& arguments) {
    first_line_ = flag(arguments, "linesStartAt1", true) ? 1 : 0;
    Json able = Json::object();
    for (const char* each : {"supportsConfigurationDoneRequest",
                             "supportsFunctionBreakpoints",
                             "supportsConditionalBreakpoints",
                             "supportsHitConditionalBreakpoints",
                             "supportsEvaluateForHovers",
                             "supportsStepBack",
                             "supportsSetVariable",
                             "supportsGotoTargetsRequest",
                             "supportsCompletionsRequest",
                             "supportsRestartRequest",
                             "supportsExceptionInfoRequest",
                             "supportTerminateDebuggee",
                             "supportsDelayedStackTraceLoading",
                             "supportsLoadedSourcesRequest",
                             "supportsLogPoints",
                             "supportsSetExpression",
                             "supportsTerminateRequest",
                             "supportsDataBreakpoints",
                             "supportsDataBreakpointBytes",
                             "supportsReadMemoryRequest",
                             "supportsWriteMemoryRequest",
                             "supportsDisassembleRequest",
                             "supportsCancelRequest",
                             "supportsBreakpointLocationsRequest",
                             "supportsSteppingGranularity",
                             "supportsInstructionBreakpoints"})
        able[each] = true;
    return able;
}

Json Adapter::launch(const Json& arguments) { return begin(false, arguments); }
Json Adapter::attach(const Json& arguments) { return begin(true, arguments); }

Json Adapter::begin(bool attach, const Json& arguments) {
    if (debuggee_ != nullptr) return fail("there is a program already");
    std::string error = "there is no program to be had";
    auto made = launcher_(
        attach, arguments, [this](const char* category, std::string_view said) { output(category, said); }, error);
    if (made == nullptr) return fail(error);
    debuggee_ = std::move(made);
    attached_ = attach;
    execution_ = std::make_unique<debugger::Execution>(debuggee_->machine(), debuggee_->streams());
    execution_->limit = debuggee_->limit();
    execution_->interrupted = [this] { return asks_ && asks_(!goes_on_); };
    debugger::Surroundings surroundings;
    surroundings.restart = [this](std::string& problem) { return debuggee_->restart(problem); };
    surroundings.read_source = [this](const std::string& name) { return debuggee_->source(name); };
    debugger_ = std::make_unique<debugger::Debugger>(*execution_, debuggee_->machine().codec(), debuggee_->map(),
                                                     std::move(surroundings));
    debugger_->control().log = [this](const debugger::Point& point, const std::string& said) {
        Json body = {{"category", "console"}, {"output", said + "\n"}};
        if (const auto line = debuggee_->map().line_of(point.address); line && !point.is_watch) {
            body["source"] = source_body(line->file);
            body["line"] = static_cast<std::int64_t>(line->line) - 1 + first_line_;
        }
        event("output", std::move(body));
    };
    stops_on_entry_ = attach || flag(arguments, "stopOnEntry");
    stops_at_end_ = flag(arguments, "stopAtEnd");
    afterwards_ = [this] { event("initialized"); };
    return Json::object();
}

Json Adapter::configuration_done(const Json&) {
    if (configured_) return Json::object();
    configured_ = true;
    afterwards_ = [this] { start(); };
    return Json::object();
}

// Where it begins no breakpoint would stop it.
void Adapter::start() {
    debugger::Control& control = debugger_->control();
    if (stops_on_entry_) return stopped("entry", {});
    if (control.breaks_here()) return report({.kind = debugger::Stop::Kind::breakpoint});
    set_going(
        {}, [&control] { return control.run(); }, true);
}

Json Adapter::restart(const Json&) {
    std::string error = "the program cannot be started again here";
    if (!debuggee_->restart(error)) return fail(error);
    execution_->restarted();
    going_ = nullptr;
    program_ended_ = false;
    moved();
    if (configured_) afterwards_ = [this] { start(); };
    return Json::object();
}

Json Adapter::terminate(const Json&) {
    going_ = nullptr;
    terminated_ = true;
    afterwards_ = [this] { event("terminated"); };
    return Json::object();
}

Json Adapter::disconnect(const Json& arguments) {
    going_ = nullptr;
    ended_ = true;
    detached_ = attached_ && !terminated_ && !flag(arguments, "terminateDebuggee");
    return Json::object();
}

}  // namespace isaforge::dap

// Threads, what lets them run, and why they stop.
#include <fmt/format.h>

#include <algorithm>

#include "dap/adapter.hpp"

namespace isaforge::dap {

using debugger::Control;
using debugger::Stop;

namespace {

constexpr unsigned lane_shift = 16;

bool by_instruction(const Json& arguments) { return text(arguments, "granularity") == "instruction"; }

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// Threads

unsigned Adapter::lanes() const {
    unsigned most = 1;
    for (const RegisterFile& file : machine().isa().register_files) most = std::max(most, file.lanes);
    return debuggee_->shows_lanes() && most > 1 ? most : 0;
}

bool Adapter::choose(std::uint64_t thread, int& lane) {
    const std::uint64_t hart = (thread & ((1u << lane_shift) - 1)) - 1, above = thread >> lane_shift;
    lane = -1;
    if (above > lanes() || hart >= execution_->harts()) return false;
    lane = static_cast<int>(above) - 1;
    return execution_->choose(static_cast<unsigned>(hart));
}

Json Adapter::threads(const Json&) {
    Json all = Json::array();
    for (unsigned hart = 0; hart < execution_->harts(); ++hart)
        all.push_back({{"id", hart + 1}, {"name", execution_->hart_text(hart)}});
    const unsigned hart = execution_->hart();
    for (unsigned lane = 0; lane < lanes(); ++lane)
        all.push_back({{"id", (lane + 1) << lane_shift | (hart + 1)},
                       {"name", fmt::format("{}, lane {}", execution_->hart_text(hart), lane)}});
    return {{"threads", all}};
}

// ---------------------------------------------------------------------------------------------------------------------
// Running

// What was known of registers and memory is not so any more.
void Adapter::moved() {
    holders_.clear();
    references_.clear();
    goto_places_.clear();
}

Json Adapter::set_going(const Json& arguments, std::function<Stop()> going, bool goes_on) {
    int lane = -1;
    if (const auto thread = count(arguments, "threadId"); thread && !choose(*thread, lane))
        return fail(fmt::format("there is no thread {}", *thread));
    going_ = std::move(going);
    goes_on_ = goes_on;
    return Json::object();
}

void Adapter::run() {
    if (going_ == nullptr) return;
    moved();
    const Stop stop = going_();
    if (const std::string error = debugger_->control().take_error(); !error.empty()) output("console", error + "\n");
    if (stop.kind == Stop::Kind::interrupted && goes_on_ && asks_(false)) return;  // it goes on behind what is asked
    going_ = nullptr;
    report(stop);
}

Json Adapter::go_on(const Json& arguments) {
    if (!is_running())
        set_going(
            arguments, [this] { return debugger_->control().run(); }, true);
    return {{"allThreadsContinued", true}};
}

Json Adapter::step(const Json& arguments, bool over) {
    const bool instruction = by_instruction(arguments);
    return set_going(arguments, [this, over, instruction] {
        Control::Changes changes;
        return instruction ? debugger_->control().step(1, over, changes) : debugger_->control().step_line(over);
    });
}

Json Adapter::next(const Json& arguments) { return step(arguments, true); }
Json Adapter::step_in(const Json& arguments) { return step(arguments, false); }

Json Adapter::step_out(const Json& arguments) {
    return set_going(arguments, [this] { return debugger_->control().finish(); });
}

Json Adapter::step_back(const Json& arguments) {
    const bool instruction = by_instruction(arguments);
    program_ended_ = false;
    return set_going(arguments, [this, instruction] {
        return instruction ? debugger_->control().step_back(1) : debugger_->control().step_line_back();
    });
}

Json Adapter::reverse_continue(const Json& arguments) {
    program_ended_ = false;
    return set_going(arguments, [this] { return debugger_->control().run_back(); });
}

Json Adapter::pause(const Json&) {
    if (!is_running()) return Json::object();
    going_ = nullptr;
    afterwards_ = [this] { report({.kind = Stop::Kind::interrupted}); };
    return Json::object();
}

Json Adapter::goto_targets(const Json& arguments) {
    const std::optional<std::string> file = file_of(member(arguments, "source"));
    const std::optional<std::uint64_t> line = count(arguments, "line");
    Json targets = Json::array();
    const auto address =
        file && line ? debuggee_->map().address_of(
                           *file, static_cast<std::uint32_t>(std::min<std::uint64_t>(*line + 1 - first_line_, ~0u)))
                     : std::nullopt;
    if (address) {
        constexpr std::size_t most_targets = 4096;
        if (goto_places_.size() >= most_targets) goto_places_.clear();
        goto_places_.push_back(*address);
        const auto at = debuggee_->map().line_of(*address);
        targets.push_back({{"id", goto_places_.size()},
                           {"label", debuggee_->map().place(*address)},
                           {"line", (at ? at->line : 1) - 1 + first_line_},
                           {"instructionPointerReference", fmt::format("{:#x}", *address)}});
    }
    return {{"targets", targets}};
}

Json Adapter::go_to(const Json& arguments) {
    const std::optional<std::uint64_t> id = count(arguments, "targetId");
    int lane = -1;
    if (!id || *id == 0 || *id > goto_places_.size()) return fail("there is no such target");
    if (const auto thread = count(arguments, "threadId"); thread && !choose(*thread, lane))
        return fail(fmt::format("there is no thread {}", *thread));
    const std::uint64_t address = goto_places_[*id - 1];
    execution_->change([address](Machine& to) { return to.set_pc(address), true; });
    moved();
    afterwards_ = [this] { stopped("goto", {}); };
    return Json::object();
}

// ---------------------------------------------------------------------------------------------------------------------
// Stops

void Adapter::stopped(const char* reason, std::string_view description, Json more) {
    more["reason"] = reason;
    if (!description.empty()) more["description"] = more["text"] = description;
    more["threadId"] = execution_->hart() + 1;
    more["allThreadsStopped"] = true;
    event("stopped", std::move(more));
}

const char* Adapter::reason_of(const Stop& stop) {
    const debugger::Point* const point = debugger_->control().last_hit();
    if (stop.kind == Stop::Kind::watch) return "data breakpoint";
    const auto origin = point == nullptr ? origins_.end() : origins_.find(point->number);
    if (origin == origins_.end()) return "breakpoint";
    return origin->second == "instruction" ? "instruction breakpoint"
           : origin->second == "function"  ? "function breakpoint"
                                           : "breakpoint";
}

void Adapter::report_end(const Stop& stop) {
    program_ended_ = true;
    output("console", fmt::format("the program has ended after {} instructions\n", execution_->executed()));
    output("stdout", debuggee_->finish());
    if (stops_at_end_) return stopped("step", "the program has ended");
    event("exited", {{"exitCode", stop.result.exit_status.value_or(0)}});
    event("terminated");
}

void Adapter::report(const Stop& stop) {
    trouble_.clear();
    switch (stop.kind) {
        case Stop::Kind::done: return stopped("step", {});
        case Stop::Kind::beginning: return stopped("step", "the beginning: nothing was before");
        case Stop::Kind::interrupted: return stopped("pause", {});
        case Stop::Kind::limit:
            return stopped("pause", fmt::format("{} instructions were executed without a stop", execution_->limit));
        case Stop::Kind::breakpoint:
        case Stop::Kind::watch: {
            Json more = Json::object();
            const debugger::Point* const point = debugger_->control().last_hit();
            if (point != nullptr) more["hitBreakpointIds"] = Json::array({point->number});
            if (point != nullptr && point->temporary) debugger_->control().remove(point->number);
            return stopped(reason_of(stop), stop.change, std::move(more));
        }
        case Stop::Kind::machine: break;
    }
    if (stop.result.reason == StopReason::stopped) return report_end(stop);
    trouble_ = stop.result.message;
    stopped("exception", trouble_);
}

Json Adapter::exception_info(const Json&) {
    if (trouble_.empty()) return fail("there was no exception");
    return {{"exceptionId", "fault"}, {"description", trouble_}, {"breakMode", "always"}};
}

}  // namespace isaforge::dap

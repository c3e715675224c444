#include "cli/trace.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "debugger/expression.hpp"

namespace isaforge::cli {

namespace {

std::uint64_t executed_by_all(Machine& machine) {
    std::uint64_t sum = 0;
    for (unsigned hart = 0; hart < machine.harts(); ++hart) sum += machine.hart(hart).instructions();
    return sum;
}

std::uint64_t cycles_of_all(Machine& machine) {
    std::uint64_t sum = 0;
    for (unsigned hart = 0; hart < machine.harts(); ++hart) sum += machine.hart(hart).cycles();
    return sum;
}

// Runs at full speed to where the trace begins; `limit` 0: none. What is not `limit` ended the run before.
RunResult run_to_trace(Machine& machine, const TraceBegin& begin, std::uint64_t limit) {
    RunResult result;
    result.reason = StopReason::limit;
    if (begin.address && machine.pc() != *begin.address) {
        machine.set_breakpoint(*begin.address, true);
        result = machine.run(limit);
        machine.set_breakpoint(*begin.address, false);
        if (result.reason != StopReason::breakpoint) return result;
        result.reason = StopReason::limit;
    }
    const std::uint64_t left = limit == 0 ? begin.skip : std::min(begin.skip, limit - executed_by_all(machine));
    return left == 0 ? result : machine.run(left);
}

// The lines of one instruction: a label that stands there, then what it did.
std::string trace_lines(const TraceRecord& record, const Codec& codec, const debugger::ProgramMap& map,
                        const std::string& hart) {
    debugger::Labels labels(map);
    const std::string_view label = labels.label(record.address);
    std::string text = label.empty() ? std::string{} : fmt::format("{}{}:\n", hart, label);
    return text + hart + to_text(record, codec, &labels) + "\n";
}

// Who it was, where there are several.
std::string prefix_of(Machine& machine, unsigned hart) {
    const std::string name = machine.hart(hart).hart_name();
    const bool alone = machine.harts() == 1 && name.starts_with("hart ");
    return alone ? std::string{} : fmt::format("{:<7} ", name);
}

}  // namespace

// Runs step by step and writes what each instruction did.
RunResult run_traced(Machine& machine, const debugger::ProgramMap& map, const TraceBegin& begin, std::uint64_t limit,
                     Output* trace, const NoteStep& note) {
    const std::uint64_t first = executed_by_all(machine), cycles = cycles_of_all(machine);
    RunResult result = run_to_trace(machine, begin, limit);
    double seconds = result.seconds;
    std::uint64_t executed = executed_by_all(machine) - first;
    bool goes_on = result.reason == StopReason::limit;
    while (goes_on && (limit == 0 || executed < limit)) {
        TraceRecord record;
        result = machine.step_any(&record);
        executed += result.instructions;
        seconds += result.seconds;
        if (result.instructions != 0 && note) note(record, result.hart);
        if (result.instructions != 0 && trace != nullptr)
            trace->write(trace_lines(record, machine.codec(), map, prefix_of(machine, result.hart)));
        goes_on = result.reason == StopReason::running;
    }
    if (goes_on) {
        result.reason = StopReason::limit;
        result.address = machine.pc();
        result.message = fmt::format("stopped after {} instructions, as --max-instructions asked", limit);
    }
    result.seconds = seconds;
    result.instructions = executed;
    result.cycles = cycles_of_all(machine) - cycles;
    return result;
}

bool find_trace_begin(Machine& machine, const debugger::ProgramMap& map, const TraceChoice& choice, TraceBegin& begin) {
    begin.skip = *parse_size(choice.skip);
    if (choice.from.empty()) return true;
    std::string error;
    const debugger::Evaluator evaluator(machine, map);
    const std::optional<debugger::Value> place = evaluator.evaluate(choice.from, error);
    if (!place) {
        complain("--trace-from: " + error);
        return false;
    }
    begin.address = place->value;
    return true;
}

void add_trace_options(Arguments& app, TraceChoice& choice) {
    const auto size = wants(parse_size, "a number such as 4096, 0x1000 or 4K");
    const Argument trace = app.add_option("--trace", choice.file, "Write a line per instruction")->type_name("FILE");
    app.add_option("--trace-from", choice.from, "Begin the trace where the program gets there first")
        ->type_name("LABEL|ADDRESS")
        ->needs(trace);
    app.add_option("--trace-skip", choice.skip, "Leave so many instructions out of the trace's beginning")
        ->type_name("N")
        ->needs(trace)
        ->check(size);
}

}  // namespace isaforge::cli

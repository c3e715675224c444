// `--trace`: a run step by step, with a line for each instruction.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/outputs.hpp"
#include "debugger/program_map.hpp"
#include "isaforge/machine.hpp"

namespace isaforge::cli {

class Arguments;

// --trace, --trace-from, --trace-skip.
struct TraceChoice {
    std::string file, from, skip = "0";
};
void add_trace_options(Arguments& app, TraceChoice& choice);

// Where a trace begins: behind so many instructions once the program has come to an address.
struct TraceBegin {
    std::optional<std::uint64_t> address;
    std::uint64_t skip = 0;
};
// False after a complaint.
bool find_trace_begin(Machine& machine, const debugger::ProgramMap& map, const TraceChoice& choice, TraceBegin& begin);

// Runs, at full speed to where the trace begins, and then step by step. What each instruction did is written, where there is
// a trace, and told to `note`, with the hart that did it, where there is one. `limit` 0: none.
using NoteStep = std::function<void(const TraceRecord& record, unsigned hart)>;
RunResult run_traced(Machine& machine, const debugger::ProgramMap& map, const TraceBegin& begin, std::uint64_t limit,
                     Output* trace, const NoteStep& note = {});

}  // namespace isaforge::cli

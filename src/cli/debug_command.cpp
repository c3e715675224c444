// `isaforge debug`: the debugger at a terminal, or with commands from a file.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/launch.hpp"
#include "cli/line_editor.hpp"
#include "cli/program.hpp"
#include "cli/source_files.hpp"
#include "cli/terminal.hpp"
#include "debugger/debugger.hpp"
#include "support/input_file.hpp"
#include "support/large_pages.hpp"
#include "support/printable.hpp"

namespace isaforge::cli {

namespace {

struct Options {
    ProgramChoice program;
    LaunchChoice launch;
    std::string max_instructions = "4G";
    std::string commands;             // a file; - is standard input
    std::vector<std::string> first;   // commands before those
    std::vector<std::string> source_folders;
};

volatile std::sig_atomic_t asked_to_stop = 0;

void ask_to_stop(int) { asked_to_stop = 1; }

bool take_wish_to_stop() {
    if (asked_to_stop == 0) return false;
    asked_to_stop = 0;
    return true;
}

// Carries out a line, and says whether there may be another.
bool carry_out(debugger::Debugger& debugger, std::string_view line, bool& failed) {
    const std::string text = debugger.execute(line);
    constexpr std::string_view error = "error:";
    if (colour_on_stdout() && debugger.failed() && text.starts_with(error)) {
        std::fputs(in_red(error, true).c_str(), stdout);
        say(std::string_view(text).substr(error.size()));
    } else {
        say(text);
    }
    std::fflush(stdout);
    failed |= debugger.failed();
    return !debugger.finished();
}

// A line of any input, that of one without ends of lines too. False at its end.
bool next_line(std::istream& script, std::string& line, bool& too_long) {
    line.clear();
    too_long = false;
    for (int c = script.get(); c != std::istream::traits_type::eof(); c = script.get()) {
        if (c == '\n') return true;
        too_long = line.size() >= longest_command;
        if (too_long) return true;
        line += static_cast<char>(c);
    }
    return !line.empty();
}

// Commands from a file or a pipe, each shown before what it says.
int run_script(debugger::Debugger& debugger, std::istream& script) {
    bool failed = false, too_long = false;
    std::string line;
    while (next_line(script, line, too_long)) {
        if (too_long) {
            complain(fmt::format("a command has more than {} characters, which is the limit", longest_command));
            return input_error;
        }
        if (line.ends_with('\r')) line.pop_back();
        if (line.empty()) continue;
        say(fmt::format("(isaforge) {}\n", line));
        if (!carry_out(debugger, line, failed)) break;
    }
    return failed ? input_error : success;
}

int run_interactively(debugger::Debugger& debugger) {
    std::signal(SIGINT, ask_to_stop);
    LineEditor editor("(isaforge) ", [&](std::string_view line) {
        auto completions = debugger.completions(line);
        std::erase_if(completions, [](const std::string& name) { return printable_in_line(name) != name; });
        return completions;
    });
    bool failed = false;
    while (std::optional<std::string> line = editor.read()) {
        asked_to_stop = 0;
        if (!carry_out(debugger, *line, failed)) break;
    }
    return success;
}

// Commands that came with the command line, then those of a file or of the terminal.
int converse(const Options& options, debugger::Debugger& debugger) {
    say(debugger.where());
    std::string first;
    for (const std::string& line : options.first) first += line + "\n";
    std::istringstream before(first);
    const int status = run_script(debugger, before);
    if (debugger.finished()) return status;
    if (!options.commands.empty() && options.commands != "-") {
        std::string text, error;
        if (!read_input(options.commands, Readable::anything, text, error)) {
            complain(fmt::format("cannot read '{}': {}", options.commands, error));
            return input_error;
        }
        std::istringstream script(std::move(text));
        return std::max(status, run_script(debugger, script));
    }
    if (options.commands.empty() && isatty(STDIN_FILENO) != 0 && options.program.path != "-") {
        return run_interactively(debugger);
    }
    return std::max(status, run_script(debugger, std::cin));
}

// `streams`: the machine's, where its program may go back to what it has read.
int debug(const Options& options, Machine& machine, std::shared_ptr<debugger::TapedStreams> streams,
          const debugger::ProgramMap& map, std::function<bool(std::string& error)> restart) {
    debugger::Execution execution(machine, std::move(streams));
    execution.limit = *parse_size(options.max_instructions);
    execution.interrupted = take_wish_to_stop;
    debugger::Surroundings surroundings;
    surroundings.read_source = [&](const std::string& name) { return read_source_file(name, options.source_folders); };
    surroundings.restart = std::move(restart);
    debugger::Debugger debugger(execution, machine.codec(), map, std::move(surroundings));
    return converse(options, debugger);
}

// A kernel of a code object: its wavefronts are harts.
int debug_kernel(const Options& options, const Session& session) {
    if (!can_debug_kernel(options.program)) return usage_error;
    const std::optional<std::vector<std::uint8_t>> bytes = read_bytes(options.program.path);
    if (!bytes) return input_error;
    const LaunchSettings settings{.path = options.program.path, .seed = options.program.seed};
    int status = success;
    const std::unique_ptr<LaunchToDebug> launch = launch_to_debug(*bytes, options.launch, settings, session, status);
    if (launch == nullptr) return status;
    status = debug(options, launch->machine(), nullptr, launch->map(),
                   [&](std::string&) { return launch->restart(), true; });
    return launch->finish() ? status : input_error;
}

int execute(const Options& options) {
    share_heap();
    Session session;
    if (options.launch.is_asked_for() || holds_kernels(options.program)) return debug_kernel(options, session);
    int status = success;
    const std::unique_ptr<Program> program = read_program(options.program, session, status);
    if (!program) return status;
    MachineOptions how = machine_options(options.program, *program);
    how.count_cycles = true;
    const auto streams = std::make_shared<debugger::TapedStreams>(standard_streams());
    how.streams = streams;
    Machine machine(program->codec, how);
    if (!load_program(machine, *program, options.program)) return input_error;
    return debug(options, machine, streams, program->map, [&](std::string& error) {
        error = "the program cannot be loaded again";
        return restart_program(machine, *program, options.program);
    });
}

Action define(Arguments& app) {
    auto options = std::make_shared<Options>();
    add_program_options(app, options->program);
    app.add_option("--command", options->commands, "Take commands from a file; - is standard input")->type_name("FILE");
    app.add_option("-e,--execute", options->first, "Carry out a command first; may be given several times")
        ->type_name("COMMAND")
        ->allow_extra_args(false);
    app.add_option("--source-path", options->source_folders,
                   "A folder of sources; without one, those below the working directory are shown")
        ->type_name("DIR")
        ->allow_extra_args(false)
        ->existing_directory();
    add_launch_options(app, options->launch);
    app.add_option("--max-instructions", options->max_instructions, "What one command may execute; 0 is no limit")
        ->type_name("N")
        ->capture_default_str()
        ->check(wants(parse_size, "a number such as 4096, 0x1000 or 4K"));
    return [options] { return execute(*options); };
}

constexpr Command command{about_programs, "debug", "Debug a program",
                          "`help` inside lists the commands; they are like gdb's. Ctrl-C stops a running program.\n"
                          "With commands from a file the exit status is 1 if one of them was in error.\n\n"
                          "Examples:\n"
                          "  isaforge debug draw.o\n"
                          "  isaforge debug draw.o -e 'break loop if r3 == 10' -e run -e 'registers r3 r4' -e quit\n"
                          "  isaforge debug draw.o --command steps.txt\n"
                          "  isaforge debug kernels.co --kernel scale --grid 128 --arg zero:512 --arg 2.5\n",
                          define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli

// `isaforge debug`: the debugger at a terminal, or with commands from a file.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "cli/command.hpp"
#include "cli/line_editor.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "debugger/debugger.hpp"

namespace isaforge::cli {

namespace {

struct Options {
    ProgramChoice program;
    std::string max_instructions = "4G";
    std::string commands;             // a file; - is standard input
    std::vector<std::string> first;   // commands before those
};

volatile std::sig_atomic_t asked_to_stop = 0;

void ask_to_stop(int) { asked_to_stop = 1; }

bool take_wish_to_stop() {
    if (asked_to_stop == 0) return false;
    asked_to_stop = 0;
    return true;
}

constexpr std::size_t most_source_bytes = std::size_t{1} << 26;

std::optional<std::string> read_source_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    std::string text;
    char buffer[1 << 16];
    while (file.read(buffer, sizeof buffer) || file.gcount() > 0) {
        text.append(buffer, static_cast<std::size_t>(file.gcount()));
        if (text.size() > most_source_bytes) return std::nullopt;
    }
    return text;
}

// Carries out a line, and says whether there may be another.
bool carry_out(debugger::Debugger& debugger, std::string_view line, bool& failed) {
    const std::string text = debugger.execute(line);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    failed |= debugger.failed();
    return !debugger.finished();
}

constexpr std::size_t most_script_line_bytes = std::size_t{1} << 20;

// A line of a script, which may be a device without any ends of lines; false at its end. What is too long stays in the
// stream.
bool read_line(std::istream& script, std::string& line) {
    line.clear();
    char c = 0;
    while (line.size() <= most_script_line_bytes && script.get(c)) {
        if (c == '\n') return true;
        line += c;
    }
    return !line.empty();
}

// Commands from a file or a pipe, each shown before what it says.
int run_script(debugger::Debugger& debugger, std::istream& script) {
    bool failed = false;
    std::string line;
    while (read_line(script, line)) {
        if (line.size() > most_script_line_bytes) {
            complain(fmt::format("a line of commands has more than {} bytes", most_script_line_bytes));
            return input_error;
        }
        if (line.ends_with('\r')) line.pop_back();
        if (line.empty()) continue;
        fmt::print("(isaforge) {}\n", line);
        if (!carry_out(debugger, line, failed)) break;
    }
    return failed ? input_error : success;
}

int run_interactively(debugger::Debugger& debugger) {
    std::signal(SIGINT, ask_to_stop);
    LineEditor editor("(isaforge) ", [&](std::string_view line) { return debugger.completions(line); });
    bool failed = false;
    while (std::optional<std::string> line = editor.read()) {
        asked_to_stop = 0;
        if (!carry_out(debugger, *line, failed)) break;
    }
    return success;
}

int execute(const Options& options) {
    Session session;
    int status = success;
    const std::unique_ptr<Program> program = read_program(options.program, session, status);
    if (!program) return status;
    Machine machine(program->codec, machine_options(options.program, *program));
    if (!load_program(machine, *program, options.program)) return input_error;

    debugger::Execution execution(machine);
    execution.limit = *parse_size(options.max_instructions);
    execution.interrupted = take_wish_to_stop;
    debugger::Surroundings surroundings;
    surroundings.read_source = read_source_file;
    surroundings.restart = [&](std::string& error) {
        error = "the program cannot be loaded again";
        return restart_program(machine, *program, options.program);
    };
    debugger::Debugger debugger(execution, *program->codec, program->map, std::move(surroundings));
    fmt::print("{}", debugger.where());

    std::string first;
    for (const std::string& line : options.first) first += line + "\n";
    std::istringstream before(first);
    status = run_script(debugger, before);
    if (debugger.finished()) return status;
    if (!options.commands.empty() && options.commands != "-") {
        std::ifstream script(options.commands);
        if (!script) {
            complain(fmt::format("cannot read '{}'", options.commands));
            return input_error;
        }
        return std::max(status, run_script(debugger, script));
    }
    if (options.commands.empty() && isatty(STDIN_FILENO) != 0 && options.program.path != "-") {
        return run_interactively(debugger);
    }
    return std::max(status, run_script(debugger, std::cin));
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    add_program_options(app, options->program);
    app.add_option("--command", options->commands, "Take commands from a file; - is standard input")->type_name("FILE");
    app.add_option("-e,--execute", options->first, "Carry out a command first; may be given several times")
        ->type_name("COMMAND")
        ->allow_extra_args(false);
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
                          "  isaforge debug draw.o --command steps.txt\n",
                          define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli

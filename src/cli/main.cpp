// The command's entry: finds the sub-command, has CLI11 parse its options, runs it. Only the sub-command that was asked for
// defines its options, which keeps start-up short.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "isaforge/diagnostics.hpp"
#include "machine/compile_thread.hpp"
#include "support/large_pages.hpp"
#include "support/output_file.hpp"

namespace isaforge::cli {

namespace {

// By group, then by name.
std::vector<const Command*> all_commands() {
    std::vector<const Command*> commands;
    for (const Registration* entry = Registration::first(); entry; entry = entry->next()) {
        commands.push_back(&entry->command());
    }
    std::sort(commands.begin(), commands.end(), [](const Command* a, const Command* b) {
        const int groups = std::string_view(a->group).compare(b->group);
        return groups != 0 ? groups < 0 : std::string_view(a->name) < b->name;
    });
    return commands;
}

const Command* find(const std::vector<const Command*>& commands, std::string_view name) {
    const auto found =
        std::find_if(commands.begin(), commands.end(), [&](const Command* c) { return c->name == name; });
    return found == commands.end() ? nullptr : *found;
}

int unknown_command(const std::vector<const Command*>& commands, const std::string& name) {
    if (name.starts_with('-')) {
        complain("there is no option '" + name + "' before the command; `isaforge --help` lists both");
        return usage_error;
    }
    std::vector<std::string_view> names;
    names.reserve(commands.size());
    for (const Command* command : commands) names.emplace_back(command->name);
    const std::string_view meant = nearest(name, names);
    std::string message = "there is no command '" + name + "'";
    message += meant.empty() ? "; `isaforge --help` lists them" : "; did you mean '" + std::string(meant) + "'?";
    complain(message);
    return usage_error;
}

// What could not be written to standard output, a full disk say, is an error like any other.
int flushed(int status) {
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
    complain("cannot write to standard output");
    return status == success ? input_error : status;
}

// Memory that is given back to the system has to be cleared anew when it is taken again: keep it. The begin of the heap, which
// is all that short runs need, comes in large pages: that takes a tenth of the time.
void keep_memory() {
#ifdef __GLIBC__
    constexpr int begin = 1 << 24;
    mallopt(M_MMAP_THRESHOLD, 1 << 25);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_TOP_PAD, begin);
    void* const first = std::malloc(1 << 20);  // more than is left of what the heap has so far
    mallopt(M_TOP_PAD, 1 << 20);
    prefer_large_pages(first, first ? begin : 0);
    std::free(first);
#endif
}

// The command line from its end on, as it is parsed. A number behind --threads is its value, also where it needs none; what
// stands behind `--` is somebody else's.
std::vector<std::string> joined(int argc, char** argv) {
    std::vector<std::string> all;
    bool is_ours = true;
    for (int i = 1; i < argc; ++i) {
        const std::string_view text = argv[i];
        is_ours = is_ours && text != "--";
        const bool is_count = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
        if (is_ours && is_count && !all.empty() && all.back() == "--threads")
            all.back() += "=" + std::string(text);
        else
            all.emplace_back(text);
    }
    std::reverse(all.begin(), all.end());
    return all;
}

int run(int argc, char** argv) {
    keep_memory();
    OutputFile::clean_up_on_signals();
    const std::vector<const Command*> commands = all_commands();
    const std::string asked = argc > 1 ? argv[1] : "";
    const Command* const chosen = find(commands, asked);
    const bool needs_none = asked.empty() || asked == "-h" || asked == "--help" || asked == "--version";
    if (!chosen && !needs_none) return unknown_command(commands, asked);

    CLI::App app{"A toolchain from one description of an instruction set", "isaforge"};
    app.set_version_flag("--version", "isaforge " ISAFORGE_VERSION);
    app.require_subcommand(1);
    app.footer("`isaforge COMMAND --help` tells what a command takes.");
    Action action;
    for (const Command* command : commands) {
        CLI::App* sub = app.add_subcommand(command->name, command->summary)->group(command->group);
        if (command != chosen) continue;
        sub->footer(command->examples);
        Arguments arguments(*sub);
        action = command->define(arguments);
    }
    try {
        app.parse(joined(argc, argv));
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return flushed(app.exit(error));  // --help, --version
        complain(argc > 1 ? error.what() : "say which command to run");
        std::fprintf(stderr, "Try `isaforge%s%s --help`.\n", chosen ? " " : "", chosen ? chosen->name : "");
        return usage_error;
    }
    return flushed(action());
}

}  // namespace

}  // namespace isaforge::cli

// Exceptions are not part of how this program reports errors; the two that the standard library may still throw at any
// time end here.
int main(int argc, char** argv) {
    isaforge::machine::leave_compiles_behind();
    try {
        const int status = isaforge::cli::run(argc, argv);
        if (!isaforge::machine::compiles_are_left()) return status;
        std::fflush(nullptr);
        std::_Exit(status);
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "isaforge: error: out of memory while `%s` was carried out\n", argc > 1 ? argv[1] : "");
    } catch (const std::exception& error) {
        isaforge::cli::complain(error.what());
    }
    return isaforge::cli::input_error;
}

// `isaforge help`: what a command takes, as `--help` says it, or as a manual page.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/man_page.hpp"
#include "cli/outputs.hpp"
#include "cli/terminal.hpp"

namespace isaforge::cli {

namespace {

struct Options {
    std::string command, folder;
    bool is_page = false;
};

// A page for each command, and one for the program.
int write_pages(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    const auto path = [&](const std::string& name) { return (std::filesystem::path(folder) / (name + ".1")).string(); };
    const std::vector<const Command*> commands = all_commands();
    if (!write_text(path("isaforge"), man_page(describe_program(), commands))) return input_error;
    for (const Command* command : commands) {
        if (command->is_hidden()) continue;
        if (!write_text(path(std::string("isaforge-") + command->name), man_page(describe(*command))))
            return input_error;
    }
    return success;
}

int help(const Options& options) {
    if (!options.folder.empty()) return write_pages(options.folder);
    if (!options.is_page) {
        std::vector<std::string> words{"--help"};
        if (!options.command.empty()) words.insert(words.begin(), options.command);
        return carry_out(words);
    }
    if (options.command.empty())
        return write_text("-", man_page(describe_program(), all_commands())) ? success : input_error;
    const Command* const command = find_command(options.command);
    if (!command) return carry_out({options.command});  // says what there is
    return write_text("-", man_page(describe(*command))) ? success : input_error;
}

Action define(Arguments& app) {
    auto options = std::make_shared<Options>();
    app.add_option("COMMAND", options->command, "Which command; without one, all of them in short")
        ->type_name("")
        ->completes(Completes::command);
    app.add_flag("--man", options->is_page, "Print its manual page, for man(1)");
    app.add_option("--man-pages", options->folder, "Write the manual pages of all commands into a folder")
        ->type_name("DIR");
    return [options] { return help(*options); };
}

constexpr Command command{about_command, "help", "Say what a command takes",
                          "Examples:\n"
                          "  isaforge help run\n"
                          "  isaforge help run --man | man -l -\n",
                          define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli

// Finds the sub-command, has CLI11 parse its options, runs it. Only the sub-command that was asked for defines its options,
// which keeps start-up short.
#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "cli/terminal.hpp"
#include "isaforge/diagnostics.hpp"
#include "isaforge/findings.hpp"

namespace isaforge::cli {

namespace {

constexpr const char* about = "A toolchain from one description of an instruction set";

int unknown_command(const std::string& name) {
    if (name.starts_with('-')) {
        complain("there is no option '" + name + "' before the command; `isaforge --help` lists both");
        return usage_error;
    }
    std::vector<std::string_view> names;
    for (const Command* command : all_commands()) {
        if (!command->is_hidden()) names.emplace_back(command->name);
    }
    const std::string_view meant = nearest(name, names);
    std::string message = "there is no command '" + name + "'";
    message += meant.empty() ? "; `isaforge --help` lists them" : "; did you mean '" + std::string(meant) + "'?";
    complain(message);
    return usage_error;
}

// Words that nothing takes, in their order; of an option that does not exist, the one that may be meant.
std::string unexpected_text(const CLI::App& command, const std::vector<std::string>& words) {
    std::vector<std::string> left = command.remaining(true);
    std::erase(left, "--");
    std::string list;
    for (const std::string& word : words) {
        const auto found = std::ranges::find(left, word);
        if (found == left.end()) continue;
        left.erase(found);
        if (word.starts_with("-") && list.empty()) {
            const std::string name = word.substr(0, word.find('='));
            std::vector<std::string> names;
            for (const CLI::Option* option : command.get_options())
                for (const std::string& each : option->get_lnames()) names.push_back("--" + each);
            const std::string_view meant = nearest(name, {names.begin(), names.end()});
            return "there is no option '" + name + "'" +
                   (meant.empty() ? std::string() : "; did you mean '" + std::string(meant) + "'?");
        }
        list += (list.empty() ? "'" : " '") + word + "'";
    }
    return list.empty() ? "'--' was not expected here" : list + " was not expected";
}

// What could not be written to standard output, a full disk say, is an error like any other.
int flushed(int status) {
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
    complain("cannot write to standard output");
    return status == success ? input_error : status;
}

// What is wrong with an option. Of the library's words those are replaced that say it in numbers.
std::string wrong_text(const CLI::ParseError& error) {
    const std::string text = error.what();
    if (const std::size_t begin = text.find(": At Most 1 required"); begin != std::string::npos)
        return text.substr(0, begin) + " is given more than once";
    constexpr std::string_view one = ": 1 required ";
    const std::size_t begin = text.find(one);
    return begin == std::string::npos ? text : text.substr(0, begin) + ": " + text.substr(begin + one.size());
}

// The command line from its end on, as it is parsed. A number behind --threads is its value, also where it needs none, and so are
// names of checks behind --check; what stands behind `--` is somebody else's.
std::vector<std::string> joined(const std::vector<std::string>& words) {
    std::vector<std::string> all;
    bool is_ours = true;
    for (const std::string& text : words) {
        is_ours = is_ours && text != "--";
        const bool is_count = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
        const std::string before = is_ours && !all.empty() ? all.back() : std::string();
        if ((before == "--threads" && is_count) || (before == "--check" && parse_checks(text)))
            all.back() += "=" + text;
        else
            all.push_back(text);
    }
    std::reverse(all.begin(), all.end());
    return all;
}

void set_up(CLI::App& app) {
    app.set_version_flag("--version", std::string("isaforge ") + version());
    app.require_subcommand(1);
    app.footer("`isaforge COMMAND --help` tells what a command takes.");
}

CLI::App* add_command(CLI::App& app, const Command& command) {
    return app.add_subcommand(command.name, command.summary)->group(command.group);
}

Action define(CLI::App& sub, const Command& command, Arguments& arguments) {
    sub.footer(command.examples);
    Action action = command.define(arguments);
    if (!command.is_hidden()) {
        arguments.add_immediate("--color", choose_colour, "Colours: auto, always or never; auto heeds NO_COLOR")
            ->type_name("WHEN")
            ->one_of({"auto", "always", "never"});
    }
    return action;
}

// The headings of a help text stand out.
std::string help_text(const CLI::App& app) {
    const std::string text = app.help();
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        constexpr std::string_view usage = "Usage:";
        const bool is_heading = line.size() > 1 && line.front() != ' ' && line.back() == ':';
        if (line.starts_with(usage))
            out += in_bold(usage, colour_on_stdout()) + line.substr(usage.size());
        else
            out += is_heading ? in_bold(line, colour_on_stdout()) : line;
        out += '\n';
        at = end + 1;
    }
    return out;
}

std::vector<std::string> names_of(const std::set<CLI::Option*>& options) {
    std::vector<std::string> out;
    out.reserve(options.size());
    for (const CLI::Option* option : options) out.push_back(option->get_name());
    return out;
}

ArgumentText text_of(const CLI::Option& option) {
    ArgumentText text;
    text.summary = option.get_description();
    text.group = option.get_group();
    text.needs = names_of(option.get_needs());
    text.excludes = names_of(option.get_excludes());
    text.is_positional = option.get_positional();
    text.is_required = option.get_required();
    text.takes_value = option.get_type_size() != 0;
    text.repeats = option.get_expected_max() == CLI::detail::expected_max_vector_size;
    if (text.takes_value) {
        text.value = option.get_type_name();
        text.usual = option.get_default_str();
    }
    if (text.is_positional) {
        text.names.push_back(option.get_name(true));
        return text;
    }
    // "-k,--keep{x}"
    for (std::string& name : CLI::detail::split(option.get_name(false, true), ',')) {
        if (const std::size_t brace = name.find('{'); brace != std::string::npos) {
            text.takes_value_behind = true;
            text.assumed = name.substr(brace + 1, name.size() - brace - 2);
            name.resize(brace);
        }
        text.names.push_back(name);
    }
    return text;
}

CommandText text_of(const CLI::App& app, const Arguments* arguments) {
    CommandText text;
    text.summary = app.get_description();
    text.footer = app.get_footer();
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty()) continue;
        ArgumentText& one = text.arguments.emplace_back(text_of(*option));
        if (arguments) one.completion = arguments->completion_of(option);
        if (!one.is_positional && std::ranges::find(text.groups, one.group) == text.groups.end())
            text.groups.push_back(one.group);
    }
    return text;
}

}  // namespace

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

const Command* find_command(std::string_view name) {
    for (const Registration* entry = Registration::first(); entry; entry = entry->next()) {
        if (entry->command().name == name) return &entry->command();
    }
    return nullptr;
}

CommandText describe(const Command& command) {
    CLI::App app{about, "isaforge"};
    CLI::App* const sub = add_command(app, command);
    Arguments arguments(*sub);
    define(*sub, command, arguments);
    CommandText text = text_of(*sub, &arguments);
    text.name = command.name;
    return text;
}

CommandText describe_program() {
    CLI::App app{about, "isaforge"};
    set_up(app);
    return text_of(app, nullptr);
}

const char* version() { return ISAFORGE_VERSION; }

const char* release_date() { return ISAFORGE_RELEASE_DATE; }

int carry_out(const std::vector<std::string>& words) {
    const std::string asked = words.empty() ? "" : words.front();
    const Command* const chosen = find_command(asked);
    const bool needs_none = asked.empty() || asked == "-h" || asked == "--help" || asked == "--version";
    if (!chosen && !needs_none) return unknown_command(asked);

    CLI::App app{about, "isaforge"};
    set_up(app);
    Action action;
    const CLI::App* own = &app;
    for (const Command* command : all_commands()) {
        CLI::App* const sub = add_command(app, *command);
        if (command != chosen) continue;
        own = sub;
        Arguments arguments(*sub);
        action = define(*sub, *command, arguments);
    }
    try {
        app.parse(joined(words));
    } catch (const CLI::CallForHelp&) {
        std::fputs(help_text(app).c_str(), stdout);
        return flushed(success);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return flushed(app.exit(error));  // --version
        const bool is_unexpected = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
        complain(words.empty()   ? "say which command to run"
                 : is_unexpected ? unexpected_text(*own, words)
                                 : wrong_text(error));
        std::fprintf(stderr, "Try `isaforge%s%s --help`.\n", chosen ? " " : "", chosen ? chosen->name : "");
        return usage_error;
    }
    return flushed(action());
}

}  // namespace isaforge::cli

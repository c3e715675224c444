#include "cli/man_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace isaforge::cli {

namespace {

constexpr const char* exit_status =
    ".TP\n0\nSuccess.\n"
    ".TP\n1\nAn error in the input: a description, a program, a file.\n"
    ".TP\n2\nWrong usage: the command line.\n";

// Names and what they mean.
constexpr const char* environment[][2] = {
    {"NO_COLOR", "Where it is set to anything, nothing is coloured unless `--color` asks for it."},
    {"ISAFORGE_CACHE",
     "A folder in which descriptions that were read are kept for the next time; set to nothing: none. Otherwise it is "
     "`isaforge` in XDG_CACHE_HOME, or in `.cache`."},
    {"ISAFORGE_ENGINE", "What executes programs where `--engine` does not say it: `auto`, `interpreter` or `jit`."},
};

// How a character of UTF-8 that is not ASCII is written; moves past it.
std::string code_point(std::string_view text, std::size_t& at) {
    const auto first = static_cast<unsigned char>(text[at]);
    const unsigned more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    std::uint32_t value = first & (0x3fu >> more);
    for (unsigned i = 1; i <= more && at + 1 < text.size(); ++i)
        value = value << 6 | (static_cast<unsigned char>(text[++at]) & 0x3f);
    return fmt::format("\\[u{:04X}]", value);
}

// Text of which nothing is roff's. What stands between two grave accents, as commands and names do, is bold.
std::string plain(std::string_view text, bool marks = true) {
    std::string out;
    bool is_bold = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool begins = i == 0 || text[i - 1] == '\n';
        switch (c) {
            case '\\': out += "\\e"; break;
            case '-': out += "\\-"; break;
            case '^': out += "\\(ha"; break;
            case '~': out += "\\(ti"; break;
            case '\'': out += "\\(aq"; break;
            case '"': out += "\\(dq"; break;
            case '.': out += begins ? "\\&." : "."; break;
            case '`':
                if (marks)
                    out += (is_bold = !is_bold) ? "\\fB" : "\\fR";
                else
                    out += "\\(ga";
                break;
            default:
                if (static_cast<unsigned char>(c) >= 0x80)
                    out += code_point(text, i);
                else
                    out += c;
        }
    }
    return out;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text, false) + "\\fR"; }
std::string italic(std::string_view text) { return text.empty() ? "" : "\\fI" + plain(text, false) + "\\fR"; }

std::string title(std::string_view name) {
    std::string upper(name);
    for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return fmt::format(".TH {} 1 {} \"isaforge {}\" \"User Commands\"\n", plain(upper), release_date(), version());
}

// "FILE", "[NAME...]"
std::string in_synopsis(const ArgumentText& argument) {
    const std::string name = italic(argument.names.front()) + (argument.repeats ? "..." : "");
    return argument.is_required ? name : "[" + name + "]";
}

std::string list_of(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "" : ", ") + bold(name);
    return out;
}

std::string entry(const ArgumentText& argument) {
    std::string out = ".TP\n";
    if (argument.is_positional) {
        out += italic(argument.names.front());
    } else {
        out += list_of(argument.names);
        if (argument.takes_value) out += (argument.value.empty() ? "" : " ") + italic(argument.value);
        if (argument.takes_value_behind) out += "[" + bold("=") + italic("VALUE") + "]";
    }
    out += "\n" + plain(argument.summary) + ".\n";
    if (!argument.usual.empty()) out += "Without it: " + bold(argument.usual) + ".\n";
    if (argument.takes_value_behind) out += "Without a value: " + bold(argument.assumed) + ".\n";
    if (argument.repeats && !argument.is_positional) out += "May be given several times.\n";
    if (argument.is_required && !argument.is_positional) out += "Has to be given.\n";
    if (!argument.needs.empty()) out += "Goes with " + list_of(argument.needs) + ".\n";
    if (!argument.excludes.empty()) out += "Does not go with " + list_of(argument.excludes) + ".\n";
    return out;
}

std::string entries(const CommandText& command) {
    std::string out, positionals;
    for (const ArgumentText& argument : command.arguments) {
        if (argument.is_positional) positionals += entry(argument);
    }
    if (!positionals.empty()) out += ".SH ARGUMENTS\n" + positionals;
    for (const std::string& group : command.groups) {
        out += &group == command.groups.data() ? ".SH OPTIONS\n" : fmt::format(".SS \"{}\"\n", plain(group));
        for (const ArgumentText& argument : command.arguments) {
            if (!argument.is_positional && argument.group == group) out += entry(argument);
        }
    }
    return out;
}

// What stands below the options in the help: paragraphs, and below this line examples as they are.
constexpr std::string_view examples_begin = "Examples:\n";

std::string description(std::string_view footer) {
    std::string_view text = footer.substr(0, footer.find(examples_begin));
    while (text.ends_with('\n')) text.remove_suffix(1);
    std::string out = text.empty() ? "" : ".SH DESCRIPTION\n";
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find("\n\n", at), text.size());
        out += (at == 0 ? "" : ".PP\n") + plain(text.substr(at, end - at)) + "\n";
        at = end + 2;
    }
    return out;
}

std::string examples(std::string_view text) {
    const std::size_t begin = text.find(examples_begin);
    if (begin == std::string_view::npos) return {};
    std::string out = ".SH EXAMPLES\n.EX\n";
    for (std::size_t at = begin + examples_begin.size(); at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        line.remove_prefix(std::min<std::size_t>(line.size(), 2));
        out += plain(line, false) + "\n";
        at = end + 1;
    }
    return out + ".EE\n";
}

}  // namespace

std::string man_page(const CommandText& command) {
    const std::string name = "isaforge-" + command.name;
    std::string out = title(name);
    out += fmt::format(".SH NAME\n{} \\- {}\n", plain(name), plain(command.summary));
    out += fmt::format(".SH SYNOPSIS\n{} [{}]", bold("isaforge " + command.name), italic("OPTION") + "...");
    for (const ArgumentText& argument : command.arguments) {
        if (argument.is_positional) out += " " + in_synopsis(argument);
    }
    out += "\n" + description(command.footer) + entries(command);
    if (command.footer.find("xit status") == std::string::npos) out += std::string(".SH EXIT STATUS\n") + exit_status;
    return out + examples(command.footer) + ".SH SEE ALSO\n.BR isaforge (1)\n";
}

std::string man_page(const CommandText& program, const std::vector<const Command*>& commands) {
    std::string out = title("isaforge");
    out += fmt::format(".SH NAME\nisaforge \\- {}\n", plain(program.summary));
    out += fmt::format(".SH SYNOPSIS\n{} {} [{}...]\n", bold("isaforge"), italic("COMMAND"), italic("OPTION"));
    out +=
        ".SH DESCRIPTION\n"
        "A description says of each instruction the bits, the text and the meaning. From it come a checker, an "
        "assembler, a\n"
        "disassembler, an emulator, a debugger and a manual of the machine.\n"
        "Where an instruction set is asked for, the name of a built-in description or an\n"
        ".I .isa\nfile will do.\n";
    std::string group;
    for (const Command* command : commands) {
        if (command->is_hidden()) continue;
        if (group != command->group)
            out +=
                fmt::format("{} \"{}\"\n", group.empty() ? ".SH COMMANDS\n.SS" : ".SS", plain(group = command->group));
        out += fmt::format(".TP\n.BR isaforge\\-{} (1)\n{}.\n", plain(command->name), plain(command->summary));
    }
    out += entries(program);
    out += std::string(".SH EXIT STATUS\n") + exit_status + ".SH ENVIRONMENT\n";
    for (const auto& [name, meaning] : environment) out += fmt::format(".TP\n.B {}\n{}\n", plain(name), plain(meaning));
    return out;
}

}  // namespace isaforge::cli

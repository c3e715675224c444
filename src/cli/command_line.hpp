// The whole command line: its commands, what they say of themselves, and how it is carried out. Help, manual pages and the
// completion of shells tell the same, because all of them are made from what a command tells CLI11.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/command.hpp"

namespace isaforge::cli {

// By group, then by name.
std::vector<const Command*> all_commands();
// Null where there is none.
const Command* find_command(std::string_view name);

// An option or a positional argument, as the help shows it.
struct ArgumentText {
    std::vector<std::string> names;  // "-o", "--output"; of a positional argument "FILE"
    std::string value;               // what stands for its value; empty: it takes none, or a positional's name says it
    std::string usual;               // the value without it; empty: none, or none worth telling
    std::string summary, group;
    std::vector<std::string> needs, excludes;  // the other options
    bool is_positional = false, is_required = false;
    bool takes_value = false;        // as the next word, or behind `=`
    bool takes_value_behind = false; // behind `=` alone; without one it has `assumed`
    std::string assumed;
    bool repeats = false;
    Completion completion;
};

struct CommandText {
    std::string name, summary, footer;  // of the whole program the name is empty
    std::vector<ArgumentText> arguments;
    std::vector<std::string> groups;    // the headings of options, in order
};

CommandText describe(const Command& command);
// What can stand before or in the place of a command.
CommandText describe_program();

// The version, as in "0.2.0", and the day of its release, as in "2026-11-23".
const char* version();
const char* release_date();

// Carries out what stands behind the program's name; gives the exit status.
int carry_out(const std::vector<std::string>& words);

}  // namespace isaforge::cli

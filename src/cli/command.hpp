// What a sub-command of `isaforge` is, and the list of them. A sub-command is one file: it defines its options, hands
// back what to run once they are parsed, and enters itself into the list with a Registration. No other file names it.
#pragma once

#include <functional>

namespace isaforge::cli {

class Arguments;

// Exit statuses: who is at fault.
inline constexpr int success = 0;
inline constexpr int input_error = 1;  // the description, the program, a file
inline constexpr int usage_error = 2;  // the command line

// What a sub-command does once its options are known; gives the exit status.
using Action = std::function<int()>;

struct Command {
    const char* group;  // heading in the list of commands; empty: it is not listed
    const char* name;
    const char* summary;               // one line
    const char* examples;              // shown below the options
    Action (*define)(Arguments& app);  // adds its options

    bool is_hidden() const { return *group == '\0'; }
};

inline constexpr const char* about_descriptions = "Descriptions";
inline constexpr const char* about_programs = "Programs";
inline constexpr const char* about_command = "This command";

// Enters a command into the list; made to be a namespace-scope constant of the command's file.
class Registration {
public:
    explicit Registration(const Command& command) : command_(command), next_(first_) { first_ = this; }
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;

    const Command& command() const { return command_; }
    const Registration* next() const { return next_; }
    static const Registration* first() { return first_; }

private:
    const Command& command_;
    const Registration* next_;
    static inline const Registration* first_ = nullptr;
};

}  // namespace isaforge::cli

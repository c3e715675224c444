// What a sub-command says of its options. It stands between the commands and CLI11, which is all headers: a source that sees
// them takes a compiler five seconds longer, and this way only those see them that define or parse a whole command line.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace isaforge::cli {

// What a value is, for a shell that completes it.
enum class Completes {
    nothing,
    file,
    folder,
    program,    // of the system
    isa,        // the name of a built-in description, or a file
    mnemonic,   // of the instruction set that stands on the command line, as all that follow
    variant,
    dialect,
    parameter,  // its name, before the `=`
    processor,
    kernel,     // of the code object that stands on the command line
    command,    // of this program
};

// How values are completed: what they are, or all of them.
struct Completion {
    Completes what = Completes::nothing;
    std::vector<std::string> values;
};

// One option or positional argument, as a handle. What is said of it is said in a chain with `->`, and is as in CLI11.
class Argument {
public:
    // What is wrong with a value, or an empty text.
    using Check = std::function<std::string(const std::string& value)>;

    Argument(CLI::Option* option, Completion& completion) : option_(option), completion_(completion) {}
    const Argument* operator->() const { return this; }

    const Argument& required() const;
    const Argument& type_name(const std::string& name) const;  // what stands for the value in the help
    const Argument& group(const std::string& heading) const;   // in the help
    const Argument& capture_default_str() const;               // the help shows what the variable holds
    const Argument& allow_extra_args(bool allow) const;  // a list takes several values when the option is given once
    const Argument& excludes(const Argument& other) const;
    const Argument& needs(const Argument& other) const;
    const Argument& check(const Check& check) const;
    const Argument& one_of(const std::vector<std::string>& values) const;
    // A number as parse_size() reads it, both ends included.
    const Argument& in_range(std::uint64_t low, std::uint64_t high) const;
    const Argument& existing_directory() const;
    const Argument& optional_value() const;  // without one the variable is empty
    // What shells complete. Where a value's name says that it is a file or a folder, that need not be said.
    const Argument& completes(Completes what) const;
    const Argument& completes(const std::vector<std::string>& values) const;

private:
    CLI::Option* option_;
    Completion& completion_;
};

// The options of one sub-command. A name is written as "-o,--output", or as "FILE" where it is a positional argument. The
// variable gets the value when the command line is parsed, so it must live as long as the action does.
class Arguments {
public:
    explicit Arguments(CLI::App& app) : app_(app) {}

    Argument add_option(const std::string& name, std::string& variable, const std::string& summary);
    Argument add_option(const std::string& name, std::vector<std::string>& variable, const std::string& summary);
    Argument add_option(const std::string& name, int& variable, const std::string& summary);
    Argument add_option(const std::string& name, unsigned& variable, const std::string& summary);
    Argument add_option(const std::string& name, std::uint64_t& variable, const std::string& summary);
    Argument add_option(const std::string& name, std::optional<std::uint64_t>& variable, const std::string& summary);
    Argument add_flag(const std::string& name, bool& variable, const std::string& summary);
    // "--keep{x}": x without a value, or --keep=VALUE.
    Argument add_flag(const std::string& name, std::string& variable, const std::string& summary);
    // Its value is handed on at once, before the rest of the command line is read.
    Argument add_immediate(const std::string& name, void (*take)(std::string_view), const std::string& summary);

    // Empty for what CLI11 adds itself.
    Completion completion_of(const CLI::Option* option) const {
        const auto found = completions_.find(option);
        return found == completions_.end() ? Completion{} : found->second;
    }

private:
    Argument added(CLI::Option* option);

    CLI::App& app_;
    std::map<const CLI::Option*, Completion> completions_;
};

// Options that come from elsewhere than the command line, one word after the other. What is wrong with them; empty: nothing.
std::string read_options(const std::function<void(Arguments&)>& define, std::vector<std::string> words);

}  // namespace isaforge::cli

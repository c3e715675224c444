// Hands on to CLI11 what commands say of their options.
#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "cli/session.hpp"

namespace isaforge::cli {

namespace {

Completes said_by(std::string_view name) {
    if (name == "DIR") return Completes::folder;
    const bool is_file =
        name.starts_with("FILE") || name.starts_with("OUT") || name == "NOTES" || name.starts_with("DIR|");
    return is_file ? Completes::file : Completes::nothing;
}

}  // namespace

const Argument& Argument::required() const {
    option_->required();
    return *this;
}

const Argument& Argument::type_name(const std::string& name) const {
    option_->type_name(name);
    if (completion_.what == Completes::nothing) completion_.what = said_by(name);
    return *this;
}

const Argument& Argument::group(const std::string& heading) const {
    option_->group(heading);
    return *this;
}

const Argument& Argument::capture_default_str() const {
    option_->capture_default_str();
    return *this;
}

const Argument& Argument::allow_extra_args(bool allow) const {
    option_->allow_extra_args(allow);
    return *this;
}

const Argument& Argument::excludes(const Argument& other) const {
    option_->excludes(other.option_);
    return *this;
}

const Argument& Argument::needs(const Argument& other) const {
    option_->needs(other.option_);
    return *this;
}

const Argument& Argument::check(const Check& check) const {
    option_->check(check);
    return *this;
}

const Argument& Argument::one_of(const std::vector<std::string>& values) const {
    option_->check(CLI::IsMember(values).description(""));  // the summary names them
    return completes(values);
}

const Argument& Argument::in_range(std::uint64_t low, std::uint64_t high) const {
    const auto check = [low, high](std::string& text) {
        const std::optional<std::uint64_t> value = parse_size(text);
        if (!value || *value < low || *value > high)
            return fmt::format("'{}' is not a number from {} to {}", text, low, high);
        text = std::to_string(*value);
        return std::string{};
    };
    option_->transform(CLI::Validator(check, ""));
    return *this;
}

const Argument& Argument::existing_directory() const {
    option_->check(CLI::ExistingDirectory.description(""));
    return *this;
}

const Argument& Argument::optional_value() const {
    option_->expected(0, 1);
    return *this;
}

const Argument& Argument::completes(Completes what) const {
    completion_.what = what;
    return *this;
}

const Argument& Argument::completes(const std::vector<std::string>& values) const {
    completion_.values = values;
    return *this;
}

Argument Arguments::added(CLI::Option* option) {
    Completion& completion = completions_[option];
    completion.what = said_by(option->get_name(true));
    return {option, completion};
}

Argument Arguments::add_option(const std::string& name, std::string& variable, const std::string& summary) {
    return added(app_.add_option(name, variable, summary));
}

Argument Arguments::add_option(const std::string& name, std::vector<std::string>& variable,
                               const std::string& summary) {
    return added(app_.add_option(name, variable, summary));
}

Argument Arguments::add_option(const std::string& name, int& variable, const std::string& summary) {
    return added(app_.add_option(name, variable, summary));
}

Argument Arguments::add_option(const std::string& name, unsigned& variable, const std::string& summary) {
    return added(app_.add_option(name, variable, summary));
}

Argument Arguments::add_option(const std::string& name, std::uint64_t& variable, const std::string& summary) {
    return added(app_.add_option(name, variable, summary));
}

Argument Arguments::add_option(const std::string& name, std::optional<std::uint64_t>& variable,
                               const std::string& summary) {
    return added(app_.add_option(name, variable, summary));
}

Argument Arguments::add_flag(const std::string& name, bool& variable, const std::string& summary) {
    return added(app_.add_flag(name, variable, summary));
}

Argument Arguments::add_flag(const std::string& name, std::string& variable, const std::string& summary) {
    return added(app_.add_flag(name, variable, summary));
}

Argument Arguments::add_immediate(const std::string& name, void (*take)(std::string_view), const std::string& summary) {
    const auto hand_on = [take](const std::string& value) { take(value); };
    return added(app_.add_option_function<std::string>(name, hand_on, summary)->trigger_on_parse());
}

std::string read_options(const std::function<void(Arguments&)>& define, std::vector<std::string> words) {
    CLI::App app;
    app.set_help_flag();
    Arguments arguments(app);
    define(arguments);
    std::reverse(words.begin(), words.end());  // as CLI11 wants it
    try {
        app.parse(words);
    } catch (const CLI::ParseError& error) {
        return error.what();
    }
    return {};
}

}  // namespace isaforge::cli

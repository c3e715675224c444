// The commands' names, and what all of them need: places, instructions and errors as text.
#include "debugger/debugger.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "debugger/words.hpp"
#include "isaforge/diagnostics.hpp"

namespace isaforge::debugger {

struct Debugger::Command {
    std::vector<std::string_view> names;  // the first is the full one, the others are short forms
    std::string_view arguments;
    std::string_view help;
    void (Debugger::*run)(std::string_view arguments);
    bool repeats = false;  // by an empty line
};

const std::vector<Debugger::Command>& Debugger::commands() {
    static const std::vector<Command> all = {
        {{"step", "s", "stepi", "si"}, "[N]", "execute one instruction, or N", &Debugger::step, true},
        {{"next", "n", "nexti", "ni"}, "[N]", "the same, calls as one instruction", &Debugger::next, true},
        {{"continue", "c", "cont"}, "", "run until something stops the program", &Debugger::resume, true},
        {{"reverse-step", "rs", "reverse-stepi", "rsi"},
         "[N]",
         "go back by one instruction of this hart, or N",
         &Debugger::step_back,
         true},
        {{"reverse-continue", "rc"},
         "",
         "go back to what stops the program, or its beginning",
         &Debugger::run_back,
         true},
        {{"finish", "fin"}, "", "run until this function returns", &Debugger::finish, true},
        {{"advance", "until", "u"}, "LOCATION", "run until the program gets there", &Debugger::advance},
        {{"run", "r"}, "", "begin again, and run", &Debugger::start_over},
        {{"reset"}, "", "begin again, and wait", &Debugger::restart},
        {{"break", "b"},
         "[LOCATION] [hart N|NAME] [if CONDITION]",
         "stop there; without a location, here",
         &Debugger::set_break},
        {{"tbreak", "tb"}, "[LOCATION] [if CONDITION]", "the same, once", &Debugger::set_temporary_break},
        {{"watch"},
         "WHAT [if CONDITION]",
         "stop where a register, ADDRESS:LENGTH or data.u32[ADDRESS] changes",
         &Debugger::set_watch},
        {{"rwatch"}, "WHAT [if CONDITION]", "stop where an instruction reads this memory", &Debugger::set_read_watch},
        {{"awatch"}, "WHAT [if CONDITION]", "stop where one reads or writes it", &Debugger::set_access_watch},
        {{"condition"}, "N [CONDITION]", "another condition for breakpoint N, or none", &Debugger::set_condition},
        {{"delete", "d"}, "[N …]", "remove breakpoints, or all", &Debugger::remove},
        {{"enable"}, "[N …]", "let breakpoints work, or all", &Debugger::enable},
        {{"disable"}, "[N …]", "keep breakpoints from working, or all", &Debugger::disable},
        {{"registers", "regs"}, "[NAME …]", "show registers or register files, or all", &Debugger::registers},
        {{"set"}, "WHAT = VALUE", "change a register, pc or data.u32[ADDRESS]", &Debugger::assign},
        {{"print", "p"}, "[/x /d /u /t /f] EXPRESSION", "compute a value", &Debugger::print},
        {{"memory", "m"}, "[NAME] ADDRESS [LENGTH]", "show memory as bytes and characters", &Debugger::memory, true},
        {{"x"},
         "[/NFU] ADDRESS",
         "show memory: N items in format F (x d u t f c i) of unit U (b h w g)",
         &Debugger::examine,
         true},
        {{"disassemble", "disas"},
         "[LOCATION] [N]",
         "show instructions, around pc or from there on",
         &Debugger::disassemble,
         true},
        {{"list", "l"}, "[LOCATION]", "show source lines, around pc or there", &Debugger::list, true},
        {{"where", "w"}, "", "show where the program stands", &Debugger::show_place},
        {{"hart"}, "[N|NAME]", "show all harts, or look at another one", &Debugger::choose_hart},
        {{"lanes"},
         "[/x /d /u /t /f] REGISTER …",
         "show vectors, and masks, with a line for each lane",
         &Debugger::lanes,
         true},
        {{"symbols"}, "[TEXT]", "show symbols, or those whose names hold TEXT", &Debugger::symbols},
        {{"info", "i"}, "breakpoints | registers | symbols | pending | program", "show one of these", &Debugger::info},
        {{"help", "h"}, "[COMMAND]", "this list, or one command", &Debugger::help},
        {{"quit", "q", "exit"}, "", "leave the debugger", &Debugger::quit},
    };
    return all;
}

Debugger::Debugger(Execution& execution, const Codec& codec, const ProgramMap& map, Surroundings surroundings)
    : execution_(execution),
      control_(execution, map),
      codec_(codec),
      map_(map),
      surroundings_(std::move(surroundings)) {}

namespace {

constexpr std::size_t most_line_bytes = 4096;

}  // namespace

void Debugger::fail(std::string message) {
    out_ += "error: " + std::move(message) + "\n";
    failed_ = true;
}

// A full name, a short form, or the begin of exactly one full name.
const Debugger::Command* Debugger::find_command(std::string_view word, std::string& error) const {
    std::vector<const Command*> begins;
    std::vector<std::string_view> names;
    for (const Command& command : commands()) {
        for (std::string_view name : command.names) {
            if (name == word) return &command;
            names.push_back(name);
        }
        if (command.names[0].starts_with(word)) begins.push_back(&command);
    }
    if (begins.size() == 1) return begins[0];
    if (begins.size() > 1) {
        error = fmt::format("'{}' may be", word);
        for (std::size_t i = 0; i < begins.size(); ++i) {
            error += fmt::format("{} {}", i == 0 ? "" : i + 1 == begins.size() ? " or" : ",", begins[i]->names[0]);
        }
        return nullptr;
    }
    const std::string_view meant = nearest(word, names);
    error = fmt::format("there is no command '{}'; {}", word,
                        meant.empty() ? "help lists them" : fmt::format("did you mean '{}'?", meant));
    return nullptr;
}

std::string Debugger::execute(std::string_view line) {
    out_.clear();
    failed_ = false;
    line = trimmed(line);
    if (line.size() > most_line_bytes) {
        fail(fmt::format("a command of {} bytes: {} are possible", line.size(), most_line_bytes));
        return std::move(out_);
    }
    const bool again = line.empty();
    const std::string kept(again ? std::string_view(last_line_) : line);
    line = kept;
    if (line.empty() || line.front() == '#') return {};
    // The format of `print /x` and `x/4xw` may follow without a blank.
    const std::size_t end = std::min(line.find_first_of(" \t/"), line.size());
    std::string error;
    const Command* command = find_command(line.substr(0, end), error);
    if (command == nullptr) {
        fail(error);
        return std::move(out_);
    }
    std::string_view arguments = trimmed(line.substr(end));
    // What shows a stretch goes on behind it.
    const bool goes_on = again && (command->run == &Debugger::list || command->run == &Debugger::examine ||
                                   command->run == &Debugger::disassemble || command->run == &Debugger::memory);
    if (goes_on) arguments = {};
    last_line_ = command->repeats ? kept : std::string{};
    (this->*command->run)(arguments);
    return std::move(out_);
}

std::vector<std::string> Debugger::completions(std::string_view line) const {
    std::vector<std::string> all;
    const std::size_t blank = line.find_last_of(" \t");
    const std::string_view word = blank == std::string_view::npos ? line : line.substr(blank + 1);
    auto add = [&](std::string_view name) {
        if (name.starts_with(word)) all.emplace_back(name);
    };
    if (blank == std::string_view::npos) {
        for (const Command& command : commands()) add(command.names[0]);
        return all;
    }
    for (const auto& [name, symbol] : map_.symbols()) add(name);
    for (const RegisterFile& file : machine().isa().register_files) {
        if (file.index_bits == 0) add(file.name);
        for (const Entry& entry : file.entries) {
            for (const std::string& text : entry.texts) add(text);
        }
    }
    return all;
}

void Debugger::help(std::string_view arguments) {
    if (!arguments.empty()) {
        std::string error;
        const Command* command = find_command(arguments, error);
        if (command == nullptr) return fail(error);
        out_ += fmt::format("{} {}\n    {}\n", command->names[0], command->arguments, command->help);
        for (std::size_t i = 1; i < command->names.size(); ++i) {
            out_ += fmt::format("{}{}", i == 1 ? "    short: " : ", ", command->names[i]);
        }
        if (command->names.size() > 1) out_ += '\n';
        return;
    }
    for (const Command& command : commands()) {
        std::string names(command.names[0]);
        if (command.names.size() > 1) names += fmt::format(", {}", command.names[1]);
        out_ += fmt::format("{:20} {:27} {}\n", names, command.arguments, command.help);
    }
    out_ +=
        "LOCATION: an address, a label, LABEL + N, FILE:LINE or :LINE. An empty line repeats.\n"
        "EXPRESSION: numbers, registers, pc, symbols, data.u32[ADDRESS], operators of C, unsigned 64-bit.\n";
}

void Debugger::quit(std::string_view) { finished_ = true; }

// ---------------------------------------------------------------------------------------------------------------------
// Places

std::string Debugger::instruction_text(std::uint64_t address) const {
    if (!machine().has_code(address)) return "outside the code";
    Index form = no_index;
    Image image;
    unsigned bits = 0;
    if (!machine().decode(address, form, image, bits)) return "illegal";
    Labels labels(map_);
    char buffer[Codec::max_text];
    return {buffer, codec_.print(buffer, form, image, bits, address, &labels)};
}

std::string Debugger::executed_text(const Machine& hart) {
    std::string text = fmt::format("{} instructions executed", hart.instructions());
    return hart.isa().has_cycles ? text + fmt::format(", {} cycles", hart.cycles()) : text;
}

std::string Debugger::address_text(std::uint64_t address) const {
    const std::string place = map_.place(address);
    return place.empty() ? fmt::format("{:#x}", address) : fmt::format("{:#x} <{}>", address, place);
}

std::string Debugger::where() {
    const std::uint64_t pc = machine().pc();
    std::string text = fmt::format("{:24} {}\n", address_text(pc), instruction_text(pc));
    const std::optional<SourceLine> line = map_.line_of(pc);
    if (!line) return text;
    std::string place = fmt::format("{}:{}", line->file, line->line);
    const std::vector<std::string>* lines = source(line->file);
    if (lines != nullptr && line->line >= 1 && line->line <= lines->size()) {
        place = fmt::format("{:24} {}", place, trimmed((*lines)[line->line - 1]));
    }
    return text + place + "\n";
}

void Debugger::show_place(std::string_view) {
    out_ += where();
    out_ += executed_text(machine()) + "\n";
}

std::optional<std::pair<std::string, std::uint32_t>> Debugger::source_place(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::optional<std::uint64_t> line = parse_number(trimmed(text.substr(colon + 1)));
    if (!line || *line > 0xffffffff) return std::nullopt;
    std::string file(trimmed(text.substr(0, colon)));
    if (file.empty()) {
        const std::optional<SourceLine> here = map_.line_of(machine().pc());
        file = here ? std::string(here->file) : listed_file_;
    }
    return std::pair{file, static_cast<std::uint32_t>(*line)};
}

// An address, a label, a sum of these, FILE:LINE, :LINE; nothing after a complaint.
std::optional<std::uint64_t> Debugger::location(std::string_view text) {
    text = trimmed(text);
    if (const auto place = source_place(text)) {
        const std::optional<std::uint64_t> address = map_.address_of(place->first, place->second);
        if (!address) fail(fmt::format("no code comes from {}:{}", place->first, place->second));
        return address;
    }
    if (text.starts_with('*')) text.remove_prefix(1);
    std::string error;
    const std::optional<Value> value = evaluator().evaluate(text, error);
    if (!value) {
        fail(error);
        return std::nullopt;
    }
    return value->value;
}

std::optional<std::uint64_t> Debugger::number(std::string_view text) {
    std::string error;
    const std::optional<Value> value = evaluator().evaluate(text, error);
    if (value) return value->value;
    fail(error);
    return std::nullopt;
}

}  // namespace isaforge::debugger

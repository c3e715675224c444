// The commands that let the program run, and what makes it stop.
#include <fmt/format.h>

#include <algorithm>

#include "debugger/debugger.hpp"
#include "debugger/words.hpp"

namespace isaforge::debugger {

namespace {

constexpr std::size_t most_changes_shown = 12;

// Takes off what follows the first such word: "LOCATION if CONDITION".
std::string_view take_behind(std::string_view& text, std::string_view word) {
    for (std::size_t at = 0; at + word.size() < text.size(); ++at) {
        const char next = text[at + word.size()];
        const bool begins = at == 0 || is_blank(text[at - 1]);
        if (!begins || !text.substr(at).starts_with(word) || !(is_blank(next) || next == '(')) continue;
        const std::string_view behind = trimmed(text.substr(at + word.size()));
        text = trimmed(text.substr(0, at));
        return behind;
    }
    return {};
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// Stops

void Debugger::report(const Stop& stop) {
    if (std::string error = control_.take_error(); !error.empty()) fail(std::move(error));
    listed_to_ = 0;
    showed_code_ = false;
    const Point* const point = control_.last_hit();
    const bool known = point != nullptr;
    switch (stop.kind) {
        case Stop::Kind::done: break;
        case Stop::Kind::beginning:
            out_ += execution_.can_go_back() ? "the beginning: nothing was before\n"
                                             : "nothing is known of what was before: a run on threads, by the clock or "
                                               "with checks is not the same again\n";
            break;
        case Stop::Kind::interrupted: out_ += "interrupted\n"; break;
        case Stop::Kind::limit:
            out_ += fmt::format("{} instructions were executed without a stop; continue goes on\n", execution_.limit);
            break;
        case Stop::Kind::breakpoint:
            if (!known) break;
            out_ += fmt::format("{} {}\n", point->temporary ? "temporary breakpoint" : "breakpoint", point->number);
            if (point->temporary) control_.remove(point->number);
            break;
        case Stop::Kind::watch:
            if (known) out_ += fmt::format("watchpoint {}, ", point->number);
            out_ += fmt::format("{}\n{} the instruction at {}\n", stop.change, stop.back ? "before" : "behind",
                                address_text(stop.address));
            break;
        case Stop::Kind::machine:
            if (stop.result.reason == StopReason::stopped) {
                out_ += fmt::format("the program has ended after {} instructions", execution_.executed());
                if (stop.result.exit_status) out_ += fmt::format(", with status {}", *stop.result.exit_status);
                out_ += '\n';
                return;
            }
            out_ += stop.result.message + "\n";
            break;
    }
    if (execution_.harts() > 1) out_ += execution_.hart_text(execution_.hart()) + ": ";
    out_ += where();
}

void Debugger::report_changes(const Control::Changes& changes) {
    if (changes.empty()) return;
    out_ += "   ";
    for (std::size_t i = 0; i < changes.size() && i < most_changes_shown; ++i) out_ += " " + to_text(changes[i]);
    out_ += changes.size() > most_changes_shown ? " …\n" : "\n";
}

// ---------------------------------------------------------------------------------------------------------------------
// Running

void Debugger::finish(std::string_view arguments) {
    if (!arguments.empty()) return fail("finish takes no arguments");
    report(control_.finish());
}

void Debugger::step_times(std::string_view arguments, bool over) {
    const std::optional<std::uint64_t> times = arguments.empty() ? 1 : number(arguments);
    if (!times) return;
    Control::Changes changes;
    const Stop stop = control_.step(*times, over, changes);
    report_changes(changes);
    report(stop);
}

void Debugger::step(std::string_view arguments) { step_times(arguments, false); }
void Debugger::next(std::string_view arguments) { step_times(arguments, true); }

void Debugger::resume(std::string_view arguments) {
    if (!arguments.empty()) return fail("continue takes no arguments; advance runs to a place");
    report(control_.run_until({}));
}

void Debugger::step_back(std::string_view arguments) {
    const std::optional<std::uint64_t> times = arguments.empty() ? 1 : number(arguments);
    if (!times) return;
    report(control_.step_back(*times));
}

void Debugger::run_back(std::string_view arguments) {
    if (!arguments.empty()) return fail("reverse-continue takes no arguments");
    report(control_.run_back());
}

void Debugger::advance(std::string_view arguments) {
    if (arguments.empty()) return fail("say where to: an address, a label or FILE:LINE");
    const std::optional<std::uint64_t> address = location(arguments);
    if (address) report(control_.run_until({*address}));
}

// Back to the beginning. Breakpoints stay.
bool Debugger::begin_again() {
    std::string error = "the program cannot be started again here";
    if (!surroundings_.restart || !surroundings_.restart(error)) {
        fail(error);
        return false;
    }
    execution_.restarted();
    return true;
}

void Debugger::restart(std::string_view) {
    if (begin_again()) report({});
}

void Debugger::start_over(std::string_view arguments) {
    if (!arguments.empty()) return fail("run takes no arguments");
    if (!begin_again()) return;
    if (control_.breaks_here()) return report({.kind = Stop::Kind::breakpoint});
    report(control_.run_until({}));
}

// ---------------------------------------------------------------------------------------------------------------------
// Breakpoints and watchpoints

std::string Debugger::describe(const Point& point) const {
    std::string text = point.temporary ? "temporary breakpoint" : point.is_watch ? "watchpoint" : "breakpoint";
    text += fmt::format(" {}", point.number);
    if (point.is_watch) {
        const Watch::When when = point.watch.when;
        text += when == Watch::When::read       ? " for reading "
                : when == Watch::When::accessed ? " for reading and writing "
                                                : " on ";
        text += watch_name(point.watch, machine());
    } else {
        text += " at " + address_text(point.address);
        const std::string line = map_.line_text(point.address);
        if (!line.empty()) text += ", " + line;
    }
    if (!point.hart.empty()) text += ", hart " + point.hart;
    if (!point.condition.empty()) text += " if " + point.condition;
    if (!point.enabled) text += ", disabled";
    if (point.hits != 0) text += fmt::format(", met {} time{}", point.hits, point.hits == 1 ? "" : "s");
    return text;
}

// A condition that cannot be computed now is refused: it would stop the program every time.
bool Debugger::accepts(std::string_view condition) {
    std::string error;
    if (evaluator().evaluate(condition, error)) return true;
    fail("the condition: " + error);
    return false;
}

// A name may be that of one which does not run yet.
bool Debugger::accepts_hart(std::string_view text) {
    const std::optional<std::uint64_t> number = parse_number(text);
    if (!number || *number < execution_.harts()) return true;
    fail(fmt::format("there is no hart {}: this machine has {}", *number, execution_.harts()));
    return false;
}

void Debugger::add_point(Point point) {
    const Point* const added = control_.add(std::move(point));
    if (added == nullptr) return fail("there are too many breakpoints");
    out_ += describe(*added) + "\n";
}

void Debugger::add_break(std::string_view arguments, bool temporary) {
    std::string_view place = arguments;
    const std::string_view condition = take_behind(place, "if"), hart = take_behind(place, "hart");
    const std::optional<std::uint64_t> address = place.empty() ? machine().pc() : location(place);
    if (!address) return;
    if (!machine().has_code(*address)) return fail(fmt::format("there is no code at {:#x}", *address));
    if (!condition.empty() && !accepts(condition)) return;
    if (!accepts_hart(hart)) return;
    Point point{.temporary = temporary, .address = *address};
    point.condition = condition, point.hart = hart;
    add_point(std::move(point));
}

void Debugger::set_break(std::string_view arguments) { add_break(arguments, false); }
void Debugger::set_temporary_break(std::string_view arguments) { add_break(arguments, true); }

void Debugger::set_watch(std::string_view arguments) { add_watch(arguments, Watch::When::changed); }
void Debugger::set_read_watch(std::string_view arguments) { add_watch(arguments, Watch::When::read); }
void Debugger::set_access_watch(std::string_view arguments) { add_watch(arguments, Watch::When::accessed); }

void Debugger::add_watch(std::string_view arguments, Watch::When when) {
    std::string_view what = arguments;
    const std::string_view condition = take_behind(what, "if"), hart = take_behind(what, "hart");
    if (what.empty()) return fail("say what to watch: a register, ADDRESS:LENGTH or data.u32[ADDRESS]");
    std::string error;
    std::optional<Watch> watch = control_.watched(what, error);
    if (!watch) return fail(error);
    if ((!condition.empty() && !accepts(condition)) || !accepts_hart(hart)) return;
    watch->when = when;
    if (watch->is_register && when != Watch::When::changed) return fail("only memory can be watched for reading");
    if (!execution_.add_watch(*watch)) {
        return fail(
            fmt::format("{} cannot be watched: not all of it is there, or all watchpoints together are for more "
                        "than {} bytes",
                        watch_name(*watch, machine()), most_watched_bytes));
    }
    execution_.remove_watch(*watch);
    Point point{.is_watch = true, .watch = *watch};
    point.condition = condition, point.hart = hart;
    add_point(std::move(point));
}

Point* Debugger::find_point(std::string_view text) {
    const std::optional<std::uint64_t> number = parse_number(text);
    Point* const point = number && *number <= 0xffffffff ? control_.find(static_cast<unsigned>(*number)) : nullptr;
    if (point != nullptr) return point;
    fail(fmt::format("there is no breakpoint '{}'", text));
    return nullptr;
}

void Debugger::set_condition(std::string_view arguments) {
    const std::size_t end = std::min(arguments.find_first_of(" \t"), arguments.size());
    Point* point = find_point(arguments.substr(0, end));
    if (point == nullptr) return;
    std::string_view condition = arguments.substr(end);
    condition.remove_prefix(std::min(condition.find_first_not_of(" \t"), condition.size()));
    if (!condition.empty() && !accepts(condition)) return;
    point->condition = condition;
    out_ += describe(*point) + "\n";
}

// Calls `action` with the number of each point that is named, or of all where none is.
template <typename Action>
void Debugger::for_points(std::string_view arguments, Action action) {
    std::vector<unsigned> numbers;
    if (arguments.empty()) {
        for (const Point& point : control_.points()) numbers.push_back(point.number);
    }
    while (!arguments.empty()) {
        const std::size_t end = std::min(arguments.find_first_of(" \t,"), arguments.size());
        if (end != 0) {
            const Point* point = find_point(arguments.substr(0, end));
            if (point == nullptr) return;
            numbers.push_back(point->number);
        }
        arguments.remove_prefix(std::min(end + 1, arguments.size()));
    }
    for (unsigned number : numbers) action(number);
}

void Debugger::remove(std::string_view arguments) {
    for_points(arguments, [this](unsigned number) { control_.remove(number); });
}

void Debugger::switch_points(std::string_view arguments, bool on) {
    for_points(arguments, [this, on](unsigned number) { control_.enable(number, on); });
}

void Debugger::enable(std::string_view arguments) { switch_points(arguments, true); }
void Debugger::disable(std::string_view arguments) { switch_points(arguments, false); }

}  // namespace isaforge::debugger

// The commands that let the program run, and what makes it stop.
#include <fmt/format.h>

#include <algorithm>

#include "debugger/debugger.hpp"
#include "debugger/words.hpp"

namespace isaforge::debugger {

namespace {

constexpr std::uint64_t steps_between_looks = 1 << 14;
constexpr std::uint64_t stops_between_looks = 1 << 10;
constexpr std::size_t most_changes_shown = 12;
constexpr std::uint64_t default_watch_bytes = 4;
constexpr std::size_t most_points = 10000;

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

// What several instructions changed: the last value of each.
void merge(std::vector<TraceRecord::Change>& into, const std::vector<TraceRecord::Change>& from) {
    for (const TraceRecord::Change& change : from) {
        if (change.name == "pc") continue;
        auto same = std::find_if(into.begin(), into.end(), [&](const auto& each) { return each.name == change.name; });
        if (same != into.end()) {
            *same = change;
        } else if (into.size() <= most_changes_shown) {
            into.push_back(change);
        }
    }
}

bool jumps_later(const Machine& machine) {
    const std::vector<PendingResult> pending = machine.pending();
    return std::any_of(pending.begin(), pending.end(), [](const PendingResult& each) { return each.target == "pc"; });
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// Stops

bool Debugger::holds(const Point& point) {
    if (!point.enabled || !is_hart(execution_.hart(), point.hart)) return false;
    if (point.condition.empty()) return true;
    std::string error;
    const std::optional<Value> value = evaluator().evaluate(point.condition, error);
    if (!value) condition_error_ = fmt::format("the condition of {}: {}", point.number, error);
    return !value || value->value != 0;
}

// The breakpoint at an address whose condition holds.
Debugger::Point* Debugger::hit_at(std::uint64_t address) {
    return machine().pc() == address ? hit({.kind = Stop::Kind::breakpoint}) : nullptr;
}

// The breakpoint or watchpoint that wants this stop; null where its condition does not hold.
Debugger::Point* Debugger::hit(const Stop& stop) {
    Point* const point = wanting(stop);
    if (point == nullptr) return nullptr;
    ++point->hits;
    hit_ = point->number;
    return point;
}

Debugger::Point* Debugger::wanting(const Stop& stop) {
    for (Point& point : points_) {
        const bool meets = stop.kind == Stop::Kind::breakpoint ? !point.is_watch && point.address == machine().pc()
                                                               : point.is_watch && point.watch == stop.watch;
        if (meets && holds(point)) return &point;
    }
    return nullptr;
}

void Debugger::report(const Stop& stop) {
    if (!condition_error_.empty()) fail(condition_error_);
    condition_error_.clear();
    listed_to_ = 0;
    showed_code_ = false;
    const auto point =
        std::find_if(points_.begin(), points_.end(), [&](const Point& each) { return each.number == hit_; });
    const bool known = point != points_.end();
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
            if (point->temporary) take_away(point->number);
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

void Debugger::report_changes(const Changes& changes) {
    if (changes.empty()) return;
    out_ += "   ";
    for (std::size_t i = 0; i < changes.size() && i < most_changes_shown; ++i) out_ += " " + to_text(changes[i]);
    out_ += changes.size() > most_changes_shown ? " …\n" : "\n";
}

// ---------------------------------------------------------------------------------------------------------------------
// Running

Stop Debugger::step_once(Changes& changes, TraceRecord& record) {
    Stop stop = execution_.step(&record);
    merge(changes, record.changes);
    if (stop.kind == Stop::Kind::watch && hit(stop) == nullptr) stop.kind = Stop::Kind::done;
    return stop;
}

// Runs until a breakpoint or watchpoint whose condition holds, or until one of `addresses`.
Stop Debugger::run_until(const std::vector<std::uint64_t>& addresses) {
    for (std::uint64_t address : addresses) execution_.add_breakpoint(address);
    const std::uint64_t first = execution_.executed();
    Stop stop;
    for (std::uint64_t stops = 1;; ++stops) {
        stop = execution_.run();
        const bool may_go_on = stop.kind == Stop::Kind::breakpoint || stop.kind == Stop::Kind::watch;
        if (!may_go_on || hit(stop) != nullptr) break;
        const bool arrived = std::find(addresses.begin(), addresses.end(), machine().pc()) != addresses.end();
        if (arrived && stop.kind == Stop::Kind::breakpoint) {
            stop.kind = Stop::Kind::done;
            break;
        }
        if (stops % stops_between_looks == 0 && execution_.interrupted && execution_.interrupted()) {
            stop.kind = Stop::Kind::interrupted;
            break;
        }
        if (execution_.limit != 0 && execution_.executed() - first >= execution_.limit) {
            stop.kind = Stop::Kind::limit;
            break;
        }
    }
    for (std::uint64_t address : addresses) execution_.remove_breakpoint(address);
    return stop;
}

// One instruction. If it is a call, also those that still execute before its jump takes effect. A call is what jumps and
// leaves the address behind it in a register or in memory.
Stop Debugger::enter(Changes& changes, bool& called) {
    const std::uint64_t behind = machine().pc() + length_at(machine().pc());
    TraceRecord record;
    Stop stop = step_once(changes, record);
    const bool leaves = std::any_of(record.changes.begin(), record.changes.end(), [&](const auto& change) {
        return change.name != "pc" && change.value == behind && !change.late;
    });
    called = leaves && stop.kind == Stop::Kind::done && (machine().pc() != behind || jumps_later(machine()));
    while (called && stop.kind == Stop::Kind::done && jumps_later(machine())) stop = step_once(changes, record);
    // A breakpoint where the called function begins; from there on it would be where the running begins.
    if (called && stop.kind == Stop::Kind::done && hit_at(machine().pc()) != nullptr)
        stop.kind = Stop::Kind::breakpoint;
    return stop;
}

// One instruction, and if it calls, all until it returns. By recursion it may call again meanwhile: those calls return to
// the same place, and first.
Stop Debugger::step_over(Changes& changes) {
    const std::uint64_t call = machine().pc(), behind = call + length_at(call), first = execution_.executed();
    bool called = false;
    Stop stop = enter(changes, called);
    std::uint64_t depth = called ? 1 : 0;
    while (depth != 0 && stop.kind == Stop::Kind::done) {
        if (machine().pc() != call) stop = run_until({call, behind});
        if (stop.kind != Stop::Kind::done) break;
        if (machine().pc() == behind) {
            --depth;
        } else {
            stop = enter(changes, called);
            if (called) ++depth;
        }
        const bool too_long = execution_.limit != 0 && execution_.executed() - first >= execution_.limit;
        if (too_long && stop.kind == Stop::Kind::done && depth != 0) stop.kind = Stop::Kind::limit;
        const bool wanted = depth != 0 && execution_.interrupted && execution_.interrupted();
        if (wanted && stop.kind == Stop::Kind::done) stop.kind = Stop::Kind::interrupted;
    }
    return stop;
}

// Whether an instruction that ends before this address is a call: whoever jumps there returns.
bool Debugger::is_behind_call(std::uint64_t address) const {
    const Isa& isa = machine().isa();
    const std::uint64_t unit = std::max(1u, isa.unit_bits / std::max(1u, isa.address_bits));
    const std::uint64_t longest = max_instruction_bits / std::max(1u, isa.address_bits);
    for (std::uint64_t back = unit; back <= std::min(longest, address); back += unit) {
        const std::uint64_t call = address - back;
        if (machine().has_code(call) && length_at(call) == back && machine().jump_at(call).calls) return true;
    }
    return false;
}

// One instruction of this function, with what it calls, and what still executes before its jump takes effect. It returns
// where an instruction that computes where it jumps to comes behind a call.
Stop Debugger::step_in_function(bool& returned) {
    const std::uint64_t address = machine().pc();
    const Jump jump = machine().jump_at(address);
    Changes changes;
    TraceRecord record;
    Stop stop = step_over(changes);
    while (stop.kind == Stop::Kind::done && jump.computed && jumps_later(machine())) stop = step_once(changes, record);
    returned = stop.kind == Stop::Kind::done && jump.computed && !jump.calls &&
               machine().pc() != address + length_at(address) && is_behind_call(machine().pc());
    if (stop.kind == Stop::Kind::done && !returned && hit_at(machine().pc()) != nullptr)
        stop.kind = Stop::Kind::breakpoint;
    return stop;
}

void Debugger::finish(std::string_view arguments) {
    if (!arguments.empty()) return fail("finish takes no arguments");
    const std::uint64_t first = execution_.executed();
    bool returned = false;
    Stop stop;
    for (std::uint64_t steps = 1; stop.kind == Stop::Kind::done && !returned; ++steps) {
        stop = step_in_function(returned);
        if (stop.kind != Stop::Kind::done || returned) break;
        if (steps % stops_between_looks == 0 && execution_.interrupted && execution_.interrupted())
            stop.kind = Stop::Kind::interrupted;
        if (execution_.limit != 0 && execution_.executed() - first >= execution_.limit) stop.kind = Stop::Kind::limit;
    }
    report(stop);
}

void Debugger::step_times(std::string_view arguments, bool over) {
    const std::optional<std::uint64_t> times = arguments.empty() ? 1 : number(arguments);
    if (!times) return;
    Changes changes;
    Stop stop;
    TraceRecord record;
    const std::uint64_t first = execution_.executed();
    for (std::uint64_t done = 0; done < *times; ++done) {
        if (execution_.limit != 0 && execution_.executed() - first >= execution_.limit) {
            stop.kind = Stop::Kind::limit;
            break;
        }
        stop = over ? step_over(changes) : step_once(changes, record);
        if (stop.kind == Stop::Kind::done && hit_at(machine().pc()) != nullptr) stop.kind = Stop::Kind::breakpoint;
        if (stop.kind != Stop::Kind::done) break;
        if (done % steps_between_looks == 0 && execution_.interrupted && execution_.interrupted()) {
            stop.kind = Stop::Kind::interrupted;
            break;
        }
    }
    report_changes(changes);
    report(stop);
}

void Debugger::step(std::string_view arguments) { step_times(arguments, false); }
void Debugger::next(std::string_view arguments) { step_times(arguments, true); }

void Debugger::resume(std::string_view arguments) {
    if (!arguments.empty()) return fail("continue takes no arguments; advance runs to a place");
    report(run_until({}));
}

void Debugger::step_back(std::string_view arguments) {
    const std::optional<std::uint64_t> times = arguments.empty() ? 1 : number(arguments);
    if (!times) return;
    report(execution_.step_back(*times));
}

void Debugger::run_back(std::string_view arguments) {
    if (!arguments.empty()) return fail("reverse-continue takes no arguments");
    const Stop stop = execution_.run_back([this](const Stop& each) { return would_stop(each); });
    if (stop.kind == Stop::Kind::breakpoint || stop.kind == Stop::Kind::watch) hit(stop);
    report(stop);
}

void Debugger::advance(std::string_view arguments) {
    if (arguments.empty()) return fail("say where to: an address, a label or FILE:LINE");
    const std::optional<std::uint64_t> address = location(arguments);
    if (address) report(run_until({*address}));
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
    if (hit_at(machine().pc()) != nullptr) return report({.kind = Stop::Kind::breakpoint});
    report(run_until({}));
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

void Debugger::activate(Point& point, bool on) {
    if (point.enabled == on) return;
    point.enabled = on;
    if (point.is_watch) {
        if (on) execution_.add_watch(point.watch);
        if (!on) execution_.remove_watch(point.watch);
    } else {
        if (on) execution_.add_breakpoint(point.address);
        if (!on) execution_.remove_breakpoint(point.address);
    }
}

void Debugger::take_away(unsigned number) {
    const auto found =
        std::find_if(points_.begin(), points_.end(), [&](const Point& each) { return each.number == number; });
    if (found == points_.end()) return;
    activate(*found, false);
    points_.erase(found);
}

// A condition that cannot be computed now is refused: it would stop the program every time.
bool Debugger::accepts(std::string_view condition) {
    std::string error;
    if (evaluator().evaluate(condition, error)) return true;
    fail("the condition: " + error);
    return false;
}

// A number means one hart; other text all whose names have it: "wavefront 1", "group (2, 0, 0)". Empty: all.
bool Debugger::is_hart(unsigned hart, std::string_view text) const {
    if (const std::optional<std::uint64_t> number = parse_number(text)) return hart == *number;
    return execution_.hart_text(hart).find(text) != std::string::npos;
}

// A name may be that of one which does not run yet.
bool Debugger::accepts_hart(std::string_view text) {
    const std::optional<std::uint64_t> number = parse_number(text);
    if (!number || *number < execution_.harts()) return true;
    fail(fmt::format("there is no hart {}: this machine has {}", *number, execution_.harts()));
    return false;
}

void Debugger::add_point(Point point) {
    if (points_.size() >= most_points) return fail("there are too many breakpoints");
    point.number = ++last_number_;
    point.enabled = false;
    points_.push_back(std::move(point));
    activate(points_.back(), true);
    out_ += describe(points_.back()) + "\n";
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

// A register; ADDRESS:LENGTH or a symbol in the first memory; a cell such as data.u32[64].
std::optional<Watch> Debugger::watched(std::string_view text) {
    std::string error;
    const std::optional<Value> value = evaluator().take(text, error);
    if (!value) {
        fail(error);
        return std::nullopt;
    }
    if (value->target.kind == Target::Kind::pc) {
        fail("pc changes all the time; break stops at a place");
        return std::nullopt;
    }
    Watch watch{Watch::When::changed,
                value->target.kind == Target::Kind::register_,
                value->target.object,
                value->target.number,
                0,
                execution_.hart()};
    if (watch.is_register && text.empty()) return watch;
    if (watch.is_register || value->target.kind == Target::Kind::none) {  // an address
        watch = {Watch::When::changed, false, 0, value->value, default_watch_bytes, 0};
        if (machine().isa().memories.empty()) {
            fail("this machine has no memory to watch");
            return std::nullopt;
        }
    } else {
        watch.length = value->target.bits / 8;
        watch.hart = 0;
    }
    if (text.starts_with(':')) {
        const std::optional<std::uint64_t> length = number(text.substr(1));
        if (!length) return std::nullopt;
        watch.length = *length;
    } else if (!text.empty()) {
        fail(fmt::format("'{}' is too much here", text));
        return std::nullopt;
    }
    return watch;
}

void Debugger::set_watch(std::string_view arguments) { add_watch(arguments, Watch::When::changed); }
void Debugger::set_read_watch(std::string_view arguments) { add_watch(arguments, Watch::When::read); }
void Debugger::set_access_watch(std::string_view arguments) { add_watch(arguments, Watch::When::accessed); }

void Debugger::add_watch(std::string_view arguments, Watch::When when) {
    std::string_view what = arguments;
    const std::string_view condition = take_behind(what, "if"), hart = take_behind(what, "hart");
    if (what.empty()) return fail("say what to watch: a register, ADDRESS:LENGTH or data.u32[ADDRESS]");
    std::optional<Watch> watch = watched(what);
    if (!watch || (!condition.empty() && !accepts(condition)) || !accepts_hart(hart)) return;
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

Debugger::Point* Debugger::find_point(std::string_view text) {
    const std::optional<std::uint64_t> number = parse_number(text);
    for (Point& point : points_) {
        if (number && point.number == *number) return &point;
    }
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
        for (const Point& point : points_) numbers.push_back(point.number);
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
    for_points(arguments, [this](unsigned number) { take_away(number); });
}

void Debugger::switch_points(std::string_view arguments, bool on) {
    for_points(arguments, [this, on](unsigned number) {
        for (Point& point : points_) {
            if (point.number == number) activate(point, on);
        }
    });
}

void Debugger::enable(std::string_view arguments) { switch_points(arguments, true); }
void Debugger::disable(std::string_view arguments) { switch_points(arguments, false); }

}  // namespace isaforge::debugger

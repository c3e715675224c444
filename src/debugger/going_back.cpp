// Going back: the stretch before is done again, from further and further back, to see where the machine would have stopped.
#include <algorithm>
#include <optional>

#include "debugger/execution.hpp"

namespace isaforge::debugger {

namespace {

constexpr std::uint64_t first_window = std::uint64_t{1} << 20;   // steps that are looked at first, at full speed …
constexpr std::uint64_t first_stepped = std::uint64_t{1} << 12;  // … and one by one
constexpr std::uint64_t growth = 16;

}  // namespace

bool Execution::can_go_back() const { return history_.begin() < history_.now() || history_.snapshots() != 0; }

void Execution::set_breakpoints(bool on) {
    for (const auto& [address, count] : breakpoints_) machine_.set_breakpoint(address, on);
}

// Past all breakpoints.
bool Execution::go_to(std::uint64_t moment) {
    set_breakpoints(false);
    history_.interrupted = interrupted;
    const bool there = history_.go_to(moment);
    history_.interrupted = nullptr;
    set_breakpoints(true);
    look();
    return there;
}

// A stretch of a run, at full speed, up to a breakpoint.
std::uint64_t Execution::run_again(std::uint64_t most, const Event& event) {
    while (true) {
        if (harts() == 1 && breakpoints_.contains(machine_.pc()))
            event(history_.now(), {.kind = Stop::Kind::breakpoint});
        const RunResult result = machine_.run(most);
        hart_ = result.hart;
        if (result.reason != StopReason::breakpoint) return result.instructions;
        if (harts() > 1) event(history_.now() + result.instructions, {.kind = Stop::Kind::breakpoint});
        if (result.instructions != 0) return result.instructions;
    }
}

// One step of it. What it did is an event of the moment before.
std::uint64_t Execution::step_again(const History::Piece& piece, const Event& event) {
    TraceRecord record;
    const std::uint64_t moment = history_.now();
    const bool any = piece.kind != History::Kind::step && harts() > 1;
    RunResult result;
    if (any) {
        result = machine_.step_any(&record);
        for (; result.reason == StopReason::breakpoint; result = machine_.step_any(&record)) {
            hart_ = result.hart;
            event(moment, {.kind = Stop::Kind::breakpoint});
        }
        hart_ = result.hart;
    } else {
        hart_ = piece.hart;
        if (breakpoints_.contains(machine().pc())) event(moment, {.kind = Stop::Kind::breakpoint});
        record.address = machine().pc();
        result = machine().step(&record);
    }
    Stop stop;
    stop.result = result;
    find_watch(stop, record.address, record);
    event(moment, stop);
    // Where a run had counted instructions, one that does nothing but call a handler is none.
    return piece.kind == History::Kind::run ? result.instructions : 1;
}

// All that was done up to `end`, once more.
bool Execution::do_again(std::uint64_t end, bool by_steps, const Event& event) {
    std::uint64_t steps = 0;
    return history_.walk(end, [&](const History::Piece& piece) -> std::uint64_t {
        if (piece.kind == History::Kind::run && !by_steps) {
            if (wants_stop()) return 0;
            return run_again(piece.count, event);
        }
        if (++steps % first_stepped == 0 && wants_stop()) return 0;
        for (unsigned handlers = 0; handlers < 2; ++handlers) {
            if (const std::uint64_t done = step_again(piece, event); done != 0) return done;
        }
        return 0;
    });
}

std::optional<Execution::Found> Execution::find_back(std::uint64_t window, bool by_steps,
                                                     const std::function<bool(const Stop&)>& wants, bool& given_up) {
    const std::uint64_t now = history_.now();
    std::optional<Found> found;
    for (std::uint64_t end = now; end > history_.begin() && !found; window *= growth) {
        const std::uint64_t begin = end - std::min(end - history_.begin(), window);
        given_up = !go_to(begin) || !do_again(end, by_steps, [&](std::uint64_t moment, const Stop& stop) {
            if (moment < now && wants(stop)) found = {moment, hart_, stop};
        });
        if (given_up) return std::nullopt;
        end = begin;
    }
    return found;
}

Stop Execution::stand_at(std::uint64_t moment, unsigned hart, Stop stop) {
    const auto asked = std::move(interrupted);
    interrupted = nullptr;
    go_to(moment);
    interrupted = asked;
    history_.drop_future();
    hart_ = hart;
    stop.back = true;
    return stop;
}

Stop Execution::step_back(std::uint64_t times) {
    history_.look();
    const unsigned hart = hart_;
    const std::uint64_t now = history_.now(), known = now - history_.begin();
    if (known == 0) return {.kind = Stop::Kind::beginning, .back = true};
    if (times == 0) return {.back = true};
    if (harts() == 1) {
        const bool all = times <= known;
        return stand_at(now - std::min(times, known), hart, {.kind = all ? Stop::Kind::done : Stop::Kind::beginning});
    }
    for (; times != 0; --times) {
        const std::uint64_t from = history_.now();
        bool given_up = false;
        const auto found = find_back(
            first_stepped, true, [&](const Stop& stop) { return stop.kind != Stop::Kind::breakpoint && hart_ == hart; },
            given_up);
        if (given_up) return stand_at(from, hart, {.kind = Stop::Kind::interrupted});
        if (!found) return stand_at(history_.begin(), hart, {.kind = Stop::Kind::beginning});
        stand_at(found->moment, hart, {});
    }
    return {.back = true};
}

Stop Execution::run_back(const std::function<bool(const Stop&)>& wants) {
    history_.look();
    const unsigned hart = hart_;
    const std::uint64_t now = history_.now();
    if (now == history_.begin()) return {.kind = Stop::Kind::beginning, .back = true};
    const bool by_steps = !watched_.empty();
    bool given_up = false;
    const auto found = find_back(
        by_steps ? first_stepped : first_window, by_steps,
        [&](const Stop& stop) {
            return (stop.kind == Stop::Kind::breakpoint || stop.kind == Stop::Kind::watch) && wants(stop);
        },
        given_up);
    if (given_up) return stand_at(now, hart, {.kind = Stop::Kind::interrupted});
    if (!found) return stand_at(history_.begin(), hart, {.kind = Stop::Kind::beginning});
    return stand_at(found->moment, found->hart, found->stop);
}

}  // namespace isaforge::debugger

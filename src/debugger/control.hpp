// What every debugger does with a program, whatever it shows of that: breakpoints and watchpoints with conditions, steps over
// and out of calls, by instructions and by lines. The terminal's commands and the Debug Adapter Protocol are made of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "debugger/execution.hpp"
#include "debugger/program_map.hpp"

namespace isaforge::debugger {

inline constexpr std::size_t most_points = 10000;

// Which hits of a breakpoint stop the program, the first one being number 1.
struct HitRule {
    enum class Kind { every, equal, at_least, above, at_most, below, multiple };
    Kind kind = Kind::every;
    std::uint64_t number = 0;

    bool allows(std::uint64_t hit) const;
};
// "5" is the fifth; ">5", ">=5", "<5", "<=5", "==5", "%5" for each fifth; empty for every one. Nothing where it is none.
std::optional<HitRule> parse_hit_rule(std::string_view text);

// A breakpoint or a watchpoint.
struct Point {
    unsigned number = 0;
    bool is_watch = false, temporary = false, enabled = true;
    std::uint64_t address = 0;  // of the code
    Watch watch;
    std::string condition;  // empty: always
    std::string hart;       // its number, or a part of what it is called; empty: every one
    HitRule rule;
    std::string log;         // said instead of stopping, with {EXPRESSION} replaced; empty: it stops
    std::uint64_t hits = 0;  // where its condition held
};

class Control {
public:
    // Both are referred to.
    Control(Execution& execution, const ProgramMap& map) : execution_(execution), map_(map) {}

    Execution& execution() const { return execution_; }
    const ProgramMap& map() const { return map_; }
    Machine& machine() const { return execution_.machine(); }
    Evaluator evaluator() const { return {machine(), map_}; }

    const std::vector<Point>& points() const { return points_; }
    Point* find(unsigned number);
    // Numbers it and lets it work; null where there are too many, or it cannot be watched.
    Point* add(Point point);
    void remove(unsigned number);
    void enable(unsigned number, bool on);
    // A number means one hart; other text all whose names have it: "wavefront 1", "group (2, 0, 0)". Empty: all.
    bool is_hart(unsigned hart, std::string_view text) const;
    // A register; an address with a length or a symbol in the first memory; a cell such as data.u32[64].
    std::optional<Watch> watched(std::string_view text, std::string& error) const;

    // The one that stopped the program last; null where it was removed since.
    Point* last_hit() { return find(hit_); }
    // Counts a hit, and says what is to be said. Null where nothing wants this stop.
    Point* hit(const Stop& stop);
    // Whether something would, on a way back.
    bool would_stop(const Stop& stop) { return wanting(stop) != nullptr; }
    // A condition that could not be computed: it counts as one that holds. Taken off.
    std::string take_error() { return std::exchange(error_, {}); }
    // What points say instead of stopping.
    std::function<void(const Point& point, const std::string& text)> log;

    using Changes = std::vector<TraceRecord::Change>;
    Stop run() { return run_until({}); }
    // Until a breakpoint or watchpoint whose condition holds, or until one of `addresses`.
    Stop run_until(const std::vector<std::uint64_t>& addresses);
    // So many instructions, with calls as one where `over`.
    Stop step(std::uint64_t times, bool over, Changes& changes);
    // To the begin of another line; where there is none, one instruction.
    Stop step_line(bool over);
    Stop finish();
    Stop step_back(std::uint64_t times) { return execution_.step_back(times); }
    // To the begin of the line before, or of this one where it was not its first instruction.
    Stop step_line_back();
    Stop run_back();
    // Behind a start: whether there is a breakpoint where it begins.
    bool breaks_here() { return hit({.kind = Stop::Kind::breakpoint}) != nullptr; }

    unsigned length_at(std::uint64_t address) const;  // in address units, at least 1
    // The instruction that comes so many before this one, as far as the code before can be read from a label on.
    std::uint64_t begin_before(std::uint64_t address, unsigned count) const;

private:
    bool holds(const Point& point);
    bool meets(const Point& point, const Stop& stop) const;
    Point* wanting(const Stop& stop);
    void say(const Point& point);
    bool activate(Point& point, bool on);

    Stop step_once(Changes& changes, TraceRecord& record);
    Stop enter(Changes& changes, bool& called);
    Stop step_over(Changes& changes);
    Stop step_in_function(bool& returned);
    bool is_behind_call(std::uint64_t address) const;
    bool stops_here(Stop& stop);
    bool is_enough(Stop& stop, std::uint64_t first, std::uint64_t steps);
    std::optional<SourceLine> line_here() const { return map_.line_of(machine().pc()); }

    Execution& execution_;
    const ProgramMap& map_;
    std::vector<Point> points_;
    unsigned last_number_ = 0, hit_ = 0;
    std::string error_;
};

}  // namespace isaforge::debugger

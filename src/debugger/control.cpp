#include "debugger/control.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "debugger/words.hpp"

namespace isaforge::debugger {

namespace {

constexpr std::uint64_t stops_between_looks = 1 << 10;
constexpr std::size_t most_changes_kept = 13;
constexpr std::uint64_t default_watch_bytes = 4;
constexpr std::uint64_t most_code_looked_back = 1 << 12;  // in address units

// What several instructions changed: the last value of each.
void merge(std::vector<TraceRecord::Change>& into, const std::vector<TraceRecord::Change>& from) {
    for (const TraceRecord::Change& change : from) {
        if (change.name == "pc") continue;
        auto same = std::find_if(into.begin(), into.end(), [&](const auto& each) { return each.name == change.name; });
        if (same != into.end()) {
            *same = change;
        } else if (into.size() < most_changes_kept) {
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
// Breakpoints and watchpoints

bool HitRule::allows(std::uint64_t hit) const {
    switch (kind) {
        case Kind::every: return true;
        case Kind::equal: return hit == number;
        case Kind::at_least: return hit >= number;
        case Kind::above: return hit > number;
        case Kind::at_most: return hit <= number;
        case Kind::below: return hit < number;
        case Kind::multiple: return hit % number == 0;
    }
    return true;
}

std::optional<HitRule> parse_hit_rule(std::string_view text) {
    static constexpr std::pair<std::string_view, HitRule::Kind> signs[] = {
        {">=", HitRule::Kind::at_least}, {"<=", HitRule::Kind::at_most}, {"==", HitRule::Kind::equal},
        {">", HitRule::Kind::above},     {"<", HitRule::Kind::below},    {"%", HitRule::Kind::multiple},
        {"=", HitRule::Kind::equal},     {"", HitRule::Kind::equal},
    };
    text = trimmed(text);
    if (text.empty()) return HitRule{};
    for (const auto& [sign, kind] : signs) {
        if (!text.starts_with(sign)) continue;
        const std::optional<std::uint64_t> number = parse_number(trimmed(text.substr(sign.size())));
        if (!number || (*number == 0 && kind == HitRule::Kind::multiple)) return std::nullopt;
        return HitRule{kind, *number};
    }
    return std::nullopt;
}

Point* Control::find(unsigned number) {
    const auto found = std::ranges::find(points_, number, &Point::number);
    return found == points_.end() ? nullptr : &*found;
}

bool Control::activate(Point& point, bool on) {
    if (point.enabled == on) return true;
    if (point.is_watch) {
        if (on && !execution_.add_watch(point.watch)) return false;
        if (!on) execution_.remove_watch(point.watch);
    } else {
        if (on) execution_.add_breakpoint(point.address);
        if (!on) execution_.remove_breakpoint(point.address);
    }
    point.enabled = on;
    return true;
}

Point* Control::add(Point point) {
    if (points_.size() >= most_points) return nullptr;
    point.enabled = false;
    if (!activate(point, true)) return nullptr;
    point.number = ++last_number_;
    points_.push_back(std::move(point));
    return &points_.back();
}

void Control::remove(unsigned number) {
    Point* const point = find(number);
    if (point == nullptr) return;
    activate(*point, false);
    points_.erase(points_.begin() + (point - points_.data()));
}

void Control::enable(unsigned number, bool on) {
    if (Point* const point = find(number)) activate(*point, on);
}

bool Control::is_hart(unsigned hart, std::string_view text) const {
    if (const std::optional<std::uint64_t> number = parse_number(text)) return hart == *number;
    return execution_.hart_text(hart).find(text) != std::string::npos;
}

std::optional<Watch> Control::watched(std::string_view text, std::string& error) const {
    const std::optional<Value> value = evaluator().take(text, error);
    if (!value) return std::nullopt;
    if (value->target.kind == Target::Kind::pc) {
        error = "pc changes all the time; break stops at a place";
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
            error = "this machine has no memory to watch";
            return std::nullopt;
        }
    } else {
        watch.length = value->target.bits / 8;
        watch.hart = 0;
    }
    if (text.starts_with(':')) {
        const std::optional<Value> length = evaluator().evaluate(text.substr(1), error);
        if (!length) return std::nullopt;
        watch.length = length->value;
    } else if (!text.empty()) {
        error = fmt::format("'{}' is too much here", text);
        return std::nullopt;
    }
    return watch;
}

bool Control::holds(const Point& point) {
    if (!point.enabled || !is_hart(execution_.hart(), point.hart)) return false;
    if (point.condition.empty()) return true;
    std::string error;
    const std::optional<Value> value = evaluator().evaluate(point.condition, error);
    if (!value) error_ = fmt::format("the condition of {}: {}", point.number, error);
    return !value || value->value != 0;
}

bool Control::meets(const Point& point, const Stop& stop) const {
    return stop.kind == Stop::Kind::breakpoint ? !point.is_watch && point.address == machine().pc()
                                               : point.is_watch && point.watch == stop.watch;
}

Point* Control::hit(const Stop& stop) {
    for (Point& point : points_) {
        if (!meets(point, stop) || !holds(point)) continue;
        if (!point.rule.allows(++point.hits)) continue;
        if (!point.log.empty()) {
            say(point);
            continue;
        }
        hit_ = point.number;
        return &point;
    }
    return nullptr;
}

// On the way back hits are not counted.
Point* Control::wanting(const Stop& stop) {
    for (Point& point : points_) {
        if (meets(point, stop) && point.log.empty() && holds(point)) return &point;
    }
    return nullptr;
}

void Control::say(const Point& point) {
    if (!log) return;
    std::string text;
    const std::string_view all = point.log;
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t begin = std::min(all.find('{', at), all.size()), end = all.find('}', begin);
        text += all.substr(at, begin - at);
        if (end == std::string_view::npos) {
            text += all.substr(begin);
            break;
        }
        std::string error;
        const std::optional<Value> value = evaluator().evaluate(all.substr(begin + 1, end - begin - 1), error);
        text += value ? fmt::format("{}", value->value) : "{" + error + "}";
        at = end + 1;
    }
    log(point, text);
}

// ---------------------------------------------------------------------------------------------------------------------
// Running

bool Control::stops_here(Stop& stop) {
    if (stop.kind == Stop::Kind::done && hit({.kind = Stop::Kind::breakpoint}) != nullptr)
        stop.kind = Stop::Kind::breakpoint;
    return stop.kind != Stop::Kind::done;
}

// Whether the user wants it back, or it has executed what it may.
bool Control::is_enough(Stop& stop, std::uint64_t first, std::uint64_t steps) {
    if (stop.kind != Stop::Kind::done) return true;
    if (steps % stops_between_looks == 0 && execution_.interrupted && execution_.interrupted())
        stop.kind = Stop::Kind::interrupted;
    else if (execution_.limit != 0 && execution_.executed() - first >= execution_.limit)
        stop.kind = Stop::Kind::limit;
    return stop.kind != Stop::Kind::done;
}

Stop Control::step_once(Changes& changes, TraceRecord& record) {
    Stop stop = execution_.step(&record);
    merge(changes, record.changes);
    if (stop.kind == Stop::Kind::watch && hit(stop) == nullptr) stop.kind = Stop::Kind::done;
    return stop;
}

Stop Control::run_until(const std::vector<std::uint64_t>& addresses) {
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
Stop Control::enter(Changes& changes, bool& called) {
    const std::uint64_t behind = machine().pc() + length_at(machine().pc());
    TraceRecord record;
    Stop stop = step_once(changes, record);
    const bool leaves = std::any_of(record.changes.begin(), record.changes.end(), [&](const auto& change) {
        return change.name != "pc" && change.value == behind && !change.late;
    });
    called = leaves && stop.kind == Stop::Kind::done && (machine().pc() != behind || jumps_later(machine()));
    while (called && stop.kind == Stop::Kind::done && jumps_later(machine())) stop = step_once(changes, record);
    // A breakpoint where the called function begins; from there on it would be where the running begins.
    if (called) stops_here(stop);
    return stop;
}

// One instruction, and if it calls, all until it returns. By recursion it may call again meanwhile: those calls return to
// the same place, and first.
Stop Control::step_over(Changes& changes) {
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
bool Control::is_behind_call(std::uint64_t address) const {
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
Stop Control::step_in_function(bool& returned) {
    const std::uint64_t address = machine().pc();
    const Jump jump = machine().jump_at(address);
    Changes changes;
    TraceRecord record;
    Stop stop = step_over(changes);
    while (stop.kind == Stop::Kind::done && jump.computed && jumps_later(machine())) stop = step_once(changes, record);
    returned = stop.kind == Stop::Kind::done && jump.computed && !jump.calls &&
               machine().pc() != address + length_at(address) && is_behind_call(machine().pc());
    if (!returned) stops_here(stop);
    return stop;
}

Stop Control::finish() {
    const std::uint64_t first = execution_.executed();
    bool returned = false;
    Stop stop;
    for (std::uint64_t steps = 1; !returned; ++steps) {
        stop = step_in_function(returned);
        if (returned || is_enough(stop, first, steps)) break;
    }
    return stop;
}

Stop Control::step(std::uint64_t times, bool over, Changes& changes) {
    Stop stop;
    TraceRecord record;
    const std::uint64_t first = execution_.executed();
    for (std::uint64_t done = 0; done < times; ++done) {
        if (done != 0 && is_enough(stop, first, done)) break;
        stop = over ? step_over(changes) : step_once(changes, record);
        if (stops_here(stop)) break;
    }
    return stop;
}

Stop Control::step_line(bool over) {
    const std::optional<SourceLine> line = line_here();
    const std::uint64_t first = execution_.executed();
    Stop stop;
    for (std::uint64_t steps = 1;; ++steps) {
        Changes changes;
        stop = step(1, over, changes);
        if (is_enough(stop, first, steps) || !line) return stop;
        const std::optional<SourceLine> now = line_here();
        if (now && *now != *line) return stop;
        // A loop on one line comes to its begin again.
        if (now && map_.address_of(now->file, now->line) == machine().pc()) return stop;
    }
}

Stop Control::step_line_back() {
    const auto at_begin = [&](const std::optional<SourceLine>& line) {
        return !line || map_.address_of(line->file, line->line) == machine().pc();
    };
    std::uint64_t steps = 0;
    while (true) {
        Stop stop = execution_.step_back();
        if (stop.kind != Stop::Kind::done) return stop;
        const std::optional<SourceLine> line = line_here();
        if (at_begin(line)) return stop;
        if (++steps % 16 == 0 && execution_.interrupted && execution_.interrupted()) {
            stop.kind = Stop::Kind::interrupted;
            return stop;
        }
    }
}

Stop Control::run_back() {
    Stop stop = execution_.run_back([this](const Stop& each) { return would_stop(each); });
    if (stop.kind == Stop::Kind::breakpoint || stop.kind == Stop::Kind::watch) {
        if (const Point* const point = wanting(stop)) hit_ = point->number;
    }
    return stop;
}

// ---------------------------------------------------------------------------------------------------------------------
// Places

unsigned Control::length_at(std::uint64_t address) const {
    Index form = no_index;
    Image image;
    unsigned bits = 0;
    const Isa& isa = machine().isa();
    if (!machine().decode(address, form, image, bits)) bits = isa.unit_bits;
    return std::max(1u, bits / std::max(1u, isa.address_bits));
}

// Where the `count`-th instruction before an address begins, as far as that can be known: decoded from the label before.
std::uint64_t Control::begin_before(std::uint64_t address, unsigned count) const {
    const NamedAddress* label = map_.label_before(address);
    std::uint64_t from = 0;
    if (label != nullptr && label->value < address) {
        from = label->value;
    } else if (const NamedAddress* earlier = address == 0 ? nullptr : map_.label_before(address - 1)) {
        from = earlier->value;
    } else {
        for (const auto& [begin, end] : map_.code()) {
            if (begin <= address && address < end) from = begin;
        }
    }
    if (address - from > most_code_looked_back) return address;
    std::vector<std::uint64_t> begins;
    for (std::uint64_t at = from; at < address; at += length_at(at)) begins.push_back(at);
    if (begins.empty()) return address;
    if (begins.back() + length_at(begins.back()) != address) return address;  // the stretch does not decode to here
    return begins[begins.size() - std::min<std::size_t>(count, begins.size())];
}

}  // namespace isaforge::debugger

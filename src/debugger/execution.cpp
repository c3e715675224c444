#include "debugger/execution.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace isaforge::debugger {

namespace {

constexpr std::uint64_t watching_slice = std::uint64_t{1} << 20;  // divided by how many bytes are compared each time
constexpr std::size_t most_bytes_shown = 16;

// A register in one number, memory as it lies there.
std::string shown(const std::vector<std::uint8_t>& bytes, const Watch& watch, unsigned lane_bytes) {
    std::string text;
    if (!watch.is_register) {
        for (std::size_t i = 0; i < bytes.size() && i < most_bytes_shown; ++i) {
            text += fmt::format("{}{:02x}", i == 0 ? "" : " ", bytes[i]);
        }
        return bytes.size() > most_bytes_shown ? text + " …" : text;
    }
    for (std::size_t lane = 0; lane < bytes.size(); lane += lane_bytes) {
        if (lane != 0) text += ':';
        for (std::size_t i = lane_bytes; i-- > 0;) text += fmt::format("{:02x}", bytes[lane + i]);
    }
    return text;
}

// Something was done, even if it was only that an event came.
bool was_step(const RunResult& result) { return result.instructions != 0 || result.reason == StopReason::running; }

unsigned bytes_of_lane(const RegisterFile& file) { return std::max(1u, (file.bits + 7) / 8); }

}  // namespace

std::string watch_name(const Watch& watch, const Machine& machine) {
    if (watch.is_register) return machine.register_name(watch.object, watch.number);
    return fmt::format("{}[{:#x}:{}]", machine.isa().memories[watch.object].name, watch.number, watch.length);
}

Execution::Execution(Machine& machine, std::shared_ptr<TapedStreams> streams)
    : machine_(machine), streams_(std::move(streams)), history_(machine) {
    history_.streams = streams_.get();
    if (streams_) streams_->now = [this] { return executed(); };
}

Execution::~Execution() {
    if (streams_) streams_->now = nullptr;
}

void Execution::add_breakpoint(std::uint64_t address) {
    if (++breakpoints_[address] == 1) machine_.set_breakpoint(address, true);
}

void Execution::remove_breakpoint(std::uint64_t address) {
    const auto found = breakpoints_.find(address);
    if (found == breakpoints_.end() || --found->second != 0) return;
    breakpoints_.erase(found);
    machine_.set_breakpoint(address, false);
}

bool Execution::add_watch(const Watch& watch) {
    const Isa& isa = machine_.isa();
    if (watch.is_register) {
        if (watch.object >= isa.register_files.size() || watch.number >= isa.register_files[watch.object].count) {
            return false;
        }
    } else {
        std::vector<std::uint8_t> bytes(watch.length <= most_watched_bytes ? watch.length : 0);
        if (watch.object >= isa.memories.size() || bytes.empty()) return false;
        if (!read_bytes(machine_, watch.object, watch.number, bytes)) return false;
    }
    if (watch.is_register && watch.when != Watch::When::changed) return false;
    std::vector<std::uint8_t> now = value_of(watch);
    if (watched_bytes_ + now.size() > most_watched_bytes) return false;
    watched_bytes_ += now.size();
    watched_.push_back({watch, std::move(now)});
    return true;
}

void Execution::remove_watch(const Watch& watch) {
    const auto found =
        std::find_if(watched_.begin(), watched_.end(), [&](const Watched& each) { return each.watch == watch; });
    if (found == watched_.end()) return;
    watched_bytes_ -= found->last.size();
    watched_.erase(found);
}

bool Execution::change(const Change& what, std::size_t bytes) {
    history_.look();
    if (!what(machine())) return false;
    history_.did_change(hart_, what, bytes);
    if (streams_) streams_->diverge();
    look();
    return true;
}

void Execution::restarted() {
    history_.forget();
    if (streams_) streams_->begin_again();
    look();
}

void Execution::look() {
    for (Watched& each : watched_) each.last = value_of(each.watch);
}

std::vector<std::uint8_t> Execution::value_of(const Watch& watch) const {
    if (!watch.is_register) {
        std::vector<std::uint8_t> bytes(watch.length);
        read_bytes(machine_, watch.object, watch.number, bytes);
        return bytes;
    }
    const RegisterFile& file = machine_.isa().register_files[watch.object];
    std::vector<std::uint8_t> bytes;
    for (unsigned lane = 0; lane < file.lanes; ++lane) {
        const std::uint64_t value = machine_.hart(watch.hart).get(watch.object, watch.number, lane);
        for (unsigned i = 0; i < bytes_of_lane(file); ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
    }
    return bytes;
}

bool Execution::find_change(Stop& stop) {
    bool found = false;
    for (Watched& each : watched_) {
        if (each.watch.when != Watch::When::changed) continue;
        std::vector<std::uint8_t> now = value_of(each.watch);
        if (now == each.last) continue;
        if (!found) {
            const unsigned lane_bytes =
                each.watch.is_register ? bytes_of_lane(machine_.isa().register_files[each.watch.object]) : 1;
            stop.watch = each.watch;
            stop.change = fmt::format("{}: {} -> {}", watch_name(each.watch, machine_),
                                      shown(each.last, each.watch, lane_bytes), shown(now, each.watch, lane_bytes));
        }
        found = true;
        each.last = std::move(now);
    }
    return found;
}

bool Execution::find_access(Stop& stop, const TraceRecord& record) const {
    for (const Watched& each : watched_) {
        const Watch& watch = each.watch;
        if (watch.is_register || watch.when == Watch::When::changed) continue;
        const std::uint64_t unit = machine_.isa().memories[watch.object].unit_bytes();
        const std::uint64_t watched = watch.number * unit;
        for (const TraceRecord::Access& access : record.accesses) {
            const std::uint64_t at = access.address * unit;
            const bool meets = at - watched < watch.length || watched - at < access.bits / 8;
            const bool wanted = watch.when == Watch::When::accessed || !access.is_store;
            if (access.memory != watch.object || !meets || !wanted) continue;
            stop.watch = watch;
            stop.change = fmt::format("{} is {}", watch_name(watch, machine_), access.is_store ? "written" : "read");
            return true;
        }
    }
    return false;
}

// What an instruction at `address` did to what is watched.
void Execution::find_watch(Stop& stop, std::uint64_t address, const TraceRecord& record) {
    if (!find_change(stop) && !find_access(stop, record)) return;
    stop.kind = Stop::Kind::watch;
    stop.address = address;
}

std::string Execution::hart_text(unsigned hart) const {
    const std::string number = fmt::format("hart {}", hart), name = machine_.hart(hart).hart_name();
    return name.starts_with("hart ") ? number : number + ", " + name;
}

bool Execution::choose(unsigned hart) {
    if (hart >= harts()) return false;
    hart_ = hart;
    return true;
}

std::uint64_t Execution::executed() const {
    std::uint64_t sum = 0;
    for (unsigned hart = 0; hart < harts(); ++hart) sum += machine_.hart(hart).instructions();
    return sum;
}

Stop Execution::step(TraceRecord* record) {
    Stop stop;
    const std::uint64_t address = machine().pc();
    TraceRecord own;
    if (record == nullptr && !watched_.empty()) record = &own;
    history_.look();
    stop.result = machine().step(record);
    if (was_step(stop.result)) history_.did(History::Kind::step, hart_, 1);
    if (streams_ && harts() > 1) streams_->diverge();
    if (stop.result.reason != StopReason::running) stop.kind = Stop::Kind::machine;
    if (record != nullptr && !watched_.empty() && stop.kind == Stop::Kind::done) find_watch(stop, address, *record);
    return stop;
}

// One instruction of whichever hart has its turn.
Stop Execution::step_any() {
    if (harts() == 1) return step();
    Stop stop;
    TraceRecord record;
    history_.look();
    stop.result = machine_.step_any(&record);
    if (was_step(stop.result)) history_.did(History::Kind::step_any, 0, 1);
    hart_ = stop.result.hart;
    if (stop.result.reason == StopReason::breakpoint) {
        stop.kind = Stop::Kind::breakpoint;
    } else if (stop.result.reason != StopReason::running) {
        stop.kind = Stop::Kind::machine;
    } else {
        find_watch(stop, record.address, record);
    }
    return stop;
}

// How many instructions are executed between two looks at the user's wishes.
std::uint64_t Execution::slice() const {
    constexpr std::uint64_t bytes_of_step = 64;  // what a step takes besides comparing, in bytes compared
    return watched_.empty() ? running_slice : watching_slice / (bytes_of_step + watched_bytes_);
}

Stop Execution::run_watching(std::uint64_t most) {
    Stop stop;
    for (std::uint64_t done = 0; done < most; ++done) {
        stop = step_any();
        if (stop.kind != Stop::Kind::done) return stop;
        if (harts() == 1 && breakpoints_.contains(machine_.pc())) {
            stop.kind = Stop::Kind::breakpoint;
            return stop;
        }
    }
    stop.kind = Stop::Kind::limit;
    return stop;
}

Stop Execution::run() {
    const std::uint64_t first = executed();
    Stop stop;
    history_.begin_run();
    while (true) {
        history_.look();
        const std::uint64_t done = executed() - first;
        std::uint64_t most = slice();
        if (limit != 0) most = std::min(most, limit - std::min(limit, done));
        if (most == 0) {
            stop.kind = Stop::Kind::limit;
            return stop;
        }
        if (!watched_.empty()) {
            stop = run_watching(most);
        } else {
            stop.result = machine_.run(most);
            history_.did(History::Kind::run, 0, stop.result.instructions);
            hart_ = stop.result.hart;
            const StopReason reason = stop.result.reason;
            stop.kind = reason == StopReason::limit        ? Stop::Kind::limit
                        : reason == StopReason::breakpoint ? Stop::Kind::breakpoint
                                                           : Stop::Kind::machine;
            // A slice that ends before a breakpoint begins there next time, and would pass it; several harts remember.
            const bool ends_there = stop.kind == Stop::Kind::limit && harts() == 1;
            if (ends_there && breakpoints_.contains(machine_.pc())) stop.kind = Stop::Kind::breakpoint;
        }
        if (stop.kind != Stop::Kind::limit) return stop;
        if (wants_stop()) {
            stop.kind = Stop::Kind::interrupted;
            return stop;
        }
    }
}

}  // namespace isaforge::debugger

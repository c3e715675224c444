// Several harts: in turns of random length, so that the same seed gives the same run, or each on a thread of its own.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <thread>

#include "machine/state.hpp"
#include "support/threads.hpp"

namespace isaforge {

namespace {

constexpr std::uint64_t never = ~std::uint64_t{0};
constexpr std::uint64_t instructions_of_thread = 4096;   // between looks at what the others do
constexpr unsigned looks_before_nap = 256;
constexpr auto nap = std::chrono::microseconds(50);

using Harts = std::vector<Machine::State*>;

// Short turns are as likely as long ones, for most mistakes of programs show where few instructions come between. In programs
// that run long there are longer ones, too.
std::uint64_t turn_length(machine::TurnOrder& order) {
    const auto kinds = 11 + std::min(4u, static_cast<unsigned>(std::bit_width(order.elapsed >> 20)));
    const std::uint64_t number = order.random(), longest = std::uint64_t{1} << order.random() % kinds;
    return 1 + (number & (longest - 1));
}

// ---------------------------------------------------------------------------------------------------------------------

// Harts of whole groups, one at a time. The machine's only ones, or those of a thread.
class Turns {
public:
    Turns(machine::System& system, machine::TurnOrder& order, Harts harts, bool on_thread)
        : system_(system), order_(order), harts_(std::move(harts)), on_thread_(on_thread) {}

    // Which hart ended the run, and why: `waiting` where none can go on, on a thread perhaps for now. `limit` 0: none.
    StopReason run(std::uint64_t limit, unsigned& last);

    // The hart whose turn it is; null where none can run, with the reason. A turn outlasts the run that it began in.
    Machine::State* next(StopReason& reason);
    void pass(const Machine::State& hart, std::uint64_t done, std::uint64_t asked, bool goes_on);

    // Asked by any thread: changes nothing, and where it is not sure it says yes.
    bool may_go_on() const;
    bool will_be_woken() const;
    std::uint64_t executed() const { return executed_; }

private:
    bool ready(Machine::State& hart) const;
    bool all_have_stopped() const;
    bool begin_next_groups();
    bool wake();
    void pass_turn() { order_.turn = order_.turn + 1 == harts_.size() ? 0 : order_.turn + 1; }

    machine::System& system_;
    machine::TurnOrder& order_;
    Harts harts_;
    bool on_thread_;
    std::uint64_t executed_ = 0;
};

bool Turns::ready(Machine::State& hart) const {
    if (hart.stopped || !hart.has_passed_barrier() || hart.is_stalled()) return false;
    hart.core.time_base = order_.elapsed - hart.core.count;
    if (hart.core.waiting && system_.raised(hart.core.slot, hart.time())) hart.core.waiting = false;
    return !hart.core.waiting;
}

bool Turns::may_go_on() const {
    return std::any_of(harts_.begin(), harts_.end(), [&](const Machine::State* hart) {
        if (hart->stopped || hart->is_stalled()) return false;
        if (hart->core.at_barrier && !hart->group->barrier.has_passed(hart->barrier)) return false;
        return !hart->core.waiting || system_.raised(hart->core.slot, hart->time()).has_value();
    });
}

bool Turns::all_have_stopped() const {
    return std::all_of(harts_.begin(), harts_.end(), [](Machine::State* hart) { return hart->stopped; });
}

// In the place of those that have ended. False where none was left to begin.
bool Turns::begin_next_groups() {
    if (system_.group_count == 1) return false;
    bool any = false;
    for (std::size_t first = 0; first < harts_.size(); first += system_.group_harts) {
        machine::Group& group = *harts_[first]->group;
        if (!group.barrier.all_left()) continue;
        const unsigned number = system_.groups_begun.fetch_add(1);
        if (number >= system_.group_count) {
            system_.groups_begun = system_.group_count;
            return any;
        }
        group.clear_memories();
        group.barrier.begin(system_.group_harts);
        if (system_.checker) system_.checker->begin(group);
        for (unsigned i = 0; i < system_.group_harts; ++i) harts_[first + i]->begin_again(number);
        any = true;
    }
    return any;
}

// Whether time, or somebody outside, will wake a hart.
bool Turns::will_be_woken() const {
    for (const Machine::State* hart : harts_)
        if (!hart->stopped && system_.due(hart->core.slot) != never) return true;
    return system_.input_may_come();
}

// With all harts waiting: on to the time at which the first wakes. False where none will.
bool Turns::wake() {
    if (!will_be_woken()) return false;
    std::uint64_t due = never;
    for (Machine::State* hart : harts_)
        if (!hart->stopped) due = std::min(due, system_.due(hart->core.slot));
    if (due == never || system_.real_time)
        std::this_thread::sleep_for(nap);
    else
        order_.elapsed = std::max(order_.elapsed, due);
    return true;
}

Machine::State* Turns::next(StopReason& reason) {
    const auto count = static_cast<unsigned>(harts_.size());
    if (order_.turn_left != 0 && ready(*harts_[order_.turn_of])) return harts_[order_.turn_of];
    while (true) {
        begin_next_groups();
        unsigned passed = 0;
        while (passed < count && !ready(*harts_[order_.turn])) ++passed, pass_turn();
        if (passed != count) break;
        reason = all_have_stopped() ? StopReason::stopped : StopReason::waiting;
        if (reason == StopReason::stopped || on_thread_ || !wake()) return nullptr;
    }
    order_.turn_of = order_.turn;
    pass_turn();
    order_.turn_left = count == 1 ? never : turn_length(order_);
    return harts_[order_.turn_of];
}

// A hart has executed so many instructions of the `asked` that it might have.
void Turns::pass(const Machine::State& hart, std::uint64_t done, std::uint64_t asked, bool goes_on) {
    order_.elapsed += done;
    executed_ += done;
    const bool has_more = !hart.core.yields && (done == asked || goes_on);
    order_.turn_left = has_more ? order_.turn_left - done : 0;
    if (on_thread_ && hart.core.yields) std::this_thread::yield();
}

StopReason Turns::run(std::uint64_t limit, unsigned& last) {
    const std::uint64_t first = executed_;
    while (limit == 0 || executed_ - first < limit) {
        StopReason reason = StopReason::running;
        Machine::State* hart = next(reason);
        if (hart == nullptr) return reason;
        last = hart->core.slot;
        if (hart->begun != StopReason::running) return hart->begun;
        const std::uint64_t before = hart->core.count;
        const std::uint64_t left = limit == 0 ? never : limit - (executed_ - first);
        const std::uint64_t length = std::min({order_.turn_left, left, never - before});
        reason = on_thread_ ? hart->execute_awake(before + length) : hart->execute(before + length);
        pass(*hart, hart->core.count - before, length, reason == StopReason::breakpoint);
        if (system_.ending) return StopReason::stopped;
        if (reason != StopReason::running && reason != StopReason::stopped) return reason;
    }
    return StopReason::running;
}

// ---------------------------------------------------------------------------------------------------------------------

// Each hart on a thread of its own; where there are groups, each group.
class Threads {
public:
    Threads(machine::System& system, std::uint64_t seed, const Harts& harts);

    // False, and nothing done, where there are not enough threads.
    bool run(std::uint64_t limit, unsigned& last, StopReason& reason);

private:
    struct Part {
        machine::TurnOrder own_order;
        std::unique_ptr<Turns> turns;
    };

    void try_one(Turns& turns, std::uint64_t limit);
    void run_one(Turns& turns, std::uint64_t limit);
    void end(StopReason reason, unsigned hart);
    void idle(Turns& turns, unsigned hart);
    bool nothing_will_come();

    machine::System& system_;
    std::deque<Part> parts_;
    std::atomic<std::uint64_t> executed_ = 0;
    std::atomic<unsigned> idle_ = 0;         // parts that stopped or wait
    std::atomic<std::uint64_t> woken_ = 0;   // how often one went on
    FirstFailure failure_;
    std::mutex result_lock_;
    bool ended_ = false;
    StopReason reason_ = StopReason::stopped;
    unsigned last_ = 0;
};

Threads::Threads(machine::System& system, std::uint64_t seed, const Harts& harts) : system_(system) {
    const std::size_t together = system.group_count == 1 ? 1 : system.group_harts;
    for (std::size_t i = 0; i < harts.size(); i += together) {
        Part& part = parts_.emplace_back();
        part.own_order.begin(seed + i);
        Harts own(harts.begin() + static_cast<std::ptrdiff_t>(i),
                  harts.begin() + static_cast<std::ptrdiff_t>(i + together));
        part.turns = std::make_unique<Turns>(system, part.own_order, std::move(own), true);
    }
}

// The first to say so is who ended the run.
void Threads::end(StopReason reason, unsigned hart) {
    {
        std::scoped_lock lock(result_lock_);
        if (!ended_) {
            ended_ = true;
            reason_ = reason;
            last_ = hart;
        }
    }
    system_.ending = true;
}

// Asked while all parts are idle, so that nothing changes by itself; who asks looks whether one has woken meanwhile.
bool Threads::nothing_will_come() {
    return std::none_of(parts_.begin(), parts_.end(),
                        [](const Part& part) { return part.turns->will_be_woken() || part.turns->may_go_on(); });
}

void Threads::idle(Turns& turns, unsigned hart) {
    ++idle_;
    for (unsigned looks = 0; !system_.ending; ++looks) {
        // Those that stopped are idle for good; one that waits is woken by what others do, for which it looks itself.
        const std::uint64_t woken = woken_;
        const bool all_idle = idle_ == parts_.size();
        if (turns.may_go_on()) break;
        if (all_idle && nothing_will_come() && woken_ == woken) return end(StopReason::waiting, hart);
        if (looks < looks_before_nap)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(nap);
    }
    ++woken_;
    --idle_;
}

void Threads::run_one(Turns& turns, std::uint64_t limit) {
    unsigned last = 0;
    while (!system_.ending) {
        const std::uint64_t before = turns.executed();
        const StopReason reason = turns.run(instructions_of_thread, last);
        executed_ += turns.executed() - before;
        if (reason == StopReason::stopped) break;
        if (reason == StopReason::waiting)
            idle(turns, last);
        else if (reason != StopReason::running)
            return end(reason, last);
        if (limit != 0 && executed_ >= limit) return end(StopReason::running, last);
    }
    ++idle_;
}

void Threads::try_one(Turns& turns, std::uint64_t limit) {
    try {
        run_one(turns, limit);
    } catch (...) {
        failure_.note_current();
        end(StopReason::failed, 0);
    }
}

// Harts wait for each other, so none begins before each has its thread.
bool Threads::run(std::uint64_t limit, unsigned& last, StopReason& reason) {
    enum Gate { closed, open, given_up };
    std::atomic<Gate> gate = closed;
    bool all = true;
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 1; i < parts_.size() && all; ++i) {
            all = start_thread(threads, [this, i, limit, &gate] {
                gate.wait(closed);
                if (gate == open) try_one(*parts_[i].turns, limit);
            });
        }
        gate = all ? open : given_up;
        gate.notify_all();
        if (all) try_one(*parts_[0].turns, limit);
    }
    failure_.rethrow();
    last = last_;
    reason = reason_;
    return all;
}

}  // namespace

// The first ones; the machine's options say how many live at the same time.
void Machine::begin_groups() {
    machine::System& system = *state_->system;
    system.groups_begun = static_cast<unsigned>(system.groups.size());
    for (machine::Group& group : system.groups) {
        group.clear_flags();
        if (system.dispatch != nullptr) system.problem = group.give_memories(system.dispatch->group_memory);
        group.barrier.begin(system.group_harts);
        if (system.checker) system.checker->begin(group);
    }
}

// What resets say, and whether the program has ended already; else `running`.
StopReason Machine::begin_harts(unsigned& last) {
    StopReason reason = StopReason::running;
    for (unsigned i = 0; i < harts() && reason == StopReason::running; ++i) {
        reason = hart(i).state_->begin();
        last = i;
    }
    machine::System& system = *state_->system;
    std::scoped_lock lock(system.device_lock);
    system.ending = system.exit_status.has_value();
    return system.ending ? StopReason::stopped : reason;
}

RunResult Machine::run_harts(std::uint64_t limit) {
    Harts harts;
    for (unsigned i = 0; i < this->harts(); ++i) harts.push_back(hart(i).state_.get());
    machine::System& system = *state_->system;
    RunResult result;
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t before = 0, after = 0, cycles_before = 0, cycles_after = 0;
    unsigned last = 0;
    for (const State* each : harts) before += each->core.count, cycles_before += each->core.cycles;
    StopReason reason = begin_harts(last);
    const bool threads = state_->options.threads && harts.size() > 1;
    if (reason == StopReason::running &&
        !(threads && Threads(system, state_->options.seed, harts).run(limit, last, reason)))
        reason = Turns(system, system.turns, harts, false).run(limit, last);
    for (const State* each : harts) after += each->core.count, cycles_after += each->core.cycles;
    hart(last).finish(result, reason);
    result.instructions = after - before;
    result.cycles = cycles_after - cycles_before;
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

RunResult Machine::step_any(TraceRecord* record) {
    if (others_.empty() && state_->system->group_count == 1) return step(record);
    Harts harts;
    for (unsigned i = 0; i < this->harts(); ++i) harts.push_back(hart(i).state_.get());
    machine::System& system = *state_->system;
    Turns turns(system, system.turns, harts, false);
    RunResult result;
    unsigned last = 0;
    StopReason reason = begin_harts(last);
    State* chosen = reason == StopReason::running ? turns.next(reason) : nullptr;
    if (chosen != nullptr) last = chosen->core.slot;
    const bool breaks = chosen != nullptr && chosen->core.passes_at != chosen->core.count &&
                        system.breakpoints.contains(chosen->next_pc());
    if (chosen == nullptr || breaks) {
        if (breaks) chosen->core.passes_at = chosen->core.count;
        hart(last).finish(result, breaks ? StopReason::breakpoint : reason);
        return result;
    }
    result = hart(last).step(record);
    turns.pass(*chosen, result.instructions, 1, result.reason == StopReason::running && !chosen->core.waiting);
    if (result.reason == StopReason::stopped && !system.ending) result.reason = StopReason::running;
    if (!result.message.empty()) result.message = fmt::format("{}: {}", hart(last).hart_name(), result.message);
    return result;
}

}  // namespace isaforge

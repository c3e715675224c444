// Several harts: in turns of random length, so that the same seed gives the same run, or each on a thread of its own.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "machine/state.hpp"
#include "support/threads.hpp"

namespace isaforge {

namespace {

constexpr std::uint64_t never = ~std::uint64_t{0};
constexpr std::uint64_t instructions_of_thread = 4096;   // between looks at what the others do
constexpr auto nap = std::chrono::microseconds(50);

using Harts = std::vector<Machine::State*>;

// Short turns are as likely as long ones, for most mistakes of programs show where few instructions come between.
std::uint64_t turn_length(std::mt19937_64& random) {
    const std::uint64_t number = random(), longest = std::uint64_t{1} << random() % 11;
    return 1 + (number & (longest - 1));
}

// ---------------------------------------------------------------------------------------------------------------------

class Turns {
public:
    Turns(machine::System& system, Harts harts) : system_(system), harts_(std::move(harts)) {}

    // Which hart ended the run, and why. `limit` 0: none.
    StopReason run(std::uint64_t limit, unsigned& last);

    Machine::State* next(StopReason& reason);
    void pass(std::uint64_t done, std::uint64_t asked, bool goes_on);

private:
    bool ready(Machine::State& hart) const;
    bool wake();
    void pass_turn() { system_.turn = system_.turn + 1 == harts_.size() ? 0 : system_.turn + 1; }

    machine::System& system_;
    Harts harts_;
};

bool Turns::ready(Machine::State& hart) const {
    if (hart.stopped) return false;
    hart.core.time_base = system_.elapsed - hart.core.count;
    if (hart.core.waiting && system_.raised(hart.core.hart, hart.time())) hart.core.waiting = false;
    return !hart.core.waiting;
}

// With all harts waiting: on to the time at which the first wakes. False where none will.
bool Turns::wake() {
    std::uint64_t due = never;
    for (Machine::State* hart : harts_)
        if (!hart->stopped) due = std::min(due, system_.due(hart->core.hart));
    if (due == never && !system_.input_may_come()) return false;
    if (due == never || system_.real_time)
        std::this_thread::sleep_for(nap);
    else
        system_.elapsed = std::max(system_.elapsed, due);
    return true;
}

// The hart whose turn it is; null where none can run, with the reason. A turn outlasts the run that it began in.
Machine::State* Turns::next(StopReason& reason) {
    const auto count = static_cast<unsigned>(harts_.size());
    if (system_.turn_left != 0 && ready(*harts_[system_.turn_of])) return harts_[system_.turn_of];
    while (true) {
        unsigned passed = 0;
        while (passed < count && !ready(*harts_[system_.turn])) ++passed, pass_turn();
        if (passed != count) break;
        const bool all = std::all_of(harts_.begin(), harts_.end(), [](Machine::State* hart) { return hart->stopped; });
        reason = all ? StopReason::stopped : StopReason::waiting;
        if (all || !wake()) return nullptr;
    }
    system_.turn_of = system_.turn;
    pass_turn();
    system_.turn_left = turn_length(system_.random);
    return harts_[system_.turn_of];
}

// A hart has executed so many instructions of the `asked` that it might have.
void Turns::pass(std::uint64_t done, std::uint64_t asked, bool goes_on) {
    system_.elapsed += done;
    system_.turn_left = done == asked || goes_on ? system_.turn_left - done : 0;
}

StopReason Turns::run(std::uint64_t limit, unsigned& last) {
    std::uint64_t executed = 0;
    while (limit == 0 || executed < limit) {
        StopReason reason = StopReason::running;
        Machine::State* hart = next(reason);
        if (hart == nullptr) return reason;
        last = hart->core.hart;
        const std::uint64_t before = hart->core.count;
        const std::uint64_t length = limit == 0 ? system_.turn_left : std::min(system_.turn_left, limit - executed);
        reason = hart->execute(before + length);
        const std::uint64_t done = hart->core.count - before;
        executed += done;
        pass(done, length, reason == StopReason::breakpoint);
        if (system_.ending) return StopReason::stopped;
        if (reason != StopReason::running && reason != StopReason::stopped) return reason;
    }
    return StopReason::running;
}

// ---------------------------------------------------------------------------------------------------------------------

class Threads {
public:
    Threads(machine::System& system, Harts harts) : system_(system), harts_(std::move(harts)) {}

    // False, and nothing done, where there are not enough threads.
    bool run(std::uint64_t limit, unsigned& last, StopReason& reason);

private:
    void try_one(Machine::State& hart, std::uint64_t limit);
    void run_one(Machine::State& hart, std::uint64_t limit);
    void end(StopReason reason, const Machine::State& hart);
    void idle(Machine::State& hart);
    bool nothing_will_come();

    machine::System& system_;
    Harts harts_;
    std::atomic<std::uint64_t> executed_ = 0;
    std::atomic<unsigned> idle_ = 0;         // harts that stopped or wait
    FirstFailure failure_;
    std::mutex result_lock_;
    bool ended_ = false;
    StopReason reason_ = StopReason::stopped;
    unsigned last_ = 0;
};

// The first to say so is who ended the run.
void Threads::end(StopReason reason, const Machine::State& hart) {
    {
        std::scoped_lock lock(result_lock_);
        if (!ended_) {
            ended_ = true;
            reason_ = reason;
            last_ = hart.core.hart;
        }
    }
    system_.ending = true;
}

// Asked while all harts are idle, so that nothing changes by itself.
bool Threads::nothing_will_come() {
    for (const Machine::State* hart : harts_)
        if (!hart->stopped && (system_.due(hart->core.hart) != never || system_.raised(hart->core.hart, hart->time())))
            return false;
    return !system_.input_may_come();
}

void Threads::idle(Machine::State& hart) {
    ++idle_;
    while (!system_.ending) {
        const bool all_idle = idle_ == harts_.size();
        if (system_.raised(hart.core.hart, hart.time())) {
            hart.core.waiting = false;
            break;
        }
        // Those that stopped are idle for good; one that waits is woken by a line, for which it looks itself.
        if (all_idle && idle_ == harts_.size() && nothing_will_come()) return end(StopReason::waiting, hart);
        std::this_thread::sleep_for(nap);
    }
    --idle_;
}

void Threads::run_one(Machine::State& hart, std::uint64_t limit) {
    while (!system_.ending) {
        const std::uint64_t before = hart.core.count;
        const StopReason reason = hart.execute_awake(before + instructions_of_thread);
        executed_ += hart.core.count - before;
        if (reason == StopReason::stopped) break;
        if (reason != StopReason::running) return end(reason, hart);
        if (limit != 0 && executed_ >= limit) return end(StopReason::running, hart);
        if (hart.core.waiting) idle(hart);
    }
    ++idle_;
}

void Threads::try_one(Machine::State& hart, std::uint64_t limit) {
    try {
        run_one(hart, limit);
    } catch (...) {
        failure_.note_current();
        end(StopReason::failed, hart);
    }
}

// Harts wait for each other, so none begins before each has its thread.
bool Threads::run(std::uint64_t limit, unsigned& last, StopReason& reason) {
    enum Gate { closed, open, given_up };
    std::atomic<Gate> gate = closed;
    bool all = true;
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 1; i < harts_.size() && all; ++i) {
            all = start_thread(threads, [this, i, limit, &gate] {
                gate.wait(closed);
                if (gate == open) try_one(*harts_[i], limit);
            });
        }
        gate = all ? open : given_up;
        gate.notify_all();
        if (all) try_one(*harts_[0], limit);
    }
    failure_.rethrow();
    last = last_;
    reason = reason_;
    return all;
}

}  // namespace

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
    std::uint64_t before = 0, after = 0;
    unsigned last = 0;
    for (const State* each : harts) before += each->core.count;
    StopReason reason = begin_harts(last);
    if (reason == StopReason::running && !(state_->options.threads && Threads(system, harts).run(limit, last, reason)))
        reason = Turns(system, harts).run(limit, last);
    for (const State* each : harts) after += each->core.count;
    hart(last).finish(result, reason);
    result.instructions = after - before;
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

RunResult Machine::step_any(TraceRecord* record) {
    if (others_.empty()) return step(record);
    Harts harts;
    for (unsigned i = 0; i < this->harts(); ++i) harts.push_back(hart(i).state_.get());
    machine::System& system = *state_->system;
    Turns turns(system, harts);
    RunResult result;
    unsigned last = 0;
    StopReason reason = begin_harts(last);
    State* chosen = reason == StopReason::running ? turns.next(reason) : nullptr;
    if (chosen != nullptr) last = chosen->core.hart;
    const bool breaks = chosen != nullptr && chosen->core.passes_at != chosen->core.count &&
                        system.breakpoints.contains(chosen->next_pc());
    if (chosen == nullptr || breaks) {
        if (breaks) chosen->core.passes_at = chosen->core.count;
        hart(last).finish(result, breaks ? StopReason::breakpoint : reason);
        return result;
    }
    result = hart(last).step(record);
    turns.pass(result.instructions, 1, result.reason == StopReason::running && !chosen->core.waiting);
    if (result.reason == StopReason::stopped && !system.ending) result.reason = StopReason::running;
    if (!result.message.empty()) result.message = fmt::format("hart {}: {}", last, result.message);
    return result;
}

}  // namespace isaforge

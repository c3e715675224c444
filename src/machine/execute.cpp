// Running one hart: stretches of instructions, and what happens between them: faults that are events of the description,
// interrupts, transactions that are taken back, translations that are dropped.
#include <algorithm>
#include <cstring>
#include <thread>

#include "machine/state.hpp"

namespace isaforge {

using machine::AbortReason;
using machine::MicroOp;

namespace {

constexpr std::uint64_t no_limit = ~std::uint64_t{0};
constexpr std::uint64_t instructions_between_looks = 1024;   // for interrupts

// The event that a reason to stop becomes.
const char* event_of(StopReason reason) {
    switch (reason) {
        case StopReason::illegal: return "illegal";
        case StopReason::misaligned_code: return "misaligned_code";
        case StopReason::bad_execute: return "bad_execute";
        case StopReason::bad_read: return "bad_read";
        case StopReason::bad_write: return "bad_write";
        case StopReason::misaligned: return "misaligned";
        default: return nullptr;
    }
}

// The same for why a transaction was taken back.
const char* event_of(AbortReason reason) {
    switch (reason) {
        case AbortReason::conflict: return "transaction_conflict";
        case AbortReason::event: return "transaction_event";
        case AbortReason::depth: return "transaction_too_deep";
        default: return "transaction_too_large";
    }
}

}  // namespace

Index Machine::State::find_event(std::string_view name) const {
    for (Index i = 0; i < isa.events.size(); ++i)
        if (isa.events[i].name == name) return i;
    return no_index;
}

// Operations that belong to no instruction; they end with come_back.
void Machine::State::run_aside(const MicroOp& first) {
    const MicroOp* next = core.next;
    core.next = &first;
    machine::execute(core);
    core.next = next;
}

// With no instruction running: what was overwritten is forgotten.
void Machine::State::drop_now() {
    const std::uint64_t address = next_pc();
    drop_written();
    const bool compiles = program->compiled.on;
    if (drop_all || program->number != system->newest_program) forget_translations();
    use_compiled(compiles);   // the next program too
    set_next(address);
}

// The count at which interrupts are to be looked for, if that is before `stop_at`.
std::uint64_t Machine::State::next_stop(std::uint64_t stop_at) {
    stop_at = next_look(stop_at);
    if (interrupt_event == no_index || system->devices.empty()) return stop_at;
    const std::uint64_t next = std::min(stop_at - core.count, instructions_between_looks);
    if (system->real_time) return core.count + next;
    const std::uint64_t now = core.time_base + core.count, due = system->due(core.slot);
    return core.count + (due > now ? std::min(next, due - now) : next);
}

// Who stalls twice in a row, and did nothing between, has changed nothing for others either.
StopReason Machine::State::execute(std::uint64_t stop_at, bool single) {
    const bool stalled = core.stalls;   // in the turn before: it is tried once more, and then it waits
    const std::uint64_t progress = stalled ? system->progress.sum() : 0, before = core.count;
    const StopReason reason = execute_turn(stop_at, single);
    did_nothing = core.stalls && stalled && core.count == before + 1;
    stalled_at.store(core.stalls ? progress : 0, std::memory_order_release);
    if (!did_nothing)
        options.dispatches ? system->progress.note_own(progress_place) : system->progress.note(progress_place);
    return reason;
}

StopReason Machine::State::execute_turn(std::uint64_t stop_at, bool single) {
    failed_event = no_index;
    core.yields = core.stalls = false;
    if (modes_stale) {
        const bool begins = core.next == &outside;
        const std::uint64_t address = next_pc();
        refresh_modes();
        begins ? jump_to(address) : set_next(address);
    }
    use_compiled(may_compile(single));
    while (core.count != stop_at) {
        settle();
        look_for_hot();
        if (!single && may_be_interrupted() && look_at_interrupts() && core.reason != StopReason::running)
            return core.reason;
        if (stopped) return StopReason::stopped;
        core.stop_at = next_stop(stop_at);
        core.reason = StopReason::running;
        core.stopping = false;
        machine::execute(core);
        if (lacks_room()) continue;
        bool fault = core.reason != StopReason::running;
        if (fault) {
            core.next = core.fault == &outside ? &outside : &machine::instruction_of(core.fault)->first();
            bus.unlock_all();
            if (!handle_fault()) return core.reason;
        }
        stop_if_asked();
        if (stopped) return StopReason::stopped;
        if (core.at_barrier) {
            barrier = group->barrier.come();
            if (!has_passed_barrier()) break;
            if (options.dispatches && group->barrier.has_several()) break;  // those who have waited go first
        }
        if (core.waiting && (system->has_several() || !sleep())) break;
        if ((fault && single) || (core.yields && system->has_several()) || core.stalls) break;
        if (system->ending.load(std::memory_order_relaxed)) break;
    }
    settle();
    if (single) look_at_interrupts();
    if ((core.waiting || core.stalls) && !system->has_several()) core.reason = StopReason::waiting;
    return core.reason;
}

bool Machine::State::has_passed_barrier() {
    if (core.at_barrier && group->barrier.has_passed(barrier)) {
        core.at_barrier = false;
        if (system->checker) system->checker->barrier(*this);
    }
    return !core.at_barrier;
}

void Machine::State::stop_if_asked() {
    if (!core.stopping || stopped) return;
    stopped = true;
    group->barrier.leave();
}

StopReason Machine::State::execute_awake(std::uint64_t stop_at) {
    struct Awake {
        explicit Awake(machine::Bus& given) : bus(given) { bus.wake(); }
        ~Awake() { bus.rest(); }
        machine::Bus& bus;
    } awake(bus);
    return execute(stop_at);
}

// A hart that is alone waits: time goes on to what wakes it. False where nothing will.
bool Machine::State::sleep() {
    while (!system->raised(core.slot, time())) {
        const std::uint64_t due = system->due(core.slot), now = time();
        if (!system->real_time && due != no_limit) {
            core.time_base += due - now;
        } else if (due != no_limit || system->input_may_come()) {
            system->streams->flush();
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        } else {
            return false;
        }
    }
    core.waiting = false;
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Events

// core.reason says what went wrong at core.next. False where the run ends with it.
bool Machine::State::handle_fault() {
    if (core.reason == StopReason::aborted) return handle_abort(static_cast<AbortReason>(core.fault_address));
    const char* name = event_of(core.reason);
    if (name == nullptr) return false;
    if (bus.transaction.active()) return handle_abort(AbortReason::event);
    const Index event = find_event(name);
    if (event == no_index) return false;
    ++core.counters[static_cast<std::size_t>(ir::Counter::events)];
    const std::uint64_t address = core.next == &outside ? outside_fault : core.fault_address;
    const StopReason cause = core.reason;
    const unsigned bits = core.fault_bits;
    if (handle_event(event, next_pc(), address)) return true;
    event_cause = access_text(cause, address, bits);
    return false;
}

// Runs an event as an instruction that counts for nothing. False where the run ends there.
bool Machine::State::handle_event(Index event, std::uint64_t address, std::uint64_t first_value,
                                  std::uint64_t second_value) {
    if (core.count != event_count) events_in_row = 0;
    event_count = core.count;
    if (++events_in_row > max_events_in_row) {
        core.reason = StopReason::event_loop;
        core.fault_other = event;
        return false;
    }
    Instruction* body = event_at(event, address);
    bus.forget_reservation();
    core.event_values[0] = first_value;
    core.event_values[1] = second_value;
    core.reason = StopReason::running;
    core.stopping = false;
    core.next = &body->first();
    const std::uint64_t pending = core.pending;
    core.pending = 0;
    const bool skipped = core.skipped;
    const std::uint64_t count = core.count;
    core.stop_at = count + 1;
    machine::execute(core);
    core.count = count;
    core.pending = pending;
    core.skipped = skipped;
    stop_if_asked();
    if (core.reason == StopReason::running) return true;
    bus.unlock_all();
    event_trouble = body->trouble;
    failed_event = event;
    set_next(address);
    return false;
}

// Back to where the innermost part of the transaction began; gives that address. Modes are as the registers say.
std::uint64_t Machine::State::take_back() {
    const machine::Transaction::Checkpoint checkpoint = bus.transaction.take_back();
    std::memcpy(block.bytes(), checkpoint.registers.data(), checkpoint.registers.size());
    bus.forget_reservation();
    bus.choose_pages();
    return checkpoint.pc;
}

bool Machine::State::handle_abort(AbortReason reason) {
    const std::uint64_t address = bus.transaction.active() ? take_back() : next_pc();
    refresh_modes();
    set_next(address);
    const Index event = find_event(event_of(reason));
    ++core.counters[static_cast<std::size_t>(ir::Counter::events)];
    if (event != no_index) return handle_event(event, address, 0);
    // It is tried again where that can help.
    if (reason == AbortReason::conflict) {
        core.reason = StopReason::running;
        return true;
    }
    core.reason = StopReason::aborted;
    core.fault_address = static_cast<std::uint64_t>(reason);
    return false;
}

// Between two instructions. True where the event did something, or ended the run: then core.reason is not `running`.
bool Machine::State::look_at_interrupts() {
    if (!may_be_interrupted()) return false;
    std::optional<std::uint32_t> line;
    {
        machine::Pause pause(bus);
        line = system->raised(core.slot, time());
    }
    if (!line) return false;
    const std::uint64_t address = next_pc();
    if (bus.transaction.active()) return interrupt_in_transaction(address, *line);
    if (!handle_event(interrupt_event, address, *line)) return true;
    if (next_pc() == address) return false;
    ++core.counters[static_cast<std::size_t>(ir::Counter::events)];
    return true;
}

// Whether the interrupt is taken is only known behind its handler: where it is, the transaction is taken back instead, and
// the line will be looked at again.
bool Machine::State::interrupt_in_transaction(std::uint64_t address, std::uint32_t line) {
    const std::vector<std::byte> before(block.bytes(), block.bytes() + program->layout.registers_end());
    if (!handle_event(interrupt_event, address, line)) return true;
    if (next_pc() == address) return false;
    std::copy(before.begin(), before.end(), block.bytes());
    handle_abort(AbortReason::event);
    return true;
}

// Those that no instruction can have written since they were zero still are: most programs use few of those that there are.
void Machine::State::clear_registers() {
    clearing.clear();
    if (!program->layout.has_registers()) return;
    note_written_registers();
    for (Index file = 0; file < dirty.size(); ++file) {
        std::byte* const first = block.bytes() + program->layout.offset(file, 0);
        std::fill_n(first, std::size_t{dirty[file]} * program->layout.register_size(file), std::byte{0});
        dirty[file] = 0;
    }
}

// The same for the next of many harts that all begin alike: what is to be cleared was found before, and stays noted as dirty.
// `used`: registers that matter, of each file; those behind may stay as they are. Empty: all.
void Machine::State::clear_again(std::span<const std::uint32_t> used) {
    if (!program->layout.has_registers()) return;
    if (clearing.empty() || written_seen != program->written_changes.load(std::memory_order_acquire)) {
        note_written_registers();
        clearing.clear();
        for (Index file = 0; file < dirty.size(); ++file) {
            const std::uint32_t count = file < used.size() ? std::min(used[file], dirty[file]) : dirty[file];
            if (count == 0) continue;
            const std::uint32_t first = program->layout.offset(file, 0);
            const std::uint32_t end = first + count * program->layout.register_size(file);
            if (!clearing.empty() && clearing.back().second == first)
                clearing.back().second = end;
            else
                clearing.emplace_back(first, end);
        }
    }
    for (const auto& [first, end] : clearing) std::memset(block.bytes() + first, 0, end - first);
}

// The program's numbers are looked at where they have changed, or some of them were cleared since.
void Machine::State::note_written_registers() {
    const std::uint64_t changes = program->written_changes.load(std::memory_order_acquire);
    if (changes != written_seen) {
        const std::lock_guard lock(program->lock);
        written_seen = program->written_changes;
        program_writes = program->written;
    }
    for (Index file = 0; file < dirty.size(); ++file) dirty[file] = std::max(dirty[file], program_writes[file]);
}

// Nothing is under way.
void Machine::State::clear() {
    core.pending = 0;
    core.ports_noted_at = core.passes_at = no_limit;
    stalled_at.store(0, std::memory_order_relaxed);
    stopped = core.stopping = core.waiting = core.at_barrier = core.stalls = started = false;
    begun = core.reason = StopReason::running;
    if (bus.transaction.active()) bus.transaction.clear();
    bus.forget_reservation();
    modes_stale = true;
}

void Machine::State::be_in_group(unsigned number) {
    core.group = number;
    core.hart = number * system->group_harts + slot_in_group;
}

// Another hart, in a group that begins in this one's place.
// As the hart of its dispatch that its place says.
void Machine::State::begin_dispatched(bool first) {
    const machine::Dispatch& dispatch = *system->dispatch;
    const machine::HartPlace place{core.group, dispatch.groups, slot_in_group, dispatch.group_harts, core.slot, first};
    begin_in(*group, place, dispatch);
}

void Machine::State::begin_again(unsigned group_number) {
    be_in_group(group_number);
    if (system->dispatch != nullptr) return begin_dispatched(false);
    clear_registers();
    clear();
    if (system->checker) system->checker->begin(*this, core.group, slot_in_group);
    set_next(start_address);
    begin();
}

// Another hart, of a dispatch, in a group that may be another, too.
void Machine::State::begin_in(machine::Group& other, const machine::HartPlace& place,
                              const machine::Dispatch& dispatch) {
    place.first_of_dispatch ? clear_registers() : clear_again(dispatch.registers_used);
    clear();
    if (group != &other || place.first_of_dispatch) {
        group = &other;
        bus.join(other);
    }
    core.group = static_cast<std::uint32_t>(place.group);
    core.hart = static_cast<std::uint32_t>(place.group) * place.group_harts + place.number;
    core.groups = static_cast<std::uint32_t>(place.groups);
    core.harts = core.groups * place.group_harts;
    start_address = outside_address = dispatch.address;
    core.next = &outside;
    if (system->checker) system->checker->begin(*this, place, dispatch);
    machine::HartRegisters registers(*this);
    if (dispatch.registers) dispatch.registers->put(*this);
    if (!dispatch.set_up(registers, place)) {
        stopped = true;
        group->barrier.leave();
    } else if (begins_at_once()) {
        started = modes_stale = true;   // the first turn does the rest
    } else {
        begin();
    }
}

// Nothing is left of what ran before.
void Machine::State::reset(std::uint64_t address) {
    start_address = address;
    hot.next_look = hot.interval = 0;
    clear_registers();
    clear();
    be_in_group(core.slot / system->group_harts);
    if (system->checker) system->checker->begin(*this, core.group, slot_in_group);
    core.count = core.cycles = core.time_base = 0;
    std::fill(std::begin(core.counters), std::end(core.counters), 0);
    core.signal_counts.clear();
    warnings.clear();
    bus.forget_pages();
    bus.choose_pages();
    forget_translations();
    system->drops = 0;
    counts.clear();
    cycle_counts.clear();
    jump_counts.clear();
    refresh_modes();
    set_next(address);
}

// What the description says that a reset does, once. What is not `running` stopped it.
StopReason Machine::State::begin() {
    if (started) return StopReason::running;
    started = true;
    const std::uint64_t address = next_pc();
    refresh_modes();
    set_next(address);
    failed_event = no_index;
    core.reason = StopReason::running;
    is_beginning = true;
    if (reset_event != no_index) handle_event(reset_event, address, 0);
    is_beginning = false;
    events_in_row = 0;
    return begun = core.reason;
}

}  // namespace isaforge

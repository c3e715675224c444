// Handlers of what the machine around the instructions does: time, other harts, the host, reservations, transactions.
#include "ir/names.hpp"
#include "machine/host.hpp"
#include "machine/memory_bytes.hpp"
#include "machine/state.hpp"

namespace isaforge::machine {

namespace {

Machine::State& owner(Core* core) { return *static_cast<Machine::State*>(core->owner); }

// A number in the order of the memory's bytes, of which `bytes` are used.
std::uint64_t ordered(std::uint64_t value, unsigned bytes, bool big) {
    return big ? __builtin_bswap64(value) >> (64 - 8 * bytes) : value;
}

// The instruction after this one is looked for anew, with no instruction running.
void ask_for_attention(Core* core, std::uint64_t count) { core->stop_at = count + 1; }

}  // namespace

namespace handlers {

// Stands in an instruction's first operation, for its handler. What has stopped once goes on the next time.
void breakpoint(ISAFORGE_HANDLER_PARAMETERS) {
    if (count != core->passes_at) {
        core->passes_at = count;
        return raise(op, core, count, pending, StopReason::breakpoint);
    }
    const Handler replaced = instruction_of(op)->before_breakpoint;
    ISAFORGE_MUST_TAIL return replaced(ISAFORGE_HANDLER_ARGUMENTS);
}

// a: the value; detail.n: the machine's number of the text.
void fail(ISAFORGE_HANDLER_PARAMETERS) {
    core->fault_address = machine::load<std::uint64_t>(state, op->a);
    core->fault_other = op->detail.n;
    raise(op, core, count, pending, StopReason::failed);
}

void event_value(ISAFORGE_HANDLER_PARAMETERS) {
    machine::store(state, op->result, core->event_values[op->detail.n]);
    ISAFORGE_NEXT;
}

void next_pc(ISAFORGE_HANDLER_PARAMETERS) {
    machine::store(state, op->result, core->target);
    ISAFORGE_NEXT;
}

void hart_number(ISAFORGE_HANDLER_PARAMETERS) {
    machine::store(state, op->result, core->hart);
    ISAFORGE_NEXT;
}

void hart_count(ISAFORGE_HANDLER_PARAMETERS) {
    machine::store(state, op->result, core->harts);
    ISAFORGE_NEXT;
}

void group_number(ISAFORGE_HANDLER_PARAMETERS) {
    machine::store(state, op->result, core->group);
    ISAFORGE_NEXT;
}

void group_count(ISAFORGE_HANDLER_PARAMETERS) {
    machine::store(state, op->result, core->groups);
    ISAFORGE_NEXT;
}

// a: the address.
void code(ISAFORGE_HANDLER_PARAMETERS) {
    machine::store(state, op->result, core->bus->code_at(machine::load<std::uint64_t>(state, op->a)));
    ISAFORGE_NEXT;
}

void now(ISAFORGE_HANDLER_PARAMETERS) {
    machine::store(state, op->result, owner(core).system->time(core->time_base + count));
    ISAFORGE_NEXT;
}

// detail.n: the counter.
void executed(ISAFORGE_HANDLER_PARAMETERS) {
    const bool instructions = op->detail.n == static_cast<std::uint32_t>(ir::Counter::instructions);
    machine::store(state, op->result, instructions ? count : core->counters[op->detail.n]);
    ISAFORGE_NEXT;
}

// a: the value; detail.n: which argument.
void host_argument(ISAFORGE_HANDLER_PARAMETERS) {
    core->host_arguments[op->detail.n] = machine::load<std::uint64_t>(state, op->a);
    ISAFORGE_NEXT;
}

// a: the number of the call; detail.n: whom it asks.
void host(ISAFORGE_HANDLER_PARAMETERS) {
    core->count = count;
    core->reason = StopReason::running;
    const std::uint64_t number = machine::load<std::uint64_t>(state, op->a);
    const std::uint64_t result = op->detail.n == ir::to_linux         ? call_linux(owner(core), number)
                                 : op->detail.n == ir::to_new_process ? owner(core).system->process->begin(owner(core))
                                                                      : call_host(owner(core), number);
    if (core->reason != StopReason::running) return raise(op, core, count, pending, core->reason);
    machine::store(state, op->result, result);
    ISAFORGE_NEXT;
}

void wait(ISAFORGE_HANDLER_PARAMETERS) {
    core->waiting = true;
    ask_for_attention(core, count);
    ISAFORGE_NEXT;
}

void barrier(ISAFORGE_HANDLER_PARAMETERS) {
    core->at_barrier = true;
    if (Checker* const checker = owner(core).system->checker.get())
        checker->come_to_barrier(owner(core), *instruction_of(op));
    std::atomic_thread_fence(std::memory_order_seq_cst);
    ask_for_attention(core, count);
    ISAFORGE_NEXT;
}

void yield(ISAFORGE_HANDLER_PARAMETERS) {
    core->yields = true;
    ask_for_attention(core, count);
    ISAFORGE_NEXT;
}

void stall(ISAFORGE_HANDLER_PARAMETERS) {
    core->stalls = core->yields = true;
    ask_for_attention(core, count);
    ISAFORGE_NEXT;
}

void fence(ISAFORGE_HANDLER_PARAMETERS) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (owner(core).system->checker) owner(core).system->checker->fence(owner(core));
    if (owner(core).system->has_several()) ask_for_attention(core, count);   // other harts may have changed the code
    ISAFORGE_NEXT;
}

// a: the address; detail.n: space.
void lock(ISAFORGE_HANDLER_PARAMETERS) {
    core->bus->lock(op->detail.n, machine::load<std::uint64_t>(state, op->a));
    ISAFORGE_NEXT;
}

void unlock(ISAFORGE_HANDLER_PARAMETERS) {
    core->bus->unlock();
    ISAFORGE_NEXT;
}

// a: address, c: space; detail.n: bytes, detail.more: big-endian, likewise below.
void load_linked(ISAFORGE_HANDLER_PARAMETERS) {
    core->count = count;
    {
        std::uint64_t value = 0;
        if (!core->bus->load_linked(op->c, machine::load<std::uint64_t>(state, op->a), op->detail.n, value))
            return raise(op, core, count, pending, core->reason);
        machine::store(state, op->result, ordered(value, op->detail.n, op->detail.more != 0));
    }
    ISAFORGE_NEXT;
}

// a: address, b: value.
void store_conditional(ISAFORGE_HANDLER_PARAMETERS) {
    core->count = count;
    {
        bool stored = false;
        const std::uint64_t value =
            ordered(machine::load<std::uint64_t>(state, op->b), op->detail.n, op->detail.more != 0);
        if (!core->bus->store_conditional(op->c, machine::load<std::uint64_t>(state, op->a), op->detail.n, value,
                                          stored))
            return raise(op, core, count, pending, core->reason);
        machine::store(state, op->result, stored ? 1 : 0);
    }
    ISAFORGE_NEXT;
}

// a: a constant, where the transaction begins.
void transaction_begin(ISAFORGE_HANDLER_PARAMETERS) {
    core->count = count;
    if (!core->bus->begin(machine::load<std::uint64_t>(state, op->a),
                          {state, owner(core).program->layout.registers_end()}))
        return raise(op, core, count, pending, core->reason);
    ISAFORGE_NEXT;
}

void transaction_end(ISAFORGE_HANDLER_PARAMETERS) {
    const bool active = core->bus->transaction.active();
    core->count = count;
    if (active && !core->bus->end()) return raise(op, core, count, pending, core->reason);
    machine::store(state, op->result, active ? 1 : 0);
    ISAFORGE_NEXT;
}

// The second value of the event is where the transaction began.
void transaction_abort(ISAFORGE_HANDLER_PARAMETERS) {
    const bool active = core->bus->transaction.active();
    if (active) core->event_values[1] = owner(core).take_back();
    machine::store(state, op->result, active ? 1 : 0);
    ISAFORGE_NEXT;
}

void transaction_depth(ISAFORGE_HANDLER_PARAMETERS) {
    machine::store(state, op->result, core->bus->transaction.depth());
    ISAFORGE_NEXT;
}

}  // namespace handlers
}  // namespace isaforge::machine

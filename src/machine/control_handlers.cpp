// Handlers for what touches more than values: registers chosen at run time, pc, late results, faults, and the way from one
// instruction to the next.
#include "machine/micro_op.hpp"
#include "semantics/types.hpp"

namespace isaforge::machine {

namespace {

void save(Core& core, std::uint64_t count, std::uint64_t pending) {
    core.count = count;
    core.pending = pending;
    core.op = nullptr;
}

bool exceeds_ports(const Core& core, std::uint32_t counts) { return ((counts + core.port_bias) & 0x88888888) != 0; }

// Names the two instructions whose results meet: the one that made result i, and an earlier one or the one at `op`.
void note_collision(Core& core, const MicroOp* op, const LandingSlot& slot, std::uint32_t i) {
    core.reason = StopReason::port_collision;
    core.fault = op;
    core.fault_address = slot.results[i].origin;
    core.fault_other = ~std::uint64_t{0};
    for (std::uint32_t before = 0; before < i; ++before)
        if (slot.results[before].port == slot.results[i].port) core.fault_other = slot.results[before].origin;
}

// Lands what is due after the instruction that ends at `op`. False where a write port would have to take two.
inline bool land(Core& core, std::byte* state, const MicroOp* op, std::uint64_t count, bool& jumped) {
    const LandingSlot& slot = core.ring[count % ring_size];
    std::uint32_t counts = op->c;
    if (core.ports_noted_at == count) counts += core.ports_noted;
    for (std::uint32_t i = 0; i < slot.used; ++i) {
        const LateResult& result = slot.results[i];
        counts += result.port;
        if (exceeds_ports(core, counts)) {
            note_collision(core, op, slot, i);
            return false;
        }
        if (result.offset == LateResult::to_pc) {
            core.target = result.value;
            jumped = true;
        } else {
            store(state, result.offset, result.value);
        }
    }
    return true;
}

}  // namespace

void execute(Core& core) {
    core.op = core.next;
    // With tail calls the first call comes back only when the run is over.
    while (core.op != nullptr) get_shared(core.op->run)(core.op, core.state, &core, core.count, core.pending);
}

namespace {

const MicroOp* entry(Core& core, std::uint64_t address) {
    const MicroOp* const known = known_entry(core, address);
    return known != nullptr ? known : core.resolve(core, address);
}

}  // namespace

void finish_slowly(ISAFORGE_HANDLER_PARAMETERS) {
    core->onward = get_shared(op->link);
    ISAFORGE_MUST_TAIL return finish_jump_slowly(ISAFORGE_HANDLER_ARGUMENTS);
}

void finish_jump_slowly(ISAFORGE_HANDLER_PARAMETERS) {
    const MicroOp* next = core->onward;
    if ((pending & 1) != 0) {
        bool jumped = false;
        if (!land(*core, state, op, count, jumped)) return save(*core, count, pending);
        if (jumped) next = entry(*core, core->target);
    }
    if (next == nullptr) {
        next = core->resolve(*core, next_address(op));
        if (next != core->outside) put_shared(op->link, next);
    }
    ++count;
    pending >>= 1;
    if (count >= core->stop_at) {
        core->next = next;
        return save(*core, count, pending);
    }
    ISAFORGE_CONTINUE_AT(next);
}

void raise(const MicroOp* op, Core* core, std::uint64_t count, std::uint64_t pending, StopReason reason) {
    core->reason = reason;
    core->fault = op;
    save(*core, count, pending);
}

namespace {

template <class T>
void resize(ISAFORGE_HANDLER_PARAMETERS) {
    store(state, op->result, load<T>(state, op->a));
    ISAFORGE_NEXT;
}

// The low bytes of a register of one lane; the others keep what they had.
template <class T>
void copy_low(ISAFORGE_HANDLER_PARAMETERS) {
    const T value = load<T>(state, op->a);
    std::memcpy(state + op->result, &value, sizeof value);
    ISAFORGE_NEXT;
}

template <class T>
void write_lanes_masked(std::byte* to, const std::byte* from, const std::byte* mask, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        T old, fresh;
        std::memcpy(&old, to + i * sizeof(T), sizeof(T));
        std::memcpy(&fresh, from + i * sizeof(T), sizeof(T));
        old = mask[i] != std::byte{0} ? fresh : old;
        std::memcpy(to + i * sizeof(T), &old, sizeof(T));
    }
}

void write_masked_bytes(std::byte* to, const std::byte* from, const std::byte* mask, std::size_t n,
                        unsigned lane_bytes) {
    switch (lane_bytes) {
        case 1: return write_lanes_masked<std::uint8_t>(to, from, mask, n);
        case 2: return write_lanes_masked<std::uint16_t>(to, from, mask, n);
        case 4: return write_lanes_masked<std::uint32_t>(to, from, mask, n);
        default: return write_lanes_masked<std::uint64_t>(to, from, mask, n);
    }
}

}  // namespace

namespace handlers {

// Instructions end with one of these; a handler whose name ends so does the work of the plain end after it, too. a, b:
// high and low half of the next instruction's address, c: counts of writes by ports.
void end(ISAFORGE_HANDLER_PARAMETERS) { ISAFORGE_FINISH; }

void end_skipped(ISAFORGE_HANDLER_PARAMETERS) {
    core->skipped = true;
    ISAFORGE_FINISH;
}

// The next instruction is at core->target.
void end_jump(ISAFORGE_HANDLER_PARAMETERS) {
    const MicroOp* const next = entry(*core, core->target);
    if (next != core->outside) put_shared(op->link, next);   // for who wants to know where it goes
    ISAFORGE_FINISH_AT(next);
}

// detail.n: how many operations further it goes on, likewise below.
void leave_if_zero(ISAFORGE_HANDLER_PARAMETERS) {
    if (machine::load<std::uint8_t>(state, op->a) == 0) ISAFORGE_CONTINUE_AT(op + op->detail.n);
    ISAFORGE_NEXT;
}

void jump(ISAFORGE_HANDLER_PARAMETERS) { ISAFORGE_CONTINUE_AT(op + op->detail.n); }

void jump_if_zero(ISAFORGE_HANDLER_PARAMETERS) {
    if (machine::load<std::uint8_t>(state, op->a) == 0) ISAFORGE_CONTINUE_AT(op + op->detail.n);
    ISAFORGE_NEXT;
}

void set_target(ISAFORGE_HANDLER_PARAMETERS) {
    core->target = machine::load<std::uint64_t>(state, op->a);
    ISAFORGE_NEXT;
}

// result: register, a: value, b: its count by ports; detail.n: delay, detail.more: address of the instruction.
void late_write(ISAFORGE_HANDLER_PARAMETERS) {
    LateResult* late = new_landing(*core, count, pending, op->detail.n);
    if (late == nullptr) return raise(op, core, count, pending, StopReason::port_collision);
    *late = {op->result, op->b, op->detail.more, machine::load<std::uint64_t>(state, op->a)};
    ISAFORGE_NEXT;
}

void late_write_end(ISAFORGE_HANDLER_PARAMETERS) {
    LateResult* late = new_landing(*core, count, pending, op->detail.n);
    if (late == nullptr) return raise(op, core, count, pending, StopReason::port_collision);
    *late = {op->result, op->b, op->detail.more, machine::load<std::uint64_t>(state, op->a)};
    ISAFORGE_FINISH_NEXT;
}

// The same, register number c of the file at `result`; the file's count is in the low half of the next operation's a.
void late_write_indexed(ISAFORGE_HANDLER_PARAMETERS) {
    std::uint64_t number = machine::load<std::uint64_t>(state, op->c);
    if (number >= op[1].a) {
        core->fault_address = number;
        return raise(op, core, count, pending, StopReason::bad_index);
    }
    LateResult* late = new_landing(*core, count, pending, op->detail.n);
    if (late == nullptr) return raise(op, core, count, pending, StopReason::port_collision);
    *late = {static_cast<std::uint32_t>(op->result + 8 * number), op->b, op->detail.more,
             machine::load<std::uint64_t>(state, op->a)};
    ISAFORGE_CONTINUE_AT(op + 2);
}

void late_pc(ISAFORGE_HANDLER_PARAMETERS) {
    LateResult* late = new_landing(*core, count, pending, op->detail.n);
    if (late == nullptr) return raise(op, core, count, pending, StopReason::port_collision);
    *late = {LateResult::to_pc, 0, op->detail.more, machine::load<std::uint64_t>(state, op->a)};
    ISAFORGE_NEXT;
}

void late_pc_end(ISAFORGE_HANDLER_PARAMETERS) {
    LateResult* late = new_landing(*core, count, pending, op->detail.n);
    if (late == nullptr) return raise(op, core, count, pending, StopReason::port_collision);
    *late = {LateResult::to_pc, 0, op->detail.more, machine::load<std::uint64_t>(state, op->a)};
    ISAFORGE_FINISH_NEXT;
}

// A write that happens on some paths only; detail.n: its count by ports.
void note_ports(ISAFORGE_HANDLER_PARAMETERS) {
    if (core->ports_noted_at != count) core->ports_noted = 0;
    core->ports_noted_at = count;
    core->ports_noted += op->detail.n;
    ISAFORGE_NEXT;
}

void stop(ISAFORGE_HANDLER_PARAMETERS) {
    core->stopping = true;
    core->stop_at = count + 1;
    ISAFORGE_NEXT;
}

void signal(ISAFORGE_HANDLER_PARAMETERS) {
    if (op->detail.n >= core->signal_counts.size()) core->signal_counts.resize(op->detail.n + 1);
    ++core->signal_counts[op->detail.n];
    ISAFORGE_NEXT;
}

// detail.n: the reason.
void fault(ISAFORGE_HANDLER_PARAMETERS) { raise(op, core, count, pending, static_cast<StopReason>(op->detail.n)); }

void copy_scalar(ISAFORGE_HANDLER_PARAMETERS) {
    machine::store(state, op->result, machine::load<std::uint64_t>(state, op->a));
    ISAFORGE_NEXT;
}

void copy_scalar_end(ISAFORGE_HANDLER_PARAMETERS) {
    machine::store(state, op->result, machine::load<std::uint64_t>(state, op->a));
    ISAFORGE_FINISH_NEXT;
}

// detail.n: bytes.
void copy_bytes(ISAFORGE_HANDLER_PARAMETERS) {
    std::memmove(state + op->result, state + op->a, op->detail.n);
    ISAFORGE_NEXT;
}

// result = register number b of the file at a; detail.n: registers of the file, detail.more: bytes of each.
void read_indexed(ISAFORGE_HANDLER_PARAMETERS) {
    std::uint64_t number = machine::load<std::uint64_t>(state, op->b);
    if (number >= op->detail.n) {
        core->fault_address = number;
        return raise(op, core, count, pending, StopReason::bad_index);
    }
    std::memcpy(state + op->result, state + op->a + number * op->detail.more, op->detail.more);
    ISAFORGE_NEXT;
}

// Register number b of the file at `result` = a; detail as above.
void write_indexed(ISAFORGE_HANDLER_PARAMETERS) {
    std::uint64_t number = machine::load<std::uint64_t>(state, op->b);
    if (number >= op->detail.n) {
        core->fault_address = number;
        return raise(op, core, count, pending, StopReason::bad_index);
    }
    std::memcpy(state + op->result + number * op->detail.more, state + op->a, op->detail.more);
    ISAFORGE_NEXT;
}

// Some bytes of register number b of the file whose first such bytes are at `result` = a; the next operation holds their
// number in `result`; detail as above.
void write_part_indexed(ISAFORGE_HANDLER_PARAMETERS) {
    std::uint64_t number = machine::load<std::uint64_t>(state, op->b);
    if (number >= op->detail.n) {
        core->fault_address = number;
        return raise(op, core, count, pending, StopReason::bad_index);
    }
    std::memcpy(state + op->result + number * op->detail.more, state + op->a, op[1].result);
    ISAFORGE_CONTINUE_AT(op + 2);
}

// result = a in the lanes where c holds; detail.n: lanes, detail.more: bytes of each.
void write_masked(ISAFORGE_HANDLER_PARAMETERS) {
    write_masked_bytes(state + op->result, state + op->a, state + op->c, op->detail.n, op->detail.more);
    ISAFORGE_NEXT;
}

// The same for register number b; the next operation holds in a the registers of the file, in b the bytes of each.
void write_masked_indexed(ISAFORGE_HANDLER_PARAMETERS) {
    std::uint64_t number = machine::load<std::uint64_t>(state, op->b);
    if (number >= op[1].a) {
        core->fault_address = number;
        return raise(op, core, count, pending, StopReason::bad_index);
    }
    write_masked_bytes(state + op->result + number * op[1].b, state + op->a, state + op->c, op->detail.n,
                       op->detail.more);
    ISAFORGE_CONTINUE_AT(op + 2);
}

// a: the value; detail.n: the mode.
void set_mode(ISAFORGE_HANDLER_PARAMETERS) {
    core->mode_values[op->detail.n] = machine::load<std::uint64_t>(state, op->a);
    ISAFORGE_NEXT;
}

// As end_jump, behind set_mode: the next instruction is looked for under the new modes.
void end_modes(ISAFORGE_HANDLER_PARAMETERS) {
    core->count = count;
    if (core->modes_changed != nullptr) core->modes_changed(*core);
    ISAFORGE_FINISH_AT(core->resolve(*core, core->target));
}

// Ends what is no instruction of the program.
void come_back(ISAFORGE_HANDLER_PARAMETERS) { save(*core, count, pending); }

// Stands where an instruction was whose code has changed since: in its first operation, behind the mark.
void stale(ISAFORGE_HANDLER_PARAMETERS) {
    const MicroOp* const next = core->resolve(*core, next_address(op - 1));
    ISAFORGE_CONTINUE_AT(next);
}

// result: a counter.
void count_execution(ISAFORGE_HANDLER_PARAMETERS) {
    machine::store(state, op->result, machine::load<std::uint64_t>(state, op->result) + 1);
    ISAFORGE_NEXT;
}

// The same where a is not b: an address that is not the one behind the instruction.
void count_jump(ISAFORGE_HANDLER_PARAMETERS) {
    const bool jumps = machine::load<std::uint64_t>(state, op->a) != machine::load<std::uint64_t>(state, op->b);
    machine::store(state, op->result, machine::load<std::uint64_t>(state, op->result) + (jumps ? 1 : 0));
    ISAFORGE_NEXT;
}

// a: how many the instruction takes.
void count_cycles(ISAFORGE_HANDLER_PARAMETERS) {
    core->cycles += machine::load<std::uint64_t>(state, op->a);
    ISAFORGE_NEXT;
}

Handler write_low(unsigned container) {
    switch (container) {
        case 8: return copy_low<std::uint8_t>;
        case 16: return copy_low<std::uint16_t>;
        default: return copy_low<std::uint32_t>;
    }
}

Handler resize_scalar(unsigned container) {
    switch (container) {
        case 8: return resize<std::uint8_t>;
        case 16: return resize<std::uint16_t>;
        case 32: return resize<std::uint32_t>;
        default: return resize<std::uint64_t>;
    }
}

}  // namespace handlers
}  // namespace isaforge::machine

// The operations of the intermediate form, in one list that everything else expands: constant folding, the scalar and
// the vector handlers of the machine, and the names in listings. Kernel is the struct of kernels.hpp that computes it.
#pragma once

#include <cstdint>

#include "ir/operations.hpp"

namespace isaforge::semantics {

// Those that compute, for containers of 8 to 64 bits, and of floats for 16 to 64.
#define ISAFORGE_INTEGER_ACTIONS(X) ISAFORGE_IR_INTEGERS(X)
#define ISAFORGE_FLOAT_ACTIONS(X) ISAFORGE_IR_FLOATS(X)

enum class Action : std::uint8_t {
#define X(action, ...) action,
    ISAFORGE_INTEGER_ACTIONS(X) ISAFORGE_FLOAT_ACTIONS(X)
#undef X
    // Between lanes and containers.
    copy,          // result = a
    resize,        // result = a in another container: zero-extended or cut
    splat,         // all lanes of result = a
    lane_number,   // lane i of result = i
    pick,          // result = lane b of a, modulo the lanes
    permute,       // lane i of result = lane b[i] of a, modulo the lanes
    reduce_or,
    reduce_and,
    reduce_sum,   // result = all lanes of a combined
    ballot,        // bit i of result = lane i of a, which is u1
    spread,        // lane i of result, which is u1, = bit i of a
    reinterpret,   // the same bytes in lanes of another size
    // State. `object` names the file or memory.
    read,          // result = element `number` of a file, or element b where number is no_number
    write,         // element `number`, or b = a, only in lanes where c holds; lands after `delay` more instructions
    load,          // result = what lies at address a; nothing is touched in lanes where c does not hold
    store,         // at address a: b, likewise
    write_pc,      // the next instruction's address = a, after `delay` more instructions
    // Control.
    nothing,
    jump,          // go on at step `number`
    jump_if_zero,  // likewise if a is 0
    leave_if_zero, // the guard: if a is 0, the instruction does nothing
    stop,
    signal,        // `object`: index into Code::signals
    fail,          // ends the run with the text `object` of Code::signals and value a
    set_mode,      // mode `object` = a
    // Of the machine around.
    event_value,   // result = parameter `number` of the event that is being handled
    next_pc,       // result = address of the instruction to come, as the steps so far have it
    hart_number,
    hart_count,
    now,           // result = nanoseconds of machine time
    executed,      // result = what was counted so far; `number`: a Counter
    host_argument, // argument `number` of the next host call = a
    host,          // result = what host call a gives
    wait,          // the hart sleeps until an interrupt is waiting
    fence,
    lock,          // nobody else touches address a of memory `object` until unlock
    unlock,
    load_linked,   // as load, with a reservation
    store_conditional,  // result = 1 and address a: b, where the reservation held; else result = 0
    transaction_begin,
    transaction_end,    // result = 1 where there was one
    transaction_abort,  // takes back memory and registers to the begin; result = 1 where there was one
    transaction_depth,
};

// What Action::executed asks for.
enum class Counter : std::uint8_t { instructions, loads, stores, events };

// Float and integer operations compute a result from values alone: they can be folded, shared and dropped.
inline bool is_float(Action action) { return action >= Action::fadd && action <= Action::float_narrow; }
inline bool is_compute(Action action) { return action <= Action::float_narrow; }
inline bool is_pure(Action action) { return action <= Action::read; }

// Whether the direction of rounding matters. Where the host's library computes it does not: it is good to nearest only.
inline bool is_rounded(Action action) {
    return is_float(action) && !(action >= Action::fpow && action <= Action::facos);
}

inline bool is_test(Action action) {
    return (action >= Action::equal && action <= Action::less_equal_signed) ||
           (action >= Action::fequal && action <= Action::fzero);
}

}  // namespace isaforge::semantics

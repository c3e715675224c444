// The operations of the intermediate form, in one list that everything else expands: constant folding, the scalar and
// the vector handlers of the machine, and the names in listings. Kernel is the struct of kernels.hpp that computes it.
#pragma once

#include <cstdint>

namespace isaforge::semantics {

// X(action, Kernel, number of operands), for containers of 8 to 64 bits.
#define ISAFORGE_INTEGER_ACTIONS(X)                \
    X(add, Add, 2)                                 \
    X(sub, Sub, 2)                                 \
    X(mul, Mul, 2)                                 \
    X(divide_unsigned, DivideUnsigned, 2)          \
    X(divide_signed, DivideSigned, 2)              \
    X(remainder_unsigned, RemainderUnsigned, 2)    \
    X(remainder_signed, RemainderSigned, 2)        \
    X(mul_high_unsigned, MulHighUnsigned, 2)       \
    X(mul_high_signed, MulHighSigned, 2)           \
    X(min_unsigned, MinUnsigned, 2)                \
    X(max_unsigned, MaxUnsigned, 2)                \
    X(min_signed, MinSigned, 2)                    \
    X(max_signed, MaxSigned, 2)                    \
    X(bit_and, BitAnd, 2)                          \
    X(bit_or, BitOr, 2)                            \
    X(bit_xor, BitXor, 2)                          \
    X(bit_not, BitNot, 1)                          \
    X(shift_left, ShiftLeft, 2)                    \
    X(shift_right, ShiftRight, 2)                  \
    X(shift_right_signed, ShiftRightSigned, 2)     \
    X(rotate_left, RotateLeft, 2)                  \
    X(sign_extend_from, SignExtendFrom, 2)         \
    X(equal, Equal, 2)                             \
    X(not_equal, NotEqual, 2)                      \
    X(less_unsigned, LessUnsigned, 2)              \
    X(less_equal_unsigned, LessEqualUnsigned, 2)   \
    X(less_signed, LessSigned, 2)                  \
    X(less_equal_signed, LessEqualSigned, 2)       \
    X(count_ones, CountOnes, 1)                    \
    X(count_leading_zeros, CountLeadingZeros, 1)   \
    X(count_trailing_zeros, CountTrailingZeros, 1) \
    X(reverse, Reverse, 1)                         \
    X(leading_bits, LeadingBits, 2)                \
    X(carryless_mul, CarrylessMul, 2)              \
    X(carryless_mul_high, CarrylessMulHigh, 2)     \
    X(swap_groups, SwapGroups, 2)                  \
    X(wide_quotient, WideQuotient, 3)              \
    X(wide_remainder, WideRemainder, 3)            \
    X(select, Select, 3)

// The same for floats in containers of 16 to 64 bits.
#define ISAFORGE_FLOAT_ACTIONS(X)              \
    X(fadd, FloatAdd, 2)                       \
    X(fsub, FloatSub, 2)                       \
    X(fmul, FloatMul, 2)                       \
    X(fdiv, FloatDiv, 2)                       \
    X(fsqrt, FloatSqrt, 1)                     \
    X(fma, FloatFma, 3)                        \
    X(fmin, FloatMin, 2)                       \
    X(fmax, FloatMax, 2)                       \
    X(fscale, FloatScale, 2)                   \
    X(fround_to_zero, FloatRoundToZero, 1)     \
    X(fround_half_away, FloatRoundHalfAway, 1) \
    X(fround_half_even, FloatRoundHalfEven, 1) \
    X(fround_up, FloatRoundUp, 1)              \
    X(fround_down, FloatRoundDown, 1)          \
    X(fequal, FloatEqual, 2)                   \
    X(fless, FloatLess, 2)                     \
    X(fless_equal, FloatLessEqual, 2)          \
    X(funordered, FloatUnordered, 2)           \
    X(finfinite, FloatInfinite, 1)             \
    X(fsubnormal, FloatSubnormal, 1)           \
    X(fzero, FloatZero, 1)                     \
    X(fremainder, FloatRemainder, 2)           \
    X(fpow, FloatPow, 2)                       \
    X(fsin, FloatSin, 1)                       \
    X(fcos, FloatCos, 1)                       \
    X(fasin, FloatAsin, 1)                     \
    X(facos, FloatAcos, 1)                     \
    X(float_to_u64, FloatToU64, 1)             \
    X(float_to_s64, FloatToS64, 1)             \
    X(u64_to_float, U64ToFloat, 1)             \
    X(s64_to_float, S64ToFloat, 1)             \
    X(float_widen, FloatWiden, 1)              \
    X(float_narrow, FloatNarrow, 1)

enum class Action : std::uint8_t {
#define X(action, kernel, operands) action,
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

// The operations, in one list that everything is made from: the types that each takes and gives, the kernel that computes
// it, how it extends to widths that no host has, its effect, and what it means. Constant folding, the verifier, the text
// form, both engines and the documentation expand the list; nothing is listed twice.
//
// X(name, Kernel, family, signature, narrow, effect, meaning)
//
// A signature says the type of the result, a colon, and those of the operands; nothing before the colon is no result.
//   T  any integer type, the same everywhere          U  an integer type of its own, of as many lanes
//   F  any float type, the same everywhere            W  integers of 64 bits, of as many lanes
//   D  floats of 64 bits, of as many lanes            N  integers as wide as F, of as many lanes
//   L  integers or masks, the same everywhere         A  any type, the same everywhere
//   B  a truth value for each lane of the others      b  one truth value
//   e  one lane of A                                  s  an integer of one lane
//   M  a mask, or one truth value                     P  any type that is no mask, of its own
// A further rule follows in a few cases: `<` the result is narrower than the operand, `>` wider, `=` of as many bits in all,
// `|` as many bits as the operand has lanes, or the other way; `^` fewer lanes of the same.
//
// Narrow: what a host has to do that computes in the next larger container. same: nothing, with zeros above; cut: clear the
// bits above in the result; sign: extend the operands' signs before, and cut; full: there is none but of full containers.
//
// Effects: pure; reads state, so that it may be dropped or moved to where the state is the same; writes state that others
// read; acts: may end the run, or tells somebody outside: keeps its place among all that acts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace isaforge::ir {

// clang-format off
#define ISAFORGE_IR_INTEGERS(X)                                                                                              \
    X(add, Add, integer, "T:TT", cut, pure, "the sum, modulo the width")                                                     \
    X(sub, Sub, integer, "T:TT", cut, pure, "the difference, modulo the width")                                              \
    X(mul, Mul, integer, "T:TT", cut, pure, "the low half of the product")                                                   \
    X(divide_unsigned, DivideUnsigned, integer, "T:TT", cut, pure, "the quotient; all ones where the divisor is 0")          \
    X(divide_signed, DivideSigned, integer, "T:TT", sign, pure, "the quotient, truncated; all ones where the divisor is 0")  \
    X(remainder_unsigned, RemainderUnsigned, integer, "T:TT", same, pure, "the remainder; the dividend where the divisor is 0") \
    X(remainder_signed, RemainderSigned, integer, "T:TT", sign, pure, "the remainder, with the dividend's sign")             \
    X(mul_high_unsigned, MulHighUnsigned, integer, "T:TT", full, pure, "the high half of the product")                       \
    X(mul_high_signed, MulHighSigned, integer, "T:TT", full, pure, "the high half of the product of signed numbers")         \
    X(min_unsigned, MinUnsigned, integer, "T:TT", same, pure, "the smaller")                                                 \
    X(max_unsigned, MaxUnsigned, integer, "T:TT", same, pure, "the larger")                                                  \
    X(min_signed, MinSigned, integer, "T:TT", sign, pure, "the smaller of signed numbers")                                   \
    X(max_signed, MaxSigned, integer, "T:TT", sign, pure, "the larger of signed numbers")                                    \
    X(bit_and, BitAnd, integer, "L:LL", same, pure, "bit by bit")                                                            \
    X(bit_or, BitOr, integer, "L:LL", same, pure, "bit by bit")                                                              \
    X(bit_xor, BitXor, integer, "L:LL", same, pure, "bit by bit")                                                            \
    X(bit_not, BitNot, integer, "L:L", cut, pure, "bit by bit")                                                              \
    X(shift_left, ShiftLeft, integer, "T:TT", cut, pure, "by an amount of the same type; by the width or more gives 0")      \
    X(shift_right, ShiftRight, integer, "T:TT", same, pure, "zeros come in; by the width or more gives 0")                   \
    X(shift_right_signed, ShiftRightSigned, integer, "T:TT", sign_first, pure, "the sign comes in")                          \
    X(rotate_left, RotateLeft, integer, "T:TT", full, pure, "by an amount modulo the width")                                 \
    X(sign_extend_from, SignExtendFrom, integer, "T:TT", cut, pure, "so many low bits, the highest of them repeated above")  \
    X(equal, Equal, integer, "B:LL", same, pure, "whether both are equal")                                                   \
    X(not_equal, NotEqual, integer, "B:LL", same, pure, "whether they differ")                                               \
    X(less_unsigned, LessUnsigned, integer, "B:TT", same, pure, "whether the first is less")                                 \
    X(less_equal_unsigned, LessEqualUnsigned, integer, "B:TT", same, pure, "whether the first is less or equal")             \
    X(less_signed, LessSigned, integer, "B:TT", sign, pure, "whether the first is less, as signed numbers")                  \
    X(less_equal_signed, LessEqualSigned, integer, "B:TT", sign, pure, "whether the first is less or equal, as signed numbers") \
    X(count_ones, CountOnes, integer, "T:T", same, pure, "how many bits are 1, modulo the width")                            \
    X(count_leading_zeros, CountLeadingZeros, integer, "T:T", full, pure, "zeros above the highest 1; the width where there is none") \
    X(count_trailing_zeros, CountTrailingZeros, integer, "T:T", full, pure, "zeros below the lowest 1; the width where there is none") \
    X(reverse, Reverse, integer, "T:T", full, pure, "the bits in the other order")                                           \
    X(leading_bits, LeadingBits, integer, "T:TT", same, pure, "so many bits from the highest 1 on, the others cleared")      \
    X(carryless_mul, CarrylessMul, integer, "T:TT", cut, pure, "the low half of the product without carries")                \
    X(carryless_mul_high, CarrylessMulHigh, integer, "T:TT", full, pure, "the high half of the product without carries")     \
    X(swap_groups, SwapGroups, integer, "T:TT", full, pure, "adjacent groups of 2^n bits change places")                     \
    X(wide_quotient, WideQuotient, integer, "T:TTT", full, pure, "of the first two side by side by the third; all ones if it does not fit") \
    X(wide_remainder, WideRemainder, integer, "T:TTT", full, pure, "the remainder of that; the second if it does not fit")   \
    X(select, Select, integer, "A:BAA", same, pure, "the second where the first is true, else the third")

#define ISAFORGE_IR_FLOATS(X)                                                                                                \
    X(fadd, FloatAdd, floating, "F:FF", same, pure, "the sum")                                                               \
    X(fsub, FloatSub, floating, "F:FF", same, pure, "the difference")                                                        \
    X(fmul, FloatMul, floating, "F:FF", same, pure, "the product")                                                           \
    X(fdiv, FloatDiv, floating, "F:FF", same, pure, "the quotient")                                                          \
    X(fsqrt, FloatSqrt, floating, "F:F", same, pure, "the square root")                                                      \
    X(fma, FloatFma, floating, "F:FFF", same, pure, "a * b + c, rounded once")                                               \
    X(fmin, FloatMin, floating, "F:FF", same, pure, "the smaller; of a NaN and a number the number; -0 < +0")                \
    X(fmax, FloatMax, floating, "F:FF", same, pure, "the larger, likewise")                                                  \
    X(fscale, FloatScale, floating, "F:FN", same, pure, "a * 2^n, n signed")                                                 \
    X(fround_to_zero, FloatRoundToZero, floating, "F:F", same, pure, "the nearest whole number towards zero")                \
    X(fround_half_away, FloatRoundHalfAway, floating, "F:F", same, pure, "the nearest whole number, halves away from zero")  \
    X(fround_half_even, FloatRoundHalfEven, floating, "F:F", same, pure, "the nearest whole number, halves to even")         \
    X(fround_up, FloatRoundUp, floating, "F:F", same, pure, "the nearest whole number above")                                \
    X(fround_down, FloatRoundDown, floating, "F:F", same, pure, "the nearest whole number below")                            \
    X(fequal, FloatEqual, floating, "B:FF", same, pure, "whether both are equal numbers")                                    \
    X(fless, FloatLess, floating, "B:FF", same, pure, "whether the first is less")                                           \
    X(fless_equal, FloatLessEqual, floating, "B:FF", same, pure, "whether the first is less or equal")                       \
    X(funordered, FloatUnordered, floating, "B:FF", same, pure, "whether one is a NaN")                                      \
    X(finfinite, FloatInfinite, floating, "B:F", same, pure, "whether it is infinite")                                       \
    X(fsubnormal, FloatSubnormal, floating, "B:F", same, pure, "whether it is subnormal")                                    \
    X(fzero, FloatZero, floating, "B:F", same, pure, "whether it is zero")                                                   \
    X(fflush, FloatFlush, floating, "F:F", same, pure, "a subnormal number as zero, with its sign")                           \
    X(fremainder, FloatRemainder, floating, "F:FF", same, pure, "a - b * trunc(a / b), exact")                               \
    X(fpow, FloatPow, floating, "F:FF", same, pure, "the power, within a unit in the last place")                            \
    X(fexp2, FloatExp2, floating, "F:F", same, pure, "the power of 2, likewise")                                             \
    X(flog2, FloatLog2, floating, "F:F", same, pure, "the logarithm to base 2, likewise")                                    \
    X(fsin, FloatSin, floating, "F:F", same, pure, "the sine, likewise")                                                     \
    X(fcos, FloatCos, floating, "F:F", same, pure, "the cosine, likewise")                                                   \
    X(fasin, FloatAsin, floating, "F:F", same, pure, "the arc sine, likewise")                                               \
    X(facos, FloatAcos, floating, "F:F", same, pure, "the arc cosine, likewise")                                             \
    X(float_to_u64, FloatToU64, floating, "W:F", same, pure, "truncated; 0 for NaN and negative numbers, all ones if too large") \
    X(float_to_s64, FloatToS64, floating, "W:F", same, pure, "truncated; 0 for NaN, the nearest number if too large")        \
    X(u64_to_float, U64ToFloat, floating, "F:W", same, pure, "the number, rounded")                                          \
    X(s64_to_float, S64ToFloat, floating, "F:W", same, pure, "the signed number, rounded")                                   \
    X(float_widen, FloatWiden, floating, "D:F", same, pure, "the same number in 64 bits")                                    \
    X(float_narrow, FloatNarrow, floating, "F:D", same, pure, "the number, rounded")

#define ISAFORGE_IR_CONVERSIONS(X)                                                                                           \
    X(truncate, None, conversion, "T:U<", same, pure, "the low bits")                                                        \
    X(zero_extend, None, conversion, "T:U>", same, pure, "zeros above")                                                      \
    X(sign_extend, None, conversion, "T:U>", same, pure, "the sign repeated above")                                          \
    X(cast, None, conversion, "P:P=", same, pure, "the same bits as another kind, or in lanes of another size")              \
    X(from_truth, None, conversion, "T:B", same, pure, "1 in lanes that are true, 0 in the others")

#define ISAFORGE_IR_LANES(X)                                                                                                 \
    X(splat, None, lanes, "A:e", same, pure, "the value in each lane")                                                       \
    X(lane_number, None, lanes, "T:", same, pure, "each lane's number")                                                      \
    X(pick, None, lanes, "e:As", same, pure, "the lane of that number, modulo the lanes")                                    \
    X(permute, None, lanes, "A:AU", same, pure, "in each lane the lane of the number given there, modulo the lanes")         \
    X(take, None, lanes, "P:P^", same, pure, "the lanes from `number` on, as many as the result has")                        \
    X(reduce_and, None, lanes, "e:A", same, pure, "all lanes combined")                                                      \
    X(reduce_or, None, lanes, "e:A", same, pure, "all lanes combined")                                                       \
    X(reduce_add, None, lanes, "e:A", same, pure, "the sum of all lanes, modulo the width")                                  \
    X(ballot, None, lanes, "s:M|", same, pure, "bit i is lane i of the mask")                                                \
    X(spread, None, lanes, "M:s|", same, pure, "lane i of the mask is bit i")                                                \
    X(join, None, lanes, "A:PP*", same, pure, "a tuple of the first's elements and then the second's")                       \
    X(item, None, lanes, "e:A*", same, pure, "element `number` of a tuple")

// `object` names the register file, the mode or the memory; `first` is the lowest of the lanes that are meant.
#define ISAFORGE_IR_STATE(X)                                                                                                 \
    X(get, None, state, "A:", same, reads, "register `number`: its low bits, its lanes from `first` on")                     \
    X(get_at, None, state, "A:s", same, reads, "the same of the register whose number is given; a fault where there is none")            \
    X(put, None, state, ":A", same, writes, "into register `number`; elsewhere it keeps what it has")                        \
    X(put_at, None, state, ":sA", same, writes, "the same to the register whose number is given first")                      \
    X(put_pc, None, state, ":s", same, writes, "after `delay` more instructions the run goes on at this address")            \
    X(put_mode, None, state, ":s", same, writes, "a mode's new value")                                                       \
    X(count_cycles, None, state, ":s", same, writes, "the instruction takes so many cycles more, which is added up where somebody asks")

#define ISAFORGE_IR_MEMORY(X)                                                                                                \
    X(load, None, memory, "P:U", same, acts, "what lies at the address; nothing is touched where the mask is not true")      \
    X(store, None, memory, ":UP", same, acts, "the second at the first, which is the address")                               \
    X(update, None, memory, "P:UPP", same, acts, "what lay at the address, where now function `number` of it and the others lies: atomic, lane after lane") \
    X(load_linked, None, memory, "P:U", same, acts, "a load with a reservation")                                             \
    X(store_conditional, None, memory, "b:UP", same, acts, "a store if the reservation held, and whether it did")            \
    X(fence, None, memory, ":", same, acts, "what was stored before is seen before what follows")                            \
    X(lock, None, memory, ":s", same, acts, "nobody else touches the address until unlock")                                  \
    X(unlock, None, memory, ":", same, acts, "ends what lock began")                                                         \
    X(transaction_begin, None, memory, ":", same, acts, "what is done to memory from here on is done as a whole or not at all") \
    X(transaction_end, None, memory, "T:", same, acts, "1 where there was one")                                              \
    X(transaction_abort, None, memory, "T:", same, acts, "takes memory and registers back to the begin; 1 where there was one") \
    X(transaction_depth, None, memory, "T:", same, reads, "how many are open")                                               \
    X(check_access, None, memory, "B:U", same, acts, "tells the checker of an access of `number`'s kind; where it may be done") \
    X(check_load, None, memory, "P:U", same, acts, "which bits of what lies at the address nobody has written")              \
    X(check_store, None, memory, ":UP", same, acts, "tells the checker which bits of what is stored nobody has written")

#define ISAFORGE_IR_MACHINE(X)                                                                                               \
    X(at, None, machine, ":", same, acts, "the instruction at address `number` begins here")                                 \
    X(code, None, machine, "T:s", same, acts, "the byte of code at this address, counted in bytes, as it lies there now")    \
    X(hart_number, None, machine, "T:", same, reads, "which hart this is")                                                   \
    X(hart_count, None, machine, "T:", same, reads, "how many there are")                                                    \
    X(group_number, None, machine, "T:", same, reads, "which group of harts this one is in")                                 \
    X(group_count, None, machine, "T:", same, reads, "how many there are")                                                   \
    X(now, None, machine, "T:", same, acts, "nanoseconds of the machine's time")                                             \
    X(executed, None, machine, "T:", same, acts, "counter `number`: instructions, loads, stores, events")                    \
    X(event_value, None, machine, "T:", same, reads, "parameter `number` of the event that is being handled")                \
    X(host_argument, None, machine, ":s", same, acts, "argument `number` of the next call of the host")                      \
    X(host, None, machine, "T:s", same, acts, "what that call of the host gives")                                            \
    X(signal, None, machine, ":", same, acts, "tells the outside the text `object`")                                         \
    X(wait, None, machine, ":", same, acts, "the hart sleeps until an interrupt is waiting")                                 \
    X(barrier, None, machine, ":", same, acts, "goes on when all of the group have come here")                               \
    X(yield, None, machine, ":", same, acts, "others may run first")                                                         \
    X(stall, None, machine, ":", same, acts, "others have to run first: the hart waits for what they do")                    \
    X(stop, None, machine, ":", same, acts, "the run ends with this instruction")                                            \
    X(check_use, None, machine, ":A", same, acts, "tells the checker which bits nobody has written of what `number` needs") \
    X(check_that, None, machine, ":B", same, acts, "tells the checker the text `object` where it does not hold")             \
    X(check_wait, None, machine, ":s", same, acts, "tells the checker that so few results by counter `object` are under way") \
    X(check_step, None, machine, ":B", same, acts, "tells the checker that the instruction begins, in these lanes")           \
    X(check_kind, None, machine, ":b", same, acts, "tells the checker that the instruction's accesses are of kind `number`, where true: coherent (0), private (1)") \
    X(check_arrival, None, machine, ":b", same, acts, "tells the checker that results arrive by counter `object`, in order if `number`, where true")

// The last of a block.
#define ISAFORGE_IR_ENDS(X)                                                                                                  \
    X(jump, None, end, ":", same, ends, "goes on in a block")                                                                \
    X(branch, None, end, ":b", same, ends, "goes on in the first block where it is true, else in the second")                \
    X(leave, None, end, ":s", same, ends, "done: the run goes on at this address")                                           \
    X(skip, None, end, ":", same, ends, "done: the instruction did not execute")                                             \
    X(give, None, end, ":P", same, ends, "the value of a function")                                                          \
    X(fail, None, end, ":s", same, ends, "ends the run with the text `object` and a value")                                  \
    X(fault, None, end, ":", same, ends, "the instruction cannot be completed, for the reason `number`")

#define ISAFORGE_IR_OPERATIONS(X) \
    ISAFORGE_IR_INTEGERS(X)       \
    ISAFORGE_IR_FLOATS(X)         \
    ISAFORGE_IR_CONVERSIONS(X)    \
    ISAFORGE_IR_LANES(X)          \
    ISAFORGE_IR_STATE(X)          \
    ISAFORGE_IR_MEMORY(X)         \
    ISAFORGE_IR_MACHINE(X)        \
    ISAFORGE_IR_ENDS(X)
// clang-format on

enum class Op : std::uint8_t {
#define X(name, ...) name,
    ISAFORGE_IR_OPERATIONS(X)
#undef X
};

// What `executed` asks for.
enum class Counter : std::uint8_t { instructions, loads, stores, events };

// What `check_use` is asked for: what something undefined would decide.
enum class Decides : std::uint8_t { way, lanes, address, register_number, target, mode, outside };

// What `number` of `check_access` says.
struct AccessKind {
    unsigned bytes = 0;      // of a lane
    bool stores = false, atomic = false;

    constexpr std::uint64_t number() const { return bytes | (stores ? 0x100 : 0) | (atomic ? 0x200 : 0); }
    static constexpr AccessKind of(std::uint64_t number) {
        return {static_cast<unsigned>(number & 0xff), (number & 0x100) != 0, (number & 0x200) != 0};
    }
};

enum class Narrow : std::uint8_t {
    same,
    cut,
    sign,
    sign_first,  // of the first operand only
    full,
};
enum class Effect : std::uint8_t { pure, reads, writes, acts, ends };
enum class Family : std::uint8_t { integer, floating, conversion, lanes, state, memory, machine, end };

struct Operation {
    std::string_view name;
    std::string_view signature;
    std::string_view meaning;
    Family family;
    Narrow narrow;
    Effect effect;
};

inline constexpr Operation operations[] = {
#define X(name, kernel, family, signature, narrow, effect, meaning) \
    {#name, signature, meaning, Family::family, Narrow::narrow, Effect::effect},
    ISAFORGE_IR_OPERATIONS(X)
#undef X
};

constexpr const Operation& about(Op op) { return operations[static_cast<std::size_t>(op)]; }

constexpr bool has_result(Op op) { return about(op).signature[0] != ':'; }
constexpr bool is_computed(Op op) {
    return about(op).family == Family::integer || about(op).family == Family::floating;
}

// Whether it gives truth values of others.
constexpr bool is_test(Op op) { return about(op).signature[0] == 'B'; }
// Whether the direction of rounding matters. Where the host's library computes it does not: it is good to nearest only. Nor
// does it where the operation is exact, or has a direction of its own.
constexpr bool is_rounded(Op op) {
    return (op >= Op::fadd && op <= Op::fma) || op == Op::fscale || op == Op::u64_to_float || op == Op::s64_to_float ||
           op == Op::float_narrow;
}
// Whether it is known which exceptions it raises. IEEE 754 says nothing of the host's library; the others look at bits.
constexpr bool raises_exceptions(Op op) {
    const bool by_library = op >= Op::fpow && op <= Op::facos, by_bits = op >= Op::finfinite && op <= Op::fflush;
    return about(op).family == Family::floating && !by_library && !by_bits;
}
// Whether subnormal operands and results are what they are, whatever becomes of them elsewhere.
constexpr bool is_subnormal_kept(Op op) {
    return op == Op::fflush || op == Op::funordered || op == Op::finfinite || op == Op::fsubnormal || op == Op::fzero;
}
// The letters of its operands, and the rule behind them if there is one.
constexpr std::string_view operand_letters(Op op) {
    return about(op).signature.substr(about(op).signature.find(':') + 1);
}

// How many operands it takes, a mask not counted.
constexpr unsigned operand_count(Op op) {
    unsigned count = 0;
    for (const char c : operand_letters(op))
        if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) ++count;
    return count;
}
inline constexpr unsigned most_operands = 3;

// Those that take a mask of the lanes in which they act.
constexpr bool takes_mask(Op op) {
    return op == Op::put || op == Op::put_at || op == Op::load || op == Op::store || op == Op::update ||
           op == Op::check_access || op == Op::check_load || op == Op::check_store || op == Op::check_use ||
           op == Op::check_that;
}

// Those that are told at run time which register: there may be none of that number, and then they fault.
constexpr bool is_indexed(Op op) { return op == Op::get_at || op == Op::put_at; }

// By its name.
constexpr std::optional<Op> find_operation(std::string_view name) {
    for (std::size_t i = 0; i < std::size(operations); ++i)
        if (operations[i].name == name) return static_cast<Op>(i);
    return std::nullopt;
}

}  // namespace isaforge::ir

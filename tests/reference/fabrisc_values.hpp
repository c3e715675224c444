// What FabRISC's operations make of values: the first part of the model in fabrisc_model.hpp.
#pragma once

#include <cstdint>
#include <optional>

#include "soft_float.hpp"

namespace fabrisc_reference {

using u64 = std::uint64_t;
using s64 = std::int64_t;

// Arithmetic flags, in the order of their ids and of their bits.
inline constexpr unsigned covr = 1, cund = 2, ovfl = 4, unfl = 8, div0 = 16, zero_flag = 32, sign_flag = 64;

enum class Op {
    add,
    sub,
    land,
    nand,
    lor,
    nor,
    lxor,
    xnor,
    imp,
    nimp,
    left,
    logical_left,
    arithmetic_right,
    logical_right,
    rotate_left,
    rotate_right,
    add_carry,
    sub_carry,
    left_carry,
    arithmetic_right_carry,
    logical_right_carry,
    mul,
    mac,
    high_mul,
    high_mac,
    div,
    rem,
    carryless_mul,
    swap,
    arithmetic_high_left,
    logical_high_left,
    high_right,
    insert_field,
    get_field,
    set_field,
    shift_arithmetic,
    shift_logical,
    rotate,  // by an immediate whose sign is the direction
    ones,
    leading_ones,
    trailing_ones,
    zeros,
    leading_zeros,
    trailing_zeros,
    fadd,
    fsub,
    fmul,
    fdiv,
    fmac,
    fpow,
    frem,
    sin,
    cos,
    asin,
    acos,
};

inline bool is_float(Op op) { return op >= Op::fadd; }
inline bool is_nearly(Op op) { return op == Op::fpow || op >= Op::sin; }

enum class Cast { integer_integer, float_float, integer_float, float_integer };

inline u64 ones(unsigned n) { return n >= 64 ? ~u64{0} : (u64{1} << n) - 1; }
inline u64 low(u64 x, unsigned n) { return x & ones(n); }
inline u64 top_bit(unsigned n) { return u64{1} << (n - 1); }
// 0 where there are no bits: a field that an instruction does not have.
inline s64 as_signed(u64 x, unsigned n) { return n == 0 ? 0 : static_cast<s64>(x << (64 - n)) >> (64 - n); }

struct Operands {
    unsigned n = 32;
    s64 direction = 0;                // the immediate before it was cut to n bits
    bool is_unsigned = false;
    u64 a = 0, b = 0, c = 0;          // RB, RC or the immediate, RA before
    unsigned flags = 0;               // before
    soft_float::Rounding rounding = soft_float::Rounding::nearest;
    std::optional<u64> witness;       // what the emulator says …
    u64 witness_bits = ~u64{0};       // … where these bits are 1: others are masked
};

struct Result {
    u64 value = 0;
    unsigned raised = 0;
    unsigned carried = 0;  // COVR as a shift through the carry leaves it: seen, but no reason to trap
};

Result compute(Op op, const Operands& operands);

// ZERO and SIGN of a result.
unsigned look_of(u64 value, unsigned n, bool floating_point);

u64 cast(Cast kind, u64 a, unsigned from, unsigned to, bool is_unsigned, soft_float::Rounding rounding);

// Condition 0 EQ, 1 NE, 2 LT, 3 LE.
bool holds(unsigned condition, u64 a, u64 b, unsigned n, bool floating_point, bool is_unsigned);

u64 shifted_right(u64 a, unsigned k, unsigned n, bool sign);

}  // namespace fabrisc_reference

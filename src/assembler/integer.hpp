// The integers of expressions: 64 bits and a sign, so that both 0xffffffffffffffff and -1 keep their meaning. Results that
// leave -2^63 .. 2^64-1 wrap around. Division and the right shift follow the sign, as in C.
#pragma once

#include <cstdint>

#include "support/wide.hpp"

namespace isaforge::assembler {

struct Integer {
    std::uint64_t bits = 0;
    bool negative = false;

    Integer() = default;
    Integer(std::uint64_t value, bool is_negative) : bits(value), negative(is_negative) {}
    static Integer of(std::int64_t value) { return {static_cast<std::uint64_t>(value), value < 0}; }
    static Integer from(Wide value) {
        Integer result(static_cast<std::uint64_t>(value), value < 0);
        constexpr Wide lowest = -(static_cast<Wide>(1) << 63);
        if (value < lowest) result.negative = static_cast<std::int64_t>(result.bits) < 0;
        return result;
    }

    Wide wide() const {
        return negative ? static_cast<Wide>(static_cast<std::int64_t>(bits)) : static_cast<Wide>(bits);
    }
    std::int64_t as_signed() const { return static_cast<std::int64_t>(bits); }
    double real() const { return negative ? static_cast<double>(as_signed()) : static_cast<double>(bits); }
    bool operator==(const Integer&) const = default;
};

enum class Operator : std::uint8_t {
    // leaves
    symbol,
    position,
    integer,
    // unary
    negate,
    invert,
    logical_not,
    // binary
    add,
    subtract,
    multiply,
    divide,
    remainder,
    shift_left,
    shift_right,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    bit_and,
    bit_xor,
    bit_or,
    logical_and,
    logical_or,
    // ternary
    select,
};

// False where the operation has no result: division by zero.
bool apply(Operator op, Integer a, Integer b, Integer& result);
Integer apply(Operator op, Integer a);

}  // namespace isaforge::assembler

// Arithmetic of expressions, apart from parsing so that it can be tested and reasoned about alone.
#include "assembler/integer.hpp"

namespace isaforge::assembler {

namespace {

Integer truth(bool value) { return {value ? 1u : 0u, false}; }

Integer shift_left(Integer a, Integer b) {
    if (b.negative || b.bits >= 64) return {};
    const std::uint64_t bits = a.bits << b.bits;
    return {bits, a.negative && static_cast<std::int64_t>(bits) < 0};
}

Integer shift_right(Integer a, Integer b) {
    const bool all_out = b.negative || b.bits >= 64;
    if (a.negative) return Integer::of(a.as_signed() >> (all_out ? 63 : b.bits));
    return {all_out ? 0 : a.bits >> b.bits, false};
}

// Of two negative operands `and` is negative, of one `or` is, and so on: as if the sign went on for ever to the left.
Integer bitwise(Operator op, Integer a, Integer b) {
    switch (op) {
        case Operator::bit_and: return {a.bits & b.bits, a.negative && b.negative};
        case Operator::bit_or: return {a.bits | b.bits, (a.negative || b.negative) && (a.bits | b.bits) >> 63};
        default: return {a.bits ^ b.bits, a.negative != b.negative && (a.bits ^ b.bits) >> 63};
    }
}

}  // namespace

bool apply(Operator op, Integer a, Integer b, Integer& result) {
    switch (op) {
        case Operator::add: result = Integer::from(a.wide() + b.wide()); return true;
        case Operator::subtract: result = Integer::from(a.wide() - b.wide()); return true;
        case Operator::multiply:
            // The product of two 65-bit numbers may leave 128 bits; its low 64 are the same either way.
            if (Wide product; !__builtin_mul_overflow(a.wide(), b.wide(), &product)) {
                result = Integer::from(product);
            } else {
                result = {a.bits * b.bits, false};
            }
            return true;
        case Operator::divide:
            if (b.bits == 0) return false;
            result = Integer::from(a.wide() / b.wide());
            return true;
        case Operator::remainder:
            if (b.bits == 0) return false;
            result = Integer::from(a.wide() % b.wide());
            return true;
        case Operator::shift_left: result = shift_left(a, b); return true;
        case Operator::shift_right: result = shift_right(a, b); return true;
        case Operator::less: result = truth(a.wide() < b.wide()); return true;
        case Operator::less_equal: result = truth(a.wide() <= b.wide()); return true;
        case Operator::greater: result = truth(a.wide() > b.wide()); return true;
        case Operator::greater_equal: result = truth(a.wide() >= b.wide()); return true;
        case Operator::equal: result = truth(a == b); return true;
        case Operator::not_equal: result = truth(!(a == b)); return true;
        case Operator::logical_and: result = truth(a.bits != 0 && b.bits != 0); return true;
        case Operator::logical_or: result = truth(a.bits != 0 || b.bits != 0); return true;
        default: result = bitwise(op, a, b); return true;
    }
}

Integer apply(Operator op, Integer a) {
    switch (op) {
        case Operator::negate: return Integer::from(-a.wide());
        case Operator::invert: return Integer::from(-a.wide() - 1);
        default: return truth(a.bits == 0);
    }
}

}  // namespace isaforge::assembler

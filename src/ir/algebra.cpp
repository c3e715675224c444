#include "ir/algebra.hpp"

#include "ir/evaluate.hpp"

namespace isaforge::ir {

namespace {

Value integer_value(Graph& graph, const Instruction& instruction, Type type) {
    const Value a = instruction.operands[0], b = instruction.operands[1], c = instruction.operands[2];
    const auto x = graph.known(a), y = graph.known(b);
    const std::uint64_t all = ones(type);
    switch (instruction.op) {
        case Op::add:
        case Op::bit_or:
        case Op::bit_xor:
        case Op::max_unsigned:
            if (x == 0u) return b;
            if (y == 0u) return a;
            if (instruction.op == Op::bit_xor && a == b) return graph.constant(type, 0);
            if (instruction.op == Op::bit_or && (a == b || x == all)) return a;
            if (instruction.op == Op::bit_or && y == all) return b;
            return instruction.op == Op::max_unsigned && a == b ? a : no_value;
        case Op::sub:
            if (a == b) return graph.constant(type, 0);
            return y == 0u ? a : no_value;
        case Op::shift_left:
        case Op::shift_right:
            if (y && *y >= type.bits) return graph.constant(type, 0);
            return y == 0u || x == 0u ? a : no_value;
        case Op::shift_right_signed: return y == 0u || x == 0u ? a : no_value;
        case Op::rotate_left: return y && *y % type.bits == 0 ? a : no_value;
        case Op::mul:
            if (x == 1u || y == 0u) return b;
            return y == 1u || x == 0u ? a : no_value;
        case Op::bit_and:
        case Op::min_unsigned:
            if (a == b || y == all || x == 0u) return a;
            return x == all || y == 0u ? b : no_value;
        case Op::equal:
        case Op::less_equal_unsigned:
        case Op::less_equal_signed: return a == b ? graph.constant(type, 1) : no_value;
        case Op::not_equal:
            if (a == b) return graph.constant(type, 0);
            return type.is_truth() && graph.type(a) == type && y == 0u ? a : no_value;
        case Op::less_unsigned: return a == b || y == 0u ? graph.constant(type, 0) : no_value;
        case Op::less_signed: return a == b ? graph.constant(type, 0) : no_value;
        case Op::select:
            if (x) return *x != 0 ? b : c;
            if (b == c) return b;
            return type.is_truth() && y == 1u && graph.is_known(c, 0) ? a : no_value;
        default: return no_value;
    }
}

}  // namespace

Value equal_value(Graph& graph, const Instruction& instruction, Type type) {
    if (const auto constant = evaluate(graph, instruction, type)) return graph.constant(type, *constant);
    return about(instruction.op).family == Family::integer ? integer_value(graph, instruction, type) : no_value;
}

}  // namespace isaforge::ir

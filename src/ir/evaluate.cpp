// Compiled with the host's direction of rounding open: see CMakeLists.txt.
#include "ir/evaluate.hpp"

#include <algorithm>
#include <type_traits>

#include "ir/soft_float.hpp"
#include "isaforge/image.hpp"
#include "semantics/host_rounding.hpp"
#include "semantics/kernels.hpp"
#include "semantics/types.hpp"

namespace isaforge::ir {

namespace {

using semantics::HostRounding;

template <class Kernel, class T>
std::uint64_t apply(const std::uint64_t (&given)[most_operands], FloatRules rules) {
    using In = typename Kernel::template In<T>;
    if (rules.rounding == Rounding::nearest)
        return std::uint64_t(Kernel::template apply<T>(In(given[0]), In(given[1]), In(given[2]), rules));
    // What is volatile stays between the changes of direction.
    volatile std::uint64_t x = given[0], y = given[1], z = given[2], result = 0;
    const HostRounding host(rules.rounding);
    result = std::uint64_t(Kernel::template apply<T>(In(x), In(y), In(z), rules));
    return result;
}

template <class Kernel>
std::uint64_t in_container(unsigned container, const std::uint64_t (&given)[most_operands], FloatRules rules) {
    switch (container) {
        case 8: return apply<Kernel, std::uint8_t>(given, rules);
        case 16: return apply<Kernel, std::uint16_t>(given, rules);
        case 32: return apply<Kernel, std::uint32_t>(given, rules);
        default: return apply<Kernel, std::uint64_t>(given, rules);
    }
}

// A kernel of floats is made for the width of its operands, unless these are 64 bits that become a float.
template <class Kernel>
std::uint64_t in_float(Type operand, Type result, const std::uint64_t (&given)[most_operands], FloatRules rules) {
    const bool from_64 = std::is_base_of_v<semantics::kernels::From64, Kernel>;
    switch (from_64 ? result.bits : operand.bits) {
        case 16: return apply<Kernel, std::uint16_t>(given, rules);
        case 32: return apply<Kernel, std::uint32_t>(given, rules);
        default: return apply<Kernel, std::uint64_t>(given, rules);
    }
}

}  // namespace

std::uint64_t compute(Op op, Type operand_type, Type type, std::span<const std::uint64_t> operands, FloatMode mode) {
    const Operation& operation = about(op);
    std::uint64_t given[most_operands] = {};
    std::copy(operands.begin(), operands.end(), given);
    FloatRules rules{mode.flush_subnormals, mode.canonical_nan, mode.rounding};
    if (mode.raised_by != 0)
        return compute_softly(op, operand_type.bits, mode.raised_by, operands, mode.rounding, mode.flush_subnormals)
            .exceptions;
    if (mode.rounding == Rounding::nearest_away) {
        const SoftResult result =
            compute_softly(op, operand_type.bits, type.bits, operands, mode.rounding, mode.flush_subnormals);
        if (result.number)
            return mode.flush_subnormals ? compute(Op::fflush, type, type, {&*result.number, 1}, {}) : *result.number;
        rules.rounding = Rounding::nearest;
    }
    const unsigned container = (op == Op::select ? type : operand_type).container(), bits = operand_type.bits;
    if (operation.narrow == Narrow::sign || operation.narrow == Narrow::sign_first) {
        const std::size_t extended = operation.narrow == Narrow::sign ? operands.size() : 1;
        for (std::size_t i = 0; i < extended; ++i)
            given[i] = static_cast<std::uint64_t>(semantics::sign_extend(given[i], bits));
    }
    std::uint64_t result = 0;
    switch (op) {
#define X(name, kernel, ...) \
    case Op::name: result = in_container<semantics::kernels::kernel>(container, given, rules); break;
        ISAFORGE_IR_INTEGERS(X)
#undef X
#define X(name, kernel, ...) \
    case Op::name: result = in_float<semantics::kernels::kernel>(operand_type, type, given, rules); break;
        ISAFORGE_IR_FLOATS(X)
#undef X
        default: break;
    }
    return result & ones(type);
}

namespace {

std::optional<std::uint64_t> convert(Op op, Type from, Type to, std::uint64_t value) {
    switch (op) {
        case Op::truncate:
        case Op::zero_extend:
        case Op::from_truth:
        case Op::splat: return value & ones(to);
        case Op::sign_extend: return static_cast<std::uint64_t>(semantics::sign_extend(value, from.bits)) & ones(to);
        case Op::cast: return from.bits == to.bits ? std::optional(value) : std::nullopt;
        // Lanes that are all alike.
        case Op::pick:
        case Op::permute:
        case Op::take:
        case Op::reduce_and:
        case Op::reduce_or: return value;
        case Op::reduce_add: return value * from.lanes & ones(to);
        case Op::ballot: return value == 0 ? 0 : low_bits(from.lanes);
        case Op::spread:
            if (value == 0 || value == ones(from)) return value == 0 ? 0 : 1;
            return std::nullopt;
        default: return std::nullopt;
    }
}

}  // namespace

std::optional<std::uint64_t> evaluate(const Graph& graph, const Instruction& instruction, Type type) {
    if (about(instruction.op).effect != Effect::pure || instruction.op == Op::lane_number || type.count != 1)
        return std::nullopt;
    const auto inputs = instruction.inputs();
    if (inputs.empty()) return std::nullopt;
    std::uint64_t known[most_operands] = {};
    // Of a choice and of a permutation less has to be known.
    if (instruction.op == Op::pick || instruction.op == Op::permute) {
        const auto value = graph.known(inputs[0]);
        return value ? convert(instruction.op, graph.type(inputs[0]), type, *value) : std::nullopt;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto value = graph.known(inputs[i]);
        if (!value) return std::nullopt;
        known[i] = *value;
    }
    const Type operand = graph.type(inputs[0]);
    if (!is_computed(instruction.op))
        return operand.count == 1 ? convert(instruction.op, operand, type, known[0]) : std::nullopt;
    if (about(instruction.op).family == Family::floating && instruction.mode.by_mode) return std::nullopt;
    return compute(instruction.op, operand, type, {known, inputs.size()}, instruction.mode);
}

}  // namespace isaforge::ir

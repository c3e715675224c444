// What operations give on constants.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ir/graph.hpp"

namespace isaforge::ir {

// One element of one lane of the result of a computing operation (is_computed), whose operands have `operand_type` and whose
// result has `type`; the operands are zero-extended, and so is the result.
std::uint64_t compute(Op op, Type operand_type, Type type, std::span<const std::uint64_t> operands, FloatMode mode);

// The constant that an instruction gives, equal in all lanes; nothing where it is not known or has an effect. `type` is its
// result's.
std::optional<std::uint64_t> evaluate(const Graph& graph, const Instruction& instruction, Type type);

}  // namespace isaforge::ir

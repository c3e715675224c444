// What the result of an operation is equal to by the rules of algebra, whatever made its operands.
#pragma once

#include "ir/graph.hpp"

namespace isaforge::ir {

// A value that the result of a pure operation is equal to, made where it is a constant; no_value where there is none. `type` is
// the result's.
Value equal_value(Graph& graph, const Instruction& instruction, Type type);

}  // namespace isaforge::ir

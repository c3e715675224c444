// Whether a graph is one: every value is assigned once and before it is used on every path, types are as operations have
// them, blocks end, edges give each argument its value, and what is named exists.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.hpp"
#include "isaforge/isa.hpp"

namespace isaforge::ir {

// What is wrong, each with the block and the operation; empty where nothing is.
std::vector<std::string> verify(const Graph& graph, const Isa& isa);

}  // namespace isaforge::ir

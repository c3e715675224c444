// From what an instruction does wherever it may stand to what it does at one place.
#pragma once

#include <cstdint>
#include <span>

#include "ir/graph.hpp"

namespace isaforge::ir {

// The graph with values in place of the arguments of its first block, and with what follows from them: what is known is computed,
// registers whose numbers are known are named, ways that are never taken are left out.
Graph substitute(const Graph& form, std::span<const std::uint64_t> values, const Isa& isa);

}  // namespace isaforge::ir

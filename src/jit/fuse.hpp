// Instructions that always follow each other become one: a graph in which what one leaves in registers is a value of the next.
#pragma once

#include <deque>
#include <vector>

#include "jit/plan.hpp"
#include "machine/compiler.hpp"

namespace isaforge::jit {

// A region with fewer units; `parts` of a unit say which of the given ones it consists of.
struct Fused {
    machine::CodeRegion region;
    std::deque<ir::Graph> graphs;                 // of those that are several
    std::vector<std::vector<std::size_t>> parts;  // by unit
};

Fused fuse(const machine::CodeRegion& region, const machine::CompilerTarget& target);

}  // namespace isaforge::jit

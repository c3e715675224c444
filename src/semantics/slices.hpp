// The statements of a meaning, each with what it cannot do without: whoever asks what a statement may be need not try the
// values of operands that only others look at.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "isaforge/isa.hpp"
#include "semantics/tree.hpp"

namespace isaforge::semantics {

using Names = std::set<std::string>;

// Adds the names that occur in an expression, a type, statements.
template <class Tree>
void add_names(const Tree& tree, Names& names) {
    for_each_name(tree, [&](const std::string& name) { names.insert(name); });
}

// Each name in what an instruction does, and in what is asked before that: not in what its table gives names to.
template <class Visit>
void for_each_name_in(const Instruction& instruction, const Visit& visit) {
    for_each_name(instruction.guard, visit);
    for_each_name(instruction.lane_mask, visit);
    for (const Arrival& arrival : instruction.arrivals) for_each_name(arrival.condition, visit);
    if (instruction.meaning) for_each_name(*instruction.meaning, visit);
}

struct Slice {
    Statements statements;  // one of the meaning's own, behind those that make the locals which it uses
    Names names;            // that occur in them, in what these names stand for, and in what all statements depend on
};

std::vector<Slice> slices_of(const Isa& isa, const Instruction& instruction, const Form& form);

}  // namespace isaforge::semantics

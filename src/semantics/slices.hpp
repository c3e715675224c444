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

struct Slice {
    Statements statements;  // one of the meaning's own, behind those that make the locals which it uses
    Names names;            // that occur in them, in what these names stand for, and in what all statements depend on
};

std::vector<Slice> slices_of(const Isa& isa, const Instruction& instruction, const Form& form);

}  // namespace isaforge::semantics

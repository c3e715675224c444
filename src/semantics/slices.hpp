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

// Adds the names that occur in these.
void add_names(const Expression& expression, Names& names);
void add_names(const TypeName& type, Names& names);
void add_names(const Block& block, Names& names);

struct Slice {
    Statements statements;  // one of the meaning's own, behind those that make the locals which it uses
    Names names;            // that occur in them, in what these names stand for, and in what all statements depend on
};

std::vector<Slice> slices_of(const Isa& isa, const Instruction& instruction, const Form& form);

}  // namespace isaforge::semantics

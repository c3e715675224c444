// What the names in one meaning stand for: operands and names of the instruction before those of the description.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "manual/site.hpp"
#include "semantics/tree.hpp"

namespace isaforge::manual {

struct Scope {
    const Edition& edition;
    std::string root;                        // of the page: "../"
    const std::vector<Field>* fields = nullptr;  // operands or captures
    std::vector<const std::vector<Naming>*> namings;
    std::set<std::string, std::less<>> locals;   // parameters, let, loops

    const Field* field(std::string_view name) const;
    const Naming* naming(std::string_view name) const;  // of the instruction
};

// The scope of a form of an instruction.
Scope scope_of(const Edition& edition, const Form& form, const Instruction& instruction, std::string root);

}  // namespace isaforge::manual

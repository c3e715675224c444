// The operands of an instruction that have a code of their own, in the one order in which the graphs of forms count them.
#pragma once

#include <vector>

#include "isaforge/isa.hpp"
#include "semantics/lower.hpp"

namespace isaforge::semantics {

// Rows of tables stand for what they capture.
template <class Bindings, class Function>
void for_each_leaf(const Isa& isa, Bindings& bindings, Function&& function) {
    for (auto& binding : bindings) {
        if (isa.operand_types[binding.type].kind == OperandKind::table)
            for_each_leaf(isa, binding.captures, function);
        else
            function(binding);
    }
}

inline std::vector<const Binding*> leaves_of(const Isa& isa, const std::vector<Binding>& bindings) {
    std::vector<const Binding*> leaves;
    for_each_leaf(isa, bindings, [&](const Binding& leaf) { leaves.push_back(&leaf); });
    return leaves;
}

}  // namespace isaforge::semantics

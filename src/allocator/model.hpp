// From a description to the allocator's problem, and back to numbers.
#pragma once

#include <cstddef>
#include <vector>

#include "allocator/problem.hpp"
#include "isaforge/allocate.hpp"

namespace isaforge::allocator {

// Columns of `auto` rows whose numbers are chosen together, because they are in the same forms.
struct Choice {
    std::vector<std::pair<Index, Index>> columns;  // Isa::auto_rows, column
    std::vector<Index> forms;
};

struct Model {
    Problem problem;
    std::vector<Choice> choices;  // one for each item of the problem
};

// Nothing after an error, where a row's numbers are in places that no rule of the allocator covers.
std::optional<Model> model_of(const Isa& draft, Diagnostics& diagnostics);

void add_numbers(const Isa& draft, const Model& model, const Assignment& assignment, std::vector<AutoChoice>& choices);

}  // namespace isaforge::allocator

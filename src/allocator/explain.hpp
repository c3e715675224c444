// The yes or no of a problem, the proof of a no, and the smallest changes that turn it into a yes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "allocator/classes.hpp"

namespace isaforge::allocator {

Answer answer_of(Classes& classes, std::uint64_t most, std::uint64_t& placements);
Shortage explain(Classes& classes);

// Each has been tried. `shortage` says where to look first; without one everything is looked at.
std::vector<Change> smallest_changes(const Problem& problem, const std::optional<Shortage>& shortage);

}  // namespace isaforge::allocator

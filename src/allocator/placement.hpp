// From a yes to an assignment: classes are placed one after the other, each at the first of the positions that its policy
// likes which leaves room for those that follow.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "allocator/classes.hpp"

namespace isaforge::allocator {

// Where a class likes to be: as low or high as possible, at a multiple of its size, one bit from its relatives, or together
// with the class of those, one at even blocks and one at odd ones, so that the last bit tells a form from its long form.
enum class Policy { low, high, low_aligned, high_aligned, beside, interleaved };
inline constexpr unsigned policies = 6;

struct Plan {
    std::vector<std::size_t> order;   // of classes
    std::vector<Policy> policy;       // by class
};

struct Placement {
    Assignment assignment;
    std::vector<Bdd::Ref> blocks;     // that each class opened, in `bdd`
    Bdd bdd;
};

// Without looking ahead a class is placed as if it were the last: quick, and nothing where a later one then finds no room.
// With it, nothing only where the look ahead gave up. `looks` counts how often it was asked.
std::optional<Placement> place(const Classes& classes, const Plan& plan, bool look_ahead, std::size_t& looks);

// Rows in this order of their formats, or of the description where it is empty, each into the lowest block or code that is
// free for it. Nothing where one finds no place.
std::optional<Placement> place_first_fit(const Classes& classes, const std::vector<unsigned>& formats);

}  // namespace isaforge::allocator

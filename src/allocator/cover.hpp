// Two-level covers: a function of the leading bits as a sum of products, as small as a few passes make it. Decoders are
// measured by them.
#pragma once

#include <vector>

#include "allocator/bdd.hpp"

namespace isaforge::allocator {

// Cubes that together hold all of `wanted` and nothing outside `allowed`, which holds `wanted`; none of them can be left
// out. Quick: the first cover found (Minato's and Morreale's).
std::vector<Cube> quick_cover(Bdd& bdd, Bdd::Ref wanted, Bdd::Ref allowed);

// The same with fewer and larger cubes: expanded to primes, made irredundant, reduced and expanded again while that helps.
std::vector<Cube> minimise(Bdd& bdd, Bdd::Ref wanted, Bdd::Ref allowed);

}  // namespace isaforge::allocator

// Two instruction sets side by side, two revisions of one most often, as a page.
#pragma once

#include <string>
#include <vector>

#include "isa/diff.hpp"
#include "isaforge/isa.hpp"

namespace isaforge::manual {

// A page that needs nothing else: the code space of the second one, coloured by what became of each instruction, with dashed
// frames where those were that moved or are gone, and below it every difference.
std::string diff_page(const Isa& before, const Isa& after, const std::vector<Change>& changes);

}  // namespace isaforge::manual

// The allocator: gives opcodes to the rows of a description that say `auto`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isaforge/isa.hpp"

namespace isaforge {

// The number for one `auto` of a description, at the place of that word.
struct AutoChoice {
    Place where;
    std::uint64_t value = 0;
    unsigned width = 0;  // of the field, in bits
};

// Chooses an opcode for each `auto` of a draft (see LoadOptions::draft), such that no two instructions overlap, pools and
// reserved patterns are respected, and what has a number keeps it. The same draft always gives the same choices. False
// where no assignment exists: then `diagnostics` has an error with the proof and the smallest changes that would help.
bool allocate(const Isa& draft, std::vector<AutoChoice>& choices, Diagnostics& diagnostics);

}  // namespace isaforge

// Which registers an instruction reads and writes.
#pragma once

#include <cstdint>

#include "isaforge/isa.hpp"

namespace isaforge::machine {

// A stretch of the block that an instruction reads or writes: a register, or a whole file where its number is found
// only at run time.
struct Touch {
    Index file = no_index;
    std::uint32_t first = 0, count = 1;
    bool in_guard = false;  // read to decide whether the instruction executes
};

}  // namespace isaforge::machine

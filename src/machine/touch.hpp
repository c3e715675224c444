// Which registers an instruction reads and writes.
#pragma once

#include <cstdint>
#include <span>

#include "isaforge/isa.hpp"

namespace isaforge::machine {

// A stretch of the block that an instruction reads or writes: a register, or a whole file where its number is found
// only at run time.
struct Touch {
    Index file = no_index;
    std::uint32_t first = 0, count = 1;
    bool in_guard = false;  // read to decide whether the instruction executes
};

// A bit for each of these, which others may have too: what has no bit in common with something else touches nothing of it.
inline std::uint64_t touched_bits(std::span<const Touch> touches) {
    std::uint64_t bits = 0;
    for (const Touch& touch : touches) bits |= std::uint64_t{1} << (touch.file * 29 + touch.first) % 64;
    return bits;
}

}  // namespace isaforge::machine

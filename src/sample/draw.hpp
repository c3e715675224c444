// Random codes for operands.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "isaforge/codec.hpp"
#include "support/splitmix.hpp"

namespace isaforge::sample {

using Random = SplitMix64;

// What an operand of an instruction has behind it: pieces of its value there.
struct TailPart {
    const BitPlace* place;
    std::uint64_t value;
    Index field = no_index;  // of the form
};
using Tail = std::vector<TailPart>;

class Draw {
public:
    Draw(const Isa& isa, Random& random) : isa_(isa), random_(random) {}

    // A code of the operand type. It may be one that the type does not have after all, where an exception stands before
    // the row that was chosen: that is for the caller to find out.
    std::uint64_t code(Index type, Tail& tail);

private:
    std::uint64_t number(unsigned width);
    std::uint64_t row(const OperandType& type, Tail& tail);
    std::uint64_t capture(const OperandRow& row, Index field, Tail& tail);

    const Isa& isa_;
    Random& random_;
};

}  // namespace isaforge::sample

// Random codes for operands.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "isaforge/codec.hpp"

namespace isaforge::sample {

// Small, fast, and the same on every machine: SplitMix64.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t bits() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    // Below `count`, which is not 0; the bias of the remainder does not matter here.
    std::uint64_t below(std::uint64_t count) { return bits() % count; }
    bool one_in(unsigned count) { return below(count) == 0; }

private:
    std::uint64_t state_;
};

// What one instruction has in the words that follow it: pieces of the tail with their values.
using Tail = std::vector<std::pair<const BitPlace*, std::uint64_t>>;

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

// SplitMix64: small, fast, and the same on every machine, so that a seed stands for what was made of it.
#pragma once

#include <cstdint>

namespace isaforge {

class SplitMix64 {
public:
    explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
        z = (z ^ z >> 27) * 0x94D049BB133111EB;
        return z ^ z >> 31;
    }
    // Below `count`, which is not 0; the bias of the remainder does not matter here.
    std::uint64_t below(std::uint64_t count) { return next() % count; }
    bool one_in(std::uint64_t count) { return below(count) == 0; }

private:
    std::uint64_t state_;
};

}  // namespace isaforge

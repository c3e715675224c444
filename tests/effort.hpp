// How much is tried of what has no end: tests take a sample, and ISAFORGE_EFFORT times as much in the sweeps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace isaforge::test {

// 1 where nothing else is asked for.
inline unsigned effort() {
    const char* const asked = std::getenv("ISAFORGE_EFFORT");
    return asked == nullptr ? 1 : static_cast<unsigned>(std::max(std::atoi(asked), 1));
}

inline unsigned times_effort(unsigned sample) { return sample * effort(); }

}  // namespace isaforge::test

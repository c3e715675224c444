// What one instruction of a program has to do with what a description says of hazards, and of registers that are read until a
// counter says so. It is found out when the instruction is translated, for the checker.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "machine/touch.hpp"
#include "semantics/forms.hpp"

namespace isaforge::machine {

// The registers that make an instruction the first or the second of a hazard.
struct HazardTouches {
    Index hazard = no_index;       // Isa::hazards
    std::vector<Touch> registers;  // none: whichever it touches
};

struct Watched : std::enable_shared_from_this<Watched> {
    std::vector<HazardTouches> first, second;
    std::uint64_t states = 1;                                      // wait states that it is
    std::uint64_t begins = 0, ends = 0;                            // a bit for each hazard of `first`, of `second`
    std::vector<std::pair<const Held*, std::vector<Touch>>> held;  // Isa::held
};

struct Touches {
    std::vector<Touch> reads, writes;
};

// Null where there is nothing to watch.
std::shared_ptr<const Watched> watched_of(const Isa& isa, const semantics::FormGraphs& forms, Index form,
                                          const Image& image, const Touches& touches);

}  // namespace isaforge::machine

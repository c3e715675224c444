// How many cycles an instruction takes, as far as its form says so: for people who read about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "isaforge/isa.hpp"

namespace isaforge::semantics {

// The least and the most, over all operands and ways through the meaning.
struct CycleRange {
    std::uint64_t least = 0, most = 0;
    bool is_open = false;  // it may be any number from `least` on, or there was too much to look at

    void include(const CycleRange& other);
};

// Nothing where the description does not count, or the form has no meaning that can be executed.
std::optional<CycleRange> cycles_of(const Isa& isa, const Form& form);

// "1 cycle", "4 or 5 cycles", "1 to 6 cycles", "2 cycles or more".
std::string to_text(const CycleRange& range);

}  // namespace isaforge::semantics

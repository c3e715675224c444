// The intermediate form: what one instruction with its operands known does, as a row of typed steps over numbered
// values. Every value is assigned once, but for variables, which are assigned on several paths. The machine turns steps
// into its micro-operations; a just-in-time compiler could start from the same place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isaforge/isa.hpp"
#include "semantics/actions.hpp"
#include "semantics/types.hpp"

namespace isaforge::semantics {

using ValueId = std::uint32_t;
inline constexpr ValueId no_value = ~ValueId{0};
inline constexpr std::uint32_t no_number = ~std::uint32_t{0};

struct Value {
    enum class Kind : std::uint8_t { constant, temporary, variable };
    Kind kind = Kind::temporary;
    std::uint8_t container = 64;   // 8, 16, 32 or 64 bits
    std::uint16_t lanes = 1;
    std::uint64_t constant = 0;
};

struct Step {
    Action action = Action::nothing;
    std::uint8_t container = 64;   // of the operation; of a result, see its value
    std::uint8_t delay = 0;        // write, write_pc
    Rounding rounding = Rounding::nearest;  // of float operations
    std::uint16_t lanes = 1;
    std::uint16_t first = 0;       // write: the first of the lanes that are written
    ValueId result = no_value, a = no_value, b = no_value, c = no_value;
    Index object = no_index;
    std::uint32_t number = no_number;
};

struct Code {
    std::vector<Value> values;
    std::vector<Step> steps;
    std::vector<std::string> signals;
};

// A listing, one step a line, for tests and for looking.
std::string to_text(const Code& code, const Isa& isa);

// The result of a computing action on constants of one lane.
std::uint64_t evaluate(Action action, unsigned container, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                       FloatRules rules);

}  // namespace isaforge::semantics

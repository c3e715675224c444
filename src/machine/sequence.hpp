// What the interpreter does for one instruction, in the order in which it does it: the operations of a graph one after the other,
// in widths that the host has. A lane of 1 to 64 bits lies in the smallest container of 8, 16, 32 or 64 bits that holds it, zeros
// above; a value of one lane takes 64 bits, zeros above, so that any container that holds it can be read. All jumps go forward.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ir/graph.hpp"

namespace isaforge::machine {

using ValueId = std::uint32_t;
inline constexpr ValueId no_value = ~ValueId{0};
inline constexpr std::uint32_t no_number = ~std::uint32_t{0};

struct Value {
    enum class Kind : std::uint8_t { constant, temporary, variable };  // variable: assigned on several ways
    Kind kind = Kind::temporary;
    std::uint8_t container = 64;   // 8, 16, 32 or 64 bits
    std::uint16_t lanes = 1;
    std::uint64_t constant = 0;
};

// An operation, which means what it does in the form but for these:
//   at         nothing
//   cast       the same bytes, in lanes of the result's size
//   truncate   lanes in another container: cut, or with zeros above
//   get, put   number `number`, or b where that is no_number
//   jump       on to step `number`
//   branch     likewise if a is 0
//   leave      the instruction ends, and the next one is at a
//   update     as far as the loads: of the function, whose steps stand behind it, value `number` and the two after it are the
//              arguments
//   give       the rest of that update, behind these steps: b is what is stored
struct Step {
    ir::Op op = ir::Op::at;
    std::uint8_t container = 64;   // of the operation; of a result, see its value
    std::uint8_t delay = 0;
    Rounding rounding = Rounding::nearest;
    std::uint8_t raised_by = 0;    // see ir::FloatMode
    std::uint16_t lanes = 1;
    std::uint16_t first = 0;
    ValueId result = no_value, a = no_value, b = no_value, c = no_value, d = no_value;
    Index object = no_index;
    std::uint32_t number = no_number;

    std::array<ValueId, 4> inputs() const { return {a, b, c, d}; }
};

struct Sequence {
    std::vector<Value> values;
    std::vector<Step> steps;
};

// Of a graph without loops in which nothing is open.
Sequence sequence_of(const ir::Graph& graph);

}  // namespace isaforge::machine

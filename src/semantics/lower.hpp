// From meaning trees to the intermediate form: lowering binds names, checks types and folds what is known. It works on
// one instruction at a time, with the codes of its operands known (to execute it) or left open (to check it).
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.hpp"
#include "isaforge/codec.hpp"
#include "isaforge/diagnostics.hpp"
#include "isaforge/isa.hpp"

namespace isaforge::semantics {

// What is known of a field. For a table operand the row is always known, its captures are bindings in turn.
struct Binding {
    Index type = no_index;
    bool known = false;            // the code is
    std::uint64_t code = 0;
    Index row = no_index;
    std::vector<Binding> captures;
};

// Binds a code that was found in an instruction.
Binding bind(const Codec& codec, Index type, std::uint64_t code);

struct LowerInput {
    const Isa* isa = nullptr;
    const Instruction* instruction = nullptr;
    const std::vector<Field>* fields = nullptr;
    const std::vector<Binding>* bindings = nullptr;   // one for each field
    std::uint64_t address = 0;                        // the instruction's
    std::uint64_t next_address = 0;                   // of the one behind it
    const SharedList<Naming>* names = nullptr;        // of the encoding
    const std::vector<std::uint64_t>* modes = nullptr;  // the value of each mode; null: as mode_bindings say, or open
    const std::vector<Binding>* mode_bindings = nullptr;
    const EventHandler* event = nullptr;              // this is lowered, and not the instruction, where it is set
    bool only_modes = false;                          // the values of all modes are, and nothing else
};

struct LowerResult {
    ir::Graph graph;                    // its arguments: what is open
    bool ok = false;
    std::size_t effort = 0;             // expressions and statements that were looked at
    const Binding* steering = nullptr;  // an open binding whose code must be known, because a type depends on it
};

// Errors go to `diagnostics`; with `warnings` also what is merely odd.
LowerResult lower(const LowerInput& input, Diagnostics& diagnostics, bool warnings = false);

}  // namespace isaforge::semantics

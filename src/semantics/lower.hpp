// From meaning trees to the intermediate form: lowering binds names, checks types and folds what is known. It works on
// one instruction at a time, with the codes of its operands known (to execute it) or left open (to check it).
#pragma once

#include <cstdint>
#include <optional>
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

// Binds a code that was found in an instruction, behind which from a bit on is what follows it.
Binding bind(const Codec& codec, Index type, std::uint64_t code, const Image& image, unsigned tail_at);

// Binds a code that a form gives; nothing follows the instruction.
Binding bind_fixed(const Isa& isa, Index type, std::uint64_t code);

struct LowerInput {
    const Isa* isa = nullptr;
    const Instruction* instruction = nullptr;
    const std::vector<Field>* fields = nullptr;
    const std::vector<Binding>* bindings = nullptr;   // one for each field
    bool anywhere = false;                            // the two addresses are open
    std::uint64_t address = 0;                        // the instruction's
    std::uint64_t next_address = 0;                   // of the one behind it
    const SharedList<Naming>* names = nullptr;        // of the encoding
    const std::vector<std::uint64_t>* modes = nullptr;  // the value of each mode; null: as mode_bindings say, or open
    const std::vector<Binding>* mode_bindings = nullptr;
    const EventHandler* event = nullptr;              // this is lowered, and not the instruction, where it is set
    const Expression* expression = nullptr;  // likewise, as one about the instruction alone
    bool only_modes = false;                          // the values of all modes are, and nothing else
    bool alone = false;                               // without what is done on fetch and on retire
    bool every_name = false;                          // also what those stand for that the meaning does not mention
};

// What an argument of a lowered graph is.
struct Opening {
    enum class Kind { operand, address, next_address } kind = Kind::operand;
    const Binding* operand = nullptr;   // its value: see value_of; null: a mode
};

struct LowerResult {
    ir::Graph graph;
    std::vector<Opening> openings;      // for each of its arguments
    bool ok = false;
    std::size_t effort = 0;             // expressions and statements that were looked at
    const Binding* steering = nullptr;  // an open binding whose code must be known, because a type depends on it
};

// What an expression about one instruction means where its operands are known: registers, as their names or part of what is
// computed, and a number where one can be told.
struct Meant {
    std::vector<std::pair<Index, std::uint64_t>> registers;  // file and number
    std::optional<std::uint64_t> number;
};
Meant meant_by(const Expression& expression, const LowerInput& input, Diagnostics& diagnostics);

// The value of an operand with a code, at an address; nothing where a number has no entry for the code.
std::optional<std::uint64_t> value_of(const OperandType& type, std::uint64_t code, std::uint64_t address);

// Errors go to `diagnostics`; with `warnings` also what is merely odd.
LowerResult lower(const LowerInput& input, Diagnostics& diagnostics, bool warnings = false);

}  // namespace isaforge::semantics

// What an instruction, a basic block of the program or a region of it does: blocks of operations over values that are
// assigned once. A block has arguments, which those that lead to it give values; there are no other variables. The first block
// is where it begins; its arguments are what is not known yet: the operands of an instruction whose form is described, for all
// places in programs where it may stand.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/operations.hpp"
#include "ir/type.hpp"
#include "isaforge/isa.hpp"

namespace isaforge::ir {

using Value = std::uint32_t;
using BlockId = std::uint32_t;
inline constexpr Value no_value = ~Value{0};
inline constexpr BlockId no_block = ~BlockId{0};

// How a float operation rounds, what becomes of subnormals, and which NaN it gives.
struct FloatMode {
    Rounding rounding = Rounding::nearest;
    bool by_mode = false;  // the direction is that of mode `object`, which is bound later
    bool flush_subnormals = false;
    bool canonical_nan = false;
    // Not 0: it gives the exceptions that it raises where its result, a float or an integer, has so many bits.
    std::uint8_t raised_by = 0;

    bool operator==(const FloatMode&) const = default;
};

struct Instruction {
    Op op = Op::at;
    std::uint8_t delay = 0;            // put, put_pc: it lands after so many more instructions
    std::uint16_t first = 0;           // get, put: the first of the lanes
    FloatMode mode;                    // of floats
    Value result = no_value;
    std::array<Value, most_operands> operands = {no_value, no_value, no_value};
    Value mask = no_value;             // where it acts; no_value: everywhere
    Index object = no_index;           // as the operation says: register file, memory, mode, text
    std::uint64_t number = 0;          // likewise: of a register, an element, a counter, an address, a function

    std::span<const Value> inputs() const { return {operands.data(), operand_count(op)}; }
    std::span<Value> inputs() { return {operands.data(), operand_count(op)}; }
};

struct Edge {
    BlockId block = no_block;
    std::vector<Value> values;         // of the block's arguments
};

struct Block {
    std::vector<Value> arguments;
    std::vector<Instruction> body;
    Instruction end;                   // of the family `end`
    std::vector<Edge> edges;           // jump: one; branch: where it holds, and where it does not
};

struct Definition {
    Type type;
    bool is_constant = false;
    std::uint64_t constant = 0;        // of each lane; of a mask 0 or 1: empty or full
};

// What one value is of others: a graph of one block, whose operations are pure, and which ends with `give`. Graphs share them.
class Graph;
using Function = std::shared_ptr<const Graph>;

class Graph {
public:
    std::vector<Block> blocks;         // the first is the entry
    std::vector<Definition> values;
    std::vector<std::string> texts;
    std::vector<Function> functions;

    Value constant(Type type, std::uint64_t value);
    Value new_value(Type type);
    std::uint32_t text(const std::string& text);

    Type type(Value value) const { return values[value].type; }
    std::optional<std::uint64_t> known(Value value) const {
        return value != no_value && values[value].is_constant ? std::optional(values[value].constant) : std::nullopt;
    }
    bool is_known(Value value, std::uint64_t wanted) const { return known(value) == wanted; }
};

// The bits of a type's element that can be 1.
std::uint64_t ones(Type type);

// Every value that an instruction takes, its mask too.
template <class Function>
void for_each_input(const Instruction& instruction, Function&& function) {
    for (const Value value : instruction.inputs()) function(value);
    if (instruction.mask != no_value) function(instruction.mask);
}

// The same with leave to put another in its place.
template <class Function>
void change_inputs(Instruction& instruction, Function&& function) {
    for (Value& value : instruction.inputs()) value = function(value);
    if (instruction.mask != no_value) instruction.mask = function(instruction.mask);
}

// The instruction that makes a value; null of constants and of arguments.
inline const Instruction* maker_of(const Graph& graph, Value value) {
    for (const Block& block : graph.blocks)
        for (const Instruction& instruction : block.body)
            if (instruction.result == value) return &instruction;
    return nullptr;
}

// Puts values together at the end of a block; what is known is computed at once.
class Builder {
public:
    explicit Builder(Graph& graph) : graph_(graph) {}

    BlockId new_block() {
        graph_.blocks.emplace_back();
        return static_cast<BlockId>(graph_.blocks.size() - 1);
    }
    void at(BlockId block) { block_ = block; }
    BlockId block() const { return block_; }
    Value argument(BlockId block, Type type);

    Value constant(Type type, std::uint64_t value) { return graph_.constant(type, value); }
    // An operation with a result of that type.
    Value make(Op op, Type type, std::initializer_list<Value> operands, FloatMode mode = {});
    // Any other; `instruction.result` is made where the operation has one, and returned.
    Value add(Instruction instruction, Type type = {});

    void jump(BlockId to, std::vector<Value> values = {});
    void branch(Value condition, BlockId where_true, BlockId where_false);
    void end(Instruction instruction) { graph_.blocks[block_].end = instruction; }

private:
    Graph& graph_;
    BlockId block_ = 0;
};

}  // namespace isaforge::ir

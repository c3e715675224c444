#include "ir/graph.hpp"

#include <algorithm>

#include "ir/algebra.hpp"
#include "isaforge/image.hpp"

namespace isaforge::ir {

std::uint64_t ones(Type type) { return low_bits(type.bits); }

Value Graph::constant(Type type, std::uint64_t value) {
    values.push_back({type, true, value & ones(type)});
    return static_cast<Value>(values.size() - 1);
}

Value Graph::new_value(Type type) {
    values.push_back({type});
    return static_cast<Value>(values.size() - 1);
}

std::uint32_t Graph::text(const std::string& wanted) {
    const auto found = std::find(texts.begin(), texts.end(), wanted);
    if (found != texts.end()) return static_cast<std::uint32_t>(found - texts.begin());
    texts.push_back(wanted);
    return static_cast<std::uint32_t>(texts.size() - 1);
}

Value Builder::argument(BlockId block, Type type) {
    const Value value = graph_.new_value(type);
    graph_.blocks[block].arguments.push_back(value);
    return value;
}

Value Builder::make(Op op, Type type, std::initializer_list<Value> operands, FloatMode mode) {
    Instruction made{.op = op, .mode = mode};
    std::copy(operands.begin(), operands.end(), made.operands.begin());
    return add(made, type);
}

Value Builder::add(Instruction instruction, Type type) {
    if (about(instruction.op).effect == Effect::pure)
        if (const Value equal = equal_value(graph_, instruction, type); equal != no_value) return equal;
    if (has_result(instruction.op)) instruction.result = graph_.new_value(type);
    graph_.blocks[block_].body.push_back(instruction);
    return instruction.result;
}

void Builder::jump(BlockId to, std::vector<Value> values) {
    graph_.blocks[block_].end = {.op = Op::jump};
    graph_.blocks[block_].edges = {{to, std::move(values)}};
}

void Builder::branch(Value condition, BlockId where_true, BlockId where_false) {
    graph_.blocks[block_].end = {.op = Op::branch, .operands = {condition, no_value, no_value}};
    graph_.blocks[block_].edges = {{where_true, {}}, {where_false, {}}};
}

}  // namespace isaforge::ir

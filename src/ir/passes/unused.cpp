// What nobody uses: from what must happen backwards, all that it needs.
#include <algorithm>

#include "ir/passes/passes.hpp"

namespace isaforge::ir {

namespace {

class Uses {
public:
    explicit Uses(const Graph& graph) : graph_(graph), used_(graph.values.size()), makers_(graph.values.size()) {
        for (const Block& block : graph.blocks) {
            for (const Instruction& instruction : block.body)
                if (instruction.result != no_value) makers_[instruction.result] = &instruction;
        }
        for (const Block& block : graph.blocks) {
            for (const Instruction& instruction : block.body)
                if (!is_droppable(instruction)) take_inputs(instruction);
            take_inputs(block.end);
        }
        find_givers();
        while (!open_.empty()) {
            const Value value = open_.back();
            open_.pop_back();
            if (makers_[value] != nullptr) take_inputs(*makers_[value]);
            for (const Value given : givers_[value]) take(given);
        }
    }

    bool is_used(Value value) const { return used_[value]; }
    static bool is_droppable(const Instruction& instruction) {
        return about(instruction.op).effect == Effect::pure || about(instruction.op).effect == Effect::reads;
    }

private:
    void take(Value value) {
        if (used_[value]) return;
        used_[value] = true;
        open_.push_back(value);
    }
    void take_inputs(const Instruction& instruction) {
        for_each_input(instruction, [this](Value value) { take(value); });
    }
    // The values that edges give each argument.
    void find_givers() {
        givers_.resize(graph_.values.size());
        for (const Block& block : graph_.blocks) {
            for (const Edge& edge : block.edges) {
                const auto& arguments = graph_.blocks[edge.block].arguments;
                for (std::size_t i = 0; i < arguments.size(); ++i) givers_[arguments[i]].push_back(edge.values[i]);
            }
        }
    }

    const Graph& graph_;
    std::vector<bool> used_;
    std::vector<const Instruction*> makers_;
    std::vector<std::vector<Value>> givers_;
    std::vector<Value> open_;
};

}  // namespace

void drop_all(Graph& graph, Op op) {
    for (Block& block : graph.blocks)
        std::erase_if(block.body, [op](const Instruction& each) { return each.op == op; });
}

bool drop_unused(Graph& graph) {
    const Uses uses(graph);
    bool changed = false;
    std::vector<std::vector<bool>> kept(graph.blocks.size());
    for (BlockId id = 0; id < graph.blocks.size(); ++id) {
        Block& block = graph.blocks[id];
        changed |= std::erase_if(block.body, [&](const Instruction& instruction) {
                       return Uses::is_droppable(instruction) && !uses.is_used(instruction.result);
                   }) != 0;
        // The entry's arguments are what somebody gives: they stay.
        for (const Value value : block.arguments) kept[id].push_back(id == 0 || uses.is_used(value));
    }
    const auto drop = [&](std::vector<Value>& values, const std::vector<bool>& keep) {
        std::size_t to = 0;
        for (std::size_t i = 0; i < values.size(); ++i)
            if (keep[i]) values[to++] = values[i];
        changed |= to != values.size();
        values.resize(to);
    };
    for (Block& block : graph.blocks)
        for (Edge& edge : block.edges) drop(edge.values, kept[edge.block]);
    for (BlockId id = 0; id < graph.blocks.size(); ++id) drop(graph.blocks[id].arguments, kept[id]);
    return changed;
}

}  // namespace isaforge::ir

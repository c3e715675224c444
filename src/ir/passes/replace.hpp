// Values that stand for others, and instructions that are left out for it.
#pragma once

#include <algorithm>
#include <vector>

#include "ir/graph.hpp"

namespace isaforge::ir {

class Replacements {
public:
    explicit Replacements(const Graph& graph) : by_(graph.values.size()) { forget(); }

    // From now on `value` is `by`, which was assigned before it.
    void put(Value value, Value by) {
        grow(std::max(value, by));
        by_[value] = of(by);
        any_ = true;
    }
    Value of(Value value) {
        if (value >= by_.size()) return value;
        while (by_[value] != value) value = by_[value] = by_[by_[value]];
        return value;
    }
    bool any() const { return any_; }

    void apply(Instruction& instruction) {
        change_inputs(instruction, [this](Value value) { return of(value); });
    }
    // In all of the graph.
    void apply(Graph& graph) {
        if (!any_) return;
        grow(static_cast<Value>(graph.values.size()));
        for (Block& block : graph.blocks) {
            for (Instruction& instruction : block.body) apply(instruction);
            apply(block.end);
            for (Edge& edge : block.edges)
                for (Value& value : edge.values) value = of(value);
        }
    }

private:
    void forget() {
        for (std::size_t i = 0; i < by_.size(); ++i) by_[i] = static_cast<Value>(i);
    }
    void grow(Value value) {
        while (by_.size() <= value) by_.push_back(static_cast<Value>(by_.size()));
    }

    std::vector<Value> by_;
    bool any_ = false;
};

// Leaves out those for which `keep` is false. It is asked once for each, in order, and may change it; one that it keeps stays where it
// was shown.
template <class Keep>
void keep_where(std::vector<Instruction>& body, Keep&& keep) {
    std::size_t kept = 0;
    for (const Instruction& each : body) {
        body[kept] = each;
        if (keep(body[kept])) ++kept;
    }
    body.resize(kept);
}

}  // namespace isaforge::ir

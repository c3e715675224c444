// After Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
#include "ir/dominators.hpp"

#include <algorithm>

namespace isaforge::ir {

namespace {

// Depth first, without recursion; a block stands behind all that it leads to.
std::vector<BlockId> finishing_order(const Graph& graph) {
    std::vector<BlockId> finished;
    std::vector<bool> seen(graph.blocks.size());
    std::vector<std::pair<BlockId, std::size_t>> open = {{0, 0}};
    seen[0] = true;
    while (!open.empty()) {
        auto& [block, next] = open.back();
        const auto& edges = graph.blocks[block].edges;
        if (next == edges.size()) {
            finished.push_back(block);
            open.pop_back();
            continue;
        }
        const BlockId to = edges[next++].block;
        if (to >= graph.blocks.size() || seen[to]) continue;
        seen[to] = true;
        open.emplace_back(to, 0);
    }
    return finished;
}

}  // namespace

Dominators::Dominators(const Graph& graph)
    : parent_(graph.blocks.size(), no_block), position_(graph.blocks.size(), unreached) {
    if (graph.blocks.empty()) return;
    order_ = finishing_order(graph);
    std::reverse(order_.begin(), order_.end());
    for (std::size_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
    std::vector<std::vector<BlockId>> before(graph.blocks.size());
    for (const BlockId block : order_) {
        for (const Edge& edge : graph.blocks[block].edges)
            if (edge.block < graph.blocks.size()) before[edge.block].push_back(block);
    }
    const auto common = [&](BlockId a, BlockId b) {
        while (a != b) {
            while (position_[a] > position_[b]) a = parent_[a];
            while (position_[b] > position_[a]) b = parent_[b];
        }
        return a;
    };
    parent_[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (const BlockId block : order_) {
            if (block == 0) continue;
            BlockId nearest = no_block;
            for (const BlockId from : before[block])
                if (parent_[from] != no_block) nearest = nearest == no_block ? from : common(from, nearest);
            changed |= parent_[block] != nearest;
            parent_[block] = nearest;
        }
    }
}

bool Dominators::dominates(BlockId above, BlockId block) const {
    while (position_[block] > position_[above]) block = parent_[block];
    return block == above;
}

}  // namespace isaforge::ir

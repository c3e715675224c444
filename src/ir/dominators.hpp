// Which blocks every path to a block goes through.
#pragma once

#include <vector>

#include "ir/graph.hpp"

namespace isaforge::ir {

class Dominators {
public:
    explicit Dominators(const Graph& graph);

    // Blocks that the entry leads to, each behind those that dominate it.
    const std::vector<BlockId>& order() const { return order_; }
    bool is_reachable(BlockId block) const { return position_[block] != unreached; }
    // The nearest other block on every path to `block`; the entry's is itself.
    BlockId parent(BlockId block) const { return parent_[block]; }
    // Whether every path to `block` goes through `above`, or it is the same; of reachable blocks.
    bool dominates(BlockId above, BlockId block) const;

private:
    static constexpr std::size_t unreached = ~std::size_t{0};
    std::vector<BlockId> order_, parent_;
    std::vector<std::size_t> position_;  // in the order
};

}  // namespace isaforge::ir

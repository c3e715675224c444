// A region as a graph: a node is an instruction with late results under way in one way, since how far they are is known
// when code is made. Loops are cut where a node leads back: there, and on the way into a region, code asks whether the run
// is to stop before the next such place.
#pragma once

#include <vector>

#include "jit/late.hpp"
#include "jit/plan.hpp"
#include "machine/compiler.hpp"

namespace isaforge::jit {

struct Node {
    std::size_t unit = 0;
    UnderWay under_way;
    bool compiled = false;  // else the interpreter goes on here
    bool checked = false;
    unsigned longest = 0;                                     // instructions from here to the next check, at most
    std::vector<std::pair<std::uint64_t, std::size_t>> next;  // address and node
    llvm::BasicBlock* block = nullptr;
};

class Nodes {
public:
    Nodes(const machine::CodeRegion& region, const machine::CompilerTarget& target, Registers& registers);

    const Plan& plan(const Node& node) const { return plans_[node.unit]; }
    const std::vector<Plan>& plans() const { return plans_; }
    std::vector<Node>& all() { return nodes_; }
    // By entry of the region.
    const std::vector<std::size_t>& entries() const { return entries_; }

private:
    std::size_t find_or_add(std::size_t unit, const UnderWay& under_way);
    void follow(std::size_t node);
    bool may_collide(const Plan& plan, const UnderWay& under_way) const;
    void find_checks();
    void find_longest();

    const machine::CodeRegion& region_;
    const machine::CompilerTarget& target_;
    std::vector<Plan> plans_;
    std::vector<Node> nodes_;
    std::vector<std::size_t> entries_;
    std::map<std::uint64_t, std::size_t> units_;  // by address
    std::vector<std::size_t> finished_;           // nodes, each behind those it leads to without leading back
};

}  // namespace isaforge::jit

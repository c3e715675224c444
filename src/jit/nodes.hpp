// A region as a graph: a node is an instruction with all that may be under way when it begins, in whichever way it is come to.
// Loops are cut where a node leads back: there, and on the way into a region, code asks whether the run is to stop before the
// next such place.
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
    bool called = false;    // compiled: as a call of the interpreter
    bool checked = false;
    bool reached = false;                                     // from an entry: there is code of it
    std::vector<Index> crowded;                               // files with more results than ports if all of them land
    unsigned longest = 0;                                     // instructions from here to the next check, at most
    std::vector<std::pair<std::uint64_t, std::size_t>> next;  // address and node
    llvm::BasicBlock* block = nullptr;
};

class Nodes {
public:
    Nodes(const machine::CodeRegion& region, const machine::CompilerTarget& target, Registers& registers);

    const Plan& plan(const Node& node) const { return plans_[node.unit]; }
    const std::vector<Plan>& plans() const { return plans_; }
    std::vector<Node>& all() { return nodes_; }  // by unit

private:
    UnderWay first_under_way() const;
    void come_to(std::size_t unit, const UnderWay& under_way);
    void follow_all();
    bool is_led_back_to(std::size_t unit) const;
    Ways ways_from(const Node& node, const AtEnd& end) const;
    bool lands_too_much(const AtEnd& end) const;
    bool collides(Node& node) const;
    void find_checks();
    void find_longest();

    const machine::CodeRegion& region_;
    const machine::CompilerTarget& target_;
    std::vector<Plan> plans_;
    std::vector<Node> nodes_;
    const Registers& registers_;
    std::map<std::uint64_t, std::size_t> units_;  // by address
    bool puts_late_ = false;                      // some instruction does
    std::vector<bool> known_;                     // nodes that something leads to
    std::vector<std::size_t> open_;               // of these, those whose next ones do not know all of it
    std::vector<std::size_t> finished_;           // nodes, each behind those it leads to without leading back
};

}  // namespace isaforge::jit

#include "jit/fuse.hpp"

#include <algorithm>
#include <map>

namespace isaforge::jit {

using ir::Block;
using ir::Graph;
using ir::Instruction;
using ir::Op;
using ir::Value;

namespace {

constexpr std::size_t most_operations = 600;  // what passes and a block of LLVM's take without being slow

// Whether the instruction may stop within: then all before it have to be done by then.
bool may_stop(const Instruction& instruction) { return ir::about(instruction.op).effect == ir::Effect::acts; }
// Whether it may name a register that does not exist: passes would leave out what nobody reads, and the interpreter does not.
bool may_miss(const Instruction& instruction) { return ir::is_indexed(instruction.op); }
bool stores(const Instruction& instruction) { return instruction.op == Op::store || instruction.op == Op::update; }

// One graph behind the other.
class Joining {
public:
    explicit Joining(const Graph& first) : whole_(first) {
        for (const Instruction& each : whole_.blocks[0].body) stored_ |= stores(each);
    }

    // Of a graph whose first block has no arguments. `number` is which part it is.
    void add(const Graph& next, std::uint64_t number) {
        Block& last = whole_.blocks[0];
        const auto any_of = [&](auto&& test) {
            return std::any_of(next.blocks.begin(), next.blocks.end(), [&](const Block& block) {
                return std::any_of(block.body.begin(), block.body.end(), test) || block.end.op == Op::fault;
            });
        };
        if (stored_ || any_of(may_stop))
            last.body.push_back({.op = Op::at, .first = 1, .number = number});  // nothing lands
        stored_ = any_of(stores);
        append(next);
    }
    Graph take() { return std::move(whole_); }
    std::size_t size() const { return whole_.blocks[0].body.size(); }

private:
    void append(const Graph& next) {
        const auto values = static_cast<Value>(whole_.values.size());
        const auto blocks = static_cast<ir::BlockId>(whole_.blocks.size() - 1);  // the first one is part of the first
        const std::uint64_t functions = whole_.functions.size();
        const auto renamed = [&](Instruction made) {
            ir::change_inputs(made, [&](Value value) { return value == ir::no_value ? value : value + values; });
            if (made.result != ir::no_value) made.result += values;
            if (made.op == Op::update) made.number += functions;
            return made;
        };
        whole_.values.insert(whole_.values.end(), next.values.begin(), next.values.end());
        whole_.functions.insert(whole_.functions.end(), next.functions.begin(), next.functions.end());
        for (std::size_t i = 0; i < next.blocks.size(); ++i) {
            if (i != 0) whole_.blocks.emplace_back();
            Block& to = i == 0 ? whole_.blocks[0] : whole_.blocks.back();
            for (const Value argument : next.blocks[i].arguments) to.arguments.push_back(argument + values);
            for (const Instruction& each : next.blocks[i].body) to.body.push_back(renamed(each));
            to.end = renamed(next.blocks[i].end);
            to.edges = next.blocks[i].edges;
            for (ir::Edge& edge : to.edges) {
                edge.block += blocks;
                for (Value& value : edge.values) value += values;
            }
        }
    }

    Graph whole_;
    bool stored_ = false;  // the last part did
};

class Fusing {
public:
    Fusing(const machine::CodeRegion& region, const machine::CompilerTarget& target)
        : region_(region), target_(target), entered_(region.units.size()), next_(region.units.size(), none_) {}

    Fused run() {
        if (region_.under_way.empty() && find_plans()) find_next();
        std::vector<std::size_t> unit_of(region_.units.size());
        std::vector<bool> behind(region_.units.size());
        for (const std::size_t next : next_)
            if (next != none_) behind[next] = true;
        for (std::size_t i = 0; i < region_.units.size(); ++i)
            if (!behind[i]) add_from(i, unit_of);
        for (const std::size_t entry : region_.entries) out_.region.entries.push_back(unit_of[entry]);
        out_.region.under_way = region_.under_way;
        return std::move(out_);
    }

private:
    // False where results land later: the ways between instructions say when.
    bool find_plans() {
        plans_.reserve(region_.units.size());
        for (std::size_t i = 0; i < region_.units.size(); ++i) {
            const machine::Unit& unit = region_.units[i];
            plans_.emplace_back(unit, target_);
            units_[unit.address] = i;
            for (const Block& block : unit.graph->blocks)
                for (const Instruction& each : block.body)
                    if (each.delay != 0 || each.op == Op::put_pc) return false;
        }
        return true;
    }
    void find_next() {
        for (const std::size_t entry : region_.entries) entered_[entry] += 2;
        for (std::size_t i = 0; i < region_.units.size(); ++i) {
            std::vector<std::uint64_t> ways(plans_[i].ways().known.begin(), plans_[i].ways().known.end());
            ways.insert(ways.end(), region_.units[i].targets.begin(), region_.units[i].targets.end());
            for (const std::uint64_t way : ways)
                if (const auto unit = units_.find(way); unit != units_.end()) ++entered_[unit->second];
        }
        for (std::size_t i = 0; i < region_.units.size(); ++i) {
            const Graph& graph = *region_.units[i].graph;
            const auto address = graph.blocks.size() == 1 && graph.blocks[0].end.op == Op::leave
                                     ? graph.known(graph.blocks[0].end.operands[0])
                                     : std::nullopt;
            const auto next = address ? units_.find(*address) : units_.end();
            if (next == units_.end() || next->second == i || entered_[next->second] != 1) continue;
            if (is_whole(i) && is_whole(next->second)) next_[i] = next->second;
        }
    }
    bool is_whole(std::size_t unit) const {
        const Graph& graph = *region_.units[unit].graph;
        const bool misses = std::any_of(graph.blocks.begin(), graph.blocks.end(), [](const Block& block) {
            return std::any_of(block.body.begin(), block.body.end(), may_miss);
        });
        return plans_[unit].is_compiled() && !plans_[unit].hands_over() && graph.texts.empty() && !misses;
    }

    // A row of units, as many at once as are small enough.
    void add_from(std::size_t first, std::vector<std::size_t>& unit_of) {
        while (first != none_) {
            Joining joining(*region_.units[first].graph);
            std::vector<std::size_t> parts = {first};
            std::size_t last = first;
            const auto fits = [&](std::size_t next) {
                return joining.size() < most_operations &&
                       joining.size() + region_.units[next].operations() < machine::most_operations_of_unit;
            };
            while (next_[last] != none_ && fits(next_[last])) {
                last = next_[last];
                joining.add(*region_.units[last].graph, parts.size());
                parts.push_back(last);
            }
            add(parts, joining);
            for (const std::size_t part : parts) unit_of[part] = out_.region.units.size() - 1;
            first = next_[last];
        }
    }
    void add(const std::vector<std::size_t>& parts, Joining& joining) {
        machine::Unit unit = region_.units[parts[0]];
        if (parts.size() > 1) {
            const machine::Unit& last = region_.units[parts.back()];
            out_.graphs.push_back(joining.take());
            target_.callouts.optimise(out_.graphs.back());
            unit.graph = &out_.graphs.back();
            unit.next_address = last.next_address;
            unit.targets = last.targets;
            for (const std::size_t part : parts) {
                const machine::Unit& each = region_.units[part];
                unit.parts.push_back({each.address, each.op});
            }
        }
        out_.region.units.push_back(std::move(unit));
        out_.parts.push_back(parts);
    }

    static constexpr std::size_t none_ = ~std::size_t{0};

    const machine::CodeRegion& region_;
    const machine::CompilerTarget& target_;
    std::vector<Plan> plans_;
    std::map<std::uint64_t, std::size_t> units_;  // by address
    std::vector<unsigned> entered_;               // ways that lead there; entries count as two
    std::vector<std::size_t> next_;
    Fused out_;
};

}  // namespace

Fused fuse(const machine::CodeRegion& region, const machine::CompilerTarget& target) {
    return Fusing(region, target).run();
}

}  // namespace isaforge::jit

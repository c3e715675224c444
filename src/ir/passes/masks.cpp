// Lanes that nobody asks for: what is written under a mask, and read again only for lanes of the same mask, need not be put
// together with what the other lanes had.
#include <algorithm>

#include "ir/dominators.hpp"
#include "ir/passes/passes.hpp"
#include "ir/passes/replace.hpp"

namespace isaforge::ir {

namespace {

// Of each value the lanes that matter: those of a mask, or all of them.
class Demands {
public:
    explicit Demands(const Graph& graph) : graph_(graph), demands_(graph.values.size()), spreads_(graph.values.size()) {
        for (const Block& block : graph.blocks)
            for (const Instruction& each : block.body)
                if (each.op == Op::spread) spreads_[each.result] = true;
        const Dominators dominators(graph);
        const auto& order = dominators.order();
        for (auto id = order.rbegin(); id != order.rend(); ++id) {
            const Block& block = graph.blocks[*id];
            for_each_input(block.end, [&](Value value) { everywhere(value); });
            for (const Edge& edge : block.edges)
                for (const Value value : edge.values) everywhere(value);
            for (auto each = block.body.rbegin(); each != block.body.rend(); ++each) note(*each);
        }
    }

    bool is_only_in(Value value, Value mask) const {
        return demands_[value].kind == Demand::masked && demands_[value].mask == mask;
    }

private:
    struct Demand {
        enum : std::uint8_t { none, masked, all } kind = none;
        Value mask = no_value;
    };

    void everywhere(Value value) { demands_[value].kind = Demand::all; }
    void in(Value value, Demand wanted) {
        Demand& demand = demands_[value];
        if (wanted.kind == Demand::none || graph_.type(value).lanes == 1) {
            if (wanted.kind != Demand::none) demand.kind = Demand::all;
            return;
        }
        const bool same = demand.kind == Demand::none || (wanted.kind == demand.kind && wanted.mask == demand.mask);
        if (same)
            demand = wanted;
        else
            demand.kind = Demand::all;
    }
    static bool is_by_lane(const Instruction& each) {
        switch (each.op) {
            case Op::truncate:
            case Op::zero_extend:
            case Op::sign_extend:
            case Op::from_truth:
            case Op::join:
            case Op::item: return true;
            default: return is_computed(each.op);
        }
    }
    void note(const Instruction& each) {
        const bool masked = takes_mask(each.op) && each.mask != no_value;
        if (masked) {
            everywhere(each.mask);
            for (const Value value : each.inputs()) in(value, {Demand::masked, each.mask});
            return;
        }
        const bool recast = each.op == Op::cast &&
                            graph_.type(each.operands[0]).lanes == graph_.type(each.result).lanes &&
                            graph_.type(each.operands[0]).count == graph_.type(each.result).count;
        if (each.result == no_value || (!is_by_lane(each) && !recast)) {
            for (const Value value : each.inputs()) everywhere(value);
            return;
        }
        const Demand wanted = demands_[each.result];
        if (wanted.kind == Demand::all && note_chosen(each)) return;
        for (const Value value : each.inputs()) in(value, wanted);
    }
    // Lanes that a mask makes 0 do not ask for more.
    bool note_chosen(const Instruction& each) {
        const auto is_mask = [&](Value value) { return spreads_[value]; };
        if (each.op == Op::select && is_mask(each.operands[0]) && graph_.is_known(each.operands[2], 0)) {
            everywhere(each.operands[0]);
            in(each.operands[1], {Demand::masked, each.operands[0]});
            return true;
        }
        if (each.op != Op::bit_and || !graph_.type(each.result).is_mask()) return false;
        for (const unsigned i : {0u, 1u}) {
            if (!is_mask(each.operands[i])) continue;
            everywhere(each.operands[i]);
            in(each.operands[1 - i], {Demand::masked, each.operands[i]});
            return true;
        }
        return false;
    }

    const Graph& graph_;
    std::vector<Demand> demands_;
    std::vector<bool> spreads_;
};

// A register as it was written last.
struct Written {
    Instruction put;
    Type type;
};

bool touches(const Written& written, const Instruction& instruction, Type type) {
    const Instruction& put = written.put;
    return put.object == instruction.object && put.number < instruction.number + type.count &&
           instruction.number < put.number + written.type.count;
}

bool has_masks(const Graph& graph) {
    return std::any_of(graph.blocks.begin(), graph.blocks.end(), [](const Block& block) {
        return std::any_of(block.body.begin(), block.body.end(),
                           [](const Instruction& each) { return each.op == Op::put && each.mask != no_value; });
    });
}

}  // namespace

bool forward_masked(Graph& graph) {
    if (!has_masks(graph)) return false;
    const Demands demands(graph);
    Replacements replaced(graph);
    for (Block& block : graph.blocks) {
        std::vector<Written> known;
        keep_where(block.body, [&](Instruction& each) {
            replaced.apply(each);
            const bool lands = each.op == Op::at && each.first == 0;
            if (lands || each.op == Op::transaction_abort) known.clear();
            if (each.op == Op::put_at)
                std::erase_if(known, [&](const Written& written) { return written.put.object == each.object; });
            if (each.op == Op::get) {
                const Type type = graph.type(each.result);
                const auto same = std::find_if(known.begin(), known.end(), [&](const Written& written) {
                    return written.put.object == each.object && written.put.number == each.number &&
                           written.put.first == each.first && written.type == type &&
                           demands.is_only_in(each.result, written.put.mask);
                });
                if (same != known.end()) {
                    replaced.put(each.result, same->put.operands[0]);
                    return false;
                }
            }
            if (each.op == Op::put && each.delay == 0) {
                const Type type = graph.type(each.operands[0]);
                std::erase_if(known, [&](const Written& written) { return touches(written, each, type); });
                if (each.mask != no_value) known.push_back({each, type});
            }
            return true;
        });
    }
    replaced.apply(graph);
    return replaced.any();
}

}  // namespace isaforge::ir

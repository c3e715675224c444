// Folding: constants, algebra, and the shape of the graph that follows from them.
#include <algorithm>
#include <bit>

#include "ir/algebra.hpp"
#include "ir/dominators.hpp"
#include "ir/evaluate.hpp"
#include "ir/passes/passes.hpp"
#include "ir/passes/replace.hpp"

namespace isaforge::ir {

namespace {

bool is_commutative(Op op) {
    switch (op) {
        case Op::add:
        case Op::mul:
        case Op::min_unsigned:
        case Op::max_unsigned:
        case Op::min_signed:
        case Op::max_signed:
        case Op::bit_and:
        case Op::bit_or:
        case Op::bit_xor:
        case Op::equal:
        case Op::not_equal: return true;
        default: return false;
    }
}

class Folding {
public:
    explicit Folding(Graph& graph) : graph_(graph), replaced_(graph), makers_(graph.values.size()) {}

    bool run() {
        const Dominators dominators(graph_);
        bool changed = false;
        for (const BlockId id : dominators.order()) changed |= fold_block(graph_.blocks[id]);
        for (Block& block : graph_.blocks) changed |= choose_edge(block);
        replaced_.apply(graph_);
        return changed;
    }

private:
    bool fold_block(Block& block) {
        bool changed = false;
        keep_where(block.body, [&](Instruction& instruction) {
            replaced_.apply(instruction);
            const Value by = has_result(instruction.op) ? value_of(instruction) : no_value;
            const bool nowhere = graph_.is_known(instruction.mask, 0) && !has_result(instruction.op);
            if (by != no_value) replaced_.put(instruction.result, by);
            changed |= by != no_value || nowhere;
            if (by != no_value || nowhere) return false;
            if (graph_.is_known(instruction.mask, 1)) instruction.mask = no_value, changed = true;
            changed |= simplify(instruction);
            if (instruction.result != no_value) remember(instruction);
            return true;
        });
        replaced_.apply(block.end);
        for (Edge& edge : block.edges)
            for (Value& value : edge.values) value = replaced_.of(value);
        return changed;
    }

    // An instruction that stays where it is.
    void remember(const Instruction& instruction) {
        if (makers_.size() < graph_.values.size()) makers_.resize(graph_.values.size());
        makers_[instruction.result] = &instruction;
    }
    // How a value is computed, where that was seen.
    const Instruction* definition(Value value, Op op) const {
        const Instruction* const maker = value < makers_.size() ? makers_[value] : nullptr;
        return maker != nullptr && maker->op == op ? maker : nullptr;
    }

    // A value that the instruction's result is equal to.
    Value value_of(const Instruction& instruction) {
        const Type type = graph_.type(instruction.result);
        if (const Value equal = equal_value(graph_, instruction, type); equal != no_value) return equal;
        switch (about(instruction.op).family) {
            case Family::integer: return undone_value(instruction);
            case Family::conversion: return converted_value(instruction, type);
            case Family::lanes: return lanes_value(instruction);
            default: return no_value;
        }
    }

    // What was turned twice.
    Value undone_value(const Instruction& instruction) const {
        const Instruction* inner =
            instruction.op == Op::bit_not ? definition(instruction.operands[0], Op::bit_not) : nullptr;
        return inner != nullptr ? inner->operands[0] : no_value;
    }

    // Two values side by side in one of twice the width.
    struct Halves {
        Value high = no_value, low = no_value;
    };
    std::optional<Halves> halves_of(Value value) const {
        const Instruction* const both = definition(value, Op::bit_or);
        if (both == nullptr) return std::nullopt;
        for (const unsigned i : {0u, 1u}) {
            const Instruction* const above = definition(both->operands[i], Op::shift_left);
            const Instruction* const low = definition(both->operands[1 - i], Op::zero_extend);
            const Instruction* const high =
                above != nullptr ? definition(above->operands[0], Op::zero_extend) : nullptr;
            if (low == nullptr || high == nullptr) continue;
            const Type half = graph_.type(low->operands[0]);
            if (graph_.type(high->operands[0]) != half || graph_.type(value).bits != 2 * half.bits) continue;
            if (graph_.is_known(above->operands[1], half.bits)) return Halves{high->operands[0], low->operands[0]};
        }
        return std::nullopt;
    }
    // One of the halves.
    Value half_value(Value from, Type type) const {
        const Instruction* const shifted = definition(from, Op::shift_right);
        const bool above = shifted != nullptr && graph_.is_known(shifted->operands[1], type.bits);
        const auto halves = halves_of(above ? shifted->operands[0] : from);
        if (!halves || graph_.type(halves->low) != type) return no_value;
        return above ? halves->high : halves->low;
    }
    // A value beside itself, shifted and cut, is rotated.
    bool make_rotation(Instruction& instruction) {
        if (instruction.op != Op::truncate) return false;
        const Type type = graph_.type(instruction.result);
        const Instruction* const shifted = definition(instruction.operands[0], Op::shift_right);
        const auto amount = shifted != nullptr ? graph_.known(shifted->operands[1]) : std::nullopt;
        const auto halves = amount ? halves_of(shifted->operands[0]) : std::nullopt;
        if (!halves || halves->high != halves->low || graph_.type(halves->low) != type) return false;
        if (*amount == 0 || *amount >= type.bits || type.container() != type.bits) return false;
        instruction.op = Op::rotate_left;
        instruction.operands = {halves->low, graph_.constant(type, type.bits - *amount), no_value};
        return true;
    }

    Value converted_value(const Instruction& instruction, Type type) {
        const Value a = instruction.operands[0];
        if (instruction.op == Op::truncate)
            if (const Value half = half_value(a, type); half != no_value) return half;
        for (const Op inner : {Op::zero_extend, Op::sign_extend, Op::cast}) {
            const Instruction* before = definition(a, inner);
            const bool undone =
                instruction.op == Op::truncate ? inner != Op::cast : instruction.op == inner && inner == Op::cast;
            if (before != nullptr && undone && graph_.type(before->operands[0]) == type) return before->operands[0];
        }
        return no_value;
    }

    Value lanes_value(const Instruction& instruction) {
        if (instruction.op == Op::pick)
            if (const Instruction* splat = definition(instruction.operands[0], Op::splat)) return splat->operands[0];
        // A mask as bits, and back.
        for (const auto& [there, back] : {std::pair{Op::ballot, Op::spread}, {Op::spread, Op::ballot}}) {
            const Instruction* const before =
                instruction.op == back ? definition(instruction.operands[0], there) : nullptr;
            if (before != nullptr && graph_.type(before->operands[0]) == graph_.type(instruction.result))
                return before->operands[0];
        }
        if (instruction.op != Op::item) return no_value;
        const Instruction* join = definition(instruction.operands[0], Op::join);
        if (join == nullptr) return no_value;
        const unsigned first = graph_.type(join->operands[0]).count, second = graph_.type(join->operands[1]).count;
        if (first == 1 && instruction.number == 0) return join->operands[0];
        return second == 1 && instruction.number == first ? join->operands[1] : no_value;
    }

    // The same in another way that is easier: constants stand right, conversions are made once.
    bool simplify(Instruction& instruction) {
        if (is_commutative(instruction.op) && graph_.known(instruction.operands[0]) &&
            !graph_.known(instruction.operands[1])) {
            std::swap(instruction.operands[0], instruction.operands[1]);
            return true;
        }
        for (const Op op : {Op::truncate, Op::zero_extend, Op::sign_extend, Op::cast}) {
            const Instruction* before = definition(instruction.operands[0], op);
            if (instruction.op != op || before == nullptr) continue;
            instruction.operands[0] = before->operands[0];
            return true;
        }
        return make_rotation(instruction) || make_shift(instruction) || sum_constants(instruction);
    }

    // To divide by a power of two, and to multiply by one, is to shift.
    bool make_shift(Instruction& instruction) {
        const bool rest = instruction.op == Op::remainder_unsigned;
        if (instruction.op != Op::divide_unsigned && instruction.op != Op::mul && !rest) return false;
        const auto by = graph_.known(instruction.operands[1]);
        if (!by || !std::has_single_bit(*by)) return false;
        const Type type = graph_.type(instruction.result);
        const std::uint64_t amount = rest ? *by - 1 : static_cast<std::uint64_t>(std::countr_zero(*by));
        if (!rest && (amount & ~ones(type)) != 0) return false;  // a type of few bits has no such number
        instruction.op = rest ? Op::bit_and : instruction.op == Op::mul ? Op::shift_left : Op::shift_right;
        instruction.operands[1] = graph_.constant(type, amount);
        return true;
    }

    // (a + 1) + 2 is a + 3.
    bool sum_constants(Instruction& instruction) {
        if (instruction.op != Op::add && instruction.op != Op::bit_and && instruction.op != Op::bit_or &&
            instruction.op != Op::bit_xor)
            return false;
        const auto outer = graph_.known(instruction.operands[1]);
        const Instruction* before = outer ? definition(instruction.operands[0], instruction.op) : nullptr;
        const auto inner = before != nullptr ? graph_.known(before->operands[1]) : std::nullopt;
        if (!inner) return false;
        const Type type = graph_.type(instruction.result);
        const std::uint64_t given[] = {*inner, *outer};
        instruction.operands = {before->operands[0],
                                graph_.constant(type, compute(instruction.op, type, type, given, {})), no_value};
        return true;
    }

    // A branch whose condition is known, or whose ways are one.
    bool choose_edge(Block& block) {
        if (block.end.op != Op::branch) return false;
        const auto known = graph_.known(block.end.operands[0]);
        const bool same =
            block.edges[0].block == block.edges[1].block && block.edges[0].values == block.edges[1].values;
        if (!known && !same) return false;
        Edge taken = std::move(block.edges[known && *known == 0 ? 1 : 0]);
        block.end = {.op = Op::jump};
        block.edges.clear();
        block.edges.push_back(std::move(taken));
        return true;
    }

    Graph& graph_;
    Replacements replaced_;
    std::vector<const Instruction*> makers_;  // of values, by these
};

// ---------------------------------------------------------------------------------------------------------------------
// The shape

std::vector<unsigned> entries_of(const Graph& graph) {
    std::vector<unsigned> count(graph.blocks.size());
    count[0] = 1;
    for (const Block& block : graph.blocks)
        for (const Edge& edge : block.edges) ++count[edge.block];
    return count;
}

// Leaves out blocks that nothing leads to.
bool drop_unreachable(Graph& graph) {
    const Dominators dominators(graph);
    if (dominators.order().size() == graph.blocks.size()) return false;
    std::vector<BlockId> number(graph.blocks.size(), no_block);
    std::vector<Block> kept;
    for (BlockId id = 0; id < graph.blocks.size(); ++id) {
        if (!dominators.is_reachable(id)) continue;
        number[id] = static_cast<BlockId>(kept.size());
        kept.push_back(std::move(graph.blocks[id]));
    }
    graph.blocks = std::move(kept);
    for (Block& block : graph.blocks)
        for (Edge& edge : block.edges) edge.block = number[edge.block];
    return true;
}

// An argument that gets the same value from everywhere, or itself, is that value.
bool drop_equal_arguments(Graph& graph) {
    std::vector<std::vector<Edge*>> entries(graph.blocks.size());
    for (Block& block : graph.blocks)
        for (Edge& edge : block.edges)
            if (!edge.values.empty()) entries[edge.block].push_back(&edge);
    Replacements replaced(graph);
    for (BlockId id = 1; id < graph.blocks.size(); ++id) {
        auto& arguments = graph.blocks[id].arguments;
        for (std::size_t i = arguments.size(); i-- > 0;) {
            Value only = no_value;
            bool equal = true;
            for (const Edge* const edge : entries[id]) {
                const Value given = replaced.of(edge->values[i]);
                if (given == arguments[i]) continue;
                equal = equal && (only == no_value || given == only ||
                                  (graph.known(given) && graph.known(given) == graph.known(only)));
                only = given;
            }
            if (!equal || only == no_value) continue;
            const auto at = static_cast<std::ptrdiff_t>(i);
            replaced.put(arguments[i], only);
            arguments.erase(arguments.begin() + at);
            for (Edge* const edge : entries[id]) edge->values.erase(edge->values.begin() + at);
        }
    }
    replaced.apply(graph);
    return replaced.any();
}

// A block that only one jump leads to is the rest of the one that jumps.
bool join_blocks(Graph& graph) {
    const std::vector<unsigned> entries = entries_of(graph);
    bool changed = false;
    for (BlockId id = 0; id < graph.blocks.size(); ++id) {
        for (;;) {
            Block& block = graph.blocks[id];
            if (block.end.op != Op::jump || block.edges.size() != 1) break;
            const BlockId next = block.edges[0].block;
            if (next == id || entries[next] != 1 || !graph.blocks[next].arguments.empty()) break;
            Block taken = std::move(graph.blocks[next]);
            graph.blocks[next] = {.end = {.op = Op::skip}};  // nothing leads there any more
            block.body.insert(block.body.end(), taken.body.begin(), taken.body.end());
            block.end = taken.end;
            block.edges = std::move(taken.edges);
            changed = true;
        }
    }
    return changed;
}

// A block that only ends, with what it is given: whoever jumps there ends so.
bool end_at_once(Graph& graph) {
    bool changed = false;
    for (Block& block : graph.blocks) {
        if (block.end.op != Op::jump || block.edges.size() != 1) continue;
        const Edge edge = block.edges[0];
        const Block& next = graph.blocks[edge.block];
        if (!next.body.empty() || !next.edges.empty() || &next == &block) continue;
        Instruction end = next.end;
        change_inputs(end, [&](Value value) {
            const auto found = std::find(next.arguments.begin(), next.arguments.end(), value);
            return found == next.arguments.end()
                       ? value
                       : edge.values[static_cast<std::size_t>(found - next.arguments.begin())];
        });
        block.end = end;
        block.edges.clear();
        changed = true;
    }
    return changed;
}

}  // namespace

bool fold(Graph& graph) {
    bool changed = Folding(graph).run();
    changed |= end_at_once(graph);
    changed |= drop_unreachable(graph);
    changed |= drop_equal_arguments(graph);
    if (join_blocks(graph)) {
        drop_unreachable(graph);
        changed = true;
    }
    return changed;
}

}  // namespace isaforge::ir

// Common expressions: a pure operation that a dominating block, or the same one before, made of the same values.
#include <bit>

#include "ir/dominators.hpp"
#include "ir/passes/passes.hpp"
#include "ir/passes/replace.hpp"

namespace isaforge::ir {

namespace {

// Operations that were made already, by what they compute: a hash table. Constants count by what they are.
class Made {
public:
    Made(const Graph& graph, const Dominators& dominators) : graph_(graph), dominators_(dominators) {
        std::size_t operations = 0;
        for (const Block& block : graph.blocks) operations += block.body.size();
        first_.assign(std::bit_ceil(operations + 1), none);
        entries_.reserve(operations);
    }

    // What has the same value and is computed on every path to `block`; else nothing, and the instruction, which has to stay where it
    // is, is what later ones may be the same as.
    Value find_or_add(const Instruction& wanted, BlockId block) {
        const std::uint64_t hash = hash_of(wanted);
        std::size_t& first = first_[hash & (first_.size() - 1)];
        for (std::size_t i = first; i != none; i = entries_[i].next) {
            const Entry& entry = entries_[i];
            if (entry.hash == hash && is_same(*entry.instruction, wanted) && dominators_.dominates(entry.block, block))
                return entry.instruction->result;
        }
        entries_.push_back({&wanted, hash, first, block});
        first = entries_.size() - 1;
        return no_value;
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};
    struct Entry {
        const Instruction* instruction = nullptr;
        std::uint64_t hash = 0;
        std::size_t next = none;
        BlockId block = no_block;
    };

    std::uint64_t hash_of(const Instruction& instruction) const {
        std::uint64_t hash = static_cast<std::uint64_t>(instruction.op);
        const auto mix = [&hash](std::uint64_t part) {
            hash = (hash ^ part) * 0x9E3779B97F4A7C15;
            hash ^= hash >> 32;
        };
        const Type type = graph_.type(instruction.result);
        mix(std::uint64_t{type.bits} << 32 | std::uint64_t{type.lanes} << 8 | static_cast<std::uint64_t>(type.kind));
        mix(instruction.number);
        mix(instruction.object);
        for (const Value value : instruction.inputs()) {
            const Definition& definition = graph_.values[value];
            mix(definition.is_constant ? ~definition.constant : value);
        }
        return hash;
    }
    bool is_same(const Instruction& a, const Instruction& b) const {
        if (a.op != b.op || a.number != b.number || a.object != b.object || a.mode != b.mode ||
            graph_.type(a.result) != graph_.type(b.result))
            return false;
        const auto of_a = a.inputs(), of_b = b.inputs();
        for (std::size_t i = 0; i < of_a.size(); ++i)
            if (of_a[i] != of_b[i] && !is_same_constant(of_a[i], of_b[i])) return false;
        return true;
    }
    bool is_same_constant(Value a, Value b) const {
        const Definition &first = graph_.values[a], &second = graph_.values[b];
        return first.is_constant && second.is_constant && first.constant == second.constant &&
               first.type == second.type;
    }

    const Graph& graph_;
    const Dominators& dominators_;
    std::vector<std::size_t> first_;  // of the entries with these low bits of the hash
    std::vector<Entry> entries_;
};

}  // namespace

bool share(Graph& graph) {
    const Dominators dominators(graph);
    Replacements replaced(graph);
    Made made(graph, dominators);
    for (const BlockId id : dominators.order()) {
        keep_where(graph.blocks[id].body, [&](Instruction& instruction) {
            replaced.apply(instruction);
            if (about(instruction.op).effect != Effect::pure) return true;
            const Value same = made.find_or_add(instruction, id);
            if (same != no_value) replaced.put(instruction.result, same);
            return same == no_value;
        });
    }
    replaced.apply(graph);
    return replaced.any();
}

}  // namespace isaforge::ir

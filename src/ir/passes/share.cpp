// Common expressions: a pure operation that a dominating block, or the same one before, made of the same values.
#include <map>
#include <tuple>

#include "ir/dominators.hpp"
#include "ir/passes/passes.hpp"
#include "ir/passes/replace.hpp"

namespace isaforge::ir {

namespace {

// Two instructions with one key give the same value. Constants count by what they are.
class Key {
public:
    Key(const Graph& graph, const Instruction& instruction)
        : op_(instruction.op),
          type_(graph.type(instruction.result)),
          number_(instruction.number),
          object_(instruction.object),
          mode_(unsigned(instruction.mode.rounding) | unsigned{instruction.mode.by_mode} << 4 |
                unsigned{instruction.mode.flush_subnormals} << 5 | unsigned{instruction.mode.canonical_nan} << 6 |
                unsigned{instruction.mode.raised_by} << 7) {
        std::size_t i = 0;
        for (const Value value : instruction.inputs()) {
            const Definition& definition = graph.values[value];
            operands_[i++] = definition.is_constant ? std::tuple{definition.constant, true, type_key(definition.type)}
                                                    : std::tuple{std::uint64_t{value}, false, 0u};
        }
    }
    bool operator<(const Key& other) const { return tie() < other.tie(); }

private:
    static unsigned type_key(Type type) {
        return unsigned(type.kind) | unsigned{type.bits} << 2 | unsigned{type.lanes} << 10 | unsigned{type.count} << 22;
    }
    std::tuple<Op, unsigned, std::uint64_t, Index, unsigned,
               const decltype(std::array<std::tuple<std::uint64_t, bool, unsigned>, most_operands>{}) &>
    tie() const {
        return {op_, type_key(type_), number_, object_, mode_, operands_};
    }

    Op op_;
    Type type_;
    std::uint64_t number_;
    Index object_;
    unsigned mode_;
    std::array<std::tuple<std::uint64_t, bool, unsigned>, most_operands> operands_;
};

}  // namespace

bool share(Graph& graph) {
    const Dominators dominators(graph);
    Replacements replaced(graph);
    std::map<Key, std::vector<std::pair<BlockId, Value>>> known;
    for (const BlockId id : dominators.order()) {
        std::vector<Instruction> kept;
        for (Instruction& instruction : graph.blocks[id].body) {
            replaced.apply(instruction);
            if (about(instruction.op).effect == Effect::pure) {
                auto& before = known[Key(graph, instruction)];
                Value same = no_value;
                for (const auto& [block, value] : before)
                    if (dominators.dominates(block, id)) same = value;
                if (same != no_value) {
                    replaced.put(instruction.result, same);
                    continue;
                }
                before.emplace_back(id, instruction.result);
            }
            kept.push_back(instruction);
        }
        graph.blocks[id].body = std::move(kept);
    }
    replaced.apply(graph);
    return replaced.any();
}

}  // namespace isaforge::ir

// Registers: what is known to be in one need not be read, and what is written over need not be written.
#include <algorithm>
#include <map>

#include "ir/names.hpp"
#include "ir/passes/passes.hpp"
#include "ir/passes/replace.hpp"

namespace isaforge::ir {

namespace {

// The stretch of a register that an instruction reads or writes: lanes of elements as wide as the file's.
struct Stretch {
    Index file = no_index;
    std::uint64_t number = 0;
    std::uint16_t first = 0;
    Type type;

    bool operator==(const Stretch&) const = default;
    bool covers(const Stretch& other) const {
        return file == other.file && number == other.number && type.count == 1 && other.type.count == 1 &&
               first == other.first && type.total_bits() >= other.type.total_bits();
    }
    bool overlaps(const Stretch& other) const {
        return file == other.file && number < other.number + other.type.count && other.number < number + type.count;
    }
};

// Whole stretches of one register; nothing where it is found only at run time.
std::optional<Stretch> stretch_of(const Graph& graph, const Instruction& instruction) {
    if (instruction.op != Op::get && instruction.op != Op::put) return std::nullopt;
    const Value value = instruction.op == Op::get ? instruction.result : instruction.operands[0];
    return Stretch{instruction.object, instruction.number, instruction.first, graph.type(value)};
}

// Operations that change registers without naming them. Late results land where an instruction begins, unless `first` says
// that there are none.
bool changes_registers(const Instruction& instruction) {
    return instruction.op == Op::transaction_abort || (instruction.op == Op::at && instruction.first == 0);
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading

// What registers hold at a place of the program.
class Held {
public:
    void forget() { known_.clear(); }
    Value find(const Stretch& wanted) const {
        for (const auto& [stretch, value] : known_)
            if (stretch == wanted) return value;
        return no_value;
    }
    void put(const Stretch& stretch, Value value) { known_.emplace_back(stretch, value); }
    void drop(const Stretch& changed) {
        std::erase_if(known_, [&](const auto& each) { return each.first.overlaps(changed); });
    }
    void drop_file(Index file) {
        std::erase_if(known_, [&](const auto& each) { return each.first.file == file; });
    }

private:
    std::vector<std::pair<Stretch, Value>> known_;
};

class Forwarding {
public:
    explicit Forwarding(Graph& graph) : graph_(graph), replaced_(graph) {}

    bool run() {
        // A block that one other leads to begins with what is known there at the end.
        std::vector<unsigned> entries(graph_.blocks.size());
        for (const Block& block : graph_.blocks)
            for (const Edge& edge : block.edges) ++entries[edge.block];
        std::vector<std::pair<BlockId, Held>> open = {{0, {}}};
        for (BlockId id = 1; id < graph_.blocks.size(); ++id)
            if (entries[id] != 1) open.emplace_back(id, Held{});
        while (!open.empty()) {
            auto [id, held] = std::move(open.back());
            open.pop_back();
            forward(graph_.blocks[id], held);
            for (const Edge& edge : graph_.blocks[id].edges)
                if (entries[edge.block] == 1 && edge.block != id) open.emplace_back(edge.block, held);
        }
        replaced_.apply(graph_);
        return replaced_.any();
    }

private:
    void forward(Block& block, Held& held) {
        keep_where(block.body, [&](Instruction& instruction) {
            replaced_.apply(instruction);
            const auto stretch = stretch_of(graph_, instruction);
            if (instruction.op == Op::get) {
                if (const Value same = held.find(*stretch); same != no_value) {
                    replaced_.put(instruction.result, same);
                    return false;
                }
                held.put(*stretch, instruction.result);
            }
            note_write(instruction, stretch, held);
            return true;
        });
    }
    // A late result lands when instructions end, at the next `at`.
    static void note_write(const Instruction& instruction, const std::optional<Stretch>& stretch, Held& held) {
        if (changes_registers(instruction)) held.forget();
        if (instruction.op == Op::put_at) held.drop_file(instruction.object);
        if (instruction.op != Op::put || instruction.delay != 0) return;
        held.drop(*stretch);
        if (instruction.mask == no_value) held.put(*stretch, instruction.operands[0]);
    }

    Graph& graph_;
    Replacements replaced_;
};

// ---------------------------------------------------------------------------------------------------------------------
// Writing

// Whether somebody may look at registers there: the run may end in it or leave the instruction unfinished.
bool may_be_seen(const Instruction& instruction) {
    if (is_indexed(instruction.op)) return true;
    switch (about(instruction.op).effect) {
        case Effect::pure:
        case Effect::reads:
        case Effect::writes: return false;
        default: return true;
    }
}

}  // namespace

bool forward_registers(Graph& graph) { return Forwarding(graph).run(); }

bool drop_dead_writes(Graph& graph) {
    bool changed = false;
    for (Block& block : graph.blocks) {
        std::vector<std::pair<Stretch, Value>>
            written;  // again, before anybody looks, where a mask holds; from the end on
        std::vector<bool> dead(block.body.size());
        for (std::size_t i = block.body.size(); i-- > 0;) {
            const Instruction& instruction = block.body[i];
            const auto stretch = stretch_of(graph, instruction);
            if (may_be_seen(instruction)) written.clear();
            if (instruction.op == Op::get)
                std::erase_if(written, [&](const auto& each) { return each.first.overlaps(*stretch); });
            if (instruction.op != Op::put || instruction.delay != 0) continue;
            dead[i] = std::any_of(written.begin(), written.end(), [&](const auto& each) {
                return each.first.covers(*stretch) && (each.second == no_value || each.second == instruction.mask);
            });
            if (!dead[i]) written.emplace_back(*stretch, instruction.mask);
        }
        std::size_t i = 0;
        keep_where(block.body, [&](const Instruction&) { return !dead[i++]; });
        changed |= block.body.size() != dead.size();
    }
    return changed;
}

}  // namespace isaforge::ir

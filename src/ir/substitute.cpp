#include "ir/substitute.hpp"

#include "ir/algebra.hpp"
#include "ir/dominators.hpp"

namespace isaforge::ir {

namespace {

class Substitution {
public:
    Substitution(const Graph& form, const Isa& isa)
        : form_(form), isa_(isa), values_(form.values.size(), no_value), blocks_(form.blocks.size(), no_block) {}

    Graph run(std::span<const std::uint64_t> given) {
        out_.texts = form_.texts;
        out_.functions = form_.functions;
        out_.values.reserve(form_.values.size());
        const Dominators dominators(form_);
        count_entries(dominators);
        const auto& arguments = form_.blocks[0].arguments;
        for (std::size_t i = 0; i < arguments.size(); ++i)
            values_[arguments[i]] = out_.constant(form_.type(arguments[i]), given[i]);
        blocks_[0] = begin();
        for (const BlockId id : dominators.order()) {
            if (blocks_[id] != no_block)
                add(form_.blocks[id], blocks_[id]);
            else  // nothing leads there any more
                for (const Edge& edge : form_.blocks[id].edges) --entries_[edge.block];
        }
        for (Block& block : out_.blocks)
            for (Edge& edge : block.edges) edge.block = blocks_[edge.block];
        return std::move(out_);
    }

private:
    // A block with one entry is the rest of the one that jumps there, unless another block was behind it: see lead().
    void count_entries(const Dominators& dominators) {
        entries_.assign(form_.blocks.size(), 0);
        for (const BlockId id : dominators.order())
            for (const Edge& edge : form_.blocks[id].edges) ++entries_[edge.block];
    }
    BlockId begin() {
        out_.blocks.emplace_back();
        return static_cast<BlockId>(out_.blocks.size() - 1);
    }

    // The value that one of the form's is here.
    Value of(Value value) {
        if (value == no_value) return no_value;
        if (values_[value] == no_value) {
            const Definition& definition = form_.values[value];
            values_[value] = definition.is_constant ? out_.constant(definition.type, definition.constant)
                                                    : out_.new_value(definition.type);
        }
        return values_[value];
    }

    void add(const Block& block, BlockId to) {
        for (const Instruction& each : block.body) {
            Instruction made = each;
            change_inputs(made, [this](Value value) { return of(value); });
            if (about(made.op).effect == Effect::pure) {
                const Type type = form_.type(each.result);
                if (const Value equal = equal_value(out_, made, type); equal != no_value) {
                    values_[each.result] = equal;
                    continue;
                }
            }
            if (made.mask != no_value && out_.is_known(made.mask, 0) && !has_result(made.op)) continue;
            if (made.mask != no_value && out_.is_known(made.mask, 1)) made.mask = no_value;
            name_register(made);
            if (each.result != no_value) made.result = of(each.result);
            out_.blocks[to].body.push_back(made);
        }
        lead(block, to);
    }

    // Registers by number where the number is known, and there is such a one.
    void name_register(Instruction& made) const {
        if (made.op != Op::get_at && made.op != Op::put_at) return;
        const auto number = out_.known(made.operands[0]);
        if (!number || *number >= isa_.register_files[made.object].count) return;
        made.op = made.op == Op::get_at ? Op::get : Op::put;
        made.number = *number;
        made.operands = {made.operands[1], no_value, no_value};
    }

    // The end of a block. Edges lead to blocks of the form until all are there.
    void lead(const Block& block, BlockId from) {
        Instruction end = block.end;
        change_inputs(end, [this](Value value) { return of(value); });
        const auto condition = end.op == Op::branch ? out_.known(end.operands[0]) : std::nullopt;
        const bool known = condition.has_value();
        if (known) end = {.op = Op::jump};
        for (std::size_t i = 0; i < block.edges.size(); ++i) {
            const Edge& edge = block.edges[i];
            if (known && i != (*condition == 0 ? 1u : 0u)) {
                --entries_[edge.block];
                continue;
            }
            if (end.op == Op::jump && entries_[edge.block] == 1 && blocks_[edge.block] == no_block) {
                const auto& arguments = form_.blocks[edge.block].arguments;
                for (std::size_t k = 0; k < arguments.size(); ++k) values_[arguments[k]] = of(edge.values[k]);
                blocks_[edge.block] = from;
                return drop_other(block, i + 1, known);
            }
            reach(edge.block);
            Edge made{edge.block, {}};
            for (const Value value : edge.values) made.values.push_back(of(value));
            out_.blocks[from].edges.push_back(std::move(made));
        }
        out_.blocks[from].end = end;
    }
    void drop_other(const Block& block, std::size_t from, bool known) {
        for (std::size_t i = from; known && i < block.edges.size(); ++i) --entries_[block.edges[i].block];
    }
    void reach(BlockId id) {
        if (blocks_[id] != no_block) return;
        blocks_[id] = begin();
        for (const Value argument : form_.blocks[id].arguments)
            out_.blocks[blocks_[id]].arguments.push_back(of(argument));
    }

    const Graph& form_;
    const Isa& isa_;
    Graph out_;
    std::vector<Value> values_;     // of the form's
    std::vector<BlockId> blocks_;   // likewise
    std::vector<unsigned> entries_;
};

}  // namespace

Graph substitute(const Graph& form, std::span<const std::uint64_t> values, const Isa& isa) {
    return Substitution(form, isa).run(values);
}

}  // namespace isaforge::ir

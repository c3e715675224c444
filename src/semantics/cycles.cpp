#include "semantics/cycles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ir/passes/passes.hpp"
#include "semantics/lower.hpp"
#include "semantics/types.hpp"

namespace isaforge::semantics {

namespace {

constexpr std::size_t most_combinations = 4096;  // of rows of operands, of one form
constexpr unsigned widest_tried = 4;             // bits of an operand on whose value types depend
constexpr std::uint64_t largest_told = 100'000;  // what may be more is no number that says something

// What a value may be, from the operations that it is made of. Their ways all go forward.
class Ranges {
public:
    explicit Ranges(const ir::Graph& graph)
        : graph_(graph), makers_(graph.values.size()), givers_(graph.values.size()), known_(graph.values.size()) {
        for (const ir::Block& block : graph.blocks) {
            for (const ir::Instruction& each : block.body)
                if (each.result != ir::no_value) makers_[each.result] = &each;
            for (const ir::Edge& edge : block.edges)
                for (std::size_t i = 0; i < edge.values.size(); ++i)
                    givers_[graph.blocks[edge.block].arguments[i]].push_back(edge.values[i]);
        }
    }

    CycleRange of(ir::Value value) {
        if (const auto number = graph_.known(value)) return {*number, *number};
        if (!known_[value]) known_[value] = found(value);
        return *known_[value];
    }

private:
    CycleRange any(ir::Value value) const {
        const std::uint64_t most = mask_of(graph_.type(value).bits);
        return {0, most, most > largest_told};
    }
    CycleRange found(ir::Value value) {
        if (!givers_[value].empty()) {
            CycleRange range = of(givers_[value][0]);
            for (const ir::Value given : givers_[value]) range.include(of(given));
            return range;
        }
        const ir::Instruction* const maker = makers_[value];
        if (maker == nullptr) return any(value);
        switch (maker->op) {
            case ir::Op::add: {
                const CycleRange a = of(maker->operands[0]), b = of(maker->operands[1]);
                const CycleRange sum{a.least + b.least, a.most + b.most, a.is_open || b.is_open};
                return sum.most <= mask_of(graph_.type(value).bits) ? sum : any(value);
            }
            case ir::Op::select: {
                CycleRange range = of(maker->operands[1]);
                range.include(of(maker->operands[2]));
                return range;
            }
            case ir::Op::zero_extend:
            case ir::Op::from_truth: return of(maker->operands[0]);
            default: return any(value);
        }
    }

    const ir::Graph& graph_;
    std::vector<const ir::Instruction*> makers_;
    std::vector<std::vector<ir::Value>> givers_;
    std::vector<std::optional<CycleRange>> known_;
};

class Finder {
public:
    Finder(const Isa& isa, const Form& form) : isa_(isa), form_(form), modes_(isa.modes.size()) {}

    std::optional<CycleRange> run() {
        std::vector<std::vector<Binding>> choices;
        for (const Field& field : form_.fields)
            choices.push_back(field.fixed ? std::vector{bind_fixed(isa_, field.type, form_.fixed_value(field))}
                                          : rows_of(field.type));
        std::vector<std::size_t> which(choices.size());
        for (std::size_t looked = 0;; ++looked) {
            std::vector<Binding> bindings;
            for (std::size_t i = 0; i < choices.size(); ++i) bindings.push_back(choices[i][which[i]]);
            look(bindings);
            std::size_t next = 0;
            while (next < which.size() && ++which[next] == choices[next].size()) which[next++] = 0;
            if (next == which.size()) return found_;
            if (looked == most_combinations) return found_ ? std::optional(CycleRange{found_->least, 0, true}) : found_;
        }
    }

private:
    // What an operand may be: each of its rows, others open.
    std::vector<Binding> rows_of(Index type) {
        const OperandType& operand = isa_.operand_types[type];
        if (operand.kind != OperandKind::table) return {Binding{.type = type}};
        std::vector<Binding> all;
        for (Index row = 0; row < operand.rows.size(); ++row) {
            if (operand.rows[row].reserved) continue;
            std::vector<Binding> made = {Binding{.type = type, .row = row}};
            for (const Field& field : operand.rows[row].fields) {
                std::vector<Binding> longer;
                for (const Binding& one : made)
                    for (const Binding& capture : rows_of(field.type)) {
                        if (longer.size() > most_combinations) break;
                        longer.push_back(one);
                        longer.back().captures.push_back(capture);
                    }
                made = std::move(longer);
            }
            all.insert(all.end(), made.begin(), made.end());
        }
        if (all.empty()) all.push_back({.type = type});
        return all;
    }

    void look(std::vector<Binding>& bindings) {
        LowerInput input{.isa = &isa_,
                         .instruction = &isa_.instruction_of(form_),
                         .fields = &form_.fields.list(),
                         .bindings = &bindings};
        input.names = &form_.names_in_meaning;
        input.mode_bindings = &modes_;
        look(input);
    }
    // Operands on whose values types depend have to be known.
    void look(const LowerInput& input) {
        Diagnostics ignored;
        LowerResult result = lower(input, ignored);
        if (result.steering == nullptr) return result.ok ? note(result.graph) : void();
        Binding& binding = const_cast<Binding&>(*result.steering);  // one of ours; it is put back as it was
        const unsigned width = binding.type == no_index
                                   ? isa_.modes[static_cast<std::size_t>(&binding - modes_.data())].bits
                                   : isa_.operand_types[binding.type].width;
        if (width > widest_tried) note({0, 0, true});
        for (std::uint64_t code = 0; width <= widest_tried && code <= mask_of(width); ++code) {
            binding.known = true;
            binding.code = code;
            look(input);
        }
        binding.known = false;
        binding.code = 0;
    }
    void note(ir::Graph& graph) {
        ir::optimise(graph);
        Ranges ranges(graph);
        bool counts = false;
        for (const ir::Block& block : graph.blocks)
            for (const ir::Instruction& each : block.body) {
                if (each.op != ir::Op::count_cycles) continue;
                counts = true;
                note(ranges.of(each.operands[0]));
            }
        if (!counts) note({});
    }
    void note(const CycleRange& range) {
        if (found_)
            found_->include(range);
        else
            found_ = range;
    }

    const Isa& isa_;
    const Form& form_;
    std::vector<Binding> modes_;
    std::optional<CycleRange> found_;
};

}  // namespace

void CycleRange::include(const CycleRange& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    is_open |= other.is_open;
}

std::optional<CycleRange> cycles_of(const Isa& isa, const Form& form) {
    const Instruction& instruction = isa.instruction_of(form);
    if (!isa.has_cycles || form.alias || (!instruction.meaning && !instruction.guard)) return std::nullopt;
    return Finder(isa, form).run();
}

std::string to_text(const CycleRange& range) {
    const auto unit = [](std::uint64_t count) { return count == 1 ? "cycle" : "cycles"; };
    if (range.is_open) return fmt::format("{} {} or more", range.least, unit(range.least));
    if (range.least == range.most) return fmt::format("{} {}", range.least, unit(range.least));
    return fmt::format("{} {} {} cycles", range.least, range.least + 1 == range.most ? "or" : "to", range.most);
}

}  // namespace isaforge::semantics

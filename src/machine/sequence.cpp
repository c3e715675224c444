// From a graph to a sequence: blocks in an order in which every way goes forward, arguments as variables, and what an operation
// means on a width that no host has, as the table of operations says.
#include "machine/sequence.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "semantics/types.hpp"

namespace isaforge::machine {

namespace {

using ir::Op;

class Sequencer {
public:
    explicit Sequencer(const ir::Graph& graph) : graph_(graph), ids_(graph.values.size(), no_value) {}

    Sequence run() {
        note_definitions();
        order_blocks();
        place_of_.assign(graph_.blocks.size(), 0);
        for (std::size_t i = 0; i < order_.size(); ++i) place_of_[order_[i]] = i;
        for (const ir::BlockId block : order_)
            for (const ir::Value argument : graph_.blocks[block].arguments)
                ids_[argument] = new_value(graph_.type(argument), Value::Kind::variable);
        std::vector<std::size_t> first_step;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            first_step.push_back(out_.steps.size());
            splats_.clear();
            for (const ir::Instruction& each : graph_.blocks[order_[i]].body) add(each);
            end(graph_.blocks[order_[i]], i);
        }
        for (const auto& [step, block] : jumps_)
            out_.steps[step].number = static_cast<std::uint32_t>(first_step[place_of_[block]]);
        return std::move(out_);
    }

private:
    // Each block before all that it leads to, and right behind it, if it can be, the one where its condition holds.
    void order_blocks() {
        std::vector<bool> seen(graph_.blocks.size());
        std::vector<std::pair<ir::BlockId, std::size_t>> open = {{0, graph_.blocks[0].edges.size()}};
        while (!open.empty()) {
            auto& [block, left] = open.back();
            if (left == 0) {
                order_.push_back(block);
                open.pop_back();
                continue;
            }
            const ir::BlockId to = graph_.blocks[block].edges[--left].block;
            if (seen[to]) continue;
            seen[to] = true;
            open.emplace_back(to, graph_.blocks[to].edges.size());
        }
        std::reverse(order_.begin(), order_.end());
    }
    void note_definitions() {
        definitions_.assign(graph_.values.size(), nullptr);
        for (const ir::Block& block : graph_.blocks)
            for (const ir::Instruction& each : block.body)
                if (each.result != ir::no_value) definitions_[each.result] = &each;
    }

    // Values.
    ValueId new_value(ir::Type type, Value::Kind kind = Value::Kind::temporary) {
        out_.values.push_back({kind, static_cast<std::uint8_t>(type.container()), type.lanes, 0});
        return static_cast<ValueId>(out_.values.size() - 1);
    }
    ValueId constant(std::uint64_t value) {
        auto [place, added] = constants_.try_emplace(value, no_value);
        if (added) {
            place->second = new_value(ir::Type::integer(64), Value::Kind::constant);
            out_.values.back().constant = value;
        }
        return place->second;
    }
    // The value as it is there in this block.
    ValueId id(ir::Value value) {
        if (value == ir::no_value) return no_value;
        const ir::Definition& definition = graph_.values[value];
        if (!definition.is_constant) return ids_[value];
        if (definition.type.lanes == 1) return constant(definition.constant);
        return splat(definition.constant, definition.type.container(), definition.type.lanes);
    }
    ValueId splat(std::uint64_t value, unsigned container, unsigned lanes) {
        if (lanes == 1) return constant(value);
        ValueId& known = splats_[{value, container, lanes}];
        if (known == 0) known = 1 + step(Op::splat, ir::Type::integer(container, lanes), container, constant(value));
        return known - 1;
    }
    // An operation with a result of that type.
    ValueId step(Op op, ir::Type type, unsigned container, ValueId a, ValueId b = no_value, ValueId c = no_value) {
        const ValueId result = new_value(type);
        out_.steps.push_back({.op = op,
                              .container = static_cast<std::uint8_t>(container),
                              .lanes = type.lanes,
                              .result = result,
                              .a = a,
                              .b = b,
                              .c = c});
        return result;
    }
    ValueId in_container(ValueId value, unsigned container, unsigned lanes) {
        if (lanes == 1 || out_.values[value].container == container) return value;
        return step(Op::truncate, ir::Type::integer(container, lanes), container, value);
    }
    ValueId cleared_above(ValueId value, ir::Type type) {
        const unsigned container = type.container();
        if (type.bits == container || type.is_mask()) return value;
        return step(Op::bit_and, type, container, value, splat(ir::ones(type), container, type.lanes));
    }
    // The sign in all bits of the container above.
    ValueId signed_in(ValueId value, unsigned bits, unsigned container, unsigned lanes) {
        if (bits == container) return value;
        if (out_.values[value].kind == Value::Kind::constant)
            return constant(static_cast<std::uint64_t>(semantics::sign_extend(out_.values[value].constant, bits)) &
                            low_bits(container));
        return step(Op::sign_extend_from, ir::Type::integer(container, lanes), container, value,
                    splat(bits, container, lanes));
    }

    // Whether a value is known to be 0 above so many bits.
    bool fits(ir::Value value, unsigned bits) const {
        if (graph_.type(value).bits <= bits) return true;
        if (const auto known = graph_.known(value)) return *known <= low_bits(bits);
        const ir::Instruction* made = definitions_[value];
        if (made == nullptr) return false;
        const auto second = graph_.known(made->operands[1]);
        switch (made->op) {
            case Op::shift_right: return second && *second < 64 && graph_.type(value).bits - *second <= bits;
            case Op::bit_and:
            case Op::min_unsigned: return fits(made->operands[0], bits) || fits(made->operands[1], bits);
            case Op::remainder_unsigned: return second && *second != 0 && *second - 1 <= low_bits(bits);
            case Op::zero_extend:
            case Op::from_truth: return fits(made->operands[0], bits);
            default: return false;
        }
    }

    // Operations.
    void add(const ir::Instruction& each) {
        if (ir::is_computed(each.op)) {
            ids_[each.result] = computed(each);
            return;
        }
        switch (about(each.op).family) {
            case ir::Family::conversion: ids_[each.result] = converted(each); return;
            case ir::Family::lanes: ids_[each.result] = moved(each); return;
            default: return act(each);
        }
    }

    ValueId computed(const ir::Instruction& each) {
        const ir::Type type = graph_.type(each.result), operand = graph_.type(each.operands[0]);
        const std::string_view letters = ir::operand_letters(each.op);
        const bool from_64 = letters[0] == 'W' || letters[0] == 'D';
        const bool by_result = each.op == Op::select || (from_64 && each.mode.raised_by == 0);
        const ir::Type acting = by_result ? type : operand;
        const unsigned container = acting.container(), bits = acting.bits, lanes = type.lanes;
        const ir::Narrow narrow = about(each.op).narrow;
        ValueId given[ir::most_operands] = {no_value, no_value, no_value};
        for (std::size_t i = 0; i < each.inputs().size(); ++i) {
            given[i] = id(each.operands[i]);
            const bool extends = narrow == ir::Narrow::sign || (narrow == ir::Narrow::sign_first && i == 0);
            if (extends) given[i] = signed_in(given[i], bits, container, lanes);
        }
        if (each.op == Op::select) given[0] = in_container(given[0], container, lanes);
        const bool turns = each.op == Op::bit_not && bits < container;
        const ValueId result =
            turns ? step(Op::bit_xor, type, container, given[0], splat(ir::ones(type), container, lanes))
                  : step(each.op, type, container, given[0], given[1], given[2]);
        if (about(each.op).family == ir::Family::floating) {
            out_.steps.back().rounding = each.mode.rounding;
            out_.steps.back().raised_by = each.mode.raised_by;
        }
        const bool cuts = !turns && !ir::is_test(each.op) && narrow != ir::Narrow::same && narrow != ir::Narrow::full;
        return cuts ? cleared_above(result, type) : result;
    }

    ValueId converted(const ir::Instruction& each) {
        const ir::Type type = graph_.type(each.result), from = graph_.type(each.operands[0]);
        const unsigned container = type.container();
        const ValueId value = id(each.operands[0]);
        switch (each.op) {
            case Op::truncate: return truncated(each.operands[0], value, type);
            case Op::sign_extend: {
                const ValueId wide = in_container(value, container, type.lanes);
                return cleared_above(signed_in(wide, from.bits, container, type.lanes), type);
            }
            case Op::cast:
                if (from.bits == type.bits && from.lanes == type.lanes) return value;
                return step(Op::cast, type, container, value);
            default: return in_container(value, container, type.lanes);
        }
    }
    ValueId truncated(ir::Value from, ValueId value, ir::Type type) {
        const unsigned container = type.container();
        const bool is_inside = fits(from, type.bits);
        if (type.lanes != 1) {
            value = in_container(value, container, type.lanes);
            return is_inside ? value : cleared_above(value, type);
        }
        if (is_inside) return value;
        if (type.bits != container) return cleared_above(value, type);
        return step(Op::truncate, type, container, value);
    }

    ValueId moved(const ir::Instruction& each) {
        const ir::Type type = graph_.type(each.result);
        const bool has_operand = !each.inputs().empty();
        const ir::Type from = has_operand ? graph_.type(each.operands[0]) : type;
        ValueId a = has_operand ? id(each.operands[0]) : no_value, b = id(each.operands[1]);
        if (each.op == Op::permute) b = in_container(b, 32, type.lanes);
        const unsigned container = each.op == Op::splat ? type.container() : from.container();
        const ValueId result = step(each.op, type, container, a, b);
        Step& made = out_.steps.back();
        made.lanes = std::max(from.lanes, type.lanes);
        made.number = static_cast<std::uint32_t>(each.number);
        if (each.op != Op::reduce_add && each.op != Op::lane_number) return result;
        return cleared_above(result, type);
    }

    // Registers, memory and the machine.
    void act(const ir::Instruction& each) {
        Step made{.op = each.op, .delay = each.delay, .first = each.first, .object = each.object};
        made.number = static_cast<std::uint32_t>(each.number);
        ValueId given[ir::most_operands] = {no_value, no_value, no_value};
        for (std::size_t i = 0; i < each.inputs().size(); ++i) given[i] = id(each.operands[i]);
        made.c = id(each.mask);
        made.a = given[0];
        made.b = given[1];
        ir::Type acting = each.result != ir::no_value ? graph_.type(each.result) : ir::Type::integer(64);
        switch (each.op) {
            case Op::update: return update(each, given);
            case Op::get_at:
                made.op = Op::get;
                made.number = no_number;
                std::swap(made.a, made.b);
                break;
            case Op::put_at:
                made.op = Op::put;
                made.number = no_number;
                std::swap(made.a, made.b);
                acting = graph_.type(each.operands[1]);
                break;
            case Op::put: acting = graph_.type(each.operands[0]); break;
            case Op::check_access:
            case Op::check_step:
            case Op::check_that:
            case Op::check_use: acting = graph_.type(each.operands[0]); break;
            case Op::check_store:
            case Op::store:
            case Op::store_conditional: acting = graph_.type(each.operands[1]); break;
            default: break;
        }
        made.container = static_cast<std::uint8_t>(acting.container());
        made.lanes = acting.lanes;
        const bool by_lanes = each.op == Op::load || each.op == Op::store || each.op == Op::check_access ||
                              each.op == Op::check_load || each.op == Op::check_store;
        if (by_lanes) made.a = in_container(made.a, 64, acting.lanes);
        if (each.result != ir::no_value) made.result = ids_[each.result] = new_value(graph_.type(each.result));
        out_.steps.push_back(made);
    }

    // The function's steps stand between the two halves of the operation, which do them for one lane after the other.
    void update(const ir::Instruction& each, const ValueId (&given)[ir::most_operands]) {
        const ir::Type type = graph_.type(each.result);
        Step made{.op = Op::update, .container = static_cast<std::uint8_t>(type.container()), .lanes = type.lanes};
        made.a = in_container(given[0], 64, type.lanes);
        made.b = given[1];
        made.d = given[2];
        made.c = id(each.mask);
        made.object = each.object;
        made.result = ids_[each.result] = new_value(type, Value::Kind::variable);
        made.number = static_cast<std::uint32_t>(out_.values.size());
        out_.steps.push_back(made);
        append(Sequencer(*graph_.functions[each.number]).run());
        Step& last = out_.steps.back();
        made.op = Op::give;
        made.b = last.a;
        made.c = made.d = no_value;
        last = made;
    }
    void append(const Sequence& other) {
        const auto first = static_cast<ValueId>(out_.values.size());
        out_.values.insert(out_.values.end(), other.values.begin(), other.values.end());
        for (Step step : other.steps) {
            for (ValueId* const value : {&step.result, &step.a, &step.b, &step.c, &step.d})
                if (*value != no_value) *value += first;
            out_.steps.push_back(step);
        }
    }

    // Ways on.
    void end(const ir::Block& block, std::size_t at) {
        const ir::Instruction& end = block.end;
        if (end.op == Op::jump) {
            give(block.edges[0]);
            jump(Op::jump, no_value, block.edges[0].block, at);
        } else if (end.op == Op::branch) {
            branch(block, at);
        } else {
            Step made{.op = end.op, .object = end.object, .number = static_cast<std::uint32_t>(end.number)};
            if (!end.inputs().empty()) made.a = id(end.operands[0]);
            out_.steps.push_back(made);
        }
    }
    // The way where the condition holds comes first; each gives the block that it leads to its values. What both may give is made
    // before they part.
    void branch(const ir::Block& block, std::size_t at) {
        const ir::Edge &taken = block.edges[0], &other = block.edges[1];
        const ValueId condition = id(block.end.operands[0]);
        const bool gives = !other.values.empty();
        if (gives)
            for (const ir::Edge* const edge : {&taken, &other})
                for (const ir::Value value : edge->values) id(value);
        const std::size_t test = out_.steps.size();
        if (gives)
            out_.steps.push_back({.op = Op::branch, .a = condition});
        else
            jump(Op::branch, condition, other.block, order_.size());
        give(taken);
        jump(Op::jump, no_value, taken.block, gives ? order_.size() : at);
        if (!gives) return;
        out_.steps[test].number = static_cast<std::uint32_t>(out_.steps.size());
        give(other);
        jump(Op::jump, no_value, other.block, at);
    }
    void jump(Op op, ValueId condition, ir::BlockId to, std::size_t at) {
        if (op == Op::jump && place_of_[to] == at + 1) return;
        jumps_.emplace_back(out_.steps.size(), to);
        out_.steps.push_back({.op = op, .a = condition});
    }
    // What is given is assigned before: no value is an argument of the block that is yet to come.
    void give(const ir::Edge& edge) {
        const auto& arguments = graph_.blocks[edge.block].arguments;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const ir::Type type = graph_.type(arguments[i]);
            const ValueId from = id(edge.values[i]);
            out_.steps.push_back({.op = Op::cast,
                                  .container = static_cast<std::uint8_t>(type.container()),
                                  .lanes = type.lanes,
                                  .result = ids_[arguments[i]],
                                  .a = from});
        }
    }

    const ir::Graph& graph_;
    Sequence out_;
    std::vector<ValueId> ids_;  // of the graph's values
    std::vector<const ir::Instruction*> definitions_;
    std::vector<ir::BlockId> order_;
    std::vector<std::size_t> place_of_;
    std::map<std::uint64_t, ValueId> constants_;
    std::map<std::tuple<std::uint64_t, unsigned, unsigned>, ValueId> splats_;  // of this block, one more than the value
    std::vector<std::pair<std::size_t, ir::BlockId>> jumps_;                   // steps that lead to a block
};

}  // namespace

Sequence sequence_of(const ir::Graph& graph) { return Sequencer(graph).run(); }

}  // namespace isaforge::machine

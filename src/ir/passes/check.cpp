#include "ir/passes/check.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ir/dominators.hpp"

namespace isaforge::ir {

Type shadow_type(Type type) { return type.is_float() ? type.with_kind(Kind::integer) : type; }

Isa with_shadow_files(const Isa& isa) {
    Isa both = isa;
    for (const RegisterFile& file : isa.register_files) {
        RegisterFile shadow = file;
        shadow.name += ".undefined";
        shadow.write_ports = 0;
        shadow.entries.clear();
        shadow.fields.clear();
        both.register_files.push_back(std::move(shadow));
    }
    return both;
}

namespace {

// Shadows: no_value stands for one without a 1.
class Checks {
public:
    Checks(Graph& graph, const CheckPlan& plan, const Isa& isa)
        : graph_(graph), plan_(plan), isa_(isa), build_(graph), shadows_(graph.values.size(), no_value) {}

    void run() {
        const Dominators dominators(graph_);
        if (plan_.definedness) add_arguments();
        for (const BlockId id : dominators.order()) {
            build_.at(id);
            told_.clear();
            std::vector<Instruction> body = std::move(graph_.blocks[id].body);
            graph_.blocks[id].body.clear();
            for (Instruction& each : body) add(each);
            if (!plan_.definedness) continue;
            end(graph_.blocks[id].end);
            give(graph_.blocks[id]);
        }
        for (BlockId id = 0; plan_.definedness && id < graph_.blocks.size(); ++id)
            if (!dominators.is_reachable(id)) give(graph_.blocks[id]);
    }

private:
    // ---- Values

    Type type(Value value) const { return graph_.type(value); }
    Value constant(Type of, std::uint64_t value) { return graph_.constant(of, value); }
    Value make(Op op, Type of, std::initializer_list<Value> operands) { return build_.make(op, of, operands); }
    Value shadow(Value value) const { return value < shadows_.size() ? shadows_[value] : no_value; }
    bool is_defined(Value value) const { return shadow(value) == no_value; }
    void set(Value value, Value shadow) {
        if (shadows_.size() <= value) shadows_.resize(graph_.values.size(), no_value);
        shadows_[value] = shadow == no_value || graph_.is_known(shadow, 0) ? no_value : shadow;
    }
    // As a value that can be given to somebody.
    Value whole(Value value) {
        const Value known = shadow(value);
        return known != no_value ? known : constant(shadow_type(type(value)), 0);
    }
    Value both(Op op, Value a, Value b) { return make(op, type(a), {a, b}); }
    Value join_shadows(Value a, Value b) {
        if (a == no_value || b == no_value) return a == no_value ? b : a;
        return both(Op::bit_or, a, b);
    }
    // The bits of a value, as integers.
    Value bits_of(Value value) {
        const Type of = type(value);
        return of.is_float() ? make(Op::cast, shadow_type(of), {value}) : value;
    }
    // Where some bit of a shadow is 1: a truth value for each lane.
    Value any(Value of) {
        if (of == no_value || type(of).is_truth()) return of;
        return make(Op::not_equal, Type::truth(type(of).lanes), {of, constant(type(of), 0)});
    }
    // All bits where it holds, of a shadow of that type.
    Value all_where(Value truth, Type of) {
        if (truth == no_value || of == type(truth)) return truth;
        return make(Op::select, of, {truth, constant(of, ~std::uint64_t{0}), constant(of, 0)});
    }
    Value inverted(Value value) { return make(Op::bit_not, type(value), {value}); }
    // From the lowest 1 upwards.
    Value smeared(Value of) {
        if (of == no_value || type(of).is_truth()) return of;
        return both(Op::bit_or, of, make(Op::sub, type(of), {constant(type(of), 0), of}));
    }

    // ---- What operations make of shadows

    Value any_input(const Instruction& each) {
        Value found = no_value;
        for (const Value value : each.inputs()) {
            const Value truth = any(shadow(value));
            if (truth == no_value) continue;
            found = found == no_value ? truth : both(Op::bit_or, found, truth);
        }
        return found;
    }
    // Where some operand has an undefined bit nothing is known.
    Value all_or_nothing(const Instruction& each) { return all_where(any_input(each), shadow_type(type(each.result))); }
    Value joined_inputs(const Instruction& each) {
        return join_shadows(shadow(each.operands[0]), shadow(each.operands[1]));
    }
    // A bit that is `neutral` leaves the other operand's bit, the other one decides.
    Value bitwise(const Instruction& each, bool one_decides) {
        const Value a = each.operands[0], b = each.operands[1], sa = shadow(a), sb = shadow(b);
        const auto decides = [&](Value value) { return one_decides ? value : inverted(value); };
        Value found = no_value;
        if (sa != no_value) found = both(Op::bit_and, sa, inverted(decides(b)));
        if (sb != no_value) found = join_shadows(found, both(Op::bit_and, sb, inverted(decides(a))));
        // A bit that is undefined itself decides nothing.
        if (sa != no_value && sb != no_value) found = join_shadows(found, both(Op::bit_and, sa, sb));
        return found;
    }
    // The operation moves bits of the first operand about, as the second one says.
    Value moved(const Instruction& each) {
        const Type of = shadow_type(type(each.result));
        Value found = no_value;
        if (!is_defined(each.operands[0])) {
            Instruction same = each;
            same.result = no_value;
            same.operands[0] = shadow(each.operands[0]);
            found = build_.add(same, of);
        }
        const Value by = each.operands[1];
        if (operand_count(each.op) < 2 || is_defined(by)) return found;
        return join_shadows(found, all_where(any(shadow(by)), of));
    }
    Value lowest(Value value) { return is_defined(value) ? value : both(Op::bit_and, value, inverted(shadow(value))); }
    Value highest(Value value) { return is_defined(value) ? value : both(Op::bit_or, value, shadow(value)); }
    // Some operand has an undefined bit, and none that is defined in both differs.
    Value equality(const Instruction& each) {
        const Value open = joined_inputs(each);
        if (open == no_value) return no_value;
        const Value differ = both(Op::bit_xor, each.operands[0], each.operands[1]);
        const Value decided = both(Op::bit_and, differ, inverted(open));
        if (type(open).is_truth()) return both(Op::bit_and, open, inverted(decided));
        const Value none = make(Op::equal, Type::truth(type(open).lanes), {decided, constant(type(open), 0)});
        return both(Op::bit_and, any(open), none);
    }
    // The least that one operand may be against the most of the other, and the other way.
    Value order(const Instruction& each, bool is_signed) {
        const Value a = each.operands[0], b = each.operands[1];
        if (is_defined(a) && is_defined(b)) return no_value;
        const Value low_a = least(a, is_signed), high_a = most(a, is_signed);
        const Value low_b = least(b, is_signed), high_b = most(b, is_signed);
        const Type truth = type(each.result);
        return both(Op::bit_xor, make(each.op, truth, {low_a, high_b}), make(each.op, truth, {high_a, low_b}));
    }
    Value sign_bits(Value value) { return constant(type(value), std::uint64_t{1} << (type(value).bits - 1)); }
    Value least(Value value, bool is_signed) {
        if (!is_signed || is_defined(value)) return lowest(value);
        const Value sign = both(Op::bit_and, shadow(value), sign_bits(value));
        return both(Op::bit_or, lowest(value), sign);
    }
    Value most(Value value, bool is_signed) {
        if (!is_signed || is_defined(value)) return highest(value);
        const Value sign = both(Op::bit_and, shadow(value), sign_bits(value));
        return both(Op::bit_and, highest(value), inverted(sign));
    }
    // Counting from one end: what is least and most there gives the same, or nobody knows.
    Value counted(const Instruction& each) {
        const Value a = each.operands[0];
        if (is_defined(a)) return no_value;
        const Type of = type(each.result);
        const Value differ = make(Op::not_equal, Type::truth(of.lanes),
                                  {make(each.op, of, {lowest(a)}), make(each.op, of, {highest(a)})});
        return all_where(differ, of);
    }
    Value selected(const Instruction& each) {
        const Value condition = each.operands[0], x = each.operands[1], y = each.operands[2];
        const Type of = shadow_type(type(each.result));
        Value found = no_value;
        if (!is_defined(x) || !is_defined(y)) found = make(Op::select, of, {condition, whole(x), whole(y)});
        if (is_defined(condition)) return found;
        if (of.count != 1) return tell_use(Decides::way, condition), found;
        const Value differ = both(Op::bit_xor, bits_of(x), bits_of(y));
        const Value open = join_shadows(differ, join_shadows(shadow(x), shadow(y)));
        return join_shadows(found, make(Op::select, of, {shadow(condition), open, constant(of, 0)}));
    }
    Value cast(const Instruction& each) {
        const Value from = shadow(each.operands[0]);
        const Type of = shadow_type(type(each.result));
        return from == no_value || type(from) == of ? from : make(Op::cast, of, {from});
    }
    Value same_of_shadows(const Instruction& each) {
        bool open = false;
        Instruction same = each;
        same.result = no_value;
        for (Value& value : same.inputs()) {
            open |= !is_defined(value);
            value = whole(value);
        }
        return open ? build_.add(same, shadow_type(type(each.result))) : no_value;
    }
    Value reduced(const Instruction& each) {
        const Value a = each.operands[0], open = shadow(a);
        if (open == no_value) return no_value;
        const Type of = shadow_type(type(each.result));
        if (type(a).count != 1) return constant(of, ~std::uint64_t{0});
        const Value some = make(Op::reduce_or, of, {open});
        if (each.op == Op::reduce_add) return smeared(some);
        if (each.op == Op::reduce_or) return both(Op::bit_and, some, inverted(make(Op::reduce_or, of, {lowest(a)})));
        return both(Op::bit_and, some, make(Op::reduce_and, of, {highest(a)}));
    }

    Value shadow_of_result(const Instruction& each) {
        switch (each.op) {
            case Op::add:
            case Op::sub:
            case Op::mul:
            case Op::carryless_mul: return smeared(joined_inputs(each));
            case Op::bit_and: return bitwise(each, false);
            case Op::bit_or: return bitwise(each, true);
            case Op::bit_xor: return joined_inputs(each);
            case Op::bit_not: return shadow(each.operands[0]);
            case Op::shift_left:
            case Op::shift_right:
            case Op::shift_right_signed:
            case Op::rotate_left:
            case Op::sign_extend_from:
            case Op::swap_groups:
            case Op::reverse:
            case Op::pick:
            case Op::permute: return moved(each);
            case Op::equal:
            case Op::not_equal: return equality(each);
            case Op::less_unsigned:
            case Op::less_equal_unsigned: return order(each, false);
            case Op::less_signed:
            case Op::less_equal_signed: return order(each, true);
            case Op::count_leading_zeros:
            case Op::count_trailing_zeros: return counted(each);
            case Op::select: return selected(each);
            case Op::cast: return cast(each);
            case Op::truncate:
            case Op::zero_extend:
            case Op::sign_extend:
            case Op::from_truth:
            case Op::splat:
            case Op::take:
            case Op::ballot:
            case Op::spread:
            case Op::join:
            case Op::item: return same_of_shadows(each);
            case Op::reduce_and:
            case Op::reduce_or:
            case Op::reduce_add: return reduced(each);
            case Op::lane_number: return no_value;
            default: return is_computed(each.op) ? all_or_nothing(each) : no_value;
        }
    }

    // ---- Where bits come from

    struct Source {
        Index file = no_index;
        std::uint64_t number = 0;

        bool operator==(const Source&) const = default;
    };
    static constexpr std::size_t most_sources = 8;
    using Sources = std::vector<Source>;

    // Of a value that was made of others, or read.
    void note_sources(const Instruction& each) {
        if (each.result == no_value || is_defined(each.result)) return;
        if (sources_.size() <= each.result) sources_.resize(graph_.values.size());
        if (each.op == Op::get) sources_[each.result] = {{each.object, each.number}};
        if (about(each.op).effect != Effect::pure) return;
        Sources found;
        for (const Value value : each.inputs()) {
            if (is_defined(value)) continue;
            for (const Source& source : sources_of(value))
                if (found.size() < most_sources && std::find(found.begin(), found.end(), source) == found.end())
                    found.push_back(source);
        }
        sources_[each.result] = std::move(found);
    }
    Sources sources_of(Value value) const { return value < sources_.size() ? sources_[value] : Sources{}; }
    std::string sources_text(Value value) const {
        std::string text;
        for (const auto& [file, number] : sources_of(value))
            text += (text.empty() ? "" : " ") + isa_.register_files[file].name + "#" + std::to_string(number);
        return text;
    }

    // ---- Telling

    // Of one value once in a block; the shadow of a mask that was made of bits goes by these.
    void tell(Decides what, Value of, Value shadow, Value mask) {
        if (shadow == no_value) return;
        Value& known = told_[{shadow, mask}];
        if (known != 0) return;
        known = 1;
        build_.add({.op = Op::check_use,
                    .operands = {shadow, no_value, no_value},
                    .mask = mask,
                    .object = graph_.text(sources_text(of)),
                    .number = static_cast<std::uint64_t>(what)});
    }
    void tell_use(Decides what, Value value, Value mask = no_value) {
        if (value != no_value) tell(what, value, shadow(value), mask);
    }
    void tell_mask(const Instruction& each) {
        if (each.mask == no_value || is_defined(each.mask)) return;
        const Instruction* const maker = maker_of(graph_, shadow(each.mask));
        const bool from_bits = maker != nullptr && maker->op == Op::spread;
        tell(Decides::lanes, each.mask, from_bits ? maker->operands[0] : shadow(each.mask), no_value);
    }

    // ---- Instructions

    void add(Instruction& each) {
        if (plan_.definedness) tell_uses(each);
        if (plan_.accesses) narrow(each);
        if (plan_.definedness) before(each);
        keep(each);
        if (plan_.definedness) after(each);
    }
    void keep(const Instruction& each) { graph_.blocks[build_.block()].body.push_back(each); }

    static bool is_access(Op op) {
        return op == Op::load || op == Op::store || op == Op::update || op == Op::load_linked ||
               op == Op::store_conditional;
    }
    void tell_uses(const Instruction& each) {
        const Value first = each.operands[0];
        if (is_access(each.op) || each.op == Op::lock) tell_use(Decides::address, first, each.mask);
        if (takes_mask(each.op)) tell_mask(each);
        switch (each.op) {
            case Op::get_at:
            case Op::put_at: return tell_use(Decides::register_number, first);
            case Op::check_that: return tell_use(Decides::address, first, each.mask);  // that it may go there
            case Op::put_pc: return tell_use(Decides::target, first);
            case Op::put_mode: return tell_use(Decides::mode, first);
            case Op::host_argument:
            case Op::host: return tell_use(Decides::outside, first);
            default: return;
        }
    }

    // Shadows of what is written.
    void before(const Instruction& each) {
        if (each.op == Op::put || each.op == Op::put_at) {
            Instruction also = each;
            also.object += plan_.shadow_files;
            Value& value = also.inputs().back();
            value = whole(value);
            keep(also);
        }
        if (each.op == Op::store || each.op == Op::store_conditional)
            store_shadow(each, whole(each.operands[1]), each.mask);
    }
    void store_shadow(const Instruction& each, Value shadow, Value mask) {
        build_.add({.op = Op::check_store,
                    .operands = {each.operands[0], shadow, no_value},
                    .mask = mask,
                    .object = each.object});
    }
    void after(const Instruction& each) {
        if (each.result == no_value) return;
        const Type of = shadow_type(type(each.result));
        if (each.op == Op::get || each.op == Op::get_at) {
            Instruction also = each;
            also.object += plan_.shadow_files;
            set(each.result, build_.add(also, of));
        } else if (each.op == Op::load || each.op == Op::load_linked || each.op == Op::update) {
            const Value found = of.count == 1 ? load_shadow(each, of) : no_value;
            set(each.result, found);
            if (each.op == Op::update) update_shadow(each, found);
        } else if (about(each.op).effect == Effect::pure) {
            set(each.result, shadow_of_result(each));
        }
        note_sources(each);
    }
    Value load_shadow(const Instruction& each, Type of) {
        return build_.add({.op = Op::check_load,
                           .operands = {each.operands[0], no_value, no_value},
                           .mask = each.mask,
                           .object = each.object},
                          of);
    }
    // What lies there then comes of all of it.
    void update_shadow(const Instruction& each, Value before) {
        Value truth = any(before);
        for (const Value value : each.inputs().subspan(1))
            if (!is_defined(value)) truth = both(Op::bit_or, truth, any(shadow(value)));
        store_shadow(each, all_where(truth, type(before)), each.mask);
    }

    // Accesses happen where the checker says.
    void narrow(Instruction& each) {
        if (!is_access(each.op)) return;
        const Value address = each.operands[0];
        const bool gives = each.op != Op::store && each.op != Op::store_conditional;
        const Type of = type(gives ? each.result : each.operands[1]);
        if (of.count != 1) return;
        AccessKind kind{.bytes = of.container() / 8, .stores = each.op != Op::load && each.op != Op::load_linked};
        kind.atomic = each.op != Op::load && each.op != Op::store;
        const Value allowed = build_.add({.op = Op::check_access,
                                          .operands = {address, no_value, no_value},
                                          .mask = each.mask,
                                          .object = each.object,
                                          .number = kind.number()},
                                         Type::truth(type(address).lanes));
        if (takes_mask(each.op)) each.mask = allowed;
    }

    // ---- Blocks

    void add_arguments() {
        for (BlockId id = 1; id < graph_.blocks.size(); ++id) {
            const std::vector<Value> arguments = graph_.blocks[id].arguments;
            for (const Value value : arguments) {
                const Value shadow = build_.argument(id, shadow_type(type(value)));
                set(value, shadow);
            }
        }
    }
    void end(const Instruction& end) {
        if (end.op == Op::branch) tell_use(Decides::way, end.operands[0]);
        if (end.op == Op::leave) tell_use(Decides::target, end.operands[0]);
    }
    void give(Block& block) {
        for (Edge& edge : block.edges) {
            const std::vector<Value> values = edge.values;
            for (const Value value : values) edge.values.push_back(whole(value));
        }
    }

    Graph& graph_;
    const CheckPlan& plan_;
    const Isa& isa_;
    Builder build_;
    std::vector<Value> shadows_;                     // by value
    std::vector<Sources> sources_;                   // likewise
    std::map<std::pair<Value, Value>, Value> told_;  // of this block: shadow and mask
};

}  // namespace

void drop_checks(Graph& graph) {
    for (Block& block : graph.blocks)
        std::erase_if(block.body, [](const Instruction& each) {
            return each.op >= Op::check_that && each.op <= Op::check_arrival;
        });
}

void add_checks(Graph& graph, const CheckPlan& plan, const Isa& isa) { Checks(graph, plan, isa).run(); }

}  // namespace isaforge::ir

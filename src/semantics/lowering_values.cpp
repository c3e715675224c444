// Lowering, first part: making values.
#include "language/limits.hpp"
#include "semantics/lowering.hpp"

#include <fmt/format.h>

namespace isaforge::semantics {

namespace {

constexpr std::size_t most_instructions = language::most_steps + 1000;  // what is begun is finished

}  // namespace

Typed Lowering::typed_constant(std::uint64_t value, Type type) {
    type.lanes = 1;
    return {graph.constant(form_of(type), value), type};
}

Typed Lowering::open_value(Type type, const Binding* source) {
    // What is asked for again is the same.
    for (std::size_t i = 0; i < openings_.size(); ++i) {
        const ir::Value known = graph.blocks[0].arguments[i];
        if (source != nullptr && openings_[i].operand == source && graph.type(known) == form_of(type))
            return {known, type};
    }
    const ir::Value value = builder.argument(0, form_of(type));
    openings_.push_back({Opening::Kind::operand, source});
    set_source(value, source);
    return {value, type};
}

// The instruction's address, or that of the one behind it.
Typed Lowering::address_value(Opening::Kind kind, std::uint64_t address) {
    const Type type{pc_bits()};
    if (!input_.anywhere) return typed_constant(address, type);
    for (std::size_t i = 0; i < openings_.size(); ++i)
        if (openings_[i].kind == kind) return {graph.blocks[0].arguments[i], type};
    openings_.push_back({kind});
    return {builder.argument(0, form_of(type)), type};
}

void Lowering::set_source(ir::Value value, const Binding* source) {
    if (source == nullptr) return;
    if (sources_.size() <= value) sources_.resize(value + 1);
    sources_[value] = source;
}

const Binding* Lowering::source_of(ir::Value value) const {
    return value < sources_.size() ? sources_[value] : nullptr;
}

ir::Value Lowering::add(ir::Instruction instruction, ir::Type type) {
    if (++made_ > most_instructions) exhausted_ = true;
    const ir::Value result = builder.add(instruction, type);
    if (result != no_value)
        ir::for_each_input(instruction, [&](ir::Value input) { set_source(result, source_of(input)); });
    return result;
}

// What operations on numbers give for lanes of one bit: they are computed as bytes.
Typed Lowering::compute_in_bytes(Op op, Type type, std::initializer_list<Typed> operands) {
    const bool is_signed = about(op).narrow == ir::Narrow::sign || about(op).narrow == ir::Narrow::sign_first;
    Typed given[ir::most_operands];
    std::size_t i = 0;
    for (Typed each : operands) {
        each.type.is_signed = is_signed;
        given[i++] = convert(each, {8, is_signed});
    }
    const Type bytes{ir::is_test(op) ? 1u : 8u, false, type.lanes};
    const Typed result = i == 1 ? compute(op, bytes, {given[0]}) : compute(op, bytes, {given[0], given[1]});
    return convert(result, type);
}

// Floats are vectors of bits in the language and a kind of their own in the form: the operation's letters say which.
Typed Lowering::compute(Op op, Type type, std::initializer_list<Typed> operands) {
    const std::string_view letters = ir::operand_letters(op);
    ir::Instruction made{.op = op};
    type.lanes = 1;
    for (const Typed& each : operands) type.lanes = std::max(type.lanes, each.type.lanes);
    std::size_t i = 0;
    for (const Typed& each : operands) {
        const char letter = letters[i];
        if (letter == 'T' && each.type.bits == 1 && type.lanes != 1) return compute_in_bytes(op, type, operands);
        const bool is_float = letter == 'F' || letter == 'D';
        const Typed given = with_lanes(is_float ? taken_by(op, each) : each, type.lanes);
        const auto float_before = is_float ? floats_.find(given.id) : floats_.end();
        made.operands[i++] = !is_float ? given.id
                             : float_before != floats_.end()
                                 ? float_before->second
                                 : add({.op = Op::cast, .operands = {given.id, no_value, no_value}},
                                       form_of(given.type).with_kind(ir::Kind::floating));
    }
    if (about(op).family == ir::Family::floating)
        made.mode = {.rounding = ir::is_rounded(op) ? rounding(type.bits) : Rounding::nearest,
                     .flush_subnormals = isa.floats.flush_subnormals,
                     .canonical_nan = isa.floats.canonical_nan};
    if (raised.slot != no_slot && ir::raises_exceptions(op)) {
        const bool to_integer = op == Op::float_to_u64 || op == Op::float_to_s64;
        ir::Instruction asked = made;
        asked.mode.raised_by = static_cast<std::uint8_t>(to_integer ? raised.integer_bits : type.bits);
        if (to_integer) asked.mode.rounding = raised.integer_rounding;
        raise(asked, type.lanes);
    }
    const char gives = about(op).signature[0];
    if (gives != 'F' && gives != 'D') return {add(made, form_of(type)), type};
    const ir::Value result = add(made, form_of(type).with_kind(ir::Kind::floating));
    const ir::Value bits = add({.op = Op::cast, .operands = {result, no_value, no_value}}, form_of(type));
    floats_[bits] = result;
    const bool keeps = ir::is_subnormal_kept(op) || op == Op::float_widen;  // of as many bits it gives what it takes
    const Subnormals rule = keeps ? Subnormals::keep : subnormals(type.bits);
    const bool flushes = rule == Subnormals::flush || rule == Subnormals::keep_inputs;
    return flushes ? without_subnormals({bits, type}) : Typed{bits, type};
}

// Adds what an operation raises, in lanes that execute, to what exceptions(…) collects.
void Lowering::raise(ir::Instruction operation, unsigned lane_count) {
    const Type type{5, false, lane_count};
    Typed found{add(operation, form_of(type)), type};
    if (mask != raised.mask && mask != no_value) {
        const Typed acting = mask_value();
        if (lane_count != 1 && lane_count != acting.type.lanes) raised.lanes_differ = true;
        if (raised.lanes_differ) return;
        found = compute(Op::select, {5}, {acting, found, typed_constant(0, {5})});
    }
    const ir::Value before = slots[raised.slot];
    const Typed collected{before, {5, false, graph.type(before).lanes}};
    if (found.type.lanes != 1 && collected.type.lanes != 1 && found.type.lanes != collected.type.lanes)
        raised.lanes_differ = true;
    else
        slots[raised.slot] = compute(Op::bit_or, {5}, {collected, found}).id;
}

// An operand as a float operation takes it.
Typed Lowering::taken_by(Op op, Typed given) {
    if (ir::is_subnormal_kept(op)) return given;
    const Subnormals rule = subnormals(given.type.bits);
    return rule == Subnormals::flush || rule == Subnormals::keep_results ? without_subnormals(given) : given;
}

Typed Lowering::without_subnormals(Typed value) { return compute(Op::fflush, value.type, {value}); }

// A value that the machine around gives.
Typed Lowering::machine_value(Op op, Type type, std::uint64_t number) {
    return {add({.op = op, .number = number}, form_of(type)), type};
}

Typed Lowering::with_lanes(Typed value, unsigned lane_count) {
    if (value.type.lanes == lane_count || lane_count == 1) return value;
    value.type.lanes = lane_count;
    value.id = add({.op = Op::splat, .operands = {value.id, no_value, no_value}}, form_of(value.type));
    return value;
}

bool Lowering::match_lanes(Typed& a, Typed& b, Place place) {
    if (a.type.lanes == b.type.lanes) return true;
    if (a.type.lanes != 1 && b.type.lanes != 1) {
        error(place, fmt::format("the left side has {} lanes but the right side {}", a.type.lanes, b.type.lanes));
        return false;
    }
    unsigned count = std::max(a.type.lanes, b.type.lanes);
    a = with_lanes(a, count);
    b = with_lanes(b, count);
    return true;
}

// The same number in other bits: the sign repeated where the value has one, or cut.
Typed Lowering::convert(Typed value, Type type) {
    type.lanes = value.type.lanes;
    const unsigned from = value.type.bits;
    if (type.bits == from) return {value.id, type};
    const bool in_lanes = type.lanes != 1;
    if (type.bits < from && type.bits == 1 && in_lanes) {
        const Typed low = compute(Op::bit_and, value.type, {value, typed_constant(1, value.type)});
        return {compute(Op::not_equal, type, {low, typed_constant(0, value.type)}).id, type};
    }
    if (type.bits < from) return {compute(Op::truncate, type, {value}).id, type};
    if (from != 1 || !in_lanes)
        return {compute(value.type.is_signed ? Op::sign_extend : Op::zero_extend, type, {value}).id, type};
    const Typed bit{compute(Op::from_truth, type, {value}).id, type};
    return value.type.is_signed ? compute(Op::sub, type, {typed_constant(0, type), bit}) : bit;
}

// An unsigned value beside a wider unsigned one. Lanes beside one value for all of them are more often a mistake.
bool Lowering::widen(Typed& value, Type wide) {
    const bool scattered = value.type.lanes != 1 && wide.lanes == 1;
    if (value.type.is_signed || wide.is_signed || value.exact || scattered || value.type.bits > wide.bits) return false;
    value = convert(value, wide);
    return true;
}

void Lowering::note_exact(Diagnostic& message, Typed value, Place place) {
    if (value.exact)
        message.note(place, "this is not widened by itself: what its bits could not hold is lost, or it is a float");
}

Typed Lowering::truth(Typed value) {
    if (value.type.bits == 1) return value;
    return compute(Op::not_equal, {1}, {value, typed_constant(0, value.type)});
}

Typed Lowering::negation(Typed condition) { return compute(Op::bit_not, {1}, {condition}); }

ir::Value Lowering::both(ir::Value condition_mask, Typed condition) {
    condition = truth(condition);
    if (condition_mask == no_value) return condition.id;
    Typed outer{condition_mask, {1, false, graph.type(condition_mask).lanes}};
    if (!match_lanes(outer, condition, {})) return condition_mask;
    return compute(Op::bit_and, {1}, {outer, condition}).id;
}

// What a value of so many bits is shifted by. Any width will do: an amount that does not fit shifts everything out all the same.
Typed Lowering::amount_for(unsigned bits, Typed amount) {
    amount.type.is_signed = false;
    if (amount.type.bits > bits)
        amount = compute(Op::min_unsigned, amount.type, {amount, typed_constant(bits, amount.type)});
    return convert(amount, {bits});
}

// `width` bits of a word from `position`, which may differ from lane to lane.
Typed Lowering::extract(Typed word, Typed position, unsigned width) {
    word.type.is_signed = false;
    return convert(compute(Op::shift_right, word.type, {word, amount_for(word.type.bits, position)}), {width});
}

// The word with `bits` put in at `position`.
Typed Lowering::replace(Typed word, Typed position, Typed bits) {
    const Type type = word.type;
    const Typed amount = amount_for(type.bits, position);
    bits.type.is_signed = false;
    const Typed hole = compute(
        Op::bit_not, type, {compute(Op::shift_left, type, {typed_constant(mask_of(bits.type.bits), type), amount})});
    const Typed moved = compute(Op::shift_left, type, {convert(bits, {type.bits}), amount});
    return compute(Op::bit_or, type, {compute(Op::bit_and, type, {word, hole}), moved});
}

Typed Lowering::concat(Typed high, Typed low, Place place) {
    unsigned bits = high.type.bits + low.type.bits;
    if (bits > 64) {
        error(place, fmt::format("{} bits side by side: no value is wider than 64", bits));
        return {};
    }
    if (!match_lanes(high, low, place)) return {};
    const Type type{bits, false, high.type.lanes};
    high.type.is_signed = low.type.is_signed = false;
    const Typed moved = compute(Op::shift_left, type, {convert(high, type), typed_constant(low.type.bits, type)});
    return compute(Op::bit_or, type, {moved, convert(low, type)});
}

Typed Lowering::shift(Operator op, Typed value, Typed amount, Place place) {
    amount = amount_for(value.type.bits, amount);
    if (!match_lanes(value, amount, place)) return {};
    if (op == Operator::shift_left) {
        Typed result = compute(Op::shift_left, value.type, {value, amount});
        result.exact = true;
        return result;
    }
    Typed result =
        compute(value.type.is_signed ? Op::shift_right_signed : Op::shift_right, value.type, {value, amount});
    result.exact = value.exact && !value.type.is_signed;
    return result;
}

namespace {

struct OperatorRule {
    Operator op;
    Op unsigned_op, signed_op;
    bool swapped;
    bool sign_matters;
};

constexpr OperatorRule operator_rules[] = {
    {Operator::add, Op::add, Op::add, false, false},
    {Operator::sub, Op::sub, Op::sub, false, false},
    {Operator::mul, Op::mul, Op::mul, false, false},
    {Operator::div, Op::divide_unsigned, Op::divide_signed, false, true},
    {Operator::rem, Op::remainder_unsigned, Op::remainder_signed, false, true},
    {Operator::bit_and, Op::bit_and, Op::bit_and, false, false},
    {Operator::bit_or, Op::bit_or, Op::bit_or, false, false},
    {Operator::bit_xor, Op::bit_xor, Op::bit_xor, false, false},
    {Operator::equal, Op::equal, Op::equal, false, false},
    {Operator::not_equal, Op::not_equal, Op::not_equal, false, false},
    {Operator::less, Op::less_unsigned, Op::less_signed, false, true},
    {Operator::less_equal, Op::less_equal_unsigned, Op::less_equal_signed, false, true},
    {Operator::greater, Op::less_unsigned, Op::less_signed, true, true},
    {Operator::greater_equal, Op::less_equal_unsigned, Op::less_equal_signed, true, true},
};

}  // namespace

// Operands of equal width; lanes are matched here.
Typed Lowering::arithmetic(Operator op, Typed a, Typed b, Place place) {
    const OperatorRule* rule = nullptr;
    for (const OperatorRule& candidate : operator_rules)
        if (candidate.op == op) rule = &candidate;
    if (rule == nullptr || !match_lanes(a, b, place)) return {};
    if (rule->sign_matters && a.type.is_signed != b.type.is_signed) {
        error(place, fmt::format("one side of `{}` is {}, the other {}: convert one, for the sign matters here",
                                 spelling(op), to_text(a.type), to_text(b.type)));
        return {};
    }
    Type type = a.type;
    type.is_signed = a.type.is_signed && b.type.is_signed;
    const bool exact_a = a.exact, exact_b = b.exact;
    if (rule->swapped) std::swap(a, b);
    const Op meant = rule->sign_matters && type.is_signed ? rule->signed_op : rule->unsigned_op;
    if (ir::is_test(meant)) return compute(meant, {1}, {a, b});
    Typed result = compute(meant, type, {a, b});
    const bool grows = op == Operator::add || op == Operator::sub || op == Operator::mul;
    result.exact = op == Operator::bit_and ? exact_a && exact_b : grows || exact_a || exact_b;
    return result;
}

}  // namespace isaforge::semantics

// Lowering, first part: making values. Everything that knows about containers, masking and sign extension is here.
#include "language/limits.hpp"
#include "semantics/kernels.hpp"
#include "semantics/lowering.hpp"

#include <fmt/format.h>

namespace isaforge::semantics {

namespace {

constexpr std::size_t max_steps = language::most_steps + 1000;  // what is begun is finished

bool is_zero(std::optional<std::uint64_t> value) { return value && *value == 0; }

}  // namespace

ValueId Lowering::new_value(Value::Kind kind, unsigned container, unsigned lane_count) {
    code.values.push_back({kind, static_cast<std::uint8_t>(container), static_cast<std::uint16_t>(lane_count), 0});
    sources_.push_back(nullptr);
    return static_cast<ValueId>(code.values.size() - 1);
}

ValueId Lowering::constant(std::uint64_t value, unsigned container) {
    value &= mask_of(container);
    auto [place, added] = constants_.try_emplace({value, container}, no_value);
    if (added) {
        place->second = new_value(Value::Kind::constant, container, 1);
        code.values.back().constant = value;
    }
    return place->second;
}

Typed Lowering::typed_constant(std::uint64_t value, Type type) {
    return {constant(value & mask_of(type.bits), type.container()), type};
}

Typed Lowering::open_value(Type type, const Binding* source) {
    ValueId id = new_value(Value::Kind::temporary, type.container(), type.lanes);
    sources_[id] = source;
    return {id, type};
}

std::optional<std::uint64_t> Lowering::known(ValueId id) const {
    if (id == no_value || code.values[id].kind != Value::Kind::constant) return std::nullopt;
    return code.values[id].constant;
}

Step& Lowering::emit_step(Action action) {
    if (code.steps.size() >= max_steps) {
        exhausted_ = true;
        code.steps.pop_back();
    }
    Step& step = code.steps.emplace_back();
    step.action = action;
    return step;
}

// A computing step; folded where its operands are known. Operands have the step's container and lanes already.
ValueId Lowering::emit(Action action, unsigned container, ValueId a, ValueId b, ValueId c) {
    auto x = known(a), y = known(b);
    bool all_known = x && (b == no_value || y) && (c == no_value || known(c));
    bool wide = is_compute(action) &&
                (action == Action::float_widen || action == Action::float_to_u64 || action == Action::float_to_s64);
    unsigned result_container = is_test(action) ? 8 : wide ? 64 : container;
    if (is_compute(action) && all_known)
        return constant(evaluate(action, container, *x, y.value_or(0), known(c).value_or(0),
                                 {isa.floats.flush_subnormals, isa.floats.canonical_nan,
                                  is_rounded(action) ? rounding() : Rounding::nearest}),
                        result_container);
    switch (action) {
        case Action::add:
        case Action::bit_or:
        case Action::bit_xor:
            if (is_zero(x) && code.values[b].container == container) return b;
            [[fallthrough]];
        case Action::sub:
        case Action::shift_left:
        case Action::shift_right:
        case Action::shift_right_signed:
            if (is_zero(y) && code.values[a].container == container) return a;
            break;
        case Action::select:
            if (x) return *x != 0 ? b : c;
            break;
        default: break;
    }
    unsigned lane_count = 1;
    for (ValueId id : {a, b, c})
        if (id != no_value) lane_count = std::max<unsigned>(lane_count, code.values[id].lanes);
    ValueId result = new_value(Value::Kind::temporary, result_container, lane_count);
    for (ValueId id : {a, b, c})
        if (id != no_value && sources_[id] != nullptr) sources_[result] = sources_[id];
    bool from_64 = action == Action::u64_to_float || action == Action::s64_to_float || action == Action::float_narrow;
    for (ValueId* id : {&a, &b, &c})
        if (*id != no_value) *id = in_lanes(*id, lane_count, from_64 ? 64 : container);
    Step& step = emit_step(action);
    step.container = static_cast<std::uint8_t>(container);
    step.lanes = static_cast<std::uint16_t>(lane_count);
    step.result = result;
    step.a = a;
    step.b = b;
    step.c = c;
    if (is_rounded(action)) step.rounding = rounding();
    return result;
}

Typed Lowering::lane_step(Action action, Typed a, Typed b, Type type) {
    Typed result{new_value(Value::Kind::temporary, type.container(), type.lanes), type};
    if (a) sources_[result.id] = sources_[a.id];
    Step& step = emit_step(action);
    step.container = static_cast<std::uint8_t>(a.type.container());
    step.lanes = static_cast<std::uint16_t>(std::max(a.type.lanes, type.lanes));
    step.result = result.id;
    step.a = a.id;
    step.b = b.id;
    return result;
}

// A value that the machine around gives.
Typed Lowering::machine_value(Action action, Type type, std::uint32_t number) {
    Typed result{new_value(Value::Kind::temporary, type.container(), 1), type};
    Step& step = emit_step(action);
    step.container = static_cast<std::uint8_t>(type.container());
    step.result = result.id;
    step.number = number;
    return result;
}

// The value in a container of another size. A scalar's slot is zero-extended already, so it only ever needs cutting.
ValueId Lowering::resize(ValueId id, unsigned container) {
    const Value from = code.values[id];
    if (from.container == container) return id;
    if (auto value = known(id)) return constant(*value, container);
    if (from.lanes == 1 && from.container < container) return id;
    ValueId result = new_value(Value::Kind::temporary, container, from.lanes);
    sources_[result] = sources_[id];
    Step& step = emit_step(Action::resize);
    step.container = static_cast<std::uint8_t>(container);
    step.lanes = from.lanes;
    step.result = result;
    step.a = id;
    return result;
}

// The value in all lanes. A scalar may stand for a wider one (see resize); a lane is as wide as its container says.
ValueId Lowering::in_lanes(ValueId id, unsigned lane_count, unsigned container) {
    const Value from = code.values[id];
    if (from.lanes == lane_count || lane_count == 1) return id;
    if (container == 0) container = from.container;
    ValueId result = new_value(Value::Kind::temporary, container, lane_count);
    sources_[result] = sources_[id];
    Step& step = emit_step(Action::splat);
    step.container = static_cast<std::uint8_t>(container);
    step.lanes = static_cast<std::uint16_t>(lane_count);
    step.result = result;
    step.a = id;
    return result;
}

Typed Lowering::with_lanes(Typed value, unsigned lane_count) {
    value.id = in_lanes(value.id, lane_count, value.type.container());
    value.type.lanes = lane_count;
    return value;
}

bool Lowering::match_lanes(Typed& a, Typed& b, Place place) {
    if (a.type.lanes == b.type.lanes) return true;
    if (a.type.lanes != 1 && b.type.lanes != 1) {
        error(place, fmt::format("the left side has {} lanes but the right side {}", a.type.lanes, b.type.lanes));
        return false;
    }
    unsigned count = std::max(a.type.lanes, b.type.lanes);
    if (a.type.lanes == 1) a = with_lanes(a, count);
    if (b.type.lanes == 1) b = with_lanes(b, count);
    return true;
}

Typed Lowering::cut(ValueId raw, Type type) {
    if (type.bits == type.container()) return {raw, type};
    ValueId bits = in_lanes(constant(mask_of(type.bits), type.container()), code.values[raw].lanes);
    return {emit(Action::bit_and, type.container(), raw, bits), type};
}

ValueId Lowering::sign_extended(Typed value) {
    if (value.type.fills_container()) return value.id;
    unsigned container = value.type.container();
    return emit(Action::sign_extend_from, container, value.id,
                in_lanes(constant(value.type.bits, container), value.type.lanes));
}

Typed Lowering::convert(Typed value, Type type) {
    type.lanes = value.type.lanes;
    unsigned container = type.container();
    if (type.bits <= value.type.bits) {
        ValueId raw = resize(value.id, container);
        return type.bits == value.type.bits ? Typed{raw, type} : cut(raw, type);
    }
    ValueId wide = resize(value.id, container);
    if (!value.type.is_signed) return {wide, type};
    wide = emit(Action::sign_extend_from, container, wide, in_lanes(constant(value.type.bits, container), type.lanes));
    return cut(wide, type);
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
    unsigned container = value.type.container();
    ValueId zero = in_lanes(constant(0, container), value.type.lanes);
    return {emit(Action::not_equal, container, value.id, zero), {1, false, value.type.lanes}};
}

ValueId Lowering::both(ValueId condition_mask, Typed condition) {
    condition = truth(condition);
    if (condition_mask == no_value) return condition.id;
    Typed outer{condition_mask, {1, false, code.values[condition_mask].lanes}};
    if (!match_lanes(outer, condition, {})) return condition_mask;
    return emit(Action::bit_and, 8, outer.id, condition.id);
}

// What a value in such a container is shifted by. Any width will do: an amount that does not fit the container shifts
// everything out all the same.
Typed Lowering::amount_for(unsigned container, Typed amount) {
    if (amount.type.container() > container) {
        unsigned wide = amount.type.container();
        amount.id = emit(Action::min_unsigned, wide, amount.id, in_lanes(constant(container, wide), amount.type.lanes));
    }
    return {resize(amount.id, container), {container, false, amount.type.lanes}};
}

// `width` bits of a word from `position`, which may differ from lane to lane.
Typed Lowering::extract(Typed word, Typed position, unsigned width) {
    auto low = known(position.id);
    position = amount_for(word.type.container(), position);
    match_lanes(word, position, {});
    ValueId amount = position.id;
    ValueId shifted = emit(Action::shift_right, word.type.container(), word.id, amount);
    Type type{width, false, word.type.lanes};
    ValueId raw = resize(shifted, type.container());
    if (low && *low + width == word.type.bits) return {raw, type};
    return cut(raw, type);
}

// The word with `bits` put in at `position`.
Typed Lowering::replace(Typed word, Typed position, Typed bits) {
    unsigned container = word.type.container();
    Type type = word.type;
    position = amount_for(container, position);
    match_lanes(word, position, {});
    match_lanes(word, bits, {});
    match_lanes(word, position, {});
    type.lanes = word.type.lanes;
    ValueId amount = position.id;
    ValueId ones = in_lanes(constant(mask_of(bits.type.bits), container), type.lanes);
    ValueId hole = emit(Action::bit_not, container, emit(Action::shift_left, container, ones, amount));
    ValueId moved = emit(Action::shift_left, container, resize(bits.id, container), amount);
    ValueId rest = emit(Action::bit_and, container, word.id, hole);
    return cut(emit(Action::bit_or, container, rest, moved), type);
}

Typed Lowering::concat(Typed high, Typed low, Place place) {
    unsigned bits = high.type.bits + low.type.bits;
    if (bits > 64) {
        error(place, fmt::format("{} bits side by side: no value is wider than 64", bits));
        return {};
    }
    if (!match_lanes(high, low, place)) return {};
    Type type{bits, false, high.type.lanes};
    unsigned container = type.container();
    ValueId amount = in_lanes(constant(low.type.bits, container), type.lanes);
    ValueId moved = emit(Action::shift_left, container, resize(high.id, container), amount);
    return {emit(Action::bit_or, container, moved, resize(low.id, container)), type};
}

Typed Lowering::shift(Operator op, Typed value, Typed amount, Place place) {
    unsigned container = value.type.container();
    amount = amount_for(container, amount);
    if (!match_lanes(value, amount, place)) return {};
    if (op == Operator::shift_left) {
        Typed result = cut(emit(Action::shift_left, container, value.id, amount.id), value.type);
        result.exact = true;
        return result;
    }
    if (!value.type.is_signed)
        return {emit(Action::shift_right, container, value.id, amount.id), value.type, value.exact};
    return cut(emit(Action::shift_right_signed, container, sign_extended(value), amount.id), value.type);
}

namespace {

struct OperatorRule {
    Operator op;
    Action unsigned_action, signed_action;
    bool swapped;
    bool sign_matters;
};

constexpr OperatorRule operator_rules[] = {
    {Operator::add, Action::add, Action::add, false, false},
    {Operator::sub, Action::sub, Action::sub, false, false},
    {Operator::mul, Action::mul, Action::mul, false, false},
    {Operator::div, Action::divide_unsigned, Action::divide_signed, false, true},
    {Operator::rem, Action::remainder_unsigned, Action::remainder_signed, false, true},
    {Operator::bit_and, Action::bit_and, Action::bit_and, false, false},
    {Operator::bit_or, Action::bit_or, Action::bit_or, false, false},
    {Operator::bit_xor, Action::bit_xor, Action::bit_xor, false, false},
    {Operator::equal, Action::equal, Action::equal, false, false},
    {Operator::not_equal, Action::not_equal, Action::not_equal, false, false},
    {Operator::less, Action::less_unsigned, Action::less_signed, false, true},
    {Operator::less_equal, Action::less_equal_unsigned, Action::less_equal_signed, false, true},
    {Operator::greater, Action::less_unsigned, Action::less_signed, true, true},
    {Operator::greater_equal, Action::less_equal_unsigned, Action::less_equal_signed, true, true},
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
    bool is_signed = rule->sign_matters && a.type.is_signed;
    Type type = a.type;
    type.is_signed = a.type.is_signed && b.type.is_signed;
    unsigned container = type.container();
    ValueId x = is_signed ? sign_extended(a) : a.id, y = is_signed ? sign_extended(b) : b.id;
    if (rule->swapped) std::swap(x, y);
    Action action = is_signed ? rule->signed_action : rule->unsigned_action;
    ValueId raw = emit(action, container, x, y);
    if (is_test(action)) return {raw, {1, false, type.lanes}};
    bool stays_inside = op == Operator::bit_and || op == Operator::bit_or || op == Operator::bit_xor ||
                        (op == Operator::rem && !is_signed);
    Typed result = stays_inside ? Typed{raw, type} : cut(raw, type);
    const bool grows = op == Operator::add || op == Operator::sub || op == Operator::mul;
    result.exact = op == Operator::bit_and ? a.exact && b.exact : grows || a.exact || b.exact;
    return result;
}

}  // namespace isaforge::semantics

// The built-in functions of the description language: what a meaning can say beyond operators. One table names them
// all, with their arguments, what they give, and where the rule comes from.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "ir/names.hpp"
#include "semantics/lowering.hpp"

namespace isaforge::semantics {

namespace {

using Arguments = std::vector<Typed>;

struct Builtin;
using Maker = Item (*)(Lowering&, const Expression&, Arguments&, const Builtin&);

struct Builtin {
    const char* name;
    const char* parameters;  // for messages; their number is the number of arguments
    unsigned count;
    unsigned literal_mask;  // bit i: argument i is a number known at decoding, which the maker evaluates itself
    Maker make;
    Op op = Op::at;
    unsigned optional = 0;  // so many of the last arguments may be left out
};

bool is_float_width(unsigned bits) { return bits == 16 || bits == 32 || bits == 64; }

bool check_float(Lowering& lowering, const Expression& call, const Typed& x) {
    if (is_float_width(x.type.bits)) return true;
    if (!lowering.needs_steering(x))
        lowering.error(call.place,
                       fmt::format("`{}` takes a float of 16, 32 or 64 bits, not {}", call.name, to_text(x.type)));
    return false;
}

bool check_equal_width(Lowering& lowering, const Expression& call, const Typed& a, const Typed& b) {
    if (a.type.bits == b.type.bits) return true;
    if (!lowering.needs_steering(a) && !lowering.needs_steering(b))
        lowering.error(call.place, fmt::format("the arguments of `{}` are {} and {}: they must be of one width",
                                               call.name, to_text(a.type), to_text(b.type)));
    return false;
}

// Of two unsigned arguments the narrower is widened.
bool make_equal_width(Lowering& lowering, const Expression& call, Typed& a, Typed& b) {
    if (a.type.bits != b.type.bits && !lowering.widen(a, b.type)) lowering.widen(b, a.type);
    return check_equal_width(lowering, call, a, b);
}

// The number given as argument `index`, between low and high.
std::optional<unsigned> number(Lowering& lowering, const Expression& call, unsigned index, unsigned low,
                               unsigned high) {
    const Expression& argument = *call.operands[index];
    auto given = lowering.known_integer(argument, "this argument");
    if (!given) return std::nullopt;
    if (*given >= low && *given <= high) return unsigned(*given);
    lowering.error(argument.place, fmt::format("this argument of `{}` must lie in {} to {}", call.name, low, high));
    return std::nullopt;
}

std::optional<unsigned> float_width(Lowering& lowering, const Expression& call, unsigned index) {
    auto bits = number(lowering, call, index, 16, 64);
    if (!bits || is_float_width(*bits)) return bits;
    lowering.error(call.operands[index]->place,
                   fmt::format("there is no float of {} bits, only of 16, 32 and 64", *bits));
    return std::nullopt;
}

// An operation with so many operands as it takes.
Typed apply(Lowering& lowering, Op op, Type type, const Arguments& given) {
    switch (ir::operand_count(op)) {
        case 1: return lowering.compute(op, type, {given[0]});
        case 2: return lowering.compute(op, type, {given[0], given[1]});
        default: return lowering.compute(op, type, {given[0], given[1], given[2]});
    }
}

Item float_operation(Lowering& lowering, const Expression& call, Arguments& given, const Builtin& builtin) {
    for (const Typed& x : given)
        if (!check_float(lowering, call, x) || !check_equal_width(lowering, call, given[0], x)) return {};
    if (lowering.raised.slot != no_slot && builtin.op >= Op::fpow && builtin.op <= Op::facos) {
        lowering.error(call.place, fmt::format("it is not said which exceptions `{}` raises", call.name));
        return {};
    }
    unsigned lanes = 1;
    for (const Typed& x : given) {
        if (x.type.lanes != 1 && lanes != 1 && x.type.lanes != lanes) {
            lowering.error(call.place, "the arguments have different numbers of lanes");
            return {};
        }
        lanes = std::max(lanes, x.type.lanes);
    }
    return Item::of(apply(lowering, builtin.op, {ir::is_test(builtin.op) ? 1 : given[0].type.bits}, given));
}

Item scale_by_power(Lowering& lowering, const Expression& call, Arguments& given, const Builtin& builtin) {
    if (!check_float(lowering, call, given[0])) return {};
    unsigned bits = given[0].type.bits;
    if (given[1].type.bits > bits) {
        lowering.error(call.place, fmt::format("the power is {}, wider than the float of {} bits: cut it",
                                               to_text(given[1].type), bits));
        return {};
    }
    Typed power = lowering.convert(given[1], {bits, true, 1});
    if (!lowering.match_lanes(given[0], power, call.place)) return {};
    return Item::of(lowering.compute(builtin.op, {bits}, {given[0], power}));
}

// The operation that makes a whole number in the direction of the mode.
Op whole_by_mode(const Lowering& lowering, unsigned bits) {
    switch (lowering.rounding(bits)) {
        case Rounding::up: return Op::fround_up;
        case Rounding::down: return Op::fround_down;
        case Rounding::zero: return Op::fround_to_zero;
        case Rounding::nearest_away: return Op::fround_half_away;
        case Rounding::nearest: break;
    }
    return Op::fround_half_even;
}

// A whole number as a float, rounded as the mode says.
Item round_by_mode(Lowering& lowering, const Expression& call, Arguments& given, const Builtin&) {
    if (!check_float(lowering, call, given[0])) return {};
    const unsigned bits = given[0].type.bits;
    return Item::of(lowering.compute(whole_by_mode(lowering, bits), {bits}, {given[0]}));
}

// To an integer, which keeps the nearest value where it is too narrow. Rounding by the mode and the conversion raise exceptions
// as one operation.
template <Op op, bool by_mode>
Item float_to_integer(Lowering& lowering, const Expression& call, Arguments& given, const Builtin&) {
    constexpr bool is_signed = op == Op::float_to_s64;
    auto bits = number(lowering, call, 1, 1, 64);
    if (!bits || !check_float(lowering, call, given[0])) return {};
    Typed from = given[0];
    lowering.raised.integer_bits = *bits;
    lowering.raised.integer_rounding = by_mode ? lowering.rounding(from.type.bits) : Rounding::zero;
    Typed wide = lowering.compute(op, {64, is_signed}, {from});
    if (by_mode) {
        const Lowering::Raised outer = std::exchange(lowering.raised, {});
        from = lowering.compute(whole_by_mode(lowering, from.type.bits), {from.type.bits}, {from});
        wide = lowering.compute(op, {64, is_signed}, {from});
        lowering.raised = outer;
    }
    const std::uint64_t high = mask_of(is_signed ? *bits - 1 : *bits);
    if (*bits < 64)
        wide = lowering.compute(is_signed ? Op::min_signed : Op::min_unsigned, wide.type,
                                {wide, lowering.typed_constant(high, wide.type)});
    if (*bits < 64 && is_signed)
        wide = lowering.compute(Op::max_signed, wide.type, {wide, lowering.typed_constant(~high, wide.type)});
    return Item::of(lowering.convert(wide, {*bits, is_signed}));
}

Item integer_to_float(Lowering& lowering, const Expression& call, Arguments& given, const Builtin& builtin) {
    auto bits = float_width(lowering, call, 1);
    if (!bits) return {};
    Typed from = given[0];
    from.type.is_signed = builtin.op == Op::s64_to_float;
    from = lowering.convert(from, {64, from.type.is_signed, 1});
    return Item::of(lowering.compute(builtin.op, {*bits}, {from}));
}

Item float_to_float(Lowering& lowering, const Expression& call, Arguments& given, const Builtin&) {
    auto bits = float_width(lowering, call, 1);
    if (!bits || !check_float(lowering, call, given[0])) return {};
    const Typed wide = lowering.compute(Op::float_widen, {64}, {given[0]});
    return Item::of(lowering.compute(Op::float_narrow, {*bits}, {wide}));
}

Item stop(Lowering& lowering, const Expression&, Arguments&, const Builtin&) {
    lowering.act(Op::stop);
    return {};
}

Item signal(Lowering& lowering, const Expression& call, Arguments&, const Builtin&) {
    if (call.operands[0]->kind != ExpressionKind::text) {
        lowering.error(call.operands[0]->place, "a signal's name is written in quotes: signal(\"irq\")");
        return {};
    }
    lowering.add({.op = Op::signal, .object = lowering.graph.text(call.operands[0]->name)});
    return {};
}

Item insert(Lowering& lowering, const Expression& call, Arguments& given, const Builtin&) {
    Typed word = given[0], position = given[1], bits = given[2];
    auto low = lowering.known(position.id);
    if (bits.type.bits > word.type.bits || (low && *low + bits.type.bits > word.type.bits)) {
        lowering.error(call.place, fmt::format("{} bits at {} do not fit a {}", bits.type.bits, low.value_or(0),
                                               to_text(word.type)));
        return {};
    }
    return Item::of(lowering.replace(word, position, bits));
}

Item leading_bits(Lowering& lowering, const Expression& call, Arguments& given, const Builtin& builtin) {
    auto count = number(lowering, call, 1, 0, 64);
    if (!count) return {};
    const Type type = given[0].type;
    return Item::of(
        lowering.compute(builtin.op, type, {given[0], lowering.typed_constant(std::min(*count, type.bits), type)}));
}

Item count_ones(Lowering& lowering, const Expression&, Arguments& given, const Builtin& builtin) {
    return Item::of(lowering.compute(builtin.op, given[0].type, {given[0]}));
}

// In the next larger width that a host has, zeros being above.
Typed in_container(Lowering& lowering, Typed x) {
    x.type.is_signed = false;
    return lowering.convert(x, {x.type.container()});
}

Item count_leading_zeros(Lowering& lowering, const Expression&, Arguments& given, const Builtin& builtin) {
    const Type type = given[0].type;
    const Typed wide = in_container(lowering, given[0]);
    const Typed zeros = lowering.compute(builtin.op, wide.type, {wide});
    const Typed above = lowering.typed_constant(wide.type.bits - type.bits, wide.type);
    return Item::of(lowering.convert(lowering.compute(Op::sub, wide.type, {zeros, above}), type));
}

Item count_trailing_zeros(Lowering& lowering, const Expression&, Arguments& given, const Builtin& builtin) {
    const Type type = given[0].type;
    const Typed wide = in_container(lowering, given[0]);
    const Typed zeros = lowering.compute(builtin.op, wide.type, {wide});
    const Typed most = lowering.typed_constant(type.bits, wide.type);
    return Item::of(lowering.convert(lowering.compute(Op::min_unsigned, wide.type, {zeros, most}), type));
}

Item reverse_bits(Lowering& lowering, const Expression&, Arguments& given, const Builtin& builtin) {
    const Type type = given[0].type;
    const Typed wide = in_container(lowering, given[0]);
    const Typed turned = lowering.compute(builtin.op, wide.type, {wide});
    const Typed above = lowering.typed_constant(wide.type.bits - type.bits, wide.type);
    return Item::of(lowering.convert(lowering.compute(Op::shift_right, wide.type, {turned, above}), type));
}

Item sign_extend_from(Lowering& lowering, const Expression& call, Arguments& given, const Builtin& builtin) {
    const Type type = given[0].type;
    auto from = number(lowering, call, 1, 1, type.bits);
    if (!from) return {};
    return Item::of(lowering.compute(builtin.op, type, {given[0], lowering.typed_constant(*from, type)}));
}

// Carry out of a + b + c and borrow of a - b - c, with c one bit: by comparison, so that no wider type is needed.
Item carry(Lowering& lowering, const Expression& call, Arguments& given, const Builtin& builtin) {
    Typed a = given[0], b = given[1], c = given[2];
    if (!make_equal_width(lowering, call, a, b)) return {};
    a.type.is_signed = b.type.is_signed = false;
    c = lowering.convert(lowering.truth(c), {a.type.bits, false, 1});
    Operator op = builtin.op == Op::add ? Operator::add : Operator::sub;
    Typed first = lowering.arithmetic(op, a, b, call.place);
    if (!first) return {};
    Typed second = lowering.arithmetic(op, first, c, call.place);
    if (!second) return {};
    bool add = op == Operator::add;
    Typed one = lowering.arithmetic(Operator::less, add ? first : a, add ? a : b, call.place);
    Typed two = lowering.arithmetic(Operator::less, add ? second : first, add ? first : c, call.place);
    return Item::of(lowering.arithmetic(Operator::bit_or, one, two, call.place));
}

// Two's complement overflow: the operands' signs agree (add) or differ (subtract), and the result's is not a's.
Item overflow(Lowering& lowering, const Expression& call, Arguments& given, const Builtin& builtin) {
    Typed a = given[0], b = given[1];
    if (!check_equal_width(lowering, call, a, b)) return {};
    bool add = builtin.op == Op::add;
    Typed result = lowering.arithmetic(add ? Operator::add : Operator::sub, a, b, call.place);
    if (!result) return {};
    Typed from_a = lowering.arithmetic(Operator::bit_xor, a, result, call.place);
    Typed signs = lowering.arithmetic(Operator::bit_xor, b, add ? result : a, call.place);
    Typed both = lowering.arithmetic(Operator::bit_and, from_a, signs, call.place);
    return Item::of(lowering.extract(both, lowering.typed_constant(a.type.bits - 1, {8, false, 1}), 1));
}

// The high half of the product. Up to 32 bits it is in a 64-bit product; from 33 to 63 it straddles two words.
Item mul_high(Lowering& lowering, const Expression& call, Arguments& given, const Builtin& builtin) {
    Typed a = given[0], b = given[1];
    const bool is_signed = builtin.op == Op::mul_high_signed;
    const bool agree = is_signed ? check_equal_width(lowering, call, a, b) : make_equal_width(lowering, call, a, b);
    if (!agree) return {};
    unsigned bits = a.type.bits;
    a.type.is_signed = b.type.is_signed = is_signed;
    if (!lowering.match_lanes(a, b, call.place)) return {};
    const Type type{bits, is_signed, a.type.lanes};
    if (a.type.fills_container()) return Item::of(lowering.compute(builtin.op, type, {a, b}));
    a = lowering.convert(a, {64, is_signed, 1});
    b = lowering.convert(b, {64, is_signed, 1});
    const Type word{64, false, type.lanes};
    const Typed low = lowering.compute(Op::mul, word, {a, b});
    Typed result = lowering.compute(Op::shift_right, word, {low, lowering.typed_constant(bits, word)});
    if (bits > 32) {
        const Typed high = lowering.compute(builtin.op, word, {a, b});
        const Typed moved = lowering.compute(Op::shift_left, word, {high, lowering.typed_constant(64 - bits, word)});
        result = lowering.compute(Op::bit_or, word, {result, moved});
    }
    return Item::of(lowering.convert(result, type));
}

// To the left by n modulo the width; to the right is to the left by the rest.
Item rotate(Lowering& lowering, const Expression& call, Arguments& given, const Builtin& builtin) {
    Typed x = given[0], amount = given[1];
    amount.type.is_signed = false;
    const bool right = builtin.op == Op::shift_right;
    const unsigned bits = x.type.bits, wide = std::max({bits, amount.type.bits, 8u});
    if (x.type.fills_container()) {  // the operation takes the amount modulo the width
        amount = lowering.convert(amount, {bits, false, 1});
        if (right) amount = lowering.negated(amount);
        if (!lowering.match_lanes(x, amount, call.place)) return {};
        return Item::of(lowering.compute(Op::rotate_left, x.type, {x, amount}));
    }
    x.type.is_signed = false;
    amount = lowering.convert(amount, {wide, false, 1});
    const Typed width = lowering.typed_constant(bits, amount.type);
    amount = lowering.compute(Op::remainder_unsigned, amount.type, {amount, width});
    Typed rest = lowering.compute(Op::sub, amount.type, {width, amount});
    if (right) std::swap(amount, rest);
    Typed up = lowering.shift(Operator::shift_left, x, amount, call.place);
    Typed down = lowering.shift(Operator::shift_right, x, rest, call.place);
    if (!up || !down) return {};
    Typed result = lowering.arithmetic(Operator::bit_or, up, down, call.place);
    result.type.is_signed = given[0].type.is_signed;
    return Item::of(result);
}

Item smaller_or_larger(Lowering& lowering, const Expression& call, Arguments& given, const Builtin& builtin) {
    Typed a = given[0], b = given[1];
    if (!make_equal_width(lowering, call, a, b)) return {};
    if (a.type.is_signed != b.type.is_signed) {
        lowering.arithmetic(Operator::less, a, b, call.place);  // says why not
        return {};
    }
    if (!lowering.match_lanes(a, b, call.place)) return {};
    const bool most = builtin.op == Op::max_unsigned, is_signed = a.type.is_signed;
    const Op op = most ? is_signed ? Op::max_signed : Op::max_unsigned : is_signed ? Op::min_signed : Op::min_unsigned;
    return Item::of(lowering.compute(op, a.type, {a, b}));
}

Item absolute(Lowering& lowering, const Expression& call, Arguments& given, const Builtin&) {
    Typed x = given[0];
    unsigned bits = x.type.bits;
    Typed sign = lowering.shift(Operator::shift_right, {x.id, {bits, true, x.type.lanes}},
                                lowering.typed_constant(bits - 1, {8, false, 1}), call.place);
    Typed turned = lowering.arithmetic(Operator::bit_xor, x, {sign.id, x.type}, call.place);
    return Item::of(lowering.arithmetic(Operator::sub, turned, {sign.id, x.type}, call.place));
}

// ---------------------------------------------------------------------------------------------------------------------
// Lanes

Item lane(Lowering& lowering, const Expression&, Arguments&, const Builtin&) {
    Type type{32, false, lowering.lanes};
    if (lowering.lanes == 1) return Item::of(lowering.typed_constant(0, type));
    return Item::of(lowering.machine_value(Op::lane_number, type));
}

Item lane_count(Lowering& lowering, const Expression&, Arguments&, const Builtin&) {
    return Item::of(Literal(lowering.lanes));
}

// Lanes outside the mask count as `neutral`.
bool mask_out(Lowering& lowering, const Expression& call, Typed& x, std::uint64_t neutral) {
    if (lowering.mask == no_value) return true;
    Typed mask = lowering.mask_value();
    if (!lowering.match_lanes(mask, x, call.place)) return false;
    const bool exact = x.exact;
    x = lowering.compute(Op::select, x.type, {mask, x, lowering.typed_constant(neutral, x.type)});
    x.exact = exact;
    return true;
}

// All lanes combined, or one of them.
Typed one_lane_of(Lowering& lowering, Op op, Typed x, ir::Value which = no_value) {
    Type type = x.type;
    type.lanes = 1;
    return {lowering.add({.op = op, .operands = {x.id, which, no_value}}, form_of(type)), type};
}

Item reduce(Lowering& lowering, const Expression& call, Arguments& given, const Builtin& builtin) {
    Typed x = given[0];
    bool is_any = builtin.name == std::string_view("any"), is_all = builtin.name == std::string_view("all");
    if (is_any || is_all) x = lowering.truth(x);
    if (!mask_out(lowering, call, x, builtin.op == Op::reduce_and ? ~std::uint64_t{0} : 0)) return {};
    if (x.type.lanes == 1) return Item::of(x);
    return Item::of(one_lane_of(lowering, builtin.op, x));
}

Item lane_bits(Lowering& lowering, const Expression& call, Arguments& given, const Builtin&) {
    Typed x = lowering.truth(given[0]);
    if (!mask_out(lowering, call, x, 0)) return {};
    if (x.type.lanes > 64) {
        lowering.error(call.place, fmt::format("{} lanes do not fit the 64 bits of a value", x.type.lanes));
        return {};
    }
    if (x.type.lanes == 1) return Item::of(x);
    const Type type{x.type.lanes};
    return Item::of(
        Typed{lowering.add({.op = Op::ballot, .operands = {x.id, no_value, no_value}}, form_of(type)), type});
}

// Lane i of a vector. Of a register, or of a register's lanes of another size, it is a place where i is known.
Item element(Lowering& lowering, const Expression& call, Arguments&, const Builtin&) {
    Item from = lowering.item(*call.operands[0]), at = lowering.item(*call.operands[1]);
    if (!from || !at) return {};
    Typed index = lowering.typed(at, 32, call.operands[1]->place);
    if (!index) return {};
    const bool is_register =
        from.kind == Item::Kind::location && from.location.type.lanes != 1 &&
        (from.location.kind == Location::Kind::element || from.location.kind == Location::Kind::view);
    if (auto i = lowering.known(index.id); i && is_register && index.type.lanes == 1) {
        const bool is_view = from.location.kind == Location::Kind::view;
        Type type = from.location.type;
        Location lane{.kind = Location::Kind::view, .type = {type.bits, false, 1}};
        lane.first = (is_view ? from.location.first : 0) + static_cast<unsigned>(*i % type.lanes);
        lane.inner.push_back(is_view ? from.location.inner[0] : std::move(from.location));
        return Item::of(std::move(lane));
    }
    Typed x = lowering.typed(from, 0, call.operands[0]->place);
    if (!x) return {};
    if (x.type.lanes == 1) return Item::of(x);
    if (index.type.lanes == 1) return Item::of(one_lane_of(lowering, Op::pick, x, index.id));
    if (index.type.lanes != x.type.lanes) {
        lowering.error(call.place, fmt::format("{} lanes chosen from {}", index.type.lanes, x.type.lanes));
        return {};
    }
    index.type.is_signed = false;
    index = lowering.convert(index, {32});
    return Item::of(
        Typed{lowering.add({.op = Op::permute, .operands = {x.id, index.id, no_value}}, form_of(x.type)), x.type});
}

// The same bits as lanes of another size, the lowest lane first; of a register, a place that can be assigned.
Item elements(Lowering& lowering, const Expression& call, Arguments&, const Builtin&) {
    Item from = lowering.item(*call.operands[0]);
    auto bits = number(lowering, call, 1, 8, 64);
    if (!from || !bits) return {};
    bool is_register = from.kind == Item::Kind::location && from.location.kind == Location::Kind::element;
    Typed x;
    if (is_register)
        x.type = from.location.type;
    else
        x = lowering.typed(from, 0, call.operands[0]->place);
    if (!is_register && !x) return {};
    Type type{*bits, false, x.type.total_bits() / *bits};
    if (!type.fills_container() || !x.type.fills_container() || type.lanes * *bits != x.type.total_bits()) {
        if (is_register || !lowering.needs_steering(x))
            lowering.error(call.place, fmt::format("{} bits of {} cannot be seen as lanes of {} bits",
                                                   x.type.total_bits(), to_text(x.type), *bits));
        return {};
    }
    const Type all = type;
    if (call.operands.size() > 2) {
        auto count = number(lowering, call, 2, 1, type.lanes);
        if (!count) return {};
        type.lanes = *count;
    }
    if (is_register) {
        Location view{.kind = Location::Kind::view, .type = type};
        view.inner.push_back(std::move(from.location));
        return Item::of(std::move(view));
    }
    return Item::of(lowering.first_lanes(lowering.in_other_lanes(x, all), type.lanes));
}

// A register that keeps the lanes whose bit is 1.
Item protect(Lowering& lowering, const Expression& call, Arguments&, const Builtin&) {
    Item from = lowering.item(*call.operands[0]);
    if (!from) return {};
    if (from.kind != Item::Kind::location || from.location.kind != Location::Kind::element) {
        lowering.error(call.operands[0]->place, "`protect` takes a register");
        return {};
    }
    Item bits = lowering.item(*call.operands[1]);
    Typed kept = bits ? lowering.typed(bits, 64, call.operands[1]->place) : Typed{};
    if (!kept) return {};
    from.location.kept = kept;
    return from;
}

// The low bits of a register; what is assigned fills the rest with its sign.
Item extending(Lowering& lowering, const Expression& call, Arguments&, const Builtin&) {
    Item from = lowering.item(*call.operands[0]);
    auto bits = number(lowering, call, 1, 1, 64);
    if (!from || !bits) return {};
    if (from.kind != Item::Kind::location || from.location.type.lanes != 1) {
        lowering.error(call.operands[0]->place, "`extending` takes a register of one lane");
        return {};
    }
    if (*bits > from.location.type.bits) {
        lowering.error(call.place, fmt::format("{} bits of a register of {}", *bits, from.location.type.bits));
        return {};
    }
    Location low{.kind = Location::Kind::extending, .type = {*bits, false, 1}};
    low.inner.push_back(std::move(from.location));
    return Item::of(std::move(low));
}

// Lanes of u1 from the bits of a value.
Item flag_lanes(Lowering& lowering, const Expression& call, Arguments& given, const Builtin&) {
    auto count = number(lowering, call, 1, 1, max_lanes);
    if (!count) return {};
    if (given[0].type.lanes != 1) {
        lowering.error(call.place, "`flag_lanes` takes a value of one lane");
        return {};
    }
    return Item::of(lowering.lanes_of(given[0], *count));
}

Item lane_numbers(Lowering& lowering, const Expression& call, Arguments&, const Builtin&) {
    auto count = number(lowering, call, 0, 1, max_lanes);
    if (!count) return {};
    if (*count == 1) return Item::of(lowering.typed_constant(0, {32, false, 1}));
    return Item::of(lowering.machine_value(Op::lane_number, {32, false, *count}));
}

// What is known of an argument's type or place.
Item fact(Lowering& lowering, const Expression& call, Arguments&, const Builtin& builtin) {
    Item from = lowering.item(*call.operands[0]);
    if (!from) return {};
    const bool is_place = from.kind == Item::Kind::location;
    if (builtin.name == std::string_view("number")) {
        if (!is_place || from.location.kind != Location::Kind::element) {
            lowering.error(call.operands[0]->place, "`number` takes a register");
            return {};
        }
        if (from.location.number != no_number) return Item::of(Literal(from.location.number));
        return Item::of(from.location.index);
    }
    if (from.untyped()) {
        lowering.error(call.place, "this number has no width: convert it, as in u32(1)");
        return {};
    }
    Typed x = is_place ? Typed{no_value, from.location.type} : lowering.typed(from, 0, call.place);
    if (!is_place && !x) return {};
    return Item::of(Literal(builtin.name == std::string_view("lanes") ? x.type.lanes : x.type.bits));
}

// The register that a place is a part or a view of.
const Location& whole_of(const Location& place) {
    const bool is_part = place.kind == Location::Kind::part || place.kind == Location::Kind::view ||
                         place.kind == Location::Kind::extending;
    return is_part ? whole_of(place.inner[0]) : place;
}

Item is_register(Lowering& lowering, const Expression& call, Arguments&, const Builtin&) {
    const Item from = lowering.item(*call.operands[0]);
    if (!from) return {};
    const bool is_place = from.kind == Item::Kind::location;
    const auto kind = is_place ? whole_of(from.location).kind : Location::Kind::memory;
    return Item::of(Literal(kind == Location::Kind::element || kind == Location::Kind::tuple ? 1 : 0));
}

Item whole(Lowering& lowering, const Expression& call, Arguments&, const Builtin&) {
    Item from = lowering.item(*call.operands[0]);
    if (!from) return {};
    if (from.kind == Item::Kind::location) return Item::of(Location(whole_of(from.location)));
    lowering.error(call.operands[0]->place, "`whole` takes a register, or a part of one");
    return {};
}

// The bits that `protect` was given, as u64.
Item kept(Lowering& lowering, const Expression& call, Arguments&, const Builtin&) {
    Item from = lowering.item(*call.operands[0]);
    if (!from) return {};
    if (from.kind != Item::Kind::location) {
        lowering.error(call.operands[0]->place, "`kept` takes a register, or a part of one");
        return {};
    }
    const Typed bits = whole_of(from.location).kept;
    if (!bits) return Item::of(lowering.typed_constant(0, {64, false, 1}));
    return Item::of(lowering.convert(bits, {64, false, 1}));
}

// ---------------------------------------------------------------------------------------------------------------------
// The machine around

Item leave(Lowering& lowering, const Expression& call, Arguments&, const Builtin&) {
    lowering.leave(call.place);
    return {};
}

Item fail(Lowering& lowering, const Expression& call, Arguments& given, const Builtin& builtin) {
    if (call.operands[0]->kind != ExpressionKind::text) {
        lowering.error(call.operands[0]->place, "the reason is written in quotes: fail(\"no handler\", cause)");
        return {};
    }
    if (given[1].type.lanes != 1) {
        lowering.error(call.operands[1]->place, "the value is one, not of many lanes");
        return {};
    }
    lowering.end({.op = builtin.op,
                  .operands = {given[1].id, no_value, no_value},
                  .object = lowering.graph.text(call.operands[0]->name)});
    return {};
}

// The text of an argument, by its number in the graph. Nothing after a complaint.
std::optional<Index> text_argument(Lowering& lowering, const Expression& call, unsigned index, const char* what) {
    if (call.operands[index]->kind == ExpressionKind::text) return lowering.graph.text(call.operands[index]->name);
    lowering.error(call.operands[index]->place, fmt::format("{} is written in quotes", what));
    return std::nullopt;
}

// expect(condition, "what is wrong where it does not hold"): the condition.
Item expect(Lowering& lowering, const Expression& call, Arguments& given, const Builtin& builtin) {
    const auto text = text_argument(lowering, call, 1, "what is wrong");
    if (!text || !given[0]) return {};
    if (given[0].type.bits != 1) {
        lowering.error(call.operands[0]->place, "a condition has one bit");
        return {};
    }
    const bool under_mask =
        lowering.mask != no_value && lowering.graph.type(lowering.mask).lanes == given[0].type.lanes;
    lowering.add({.op = builtin.op,
                  .operands = {given[0].id, no_value, no_value},
                  .mask = under_mask ? lowering.mask : no_value,
                  .object = *text});
    return Item::of(given[0]);
}

// coherent(condition), private(condition)
Item kind_of_accesses(Lowering& lowering, const Expression& call, Arguments& given, const Builtin& builtin) {
    if (!given[0]) return {};
    if (given[0].type.bits != 1 || given[0].type.lanes != 1) {
        lowering.error(call.operands[0]->place, "a condition for all lanes has one bit");
        return {};
    }
    const bool is_private = builtin.name == std::string_view("private");
    lowering.add({.op = builtin.op, .operands = {given[0].id, no_value, no_value}, .number = is_private ? 1u : 0u});
    return {};
}

// await("counter", left)
Item await_counter(Lowering& lowering, const Expression& call, Arguments& given, const Builtin& builtin) {
    const auto text = text_argument(lowering, call, 0, "the counter");
    if (!text || !given[1]) return {};
    if (given[1].type.lanes != 1) {
        lowering.error(call.operands[1]->place, "the number is one, not of many lanes");
        return {};
    }
    lowering.add({.op = builtin.op, .operands = {given[1].id, no_value, no_value}, .object = *text});
    return {};
}

bool one_lane(Lowering& lowering, const Expression& call, const Arguments& given) {
    for (std::size_t i = 0; i < given.size(); ++i)
        if (given[i] && given[i].type.lanes != 1) {
            lowering.error(call.operands[i]->place, fmt::format("`{}` takes values of one lane", call.name));
            return false;
        }
    return true;
}

// host(number, a, b, c) and linux(number, a, b, c, d, e, f)
Item host(Lowering& lowering, const Expression& call, Arguments& given, const Builtin& builtin) {
    if (!one_lane(lowering, call, given)) return {};
    for (std::uint32_t i = 1; i < given.size(); ++i)
        lowering.add({.op = Op::host_argument, .operands = {given[i].id, no_value, no_value}, .number = i - 1});
    const Type type{64};
    const std::uint64_t whom = builtin.name == std::string_view("linux") ? ir::to_linux : ir::to_host;
    return Item::of(Typed{
        lowering.add({.op = Op::host, .operands = {given[0].id, no_value, no_value}, .number = whom}, form_of(type)),
        type});
}

// process_stack(): what Linux gives a process that begins.
Item process_stack(Lowering& lowering, const Expression&, Arguments&, const Builtin&) {
    const Type type{64};
    const ir::Value none = lowering.graph.constant(form_of(type), 0);
    return Item::of(
        Typed{lowering.add({.op = Op::host, .operands = {none, no_value, no_value}, .number = ir::to_new_process},
                           form_of(type)),
              type});
}

// The address of the instruction to come, as far as it is known here.
Item next(Lowering& lowering, const Expression&, Arguments&, const Builtin&) {
    return Item::of(Typed{lowering.slots[Lowering::pc_slot], {lowering.pc_bits()}});
}

// A value of the machine without arguments; its width stands in the table's parameters.
Item machine_value(Lowering& lowering, const Expression&, Arguments&, const Builtin& builtin) {
    if (builtin.op == Op::transaction_abort) lowering.note_abort();
    switch (builtin.op) {
        case Op::hart_number:
        case Op::hart_count:
        case Op::group_number:
        case Op::group_count: return Item::of(lowering.machine_value(builtin.op, {32}));
        case Op::transaction_end:
        case Op::transaction_abort: return Item::of(lowering.machine_value(builtin.op, {1}));
        case Op::transaction_depth: return Item::of(lowering.machine_value(builtin.op, {16}));
        default: return Item::of(lowering.machine_value(builtin.op, {64}));
    }
}

Item machine_action(Lowering& lowering, const Expression&, Arguments&, const Builtin& builtin) {
    lowering.act(builtin.op);
    return {};
}

Item executed(Lowering& lowering, const Expression& call, Arguments&, const Builtin&) {
    constexpr std::string_view counters[] = {"instructions", "loads", "stores", "events"};
    for (std::uint32_t i = 0; i < std::size(counters); ++i)
        if (call.operands[0]->kind == ExpressionKind::text && call.operands[0]->name == counters[i])
            return Item::of(lowering.machine_value(Op::executed, {64}, i));
    lowering.error(call.operands[0]->place, R"(what is counted: "instructions", "loads", "stores" or "events")");
    return {};
}

// update(mem.u32[a], f, x) or update(mem.u32[a], f, x, y).
Item update(Lowering& lowering, const Expression& call, Arguments&, const Builtin&) {
    const Item at = lowering.item(*call.operands[0]), function = lowering.item(*call.operands[1]);
    if (!at || !function) return {};
    if (at.kind != Item::Kind::location || at.location.kind != Location::Kind::memory) {
        lowering.error(call.operands[0]->place, "`update` takes a place in memory: mem.u32[address]");
        return {};
    }
    if (function.kind != Item::Kind::function) {
        lowering.error(call.operands[1]->place, "`update` takes a function or an operator here");
        return {};
    }
    const Type type = at.location.type;
    Typed given[2];
    for (std::size_t i = 2; i < call.operands.size(); ++i) {
        Typed& value = given[i - 2] = lowering.value(*call.operands[i], type.bits);
        if (!value) return {};
        lowering.widen(value, type);
        if (value.type.bits != type.bits || (value.type.lanes != type.lanes && value.type.lanes != 1)) {
            if (!lowering.needs_steering(value))
                lowering.error(call.operands[i]->place,
                               fmt::format("{} updates a place of {}", to_text(value.type), to_text(type)));
            return {};
        }
        value = lowering.with_lanes(value, type.lanes);
    }
    if (!given[1]) given[1] = given[0];
    const ir::Function made = lowering.function_of(function, {type.bits}, call.operands.size() - 1, call);
    if (made == nullptr) return {};
    lowering.graph.functions.push_back(made);
    const ir::Value address = lowering.convert(at.location.index, {64}).id;
    return Item::of(Typed{lowering.add({.op = Op::update,
                                        .operands = {address, given[0].id, given[1].id},
                                        .mask = type.lanes != 1 ? lowering.mask : no_value,
                                        .object = at.location.object,
                                        .number = lowering.graph.functions.size() - 1},
                                       form_of(type)),
                          type});
}

// load_linked(mem.u32[a]) and store_conditional(mem.u32[a], value).
Item linked(Lowering& lowering, const Expression& call, Arguments&, const Builtin& builtin) {
    Item from = lowering.item(*call.operands[0]);
    if (!from) return {};
    if (from.kind != Item::Kind::location || from.location.kind != Location::Kind::memory ||
        from.location.type.lanes != 1) {
        lowering.error(call.operands[0]->place,
                       fmt::format("`{}` takes a place in memory: mem.u32[address]", call.name));
        return {};
    }
    const Location& place = from.location;
    const Typed address = lowering.convert(place.index, {64});
    const bool stores = builtin.op == Op::store_conditional;
    Typed stored;
    if (stores) {
        stored = lowering.value(*call.operands[1], place.type.bits);
        if (!stored) return {};
        lowering.widen(stored, place.type);
        if (stored.type.bits != place.type.bits || stored.type.lanes != 1) {
            if (!lowering.needs_steering(stored))
                lowering.error(call.place,
                               fmt::format("{} is stored in a place of {}", to_text(stored.type), to_text(place.type)));
            return {};
        }
    }
    const Type type = stores ? Type{1} : place.type;
    return Item::of(Typed{lowering.add({.op = builtin.op,
                                        .operands = {address.id, stores ? stored.id : no_value, no_value},
                                        .object = place.object},
                                       form_of(type)),
                          type});
}

// ---------------------------------------------------------------------------------------------------------------------
// Arithmetic on containers that are full: widths of 8, 16, 32 and 64 bits.

bool full_integers(Lowering& lowering, const Expression& call, Arguments& given) {
    for (Typed& x : given)
        if (!make_equal_width(lowering, call, given[0], x)) return false;
    for (Typed& x : given) {
        if (!make_equal_width(lowering, call, given[0], x)) return false;
        if (x.type.fills_container()) continue;
        if (!lowering.needs_steering(x))
            lowering.error(call.place,
                           fmt::format("`{}` takes 8, 16, 32 or 64 bits, not {}", call.name, to_text(x.type)));
        return false;
    }
    for (std::size_t i = 1; i < given.size(); ++i)
        if (!lowering.match_lanes(given[0], given[i], call.place)) return false;
    for (std::size_t i = 1; i < given.size(); ++i)
        if (!lowering.match_lanes(given[0], given[i], call.place)) return false;
    return true;
}

Item full_operation(Lowering& lowering, const Expression& call, Arguments& given, const Builtin& builtin) {
    if (!full_integers(lowering, call, given)) return {};
    Type type = given[0].type;
    type.is_signed = false;
    return Item::of(apply(lowering, builtin.op, type, given));
}

Item value_of(Lowering& lowering, const Expression& expression) {
    const Item found = lowering.item(expression);
    return found.kind == Item::Kind::location ? Item::of(lowering.read(found.location, expression.place)) : found;
}

Item by_words(Lowering& lowering, const Expression& call, const FloatWords& words) {
    const FloatWords outer = std::exchange(lowering.float_words, words);
    Item found = value_of(lowering, *call.operands[1]);
    lowering.float_words = outer;
    return found;
}

// A value computed by other rules for floats than those of the description.
Item by_rules(Lowering& lowering, const Expression& call, Arguments&, const Builtin&) {
    constexpr std::pair<std::string_view, Rounding> roundings[] = {{"nearest", Rounding::nearest},
                                                                   {"nearest_away", Rounding::nearest_away},
                                                                   {"up", Rounding::up},
                                                                   {"down", Rounding::down},
                                                                   {"zero", Rounding::zero}};
    constexpr std::pair<std::string_view, Subnormals> subnormals[] = {{"keep", Subnormals::keep},
                                                                      {"flush", Subnormals::flush},
                                                                      {"keep_inputs", Subnormals::keep_inputs},
                                                                      {"keep_results", Subnormals::keep_results}};
    const Expression& text = *call.operands[0];
    const FloatWords outer = lowering.float_words;
    FloatWords words = outer;
    if (text.kind != ExpressionKind::text) {
        const auto number = lowering.known_integer(text, "the number of a direction");
        if (!number) return {};
        words.rounding_number = static_cast<std::uint64_t>(*number);
        words.rounding.reset();
        return by_words(lowering, call, words);
    }
    bool is_known = true;
    std::string_view rest = text.name;
    while (is_known && !rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(rest.size(), word.size() + 1));
        is_known = false;
        for (const auto& [name, meaning] : roundings)
            if (name == word) words.rounding = meaning, is_known = true;
        for (const auto& [name, meaning] : subnormals)
            if (name == word) words.subnormals = meaning, is_known = true;
    }
    if (!is_known) {
        lowering.error(
            text.place,
            "the rules are in quotes: \"nearest\", \"nearest_away\", \"up\", \"down\" or \"zero\"; \"keep\", "
            "\"flush\", \"keep_inputs\" or \"keep_results\"; or both; or a number that is known when the instruction "
            "is "
            "decoded");
        return {};
    }
    return by_words(lowering, call, words);
}

// What the float operations of a value raise, in each lane: it is computed for that alone.
Item exceptions(Lowering& lowering, const Expression& call, Arguments&, const Builtin&) {
    const std::size_t slot = lowering.slots.size();
    lowering.slots.push_back(lowering.typed_constant(0, {5}).id);
    Lowering::Raised inner{.slot = slot, .mask = lowering.mask};
    std::swap(lowering.raised, inner);
    const Item found = value_of(lowering, *call.operands[0]);
    std::swap(lowering.raised, inner);
    const ir::Value collected = slot < lowering.slots.size() ? lowering.slots[slot] : no_value;
    lowering.slots.resize(std::min(slot, lowering.slots.size()));
    if (!found || collected == no_value) return {};
    if (inner.lanes_differ) {
        lowering.error(call.place, "operations raise exceptions in different numbers of lanes");
        return {};
    }
    return Item::of(Typed{collected, {5, false, lowering.graph.type(collected).lanes}});
}

// name, parameters, number of arguments, which are plain numbers, maker, operation. What each means:
//   stop()                      ends the program.
//   signal("name")              tells the outside: counted, reported by name.
//   float_to_unsigned(a, n)     float to un: truncated; NaN and negative give 0, too large all ones (as WebAssembly's
//   float_to_signed(a, n)       trunc_sat instructions). To sn likewise.
//   float_to_unsigned_by_mode(a, n), float_to_signed_by_mode(a, n)   the same of the whole number by the direction of `floats rounding`.
//   unsigned_to_float(x, n)     integer to a float of n bits (IEEE 754-2019, 5.4.1).
//   signed_to_float(x, n)
//   float_to_float(x, n)        between the float formats (5.4.2).
//   round_to_zero(a) …          a float's nearest integral float in that direction (5.9).
//   scale_by_power(a, n)        a * 2^n, n signed (scaleB, 5.3.3).
//   min_number(a, b), max_number(a, b)   IEEE 754-2008 minNum, maxNum: a NaN operand yields the other; -0 < +0.
//   unordered(a, b)             1 where one of them is a NaN.
//   sqrt(a), fma(a, b, c)       square root; a * b + c rounded once (5.4.1).
//   insert(word, position, bits)   the word with `bits` in place of its own from `position` on.
//   leading_bits(x, n)          clears all but the n bits from the highest set one on.
//   popcount(x), count_leading_zeros(x), count_trailing_zeros(x)   of x's width; the width itself where x is 0.
//   reverse_bits(x)
//   sign_extend(x, n)           repeats bit n - 1 in all bits above it.
//   add_carry(a, b, c), sub_borrow(a, b, c)   carry out of a + b + c, borrow of a - b - c; c is 0 or 1.
//   add_overflow(a, b), sub_overflow(a, b)    two's complement overflow.
//   mul_high_unsigned(a, b), mul_high_signed(a, b)   the high half of the product.
//   rotate_left(x, n), rotate_right(x, n)     n modulo the width.
//   min(a, b), max(a, b), abs(x)   of integers; min and max by the type's sign, abs of the most negative is itself.
//   lane()                      each lane's number, u32.   lane_count()  the instruction's lanes.
//   any(x), all(x), sum(x), reduce_or(x), reduce_and(x)   over the lanes of the mask, to one value.
//   lane_bits(x)                bit i is 1 where lane i of the mask is not 0.
//   element(v, i)               lane i of v, i modulo the lanes; i may differ from lane to lane.
//   elements(v, n)              the same bits as lanes of n bits; elements(v, n, count): the first of them. Of a register,
//                               a place: assigning it leaves the other lanes.
//   protect(r, bits)            register r, of which lanes with a 1 in `bits` are not written.
//   extending(r, n)             the low n bits of r; what is assigned fills the rest of r with its sign.
//   flag_lanes(x, n)            n lanes of u1, lane i being bit i of x.   lane_numbers(n)   0, 1 … in n lanes of u32.
//   lanes(x), bits(x)           how many lanes, bits of one.   number(r)   the number of a register.
//   whole(p), kept(p)           the register that p is a part or a view of; what `protect` was given for it, u64.
//   round_by_mode(a)            a whole number as a float, in the direction of `floats rounding`.
//   pow(a, b), exp2(a), log2(a), sin(a) …         the host's library in double, rounded to the format (within one unit in the last place).
//   flush(a)                    a subnormal number as zero.
//   floats("rules", x)          x, computed by these rules: a direction of rounding, and what becomes of subnormals.
//   floats(n, x)                x, rounded as value n of the modes has it.
//   exceptions(x)               u5: what the operations in x raise (clause 7), underflow of what is tiny after rounding.
//   float_remainder(a, b)       a - b * trunc(a / b), exact (C's fmod).
//   carryless_mul(a, b), carryless_mul_high(a, b)   the halves of the product without carries.
//   swap_groups(x, n)           adjacent groups of 2^n bits change places; n modulo the logarithm of the width.
//   wide_quotient(high, low, d), wide_remainder     of high ++ low by d, unsigned; d <= high gives all ones, and low.
//   leave()                     ends the instruction; what was written stays.
//   fail("text", value)         ends the run with an error.
//   expect(c, "…")              c; `isaforge run --check` reports the text where it does not hold
//   coherent(c)                 the instruction's accesses are those of memory that all see, where c; for `isaforge run --check`
//   private(c)                  they are those of the hart's own memory, where c; likewise
//   await("…", n)               no more than n results by that counter are under way; for `isaforge run --check`
//   host(n, a, b, c)            a call of the emulator: docs/machine.md.
//   linux(n, a, b, c, d, e, f)  a call of Linux by a process: likewise.
//   process_stack()             makes the process, and gives the stack that Linux begins it with.
//   update(mem.u32[a], f, x, y) what lies there, where now f of it, x and y lies; lane after lane, and no hart in between.
//   load_linked(mem.u32[a]), store_conditional(mem.u32[a], x), transaction_begin() …   likewise.
constexpr Builtin builtins[] = {
    {"stop", "", 0, 0, stop},
    {"signal", "name", 1, 1, signal},
    {"float_to_unsigned", "value, bits", 2, 2, float_to_integer<Op::float_to_u64, false>},
    {"float_to_signed", "value, bits", 2, 2, float_to_integer<Op::float_to_s64, false>},
    {"float_to_unsigned_by_mode", "value, bits", 2, 2, float_to_integer<Op::float_to_u64, true>},
    {"float_to_signed_by_mode", "value, bits", 2, 2, float_to_integer<Op::float_to_s64, true>},
    {"unsigned_to_float", "value, bits", 2, 2, integer_to_float, Op::u64_to_float},
    {"signed_to_float", "value, bits", 2, 2, integer_to_float, Op::s64_to_float},
    {"float_to_float", "value, bits", 2, 2, float_to_float},
    {"round_to_zero", "value", 1, 0, float_operation, Op::fround_to_zero},
    {"round_half_away", "value", 1, 0, float_operation, Op::fround_half_away},
    {"round_half_even", "value", 1, 0, float_operation, Op::fround_half_even},
    {"round_up", "value", 1, 0, float_operation, Op::fround_up},
    {"round_down", "value", 1, 0, float_operation, Op::fround_down},
    {"scale_by_power", "value, power", 2, 0, scale_by_power, Op::fscale},
    {"min_number", "a, b", 2, 0, float_operation, Op::fmin},
    {"max_number", "a, b", 2, 0, float_operation, Op::fmax},
    {"unordered", "a, b", 2, 0, float_operation, Op::funordered},
    {"sqrt", "value", 1, 0, float_operation, Op::fsqrt},
    {"fma", "a, b, c", 3, 0, float_operation, Op::fma},
    {"insert", "word, position, bits", 3, 0, insert},
    {"leading_bits", "value, count", 2, 2, leading_bits, Op::leading_bits},
    {"popcount", "value", 1, 0, count_ones, Op::count_ones},
    {"count_leading_zeros", "value", 1, 0, count_leading_zeros, Op::count_leading_zeros},
    {"count_trailing_zeros", "value", 1, 0, count_trailing_zeros, Op::count_trailing_zeros},
    {"reverse_bits", "value", 1, 0, reverse_bits, Op::reverse},
    {"sign_extend", "value, from", 2, 2, sign_extend_from, Op::sign_extend_from},
    {"add_carry", "a, b, carry", 3, 0, carry, Op::add},
    {"sub_borrow", "a, b, borrow", 3, 0, carry, Op::sub},
    {"add_overflow", "a, b", 2, 0, overflow, Op::add},
    {"sub_overflow", "a, b", 2, 0, overflow, Op::sub},
    {"mul_high_unsigned", "a, b", 2, 0, mul_high, Op::mul_high_unsigned},
    {"mul_high_signed", "a, b", 2, 0, mul_high, Op::mul_high_signed},
    {"rotate_left", "value, count", 2, 0, rotate, Op::shift_left},
    {"rotate_right", "value, count", 2, 0, rotate, Op::shift_right},
    {"min", "a, b", 2, 0, smaller_or_larger, Op::min_unsigned},
    {"max", "a, b", 2, 0, smaller_or_larger, Op::max_unsigned},
    {"abs", "value", 1, 0, absolute},
    {"lane", "", 0, 0, lane},
    {"lane_count", "", 0, 0, lane_count},
    {"any", "value", 1, 0, reduce, Op::reduce_or},
    {"all", "value", 1, 0, reduce, Op::reduce_and},
    {"sum", "value", 1, 0, reduce, Op::reduce_add},
    {"reduce_or", "value", 1, 0, reduce, Op::reduce_or},
    {"reduce_and", "value", 1, 0, reduce, Op::reduce_and},
    {"lane_bits", "value", 1, 0, lane_bits},
    {"element", "vector, index", 2, 3, element},
    {"elements", "vector, bits, count", 3, 7, elements, Op::at, 1},
    {"protect", "register, bits", 2, 3, protect},
    {"extending", "register, bits", 2, 3, extending},
    {"flag_lanes", "bits, count", 2, 2, flag_lanes},
    {"lane_numbers", "count", 1, 1, lane_numbers},
    {"lanes", "value", 1, 1, fact},
    {"bits", "value", 1, 1, fact},
    {"number", "register", 1, 1, fact},
    {"is_register", "operand", 1, 1, is_register},
    {"whole", "place", 1, 1, whole},
    {"kept", "place", 1, 1, kept},
    {"round_by_mode", "value", 1, 0, round_by_mode},
    {"is_infinite", "value", 1, 0, float_operation, Op::finfinite},
    {"is_subnormal", "value", 1, 0, float_operation, Op::fsubnormal},
    {"is_zero", "value", 1, 0, float_operation, Op::fzero},
    {"flush", "value", 1, 0, float_operation, Op::fflush},
    {"floats", "rules, value", 2, 3, by_rules},
    {"exceptions", "value", 1, 1, exceptions},
    {"float_remainder", "a, b", 2, 0, float_operation, Op::fremainder},
    {"pow", "a, b", 2, 0, float_operation, Op::fpow},
    {"exp2", "value", 1, 0, float_operation, Op::fexp2},
    {"log2", "value", 1, 0, float_operation, Op::flog2},
    {"sin", "value", 1, 0, float_operation, Op::fsin},
    {"cos", "value", 1, 0, float_operation, Op::fcos},
    {"asin", "value", 1, 0, float_operation, Op::fasin},
    {"acos", "value", 1, 0, float_operation, Op::facos},
    {"carryless_mul", "a, b", 2, 0, full_operation, Op::carryless_mul},
    {"carryless_mul_high", "a, b", 2, 0, full_operation, Op::carryless_mul_high},
    {"swap_groups", "value, n", 2, 0, full_operation, Op::swap_groups},
    {"wide_quotient", "high, low, divisor", 3, 0, full_operation, Op::wide_quotient},
    {"wide_remainder", "high, low, divisor", 3, 0, full_operation, Op::wide_remainder},
    {"leave", "", 0, 0, leave},
    {"fail", "text, value", 2, 1, fail, Op::fail},
    {"expect", "condition, text", 2, 2, expect, Op::check_that},
    {"coherent", "condition", 1, 0, kind_of_accesses, Op::check_kind},
    {"private", "condition", 1, 0, kind_of_accesses, Op::check_kind},
    {"await", "counter, left", 2, 1, await_counter, Op::check_wait},
    {"host", "number, a, b, c", 4, 0, host},
    {"linux", "number, a, b, c, d, e, f", 7, 0, host},
    {"process_stack", "", 0, 0, process_stack},
    {"hart", "", 0, 0, machine_value, Op::hart_number},
    {"harts", "", 0, 0, machine_value, Op::hart_count},
    {"group", "", 0, 0, machine_value, Op::group_number},
    {"groups", "", 0, 0, machine_value, Op::group_count},
    {"now", "", 0, 0, machine_value, Op::now},
    {"next", "", 0, 0, next},
    {"count", "what", 1, 1, executed},
    {"wait", "", 0, 0, machine_action, Op::wait},
    {"barrier", "", 0, 0, machine_action, Op::barrier},
    {"yield", "", 0, 0, machine_action, Op::yield},
    {"stall", "", 0, 0, machine_action, Op::stall},
    {"fence", "", 0, 0, machine_action, Op::fence},
    {"update", "place, function, x, y", 4, 15, update, Op::at, 1},
    {"load_linked", "place", 1, 1, linked, Op::load_linked},
    {"store_conditional", "place, value", 2, 3, linked, Op::store_conditional},
    {"transaction_begin", "", 0, 0, machine_action, Op::transaction_begin},
    {"transaction_end", "", 0, 0, machine_value, Op::transaction_end},
    {"transaction_abort", "", 0, 0, machine_value, Op::transaction_abort},
    {"transaction_depth", "", 0, 0, machine_value, Op::transaction_depth},
};

const Builtin* find_builtin(std::string_view name) {
    static const auto by_name = [] {
        std::unordered_map<std::string_view, const Builtin*> made;
        for (const Builtin& builtin : builtins) made.emplace(builtin.name, &builtin);
        return made;
    }();
    const auto found = by_name.find(name);
    return found != by_name.end() ? found->second : nullptr;
}

// Whether the result is a float, or has lost what its bits cannot hold.
bool gives_exactly(const Builtin& builtin) {
    const bool is_float_result = builtin.make == integer_to_float || builtin.make == float_to_float ||
                                 builtin.make == scale_by_power || builtin.make == round_by_mode ||
                                 (builtin.make == float_operation && !ir::is_test(builtin.op));
    return is_float_result || builtin.op == Op::reduce_add || builtin.op == Op::carryless_mul;
}

// The value of argument `index`. Numbers without a width take that of the first argument; positions and counts take 8
// bits.
Typed argument(Lowering& lowering, const Expression& call, unsigned index, const Arguments& so_far,
               const Builtin& builtin) {
    const Expression& expression = *call.operands[index];
    bool is_position = (builtin.make == insert && index == 1) || (builtin.make == rotate && index == 1);
    unsigned hint = is_position                                                                     ? 8
                    : builtin.make == scale_by_power && index == 1                                  ? 16
                    : builtin.make == carry && index == 2                                           ? 1
                    : builtin.make == host || builtin.make == fail || builtin.make == await_counter ? 64
                    : builtin.make == expect || builtin.make == kind_of_accesses                    ? 1
                    : index == 0                                                                    ? 0
                                 : so_far[0].type.bits;
    Item given = lowering.item(expression, hint);
    if (!given) return {};
    bool as_float = builtin.make == float_operation;
    if (given.untyped() && hint != 0) {
        Typed adapted = lowering.adapt(given, hint, expression.place, as_float);
        if (adapted && index != 0 && !is_position && builtin.make != scale_by_power)
            adapted.type.is_signed = so_far[0].type.is_signed;
        return adapted;
    }
    return lowering.typed(given, hint, expression.place);
}

}  // namespace

std::vector<std::string_view> Lowering::builtin_names() {
    std::vector<std::string_view> names;
    for (const Builtin& builtin : builtins) names.push_back(builtin.name);
    return names;
}

bool Lowering::is_builtin(std::string_view name) { return find_builtin(name) != nullptr; }

// A function that gives nothing leaves an Item of kind none without an error.
std::optional<Item> Lowering::builtin(const Expression& call, unsigned) {
    const Builtin* const found = find_builtin(call.name);
    if (found == nullptr) return std::nullopt;
    if (call.operands.size() > found->count || call.operands.size() + found->optional < found->count) {
        error(call.place, fmt::format("`{}` takes {} argument{} ({}), not {}", call.name, found->count,
                                      found->count == 1 ? "" : "s", found->parameters, call.operands.size()));
        return Item{};
    }
    Arguments given;
    for (unsigned i = 0; i < call.operands.size(); ++i) {
        if ((found->literal_mask >> i & 1) != 0) {
            given.emplace_back();
            continue;
        }
        Typed next = argument(*this, call, i, given, *found);
        if (!next) return Item{};
        given.push_back(next);
    }
    Item result = found->make(*this, call, given, *found);
    if (found->make != by_rules) result.value.exact = gives_exactly(*found);
    return result;
}

}  // namespace isaforge::semantics

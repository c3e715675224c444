// Lowering, second part: names and expressions.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "codec/tables.hpp"
#include "ir/evaluate.hpp"
#include "ir/passes/passes.hpp"
#include "language/limits.hpp"
#include "semantics/lowering.hpp"

namespace isaforge::semantics {

namespace {

// How a message refers to an expression: by its name where it has one.
std::string spoken(const Expression& expression, const char* otherwise) {
    if (expression.kind == ExpressionKind::name || expression.kind == ExpressionKind::element)
        return "`" + expression.name + "`";
    return otherwise;
}

bool is_float_operator(Operator op) {
    switch (op) {
        case Operator::fadd:
        case Operator::fsub:
        case Operator::fmul:
        case Operator::fdiv:
        case Operator::fequal:
        case Operator::fnot_equal:
        case Operator::fless:
        case Operator::fless_equal:
        case Operator::fgreater:
        case Operator::fgreater_equal: return true;
        default: return false;
    }
}

bool is_integer_test(Operator op) { return op >= Operator::equal && op <= Operator::greater_equal; }

// The bits of a number as a float of some width; nothing where there is no such format.
std::optional<std::uint64_t> float_bits(double number, unsigned bits) {
    std::uint64_t wide = std::bit_cast<std::uint64_t>(number);
    if (bits == 64) return wide;
    if (bits == 16 || bits == 32)
        return ir::compute(Op::float_narrow, ir::Type::floating(64), ir::Type::floating(bits), {&wide, 1}, {});
    return std::nullopt;
}

bool fits(Literal literal, unsigned bits) {
    return literal <= Literal(mask_of(bits)) && literal >= -(Literal{1} << (bits - 1));
}

std::string decimal(Literal value) {
    if (value < 0) return fmt::format("-{}", static_cast<std::uint64_t>(-value));
    return fmt::format("{}", static_cast<std::uint64_t>(value));
}

// The result of an operation that may lose bits above it, or of floats.
Item exactly(Typed value) {
    value.exact = true;
    return Item::of(value);
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "`" : ", `") + name + "`";
    return text;
}

}  // namespace

// Every expression counts, so that functions that call functions cannot keep us busy for ever.
bool Lowering::budget(Place place) {
    if (exhausted_) return false;
    const bool deep = depth_ >= language::deepest_nesting;
    if (++evaluations_ < language::most_expressions && !deep && made_ < language::most_steps) return true;
    error(place,
          deep ? fmt::format("nested more than {} deep, with the functions and names that are used here",
                             language::deepest_nesting)
               : fmt::format("the meaning of this instruction is too large: more than {} steps, or {} expressions "
                             "with those of its functions and loops",
                             language::most_steps, language::most_expressions));
    exhausted_ = true;
    return false;
}

Item Lowering::item(const Expression& expression, unsigned hint) {
    if (left_ || !budget(expression.place)) return {};
    const Deeper deeper(depth_);
    switch (expression.kind) {
        case ExpressionKind::integer: return Item::of(Literal(expression.integer));
        case ExpressionKind::floating: return {.kind = Item::Kind::floating, .floating = expression.floating};
        case ExpressionKind::text: return {.kind = Item::Kind::text, .text = expression.name};
        case ExpressionKind::name: return named(expression);
        case ExpressionKind::unary: return unary(expression, hint);
        case ExpressionKind::binary: return binary(expression, hint);
        case ExpressionKind::conditional: return conditional(expression, hint);
        case ExpressionKind::slice: return slice(expression);
        case ExpressionKind::member: return member(expression);
        case ExpressionKind::consecutive: return consecutive(expression);
        case ExpressionKind::choose: return choose(expression, hint);
        case ExpressionKind::operation: return {.kind = Item::Kind::function, .op = expression.op};
        case ExpressionKind::element: return element(expression);
        case ExpressionKind::call: return call(expression, hint);
    }
    return {};
}

// In brackets behind a single register stands a bit's position, not a register's number.
Item Lowering::element(const Expression& expression) {
    if (const Index file = find_file(expression.name);
        file != no_index && isa.register_files[file].index_bits != 0 && !find_local(expression.name))
        return element_of(file, *expression.operands[0], expression.place);
    if (const Index memory = find_memory(expression.name); memory != no_index)
        return memory_at(memory, expression.type, *expression.operands[0], expression.place);
    return expression.type.written() ? unknown_name(expression) : slice(expression);
}

Typed Lowering::value(const Expression& expression, unsigned hint) {
    return typed(item(expression, hint), hint, expression.place);
}

// A value from whatever it is; literals take the width `hint`, where it is known.
Typed Lowering::typed(const Item& from, unsigned hint, Place place) {
    switch (from.kind) {
        case Item::Kind::none: return {};
        case Item::Kind::value: return from.value;
        case Item::Kind::location: return read(from.location, place);
        case Item::Kind::text: error(place, "a text is no value"); return {};
        case Item::Kind::function:
            error(place, from.op != Operator::none
                             ? fmt::format("`{}` is an operator, not a value", spelling(from.op))
                             : fmt::format("`{0}` is a function: call it, as in {0}(…)", from.text));
            return {};
        case Item::Kind::rule:
            error(place, fmt::format("`{}` has a rule for what is assigned, and no value", from.rule->name));
            return {};
        default: break;
    }
    if (hint != 0) return adapt(from, hint, place);
    error(place, "the width of this number does not follow from anything: convert it, as in u32(1)");
    return {};
}

// A literal in `bits` bits. Next to a float operator an integer means that number as a float.
Typed Lowering::adapt(const Item& from, unsigned bits, Place place, bool as_float) {
    if (from.kind == Item::Kind::floating || as_float) {
        double number = from.kind == Item::Kind::floating ? from.floating : static_cast<double>(from.literal);
        if (auto pattern = float_bits(number, bits)) return typed_constant(*pattern, {bits, false, 1});
        error(place, fmt::format("there is no float of {} bits, only of 16, 32 and 64", bits));
        return {};
    }
    if (!fits(from.literal, bits)) {
        error(place, fmt::format("{} does not fit in {} bits", decimal(from.literal), bits));
        return {};
    }
    return typed_constant(static_cast<std::uint64_t>(from.literal), {bits, from.literal < 0, 1});
}

bool Lowering::needs_steering(Typed given) {
    const Binding* source = source_of(given.id);
    if (source == nullptr) return false;
    if (steering == nullptr) steering = source;
    return true;
}

std::optional<Literal> Lowering::known_integer(const Expression& expression, const char* what) {
    Item found = item(expression);
    if (!found) return std::nullopt;
    if (found.kind == Item::Kind::literal) return found.literal;
    if (found.kind == Item::Kind::value) {
        if (auto constant_value = known(found.value.id)) {
            if (found.value.type.is_signed) return sign_extend(*constant_value, found.value.type.bits);
            return Literal(*constant_value);
        }
        if (needs_steering(found.value)) return std::nullopt;
    }
    error(expression.place, fmt::format("{} must be known when the instruction is decoded", what));
    return std::nullopt;
}

// ---------------------------------------------------------------------------------------------------------------------
// Names

Local* Lowering::find_local(std::string_view name) {
    for (Context* in = &context(); in != nullptr; in = in->home)
        for (auto local = in->locals.rbegin(); local != in->locals.rend(); ++local)
            if (same_name(local->name, name)) return &*local;
    return nullptr;
}

Index Lowering::find_file(std::string_view name) const {
    for (Index i = 0; i < isa.register_files.size(); ++i)
        if (same_name(isa.register_files[i].name, name)) return i;
    return no_index;
}

Index Lowering::find_memory(std::string_view name) const {
    for (Index i = 0; i < isa.memories.size(); ++i)
        if (isa.memories[i].name == name) return i;
    return no_index;
}

const Function* Lowering::find_function(std::string_view name) const { return isa.functions.find(name); }

unsigned Lowering::pc_bits() const {
    auto found = isa.constants.find("pc_bits");
    return found != isa.constants.end() && found->second >= 1 && found->second <= 64 ? unsigned(found->second) : 32;
}

// From the inside out: locals and parameters, operands, the row's constants, then what is everywhere in force.
Item Lowering::named(const Expression& expression) {
    const std::string& name = expression.name;
    if (Local* local = find_local(name)) {
        local->read = true;
        if (local->slot == no_slot) return local->item;
        Location location{.kind = Location::Kind::local, .type = local->item.value.type};
        location.local = local;
        return Item::of(std::move(location));
    }
    if (context().fields != nullptr)
        for (std::size_t i = 0; i < context().fields->size(); ++i)
            if (same_name((*context().fields)[i].name, name))
                return bound((*context().fields)[i], (*context().bindings)[i], expression.place);
    if (is_cycle_count(name)) return Item::of(Location{.kind = Location::Kind::cycles, .type = cycle_type});
    if (context().operand != nullptr)
        for (const auto& [parameter, number] : context().operand->parameters)
            if (parameter == name) return Item::of(Literal(number));
    if (context().instruction) {
        auto row_constant = input_.instruction->constants.find(name);
        if (row_constant != input_.instruction->constants.end()) return Item::of(Literal(row_constant->second));
    }
    if (Item found = fixed_name(name)) return found;
    if (find_function(name) != nullptr || is_builtin(name)) return {.kind = Item::Kind::function, .text = name};
    if (Index file = find_file(name); file != no_index) {
        error(expression.place,
              fmt::format("`{}` has {} registers: say which, as in {}[0]", name, isa.register_files[file].count, name));
        return {};
    }
    return unknown_name(expression);
}

Item Lowering::fixed_name(const std::string& name) {
    if (name == "pc") return Item::of(Location{.kind = Location::Kind::pc, .type = {pc_bits(), false, 1}});
    if (Index file = find_file(name); file != no_index && isa.register_files[file].index_bits == 0) {
        Location location{.kind = Location::Kind::element, .type = file_type(isa.register_files[file]), .object = file};
        location.number = 0;
        return Item::of(std::move(location));
    }
    for (Index i = 0; i < isa.modes.size(); ++i)
        if (same_name(isa.modes[i].name, name)) return mode(i);
    for (const Naming& naming : isa.names_in_meanings) {
        if (!same_name(naming.name, name)) continue;
        if (!naming.parameter.empty()) return {.kind = Item::Kind::rule, .rule = &naming};
        contexts_.emplace_back();
        Item meant = item(*naming.value);
        contexts_.pop_back();
        return meant;
    }
    auto found = isa.constants.find(name);
    return found != isa.constants.end() ? Item::of(Literal(found->second)) : Item{};
}

// The value of a mode: known, unless an instruction is checked for all of them.
Item Lowering::mode(Index index) {
    Type type{isa.modes[index].bits, false, 1};
    if (input_.modes != nullptr) return Item::of(typed_constant((*input_.modes)[index], type));
    if (input_.mode_bindings == nullptr) return Item::of(open_value(type, nullptr));
    const Binding& binding = (*input_.mode_bindings)[index];
    return Item::of(binding.known ? typed_constant(binding.code, type) : open_value(type, &binding));
}

std::optional<std::uint64_t> Lowering::chosen_mode(Index index) const {
    if (index == no_index) return std::nullopt;
    if (input_.modes != nullptr) return (*input_.modes)[index];
    if (input_.mode_bindings != nullptr && (*input_.mode_bindings)[index].known)
        return (*input_.mode_bindings)[index].code;
    return std::nullopt;
}

namespace {

const FloatFormat* format_of(const Isa& isa, unsigned bits) {
    return bits == 16 || bits == 32 || bits == 64 ? &isa.float_formats[bits == 16 ? 0 : bits / 32] : nullptr;
}

}  // namespace

Rounding Lowering::rounding(unsigned bits) const {
    if (float_words.rounding) return *float_words.rounding;
    const FloatFormat* format = format_of(isa, bits);
    if (format == nullptr || format->rounding_mode == no_index) return isa.floats.rounding;
    const auto& number = float_words.rounding_number;
    const auto chosen = number ? number : chosen_mode(format->rounding_mode);
    return chosen && *chosen < format->roundings.size() ? format->roundings[*chosen] : Rounding::nearest;
}

Subnormals Lowering::subnormals(unsigned bits) const {
    if (float_words.subnormals) return *float_words.subnormals;
    const FloatFormat* format = format_of(isa, bits);
    if (format == nullptr || format->subnormals_mode == no_index) return Subnormals::keep;
    const auto chosen = chosen_mode(format->subnormals_mode);
    return chosen && *chosen < format->subnormals.size() ? format->subnormals[*chosen] : Subnormals::keep;
}

// The memory that an address without a memory's name is of.
Index Lowering::code_memory() const {
    for (Index i = 0; i < isa.memories.size(); ++i)
        if (isa.memories[i].holds_code) return i;
    return isa.memories.empty() ? no_index : 0;
}

Item Lowering::unknown_name(const Expression& expression) {
    std::vector<std::string_view> candidates = {"pc"};
    if (counts_ && !naming_) candidates.push_back(cycle_count);
    for (const Context* in = &context(); in != nullptr; in = in->home)
        for (const Local& local : in->locals) candidates.push_back(local.name);
    if (context().fields != nullptr)
        for (const Field& field : *context().fields) candidates.push_back(field.name);
    if (context().instruction)
        for (const auto& [name, value] : input_.instruction->constants) candidates.push_back(name);
    for (const RegisterFile& file : isa.register_files) candidates.push_back(file.name);
    for (const Naming& naming : isa.names_in_meanings) candidates.push_back(naming.name);
    for (const Mode& each : isa.modes) candidates.push_back(each.name);
    for (const MemorySpace& memory : isa.memories) candidates.push_back(memory.name);
    for (const auto& [name, value] : isa.constants) candidates.push_back(name);
    if (std::ranges::find(isa.memories, expression.name, &MemorySpace::name) != isa.memories.end()) {
        error(expression.place,
              fmt::format("`{0}` is a memory: what is meant of it is said as `{0}.u32[address]`", expression.name));
        return {};
    }
    Diagnostic& message = error(expression.place, fmt::format("`{}` is not known here", expression.name));
    if (std::string_view near = nearest(expression.name, candidates); !near.empty()) message.suggest(std::string(near));
    return {};
}

Item Lowering::bound(const Field& field, const Binding& binding, Place place) {
    const OperandType& type = isa.operand_types[binding.type];
    switch (type.kind) {
        case OperandKind::number: return bound_number(type, binding);
        case OperandKind::table: return bound_row(type, binding, place);
        case OperandKind::registers: {
            const RegisterFile& file = isa.register_files[type.registers];
            Location location{.kind = Location::Kind::element, .type = file_type(file), .object = type.registers};
            if (binding.known && binding.code < file.count)
                location.number = static_cast<std::uint32_t>(binding.code);
            else if (binding.known)
                location.index = typed_constant(binding.code, {64, false, 1});
            else
                location.index = open_value({std::max(1u, type.width), false, 1}, &binding);
            return Item::of(std::move(location));
        }
        case OperandKind::enumeration: {
            unsigned bits = type.value_bits != 0 ? type.value_bits : std::max(1u, type.width);
            if (!binding.known) return Item::of(open_value({bits, false, 1}, &binding));
            if (const auto known = value_of(type, binding.code, 0))
                return Item::of(typed_constant(*known, {bits, false, 1}));
            error(place, fmt::format("`{}` has no entry for code {}", field.name, binding.code));
            return {};
        }
    }
    return {};
}

namespace {

// The bits that hold all values of a scaled number.
unsigned scaled_bits(const NumberRule& rule, bool is_signed) {
    if (rule.scale == 1 && rule.bias == 0) return rule.value_bits;
    Literal low = is_signed ? -(Literal{1} << (rule.value_bits - 1)) : Literal{0};
    Literal high = is_signed ? (Literal{1} << (rule.value_bits - 1)) - 1 : Literal(mask_of(rule.value_bits));
    unsigned bits = rule.value_bits;
    for (Literal end : {low * rule.scale + rule.bias, high * rule.scale + rule.bias})
        while (bits < 64 && (is_signed ? end < -(Literal{1} << (bits - 1)) || end >= (Literal{1} << (bits - 1))
                                       : end >= (Literal{1} << bits)))
            ++bits;
    return bits;
}

}  // namespace

std::optional<std::uint64_t> value_of(const OperandType& type, std::uint64_t code, std::uint64_t address) {
    switch (type.kind) {
        case OperandKind::enumeration:
            for (const Entry& entry : type.entries)
                if (entry.code == code) return entry.value;
            return std::nullopt;
        case OperandKind::number:
            return static_cast<std::uint64_t>(codec::decode_number(type.number, type.width, code, address));
        default: return code;
    }
}

// The value as it is written in the text: a kept slice stands at its place, an offset is scaled, a target is an
// address.
Item Lowering::bound_number(const OperandType& type, const Binding& binding) {
    const NumberRule& rule = type.number;
    bool is_signed = rule.base == NumberBase::signed_integer && !rule.sliced;
    NumberRule plain = rule;
    if (plain.value_bits == 0) plain.value_bits = std::max(1u, type.width);
    Type result{rule.relative ? pc_bits() : scaled_bits(plain, is_signed), is_signed && !rule.relative, 1};
    if (!binding.known) return Item::of(open_value(result, &binding));
    const std::uint64_t value = *value_of(type, binding.code, 0);
    if (!rule.relative) return Item::of(typed_constant(value, result));
    const Typed here = address_value(Opening::Kind::address, input_.address);
    return Item::of(compute(Op::add, result, {typed_constant(value, result), here}));
}

Item Lowering::bound_row(const OperandType& type, const Binding& binding, Place place) {
    if (binding.row == no_index) {
        error(place, fmt::format("no row of operand `{}` has the code {:#x}", type.name, binding.code));
        return {};
    }
    const OperandRow& row = type.rows[binding.row];
    if (!row.meaning) {
        error(place, row.reserved ? fmt::format("code {:#x} of operand `{}` is reserved", binding.code, type.name)
                                  : fmt::format("this row of operand `{}` has no meaning", type.name))
            .note(row.where, "the row is here");
        return {};
    }
    contexts_.push_back({.fields = &row.fields, .bindings = &binding.captures, .operand = &type});
    Item result = item(*row.meaning);
    contexts_.pop_back();
    return result;
}

Item Lowering::element_of(Index file_index, const Expression& index, Place place) {
    return register_at(file_index, item(index), place);
}

Item Lowering::register_at(Index file_index, const Item& number, Place place) {
    const RegisterFile& file = isa.register_files[file_index];
    if (!number) return {};
    Location location{.kind = Location::Kind::element, .type = file_type(file), .object = file_index};
    if (number.kind == Item::Kind::literal) {
        if (number.literal < 0 || number.literal >= file.count) {
            error(place, fmt::format("`{}` has registers 0 to {}, not {}", file.name, file.count - 1,
                                     decimal(number.literal)));
            return {};
        }
        location.number = static_cast<std::uint32_t>(number.literal);
        return Item::of(std::move(location));
    }
    location.index = typed(number, 0, place);
    if (!location.index) return {};
    if (location.index.type.lanes != 1) {
        error(place, "the number of a register cannot differ from lane to lane");
        return {};
    }
    if (auto constant_number = known(location.index.id); constant_number && *constant_number < file.count)
        location.number = static_cast<std::uint32_t>(*constant_number);
    return Item::of(std::move(location));
}

Item Lowering::memory_at(Index memory, const TypeName& access, const Expression& at, Place place) {
    Type type{isa.memories[memory].unit_bits, false, 1};
    if (access.written()) {
        auto written = written_type(access);
        if (!written) return {};
        type = *written;
    }
    if (!type.fills_container()) {
        error(place, fmt::format("memory is accessed in 8, 16, 32 or 64 bits, not in {}", type.bits));
        return {};
    }
    Typed address = value(at, 64);
    if (!address) return {};
    if (address.type.is_signed) address = convert(address, {64, true, 1});
    Location location{.kind = Location::Kind::memory, .type = type, .object = memory, .index = address};
    location.type.lanes = address.type.lanes;
    return Item::of(std::move(location));
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading

Typed Lowering::read(const Location& location, Place place) {
    switch (location.kind) {
        case Location::Kind::pc: return address_value(Opening::Kind::address, input_.address);
        case Location::Kind::cycles: return {slots[cycles_slot], cycle_type};
        case Location::Kind::local: {
            Typed variable = location.local->item.value;
            variable.id = slots[location.local->slot];
            return variable;
        }
        case Location::Kind::part: {
            Typed word = read(location.inner[0], place);
            if (!word) return {};
            return extract(word, location.index, location.type.bits);
        }
        case Location::Kind::view: return get(location.inner[0], location.type, location.first);
        case Location::Kind::extending: {
            Typed whole = read(location.inner[0], place);
            return whole ? convert({whole.id, {whole.type.bits, false, 1}}, location.type) : whole;
        }
        case Location::Kind::tuple: {
            if (location.type.bits > 64) {
                error(place, fmt::format("{} values of {} bits: no value is wider than 64, so take one, as in t[0]",
                                         location.inner.size(), location.inner[0].type.bits));
                return {};
            }
            Typed whole;
            for (auto part = location.inner.rbegin(); part != location.inner.rend(); ++part) {
                Typed next = read(*part, place);
                if (!next) return {};
                whole = whole ? concat(whole, next, place) : next;
                if (!whole) return {};
            }
            return whole;
        }
        case Location::Kind::concat: {
            Typed whole;
            for (const Location& part : location.inner) {
                Typed next = read(part, place);
                if (!next) return {};
                whole = whole ? concat(whole, next, place) : next;
                if (!whole) return {};
            }
            return whole;
        }
        default: break;
    }
    if (location.kind == Location::Kind::memory)
        return {add({.op = Op::load,
                     .operands = {convert(location.index, {64}).id, no_value, no_value},
                     .mask = location.type.lanes != 1 ? mask : no_value,
                     .object = location.object},
                    form_of(location.type)),
                location.type};
    return get(location, location.type);
}

// The register that a location names, or its lanes from `first` on, as lanes of a type.
Typed Lowering::get(const Location& location, Type type, unsigned first) {
    const bool by_value = location.number == no_number;
    return {add({.op = by_value ? Op::get_at : Op::get,
                 .first = static_cast<std::uint16_t>(first),
                 .operands = {by_value ? location.index.id : no_value, no_value, no_value},
                 .object = location.object,
                 .number = by_value ? 0 : location.number},
                form_of(type)),
            type};
}

// ---------------------------------------------------------------------------------------------------------------------
// Operators

// Two sides of equal width: a literal takes the other's.
bool Lowering::unify(Item& left, Item& right, const Sides& sides, Typed& a, Typed& b, unsigned hint, bool as_float) {
    const Expression &first = sides.first, &second = sides.second;
    if (!left || !right) return false;
    if (!left.untyped()) a = typed(left, hint, first.place);
    if (!right.untyped()) b = typed(right, hint, second.place);
    if (left.untyped()) a = b ? adapt(left, b.type.bits, first.place, as_float) : typed(left, hint, first.place);
    if (right.untyped()) b = a ? adapt(right, a.type.bits, second.place, as_float) : typed(right, hint, second.place);
    if (!a || !b) return false;
    if (left.untyped() && !as_float) a.type.is_signed = b.type.is_signed;
    if (right.untyped() && !as_float) b.type.is_signed = a.type.is_signed;
    if (a.type.bits == b.type.bits) return true;
    bool left_narrow = a.type.bits < b.type.bits;
    if (!as_float && widen_side(left_narrow ? a : b, left_narrow ? b : a, sides)) return true;
    if (needs_steering(a) || needs_steering(b)) return false;
    const Expression& narrow = left_narrow ? first : second;
    const Type wide_type = left_narrow ? b.type : a.type, narrow_type = left_narrow ? a.type : b.type;
    std::string wide_name = fmt::format("{}{}", narrow_type.is_signed ? "s" : "u", wide_type.bits);
    std::string advice = narrow.kind == ExpressionKind::name
                             ? fmt::format(": widen it with {}({})", wide_name, narrow.name)
                             : fmt::format(": widen the {} side with {}(…)", left_narrow ? "left" : "right", wide_name);
    Diagnostic& message =
        error(sides.place, fmt::format("{} is {} but {} is {}{}", spoken(first, "the left side"),
                                       to_text(Type{a.type.bits, a.type.is_signed}), spoken(second, "the right side"),
                                       to_text(Type{b.type.bits, b.type.is_signed}), advice));
    note_exact(message, left_narrow ? a : b, narrow.place);
    return false;
}

// The narrower side of an operator, as wide as the other.
bool Lowering::widen_side(Typed& narrow, Typed wide, const Sides& sides) {
    const unsigned bits = narrow.type.bits;
    if (!widen(narrow, wide.type)) return false;
    const auto number = known(wide.id);
    if (number && *number > mask_of(bits) && is_integer_test(sides.op) && !needs_steering(wide))
        warn(sides.place, fmt::format("this is always the same: one side has {} bits, the other is {}", bits, *number));
    return true;
}

Item Lowering::unary(const Expression& expression, unsigned hint) {
    Item operand = item(*expression.operands[0], hint);
    if (!operand) return {};
    Place place = expression.place;
    if (operand.kind == Item::Kind::literal) {
        switch (expression.op) {
            case Operator::negate:
            case Operator::sub: return Item::of(-operand.literal);
            case Operator::logical_not: return Item::of(Literal(operand.literal == 0));
            case Operator::bit_not: return Item::of(~operand.literal);
            default: break;
        }
    }
    if (operand.kind == Item::Kind::floating) {
        operand.floating = -operand.floating;
        return operand;
    }
    Typed x = typed(operand, hint, place);
    if (!x) return {};
    switch (expression.op) {
        case Operator::bit_not: return exactly(compute(Op::bit_not, x.type, {x}));
        case Operator::negate:
        case Operator::sub: return exactly(negated(x));
        case Operator::logical_not: return Item::of(negation(truth(x)));
        case Operator::fnegate:
        case Operator::fsub: {
            const Typed sign = typed_constant(std::uint64_t{1} << (x.type.bits - 1), x.type);
            return exactly(compute(Op::bit_xor, x.type, {x, sign}));
        }
        default: error(place, fmt::format("`{}` takes two sides", spelling(expression.op))); return {};
    }
}

Item Lowering::literal_binary(Operator op, Literal a, Literal b, Place place) {
    constexpr Literal limit = Literal{1} << 65;
    Literal result = 0;
    switch (op) {
        case Operator::add: result = a + b; break;
        case Operator::sub: result = a - b; break;
        case Operator::mul:
            result = (a > limit >> 33 || a < -(limit >> 33)) && b > (limit >> 33) ? limit : a * b;
            break;
        case Operator::div:
        case Operator::rem:
            if (b == 0) {
                error(place, "division by zero");
                return {};
            }
            result = op == Operator::div ? a / b : a % b;
            break;
        case Operator::bit_and: result = a & b; break;
        case Operator::bit_or: result = a | b; break;
        case Operator::bit_xor: result = a ^ b; break;
        case Operator::shift_left:
            result =
                b < 0 || b > 64 || a >= (limit >> 1 >> b) || a <= -(limit >> 1 >> b) ? limit : a * (Literal{1} << b);
            break;
        case Operator::shift_right: result = b < 0 ? limit : b > 100 ? (a < 0 ? -1 : 0) : a >> b; break;
        case Operator::equal: result = a == b; break;
        case Operator::not_equal: result = a != b; break;
        case Operator::less: result = a < b; break;
        case Operator::less_equal: result = a <= b; break;
        case Operator::greater: result = a > b; break;
        case Operator::greater_equal: result = a >= b; break;
        default: error(place, "the sides of this must have a width: convert one, as in u32(1)"); return {};
    }
    if (result >= (Literal{1} << 64) || result <= -(Literal{1} << 64)) {
        error(place, "the result does not fit in 64 bits");
        return {};
    }
    return Item::of(result);
}

Item Lowering::logical(const Expression& expression) {
    Item left = item(*expression.operands[0]);
    if (!left) return {};
    bool is_and = expression.op == Operator::logical_and;
    if (left.kind == Item::Kind::literal) {
        if ((left.literal != 0) != is_and) return Item::of(Literal(!is_and));
        Item right = item(*expression.operands[1]);
        if (right.kind == Item::Kind::literal) return Item::of(Literal(right.literal != 0));
        Typed b = typed(right, 1, expression.operands[1]->place);
        return b ? Item::of(truth(b)) : Item{};
    }
    Typed a = typed(left, 1, expression.operands[0]->place);
    Typed b = value(*expression.operands[1], 1);
    if (!a || !b) return {};
    a = truth(a);
    b = truth(b);
    if (!match_lanes(a, b, expression.place)) return {};
    return Item::of(compute(is_and ? Op::bit_and : Op::bit_or, {1}, {a, b}));
}

Item Lowering::concatenation(const Expression& expression) {
    Item left = item(*expression.operands[0]), right = item(*expression.operands[1]);
    if (!left || !right) return {};
    if (left.kind == Item::Kind::location && right.kind == Item::Kind::location) {
        unsigned bits = left.location.type.bits + right.location.type.bits;
        if (bits <= 64 && left.location.type.lanes == right.location.type.lanes) {
            Location whole{.kind = Location::Kind::concat, .type = {bits, false, left.location.type.lanes}};
            whole.inner = {std::move(left.location), std::move(right.location)};
            return Item::of(std::move(whole));
        }
    }
    Typed high = typed(left, 0, expression.operands[0]->place), low = typed(right, 0, expression.operands[1]->place);
    if (!high || !low) return {};
    return Item::of(concat(high, low, expression.place));
}

Item Lowering::floating_binary(const Expression& expression, Item left, unsigned hint) {
    Item right = item(*expression.operands[1], hint);
    Typed a, b;
    if (!unify(left, right, Sides::of(expression), a, b, hint, true)) return {};
    if (a.type.bits != 16 && a.type.bits != 32 && a.type.bits != 64) {
        if (needs_steering(a)) return {};
        error(expression.place, fmt::format("there is no float of {} bits, only of 16, 32 and 64", a.type.bits));
        return {};
    }
    if (!match_lanes(a, b, expression.place)) return {};
    const Type result{a.type.bits}, test{1};
    switch (expression.op) {
        case Operator::fadd: return exactly(compute(Op::fadd, result, {a, b}));
        case Operator::fsub: return exactly(compute(Op::fsub, result, {a, b}));
        case Operator::fmul: return exactly(compute(Op::fmul, result, {a, b}));
        case Operator::fdiv: return exactly(compute(Op::fdiv, result, {a, b}));
        case Operator::fequal: return Item::of(compute(Op::fequal, test, {a, b}));
        case Operator::fless: return Item::of(compute(Op::fless, test, {a, b}));
        case Operator::fless_equal: return Item::of(compute(Op::fless_equal, test, {a, b}));
        case Operator::fgreater: return Item::of(compute(Op::fless, test, {b, a}));
        case Operator::fgreater_equal: return Item::of(compute(Op::fless_equal, test, {b, a}));
        default: return Item::of(negation(compute(Op::fequal, test, {a, b})));  // unordered counts as not equal
    }
}

Item Lowering::binary(const Expression& expression, unsigned hint) {
    Operator op = expression.op;
    if (op == Operator::logical_and || op == Operator::logical_or) return logical(expression);
    if (op == Operator::concat) return concatenation(expression);
    return combined(expression, item(*expression.operands[0], is_integer_test(op) ? 0 : hint), hint);
}

// An operator whose left side is there already. It is read before anything of the right side happens.
Item Lowering::combined(const Expression& expression, Item left, unsigned hint) {
    Operator op = expression.op;
    if (left.kind == Item::Kind::location) left = Item::of(read(left.location, expression.operands[0]->place));
    if (is_float_operator(op)) return floating_binary(expression, std::move(left), hint);
    bool is_test = is_integer_test(op);
    bool is_shift = op == Operator::shift_left || op == Operator::shift_right;
    Item right = item(*expression.operands[1], is_test || is_shift ? 0 : hint);
    if (!left || !right) return {};
    if (left.kind == Item::Kind::literal && right.kind == Item::Kind::literal)
        return literal_binary(op, left.literal, right.literal, expression.place);
    if (left.kind == Item::Kind::floating || right.kind == Item::Kind::floating) {
        error(expression.place,
              fmt::format("`{}` computes with integers: write {}. for floats", spelling(op), spelling(op)));
        return {};
    }
    if (is_shift) {
        Typed a = typed(left, hint, expression.operands[0]->place);
        Literal most = 64;
        if (right.kind == Item::Kind::literal)
            right.literal = right.literal < 0 || right.literal > most ? most : right.literal;
        Typed b = typed(right, 8, expression.operands[1]->place);
        return a && b ? Item::of(shift(op, a, b, expression.place)) : Item{};
    }
    Typed a, b;
    if (!unify(left, right, Sides::of(expression), a, b, hint)) return {};
    return Item::of(arithmetic(op, a, b, expression.place));
}

// Both sides are computed and one is chosen, unless one reads memory: then only the side that is asked for may.
Item Lowering::conditional(const Expression& expression, unsigned hint) {
    Item asked = item(*expression.operands[0]);
    if (!asked) return {};
    if (asked.kind == Item::Kind::literal) return item(*expression.operands[asked.literal != 0 ? 1 : 2], hint);
    Typed condition = typed(asked, 0, expression.operands[0]->place);
    if (!condition) return {};
    if (auto constant_condition = known(condition.id))
        return item(*expression.operands[*constant_condition != 0 ? 1 : 2], hint);
    condition = truth(condition);
    const Sides sides{*expression.operands[1], *expression.operands[2], expression.place};
    if (condition.type.lanes != 1) return conditional_by_lane(sides, condition, hint);
    const Way before = here();
    const ir::BlockId blocks[] = {builder.new_block(), builder.new_block()};
    Item found[2];
    Way after[2];
    bool left[2] = {}, pure = true;
    for (const unsigned i : {0u, 1u}) {
        slots = before.slots;
        left_ = false;
        begin(blocks[i]);
        found[i] = side(i == 0 ? sides.first : sides.second, hint);
        after[i] = here();
        left[i] = left_;
        pure = pure && !left_ && after[i].block == blocks[i] && is_pure(blocks[i]) && after[i].slots == before.slots;
    }
    left_ = left[0] && left[1];
    begin(before.block);
    if (pure) return choose_value(sides, condition, std::move(found[0]), std::move(found[1]), blocks, hint);
    builder.branch(condition.id, blocks[0], blocks[1]);
    if (left[0] == left[1]) return choose_side(sides, condition, found, after, hint);
    const unsigned other = left[0] ? 1 : 0;
    join({after[other]}, after[other].slots.size());
    return std::move(found[other]);
}

// Neither side does anything but compute: both are computed.
Item Lowering::choose_value(const Sides& sides, Typed condition, Item first, Item second,
                            const ir::BlockId (&blocks)[2], unsigned hint) {
    auto& here = graph.blocks[builder.block()].body;
    for (const ir::BlockId from : blocks) {
        auto& body = graph.blocks[from].body;
        here.insert(here.end(), body.begin(), body.end());
        body.clear();
        graph.blocks[from].end = {.op = Op::skip};
    }
    Typed a, b;
    if (!first || !second || !unify(first, second, sides, a, b, hint)) return {};
    const bool exact = a.exact || b.exact;
    if (!match_lanes(a, b, sides.place)) return {};
    Typed result = compute(Op::select, a.type, {condition, a, b});
    result.exact = exact;
    return Item::of(result);
}

// One of the two that can be chosen: where it is a place, what lies there.
Item Lowering::side(const Expression& expression, unsigned hint) {
    Item found = item(expression, hint);
    return found.kind == Item::Kind::location ? Item::of(read(found.location, expression.place)) : found;
}

bool Lowering::is_pure(ir::BlockId block) const {
    const auto& body = graph.blocks[block].body;
    return std::all_of(body.begin(), body.end(), [](const ir::Instruction& each) {
        return about(each.op).effect == ir::Effect::pure || each.op == Op::get || each.op == Op::get_at;
    });
}

// Both sides run, each for its lanes.
Item Lowering::conditional_by_lane(const Sides& sides, Typed condition, unsigned hint) {
    const ir::Value outer = mask;
    mask = both(outer, condition);
    Item first = side(sides.first, hint);
    mask = both(outer, negation(condition));
    Item second = side(sides.second, hint);
    mask = outer;
    Typed a, b;
    if (!first || !second || !unify(first, second, sides, a, b, hint)) return {};
    const bool exact = a.exact || b.exact;
    if (!match_lanes(a, b, sides.place) || !match_lanes(condition, a, sides.place) ||
        !match_lanes(condition, b, sides.place))
        return {};
    Typed result = compute(Op::select, a.type, {condition, a, b});
    result.exact = exact;
    return Item::of(result);
}

// One of two sides, each computed on a way of its own.
Item Lowering::choose_side(const Sides& sides, Typed condition, Item (&found)[2], const Way (&after)[2],
                           unsigned hint) {
    auto& [first, second] = found;
    std::vector<Way> ways = {after[0], after[1]};
    const std::size_t kept = std::min(ways[0].slots.size(), ways[1].slots.size());
    for (Way& way : ways) way.slots.resize(kept);
    // Where both are of one type the two ways bring one value; else each brings its own and nothing for the other.
    const bool both_values = first.kind == Item::Kind::value && second.kind == Item::Kind::value;
    const bool alike = !both_values || first.value.type.bits == second.value.type.bits;
    Typed a = first.value, b = second.value;
    if (first && second && !alike) {
        for (const bool is_first : {true, false}) {
            Item& own = is_first ? first : second;
            const Typed nothing = typed_constant(0, own.value.type);
            ways[0].slots.push_back(is_first ? own.value.id : nothing.id);
            ways[1].slots.push_back(is_first ? nothing.id : own.value.id);
        }
        join(ways, kept + 2);
        first.value.id = slots[kept];
        second.value.id = slots[kept + 1];
        slots.resize(kept);
        if (!unify(first, second, sides, a, b, hint) || !same_lanes(a, b, sides.place)) return {};
        Typed result = compute(Op::select, a.type, {condition, a, b});
        result.exact = a.exact || b.exact;
        return Item::of(result);
    }
    const bool fit = first && second && unify(first, second, sides, a, b, hint) && same_lanes(a, b, sides.place);
    if (fit) {
        ways[0].slots.push_back(a.id);
        ways[1].slots.push_back(b.id);
    }
    join(ways, kept + (fit ? 1 : 0));
    if (!fit) return {};
    Typed result{slots[kept], a.type, a.exact || b.exact};
    slots.resize(kept);
    return Item::of(result);
}

bool Lowering::same_lanes(Typed a, Typed b, Place place) {
    if (a.type.lanes == b.type.lanes) return true;
    error(place, "one side has lanes and the other has not, and one of them reads memory: use if");
    return false;
}

Item Lowering::slice(const Expression& expression) {
    bool named_element = expression.kind == ExpressionKind::element;
    const Expression* high_side = named_element ? expression.operands[0].get() : expression.operands[1].get();
    const Expression* low_side =
        named_element || expression.operands.size() < 3 ? nullptr : expression.operands[2].get();
    if (!named_element && low_side == nullptr && expression.operands[0]->kind == ExpressionKind::name &&
        !find_local(expression.operands[0]->name))
        if (Index file = find_file(expression.operands[0]->name);
            file != no_index && isa.register_files[file].index_bits != 0)
            return element_of(file, *high_side, expression.place);
    if (Index memory = named_element ? no_index : accessed_memory(*expression.operands[0]); memory != no_index) {
        const Expression& access = *expression.operands[0];
        if (low_side == nullptr)
            return memory_at(memory, {.name = access.name, .place = access.place}, *high_side, expression.place);
    }
    Item base = named_element ? named(expression) : item(*expression.operands[0]);
    if (!base) return {};
    if (base.kind == Item::Kind::literal) {
        auto high = known_integer(*high_side, "a bit's position");
        auto low = low_side ? known_integer(*low_side, "a bit's position") : high;
        if (!high || !low || *low < 0 || *high < *low || *high > 63) return {};
        return Item::of(Typed{
            typed_constant(std::uint64_t(base.literal) >> unsigned(*low), {unsigned(*high - *low + 1), false, 1})});
    }
    if (base.kind == Item::Kind::location && base.location.kind == Location::Kind::tuple)
        return one_of(std::move(base.location), *high_side, low_side, expression.place);
    if (low_side == nullptr) {
        Item position = item(*high_side);
        if (!position) return {};
        Typed at = typed(position, 8, high_side->place);
        return at ? slice_of(std::move(base), at, 1, expression.place) : Item{};
    }
    auto high = known_integer(*high_side, "the bounds of a slice");
    auto low = known_integer(*low_side, "the bounds of a slice");
    if (!high || !low) return {};
    if (*low < 0 || *high < *low || *high - *low >= 64) {
        error(expression.place,
              fmt::format("[{}:{}] is no slice: the high bit stands first", decimal(*high), decimal(*low)));
        return {};
    }
    return slice_of(std::move(base), typed_constant(std::uint64_t(*low), {8, false, 1}), unsigned(*high - *low + 1),
                    expression.place);
}

Item Lowering::slice_of(Item base, Typed position, unsigned width, Place place) {
    bool is_location = base.kind == Item::Kind::location;
    if (!is_location && base.kind != Item::Kind::value) {
        error(place, "this has no bits to take");
        return {};
    }
    Type type = is_location ? base.location.type : base.value.type;
    if (auto low = known(position.id); low && *low + width > type.bits) {
        std::string wanted =
            width == 1 ? fmt::format("bit {}", *low) : fmt::format("bits {}..{}", *low + width - 1, *low);
        if (is_location || !needs_steering(base.value))
            error(place, fmt::format("{} of a {} value", wanted, to_text(type)));
        return {};
    }
    unsigned lane_count = std::max(type.lanes, position.type.lanes);
    if (!is_location) return Item::of(extract(base.value, position, width));
    Location part{.kind = Location::Kind::part, .type = {width, false, lane_count}, .index = position};
    part.inner.push_back(std::move(base.location));
    return Item::of(std::move(part));
}

// ---------------------------------------------------------------------------------------------------------------------
// Consecutive registers, places in memory, or bits

namespace {

constexpr Literal most_consecutive = 64;

}  // namespace

Item Lowering::consecutive(const Expression& expression) {
    const Expression& base = *expression.operands[0];
    auto count = known_integer(*expression.operands[2], "how many there are");
    if (!count) return {};
    if (*count < 1 || *count > most_consecutive) {
        error(expression.operands[2]->place,
              fmt::format("1 to {} can stand side by side, not {}", decimal(most_consecutive), decimal(*count)));
        return {};
    }
    const auto number = static_cast<unsigned>(*count);
    const bool named_base = base.kind == ExpressionKind::name && !find_local(base.name);
    if (Index memory = named_base ? find_memory(base.name) : accessed_memory(base); memory != no_index) {
        if (named_base) return memory_from(memory, expression.type, number, expression);
        return memory_from(memory, {.name = base.name, .place = base.place}, number, expression);
    }
    Item first = item(*expression.operands[1]);
    if (!first) return {};
    if (Index file = named_base ? find_file(base.name) : no_index;
        file != no_index && isa.register_files[file].index_bits != 0)
        return registers_from(file, std::move(first), number, expression);
    Item whole = item(base);
    Typed position = typed(first, 8, expression.operands[1]->place);
    if (!whole || !position) return {};
    return slice_of(std::move(whole), position, number, expression.place);
}

Item Lowering::tuple_of(std::vector<Location> inner) {
    if (inner.empty()) return {};
    Location whole{.kind = Location::Kind::tuple, .type = inner[0].type};
    whole.type.bits *= static_cast<unsigned>(inner.size());
    whole.inner = std::move(inner);
    return Item::of(std::move(whole));
}

Item Lowering::registers_from(Index file, Item first, unsigned count, const Expression& expression) {
    const Place place = expression.operands[1]->place;
    if (first.kind == Item::Kind::location) first = Item::of(read(first.location, place));
    if (first.kind == Item::Kind::value && !known(first.value.id)) first.value = convert(first.value, {64, false, 1});
    std::vector<Location> inner;
    for (unsigned i = 0; i < count && first; ++i) {
        Item number = first;
        if (Typed& index = number.value; number.kind == Item::Kind::literal)
            number.literal += i;
        else if (auto constant_number = known(index.id))
            index = typed_constant(*constant_number + i, {64, false, 1});
        else if (i != 0)
            index = compute(Op::add, index.type, {index, typed_constant(i, index.type)});
        Item one = register_at(file, number, place);
        if (!one) return {};
        inner.push_back(std::move(one.location));
    }
    return tuple_of(std::move(inner));
}

Item Lowering::memory_from(Index memory, const TypeName& access, unsigned count, const Expression& expression) {
    Item first = memory_at(memory, access, *expression.operands[1], expression.place);
    if (!first) return {};
    const Typed address = first.location.index;
    const unsigned cells = std::max(1u, first.location.type.bits / isa.memories[memory].unit_bits);
    std::vector<Location> inner;
    for (unsigned i = 0; i < count; ++i) {
        Location next = first.location;
        if (i != 0) next.index = compute(Op::add, address.type, {address, typed_constant(i * cells, address.type)});
        inner.push_back(std::move(next));
    }
    return tuple_of(std::move(inner));
}

// t[i] of a tuple.
Item Lowering::one_of(Location tuple, const Expression& index, const Expression* low, Place place) {
    if (low != nullptr) {
        error(place, "t[i] is one of these, and not a bit: convert them for their bits, as in u64(t)[7:0]");
        return {};
    }
    auto at = known_integer(index, "which of these is meant");
    if (!at) return {};
    if (*at < 0 || *at >= static_cast<Literal>(tuple.inner.size())) {
        error(place, fmt::format("there are {} here, 0 to {}, not {}", tuple.inner.size(), tuple.inner.size() - 1,
                                 decimal(*at)));
        return {};
    }
    return Item::of(Location(tuple.inner[static_cast<std::size_t>(*at)]));
}

// ---------------------------------------------------------------------------------------------------------------------
// case

// What is looked at: read once, before anything of the arms.
Item Lowering::subject_of(const Expression& choice) {
    const Expression& subject = *choice.operands[0];
    Item found = item(subject);
    if (!found || found.kind == Item::Kind::literal) return found;
    return Item::of(typed(found, 0, subject.place));
}

std::size_t Lowering::arms(const Expression& choice) {
    return static_cast<std::size_t>(std::count(choice.operands.begin() + 2, choice.operands.end(), nullptr));
}

// The arm that a known value chooses; as many as there are for the else. False, with a message, where a value is there
// twice or cannot be, or where an expression has none.
bool Lowering::arm_of(const Expression& choice, const Item& subject, bool is_expression,
                      std::optional<std::size_t>& chosen) {
    struct Range {
        Literal low, high;
        Place place;
        std::size_t arm;
    };
    const bool typed_subject = subject.kind == Item::Kind::value;
    const Type type = subject.value.type;
    const Literal least = !typed_subject || !type.is_signed ? 0 : -(Literal{1} << (type.bits - 1));
    const Literal most = !typed_subject ? 0 : least + Literal(mask_of(type.bits));
    const bool has_else = choice.integer != 0;
    std::vector<Range> ranges;
    std::size_t arm = 0;
    for (std::size_t i = 2; i < choice.operands.size(); i += choice.operands[i] ? 2 : 1) {
        if (!choice.operands[i]) {
            ++arm;
            continue;
        }
        auto low = known_integer(*choice.operands[i], "a value of a `case`");
        auto high = known_integer(*choice.operands[i + 1], "a value of a `case`");
        if (!low || !high) return false;
        Range range{*low, *high, choice.operands[i]->place, arm};
        if (range.low > range.high) {
            error(range.place, fmt::format("{}..{} is empty", decimal(range.low), decimal(range.high)));
            return false;
        }
        if (typed_subject && (range.low < least || range.high > most)) {
            error(range.place, fmt::format("a {} is never {}", to_text(Type{type.bits, type.is_signed}),
                                           decimal(range.low < least ? range.low : range.high)));
            return false;
        }
        for (const Range& other : ranges) {
            if (range.high < other.low || other.high < range.low) continue;
            error(range.place, "this is never reached: another case has it").note(other.place, "it is here");
            return false;
        }
        ranges.push_back(range);
    }
    std::optional<Literal> value;
    if (subject.kind == Item::Kind::literal) value = subject.literal;
    if (auto constant_value = typed_subject ? known(subject.value.id) : std::nullopt)
        value = type.is_signed ? Literal(sign_extend(*constant_value, type.bits)) : Literal(*constant_value);
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.low < b.low; });
    Literal missing = least;
    for (const Range& range : ranges) {
        if (value && range.low <= *value && *value <= range.high) return chosen = range.arm, true;
        if (range.low == missing) missing = range.high + 1;
    }
    if (has_else && typed_subject && missing > most) warn(choice.place, "the `else` of this is never reached");
    if (value) chosen = arm;
    if (!is_expression || has_else || (!value && missing > most)) return true;
    error(choice.place, fmt::format("no case is for {}: write `else:`", decimal(value ? *value : missing)));
    return false;
}

Item Lowering::choose(const Expression& expression, unsigned hint) {
    Item subject = subject_of(expression);
    if (!subject) return {};
    std::optional<std::size_t> arm;
    if (!arm_of(expression, subject, true, arm)) return {};
    const Expression* rest = expression.operands[1].get();
    if (arm) {
        const std::size_t last = arms(expression) - (expression.integer != 0 ? 0 : 1);
        for (std::size_t i = 0; i < *arm; ++i) rest = rest->operands[2].get();
        return item(*arm < last ? *rest->operands[1] : *rest, hint);
    }
    const std::size_t size = context().locals.size();
    context().locals.push_back({case_subject, std::move(subject), no_slot, true, true, expression.place});
    Item result = item(*rest, hint);
    leave_scope(size);
    return result;
}

// In `data.word[address]`, as in `register.FIELD[bit]`, the memory is told by its name.
Index Lowering::accessed_memory(const Expression& expression) {
    if (expression.kind != ExpressionKind::member) return no_index;
    const Expression& base = *expression.operands[0];
    return base.kind == ExpressionKind::name && !find_local(base.name) ? find_memory(base.name) : no_index;
}

// What the row of an operand says besides what it means; 0 where other rows say something, and this one does not.
Item Lowering::fact_of(const Expression& expression, bool& found) {
    const Expression& base = *expression.operands[0];
    if (base.kind != ExpressionKind::name || find_local(base.name) || context().fields == nullptr) return {};
    for (std::size_t i = 0; i < context().fields->size(); ++i) {
        if ((*context().fields)[i].name != base.name) continue;
        const Binding& binding = (*context().bindings)[i];
        const OperandType& type = isa.operand_types[binding.type];
        const auto fact_in = [&](const OperandRow& row) -> const Naming* {
            for (const Naming& fact : row.facts)
                if (fact.name == expression.name) return &fact;
            return nullptr;
        };
        if (std::find(type.facts.begin(), type.facts.end(), expression.name) == type.facts.end()) return {};
        found = true;
        const OperandRow* row = binding.row != no_index ? &type.rows[binding.row] : nullptr;
        const Naming* fact = row != nullptr ? fact_in(*row) : nullptr;
        if (fact == nullptr) return Item::of(Literal{0});
        contexts_.push_back({.fields = &row->fields, .bindings = &binding.captures, .operand = &type});
        Item said = item(*fact->value);
        contexts_.pop_back();
        return said;
    }
    return {};
}

// What a kind says: of a constant, a column or a parameter.
Item Lowering::fact_of_kind(const Item& code, const Expression& expression) {
    const KindFact fact = isa.kind_fact(static_cast<std::uint64_t>(code.literal), expression.name);
    if (fact.value) return Item::of(Literal(*fact.value));
    Diagnostic& message = error(expression.place, fact.problem);
    if (!fact.nearest.empty()) message.suggest(std::string(fact.nearest));
    return {};
}

// A named field of a register.
Item Lowering::member(const Expression& expression) {
    const Expression& base = *expression.operands[0];
    if (accessed_memory(expression) != no_index) {
        error(expression.place,
              fmt::format("expected {0}.TYPE[address], a type such as u32, or {0}[address] for one cell", base.name));
        return {};
    }
    bool is_fact = false;
    if (Item fact = fact_of(expression, is_fact); is_fact) return fact;
    Item whole = item(base);
    if (!whole) return {};
    if (whole.kind == Item::Kind::literal) return fact_of_kind(whole, expression);
    if (whole.kind != Item::Kind::location || whole.location.kind != Location::Kind::element) {
        error(expression.place, fmt::format("{} has no named fields: registers have", spoken(base, "this")));
        return {};
    }
    std::vector<std::string_view> known;
    for (const BitField& field : isa.register_files[whole.location.object].fields) {
        if (!field.belongs_to(whole.location.number)) continue;
        known.push_back(field.name);
        if (field.name != expression.name) continue;
        return slice_of(std::move(whole), typed_constant(field.low, {8, false, 1}), field.width, expression.place);
    }
    Diagnostic& message =
        error(expression.place, fmt::format("{} has no field `{}`", spoken(base, "this register"), expression.name));
    if (std::string_view near = nearest(expression.name, known); !near.empty()) message.suggest(std::string(near));
    return {};
}

// ---------------------------------------------------------------------------------------------------------------------
// Calls

const TypeAlias* Lowering::find_alias(std::string_view name) const {
    for (const auto& alias : isa.types)
        if (alias->name == name) return alias.get();
    return nullptr;
}

// A type by its name: what it stands for, its parameters being names for the arguments.
std::optional<Type> Lowering::named_type(const TypeName& type) {
    const TypeAlias* alias = find_alias(type.name);
    if (alias == nullptr) {
        std::vector<std::string_view> known;
        for (const auto& other : isa.types) known.push_back(other->name);
        Diagnostic& message = error(type.place, fmt::format("there is no type `{}`", type.name));
        if (std::string_view near = nearest(type.name, known); !near.empty()) message.suggest(std::string(near));
        return std::nullopt;
    }
    if (type.arguments.size() != alias->parameters.size()) {
        error(type.place,
              fmt::format("`{}` takes {} argument{} ({}), not {}", type.name, alias->parameters.size(),
                          alias->parameters.size() == 1 ? "" : "s", joined(alias->parameters), type.arguments.size()))
            .note(alias->place, "it is declared here");
        return std::nullopt;
    }
    Context inner;
    for (std::size_t i = 0; i < type.arguments.size(); ++i) {
        Item given = item(*type.arguments[i]);
        if (!given) return std::nullopt;
        inner.locals.push_back({alias->parameters[i], std::move(given), no_slot, true, true, type.place});
    }
    contexts_.push_back(std::move(inner));
    auto meant = written_type(alias->meaning);
    contexts_.pop_back();
    return meant;
}

std::optional<Type> Lowering::written_type(const TypeName& name) {
    if (!name.name.empty()) return named_type(name);
    auto width = known_integer(*name.width, "the width of a type");
    if (!width) return std::nullopt;
    if (*width < 1 || *width > 64) {
        error(name.place, fmt::format("a type of {} bits: 1 to 64 are possible", decimal(*width)));
        return std::nullopt;
    }
    return Type{static_cast<unsigned>(*width), name.is_signed, 1};
}

// A literal in a conversion must fit, as everywhere.
Item Lowering::conversion(const TypeName& to, const Expression& expression) {
    auto type = written_type(to);
    if (!type) return {};
    if (expression.operands.size() != 1) {
        error(expression.place, fmt::format("a conversion takes one value, not {}", expression.operands.size()));
        return {};
    }
    Typed from = value(*expression.operands[0], type->bits);
    return from ? Item::of(convert(from, *type)) : Item{};
}

Item Lowering::call(const Expression& expression, unsigned hint) {
    if (expression.name.empty()) return conversion(expression.type, expression);
    if (Local* local = find_local(expression.name); local && local->item.kind == Item::Kind::function) {
        local->read = true;
        return call_given(Item(local->item), expression, hint);
    }
    if (const Function* function = find_function(expression.name)) return call_function(*function, expression);
    if (find_alias(expression.name) != nullptr)
        return conversion({.name = expression.name, .place = expression.place}, expression);
    if (auto result = builtin(expression, hint)) return *result;
    if (find_local(expression.name)) {
        error(expression.place,
              fmt::format("`{}` is called, but what it stands for here is no function", expression.name));
        return {};
    }
    std::vector<std::string_view> candidates = builtin_names();
    candidates.insert(candidates.end(), isa.functions.names.begin(), isa.functions.names.end());
    Diagnostic& message = error(expression.place, fmt::format("there is no function `{}`", expression.name));
    if (std::string_view near = nearest(expression.name, candidates); !near.empty()) message.suggest(std::string(near));
    return {};
}

// A call of a parameter: of the function or the operator that it was given.
Item Lowering::call_given(const Item& function, const Expression& expression, unsigned hint) {
    const Function* const own = function.op == Operator::none ? find_function(function.text) : nullptr;
    if (own != nullptr) return call_function(*own, expression);
    Expression meant = expression;
    if (function.op == Operator::none) {
        meant.name = function.text;
        return builtin(meant, hint).value_or(Item{});
    }
    const bool prefix = function.op == Operator::bit_not || function.op == Operator::logical_not;
    const bool either = function.op == Operator::sub || function.op == Operator::fsub;
    const std::size_t sides = expression.operands.size();
    if (prefix ? sides != 1 : sides != 2 && !(either && sides == 1)) {
        error(expression.place, fmt::format("`{}` takes {}, but `{}` is called with {}", spelling(function.op),
                                            prefix   ? "one side"
                                            : either ? "one or two sides"
                                                     : "two sides",
                                            expression.name, sides));
        return {};
    }
    meant.kind = sides == 1 ? ExpressionKind::unary : ExpressionKind::binary;
    meant.name.clear();
    meant.op = function.op;
    return sides == 1 ? unary(meant, hint) : binary(meant, hint);
}

// By a lowering of its own, where nothing has a name but what it is called with.
ir::Function Lowering::function_of(const Item& function, Type type, std::size_t count, const Expression& call) {
    Lowering inner(input_, diagnostics_, warnings_);
    inner.float_words = float_words;
    inner.contexts_.emplace_back();
    Expression meant{.kind = ExpressionKind::call, .place = call.place, .name = call.name};
    for (const char* const name : {"old", "first", "second"}) {
        const Typed given{inner.builder.argument(0, form_of(type)), type};
        inner.context().locals.push_back({name, Item::of(given), no_slot, true, true, call.place});
        if (meant.operands.size() < count)
            meant.operands.push_back(std::make_shared<const Expression>(
                Expression{.kind = ExpressionKind::name, .place = call.place, .name = name}));
    }
    const Item result = inner.call_given(function, meant, type.bits);
    const Typed made = result ? inner.typed(result, type.bits, call.place) : Typed{};
    if (inner.steering != nullptr) steering = inner.steering;
    failed_ |= inner.failed_;
    if (!made || inner.failed_ || inner.steering != nullptr) return nullptr;
    if (made.type.bits != type.bits || made.type.lanes != 1) {
        error(call.place, fmt::format("it makes {} of {}", to_text(made.type), to_text(type)));
        return nullptr;
    }
    ir::Graph& made_graph = inner.graph;
    inner.builder.end({.op = Op::give, .operands = {made.id, no_value, no_value}});
    ir::optimise(made_graph);
    ir::Block& block = made_graph.blocks[0];
    const bool is_pure = std::all_of(block.body.begin(), block.body.end(), [](const ir::Instruction& each) {
        return about(each.op).effect == ir::Effect::pure;
    });
    // The first is the address behind the instruction, which lowering begins with.
    const std::size_t opened = inner.openings_.size();
    const bool is_used = std::any_of(block.body.begin(), block.body.end(), [&](const ir::Instruction& each) {
        const auto inputs = each.inputs();
        return opened != 0 && std::find(inputs.begin(), inputs.end(), block.arguments[0]) != inputs.end();
    });
    if (made_graph.blocks.size() != 1 || !is_pure || is_used || opened > 1) {
        error(call.place, "what updates memory may depend on nothing but the values that it is called with");
        return nullptr;
    }
    if (opened == 1) block.arguments.erase(block.arguments.begin());
    return std::make_shared<const ir::Graph>(std::move(made_graph));
}

// A function is lowered anew at each call. What is passed as a location stays one: the function may assign it.
Item Lowering::call_function(const Function& function, const Expression& expression) {
    if (expression.operands.size() != function.parameters.size()) {
        error(expression.place, fmt::format("`{}` takes {} argument{} ({}), not {}", function.name,
                                            function.parameters.size(), function.parameters.size() == 1 ? "" : "s",
                                            joined(function.parameters), expression.operands.size()))
            .note(function.place, "it is defined here");
        return {};
    }
    for (const Context& active : contexts_)
        if (active.function == &function) {
            error(expression.place, fmt::format("`{}` calls itself: a meaning cannot be recursive", function.name));
            return {};
        }
    Context inner;
    inner.function = &function;
    inner.call = expression.place;
    inner.locks = locks_;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        Item argument = item(*expression.operands[i]);
        if (!argument) return {};
        inner.locals.push_back(
            {function.parameters[i], std::move(argument), no_slot, true, true, expression.operands[i]->place});
    }
    note_assigned(function.body, inner);
    contexts_.push_back(std::move(inner));
    const std::size_t kept = slots.size();
    block(function.body);
    leave_scope(function.parameters.size(), &function.body);
    Context& done = context();
    if (!done.returns.empty()) {
        if (!done.finished && !left_)
            error(function.place, fmt::format("not every path through `{}` returns a value", function.name));
        done.result = returned(done.returns, kept);
        left_ = false;
    }
    Item result = std::move(done.result);
    contexts_.pop_back();
    if (left_) return {};
    return result;
}

}  // namespace isaforge::semantics

// Constant expressions: what must be known before any instruction runs, such as widths, codes and the bounds of ranges.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "language/resolver.hpp"

namespace isaforge::language {

using semantics::Expression;
using semantics::ExpressionKind;
using semantics::Operator;

namespace {

std::optional<std::uint64_t> apply(Operator op, std::uint64_t a, std::uint64_t b) {
    switch (op) {
        case Operator::add: return a + b;
        case Operator::sub: return a - b;
        case Operator::mul: return a * b;
        case Operator::div: return b == 0 ? std::nullopt : std::optional(a / b);
        case Operator::rem: return b == 0 ? std::nullopt : std::optional(a % b);
        case Operator::bit_and: return a & b;
        case Operator::bit_or: return a | b;
        case Operator::bit_xor: return a ^ b;
        case Operator::shift_left: return b < 64 ? a << b : 0;
        case Operator::shift_right: return b < 64 ? a >> b : 0;
        case Operator::equal: return a == b;
        case Operator::not_equal: return a != b;
        case Operator::less: return a < b;
        case Operator::less_equal: return a <= b;
        case Operator::greater: return a > b;
        case Operator::greater_equal: return a >= b;
        case Operator::logical_and: return a != 0 && b != 0;
        case Operator::logical_or: return a != 0 || b != 0;
        default: return std::nullopt;
    }
}

struct Evaluator {
    const Isa& isa;
    const Bindings& bindings;
    const std::set<std::string>& broken;
    Diagnostics* diagnostics;

    std::optional<std::uint64_t> fail(Place place, std::string message) const {
        if (diagnostics) diagnostics->error(place, std::move(message));
        return std::nullopt;
    }

    std::optional<std::uint64_t> name(const Expression& node) const {
        const Binding* const bound = bindings.find(node.name);
        if (bound && bound->number) return bound->number;
        const auto constant = isa.constants.find(node.name);
        if (constant != isa.constants.end()) return constant->second;
        if (broken.contains(node.name)) return std::nullopt;
        const auto message = fmt::format("'{}' is not a constant known here", node.name);
        if (!diagnostics) return std::nullopt;
        std::vector<std::string_view> known;
        for (const auto& [other, value] : isa.constants) known.push_back(other);
        for (const auto& [other, binding] : bindings.entries()) known.push_back(other);
        Diagnostic& error = diagnostics->error(node.place, message);
        const std::string_view meant = nearest(node.name, known);
        if (!meant.empty()) error.suggest(std::string(meant));
        return std::nullopt;
    }

    std::optional<std::uint64_t> unary(const Expression& node) const {
        const auto a = value(*node.operands[0]);
        if (!a) return std::nullopt;
        if (node.op == Operator::negate) return 0 - *a;
        if (node.op == Operator::bit_not) return ~*a;
        if (node.op == Operator::logical_not) return *a == 0;
        return fail(node.place, "this operator is for floats and cannot be used in a constant");
    }

    std::optional<std::uint64_t> member(const Expression& node) const {
        const auto code = value(*node.operands[0]);
        if (!code) return std::nullopt;
        const KindFact fact = isa.kind_fact(*code, node.name);
        if (fact.value || !diagnostics) return fact.value;
        Diagnostic& error = diagnostics->error(node.place, fact.problem);
        if (!fact.nearest.empty()) error.suggest(std::string(fact.nearest));
        return std::nullopt;
    }

    std::optional<std::uint64_t> value(const Expression& node) const {
        switch (node.kind) {
            case ExpressionKind::integer: return node.integer;
            case ExpressionKind::name: return name(node);
            case ExpressionKind::unary: return unary(node);
            case ExpressionKind::member: return member(node);
            case ExpressionKind::binary: {
                const auto a = value(*node.operands[0]), b = value(*node.operands[1]);
                if (!a || !b) return std::nullopt;
                const auto result = apply(node.op, *a, *b);
                if (result) return result;
                const bool by_zero = (node.op == Operator::div || node.op == Operator::rem) && *b == 0;
                return fail(node.place, by_zero ? "division by zero" : "this cannot be computed as a constant");
            }
            case ExpressionKind::conditional: {
                const auto condition = value(*node.operands[0]);
                if (!condition) return std::nullopt;
                return value(*node.operands[*condition ? 1 : 2]);
            }
            case ExpressionKind::floating:
                return fail(node.place, "a constant is an integer; write a float by its bits");
            default: return fail(node.place, "this is not known before a program runs: only numbers and constants are");
        }
    }
};

}  // namespace

std::optional<std::uint64_t> Resolver::evaluate(const ExpressionPointer& expression, const Bindings& bindings,
                                                bool complain) {
    if (!expression) return std::nullopt;
    return Evaluator{isa_, bindings, broken_, complain ? &diagnostics_ : nullptr}.value(*expression);
}

std::optional<unsigned> Resolver::evaluate_width(const ExpressionPointer& expression, const Bindings& bindings) {
    const auto value = evaluate(expression, bindings);
    if (!value) return std::nullopt;
    if (*value >= 1 && *value <= 64) return static_cast<unsigned>(*value);
    diagnostics_.error(expression->place, fmt::format("a width is 1 to 64 bits, not {}", *value));
    return std::nullopt;
}

const semantics::TypeAlias* Resolver::find_alias(const std::string& name) const {
    for (const auto& alias : isa_.types) {
        if (alias->name == name) return alias.get();
    }
    return nullptr;
}

// The width of a type. One that has a name is what that stands for.
std::optional<unsigned> Resolver::evaluate_type(const semantics::TypeName& type, const Bindings& bindings,
                                                bool* is_signed) {
    if (type.name.empty()) {
        if (is_signed) *is_signed = type.is_signed;
        return evaluate_width(type.width, bindings);
    }
    const semantics::TypeAlias* const alias = find_alias(type.name);
    if (!alias) {
        if (broken_.contains(type.name)) return std::nullopt;
        std::vector<std::string_view> known;
        for (const auto& other : isa_.types) known.push_back(other->name);
        Diagnostic& error = diagnostics_.error(type.place, fmt::format("there is no type '{}'", type.name));
        const std::string_view meant = nearest(type.name, known);
        if (!meant.empty()) error.suggest(std::string(meant));
        return std::nullopt;
    }
    if (type.arguments.size() != alias->parameters.size()) {
        diagnostics_.error(type.place,
                           fmt::format("type '{}' takes {} argument{}, not {}", type.name, alias->parameters.size(),
                                       alias->parameters.size() == 1 ? "" : "s", type.arguments.size()));
        return std::nullopt;
    }
    Bindings inner;
    for (std::size_t i = 0; i < type.arguments.size(); ++i) {
        const auto value = evaluate(type.arguments[i], bindings);
        if (!value) return std::nullopt;
        inner.set(alias->parameters[i], {.number = value});
    }
    return evaluate_type(alias->meaning, inner, is_signed);
}

// The names of types are known before anything is looked at that has one.
void Resolver::resolve_types() {
    std::map<std::string_view, const semantics::TypeAlias*> known;
    for (const auto& alias : description_.types) {
        known.emplace(alias->name, alias.get());
        for (const auto& function : description_.functions) {
            if (function->name == alias->name)
                diagnostics_.error(alias->place, fmt::format("'{}' is a function too", alias->name))
                    .note(function->place, "it is defined here");
        }
    }
    for (const auto& alias : description_.types) {
        std::size_t steps = 0;
        for (auto at = known.find(alias->name); at != known.end() && steps <= known.size(); ++steps)
            at = known.find(at->second->meaning.name);
        if (steps > known.size()) {
            diagnostics_.error(alias->place, fmt::format("type '{}' stands for itself", alias->name));
            broken_.insert(alias->name);
        } else {
            isa_.types.push_back(alias);
        }
    }
}

// A kind's code is its place among the declarations of all variants, so that it is the same in all of them.
std::optional<std::uint64_t> Resolver::resolve_kind(const ConstantDeclaration& declaration) {
    const auto first = std::ranges::find_if(description_.constants, [&](const ConstantDeclaration& other) {
        return !other.value && other.name.text == declaration.name.text;
    });
    Kind kind{declaration.name.text,
              Kind::first_code + std::uint64_t(first - description_.constants.begin()),
              {},
              declaration.name.place};
    for (const WhereSyntax& fact : declaration.facts) {
        const auto value = evaluate(fact.value, {});
        if (!value) return std::nullopt;
        if (!kind.facts.emplace(fact.name.text, *value).second)
            diagnostics_.error(fact.name.place, fmt::format("'{}' says '{}' twice", kind.name, fact.name.text));
    }
    return isa_.kinds.emplace_back(std::move(kind)).code;
}

void Resolver::resolve_constants() {
    std::map<std::string, Place> seen;
    std::map<std::string, std::uint64_t> asked = options_.parameters;
    for (const ConstantDeclaration& declaration : description_.constants) {
        if (diagnostics_.overflowing()) return;
        for (const WhereSyntax& fact : declaration.facts) {
            if (std::ranges::find(isa_.kind_facts, fact.name.text) == isa_.kind_facts.end())
                isa_.kind_facts.push_back(fact.name.text);
        }
        if (!here(declaration.only)) continue;
        const std::string& name = declaration.name.text;
        const auto [it, inserted] = seen.emplace(name, declaration.name.place);
        if (!inserted)
            diagnostics_.error(declaration.name.place, fmt::format("constant '{}' is declared twice", name))
                .note(it->second, "first here");
        auto value = declaration.value ? evaluate(declaration.value, {}) : resolve_kind(declaration);
        const auto given = asked.find(name);
        if (declaration.parameter && given != asked.end()) {
            value = given->second;
            bool allowed = declaration.allowed.empty();
            for (const ExpressionPointer& choice : declaration.allowed) allowed |= evaluate(choice, {}) == value;
            if (!allowed)
                diagnostics_.error(declaration.name.place, fmt::format("parameter {} cannot be {}", name, *value));
            asked.erase(given);
        }
        if (value && name == "pc_bits" && (*value < 1 || *value > 64)) {
            diagnostics_.error(
                declaration.name.place,
                fmt::format("pc_bits is the width of pc, 1 to 64 bits, and not {}", static_cast<std::int64_t>(*value)));
            value = std::nullopt;
        }
        if (value && inserted) isa_.constants[name] = *value;
        if (declaration.parameter && inserted) {
            Parameter& parameter = isa_.parameters.emplace_back(Parameter{name, {}, declaration.name.place});
            for (const ExpressionPointer& choice : declaration.allowed) {
                if (const auto one = evaluate(choice, {}, false)) parameter.allowed.push_back(*one);
            }
        }
        if (!value) broken_.insert(name);
    }
    for (const auto& [name, value] : asked) {
        std::vector<std::string_view> known;
        for (const ConstantDeclaration& declaration : description_.constants) {
            if (declaration.parameter) known.push_back(declaration.name.text);
        }
        const std::string_view meant = nearest(name, known);
        diagnostics_.error({}, fmt::format("{} has no parameter '{}'{}", isa_.name, name,
                                           meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
    }
}

}  // namespace isaforge::language

// Values with symbols: how they combine while they are read, and what their trees come to when positions are known.
// Apart from reading, because evaluation runs again and again while the layout settles.
#include <fmt/format.h>

#include "assembler/expression.hpp"
#include "assembler/limits.hpp"

namespace isaforge::assembler {

namespace {

bool is_place(const Node& node) { return node.op == Operator::symbol || node.op == Operator::position; }
bool is_comparison(Operator op) { return op >= Operator::less && op <= Operator::not_equal; }

std::int64_t wrap_add(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

double real(const Value& value) { return value.is_integer() ? value.integer.real() : value.floating; }

}  // namespace

Index Expressions::leaf(Integer value) {
    nodes_.push_back({.op = Operator::integer, .negative = value.negative, .value = value.bits});
    return static_cast<Index>(nodes_.size() - 1);
}

Index Expressions::leaf(const Position& position) {
    nodes_.push_back(
        {.op = Operator::position, .a = position.section, .b = position.fragment, .value = position.offset});
    return static_cast<Index>(nodes_.size() - 1);
}

Index Expressions::leaf(Index symbol, unsigned modifier, std::int64_t addend) {
    nodes_.push_back(
        {.op = Operator::symbol, .a = symbol, .modifier = static_cast<std::uint8_t>(modifier), .addend = addend});
    return static_cast<Index>(nodes_.size() - 1);
}

Value Expressions::symbol_value(Index symbol) {
    if (symbols_[symbol].live && refresh) refresh();
    const SymbolEntry& entry = symbols_[symbol];
    if (entry.kind == SymbolKind::integer) return Value::of(Integer(entry.value, entry.negative));
    if (entry.kind == SymbolKind::floating) {
        double number;
        std::memcpy(&number, &entry.value, sizeof number);
        return Value::of(number);
    }
    Value value;
    value.kind = Value::Kind::symbolic;
    if (entry.kind == SymbolKind::expression) {
        value.node = static_cast<Index>(entry.value);
    } else {
        value.node = static_cast<Index>(nodes_.size());
        nodes_.push_back({.op = Operator::symbol, .a = symbol});
    }
    return value;
}

// --- names and scopes

Index Expressions::reference(std::string_view name) {
    if (!scopes.used() && name.find("::") == std::string_view::npos) return symbols_.intern(name, stable_text);
    scopes.mark_used();
    const std::string whole = scopes.reference(name, [&](std::string_view candidate) {
        const Index found = symbols_.find(candidate);
        return found != no_index && symbols_[found].kind != SymbolKind::undefined;
    });
    const Index symbol = symbols_.intern(whole, false);
    const bool simple = name.find("::") == std::string_view::npos;
    if (symbols_[symbol].kind == SymbolKind::undefined && simple && whole != name) unsettled_.push_back(symbol);
    return symbol;
}

Index Expressions::definition(std::string_view name) {
    if (!scopes.used() && name.find("::") == std::string_view::npos) return symbols_.intern(name, stable_text);
    scopes.mark_used();
    return symbols_.intern(scopes.definition(name), false);
}

void Expressions::settle_references() {
    for (const Index symbol : unsettled_) {
        if (symbols_[symbol].kind != SymbolKind::undefined) continue;
        const std::string_view whole = symbols_[symbol].name;
        const std::string_view name = whole.substr(whole.rfind("::") + 2);
        std::string_view scope = whole.substr(0, whole.rfind("::"));
        Index meant = no_index;
        while (!scope.empty() && meant == no_index) {
            const std::size_t mark = scope.rfind("::");
            scope = mark == std::string_view::npos ? std::string_view{} : scope.substr(0, mark);
            const Index found = symbols_.find(scope.empty() ? std::string(name) : fmt::format("{}::{}", scope, name));
            if (found != no_index && symbols_[found].kind != SymbolKind::undefined) meant = found;
        }
        if (meant == no_index) meant = symbols_.intern(std::string(name), false);
        const Value value = symbol_value(meant);
        SymbolEntry& entry = symbols_[symbol];
        if (value.kind == Value::Kind::floating) {
            entry.kind = SymbolKind::floating;
            std::memcpy(&entry.value, &value.floating, sizeof entry.value);
            continue;
        }
        entry.kind = SymbolKind::expression;
        entry.value = value.is_symbolic() ? value.node : leaf(value.integer);
    }
    unsettled_.clear();
}

Index Expressions::node_of(const Value& value) { return value.is_symbolic() ? value.node : leaf(value.integer); }

bool Expressions::add_node(const Node& node, const char* at, Value& result) {
    std::uint16_t depth = 0;
    if (node.a != no_index) depth = std::max(depth, nodes_[node.a].depth);
    if (node.b != no_index) depth = std::max(depth, nodes_[node.b].depth);
    if (node.op == Operator::select) depth = std::max(depth, nodes_[node.value].depth);
    if (depth >= limits::tree_depth)
        return fail(at, fmt::format("this expression with symbols nests more than {} deep", limits::tree_depth));
    if (nodes_.size() >= limits::nodes) return fail_full(at);
    result.kind = Value::Kind::symbolic;
    result.node = static_cast<Index>(nodes_.size());
    nodes_.push_back(node);
    nodes_.back().depth = static_cast<std::uint16_t>(depth + 1);
    return true;
}

bool Expressions::combine(Operator op, const Value& a, const Value& b, const char* at, Value& result) {
    if (a.is_integer() && b.is_integer()) {
        Integer value;
        if (!apply(op, a.integer, b.integer, value)) return fail(at, "division by zero");
        result = Value::of(value);
        return true;
    }
    if (a.kind == Value::Kind::floating || b.kind == Value::Kind::floating)
        return combine_floating(op, a, b, at, result);
    return combine_symbolic(op, a, b, at, result);
}

bool Expressions::combine_floating(Operator op, const Value& a, const Value& b, const char* at, Value& result) {
    if (a.is_symbolic() || b.is_symbolic()) {
        return fail(at, "a floating-point number cannot be combined with a symbol that has no value yet");
    }
    const double x = real(a), y = real(b);
    const auto truth = [](bool value) { return Value::of(Integer(value ? 1 : 0, false)); };
    switch (op) {
        case Operator::add: result = Value::of(x + y); return true;
        case Operator::subtract: result = Value::of(x - y); return true;
        case Operator::multiply: result = Value::of(x * y); return true;
        case Operator::divide: result = Value::of(x / y); return true;
        case Operator::less: result = truth(x < y); return true;
        case Operator::less_equal: result = truth(x <= y); return true;
        case Operator::greater: result = truth(x > y); return true;
        case Operator::greater_equal: result = truth(x >= y); return true;
        case Operator::equal: result = truth(x == y); return true;
        case Operator::not_equal: result = truth(x != y); return true;
        default: return fail(at, "this operator takes integers only");
    }
}

bool Expressions::combine_symbolic(Operator op, const Value& a, const Value& b, const char* at, Value& result) {
    // A sum with a number stays one leaf, so that `table + 4` costs no tree.
    if ((op == Operator::add || op == Operator::subtract) && a.is_symbolic() != b.is_symbolic()) {
        const Value& place = a.is_symbolic() ? a : b;
        const Value& number = a.is_symbolic() ? b : a;
        if (is_place(nodes_[place.node]) && (op == Operator::add || a.is_symbolic()) && nodes_.size() < limits::nodes) {
            Node node = nodes_[place.node];
            const std::uint64_t by = op == Operator::add ? number.integer.bits : 0 - number.integer.bits;
            node.addend = wrap_add(node.addend, static_cast<std::int64_t>(by));
            nodes_.push_back(node);
            result.kind = Value::Kind::symbolic;
            result.node = static_cast<Index>(nodes_.size() - 1);
            return true;
        }
    }
    Value difference;
    if ((op == Operator::subtract || is_comparison(op)) && known_difference(a, b, difference)) {
        if (op == Operator::subtract) {
            result = difference;
            return true;
        }
        return combine(op, difference, Value::of(Integer()), at, result);
    }
    const Index left = node_of(a);
    return add_node({.op = op, .a = left, .b = node_of(b)}, at, result);
}

bool Expressions::combine_unary(Operator op, const char* at, Value& value) {
    if (op == Operator::add) return true;
    if (value.is_integer()) {
        value = Value::of(apply(op, value.integer));
        return true;
    }
    if (value.is_symbolic()) return add_node({.op = op, .a = value.node}, at, value);
    if (op != Operator::negate) return fail(at, "this operator takes integers only");
    value.floating = -value.floating;
    return true;
}

// The position of a leaf that has one.
bool Expressions::position_of(const Node& node, Position& position) const {
    if (node.op == Operator::position) {
        position = {node.a, node.b, node.value};
        return true;
    }
    if (node.modifier != 0) return false;
    if (node.op != Operator::symbol || symbols_[node.a].kind != SymbolKind::label) return false;
    position = symbols_[node.a].position;
    return true;
}

// Positions in one fragment keep their distance whatever the layout.
bool Expressions::known_difference(const Value& a, const Value& b, Value& result) {
    if (!a.is_symbolic() || !b.is_symbolic()) return false;
    Position from, to;
    const Node &left = nodes_[a.node], &right = nodes_[b.node];
    if (!position_of(left, to) || !position_of(right, from)) return false;
    if (to.section != from.section || to.fragment != from.fragment) return false;
    const unsigned step = sections_.step(to.section);
    const auto distance = static_cast<std::int64_t>(to.offset / step) - static_cast<std::int64_t>(from.offset / step);
    const Wide whole = static_cast<Wide>(distance) + left.addend - right.addend;
    result = Value::of(Integer::from(whole));
    return true;
}

Resolved Expressions::resolve(const Position& position) const {
    const unsigned step = sections_.step(position.section);
    Resolved result;
    result.base = Resolved::Base::section;
    result.index = position.section;
    if (before_layout_) {
        result.fragment = position.fragment;
        result.offset = Integer(position.offset / step, false);
        return result;
    }
    if (sections_.addresses_final()) {
        result.base = Resolved::Base::absolute;
        result.index = no_index;
    }
    result.offset = Integer(sections_.address(position) / step, false);
    return result;
}

bool Expressions::floating_value(Index node, double& value) const {
    bool negated = false;
    // A symbol may stand for another symbol; the bound ends circles.
    for (unsigned steps = 0; steps < 64; ++steps) {
        const Node& at = nodes_[node];
        if (at.op == Operator::negate) {
            negated = !negated;
            node = at.a;
            continue;
        }
        if (at.op != Operator::symbol || at.addend != 0) return false;
        const SymbolEntry& entry = symbols_[at.a];
        if (entry.kind == SymbolKind::floating) {
            std::memcpy(&value, &entry.value, sizeof value);
            if (negated) value = -value;
            return true;
        }
        if (entry.kind != SymbolKind::expression) return false;
        node = static_cast<Index>(entry.value);
    }
    return false;
}

bool Expressions::evaluate(Index node, bool before_layout, Resolved& result) {
    before_layout_ = before_layout;
    steps_ = 0;
    depth_ = 0;
    error.clear();
    error_at = nullptr;
    const bool good = evaluate_node(node, result);
    depth_ = 0;
    return good;
}

bool Expressions::fail_large() {
    if (depth_ > 2 * limits::tree_depth)
        return fail(nullptr, fmt::format("symbols depend on each other more than {} deep", 2 * limits::tree_depth));
    if (steps_ > limits::steps)
        return fail(nullptr, fmt::format("this expression takes more than {} steps", limits::steps));
    return fail(nullptr, fmt::format("all expressions together take more than {} steps", limits::all_steps));
}

bool Expressions::evaluate_node(Index index, Resolved& result) {
    if (++steps_ > limits::steps || ++all_steps_ > limits::all_steps || depth_ > 2 * limits::tree_depth)
        return fail_large();
    const Node& node = nodes_[index];
    result = {};
    switch (node.op) {
        case Operator::integer: result.offset = Integer(node.value, node.negative); return true;
        case Operator::symbol:
            if (node.modifier != 0) {
                result.base = Resolved::Base::symbol;
                result.index = node.a;
                result.modifier = node.modifier;
            } else if (!evaluate_symbol(node.a, result)) {
                return false;
            }
            result.offset = Integer::from(result.offset.wide() + node.addend);
            return true;
        case Operator::position:
            result = resolve({node.a, node.b, node.value});
            result.offset = Integer::from(result.offset.wide() + node.addend);
            return true;
        default: break;
    }
    ++depth_;
    const bool good = evaluate_binary(node, result);
    --depth_;
    return good;
}

bool Expressions::evaluate_symbol(Index symbol, Resolved& result) {
    SymbolEntry& entry = symbols_[symbol];
    switch (entry.kind) {
        case SymbolKind::integer: result.offset = Integer(entry.value, entry.negative); return true;
        case SymbolKind::floating: return fail(nullptr, fmt::format("'{}' is a floating-point number", entry.name));
        case SymbolKind::label:
            result = resolve(entry.position);
            if (result.base == Resolved::Base::section) result.via = symbol;
            return true;
        case SymbolKind::undefined:
            if (constants != nullptr)
                if (const auto known = constants->find(std::string(entry.name)); known != constants->end()) {
                    result.offset = Integer(known->second, false);
                    return true;
                }
            [[fallthrough]];
        case SymbolKind::common:
            result.base = Resolved::Base::symbol;
            result.index = symbol;
            return true;
        case SymbolKind::expression: break;
    }
    if (entry.evaluating) return fail(nullptr, fmt::format("the value of '{}' depends on itself", entry.name));
    entry.evaluating = true;
    ++depth_;
    const bool good = evaluate_node(static_cast<Index>(entry.value), result);
    --depth_;
    symbols_[symbol].evaluating = false;
    return good;
}

bool Expressions::evaluate_binary(const Node& node, Resolved& result) {
    using Base = Resolved::Base;
    Resolved a, b;
    if (!evaluate_node(node.a, a)) return false;
    if (node.op == Operator::select) {
        if (a.base != Base::absolute) return fail(nullptr, "a condition must be an absolute number");
        return evaluate_node(a.offset.bits != 0 ? node.b : static_cast<Index>(node.value), result);
    }
    if (node.b == no_index) {
        if (a.base != Base::absolute) return fail(nullptr, "this operator cannot be applied to an address");
        result.offset = apply(node.op, a.offset);
        return true;
    }
    if (!evaluate_node(node.b, b)) return false;
    const bool comparable = node.op == Operator::subtract || is_comparison(node.op);
    if ((a.base == Base::absolute && b.base == Base::absolute) || (comparable && a.same_base(b))) {
        return apply(node.op, a.offset, b.offset, result.offset) || fail(nullptr, "division by zero");
    }
    if (node.op == Operator::add && (a.base == Base::absolute || b.base == Base::absolute)) {
        result = a.base == Base::absolute ? b : a;
        return apply(Operator::add, a.offset, b.offset, result.offset);
    }
    if (node.op == Operator::subtract && b.base == Base::absolute) {
        result = a;
        return apply(Operator::subtract, a.offset, b.offset, result.offset);
    }
    for (const Resolved* side : {&a, &b}) {
        if (side->base == Base::symbol && node.op != Operator::subtract) {
            return fail(nullptr, fmt::format("the value of '{}' is not known", symbols_[side->index].name));
        }
    }
    if (node.op == Operator::subtract) return fail(nullptr, "the difference of these addresses is not known");
    return fail(nullptr, "this operator cannot be applied to addresses");
}

}  // namespace isaforge::assembler

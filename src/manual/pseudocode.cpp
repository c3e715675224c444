#include "manual/pseudocode.hpp"

#include <algorithm>

namespace isaforge::manual {

using semantics::Block;
using semantics::Expression;
using semantics::ExpressionKind;
using semantics::ExpressionPointer;
using semantics::Operator;
using semantics::Statement;
using semantics::StatementKind;
using semantics::TypeName;

const Field* Scope::field(std::string_view name) const {
    if (!fields) return nullptr;
    for (const Field& field : *fields) {
        if (field.name == name) return &field;
    }
    return nullptr;
}

const Naming* Scope::naming(std::string_view name) const {
    for (const auto* list : namings) {
        for (const Naming& naming : *list) {
            if (naming.name == name) return &naming;
        }
    }
    return nullptr;
}

Scope scope_of(const Edition& edition, const Form& form, const Instruction& instruction, std::string root) {
    return {edition,
            std::move(root),
            &form.fields.list(),
            {&instruction.names_in_meaning.list(), &form.names_in_meaning.list()},
            {}};
}

namespace {

// What a constant is: its number, or what the kind says.
std::string meant_by(const Isa& isa, const std::string& constant) {
    const std::uint64_t value = isa.constants.at(constant);
    const Kind* const kind = isa.kind_of(value);
    if (!kind) return fmt::format("{0:#x}, {0}", value);
    std::string out;
    for (const auto& [fact, number] : kind->facts) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", fact, number);
    return out;
}

// How tight an operator binds, as the parser has it.
unsigned level_of(Operator op) {
    switch (op) {
        case Operator::logical_or: return 0;
        case Operator::logical_and: return 1;
        case Operator::bit_or: return 3;
        case Operator::bit_xor: return 4;
        case Operator::bit_and: return 5;
        case Operator::concat: return 6;
        case Operator::shift_left:
        case Operator::shift_right: return 7;
        case Operator::add:
        case Operator::sub:
        case Operator::fadd:
        case Operator::fsub: return 8;
        case Operator::mul:
        case Operator::div:
        case Operator::rem:
        case Operator::fmul:
        case Operator::fdiv: return 9;
        default: return 2;
    }
}
constexpr unsigned loosest = 0, unary_level = 10, postfix_level = 11, conditional_level = 0;

class Printer {
public:
    explicit Printer(const Scope& scope) : scope_(scope), locals_(scope.locals) {}

    // `level`: what binds less tight stands in parentheses. A conditional binds least of all.
    void expression(const Expression& node, unsigned level = loosest, bool inside = false) {
        switch (node.kind) {
            case ExpressionKind::integer: integer(node.integer); break;
            case ExpressionKind::floating: out_("<i>").text(floating(node.floating))("</i>"); break;
            case ExpressionKind::text: out_("<q>").text(node.name)("</q>"); break;
            case ExpressionKind::name: name(node.name); break;
            case ExpressionKind::operation: out_.text(semantics::spelling(node.op)); break;
            case ExpressionKind::unary:
                out_.text(semantics::spelling(node.op));
                expression(*node.operands[0], unary_level, true);
                break;
            case ExpressionKind::binary: binary(node, level); break;
            case ExpressionKind::conditional: conditional(node, level, inside); break;
            case ExpressionKind::slice: slice(node); break;
            case ExpressionKind::element: element(node); break;
            case ExpressionKind::member:
                expression(*node.operands[0], postfix_level, true);
                out_(".").text(node.name);
                break;
            case ExpressionKind::consecutive: consecutive(node); break;
            case ExpressionKind::choose: choose(node); break;
            case ExpressionKind::call: call(node); break;
        }
    }

    void block(const Block& block, unsigned indent) {
        for (const Statement& statement : block) {
            line(indent);
            this->statement(statement, indent);
        }
    }

    Html take() { return std::move(out_); }

private:
    void line(unsigned indent) {
        if (!out_.empty()) out_("\n");
        for (unsigned i = 0; i < indent; ++i) out_("    ");
    }
    void keyword(std::string_view word) { out_("<b>").text(word)("</b>"); }

    static std::string floating(double value) {
        std::string out = fmt::format("{}", value);
        return out.find_first_of(".en") == std::string::npos ? out + ".0" : out;
    }

    // Small numbers are counted, large ones are bits.
    void integer(std::uint64_t value) {
        out_("<i>").text(value < 4096 ? std::to_string(value) : fmt::format("{:#x}", value))("</i>");
    }

    void name(const std::string& name) {
        if (locals_.contains(name) || name == semantics::case_subject) {
            out_.text(name);
            return;
        }
        if (scope_.field(name)) {
            out_("<var>").text(name)("</var>");
            return;
        }
        if (scope_.naming(name)) {
            out_("<em>").text(name)("</em>");
            return;
        }
        const Named known = scope_.edition.find(name);
        switch (known.kind) {
            case Named::Kind::registers: out_.link(scope_.root + "registers.html#" + slug(name), name); break;
            case Named::Kind::memory: out_.link(scope_.root + "machine.html#memory-" + slug(name), name); break;
            case Named::Kind::mode: out_.link(scope_.root + "machine.html#mode-" + slug(name), name); break;
            case Named::Kind::function:
            case Named::Kind::naming: out_.link(scope_.root + "functions.html#" + slug(name), name); break;
            case Named::Kind::constant:
                out_("<abbr title=\"").text(meant_by(scope_.edition.isa, name))("\">");
                out_.text(name)("</abbr>");
                break;
            case Named::Kind::none: out_.text(name); break;
        }
    }

    void binary(const Expression& node, unsigned level) {
        const unsigned own = level_of(node.op);
        if (own < level) out_("(");
        expression(*node.operands[0], own, true);
        out_(" ").text(semantics::spelling(node.op))(" ");
        expression(*node.operands[1], own + 1, true);
        if (own < level) out_(")");
    }

    void conditional(const Expression& node, unsigned, bool inside) {
        if (inside) out_("(");
        expression(*node.operands[0], loosest, true);
        out_(" ? ");
        expression(*node.operands[1], conditional_level, true);
        out_(" : ");
        expression(*node.operands[2], conditional_level);
        if (inside) out_(")");
    }

    void slice(const Expression& node) {
        expression(*node.operands[0], postfix_level, true);
        out_("[");
        expression(*node.operands[1]);
        if (node.operands.size() > 2 && node.operands[2]) {
            out_(":");
            expression(*node.operands[2]);
        }
        out_("]");
    }

    void type(const TypeName& type) {
        if (!type.name.empty()) {
            out_.text(type.name);
            if (!type.arguments.empty()) arguments(type.arguments);
            return;
        }
        out_.text(type.is_signed ? "s" : "u");
        if (!type.width) return;
        if (type.width->kind == ExpressionKind::integer) {
            out_.number(type.width->integer);
        } else {
            out_("(");
            expression(*type.width);
            out_(")");
        }
    }

    void element(const Expression& node) {
        name(node.name);
        if (node.type.written()) {
            out_(".");
            type(node.type);
        }
        out_("[");
        expression(*node.operands[0]);
        out_("]");
    }

    void consecutive(const Expression& node) {
        expression(*node.operands[0], postfix_level, true);
        if (node.type.written()) {
            out_(".");
            type(node.type);
        }
        out_("[");
        expression(*node.operands[1]);
        out_(" +: ");
        expression(*node.operands[2]);
        out_("]");
    }

    void arguments(const std::vector<ExpressionPointer>& list) {
        out_("(");
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (i > 0) out_(", ");
            expression(*list[i]);
        }
        out_(")");
    }

    void call(const Expression& node) {
        if (node.name.empty()) {
            type(node.type);
        } else if (scope_.edition.find(node.name).kind == Named::Kind::none && !locals_.contains(node.name)) {
            out_("<b class=\"built-in\">").text(node.name)("</b>");
        } else {
            name(node.name);
        }
        arguments(node.operands);
    }

    // The patterns of each arm, and whether there is an else.
    void patterns(const Expression& choice, std::size_t& at) {
        for (bool first = true; at < choice.operands.size() && choice.operands[at]; at += 2, first = false) {
            if (!first) out_(", ");
            expression(*choice.operands[at]);
            if (choice.operands[at + 1] != choice.operands[at]) {
                out_("..");
                expression(*choice.operands[at + 1]);
            }
        }
        ++at;
    }

    void choose(const Expression& node) {
        keyword("case");
        out_(" ");
        expression(*node.operands[0]);
        out_(" { ");
        const Expression* rest = node.operands[1].get();
        for (std::size_t at = 2; at < node.operands.size();) {
            patterns(node, at);
            out_(": ");
            const bool last = at >= node.operands.size() && node.integer == 0;
            if (last || rest->kind != ExpressionKind::conditional) {
                expression(*rest);
                rest = nullptr;
                break;
            }
            expression(*rest->operands[1]);
            out_("; ");
            rest = rest->operands[2].get();
        }
        if (rest && node.integer != 0) {
            keyword("else");
            out_(": ");
            expression(*rest);
        }
        out_(" }");
    }

    void statement(const Statement& next, unsigned indent) {
        switch (next.kind) {
            case StatementKind::assign: assign(next); break;
            case StatementKind::local:
                keyword("let");
                locals_.insert(next.name);
                out_(" ").text(next.name)(" = ");
                expression(*next.value);
                break;
            case StatementKind::branch: branch(next, indent); break;
            case StatementKind::repeat:
                keyword("for");
                locals_.insert(next.name);
                out_(" ").text(next.name)(" ");
                keyword("in");
                out_(" ");
                expression(*next.first);
                out_(" .. ");
                expression(*next.last);
                body(next.body, indent);
                break;
            case StatementKind::call: expression(*next.value); break;
            case StatementKind::give:
                keyword("return");
                out_(" ");
                expression(*next.value);
                break;
            case StatementKind::choose: choose(next, indent); break;
            case StatementKind::atomic:
                keyword("atomic");
                out_(" ");
                expression(*next.value);
                body(next.body, indent);
                break;
        }
    }

    void assign(const Statement& next) {
        for (std::size_t i = 0; i < next.targets.size(); ++i) {
            if (i > 0) out_(", ");
            expression(*next.targets[i]);
        }
        out_(" ");
        if (next.compound != Operator::none) out_.text(semantics::spelling(next.compound));
        out_("= ");
        expression(*next.value);
        if (!next.delay) return;
        out_("  ");
        keyword("after");
        out_(" ");
        expression(*next.delay);
    }

    void body(const Block& statements, unsigned indent) {
        out_(" {");
        block(statements, indent + 1);
        line(indent);
        out_("}");
    }

    void branch(const Statement& next, unsigned indent) {
        keyword("if");
        out_(" ");
        expression(*next.value);
        body(next.body, indent);
        if (next.otherwise.empty()) return;
        out_(" ");
        keyword("else");
        if (next.otherwise.size() == 1 && next.otherwise[0].kind == StatementKind::branch) {
            out_(" ");
            branch(next.otherwise[0], indent);
        } else {
            body(next.otherwise, indent);
        }
    }

    void choose(const Statement& next, unsigned indent) {
        keyword("case");
        out_(" ");
        expression(*next.value->operands[0]);
        out_(" {");
        const Block* rest = &next.body;
        for (std::size_t at = 2; at < next.value->operands.size() && rest->size() == 1;) {
            line(indent + 1);
            patterns(*next.value, at);
            out_(":");
            block((*rest)[0].body, indent + 2);
            rest = &(*rest)[0].otherwise;
        }
        if (!rest->empty()) {
            line(indent + 1);
            keyword("else");
            out_(":");
            block(*rest, indent + 2);
        }
        line(indent);
        out_("}");
    }

    const Scope& scope_;
    std::set<std::string, std::less<>> locals_;
    Html out_;
};

}  // namespace

Html expression_html(const Expression& expression, const Scope& scope) {
    Printer printer(scope);
    printer.expression(expression);
    return printer.take();
}

Html block_html(const Block& block, const Scope& scope, unsigned indent) {
    Printer printer(scope);
    printer.block(block, indent);
    return printer.take();
}

}  // namespace isaforge::manual

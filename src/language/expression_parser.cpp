// Meanings: expressions and statements. Precedence is that of today's languages, not of C: comparisons bind looser than
// the bit operators, so `a & 1 == 0` means what it says.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

#include "language/limits.hpp"
#include "language/parser_base.hpp"

namespace isaforge::language {

using semantics::Block;
using semantics::Expression;
using semantics::ExpressionKind;
using semantics::Operator;
using semantics::Statement;
using semantics::StatementKind;
using semantics::TypeName;

namespace {

struct BinaryOperator {
    std::string_view text;
    Operator op;
    unsigned level;
};

// clang-format off
constexpr BinaryOperator binary_operators[] = {
    {"||", Operator::logical_or, 0},      {"&&", Operator::logical_and, 1},  {"==", Operator::equal, 2},
    {"!=", Operator::not_equal, 2},       {"==.", Operator::fequal, 2},      {"!=.", Operator::fnot_equal, 2},
    {"<", Operator::less, 2},             {"<=", Operator::less_equal, 2},   {">", Operator::greater, 2},
    {">=", Operator::greater_equal, 2},   {"<.", Operator::fless, 2},        {"<=.", Operator::fless_equal, 2},
    {">.", Operator::fgreater, 2},        {">=.", Operator::fgreater_equal, 2}, {"|", Operator::bit_or, 3},
    {"^", Operator::bit_xor, 4},          {"&", Operator::bit_and, 5},       {"++", Operator::concat, 6},
    {"<<", Operator::shift_left, 7},      {">>", Operator::shift_right, 7},  {"+", Operator::add, 8},
    {"-", Operator::sub, 8},              {"+.", Operator::fadd, 8},         {"-.", Operator::fsub, 8},
    {"*", Operator::mul, 9},              {"/", Operator::div, 9},           {"%", Operator::rem, 9},
    {"*.", Operator::fmul, 9},            {"/.", Operator::fdiv, 9},
};
// clang-format on

const BinaryOperator* binary_operator(const Token& token) {
    if (token.kind != TokenKind::symbol) return nullptr;
    for (const BinaryOperator& candidate : binary_operators) {
        if (candidate.text == token.text) return &candidate;
    }
    return nullptr;
}

Operator compound_operator(const Token& token) {
    if (token.kind != TokenKind::symbol) return Operator::none;
    if (token.text == "+=") return Operator::add;
    if (token.text == "-=") return Operator::sub;
    if (token.text == "*=") return Operator::mul;
    if (token.text == "&=") return Operator::bit_and;
    if (token.text == "|=") return Operator::bit_or;
    if (token.text == "^=") return Operator::bit_xor;
    if (token.text == "<<=") return Operator::shift_left;
    if (token.text == ">>=") return Operator::shift_right;
    return Operator::none;
}

ExpressionPointer integer(std::uint64_t value, Place place) {
    auto node = std::make_shared<Expression>();
    node->kind = ExpressionKind::integer;
    node->place = place;
    node->integer = value;
    return node;
}

}  // namespace

// u32, s8, and bare u or s whose width follows in parentheses.
bool ParserBase::is_type(std::string_view name) {
    if (name.empty() || (name[0] != 'u' && name[0] != 's') || name.size() > 3) return false;
    for (const char c : name.substr(1)) {
        if (!std::isdigit(static_cast<unsigned char>(c))) return false;
    }
    return true;
}

ExpressionPointer ParserBase::expression() {
    if (!deeper()) return integer(0, peek().place);
    ExpressionPointer out = conditional();
    shallower();
    return out;
}

// The next line, where it begins with what goes on with this one.
void ParserBase::go_on_at(std::string_view symbol) {
    if (at(TokenKind::newline) && next_line_begins(symbol)) skip_newlines();
}

ExpressionPointer ParserBase::conditional() {
    const Place begin = peek().place;
    if (accept("if")) {
        auto node = std::make_shared<Expression>();
        node->kind = ExpressionKind::conditional;
        node->operands.push_back(expression());
        expect("then", "in a conditional expression");
        node->operands.push_back(expression());
        expect("else", "in a conditional expression");
        node->operands.push_back(expression());
        node->place = from(begin);
        return finished(std::move(node));
    }
    ExpressionPointer condition = unconditional();
    go_on_at("?");
    if (!accept("?")) return condition;
    auto node = std::make_shared<Expression>();
    node->kind = ExpressionKind::conditional;
    node->operands = {condition, expression()};
    go_on_at(":");
    expect(":", "between the two values of a conditional expression");
    node->operands.push_back(expression());
    node->place = from(begin);
    return finished(std::move(node));
}

ExpressionPointer ParserBase::unconditional() { return binary(0); }

// Operands whose operators bind at least as tight as `level`, from left to right.
ExpressionPointer ParserBase::binary(unsigned level) {
    const Place begin = peek().place;
    ExpressionPointer left = unary();
    for (;;) {
        const BinaryOperator* found = binary_operator(peek());
        if (!found || found->level < level) return left;
        move_on();
        skip_newlines();  // an operator at the end of a line
        auto node = std::make_shared<Expression>();
        node->kind = ExpressionKind::binary;
        node->op = found->op;
        node->operands = {left, binary(found->level + 1)};
        node->place = from(begin);
        left = finished(std::move(node));
    }
}

ExpressionPointer ParserBase::unary() {
    const Place begin = peek().place;
    Operator op = Operator::none;
    if (at("-")) op = Operator::negate;
    if (at("~")) op = Operator::bit_not;
    if (at("!")) op = Operator::logical_not;
    if (at("-.")) op = Operator::fnegate;
    if (op == Operator::none) return postfix();
    move_on();
    auto node = std::make_shared<Expression>();
    node->kind = ExpressionKind::unary;
    node->op = op;
    if (!deeper()) return integer(0, begin);
    node->operands = {unary()};
    shallower();
    node->place = from(begin);
    return finished(std::move(node));
}

ExpressionPointer ParserBase::postfix() {
    ExpressionPointer base = primary();
    for (;;) {
        if (at("[")) {
            base = subscript(base);
        } else if (at_member()) {
            base = member(base);
        } else {
            return base;
        }
    }
}

// A dot without a blank before it.
bool ParserBase::at_member() const { return at(".") && peek().place.offset == last_.offset + last_.length; }

// register.FIELD, memory.u32[address]
ExpressionPointer ParserBase::member(const ExpressionPointer& base) {
    move_on();
    auto node = std::make_shared<Expression>();
    if (base->kind == ExpressionKind::name && at(TokenKind::name) && (is_type(peek().text) || next_is('('))) {
        node->kind = ExpressionKind::element;
        node->name = base->name;
        node->type = type_name();
        {
            const Nest nest(*this);
            expect("[", "before the address");
            node->operands = {expression()};
            if (accept("+:")) {
                node->kind = ExpressionKind::consecutive;
                node->name.clear();
                node->operands = {base, node->operands[0], expression()};
            }
        }
        expect_close("]", "after the address");
    } else {
        node->kind = ExpressionKind::member;
        node->name = expect_name("the name of a field").text;
        node->operands = {base};
    }
    node->place = from(base->place);
    return finished(std::move(node));
}

// name[i], value[high:low], name[first +: count]; whether name[i] is a register or a bit is known only when names are.
ExpressionPointer ParserBase::subscript(const ExpressionPointer& base) {
    auto node = std::make_shared<Expression>();
    ExpressionPointer high, low;
    bool run = false;
    {
        const Nest nest(*this);
        move_on();
        high = expression();
        run = accept("+:");
        if (run || accept(":")) low = expression();
    }
    expect_close("]", "to close the subscript");
    node->place = from(base->place);
    if (run) {
        node->kind = ExpressionKind::consecutive;
        node->operands = {base, high, low};
        return finished(std::move(node));
    }
    if (!low && base->kind == ExpressionKind::name) {
        node->kind = ExpressionKind::element;
        node->name = base->name;
        node->operands = {high};
        return finished(std::move(node));
    }
    node->kind = ExpressionKind::slice;
    node->operands = {base, high, low};
    return finished(std::move(node));
}

TypeName ParserBase::type_name() {
    TypeName type;
    type.place = peek().place;
    if (!at(TokenKind::name)) {
        complain("a type such as u32 or s8");
        return type;
    }
    const Token name = advance();
    if (!is_type(name.text)) {
        type.name = std::string(name.text);
        if (at_arguments()) type.arguments = arguments();
        type.place = from(type.place);
        return type;
    }
    type.is_signed = name.text[0] == 's';
    if (name.text.size() > 1) {
        type.width = integer(std::stoul(std::string(name.text.substr(1))), name.place);
        return type;
    }
    {
        const Nest nest(*this);
        expect("(", "before the width of the type");
        type.width = expression();
    }
    expect_close(")", "after the width of the type");
    type.place = from(type.place);
    return type;
}

ExpressionPointer ParserBase::call(const Token& name) {
    auto node = std::make_shared<Expression>();
    node->kind = ExpressionKind::call;
    node->name = std::string(name.text);
    node->operands = arguments();
    if (!node->name.empty() && at_arguments()) {  // lane(8)(x): a type with an argument
        node->type.name = std::move(node->name);
        node->type.arguments = std::move(node->operands);
        node->type.place = name.place;
        node->name.clear();
        node->operands = arguments();
    }
    node->place = from(name.place);
    return finished(std::move(node));
}

std::vector<ExpressionPointer> ParserBase::arguments() {
    std::vector<ExpressionPointer> out;
    {
        const Nest nest(*this);
        move_on();
        while (!at(")") && !at(TokenKind::end)) {
            out.push_back(argument());
            if (!accept(",")) break;
        }
    }
    expect_close(")", "to close the arguments");
    return out;
}

// An operator with nothing behind it that it could be applied to.
bool ParserBase::at_operator_argument() const {
    if (!binary_operator(peek()) && !at("~") && !at("!")) return false;
    const char* behind = peek().text.data() + peek().text.size();
    while (*behind == ' ') ++behind;
    return *behind == ',' || *behind == ')';
}

ExpressionPointer ParserBase::argument() {
    auto text = std::make_shared<Expression>();
    if (at_operator_argument()) {
        const Token symbol = advance();
        const BinaryOperator* const binary = binary_operator(symbol);
        text->kind = ExpressionKind::operation;
        text->place = symbol.place;
        text->op = binary ? binary->op : symbol.text == "~" ? Operator::bit_not : Operator::logical_not;
        return text;
    }
    if (!at(TokenKind::string)) return expression();
    text->kind = ExpressionKind::text;
    text->place = peek().place;
    text->name = unquote(advance().text);
    return text;
}

ExpressionPointer ParserBase::primary() {
    const Token token = peek();
    auto node = std::make_shared<Expression>();
    node->place = token.place;
    if (at(TokenKind::number)) {
        take_number();
        return integer(token.number, token.place);
    }
    if (at(TokenKind::floating)) {
        move_on();
        node->kind = ExpressionKind::floating;
        node->floating = token.floating;
        return node;
    }
    if (at("(")) {
        ExpressionPointer inner;
        {
            const Nest nest(*this);
            move_on();
            inner = expression();
        }
        expect_close(")", "to close the parenthesis");
        return inner;
    }
    if (at("case")) return case_expression();
    if (!at(TokenKind::name)) {
        complain("a value");
        return integer(0, token.place);
    }
    if (token.text == "true" || token.text == "false") {
        move_on();
        return integer(token.text == "true", token.place);
    }
    if (is_type(token.text)) {
        if (next_is('(')) {
            TypeName type = type_name();
            auto conversion = std::const_pointer_cast<Expression>(call({TokenKind::name, token.place, {}, 0, 0}));
            conversion->type = type;
            return finished(std::move(conversion));
        }
    }
    move_on();
    if (at_arguments()) return call(token);
    node->name = std::string(token.text);
    node->kind = ExpressionKind::name;
    return node;
}

// Two values, and an operator between them.
ExpressionPointer ParserBase::compare(Operator op, const ExpressionPointer& left, const ExpressionPointer& right) {
    auto node = std::make_shared<Expression>();
    node->kind = ExpressionKind::binary;
    node->op = op;
    node->place = right->place;
    node->operands = {left, right};
    node->depth = static_cast<std::uint16_t>(std::max(left->depth, right->depth) + 1);
    return node;
}

// The arms of a `case`, and the expression with the value and the patterns.
struct ParserBase::Cases {
    std::shared_ptr<Expression> choice = std::make_shared<Expression>();
    std::vector<ExpressionPointer> tests;  // one fewer than values or bodies where there is an else
    std::vector<ExpressionPointer> values;
    std::vector<Block> bodies;
};

// 1, 4..7: what it comes to as a test of the value.
ExpressionPointer ParserBase::case_patterns(Cases& out) {
    auto subject = std::make_shared<Expression>();
    subject->kind = ExpressionKind::name;
    subject->name = semantics::case_subject;
    ExpressionPointer test;
    do {
        skip_newlines();
        subject->place = peek().place;
        const ExpressionPointer low = unconditional();
        const bool range = accept("..");
        const ExpressionPointer high = range ? unconditional() : low;
        out.choice->operands.insert(out.choice->operands.end(), {low, high});
        const ExpressionPointer one =
            !range ? compare(Operator::equal, subject, low)
                   : compare(Operator::logical_and, compare(Operator::greater_equal, subject, low),
                             compare(Operator::less_equal, subject, high));
        test = test ? compare(Operator::logical_or, test, one) : one;
    } while (accept(","));
    out.choice->operands.push_back(nullptr);
    return finished(std::const_pointer_cast<Expression>(test));
}

// case VALUE { PATTERN, PATTERN: ARM … else: ARM }, an arm in a line, or with `;` behind it.
ParserBase::Cases ParserBase::cases(bool as_statement) {
    Cases out;
    out.choice->kind = ExpressionKind::choose;
    const Place begin = advance().place;
    out.choice->operands = {expression(), nullptr};
    out.choice->place = from(begin);
    const unsigned outside = std::exchange(nest_, 0);  // line ends count in here
    if (!expect("{", "to begin the cases")) return nest_ = outside, out;
    for (bool last = false;;) {
        while (at(TokenKind::newline) || at(";")) move_on();
        if (at("}") || at(TokenKind::end)) break;
        if (last || out.tests.size() >= deepest_nesting / 2) {
            diagnostics_.error(peek().place, last ? std::string("`else` stands behind all other cases")
                                                  : fmt::format("more than {} cases", deepest_nesting / 2));
            skip_row();
            continue;
        }
        const Place before = peek().place;
        last = accept("else");
        if (last) out.choice->integer = 1;
        if (!last) out.tests.push_back(case_patterns(out));
        expect(":", "between the values of a case and what is done");
        skip_newlines();
        if (!as_statement) {
            out.values.push_back(expression());
        } else if (at("{")) {
            out.bodies.push_back(block());
        } else {
            statement(out.bodies.emplace_back());
        }
        if (!at(TokenKind::newline) && !at(";") && !at("}")) {
            complain("';' or the line's end after a case");
            skip_row();
        }
        if (same(peek().place, before)) move_on();
    }
    nest_ = outside;
    expect("}", "to close the cases");
    return out;
}

// The arms as one conditional expression. Without an else the last arm is what is left.
ExpressionPointer ParserBase::case_expression() {
    if (!deeper()) return integer(0, peek().place);
    const Place begin = peek().place;
    Cases out = cases(false);
    shallower();
    if (out.values.empty()) {
        diagnostics_.error(from(begin), "a `case` without a value");
        return integer(0, begin);
    }
    ExpressionPointer rest = out.values.back();
    for (std::size_t i = out.values.size() - 1; i-- > 0;) {
        auto node = std::make_shared<Expression>();
        node->kind = ExpressionKind::conditional;
        node->place = out.choice->place;
        node->operands = {out.tests[i], out.values[i], rest};
        rest = finished(std::move(node));
    }
    out.choice->operands[1] = rest;
    return finished(std::move(out.choice));
}

Statement ParserBase::case_statement() {
    Statement choice;
    choice.kind = StatementKind::choose;
    choice.place = peek().place;
    Cases out = cases(true);
    Block rest;
    if (out.choice->integer != 0 && out.bodies.size() > out.tests.size()) {
        rest = std::move(out.bodies.back());
        out.bodies.pop_back();
    }
    for (std::size_t i = std::min(out.bodies.size(), out.tests.size()); i-- > 0;) {
        Statement branch;
        branch.kind = StatementKind::branch;
        branch.place = choice.place;
        branch.value = out.tests[i];
        branch.body = std::move(out.bodies[i]);
        branch.otherwise = std::move(rest);
        rest.clear();
        rest.push_back(std::move(branch));
    }
    choice.body = std::move(rest);
    choice.value = finished(std::move(out.choice));
    return choice;
}

Statement ParserBase::branch() {
    Statement out;
    out.kind = StatementKind::branch;
    out.place = advance().place;
    out.value = expression();
    out.body = block();
    if (accept("else")) {
        if (at("if")) {
            if (deeper()) {
                out.otherwise.push_back(branch());
                shallower();
            }
        } else {
            out.otherwise = block();
        }
    }
    return out;
}

void ParserBase::assignment(Block& out) {
    Statement statement;
    statement.place = peek().place;
    ExpressionPointer first = expression();
    const bool assigns = at("=") || at(",") || compound_operator(peek()) != Operator::none;
    if (first->kind == ExpressionKind::call && !assigns) {
        statement.kind = StatementKind::call;
        statement.value = first;
        out.push_back(std::move(statement));
        return;
    }
    if (first->kind == ExpressionKind::binary && first->op == Operator::equal && at_row_end()) {
        diagnostics_.error(first->place, "`==` compares; to assign, write =");
        return;
    }
    statement.targets.push_back(first);
    while (accept(",")) statement.targets.push_back(expression());
    statement.compound = compound_operator(peek());
    if (statement.compound != Operator::none) {
        move_on();
    } else if (!expect("=", "after what is assigned to")) {
        skip_row();
        return;
    }
    statement.value = expression();
    if (accept("after")) statement.delay = expression();
    statement.place = from(statement.place);
    out.push_back(std::move(statement));
}

void ParserBase::statement(Block& out) {
    if (!deeper()) return;
    const Place begin = peek().place;
    if (at("if")) {
        out.push_back(branch());
    } else if (at("case")) {
        out.push_back(case_statement());
    } else if (accept("let")) {
        Statement local;
        local.kind = StatementKind::local;
        local.name = expect_name("the name of the local value").text;
        expect("=", "after the name of the local value");
        local.value = expression();
        local.place = from(begin);
        out.push_back(std::move(local));
    } else if (accept("for")) {
        Statement loop;
        loop.kind = StatementKind::repeat;
        loop.name = expect_name("the name of the counter").text;
        expect("in", "after the counter's name");
        loop.first = expression();
        expect("..", "between the bounds");
        loop.last = expression();
        loop.body = block();
        loop.place = from(begin);
        out.push_back(std::move(loop));
    } else if (accept("atomic")) {
        Statement locked;
        locked.kind = StatementKind::atomic;
        locked.value = expression();
        locked.body = block();
        locked.place = from(begin);
        out.push_back(std::move(locked));
    } else if (accept("return")) {
        Statement give;
        give.kind = StatementKind::give;
        give.value = expression();
        give.place = from(begin);
        out.push_back(std::move(give));
    } else {
        assignment(out);
    }
    shallower();
}

Block ParserBase::block() {
    Block out;
    if (!expect("{", "to begin a block of statements")) return out;
    for (;;) {
        while (at(TokenKind::newline) || at(";")) move_on();
        if (at("}") || at(TokenKind::end)) break;
        const Place before = peek().place;
        statement(out);
        if (!at(TokenKind::newline) && !at(";") && !at("}")) {
            complain("';' or the line's end after a statement");
            skip_row();
        }
        if (same(peek().place, before)) move_on();
    }
    expect("}", "to close the block of statements");
    return out;
}

Block ParserBase::statements_until_row_end() {
    if (at("{")) return block();
    Block out;
    while (!at_row_end() && !at_only()) {
        const Place before = peek().place;
        statement(out);
        if (!accept(";") && !at_row_end() && !at_only()) {
            complain("';' between statements");
            skip_row();
        }
        if (same(peek().place, before) && !at_row_end()) move_on();
    }
    return out;
}

// Past statements, or an expression, that nobody asks for: to the end of the line or `only`.
void ParserBase::pass_over_meaning() {
    bool goes_on = true;  // a line that ends like this one goes on in the next
    while (!at(TokenKind::end)) {
        if (at(TokenKind::newline) && (goes_on || next_line_begins("?") || next_line_begins(":"))) {
            skip_newlines();
            continue;
        }
        if (at_row_end() || at_only() || at(")") || at("]")) return;
        goes_on = binary_operator(peek()) != nullptr || at(",") || at("=");
        if (at("(") || at("[") || at("{")) {
            lexer_.skip_inside();
            move_on();
        }
        move_on();
    }
}

bool ParserBase::deeper() {
    if (++depth_ <= deepest_nesting) return true;
    --depth_;
    too_deep();
    return false;
}

void ParserBase::too_deep() {
    if (!same(complained_, token_.place))
        diagnostics_.error(token_.place, fmt::format("nested or chained more than {} deep", deepest_nesting));
    skip_row();
    complained_ = token_.place;
}

ExpressionPointer ParserBase::finished(std::shared_ptr<Expression> node) {
    unsigned below = node->type.width ? node->type.width->depth : 0;
    for (const ExpressionPointer& argument : node->type.arguments) below = std::max<unsigned>(below, argument->depth);
    for (const ExpressionPointer& operand : node->operands) {
        if (operand) below = std::max<unsigned>(below, operand->depth);
    }
    node->depth = static_cast<std::uint16_t>(below + 1);
    if (below < deepest_nesting) return node;
    too_deep();
    return integer(0, node->place);
}

}  // namespace isaforge::language

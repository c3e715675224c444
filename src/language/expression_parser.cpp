// Meanings: expressions and statements. Precedence is that of today's languages, not of C: comparisons bind looser than
// the bit operators, so `a & 1 == 0` means what it says.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>

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
    if (!accept("?")) return condition;
    auto node = std::make_shared<Expression>();
    node->kind = ExpressionKind::conditional;
    node->operands = {condition, expression()};
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
        advance();
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
    advance();
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
    advance();
    auto node = std::make_shared<Expression>();
    if (base->kind == ExpressionKind::name && at(TokenKind::name) && (is_type(peek().text) || next_is('('))) {
        node->kind = ExpressionKind::element;
        node->name = base->name;
        node->type = type_name();
        {
            const Nest nest(*this);
            expect("[", "before the address");
            node->operands = {expression()};
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

// name[i], value[high:low]; whether name[i] is a register or a bit is known only when names are.
ExpressionPointer ParserBase::subscript(const ExpressionPointer& base) {
    auto node = std::make_shared<Expression>();
    ExpressionPointer high, low;
    {
        const Nest nest(*this);
        advance();
        high = expression();
        if (accept(":")) low = expression();
    }
    expect_close("]", "to close the subscript");
    node->place = from(base->place);
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
        advance();
        while (!at(")") && !at(TokenKind::end)) {
            out.push_back(argument());
            if (!accept(",")) break;
        }
    }
    expect_close(")", "to close the arguments");
    return out;
}

ExpressionPointer ParserBase::argument() {
    if (!at(TokenKind::string)) return expression();
    auto text = std::make_shared<Expression>();
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
        advance();
        node->kind = ExpressionKind::floating;
        node->floating = token.floating;
        return node;
    }
    if (at("(")) {
        ExpressionPointer inner;
        {
            const Nest nest(*this);
            advance();
            inner = expression();
        }
        expect_close(")", "to close the parenthesis");
        return inner;
    }
    if (!at(TokenKind::name)) {
        complain("a value");
        return integer(0, token.place);
    }
    if (token.text == "true" || token.text == "false") {
        advance();
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
    advance();
    if (at_arguments()) return call(token);
    node->name = std::string(token.text);
    node->kind = ExpressionKind::name;
    return node;
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
        advance();
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
        while (at(TokenKind::newline) || at(";")) advance();
        if (at("}") || at(TokenKind::end)) break;
        const std::uint32_t before = peek().place.offset;
        statement(out);
        if (!at(TokenKind::newline) && !at(";") && !at("}")) {
            complain("';' or the line's end after a statement");
            skip_row();
        }
        if (peek().place.offset == before) advance();
    }
    expect("}", "to close the block of statements");
    return out;
}

Block ParserBase::statements_until_row_end() {
    if (at("{")) return block();
    Block out;
    while (!at_row_end() && !at("only")) {
        const std::uint32_t before = peek().place.offset;
        statement(out);
        if (!accept(";") && !at_row_end() && !at("only")) {
            complain("';' between statements");
            skip_row();
        }
        if (peek().place.offset == before && !at_row_end()) advance();
    }
    return out;
}

bool ParserBase::deeper() {
    if (++depth_ <= deepest_nesting) return true;
    --depth_;
    too_deep();
    return false;
}

void ParserBase::too_deep() {
    if (complained_ != token_.place.offset)
        diagnostics_.error(token_.place, fmt::format("nested or chained more than {} deep", deepest_nesting));
    skip_row();
    complained_ = token_.place.offset;
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

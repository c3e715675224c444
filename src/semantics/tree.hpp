// Meaning as it stands in a description: expressions and statements with names still in them. The resolver hands these
// trees to the model unchanged; lowering (lower.hpp) binds the names, checks the types and makes the intermediate form.
//
// Values are bit vectors `uN` and `sN` (the sign matters to compare, divide, shift right and widen), one bit being `u1`.
// Floating point is a matter of the operator (`+.`), not of the type: any 16, 32 or 64 bit vector can be a float.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isaforge/source.hpp"

namespace isaforge::semantics {

enum class ExpressionKind {
    integer,      // 12, 0x1f, 0b101, true, false; takes the width of what it meets
    floating,     // 1.5; likewise
    text,         // "irq", only as an argument of a built-in function
    name,         // a field, capture, parameter, local, register, constant, function argument, pc
    unary,        // op operand[0]: - ~ ! -.
    binary,       // operand[0] op operand[1]
    conditional,  // operand[0] ? operand[1] : operand[2], also written if … then … else …
    slice,        // operand[0][operand[1] : operand[2]], or [operand[1]] for one bit (operand[2] null)
    element,      // name[operand[0]]: an element of a register file, or of a memory with access type `type`
    member,       // operand[0].name: a named field of a register
    consecutive,  // operand[0][operand[1] +: operand[2]]: registers, places in memory, or bits from there on
    choose,       // case operand[0] { … }: operand[1] is what it comes to with tests of `case_subject`; behind it the
                  // patterns, low and high, and null behind those of one arm; `integer` is 1 where there is an else
    operation,    // + as an argument: a function
    call,         // name(operands…): a function of the description, a built-in, or a type used as a conversion
};

enum class Operator {
    none,
    // clang-format off
    add, sub, mul, div, rem,
    bit_and, bit_or, bit_xor, bit_not,
    shift_left, shift_right,            // right: arithmetic where the left operand is signed
    equal, not_equal, less, less_equal, greater, greater_equal,
    logical_and, logical_or, logical_not, negate,
    fadd, fsub, fmul, fdiv, fnegate,    // +. -. *. /.
    fequal, fnot_equal, fless, fless_equal, fgreater, fgreater_equal,
    concat,                             // a ++ b, a in the high bits
    // clang-format on
};

// What the tests of a `case` call the value that they look at; no name in a description is this word.
inline constexpr const char* case_subject = "case";

// The spelling of an operator in a description ("+.").
const char* spelling(Operator op);

struct Expression;
using ExpressionPointer = std::shared_ptr<const Expression>;

// A type as written: `u32`, `s8`, `u(8 * size)`; `u1` for a bit. Width is an expression so that it may depend on a field.
// Or a name that the description gives to one, with arguments where that has parameters.
struct TypeName {
    bool is_signed = false;
    ExpressionPointer width;
    std::string name;
    std::vector<ExpressionPointer> arguments;
    Place place;

    bool written() const { return width != nullptr || !name.empty(); }
};

// type word = u(WLEN); type lane(n) = u(n)
struct TypeAlias {
    std::string name;
    Place place;
    std::vector<std::string> parameters;
    TypeName meaning;
};

struct Expression {
    ExpressionKind kind = ExpressionKind::integer;
    Place place;
    std::uint64_t integer = 0;
    double floating = 0;
    std::string name;  // name, element, call (conversions: see `type`), text
    Operator op = Operator::none;
    TypeName type;     // element of a memory: the access; call with an empty name: conversion to this type
    std::vector<ExpressionPointer> operands;
    std::uint16_t depth = 1;  // of the tree
};

// What a name alone stands for.
inline Expression name_expression(std::string name, Place place = {}) {
    Expression made;
    made.kind = ExpressionKind::name;
    made.name = std::move(name);
    made.place = place;
    return made;
}

enum class StatementKind {
    assign,   // target = value [after delay]; target is a name, an element, a slice of either, or several for a tuple
    local,    // let name = value
    branch,   // if (condition) { … } else { … }
    repeat,   // for name in first .. last { … }, the bounds known when the instruction is decoded
    call,     // a call for its effect: stop(), signal("irq"), or a function whose body is statements
    give,     // return value
    choose,   // case: `value` is that, and `body` one branch with the tests
    atomic,   // atomic value { … }: nobody else touches that address meanwhile
};

struct Statement;
using Block = std::vector<Statement>;

struct Statement {
    StatementKind kind = StatementKind::assign;
    Place place;
    std::vector<ExpressionPointer> targets;
    Operator compound = Operator::none;  // `+=` and its like: the operator
    ExpressionPointer value;             // assign, local, give: the value; branch: the condition; call: the call;
                                         // atomic: the address
    ExpressionPointer first, last;       // repeat
    ExpressionPointer delay;             // assign … after delay
    std::string name;                    // local, repeat
    Block body, otherwise;
};

// function name(parameters) = expression, or { statements }. Parameters have no types: a function is checked anew for the
// types of each call.
struct Function {
    std::string name;
    Place place;
    std::vector<std::string> parameters;
    Block body;  // an expression body is one `give`
};

// Each name that occurs in these, as often as it does.
template <class Visit>
void for_each_name(const ExpressionPointer& expression, const Visit& visit);

template <class Visit>
void for_each_name(const TypeName& type, const Visit& visit) {
    if (!type.name.empty()) visit(type.name);
    for_each_name(type.width, visit);
    for (const ExpressionPointer& argument : type.arguments) for_each_name(argument, visit);
}

template <class Visit>
void for_each_name(const Expression& expression, const Visit& visit) {
    if (!expression.name.empty()) visit(expression.name);
    for_each_name(expression.type, visit);
    for (const ExpressionPointer& operand : expression.operands) for_each_name(operand, visit);
}

template <class Visit>
void for_each_name(const ExpressionPointer& expression, const Visit& visit) {
    if (expression) for_each_name(*expression, visit);
}

template <class Visit>
void for_each_name(const Block& block, const Visit& visit) {
    for (const Statement& statement : block) for_each_name(statement, visit);
}

template <class Visit>
void for_each_name(const Statement& statement, const Visit& visit) {
    for (const ExpressionPointer& target : statement.targets) for_each_name(target, visit);
    for (const ExpressionPointer* const part : {&statement.value, &statement.first, &statement.last, &statement.delay})
        for_each_name(*part, visit);
    for_each_name(statement.body, visit);
    for_each_name(statement.otherwise, visit);
}

}  // namespace isaforge::semantics

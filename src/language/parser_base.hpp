// What both halves of the parser, declarations and meanings, stand on: one token of lookahead, expectations that report
// what was wanted, and recovery.
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "language/lexer.hpp"
#include "language/syntax.hpp"

namespace isaforge::language {

class ParserBase {
public:
    ParserBase(FileId file, const SourceManager& sources, Diagnostics& diagnostics);

protected:
    const Token& peek() const { return token_; }
    void move_on();
    Token advance() {
        Token taken = token_;
        move_on();
        return taken;
    }
    bool at(TokenKind kind) const { return token_.kind == kind; }
    // In line: a parser does little else than to ask what is next, mostly in vain.
    bool at(std::string_view symbol_or_name) const {
        return (token_.kind == TokenKind::symbol || token_.kind == TokenKind::name) &&
               token_.text.size() == symbol_or_name.size() && token_.text.front() == symbol_or_name.front() &&
               token_.text == symbol_or_name;
    }
    bool accept(std::string_view symbol_or_name) {
        if (!at(symbol_or_name)) return false;
        move_on();
        return true;
    }
    bool expect(std::string_view symbol_or_name, std::string_view context);
    bool at_row_end() const { return at(TokenKind::newline) || at(TokenKind::end) || at("}"); }
    // What is read next are these texts, one after the other; then it goes on here. False, with a message, where too many are
    // under way in one another.
    bool read_first(std::vector<FileId> files);
    // Where the parser is, to read what follows once more.
    struct Position;
    Position position() const;
    void go_back(const Position& position);
    static bool same(Place a, Place b) { return a.file == b.file && a.offset == b.offset; }
    void skip_newlines();
    bool next_line_begins(std::string_view symbol);  // looks past the line end that the parser is at

    // The place from `begin` to the end of the last token taken.
    Place from(Place begin) const;

    // Takes a number token and says so where it does not fit in 64 bits.
    Token take_number();

    Name expect_name(std::string_view what);
    std::optional<std::uint64_t> expect_number(std::string_view what);
    std::optional<Text> expect_string(std::string_view what);

    // A word of letters, digits and `extra`, read anew from where the current token begins.
    Name word(std::string_view extra);

    // Reports `expected <what>` at the current token, once for one place; suggests the nearest of `known`.
    Diagnostic& complain(std::string_view what, std::initializer_list<std::string_view> known = {});

    // Reports what a bracket lacks; where the line ended without it, there.
    bool expect_close(std::string_view bracket, std::string_view context);

    // A name whose declaration cannot be read: nothing more is said where it is used.
    void give_up(const Name& name) { broken_.insert(name.text), skip_row(); }

    void skip_row();  // to the line's end or a closing brace
    void skip_to(std::initializer_list<std::string_view> symbols);

    // Inside parentheses and brackets line ends do not count.
    struct Nest {
        explicit Nest(ParserBase& parser);
        ~Nest();
        ParserBase& parser;
    };

    bool deeper();  // false, with a message, where nesting has gone too deep
    void shallower() { --depth_; }
    // The finished node, or a leaf and the same message where the tree below it has become too deep: a + b + c is as deep as
    // (a + b) + c.
    ExpressionPointer finished(std::shared_ptr<semantics::Expression> node);

    // Meanings (expression_parser.cpp).
    ExpressionPointer expression();
    static ExpressionPointer compare(semantics::Operator op, const ExpressionPointer& left,
                                     const ExpressionPointer& right);
    void go_on_at(std::string_view symbol);
    ExpressionPointer unconditional();  // … without `? :`, where a `?` behind it means something else
    semantics::TypeName type_name();
    static bool is_type(std::string_view name);
    Name expect_new_name(std::string_view what);  // … that is no type's
    std::vector<ExpressionPointer> arguments();
    semantics::Block statements_until_row_end();
    semantics::Block block();
    void pass_over_meaning();
    // Where something is there says `only` and `before`, unless that is a function's name.
    bool at_only() const { return at("only") || ((at("before") || at("since") || at("until")) && !next_is('(')); }

    Diagnostics& diagnostics_;
    std::set<std::string> broken_;

private:
    Token next_token();
    ExpressionPointer conditional();
    ExpressionPointer binary(unsigned level);
    ExpressionPointer unary();
    ExpressionPointer postfix();
    ExpressionPointer primary();
    ExpressionPointer subscript(const ExpressionPointer& base);
    bool at_member() const;
    ExpressionPointer member(const ExpressionPointer& base);
    ExpressionPointer call(const Token& name);
    ExpressionPointer argument();
    ExpressionPointer case_expression();
    semantics::Statement case_statement();
    struct Cases;
    Cases cases(bool as_statement);
    ExpressionPointer case_patterns(Cases& out);
    bool at_operator_argument() const;
    // Whether this character follows the token that is next, without a blank.
    bool next_is(char c) const { return token_.text.data()[token_.text.size()] == c; }
    bool at_arguments() const { return at("(") && peek().place.offset == last_.offset + last_.length; }
    void too_deep();
    void statement(semantics::Block& out);
    void assignment(semantics::Block& out);
    semantics::Statement branch();

    struct Suspended {
        Lexer lexer;
        Token token;
        std::vector<FileId> before;  // what is read first, the last one next
    };

    const SourceManager& texts_;
    std::vector<Suspended> suspended_;  // the outermost first
    Lexer lexer_;
    Token token_;
    Place last_;
    bool line_ended_ = false;  // between the last token and this one, inside brackets
    unsigned nest_ = 0;
    unsigned depth_ = 0;
    Place complained_;
    Diagnostic ignored_;  // a message that is not shown
};

struct ParserBase::Position {
    std::vector<Suspended> suspended;
    Lexer lexer;
    Token token;
    Place last;
};

}  // namespace isaforge::language

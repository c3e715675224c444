#include "language/parser_base.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "language/limits.hpp"

namespace isaforge::language {

ParserBase::ParserBase(FileId file, const SourceManager& sources, Diagnostics& diagnostics)
    : diagnostics_(diagnostics), texts_(sources), lexer_(file, sources, diagnostics) {
    token_ = lexer_.next();
}

bool ParserBase::read_first(std::vector<FileId> files) {
    if (files.empty()) return true;
    if (suspended_.size() >= deepest_repetition) {
        diagnostics_.error(last_, fmt::format("`for` and `use` in one another more than {} deep", deepest_repetition));
        return false;
    }
    std::reverse(files.begin(), files.end());
    const FileId first = files.back();
    files.pop_back();
    suspended_.push_back({lexer_, token_, std::move(files)});
    lexer_ = Lexer(first, texts_, diagnostics_);
    token_ = next_token();
    return true;
}

ParserBase::Position ParserBase::position() const { return {suspended_, lexer_, token_, last_}; }

void ParserBase::go_back(const Position& position) {
    suspended_ = position.suspended;
    lexer_ = position.lexer;
    token_ = position.token;
    last_ = position.last;
}

// Where a text ends that stands in another one, that goes on.
Token ParserBase::next_token() {
    Token token = lexer_.next();
    while (token.kind == TokenKind::end && !suspended_.empty()) {
        if (std::vector<FileId>& before = suspended_.back().before; !before.empty()) {
            lexer_ = Lexer(before.back(), texts_, diagnostics_);
            before.pop_back();
            token = lexer_.next();
            continue;
        }
        lexer_ = suspended_.back().lexer;
        token = suspended_.back().token;
        suspended_.pop_back();
    }
    return token;
}

void ParserBase::move_on() {
    if (!at(TokenKind::end) && !at(TokenKind::newline)) last_ = token_.place;
    token_ = next_token();
    line_ended_ = false;
    while (nest_ > 0 && token_.kind == TokenKind::newline) {
        line_ended_ = true;
        token_ = next_token();
    }
}

bool ParserBase::expect(std::string_view text, std::string_view context) {
    if (accept(text)) return true;
    complain(fmt::format("'{}' {}", text, context));
    return false;
}

void ParserBase::skip_newlines() {
    while (at(TokenKind::newline)) move_on();
}

bool ParserBase::next_line_begins(std::string_view symbol) {
    const std::uint32_t position = lexer_.position();
    Token token = token_;
    while (token.kind == TokenKind::newline) token = lexer_.next();
    lexer_.seek(position);
    return token.kind == TokenKind::symbol && token.text == symbol;
}

Place ParserBase::from(Place begin) const {
    if (last_.file != begin.file || last_.offset + last_.length < begin.offset) return begin;
    return {begin.file, begin.offset, last_.offset + last_.length - begin.offset};
}

bool ParserBase::expect_close(std::string_view bracket, std::string_view context) {
    if (!line_ended_ || at(bracket)) return expect(bracket, context);
    if (!same(complained_, token_.place)) {
        const Place after{last_.file, last_.offset + last_.length, 1};
        diagnostics_.error(after, fmt::format("expected '{}' {}, found the end of the line", bracket, context));
    }
    complained_ = token_.place;
    return false;
}

Diagnostic& ParserBase::complain(std::string_view what, std::initializer_list<std::string_view> known) {
    ignored_ = {};
    if (token_.kind == TokenKind::bad || same(complained_, token_.place)) return ignored_;
    complained_ = token_.place;
    std::string found = fmt::format("'{}'", token_.text);
    Place place = token_.place;
    if (token_.kind == TokenKind::end) found = "the end of the file";
    if (token_.kind == TokenKind::newline) found = "the end of the line";
    if (token_.kind == TokenKind::end && last_.known()) place.offset = last_.offset + last_.length;
    if (token_.kind == TokenKind::newline || token_.kind == TokenKind::end) place.length = 1;
    Diagnostic& error = diagnostics_.error(place, fmt::format("expected {}, found {}", what, found));
    const std::string_view meant = nearest(token_.text, known);
    if (token_.kind == TokenKind::name && !meant.empty()) error.suggest(std::string(meant));
    return error;
}

Name ParserBase::expect_name(std::string_view what) {
    if (!at(TokenKind::name)) {
        complain(what);
        return {{}, token_.place};
    }
    const Token token = advance();
    return {std::string(token.text), token.place};
}

Name ParserBase::expect_new_name(std::string_view what) {
    Name name = expect_name(what);
    if (is_type(name.text))
        diagnostics_.error(name.place, fmt::format("expected {}, but '{}' is a type", what, name.text));
    return name;
}

std::optional<std::uint64_t> ParserBase::expect_number(std::string_view what) {
    if (!at(TokenKind::number)) {
        complain(what);
        return std::nullopt;
    }
    return take_number().number;
}

Token ParserBase::take_number() {
    if (token_.too_large) diagnostics_.error(token_.place, "this number does not fit in 64 bits");
    return advance();
}

std::optional<Text> ParserBase::expect_string(std::string_view what) {
    if (!at(TokenKind::string)) {
        complain(what);
        return std::nullopt;
    }
    const Token token = advance();
    Place place = token.place;
    place.offset += 1;
    place.length -= 2;
    return Text{unquote(token.text), place};
}

Name ParserBase::word(std::string_view extra) {
    lexer_.seek(token_.place.offset);
    const Token token = lexer_.word(extra);
    last_ = token.place;
    do {
        token_ = next_token();
    } while (nest_ > 0 && token_.kind == TokenKind::newline);
    return {std::string(token.text), token.place};
}

void ParserBase::skip_row() {
    unsigned braces = 0;
    while (!at(TokenKind::end)) {
        if (at(TokenKind::newline) && braces == 0) return;
        if (at("{")) ++braces;
        if (at("}")) {
            if (braces == 0) return;
            --braces;
        }
        move_on();
    }
}

void ParserBase::skip_to(std::initializer_list<std::string_view> symbols) {
    while (!at(TokenKind::end)) {
        for (const std::string_view symbol : symbols) {
            if (at(symbol)) return;
        }
        move_on();
    }
}

ParserBase::Nest::Nest(ParserBase& base) : parser(base) { ++parser.nest_; }
ParserBase::Nest::~Nest() {
    // The token behind the bracket was read as if inside it; the closing bracket itself is never a line end.
    --parser.nest_;
}

}  // namespace isaforge::language

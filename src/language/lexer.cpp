#include "language/lexer.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "support/printable.hpp"

namespace isaforge::language {

namespace {

// Longest first, so that the first that fits is the right one.
// clang-format off
constexpr std::string_view symbols[] = {
    "<<=", ">>=", "==.", "!=.", "<=.", ">=.", "+.", "-.", "*.", "/.", "<.", ">.", "..", "<<", ">>", "<=", ">=", "==",
    "!=",  "&&",  "||",  "++",  "+=",  "+:",  "-=",  "*=", "&=", "|=", "^=", "{",  "}",  "(",  ")",  "[",  "]",  "|",  ":",
    ";",   ",",   "=",   "+",   "-",   "*",   "/",  "%",  "&",  "^",  "~",  "!",  "<",  ">",  "?",  ".",  "@",  "#",
};
// clang-format on

// What text processors make of the keyboard's characters.
constexpr std::pair<std::string_view, const char*> typographic_characters[] = {
    {"\u2010", "-"},  {"\u2013", "-"}, {"\u2014", "--"}, {"\u2212", "-"},  {"\u201c", "\""},
    {"\u201d", "\""}, {"\u00d7", "*"}, {"\u2026", ".."}, {"\u2265", ">="}, {"\u2264", "<="},
};

}  // namespace

Lexer::Lexer(FileId file, const SourceManager& sources, Diagnostics& diagnostics)
    : file_(file), text_(sources.text(file)), diagnostics_(&diagnostics) {}

Token Lexer::make(TokenKind kind, std::uint32_t begin) const {
    Token token;
    token.kind = kind;
    token.place = {file_, begin, position_ - begin};
    token.text = text_.substr(begin, position_ - begin);
    return token;
}

void Lexer::skip_blanks() {
    for (;;) {
        position_ = behind([](char c) { return c == ' ' || c == '\t' || c == '\r'; });
        if (at(position_) != '/') return;
        if (at(position_ + 1) == '/') {
            position_ = static_cast<std::uint32_t>(std::min(text_.find('\n', position_), text_.size()));
        } else if (at(position_ + 1) == '*') {
            const std::uint32_t begin = position_;
            const std::size_t close = text_.find("*/", position_ + 2);
            position_ = static_cast<std::uint32_t>(close == std::string_view::npos ? text_.size() : close + 2);
            if (close == std::string_view::npos) diagnostics_->error({file_, begin, 2}, "this comment is never closed");
        } else {
            return;
        }
    }
}

Token Lexer::next() {
    skip_blanks();
    const std::uint32_t begin = position_;
    if (begin >= text_.size()) return make(TokenKind::end, begin);
    const char c = text_[begin];
    if (c == '\n') {
        ++position_;
        return make(TokenKind::newline, begin);
    }
    if (is_name_start(c)) {
        position_ = behind(is_name);
        return make(TokenKind::name, begin);
    }
    if (is_digit(c)) return number(begin);
    if (c == '"') return string(begin);
    if (c == '-' && at(begin + 1) == '-') {
        while (at(position_) == '-') ++position_;
        return make(TokenKind::dashes, begin);
    }
    return symbol(begin);
}

void Lexer::skip_inside() {
    for (unsigned open = 1;; ++position_) {
        skip_blanks();
        if (position_ >= text_.size()) return;
        switch (text_[position_]) {
            case '(':
            case '[':
            case '{': ++open; break;
            case ')':
            case ']':
            case '}':
                if (--open == 0) return;
                break;
            case '"':
                string(position_);
                --position_;
                break;
            default: break;
        }
    }
}

Token Lexer::number(std::uint32_t begin) {
    unsigned base = 10;
    if (at(begin) == '0' && (at(begin + 1) == 'x' || at(begin + 1) == 'X')) base = 16;
    if (at(begin) == '0' && (at(begin + 1) == 'b' || at(begin + 1) == 'B')) base = 2;
    if (base != 10) position_ += 2;
    std::uint64_t value = 0;
    bool overflow = false, digits = false;
    for (; is_name(at(position_)); ++position_) {
        if (at(position_) == '_') continue;
        const unsigned digit = digit_value(at(position_));
        if (digit >= base) break;
        digits = true;
        overflow |= value > (UINT64_MAX - digit) / base;
        value = value * base + digit;
    }
    if (base == 10 && at(position_) == '.' && is_digit(at(position_ + 1))) {
        ++position_;
        while (is_digit(at(position_))) ++position_;
        if ((at(position_) == 'e' || at(position_) == 'E') &&
            (is_digit(at(position_ + 1)) ||
             ((at(position_ + 1) == '-' || at(position_ + 1) == '+') && is_digit(at(position_ + 2))))) {
            position_ += 2;
            while (is_digit(at(position_))) ++position_;
        }
        Token token = make(TokenKind::floating, begin);
        token.floating = std::strtod(std::string(token.text).c_str(), nullptr);
        return token;
    }
    const bool junk = is_name(at(position_));
    while (is_name(at(position_))) ++position_;
    Token token = make(TokenKind::number, begin);
    token.number = value;
    if ((junk || !digits) && token.text.find_first_not_of("01x_") == std::string_view::npos) {
        token.kind = TokenKind::pattern;
    } else if (junk || !digits) {
        diagnostics_->error(token.place, "'" + std::string(token.text) + "' is not a number");
    }
    token.too_large = overflow;
    return token;
}

Token Lexer::string(std::uint32_t begin) {
    ++position_;
    while (position_ < text_.size() && text_[position_] != '"' && text_[position_] != '\n') {
        position_ += text_[position_] == '\\' && at(position_ + 1) != '\n' ? 2 : 1;
    }
    if (at(position_) == '"') {
        ++position_;
        refuse_controls(begin);
        return make(TokenKind::string, begin);
    }
    if (position_ > text_.size()) position_ = static_cast<std::uint32_t>(text_.size());
    diagnostics_->error({file_, begin, 1}, "this string is never closed on its line");
    return make(TokenKind::bad, begin);
}

// Strings become names and texts that are printed, also where they cannot be escaped.
void Lexer::refuse_controls(std::uint32_t begin) {
    const std::string_view whole = text_.substr(begin, position_ - begin);
    if (std::all_of(whole.begin(), whole.end(), [](char c) { return c >= ' ' && c < 0x7f; })) return;
    for (std::uint32_t at = begin; at < position_;) {
        const Character next = first_character(text_.substr(at, position_ - at));
        if (!next.is_printable && next.is_utf8 && next.code != '\t')
            diagnostics_->error({file_, at, static_cast<std::uint32_t>(next.length)}, "a control character in a text");
        at += static_cast<std::uint32_t>(next.length);
    }
}

namespace {

// By character: 1 where it is a symbol by itself, 2 where it stands in a longer one, but not first.
constexpr std::array<std::uint8_t, 256> symbol_parts = [] {
    std::array<std::uint8_t, 256> out{};
    for (const std::string_view symbol : symbols) {
        if (symbol.size() == 1) out[static_cast<unsigned char>(symbol[0])] |= 1;
        for (std::size_t i = 1; i < symbol.size(); ++i) out[static_cast<unsigned char>(symbol[i])] |= 2;
    }
    return out;
}();

}  // namespace

Token Lexer::symbol(std::uint32_t begin) {
    const std::string_view rest = text_.substr(begin);
    if ((symbol_parts[static_cast<unsigned char>(rest[0])] & 1) != 0 &&
        (symbol_parts[static_cast<unsigned char>(at(begin + 1))] & 2) == 0) {  // most are alone
        ++position_;
        return make(TokenKind::symbol, begin);
    }
    for (const std::string_view candidate : symbols) {
        if (candidate[0] != rest[0] || !rest.starts_with(candidate)) continue;
        position_ += static_cast<std::uint32_t>(candidate.size());
        return make(TokenKind::symbol, begin);
    }
    ++position_;
    while (position_ < text_.size() && (static_cast<unsigned char>(text_[position_]) & 0xC0) == 0x80) ++position_;
    Diagnostic& error = diagnostics_->error({file_, begin, position_ - begin}, "this character means nothing here");
    for (const auto& [typographic, plain] : typographic_characters) {
        if (text_.substr(begin, position_ - begin) == typographic) error.suggest(plain);
    }
    return make(TokenKind::bad, begin);
}

Token Lexer::word(std::string_view extra) {
    skip_blanks();
    const std::uint32_t begin = position_;
    while (is_name(at(position_)) || (at(position_) != '\0' && extra.find(at(position_)) != std::string_view::npos)) {
        ++position_;
    }
    return make(TokenKind::name, begin);
}

std::string unquote(std::string_view token) {
    std::string out;
    if (token.size() < 2) return out;
    for (std::size_t i = 1; i + 1 < token.size(); ++i) {
        if (token[i] != '\\' || i + 2 >= token.size()) {
            out += token[i];
            continue;
        }
        const char c = token[++i];
        out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
    return out;
}

}  // namespace isaforge::language

// Tokens of the description language. Lines matter (a row ends with its line), so line ends are tokens too; the parser
// skips them inside brackets. Words such as mnemonics have an alphabet of their own and are read on request.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isaforge/diagnostics.hpp"
#include "isaforge/source.hpp"
#include "support/characters.hpp"

namespace isaforge::language {

// pattern: bits of which some are free, as 0011xxxx. Where it could also be hexadecimal (0x10) it is a number.
enum class TokenKind { end, newline, name, number, pattern, floating, string, dashes, symbol, bad };

struct Token {
    TokenKind kind = TokenKind::end;
    Place place;
    std::string_view text;      // as written; a string with its quotes
    std::uint64_t number = 0;   // kind number
    double floating = 0;        // kind floating
    bool too_large = false;     // kind number: does not fit in 64 bits; in a row of bits that does not matter
};

class Lexer {
public:
    Lexer(FileId file, const SourceManager& sources, Diagnostics& diagnostics);

    // The token that begins at or after the current position, and moves behind it.
    Token next();

    // Moves to the bracket that closes the one behind which the lexer is, or to the text's end.
    void skip_inside();

    // Where the next token will be looked for, and to go back to such a place.
    std::uint32_t position() const { return position_; }
    void seek(std::uint32_t position) { position_ = position; }

    // Reads a word of letters, digits and any of `extra` at the current position, after blanks; empty where there is none.
    Token word(std::string_view extra);

private:
    void skip_blanks();
    Token make(TokenKind kind, std::uint32_t begin) const;
    Token number(std::uint32_t begin);
    Token string(std::uint32_t begin);
    void refuse_controls(std::uint32_t begin);
    Token symbol(std::uint32_t begin);
    // The first position from here on whose character is none of these.
    template <typename Is>
    std::uint32_t behind(const Is& is) const {
        const char* const begin = text_.data();
        const char* const end = begin + text_.size();
        const char* p = begin + position_;
        while (p < end && is(*p)) ++p;
        return static_cast<std::uint32_t>(p - begin);
    }
    char at(std::uint32_t position) const { return position < text_.size() ? text_[position] : '\0'; }

    FileId file_;
    std::string_view text_;
    Diagnostics* diagnostics_;
    std::uint32_t position_ = 0;
};

// The letters of names.
inline bool is_name_start(char c) { return is_letter(c) || c == '_'; }
inline bool is_name(char c) { return is_name_start(c) || is_digit(c); }

// The characters of a string token: quotes removed, \" \\ \n \t resolved.
std::string unquote(std::string_view token);

}  // namespace isaforge::language

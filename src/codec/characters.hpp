// Classes of characters that texts of operands are made of.
#pragma once

#include "support/text_scan.hpp"

namespace isaforge::codec {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// What names of symbols are made of, if they are ASCII.
inline bool is_name(char c) { return is_word(c) || c == '.' || c == '$'; }

// 16 or more where it is none.
inline unsigned hex_digit(char c) {
    if (is_digit(c)) return static_cast<unsigned>(c - '0');
    const char low = static_cast<char>(c | 0x20);
    return low >= 'a' && low <= 'f' ? static_cast<unsigned>(low - 'a' + 10) : 16;
}

}  // namespace isaforge::codec

// Classes of ASCII characters.
#pragma once

namespace isaforge {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

// Of a digit to base 16; where it is none, more than any base has.
inline constexpr unsigned no_digit = 99;
constexpr unsigned digit_value(char c) {
    if (is_digit(c)) return static_cast<unsigned>(c - '0');
    const char letter = lower(c);
    return letter >= 'a' && letter <= 'f' ? static_cast<unsigned>(letter - 'a' + 10) : no_digit;
}

}  // namespace isaforge

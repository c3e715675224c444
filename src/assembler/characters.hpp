// Classes of characters and the few scanning loops that every part of the assembler shares. All text that is scanned
// ends with a NUL behind its last character, which belongs to no class, so that the loops need no second condition.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "isaforge/isa.hpp"
#include "support/characters.hpp"

namespace isaforge::assembler {

enum CharacterClass : std::uint8_t {
    class_name_start = 1,
    class_name = 2,
    class_digit = 4,
    class_blank = 8,
    class_operator = 16,  // may begin a binary operator
    class_line_end = 32,
};

constexpr std::array<std::uint8_t, 256> make_character_classes() {
    std::array<std::uint8_t, 256> classes{};
    for (int c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = class_name_start | class_name;
    for (const char c : {'_', '.', '$'}) classes[static_cast<unsigned char>(c)] = class_name_start | class_name;
    for (int c = 128; c < 256; ++c) classes[c] = class_name_start | class_name;
    for (int c = '0'; c <= '9'; ++c) classes[c] = class_digit | class_name;
    for (const char c : {' ', '\t', '\r', '\f', '\v'}) classes[static_cast<unsigned char>(c)] = class_blank;
    classes['\n'] = class_line_end;
    for (const char c : {'+', '-', '*', '/', '%', '<', '>', '=', '!', '&', '|', '^', '?'}) {
        classes[static_cast<unsigned char>(c)] = class_operator;
    }
    return classes;
}

inline constexpr std::array<std::uint8_t, 256> character_classes = make_character_classes();

inline bool is(char c, std::uint8_t classes) { return character_classes[static_cast<unsigned char>(c)] & classes; }

inline const char* skip_blanks(const char* p) {
    while (is(*p, class_blank)) ++p;
    return p;
}

inline const char* skip_name(const char* p) {
    while (is(*p, class_name)) ++p;
    return p;
}

inline bool starts_with(const char* p, const char* end, std::string_view text) {
    const std::size_t size = text.size();
    if (static_cast<std::size_t>(end - p) < size) return false;
    if (size == 0) return true;
    return *p == text[0] && (size == 1 || std::memcmp(p, text.data(), size) == 0);
}

// Eight characters at a time; names are short, so that this is one or two rounds.
inline std::uint32_t hash_name(std::string_view name) {
    constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15;
    std::uint64_t hash = name.size() * multiplier;
    const char* p = name.data();
    std::size_t left = name.size();
    while (left >= 8) {
        std::uint64_t piece;
        std::memcpy(&piece, p, 8);
        hash = (hash ^ piece) * multiplier;
        hash ^= hash >> 32;
        p += 8;
        left -= 8;
    }
    std::uint64_t piece = 0;
    if (left >= 4) {
        std::uint32_t low, high;
        std::memcpy(&low, p, 4);
        std::memcpy(&high, p + left - 4, 4);
        piece = low | std::uint64_t{high} << 32;
    } else if (left > 0) {
        piece = static_cast<unsigned char>(p[0]) | static_cast<unsigned char>(p[left / 2]) << 8 |
                static_cast<unsigned char>(p[left - 1]) << 16;
    }
    hash = (hash ^ piece) * multiplier;
    return static_cast<std::uint32_t>(hash >> 32);
}

// Transparent lookup, so that no string is made to look up a name.
struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return hash_name(name); }
};

}  // namespace isaforge::assembler

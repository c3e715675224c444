// Classes of characters that texts of operands are made of.
#pragma once

#include <array>
#include <string_view>

#include "support/text_scan.hpp"

namespace isaforge::codec {

// What names of symbols are made of.
inline bool is_name(char c) { return is_word(c) || c == '.' || c == '$' || static_cast<unsigned char>(c) >= 0x80; }

// Marks that texts are made of and with which no expression begins, unless a description says so.
inline constexpr std::array<bool, 256> text_marks = [] {
    std::array<bool, 256> out{};
    for (const char c : std::string_view(",)][{}|:@^*%&=?<>;#\"")) out[static_cast<unsigned char>(c)] = true;
    return out;
}();
inline bool is_text_mark(char c) { return text_marks[static_cast<unsigned char>(c)]; }

}  // namespace isaforge::codec

// Classes of characters that texts of operands are made of.
#pragma once

#include "support/text_scan.hpp"

namespace isaforge::codec {

// What names of symbols are made of, if they are ASCII.
inline bool is_name(char c) { return is_word(c) || c == '.' || c == '$'; }

// Marks that texts are made of and with which no expression begins.
inline bool is_text_mark(char c) {
    switch (c) {
        case ',':
        case ')':
        case ']':
        case '[':
        case '{':
        case '}':
        case '|':
        case ':': return true;
        default: return false;
    }
}

}  // namespace isaforge::codec

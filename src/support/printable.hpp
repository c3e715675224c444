// Text of others on its way to a terminal: what would command the terminal, or show other text than there is, is written as
// an escape. Letters of all scripts stay.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace isaforge {

// The first character of a text that is not empty. A byte that is no UTF-8 is a character that is not printable.
struct Character {
    std::size_t length = 1;  // bytes
    char32_t code = 0;
    bool is_utf8 = false;
    bool is_printable = false;
};
Character first_character(std::string_view text);

// With \u001b for control characters and for those that turn the direction of text, \x9b for bytes that are no UTF-8. Tabs
// stay, and the ends of lines.
std::string printable(std::string_view text);

// The same for what belongs into one line, such as a name.
std::string printable_in_line(std::string_view text);

}  // namespace isaforge

// Taking a line of commands apart.
#pragma once

#include <algorithm>
#include <string_view>

namespace isaforge::debugger {

inline constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Without the blanks around it, and the carriage return that a line may end with.
inline std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && (is_blank(text.back()) || text.back() == '\r')) text.remove_suffix(1);
    return text;
}

// Takes the first word.
inline std::string_view take_word(std::string_view& text) {
    text = trimmed(text);
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    const std::string_view word = text.substr(0, end);
    text = trimmed(text.substr(end));
    return word;
}

// Takes a format such as /x, of those that are known. False where it is another one; nothing is done where none is there.
inline bool take_format(std::string_view& text, std::string_view known, char& format) {
    if (!text.starts_with('/')) return true;
    const std::string_view word = take_word(text);
    if (word.size() != 2 || known.find(word[1]) == std::string_view::npos) return false;
    format = word[1];
    return true;
}

}  // namespace isaforge::debugger

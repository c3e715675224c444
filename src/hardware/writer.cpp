#include "hardware/writer.hpp"

#include <fmt/format.h>

namespace isaforge::hardware {

std::string comment(std::string_view prefix, std::string_view words, std::size_t width) {
    std::string out, line, plain(words);
    for (char& c : plain) c = c >= ' ' && c <= '~' ? c : '?';
    std::string_view text = plain;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        if (!line.empty() && prefix.size() + line.size() + 1 + word.size() > width) {
            out += fmt::format("{}{}\n", prefix, line);
            line.clear();
        }
        line += (line.empty() ? "" : " ") + std::string(word);
    }
    return out + fmt::format("{}{}\n", prefix, line);
}

std::string list(const std::vector<std::string>& items, const std::string& separator, std::size_t column,
                 const std::string& indent, std::size_t width) {
    std::string out;
    std::size_t at = column;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string item = items[i] + (i + 1 < items.size() ? separator : "");
        if (i != 0 && at + 1 + item.size() > width) {
            out += '\n';
            out += indent;
            out += item;
            at = indent.size() + item.size();
        } else {
            out += (i == 0 ? "" : " ") + item;
            at += item.size() + (i == 0 ? 0 : 1);
        }
    }
    return out;
}

std::string grouped(const std::string& pattern, const Slices& of) {
    std::string out;
    std::size_t at = 0;
    for (const Slice& slice : of) {
        const std::size_t width = slice.high - slice.low + 1;
        out += (out.empty() ? "" : "_") + pattern.substr(at, width);
        at += width;
    }
    return out;
}

std::string formats_text(const std::vector<std::string>& formats) {
    return fmt::format("{}", fmt::join(formats, ", "));
}

}  // namespace isaforge::hardware

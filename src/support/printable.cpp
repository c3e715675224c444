#include "support/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace isaforge {

namespace {

bool is_plain(char c) { return c >= ' ' && c < 0x7f; }

// Controls, ends of lines, and what has no width but changes how the text around it is shown.
bool is_dangerous(char32_t code) {
    static constexpr char32_t ranges[][2] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},  {0x200e, 0x200f},
                                             {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff}};
    return std::any_of(std::begin(ranges), std::end(ranges),
                       [&](const auto& range) { return code >= range[0] && code <= range[1]; });
}

std::string escaped(std::string_view text, bool in_line) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const Character next = first_character(text);
        const bool stays = next.is_printable || next.code == '\t' || (next.code == '\n' && !in_line);
        if (stays)
            out += text.substr(0, next.length);
        else if (next.is_utf8)
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(next.code));
        else
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(text[0]));
        text.remove_prefix(next.length);
    }
    return out;
}

}  // namespace

Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned lead = byte(0);
    if (lead < 0x80) return {1, lead, true, is_plain(text[0])};
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    static constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // by length: longer than needed is no UTF-8
    char32_t code = lead & (0x7fu >> length);
    bool good = lead >= 0xc0 && lead < 0xf8;
    for (std::size_t i = 1; i < length && good; ++i) {
        good = (byte(i) & 0xc0) == 0x80;
        code = code << 6 | (byte(i) & 0x3f);
    }
    good = good && code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    if (!good) return {1, lead, false, false};
    return {length, code, true, !is_dangerous(code)};
}

std::string printable(std::string_view text) {
    const bool plain =
        std::all_of(text.begin(), text.end(), [](char c) { return is_plain(c) || c == '\n' || c == '\t'; });
    return plain ? std::string(text) : escaped(text, false);
}

std::string printable_in_line(std::string_view text) {
    return std::all_of(text.begin(), text.end(), is_plain) ? std::string(text) : escaped(text, true);
}

}  // namespace isaforge

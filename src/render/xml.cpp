#include "render/xml.hpp"

namespace isaforge::render {

namespace {

// The bytes of the well-formed UTF-8 character at `at`, or 0.
std::size_t character_bytes(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned first = byte(at);
    const std::size_t bytes = first < 0x80                    ? 1
                              : first >= 0xc2 && first < 0xe0 ? 2
                              : first >= 0xe0 && first < 0xef ? 3
                                                              : 0;
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(at + i) & 0xc0) != 0x80) return 0;
    }
    if ((first == 0xe0 && byte(at + 1) < 0xa0) || (first == 0xed && byte(at + 1) >= 0xa0)) return 0;
    return bytes;
}

}  // namespace

std::string escape_xml(std::string_view text) {
    const auto plain = [](char c) { return c >= ' ' && c < 0x7f && c != '&' && c != '<' && c != '>' && c != '"'; };
    std::size_t first = 0;
    while (first < text.size() && plain(text[first])) ++first;
    std::string out(text.substr(0, first));
    for (std::size_t at = first; at < text.size(); ++at) {
        const char c = text[at];
        const std::size_t bytes = character_bytes(text, at);
        if (bytes != 1) {
            out += bytes == 0 ? "?" : text.substr(at, bytes);
            at += bytes == 0 ? 0 : bytes - 1;
            continue;
        }
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
    }
    return out;
}

}  // namespace isaforge::render

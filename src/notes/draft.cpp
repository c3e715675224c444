#include "notes/draft.hpp"

#include "isaforge/isa.hpp"
#include "notes/layout.hpp"
#include "notes/scanner.hpp"

namespace isaforge::notes {

std::string one_line(std::string_view text) {
    std::string out;
    for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    return std::string(trimmed(out));
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : one_line(text)) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

std::string identifier(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (is_letter(c) || is_digit(c) || c == '_')
            out += c;
        else if (!out.empty() && out.back() != '_')
            out += '_';
        if (out.size() >= 40) break;
    }
    while (!out.empty() && out.back() == '_') out.pop_back();
    if (out.empty() || !is_letter(out.front())) out.insert(0, "x");
    const bool is_word_of_the_language = slug(out, 40) == lower(out) + "_bits";
    return is_word_of_the_language ? out + "_" : out;
}

bool loads(const std::string& description) {
    SourceManager sources;
    Diagnostics diagnostics;
    return load_isa_text("import.isa", description, sources, diagnostics) != nullptr;
}

}  // namespace isaforge::notes

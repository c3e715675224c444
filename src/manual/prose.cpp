#include "manual/prose.hpp"

#include <algorithm>

namespace isaforge::manual {

namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
    return text;
}

// Where the comment of a line begins; its end where it has none. Quotes hide one.
std::size_t comment_begin(std::string_view line) {
    bool quoted = false;
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
        if (quoted && line[i] == '\\') {
            ++i;
        } else if (line[i] == '"') {
            quoted = !quoted;
        } else if (!quoted && line[i] == '/' && line[i + 1] == '/') {
            return i;
        }
    }
    return line.size();
}

// What is said behind the two strokes. A line of dashes is a heading of what follows, and says nothing.
std::string_view said(std::string_view comment) {
    comment = trimmed(comment.substr(2));
    return comment.starts_with("--") || comment.starts_with("==") ? std::string_view{} : comment;
}

void append(std::string& out, std::string_view text) {
    if (!out.empty() && !text.empty()) out += ' ';
    out += text;
}

}  // namespace

std::string comment_at(const SourceManager& sources, Place place, bool above) {
    if (!place.known()) return {};
    place = sources.origin(place);
    const std::string_view text = sources.text(place.file);
    std::size_t begin = text.rfind('\n', place.offset);
    if (begin == place.offset && begin > 0) begin = text.rfind('\n', begin - 1);
    begin = begin == std::string_view::npos ? 0 : begin + 1;
    const std::string_view line = text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
    if (const std::size_t at = comment_begin(line); at < line.size()) return std::string(said(line.substr(at)));
    std::string out;
    while (above && begin > 0) {
        const std::size_t end = begin - 1;
        const std::size_t before = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
        begin = before == std::string_view::npos ? 0 : before + 1;
        const std::string_view previous = trimmed(text.substr(begin, end - begin));
        if (!previous.starts_with("//") || said(previous).empty()) break;
        std::string more(said(previous));
        append(more, out);
        out = std::move(more);
    }
    return out;
}

std::string first_comment(std::string_view description) {
    std::string out;
    for (std::size_t begin = 0; begin < description.size();) {
        const std::size_t end = std::min(description.find('\n', begin), description.size());
        const std::string_view line = trimmed(description.substr(begin, end - begin));
        if (!line.starts_with("//")) break;
        append(out, said(line));
        begin = end + 1;
    }
    return out;
}

Html prose(std::string_view text) {
    Html out;
    if (text.empty()) return out;
    out("<p class=\"prose\">");
    while (!text.empty()) {
        const std::size_t open = text.find('`');
        const std::size_t close = open == std::string_view::npos ? open : text.find('`', open + 1);
        if (close == std::string_view::npos) break;
        out.text(text.substr(0, open)).code(text.substr(open + 1, close - open - 1));
        text.remove_prefix(close + 1);
    }
    return out.text(text)("</p>");
}

}  // namespace isaforge::manual

#include "lsp/text.hpp"

#include <algorithm>

#include "support/text_scan.hpp"

namespace isaforge::lsp {

namespace {

std::uint32_t number_in(const Json& json, const char* name) {
    if (!json.is_object()) return 0;
    const auto found = json.find(name);
    if (found == json.end() || !found->is_number_integer()) return 0;
    if (found->is_number_unsigned())
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(found->get<std::uint64_t>(), 0x7fffffff));
    const auto value = found->get<std::int64_t>();
    return value < 0 ? 0 : static_cast<std::uint32_t>(std::min<std::int64_t>(value, 0x7fffffff));
}

const Json& member(const Json& json, const char* name) {
    static const Json none;
    if (!json.is_object()) return none;
    const auto found = json.find(name);
    return found == json.end() ? none : *found;
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Units of UTF-16 that a character takes whose first byte this is.
std::uint32_t units_of(char c) { return static_cast<unsigned char>(c) >= 0xf0 ? 2 : 1; }

}  // namespace

Json to_json(Position position) { return {{"line", position.line}, {"character", position.character}}; }

Json to_json(Range range) { return {{"start", to_json(range.start)}, {"end", to_json(range.end)}}; }

Position read_position(const Json& json) { return {number_in(json, "line"), number_in(json, "character")}; }

Range read_range(const Json& json) {
    return {read_position(member(json, "start")), read_position(member(json, "end"))};
}

Text::Text(std::string text, Columns columns) : text_(std::move(text)), columns_(columns) {
    if (text_.size() > largest) text_.resize(largest);
    find_lines();
}

void Text::find_lines() {
    starts_.assign(1, 0);
    const char* const begin = text_.data();
    const char* const end = begin + text_.size();
    for (const char* p = begin; p != end;) {
        p = scan_line(p, end);
        if (p == end) break;
        ++p;
        starts_.push_back(static_cast<std::uint32_t>(p - begin));
    }
}

Span Text::line(std::uint32_t number) const {
    Span out{starts_[number], static_cast<std::uint32_t>(text_.size())};
    if (number + 1 < starts_.size()) out.end = starts_[number + 1] - 1;
    if (out.end > out.begin && text_[out.end - 1] == '\r') --out.end;
    return out;
}

std::uint32_t Text::line_of(std::uint32_t offset) const {
    return static_cast<std::uint32_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin()) - 1;
}

std::uint32_t Text::offset_of(Position position) const {
    if (position.line >= lines()) return static_cast<std::uint32_t>(text_.size());
    const Span in = line(position.line);
    if (columns_ == Columns::utf8) {
        std::uint32_t at = std::min(in.begin + std::min(position.character, in.size()), in.end);
        while (at > in.begin && at < in.end && continues(text_[at])) --at;
        return at;
    }
    std::uint32_t at = in.begin, left = position.character;
    while (at < in.end && left > 0) {
        const std::uint32_t units = units_of(text_[at]);
        if (units > left) break;
        left -= units;
        ++at;
        while (at < in.end && continues(text_[at])) ++at;
    }
    return at;
}

Span Text::span_of(Range range) const {
    const Span out{offset_of(range.start), offset_of(range.end)};
    return out.begin <= out.end ? out : Span{out.end, out.begin};
}

Position Text::position_of(std::uint32_t offset) const {
    offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
    Position out{line_of(offset), 0};
    const Span in = line(out.line);
    offset = std::min(offset, in.end);
    if (columns_ == Columns::utf8) {
        out.character = offset - in.begin;
        return out;
    }
    for (std::uint32_t at = in.begin; at < offset; ++at) {
        if (!continues(text_[at]) || at == in.begin) out.character += units_of(text_[at]);
    }
    return out;
}

void Text::replace(Span span, std::string_view with) {
    const std::size_t room = largest - (text_.size() - span.size());
    text_.replace(span.begin, span.size(), with.substr(0, room));
    find_lines();
}

}  // namespace isaforge::lsp

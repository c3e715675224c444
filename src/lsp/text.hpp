// The text of a document that an editor changes, and the places in it as editors count them: lines from 0, and in a line the
// units of UTF-16 or bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/framing.hpp"

namespace isaforge::lsp {

using protocol::Json;

struct Position {
    std::uint32_t line = 0, character = 0;
};

struct Range {
    Position start, end;
};

Json to_json(Position position);
Json to_json(Range range);

// Nothing says that what an editor sends is right: what is missing or no number is 0.
Position read_position(const Json& json);
Range read_range(const Json& json);

// A stretch of a text, in bytes.
struct Span {
    std::uint32_t begin = 0, end = 0;

    bool has(std::uint32_t offset) const { return begin <= offset && offset <= end; }
    std::uint32_t size() const { return end - begin; }
    friend bool operator==(const Span&, const Span&) = default;
};

class Text {
public:
    // How columns are counted: in units of UTF-16, unless the editor said that it counts bytes.
    enum class Columns : std::uint8_t { utf16, utf8 };

    Text() : Text(std::string()) {}
    explicit Text(std::string text, Columns columns = Columns::utf16);

    const std::string& str() const { return text_; }
    std::uint32_t lines() const { return static_cast<std::uint32_t>(starts_.size()); }
    // Of a line that there is, without its end.
    Span line(std::uint32_t number) const;
    std::string_view line_text(std::uint32_t number) const { return view(line(number)); }
    std::string_view view(Span span) const { return std::string_view(text_).substr(span.begin, span.size()); }

    std::uint32_t line_of(std::uint32_t offset) const;
    // The byte that a position means; what lies behind a line's or the text's end means that end.
    std::uint32_t offset_of(Position position) const;
    Span span_of(Range range) const;
    Position position_of(std::uint32_t offset) const;
    Range range_of(Span span) const { return {position_of(span.begin), position_of(span.end)}; }
    Range whole() const { return range_of({0, static_cast<std::uint32_t>(text_.size())}); }

    // Replaces a stretch.
    void replace(Span span, std::string_view with);

    static constexpr std::size_t largest = std::size_t{1} << 26;  // bytes; no text becomes longer

private:
    void find_lines();

    std::string text_;
    std::vector<std::uint32_t> starts_;  // of lines
    Columns columns_;
};

}  // namespace isaforge::lsp

// A text as lines that know where they stand.
#pragma once

#include <string_view>
#include <vector>

#include "isaforge/source.hpp"

namespace isaforge::notes {

struct TextPart {
    std::string_view text;
    std::size_t offset = 0;  // in the whole text

    Place in(FileId file) const {
        return {file, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(text.size())};
    }
};

// Without line ends.
inline std::vector<TextPart> lines_of(std::string_view text) {
    std::vector<TextPart> out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        if (line.ends_with('\r')) line.remove_suffix(1);
        out.push_back({line, at});
        at = end + 1;
    }
    return out;
}

// What stands between any of `separators`.
inline std::vector<TextPart> parts_of(const TextPart& line, std::string_view separators) {
    std::vector<TextPart> out;
    for (std::size_t at = 0; at < line.text.size();) {
        const std::size_t begin = line.text.find_first_not_of(separators, at);
        if (begin == std::string_view::npos) break;
        const std::size_t end = std::min(line.text.find_first_of(separators, begin), line.text.size());
        out.push_back({line.text.substr(begin, end - begin), line.offset + begin});
        at = end;
    }
    return out;
}

}  // namespace isaforge::notes

// What `for` and `use` repeat: a stretch of a description with other words in place of some of its names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/source.hpp"

namespace isaforge::language {

struct Replacement {
    std::string name;
    std::string text;  // of a string what stands between its quotes
    Place place;       // where it was given
};

// A stretch of a source, and where these names stand in it, also as `{name}` inside of words and strings.
class Repeated {
public:
    Repeated() = default;
    Repeated(Place body, const std::vector<std::string_view>& names, const SourceManager& sources);

    Place body() const { return body_; }
    // The text as a source of its own, with what is bound, in the order of the names, in their places. Places in it are shown where they
    // came from. `by_lines`: lines, of which the last one ends; else without the blanks around it.
    FileId with(const std::vector<Replacement>& replacements, SourceManager& sources, bool by_lines) const;

private:
    struct Slot {
        std::uint32_t offset = 0, length = 0;  // in the source
        std::size_t name = 0;
    };
    class Finder;

    Place body_;
    std::vector<Slot> slots_;
};

}  // namespace isaforge::language

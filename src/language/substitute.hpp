// What `for` and `use` repeat: a stretch of a description with other words in place of some of its names.
#pragma once

#include <string>
#include <vector>

#include "isaforge/source.hpp"

namespace isaforge::language {

struct Binding {
    std::string name;
    std::string text;  // of a string what stands between its quotes
    Place place;       // where it was given
};

// The text at `body` as a source of its own, in which each of the names, also as `{name}` inside of words and strings, is
// replaced. Places in it are shown where they came from. `by_lines`: lines, of which the last one ends; else without the blanks
// around it.
FileId substitute(Place body, const std::vector<Binding>& bindings, SourceManager& sources, bool by_lines);

}  // namespace isaforge::language

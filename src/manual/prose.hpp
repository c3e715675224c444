// What a designer says in the comments of a description, as prose beside what it is about.
#pragma once

#include <string>
#include <string_view>

#include "isaforge/source.hpp"
#include "manual/html.hpp"

namespace isaforge::manual {

// The comment behind what stands at a place, in the same line; with `above`, where there is none, the lines of comment right
// above it. Empty where there is neither.
std::string comment_at(const SourceManager& sources, Place place, bool above);

// The comment that a description begins with.
std::string first_comment(std::string_view description);

// A paragraph; what stands between back quotes is code. Nothing for an empty text.
Html prose(std::string_view text);

}  // namespace isaforge::manual

// What all writers of drafts need: names, texts and comments as the language has them.
#pragma once

#include <string>
#include <string_view>

namespace isaforge::notes {

// Comments may not end before their line does.
std::string one_line(std::string_view text);
std::string quoted(std::string_view text);
// A name that the language takes for a field or an operand.
std::string identifier(std::string_view text);
// Whether it is a description without errors.
bool loads(const std::string& description);

}  // namespace isaforge::notes

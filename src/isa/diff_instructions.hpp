// The part of a comparison that pairs instructions and looks at each pair.
#pragma once

#include <set>

#include "isa/diff.hpp"

namespace isaforge::diff {

// A form's bits as a bar: "| 10 | OP:7 | A:source | -:4 |".
std::string bar_text(const Isa& isa, const Form& form);

std::string format_name(const Isa& isa, const Form& form);

// `changed_formats`: those whose bars differ; what follows from that is not told again for each instruction.
void compare_instructions(const Isa& before, const Isa& after, const std::set<std::string>& changed_formats,
                          std::vector<Change>& out);

// Appends a difference where the two are not the same.
void tell(std::vector<ChangedPart>& out, const char* what, const std::string& before, const std::string& after);

}  // namespace isaforge::diff

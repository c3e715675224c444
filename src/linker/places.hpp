// Addresses for the sections of a linked program, and what the script's sums come to.
#pragma once

#include <functional>
#include <string_view>

#include "isaforge/linker.hpp"

namespace isaforge {

// Gives the sections their addresses, by the script or one behind the other, and makes the object final. False after a
// complaint: a section without a place, a region that is full, sections that overlap.
bool place_linked_sections(LinkedProgram& program, const LinkOptions& options, Diagnostics& diagnostics);

// An offset in a section, or a number where that is absolute_section.
struct LinkedValue {
    Index section = absolute_section;
    std::uint64_t value = 0;
};

// What a symbol of the script is. `find` gives the symbols that are there, or null. False after a complaint.
bool evaluate(const LinkScript& script, const LinkScript::Definition& definition, const Object& object,
              const std::function<const Symbol*(std::string_view)>& find, LinkedValue& out, Diagnostics& diagnostics);

}  // namespace isaforge

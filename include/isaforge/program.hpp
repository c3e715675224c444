// From an object to a machine that can run it.
#pragma once

#include <optional>
#include <string>

#include "isaforge/machine.hpp"
#include "isaforge/object.hpp"

namespace isaforge {

// Why an object could not be put into a machine.
struct LoadProblem {
    std::string message;        // one line, ready to show
    bool lacks_memory = false;  // more memory, or more storage in it, would help
};

// Puts the allocated sections of an object where they belong: code at its address in the code memory, everything else into the
// main memory, with the permissions that its flags say where one memory holds both; the machine starts at the object's entry.
// The object is placed and its relocations are applied: see place_sections() and apply_relocations(). `has_flags`: false where
// nothing says which sections are code and which may be written, as of raw bytes. Nothing where it worked.
std::optional<LoadProblem> load_object(Machine& machine, const Object& object, bool has_flags = true);

}  // namespace isaforge

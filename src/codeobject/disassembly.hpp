// What of a code object is written as directives.
#pragma once

#include "object/flavour.hpp"

namespace isaforge::codeobject {

// Null where the object is of another flavour.
std::unique_ptr<DisassemblyFlavour> make_disassembly(const Object& object);

}  // namespace isaforge::codeobject

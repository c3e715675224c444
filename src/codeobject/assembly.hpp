// The directives of AMD's code objects, carried out while a program is assembled.
#pragma once

#include "codeobject/target.hpp"
#include "object/flavour.hpp"

namespace isaforge::codeobject {

// Null, with `error` set, where `target` is none of this instruction set.
std::unique_ptr<AssemblyFlavour> make_assembly(const Isa& isa, std::string_view target, AssemblerHost& host,
                                               std::string& error);

}  // namespace isaforge::codeobject

// Grammars in the language of TextMate, with which editors colour programs of an instruction set without asking a server.
#pragma once

#include <string>

#include "isaforge/isa.hpp"

namespace isaforge::render {

// JSON: comments, strings, numbers, labels and directives as the description has them, mnemonics and registers by name. The
// scope is source.isaforge-asm.
std::string textmate_grammar(const Isa& isa);

}  // namespace isaforge::render

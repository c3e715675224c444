// The type check of a description's meanings: every operand row and every instruction, for all the types that its
// operands can take. What passes here can be specialised for any instruction word without an error.
#pragma once

#include "isaforge/diagnostics.hpp"
#include "isaforge/isa.hpp"

namespace isaforge::semantics {

// Reports to `diagnostics` what is wrong with the meanings; true where nothing is.
bool check_semantics(const Isa& isa, Diagnostics& diagnostics, MeaningsChecked* done = nullptr);

}  // namespace isaforge::semantics

// Proves of a description's forms that what is printed of them is read as the same bits, for all codes of their operands.
#pragma once

#include <memory>

#include "isaforge/isa.hpp"

namespace isaforge::disassembler {

// For Isa::read_back.
ReadBack prove(const std::shared_ptr<const Isa>& isa);

}  // namespace isaforge::disassembler

// Which bits of an instruction a relocation is about. Shared by what applies relocations and by the disassembler, which
// writes the symbol in their place.
#pragma once

#include "isaforge/codec.hpp"

namespace isaforge {

struct RelocatedNumber {
    Index form = no_index;  // the decoded one, or an alias of it that has the operand type
    unsigned bits = 0;      // of the whole instruction
    Deferred number;
};

// False where no form that matches `image`, of which `available` bits are there, has a number of this relocation type.
bool find_relocated_number(const Codec& codec, const Image& image, unsigned available, std::uint32_t type,
                           RelocatedNumber& found);

}  // namespace isaforge

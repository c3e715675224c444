// Which bits of a format hold the opcode, and how many codes of it are still free: the answer for opcodes in one piece as
// for those whose bits are spread over the word.
#pragma once

#include <string>
#include <vector>

#include "encoding/diagram.hpp"

namespace isaforge::encoding {

struct OpcodeBits {
    std::vector<std::string> fields;  // that every form of the format fixes
    unsigned width = 0;               // of them together
    Cube opcode;                      // mask: the bits of these fields
    Cube own;                         // what all forms fix alike elsewhere
};

OpcodeBits opcode_bits(const Isa& isa, Index format);

// The codes of `bits` of which no word is in any cube of the diagram, in opcodes of bits.width bits. False where that takes
// too long.
bool free_codes(const Diagram& diagram, const OpcodeBits& bits, Share& out);

}  // namespace isaforge::encoding

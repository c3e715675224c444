// Which bits of an instruction a relocation is about. Shared by what applies relocations, by the assembler, which makes
// them, and by the disassembler, which writes the symbol in their place.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "isaforge/codec.hpp"

namespace isaforge {

struct RelocatedNumber {
    Index form = no_index;  // the decoded one, or another one of these bits that has the operand type
    unsigned bits = 0;      // of the whole instruction
    Deferred number;
    std::vector<RowChoice> rows;  // of operands, where they are not the ones that are decoded

    // Whether this bit of the image is its lowest.
    bool begins_at(unsigned bit) const {
        return std::any_of(number.pieces, number.pieces + number.piece_count,
                           [&](const BitPiece& piece) { return piece.shift == 0 && piece.position == bit; });
    }
};

// The number number `which` of this relocation type in the instruction `image`, of which `available` bits are there. False
// where there is none.
bool find_relocated_number(const Codec& codec, const Image& image, unsigned available, std::uint32_t type,
                           unsigned which, RelocatedNumber& found);

// The same of each form that these bits match, those that are only read among them.
std::vector<RelocatedNumber> relocated_in_forms(const Codec& codec, const Image& image, unsigned available,
                                                std::uint32_t type, unsigned which);

// Which of the numbers of its type this one is.
std::optional<unsigned> relocated_number_of(const Codec& codec, const Image& image, unsigned available,
                                            std::uint32_t type, const Deferred& number);

}  // namespace isaforge

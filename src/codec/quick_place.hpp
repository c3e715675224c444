// A field's place in a shape that is quick to look at: up to three pieces of the first word of an image.
#pragma once

#include <cstdint>

#include "isaforge/image.hpp"

namespace isaforge::codec {

struct QuickPlace {
    static constexpr unsigned most_pieces = 3;

    std::uint64_t mask[most_pieces] = {};
    std::uint8_t position[most_pieces] = {}, shift[most_pieces] = {};

    // Nothing where the place has more pieces, or some behind the first word.
    bool set(const BitPlace& place) {
        if (place.pieces.size() > most_pieces) return false;
        for (unsigned i = 0; i < place.pieces.size(); ++i) {
            const BitPiece& piece = place.pieces[i];
            if (piece.position + piece.width > 64) return false;
            mask[i] = low_bits(piece.width);
            position[i] = static_cast<std::uint8_t>(piece.position);
            shift[i] = piece.shift;
        }
        return true;
    }

    std::uint64_t code(std::uint64_t word) const {
        return (word >> position[0] & mask[0]) << shift[0] | (word >> position[1] & mask[1]) << shift[1] |
               (word >> position[2] & mask[2]) << shift[2];
    }

    // The bits of the word that it takes.
    std::uint64_t bits() const {
        return mask[0] << position[0] | mask[1] << position[1] | mask[2] << position[2];
    }
};

}  // namespace isaforge::codec

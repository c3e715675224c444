// A field's place in a shape that is quick to look at and small: up to three pieces of the first word of an image.
#pragma once

#include <algorithm>
#include <cstdint>

#include "isaforge/image.hpp"

namespace isaforge::codec {

class QuickPlace {
public:
    // False where the place has more pieces, or bits behind the first word.
    bool set(const BitPlace& place) {
        const std::size_t count = place.pieces.size();
        if (count == 0 || count > most_pieces || place.width > 32) return false;
        unsigned shift = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const auto piece = std::find_if(place.pieces.begin(), place.pieces.end(),
                                            [&](const BitPiece& one) { return one.shift == shift; });
            if (piece == place.pieces.end() || piece->position + piece->width > 64) return false;
            shift += piece->width;
            position_[i] = static_cast<std::uint8_t>(piece->position);
            width_[i] = piece->width;
        }
        mask_ = static_cast<std::uint32_t>(low_bits(width_[0]));
        return true;
    }

    std::uint64_t code(std::uint64_t word) const {
        const std::uint64_t first = word >> position_[0] & mask_;
        if (width_[1] == 0) return first;
        return first | (word >> position_[1] & low_bits(width_[1])) << width_[0] |
               (word >> position_[2] & low_bits(width_[2])) << (width_[0] + width_[1]);
    }

    // The word with this code there, and nothing else.
    std::uint64_t word(std::uint64_t code) const {
        const std::uint64_t first = (code & mask_) << position_[0];
        if (width_[1] == 0) return first;
        return first | (code >> width_[0] & low_bits(width_[1])) << position_[1] |
               (code >> (width_[0] + width_[1]) & low_bits(width_[2])) << position_[2];
    }

    // The bits of the word that it takes.
    std::uint64_t bits() const {
        std::uint64_t out = 0;
        for (unsigned i = 0; i < most_pieces; ++i) out |= low_bits(width_[i]) << position_[i];
        return out;
    }

private:
    static constexpr std::size_t most_pieces = 3;

    std::uint32_t mask_ = 0;  // of the first piece, which has the lowest bits
    std::uint8_t position_[most_pieces] = {}, width_[most_pieces] = {};
};

}  // namespace isaforge::codec

// From bytes to an image.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "isaforge/isa.hpp"

namespace isaforge::codec {

inline bool is_in_order(const Isa& isa) { return std::endian::native == std::endian::little && !isa.big_endian; }

Image load_any(const Isa& isa, const std::uint8_t* bytes, std::size_t size);

// Loads instructions one after the other, of which none is longer than `longest` bytes. What there is most of is two words without a
// detour over memory.
class Loader {
public:
    Loader(const Isa& isa, std::size_t longest)
        : isa_(isa), longest_(longest), is_quick_(is_in_order(isa) && longest <= sizeof masks_) {
        for (std::size_t i = 0; i < std::size(masks_); ++i) {
            const std::size_t before = i * sizeof masks_[0];
            masks_[i] = longest > before ? low_bits(8 * static_cast<unsigned>(longest - before)) : 0;
        }
    }

    // See Codec::load; there are `room` bytes, of which those of the longest instruction are looked at.
    Image load(const std::uint8_t* bytes, std::size_t room) const {
        if (!is_quick_ || room < sizeof masks_) [[unlikely]]
            return load_any(isa_, bytes, std::min(room, longest_));
        Image image;
        std::memcpy(image.words.data(), bytes, sizeof masks_);
        for (std::size_t i = 0; i < std::size(masks_); ++i) image.words[i] &= masks_[i];
        return image;
    }

private:
    const Isa& isa_;
    const std::size_t longest_;
    const bool is_quick_;
    std::uint64_t masks_[2];
};

}  // namespace isaforge::codec

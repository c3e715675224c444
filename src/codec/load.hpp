// From bytes to an image.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "isaforge/isa.hpp"

namespace isaforge::codec {

inline bool is_in_order(const Isa& isa) { return std::endian::native == std::endian::little && !isa.big_endian; }

Image load_any(const Isa& isa, const std::uint8_t* bytes, std::size_t size);

// See Codec::load; there are `room` bytes, which are more where others follow. What there is most of is two words without a detour
// over memory.
inline Image load(const Isa& isa, const std::uint8_t* bytes, std::size_t size, std::size_t room) {
    constexpr std::size_t word = sizeof(std::uint64_t);
    if (!is_in_order(isa) || size > 2 * word || (size < word && room < 2 * word)) [[unlikely]]
        return load_any(isa, bytes, size);
    Image image;
    std::memcpy(image.words.data(), bytes, word);
    if (room >= 2 * word) [[likely]] {
        std::memcpy(&image.words[1], bytes + word, word);
        image.words[1] = size > word ? image.words[1] & low_bits(8 * static_cast<unsigned>(size - word)) : 0;
        if (size < word) image.words[0] &= low_bits(8 * static_cast<unsigned>(size));
        return image;
    }
    std::memcpy(&image.words[1], bytes + size - word, word);
    if (size < 2 * word) image.words[1] = size == word ? 0 : image.words[1] >> 8 * (2 * word - size);
    return image;
}

}  // namespace isaforge::codec

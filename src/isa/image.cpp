// Bits in and out of instruction images.
#include "isaforge/isa.hpp"

#include "support/bits.hpp"

namespace isaforge {

std::uint64_t Image::get(unsigned position, unsigned width) const {
    const unsigned word = position / 64, shift = position % 64;
    std::uint64_t value = words[word] >> shift;
    if (shift + width > 64) value |= words[word + 1] << (64 - shift);
    return value & low_bits(width);
}

void Image::set(unsigned position, unsigned width, std::uint64_t value) {
    const unsigned word = position / 64, shift = position % 64;
    value &= low_bits(width);
    words[word] = (words[word] & ~(low_bits(width) << shift)) | value << shift;
    if (shift + width > 64) {
        const unsigned done = 64 - shift;
        words[word + 1] = (words[word + 1] & ~low_bits(width - done)) | value >> done;
    }
}

std::uint64_t BitPlace::extract(const Image& image) const {
    std::uint64_t value = 0;
    for (const BitPiece& piece : pieces) value |= image.get(piece.position, piece.width) << piece.shift;
    return value;
}

std::uint64_t BitPlace::extract(std::uint64_t code) const {
    std::uint64_t value = 0;
    for (const BitPiece& piece : pieces) value |= (code >> piece.position & low_bits(piece.width)) << piece.shift;
    return value;
}

void BitPlace::insert(Image& image, std::uint64_t value) const {
    for (const BitPiece& piece : pieces) image.set(piece.position, piece.width, value >> piece.shift);
}

std::uint64_t BitPlace::insert(std::uint64_t code, std::uint64_t value) const {
    for (const BitPiece& piece : pieces) {
        const std::uint64_t bits = low_bits(piece.width);
        code = (code & ~(bits << piece.position)) | (value >> piece.shift & bits) << piece.position;
    }
    return code;
}

}  // namespace isaforge

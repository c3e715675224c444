// The bits of one instruction, and the places of fields in them. See isa.hpp for how positions are counted. In line,
// because nearly all of reading and writing instructions is made of these.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>

namespace isaforge {

// The `width` low bits set; all of them from 64 on.
constexpr std::uint64_t low_bits(unsigned width) {
    return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

inline constexpr unsigned max_instruction_bits = 256;

// The bits of one instruction, positions as in isa.hpp.
struct Image {
    std::array<std::uint64_t, max_instruction_bits / 64> words{};

    std::uint64_t get(unsigned position, unsigned width) const;  // width 1..64, may cross a 64-bit word
    void set(unsigned position, unsigned width, std::uint64_t value);
    bool operator==(const Image&) const = default;
    Image operator&(const Image& other) const;
};

// `width` bits at `position` of an image (or of an operand's code) are bits shift .. shift+width-1 of a field's value.
struct BitPiece {
    std::uint16_t position;
    std::uint8_t width;
    std::uint8_t shift;
};

// A list of pieces. Nearly all have one: a few lie in the list itself.
class BitPieces {
public:
    BitPieces() = default;
    BitPieces(std::initializer_list<BitPiece> pieces) : BitPieces(pieces.begin(), pieces.end()) {}
    BitPieces(const BitPiece* begin, const BitPiece* end) { assign(begin, end); }
    BitPieces(const BitPieces& other) { assign(other.begin(), other.end()); }
    BitPieces(BitPieces&& other) noexcept { swap(other); }
    BitPieces& operator=(BitPieces other) noexcept {
        swap(other);
        return *this;
    }

    BitPiece* begin() { return many_ ? many_.get() : few_.data(); }
    const BitPiece* begin() const { return many_ ? many_.get() : few_.data(); }
    BitPiece* end() { return begin() + size_; }
    const BitPiece* end() const { return begin() + size_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    BitPiece& operator[](std::size_t index) { return begin()[index]; }
    const BitPiece& operator[](std::size_t index) const { return begin()[index]; }

    void resize(std::size_t size) {
        if (size > room_) make_room(size);
        std::fill(begin() + std::min<std::size_t>(size_, size), begin() + size, BitPiece{});
        size_ = static_cast<std::uint32_t>(size);
    }
    void push_back(const BitPiece& piece) {
        const BitPiece added = piece;
        if (size_ == room_) make_room(std::size_t{2} * room_);
        begin()[size_++] = added;
    }

private:
    void swap(BitPieces& other) noexcept {
        std::swap(few_, other.few_);
        std::swap(size_, other.size_);
        std::swap(room_, other.room_);
        std::swap(many_, other.many_);
    }
    void assign(const BitPiece* first, const BitPiece* last) {
        size_ = 0;
        resize(static_cast<std::size_t>(last - first));
        std::copy(first, last, begin());
    }
    void make_room(std::size_t room) {
        auto wider = std::make_unique<BitPiece[]>(room);
        std::copy(begin(), end(), wider.get());
        many_ = std::move(wider);
        room_ = static_cast<std::uint32_t>(room);
    }

    static constexpr std::uint32_t room_for_few = 2;
    std::array<BitPiece, room_for_few> few_{};
    std::uint32_t size_ = 0, room_ = room_for_few;
    std::unique_ptr<BitPiece[]> many_;  // where there are more
};

// A field's place: its pieces, most significant first, and the sum of their widths (1..64).
struct BitPlace {
    BitPieces pieces;
    unsigned width = 0;

    // Of an image, `from` is where positions are counted from: behind the instruction, of what lies there.
    std::uint64_t extract(const Image& image, unsigned from = 0) const;
    std::uint64_t extract(std::uint64_t code) const;
    void insert(Image& image, std::uint64_t value, unsigned from = 0) const;
    std::uint64_t insert(std::uint64_t code, std::uint64_t value) const;
};

inline std::uint64_t Image::get(unsigned position, unsigned width) const {
    const unsigned word = position / 64, shift = position % 64;
    std::uint64_t value = words[word] >> shift;
    if (shift + width > 64) value |= words[word + 1] << (64 - shift);
    return value & low_bits(width);
}

inline void Image::set(unsigned position, unsigned width, std::uint64_t value) {
    const unsigned word = position / 64, shift = position % 64;
    value &= low_bits(width);
    words[word] = (words[word] & ~(low_bits(width) << shift)) | value << shift;
    if (shift + width > 64) {
        const unsigned done = 64 - shift;
        words[word + 1] = (words[word + 1] & ~low_bits(width - done)) | value >> done;
    }
}

inline Image Image::operator&(const Image& other) const {
    Image out;
    for (std::size_t i = 0; i < words.size(); ++i) out.words[i] = words[i] & other.words[i];
    return out;
}

inline std::uint64_t BitPlace::extract(const Image& image, unsigned from) const {
    std::uint64_t value = 0;
    for (const BitPiece& piece : pieces) value |= image.get(from + piece.position, piece.width) << piece.shift;
    return value;
}

inline std::uint64_t BitPlace::extract(std::uint64_t code) const {
    std::uint64_t value = 0;
    for (const BitPiece& piece : pieces) value |= (code >> piece.position & low_bits(piece.width)) << piece.shift;
    return value;
}

inline void BitPlace::insert(Image& image, std::uint64_t value, unsigned from) const {
    for (const BitPiece& piece : pieces) image.set(from + piece.position, piece.width, value >> piece.shift);
}

inline std::uint64_t BitPlace::insert(std::uint64_t code, std::uint64_t value) const {
    for (const BitPiece& piece : pieces) {
        const std::uint64_t bits = low_bits(piece.width);
        code = (code & ~(bits << piece.position)) | (value >> piece.shift & bits) << piece.position;
    }
    return code;
}

}  // namespace isaforge

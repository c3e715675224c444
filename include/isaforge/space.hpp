// The code space of an instruction set: which leading bits are taken by which instruction, which are reserved and which are
// free. All counts are exact, for prefix codes and for encodings whose opcode bits are scattered alike.
//
// What counts is the bits that tell instructions apart: an instruction takes every word that has its fixed bits, whatever
// its operands hold.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "isaforge/isa.hpp"

namespace isaforge {

// A part of the whole space, exact: a multiple of its 2^-256. Instructions have at most so many bits.
// A number of opcodes of w bits is such a part too: each is 2^-w of the whole.
class Share {
public:
    static Share block(unsigned bits);  // 2^-bits of the space, bits 0..256; block(0) is all of it

    Share& operator+=(const Share& other);
    Share& operator-=(const Share& other);  // `other` is not the larger one
    friend Share operator+(Share a, const Share& b) { return a += b; }
    friend Share operator-(Share a, const Share& b) { return a -= b; }
    Share half() const;
    Share times(std::uint64_t factor) const;  // the product is at most the whole
    bool is_zero() const { return *this == Share{}; }
    std::strong_ordering operator<=>(const Share& other) const;
    bool operator==(const Share&) const = default;

    double fraction() const;  // of the whole, 0..1, rounded
    // The number of blocks of `bits` leading bits (0..64) in decimal, with `digits` digits at most behind the point, rounded
    // down; "<" stands before what would be 0 but is not.
    std::string count(unsigned bits, unsigned digits = 2) const;
    // The same as "NUMERATOR" or "NUMERATOR/2^k" with no rounding.
    std::string exact(unsigned bits) const;

private:
    std::array<std::uint64_t, 5> words_{};  // least significant first; the whole is 2^256
};

struct SpaceLength {
    unsigned bits = 0;
    std::size_t forms = 0;
    Share used;
};

struct SpaceFormat {
    Index format = no_index;
    std::vector<unsigned> lengths;            // in bits, rising
    std::size_t instructions = 0;
    Share used;
    std::size_t stretches = 0;                // how many runs of leading blocks hold its instructions
    std::vector<std::string> opcode_fields;   // those that every form of the format fixes
    unsigned opcode_bits = 0;                 // the sum of their widths
    bool counted = false;                     // false: `further` would take too long to count
    Share further;                            // in opcodes of `opcode_bits` bits: codes that no word is taken of
};

struct SpacePool {
    Index pool = no_index;
    // In opcodes of the pool's width: all of them, and those that hold an instruction, of these the ones that have room
    // left, those that hold none but a reserved pattern, and those that are free.
    Share size, used, partly, reserved, free;
    Share words_used;                         // what instructions take in it
    std::size_t instructions = 0;             // of its formats, in it
    std::size_t outside = 0;                  // of its formats, in no pool of theirs
};

// Blocks low..high of `width` leading bits.
struct SpaceRange {
    unsigned width = 0;
    std::uint64_t low = 0, high = 0;
    Share size() const { return Share::block(width).times(high - low) + Share::block(width); }
};

// Opcodes of one width that no word is taken of.
struct SpaceFit {
    unsigned width = 0;
    Share opcodes;
    bool somewhere = false;
    SpaceRange cheapest;                      // the smallest free aligned block that holds one
};

struct Space {
    unsigned unit_bits = 0;
    unsigned depth = 0;                       // leading bits that ranges and stretches are told in
    Share used, reserved, free;
    std::vector<SpaceLength> lengths;         // rising
    std::vector<SpaceFormat> formats;         // as declared
    std::vector<SpacePool> pools;             // as declared
    std::vector<SpaceRange> free_ranges;      // rising, none next to another
    Share free_in_ranges;                     // the rest of the free words lies between those of instructions
    std::size_t longest = 0, cheapest = 0;    // of the free ranges
    std::vector<SpaceFit> fits;               // for opcodes of 1 to unit_bits bits
};

// Counts. False, with an error in `diagnostics`, only where the opcode bits are so entangled that it would take too long.
bool account_space(const Isa& isa, Space& space, Diagnostics& diagnostics);

// "1111_1000_000x_xxxx": `width` bits of `value`, padded to `digits` with x.
std::string leading_pattern(std::uint64_t value, unsigned width, unsigned digits);

// "1111_1000_000x_xxxx .. 1111_1001_111x_xxxx", with as few digits that are no x as say it; one pattern where it is enough.
std::string range_text(const SpaceRange& range);

}  // namespace isaforge

// Numbers of any length in groups of seven bits, the lowest first, as DWARF has them.
#pragma once

#include <cstdint>

namespace isaforge {

inline constexpr unsigned longest_leb = 10;

// Write `value` to `out`, which has room for longest_leb bytes, in at least `least` of them; return how many they are.
inline unsigned put_unsigned_leb(std::uint64_t value, std::uint8_t* out, unsigned least = 1) {
    unsigned size = 0;
    do {
        out[size++] = static_cast<std::uint8_t>(value | 0x80);
        value >>= 7;
    } while (value != 0 || size < least);
    out[size - 1] &= 0x7F;
    return size;
}

inline unsigned put_signed_leb(std::int64_t value, std::uint8_t* out, unsigned least = 1) {
    unsigned size = 0;
    bool more = true;
    while (more) {
        more = value < -64 || value > 63 || size + 1 < least;
        out[size++] = static_cast<std::uint8_t>((value & 0x7F) | (more ? 0x80 : 0));
        value >>= 7;
    }
    return size;
}

}  // namespace isaforge

// Random floats that find mistakes: special values and their neighbours, subnormals, small whole numbers, exponents near
// those of other operands, significands with long runs of equal bits.
#pragma once

#include <random>

#include "soft_float.hpp"

namespace soft_float {

inline std::uint64_t random_float(const Format& format, std::mt19937_64& random) {
    const std::uint64_t fraction_mask = (std::uint64_t{1} << format.fraction_bits) - 1;
    std::uint64_t sign = random() % 2 != 0 ? format.sign_bit() : 0;
    std::uint64_t one = static_cast<std::uint64_t>(format.bias()) << format.fraction_bits;
    std::uint64_t near_one = one + ((random() % 24 - 12) << format.fraction_bits);  // exponents about 0: things cancel
    std::uint64_t runs = (fraction_mask >> random() % format.fraction_bits) ^ (random() % 2 != 0 ? fraction_mask : 0);
    switch (random() % 16) {
        case 0: return sign;
        case 1: return sign | format.infinity();
        case 2: return sign | format.infinity() | (random() & fraction_mask);  // most are NaNs
        case 3: return sign | (random() & fraction_mask);                      // subnormals
        case 4: return sign | (random() % 4);
        case 5: return sign | (format.infinity() - random() % 4);              // the largest
        case 6: return sign | (fraction_mask - 1 + random() % 4);              // about the smallest normal number
        case 7: return sign | (one - 2 + random() % 4);
        case 8: return sign | near_one;                                        // powers of two
        case 9:
        case 10: return sign | near_one | runs;
        case 11: return sign | ((random() & format.infinity()) % format.infinity() & format.infinity()) | runs;
        case 12: {
            Flags flags;
            return from_signed(format, static_cast<std::int64_t>(random() % 513) - 256, Rounding::nearest, flags);
        }
        case 13: return sign | near_one | (random() & fraction_mask);
        default: return random() & (format.sign_bit() | (format.sign_bit() - 1));
    }
}

// The same or a neighbour, of either sign.
inline std::uint64_t near_by(const Format& format, std::uint64_t a, std::mt19937_64& random) {
    std::uint64_t magnitude = a & (format.sign_bit() - 1);
    if (random() % 2 != 0 && magnitude > 2) magnitude += random() % 5 - 2;
    magnitude &= format.sign_bit() - 1;
    return magnitude | (random() % 2 != 0 ? format.sign_bit() : 0);
}

}  // namespace soft_float

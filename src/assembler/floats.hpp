// Rounding to the short floating-point formats that C++20 has no type for.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace isaforge::assembler {

// IEEE binary16, rounded to nearest even.
inline std::uint16_t to_half(double value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000);
    if (std::isnan(value)) return sign | 0x7E00;
    const double magnitude = std::fabs(value);
    constexpr double smallest_normal = 0x1p-14, overflow = 65520.0;
    if (magnitude >= overflow) return sign | 0x7C00;
    if (magnitude < smallest_normal) {
        return sign | static_cast<std::uint16_t>(std::nearbyint(std::ldexp(magnitude, 24)));
    }
    int exponent = 0;
    const double fraction = std::frexp(magnitude, &exponent);  // 0.5 <= fraction < 1
    const auto significand = static_cast<unsigned>(std::nearbyint(std::ldexp(fraction, 11)));  // 1024..2048
    // A significand of 2048 carries into the exponent, which is what the sum does.
    return sign | static_cast<std::uint16_t>(((exponent + 14) << 10) + (significand - 1024));
}

}  // namespace isaforge::assembler

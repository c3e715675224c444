// IEEE 754 binary16, which C++20 does not have.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace isaforge {

// The half nearest to `value`, ties to even; too large becomes infinity, a NaN stays one.
inline std::uint16_t half_from_double(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000);
    if (std::isnan(value)) return sign | 0x7e00;
    const double magnitude = std::fabs(value);
    if (magnitude >= 65520.0) return sign | 0x7c00;
    if (magnitude < 0x1p-14) return sign | static_cast<std::uint16_t>(std::nearbyint(magnitude * 0x1p24));
    int exponent = 0;
    std::frexp(magnitude, &exponent);  // magnitude = f * 2^exponent, f in [0.5, 1)
    const double units = std::nearbyint(std::ldexp(magnitude, 11 - exponent));  // 1024 .. 2048
    return sign |
           static_cast<std::uint16_t>((exponent + 13) * 1024 + static_cast<int>(units));  // carries into the exponent
}

inline double double_from_half(std::uint16_t half) {
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31) magnitude = fraction == 0 ? HUGE_VAL : NAN;
    return std::copysign(magnitude, half & 0x8000 ? -1.0 : 1.0);
}

}  // namespace isaforge

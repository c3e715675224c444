// The types of the language's values: a bit vector of 1 to 64 bits in one lane or in many. Hosts keep it in the smallest container
// of 8, 16, 32 or 64 bits that holds it.
#pragma once

#include <cstdint>
#include <string>

#include "isaforge/image.hpp"

namespace isaforge::semantics {

inline constexpr unsigned max_lanes = 1024;

struct Type {
    unsigned bits = 0;
    bool is_signed = false;
    unsigned lanes = 1;

    bool operator==(const Type&) const = default;
    unsigned container() const { return bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64; }
    bool fills_container() const { return bits == container(); }
    unsigned total_bits() const { return bits * lanes; }
};

// "u32", "s8", "u32 in 64 lanes".
inline std::string to_text(const Type& type) {
    std::string text = (type.is_signed ? "s" : "u") + std::to_string(type.bits);
    if (type.lanes != 1) text += " in " + std::to_string(type.lanes) + " lanes";
    return text;
}

inline std::uint64_t mask_of(unsigned bits) { return low_bits(bits); }

inline std::int64_t sign_extend(std::uint64_t value, unsigned bits) {
    unsigned shift = 64 - bits;
    return static_cast<std::int64_t>(value << shift) >> shift;
}

}  // namespace isaforge::semantics

// Masks of low bits, which nearly everything about encodings needs.
#pragma once

#include <cstdint>

namespace isaforge {

// The `width` low bits set; all of them from 64 on.
constexpr std::uint64_t low_bits(unsigned width) {
    return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

}  // namespace isaforge

// What the bytes of a picture in memory mean.
#pragma once

#include <cstdint>

#include "isaforge/machine.hpp"

namespace isaforge {

// One pixel, of bytes_per_pixel(format) bytes, as red, green and blue of 0 to 255.
void to_rgb(const std::uint8_t* pixel, PixelFormat format, std::uint8_t* rgb);

}  // namespace isaforge

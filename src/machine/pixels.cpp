#include "machine/pixels.hpp"

namespace isaforge {

unsigned bytes_per_pixel(PixelFormat format) {
    switch (format) {
        case PixelFormat::xrgb8888: return 4;
        case PixelFormat::rgb888: return 3;
        case PixelFormat::rgb565: return 2;
        case PixelFormat::gray8: return 1;
    }
    return 1;
}

namespace {

// Five or six bits stretched to eight, so that all ones stay all ones.
std::uint8_t stretched(unsigned value, unsigned bits) {
    return static_cast<std::uint8_t>(value << (8 - bits) | value >> (2 * bits - 8));
}

}  // namespace

void to_rgb(const std::uint8_t* pixel, PixelFormat format, std::uint8_t* rgb) {
    switch (format) {
        case PixelFormat::xrgb8888: rgb[0] = pixel[2], rgb[1] = pixel[1], rgb[2] = pixel[0]; break;
        case PixelFormat::rgb888: rgb[0] = pixel[0], rgb[1] = pixel[1], rgb[2] = pixel[2]; break;
        case PixelFormat::rgb565: {
            unsigned word = pixel[0] | pixel[1] << 8;
            rgb[0] = stretched(word >> 11, 5), rgb[1] = stretched(word >> 5 & 63, 6), rgb[2] = stretched(word & 31, 5);
            break;
        }
        case PixelFormat::gray8: rgb[0] = rgb[1] = rgb[2] = pixel[0]; break;
    }
}

}  // namespace isaforge

// Pictures: a range of memory as the text of a PNG file, by way of libpng.
#include <fmt/format.h>
#include <png.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "isaforge/machine.hpp"

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

std::vector<std::uint8_t> rgb_rows(const std::uint8_t* pixels, std::uint32_t width, std::uint32_t height,
                                   PixelFormat format) {
    std::size_t count = std::size_t{width} * height;
    std::vector<std::uint8_t> rows(count * 3);
    for (std::size_t i = 0; i < count; ++i) to_rgb(pixels + i * bytes_per_pixel(format), format, rows.data() + i * 3);
    return rows;
}

}  // namespace

std::string make_png(std::span<const std::uint8_t> memory, const Picture& picture, std::string& png) {
    const auto& [address, width, height, format] = picture;
    if (width == 0 || height == 0 || width > largest_picture_side || height > largest_picture_side)
        return fmt::format("a picture has 1 to {} pixels a side", largest_picture_side);
    if (address > memory.size() || picture.bytes() > memory.size() - address)
        return fmt::format("the picture lies partly outside the memory, which ends at {:#x}", memory.size());
    std::vector<std::uint8_t> rows;
    const std::uint8_t* pixels = memory.data() + address;
    const bool is_gray = format == PixelFormat::gray8;
    if (!is_gray) {
        rows = rgb_rows(pixels, width, height, format);
        pixels = rows.data();
    }
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = is_gray ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
    char* bytes = nullptr;
    std::size_t size = 0;
    std::FILE* const stream = ::open_memstream(&bytes, &size);
    if (stream == nullptr) return "out of memory";
    const bool good = png_image_write_to_stdio(&image, stream, 0, pixels, 0, nullptr) != 0;
    const bool complete = std::fclose(stream) == 0;
    if (good && complete) png.assign(bytes, size);
    std::free(bytes);
    const std::string message = image.message;
    png_image_free(&image);
    if (good && complete) return {};
    return message.empty() ? "out of memory" : message;
}

}  // namespace isaforge

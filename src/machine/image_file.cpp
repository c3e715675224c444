// Pictures: a range of memory as the text of a PNG file, by way of libpng.
#include <fmt/format.h>
#include <png.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "isaforge/machine.hpp"
#include "machine/pixels.hpp"

namespace isaforge {

namespace {

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

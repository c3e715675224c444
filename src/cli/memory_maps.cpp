#include "cli/memory_maps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/outputs.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"

namespace isaforge::cli {

namespace {

// The part up to the next separator, which goes too; all where there is none.
std::string_view take(std::string_view& text, char separator) {
    const std::size_t at = text.find(separator);
    const std::string_view part = text.substr(0, at);
    text = at == std::string_view::npos ? std::string_view{} : text.substr(at + 1);
    return part;
}

bool parse_permissions(std::string_view text, Permissions& permissions) {
    permissions = {false, false, false};
    for (const char letter : text) {
        if (letter == 'r')
            permissions.read = true;
        else if (letter == 'w')
            permissions.write = true;
        else if (letter == 'x')
            permissions.execute = true;
        else if (letter != '-')
            return false;
    }
    return true;
}

bool parse_storage(std::string_view rest, MemoryMapping& mapping) {
    const auto size = parse_size(take(rest, ':'));
    if (!size || *size == 0) return false;
    mapping.size = *size;
    return rest.empty() || parse_permissions(rest, mapping.permissions);
}

bool parse_frame(std::string_view rest, MemoryMapping& mapping) {
    Picture& picture = mapping.picture;
    if (!parse_picture_size(take(rest, ':'), picture.width, picture.height)) return false;
    const auto format = parse_pixel_format(take(rest, '='));
    if (!format || rest.empty()) return false;
    picture.format = *format;
    picture.address = mapping.address;
    mapping.path = rest;
    mapping.size = picture.bytes();
    return true;
}

}  // namespace

std::optional<PixelFormat> parse_pixel_format(std::string_view name) {
    if (name == "xrgb8888") return PixelFormat::xrgb8888;
    if (name == "rgb888") return PixelFormat::rgb888;
    if (name == "rgb565") return PixelFormat::rgb565;
    if (name == "gray8") return PixelFormat::gray8;
    return std::nullopt;
}

bool parse_picture_size(std::string_view text, std::uint32_t& width, std::uint32_t& height) {
    const auto across = parse_size(take(text, 'x')), down = parse_size(text);
    if (!across || !down || *across == 0 || *down == 0) return false;
    if (*across > largest_picture_side || *down > largest_picture_side) return false;
    width = static_cast<std::uint32_t>(*across);
    height = static_cast<std::uint32_t>(*down);
    return true;
}

std::optional<MemoryMapping> parse_mapping(const std::string& text) {
    std::string_view rest = text;
    MemoryMapping mapping;
    mapping.kind = take(rest, '@');
    const auto address = parse_size(take(rest, ':'));
    if (!address) return std::nullopt;
    mapping.address = *address;
    bool good = rest.empty() && (mapping.kind == "console" || mapping.kind == "timer" || mapping.kind == "doorbell");
    if (mapping.kind == "ram") good = parse_storage(rest, mapping);
    if (mapping.kind == "frame") good = parse_frame(rest, mapping);
    return good ? std::optional(mapping) : std::nullopt;
}

bool map_memory(Machine& machine, const std::vector<std::string>& maps) {
    for (const std::string& text : maps) {
        const MemoryMapping mapping = *parse_mapping(text);
        const std::string problem =
            mapping.size != 0 ? machine.add_storage(mapping.address, mapping.size, mapping.permissions, mapping.kind)
                              : machine.add_device(mapping.kind, mapping.address);
        if (problem.empty()) continue;
        complain(fmt::format("cannot map '{}': {}", text, problem));
        return false;
    }
    return true;
}

bool write_picture(const Machine& machine, Index memory, const std::string& path, Picture picture) {
    std::vector<std::uint8_t> pixels(picture.bytes());
    std::string png, problem = "part of it is mapped over";
    if (machine.peek(memory, picture.address, pixels)) {
        picture.address = 0;
        problem = make_png(pixels, picture, png);
    }
    if (problem.empty()) return write_text(path, png);
    complain(fmt::format("cannot write '{}': {}", path, problem));
    return false;
}

bool write_frames(const Machine& machine, const std::vector<std::string>& maps) {
    bool written = true;
    for (const std::string& text : maps) {
        const MemoryMapping mapping = *parse_mapping(text);
        if (!mapping.path.empty())
            written &= write_picture(machine, machine.main_memory(), mapping.path, mapping.picture);
    }
    return written;
}

std::vector<std::string> frame_paths(const std::vector<std::string>& maps) {
    std::vector<std::string> out;
    out.reserve(maps.size());
    for (const std::string& text : maps) out.push_back(parse_mapping(text)->path);
    return out;
}

}  // namespace isaforge::cli

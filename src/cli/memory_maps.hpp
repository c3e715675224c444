// What `--map` puts into the memory of a machine: storage, frame buffers, devices.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/machine.hpp"

namespace isaforge::cli {

// ram@ADDRESS:SIZE[:rwx], frame@ADDRESS:WIDTHxHEIGHT:FORMAT=FILE, or DEVICE@ADDRESS
struct MemoryMapping {
    std::string kind;
    std::uint64_t address = 0, size = 0;
    Permissions permissions;
    Picture picture;   // of a frame …
    std::string path;  // … and where it goes
};

std::optional<PixelFormat> parse_pixel_format(std::string_view name);
// "640x480"
bool parse_picture_size(std::string_view text, std::uint32_t& width, std::uint32_t& height);
std::optional<MemoryMapping> parse_mapping(const std::string& text);

// A picture of a memory into a file. False after a complaint.
bool write_picture(const Machine& machine, Index memory, const std::string& path, Picture picture);

// False after a complaint.
bool map_memory(Machine& machine, const std::vector<std::string>& maps);
bool write_frames(const Machine& machine, const std::vector<std::string>& maps);
// The files that will be written.
std::vector<std::string> frame_paths(const std::vector<std::string>& maps);

}  // namespace isaforge::cli

// What a loader makes of a code object: bytes for a stretch of memory, who may do what there, and what depends on where it
// lies. Linked files are taken by their segments, others by their sections, as a linker would place them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codeobject/kernel_list.hpp"
#include "codeobject/target.hpp"
#include "isaforge/device.hpp"
#include "isaforge/object.hpp"

namespace isaforge::codeobject {

struct LoadPart {
    std::uint64_t first = 0, size = 0;   // in the image
    Permissions permissions;
    std::string name;                    // of the section, or of what the segment holds
};

// A number that depends on addresses: see AMDGPUUsage, "Relocation Records".
struct LoadFix {
    std::uint64_t place = 0;             // in the image
    std::uint32_t type = 0;
    std::size_t symbol = 0;              // LoadImage::symbols; none: no_symbol
    std::int64_t addend = 0;
    std::uint64_t table_entry = 0;       // where the symbol's address stands, for those that ask for that
};
inline constexpr std::size_t no_symbol = ~std::size_t{0};

struct LoadSymbol {
    std::string name;
    std::uint64_t value = 0, size = 0;   // in the image
    bool defined = false, weak = false, absolute = false;
    bool is_kernel_code = false;         // of version 2: it names the header before a kernel's code
    bool is_object = false;              // data; else code, or unknown
};

struct LoadKernel {
    KernelInfo info;                     // without addresses
    std::uint64_t object = 0;            // in the image
    bool has_header = false;             // of version 2, in place of a descriptor
};

struct LoadImage {
    Object object;                       // what was read, with its sections at their places in the image
    Target target;
    unsigned version = 0;
    std::vector<std::uint8_t> bytes;
    std::vector<LoadPart> parts;         // apart from each other
    std::vector<LoadFix> fixes;
    std::vector<LoadSymbol> symbols;
    std::vector<LoadKernel> kernels;
    std::vector<std::string> printf_formats;
};

// Nothing, with the reason in `error`, where the bytes are no code object.
std::optional<LoadImage> read_image(std::span<const std::uint8_t> bytes, std::string& error);

// Fits the bytes for an image that begins at an address. `find`: the addresses of symbols that are not defined.
using FindSymbol = std::function<std::optional<std::uint64_t>(const std::string&)>;
bool place_image(LoadImage& image, std::uint64_t base, const FindSymbol& find, std::string& error);

}  // namespace isaforge::codeobject

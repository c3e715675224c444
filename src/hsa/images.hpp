// Images and samplers: the words that image instructions read, which describe them, and copies to and from them. All images
// lie in memory row by row, from the first texel on, rows of 256 bytes or a multiple, slices one right behind the other.
#pragma once

#include <array>
#include <cstdint>

#include "hsa/agent.hpp"

namespace isaforge::hsa {

// How texels of a format lie in memory, and are read. `bytes` 0: there is no such format.
struct TexelFormat {
    unsigned data = 0, numbers = 0;                       // as image instructions call them
    std::array<std::uint8_t, 4> channels{};               // what each component is: 0, 1, or the 4 + n-th of a texel
    unsigned bytes = 0;
};
TexelFormat texel_format(const hsa_ext_image_format_t& format);
// A texel of the format, at most 16 bytes, with such components: four of 32 bits, floats where kernels read floats, else
// integers, of the sign that the type of channel has. They are rounded and limited as image stores do it.
std::array<std::uint8_t, 16> texel_of(const hsa_ext_image_format_t& format,
                                      const std::array<std::uint32_t, 4>& components);

struct Extents {
    std::size_t row_bytes = 0, slice_bytes = 0, slices = 0;
    std::size_t bytes() const { return slice_bytes * slices; }
};
// With a row pitch and a slice pitch of the client's, or 0.
bool extents_of(const hsa_ext_image_descriptor_t& about, std::size_t row_pitch, std::size_t slice_pitch,
                Extents& extents);

// What a handle of an image leads to. Kernels read the words; all clients know that there are twelve.
struct Image {
    std::array<std::uint32_t, 12> words{};
    hsa_ext_image_descriptor_t about{};
    Extents extents;
    std::uint8_t* data = nullptr;
};

struct Sampler {
    std::array<std::uint32_t, 8> words{};
};

std::array<std::uint32_t, 12> image_words(const Agent& agent, const Image& image);
bool sampler_words(const hsa_ext_sampler_descriptor_t& about, std::array<std::uint32_t, 8>& words);

}  // namespace isaforge::hsa

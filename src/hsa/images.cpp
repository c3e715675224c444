#include "hsa/images.hpp"

#include <bit>
#include <cmath>

#include "semantics/kernels.hpp"

namespace isaforge::hsa {

namespace {

constexpr std::size_t row_alignment = 256;

// The components of an order, from the texel's channels.
std::array<std::uint8_t, 4> channels_of(unsigned order) {
    constexpr std::uint8_t x = 4, y = 5, z = 6, w = 7;
    switch (order) {
        case HSA_EXT_IMAGE_CHANNEL_ORDER_A: return {0, 0, 0, x};
        case HSA_EXT_IMAGE_CHANNEL_ORDER_R:
        case HSA_EXT_IMAGE_CHANNEL_ORDER_RX: return {x, 0, 0, 1};
        case HSA_EXT_IMAGE_CHANNEL_ORDER_RG:
        case HSA_EXT_IMAGE_CHANNEL_ORDER_RGX: return {x, y, 0, 1};
        case HSA_EXT_IMAGE_CHANNEL_ORDER_RA: return {x, 0, 0, y};
        case HSA_EXT_IMAGE_CHANNEL_ORDER_RGB:
        case HSA_EXT_IMAGE_CHANNEL_ORDER_RGBX: return {x, y, z, 1};
        case HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA: return {x, y, z, w};
        case HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA: return {z, y, x, w};
        case HSA_EXT_IMAGE_CHANNEL_ORDER_ARGB: return {y, z, w, x};
        case HSA_EXT_IMAGE_CHANNEL_ORDER_ABGR: return {w, z, y, x};
        case HSA_EXT_IMAGE_CHANNEL_ORDER_INTENSITY: return {x, x, x, x};
        case HSA_EXT_IMAGE_CHANNEL_ORDER_LUMINANCE: return {x, x, x, 1};
        case HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH: return {x, 0, 0, 0};
        default: return {};
    }
}

// How many channels a texel of an order has.
unsigned count_of(unsigned order) {
    const auto channels = channels_of(order);
    unsigned count = 0;
    for (unsigned channel = 4; channel < 8; ++channel)
        if (std::find(channels.begin(), channels.end(), channel) != channels.end()) ++count;
    const bool has_unused = order == HSA_EXT_IMAGE_CHANNEL_ORDER_RX || order == HSA_EXT_IMAGE_CHANNEL_ORDER_RGX ||
                            order == HSA_EXT_IMAGE_CHANNEL_ORDER_RGBX;
    return count + (has_unused ? 1 : 0);
}

struct ChannelType {
    unsigned type, numbers, bytes;
    std::array<unsigned, 4> data;   // the texel's format with 1 to 4 channels; 0: none
};

constexpr ChannelType channel_types[] = {
    {HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8, 1, 1, {1, 3, 0, 10}},
    {HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16, 1, 2, {2, 5, 0, 12}},
    {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, 0, 1, {1, 3, 0, 10}},
    {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16, 0, 2, {2, 5, 0, 12}},
    {HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8, 5, 1, {1, 3, 0, 10}},
    {HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16, 5, 2, {2, 5, 0, 12}},
    {HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT32, 5, 4, {4, 11, 13, 14}},
    {HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8, 4, 1, {1, 3, 0, 10}},
    {HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16, 4, 2, {2, 5, 0, 12}},
    {HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32, 4, 4, {4, 11, 13, 14}},
    {HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT, 7, 2, {2, 5, 0, 12}},
    {HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, 7, 4, {4, 11, 13, 14}},
};

// Those whose channels share a word: the whole texel. Their channels count from the lowest bits.
TexelFormat packed_format(const hsa_ext_image_format_t& format) {
    switch (format.channel_type) {
        case HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555: return {17, 0, {6, 5, 4, 1}, 2};
        case HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565: return {16, 0, {6, 5, 4, 1}, 2};
        case HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_101010: return {9, 0, {6, 5, 4, 1}, 4};
        default: return {};
    }
}

bool is_array(unsigned geometry) {
    return geometry == HSA_EXT_IMAGE_GEOMETRY_1DA || geometry == HSA_EXT_IMAGE_GEOMETRY_2DA ||
           geometry == HSA_EXT_IMAGE_GEOMETRY_2DADEPTH;
}

// As image instructions call a geometry.
unsigned kind_of(unsigned geometry) {
    switch (geometry) {
        case HSA_EXT_IMAGE_GEOMETRY_1D: return 8;
        case HSA_EXT_IMAGE_GEOMETRY_3D: return 10;
        case HSA_EXT_IMAGE_GEOMETRY_1DA: return 12;
        case HSA_EXT_IMAGE_GEOMETRY_2DA:
        case HSA_EXT_IMAGE_GEOMETRY_2DADEPTH: return 13;
        default: return 9;
    }
}

std::uint32_t channel_bits(const TexelFormat& format) {
    return format.channels[0] | format.channels[1] << 3 | format.channels[2] << 6 |
           std::uint32_t{format.channels[3]} << 9;
}

// A buffer of texels: four words, as buffer instructions read them.
void put_buffer(unsigned generation, const Image& image, const TexelFormat& format,
                std::array<std::uint32_t, 12>& words) {
    const auto base = reinterpret_cast<std::uint64_t>(image.data);
    const auto count = static_cast<std::uint32_t>(image.about.width);
    words[0] = static_cast<std::uint32_t>(base);
    words[1] = static_cast<std::uint32_t>(base >> 32 & 0xffff) | format.bytes << 16;
    words[2] = generation == 8 ? count * format.bytes : count;
    words[3] = channel_bits(format) | format.numbers << 12 | format.data << 15;
}

void put_image(unsigned generation, const Image& image, const TexelFormat& format,
               std::array<std::uint32_t, 12>& words) {
    const hsa_ext_image_descriptor_t& about = image.about;
    const auto base = reinterpret_cast<std::uint64_t>(image.data);
    const auto less = [](std::size_t count) { return static_cast<std::uint32_t>(count == 0 ? 0 : count - 1); };
    const std::uint32_t slices = is_array(about.geometry) ? less(about.array_size) : less(about.depth);
    const std::uint32_t linear = generation >= 9 ? 0 : 8;
    words[0] = static_cast<std::uint32_t>(base >> 8);
    words[1] = static_cast<std::uint32_t>(base >> 40 & 0xff) | format.data << 20 | format.numbers << 26;
    words[2] = less(about.width) | less(about.height) << 14;
    words[3] = channel_bits(format) | linear << 20 | kind_of(about.geometry) << 28;
    words[4] = less(image.extents.row_bytes / format.bytes) << 13;
    if (generation >= 9 || about.geometry == HSA_EXT_IMAGE_GEOMETRY_3D)
        words[4] |= slices;
    else
        words[5] = slices << 13;
}

}  // namespace

TexelFormat texel_format(const hsa_ext_image_format_t& format) {
    if (const TexelFormat packed = packed_format(format); packed.bytes != 0) return packed;
    const unsigned count = count_of(format.channel_order);
    for (const ChannelType& each : channel_types)
        if (each.type == format.channel_type && count != 0 && each.data[count - 1] != 0)
            return {each.data[count - 1], each.numbers, channels_of(format.channel_order), each.bytes * count};
    return {};
}

namespace {

// One channel of so many bits.
std::uint64_t channel_of(unsigned numbers, unsigned bits, std::uint32_t component) {
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1, half = mask >> 1;
    const auto number = static_cast<double>(std::bit_cast<float>(component));
    const auto scaled = [&](double least, std::uint64_t most) {
        const double limited = number >= least ? std::min(number, 1.0) : number < least ? least : 0;   // no number is 0
        return static_cast<std::int64_t>(std::nearbyint(limited * static_cast<double>(most)));
    };
    switch (numbers) {
        case 0: return static_cast<std::uint64_t>(scaled(0, mask));
        case 1: return static_cast<std::uint64_t>(scaled(-1, half)) & mask;
        case 4: return std::min<std::uint64_t>(component, mask);
        case 5: {
            const auto most = static_cast<std::int64_t>(half);
            return static_cast<std::uint64_t>(
                       std::clamp<std::int64_t>(static_cast<std::int32_t>(component), -most - 1, most)) &
                   mask;
        }
        default: return bits == 16 ? semantics::kernels::double_to_half(number) : component;
    }
}

}  // namespace

std::array<std::uint8_t, 16> texel_of(const hsa_ext_image_format_t& about,
                                      const std::array<std::uint32_t, 4>& components) {
    const TexelFormat format = texel_format(about);
    const bool is_packed = packed_format(about).bytes != 0;
    const unsigned count = is_packed ? 4 : count_of(about.channel_order);
    constexpr unsigned widths_565[] = {5, 6, 5, 0}, widths_555[] = {5, 5, 5, 1}, widths_101010[] = {10, 10, 10, 2};
    const unsigned* const packed = format.data == 16 ? widths_565 : format.data == 17 ? widths_555 : widths_101010;
    std::array<std::uint8_t, 16> texel{};
    unsigned at = 0;
    for (unsigned channel = 0; channel < count; ++channel) {
        const unsigned bits = is_packed ? packed[channel] : 8 * format.bytes / count;
        const auto component = std::find(format.channels.begin(), format.channels.end(), channel + 4);
        if (bits != 0 && component != format.channels.end()) {
            const std::uint64_t value =
                channel_of(format.numbers, bits, components[component - format.channels.begin()]) << at % 8;
            for (unsigned byte = 0; byte * 8 < bits + at % 8; ++byte)
                texel[at / 8 + byte] |= static_cast<std::uint8_t>(value >> 8 * byte);
        }
        at += bits;
    }
    return texel;
}

bool extents_of(const hsa_ext_image_descriptor_t& about, std::size_t row_pitch, std::size_t slice_pitch,
                Extents& extents) {
    constexpr std::size_t most = 1 << 14;
    const TexelFormat format = texel_format(about.format);
    const bool is_buffer = about.geometry == HSA_EXT_IMAGE_GEOMETRY_1DB;
    if (format.bytes == 0 || about.width == 0 || about.height > most || about.depth > most || about.array_size > most ||
        about.width > (is_buffer ? std::size_t{1} << 27 : most))
        return false;
    const std::size_t least = about.width * format.bytes;
    extents.row_bytes = row_pitch != 0 ? row_pitch
                        : is_buffer    ? least
                                       : (least + row_alignment - 1) / row_alignment * row_alignment;
    extents.slice_bytes = extents.row_bytes * std::max<std::size_t>(about.height, 1);
    extents.slices = std::max<std::size_t>({about.depth, about.array_size, 1});
    return extents.row_bytes >= least && extents.row_bytes % format.bytes == 0 &&
           (slice_pitch == 0 || extents.slices == 1 || slice_pitch == extents.slice_bytes);
}

std::array<std::uint32_t, 12> image_words(const Agent& agent, const Image& image) {
    std::array<std::uint32_t, 12> words{};
    const TexelFormat format = texel_format(image.about.format);
    if (image.about.geometry == HSA_EXT_IMAGE_GEOMETRY_1DB)
        put_buffer(agent.generation(), image, format, words);
    else
        put_image(agent.generation(), image, format, words);
    words[8] = image.about.format.channel_type;   // what kernels are told that ask for it
    words[9] = image.about.format.channel_order;
    words[10] = static_cast<std::uint32_t>(image.about.width);
    return words;
}

bool sampler_words(const hsa_ext_sampler_descriptor_t& about, std::array<std::uint32_t, 8>& words) {
    constexpr std::uint32_t clamps[] = {2, 2, 6, 0, 1};   // by hsa_ext_sampler_addressing_mode_t
    constexpr std::uint32_t all_levels = 0xfff << 12;
    if (about.address_mode >= std::size(clamps) || about.filter_mode > HSA_EXT_SAMPLER_FILTER_MODE_LINEAR ||
        about.coordinate_mode > HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED)
        return false;
    const std::uint32_t clamp = clamps[about.address_mode], filter = about.filter_mode;
    const bool is_unnormalised = about.coordinate_mode == HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED;
    words[0] = clamp | clamp << 3 | clamp << 6 | (is_unnormalised ? 1u << 15 : 0);
    words[1] = all_levels;
    words[2] = filter << 20 | filter << 22 | (filter + 1) << 24;
    return true;
}

}  // namespace isaforge::hsa

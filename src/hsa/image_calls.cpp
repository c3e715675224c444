// The interface: images and samplers.
#include "hsa/images.hpp"
#include "hsa/runtime.hpp"

using namespace isaforge::hsa;

namespace {

constexpr std::size_t data_alignment = 256;

// Handles lead to memory that kernels may read, for clients hand them on as they are.
template <typename T>
T* make_object() {
    void* memory = nullptr;
    const hsa_status_t status = runtime().memory().allocate(runtime().host().pools()[0], sizeof(T), &memory);
    return status == HSA_STATUS_SUCCESS ? new (memory) T() : nullptr;
}

hsa_status_t capability(const hsa_ext_image_format_t* format, std::uint32_t* mask) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (format == nullptr || mask == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *mask = texel_format(*format).bytes == 0
                ? HSA_EXT_IMAGE_CAPABILITY_NOT_SUPPORTED
                : HSA_EXT_IMAGE_CAPABILITY_READ_ONLY | HSA_EXT_IMAGE_CAPABILITY_WRITE_ONLY |
                      HSA_EXT_IMAGE_CAPABILITY_READ_WRITE | HSA_EXT_IMAGE_CAPABILITY_ACCESS_INVARIANT_DATA_LAYOUT;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t data_info(const hsa_ext_image_descriptor_t* about, std::size_t row_pitch, std::size_t slice_pitch,
                       hsa_ext_image_data_info_t* info) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (about == nullptr || info == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    Extents extents;
    if (!extents_of(*about, row_pitch, slice_pitch, extents))
        return static_cast<hsa_status_t>(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED);
    *info = {extents.bytes(), data_alignment};
    return HSA_STATUS_SUCCESS;
}

hsa_status_t make_image(hsa_agent_t handle, const hsa_ext_image_descriptor_t* about, const void* data,
                        std::size_t row_pitch, std::size_t slice_pitch, hsa_ext_image_t* image) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    const Agent* const agent = runtime().find_agent(handle);
    if (agent == nullptr || !agent->is_gpu()) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (about == nullptr || data == nullptr || image == nullptr ||
        reinterpret_cast<std::uint64_t>(data) % (about->geometry == HSA_EXT_IMAGE_GEOMETRY_1DB ? 1 : data_alignment) !=
            0)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    Extents extents;
    if (!extents_of(*about, row_pitch, slice_pitch, extents))
        return static_cast<hsa_status_t>(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED);
    auto* const made = make_object<Image>();
    if (made == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    made->about = *about;
    made->extents = extents;
    made->data = static_cast<std::uint8_t*>(const_cast<void*>(data));
    made->words = image_words(*agent, *made);
    *image = handle_of<hsa_ext_image_t>(made);
    return HSA_STATUS_SUCCESS;
}

// Rows of a region, by `use`: where each is in the image, its bytes, and which it is of a slice, and which slice that is.
template <typename Use>
hsa_status_t for_each_row(const Image& image, const hsa_ext_image_region_t& region, const Use& use) {
    const std::size_t texel = texel_format(image.about.format).bytes, row = region.range.x * texel;
    const std::size_t rows = std::max(region.range.y, 1u), slices = std::max(region.range.z, 1u);
    if (region.offset.x * texel + row > image.extents.row_bytes ||
        (region.offset.y + rows) * image.extents.row_bytes > image.extents.slice_bytes ||
        region.offset.z + slices > image.extents.slices)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::uint8_t* const data = static_cast<std::uint8_t*>(runtime().memory().host_address(image.data));
    for (std::size_t z = 0; z < slices; ++z)
        for (std::size_t y = 0; y < rows; ++y)
            use(data + (region.offset.z + z) * image.extents.slice_bytes +
                    (region.offset.y + y) * image.extents.row_bytes + region.offset.x * texel,
                row, y, z);
    return HSA_STATUS_SUCCESS;
}

// Between memory and the image.
hsa_status_t copy_region(const Image& image, const hsa_ext_image_region_t& region, std::uint8_t* memory,
                         std::size_t row_pitch, std::size_t slice_pitch, bool into_image) {
    return for_each_row(image, region, [&](std::uint8_t* here, std::size_t row, std::size_t y, std::size_t z) {
        const std::size_t step = std::max(row_pitch, row);
        const std::size_t slice_step = std::max(slice_pitch, step * std::max(region.range.y, 1u));
        std::uint8_t* const there = memory + z * slice_step + y * step;
        std::memcpy(into_image ? here : there, into_image ? there : here, row);
    });
}

}  // namespace

extern "C" {

hsa_status_t hsa_ext_image_get_capability(hsa_agent_t, hsa_ext_image_geometry_t, const hsa_ext_image_format_t* format,
                                          std::uint32_t* mask) {
    return capability(format, mask);
}

hsa_status_t hsa_ext_image_get_capability_with_layout(hsa_agent_t, hsa_ext_image_geometry_t,
                                                      const hsa_ext_image_format_t* format, hsa_ext_image_data_layout_t,
                                                      std::uint32_t* mask) {
    return capability(format, mask);
}

hsa_status_t hsa_ext_image_data_get_info(hsa_agent_t, const hsa_ext_image_descriptor_t* about, hsa_access_permission_t,
                                         hsa_ext_image_data_info_t* info) {
    return data_info(about, 0, 0, info);
}

hsa_status_t hsa_ext_image_data_get_info_with_layout(hsa_agent_t, const hsa_ext_image_descriptor_t* about,
                                                     hsa_access_permission_t, hsa_ext_image_data_layout_t,
                                                     std::size_t row_pitch, std::size_t slice_pitch,
                                                     hsa_ext_image_data_info_t* info) {
    return data_info(about, row_pitch, slice_pitch, info);
}

hsa_status_t hsa_ext_image_create(hsa_agent_t agent, const hsa_ext_image_descriptor_t* about, const void* data,
                                  hsa_access_permission_t, hsa_ext_image_t* image) {
    return make_image(agent, about, data, 0, 0, image);
}

hsa_status_t hsa_ext_image_create_with_layout(hsa_agent_t agent, const hsa_ext_image_descriptor_t* about,
                                              const void* data, hsa_access_permission_t, hsa_ext_image_data_layout_t,
                                              std::size_t row_pitch, std::size_t slice_pitch, hsa_ext_image_t* image) {
    return make_image(agent, about, data, row_pitch, slice_pitch, image);
}

hsa_status_t hsa_ext_image_destroy(hsa_agent_t, hsa_ext_image_t image) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    return runtime().memory().release(object_of<void>(image));
}

hsa_status_t hsa_ext_image_import(hsa_agent_t, const void* memory, std::size_t row_pitch, std::size_t slice_pitch,
                                  hsa_ext_image_t image, const hsa_ext_image_region_t* region) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (memory == nullptr || image.handle == 0 || region == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    auto* const host = static_cast<std::uint8_t*>(runtime().memory().host_address(memory));
    return copy_region(*object_of<Image>(image), *region, host, row_pitch, slice_pitch, true);
}

hsa_status_t hsa_ext_image_export(hsa_agent_t, hsa_ext_image_t image, void* memory, std::size_t row_pitch,
                                  std::size_t slice_pitch, const hsa_ext_image_region_t* region) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (memory == nullptr || image.handle == 0 || region == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    auto* const host = static_cast<std::uint8_t*>(runtime().memory().host_address(memory));
    return copy_region(*object_of<Image>(image), *region, host, row_pitch, slice_pitch, false);
}

// Images of depths have one component, all others four.
hsa_status_t hsa_ext_image_clear(hsa_agent_t agent, hsa_ext_image_t handle, const void* data,
                                 const hsa_ext_image_region_t* region) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (runtime().find_agent(agent) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (handle.handle == 0 || data == nullptr || region == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Image& image = *object_of<Image>(handle);
    const bool is_depth = image.about.format.channel_order == HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH;
    std::array<std::uint32_t, 4> components{};
    std::memcpy(components.data(), data, is_depth ? 4 : sizeof components);
    const std::array<std::uint8_t, 16> texel = texel_of(image.about.format, components);
    const std::size_t size = texel_format(image.about.format).bytes;
    return for_each_row(image, *region, [&](std::uint8_t* here, std::size_t row, std::size_t, std::size_t) {
        for (std::size_t at = 0; at < row; at += size) std::memcpy(here + at, texel.data(), size);
    });
}

// By way of rows of the range's own.
hsa_status_t hsa_ext_image_copy(hsa_agent_t, hsa_ext_image_t from, const hsa_dim3_t* from_offset, hsa_ext_image_t to,
                                const hsa_dim3_t* to_offset, const hsa_dim3_t* range) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (from.handle == 0 || to.handle == 0 || from_offset == nullptr || to_offset == nullptr || range == nullptr)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Image &source = *object_of<Image>(from), &target = *object_of<Image>(to);
    const std::size_t texel = texel_format(source.about.format).bytes;
    if (texel != texel_format(target.about.format).bytes) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::vector<std::uint8_t> between(texel * range->x * std::max(range->y, 1u) * std::max(range->z, 1u));
    const hsa_status_t status = copy_region(source, {*from_offset, *range}, between.data(), 0, 0, false);
    return status == HSA_STATUS_SUCCESS ? copy_region(target, {*to_offset, *range}, between.data(), 0, 0, true)
                                        : status;
}

hsa_status_t hsa_ext_sampler_create(hsa_agent_t handle, const hsa_ext_sampler_descriptor_t* about,
                                    hsa_ext_sampler_t* sampler) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    const Agent* const agent = runtime().find_agent(handle);
    if (agent == nullptr || !agent->is_gpu()) return HSA_STATUS_ERROR_INVALID_AGENT;
    Sampler made;
    if (about == nullptr || sampler == nullptr || !sampler_words(*about, made.words))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    auto* const object = make_object<Sampler>();
    if (object == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *object = made;
    *sampler = handle_of<hsa_ext_sampler_t>(object);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_ext_sampler_destroy(hsa_agent_t, hsa_ext_sampler_t sampler) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    return runtime().memory().release(object_of<void>(sampler));
}

// Of an image whose words a driver has made; those of others are not known.
hsa_status_t hsa_amd_image_get_info_max_dim(hsa_agent_t agent, hsa_agent_info_t attribute, void* value) {
    return hsa_agent_get_info(agent, attribute, value);
}

}  // extern "C"

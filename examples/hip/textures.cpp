// Textures: a picture in an array, which kernels read by coordinates, between its elements and beyond its edges.
#include "example.hpp"

#include <algorithm>
#include <cmath>

__global__ void look(hipTextureObject_t texture, const float2* places, float* found, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) found[i] = tex2D<float>(texture, places[i].x, places[i].y);
}

constexpr int width = 24, height = 10;

/// An element, or that at the edge which is next to it.
static float element(const std::vector<float>& picture, float x, float y) {
    const int column = std::min(std::max(static_cast<int>(std::floor(x)), 0), width - 1);
    const int row = std::min(std::max(static_cast<int>(std::floor(y)), 0), height - 1);
    return picture[row * width + column];
}

/// Between the four elements around a place, whose middles are at halves.
static float between(const std::vector<float>& picture, float x, float y) {
    x -= 0.5F, y -= 0.5F;
    const float right = x - std::floor(x), down = y - std::floor(y);
    return (1 - down) * ((1 - right) * element(picture, x, y) + right * element(picture, x + 1, y)) +
           down * ((1 - right) * element(picture, x, y + 1) + right * element(picture, x + 1, y + 1));
}

static std::size_t wrong_values(hipArray_t array, hipTextureFilterMode mode, const std::vector<float>& picture,
                                const std::vector<float2>& places) {
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    hipTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = hipAddressModeClamp;
    description.filterMode = mode;
    description.readMode = hipReadModeElementType;
    hipTextureObject_t texture;
    MUST(hipCreateTextureObject(&texture, &resource, &description, nullptr));

    const DeviceArray<float2> device_places(places);
    const DeviceArray<float> device_found(places.size());
    look<<<(places.size() + 63) / 64, 64>>>(texture, device_places, device_found, places.size());
    const std::vector<float> found = device_found.content();
    MUST(hipDestroyTextureObject(texture));

    std::size_t wrong = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const float2 place = places[i];
        const bool linear = mode == hipFilterModeLinear;
        const float expected = linear ? between(picture, place.x, place.y) : element(picture, place.x, place.y);
        const float allowed = linear ? 1 : 0;  // of 2240: weights have eight bits behind the point
        wrong += !(std::fabs(found[i] - expected) <= allowed);
    }
    return wrong;
}

int main() {
    std::vector<float> picture(width * height);
    for (int i = 0; i < width * height; ++i) picture[i] = static_cast<float>(i / width * 64 + i % width * 10);
    std::vector<float2> places;
    for (float y = -1.75F; y < height + 2; y += 0.625F)
        for (float x = -1.75F; x < width + 2; x += 0.375F) places.push_back(make_float2(x, y));

    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    hipArray_t array;
    MUST(hipMallocArray(&array, &format, width, height));
    MUST(hipMemcpy2DToArray(array, 0, 0, picture.data(), width * sizeof(float), width * sizeof(float), height,
                            hipMemcpyHostToDevice));
    std::size_t wrong = wrong_values(array, hipFilterModePoint, picture, places);
    wrong += wrong_values(array, hipFilterModeLinear, picture, places);
    MUST(hipFreeArray(array));
    return verdict("textures", wrong, 2 * places.size());
}

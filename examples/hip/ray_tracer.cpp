// Spheres over a chequered floor, with shadows and reflections, into a picture: isaforge gpu -- ./ray_tracer picture.ppm
//
// The same functions compute it on the host. Both round after every operation, so that all pixels have to be equal to the last
// bit.
#include "example.hpp"

#include <cmath>
#include <cstdint>

#pragma clang fp contract(off)  // no fused multiplications and additions, which not every host has

#define BOTH __host__ __device__

struct Vector {
    float x, y, z;
};
BOTH Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
BOTH Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
BOTH Vector operator*(Vector a, float b) { return {a.x * b, a.y * b, a.z * b}; }
BOTH float dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
BOTH Vector unit(Vector a) { return a * (1 / sqrtf(dot(a, a))); }

struct Sphere {
    Vector centre;
    float radius;
    Vector colour;
    float mirror;  // how much of the light it reflects
};

struct Scene {
    Sphere spheres[5];
    Vector light;  // the direction it comes from
    unsigned width, height;
};

struct Hit {
    float distance;
    Vector point, normal, colour;
    float mirror;
};

BOTH bool hits_sphere(const Sphere& sphere, Vector from, Vector direction, float& distance) {
    const Vector to_centre = sphere.centre - from;
    const float along = dot(to_centre, direction);
    const float square = along * along - dot(to_centre, to_centre) + sphere.radius * sphere.radius;
    if (square <= 0) return false;
    const float first = along - sqrtf(square);
    if (first < 0.001F || first >= distance) return false;
    distance = first;
    return true;
}

BOTH bool find_hit(const Scene& scene, Vector from, Vector direction, Hit& hit) {
    hit.distance = 1e9F;
    for (const Sphere& sphere : scene.spheres) {
        if (!hits_sphere(sphere, from, direction, hit.distance)) continue;
        hit.point = from + direction * hit.distance;
        hit.normal = (hit.point - sphere.centre) * (1 / sphere.radius);
        hit.colour = sphere.colour;
        hit.mirror = sphere.mirror;
    }
    const float to_floor = direction.y < 0 ? -from.y / direction.y : 1e9F;
    if (to_floor > 0.001F && to_floor < hit.distance) {
        hit.distance = to_floor;
        hit.point = from + direction * to_floor;
        hit.normal = {0, 1, 0};
        const int square = static_cast<int>(floorf(hit.point.x)) + static_cast<int>(floorf(hit.point.z));
        hit.colour = square % 2 == 0 ? Vector{0.9F, 0.9F, 0.85F} : Vector{0.2F, 0.25F, 0.3F};
        hit.mirror = 0.1F;
    }
    return hit.distance < 1e9F;
}

BOTH Vector sky(Vector direction) {
    return Vector{0.5F, 0.7F, 1} * (0.4F + 0.6F * (direction.y < 0 ? 0 : direction.y));
}

BOTH Vector light_along(const Scene& scene, Vector from, Vector direction) {
    Vector sum = {0, 0, 0};
    float share = 1;
    for (int bounce = 0; bounce < 4; ++bounce) {
        Hit hit, shadow;
        if (!find_hit(scene, from, direction, hit)) return sum + sky(direction) * share;
        const float facing = dot(hit.normal, scene.light);
        const bool lit = facing > 0 && !find_hit(scene, hit.point, scene.light, shadow);
        sum = sum + hit.colour * ((0.15F + (lit ? 0.85F * facing : 0)) * share * (1 - hit.mirror));
        share *= hit.mirror;
        from = hit.point;
        direction = direction - hit.normal * (2 * dot(direction, hit.normal));
    }
    return sum;
}

BOTH std::uint32_t level(float light) {
    return static_cast<std::uint32_t>(sqrtf(light < 0 ? 0 : light > 1 ? 1 : light) * 255 + 0.5F);
}

BOTH std::uint32_t pixel(const Scene& scene, unsigned x, unsigned y) {
    const Vector eye = {0, 1.5F, -5};
    const float right = (2 * static_cast<float>(x) + 1 - scene.width) / scene.height;
    const float up = (scene.height - 2 * static_cast<float>(y) - 1) / scene.height;
    const Vector light = light_along(scene, eye, unit({right, up - 0.2F, 1.8F}));
    return level(light.x) << 16 | level(light.y) << 8 | level(light.z);
}

__global__ void render(Scene scene, std::uint32_t* picture) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < scene.width && y < scene.height) picture[y * scene.width + x] = pixel(scene, x, y);
}

static bool write_picture(const char* path, const Scene& scene, const std::vector<std::uint32_t>& picture) {
    FILE* file = std::fopen(path, "wb");
    if (file == nullptr) return false;
    std::fprintf(file, "P6\n%u %u\n255\n", scene.width, scene.height);
    for (const std::uint32_t colour : picture)
        for (const int shift : {16, 8, 0}) std::fputc(static_cast<int>(colour >> shift & 255), file);
    return std::fclose(file) == 0;
}

int main(int count, char** arguments) {
    const Scene scene = {{{{-1.6F, 1, 0}, 1, {0.9F, 0.3F, 0.2F}, 0.2F},
                          {{0.7F, 0.8F, -0.8F}, 0.8F, {0.9F, 0.9F, 0.9F}, 0.8F},
                          {{2.4F, 1.2F, 1.2F}, 1.2F, {0.2F, 0.6F, 0.3F}, 0.3F},
                          {{-0.3F, 0.35F, -1.9F}, 0.35F, {0.95F, 0.75F, 0.2F}, 0.1F},
                          {{0, 3, 4}, 1.5F, {0.4F, 0.4F, 0.9F}, 0.5F}},
                         unit({-1, 2, -1.5F}),
                         320,
                         200};
    std::vector<std::uint32_t> expected(scene.width * scene.height);
    for (unsigned y = 0; y < scene.height; ++y)
        for (unsigned x = 0; x < scene.width; ++x) expected[y * scene.width + x] = pixel(scene, x, y);

    const DeviceArray<std::uint32_t> picture(expected.size());
    render<<<dim3((scene.width + 15) / 16, (scene.height + 15) / 16), dim3(16, 16)>>>(scene, picture);
    const std::vector<std::uint32_t> found = picture.content();
    if (count > 1 && !write_picture(arguments[1], scene, found)) {
        std::perror(arguments[1]);
        return 1;
    }
    return verdict("ray_tracer", differences(found, expected), expected.size());
}

// A path tracer: light that leaves the sky and reaches the eye by way of spheres, followed from the eye. Every work-item is one
// pixel; what paths it takes is chance, of a generator of its own.
#include "items.h"

typedef struct {
    float3 centre;
    float radius;
    float3 colour;
    float mirror;   // 0: it scatters light to all sides
} Sphere;

#define SPHERES 6
__constant Sphere spheres[SPHERES] = {
    {{0, -1000, 0}, 1000, {0.75f, 0.75f, 0.7f}, 0},      {{0, 1, 0}, 1, {0.95f, 0.95f, 0.95f}, 1},
    {{-2.2f, 0.8f, 0.6f}, 0.8f, {0.85f, 0.25f, 0.2f}, 0}, {{2.1f, 0.7f, 0.8f}, 0.7f, {0.2f, 0.4f, 0.85f}, 0},
    {{0.9f, 0.4f, 2.0f}, 0.4f, {0.95f, 0.75f, 0.3f}, 1},  {{-0.8f, 0.3f, 2.1f}, 0.3f, {0.3f, 0.75f, 0.35f}, 0}};

INLINE float dot3(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE float3 unit(float3 a) { return a * __builtin_amdgcn_rsqf(dot3(a, a)); }

// The next number of a generator, from 0 to 1.
static float chance(uint *state) {
    uint x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return (float)(x >> 8) * (1.0f / 16777216.0f);
}

static float3 direction(uint *state) {
    for (;;) {
        float3 p = {2 * chance(state) - 1, 2 * chance(state) - 1, 2 * chance(state) - 1};
        float square = dot3(p, p);
        if (square > 0.0001f && square <= 1) return p * __builtin_amdgcn_rsqf(square);
    }
}

// Which sphere a ray meets first, and how far away; -1: none.
static int nearest(float3 from, float3 way, float *distance) {
    int found = -1;
    for (int i = 0; i < SPHERES; ++i) {
        float3 to = spheres[i].centre - from;
        float along = dot3(to, way), radius = spheres[i].radius;
        float square = along * along - dot3(to, to) + radius * radius;
        if (square < 0) continue;
        float root = __builtin_sqrtf(square);
        float t = along - root > 0.001f ? along - root : along + root;
        if (t > 0.001f && t < *distance) *distance = t, found = i;
    }
    return found;
}

static float3 light(float3 from, float3 way, uint *state) {
    float3 share = {1, 1, 1};
    for (uint bounce = 0; bounce < 6; ++bounce) {
        float distance = 1e20f;
        int i = nearest(from, way, &distance);
        if (i < 0) {
            float height = 0.5f * way.y + 0.5f;
            float3 low = {1, 0.95f, 0.9f}, high = {0.35f, 0.6f, 1};
            return share * (low * (1 - height) + high * height);
        }
        from += way * distance;
        float3 out = unit(from - spheres[i].centre);
        share *= spheres[i].colour;
        way = spheres[i].mirror > 0 ? way - out * (2 * dot3(way, out)) : unit(out + direction(state) * 0.999f);
    }
    return (float3){0, 0, 0};
}

INLINE uint byte_of(float x) {
    float root = __builtin_sqrtf(x);
    return (uint)(255.99f * (root < 1 ? root : 1));
}

__kernel void path_tracer(__global uint *image, uint width, uint height, uint paths) {
    uint column = global_x(), row = global_y();
    if (column >= width || row >= height) return;
    uint state = (row * width + column) * 2654435761u + 12345u;
    state ^= state >> 15;
    state |= 1;
    float3 sum = {0, 0, 0}, eye = {0, 1.6f, 6.5f};
    for (uint i = 0; i < paths; ++i) {
        float x = ((float)column + chance(&state)) / (float)height - 0.5f * (float)width / (float)height;
        float y = 0.5f - ((float)row + chance(&state)) / (float)height;
        sum += light(eye, unit((float3){x, y - 0.12f, -1.1f}), &state);
    }
    sum /= (float)paths;
    image[row * width + column] = byte_of(sum.x) << 16 | byte_of(sum.y) << 8 | byte_of(sum.z);
}

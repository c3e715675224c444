// The discrete Fourier transform of 256 complex numbers in each group, in local memory: eight rounds of butterflies, with radix 2
// and numbers in the order of their reversed bits at first. v_sin_f32 and v_cos_f32 take turns, not radians.
#include "items.h"

#define POINTS 256

INLINE float2 product(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

__kernel __attribute__((reqd_work_group_size(POINTS / 2, 1, 1))) void fft(__global const float2 *in,
                                                                         __global float2 *out) {
    __local float2 data[POINTS];
    uint l = local_x(), base = group_x() * POINTS;
    for (uint i = l; i < POINTS; i += POINTS / 2) data[__builtin_bitreverse32(i) >> 24] = in[base + i];
    for (uint reach = 1; reach < POINTS; reach *= 2) {
        meet();
        uint k = l % reach, first = (l - k) * 2 + k;
        float turn = -(float)k / (float)(2 * reach);
        float2 factor = (float2)(__builtin_amdgcn_cosf(turn), __builtin_amdgcn_sinf(turn));
        float2 a = data[first], b = product(data[first + reach], factor);
        data[first] = a + b;
        data[first + reach] = a - b;
    }
    meet();
    for (uint i = l; i < POINTS; i += POINTS / 2) out[base + i] = data[i];
}

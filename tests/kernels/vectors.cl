// Vectors, constants and pointers of all kinds.
#include "device.h"

constant float weights[16] = {1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, 0.25f, 0.125f, 1e10f, 3.14159265f};

kernel void dots(global const float4* a, global const float4* b, global float* c) {
    float4 p = a[ID()] * b[ID()];
    c[ID()] = p.x + p.y + p.z + p.w;
}

kernel void shuffles(global int8* x, global int16* y, global int3* z) {
    x[ID()] = x[ID()].s76543210 + x[ID()].s01234567;
    y[ID()].lo = x[ID()];
    y[ID()].hi = x[ID() + 1];
    z[ID()] = z[ID()].zxy * 3;
}

kernel void weighted(global float* x, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += weights[i & 15] * x[i];
    x[ID()] = sum + weights[ID() & 15];
}

kernel void uniform_loads(constant int16* x, constant int4* y, constant long2* z, global int* out) {
    int16 a = x[out[0]];
    out[ID()] = a.s0 + a.sf * y[3].w + y[100].x + (int)z[7].y + x[1].s3;
}

kernel void bytes(global const uchar* x, global const short* y, global const char* z, global int* out) {
    out[ID()] = x[4 * ID()] + y[2 * ID() + 1] + z[ID() + 2000] + x[out[0]] + x[5000];
}

kernel void select_vectors(global int4* a, global float4* f) {
    a[ID()] = a[ID()] > a[ID() + 1] ? a[ID()] : (int4)(1, 2, 3, 4);
    f[ID()] = f[ID()] < (float4)0.5f ? -f[ID()] : f[ID()] * f[ID()];
}

#if !defined(__gfx600__)
kernel void generic_pointers(global int* x, int which) {
    local int here[64];
    int mine[4] = {1, 2, 3, 4};
    here[ID() & 63] = x[ID()];
    int* p = which == 0 ? (int*)x : which == 1 ? (int*)here : (int*)mine;
    p[ID() & 3] += 5;
    x[ID()] = p[1] + mine[which & 3];
}
#endif

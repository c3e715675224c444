// Integers and floats of 32 bits.
#include "device.h"

kernel void vector_add(global const float* a, global const float* b, global float* c) { c[ID()] = a[ID()] + b[ID()]; }

kernel void saxpy(float k, global const float* x, global float* y) { y[ID()] = k * x[ID()] + y[ID()]; }

kernel void polynomial(global float* x) {
    float t = x[ID()], sum = 0.5f;
    sum = sum * t - 4.0f;
    sum = sum * t + 0.15915494f;
    sum = sum * t + 1.25e-3f;
    x[ID()] = sum * t - 1.0f;
}

kernel void integer_mix(global int* x, int k) {
    int v = x[ID()];
    x[ID()] = ((v * k + 64) ^ (v >> 3)) - ((v << 5) | (v & 0x12345678)) + ~v;
}

kernel void divide(global int* x, global unsigned* y, int a, unsigned b) {
    x[ID()] = x[ID()] / a + x[ID()] % a;
    y[ID()] = y[ID()] / b + y[ID()] % 7u;
}

kernel void divide_float(global float* x, float y) { x[ID()] = x[ID()] / y; }

kernel void minimum_maximum(global int* x, global unsigned* y, global float* z) {
    int a = x[ID()], b = x[ID() + 1];
    unsigned c = y[ID()], d = y[ID() + 1];
    x[ID()] = (a < b ? a : b) + (a > 10 ? a : 10);
    y[ID()] = (c < d ? c : d) + (c > 10 ? c : 10);
    z[ID()] = __builtin_fmaxf(z[ID()], __builtin_fminf(z[ID() + 1], 2.0f));
}

kernel void bit_fields(global unsigned* x) {
    unsigned v = x[ID()];
    x[ID()] = (v >> 5 & 0x7f) + __builtin_popcount(v) + __builtin_clz(v | 1) + __builtin_ctz(v | 256) + __builtin_bitreverse32(v) +
              (v << 7 | v >> 25) + (((int)v << 4) >> 20);
}

kernel void high_products(global unsigned* x, global int* y) {
    x[ID()] = (unsigned)(((unsigned long)x[ID()] * x[ID() + 1]) >> 32);
    y[ID()] = (int)(((long)y[ID()] * y[ID() + 1]) >> 32) + (y[ID()] & 0xffffff) * (y[ID() + 1] & 0xffffff);
}

kernel void roots(global float* x) {
    float v = x[ID()];
    x[ID()] = __builtin_amdgcn_rcpf(v) + __builtin_amdgcn_rsqf(v) + __builtin_amdgcn_sinf(v) + __builtin_amdgcn_cosf(v) +
              __builtin_amdgcn_fractf(v) + __builtin_log2f(v) + __builtin_amdgcn_ldexpf(v, 3) + __builtin_amdgcn_frexp_mantf(v) +
              (float)__builtin_amdgcn_frexp_expf(v) + __builtin_sqrtf(v);
}

kernel void rounding(global float* x) {
    float v = x[ID()];
    x[ID()] = __builtin_floorf(v) + __builtin_ceilf(v) + __builtin_truncf(v) + __builtin_rintf(v) + __builtin_fabsf(v) +
              __builtin_copysignf(v, -1.0f) + __builtin_fmaf(v, v, -v);
}

kernel void medians(global float* x) {
    float v = x[ID()];
    x[ID()] = __builtin_amdgcn_fmed3f(v, x[ID() + 1], x[ID() + 2]) + __builtin_amdgcn_cubeid(v, 1.0f, 2.0f) +
              (float)__builtin_amdgcn_class(v, 0x1f8);
}

// Numbers of 64 and of 16 bits, and of 8.
#include "device.h"

kernel void long_arithmetic(global long* x, long k) {
    long v = x[ID()];
    x[ID()] = v * k + (v >> 13) - (v << 3) + (long)((ulong)v >> 40);
}

kernel void long_compare(global long* x, global ulong* y, global int* z) {
    z[ID()] = (x[ID()] < x[ID() + 1]) + (y[ID()] >= y[ID() + 1]) * 2 + (x[ID()] == 0x123456789abcdefL) * 4;
}

kernel void long_divide(global long* x, long k) { x[ID()] = x[ID()] / k + x[ID()] % 1000003; }

kernel void double_arithmetic(global double* x, double k) {
    double v = x[ID()];
    x[ID()] = v * k + __builtin_fma(v, 0.5, -4.0) - __builtin_fabs(v) + __builtin_floor(v) + v * 0.15915494309189532;
}

kernel void double_divide(global double* x, double k) { x[ID()] = x[ID()] / k + __builtin_sqrt(k); }

kernel void double_special(global double* x) {
    double v = x[ID()];
    x[ID()] = __builtin_amdgcn_rcp(v) + __builtin_amdgcn_rsq(v) + __builtin_amdgcn_ldexp(v, -3) + __builtin_amdgcn_frexp_mant(v) +
              __builtin_fmin(v, 1.0) + __builtin_fmax(v, 3.75) + __builtin_amdgcn_trig_preop(v, 1);
}

kernel void half_arithmetic(global half* x, half k) {
    half v = x[ID()];
    x[ID()] = v * k + (half)1.5 - (half)0.5 * v;
}

kernel void half_pairs(global half2* x, global half2* y) { x[ID()] = x[ID()] * y[ID()] + (half2)(1.0h, -2.0h); }

kernel void short_arithmetic(global short* x, global ushort* y) {
    x[ID()] = x[ID()] * x[ID() + 1] + (x[ID()] >> 3);
    y[ID()] = y[ID()] / 3 + (y[ID()] << 2) + (y[ID()] > y[ID() + 1] ? y[ID()] : 7);
}

kernel void short_pairs(global short2* x, global ushort2* y) {
    x[ID()] = x[ID()] * x[ID() + 1] + (x[ID()] >> (short2)3) - x[ID() + 2];
    y[ID()] = y[ID()] + (y[ID()] << (ushort2)(1, 2));
}

kernel void char_vectors(global char4* x, global uchar4* y) {
    x[ID()] = x[ID()] + x[ID() + 1] * (char4)3;
    y[ID()] = y[ID()].wzyx - y[ID() + 1];
}

#ifdef HAS_16_BIT
kernel void half_special(global half* x) {
    half v = x[ID()];
    x[ID()] = __builtin_amdgcn_rcph(v) + __builtin_amdgcn_sinh(v) + __builtin_amdgcn_fracth(v) + __builtin_amdgcn_ldexph(v, 2);
}
#endif

// From any type to any other.
#include "device.h"

kernel void from_float(global float* x, global int* i, global unsigned* u, global double* d, global half* h, global long* l) {
    float v = x[ID()];
    i[ID()] = (int)v;
    u[ID()] = (unsigned)v;
    d[ID()] = v;
    h[ID()] = (half)v;
    l[ID()] = (long)v;
}

kernel void to_float(global float* x, global int* i, global unsigned* u, global double* d, global half* h, global ulong* l) {
    x[ID()] = (float)i[ID()] + (float)u[ID()] + (float)d[ID()] + (float)h[ID()] + (float)l[ID()];
}

kernel void bytes_to_float(global uchar4* x, global float4* y) {
    uchar4 v = x[ID()];
    y[ID()] = (float4)(v.x, v.y, v.z, v.w);
}

kernel void doubles(global double* x, global int* i, global unsigned* u, global ulong* l) {
    x[ID()] = (double)i[ID()] + (double)u[ID()] + (double)l[ID()];
    i[ID()] = (int)x[ID() + 1];
    u[ID()] = (unsigned)x[ID() + 2];
    l[ID()] = (ulong)x[ID() + 3];
}

kernel void narrow(global int* x, global char* c, global short* s) {
    c[ID()] = (char)x[ID()];
    s[ID()] = (short)(x[ID()] + c[ID() + 1] + s[ID() + 1]);
}

kernel void packed(global float2* x, global unsigned* y) {
    float2 v = x[ID()];
    y[ID()] = as_uint(__builtin_amdgcn_cvt_pkrtz(v.x, v.y)) + as_uint(__builtin_amdgcn_cvt_pknorm_i16(v.x, v.y)) +
              as_uint(__builtin_amdgcn_cvt_pknorm_u16(v.x, v.y)) + __builtin_amdgcn_cvt_pk_u8_f32(v.x, 2, y[ID()]) +
              as_uint(__builtin_amdgcn_cvt_pk_i16(y[ID()], 3)) + as_uint(__builtin_amdgcn_cvt_pk_u16(y[ID()], 4));
}

// The local data share, barriers, and what goes from lane to lane.
#include "device.h"

kernel void reverse(global int* x) {
    local int tile[64];
    unsigned i = __builtin_amdgcn_workitem_id_x();
    tile[i] = x[ID()];
    BARRIER();
    x[ID()] = tile[63 - i];
}

kernel void reduce(global const float* x, global float* out) {
    local float tile[64];
    unsigned i = __builtin_amdgcn_workitem_id_x();
    tile[i] = x[ID()];
    for (unsigned step = 32; step > 0; step /= 2) {
        BARRIER();
        if (i < step) tile[i] += tile[i + step];
    }
    if (i == 0) out[__builtin_amdgcn_workgroup_id_x()] = tile[0];
}

kernel void transpose(global const float* in, global float* out, int width) {
    local float tile[8][9];
    unsigned x = __builtin_amdgcn_workitem_id_x() & 7, y = __builtin_amdgcn_workitem_id_y();
    tile[y][x] = in[ID_Y() * width + ID()];
    BARRIER();
    out[ID() * width + ID_Y()] = tile[x][y];
}

kernel void matrix_product(global const float* a, global const float* b, global float* c, int n) {
    local float ta[64], tb[64];
    unsigned i = __builtin_amdgcn_workitem_id_x(), row = i / 8, column = i % 8;
    float sum = 0;
    for (int k = 0; k < n; k += 8) {
        ta[i] = a[row * n + k + column];
        tb[i] = b[(k + row) * n + column];
        BARRIER();
#pragma unroll
        for (int j = 0; j < 8; ++j) sum += ta[row * 8 + j] * tb[j * 8 + column];
        BARRIER();
    }
    c[row * n + column] = sum;
}

kernel void histogram(global const uchar* x, global unsigned* out) {
    local unsigned bins[256];
    unsigned i = __builtin_amdgcn_workitem_id_x();
    for (unsigned k = i; k < 256; k += 64) bins[k] = 0;
    BARRIER();
    __opencl_atomic_fetch_add((volatile local atomic_uint*)&bins[x[ID()]], 1u, memory_order_relaxed, memory_scope_work_group);
    BARRIER();
    for (unsigned k = i; k < 256; k += 64) out[k] += bins[k];
}

kernel void wide_tiles(global double2* x, global float4* y) {
    local double2 a[64];
    local float4 b[64];
    unsigned i = __builtin_amdgcn_workitem_id_x();
    a[i] = x[ID()];
    b[i] = y[ID()];
    BARRIER();
    x[ID()] = a[i ^ 1];
    y[ID()] = b[63 - i].wzyx;
}

kernel void small_tiles(global uchar* x, global short* y) {
    local uchar a[64];
    local short b[64];
    unsigned i = __builtin_amdgcn_workitem_id_x();
    a[i] = x[ID()];
    b[i] = y[ID()];
    BARRIER();
    x[ID()] = a[i ^ 1] + 1;
    y[ID()] = b[i ^ 2] + (signed char)a[i];
}

kernel void lanes(global int* x) {
    int v = x[ID()];
    int sum = __builtin_amdgcn_readfirstlane(v) + __builtin_amdgcn_readlane(v, 5) + (int)LANE() + __builtin_amdgcn_ds_swizzle(v, 0x041f) +
              __builtin_amdgcn_ds_swizzle(v, 0x8055);
#ifdef HAS_16_BIT
    sum += __builtin_amdgcn_ds_bpermute(4 * (63 - LANE()), v) + __builtin_amdgcn_ds_permute(4 * (LANE() ^ 3), v);
    sum += __builtin_amdgcn_mov_dpp(v, 0x1b, 0xf, 0xf, true) + __builtin_amdgcn_update_dpp(0, v, 0x111, 0xf, 0x5, false) +
           __builtin_amdgcn_update_dpp(v, sum, 0x142, 0xa, 0xf, false) + __builtin_amdgcn_update_dpp(v, sum, 0x140, 0xf, 0xf, true);
#endif
    x[ID()] = sum;
}

kernel void votes(global ulong* x) {
    x[ID()] = __builtin_amdgcn_uicmp((unsigned)x[ID()], 7u, 36) + __builtin_amdgcn_fcmpf(as_float((unsigned)x[ID()]), 2.0f, 4) +
              __builtin_amdgcn_read_exec();
}

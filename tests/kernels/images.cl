// Images, buffers and special instructions, by the names that LLVM has for them.
#include "device.h"

float4 image_load_2d(int, int, int, int8, int, int) __asm("llvm.amdgcn.image.load.2d.v4f32.i32");
float image_load_1d(int, int, int8, int, int) __asm("llvm.amdgcn.image.load.1d.f32.i32");
float4 image_load_mip(int, int, int, int, int8, int, int) __asm("llvm.amdgcn.image.load.mip.2d.v4f32.i32");
void image_store_2d(float4, int, int, int, int8, int, int) __asm("llvm.amdgcn.image.store.2d.v4f32.i32");
void image_store_3d(float2, int, int, int, int, int8, int, int) __asm("llvm.amdgcn.image.store.3d.v2f32.i32");
int image_add(int, int, int, int8, int, int) __asm("llvm.amdgcn.image.atomic.add.2d.i32.i32");
float4 sample_2d(int, float, float, int8, int4, bool, int, int) __asm("llvm.amdgcn.image.sample.2d.v4f32.f32");
float4 sample_l(int, float, float, float, int8, int4, bool, int, int) __asm("llvm.amdgcn.image.sample.l.2d.v4f32.f32");
float sample_c(int, float, float, float, int8, int4, bool, int, int) __asm("llvm.amdgcn.image.sample.c.2d.f32.f32");
float4 sample_d(int, float, float, float, float, float, float, int8, int4, bool, int, int)
    __asm("llvm.amdgcn.image.sample.d.2d.v4f32.f32.f32");
float4 gather(int, float, float, int8, int4, bool, int, int) __asm("llvm.amdgcn.image.gather4.2d.v4f32.f32");
int4 resolution(int, int, int8, int, int) __asm("llvm.amdgcn.image.getresinfo.2d.v4i32.i32");
float4 buffer_load(int4, int, int, int) __asm("llvm.amdgcn.raw.buffer.load.v4f32");
float buffer_load_format(int4, int, int, int, int) __asm("llvm.amdgcn.struct.buffer.load.format.f32");
void buffer_store(float2, int4, int, int, int, int) __asm("llvm.amdgcn.struct.buffer.store.v2f32");
float typed_load(int4, int, int, int, int) __asm("llvm.amdgcn.raw.tbuffer.load.f32");
void typed_store(float4, int4, int, int, int, int, int) __asm("llvm.amdgcn.struct.tbuffer.store.v4f32");
int buffer_add(int, int4, int, int, int) __asm("llvm.amdgcn.raw.buffer.atomic.add.i32");
int scalar_load(int4, int, int) __asm("llvm.amdgcn.s.buffer.load.i32");
void export_float(int, int, float, float, float, float, bool, bool) __asm("llvm.amdgcn.exp.f32");

kernel void copy_image(constant int8* images) {
    int x = ID(), y = ID_Y();
    image_store_2d(image_load_2d(15, x, y, images[0], 0, 0), 15, y, x, images[1], 0, 0);
}

kernel void parts_of_images(constant int8* images, global float4* out) {
    int x = ID(), y = ID_Y();
    float4 a = image_load_mip(15, x, y, 2, images[0], 0, 1);
    image_store_3d(a.xy, 5, x, y, 3, images[1], 0, 3);
    out[x] = a + image_load_1d(2, x, images[2], 0, 0);
    out[y].x = image_add(5, x, y, images[3], 0, 0) + resolution(3, 0, images[3], 0, 0).y;
}

kernel void sample_image(constant int8* images, constant int4* samplers, global float4* out) {
    float x = ID(), y = ID_Y();
    out[ID()] = sample_2d(15, x, y, images[0], samplers[0], true, 0, 0) + sample_l(15, x, y, 1.0f, images[0], samplers[1], false, 0, 0) +
                sample_c(1, 0.5f, x, y, images[1], samplers[0], false, 0, 0) + gather(4, x, y, images[2], samplers[0], false, 0, 0) +
                sample_d(7, x, y, 0.5f, x, y, x, images[2], samplers[0], false, 0, 0);
}

kernel void buffers(constant int4* buffer, global float4* out) {
    int i = ID();
    out[i] = buffer_load(buffer[0], 16 * i, 64, 0) + buffer_load(buffer[0], 4080, 192, 1) + buffer_load_format(buffer[1], i, 4 * i, 0, 0) +
             typed_load(buffer[2], 4 * i, 0, 0x4e, 0) + scalar_load(buffer[3], 20, 0);
    buffer_store(out[i].xy, buffer[4], i, 8 * i + 12, 0, 2);
    typed_store(out[i], buffer[5], i, 0, 128, 0x7e, 0);
    out[i].x += buffer_add(3, buffer[5], 4 * i, 0, 0);
}

kernel void exports(global float* x) {
    export_float(0, 15, x[0], x[1], x[2], x[3], false, true);
    export_float(12, 15, x[0], x[1], 0.0f, 1.0f, true, false);
}

kernel void messages(global int* x) {
    __builtin_amdgcn_s_sendmsg(1, x[0]);
    __builtin_amdgcn_s_dcache_inv();
    __builtin_amdgcn_buffer_wbinvl1();
    __builtin_amdgcn_s_waitcnt(0x70);
    __builtin_amdgcn_s_decperflevel(1);
    __builtin_amdgcn_s_incperflevel(2);
    x[1] = __builtin_amdgcn_sad_u8(x[2], x[3], x[4]) + __builtin_amdgcn_msad_u8(x[2], x[3], x[4]) + __builtin_amdgcn_lerp(x[2], x[3], x[4]) +
           __builtin_amdgcn_alignbyte(x[5], x[6], 1) + __builtin_amdgcn_ubfe(x[5], 3, x[6]) + __builtin_amdgcn_sbfe(x[5], x[6], 9);
}

#ifdef HAS_16_BIT
kernel void permute_bytes(global unsigned* x) { x[ID()] = __builtin_amdgcn_perm(0x01020304u, x[7], x[8]) + __builtin_amdgcn_perm(x[1], x[2], x[ID()]); }
#endif

// Transforms of 64 complex numbers in a group, radix 2, with the roots of unity from a table, and back; after SHOC's fft.
// buffer  data   float[1024]  random -1 1
// buffer  roots  float[128]   = sin(2 * pi * (i // 2) / 64 + (pi / 2 if i % 2 == 0 else 0))
// buffer  out    float[1024]  zero
// buffer  again  float[1024]  zero
// run     transform(data, roots, out, -1.0f, 1.0f)        grid 256  group 32
// run     transform(out, roots, again, 1.0f, 0.015625f)   grid 256  group 32
#pragma OPENCL FP_CONTRACT OFF
float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

kernel void transform(global const float2* in, global const float2* roots, global float2* out, float direction, float scale)
{
    local float2 t[64];
    const uint l = get_local_id(0), base = get_group_id(0) * 64;
    for (uint k = l; k < 64; k += 32) {
        uint reversed = 0;
        for (uint b = 0; b < 6; b++) reversed |= (k >> b & 1) << (5 - b);
        t[reversed] = in[base + k];
    }
    for (uint half_size = 1; half_size < 64; half_size *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint j = l & (half_size - 1), at = (l - j) * 2 + j;
        float2 root = roots[j * (32 / half_size)];
        root.y *= direction;
        const float2 a = t[at], b = times(t[at + half_size], root);
        t[at] = a + b;
        t[at + half_size] = a - b;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + l] = t[l] * scale;
    out[base + l + 32] = t[l + 32] * scale;
}

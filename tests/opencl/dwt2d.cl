// Wavelets over an image of integers, as lossless JPEG 2000 has them (5/3): rows in local memory, then columns; after
// Rodinia's dwt2d.
// buffer  image  int[4096]  random 0 255
// buffer  rows   int[4096]  zero
// buffer  out    int[4096]  zero
// run     lift(image, rows, 64, 1)   grid 32, 64  group 32, 1
// run     lift(rows, out, 1, 64)     grid 32, 64  group 32, 1
kernel void lift(global const int* in, global int* out, int line, int step)
{
    local int even[33], odd[32];
    const int k = get_local_id(0), base = (int)get_global_id(1) * line;
    even[k] = in[base + 2 * k * step];
    odd[k] = in[base + (2 * k + 1) * step];
    if (k == 31) even[32] = even[31];
    barrier(CLK_LOCAL_MEM_FENCE);
    const int high = odd[k] - ((even[k] + even[k + 1]) >> 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    odd[k] = high;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int before = k == 0 ? odd[0] : odd[k - 1];
    out[base + k * step] = even[k] + ((before + high + 2) >> 2);
    out[base + (32 + k) * step] = high;
}

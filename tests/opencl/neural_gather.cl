// Rows of a table are gathered by index and summed by weight, with half of the rows left out by a mask: scattered loads under
// changing masks; after SHOC's device memory tests.
// buffer  table  float[2048]   random -1 1
// buffer  index  ushort[1024]  = (i * 5003 + i * i * 7) % 128
// buffer  mask   ulong[16]     bits
// buffer  out    float[256]    zero
// run     gather(table, index, mask, out)   grid 256  group 64
#pragma OPENCL FP_CONTRACT OFF
kernel void gather(global const float* table, global const ushort* index, global const ulong* mask, global float* out)
{
    const int i = get_global_id(0), row = i / 16, column = i % 16;
    float sum = 0.0f;
    for (int k = 0; k < 64; k++) {
        if (!(mask[row] >> k & 1)) continue;
        const float x = table[index[row * 64 + k] * 16 + column];
        if (x < -0.5f) continue;
        if (sum > 8.0f) break;
        sum += x * (float)(k + 1);
    }
    out[i] = sum;
}

// Sums over groups by halving in local memory, of integers, floats and minima: a fixed tree, so that floats are equal to the
// bit; after SHOC's reduction.
// buffer  x      int[4096]    bits
// buffer  f      float[4096]  random -1 1
// buffer  sums   int[16]      zero
// buffer  lows   int[16]      zero
// buffer  fsums  float[16]    zero
// run     reduce(x, f, sums, lows, fsums, local int[128], local float[128], 4096)   grid 2048  group 128
#pragma OPENCL FP_CONTRACT OFF
kernel void reduce(global const int* x, global const float* f, global int* sums, global int* lows, global float* fsums, local int* t, local float* ft, uint n)
{
    local int low[128];
    const uint l = get_local_id(0), size = get_local_size(0);
    int sum = 0, least = INT_MAX;
    float fsum = 0.0f;
    for (uint k = get_group_id(0) * size * 2 + l; k < n; k += get_global_size(0) * 2) {
        sum += x[k] + x[k + size];
        least = min(least, min(x[k], x[k + size]));
        fsum += f[k] + f[k + size];
    }
    t[l] = sum, low[l] = least, ft[l] = fsum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint stride = size / 2; stride > 0; stride >>= 1) {
        if (l < stride) {
            t[l] += t[l + stride];
            low[l] = min(low[l], low[l + stride]);
            ft[l] += ft[l + stride];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) sums[get_group_id(0)] = t[0], lows[get_group_id(0)] = low[0], fsums[get_group_id(0)] = ft[0];
}

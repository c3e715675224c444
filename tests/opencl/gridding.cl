// Samples are spread over the cells around them by atomic addition of floats, made of compare and swap: the weights are
// multiples of 1/16, so that sums are exact in any order; after Parboil's mri-gridding.
// buffer  samples  int[1024]   random 0 1023
// buffer  cells    float[256]  zero
// run     spread(samples, cells, 16)   grid 512  group 64
#pragma OPENCL FP_CONTRACT OFF
void add(volatile global float* at, float x)
{
    uint old = as_uint(*at), seen;
    while ((seen = atomic_cmpxchg((volatile global uint*)at, old, as_uint(as_float(old) + x))) != old) old = seen;
}

kernel void spread(global const int* samples, global float* cells, int n)
{
    const int i = get_global_id(0), px = samples[2 * i], py = samples[2 * i + 1];
    const int x = px >> 6, y = py >> 6;
    const float fx = (float)(px >> 4 & 3) * 0.25f, fy = (float)(py >> 4 & 3) * 0.25f;
    for (int k = 0; k < 4; k++) {
        const float wx = k & 1 ? fx : 1.0f - fx, wy = k & 2 ? fy : 1.0f - fy;
        if (wx * wy != 0.0f) add(cells + ((y + (k >> 1)) % n) * n + (x + (k & 1)) % n, wx * wy);
    }
}

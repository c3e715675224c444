// Particles get likelihoods, a running sum of these picks which go on: own random numbers by a linear congruence, and a
// search in the sums; after Rodinia's particlefilter.
// buffer  seed    int[256]     = i * 48271 + 11
// buffer  x       float[256]   random -5 5
// buffer  weight  float[256]   zero
// buffer  sum     float[256]   zero
// buffer  chosen  int[256]     zero
// run     weigh(seed, x, weight)           grid 256  group 64
// run     running_sum(weight, sum, 256)    grid 1    group 1
// run     choose(sum, chosen, 256)         grid 256  group 64
#pragma OPENCL FP_CONTRACT OFF
float draw(global int* seed)
{
    *seed = (int)((1103515245u * (uint)*seed + 12345u) & 0x7fffffffu);
    return (float)(*seed >> 8) / 8388608.0f;
}

kernel void weigh(global int* seed, global float* x, global float* weight)
{
    const int i = get_global_id(0);
    float moved = x[i] + 1.0f;
    for (int k = 0; k < 6; k++) moved += draw(seed + i) - 0.5f;
    x[i] = moved;
    weight[i] = 1.0f / (1.0f + moved * moved);
}

kernel void running_sum(global const float* weight, global float* sum, int n)
{
    float total = 0.0f;
    for (int i = 0; i < n; i++) sum[i] = total += weight[i];
}

kernel void choose(global const float* sum, global int* chosen, int n)
{
    const int i = get_global_id(0);
    const float wanted = ((float)i + 0.5f) / (float)n * sum[n - 1];
    int low = 0, high = n - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (sum[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    chosen[i] = low;
}

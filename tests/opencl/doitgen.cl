// The last dimension of three is multiplied by a matrix, through a buffer between; after PolyBench's doitgen.
// buffer  a    float[1536]  random -1 1
// buffer  c4   float[256]   random -1 1
// buffer  sum  float[1536]  zero
// run     multiply(a, c4, sum, 16)   grid 16, 12, 8  group 16, 2, 2
// run     back(a, sum, 16)           grid 16, 12, 8  group 8, 4, 4
#pragma OPENCL FP_CONTRACT OFF
kernel void multiply(global const float* a, global const float* c4, global float* sum, int np)
{
    const int p = get_global_id(0), q = get_global_id(1), r = get_global_id(2), row = (r * get_global_size(1) + q) * np;
    float total = 0.0f;
    for (int s = 0; s < np; s++) total += a[row + s] * c4[s * np + p];
    sum[row + p] = total;
}

kernel void back(global float* a, global const float* sum, int np)
{
    const int p = get_global_id(0), q = get_global_id(1), r = get_global_id(2), at = (r * get_global_size(1) + q) * np + p;
    a[at] = sum[at];
}

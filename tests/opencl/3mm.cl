// Three products, each of fused operations; after PolyBench's 3mm.
// buffer  a  float[400]  random -1 1
// buffer  b  float[400]  random -1 1
// buffer  c  float[400]  random -1 1
// buffer  d  float[400]  random -1 1
// buffer  e  float[400]  zero
// buffer  f  float[400]  zero
// buffer  g  float[400]  zero
// run     product(a, b, e, 20)   grid 20, 20  group 20, 4
// run     product(c, d, f, 20)   grid 20, 20  group 20, 4
// run     product(e, f, g, 20)   grid 20, 20  group 20, 4
#pragma OPENCL FP_CONTRACT OFF
kernel void product(global const float* a, global const float* b, global float* c, int n)
{
    const int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum = fma(a[y * n + k], b[k * n + x], sum);
    c[y * n + x] = sum;
}

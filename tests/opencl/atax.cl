// A matrix times a vector, and its transpose times what comes out; after PolyBench's atax, bicg and mvt, which differ in the
// vectors.
// buffer  a  float[2560]  random -1 1
// buffer  x  float[64]    random -1 1
// buffer  r  float[40]    random -1 1
// buffer  t  float[40]    zero
// buffer  y  float[64]    zero
// buffer  s  float[64]    zero
// run     rows(a, x, t, 64, 40)      grid 40  group 8
// run     columns(a, t, y, 64, 40)   grid 64  group 32
// run     columns(a, r, s, 64, 40)   grid 64  group 64
#pragma OPENCL FP_CONTRACT OFF
kernel void rows(global const float* a, global const float* x, global float* y, int width, int height)
{
    const int i = get_global_id(0);
    if (i >= height) return;
    float sum = 0.0f;
    for (int j = 0; j < width; j++) sum += a[i * width + j] * x[j];
    y[i] = sum;
}

kernel void columns(global const float* a, global const float* x, global float* y, int width, int height)
{
    const int j = get_global_id(0);
    float sum = y[j];
    for (int i = 0; i < height; i++) sum += a[i * width + j] * x[i];
    y[j] = sum;
}

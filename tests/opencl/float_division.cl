// Quotients to the bit, for numbers whose quotient is far from what is subnormal.
// buffer  a  float[4096]  random -1e9 1e9
// buffer  b  float[4096]  random -3 3
// buffer  r  float[8192]  zero
// run     divide(a, b, r)   grid 4096   group 64
#pragma OPENCL FP_CONTRACT OFF
kernel void divide(global const float* a, global const float* b, global float* r)
{
    const size_t i = get_global_id(0);
    r[2 * i] = a[i] / b[i];
    r[2 * i + 1] = 1.0f / a[i];
}

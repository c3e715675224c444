// Two vectors are added where there are such elements: what CLRX's sample of that name is about, in assembly of our own.
// buffer  a  float[192]  random -10 10
// buffer  b  float[192]  random -10 10
// buffer  c  float[192]  zero
// run     vector_add(150u, a, b, c)   grid 192  group 64
#pragma OPENCL FP_CONTRACT OFF
kernel void vector_add(uint n, global const float* a, global const float* b, global float* c)
{
    const size_t i = get_global_id(0);
    if (i < n) c[i] = a[i] + b[i];
}

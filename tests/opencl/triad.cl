// b + s * c and its kin over vectors of four; after SHOC's and STREAM's triad.
// buffer  a  float[4096]  zero
// buffer  b  float[4096]  random -1 1
// buffer  c  float[4096]  random -1 1
// run     triad(a, b, c, 1.75f)   grid 1024  group 256
#pragma OPENCL FP_CONTRACT OFF
kernel void triad(global float4* a, global const float4* b, global const float4* c, float s)
{
    const size_t i = get_global_id(0);
    a[i] = b[i] + s * c[i];
    a[i].yz -= c[i].wx;
}

// Means of neighbours in one dimension and in two, to and fro between buffers; after PolyBench's jacobi-1d and -2d.
// buffer  a  float[1024]  random 0 1
// buffer  b  float[1024]  random 0 1
// buffer  u  float[256]   random 0 1
// buffer  v  float[256]   random 0 1
// repeat  t = 0 .. 1
//     run plane(a, b, 32)   grid 30, 30  group 10, 6
//     run plane(b, a, 32)   grid 30, 30  group 10, 6
//     run line(u, v)        grid 254     group 127
//     run line(v, u)        grid 254     group 127
#pragma OPENCL FP_CONTRACT OFF
kernel void plane(global const float* from, global float* to, int n)
{
    const int at = (get_global_id(1) + 1) * n + get_global_id(0) + 1;
    to[at] = 0.2f * (from[at] + from[at - 1] + from[at + 1] + from[at + n] + from[at - n]);
}

kernel void line(global const float* from, global float* to)
{
    const int i = get_global_id(0) + 1;
    to[i] = 0.33333f * (from[i - 1] + from[i] + from[i + 1]);
}

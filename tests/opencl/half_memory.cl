// Halves in memory as floats elsewhere: loads, and stores under each direction of rounding, one by one and in vectors.
// library
// buffer  x    float[1024]  random -70000 70000
// buffer  s    float[1024]  random -1e-4 1e-4
// buffer  h    half[10240]  zero
// buffer  v    half[1024]   zero
// buffer  out  float[1024]  zero
// run     store(x, s, h)        grid 1024  group 64
// run     vectors(x, v, out)    grid 256   group 64
kernel void store(global const float* x, global const float* s, global half* h)
{
    const int i = get_global_id(0);
    h += 10 * i;
    vstore_half(x[i], 0, h);
    vstore_half_rte(x[i], 1, h);
    vstore_half_rtz(x[i], 2, h);
    vstore_half_rtp(x[i], 3, h);
    vstore_half_rtn(x[i], 4, h);
    vstore_half_rte(s[i], 5, h);
    vstore_half_rtz(s[i], 6, h);
    vstore_half_rtp(s[i], 7, h);
    vstore_half_rtn(s[i], 8, h);
    vstore_half_rte(vload_half(1, h) * 0.5f, 9, h);
}

kernel void vectors(global const float4* x, global half* v, global float* out)
{
    const int i = get_global_id(0);
    vstore_half4_rte(x[i] * 0.01f, i, v);
    const float4 back = vload_half4(i, v);
    vstore4(back + vload_half(4 * i, v), i, out);
}

// Subnormal floats where the target keeps them: sums, products, fused products, and conversions.
// buffer  a  float[1024]  random -1e-30 1e-30
// buffer  b  float[1024]  random -1e-8 1e-8
// buffer  r  float[6144]  zero
// run     tiny(a, b, r)   grid 1024   group 64
// options -Xclang -fdenormal-fp-math-f32=ieee
#pragma OPENCL FP_CONTRACT OFF
kernel void tiny(global const float* as, global const float* bs, global float* r)
{
    const size_t i = get_global_id(0);
    const float a = as[i], b = bs[i], s = a * b;
    r += 6 * i;
    r[0] = s, r[1] = s + a * 1e-10f, r[2] = s * 1e5f, r[3] = fma(a, b, s), r[4] = (float)((double)s * 0.75), r[5] = s > 0.0f ? s : -s;
}

// What is rounded once, or exact, in floats: edges in all pairs. None is subnormal, and results that are become 0 on both
// sides, since whether they are kept is a target's choice.
// buffer  a  float[2048]   edges
// buffer  b  float[2048]   edges
// buffer  c  float[2048]   edges
// buffer  r  float[40960]  zero
// run     exact(a, b, c, r)   grid 2048   group 64
#pragma OPENCL FP_CONTRACT OFF
float normal(float x) { return fabs(x) < 0x1p-126f ? 0.0f : x; }

kernel void exact(global const float* as, global const float* bs, global const float* cs, global float* r)
{
    const size_t i = get_global_id(0);
    const float a = as[i], b = bs[i], c = cs[i];
    r += 20 * i;
    r[0] = normal(a + b), r[1] = normal(a - b), r[2] = normal(a * b);
    r[3] = normal(fma(a, b, c)), r[4] = fabs(a), r[5] = -a;
    r[6] = floor(a), r[7] = ceil(a), r[8] = trunc(a), r[9] = rint(a);
    r[10] = isnan(a) || isnan(b) || a == b ? 0.0f : fmin(a, b), r[11] = isnan(a) || isnan(b) || a == b ? 0.0f : fmax(a, b);
    r[12] = copysign(a, b), r[13] = a < b ? a : c, r[14] = a == b ? 1.0f : a != c ? 2.0f : 3.0f;
    r[15] = (a >= b) + 2 * !(a > c) + 4 * isnan(b) + 8 * isinf(c);
    r[16] = as_float(as_uint(a) ^ 0x80000000u), r[17] = (float)(int)clamp(isnan(a) ? 0.0f : a, -1e6f, 1e6f);
    r[18] = a * 2.0f + b * 4.0f == c ? -1.0f : 4.0f, r[19] = (float)(double)a;
}

// What is rounded once, or exact, in doubles, with quotients and roots: edges in all pairs, and subnormal results.
// buffer  a  double[1024]   edges
// buffer  b  double[1024]   edges
// buffer  c  double[1024]   edges
// buffer  r  double[18432]  zero
// run     exact(a, b, c, r)   grid 1024   group 64
#pragma OPENCL FP_CONTRACT OFF
kernel void exact(global const double* as, global const double* bs, global const double* cs, global double* r)
{
    const size_t i = get_global_id(0);
    const double a = as[i], b = bs[i], c = cs[i];
    r += 18 * i;
    r[0] = a + b, r[1] = a - b, r[2] = a * b, r[3] = a / b, r[4] = fma(a, b, c), r[5] = sqrt(fabs(a));
    r[6] = floor(a), r[7] = ceil(a), r[8] = trunc(a), r[9] = rint(a);
    r[10] = isnan(a) || isnan(b) || a == b ? 0.0 : fmin(a, b), r[11] = isnan(a) || isnan(b) || a == b ? 0.0 : fmax(a, b);
    r[12] = copysign(a, b), r[13] = a < b ? a : c, r[14] = (a >= b) + 2 * !(a > c) + 4 * (a != a) + 8 * (fabs(c) == INFINITY);
    r[15] = (double)(int)clamp(a != a ? 0.0 : a, -1e6, 1e6), r[16] = (double)(long)clamp(a != a ? 0.0 : a, -1e15, 1e15);
    r[17] = (double)(uint)clamp(a != a ? 0.0 : a, 0.0, 4e9);
}

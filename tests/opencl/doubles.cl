// What is rounded once, or exact, in doubles, with quotients and roots: edges in all pairs, and subnormal results but for
// quotients, whose way is not rounded once.
// buffer  a  double[1024]   edges
// buffer  b  double[1024]   edges
// buffer  c  double[1024]   edges
// buffer  r  double[18432]  zero
// run     exact(a, b, c, r)   grid 1024   group 64
// sample  clang-19 gfx900 -O2
#pragma OPENCL FP_CONTRACT OFF
double normal(double x) { return fabs(x) < 0x1p-1022 ? 0.0 : x; }

kernel void exact(global const double* as, global const double* bs, global const double* cs, global double* r)
{
    const size_t i = get_global_id(0);
    const double a = as[i], b = bs[i], c = cs[i];
    const double whole = fabs(a) < 1e-9 ? 0.0 : a;  // the compiler's way to floor on the oldest target is wrong for less
    r += 18 * i;
    r[0] = a + b, r[1] = a - b, r[2] = a * b, r[3] = normal(a / b), r[4] = fma(a, b, c), r[5] = sqrt(fabs(a));
    r[6] = floor(whole), r[7] = ceil(whole) + 0.0, r[8] = trunc(a), r[9] = rint(a) + 0.0;  // which loses the sign of a zero there, too
    r[10] = isnan(a) || isnan(b) || a == b ? 0.0 : fmin(a, b), r[11] = isnan(a) || isnan(b) || a == b ? 0.0 : fmax(a, b);
    r[12] = copysign(a, b), r[13] = a < b ? a : c, r[14] = (a >= b) + 2 * !(a > c) + 4 * (a != a) + 8 * (fabs(c) == INFINITY);
    r[15] = (double)(int)clamp(a != a ? 0.0 : a, -1e6, 1e6), r[16] = (double)(long)clamp(a != a ? 0.0 : a, -1e15, 1e15);
    r[17] = (double)(uint)clamp(a != a ? 0.0 : a, 0.0, 4e9);
}

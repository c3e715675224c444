// Exponentials, logarithms, powers and roots of floats out of the library, within what OpenCL allows; the host computes in
// doubles.
// library
// buffer  x      float[512]  random 0.01 40
// buffer  y      float[512]  random -4 4
// buffer  exp    float[512]  zero  within 3 ulp
// buffer  exp2   float[512]  zero  within 3 ulp
// buffer  exp10  float[512]  zero  within 3 ulp
// buffer  expm1  float[512]  zero  within 3 ulp
// buffer  log    float[512]  zero  within 3 ulp
// buffer  log2   float[512]  zero  within 3 ulp
// buffer  log10  float[512]  zero  within 3 ulp
// buffer  log1p  float[512]  zero  within 2 ulp
// buffer  pow    float[512]  zero  within 16 ulp
// buffer  powr   float[512]  zero  within 16 ulp
// buffer  pown   float[512]  zero  within 16 ulp
// buffer  rootn  float[512]  zero  within 16 ulp
// buffer  cbrt   float[512]  zero  within 2 ulp
// buffer  rsqrt  float[512]  zero  within 2 ulp
// buffer  hypot  float[512]  zero  within 4 ulp
// run     exponentials(x, y, exp, exp2, exp10, expm1, log, log2, log10, log1p)  grid 512  group 64
// run     powers(x, y, pow, powr, pown, rootn, cbrt, rsqrt, hypot)              grid 512  group 64
#ifdef HOST
typedef double Real;
#else
typedef float Real;
#endif

kernel void exponentials(global const float* xs, global const float* ys, global float* e, global float* e2, global float* e10, global float* em1,
                         global float* l, global float* l2, global float* l10, global float* l1p)
{
    const int i = get_global_id(0);
    const Real x = xs[i], y = ys[i];
    e[i] = exp(y), e2[i] = exp2(y), e10[i] = exp10(y), em1[i] = expm1(y);
    l[i] = log(x), l2[i] = log2(x), l10[i] = log10(x), l1p[i] = log1p(x);
}

kernel void powers(global const float* xs, global const float* ys, global float* p, global float* pr, global float* pn, global float* rn,
                   global float* c, global float* rs, global float* h)
{
    const int i = get_global_id(0);
    const Real x = xs[i], y = ys[i];
    p[i] = pow(x, y), pr[i] = powr(x, y), pn[i] = pown(y, i % 9 - 4), rn[i] = rootn(x, i % 7 + 1), c[i] = cbrt(y), rs[i] = rsqrt(x), h[i] = hypot(x, y);
}

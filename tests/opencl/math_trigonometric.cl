// Sines and their kin of floats out of the library, within what OpenCL allows, for angles small and large; the host computes in
// doubles.
// library
// buffer  x      float[512]  random -10 10
// buffer  y      float[512]  random -1 1
// buffer  big    float[512]  random -1e7 1e7
// buffer  sin    float[512]  zero  within 4 ulp
// buffer  cos    float[512]  zero  within 4 ulp
// buffer  tan    float[512]  zero  within 5 ulp
// buffer  far    float[512]  zero  within 4 ulp
// buffer  sinpi  float[512]  zero  within 4 ulp
// buffer  cospi  float[512]  zero  within 4 ulp
// buffer  tanpi  float[512]  zero  within 6 ulp
// buffer  asin   float[512]  zero  within 4 ulp
// buffer  acos   float[512]  zero  within 4 ulp
// buffer  atan   float[512]  zero  within 5 ulp
// buffer  atan2  float[512]  zero  within 6 ulp
// buffer  sinh   float[512]  zero  within 4 ulp
// buffer  cosh   float[512]  zero  within 4 ulp
// buffer  tanh   float[512]  zero  within 5 ulp
// buffer  asinh  float[512]  zero  within 4 ulp
// buffer  atanh  float[512]  zero  within 5 ulp
// buffer  erf    float[512]  zero  within 16 ulp
// run     forth(x, big, sin, cos, tan, far, sinpi, cospi, tanpi)                        grid 512  group 64
// run     back(x, y, asin, acos, atan, atan2, sinh, cosh, tanh, asinh, atanh, erf)      grid 512  group 64
#ifdef HOST
typedef double Real;
#else
typedef float Real;
#endif

kernel void forth(global const float* xs, global const float* bigs, global float* s, global float* c, global float* t, global float* far,
                  global float* sp, global float* cp, global float* tp)
{
    const int i = get_global_id(0);
    const Real x = xs[i], big = bigs[i];
    s[i] = sin(x), c[i] = cos(x), t[i] = tan(x), far[i] = sin(big), sp[i] = sinpi(x), cp[i] = cospi(x), tp[i] = tanpi(x);
}

kernel void back(global const float* xs, global const float* ys, global float* as, global float* ac, global float* at, global float* at2,
                 global float* sh, global float* ch, global float* th, global float* ash, global float* ath, global float* e)
{
    const int i = get_global_id(0);
    const Real x = xs[i], y = ys[i];
    as[i] = asin(y), ac[i] = acos(y), at[i] = atan(x), at2[i] = atan2(x, y), sh[i] = sinh(x), ch[i] = cosh(x), th[i] = tanh(x), ash[i] = asinh(x);
    ath[i] = atanh(y), e[i] = erf(x * (Real)0.25);
}

// The library's functions of doubles, within what OpenCL allows, and one unit more, since the host's are not exact either.
// library
// buffer  x      double[256]  random 0.01 40
// buffer  y      double[256]  random -1 1
// buffer  sin    double[256]  zero  within 5 ulp
// buffer  cos    double[256]  zero  within 5 ulp
// buffer  tan    double[256]  zero  within 6 ulp
// buffer  exp    double[256]  zero  within 4 ulp
// buffer  exp2   double[256]  zero  within 4 ulp
// buffer  log    double[256]  zero  within 4 ulp
// buffer  log2   double[256]  zero  within 4 ulp
// buffer  pow    double[256]  zero  within 17 ulp
// buffer  asin   double[256]  zero  within 5 ulp
// buffer  acos   double[256]  zero  within 5 ulp
// buffer  atan   double[256]  zero  within 6 ulp
// buffer  sinh   double[256]  zero  within 5 ulp
// buffer  tanh   double[256]  zero  within 6 ulp
// buffer  cbrt   double[256]  zero  within 3 ulp
// buffer  rsqrt  double[256]  zero  within 3 ulp
// buffer  hypot  double[256]  zero  within 5 ulp
// run     circles(x, y, sin, cos, tan, asin, acos, atan)                       grid 256  group 64
// run     powers(x, y, exp, exp2, log, log2, pow, sinh, tanh, cbrt, rsqrt, hypot)     grid 256  group 64
kernel void circles(global const double* xs, global const double* ys, global double* s, global double* c, global double* t, global double* as,
                    global double* ac, global double* at)
{
    const int i = get_global_id(0);
    const double x = xs[i], y = ys[i];
    s[i] = sin(x), c[i] = cos(x), t[i] = tan(x), as[i] = asin(y), ac[i] = acos(y), at[i] = atan(x);
}

kernel void powers(global const double* xs, global const double* ys, global double* e, global double* e2, global double* l, global double* l2,
                   global double* p, global double* sh, global double* th, global double* c, global double* rs, global double* h)
{
    const int i = get_global_id(0);
    const double x = xs[i], y = ys[i];
    e[i] = exp(y * 20.0), e2[i] = exp2(x), l[i] = log(x), l2[i] = log2(x), p[i] = pow(x, y), sh[i] = sinh(y), th[i] = tanh(y), c[i] = cbrt(x);
    rs[i] = rsqrt(x), h[i] = hypot(x, y);
}

// The parts of floats and what is exact about them: exponents, fractions, next numbers, remainders.
// library
// buffer  a  float[1024]    random -1000 1000
// buffer  b  float[1024]    random -7 7
// buffer  d  double[1024]   random -1e10 1e10
// buffer  e  double[1024]   random -1e5 1e5
// buffer  r  float[14336]   zero
// buffer  q  int[4096]      zero
// buffer  w  double[12288]  zero
// run     singles(a, b, r, q)   grid 1024  group 64
// run     doubles(d, e, w, q)   grid 1024  group 64
#pragma OPENCL FP_CONTRACT OFF
kernel void singles(global const float* as, global const float* bs, global float* r, global int* q)
{
    const int i = get_global_id(0);
    const float a = as[i], b = bs[i];
    int exponent;
    float whole;
    r += 14 * i, q += 4 * i;
    r[0] = frexp(a, &exponent), q[0] = exponent, r[1] = ldexp(b, i & 31), r[2] = logb(a), q[1] = ilogb(a);
    r[3] = modf(a, &whole), r[4] = whole, r[5] = nextafter(a, b), r[6] = fmod(a, b), r[7] = fdim(a, b), r[8] = maxmag(a, b);
    r[9] = minmag(a, b), r[10] = round(a), r[11] = rint(b * 0.5f), r[12] = sqrt(fabs(a)), r[13] = remainder(a, b);
}

kernel void doubles(global const double* as, global const double* bs, global double* r, global int* q)
{
    const int i = get_global_id(0);
    const double a = as[i], b = bs[i];
    int exponent;
    double whole;
    r += 12 * i, q += 4 * i;
    r[0] = frexp(a, &exponent), q[2] = exponent, r[1] = ldexp(b, -(i & 63)), r[2] = logb(a), q[3] = ilogb(b);
    r[3] = modf(b, &whole), r[4] = whole, r[5] = nextafter(a, b), r[6] = fmod(a, b), r[7] = fdim(a, b);
    r[8] = round(b), r[9] = sqrt(fabs(a)), r[10] = remainder(a, b), r[11] = fma(a, b, -a * b);
}

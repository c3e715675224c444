// Half floats as numbers of their own where the target has them, and widened where it has not: each operation is rounded to a
// half. The host has no such type: it computes in floats and doubles, which is wide enough that rounding twice does no harm.
// buffer  a  half[1024]   random -60 60
// buffer  b  half[1024]   random -4 4
// buffer  c  half[1024]   random -1000 1000
// buffer  r  half[12288]  zero
// run     halves(a, b, c, r)   grid 1024  group 64
#pragma OPENCL FP_CONTRACT OFF
#ifdef HOST
typedef float H;
H rounded(float x)
{
    ushort bits;
    vstore_half_rte(x, 0, (half*)&bits);
    return vload_half(0, (half*)&bits);
}
#define LOAD(p, i) vload_half(i, p)
#define STORE(p, i, x) vstore_half_rte(x, i, p)
#define STORED(p, i) vload_half(i, p)
#else
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef half H;
#define rounded(x) ((half)(x))  // a result between others may be wider otherwise
#define LOAD(p, i) p[i]
#define STORE(p, i, x) p[i] = x
#define STORED(p, i) ((volatile global half*)p)[i]  // where halves are widened a product that is used at once is not rounded
#endif

kernel void halves(global const half* as, global const half* bs, global const half* cs, global half* r)
{
    const int i = get_global_id(0);
    const H a = LOAD(as, i), b = LOAD(bs, i), c = LOAD(cs, i);
    r += 12 * i;
    STORE(r, 0, rounded(a + b));
    STORE(r, 1, rounded(a * b));
    STORE(r, 2, rounded(a - c));
    STORE(r, 3, rounded(STORED(r, 1) + c));
    STORE(r, 4, a < b ? a : c);
    STORE(r, 5, -a);
    STORE(r, 6, (H)(int)c);
    STORE(r, 7, (H)(short)STORED(r, 1));
    H sum = a;
    for (int k = 0; k < (i & 7); k++) {
        STORE(r, 8, rounded(b * (H)k));
        sum = rounded(sum + STORED(r, 8));
    }
    STORE(r, 8, sum);
    STORE(r, 9, rounded((H)((i & 255) + 1) * (H)0.25f));
    STORE(r, 10, (a == b) + (c >= a ? (H)2 : (H)0));
    STORE(r, 11, rounded(c * c));
    STORE(r, 11, rounded(STORED(r, 11) * b));
}

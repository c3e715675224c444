// Vectors of 2 to 16: operators, comparisons, choices by mask, and parts in another order.
// buffer  a  int[4096]   edges
// buffer  b  int[4096]   edges
// buffer  r  int[16384]  zero
// buffer  s  short[4096] zero
// run     sixteen(a, b, r)  grid 256  group 64
// run     three(a, b, s)    grid 256  group 64
kernel void sixteen(global const int16* as, global const int16* bs, global int16* r)
{
    const size_t i = get_global_id(0);
    const int16 a = as[i], b = bs[i];
    r += 4 * i;
    r[0] = a * b + (a >> (b & 31));
    r[1] = a < b ? a - b : b ^ a;
    r[2] = (int16)(a.odd, b.even) + (int16)(b.hi, a.lo);
    const int8 sums = a.lo + a.hi;
    const int4 fewer = sums.lo - sums.hi;
    r[3] = (int16)(fewer.wzyx, fewer.xxyy, a.s0f1e, a.s0 + b.sf, (b == a).s3, (uint)b.s4 % 7u, a.s5 && b.s6);
}

kernel void three(global const int* a, global const int* b, global short* r)
{
    const size_t i = get_global_id(0);
    const short3 x = (short3)((short)a[i], (short)(a[i] >> 16), (short)b[i]);
    short3 y = x.zxy * (short)3 - x.yyz;
    y.xz += x.yx;
    const short4 z = (short4)(max(y, x).x, min(y, x).y, (y & ~x).z, (short)(y.x > x.x));
    r[4 * i] = z.w, r[4 * i + 1] = z.x, r[4 * i + 2] = z.y, r[4 * i + 3] = z.z;
}

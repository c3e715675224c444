// What OpenCL has for integers of 64 bits, for edges in all pairs and for any others.
// buffer  a   long[1024]    edges
// buffer  b   long[1024]    edges
// buffer  c   long[1024]    edges
// buffer  r   long[23552]   zero
// buffer  ur  ulong[23552]  zero
// run     of_signed(a, b, c, r)     grid 1024   group 64
// run     of_unsigned(a, b, c, ur)  grid 1024   group 64
// sample  clang-19 gfx700 -O0
#define EACH(T)                                                                                                    \
    r[0] = a + b; r[1] = a - b; r[2] = a * b; r[3] = a & b; r[4] = a | b; r[5] = a ^ b;                            \
    r[6] = a << (b & 63); r[7] = a >> (b & 63); r[8] = min(a, b); r[9] = max(a, b);                                \
    r[10] = clamp(a, min(b, c), max(b, c)); r[11] = abs(a); r[12] = abs_diff(a, b); r[13] = add_sat(a, b);         \
    r[14] = sub_sat(a, b); r[15] = hadd(a >> 1, b >> 1); r[16] = rhadd(a >> 1, b >> 1); r[17] = mul_hi(a, b);      \
    r[18] = mad_hi(a, b, c); r[19] = rotate(a, b); r[20] = clz(a); r[21] = popcount(a);                            \
    r[22] = (a < b) + 2 * (a == b) + 4 * (b >= c) + 8 * (a != c);

kernel void of_signed(global const long* as, global const long* bs, global const long* cs, global long* rs)
{
    const size_t i = get_global_id(0);
    const long a = as[i], b = bs[i], c = cs[i];
    global long* r = rs + 23 * i;
    EACH(long)
}

kernel void of_unsigned(global const ulong* as, global const ulong* bs, global const ulong* cs, global ulong* rs)
{
    const size_t i = get_global_id(0);
    const ulong a = as[i], b = bs[i], c = cs[i];
    global ulong* r = rs + 23 * i;
    EACH(ulong)
}

// What OpenCL has for integers of 16 bits, for edges in all pairs and for any others.
// buffer  a   short[1024]    edges
// buffer  b   short[1024]    edges
// buffer  c   short[1024]    edges
// buffer  r   short[24576]   zero
// buffer  ur  ushort[24576]  zero
// buffer  w   int[2048]      zero
// run     of_signed(a, b, c, r, w)     grid 1024   group 128
// run     of_unsigned(a, b, c, ur, w)  grid 1024   group 128
#define EACH(T)                                                                                                    \
    r[0] = a + b; r[1] = a - b; r[2] = a * b; r[3] = a & b; r[4] = a | b; r[5] = a ^ b;                            \
    r[6] = (T)(a << (b & 15)); r[7] = a >> (b & 15); r[8] = min(a, b); r[9] = max(a, b);                           \
    r[10] = clamp(a, min(b, c), max(b, c)); r[11] = abs(a); r[12] = abs_diff(a, b); r[13] = add_sat(a, b);         \
    r[14] = sub_sat(a, b); r[15] = hadd(a, b); r[16] = rhadd(a, b); r[17] = mul_hi(a, b); r[18] = mad_hi(a, b, c); \
    r[19] = mad_sat(a, b, c); r[20] = rotate(a, b); r[21] = clz(a); r[22] = popcount(a);                           \
    r[23] = (a < b) + 2 * (a == b) + 4 * (b >= c) + 8 * (a != c);

kernel void of_signed(global const short* as, global const short* bs, global const short* cs, global short* rs, global int* wide)
{
    const size_t i = get_global_id(0);
    const short a = as[i], b = bs[i], c = cs[i];
    global short* r = rs + 24 * i;
    EACH(short)
    wide[i] = upsample(a, (ushort)b);
}

kernel void of_unsigned(global const ushort* as, global const ushort* bs, global const ushort* cs, global ushort* rs, global uint* wide)
{
    const size_t i = get_global_id(0);
    const ushort a = as[i], b = bs[i], c = cs[i];
    global ushort* r = rs + 24 * i;
    EACH(ushort)
    wide[1024 + i] = upsample(a, b);
}

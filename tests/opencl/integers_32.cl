// What OpenCL has for integers of 32 bits, for edges in all pairs and for any others.
// buffer  a   int[1024]    edges
// buffer  b   int[1024]    edges
// buffer  c   int[1024]    edges
// buffer  r   int[26624]   zero
// buffer  ur  uint[26624]  zero
// buffer  w   long[2048]   zero
// run     of_signed(a, b, c, r, w)     grid 1024   group 256
// run     of_unsigned(a, b, c, ur, w)  grid 1024   group 256
// sample  clang-14 gfx900 -O2
#define EACH(T)                                                                                                    \
    r[0] = a + b; r[1] = a - b; r[2] = a * b; r[3] = a & b; r[4] = a | b; r[5] = a ^ b;                            \
    r[6] = a << (b & 31); r[7] = a >> (b & 31); r[8] = min(a, b); r[9] = max(a, b);                                \
    r[10] = clamp(a, min(b, c), max(b, c)); r[11] = abs(a); r[12] = abs_diff(a, b); r[13] = add_sat(a, b);         \
    r[14] = sub_sat(a, b); r[15] = hadd(a, b); r[16] = rhadd(a, b); r[17] = mul_hi(a, b); r[18] = mad_hi(a, b, c); \
    r[19] = mad_sat(a, b, c); r[20] = rotate(a, b); r[21] = clz(a); r[22] = popcount(a);                           \
    r[23] = (a < b) + 2 * (a == b) + 4 * (b >= c) + 8 * (a != c);                                                  \
    r[24] = mul24((T)(a << 8) >> 8, (T)(b << 8) >> 8); r[25] = mad24((T)(a << 8) >> 8, (T)(b << 8) >> 8, c);

kernel void of_signed(global const int* as, global const int* bs, global const int* cs, global int* rs, global long* wide)
{
    const size_t i = get_global_id(0);
    const int a = as[i], b = bs[i], c = cs[i];
    global int* r = rs + 26 * i;
    EACH(int)
    wide[i] = upsample(a, (uint)b);
}

kernel void of_unsigned(global const uint* as, global const uint* bs, global const uint* cs, global uint* rs, global ulong* wide)
{
    const size_t i = get_global_id(0);
    const uint a = as[i], b = bs[i], c = cs[i];
    global uint* r = rs + 26 * i;
    EACH(uint)
    wide[1024 + i] = upsample(a, b);
}

// What OpenCL has for integers of 8 bits, for edges in all pairs and for any others.
// buffer  a   char[1024]    edges
// buffer  b   char[1024]    edges
// buffer  c   char[1024]    edges
// buffer  r   char[24576]   zero
// buffer  ur  uchar[24576]  zero
// buffer  w   short[2048]   zero
// run     of_signed(a, b, c, r, w)     grid 1024   group 64
// run     of_unsigned(a, b, c, ur, w)  grid 1024   group 64
// sample  clang-14 gfx803 -O2
#define EACH(T)                                                                                                    \
    r[0] = a + b; r[1] = a - b; r[2] = a * b; r[3] = a & b; r[4] = a | b; r[5] = a ^ b;                            \
    r[6] = (T)(a << (b & 7)); r[7] = a >> (b & 7); r[8] = min(a, b); r[9] = max(a, b);                             \
    r[10] = clamp(a, min(b, c), max(b, c)); r[11] = abs(a); r[12] = abs_diff(a, b); r[13] = add_sat(a, b);         \
    r[14] = sub_sat(a, b); r[15] = hadd(a, b); r[16] = rhadd(a, b); r[17] = mul_hi(a, b); r[18] = mad_hi(a, b, c); \
    r[19] = mad_sat(a, b, c); r[20] = rotate(a, b); r[21] = clz(a); r[22] = popcount(a);                           \
    r[23] = (a < b) + 2 * (a == b) + 4 * (b >= c) + 8 * (a != c);

kernel void of_signed(global const char* as, global const char* bs, global const char* cs, global char* rs, global short* wide)
{
    const size_t i = get_global_id(0);
    const char a = as[i], b = bs[i], c = cs[i];
    global char* r = rs + 24 * i;
    EACH(char)
    wide[i] = upsample(a, (uchar)b);
}

kernel void of_unsigned(global const uchar* as, global const uchar* bs, global const uchar* cs, global uchar* rs, global ushort* wide)
{
    const size_t i = get_global_id(0);
    const uchar a = as[i], b = bs[i], c = cs[i];
    global uchar* r = rs + 24 * i;
    EACH(uchar)
    wide[1024 + i] = upsample(a, b);
}

// Floats to integers of each size, saturated, under each direction of rounding.
// library
// buffer  f   float[1024]   random -400 400
// buffer  g   float[1024]   edges
// buffer  c   char[8192]    zero
// buffer  s   short[8192]   zero
// buffer  i   int[8192]     zero
// buffer  l   long[8192]    zero
// run     narrow(f, g, c, s)   grid 1024  group 64
// run     wide(f, g, i, l)     grid 1024  group 64
#define NUMBER(x) ((x) != (x) ? 0.5f : (x))
#define EACH(T, U, r, x, y)                                                                                   \
    r[0] = convert_##T##_sat_rte(x), r[1] = convert_##T##_sat_rtz(x), r[2] = convert_##T##_sat_rtp(x);        \
    r[3] = convert_##T##_sat_rtn(x), r[4] = (T)convert_##U##_sat_rte(x), r[5] = (T)convert_##U##_sat(x);      \
    r[6] = convert_##T##_sat(y), r[7] = (T)convert_##U##_sat_rtp(y);

kernel void narrow(global const float* f, global const float* g, global char* c, global short* s)
{
    const int at = get_global_id(0);
    const float x = f[at], y = NUMBER(g[at]);
    c += 8 * at, s += 8 * at;
    EACH(char, uchar, c, x, y)
    EACH(short, ushort, s, x * 200.0f, y)
}

kernel void wide(global const float* f, global const float* g, global int* i, global long* l)
{
    const int at = get_global_id(0);
    const float x = f[at], y = NUMBER(g[at]);
    const double z = (double)x * 1.234567890123e15;
    i += 8 * at, l += 8 * at;
    EACH(int, uint, i, x, y)
    l[0] = convert_long_rte(z), l[1] = convert_long_rtz(z), l[2] = convert_long_rtp(z), l[3] = convert_long_rtn(z);
    l[4] = convert_int_sat_rtn(z), l[5] = convert_uint_sat_rtp((double)x * 0.37), l[6] = convert_int_rtp((double)x * 0.37);
    l[7] = (long)convert_ulong_rtz(z < 0 ? -z : z);
}

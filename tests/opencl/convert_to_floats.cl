// Integers to floats, and doubles to floats, under each direction of rounding; integers to smaller ones, saturated, in vectors.
// library
// buffer  a   long[1024]    edges
// buffer  d   double[1024]  random -1e20 1e20
// buffer  f   float[16384]  zero
// buffer  g   double[4096]  zero
// buffer  v   uchar[8192]   zero
// run     floats(a, d, f, g)   grid 1024  group 64
// run     vectors(a, v)        grid 256   group 64
kernel void floats(global const long* as, global const double* d, global float* f, global double* g)
{
    const int at = get_global_id(0);
    const long a = as[at];
    f += 16 * at, g += 4 * at;
    f[0] = convert_float_rte((int)a), f[1] = convert_float_rtz((int)a), f[2] = convert_float_rtp((int)a), f[3] = convert_float_rtn((int)a);
    f[4] = convert_float_rte((uint)a), f[5] = convert_float_rtz((uint)a), f[6] = convert_float_rtp((uint)a), f[7] = convert_float_rtn((uint)a);
    f[8] = convert_float_rte(a), f[9] = convert_float_rtz(a), f[10] = convert_float_rtp((ulong)a), f[11] = convert_float_rtn((ulong)a);
    f[12] = convert_float_rte(d[at]), f[13] = convert_float_rtz(d[at]), f[14] = convert_float_rtp(d[at]), f[15] = convert_float_rtn(d[at]);
    g[0] = convert_double_rte(a), g[1] = convert_double_rtz(a), g[2] = convert_double_rtp(a), g[3] = convert_double_rtn((ulong)a);
}

kernel void vectors(global const long* as, global uchar* v)
{
    const int at = get_global_id(0);
    const long4 a = vload4(at, as);
    const int4 i = convert_int4_sat(a);
    const short4 s = convert_short4_sat(i);
    const char4 c = convert_char4_sat(s);
    const uchar4 u = convert_uchar4_sat(a), w = convert_uchar4_sat(i >> 16);
    const ushort4 h = convert_ushort4_sat(i);
    vstore16((uchar16)(as_uchar4(c), u, w, convert_uchar4_sat(h >> (ushort)4)), 2 * at, v);
    vstore16((uchar16)(as_uchar8(s), as_uchar8(h)), 2 * at + 1, v);
}

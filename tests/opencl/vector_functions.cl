// What OpenCL has for integers, in vectors, out of the library; relations and choices by mask.
// library
// buffer  a  int[1024]    edges
// buffer  b  int[1024]    edges
// buffer  f  float[1024]  edges
// buffer  r  int[12288]   zero
// buffer  s  short[4096]  zero
// run     words(a, b, f, r)   grid 256  group 64
// run     shorts(a, b, s)     grid 128  group 64
kernel void words(global const int4* as, global const int4* bs, global const float4* fs, global int4* r)
{
    const int i = get_global_id(0);
    const int4 a = as[i], b = bs[i];
    const float4 f = fs[i], g = fs[i ^ 1];
    r += 12 * i;
    r[0] = add_sat(a, b), r[1] = mul_hi(a, b), r[2] = rotate(a, b), r[3] = as_int4(abs_diff(a, b)), r[4] = mad_sat(a, b, a);
    r[5] = clz(a) + popcount(b), r[6] = select(a, b, a ^ b), r[7] = bitselect(a, b, (int4)0x0ff00ff0), r[8] = hadd(a, b) - rhadd(b, a);
    r[9] = isless(f, g) + 2 * isgreaterequal(f, g) + 4 * isnan(f) + 8 * isunordered(f, g) + 16 * signbit(f) + 32 * isfinite(g);
    r[10] = (int4)(any(a), all(b), any(a < b), all(a <= b)), r[11] = max(min(a, b), sub_sat(a, b));
}

kernel void shorts(global const short8* as, global const short8* bs, global short8* r)
{
    const int i = get_global_id(0);
    const short8 a = as[i], b = bs[i];
    r += 4 * i;
    r[0] = add_sat(a, b), r[1] = mad_sat(a, b, b), r[2] = mul_hi(a, b) ^ rotate(a, b);
    r[3] = clz(a) + as_short8(upsample(as_uchar16(a).lo, as_uchar16(b).hi)) * popcount(b);
}

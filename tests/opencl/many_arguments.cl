// Arguments of all kinds and sizes, whose places in memory depend on those before.
// buffer  out  long[64]  zero
// run     arguments(char -3, out, short -300, uchar 200, 123456l, 7, float 2.5, double -0.125, ushort 65000, 4000000000u, 0xfedcba9876543210ul, bytes 01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00, bytes 05 fb, bytes 00 00 80 3f 00 00 00 40 00 00 40 40 00 00 00 00)   grid 4  group 4
kernel void arguments(char a, global long* out, short b, uchar c, long d, int e, float f, double g, ushort h, uint i, ulong j, int4 k, char2 l, float3 m)
{
    const int at = get_global_id(0);
    out += 16 * at;
    out[0] = a, out[1] = b, out[2] = c, out[3] = d, out[4] = e, out[5] = (long)(f * 8.0f), out[6] = (long)(g * 64.0), out[7] = h, out[8] = i;
    out[9] = (long)j, out[10] = k.x + k.y * 10 + k.z * 100 + k.w * 1000, out[11] = l.x * 100 + l.y, out[12] = (long)(m.x + m.y * 16.0f + m.z * 256.0f);
    out[13] = (long)a * b * c * at, out[14] = out[3] % (e + at);
}

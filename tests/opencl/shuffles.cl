// Parts of vectors in an order that is computed, of one vector and of two.
// library
// buffer  a    uint[4096]   bits
// buffer  m    uint[4096]   bits
// buffer  out  uint[6144]   zero
// run     shuffles(a, m, out)   grid 128  group 64
kernel void shuffles(global const uint16* as, global const uint16* ms, global uint16* out)
{
    const int i = get_global_id(0);
    const uint16 a = as[i], m = ms[i], b = a * 3u + m;
    out += 3 * i;
    out[0] = shuffle(a, m);
    out[1] = shuffle2(a, b, m);
    const uint8 eight = shuffle(a.lo, m.hi);
    const uint4 four = shuffle2(a.s01, a.s23, m.s4567);
    out[2] = (uint16)(eight, four, shuffle(b, m.s01), as_uint(shuffle(as_uchar4(a.s7), as_uchar4(m.s9))), 7);
}

// The block function of ChaCha20 (RFC 8439) on vectors of four, whose diagonals are rotations of vectors.
// buffer  key     uint[8]     bits
// buffer  stream  uint[2048]  zero
// run     blocks(key, stream, 7u, 0x4a000000u)   grid 128  group 64
#define QUARTERS(a, b, c, d)                             \
    a += b; d ^= a; d = d << 16 | d >> 16;               \
    c += d; b ^= c; b = b << 12 | b >> 20;               \
    a += b; d ^= a; d = d << 8 | d >> 24;                \
    c += d; b ^= c; b = b << 7 | b >> 25;

kernel void blocks(global const uint* key, global uint4* stream, uint counter, uint nonce)
{
    const uint4 a0 = (uint4)(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574), b0 = (uint4)(key[0], key[1], key[2], key[3]);
    const uint4 c0 = (uint4)(key[4], key[5], key[6], key[7]), d0 = (uint4)(counter + (uint)get_global_id(0), 0, nonce, 0);
    uint4 a = a0, b = b0, c = c0, d = d0;
    for (int round = 0; round < 10; round++) {
        QUARTERS(a, b, c, d)
        b = b.yzwx, c = c.zwxy, d = d.wxyz;
        QUARTERS(a, b, c, d)
        b = b.wxyz, c = c.zwxy, d = d.yzwx;
    }
    stream += 4 * get_global_id(0);
    stream[0] = a + a0, stream[1] = b + b0, stream[2] = c + c0, stream[3] = d + d0;
}

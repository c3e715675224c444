// SipHash-2-4 in 64 bits, of messages whose length differs from lane to lane.
// buffer  data    uchar[1024]  bits
// buffer  hashes  ulong[256]   zero
// run     hash(data, hashes, 0x0706050403020100ul, 0x0f0e0d0c0b0a0908ul)   grid 256  group 64
#define ROUND                                                         \
    v0 += v1; v1 = rotate(v1, 13ul); v1 ^= v0; v0 = rotate(v0, 32ul); \
    v2 += v3; v3 = rotate(v3, 16ul); v3 ^= v2;                        \
    v0 += v3; v3 = rotate(v3, 21ul); v3 ^= v0;                        \
    v2 += v1; v1 = rotate(v1, 17ul); v1 ^= v2; v2 = rotate(v2, 32ul);

kernel void hash(global const uchar* data, global ulong* hashes, ulong k0, ulong k1)
{
    const uint i = get_global_id(0), length = i * 13 % 41;
    ulong v0 = k0 ^ 0x736f6d6570736575ul, v1 = k1 ^ 0x646f72616e646f6dul, v2 = k0 ^ 0x6c7967656e657261ul, v3 = k1 ^ 0x7465646279746573ul;
    for (uint at = 0; at <= length; at += 8) {
        ulong word = at + 8 > length ? (ulong)length << 56 : 0;
        for (uint k = 0; k < 8 && at + k < length; k++) word |= (ulong)data[i * 3 + at + k] << 8 * k;
        v3 ^= word;
        ROUND ROUND
        v0 ^= word;
    }
    v2 ^= 0xff;
    ROUND ROUND ROUND ROUND
    hashes[i] = v0 ^ v1 ^ v2 ^ v3;
}

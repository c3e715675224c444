// MD5 of messages of one block, as a search does it; after SHOC's md5hash and RFC 1321. The sines are in a table.
// buffer  sines    uint[64]    = int(abs(sin(i + 1)) * 4294967296)
// buffer  digests  uint[1024]  zero
// run     digest(sines, digests, 1000)   grid 256  group 64
constant uchar turns[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

kernel void digest(constant uint* sines, global uint* digests, uint first)
{
    uint block[16] = {0}, number = first + get_global_id(0) * 7919, length = 0;
    do {
        block[length / 4] |= ('0' + number % 10) << length % 4 * 8;
        number /= 10, length++;
    } while (number);
    block[length / 4] |= 0x80u << length % 4 * 8;
    block[14] = length * 8;
    uint a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    for (uint k = 0; k < 64; k++) {
        uint f, from;
        switch (k / 16) {
        case 0: f = (b & c) | (~b & d), from = k; break;
        case 1: f = (d & b) | (~d & c), from = (5 * k + 1) % 16; break;
        case 2: f = b ^ c ^ d, from = (3 * k + 5) % 16; break;
        default: f = c ^ (b | ~d), from = 7 * k % 16;
        }
        const uint sum = a + f + sines[k] + block[from];
        a = d, d = c, c = b;
        b += rotate(sum, (uint)turns[k / 16 * 4 + k % 4]);
    }
    global uint* out = digests + 4 * get_global_id(0);
    out[0] = a + 0x67452301, out[1] = b + 0xefcdab89, out[2] = c + 0x98badcfe, out[3] = d + 0x10325476;
}

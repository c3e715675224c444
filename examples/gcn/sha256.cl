// The SHA-256 of one message of 55 bytes or fewer for each work-item: 64 bytes each, the message, and its length in the last.
#include "items.h"

__constant uint rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define RIGHT(x, n) ((x) >> (n) | (x) << (32 - (n)))

__kernel void sha256(__global const uchar *messages, __global uint *hashes, uint count) {
    uint i = global_x();
    if (i >= count) return;
    __global const uchar *message = messages + 64 * i;
    uint length = message[63], w[16];
    for (uint k = 0; k < 16; ++k) {
        uint word = 0;
        for (uint byte = 4 * k; byte < 4 * k + 4; ++byte)
            word = word << 8 | (byte < length ? message[byte] : byte == length ? 0x80 : 0);
        w[k] = word;
    }
    w[14] = 0;
    w[15] = 8 * length;
    uint h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], z = h[7];
    for (uint k = 0; k < 64; ++k) {
        if (k >= 16) {
            uint x = w[(k + 1) % 16], y = w[(k + 14) % 16];
            w[k % 16] += (RIGHT(x, 7) ^ RIGHT(x, 18) ^ x >> 3) + w[(k + 9) % 16] + (RIGHT(y, 17) ^ RIGHT(y, 19) ^ y >> 10);
        }
        uint one = z + (RIGHT(e, 6) ^ RIGHT(e, 11) ^ RIGHT(e, 25)) + ((e & f) ^ (~e & g)) + rounds[k] + w[k % 16];
        uint two = (RIGHT(a, 2) ^ RIGHT(a, 13) ^ RIGHT(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        z = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    uint sums[8] = {a, b, c, d, e, f, g, z};
    for (uint k = 0; k < 8; ++k) hashes[8 * i + k] = h[k] + sums[k];
}

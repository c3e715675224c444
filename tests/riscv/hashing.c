// SHA-256 of some lengths of text.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t constants[64];

static uint32_t right(uint32_t x, int n) { return x >> n | x << (32 - n); }

// The first 32 bits of the fractions of roots of the first primes.
static uint32_t fraction(uint64_t prime, int cube) {
    unsigned __int128 low = 0, high = (unsigned __int128)1 << 40;
    while (high - low > 1) {
        const unsigned __int128 middle = (low + high) / 2;
        const unsigned __int128 power = cube ? middle * middle * middle : middle * middle;
        const unsigned __int128 wanted = (unsigned __int128)prime << (cube ? 96 : 64);
        if (middle >> 36 || power > wanted) high = middle; else low = middle;
    }
    return (uint32_t)low;
}

static void block(uint32_t state[8], const unsigned char* bytes) {
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; ++i)
        w[i] = (uint32_t)bytes[4 * i] << 24 | (uint32_t)bytes[4 * i + 1] << 16 | (uint32_t)bytes[4 * i + 2] << 8 | bytes[4 * i + 3];
    for (int i = 16; i < 64; ++i)
        w[i] = w[i - 16] + (right(w[i - 15], 7) ^ right(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
               (right(w[i - 2], 17) ^ right(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; ++i) {
        const uint32_t a = s[7] + (right(s[4], 6) ^ right(s[4], 11) ^ right(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
        const uint32_t b = (right(s[0], 2) ^ right(s[0], 13) ^ right(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += a;
        s[0] = a + b;
    }
    for (int i = 0; i < 8; ++i) state[i] += s[i];
}

int main(void) {
    uint32_t start[8];
    for (int count = 0, n = 2; count < 64; ++n) {
        int prime = 1;
        for (int d = 2; d * d <= n; ++d) prime &= n % d != 0;
        if (!prime) continue;
        if (count < 8) start[count] = fraction((uint64_t)n, 0);
        constants[count++] = fraction((uint64_t)n, 1);
    }
    static unsigned char text[20000];
    const int lengths[] = {0, 3, 55, 56, 64, 9999};
    for (int i = 0; i < 6; ++i) {
        const int length = lengths[i];
        memset(text, 0, sizeof text);
        for (int k = 0; k < length; ++k) text[k] = (unsigned char)("abc"[k % 3]);
        text[length] = 0x80;
        const int blocks = (length + 8) / 64 + 1;
        for (int k = 0; k < 8; ++k) text[64 * blocks - 1 - k] = (unsigned char)((uint64_t)length * 8 >> 8 * k);
        uint32_t state[8];
        memcpy(state, start, sizeof state);
        for (int k = 0; k < blocks; ++k) block(state, text + 64 * k);
        for (int k = 0; k < 8; ++k) printf("%08x", state[k]);
        printf(" %d\n", length);
    }
    return 0;
}

// Integers of 8 to 128 bits, at their edges.
#include <stdint.h>
#include <stdio.h>

static void show(__int128 x) { printf("%016llx%016llx ", (unsigned long long)(x >> 64), (unsigned long long)x); }

int main(void) {
    volatile int64_t values[] = {0, 1, -1, 2, 7, -7, INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN, 0x123456789abcdef};
    uint64_t all = 0;
    for (int i = 0; i < 11; ++i)
        for (int j = 0; j < 11; ++j) {
            const int64_t a = values[i], b = values[j];
            const uint64_t u = (uint64_t)a, v = (uint64_t)b;
            all = all * 1000003 + (u + v) + (u * v) + (u << (v & 63)) + (u >> (v & 63)) + (uint64_t)(a >> (b & 63));
            if (b != 0 && !(a == INT64_MIN && b == -1)) all = all * 31 + (uint64_t)(a / b) + (uint64_t)(a % b) + u / v + u % v;
            const int32_t c = (int32_t)a, d = (int32_t)b;
            if (d != 0 && !(c == INT32_MIN && d == -1)) all = all * 31 + (uint64_t)(c / d) + (uint64_t)(c % d) + (uint32_t)c / (uint32_t)d;
            all += (uint64_t)((__int128)a * b >> 64) + (uint64_t)((unsigned __int128)u * v >> 64);
            int64_t sum;
            all = all * 3 + (uint64_t)__builtin_add_overflow(a, b, &sum) + (uint64_t)(int8_t)a + (uint16_t)b + (uint64_t)__builtin_popcountll(u);
            all ^= (uint64_t)(a < b) << 1 ^ (uint64_t)(u < v) << 2 ^ __builtin_bswap64(u + 1);
        }
    printf("%016llx\n", (unsigned long long)all);
    __int128 big = 1;
    for (int i = 2; i < 30; ++i) big = big * i + i;
    show(big);
    show(big / 1234567890123456789ll);
    show(-big % 987654321);
    putchar('\n');
    return 0;
}

// What a compiler makes of this runs on the described machine, and on the host for comparison.
typedef unsigned long u64;
typedef unsigned u32;
typedef unsigned char u8;
#define ALONE static __attribute__((noinline))

static const u32 primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
int calls = 1;

ALONE u64 mix(u64 hash, u64 value) {
    ++calls;
    hash ^= value * primes[value & 7];
    hash *= 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

ALONE void sort(u32* numbers, u32 count) {
    for (u32 i = 1; i < count; ++i)
        for (u32 j = i; j != 0 && numbers[j - 1] > numbers[j]; --j) {
            const u32 larger = numbers[j - 1];
            numbers[j - 1] = numbers[j];
            numbers[j] = larger;
        }
}

u64 entry(u64 seed) {
    u64 hash = seed;
    u32 numbers[16];
    u8 bytes[32];
    for (u32 i = 0; i < 16; ++i) {
        seed = seed * 6364136223846793005 + 1442695040888963407;
        numbers[i] = (u32)(seed >> 33);
    }
    for (u32 i = 0; i < 32; ++i) bytes[i] = (u8)(numbers[i & 15] >> (i & 7));
    sort(numbers, 16);
    for (u32 i = 0; i < 16; ++i) hash = mix(mix(hash, numbers[i] % (i + 3)), hash / (numbers[i] | 1));
    for (u32 i = 0; i < 32; ++i) {
        hash = mix(hash, bytes[i]);
        const int small = (int)(hash >> 7) >> (i & 31);
        hash = mix(hash, (u64)(long)small + (u64)(long)(short)hash + (u64)(long)(signed char)(hash >> 8));
        if (small < -5)
            hash += 3;
        else if (small > 1000)
            hash -= i;
    }
    hash = mix(hash, __builtin_bswap64(hash));
    hash = mix(hash, __builtin_bswap32((u32)hash));
    hash = mix(hash, __builtin_bswap16((unsigned short)hash));
    __sync_fetch_and_add(&seed, hash);
    return hash + seed + (u64)calls;
}

#ifdef HOST
#include <stdio.h>
int main(void) { return printf("%016lx\n", entry(12345)) < 0; }
#endif

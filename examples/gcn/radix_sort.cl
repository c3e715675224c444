// One group sorts 256 keys by four bits at a time, the lowest first, and keeps the order of equal digits. Where a key goes is
// how many keys have smaller digits, and how many before it the same one.
#include "items.h"

#define KEYS 256

__kernel __attribute__((reqd_work_group_size(KEYS, 1, 1))) void radix_sort(__global uint *keys) {
    __local uint sorted[KEYS];
    __local uint counts[16][KEYS / 64], places[16][KEYS / 64];
    uint l = local_x(), wavefront = l / 64, base = group_x() * KEYS;
    uint key = keys[base + l];
    for (uint shift = 0; shift < 32; shift += 4) {
        uint digit = key >> shift & 15, before = 0;
        for (uint d = 0; d < 16; ++d) {
            ulong same = __builtin_amdgcn_uicmp(digit, d, 32);   // the lanes that have this digit
            uint lower = __builtin_amdgcn_mbcnt_hi((uint)(same >> 32), __builtin_amdgcn_mbcnt_lo((uint)same, 0));
            if (digit == d) before = lower;
            if (l % 64 == 0) counts[d][wavefront] = __builtin_popcountl(same);
        }
        meet();
        if (l < 16 * (KEYS / 64)) {
            uint sum = 0;
            for (uint i = 0; i < l; ++i) sum += counts[i / (KEYS / 64)][i % (KEYS / 64)];
            places[l / (KEYS / 64)][l % (KEYS / 64)] = sum;
        }
        meet();
        sorted[places[digit][wavefront] + before] = key;
        meet();
        key = sorted[l];
    }
    keys[base + l] = key;
}

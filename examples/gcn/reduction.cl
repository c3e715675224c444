// The sum of all elements. A wavefront's 64 lanes add up without memory: each takes what another lane has, six times, by DPP or,
// before GCN 1.2, which has none, by ds_swizzle and v_readlane. Then one lane adds the wavefront's sum to the result.
#include "items.h"

#if defined(__gfx600__) || defined(__gfx700__)

#define FROM(x, masks) ((uint)__builtin_amdgcn_ds_swizzle((int)(x), masks))
INLINE uint sum_of_wavefront(uint x) {
    x += FROM(x, 0x041f);   // the lane whose number differs in bit 0
    x += FROM(x, 0x081f);
    x += FROM(x, 0x101f);
    x += FROM(x, 0x201f);
    x += FROM(x, 0x401f);
    return (uint)__builtin_amdgcn_readlane((int)x, 0) + (uint)__builtin_amdgcn_readlane((int)x, 32);
}

#else

// 0 where there is no such lane.
#define FROM(x, which, rows) ((uint)__builtin_amdgcn_update_dpp(0, (int)(x), which, rows, 0xf, false))
INLINE uint sum_of_wavefront(uint x) {
    x += FROM(x, 0x111, 0xf);   // row_shr:1
    x += FROM(x, 0x112, 0xf);   // row_shr:2
    x += FROM(x, 0x114, 0xf);   // row_shr:4
    x += FROM(x, 0x118, 0xf);   // row_shr:8: lane 15 of each row has the row's sum
    x += FROM(x, 0x142, 0xa);   // row_bcast:15, into rows 1 and 3
    x += FROM(x, 0x143, 0xc);   // row_bcast:31, into rows 2 and 3: lane 63 has all
    return (uint)__builtin_amdgcn_readlane((int)x, 63);
}

#endif

__kernel void reduction(__global const uint *data, uint count, __global uint *sum) {
    uint own = 0;
    for (uint i = global_x(); i < count; i += size_x()) own += data[i];
    own = sum_of_wavefront(own);
    if (local_x() % 64 == 0) __atomic_fetch_add(sum, own, __ATOMIC_RELAXED);
}

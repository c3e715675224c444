// How often each byte occurs. A group counts with atomics in local memory, which is near, and adds that to the result once.
#include "items.h"

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void histogram(__global const uchar *data, uint count,
                                                                        __global uint *counts) {
    __local uint own[256];
    own[local_x()] = 0;
    meet();
    for (uint i = global_x(); i < count; i += size_x()) __atomic_fetch_add(&own[data[i]], 1, __ATOMIC_RELAXED);
    meet();
    __atomic_fetch_add(&counts[local_x()], own[local_x()], __ATOMIC_RELAXED);
}

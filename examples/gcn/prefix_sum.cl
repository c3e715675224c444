// For each element the sum of all before it and its own, of 256 elements in a group: every round adds what lies twice as far.
// A second kernel adds to each group the sums of those before it.
#include "items.h"

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void prefix_sum(__global uint *data,
                                                                         __global uint *group_sums) {
    __local uint sums[256];
    uint l = local_x(), i = global_x();
    uint own = data[i];
    sums[l] = own;
    for (uint distance = 1; distance < 256; distance *= 2) {
        meet();
        uint before = l >= distance ? sums[l - distance] : 0;
        meet();
        own += before;
        sums[l] = own;
    }
    data[i] = own;
    if (l == 255) group_sums[group_x()] = own;
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void add_groups(__global uint *data,
                                                                         __global const uint *group_sums) {
    uint before = 0;
    for (uint g = 0; g < group_x(); ++g) before += group_sums[g];
    data[global_x()] += before;
}

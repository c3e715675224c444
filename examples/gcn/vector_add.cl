// Each work-item adds one pair of elements.
#include "items.h"

__kernel void vector_add(__global const float *a, __global const float *b, __global float *sum, uint count) {
    uint i = global_x();
    if (i < count) sum[i] = a[i] + b[i];
}

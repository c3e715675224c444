// C = A B for square matrices, in tiles of 16 by 16 that a group brings into local memory: each element is read from there 16
// times and from global memory once.
#include "items.h"

#define TILE 16

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void matrix_product(__global const float *a,
                                                                                  __global const float *b,
                                                                                  __global float *c, uint size) {
    __local float tile_a[TILE][TILE], tile_b[TILE][TILE];
    uint x = local_x(), y = local_y(), column = global_x(), row = global_y();
    float sum = 0;
    for (uint tile = 0; tile < size; tile += TILE) {
        tile_a[y][x] = a[row * size + tile + x];
        tile_b[y][x] = b[(tile + y) * size + column];
        meet();
        for (uint k = 0; k < TILE; ++k) sum += tile_a[y][k] * tile_b[k][x];
        meet();
    }
    c[row * size + column] = sum;
}

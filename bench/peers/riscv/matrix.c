// The product of two matrices of N by N words, as examples/fabrisc/matrix.s makes them and writes their product.
#include <stdint.h>
#include <stdio.h>

#ifndef N
#define N 48
#endif

static int32_t left[N][N], right[N][N], product[N][N];

static void fill(int32_t (*matrix)[N], uint32_t* x) {
    for (int row = 0; row < N; ++row)
        for (int column = 0; column < N; ++column) {
            *x = *x * 5 + 17;
            matrix[row][column] = (int32_t)(*x << 12) >> 20;
        }
}

int main(void) {
    uint32_t x = 1;
    fill(left, &x);
    fill(right, &x);
    for (int row = 0; row < N; ++row)
        for (int column = 0; column < N; ++column) {
            uint32_t sum = 0;
            for (int i = 0; i < N; ++i) sum += (uint32_t)left[row][i] * (uint32_t)right[i][column];
            product[row][column] = (int32_t)sum;
        }
    fwrite(product, sizeof product[0], N, stdout);
    return 0;
}

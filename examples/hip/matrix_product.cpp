// A product of matrices: each group of 16 x 16 work-items computes a tile of the result, and reads what it needs of the
// factors once, into memory that the group shares.
#include "example.hpp"

constexpr unsigned tile = 16;

__global__ void multiply(const float* a, const float* b, float* product, unsigned rows, unsigned inner,
                         unsigned columns) {
    __shared__ float left[tile][tile], right[tile][tile];
    const unsigned row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (unsigned step = 0; step < inner; step += tile) {
        const unsigned x = step + threadIdx.x, y = step + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < rows && x < inner ? a[row * inner + x] : 0;
        right[threadIdx.y][threadIdx.x] = y < inner && column < columns ? b[y * columns + column] : 0;
        __syncthreads();  // the tiles are complete
        for (unsigned k = 0; k < tile; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();  // and no longer needed
    }
    if (row < rows && column < columns) product[row * columns + column] = sum;
}

int main() {
    constexpr unsigned rows = 70, inner = 50, columns = 90;  // no multiples of a tile
    std::vector<float> a(rows * inner), b(inner * columns), expected(rows * columns);
    for (unsigned i = 0; i < a.size(); ++i)
        a[i] = static_cast<int>(i * 7 % 31) - 15;  // small integers: every order of the additions gives the same sum
    for (unsigned i = 0; i < b.size(); ++i) b[i] = static_cast<int>(i * 11 % 37) - 18;
    for (unsigned row = 0; row < rows; ++row)
        for (unsigned column = 0; column < columns; ++column)
            for (unsigned k = 0; k < inner; ++k)
                expected[row * columns + column] += a[row * inner + k] * b[k * columns + column];

    const DeviceArray<float> device_a(a), device_b(b), product(expected.size());
    multiply<<<dim3((columns + tile - 1) / tile, (rows + tile - 1) / tile), dim3(tile, tile)>>>(
        device_a, device_b, product, rows, inner, columns);
    return verdict("matrix_product", differences(product.content(), expected), expected.size());
}

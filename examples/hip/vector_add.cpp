// The first program: a sum of two vectors, an element for each work-item.
#include "example.hpp"

__global__ void add(const float* a, const float* b, float* sum, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)  // the last group is not full
        sum[i] = a[i] + b[i];
}

int main() {
    constexpr unsigned count = 10000;
    std::vector<float> a(count), b(count), expected(count);
    for (unsigned i = 0; i < count; ++i) {
        a[i] = 0.25F * i;
        b[i] = 1.0F / (i + 1);
        expected[i] = a[i] + b[i];
    }

    const DeviceArray<float> device_a(a), device_b(b), sum(count);
    add<<<(count + 255) / 256, 256>>>(device_a, device_b, sum, count);
    return verdict("vector_add", differences(sum.content(), expected), count);
}

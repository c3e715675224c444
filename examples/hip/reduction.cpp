// The sum of many numbers: the lanes of a wavefront add without any memory, by shuffles; wavefronts meet in shared memory; and
// groups in one atomic addition.
#include "example.hpp"

__device__ unsigned long long wavefront_sum(unsigned long long value) {
    for (int distance = warpSize / 2; distance > 0; distance /= 2) value += __shfl_down(value, distance);
    return value;  // of all lanes, in lane 0
}

__global__ void sum(const unsigned* numbers, unsigned count, unsigned long long* result) {
    __shared__ unsigned long long sums[16];
    unsigned long long value = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        value += numbers[i];

    value = wavefront_sum(value);
    const unsigned lane = threadIdx.x % warpSize, wavefront = threadIdx.x / warpSize,
                   wavefronts = blockDim.x / warpSize;
    if (lane == 0) sums[wavefront] = value;
    __syncthreads();
    if (wavefront == 0) {
        value = wavefront_sum(lane < wavefronts ? sums[lane] : 0);
        if (lane == 0) atomicAdd(result, value);
    }
}

// Other ways in which lanes look at each other: votes, and a butterfly.
__global__ void votes(unsigned long long* ballots, int* some, int* maxima) {
    const int lane = static_cast<int>(threadIdx.x);
    const unsigned long long thirds = __ballot(lane % 3 == 0);
    int maximum = lane * 37 % 64;
    for (int mask = 32; mask > 0; mask /= 2) maximum = max(maximum, __shfl_xor(maximum, mask));
    ballots[lane] = thirds;
    some[lane] = (__any(lane == 63) ? 1 : 0) + (__all(lane < 63) ? 2 : 0);
    maxima[lane] = maximum;
}

int main() {
    constexpr unsigned count = 100003;
    std::vector<unsigned> numbers(count);
    unsigned long long expected = 0;
    for (unsigned i = 0; i < count; ++i) expected += numbers[i] = i * 2654435761U;

    const DeviceArray<unsigned> device_numbers(numbers);
    const DeviceArray<unsigned long long> result(1);
    sum<<<20, 256>>>(device_numbers, count, result);
    std::size_t wrong = differences(result.content(), {expected});

    const DeviceArray<unsigned long long> ballots(64);
    const DeviceArray<int> some(64), maxima(64);
    votes<<<1, 64>>>(ballots, some, maxima);
    wrong += differences(ballots.content(), std::vector<unsigned long long>(64, 0x9249249249249249));
    wrong += differences(some.content(), std::vector<int>(64, 1));
    wrong += differences(maxima.content(), std::vector<int>(64, 63));
    return verdict("reduction", wrong, 1 + 3 * 64);
}

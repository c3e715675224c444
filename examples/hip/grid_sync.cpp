// Sums of a sequence up to each of its elements, in one launch: all groups of a grid wait for each other. Each one adds up its own
// part, the first one then the sums of the parts, and each one again the elements of its part behind the sum of those before.
#include <hip/hip_runtime.h>

#include <hip/hip_cooperative_groups.h>

#include <algorithm>

#include "example.hpp"

namespace cg = cooperative_groups;

constexpr unsigned group_size = 256;

__global__ void add_up(const unsigned* numbers, unsigned count, unsigned* sums, unsigned* parts) {
    const cg::grid_group grid = cg::this_grid();
    const unsigned length = (count + gridDim.x - 1) / gridDim.x, first = blockIdx.x * length,
                   end = min(first + length, count);
    __shared__ unsigned partial[group_size];

    partial[threadIdx.x] = 0;
    for (unsigned i = first + threadIdx.x; i < end; i += group_size) partial[threadIdx.x] += numbers[i];
    for (unsigned half = group_size / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    if (threadIdx.x == 0) parts[blockIdx.x] = partial[0];
    grid.sync();

    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (unsigned i = 1; i < gridDim.x; ++i) parts[i] += parts[i - 1];
    grid.sync();

    if (threadIdx.x == 0) {
        unsigned sum = blockIdx.x == 0 ? 0 : parts[blockIdx.x - 1];
        for (unsigned i = first; i < end; ++i) sums[i] = sum += numbers[i];
    }
}

int main() {
    constexpr unsigned count = 100003;
    std::vector<unsigned> numbers(count), expected(count);
    unsigned sum = 0;
    for (unsigned i = 0; i < count; ++i) expected[i] = sum += numbers[i] = i * 2654435761U;

    // As many groups as the processor has room for at the same time: others would never come.
    hipDeviceProp_t about;
    MUST(hipGetDeviceProperties(&about, 0));
    int of_unit = 0;
    MUST(hipOccupancyMaxActiveBlocksPerMultiprocessor(&of_unit, add_up, group_size, 0));
    const unsigned groups = static_cast<unsigned>(of_unit * about.multiProcessorCount);

    const DeviceArray<unsigned> device_numbers(numbers);
    const DeviceArray<unsigned> sums(count), parts(groups);
    std::size_t wrong = 0, results = 0;
    for (const unsigned grid : {groups, std::min(groups, 3U), 1U}) {
        const unsigned *in = device_numbers, size = count;
        unsigned *out = sums, *own = parts;
        void* arguments[] = {&in, const_cast<unsigned*>(&size), &out, &own};
        MUST(hipLaunchCooperativeKernel(add_up, dim3(grid), dim3(group_size), arguments, 0, nullptr));
        wrong += differences(sums.content(), expected);
        results += count;
    }
    return verdict("grid_sync", wrong, results);
}

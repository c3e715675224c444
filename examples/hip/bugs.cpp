// Three bugs that no result betrays for sure, on any GPU: isaforge gpu --check -- ./bugs NAME
//
//     bounds     writes one element behind the end of an array
//     race       counts without an atomic operation
//     barrier    reads what another wavefront of the group writes, and does not wait for it
//
// Without a name, all of them; `none` runs the kernels as they should be, in which nothing is to be found.
#include "example.hpp"

#include <cstring>

__global__ void shift(const int* from, int* to, int count, bool bug) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count - (bug ? 0 : 1)) to[i + 1] = from[i];  // bounds
}

__global__ void count_multiples(const int* numbers, int* counter, int count, int divisor, bool bug) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count || numbers[i] % divisor != 0) return;
    if (bug)
        *counter = *counter + 1;  // race
    else
        atomicAdd(counter, 1);
}

__global__ void reverse(const int* from, int* to, bool bug) {
    __shared__ int group[256];
    group[threadIdx.x] = from[blockIdx.x * 256 + threadIdx.x];
    if (!bug) __syncthreads();
    to[blockIdx.x * 256 + threadIdx.x] = group[255 - threadIdx.x];  // barrier
}

int main(int count, char** arguments) {
    const char* name = count > 1 ? arguments[1] : "all";
    const auto has = [&](const char* bug) { return std::strcmp(name, bug) == 0 || std::strcmp(name, "all") == 0; };
    std::vector<int> numbers(1000);
    for (int i = 0; i < 1000; ++i) numbers[i] = i;

    const DeviceArray<int> device_numbers(numbers), shifted(1000), multiples(1), reversed(512);
    shift<<<4, 256>>>(device_numbers, shifted, 1000, has("bounds"));
    count_multiples<<<4, 256>>>(device_numbers, multiples, 1000, 7, has("race"));
    reverse<<<2, 256>>>(device_numbers, reversed, has("barrier"));

    std::size_t wrong = multiples.content() != std::vector<int>{143};
    const std::vector<int> found_shifted = shifted.content(), found_reversed = reversed.content();
    for (int i = 1; i < 1000; ++i) wrong += found_shifted[i] != i - 1;
    for (int i = 0; i < 512; ++i) wrong += found_reversed[i] != i / 256 * 256 + 255 - i % 256;
    return verdict("bugs", wrong, 1 + 999 + 512);
}

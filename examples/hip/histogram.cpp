// How often each byte occurs: atomic additions in memory that a group shares, which are added to the result once for each group.
#include "example.hpp"

__global__ void count_bytes(const unsigned char* text, unsigned size, unsigned* histogram) {
    __shared__ unsigned counts[256];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[text[i]], 1);
    __syncthreads();
    atomicAdd(&histogram[threadIdx.x], counts[threadIdx.x]);
}

// Every kind of atomic operation, by lanes that all want the same word.
__global__ void fight(int* words, float* real, unsigned long long* wide) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    atomicMax(&words[0], i * 13 % 1000);
    atomicMin(&words[1], -i);
    atomicOr(&words[2], 1 << i % 20);
    atomicXor(&words[3], i);
    atomicInc(reinterpret_cast<unsigned*>(&words[4]), 99);
    int seen = words[5], expected;
    do {  // what has no instruction of its own is made of compare and swap
        expected = seen;
        seen = atomicCAS(&words[5], expected, expected + 2);
    } while (seen != expected);
    atomicAdd(real, 0.5F);
    atomicAdd(wide, 1ULL << 32 | 1);
}

int main() {
    constexpr unsigned size = 50000, lanes = 1024;
    std::vector<unsigned char> text(size);
    std::vector<unsigned> expected(256);
    for (unsigned i = 0; i < size; ++i) ++expected[text[i] = static_cast<unsigned char>(i * i / 97 % 200)];

    const DeviceArray<unsigned char> device_text(text);
    const DeviceArray<unsigned> histogram(256);
    count_bytes<<<10, 256>>>(device_text, size, histogram);
    std::size_t wrong = differences(histogram.content(), expected);

    std::vector<int> words(6);
    for (int i = 0; i < static_cast<int>(lanes); ++i) {
        words[0] = std::max(words[0], i * 13 % 1000);
        words[1] = -i;
        words[2] |= 1 << i % 20;
        words[3] ^= i;
        words[4] = words[4] == 99 ? 0 : words[4] + 1;
        words[5] += 2;
    }
    const DeviceArray<int> device_words(words.size());
    const DeviceArray<float> real(1);
    const DeviceArray<unsigned long long> wide(1);
    fight<<<lanes / 256, 256>>>(device_words, real, wide);
    wrong += differences(device_words.content(), words);
    wrong += differences(real.content(), {lanes * 0.5F});
    wrong += differences(wide.content(), {static_cast<unsigned long long>(lanes) << 32 | lanes});
    return verdict("histogram", wrong, 256 + 6 + 2);
}

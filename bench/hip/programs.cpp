// Work of programs for GPUs, timed by the program itself: a line for each, its name and the seconds of the fastest of several
// times, from the call to the end of the work. The arguments are names of work and how much less of it is done than usually.
#include <hip/hip_runtime.h>

#include <rocrand/rocrand.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <rocprim/rocprim.hpp>
#include <string>
#include <vector>

static void must(int status, const char* call) {
    if (status == 0) return;
    std::printf("%s: error %d\n", call, status);
    std::exit(1);
}
#define MUST(call) must(static_cast<int>(call), #call)

template <typename T>
static T* make(std::size_t count) {
    T* memory = nullptr;
    MUST(hipMalloc(reinterpret_cast<void**>(&memory), count * sizeof(T)));
    return memory;
}

template <typename Work>
static void time(const char* name, int times, Work work) {
    double best = 1e9;
    for (int i = 0; i <= times; ++i) {   // the first one is not counted
        const auto begin = std::chrono::steady_clock::now();
        work();
        MUST(hipDeviceSynchronize());
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        if (i > 0 && taken.count() < best) best = taken.count();
    }
    std::printf("%s %.9f\n", name, best);
}

__global__ void nothing() {}

__global__ void add(const float* a, const float* b, float* c, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) c[i] = a[i] + b[i];
}

constexpr int tile = 16;

__global__ void multiply(const float* a, const float* b, float* c, int edge) {
    __shared__ float left[tile][tile], right[tile][tile];
    const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * tile + x, row = blockIdx.y * tile + y;
    float sum = 0;
    for (int k = 0; k < edge; k += tile) {
        left[y][x] = a[row * edge + k + x];
        right[y][x] = b[(k + y) * edge + column];
        __syncthreads();
        for (int i = 0; i < tile; ++i) sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    c[row * edge + column] = sum;
}

static void add_arrays(int count, int times) {
    auto *a = make<float>(count), *b = make<float>(count), *c = make<float>(count);
    MUST(hipMemset(a, 0, count * sizeof(float)));
    MUST(hipMemset(b, 0, count * sizeof(float)));
    time("add", times, [&] { add<<<(count + 255) / 256, 256>>>(a, b, c, count); });
}

static void multiply_matrices(int edge, int times) {
    const int count = edge * edge;
    auto *a = make<float>(count), *b = make<float>(count), *c = make<float>(count);
    MUST(hipMemset(a, 0, count * sizeof(float)));
    MUST(hipMemset(b, 0, count * sizeof(float)));
    time("multiply", times, [&] { multiply<<<dim3(edge / tile, edge / tile), dim3(tile, tile)>>>(a, b, c, edge); });
}

static void sort_keys(unsigned count, int times) {
    std::vector<unsigned> keys(count);
    unsigned state = 1;
    for (unsigned& key : keys) key = state = state * 1664525 + 1013904223;
    auto *in = make<unsigned>(count), *out = make<unsigned>(count);
    MUST(hipMemcpy(in, keys.data(), count * sizeof(unsigned), hipMemcpyHostToDevice));
    std::size_t bytes = 0;
    MUST(rocprim::radix_sort_keys(nullptr, bytes, in, out, count));
    auto* const scratch = make<char>(bytes);
    time("sort", times, [&] { MUST(rocprim::radix_sort_keys(scratch, bytes, in, out, count)); });
    MUST(hipMemcpy(keys.data(), out, count * sizeof(unsigned), hipMemcpyDeviceToHost));
    for (unsigned i = 1; i < count; ++i) must(keys[i - 1] > keys[i], "sorted");
}

static void generate(std::size_t count, int times) {
    auto* const numbers = make<float>(count);
    rocrand_generator generator;
    MUST(rocrand_create_generator(&generator, ROCRAND_RNG_PSEUDO_PHILOX4_32_10));
    time("random", times, [&] { MUST(rocrand_generate_uniform(generator, numbers, count)); });
}

static void copy(std::size_t bytes, int times) {
    std::vector<char> host(bytes, 1), other(bytes);
    auto* const device = make<char>(bytes);
    time("copy", times, [&] { MUST(hipMemcpy(device, host.data(), bytes, hipMemcpyHostToDevice)); });
}

int main(int count, char** arguments) {
    for (int i = 1; i + 1 < count; i += 2) {
        const std::string name = arguments[i];
        const int less = std::atoi(arguments[i + 1]);
        const int times = less > 1 ? 1 : 5;
        if (name == "first") nothing<<<1, 64>>>();
        if (name == "launch") time("launch", 1000 / less, [] { nothing<<<1, 64>>>(); });
        if (name == "add") add_arrays((16 << 20) / less, times);
        if (name == "multiply") multiply_matrices(1024 / less / tile * tile, times);
        if (name == "sort") sort_keys((4 << 20) / less, times);
        if (name == "random") generate(100'000'000 / less, times);
        if (name == "copy") copy((256u << 20) / less, times);
        MUST(hipDeviceSynchronize());
    }
}

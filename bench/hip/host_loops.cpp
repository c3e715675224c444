// The work of programs.cpp as the host does it, by all its processors, and the same lines of output.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

template <typename Prepare, typename Work>
static void time(const char* name, Prepare prepare, Work work) {
    double best = 1e9;
    for (int i = 0; i < 6; ++i) {
        prepare();
        const auto begin = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        if (i > 0) best = std::min(best, taken.count());
    }
    std::printf("%s %.9f\n", name, best);
}

static const auto no_preparation = [] {};

static void add_arrays(int count) {
    std::vector<float> a(count, 1.5f), b(count, 2.0f), c(count);
    float *x = a.data(), *y = b.data(), *z = c.data();
    time("add", no_preparation, [=] {
#pragma omp parallel for
        for (int i = 0; i < count; ++i) z[i] = x[i] + y[i];
    });
}

static void multiply_matrices(int edge) {
    std::vector<float> a(std::size_t{1} * edge * edge, 1.5f), b = a, c = a;
    const float *x = a.data(), *y = b.data();
    float* z = c.data();
    time("multiply", no_preparation, [=] {
#pragma omp parallel for
        for (int row = 0; row < edge; ++row) {
            std::fill_n(z + row * edge, edge, 0.0f);
            for (int k = 0; k < edge; ++k)
                for (int column = 0; column < edge; ++column)
                    z[row * edge + column] += x[row * edge + k] * y[k * edge + column];
        }
    });
}

static void sort_keys(unsigned count) {
    std::vector<std::uint32_t> keys(count), sorted;
    std::uint32_t state = 1;
    for (std::uint32_t& key : keys) key = state = state * 1664525 + 1013904223;
    time(
        "sort", [&] { sorted = keys; }, [&] { std::sort(sorted.begin(), sorted.end()); });
}

// Four numbers, as Salmon and others describe Philox 4x32 with ten rounds.
static inline void philox(std::uint32_t (&x)[4], std::uint32_t key, std::uint32_t other) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xd2511f53} * x[0], b = std::uint64_t{0xcd9e8d57} * x[2];
        const std::uint32_t first = static_cast<std::uint32_t>(b >> 32) ^ x[1] ^ key;
        x[2] = static_cast<std::uint32_t>(a >> 32) ^ x[3] ^ other;
        x[0] = first;
        x[1] = static_cast<std::uint32_t>(b);
        x[3] = static_cast<std::uint32_t>(a);
        key += 0x9e3779b9;
        other += 0xbb67ae85;
    }
}

static void generate(std::size_t count) {
    std::vector<float> numbers(count);
    float* const out = numbers.data();
    time("random", no_preparation, [=] {
#pragma omp parallel for
        for (std::size_t i = 0; i < count / 4; ++i) {
            std::uint32_t x[4] = {static_cast<std::uint32_t>(i), 0, 0, 0};
            philox(x, 1, 2);
            for (int k = 0; k < 4; ++k) out[4 * i + k] = static_cast<float>(x[k]) * 0x1p-32f;
        }
    });
}

static void copy(std::size_t bytes) {
    std::vector<char> from(bytes, 1), to(bytes);
    time("copy", no_preparation, [&] { std::memcpy(to.data(), from.data(), bytes); });
}

int main(int, char** arguments) {
    const int less = std::max(1, std::atoi(arguments[1]));
    add_arrays((16 << 20) / less);
    multiply_matrices(1024 / less / 16 * 16);
    sort_keys((4u << 20) / less);
    generate(100'000'000 / less);
    copy((256u << 20) / less);
}

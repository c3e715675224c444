// What the examples here share: memory of the GPU that frees itself, errors that end the program, and the one line in which
// each says whether its results are those of the host.
//
// To build and run one on a machine without a GPU:
//
//     hipcc --offload-arch=gfx900 vector_add.cpp -o vector_add
//     isaforge gpu -- ./vector_add
#pragma once
#include <hip/hip_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

/// Ends the program where a call fails, and says which one it was.
#define MUST(call) must(call, #call)

inline void must(hipError_t error, const char* call) {
    if (error == hipSuccess) return;
    std::fprintf(stderr, "%s: %s\n", call, hipGetErrorString(error));
    std::exit(1);
}

/// Elements in the memory of the GPU. Where a pointer is wanted, it is one.
template <typename T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t count) : count_(count) {
        MUST(hipMalloc(&data_, count * sizeof(T)));
        MUST(hipMemset(data_, 0, count * sizeof(T)));
    }
    explicit DeviceArray(const std::vector<T>& content) : count_(content.size()) {
        MUST(hipMalloc(&data_, count_ * sizeof(T)));
        MUST(hipMemcpy(data_, content.data(), count_ * sizeof(T), hipMemcpyHostToDevice));
    }
    ~DeviceArray() { static_cast<void>(hipFree(data_)); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    operator T*() const { return data_; }

    /// What is in it when all that was launched has ended.
    std::vector<T> content() const {
        std::vector<T> copy(count_);
        MUST(hipGetLastError());  // of a launch
        MUST(hipMemcpy(copy.data(), data_, count_ * sizeof(T), hipMemcpyDeviceToHost));
        return copy;
    }

private:
    T* data_ = nullptr;
    std::size_t count_;
};

/// Says how many of so many results are not the host's; the exit status of the program.
inline int verdict(const char* what, std::size_t wrong, std::size_t count) {
    if (wrong == 0)
        std::printf("%s: %zu results, all as on the host\n", what, count);
    else
        std::printf("%s: WRONG: %zu of %zu results differ from the host's\n", what, wrong, count);
    return wrong == 0 ? 0 : 1;
}

/// How many elements differ.
template <typename T>
std::size_t differences(const std::vector<T>& found, const std::vector<T>& expected) {
    std::size_t wrong = found.size() == expected.size() ? 0 : 1;
    for (std::size_t i = 0; i < found.size() && i < expected.size(); ++i) wrong += found[i] != expected[i];
    return wrong;
}

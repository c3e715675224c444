// Streams and events: two chains of copies and kernels that go on at the same time, a third that waits for both, a callback on
// the host, and the time that it all took.
#include "example.hpp"

#include <atomic>

__global__ void scale(float* data, unsigned count, float factor) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) data[i] *= factor;
}

__global__ void combine(const float* a, const float* b, float* result, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) result[i] = a[i] - b[i];
}

int main() {
    constexpr unsigned count = 20000, groups = (count + 127) / 128, rounds = 5;
    float *a, *b, *result;  // on the host, where the GPU may read and write while the program goes on
    MUST(hipHostMalloc(&a, count * sizeof(float)));
    MUST(hipHostMalloc(&b, count * sizeof(float)));
    MUST(hipHostMalloc(&result, count * sizeof(float)));
    std::vector<float> expected(count);
    for (unsigned i = 0; i < count; ++i) {
        a[i] = i;
        b[i] = i % 100;
        expected[i] = a[i] * 32 - b[i] * 243;  // 2 and 3 to the power of the rounds
    }

    hipStream_t first, second, third;
    MUST(hipStreamCreate(&first));
    MUST(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    MUST(hipStreamCreate(&third));
    hipEvent_t start, first_done, second_done, end;
    for (hipEvent_t* event : {&start, &first_done, &second_done, &end}) MUST(hipEventCreate(event));

    const DeviceArray<float> device_a(count), device_b(count), difference(count);
    MUST(hipDeviceSynchronize());  // the arrays are zero: `second` does not wait for what the default stream does
    MUST(hipEventRecord(start, first));
    MUST(hipMemcpyAsync(device_a, a, count * sizeof(float), hipMemcpyHostToDevice, first));
    MUST(hipMemcpyAsync(device_b, b, count * sizeof(float), hipMemcpyHostToDevice, second));
    for (unsigned round = 0; round < rounds; ++round) {
        scale<<<groups, 128, 0, first>>>(device_a, count, 2);
        scale<<<groups, 128, 0, second>>>(device_b, count, 3);
    }
    MUST(hipEventRecord(first_done, first));
    MUST(hipEventRecord(second_done, second));

    MUST(hipStreamWaitEvent(third, first_done, 0));
    MUST(hipStreamWaitEvent(third, second_done, 0));
    combine<<<groups, 128, 0, third>>>(device_a, device_b, difference, count);
    MUST(hipMemcpyAsync(result, difference, count * sizeof(float), hipMemcpyDeviceToHost, third));
    std::atomic<int> called(0);
    MUST(hipStreamAddCallback(
        third, [](hipStream_t, hipError_t, void* counter) { ++*static_cast<std::atomic<int>*>(counter); }, &called, 0));
    MUST(hipEventRecord(end, third));
    MUST(hipEventSynchronize(end));
    MUST(hipStreamSynchronize(third));

    std::size_t wrong = differences(std::vector<float>(result, result + count), expected);
    wrong += called != 1;
    float milliseconds = -1;
    MUST(hipEventElapsedTime(&milliseconds, start, end));
    wrong += !(milliseconds > 0);
    wrong += hipStreamQuery(first) != hipSuccess || hipEventQuery(second_done) != hipSuccess;

    for (hipEvent_t event : {start, first_done, second_done, end}) MUST(hipEventDestroy(event));
    for (hipStream_t stream : {first, second, third}) MUST(hipStreamDestroy(stream));
    for (float* memory : {a, b, result}) MUST(hipHostFree(memory));
    return verdict("streams", wrong, count + 3);
}

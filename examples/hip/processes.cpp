// Two processes and one array: the second one changes what the first one has in the memory of the GPU, without a copy. Who waits
// for whom is told by an event that both know.
#include <sys/wait.h>
#include <unistd.h>

#include "example.hpp"

namespace {

constexpr unsigned count = 5000;

struct Shared {
    hipIpcMemHandle_t memory;
    hipIpcEventHandle_t event;
};

__global__ void change(int* numbers, int factor, int summand) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) numbers[i] = numbers[i] * factor + summand;
}

int read_and_change(int from) {
    Shared shared;
    if (read(from, &shared, sizeof shared) != sizeof shared) return 1;
    hipEvent_t filled;
    MUST(hipIpcOpenEventHandle(&filled, shared.event));
    MUST(hipEventSynchronize(filled));
    void* numbers;
    MUST(hipIpcOpenMemHandle(&numbers, shared.memory, hipIpcMemLazyEnablePeerAccess));
    change<<<(count + 255) / 256, 256>>>(static_cast<int*>(numbers), 10, 7);
    MUST(hipDeviceSynchronize());
    MUST(hipIpcCloseMemHandle(numbers));
    MUST(hipEventDestroy(filled));
    return 0;
}

}  // namespace

// A process is split before it has used the GPU, as each of the two has to have its own way to it.
int main() {
    int ends[2];
    if (pipe(ends) != 0) return 1;
    const pid_t other = fork();
    if (other == 0) {
        close(ends[1]);  // so that there is an end, should nothing come
        return read_and_change(ends[0]);
    }

    std::vector<int> numbers(count), expected(count);
    for (unsigned i = 0; i < count; ++i) {
        numbers[i] = static_cast<int>(i) - 100;
        expected[i] = (numbers[i] * 3 + 1) * 10 + 7;
    }
    const DeviceArray<int> device_numbers(numbers);
    hipEvent_t filled;
    MUST(hipEventCreateWithFlags(&filled, hipEventDisableTiming | hipEventInterprocess));
    change<<<(count + 255) / 256, 256>>>(device_numbers, 3, 1);
    MUST(hipEventRecord(filled));
    Shared shared;
    MUST(hipIpcGetMemHandle(&shared.memory, device_numbers));
    MUST(hipIpcGetEventHandle(&shared.event, filled));
    if (write(ends[1], &shared, sizeof shared) != sizeof shared) return 1;
    int status = 0;
    if (waitpid(other, &status, 0) != other || status != 0) return 1;
    const std::size_t wrong = differences(device_numbers.content(), expected);
    MUST(hipEventDestroy(filled));
    return verdict("processes", wrong, count);
}

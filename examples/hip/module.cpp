// A kernel that was not compiled with the program but assembled by `isaforge asm`, loaded while the program runs; module.s says
// how it is made. The file is the argument.
#include "example.hpp"

#include <cmath>

int main(int count_of_arguments, char** arguments) {
    if (count_of_arguments != 2) {
        std::fprintf(stderr, "usage: %s FILE.co\n", arguments[0]);
        return 2;
    }
    hipModule_t module;
    hipFunction_t saxpy;
    MUST(hipModuleLoad(&module, arguments[1]));
    MUST(hipModuleGetFunction(&saxpy, module, "saxpy"));

    constexpr unsigned count = 1000;
    std::vector<float> x(count), y(count), expected(count);
    for (unsigned i = 0; i < count; ++i) {
        x[i] = i;
        y[i] = 1000.0F - i;
        expected[i] = 3 * x[i] + y[i];
    }
    const DeviceArray<float> device_x(x), device_y(y);

    float *device_x_pointer = device_x, *device_y_pointer = device_y;
    float factor = 3;
    unsigned size = count;
    void* by_address[] = {&device_x_pointer, &device_y_pointer, &factor, &size};
    MUST(hipModuleLaunchKernel(saxpy, (count + 63) / 64, 1, 1, 64, 1, 1, 0, nullptr, by_address, nullptr));
    std::size_t wrong = differences(device_y.content(), expected);

    // The same with the arguments as they lie in memory.
    struct {
        float *x, *y;
        float a;
        unsigned count;
    } packed = {device_x, device_y, -3, count};
    std::size_t packed_size = sizeof packed;
    void* in_memory[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &packed_size,
                         HIP_LAUNCH_PARAM_END};
    MUST(hipModuleLaunchKernel(saxpy, (count + 63) / 64, 1, 1, 64, 1, 1, 0, nullptr, nullptr, in_memory));
    wrong += differences(device_y.content(), y);  // what was added is gone again

    wrong += hipModuleGetFunction(&saxpy, module, "no_such_kernel") != hipErrorNotFound;
    MUST(hipModuleUnload(module));
    return verdict("module", wrong, 2 * count + 1);
}

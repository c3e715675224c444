// A kernel whose source the program writes while it runs, and has compiled for the GPU that it finds: a polynomial whose
// coefficients are constants to the compiler.
#include "example.hpp"

#include <hip/hiprtc.h>
#include <string>

static void must(hiprtcResult result, const char* call) {
    if (result == HIPRTC_SUCCESS) return;
    std::fprintf(stderr, "%s: %s\n", call, hiprtcGetErrorString(result));
    std::exit(1);
}

/// c[0] + x * (c[1] + x * (...)), in C++.
static std::string polynomial(const std::vector<int>& coefficients) {
    std::string text = "0";
    for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c)
        text = std::to_string(*c) + " + x * (" + text + ")";
    return text;
}

static std::vector<char> compiled(const std::string& source) {
    hipDeviceProp_t properties;
    MUST(hipGetDeviceProperties(&properties, 0));
    const std::string target = std::string("--gpu-architecture=") + properties.gcnArchName;
    const char* options[] = {target.c_str(), "-O3"};

    hiprtcProgram program;
    MUST(hiprtcCreateProgram(&program, source.c_str(), "polynomial.cpp", 0, nullptr, nullptr));
    if (hiprtcCompileProgram(program, 2, options) != HIPRTC_SUCCESS) {
        std::size_t size = 0;
        MUST(hiprtcGetProgramLogSize(program, &size));
        std::string log(size, ' ');
        MUST(hiprtcGetProgramLog(program, &log[0]));
        std::fprintf(stderr, "%s", log.c_str());
        std::exit(1);
    }
    std::size_t size = 0;
    MUST(hiprtcGetCodeSize(program, &size));
    std::vector<char> code(size);
    MUST(hiprtcGetCode(program, code.data()));
    MUST(hiprtcDestroyProgram(&program));
    return code;
}

int main() {
    const std::vector<int> coefficients = {3, -1, 4, 1, -5, 9};
    const std::string source =
        "extern \"C\" __global__ void evaluate(int *values) {\n"
        "    const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    values[x] = " +
        polynomial(coefficients) +
        ";\n"
        "}\n";
    const std::vector<char> code = compiled(source);
    hipModule_t module;
    hipFunction_t evaluate;
    MUST(hipModuleLoadData(&module, code.data()));
    MUST(hipModuleGetFunction(&evaluate, module, "evaluate"));

    constexpr unsigned count = 512;
    std::vector<int> expected(count);
    for (unsigned x = 0; x < count; ++x) {
        unsigned value = 0;  // the sum may be too large for an int
        for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c)
            value = value * x + static_cast<unsigned>(*c);
        expected[x] = static_cast<int>(value);
    }
    const DeviceArray<int> values(count);
    int* pointer = values;
    void* arguments[] = {&pointer};
    MUST(hipModuleLaunchKernel(evaluate, count / 64, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
    const std::size_t wrong = differences(values.content(), expected);
    MUST(hipModuleUnload(module));
    return verdict("compile_at_run_time", wrong, count);
}

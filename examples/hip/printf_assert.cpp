// Kernels that print, and a kernel that finds out that something is wrong. What a kernel prints goes to the standard output of
// its program, which looks at it here; after an assertion that fails a program ends, so another process does that.
#include "example.hpp"

#undef NDEBUG
#include <sys/wait.h>
#include <unistd.h>
#include <cassert>
#include <cstring>
#include <set>
#include <string>

__global__ void greet(int every) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i % every == 0)
        printf("work-item %d of %s has %.2f, %c and %llx\n", i, "the grid", i / 4.0, 'a' + i % 26, 0x100000000ULL * i);
}

__global__ void insist(const int* numbers) { assert(numbers[threadIdx.x] < 100); }

/// All that a program prints, on both of its outputs; and how it ended.
static std::string output_of(const std::string& command, int& status) {
    std::string output;
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return "no process";
    char line[1000];
    while (std::fgets(line, sizeof line, pipe) != nullptr) output += line;
    status = pclose(pipe);
    return output;
}

static std::size_t wrong_lines(std::string output, int count, int every) {
    std::multiset<std::string> found, expected;  // in which order is up to the GPU
    for (std::size_t end; (end = output.find('\n')) != std::string::npos; output.erase(0, end + 1))
        found.insert(output.substr(0, end));
    for (int i = 0; i < count; i += every) {
        char line[200];
        std::snprintf(line, sizeof line, "work-item %d of the grid has %.2f, %c and %llx", i, i / 4.0, 'a' + i % 26,
                      0x100000000ULL * i);
        expected.insert(line);
    }
    return found == expected ? 0 : 1;
}

int main(int count, char** arguments) {
    const std::string what = count > 1 ? arguments[1] : "";
    if (what == "greet") {
        greet<<<3, 100>>>(3);
        MUST(hipDeviceSynchronize());
        return 0;
    }
    if (what == "insist" || what == "fail") {
        std::vector<int> numbers(64, 99);
        numbers[5] += what == "fail";
        const DeviceArray<int> device_numbers(numbers);
        insist<<<1, 64>>>(device_numbers);
        MUST(hipDeviceSynchronize());
        std::printf("all is well\n");
        return 0;
    }

    const std::string self = "'" + std::string(arguments[0]) + "' ";
    int status = -1;
    std::size_t wrong = wrong_lines(output_of(self + "greet", status), 300, 3) + (status != 0);
    wrong += output_of(self + "insist", status) != "all is well\n" || status != 0;
    const std::string failure = output_of(self + "fail", status);
    wrong += failure.find("assertion `numbers[threadIdx.x] < 100' failed") == std::string::npos || status == 0;
    if (wrong != 0) std::printf("the assertion that fails, with status %d, prints:\n%s", status, failure.c_str());
    return verdict("printf_assert", wrong, 4);
}

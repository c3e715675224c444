// The arguments of a kernel as a command line gives them: `i32:7`, `in:FILE`, a bare number. They become a block of bytes, and
// buffers in the memory of the device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isaforge/device.hpp"

namespace isaforge::cli {

// Memory of an argument.
struct KernelBuffer {
    std::size_t argument = 0;       // which one, from 0 on
    std::string name;               // "data", or "argument 1"
    std::string input, output;      // files; empty: zeros, and not written
    bool is_unwritten = false;      // it has no contents before the kernel runs
    std::uint64_t bytes = 0;
    std::vector<std::uint8_t> contents;
    std::uint64_t place = 0;        // of its address in the block
    std::uint8_t* memory = nullptr; // once it is allocated
};

struct KernelArguments {
    std::vector<std::uint8_t> block;
    std::vector<KernelBuffer> buffers;
    std::uint32_t group_bytes = 0;  // of the local data share, above what the kernel has itself
};

// The kinds of arguments, for the help.
extern const char* const kernel_argument_kinds;

// What `texts` give for a kernel; nothing after a complaint, which names the argument.
std::optional<KernelArguments> read_kernel_arguments(const KernelInfo& kernel, const std::vector<std::string>& texts);

// The files that are read, or written, as far as the texts tell without the kernel.
std::vector<std::string> argument_inputs(const std::vector<std::string>& texts);
std::vector<std::string> argument_outputs(const std::vector<std::string>& texts);

// "scale(float* data, float factor)"
std::string signature(const KernelInfo& kernel);
// What a kernel takes, a line for each argument, and what it needs.
std::string description(const KernelInfo& kernel);

}  // namespace isaforge::cli

// Kernels of OpenCL C, compiled when the tests run, on devices of the library; and what tests want to say about them shortly.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "isaforge/device.hpp"

namespace isaforge::test {

inline std::vector<std::uint8_t> bytes_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// A folder of this run's own, which goes with it.
class Folder {
public:
    Folder() {
        std::string name = std::filesystem::temp_directory_path() / "isaforge-kernels-XXXXXX";
        path_ = ::mkdtemp(name.data()) != nullptr ? name : ".";
    }
    ~Folder() {
        if (path_ != ".") std::filesystem::remove_all(path_);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

// A code object from a source; the same one again where it is asked for again. `options` of the compiler.
inline const std::vector<std::uint8_t>& compiled(const std::string& source, const std::string& processor,
                                                 const std::string& options, const std::string& compiler = "clang-14") {
    static const Folder folder;
    static std::map<std::string, std::vector<std::uint8_t>> made;
    std::vector<std::uint8_t>& object = made[source + "\n" + processor + "\n" + options];
    if (!object.empty()) return object;
    const std::string in = folder / "kernels.cl", out = folder / "kernels.co";
    std::ofstream(in) << source;
    const std::string command = fmt::format("{} -x cl -target amdgcn-amd-amdhsa -mcpu={} -nogpulib -I{} {} {} -o {}",
                                            compiler, processor, ISAFORGE_SOURCE_DIR "/examples/gcn", options, in, out);
    std::filesystem::remove(out);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    object = bytes_of_file(out);
    return object;
}

// Memory of a device as a list of values.
template <typename T>
class Buffer {
public:
    Buffer(ComputeDevice& device, const std::vector<T>& values) : Buffer(device, values.size()) {
        std::copy(values.begin(), values.end(), data_);
    }
    Buffer(ComputeDevice& device, std::size_t count)
        : device_(device), data_(reinterpret_cast<T*>(device.allocate(count * sizeof(T), "a buffer"))), count_(count) {}
    ~Buffer() { device_.release(reinterpret_cast<std::uint8_t*>(data_)); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    T& operator[](std::size_t i) { return data_[i]; }
    std::vector<T> values() const { return {data_, data_ + count_}; }
    T* data() const { return data_; }

private:
    ComputeDevice& device_;
    T* data_;
    std::size_t count_;
};

// A device with one code object in it.
class Bench {
public:
    Bench(const DeviceOptions& options, const std::vector<std::uint8_t>& object) {
        std::string error;
        device = ComputeDevice::make(options, error);
        EXPECT_TRUE(device) << error;
        if (device) code = device->load(object, {.name = "kernels.co", .symbols = {}}, error);
        EXPECT_TRUE(code) << error;
    }

    template <typename... Values>
    LaunchResult try_run(const std::string& name, Extent grid, Extent group, const Values&... values) {
        LaunchResult result;
        const KernelInfo* const kernel = code->find_kernel(name);
        if (kernel == nullptr) {
            result.message = "there is no kernel " + name;
            return result;
        }
        std::vector<std::uint8_t> block(kernel->kernarg_bytes);
        auto argument = kernel->arguments.begin();
        (put(block, *argument++, values), ...);
        const bool complete = argument == kernel->arguments.end() || argument->is_hidden();
        EXPECT_TRUE(complete) << name << " has more arguments";
        LaunchRequest request;
        request.kernel = kernel;
        request.grid = grid;
        request.group = group;
        request.arguments = block;
        request.group_bytes = group_bytes;
        request.most_instructions = 200'000'000;
        std::string error;
        const auto launch = device->launch(request, error);
        if (launch == nullptr) {
            result.message = error;
            return result;
        }
        return launch->wait();
    }
    template <typename... Values>
    void run(const std::string& name, Extent grid, Extent group, const Values&... values) {
        const LaunchResult result = try_run(name, grid, group, values...);
        EXPECT_TRUE(result.ok) << result.message;
    }

    std::unique_ptr<ComputeDevice> device;
    std::shared_ptr<const CodeObject> code;
    std::uint32_t group_bytes = 0;

private:
    template <typename T>
    static void put(std::vector<std::uint8_t>& block, const KernelArgument& argument, const T& value) {
        ASSERT_EQ(argument.size, sizeof value) << argument.name;
        ASSERT_LE(argument.offset + sizeof value, block.size());
        std::memcpy(block.data() + argument.offset, &value, sizeof value);
    }
    template <typename T>
    static void put(std::vector<std::uint8_t>& block, const KernelArgument& argument, const Buffer<T>& buffer) {
        put(block, argument, reinterpret_cast<std::uint64_t>(buffer.data()));
    }
};

}  // namespace isaforge::test

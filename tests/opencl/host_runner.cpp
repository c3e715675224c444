// Runs kernels on the OpenCL of this machine: the side of the comparison that is not us. It is told what to do line by line
// on standard input, so that one process, and one start of OpenCL, serves many sources. What does not work ends it.
//
//   build FILE OPTIONS…         compiles a source; buffers and kernels of the one before are forgotten
//   buffer NAME FILE            memory with the content of a file
//   kernel NAME                 what `arg` and `run` are about from here on
//   arg buffer NAME             the next argument: memory,
//   arg bytes HEX               a value as it is in memory,
//   arg local BYTES             or room in local memory
//   run GX GY GZ LX LY LZ       all work-items, and the size of a group
//   save NAME FILE              writes memory into a file
//   print FILE                  from here on what kernels print goes into this file
//   done NAME                   says so on standard output
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void must(cl_int error, const std::string& what) {
    if (error != CL_SUCCESS) throw std::runtime_error(what + " ends with OpenCL's error " + std::to_string(error));
}

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path);
    return {std::istreambuf_iterator<char>(file), {}};
}

class Host {
public:
    Host() {
        cl_platform_id platform = nullptr;
        must(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
        must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device_, nullptr), "clGetDeviceIDs");
        cl_int error = 0;
        context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &error);
        must(error, "clCreateContext");
        queue_ = clCreateCommandQueue(context_, device_, 0, &error);
        must(error, "clCreateCommandQueue");
    }

    void obey(const std::string& line) {
        std::istringstream words(line);
        std::string verb;
        words >> verb;
        const std::map<std::string, void (Host::*)(std::istringstream&)> verbs = {
            {"build", &Host::build},      {"buffer", &Host::add_buffer}, {"kernel", &Host::choose_kernel},
            {"arg", &Host::add_argument}, {"run", &Host::run},           {"save", &Host::save},
            {"print", &Host::print_into}, {"done", &Host::say_done}};
        const auto found = verbs.find(verb);
        if (found == verbs.end()) throw std::runtime_error("unknown");
        (this->*found->second)(words);
    }

private:
    void build(std::istringstream& words) {
        std::string path, options;
        words >> path;
        std::getline(words, options);
        for (auto& [_, memory] : buffers_) clReleaseMemObject(memory);
        for (auto& [_, made] : kernels_) clReleaseKernel(made);
        if (program_) clReleaseProgram(program_);
        buffers_.clear();
        kernels_.clear();
        const std::string source = content(path);
        const char* text = source.data();
        const size_t size = source.size();
        cl_int error = 0;
        program_ = clCreateProgramWithSource(context_, 1, &text, &size, &error);
        must(error, "clCreateProgramWithSource");
        error = clBuildProgram(program_, 1, &device_, options.c_str(), nullptr, nullptr);
        if (error != CL_SUCCESS) throw std::runtime_error(path + " does not compile:\n" + build_log());
    }

    std::string build_log() const {
        size_t size = 0;
        clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
        std::string log(size, '\0');
        clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
        return log;
    }

    void add_buffer(std::istringstream& words) {
        std::string name, path;
        words >> name >> path;
        std::string bytes = content(path);
        cl_int error = 0;
        buffers_[name] =
            clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes.size(), bytes.data(), &error);
        must(error, "clCreateBuffer of " + name);
    }

    void choose_kernel(std::istringstream& words) {
        std::string name;
        words >> name;
        next_argument_ = 0;
        cl_kernel& known = kernels_[name];
        if (!known) {
            cl_int error = 0;
            known = clCreateKernel(program_, name.c_str(), &error);
            must(error, "clCreateKernel of " + name);
        }
        kernel_ = known;
    }

    void add_argument(std::istringstream& words) {
        std::string kind, value;
        words >> kind >> value;
        const std::string what = "argument " + std::to_string(next_argument_);
        if (kind == "buffer") {
            must(clSetKernelArg(kernel_, next_argument_++, sizeof(cl_mem), &buffers_.at(value)), what);
        } else if (kind == "local") {
            must(clSetKernelArg(kernel_, next_argument_++, std::stoul(value), nullptr), what);
        } else {
            std::vector<unsigned char> bytes;
            for (size_t i = 0; i + 1 < value.size(); i += 2)
                bytes.push_back(static_cast<unsigned char>(std::stoul(value.substr(i, 2), nullptr, 16)));
            must(clSetKernelArg(kernel_, next_argument_++, bytes.size(), bytes.data()), what);
        }
    }

    void run(std::istringstream& words) {
        size_t grid[3] = {}, group[3] = {};
        words >> grid[0] >> grid[1] >> grid[2] >> group[0] >> group[1] >> group[2];
        must(clEnqueueNDRangeKernel(queue_, kernel_, 3, nullptr, grid, group, 0, nullptr, nullptr),
             "clEnqueueNDRangeKernel");
        must(clFinish(queue_), "clFinish");
        next_argument_ = 0;
    }

    void save(std::istringstream& words) {
        std::string name, path;
        words >> name >> path;
        cl_mem memory = buffers_.at(name);
        size_t size = 0;
        must(clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, nullptr), "clGetMemObjectInfo");
        std::string bytes(size, '\0');
        must(clEnqueueReadBuffer(queue_, memory, CL_TRUE, 0, size, bytes.data(), 0, nullptr, nullptr),
             "clEnqueueReadBuffer");
        std::ofstream(path, std::ios::binary) << bytes;
    }

    // Kernels print where the process does: its standard output becomes another file.
    void print_into(std::istringstream& words) {
        std::string path;
        words >> path;
        std::fflush(stdout);
        const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (file < 0 || dup2(file, 1) < 0) throw std::runtime_error("cannot write " + path);
        close(file);
    }

    void say_done(std::istringstream& words) {
        std::string name;
        words >> name;
        std::fflush(stdout);
        dprintf(answers_, "%s\n", name.c_str());
    }

    int answers_ = dup(1);  // the standard output that was there at the beginning
    cl_device_id device_ = nullptr;
    cl_context context_ = nullptr;
    cl_command_queue queue_ = nullptr;
    cl_program program_ = nullptr;
    cl_kernel kernel_ = nullptr;
    cl_uint next_argument_ = 0;
    std::map<std::string, cl_mem> buffers_;
    std::map<std::string, cl_kernel> kernels_;
};

}  // namespace

int main() {
    std::string line;
    try {
        Host host;
        while (std::getline(std::cin, line)) host.obey(line);
    } catch (const std::exception& error) {
        std::cerr << line << ": " << error.what() << '\n';
        return 1;
    }
}

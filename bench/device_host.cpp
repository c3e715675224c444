// Runs a script of kernels on the emulated device: bench_device CODE-OBJECT SCRIPT REPEAT ENGINE, which may be `checked`:
// all checks are on then. The script is that of opencl_host.c. Prints the seconds of the first run of all kernels, in which code of the host is made beside it, those of the
// fastest later one, and the instructions of a run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "isaforge/device.hpp"

namespace {

using namespace isaforge;

[[noreturn]] void give_up(const std::string& why) {
    fmt::print(stderr, "bench_device: {}\n", why);
    std::exit(1);
}

std::vector<std::uint8_t> contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) give_up(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

struct Buffer {
    std::string name;
    std::uint64_t bytes = 0;
    std::uint8_t* memory = nullptr;
    std::vector<std::uint8_t> content;
};

struct Work {
    LaunchRequest request;
    std::vector<std::uint8_t> arguments;
};

class Script {
public:
    Script(const std::string& object, const std::string& script, Engine engine, const Checks& checks) {
        std::string error;
        device_ = ComputeDevice::make({.processor = "gfx900", .threads = 0, .engine = engine, .checks = checks}, error);
        if (device_ == nullptr) give_up(error);
        code_ = device_->load(contents(object), {.name = object, .symbols = {}}, error);
        if (code_ == nullptr) give_up(error);
        std::ifstream lines(script);
        if (!lines) give_up(script);
        for (std::string line; std::getline(lines, line);) {
            std::istringstream text(line);
            const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
            if (words.empty()) continue;
            if (words[0] == "buffer") add_buffer(words);
            if (words[0] == "run") add_work(words);
            if (words[0] == "save") saved_.push_back(words);
        }
    }

    double run() {
        for (const Buffer& buffer : buffers_) {
            std::fill_n(buffer.memory, buffer.bytes, std::uint8_t{0});
            std::copy_n(buffer.content.begin(), std::min<std::size_t>(buffer.content.size(), buffer.bytes),
                        buffer.memory);
        }
        instructions_ = 0;
        const auto begin = std::chrono::steady_clock::now();
        for (const Work& work : works_) {
            std::string error;
            const std::shared_ptr<Launch> launch = device_->launch(work.request, error);
            if (launch == nullptr) give_up(error);
            const LaunchResult& result = launch->wait();
            if (!result.ok) give_up(result.message);
            instructions_ += result.instructions;
        }
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }

    void save() {
        for (const auto& words : saved_) {
            const Buffer& buffer = find(words.at(1));
            std::ofstream file(words.at(2), std::ios::binary);
            file.write(reinterpret_cast<const char*>(buffer.memory), static_cast<std::streamsize>(buffer.bytes));
            if (!file) give_up(words[2]);
        }
    }

    std::uint64_t instructions() const { return instructions_; }
    EngineFigures figures() const { return device_->engine_figures(); }

private:
    const Buffer& find(const std::string& name) const {
        const auto found = std::ranges::find(buffers_, name, &Buffer::name);
        if (found == buffers_.end()) give_up(name);
        return *found;
    }

    void add_buffer(const std::vector<std::string>& words) {
        Buffer buffer{.name = words.at(1), .bytes = std::stoull(words.at(2))};
        buffer.memory = device_->allocate(buffer.bytes, buffer.name);
        if (buffer.memory == nullptr) give_up("there is no room for " + buffer.name);
        if (words.size() > 3) buffer.content = contents(words[3]);
        buffers_.push_back(std::move(buffer));
    }

    void add_work(const std::vector<std::string>& words) {
        Work work;
        const KernelInfo* const kernel = code_->find_kernel(words.at(1));
        if (kernel == nullptr) give_up(words[1]);
        work.request.kernel = kernel;
        work.request.grid = {static_cast<std::uint32_t>(std::stoul(words.at(2))), 1, 1};
        work.request.group = {static_cast<std::uint32_t>(std::stoul(words.at(3))), 1, 1};
        work.arguments.resize(kernel->kernarg_bytes);
        std::size_t word = 4;
        for (const KernelArgument& argument : kernel->arguments)
            if (!argument.is_hidden() && word < words.size()) put(argument, words[word++], work.arguments);
        works_.push_back(std::move(work));
        for (Work& each : works_) each.request.arguments = each.arguments;
    }

    void put(const KernelArgument& argument, const std::string& word, std::vector<std::uint8_t>& block) const {
        const auto copy = [&](auto value) {
            if (sizeof value != argument.size) give_up("the size of " + word);
            std::memcpy(block.data() + argument.offset, &value, sizeof value);
        };
        if (word.starts_with("u32:"))
            copy(static_cast<std::uint32_t>(std::stoul(word.substr(4))));
        else if (word.starts_with("f32:"))
            copy(std::stof(word.substr(4)));
        else
            copy(reinterpret_cast<std::uint64_t>(find(word).memory));
    }

    std::unique_ptr<ComputeDevice> device_;
    std::shared_ptr<const CodeObject> code_;
    std::vector<Buffer> buffers_;
    std::vector<Work> works_;
    std::vector<std::vector<std::string>> saved_;
    std::uint64_t instructions_ = 0;
};

}  // namespace

int main(int count, char** words) {
    if (count != 5) give_up("CODE-OBJECT SCRIPT REPEAT ENGINE");
    const std::string engine = words[4];
    Script script(words[1], words[2],
                  engine == "interpreter" ? Engine::interpreter
                  : engine == "jit"       ? Engine::compiler
                                          : Engine::automatic,
                  engine == "checked" ? all_checks : Checks{});
    const double first = script.run();
    double best = first;
    for (int left = std::stoi(words[3]); left > 1; --left) best = std::min(best, script.run());
    script.save();
    fmt::print("{:.6f} {:.6f} {}\n", first, best, script.instructions());
    const EngineFigures figures = script.figures();
    fmt::print(stderr, "compiled: {} instructions in {} regions, {:.3f} s; {}\n", figures.instructions, figures.regions,
               figures.seconds, figures.problem);
    return 0;
}

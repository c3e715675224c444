// Host calls, and the streams of this process.
#include "machine/host.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "machine/state.hpp"

namespace isaforge {

namespace {

constexpr std::uint64_t max_part = 65536;   // bytes of a read or write that are done at a time

class StandardStreams : public Streams {
public:
    std::size_t read(std::span<std::uint8_t> bytes) override {
        flush();
        const ::ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
        return got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    bool ready() override {
        flush();
        ::pollfd input{STDIN_FILENO, POLLIN, 0};
        return ::poll(&input, 1, 0) > 0;
    }
    void write(unsigned file, std::span<const std::uint8_t> bytes) override {
        if (file == 2) flush();
        std::FILE* to = file == 2 ? stderr : stdout;
        if (!bytes.empty()) std::fwrite(bytes.data(), 1, bytes.size(), to);  // what is empty may be nowhere
        if (file == 2 || terminal_) std::fflush(to);
    }
    void flush() override { std::fflush(stdout); }

private:
    bool terminal_ = ::isatty(STDOUT_FILENO) != 0;
};

}  // namespace

std::shared_ptr<Streams> standard_streams() { return std::make_shared<StandardStreams>(); }

namespace machine {

namespace {

constexpr std::uint64_t refused = call_refused;

// Whether the program itself could write all of that.
bool may_be_written(const MemoryMap& map, std::uint64_t address, std::uint64_t length) {
    const std::uint64_t last = address + (length - 1);
    if (last < address) return false;
    while (true) {
        const Region* region = map.find(address);
        if (region == nullptr || !region->block || !region->allows(Access::write)) return false;
        if (region->last >= last) return true;
        address = region->last + 1;
    }
}

}  // namespace

std::uint64_t read_input(Machine::State& hart, std::uint64_t address, std::uint64_t length) {
    if (length == 0) return 0;
    std::vector<std::uint8_t> bytes(std::min(length, max_part));
    // Nothing is taken that could not be put down.
    if (!may_be_written(hart.group->spaces[hart.system->main]->map, address, bytes.size())) return refused;
    {
        Pause pause(hart.bus);
        std::scoped_lock lock(hart.system->device_lock);
        bytes.resize(hart.system->streams->read(bytes));
    }
    return hart.bus.write_bytes(address, bytes) ? bytes.size() : refused;
}

std::uint64_t write_output(Machine::State& hart, unsigned file, std::uint64_t address, std::uint64_t length) {
    std::vector<std::uint8_t> bytes;
    for (std::uint64_t done = 0; done < length; done += bytes.size()) {
        bytes.resize(std::min(length - done, max_part));
        if (!hart.bus.read_bytes(address + done, bytes)) return done == 0 ? refused : done;
        Pause pause(hart.bus);
        std::scoped_lock lock(hart.system->device_lock);
        hart.system->streams->write(file, bytes);
    }
    return length;
}

void end_run(Machine::State& hart, int status) {
    std::scoped_lock lock(hart.system->device_lock);
    if (!hart.system->exit_status) hart.system->exit_status = status;
    hart.system->ending = true;
    hart.core.stopping = true;
    hart.core.stop_at = hart.core.count + 1;
}

std::uint64_t call_host(Machine::State& hart, std::uint64_t number) {
    const std::uint64_t* given = hart.core.host_arguments;
    switch (number) {
        case 0: end_run(hart, static_cast<int>(given[0])); return 0;
        case 1: return given[0] == 0 ? read_input(hart, given[1], given[2]) : refused;
        case 2:
            if (given[0] != 1 && given[0] != 2) return refused;
            return write_output(hart, static_cast<unsigned>(given[0]), given[1], given[2]);
        case 3: return hart.time();
        case 4: return hart.group->spaces[hart.system->main]->map.storage_from(0);
        default: return refused;
    }
}

}  // namespace machine
}  // namespace isaforge

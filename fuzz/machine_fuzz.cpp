// Any bytes as the code of a machine with small memories: it runs for a while, and stops for a reason. The first half of
// the budget is stepped, with a trace, the rest runs.
#include <cstddef>
#include <cstdint>

#include "isaforge/machine.hpp"
#include "machines.hpp"

using namespace isaforge;

namespace {

// Nothing to read, and nobody who reads.
class Nowhere : public Streams {
public:
    std::size_t read(std::span<std::uint8_t>) override { return 0; }
    bool ready() override { return true; }
    void write(unsigned, std::span<const std::uint8_t>) override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::shared_ptr<const Codec>& codec = fuzz::choose(data[0]);
    MachineOptions options;
    options.memory_bytes = 4096;
    options.streams = std::make_shared<Nowhere>();
    options.warn_hazards = data[0] & 0x40;
    options.count_instructions = data[0] & 0x80;
    Machine machine(codec, options);
    machine.load_code({data + 1, size - 1});
    constexpr unsigned steps = 200;
    constexpr std::uint64_t limit = 5000;
    RunResult result;
    for (unsigned i = 0; i < steps && result.reason == StopReason::running; ++i) {
        TraceRecord record;
        result = machine.step(&record);
        to_text(record, *codec);
    }
    if (result.reason == StopReason::running) result = machine.run(limit);
    register_dump(machine);
    machine.reset();
    machine.run(limit);
    return 0;
}

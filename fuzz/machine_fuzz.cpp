// Any bytes as the code of a machine with small memories: it runs for a while, and stops for a reason. Stepped, with a trace
// of each instruction, or run at once, alone or as the first of two harts: the same happens.
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

constexpr std::uint64_t limit = 100;

MachineOptions options_of(std::uint8_t bits) {
    MachineOptions options;
    options.memory_bytes = 4096;
    options.streams = std::make_shared<Nowhere>();
    options.warn_hazards = bits & 1;
    options.count_instructions = bits & 2;
    options.require_alignment = bits & 4;
    options.count_cycles = bits & 8;
    options.seed = bits >> 4;
    return options;
}

std::uint64_t steps(Machine& machine, const Codec& codec, bool trace) {
    RunResult result;
    std::uint64_t count = 0;
    for (; count < limit && result.reason == StopReason::running; ++count) {
        TraceRecord record;
        result = machine.step(trace ? &record : nullptr);
        if (trace) to_text(record, codec);
    }
    return machine.instructions();
}

std::string state(Machine& machine) {
    std::string text = register_dump(machine);
    for (Index memory = 0; memory < machine.isa().memories.size(); ++memory) {
        const auto bytes = machine.memory(memory);
        text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return text;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return fuzz::mutate_behind(data, size, most, seed,
                               [](std::string& code, fuzz::Random& random, std::uint8_t machine) {
                                   if (code.empty()) code += '\0';
                                   if (random.one_in(8)) code[0] = static_cast<char>(random.next());
                                   std::string rest = code.substr(1);
                                   fuzz::change_code(rest, random, fuzz::tools(machine));
                                   code.replace(1, std::string::npos, rest);
                               });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 3) return 0;
    const std::shared_ptr<const Codec>& codec = fuzz::tools(data[0]).codec;
    const MachineOptions options = options_of(data[1]);
    const std::span<const std::uint8_t> code(data + 2, size - 2);
    Machine stepped(codec, options), ran(codec, options);
    for (Machine* machine : {&stepped, &ran}) machine->load_code(code);
    const std::uint64_t count = steps(stepped, *codec, data[1] & 8);
    const RunResult result = ran.run(limit);
    fuzz::require(result.reason != StopReason::running);
    fuzz::require(ran.instructions() == count && stepped.pc() == ran.pc());
    fuzz::require(state(stepped) == state(ran));
    ran.warnings();
    ran.counts();
    ran.jump_counts();
    ran.pending();
    ran.reset();
    fuzz::require(ran.instructions() == 0);
    return 0;
}

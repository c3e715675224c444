// Random bytes as programs, random registers, handlers that point into the middle of it all: whatever the bits say, the machine
// does something that it can explain, and goes on from anywhere.
#include <gtest/gtest.h>

#include <random>

#include "effort.hpp"
#include "isaforge/machine.hpp"

namespace isaforge {
namespace {

struct Kind {
    const char* isa;
    unsigned wlen, mxvl, harts;
    Engine engine = Engine::interpreter;
};

// Nothing to read, and nobody who reads.
class Nowhere : public Streams {
public:
    std::size_t read(std::span<std::uint8_t>) override { return 0; }
    bool ready() override { return true; }
    void write(unsigned, std::span<const std::uint8_t>) override {}
};

class AnyBits : public testing::TestWithParam<Kind> {};

TEST_P(AnyBits, AreExecutedOrExplained) {
    SourceManager sources;
    Diagnostics diagnostics;
    LoadOptions options;
    options.parameters = {{"WLEN", GetParam().wlen}, {"MXVL", GetParam().mxvl}};
    const auto isa = load_isa(GetParam().isa, sources, diagnostics, options);
    ASSERT_TRUE(isa);
    const auto codec = std::make_shared<const Codec>(isa);
    std::mt19937_64 random(GetParam().wlen * 1000 + GetParam().mxvl);
    std::uint64_t executed = 0;
    constexpr std::uint64_t bytes = 1 << 14, turns = 15;
    const std::uint64_t rounds = test::times_effort(8);
    for (unsigned round = 0; round < rounds; ++round) {
        MachineOptions how;
        how.memory_bytes = bytes;
        how.harts = GetParam().harts;
        how.engine = GetParam().engine;
        how.require_alignment = round % 4 == 3;
        how.streams = std::make_shared<Nowhere>();
        Machine machine(codec, how);
        std::vector<std::uint8_t> code(bytes);
        for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random());
        machine.load_code(code);
        machine.start(0);
        for (unsigned turn = 0; turn < turns; ++turn) {
            for (unsigned hart = 0; hart < machine.harts(); ++hart) {
                Machine& one = machine.hart(hart);
                for (Index file = 0; file < isa->register_files.size(); ++file)
                    for (std::uint64_t n = 0; n < isa->register_files[file].count; ++n) {
                        const std::uint64_t value = random() % 3 == 0 ? random() : random() % bytes;
                        one.set(file, n, value & low_bits(isa->register_files[file].bits),
                                static_cast<unsigned>(random() % isa->register_files[file].lanes));
                    }
            }
            for (unsigned begin = 0; begin < 12; ++begin) {
                for (unsigned hart = 0; hart < machine.harts(); ++hart) {
                    Machine& one = machine.hart(hart);
                    Index file = no_index;
                    std::uint64_t number = 0;
                    if (one.find_register("UNSAVED", file, number)) one.set(file, number, 0);  // no double fault yet
                    one.set_pc(random() % bytes & ~std::uint64_t{1});
                }
                RunResult result;
                if (begin % 3 == 0) {
                    TraceRecord record;
                    result = machine.step(&record);
                    to_text(record, *codec);
                } else {
                    result = machine.run(40);
                }
                executed += result.instructions;
                EXPECT_TRUE(result.ok() || !result.message.empty());
            }
        }
    }
    EXPECT_GT(executed, rounds * turns * 6);
}

const Kind kinds[] = {{"fabrisc-2022-03-18", 32, 64, 1},
                      {"fabrisc-2022-03-18", 64, 512, 1},
                      {"fabrisc-2022-05-02", 32, 128, 1},
                      {"fabrisc-2022-05-02", 64, 256, 2},
                      {"fabrisc-2022-05-15", 32, 512, 1},
                      {"fabrisc-2022-05-15", 64, 64, 3},
                      {"fabrisc-2022-05-15", 32, 128, 1, Engine::compiler}};

INSTANTIATE_TEST_SUITE_P(FabRisc, AnyBits, testing::ValuesIn(kinds));

}  // namespace
}  // namespace isaforge

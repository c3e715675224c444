// The MSP430 from its description against the reference machine: random words as instructions, with random registers and memory,
// one at a time and several behind each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "isaforge/machine.hpp"
#include "reference/msp430.hpp"

namespace isaforge {
namespace {

std::shared_ptr<const Codec> msp430() {
    static std::shared_ptr<const Codec> codec = [] {
        SourceManager sources;
        Diagnostics diagnostics;
        auto isa = load_isa("msp430", sources, diagnostics);
        EXPECT_TRUE(isa) << to_text(diagnostics, sources);
        return std::make_shared<const Codec>(isa);
    }();
    return codec;
}

constexpr std::uint64_t memory_bytes = 1 << 16;

struct Pair {
    Machine machine{msp430(), MachineOptions{.memory_bytes = memory_bytes, .engine = Engine::interpreter}};
    msp430_reference::Machine reference;
    Index r = 0;

    Pair() {
        std::uint64_t number = 0;
        EXPECT_EQ(machine.protect(0, memory_bytes, {.read = true, .write = true, .execute = true}, "ram"), "");
        EXPECT_TRUE(machine.find_register("r4", r, number));
    }

    // Registers hold any numbers, and often those at edges.
    void randomise(std::mt19937_64& random, const std::vector<std::uint8_t>& memory) {
        constexpr std::uint16_t edges[] = {0, 1, 0x7fff, 0x8000, 0xffff, 0xff, 0x80, 0x99};
        for (unsigned i = 1; i < 16; ++i) {
            const auto any = static_cast<std::uint16_t>(random());
            reference.r[i] = random() % 4 == 0 ? edges[any % std::size(edges)] : any;
        }
        reference.r[2] &= 0x1ff;
        reference.r[3] = 0;
        for (unsigned i = 1; i < 16; ++i) machine.set(r, i, reference.r[i]);
        std::ranges::copy(memory, reference.memory.begin());
        ASSERT_TRUE(machine.load_data(0, 0, memory));
        machine.set_pc(reference.r[0]);
    }
    void expect_equal(const std::string& when) {
        ASSERT_EQ(machine.pc(), reference.r[0]) << when;
        for (unsigned i = 1; i < 16; ++i) ASSERT_EQ(machine.get(r, i), reference.r[i]) << "r" << i << ' ' << when;
        ASSERT_TRUE(std::ranges::equal(machine.memory(0), reference.memory)) << when;
    }
};

TEST(Msp430, InstructionsEqualTheReference) {
    std::mt19937_64 random(19920214);
    Pair pair;
    std::vector<std::uint8_t> memory(memory_bytes);
    unsigned executed = 0, none = 0;
    for (unsigned i = 0; i < 6000; ++i) {
        if (i % 16 == 0) std::ranges::generate(memory, [&] { return static_cast<std::uint8_t>(random()); });
        // Away from both ends, so that the words behind it lie behind it.
        pair.reference.r[0] = static_cast<std::uint16_t>(0x100 + random() % 0xfd00) & 0xfffe;
        // Rare formats are as likely as the others.
        const auto word = static_cast<std::uint16_t>(i % 4 == 0 ? 0x1000 | random() % 0x340 : random());
        memory[pair.reference.r[0]] = static_cast<std::uint8_t>(word);
        memory[pair.reference.r[0] + 1u] = static_cast<std::uint8_t>(word >> 8);
        pair.randomise(random, memory);
        if (testing::Test::HasFatalFailure()) return;
        const std::string when = pair.machine.text(pair.machine.pc()) + " at " + std::to_string(pair.reference.r[0]) +
                                 ", case " + std::to_string(i);
        const bool good = pair.reference.step();
        const RunResult result = pair.machine.step();
        ASSERT_EQ(result.ok(), good) << when << ": " << result.message;
        none += !good;
        if (!good) continue;
        ++executed;
        pair.expect_equal(when);
        if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(executed, 4000u);
    EXPECT_GT(none, 250u);
}

// Each word that may begin an instruction is one for both, or for none.
TEST(Msp430, TheSameWordsAreInstructions) {
    msp430_reference::Machine reference;
    for (unsigned word = 0; word < 0x10000; ++word) {
        reference.r = {};
        reference.r[0] = 0x200;
        reference.memory[0x200] = static_cast<std::uint8_t>(word);
        reference.memory[0x201] = static_cast<std::uint8_t>(word >> 8);
        Image image;
        image.set(0, 16, word);
        unsigned bits = 0;
        ASSERT_EQ(msp430()->decode(image, 64, bits) != no_index, reference.step()) << std::hex << word;
    }
}

}  // namespace
}  // namespace isaforge

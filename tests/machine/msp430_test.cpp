// The MSP430 from its description against the reference machine: random words as instructions, with random registers and memory,
// one at a time and several behind each other. Its cycles are held against the tables of the user's guide.
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
    Machine machine{msp430(),
                    MachineOptions{.memory_bytes = memory_bytes, .count_cycles = true, .engine = Engine::interpreter}};
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

// Ways to say a source, in the order of the guide's tables. A constant of the generator is a register to them.
enum Way { direct, indirect, increment, number, indexed, symbolic, absolute };

Way way_of(unsigned mode, unsigned reg) {
    if (reg == 3 || (reg == 2 && mode >= 2)) return direct;
    if (mode == 0) return direct;
    if (mode == 1) return reg == 0 ? symbolic : reg == 2 ? absolute : indexed;
    if (mode == 2) return indirect;
    return reg == 0 ? number : increment;
}

// Format I: to a register, to the program counter, to memory.
constexpr unsigned two_operands[][3] = {
    {1, 2, 4},  // Rn
    {2, 2, 5},  // @Rn
    {2, 3, 5},  // @Rn+
    {2, 3, 5},  // #N
    {3, 3, 6},  // X(Rn)
    {3, 3, 6},  // EDE
    {3, 3, 6},  // &EDE
};
// Format II: of RRA, RRC, SWPB and SXT, of PUSH, of CALL.
constexpr unsigned one_operand[][3] = {
    {1, 3, 4},  // Rn
    {3, 4, 4},  // @Rn
    {3, 5, 5},  // @Rn+
    {0, 4, 5},  // #N
    {4, 5, 5},  // X(Rn)
    {4, 5, 5},  // EDE
    {4, 5, 5},  // &EDE
};

unsigned cycles_of(std::uint16_t word) {
    if (word == 0x1300) return 5;  // reti
    const Way way = way_of(word >> 4 & 3, word >= 0x4000 ? word >> 8 & 15 : word & 15);
    if (word < 0x2000) {
        const unsigned code = word >> 7 & 7;
        return one_operand[way][code < 4 ? 0 : code - 3];
    }
    if (word < 0x4000) return 2;  // jumps
    return two_operands[way][word >> 7 & 1 ? 2 : (word & 15) == 0 ? 1 : 0];
}

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
        ASSERT_EQ(result.cycles, cycles_of(word)) << when;
        pair.expect_equal(when);
        if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(executed, 4000u);
    EXPECT_GT(none, 250u);
}

// A loop of all ways to say a source and a destination, compiled: each round takes what the tables say of its words.
TEST(Msp430, CompiledCodeCountsTheSameCycles) {
    std::vector<std::uint8_t> code;
    std::uint64_t round = 0;
    const auto add = [&](unsigned word) {
        code.push_back(static_cast<std::uint8_t>(word));
        code.push_back(static_cast<std::uint8_t>(word >> 8));
    };
    const auto begin = [&](unsigned word) {
        round += cycles_of(static_cast<std::uint16_t>(word));
        add(word);
    };
    // Words of both operands are 0x2000 and more: memory that nobody executes.
    const std::pair<unsigned, bool> sources[] = {{0x500, false}, {0x510, true},  {0x520, false},
                                                 {0x530, false}, {0x030, true},  {0x210, true},
                                                 {0x010, true},  {0x310, false}, {0x220, false}};
    const std::pair<unsigned, bool> destinations[] = {{7, false}, {0x86, true}, {0x82, true}, {3, false}};
    unsigned long_words = 0x2000;
    begin(0x4035);  // mov #0x6000, r5
    add(0x6000);
    for (const auto& [source, has_word] : sources)
        for (const auto& [destination, has_second] : destinations)
            for (const unsigned operation : {0x4000u, 0x5040u, 0x9000u}) {
                begin(operation | source | destination);
                if (has_word) add(long_words += 2);
                if (has_second) add(long_words += 2);
            }
    for (const unsigned one : {0x1008u, 0x1125u, 0x1095u, 0x1205u, 0x1225u, 0x1235u, 0x1230u, 0x1215u}) {
        begin(one);
        if ((one & 0x30) == 0x10 || one == 0x1230) add(long_words += 2);
    }
    begin(0x4031);  // mov #0x4000, sp: what was pushed is forgotten
    add(0x4000);
    begin(0x4030);  // br #0
    add(0);
    for (const Engine engine : {Engine::interpreter, Engine::compiler}) {
        Machine machine(msp430(), {.memory_bytes = memory_bytes, .count_cycles = true, .engine = engine});
        Index r = 0;
        std::uint64_t reg = 0;
        ASSERT_TRUE(machine.find_register("r4", r, reg));
        machine.load_code(code);
        machine.set(r, 1, 0x4000);
        machine.set_pc(0);
        constexpr std::uint64_t rounds = 500;
        const std::uint64_t instructions = std::size(sources) * std::size(destinations) * 3 + 8 + 3;
        const RunResult result = machine.run(rounds * instructions);
        EXPECT_EQ(result.reason, StopReason::limit) << result.message;
        EXPECT_EQ(machine.pc(), 0u);
        EXPECT_EQ(result.cycles, rounds * round);
        if (engine == Engine::compiler) {
            EXPECT_GT(machine.engine_figures().instructions, 100u) << machine.engine_figures().problem;
        }
    }
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

// The WISHBONE GPU from its description against the reference machine: random programs, all state compared after each
// instruction.
#include <gtest/gtest.h>

#include <cstring>

#include "effort.hpp"
#include "isaforge/machine.hpp"
#include "reference/wishbone_gpu.hpp"

namespace isaforge {
namespace {

constexpr std::uint64_t memory_bytes = 1 << 16;

std::shared_ptr<const Codec> wishbone() {
    static std::shared_ptr<const Codec> codec = [] {
        SourceManager sources;
        Diagnostics diagnostics;
        auto isa = load_isa("wishbone-gpu", sources, diagnostics);
        EXPECT_TRUE(isa) << to_text(diagnostics, sources);
        return std::make_shared<const Codec>(isa);
    }();
    return codec;
}

struct Registers {
    Index r = no_index, cr = no_index, address = no_index, latch = no_index;

    explicit Registers(const Isa& isa) {
        for (Index i = 0; i < isa.register_files.size(); ++i) {
            const std::string& name = isa.register_files[i].name;
            (name == "r" ? r : name == "cr" ? cr : name == "address" ? address : latch) = i;
        }
    }
};

// Registers hold floats, small integers and addresses alike, so that most statements do something.
std::uint32_t random_value(std::mt19937_64& random) {
    switch (random() % 8) {
        case 0: return static_cast<std::uint32_t>(random());
        case 1: return static_cast<std::uint32_t>(random() % (memory_bytes / 4) * 4);
        case 2: return static_cast<std::uint32_t>(random() & 0x807fffff);  // subnormal
        case 3: return static_cast<std::uint32_t>(random() & 0x80ffffff);  // about the smallest normal numbers
        case 4: return static_cast<std::uint32_t>(random() | 0x7f800000);  // infinity and NaN
        case 5: return static_cast<std::uint32_t>(random() % 64);          // a place in the code
        default: {
            float value = static_cast<float>(static_cast<std::int64_t>(random() % 2000001) - 1000000) / 1000;
            std::uint32_t bits = 0;
            std::memcpy(&bits, &value, sizeof bits);
            return bits;
        }
    }
}

struct Pair {
    Machine machine;
    wishbone_reference::Machine reference;
    Registers registers;

    Pair(const std::vector<std::uint32_t>& words, const MachineOptions& options)
        : machine(wishbone(), options), reference(words, memory_bytes), registers(machine.isa()) {
        std::vector<std::uint8_t> bytes(words.size() * 4);
        std::memcpy(bytes.data(), words.data(), bytes.size());
        machine.load_code(bytes);
    }

    void randomise(std::mt19937_64& random) {
        for (unsigned i = 0; i < 32; ++i) machine.set(registers.r, i, reference.registers[i] = random_value(random));
        for (unsigned i = 0; i < 8; ++i) machine.set(registers.cr, i, reference.conditions[i] = random() & 1);
        reference.address_register = static_cast<std::uint32_t>(memory_bytes / 2);
        machine.set(registers.address, 0, reference.address_register);
        for (std::size_t i = 0; i < memory_bytes; ++i)
            machine.memory(0)[i] = reference.memory[i] = static_cast<std::uint8_t>(random());
    }

    // `when`: gives in words what has been done, where it is wrong.
    template <typename When>
    void expect_equal_registers(When&& when) const {
        for (unsigned i = 0; i < 32; ++i)
            ASSERT_EQ(machine.get(registers.r, i), reference.registers[i]) << "r" << i << ' ' << when();
        for (unsigned i = 0; i < 8; ++i)
            ASSERT_EQ(machine.get(registers.cr, i), reference.conditions[i]) << "cr" << i << ' ' << when();
        ASSERT_EQ(machine.get(registers.address, 0), reference.address_register) << when();
        ASSERT_EQ(machine.get(registers.latch, 0), reference.latch) << when();
        ASSERT_EQ(machine.pc(), reference.pc) << when();
    }
    void expect_equal_memory() {
        ASSERT_EQ(std::memcmp(machine.memory(0).data(), reference.memory.data(), memory_bytes), 0);
    }
};

MachineOptions options() { return {.memory_bytes = memory_bytes, .require_alignment = true}; }

std::vector<std::uint32_t> random_program(std::mt19937_64& random, std::size_t size, unsigned calm) {
    std::vector<std::string> names;
    wishbone_reference::Labels labels;
    for (int i = 0; i < 20; ++i) {
        names.push_back("l" + std::to_string(i));
        labels[names.back()] = static_cast<std::uint32_t>(random() % size);
    }
    std::vector<std::uint32_t> words;
    while (words.size() < size) {
        std::string statement = wishbone_reference::random_statement(random, names);
        std::uint32_t word = *wishbone_reference::encode(statement, static_cast<std::uint32_t>(words.size()), labels);
        bool ends = word >> 27 == 24;
        bool strays = word >> 27 == 22 || word >> 27 == 23;
        bool transfers = word >> 27 == 21;
        bool goes_astray = word >> 27 == 18 || ((word >> 27 == 19 || word >> 27 == 20) && (word >> 10 & 63) == 0);
        if ((ends || strays) && random() % 64 != 0) continue;
        if (goes_astray && random() % 40 != 0) continue;
        if (transfers && random() % 4 != 0) continue;
        words.push_back(word);
        // Enough room behind a late result that not every program ends in a collision.
        bool late = word >> 27 >= 4 && word >> 27 <= 6;
        for (unsigned k = 0; late && k < calm && words.size() < size; ++k) words.push_back(0);
    }
    return words;
}

TEST(Wishbone, EachStepEqualsTheReference) {
    std::mt19937_64 random(20260721);
    std::uint64_t steps = 0, collisions = 0, bad = 0, stops = 0;
    for (unsigned program = 0; program < test::times_effort(400); ++program) {
        Pair pair(random_program(random, 200 + random() % 3000, program % 4), options());
        pair.randomise(random);
        bool comparable = true;
        for (int i = 0; i < 3000; ++i) {
            const std::uint64_t pc = pair.machine.pc();
            bool goes_on = pair.reference.step();
            RunResult result = pair.machine.step();
            const auto when = [&] {
                return "after step " + std::to_string(i) + " `" + pair.machine.text(pc) + "` of program " +
                       std::to_string(program) + ": " + pair.reference.error + " / " + result.message;
            };
            if (!pair.reference.error.empty()) {
                // The reference finds a collision when the second result is computed, the machine when both land.
                if (pair.reference.error.find("two register results") != std::string::npos) {
                    comparable = false;
                    for (int more = 0; more < 12 && result.ok(); ++more) result = pair.machine.step();
                    if (result.ok() || result.reason != StopReason::port_collision) break;
                    ++collisions;
                } else {
                    ASSERT_FALSE(result.ok()) << when();
                    ++bad;
                }
                break;
            }
            ASSERT_TRUE(result.ok()) << when();
            pair.expect_equal_registers(when);
            if (HasFatalFailure()) return;
            ++steps;
            if (!goes_on) {
                ASSERT_EQ(result.reason, StopReason::stopped) << when();
                ++stops;
                break;
            }
        }
        if (comparable) pair.expect_equal_memory();
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(steps, test::times_effort(50000));
    EXPECT_GT(collisions, 20u);
    EXPECT_GT(bad, 20u);
    RecordProperty("steps", static_cast<int>(steps));
    std::printf("%llu steps, %llu collisions, %llu bad accesses, %llu stops\n", (unsigned long long)steps,
                (unsigned long long)collisions, (unsigned long long)bad, (unsigned long long)stops);
}

// The same in compiled code, in stretches.
TEST(Wishbone, CompiledStretchesEqualTheReference) {
    std::mt19937_64 random(20260722);
    std::uint64_t compared = 0, compiled = 0;
    for (int program = 0; program < 150; ++program) {
        MachineOptions how = options();
        how.engine = Engine::compiler;
        Pair pair(random_program(random, 20 + random() % 60, 2 + program % 3), how);
        pair.randomise(random);
        bool goes_on = true;
        for (unsigned stretch = 0; stretch < 40 && goes_on; ++stretch) {
            std::uint64_t count = 0;
            for (const std::uint64_t most = 1 + random() % 300; count < most && goes_on; ++count)
                goes_on = pair.reference.step();
            if (!pair.reference.error.empty()) break;  // the reference says so before it is due
            const RunResult result = pair.machine.run(count);
            ASSERT_EQ(result.reason, goes_on ? StopReason::limit : StopReason::stopped) << result.message;
            pair.expect_equal_registers(
                [&] { return "in stretch " + std::to_string(stretch) + " of program " + std::to_string(program); });
            pair.expect_equal_memory();
            if (HasFatalFailure()) return;
            compared += count;
        }
        EXPECT_EQ(pair.machine.engine_figures().problem, "");
        compiled += pair.machine.engine_figures().instructions;
    }
    std::printf("%llu steps, %llu instructions compiled\n", (unsigned long long)compared, (unsigned long long)compiled);
    EXPECT_GT(compared, 50000u);
    EXPECT_GT(compiled, 200u);
}

// Every statement by itself, on many values, without the programs' early ends.
TEST(Wishbone, SingleStatementsEqualTheReference) {
    std::mt19937_64 random(7);
    std::vector<std::uint32_t> words;
    wishbone_reference::Labels labels = {{"here", 0}};
    while (words.size() < 20000) {
        std::string statement = wishbone_reference::random_statement(random, {"here"});
        std::uint32_t word = *wishbone_reference::encode(statement, static_cast<std::uint32_t>(words.size()), labels);
        if (word >> 27 >= 21) continue;
        words.push_back(word);
        for (int k = 0; k < 11 && word >> 27 >= 4 && word >> 27 <= 6; ++k) words.push_back(0);
    }
    Pair pair(words, options());
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i % 16 == 0) {
            for (unsigned k = 0; k < 32; ++k)
                pair.machine.set(pair.registers.r, k, pair.reference.registers[k] = random_value(random));
            for (unsigned k = 0; k < 8; ++k)
                pair.machine.set(pair.registers.cr, k, pair.reference.conditions[k] = random() & 1);
        }
        std::string text = pair.machine.text(i);
        pair.reference.pc = static_cast<std::uint32_t>(i);
        pair.reference.next_pc = static_cast<std::uint32_t>(i + 1);
        pair.machine.set_pc(i);
        pair.reference.step();
        RunResult result = pair.machine.step();
        if (!pair.reference.error.empty()) {
            ASSERT_FALSE(result.ok()) << text << ": " << pair.reference.error;
            // `load` has set the address register when its access fails; the reference has not.
            pair.machine.set(pair.registers.address, 0, pair.reference.address_register);
            pair.reference.error.clear();
            pair.reference.pc = static_cast<std::uint32_t>(i + 1);
            pair.machine.set_pc(i + 1);
            continue;
        }
        ASSERT_TRUE(result.ok()) << text << ": " << result.message;
        pair.expect_equal_registers([&] { return text; });
        if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace isaforge

// The 6502 from its description against the reference machine: each opcode with random registers, flags, operands and memory,
// and decimal arithmetic with all numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "isaforge/machine.hpp"
#include "reference/mos6502.hpp"

namespace isaforge {
namespace {

using mos6502_reference::Mode;

std::shared_ptr<const Codec> mos6502() {
    static std::shared_ptr<const Codec> codec = [] {
        SourceManager sources;
        Diagnostics diagnostics;
        auto isa = load_isa("mos6502", sources, diagnostics);
        EXPECT_TRUE(isa) << to_text(diagnostics, sources);
        return std::make_shared<const Codec>(isa);
    }();
    return codec;
}

struct Pair {
    static constexpr std::uint64_t memory_bytes = 1 << 16;

    Machine machine{mos6502(), MachineOptions{.memory_bytes = memory_bytes, .engine = Engine::interpreter}};
    mos6502_reference::Machine reference;
    Index a = 0, x = 0, y = 0, s = 0, p = 0;

    Pair() {
        std::uint64_t number = 0;
        EXPECT_EQ(machine.protect(0, memory_bytes, {.read = true, .write = true, .execute = true}, "ram"), "");
        machine.reset();
        for (const auto& [name, index] : {std::pair{"a", &a}, {"x", &x}, {"y", &y}, {"s", &s}, {"p", &p}})
            EXPECT_TRUE(machine.find_register(name, *index, number));
    }

    // What the reference has.
    void set_registers() {
        machine.set(a, 0, reference.a);
        machine.set(x, 0, reference.x);
        machine.set(y, 0, reference.y);
        machine.set(s, 0, reference.s);
        machine.set(p, 0, reference.p);
        machine.set_pc(reference.pc);
    }
    void randomise(std::mt19937_64& random) {
        for (std::uint8_t* one : {&reference.a, &reference.x, &reference.y, &reference.s})
            *one = static_cast<std::uint8_t>(random());
        reference.p = random() & 0xcf;
        reference.pc = static_cast<std::uint16_t>(random() % 0xfffd);  // no instruction goes on at address 0
        set_registers();
    }
    void step_both(const std::string& when) {
        ASSERT_TRUE(reference.step()) << when;
        const RunResult result = machine.step();
        ASSERT_TRUE(result.ok()) << when << ": " << result.message;
        ASSERT_EQ(machine.get(a, 0), reference.a) << when;
        ASSERT_EQ(machine.get(x, 0), reference.x) << when;
        ASSERT_EQ(machine.get(y, 0), reference.y) << when;
        ASSERT_EQ(machine.get(s, 0), reference.s) << when;
        ASSERT_EQ(machine.get(p, 0), reference.p) << when;
        ASSERT_EQ(machine.pc(), reference.pc) << when;
    }
};

TEST(Mos6502, EachOpcodeEqualsTheReference) {
    constexpr unsigned cases = 60;
    std::mt19937_64 random(19750916);
    Pair pair;
    std::vector<std::uint8_t> memory(Pair::memory_bytes);
    unsigned opcodes = 0;
    for (unsigned code = 0; code < 256; ++code) {
        const mos6502_reference::Opcode known = mos6502_reference::opcode(static_cast<std::uint8_t>(code));
        if (known.mode == Mode::none) continue;
        ++opcodes;
        for (unsigned i = 0; i < cases; ++i) {
            std::ranges::generate(memory, [&] { return static_cast<std::uint8_t>(random()); });
            pair.randomise(random);
            memory[pair.reference.pc] = static_cast<std::uint8_t>(code);
            std::ranges::copy(memory, pair.reference.memory.begin());
            ASSERT_TRUE(pair.machine.load_data(0, 0, memory));
            const std::string when =
                std::string(known.name) + " at " + std::to_string(pair.reference.pc) + ", case " + std::to_string(i);
            pair.step_both(when);
            if (HasFatalFailure()) return;
            ASSERT_TRUE(std::ranges::equal(pair.machine.memory(0), pair.reference.memory)) << when;
        }
    }
    EXPECT_EQ(opcodes, 151u);
}

// All pairs of numbers, with and without a carry, binary and decimal: digits above 9 too.
TEST(Mos6502, SumsAndDifferencesOfAllNumbers) {
    Pair pair;
    for (const std::uint8_t code : {0x69, 0xe9}) {
        // adc zero-page 0x10, so that the instruction stays as it is.
        const std::array<std::uint8_t, 2> bytes = {static_cast<std::uint8_t>(code - 4), 0x10};
        ASSERT_TRUE(pair.machine.load_data(0, 0x200, bytes));
        std::ranges::copy(bytes, pair.reference.memory.begin() + 0x200);
        for (unsigned i = 0; i < 1u << 18; ++i) {
            pair.reference.a = static_cast<std::uint8_t>(i);
            pair.reference.p = static_cast<std::uint8_t>((i >> 16 & 1) | (i >> 17 & 1) << 3);
            pair.reference.memory[0x10] = pair.machine.memory(0)[0x10] = static_cast<std::uint8_t>(i >> 8);
            pair.reference.pc = 0x200;
            pair.set_registers();
            pair.step_both("case " + std::to_string(i));
            if (HasFatalFailure()) return;
        }
    }
}

TEST(Mos6502, WhatIsNotDocumentedIsNoInstruction) {
    Pair pair;
    for (unsigned code = 0; code < 256; ++code) {
        const bool known = mos6502_reference::opcode(static_cast<std::uint8_t>(code)).mode != Mode::none;
        const std::array<std::uint8_t, 3> bytes = {static_cast<std::uint8_t>(code), 0x12, 0x34};
        ASSERT_TRUE(pair.machine.load_data(0, 0x200, bytes));
        Index form = no_index;
        Image image;
        unsigned bits = 0;
        EXPECT_EQ(pair.machine.decode(0x200, form, image, bits), known || code == 0x02) << code;  // jam
    }
}

// Loops that overwrite their own operands, and now and then their opcodes, again and again: the machine in one go, the reference
// step by step.
TEST(Mos6502, ProgramsThatRewriteThemselves) {
    constexpr unsigned programs = 400, most_steps = 4000, instructions = 24;
    constexpr std::uint16_t base = 0x400;
    std::mt19937_64 random(6502);
    const auto one_of = [&](auto... choices) {
        const std::array all = {static_cast<std::uint8_t>(choices)...};
        return all[random() % all.size()];
    };
    std::uint64_t steps = 0, rewritten = 0;
    for (unsigned i = 0; i < programs; ++i) {
        std::vector<std::uint8_t> code;
        std::vector<std::uint16_t> operands;  // where they lie
        const auto at = [&] { return static_cast<std::uint16_t>(base + code.size()); };
        for (unsigned k = 0; k < instructions; ++k) {
            const unsigned kind = random() % 8;
            if (kind == 0) {
                code.push_back(one_of(0xe8, 0xca, 0xc8, 0x88, 0xaa, 0x8a, 0x98, 0x18, 0x38, 0x0a));
            } else if (kind <= 2) {  // immediate, or in the zero page
                code.push_back(one_of(0xa9, 0x69, 0x49, 0xa2, 0xa0, 0xa5, 0x85, 0xe6, 0xc6, 0x95, 0xb1));
                operands.push_back(at());
                code.push_back(static_cast<std::uint8_t>(random()));
            } else if (kind == 3) {  // over an instruction of two bytes
                code.insert(code.end(), {one_of(0x90, 0xb0, 0xd0, 0xf0), 2, 0xa9, static_cast<std::uint8_t>(random())});
                operands.push_back(static_cast<std::uint16_t>(at() - 1));
            } else {
                code.push_back(one_of(0x8d, 0x8e, 0x8c, 0xee, 0xce, 0xad, 0x6d, 0xac));
                for (unsigned byte = 0; byte < 2; ++byte) {
                    operands.push_back(at());
                    code.push_back(0);
                }
            }
        }
        code.insert(code.end(), {0x4c, base & 0xff, base >> 8});
        std::vector<std::uint8_t> memory(Pair::memory_bytes);
        std::ranges::generate(memory, [&] { return static_cast<std::uint8_t>(random()); });
        for (std::size_t k = 0; k + 1 < operands.size(); ++k) {  // addresses
            if (operands[k + 1] != operands[k] + 1) continue;
            const std::uint16_t target = random() % 4 != 0 ? operands[random() % operands.size()]
                                                           : static_cast<std::uint16_t>(0x1000 + random() % 64);
            code[operands[k] - base] = static_cast<std::uint8_t>(target);
            code[operands[k + 1] - base] = target >> 8;
            ++k;
        }
        std::ranges::copy(code, memory.begin() + base);
        Pair pair;
        pair.randomise(random);
        pair.reference.pc = base;
        pair.set_registers();
        std::ranges::copy(memory, pair.reference.memory.begin());
        ASSERT_TRUE(pair.machine.load_data(0, 0, memory));
        unsigned done = 0;
        while (done < most_steps && pair.reference.memory[pair.reference.pc] != 0x02 && pair.reference.step()) ++done;
        const RunResult result = pair.machine.run(done);
        ASSERT_EQ(result.reason, StopReason::limit) << i << ": " << result.message;
        const std::string when = "program " + std::to_string(i) + " after " + std::to_string(done);
        ASSERT_EQ(pair.machine.pc(), pair.reference.pc) << when;
        ASSERT_EQ(pair.machine.get(pair.a, 0), pair.reference.a) << when;
        ASSERT_EQ(pair.machine.get(pair.x, 0), pair.reference.x) << when;
        ASSERT_EQ(pair.machine.get(pair.y, 0), pair.reference.y) << when;
        ASSERT_EQ(pair.machine.get(pair.p, 0), pair.reference.p) << when;
        ASSERT_TRUE(std::ranges::equal(pair.machine.memory(0), pair.reference.memory)) << when;
        steps += done;
        rewritten += !std::ranges::equal(code, std::span(pair.reference.memory).subspan(base, code.size()));
    }
    EXPECT_GT(steps, 200'000u);
    EXPECT_GT(rewritten, programs / 2);
}

}  // namespace
}  // namespace isaforge

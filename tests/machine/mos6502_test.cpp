// The 6502 from its description against the reference machine: each opcode with random registers, flags, operands and memory,
// and decimal arithmetic with all numbers. Its cycles are held against the table of the manual.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <set>

#include "effort.hpp"
#include "isaforge/machine.hpp"
#include "reference/mos6502.hpp"

namespace isaforge {
namespace {

using mos6502_reference::Mode;

// Memory of so many times eight bytes.
void fill(std::vector<std::uint8_t>& memory, std::mt19937_64& random) {
    for (std::size_t at = 0; at < memory.size(); at += sizeof(std::uint64_t)) {
        const std::uint64_t bytes = random();
        std::memcpy(&memory[at], &bytes, sizeof bytes);
    }
}

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

    Machine machine{mos6502(),
                    MachineOptions{.memory_bytes = memory_bytes, .count_cycles = true, .engine = Engine::interpreter}};
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

// By opcode, as the programming manual's appendix has them; 0: none. What may be more is below.
constexpr std::uint8_t least_cycles[256] = {
    7, 6, 0, 0, 0, 3, 5, 0, 3, 2, 2, 0, 0, 4, 6, 0,  // brk
    2, 5, 0, 0, 0, 4, 6, 0, 2, 4, 0, 0, 0, 4, 7, 0,  // bpl
    6, 6, 0, 0, 3, 3, 5, 0, 4, 2, 2, 0, 4, 4, 6, 0,  // jsr
    2, 5, 0, 0, 0, 4, 6, 0, 2, 4, 0, 0, 0, 4, 7, 0,  // bmi
    6, 6, 0, 0, 0, 3, 5, 0, 3, 2, 2, 0, 3, 4, 6, 0,  // rti
    2, 5, 0, 0, 0, 4, 6, 0, 2, 4, 0, 0, 0, 4, 7, 0,  // bvc
    6, 6, 0, 0, 0, 3, 5, 0, 4, 2, 2, 0, 5, 4, 6, 0,  // rts
    2, 5, 0, 0, 0, 4, 6, 0, 2, 4, 0, 0, 0, 4, 7, 0,  // bvs
    0, 6, 0, 0, 3, 3, 3, 0, 2, 0, 2, 0, 4, 4, 4, 0,  //
    2, 6, 0, 0, 4, 4, 4, 0, 2, 5, 2, 0, 0, 5, 0, 0,  // bcc
    2, 6, 2, 0, 3, 3, 3, 0, 2, 2, 2, 0, 4, 4, 4, 0,  // ldy #
    2, 5, 0, 0, 4, 4, 4, 0, 2, 4, 2, 0, 4, 4, 4, 0,  // bcs
    2, 6, 0, 0, 3, 3, 5, 0, 2, 2, 2, 0, 4, 4, 6, 0,  // cpy #
    2, 5, 0, 0, 0, 4, 6, 0, 2, 4, 0, 0, 0, 4, 7, 0,  // bne
    2, 6, 0, 0, 3, 3, 5, 0, 2, 2, 2, 0, 4, 4, 6, 0,  // cpx #
    2, 5, 0, 0, 0, 4, 6, 0, 2, 4, 0, 0, 0, 4, 7, 0,  // beq
};

// Reads with an index, which take one more where that leads into the next page.
bool may_cross(unsigned code) {
    static const std::set<unsigned> all = {0x1d, 0x3d, 0x5d, 0x7d, 0xbc, 0xbd, 0xdd, 0xfd,   // abs,x
                                           0x19, 0x39, 0x59, 0x79, 0xb9, 0xbe, 0xd9, 0xf9,   // abs,y
                                           0x11, 0x31, 0x51, 0x71, 0xb1, 0xd1, 0xf1};        // (zp),y
    return all.contains(code);
}

// What the instruction to come takes, from the table.
unsigned cycles_to_come(const mos6502_reference::Machine& machine) {
    const auto& memory = machine.memory;
    const auto at = [&](unsigned address) -> unsigned { return memory[address & 0xffff]; };
    const unsigned code = at(machine.pc), low = at(machine.pc + 1u), word = low | at(machine.pc + 2u) << 8;
    unsigned cycles = least_cycles[code];
    if (may_cross(code)) {
        const bool by_x = (code & 0x1f) == 0x1d || code == 0xbc, indirect = (code & 0x1f) == 0x11;
        const unsigned base = indirect ? at(low) | at((low + 1) & 0xff) << 8 : word;
        const unsigned place = (base + (by_x ? machine.x : machine.y)) & 0xffff;
        cycles += place >> 8 != base >> 8;
    }
    if ((code & 0x1f) == 0x10) {
        constexpr unsigned flags[] = {7, 6, 0, 1};  // N, V, C, Z
        const bool is_set = machine.p >> flags[code >> 6] & 1, wanted = code & 0x20;
        const unsigned next = (machine.pc + 2u) & 0xffff;
        const unsigned target = (next + low - (low >= 0x80 ? 0x100 : 0)) & 0xffff;
        if (is_set == wanted) cycles += 1 + (next >> 8 != target >> 8);
    }
    return cycles;
}

TEST(Mos6502, EachOpcodeEqualsTheReference) {
    constexpr unsigned cases = 60;
    std::mt19937_64 random(19750916);
    Pair pair;
    std::vector<std::uint8_t> memory(Pair::memory_bytes);
    unsigned opcodes = 0;
    std::array<unsigned, 256> most{};
    for (unsigned code = 0; code < 256; ++code) {
        const mos6502_reference::Opcode known = mos6502_reference::opcode(static_cast<std::uint8_t>(code));
        if (known.mode == Mode::none) continue;
        ++opcodes;
        for (unsigned i = 0; i < cases; ++i) {
            fill(memory, random);
            pair.randomise(random);
            memory[pair.reference.pc] = static_cast<std::uint8_t>(code);
            std::ranges::copy(memory, pair.reference.memory.begin());
            ASSERT_TRUE(pair.machine.load_data(0, 0, memory));
            const std::string when =
                std::string(known.name) + " at " + std::to_string(pair.reference.pc) + ", case " + std::to_string(i);
            const unsigned cycles = cycles_to_come(pair.reference);
            most[code] = std::max(most[code], cycles);
            const std::uint64_t before = pair.machine.cycles();
            pair.step_both(when);
            if (HasFatalFailure()) return;
            ASSERT_EQ(pair.machine.cycles() - before, cycles) << when;
            ASSERT_TRUE(std::ranges::equal(pair.machine.memory(0), pair.reference.memory)) << when;
        }
    }
    EXPECT_EQ(opcodes, 151u);
    // All that may happen has.
    for (unsigned code = 0; code < 256; ++code) {
        const unsigned more = may_cross(code) ? 1 : (code & 0x1f) == 0x10 ? 2 : 0;
        EXPECT_EQ(most[code], least_cycles[code] + more) << code;
    }
}

// A branch to where it would go anyway, as programs wait a cycle with.
TEST(Mos6502, ABranchToTheNextInstructionIsTaken) {
    Pair pair;
    for (const bool carry : {false, true}) {
        const std::array<std::uint8_t, 2> bcs = {0xb0, 0};
        ASSERT_TRUE(pair.machine.load_data(0, 0x200, bcs));
        pair.reference.p = carry;
        pair.reference.pc = 0x200;
        pair.set_registers();
        EXPECT_EQ(pair.machine.step().cycles, carry ? 3u : 2u);
    }
}

// A program of all that stays where it is, compiled: every round takes what the table says of its steps.
TEST(Mos6502, CompiledCodeCountsTheSameCycles) {
    std::mt19937_64 random(6502);
    constexpr unsigned begin = 0x1000;
    std::vector<std::uint8_t> memory(Pair::memory_bytes);
    std::ranges::generate(memory, [&] { return static_cast<std::uint8_t>(random()); });
    for (unsigned i = 0; i < 0x100; i += 2) memory[i + 1] = 0x40 + i % 32;  // pointers lead away from the code
    const std::set<std::string> leave = {"jmp", "jsr", "rts", "rti", "brk", "txs"};
    const std::set<std::string> write = {"sta", "stx", "sty", "inc", "dec", "asl", "lsr", "rol", "ror"};
    const std::set<Mode> of_words = {Mode::absolute, Mode::absolute_x, Mode::absolute_y};
    unsigned at = begin;
    while (at < 0x1200) {
        const auto code = static_cast<std::uint8_t>(random());
        const auto [name, mode] = mos6502_reference::opcode(code);
        if (mode == Mode::none || leave.contains(name)) continue;
        // What is written is far from the code and from the pointers.
        if (write.contains(name) && mode != Mode::accumulator && !of_words.contains(mode)) continue;
        memory[at] = code;
        if (mode == Mode::relative) memory[at + 1] = random() % 2;  // to the nop behind it, or behind that
        if (of_words.contains(mode)) memory[at + 2] = static_cast<std::uint8_t>(0x20 + random() % 16);
        at += mos6502_reference::length_of(mode);
        if (mode == Mode::relative) memory[at++] = 0xea;
    }
    memory[at] = 0x4c;  // jmp back
    memory[at + 1] = begin & 0xff;
    memory[at + 2] = begin >> 8;

    mos6502_reference::Machine reference;
    std::ranges::copy(memory, reference.memory.begin());
    reference.pc = begin;
    reference.s = 0x80;
    constexpr std::uint64_t steps = 40'000;
    std::uint64_t cycles = 0;
    for (std::uint64_t i = 0; i < steps; ++i) {
        cycles += cycles_to_come(reference);
        ASSERT_TRUE(reference.step()) << i;
    }
    for (const Engine engine : {Engine::interpreter, Engine::compiler}) {
        Machine machine(mos6502(), {.memory_bytes = Pair::memory_bytes, .count_cycles = true, .engine = engine});
        ASSERT_EQ(machine.protect(0, Pair::memory_bytes, {.read = true, .write = true, .execute = true}, "ram"), "");
        machine.reset();
        ASSERT_TRUE(machine.load_data(0, 0, memory));
        Index s = 0;
        std::uint64_t number = 0;
        ASSERT_TRUE(machine.find_register("s", s, number));
        machine.set(s, 0, 0x80);
        machine.set_pc(begin);
        const RunResult result = machine.run(steps);
        EXPECT_EQ(result.reason, StopReason::limit) << result.message;
        EXPECT_EQ(result.cycles, cycles);
        if (engine == Engine::compiler) {
            EXPECT_GT(machine.engine_figures().instructions, 100u) << machine.engine_figures().problem;
        }
    }
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
    const unsigned programs = test::times_effort(150);
    constexpr unsigned most_steps = 4000, instructions = 24;
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
        fill(memory, random);
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

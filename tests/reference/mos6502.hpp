// An independent model of the NMOS 6502, written from its manual, and for decimal arithmetic from measurements of the chip. It
// shares no line with Isaforge: where the generated emulator and this file disagree, one is wrong. It is kept slow and plain.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace mos6502_reference {

enum class Mode {
    none,
    implied,
    accumulator,
    immediate,
    zero,
    zero_x,
    zero_y,
    absolute,
    absolute_x,
    absolute_y,
    indirect,
    indirect_x,
    indirect_y,
    relative
};

struct Opcode {
    const char* name = nullptr;  // null: not documented
    Mode mode = Mode::none;
};
Opcode opcode(std::uint8_t code);
unsigned length_of(Mode mode);  // in bytes, with the opcode

// The statement as ca65 reads it; a branch's target is counted from `pc`, the address of the opcode.
std::string text_of(std::uint8_t code, std::uint16_t operand, std::uint16_t pc);

struct Machine {
    std::uint8_t a = 0, x = 0, y = 0, s = 0, p = 0;  // bits 4 and 5 of p are 0
    std::uint16_t pc = 0;
    std::array<std::uint8_t, 0x10000> memory{};

    // Executes one instruction. False where its opcode is not documented.
    bool step();

private:
    std::uint8_t next() { return memory[pc++]; }
    std::uint16_t next_word();
    std::uint16_t word(std::uint16_t low, std::uint16_t high) const;
    std::uint16_t address(Mode mode);
    void flag(unsigned bit, bool on);
    bool flag(unsigned bit) const { return p >> bit & 1; }
    std::uint8_t result(std::uint8_t value);
    void push(std::uint8_t value) { memory[0x100 + s--] = value; }
    std::uint8_t pull() { return memory[0x100 + ++s]; }
    void add(std::uint8_t m);
    void subtract(std::uint8_t m);
    void compare(std::uint8_t left, std::uint8_t right);
};

}  // namespace mos6502_reference

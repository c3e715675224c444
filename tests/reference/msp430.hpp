// An independent model of the MSP430's 16-bit core, written from its manual. It shares no line with Isaforge: where the generated
// emulator and this file disagree, one is wrong. It is kept slow and plain.
#pragma once

#include <array>
#include <cstdint>

namespace msp430_reference {

struct Machine {
    std::array<std::uint16_t, 16> r{};       // r[0] is the address of the next instruction
    std::array<std::uint8_t, 0x10000> memory{};

    // Executes one instruction. False, and nothing certain about the state, where that is none.
    bool step();

private:
    struct Place {
        bool in_memory = false, is_number = false;
        std::uint16_t address = 0;           // or the number
        unsigned number = 0;                 // of the register
    };
    std::uint16_t word(unsigned address) const;
    void set_word(unsigned address, std::uint16_t value);
    std::uint16_t fetch();
    Place source(unsigned mode, unsigned number, bool byte);
    Place destination(unsigned mode, unsigned number);
    unsigned read(const Place& place, bool byte) const;
    void write(const Place& place, bool byte, unsigned value);
    void flags(bool carry, bool zero, bool negative, bool overflow);
    bool two_operands(unsigned code);
    bool one_operand(unsigned code);
    bool jump(unsigned code);
};

}  // namespace msp430_reference

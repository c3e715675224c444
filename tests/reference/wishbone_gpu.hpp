// An independent model of the WISHBONE GPU core: an encoder for one statement, a generator of random statements and
// a simulator. It was written from the facts about the hardware alone and shares no line with Isaforge, so that
// the tests have a second witness: where the generated assembler or emulator and this file disagree, one is wrong.
// It is therefore kept slow and plain; speed belongs elsewhere.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace wishbone_reference {

// Word index of each label.
using Labels = std::map<std::string, uint32_t>;

// The word for one statement such as `[!cr3] fadd pi, r4, r5;` placed at word index `pc`, which matters to relative
// jumps only. Numbers are plain literals, not expressions. Nothing for a statement the machine does not have: unknown
// mnemonic, wrong operands, a number out of range, an undefined label.
std::optional<uint32_t> encode(std::string_view statement, uint32_t pc, const Labels& labels);

// The names random_statement() jumps to; a test gives each of them a word index.
const std::vector<std::string>& random_label_names();

// A valid statement, `;` included: any mnemonic or alias, condition, register, constant and spacing, with numbers in
// decimal and hexadecimal and floats as C spells them. Jumps go to one of random_label_names().
std::string random_statement(std::mt19937_64& random);

// The same with labels of the caller's choice, which must not be empty.
std::string random_statement(std::mt19937_64& random, const std::vector<std::string>& label_names);

// The core, its code memory and its data memory. One step() executes one word, the way a programmer may count cycles:
// a late result keeps the old value readable until it lands, and the word after a control transfer always executes.
class Machine {
public:
    explicit Machine(std::vector<uint32_t> code, size_t memory_size = 1 << 20);

    // Executes one word. False when the core has stopped or hit an error, before or because of this word.
    bool step();
    // Steps until the core stops, fails, or has executed `limit` words. True if it stopped by stop_core.
    bool run(uint64_t limit);
    // Lands all results still in flight, oldest first; for looking at registers after stop_core.
    void drain();

    // Aligned little-endian words of data memory; the address must be valid.
    uint32_t word_at(uint32_t address) const;
    void set_word(uint32_t address, uint32_t value);

    std::vector<uint32_t> code;
    std::vector<uint8_t> memory;
    std::array<uint32_t, 32> registers{};
    std::array<bool, 8> conditions{};
    uint32_t address_register = 0;
    uint32_t latch = 0;         // low half, waiting for its loadf_h, loadu_h or loadaddr_h
    uint32_t pc = 0;            // the word that the next step() executes
    uint32_t next_pc = 1;       // the one after it: differs from pc + 1 while a delay slot is pending
    uint64_t steps = 0;         // words executed, those whose condition was false included
    uint64_t irq_count = 0;
    bool stopped = false;
    std::string error;          // empty while all is well

private:
    struct Result {
        bool due = false;
        uint8_t target = 0;
        uint32_t value = 0;
    };

    void execute(uint32_t word);
    void execute_float(uint32_t word);
    void execute_conversion(uint32_t word);
    void execute_load(uint32_t word);
    void execute_store(uint32_t word);
    void execute_transfer(uint32_t word);

    // The value of operand A: register or constant.
    uint32_t source(uint32_t word) const;
    // Notes a result that the instruction `latency` + 1 words later is the first to read.
    void write(uint32_t target, uint32_t value, unsigned latency = 0);
    void land();
    bool valid_address(uint32_t address);
    void push(uint32_t value);
    void fail(std::string_view what);

    // Slot n holds what lands at the end of step n modulo 16: more than the longest latency.
    std::array<Result, 16> in_flight_{};
};

}  // namespace wishbone_reference

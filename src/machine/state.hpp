// What a Machine holds, for the files that implement it.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "isaforge/machine.hpp"
#include "machine/layout.hpp"
#include "machine/micro_op.hpp"
#include "machine/translate.hpp"

namespace isaforge {

struct Machine::State {
    // One instruction of the program, ready to run.
    struct Instruction {
        std::uint64_t address = 0;
        Index form = no_index;
        Image image;
        unsigned bits = 0;
        std::vector<machine::MicroOp> ops;   // never resized once it is here
        std::vector<machine::Touch> reads, writes;
        std::uint32_t counter = 0;           // offset of its count, with count_instructions
        std::string trouble;                 // why it has no meaning
        bool warned = false;
    };

    State(std::shared_ptr<const Codec> codec, MachineOptions options);
    ~State();

    const machine::MicroOp* resolve(std::uint64_t address);
    std::unique_ptr<Instruction> translate_at(std::uint64_t address);
    Instruction* instruction_of(const machine::MicroOp* op);
    std::uint64_t next_pc() const;
    void set_breakpoint(Instruction& instruction, bool on);
    std::uint32_t signal_number(const std::string& name);
    void set_next(std::uint64_t address);
    void forget_translations();
    StopReason execute(std::uint64_t stop_at);
    std::string describe(std::uint64_t address);
    std::string message(StopReason reason, std::uint64_t address);
    // The late results under way that an instruction reads: origin, register, whether its guard reads it.
    struct Hazard {
        std::uint32_t origin = 0, offset = 0;
        bool in_guard = false;
    };
    std::vector<Hazard> hazards(const Instruction& instruction) const;
    std::string register_name(Index file, std::uint64_t number) const;
    std::string name_at(std::uint32_t offset) const;

    std::shared_ptr<const Codec> codec;
    const Isa& isa;
    MachineOptions options;
    machine::Layout layout;
    machine::Core core;
    std::vector<std::uint32_t> ports;        // for each file what a write adds to the counts
    std::vector<std::uint8_t> code;
    std::vector<machine::Memory> memories;
    std::vector<const machine::MicroOp*> entries;
    std::vector<std::unique_ptr<Instruction>> instructions;  // by code address
    std::unordered_map<const machine::MicroOp*, Instruction*> by_first_op;
    machine::MicroOp outside;                // stands for every address outside the code
    std::uint64_t outside_address = 0;
    std::unordered_set<std::uint64_t> breakpoints;           // code addresses
    std::unordered_map<const machine::MicroOp*, machine::Handler> replaced;  // by a breakpoint: what the operation does
    std::vector<std::string> signal_names;
    std::vector<std::uint64_t> signal_counts;
    std::vector<std::string> warnings;
    bool stopped = false;
};

}  // namespace isaforge

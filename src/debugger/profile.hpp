// What a run says about an instruction set and a program: which instructions were executed how often, which formats and
// lengths the code is made of and which of them were fetched, what cycles they took where the description says so, which branches
// were taken, which instructions follow each other. For whoever designs an encoding, and for whoever makes a program faster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "debugger/program_map.hpp"
#include "isaforge/machine.hpp"

namespace isaforge::debugger {

struct Profile {
    struct Instruction {
        std::uint64_t address = 0;
        std::string text, mnemonic, format, source;  // source: "draw.s:12", or empty
        unsigned bytes = 0;
        std::uint64_t executed = 0, cycles = 0;
        std::optional<std::uint64_t> jumps;  // of an instruction that can write pc: how often it did
        bool late = false;                   // the instruction behind it executes before it jumps
    };
    // Of all instructions that have something in common: how many there are, and how often they were executed.
    struct Group {
        std::string name;
        std::uint64_t count = 0, bytes = 0;
        std::uint64_t executed = 0, fetched = 0;  // fetched: in bytes
        std::uint64_t cycles = 0;
    };
    // Neighbours in the code of which the second was executed behind the first.
    struct Pair {
        std::string first, second;
        std::uint64_t count = 0, executed = 0, bytes = 0;  // bytes: of all of them in the code
    };
    std::vector<Instruction> instructions;  // by address: those in the code, and others that were executed
    std::vector<Group> mnemonics, formats;  // the most executed first
    std::vector<Group> lengths;             // the shortest first; the name is the number of bytes
    std::vector<Pair> pairs;                // the most executed first
    Group all;
    std::uint64_t other_bytes = 0;  // of the code that decode as no instruction
    bool has_cycles = false;        // they were counted
    std::uint64_t event_cycles = 0; // that events took, and no instruction
};

// Of a machine that counts instructions, all its harts together, behind a run.
Profile make_profile(const Machine& machine, const ProgramMap& map);

// Tables for people, each cut behind `rows` rows, and everything as JSON.
std::string to_text(const Profile& profile, std::size_t rows = 20);
std::string to_json(const Profile& profile);

}  // namespace isaforge::debugger

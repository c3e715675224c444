// What wavefronts do with their lanes and with memory, instruction by instruction: which share of the lanes acts, how many
// lines of memory the accesses of one instruction touch, how often lanes meet in a bank of the local data share; and how many
// wavefronts would live on one SIMD. For whoever makes a kernel faster; debugger/profile.hpp counts what any machine has.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "debugger/program_map.hpp"
#include "isaforge/device.hpp"
#include "isaforge/machine.hpp"

namespace isaforge::device {

class LaneProfile {
public:
    static constexpr unsigned line_bytes = 64;   // of a transaction with memory
    static constexpr unsigned banks = 32;        // of the local data share, four bytes wide, for 32 lanes at a time

    // `group_bytes`: of the local data share, for a launch, above the kernel's own; `group_items`: work-items of a group.
    LaneProfile(Machine& machine, const KernelInfo& kernel, std::uint32_t group_bytes, unsigned group_items,
                std::string_view processor);

    // Behind each step of the machine: what it did, and which hart.
    void note(const TraceRecord& record, unsigned hart);

    // Tables for people, cut behind `rows` rows.
    std::string text(const debugger::ProgramMap& map, std::size_t rows = 20) const;
    // The same in an object of JSON beside what is in `profile`, which is one.
    std::string json(const std::string& profile, const debugger::ProgramMap& map) const;

private:
    struct Count {
        std::uint64_t executed = 0;
        std::uint64_t lanes = 0, partial = 0;    // active ones; how often some were off
        std::uint64_t accesses = 0, lines = 0;   // executions that went to memory, lines that they touched
        std::uint64_t shared = 0, waits = 0;     // … to the local data share; cycles that lanes waited for each other
        void add(const Count& other);
    };
    struct Occupancy {
        unsigned by_vector = 0, by_scalar = 0, by_group_memory = 0, all = 0;   // wavefronts of a SIMD
    };
    std::uint64_t lanes_before(unsigned hart);
    void note_accesses(const TraceRecord& record, Count& count) const;
    Occupancy occupancy() const;
    std::map<std::string, Count> by_line(const debugger::ProgramMap& map) const;
    Count sum() const;

    Machine& machine_;
    KernelInfo kernel_;
    std::uint32_t group_bytes_;
    unsigned group_items_;
    std::string processor_;
    Index exec_ = no_index;
    struct Seen {
        std::uint64_t group = ~std::uint64_t{0}, lanes = 0;
    };
    std::vector<Seen> seen_;                     // of each hart, behind its last instruction
    std::map<std::uint64_t, Count> counts_;      // of vector instructions, by address
    std::uint64_t scalar_ = 0;                   // executions of all others
};

}  // namespace isaforge::device

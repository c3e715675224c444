// A dispatch: one program that many groups of harts run, each hart beginning with registers that somebody sets. Where a group
// has ended another begins in its place, until all have run.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isaforge/machine.hpp"
#include "machine/layout.hpp"

namespace isaforge::machine {

struct System;

// Where a hart is: `number` in its group; `slot` among the harts that live at the same time, of all dispatches.
struct HartPlace {
    std::uint64_t group = 0, groups = 1;
    unsigned number = 0, group_harts = 1, slot = 0;
    bool first_of_dispatch = true;   // that begins in this place
};

// Memory of which each hart that lives has a piece of its own, by its slot.
struct PrivateMemory {
    std::uint64_t first = 0, bytes_of_hart = 0;   // 0: none
    std::string name;                             // of one piece: "the private memory of its wavefront"
};

// The registers of a hart that begins, all zero, or of one that has stopped.
class HartRegisters {
public:
    explicit HartRegisters(Machine::State& hart) : hart_(hart) {}

    void set(Index file, std::uint64_t number, std::uint64_t value);
    // A register of lanes of 32 bits, from the first lane on.
    void set_lanes(Index file, std::uint64_t number, std::span<const std::uint32_t> lanes);
    std::uint64_t get(Index file, std::uint64_t number) const;

private:
    Machine::State& hart_;
};

// Registers that all harts of a dispatch begin with.
class RegisterImage {
public:
    explicit RegisterImage(const Isa& isa);

    void set(Index file, std::uint64_t number, std::uint64_t value);
    // Into a hart whose registers are zero.
    void put(Machine::State& hart) const;

private:
    struct Register {
        Index file = 0;
        std::uint32_t number = 0;
    };
    struct Piece {
        std::uint32_t offset = 0, at = 0, bytes = 0;   // in the hart's block, and in bytes_
    };
    const Isa& isa_;
    Layout layout_;
    std::vector<Register> registers_;
    std::vector<Register> ends_;       // of each file that has some: the number behind the last
    std::vector<Piece> pieces_;
    std::vector<std::byte> bytes_;
};

// What ended a dispatch before its time.
struct DispatchFault {
    StopReason reason = StopReason::running;   // running: there is none
    std::string message;                       // of all that follows but the place
    HartPlace place;
    std::uint64_t address = 0;                 // of the instruction
    std::string text, source_line;             // the instruction, and "scale.cl:12" where that is known
    std::uint64_t data_address = 0;            // bad_read, bad_write, misaligned: where it went …
    unsigned data_bits = 0;                    // … and how much it was
    std::uint64_t seen = 0;                    // what Dispatch::look_at says
};

struct Dispatch {
    std::string name;                          // for what checks find
    std::uint64_t address = 0;                 // where harts begin
    std::uint64_t groups = 1;
    unsigned group_harts = 1;
    std::uint64_t most_instructions = 0;       // of all harts together, about; 0: no limit
    const System* lender = nullptr;           // whose memory it runs in, where that is not its machine's
    std::vector<std::uint64_t> group_memory;   // bytes of each memory that is each group's, by its number
    // How many registers of each file matter to who begins, from the first on: others keep what the hart before has left.
    // Empty: all of all files.
    std::vector<std::uint32_t> registers_used;
    PrivateMemory private_memory;
    std::optional<RegisterImage> registers;    // what is the same for all …
    std::function<bool(HartRegisters&, const HartPlace&)> set_up;   // … and what is not; false: this hart does not run
    std::function<std::uint64_t(const HartRegisters&)> look_at;   // a hart that has faulted; may be empty
    // Called once, by some thread, when no hart of it runs any more. Nobody looks at the dispatch behind it.
    std::function<void(Dispatch&)> completed;

    // How it went.
    DispatchFault fault;
    std::atomic<std::uint64_t> begun = 0, ended = 0;   // groups
    std::atomic<std::uint64_t> instructions = 0;
    std::atomic<bool> failed = false;
    std::uint64_t number = 0;                  // from 1 on, of its dispatcher
    std::uint32_t checked = 0;                 // by what number checks know it
    std::chrono::steady_clock::time_point begin, end;
};

}  // namespace isaforge::machine

// The program as a process of Linux: where its stack, its heap and what it maps lie, and what it finds on its stack when it
// begins. A process has one hart, and lies in the memory that holds code.
//
// Addresses from below: the program's segments, the heap behind them, mappings, the stack.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "isaforge/machine.hpp"
#include "isaforge/object.hpp"
#include "machine/guest_files.hpp"
#include "support/splitmix.hpp"

namespace isaforge::machine {

struct Space;

class Process {
public:
    static constexpr std::uint64_t page = 4096;

    Process(const ProcessOptions& options, std::uint64_t seed);

    // Maps an executable's segments. Nothing where it worked, else why not.
    std::string load(Machine::State& hart, const Executable& executable);

    // Makes the process anew, and gives its first stack pointer; 0 where there is no room.
    std::uint64_t begin(Machine::State& hart);
    bool has_begun() const { return has_begun_; }

    // What the program asks for its memory: an address, or less than 0 where it cannot be had (-errno).
    std::int64_t set_break(Machine::State& hart, std::uint64_t address);
    // `bytes`: what the mapping begins with.
    std::int64_t map(Machine::State& hart, std::uint64_t address, std::uint64_t length, unsigned protection,
                     bool is_fixed, bool replaces, const std::vector<std::uint8_t>& bytes);
    std::int64_t unmap(Machine::State& hart, std::uint64_t address, std::uint64_t length);
    std::int64_t protect(Machine::State& hart, std::uint64_t address, std::uint64_t length, unsigned protection);
    std::int64_t remap(Machine::State& hart, std::uint64_t address, std::uint64_t old_length, std::uint64_t length,
                       bool may_move);

    // As Linux calls the program: the first argument.
    const std::string& name() const { return name_; }
    std::uint64_t mapped_bytes(const Machine::State& hart) const;
    std::uint64_t most_bytes() const { return options_.memory_bytes; }

    GuestFiles files;
    SplitMix64 random;
    std::set<std::uint64_t> unknown_calls;

    // What the program wants done where a signal comes: 0 is what Linux does, `ignore` nothing, else an address.
    static constexpr std::uint64_t last_signal = 64, ignore = 1;
    std::array<std::uint64_t, last_signal + 1> handlers{};

private:
    struct Layout {
        std::uint64_t mappings = 0, stack_end = 0;
    };
    Layout layout(const Machine::State& hart) const;
    std::uint64_t make_stack(Machine::State& hart, std::uint64_t end);
    bool has_room(const Machine::State& hart, std::uint64_t bytes) const;
    std::uint64_t find_free(const Machine::State& hart, std::uint64_t length) const;

    ProcessOptions options_;
    std::string name_;
    std::uint64_t seed_;
    Executable executable_;                            // its segments are not kept
    std::uint64_t program_end_ = 0;                    // behind the last segment
    std::uint64_t heap_ = 0, heap_end_ = 0, heap_limit_ = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> own_;  // the segments' pages: from where, how many bytes
    bool has_begun_ = false;
};

// What the program asks for by linux(number, a0, …, a5): linux.cpp.
std::uint64_t call_linux(Machine::State& hart, std::uint64_t number);

}  // namespace isaforge::machine

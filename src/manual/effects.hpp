// What an instruction touches, as its meaning says it: which operands, registers and memories are read and written, and what
// else happens. Functions are looked into; a way that ends in a trap is told by the trap, not by what the trap does.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "manual/names.hpp"

namespace isaforge::manual {

struct Effects {
    std::set<std::string> reads, writes;                  // operands
    std::set<std::string> registers_read, registers_written;
    std::set<std::string> loads, stores;                  // memories
    std::set<std::string> modes;
    std::set<std::string> traps;                          // functions that leave the instruction, and texts of failures
    std::set<std::string> signals, waits_for;
    std::set<std::string> others;                         // what is said of built-in functions, as "waits for an interrupt"
    std::vector<const semantics::Expression*> delays;     // of results
    bool jumps = false, reads_pc = false, stops = false, atomic = false, calls_host = false;

    void add(const Effects& other);
};

// Looks at the instructions of one edition, and remembers functions.
class EffectFinder {
public:
    explicit EffectFinder(const Edition& edition) : edition_(edition) {}

    Effects of(const Instruction& instruction, const Form& form);

private:
    // A function's effects; `reads` and `writes` hold its parameters.
    struct Summary {
        Effects effects;
        bool leaves = false;  // on every way
    };
    const Summary& summary(std::size_t function);

    friend class EffectWalk;
    const Edition& edition_;
    std::map<std::size_t, Summary> functions_;
    std::set<std::size_t> open_;
};

}  // namespace isaforge::manual

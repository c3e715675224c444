// One program on two machines that should do the same: on two engines, or on one before and after a change of the description.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "isaforge/machine.hpp"

namespace isaforge {

// A machine with the program loaded, whose files are these.
using MakeMachine = std::function<std::unique_ptr<Machine>(std::shared_ptr<Streams> streams)>;

struct Difference {
    std::uint64_t instructions = 0;   // after so many, of all harts, they are not the same any more
    std::uint64_t address = 0;        // of the instruction before, of the first machine's hart 0
    std::vector<std::string> what;    // "S1: 00000005 and 00000006", a line each; the first machine's first
};

struct Comparison {
    RunResult result;                 // of the first machine
    std::unique_ptr<Machine> first, second;  // as they are at the end; at the difference where there is one
    bool differs = false;
    Difference difference;
};

// Runs both, `limit` instructions at most (0: no limit), and compares registers, pc, counts and output as it goes, memory at the
// end. What the first one reads and writes goes to `streams`; the second one gets the same. Where they differ, the runs are made
// again, without input and output, until the first difference is found. Both must do the same in each run: no threads, no
// clock of the host.
Comparison compare_runs(const MakeMachine& first, const MakeMachine& second, std::shared_ptr<Streams> streams,
                        std::uint64_t limit);

}  // namespace isaforge

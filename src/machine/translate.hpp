// From the intermediate form of one instruction to its micro-operations.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/layout.hpp"
#include "machine/micro_op.hpp"
#include "machine/sequence.hpp"
#include "machine/touch.hpp"

namespace isaforge::machine {

struct TranslateInput {
    const Isa* isa = nullptr;
    const ir::Graph* graph = nullptr;
    std::uint64_t address = 0, next_address = 0;
    const std::vector<std::uint32_t>* ports = nullptr;     // for each file what a write adds to the counts, 0: no limit
    const std::uint32_t* port_limits = nullptr;            // Core::port_limits
    const std::vector<std::uint32_t>* signals = nullptr;   // the machine's number of each of the graph's texts
    bool count_executions = false;
    std::uint32_t counter = 0;                             // with it: offset of the counter
    std::uint32_t jump_counter = 0;                        // of the one for writes to pc
    std::uint32_t cycle_counter = 0;                       // and of the one for cycles
    Index main_memory = no_index;                          // System::main
    bool aligned = false;            // accesses must be
    bool aside = false;                                    // no instruction: it ends the run and counts for nothing
};

struct Translation {
    std::vector<MicroOp> ops;
    std::vector<Touch> reads, writes;
    std::vector<std::size_t> computed_ends;                // of ops those that lead to an address that was computed
};

Translation translate(const TranslateInput& input, Layout& layout);

}  // namespace isaforge::machine

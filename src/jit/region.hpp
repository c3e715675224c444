// The function that a region becomes, and the ways into it.
#pragma once

#include <deque>
#include <memory>

#include "jit/emit.hpp"
#include "jit/nodes.hpp"

namespace llvm {
class TargetMachine;
}

namespace isaforge::jit {

// What has to live as long as the code.
struct Kept {
    std::deque<machine::MicroOp> ops;
    std::deque<machine::Computation> computations;
    std::deque<machine::AccessSite> accesses;
    std::deque<machine::LateShape> shapes;
};

// Fills the module with a function for each entry, of that name; `compiled` says of which units there is code. False where
// none of the entries can be compiled.
bool emit_region(llvm::Module& module, const machine::CodeRegion& region, const machine::CompilerTarget& target,
                 Kept& kept, std::vector<bool>& compiled);
std::string entry_name(std::size_t entry);

// Makes it fast.
void optimise(llvm::Module& module, llvm::TargetMachine& host);

}  // namespace isaforge::jit

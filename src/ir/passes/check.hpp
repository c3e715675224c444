// Makes a graph watch itself. Beside each value it gets a shadow, a value of as many bits, in which a bit is 1 where nobody has
// written the one that it shadows; registers have shadows in files of their own, memory has them at the checker. Where a bit
// that nobody has written decides something (a way, a lane, an address), and where memory is accessed, the checker is told.
//
// The text of a `check_use` names the registers whose bits it may be, as "v#2 exec#0": not those that a register gets by its number
// or that come from memory.
//
// What the graph does is what it did before, but that accesses are left out where the checker says so.
#pragma once

#include "ir/graph.hpp"
#include "isaforge/isa.hpp"

namespace isaforge::ir {

struct CheckPlan {
    bool definedness = false;  // shadows
    bool accesses = false;     // check_access
    Index shadow_files = 0;    // the first of the files of shadows, which are in the order of the others
};

// `isa` has the files of shadows.
void add_checks(Graph& graph, const CheckPlan& plan, const Isa& isa);

// Leaves out what a description says for the checker alone.
void drop_checks(Graph& graph);

// The type of a value's shadow.
Type shadow_type(Type type);

// The same instruction set with the files of shadows behind its own.
Isa with_shadow_files(const Isa& isa);

}  // namespace isaforge::ir

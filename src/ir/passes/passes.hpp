// What makes a graph smaller without changing what it does. Each is a plain function over a graph and says whether it changed
// something; each in its file. After each the graph is one (ir/verify.hpp).
#pragma once

#include "ir/graph.hpp"

namespace isaforge::ir {

// Computes what is known, uses the rules of algebra, and leaves out blocks that nothing leads to and edges that are never taken.
bool fold(Graph& graph);

// What was computed already, on every path, is not computed again.
bool share(Graph& graph);

// A register that was read or written before on the same way is not read again.
bool forward_registers(Graph& graph);

// The same where both are under a mask, and nobody asks for what other lanes have.
bool forward_masked(Graph& graph);

// A register that is written again, before anybody can look, is not written the first time.
bool drop_dead_writes(Graph& graph);

// Leaves out values that nobody uses, arguments of blocks among them.
bool drop_unused(Graph& graph);

// Leaves out all operations of a kind that gives nothing.
void drop_all(Graph& graph, Op op);

// All of these but the last, in this order, until nothing changes.
void optimise(Graph& graph);

}  // namespace isaforge::ir

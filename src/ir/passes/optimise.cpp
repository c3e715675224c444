#include "ir/passes/passes.hpp"

namespace isaforge::ir {

void optimise(Graph& graph) {
    constexpr unsigned most_rounds = 8;  // what is left then is right, if not as small as it could be
    for (unsigned round = 0; round < most_rounds; ++round) {
        bool changed = fold(graph);
        changed |= share(graph);
        changed |= forward_registers(graph);
        changed |= forward_masked(graph);
        changed |= drop_dead_writes(graph);
        changed |= drop_unused(graph);
        if (!changed) return;
    }
}

}  // namespace isaforge::ir

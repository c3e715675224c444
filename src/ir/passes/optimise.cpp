#include <iterator>

#include "ir/passes/passes.hpp"

namespace isaforge::ir {

void optimise(Graph& graph) {
    constexpr bool (*passes[])(Graph&) = {fold,       share, forward_registers, forward_masked, drop_dead_writes,
                                          drop_unused};
    constexpr unsigned count = std::size(passes);
    constexpr unsigned most = 8 * count;  // what is left then is right, if not as small as it could be
    unsigned in_vain = 0;
    for (unsigned i = 0; i < most && in_vain < count; ++i) in_vain = passes[i % count](graph) ? 0 : in_vain + 1;
}

}  // namespace isaforge::ir

// Lowering: the ways that control takes. What variables hold is known on each of them; where several meet, the block that goes
// on has arguments for those that differ.
#include <algorithm>

#include "semantics/lowering.hpp"

namespace isaforge::semantics {

void Lowering::join(const std::vector<Way>& ways, std::size_t kept) {
    if (ways.empty()) return;
    if (ways.size() == 1) {
        begin(ways[0].block);
        slots.assign(ways[0].slots.begin(), ways[0].slots.begin() + static_cast<std::ptrdiff_t>(kept));
        return;
    }
    const ir::BlockId block = builder.new_block();
    std::vector<std::vector<ir::Value>> given(ways.size());
    slots.resize(kept);
    for (std::size_t slot = 0; slot < kept; ++slot) {
        const ir::Value first = ways[0].slots[slot];
        slots[slot] = first;
        if (std::all_of(ways.begin(), ways.end(), [&](const Way& way) { return way.slots[slot] == first; })) continue;
        slots[slot] = builder.argument(block, graph.type(first));
        for (std::size_t i = 0; i < ways.size(); ++i) {
            given[i].push_back(ways[i].slots[slot]);
            set_source(slots[slot], source_of(ways[i].slots[slot]));
        }
    }
    for (std::size_t i = 0; i < ways.size(); ++i) {
        begin(ways[i].block);
        builder.jump(block, std::move(given[i]));
    }
    begin(block);
}

void Lowering::end(ir::Instruction instruction) {
    builder.end(instruction);
    begin(builder.new_block());
    builder.end({.op = Op::skip});
}

}  // namespace isaforge::semantics

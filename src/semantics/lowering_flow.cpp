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
        std::vector<ir::Value> held(ways.size());
        std::ranges::transform(ways, held.begin(), [&](const Way& way) { return way.slots[slot]; });
        slots[slot] = held[0];
        if (std::all_of(held.begin(), held.end(), [&](ir::Value value) { return value == held[0]; })) continue;
        if (slot == raised.slot) raise_in_equal_lanes(ways, held);
        slots[slot] = builder.argument(block, graph.type(held[0]));
        for (std::size_t i = 0; i < ways.size(); ++i) {
            given[i].push_back(held[i]);
            set_source(slots[slot], source_of(held[i]));
        }
    }
    for (std::size_t i = 0; i < ways.size(); ++i) {
        begin(ways[i].block);
        builder.jump(block, std::move(given[i]));
    }
    begin(block);
}

// What was raised on one way may be of one lane, and of many on another.
void Lowering::raise_in_equal_lanes(const std::vector<Way>& ways, std::vector<ir::Value>& raised_on) {
    unsigned most = 1;
    for (const ir::Value value : raised_on) most = std::max<unsigned>(most, graph.type(value).lanes);
    for (std::size_t i = 0; i < ways.size(); ++i) {
        const unsigned own = graph.type(raised_on[i]).lanes;
        if (own != most && own != 1) raised.lanes_differ = true;
        begin(ways[i].block);
        raised_on[i] = own == 1 ? with_lanes({raised_on[i], {5}}, most).id : raised_on[i];
    }
}

void Lowering::end(ir::Instruction instruction) {
    builder.end(instruction);
    begin(builder.new_block());
    builder.end({.op = Op::skip});
}

}  // namespace isaforge::semantics

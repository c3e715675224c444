// What the meaning of an instruction says about where it goes on, without executing it: what a debugger has to know of
// calls and returns, which no description names.
#include <algorithm>

#include "machine/state.hpp"

namespace isaforge {

namespace {

constexpr unsigned most_steps_back = 6;

using ir::Graph;
using ir::Instruction;
using ir::Op;

// Whether a value is the address behind the instruction, perhaps cut.
bool is_behind(const Graph& graph, ir::Value value, std::uint64_t behind) {
    return graph.is_known(value, behind & ir::ones(graph.type(value)));
}

// Whether a target is known, or one of two that are, as in `pc = c ? T : next()`.
bool is_known(const Graph& graph, ir::Value value, unsigned depth = 0) {
    if (graph.known(value)) return true;
    const Instruction* made = maker_of(graph, value);
    return made != nullptr && depth < most_steps_back && made->op == Op::select &&
           is_known(graph, made->operands[1], depth + 1) && is_known(graph, made->operands[2], depth + 1);
}

// What is put into a register or into memory; no_value of other instructions.
ir::Value written_value(const Instruction& each) {
    const bool writes = each.op == Op::put || each.op == Op::put_at || each.op == Op::store;
    return writes ? each.inputs().back() : ir::no_value;
}

}  // namespace

Jump Machine::jump_at(std::uint64_t address) const {
    Index form = no_index;
    Image image;
    unsigned bits = 0;
    if (!decode(address, form, image, bits) || !isa().instruction_of(isa().forms[form]).meaning) return {};
    const semantics::Site site = state_->site_of(address, bits);
    std::string trouble;
    const auto found = state_->system->forms.instruction(form, image, site, trouble);
    Jump jump;
    if (!found) return jump;
    const Graph& graph = *found;
    bool jumps = false;
    const auto note = [&](ir::Value target) {
        if (is_behind(graph, target, site.next_address)) return;
        jumps = true;
        jump.computed = jump.computed || !is_known(graph, target);
    };
    for (const ir::Block& block : graph.blocks) {
        for (const ir::Instruction& each : block.body) {
            if (each.op == Op::put_pc) note(each.operands[0]);
            const ir::Value written = written_value(each);
            jump.calls = jump.calls || (written != ir::no_value && is_behind(graph, written, site.next_address));
        }
        if (block.end.op == Op::leave) note(block.end.operands[0]);
    }
    jump.calls = jump.calls && jumps;
    return jump;
}

}  // namespace isaforge

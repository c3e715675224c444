// What the meaning of an instruction says about where it goes on, without executing it: what a debugger has to know of
// calls and returns, which no description names.
#include <algorithm>

#include "machine/state.hpp"

namespace isaforge {

namespace {

constexpr unsigned most_steps_back = 6;

using semantics::Action;
using semantics::Code;
using semantics::Step;
using semantics::Value;
using semantics::ValueId;

// The step that makes a value; null of constants.
const Step* step_of(const Code& code, ValueId id) {
    const auto found =
        std::find_if(code.steps.begin(), code.steps.end(), [&](const Step& step) { return step.result == id; });
    return found == code.steps.end() ? nullptr : &*found;
}

// Whether a value is the address behind the instruction, as a number or as `next()`, perhaps cut or widened.
bool is_behind(const Code& code, ValueId id, std::uint64_t behind, unsigned depth = 0) {
    const Value& value = code.values[id];
    if (value.kind == Value::Kind::constant) return value.constant == (behind & semantics::mask_of(value.container));
    const Step* step = step_of(code, id);
    if (step == nullptr || value.kind != Value::Kind::temporary || depth == most_steps_back) return false;
    if (step->action == Action::next_pc) return true;
    const bool same = step->action == Action::resize || step->action == Action::bit_and;
    return same && is_behind(code, step->a, behind, depth + 1);
}

// Whether a target is known, or one of two that are, as in `pc = c ? T : next()`.
bool is_known(const Code& code, ValueId id, std::uint64_t behind, unsigned depth = 0) {
    if (code.values[id].kind == Value::Kind::constant || is_behind(code, id, behind)) return true;
    const Step* step = step_of(code, id);
    return step != nullptr && depth < most_steps_back && step->action == Action::select &&
           is_known(code, step->b, behind, depth + 1) && is_known(code, step->c, behind, depth + 1);
}

// What a step puts into a register or into memory; no_value of others.
ValueId written_value(const Step& step) {
    return step.action == Action::write ? step.a : step.action == Action::store ? step.b : semantics::no_value;
}

}  // namespace

Jump Machine::jump_at(std::uint64_t address) const {
    Index form = no_index;
    Image image;
    unsigned bits = 0;
    if (!decode(address, form, image, bits) || !isa().instruction_of(isa().forms[form]).meaning) return {};
    const std::vector<semantics::Binding> bindings = state_->bindings_of(form, image);
    const semantics::LowerInput input = state_->input_for(isa().forms[form], bindings, address, bits);
    Diagnostics diagnostics;
    const semantics::LowerResult lowered = state_->lower_now(input, diagnostics);
    Jump jump;
    if (!lowered.ok) return jump;
    bool jumps = false;
    for (const Step& step : lowered.code.steps) {
        if (step.action == Action::write_pc) {
            jumps = true;
            jump.computed = jump.computed || !is_known(lowered.code, step.a, input.next_address);
        }
        const ValueId written = written_value(step);
        if (written == semantics::no_value) continue;
        jump.calls = jump.calls || is_behind(lowered.code, written, input.next_address);
    }
    jump.calls = jump.calls && jumps;
    return jump;
}

}  // namespace isaforge

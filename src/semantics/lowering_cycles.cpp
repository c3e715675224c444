// Lowering: how many cycles an instruction takes. A column or a name says it, statements add to it, and the graph ends with the
// sum. Whoever does not count leaves that one operation out, and with it all that was computed for it alone.
#include <fmt/format.h>

#include <algorithm>

#include "semantics/lowering.hpp"

namespace isaforge::semantics {

namespace {

// Operations that somebody outside notices.
std::size_t acts_in(const ir::Graph& graph) {
    std::size_t count = 0;
    for (const ir::Block& block : graph.blocks)
        count += static_cast<std::size_t>(std::count_if(block.body.begin(), block.body.end(), [](const auto& each) {
            return ir::about(each.op).effect == ir::Effect::acts;
        }));
    return count;
}

}  // namespace

// Whether the name is what was counted so far: in statements, and not where names are explained, which say the first of it.
bool Lowering::is_cycle_count(std::string_view name) const {
    return counts_ && name == cycle_count && (!naming_ || contexts_.back().function != nullptr);
}

// A number of cycles from whatever it is.
Typed Lowering::cycles_from(const Item& item, Place place) {
    if (!item) return {};
    if (item.kind == Item::Kind::rule) {
        error(place, fmt::format("`{0}` is a number, which statements add to by themselves: `{0} += 1`", cycle_count));
        return {};
    }
    if (item.kind == Item::Kind::floating || (item.kind == Item::Kind::literal && item.literal < 0)) {
        error(place, "an instruction takes a whole number of cycles, from 0 on");
        return {};
    }
    Typed given = typed(item, cycle_type.bits, place);
    if (!given) return {};
    if (given.type.lanes != 1) {
        error(place, "an instruction takes so many cycles for all of its lanes: use sum, any or an element");
        return {};
    }
    widen(given, cycle_type);
    if (given.type.bits == cycle_type.bits && !given.type.is_signed) return given;
    if (needs_steering(given)) return {};
    const char* const how = given.type.is_signed ? "convert" : given.type.bits < cycle_type.bits ? "widen" : "cut";
    Diagnostic& message =
        error(place, fmt::format("cycles are counted in u{0} but the value is {1}: {2} it with u{0}(…)",
                                 cycle_type.bits, to_text(given.type), how));
    if (given.type.bits < cycle_type.bits) note_exact(message, given, place);
    return {};
}

// What names and columns say: the innermost of them.
Typed Lowering::cycles_said() {
    if (const Local* const local = find_local(cycle_count)) return local->item.value;
    const auto& columns = input_.instruction->constants;
    if (const auto column = columns.find(cycle_count); column != columns.end())
        return cycles_from(Item::of(Literal(column->second)), input_.instruction->where);
    for (const Naming& naming : isa.names_in_meanings) {
        if (naming.name != cycle_count) continue;
        contexts_.emplace_back();
        naming_ = true;
        const Item meant = naming.parameter.empty() ? item(*naming.value, cycle_type.bits)
                                                    : Item{.kind = Item::Kind::rule, .rule = &naming};
        naming_ = false;
        contexts_.pop_back();
        return cycles_from(meant, naming.value->place);
    }
    return {};
}

void Lowering::add_cycles(Typed more) {
    if (more) slots[cycles_slot] = compute(Op::add, cycle_type, {{slots[cycles_slot], cycle_type}, more}).id;
}

// Behind the names of an instruction, and in front of its statements: to these the name means the sum.
void Lowering::begin_cycles() {
    if (!counts_ || left_ || steering != nullptr) return;
    add_cycles(cycles_said());
    std::erase_if(context().locals, [](const Local& local) { return local.name == cycle_count; });
}

void Lowering::count_cycles() {
    if (counts_ && !graph.is_known(slots[cycles_slot], 0))
        add({.op = Op::count_cycles, .operands = {slots[cycles_slot], no_value, no_value}});
}

// Of an instruction whose guard does not hold: what it says, without what its statements would add. It does nothing else, so that
// the number cannot depend on what only they may read.
void Lowering::count_skipped() {
    if (!counts_) return;
    const std::size_t locals = context().locals.size(), acts = acts_in(graph);
    Mentioned mentioned;
    mentioned.add(cycle_count);
    names(asked_for(input_.instruction->names_in_meaning, mentioned));
    add_cycles(cycles_said());
    leave_scope(locals);
    if (acts_in(graph) != acts)
        error(input_.instruction->guard->place,
              "where this does not hold, the instruction still takes cycles, and how many depends on what the names of "
              "its table load: load it in the statements");
}

void Lowering::write_cycles(Typed assigned, Place place) {
    const bool by_lane = std::any_of(contexts_.begin(), contexts_.end(),
                                     [](const Context& active) { return active.lane_branch_depth != 0; });
    if (assigned.type.lanes != 1 || by_lane) {
        error(place, "cycles are counted for all lanes together, and this differs from lane to lane");
        return;
    }
    slots[cycles_slot] = assigned.id;
}

}  // namespace isaforge::semantics

// Lowering, third part: statements, and the instruction as a whole.
#include <fmt/format.h>

#include <algorithm>

#include "language/limits.hpp"
#include "semantics/lowering.hpp"
#include "semantics/slices.hpp"

namespace isaforge::semantics {

namespace {

constexpr Literal max_repeats = language::most_rounds;
constexpr Literal max_delay = 63;

const Expression& base_of(const Expression& expression) {
    const bool part = expression.kind == ExpressionKind::slice || expression.kind == ExpressionKind::member ||
                      expression.kind == ExpressionKind::consecutive;
    return part ? base_of(*expression.operands[0]) : expression;
}

}  // namespace

Binding bind(const Codec& codec, Index type_index, std::uint64_t code, const Image& image, unsigned tail_at) {
    const OperandType& type = codec.isa().operand_types[type_index];
    Binding binding{.type = type_index, .known = true, .code = code};
    if (type.kind != OperandKind::table) return binding;
    binding.row = codec.row_of(type_index, code);
    for (Index row = 0; binding.row == no_index && row < type.rows.size(); ++row)  // reserved, but given by a table
        if (type.rows[row].reserved && type.rows[row].meaning && type.rows[row].claims(code)) binding.row = row;
    if (binding.row == no_index) return binding;
    for (const Field& field : type.rows[binding.row].fields)
        binding.captures.push_back(bind(codec, field.type, field.code_in(code, image, tail_at), image, tail_at));
    return binding;
}

Binding bind_fixed(const Isa& isa, Index type_index, std::uint64_t code) {
    const OperandType& type = isa.operand_types[type_index];
    Binding binding{.type = type_index, .known = true, .code = code};
    if (type.kind != OperandKind::table) return binding;
    for (Index row = 0; row < type.rows.size() && binding.row == no_index; ++row)
        if ((code & type.rows[row].mask) == type.rows[row].value) binding.row = row;
    if (binding.row == no_index) return binding;
    for (const Field& field : type.rows[binding.row].fields)
        binding.captures.push_back(bind_fixed(isa, field.type, field.place.extract(code)));
    return binding;
}

Diagnostic& Lowering::error(Place place, std::string message) {
    failed_ = true;
    static thread_local Diagnostic ignored;
    if (exhausted_) return ignored = {};
    Diagnostic& diagnostic = diagnostics_.error(place, std::move(message));
    unsigned shown = 0;
    for (auto context = contexts_.rbegin(); context != contexts_.rend() && shown < 4; ++context)
        if (context->function != nullptr && context->call.known()) {
            diagnostic.note(context->call, fmt::format("called here as `{}`", context->function->name));
            ++shown;
        }
    return diagnostic;
}

void Lowering::warn(Place place, std::string message) {
    if (warnings_) diagnostics_.warning(place, std::move(message));
}

// What an instruction is made of: `on fetch`, its own meaning, `on retire`, and the modes that changed. leave() goes to the
// modes. An event is the same without the first and the third.
LowerResult Lowering::run() {
    counts_ = isa.has_cycles && input_.expression == nullptr && !input_.only_modes;
    if (input_.only_modes) {
        write_modes(true);
    } else if (input_.expression != nullptr) {
        about_instruction(*input_.expression);
    } else if (input_.event != nullptr) {
        event(*input_.event);
    } else {
        lanes = input_.instruction->lanes;
        if (!input_.alone) event_named("fetch");
        if (!left_) instruction_body(*input_.instruction);
        lanes = 1;
        mask = no_value;
        if (!skips_.empty()) {
            if (!left_) skips_.push_back(here());
            join(skips_, first_free_slot);
            left_ = false;
        }
        if (!left_ && !input_.alone) event_named("retire");
    }
    if (!left_) leaves_.push_back(here());
    left_ = false;
    join(leaves_, first_free_slot);
    if (!input_.only_modes && steering == nullptr) write_modes(false);
    count_cycles();
    builder.end({.op = Op::leave, .operands = {slots[pc_slot], no_value, no_value}});
    LowerResult result{.graph = std::move(graph),
                       .openings = std::move(openings_),
                       .ok = !failed_ && !exhausted_,
                       .steering = steering};
    result.effort = evaluations_;
    if (steering != nullptr) result.ok = false;
    return result;
}

// The guard comes first: where it does not hold, nothing of the rest happens.
void Lowering::instruction_body(const Instruction& instruction) {
    contexts_.push_back({.fields = input_.fields, .bindings = input_.bindings, .instruction = true});
    Mentioned mentioned = mentioned_by(instruction);
    const std::vector<const Naming*> of_row = asked_for(instruction.names_in_meaning, mentioned);
    if (input_.names != nullptr) names(asked_for(*input_.names, mentioned));
    bool never = !guard(instruction);
    if (!never) lane_mask(instruction);
    if (!never && isa.has_watched_steps()) tell_checker(instruction);
    if (counts_ || (instruction.meaning && !never)) names(of_row);
    begin_cycles();
    if (instruction.meaning && !never) {
        note_assigned(*instruction.meaning, context());
        block(*instruction.meaning);
        leave_scope(0, instruction.meaning.get());
    }
    contexts_.pop_back();
}

// By its statements, and by what is asked before them. Nothing where there are no names to ask for.
Mentioned Lowering::mentioned_by(const Instruction& instruction) const {
    Mentioned out;
    if (instruction.names_in_meaning.list().empty() && (input_.names == nullptr || input_.names->list().empty()))
        return out;
    for_each_name_in(instruction, [&](const std::string& name) { out.add(name); });
    if (counts_) out.add(cycle_count);
    return out;
}

// Those of the names that are mentioned, which then mention others in front of them.
std::vector<const Naming*> Lowering::asked_for(const SharedList<Naming>& list, Mentioned& mentioned) const {
    std::vector<const Naming*> out;
    for (auto naming = list.list().rbegin(); naming != list.list().rend(); ++naming) {
        if (!input_.every_name && !mentioned.may_have(naming->name)) continue;
        mentioned.add_all_of(naming->value);
        out.push_back(&*naming);
    }
    std::ranges::reverse(out);
    return out;
}

// As arguments of a function: what is a place stays one, what is a value is computed here.
void Lowering::names(const std::vector<const Naming*>& list) {
    for (const Naming* const each : list) {
        const Naming& naming = *each;
        if (steering != nullptr || left_) return;
        const bool is_rule = !naming.parameter.empty(), is_count = naming.name == cycle_count;
        naming_ = true;
        Item meant = is_rule ? Item{.kind = Item::Kind::rule, .rule = &naming, .context = contexts_.size() - 1}
                             : item(*naming.value, is_count ? cycle_type.bits : 0);
        naming_ = false;
        if (is_count) meant = Item::of(cycles_from(meant, is_rule ? naming.where : naming.value->place));
        context().locals.push_back({naming.name, std::move(meant), no_slot, true, true, naming.where});
    }
}

void Lowering::event(const EventHandler& handler) {
    Context inner;
    for (std::uint32_t i = 0; i < handler.parameters.size(); ++i)
        inner.locals.push_back({handler.parameters[i],
                                Item::of(machine_value(Op::event_value, {pc_bits(), false, 1}, i)), no_slot, true, true,
                                handler.where});
    note_assigned(*handler.body, inner);
    contexts_.push_back(std::move(inner));
    if (handler.condition) wait_for(*handler.condition);
    block(*handler.body);
    leave_scope(handler.parameters.size(), handler.body.get());
    contexts_.pop_back();
}

// Where the condition does not hold the event has to wait: nothing happens.
void Lowering::wait_for(const Expression& condition) {
    Typed holds = value(condition, 1);
    if (!holds) return;
    if (holds.type.lanes != 1) {
        error(condition.place, "a condition is one for all lanes");
        return;
    }
    only_where(truth(holds));
}

// Goes on where a condition holds; elsewhere the instruction does nothing.
void Lowering::only_where(Typed condition) {
    const ir::BlockId taken = builder.new_block(), skipped = builder.new_block();
    builder.branch(condition.id, taken, skipped);
    begin(skipped);
    if (input_.event == nullptr) {
        const Way before = here();
        count_skipped();
        count_cycles();
        slots = before.slots;
    }
    builder.end({.op = Op::skip});
    begin(taken);
}

void Lowering::event_named(std::string_view name) {
    for (const EventHandler& handler : isa.events)
        if (handler.name == name) event(handler);
}

void Lowering::leave(Place place) {
    for (const Context& active : contexts_)
        if (active.lane_branch_depth != 0) {
            error(place, "leave() under a condition that differs from lane to lane: use any(…)");
            return;
        }
    if (locks_ != 0) act(Op::unlock);
    leaves_.push_back(here());
    end({.op = Op::skip});
    left_ = true;
}

bool Lowering::depends(const Mode& which) const {
    if (aborts_) return true;
    for (const auto& [file, number] : written_)
        for (const Mode::Read& read : which.reads)
            if (read.file == file && (read.number == Mode::any_number || number == no_number || read.number == number))
                return true;
    return false;
}

// The new values of the modes whose registers the steps so far may write; or of all.
void Lowering::write_modes(bool all) {
    for (Index i = 0; i < isa.modes.size(); ++i) {
        const Mode& which = isa.modes[i];
        if (!all && !depends(which)) continue;
        contexts_.emplace_back();
        Typed now = value(*which.value, which.bits);
        contexts_.pop_back();
        if (!now) continue;
        widen(now, {which.bits, false, 1});
        if (now.type.bits != which.bits || now.type.lanes != 1) {
            if (!needs_steering(now))
                error(which.where, fmt::format("the mode is u{} but its value is {}", which.bits, to_text(now.type)));
            continue;
        }
        add({.op = Op::put_mode, .operands = {now.id, no_value, no_value}, .object = i});
    }
}

// False where the guard is known not to hold.
bool Lowering::guard(const Instruction& instruction) {
    if (!instruction.guard) return true;
    Typed condition = value(*instruction.guard, 1);
    if (!condition) return true;
    if (condition.type.lanes != 1) {
        error(instruction.guard->place, "a guard is one for all lanes: use the lane mask");
        return true;
    }
    condition = truth(condition);
    if (auto constant_guard = known(condition.id)) return *constant_guard != 0;
    // Where every instruction does something at its end, one that is skipped does so too.
    bool always_retires = std::any_of(isa.events.begin(), isa.events.end(),
                                      [](const EventHandler& handler) { return handler.name == "retire"; });
    if (!always_retires) {
        only_where(condition);
        return true;
    }
    const ir::BlockId taken = builder.new_block(), skipped = builder.new_block();
    builder.branch(condition.id, taken, skipped);
    begin(skipped);
    const Way before = here();
    count_skipped();
    skips_.push_back(here());
    slots = before.slots;
    begin(taken);
    return true;
}

void Lowering::lane_mask(const Instruction& instruction) {
    if (!instruction.lane_mask) return;
    Typed condition = value(*instruction.lane_mask, 1);
    if (!condition) return;
    condition = with_lanes(truth(condition), condition.type.lanes == 1 ? lanes : condition.type.lanes);
    if (condition.type.lanes != lanes)
        error(instruction.lane_mask->place,
              fmt::format("the mask has {} lanes but the instruction {}", condition.type.lanes, lanes));
    mask = condition.id;
}

// That it begins, and by which counters its results arrive.
void Lowering::tell_checker(const Instruction& instruction) {
    const ir::Value always = graph.constant(ir::Type::truth(1), 1);
    add({.op = Op::check_step, .operands = {mask == no_value ? always : mask, no_value, no_value}});
    for (const Arrival& arrival : instruction.arrivals) {
        ir::Value arrives = always;
        if (arrival.condition) {
            Typed condition = value(*arrival.condition, 1);
            if (!condition) continue;
            if (condition.type.lanes != 1)
                error(arrival.condition->place, "it arrives for all lanes or for none: use any");
            arrives = truth(condition).id;
        }
        add({.op = Op::check_arrival,
             .operands = {arrives, no_value, no_value},
             .object = graph.text(arrival.counter),
             .number = arrival.in_order});
    }
}

// One operand row by itself, its captures open: "u32", "r u32", or "number" where it has no width. Empty on an error.
std::string Lowering::shape_of(const Field& field, const Binding& binding) {
    contexts_.emplace_back();
    Item found = bound(field, binding, field.where);
    if (!found || failed_) return {};
    switch (found.kind) {
        case Item::Kind::value: return to_text(found.value.type);
        case Item::Kind::location: {
            const Location& location = found.location;
            std::string kind =
                location.kind == Location::Kind::element ? isa.register_files[location.object].name : "place";
            return kind + " " + to_text(location.type);
        }
        default: return "number";
    }
}

// A number that has to be known where the instruction is.
void Lowering::about_instruction(const Expression& expression) {
    contexts_.push_back({.fields = input_.fields, .bindings = input_.bindings, .instruction = true});
    value(expression, 32);
    const auto is_pure = [](const ir::Instruction& each) { return about(each.op).effect == ir::Effect::pure; };
    for (const ir::Block& each : graph.blocks)
        if (!std::all_of(each.body.begin(), each.body.end(), is_pure) && !failed_)
            error(expression.place,
                  "this is about an instruction as it stands there: it cannot depend on what is in "
                  "registers and memory");
    contexts_.pop_back();
}

namespace {

void add_registers(const Location& location, const ir::Graph& graph, Meant& meant) {
    if (location.kind == Location::Kind::element) {
        const auto number = location.number != no_number ? location.number : graph.known(location.index.id);
        if (number) meant.registers.emplace_back(location.object, *number);
    }
    for (const Location& part : location.inner) add_registers(part, graph, meant);
}

}  // namespace

Meant Lowering::meant_by(const Expression& expression) {
    contexts_.push_back({.fields = input_.fields, .bindings = input_.bindings, .instruction = true});
    const Item found = item(expression);
    Meant meant;
    if (found.kind == Item::Kind::location) add_registers(found.location, graph, meant);
    if (found.kind == Item::Kind::literal) meant.number = static_cast<std::uint64_t>(found.literal);
    if (found.kind == Item::Kind::value) meant.number = known(found.value.id);
    for (const ir::Block& block : graph.blocks)
        for (const ir::Instruction& each : block.body)
            if (each.op == Op::get || each.op == Op::get_at)
                if (const auto number = each.op == Op::get ? each.number : graph.known(each.operands[0]))
                    meant.registers.emplace_back(each.object, *number);
    contexts_.pop_back();
    return failed_ ? Meant{} : meant;
}

Meant meant_by(const Expression& expression, const LowerInput& input, Diagnostics& diagnostics) {
    return Lowering(input, diagnostics, false).meant_by(expression);
}

LowerResult lower(const LowerInput& input, Diagnostics& diagnostics, bool warnings) {
    return Lowering(input, diagnostics, warnings).run();
}

// ---------------------------------------------------------------------------------------------------------------------

void Lowering::note_assigned(const Block& statements, Context& into) {
    for (const Statement& statement : statements) {
        if (statement.kind == StatementKind::assign)
            for (const ExpressionPointer& assigned_target : statement.targets)
                if (assigned_target) into.assigned.emplace_back(base_of(*assigned_target).name);
        note_assigned(statement.body, into);
        note_assigned(statement.otherwise, into);
    }
}

void Lowering::block(const Block& statements) {
    for (const Statement& next : statements) {
        if (steering != nullptr || exhausted_ || left_) return;
        if (context().finished) {
            warn(next.place, "this is never reached: a `return` stands before it");
            return;
        }
        statement(next);
    }
}

void Lowering::scope(const Block& statements) {
    std::size_t size = context().locals.size();
    block(statements);
    leave_scope(size, &statements);
}

namespace {

bool mentions(const Expression& expression, std::string_view name) {
    return expression.name == name || std::ranges::any_of(expression.operands, [&](const ExpressionPointer& operand) {
               return operand && mentions(*operand, name);
           });
}

// Other than as what is assigned.
bool mentions(const Block& statements, std::string_view name) {
    return std::ranges::any_of(statements, [&](const Statement& statement) {
        for (const ExpressionPointer* const each :
             {&statement.value, &statement.first, &statement.last, &statement.delay})
            if (*each && mentions(**each, name)) return true;
        for (const ExpressionPointer& target : statement.targets)
            if (target && target->name != name && mentions(*target, name)) return true;
        return mentions(statement.body, name) || mentions(statement.otherwise, name);
    });
}

}  // namespace

// `statements`: those of the scope. Where what a branch asks for is known here, those of its other side have not been seen.
void Lowering::leave_scope(std::size_t size, const Block* statements) {
    auto& locals = context().locals;
    if (warnings_ && !failed_) {
        auto local =
            std::prev(locals.end(), static_cast<std::ptrdiff_t>(locals.size() - std::min(size, locals.size())));
        for (; local != locals.end(); ++local)
            if (!local->read && !local->parameter && (statements == nullptr || !mentions(*statements, local->name)))
                warn(local->place, fmt::format("`{}` is never read", local->name));
    }
    for (; locals.size() > size; locals.pop_back())
        if (locals.back().slot != no_slot) slots.resize(std::min(slots.size(), locals.back().slot));
}

void Lowering::statement(const Statement& next) {
    if (!budget(next.place)) return;
    const Deeper deeper(depth_);
    switch (next.kind) {
        case StatementKind::assign: assign(next); break;
        case StatementKind::local: declare(next); break;
        case StatementKind::branch: branch(next); break;
        case StatementKind::repeat: repeat(next); break;
        case StatementKind::choose: choose(next); break;
        case StatementKind::call: item(*next.value); break;
        case StatementKind::give: give(next); break;
        case StatementKind::atomic: atomic(next); break;
    }
}

// What is declared keeps the value of this moment. A local that a statement assigns later becomes a variable.
void Lowering::declare(const Statement& next) {
    Item initial = item(*next.value);
    Local local{.name = next.name, .place = next.place};
    const auto& all_assigned = context().assigned;
    const bool assigned = std::find(all_assigned.begin(), all_assigned.end(), next.name) != all_assigned.end();
    if (initial.kind == Item::Kind::location || assigned) initial = Item::of(typed(initial, 0, next.value->place));
    if (initial && assigned) {
        local.slot = slots.size();
        slots.push_back(initial.value.id);
        initial.value.exact = false;
    }
    local.item = std::move(initial);
    context().locals.push_back(std::move(local));
}

void Lowering::repeat(const Statement& next) {
    auto first = known_integer(*next.first, "the bound of a loop"),
         last = known_integer(*next.last, "the bound of a loop");
    if (!first || !last) return;
    if (*last - *first >= max_repeats) {
        error(next.place, fmt::format("a loop of more than {} rounds", std::int64_t(max_repeats)));
        return;
    }
    for (Literal i = *first; i <= *last && !failed_ && !context().finished && !left_ && steering == nullptr; ++i) {
        std::size_t size = context().locals.size();
        context().locals.push_back({next.name, Item::of(i), no_slot, true, true, next.place});
        block(next.body);
        leave_scope(size, &next.body);
    }
}

void Lowering::choose(const Statement& next) {
    Item subject = subject_of(*next.value);
    if (!subject || next.body.empty()) return;
    std::optional<std::size_t> arm;
    if (!arm_of(*next.value, subject, false, arm)) return;
    const Block* rest = &next.body;
    if (arm) {
        for (std::size_t i = 0; i < *arm; ++i) rest = &rest->front().otherwise;
        const bool is_else = rest->empty() || *arm >= arms(*next.value);
        return scope(is_else ? *rest : rest->front().body);
    }
    const std::size_t size = context().locals.size();
    context().locals.push_back({case_subject, std::move(subject), no_slot, true, true, next.place});
    block(*rest);
    leave_scope(size);
}

void Lowering::branch(const Statement& next) {
    Item asked = item(*next.value);
    if (!asked) return;
    if (asked.kind == Item::Kind::literal) return scope(asked.literal != 0 ? next.body : next.otherwise);
    Typed condition = typed(asked, 0, next.value->place);
    if (!condition) return;
    if (auto constant_condition = known(condition.id))
        return scope(*constant_condition != 0 ? next.body : next.otherwise);
    condition = truth(condition);
    if (condition.type.lanes != 1) return lane_branch(next, condition);
    const ir::BlockId where_true = builder.new_block(), where_false = builder.new_block();
    const Way before = here();
    builder.branch(condition.id, where_true, where_false);
    std::vector<Way> ways;
    bool all_finished = true, all_left = true;
    ++context().branch_depth;
    for (const Block* side : {&next.body, &next.otherwise}) {
        context().finished = left_ = false;
        begin(side == &next.body ? where_true : where_false);
        slots = before.slots;
        scope(*side);
        all_finished = all_finished && (context().finished || left_);
        all_left = all_left && left_;
        if (!context().finished && !left_) ways.push_back(here());
    }
    --context().branch_depth;
    context().finished = all_finished;
    left_ = all_left;
    join(ways, before.slots.size());
}

// Lanes that disagree: both sides run, each under its own mask.
void Lowering::lane_branch(const Statement& next, Typed condition) {
    const ir::Value outer = mask;
    ++context().lane_branch_depth;
    mask = both(outer, condition);
    scope(next.body);
    mask = both(outer, negation(condition));
    scope(next.otherwise);
    mask = outer;
    --context().lane_branch_depth;
}

void Lowering::atomic(const Statement& next) {
    Typed address = value(*next.value, 64);
    Index memory = code_memory();
    if (memory == no_index) {
        error(next.place, "`atomic` needs a memory");
        return;
    }
    if (!address) return;
    if (address.type.lanes != 1) {
        error(next.value->place, "the address is one for all lanes");
        return;
    }
    address.type.is_signed = false;
    add({.op = Op::lock, .operands = {convert(address, {64}).id, no_value, no_value}, .object = memory});
    ++locks_;
    scope(next.body);
    --locks_;
    if (!left_ && !context().finished) act(Op::unlock);
}

void Lowering::give(const Statement& next) {
    Context& active = context();
    if (active.function == nullptr) {
        error(next.place, "`return` belongs into a function");
        return;
    }
    if (active.lane_branch_depth != 0) {
        error(next.place, "`return` under a condition that differs from lane to lane: use c ? a : b");
        return;
    }
    if (!next.value) {
        error(next.place, "`return` needs a value");
        return;
    }
    Item result = item(*next.value);
    Context& now = context();
    now.finished = true;
    if (result.kind == Item::Kind::location && result.location.kind == Location::Kind::local)
        result = Item::of(typed(result, 0, next.value->place));
    if (now.branch_depth == 0 && now.returns.empty()) {
        now.result = std::move(result);
        return;
    }
    Typed given = typed(result, now.returns.empty() ? 0 : now.returns[0].value.type.bits, next.value->place);
    if (!given) return;
    if (!now.returns.empty() && !agree(now, given)) {
        error(next.place, fmt::format("this returns {}, but another `return` of the function {}", to_text(given.type),
                                      to_text(now.returns[0].value.type)));
        return;
    }
    if (locks_ > now.locks) act(Op::unlock);
    now.returns.push_back({here(), given});
    end({.op = Op::skip});
}

// What a function returns is as wide as the widest `return` on its paths: it is widened on each.
bool Lowering::agree(Context& function, Typed& given) {
    const Type narrow = function.returns[0].value.type;
    if (given.type.lanes == 1 && given.type.bits < narrow.bits) widen(given, narrow);
    const bool exact = std::any_of(function.returns.begin(), function.returns.end(),
                                   [](const Return& each) { return each.value.exact; });
    if (given.type.bits > narrow.bits && narrow.lanes == 1 && !exact) {
        const ir::BlockId now = builder.block();
        for (Return& each : function.returns) {
            begin(each.way.block);
            widen(each.value, given.type);
        }
        begin(now);
    }
    const Type type = function.returns[0].value.type;
    if (given.type.lanes == 1) given = with_lanes(given, type.lanes);
    return given.type.bits == type.bits && given.type.lanes == type.lanes;
}

// The value of a function, where its ways meet. What variables outside of it hold is on each.
Item Lowering::returned(std::vector<Return>& returns, std::size_t kept) {
    Typed result = returns[0].value;
    std::vector<Way> ways;
    for (Return& each : returns) {
        result.exact |= each.value.exact;
        each.way.slots.resize(kept);
        each.way.slots.push_back(each.value.id);
        ways.push_back(std::move(each.way));
    }
    join(ways, kept + 1);
    result.id = slots.back();
    slots.pop_back();
    return Item::of(result);
}

// ---------------------------------------------------------------------------------------------------------------------
// Assignment

Location Lowering::target(const Expression& expression) {
    Item found = item(expression);
    if (found.kind == Item::Kind::location) return std::move(found.location);
    if (found && steering == nullptr)
        error(expression.place, "this cannot be assigned: it is a value, not a register, memory or local");
    return {.type = {0}};
}

// What the targets hold, combined with the value: the places are found already, and not looked for again.
Typed Lowering::compound(const Statement& next, const std::vector<Location>& targets, unsigned bits) {
    Expression combination;
    combination.kind = ExpressionKind::binary;
    combination.op = next.compound;
    combination.place = next.place;
    combination.operands = {next.targets[0], next.value};
    Location whole = targets[0];
    if (targets.size() > 1) whole = {.kind = Location::Kind::concat, .type = {bits, false, whole.type.lanes}};
    if (targets.size() > 1) whole.inner = targets;
    return typed(combined(combination, Item::of(std::move(whole)), bits), bits, next.place);
}

// What has that name, where it has a rule for what is assigned.
Item Lowering::rule_named(const std::string& name) {
    if (const Local* local = find_local(name)) return local->item.kind == Item::Kind::rule ? local->item : Item{};
    for (const Naming& naming : isa.names_in_meanings)
        if (naming.name == name && !naming.parameter.empty()) return {.kind = Item::Kind::rule, .rule = &naming};
    return {};
}

// The value is computed, and the rule says what is done with it: among the names that were there with the rule.
void Lowering::assign_by_rule(const Item& target, const Statement& next) {
    const Naming& rule = *target.rule;
    if (next.targets.size() != 1 || next.compound != Operator::none || next.delay) {
        error(next.place,
              fmt::format("`{}` has a rule for what is assigned: `{} = value` alone", rule.name, rule.name));
        return;
    }
    Item given = item(*next.value);
    const bool is_wide = given.kind == Item::Kind::location && given.location.kind == Location::Kind::tuple &&
                         given.location.type.bits > 64;
    if (!is_wide) given = Item::of(typed(given, 0, next.value->place));
    if (!given || steering != nullptr) return;
    Context inner;
    if (target.context != 0 || contexts_[0].instruction) {
        Context& home = contexts_[target.context];
        inner.fields = home.fields;
        inner.bindings = home.bindings;
        inner.instruction = home.instruction;
        inner.home = &home;
    }
    inner.lane_branch_depth = context().lane_branch_depth;
    inner.locals.push_back({rule.parameter, std::move(given), no_slot, true, true, next.place});
    contexts_.push_back(std::move(inner));
    item(*rule.value);
    contexts_.pop_back();
}

// The target's address is computed first. Several targets share one value, the first taking its high bits.
void Lowering::assign(const Statement& next) {
    if (next.targets[0]->kind == ExpressionKind::name)
        if (const Item first = rule_named(next.targets[0]->name); first.kind == Item::Kind::rule)
            return assign_by_rule(first, next);
    unsigned delay = 0;
    if (next.delay) {
        auto given = known_integer(*next.delay, "a delay");
        if (!given) return;
        if (*given < 0 || *given > max_delay) {
            error(next.delay->place,
                  fmt::format("a result can come 0 to {} instructions late", std::int64_t(max_delay)));
            return;
        }
        delay = static_cast<unsigned>(*given);
    }
    std::vector<Location> targets;
    unsigned bits = 0;
    for (const ExpressionPointer& each : next.targets) {
        Location location = target(*each);
        if (location.type.bits == 0) return;
        bits += location.type.bits;
        targets.push_back(std::move(location));
    }
    Item given;
    if (next.compound == Operator::none) given = item(*next.value, std::min(bits, 64u));
    if (targets.size() == 1 && assign_tuple(targets[0], given, delay, next.place)) return;
    if (bits > 64) {
        if (given || next.compound != Operator::none)
            error(next.place, fmt::format("{} bits of targets: no value is wider than 64", bits));
        return;
    }
    Typed assigned =
        next.compound != Operator::none ? compound(next, targets, bits) : typed(given, bits, next.value->place);
    if (!assigned || steering != nullptr) return;
    // Several targets take the bits as they are.
    const bool widens =
        targets.size() == 1 && targets[0].kind != Location::Kind::concat && targets[0].kind != Location::Kind::tuple;
    if (assigned.type.bits < bits && widens) widen(assigned, {bits, targets[0].type.is_signed, assigned.type.lanes});
    if (assigned.type.bits != bits) {
        if (needs_steering(assigned)) return;
        const char* how = assigned.type.bits < bits ? "widen" : "cut";
        Diagnostic& message =
            error(next.place, fmt::format("the target is u{} but the value is {}: {} it with {}{}(…)", bits,
                                          to_text(assigned.type), how, assigned.type.is_signed ? "s" : "u", bits));
        if (assigned.type.bits < bits) note_exact(message, assigned, next.value->place);
        return;
    }
    if (targets.size() == 1) return write(targets[0], assigned, delay, next.place);
    for (const Location& each : targets) {
        bits -= each.type.bits;
        write(each, extract(assigned, typed_constant(bits, {8, false, 1}), each.type.bits), delay, next.place);
    }
}

void Lowering::write(const Location& location, Typed assigned, unsigned delay, Place place) {
    bool can_wait = location.kind == Location::Kind::element || location.kind == Location::Kind::pc ||
                    location.kind == Location::Kind::concat || location.kind == Location::Kind::tuple;
    if (delay != 0 && (!can_wait || location.type.lanes != 1)) {
        error(place, "only whole registers of one lane, and pc, can be written late");
        return;
    }
    switch (location.kind) {
        case Location::Kind::pc: {
            if (assigned.type.lanes != 1) {
                error(place, "pc is one for all lanes");
                return;
            }
            if (delay == 0)
                slots[pc_slot] = assigned.id;
            else
                add({.op = Op::put_pc,
                     .delay = static_cast<std::uint8_t>(delay),
                     .operands = {assigned.id, no_value, no_value}});
            return;
        }
        case Location::Kind::local: return assign_local(*location.local, assigned, place);
        case Location::Kind::cycles: return write_cycles(assigned, place);
        case Location::Kind::view: return write_view(location, assigned, place);
        case Location::Kind::extending:
            assigned.type.is_signed = true;
            return write(location.inner[0], convert(assigned, {location.inner[0].type.bits, false, 1}), delay, place);
        case Location::Kind::part: {
            if (narrow_write(location, assigned, delay)) return;
            Typed word = read(location.inner[0], place);
            if (word) write(location.inner[0], replace(word, location.index, assigned), delay, place);
            return;
        }
        case Location::Kind::concat: {
            unsigned bits = location.type.bits;
            for (const Location& each : location.inner) {
                bits -= each.type.bits;
                write(each, extract(assigned, typed_constant(bits, {8, false, 1}), each.type.bits), delay, place);
            }
            return;
        }
        case Location::Kind::tuple: {
            unsigned position = 0;
            for (const Location& each : location.inner) {
                write(each, extract(assigned, typed_constant(position, {8, false, 1}), each.type.bits), delay, place);
                position += each.type.bits;
            }
            return;
        }
        default: return write_element(location, assigned, delay, place);
    }
}

// A tuple from one of the same shape: all of it is read before anything is written.
bool Lowering::assign_tuple(const Location& target, const Item& given, unsigned delay, Place place) {
    const bool both_are = target.kind == Location::Kind::tuple && given.kind == Item::Kind::location &&
                          given.location.kind == Location::Kind::tuple;
    if (!both_are || target.inner.size() != given.location.inner.size() ||
        target.inner[0].type.bits != given.location.inner[0].type.bits)
        return false;
    std::vector<Typed> values;
    for (const Location& each : given.location.inner) values.push_back(read(each, place));
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i]) write(target.inner[i], values[i], delay, place);
    return true;
}

// The low 8, 16 or 32 bits of a wider register of one lane are written by themselves.
bool Lowering::narrow_write(const Location& part, Typed assigned, unsigned delay) {
    const Location& whole = part.inner[0];
    auto position = known(part.index.id);
    if (delay != 0 || whole.kind != Location::Kind::element || whole.type.lanes != 1 || whole.kept || !position ||
        *position != 0 || assigned.type.lanes != 1 || !assigned.type.fills_container() ||
        assigned.type.bits >= whole.type.bits)
        return false;
    put(whole, assigned);
    return true;
}

// Into the register that a location names, from lane `first` on.
void Lowering::put(const Location& location, Typed value, ir::Instruction write) {
    const bool by_value = location.number == no_number;
    write.op = by_value ? Op::put_at : Op::put;
    write.object = location.object;
    write.operands = {by_value ? location.index.id : value.id, by_value ? value.id : no_value, no_value};
    if (!by_value) write.number = location.number;
    if (write.delay == 0) written_.emplace_back(location.object, location.number);
    add(write);
}

void Lowering::assign_local(Local& local, Typed assigned, Place place) {
    const Type type = local.item.value.type;
    if (type.bits != assigned.type.bits || (type.lanes != assigned.type.lanes && assigned.type.lanes != 1)) {
        if (needs_steering(assigned)) return;
        error(place, fmt::format("`{}` is {} but the value is {}", local.name, to_text(type), to_text(assigned.type)))
            .note(local.place, "it is declared here");
        return;
    }
    assigned = with_lanes(assigned, type.lanes);
    if (context().lane_branch_depth != 0 && mask != no_value) {
        if (graph.type(mask).lanes != type.lanes) {
            error(place, fmt::format("`{}` is assigned under a condition that differs from lane to lane", local.name));
            return;
        }
        assigned = compute(Op::select, type, {mask_value(), assigned, {slots[local.slot], type}});
    }
    slots[local.slot] = assigned.id;
}

// Registers and memory. In registers of several lanes, and in memory at addresses that differ by lane, only the lanes
// of the mask are written. Lanes may be of another size than the register's where all of them together are as wide.
void Lowering::write_element(const Location& location, Typed assigned, unsigned delay, Place place) {
    bool is_memory = location.kind == Location::Kind::memory;
    const Type type = location.type;
    bool other_lanes = assigned.type.lanes != type.lanes && assigned.type.lanes != 1;
    if (other_lanes) {
        error(place, type.lanes == 1
                         ? fmt::format("{} lanes do not fit a target of one: use element(), lane_bits() or a sum",
                                       assigned.type.lanes)
                         : fmt::format("{} lanes of {} bits do not fit {} lanes of {}", assigned.type.lanes,
                                       assigned.type.bits, type.lanes, type.bits));
        return;
    }
    if (type.lanes == 1 && context().lane_branch_depth != 0) {
        error(place, "a target of one lane is written under a condition that differs from lane to lane");
        return;
    }
    if (!is_memory && location.kept && delay == 0) {
        write_lanes(location, with_lanes(assigned, type.lanes), place);
        return;
    }
    assigned = with_lanes(assigned, type.lanes);
    const ir::Value where = type.lanes != 1 ? mask : no_value;
    if (!is_memory) return put(location, assigned, {.delay = static_cast<std::uint8_t>(delay), .mask = where});
    add({.op = Op::store,
         .operands = {convert(location.index, {64}).id, assigned.id, no_value},
         .mask = where,
         .object = location.object});
}

// The first lanes of a register seen as lanes of another size. Lanes under a condition keep what they had.
void Lowering::write_view(const Location& location, Typed assigned, Place place) {
    const Location& whole = location.inner[0];
    const Type type = location.type;
    if (assigned.type.lanes != 1 && assigned.type.lanes != type.lanes) {
        if (needs_steering(assigned)) return;
        error(place, fmt::format("{} lanes of {} bits do not fit {} lanes of {}", assigned.type.lanes,
                                 assigned.type.bits, type.lanes, type.bits));
        return;
    }
    assigned = with_lanes(assigned, type.lanes);
    if (context().lane_branch_depth != 0 && mask != no_value) {
        Typed chooser = mask_value(), old = read(location, place);
        if (!old || !match_lanes(chooser, old, place)) return;
        assigned = compute(Op::select, type, {chooser, assigned, old});
    }
    const unsigned unit = whole.type.bits, whole_lanes = type.total_bits() / unit;
    const unsigned first = location.first * type.bits;
    if (type.total_bits() % unit != 0 || first % unit != 0 || first / unit + whole_lanes > whole.type.lanes) {
        error(place, fmt::format("{} lanes of {} bits do not fill lanes of {}", type.lanes, type.bits,
                                 to_text(Type{unit, false, 1})));
        return;
    }
    Type inner{unit, false, whole_lanes};
    assigned.type.is_signed = false;
    write_lanes(whole, in_other_lanes(assigned, inner), place, first / unit);
}

// The first lanes of a register, as many as the value has, but not those that the location keeps.
void Lowering::write_lanes(const Location& location, Typed assigned, Place place, unsigned first) {
    const Type type = assigned.type;
    ir::Value chosen = no_value;
    Typed keeping = location.kept;
    if (keeping && first != 0)
        keeping = shift(Operator::shift_right, keeping, typed_constant(first, {16, false, 1}), place);
    auto kept = keeping ? known(keeping.id) : std::optional<std::uint64_t>(0);
    bool keeps_none = kept && (*kept & mask_of(std::min(type.lanes, 64u))) == 0;
    if (!keeps_none && location.type.lanes == 1) {
        Typed keep = extract(keeping, typed_constant(0, {8, false, 1}), 1), old = read(location, place);
        if (!old) return;
        assigned = compute(Op::select, type, {keep, old, assigned});
    } else if (!keeps_none) {
        chosen = negation(lanes_of(keeping, type.lanes)).id;
    }
    put(location, assigned, {.first = static_cast<std::uint16_t>(first), .mask = chosen});
}

// A truth value for each lane, from the bits of a value. Lanes that it has no bits for get 0.
Typed Lowering::lanes_of(Typed bits, unsigned count) {
    bits.type.is_signed = false;
    if (count == 1) return convert(bits, {1});
    if (count <= 64) {
        const Typed word = convert(bits, {count});
        return {add({.op = Op::spread, .operands = {word.id, no_value, no_value}}, ir::Type::truth(count)),
                {1, false, count}};
    }
    const Type wide{64, false, count};
    const Typed position{add({.op = Op::lane_number}, form_of(wide)), wide};
    return convert(compute(Op::shift_right, wide, {convert(bits, {64}), position}), {1});
}

// The first of its lanes.
Typed Lowering::first_lanes(Typed value, unsigned count) {
    if (value.type.lanes == count) return value;
    value.type.lanes = count;
    value.id = add({.op = Op::take, .operands = {value.id, no_value, no_value}}, form_of(value.type));
    return value;
}

// The same bits as lanes of another size.
Typed Lowering::in_other_lanes(Typed value, Type type) {
    if (type.bits == value.type.bits && type.lanes == value.type.lanes) return {value.id, type};
    return {add({.op = Op::cast, .operands = {value.id, no_value, no_value}}, form_of(type)), type};
}

}  // namespace isaforge::semantics

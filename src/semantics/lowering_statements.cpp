// Lowering, third part: statements, and the instruction as a whole.
#include <fmt/format.h>

#include <algorithm>

#include "language/limits.hpp"
#include "semantics/lowering.hpp"

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

Binding bind(const Codec& codec, Index type_index, std::uint64_t code) {
    const OperandType& type = codec.isa().operand_types[type_index];
    Binding binding{.type = type_index, .known = true, .code = code};
    if (type.kind != OperandKind::table) return binding;
    binding.row = codec.row_of(type_index, code);
    if (binding.row == no_index) return binding;
    for (const Field& field : type.rows[binding.row].fields)
        binding.captures.push_back(bind(codec, field.type, field.place.extract(code)));
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

Index Lowering::signal(const std::string& name) {
    for (Index i = 0; i < code.signals.size(); ++i)
        if (code.signals[i] == name) return i;
    code.signals.push_back(name);
    return static_cast<Index>(code.signals.size() - 1);
}

// What an instruction is made of: `on fetch`, its own meaning, `on retire`, and the modes that changed. leave() goes to the
// modes. An event is the same without the first and the third.
LowerResult Lowering::run() {
    if (input_.only_modes) {
        write_modes(true);
    } else if (input_.event != nullptr) {
        event(*input_.event);
    } else {
        lanes = input_.instruction->lanes;
        event_named("fetch");
        if (!left_) instruction_body(*input_.instruction);
        for (std::size_t at : skips_) code.steps[at].number = static_cast<std::uint32_t>(code.steps.size());
        lanes = 1;
        mask = no_value;
        if (!left_) event_named("retire");
    }
    left_ = false;
    for (std::size_t at : leaves_) code.steps[at].number = static_cast<std::uint32_t>(code.steps.size());
    if (!input_.only_modes && steering == nullptr) write_modes(false);
    LowerResult result{.code = std::move(code), .ok = !failed_ && !exhausted_, .steering = steering};
    result.effort = evaluations_;
    if (steering != nullptr) result.ok = false;
    return result;
}

// The guard comes first: where it does not hold, nothing of the rest happens.
void Lowering::instruction_body(const Instruction& instruction) {
    contexts_.push_back({.fields = input_.fields, .bindings = input_.bindings, .instruction = true});
    if (input_.names != nullptr) names(*input_.names);
    bool never = !guard(instruction);
    if (!never) lane_mask(instruction);
    if (instruction.meaning && !never) {
        names(instruction.names_in_meaning);
        note_assigned(*instruction.meaning, context());
        block(*instruction.meaning);
        leave_scope(0);
    }
    contexts_.pop_back();
}

// As arguments of a function: what is a place stays one, what is a value is computed here.
void Lowering::names(const SharedList<Naming>& list) {
    for (const Naming& naming : list) {
        if (steering != nullptr || left_) return;
        Item meant = item(*naming.value);
        context().locals.push_back({naming.name, std::move(meant), false, true, true, naming.where});
    }
}

void Lowering::event(const EventHandler& handler) {
    Context inner;
    for (std::uint32_t i = 0; i < handler.parameters.size(); ++i)
        inner.locals.push_back({handler.parameters[i],
                                Item::of(machine_value(Action::event_value, {pc_bits(), false, 1}, i)), false, true,
                                true, handler.where});
    note_assigned(*handler.body, inner);
    contexts_.push_back(std::move(inner));
    if (handler.condition) wait_for(*handler.condition);
    block(*handler.body);
    leave_scope(handler.parameters.size());
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
    emit_step(Action::leave_if_zero).a = truth(holds).id;
}

void Lowering::event_named(std::string_view name) {
    for (const EventHandler& handler : isa.events)
        if (handler.name == name) event(handler);
}

bool Lowering::writes_pc() const {
    return std::any_of(code.steps.begin(), code.steps.end(),
                       [](const Step& step) { return step.action == Action::write_pc; });
}

void Lowering::leave(Place place) {
    for (const Context& active : contexts_)
        if (active.lane_branch_depth != 0) {
            error(place, "leave() under a condition that differs from lane to lane: use any(…)");
            return;
        }
    if (locks_ != 0) emit_step(Action::unlock);
    leaves_.push_back(code.steps.size());
    emit_step(Action::jump);
    left_ = true;
}

bool Lowering::depends(const Mode& which) const {
    for (const Step& step : code.steps) {
        if (step.action == Action::transaction_abort) return true;
        if (step.action != Action::write) continue;
        for (const Mode::Read& read : which.reads)
            if (read.file == step.object &&
                (read.number == Mode::any_number || step.number == no_number || read.number == step.number))
                return true;
    }
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
        Step& step = emit_step(Action::set_mode);
        step.a = now.id;
        step.object = i;
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
    if (always_retires) skips_.push_back(code.steps.size());
    Step& step = emit_step(always_retires ? Action::jump_if_zero : Action::leave_if_zero);
    step.container = 8;
    step.a = condition.id;
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

LowerResult lower(const LowerInput& input, Diagnostics& diagnostics, bool warnings) {
    return Lowering(input, diagnostics, warnings).run();
}

// ---------------------------------------------------------------------------------------------------------------------

void Lowering::note_assigned(const Block& statements, Context& into) {
    for (const Statement& statement : statements) {
        if (statement.kind == StatementKind::assign)
            for (const ExpressionPointer& assigned_target : statement.targets)
                if (assigned_target) into.assigned.insert(base_of(*assigned_target).name);
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
    leave_scope(size);
}

void Lowering::leave_scope(std::size_t size) {
    auto& locals = context().locals;
    for (std::size_t i = size; i < locals.size(); ++i)
        if (!locals[i].read && !locals[i].parameter && !failed_)
            warn(locals[i].place, fmt::format("`{}` is never read", locals[i].name));
    while (locals.size() > size) locals.pop_back();
}

void Lowering::statement(const Statement& next) {
    if (!budget(next.place)) return;
    ++depth_;
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
    --depth_;
}

// What is declared keeps the value of this moment. A local that a statement assigns later becomes a variable.
void Lowering::declare(const Statement& next) {
    Item initial = item(*next.value);
    Local local{.name = next.name, .place = next.place};
    bool assigned = context().assigned.contains(next.name);
    if (initial.kind == Item::Kind::location || assigned) initial = Item::of(typed(initial, 0, next.value->place));
    if (initial && assigned) {
        Typed variable = initial.value;
        variable.id = new_value(Value::Kind::variable, variable.type.container(), variable.type.lanes);
        ValueId from = in_lanes(initial.value.id, variable.type.lanes, variable.type.container());
        Step& step = emit_step(Action::copy);
        step.container = static_cast<std::uint8_t>(variable.type.container());
        step.lanes = static_cast<std::uint16_t>(variable.type.lanes);
        step.result = variable.id;
        step.a = from;
        variable.exact = false;
        initial.value = variable;
        local.variable = true;
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
        context().locals.push_back({next.name, Item::of(i), false, true, true, next.place});
        block(next.body);
        leave_scope(size);
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
    context().locals.push_back({case_subject, std::move(subject), false, true, true, next.place});
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
    std::size_t test = code.steps.size();
    Step& step = emit_step(Action::jump_if_zero);
    step.container = 8;
    step.a = condition.id;
    ++context().branch_depth;
    scope(next.body);
    bool body_finished = context().finished || left_, body_left = left_;
    context().finished = left_ = false;
    std::size_t skip = code.steps.size();
    if (!next.otherwise.empty()) emit_step(Action::jump);
    code.steps[test].number = static_cast<std::uint32_t>(code.steps.size());
    scope(next.otherwise);
    if (!next.otherwise.empty()) code.steps[skip].number = static_cast<std::uint32_t>(code.steps.size());
    context().finished = (context().finished || left_) && body_finished;
    left_ = left_ && body_left;
    --context().branch_depth;
}

// Lanes that disagree: both sides run, each under its own mask.
void Lowering::lane_branch(const Statement& next, Typed condition) {
    ValueId outer = mask;
    unsigned count = condition.type.lanes;
    ++context().lane_branch_depth;
    mask = both(outer, condition);
    scope(next.body);
    Typed inverse{emit(Action::bit_xor, 8, condition.id, in_lanes(constant(1, 8), count)), condition.type};
    mask = both(outer, inverse);
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
    Step& lock = emit_step(Action::lock);
    lock.a = resize(address.id, 64);
    lock.object = memory;
    ++locks_;
    scope(next.body);
    --locks_;
    if (!left_) emit_step(Action::unlock).object = memory;
}

void Lowering::give(const Statement& next) {
    Context& here = context();
    if (here.function == nullptr) {
        error(next.place, "`return` belongs into a function");
        return;
    }
    if (here.lane_branch_depth != 0) {
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
    if (now.branch_depth == 0 && !now.result_variable) {
        now.result = std::move(result);
        return;
    }
    Typed given = typed(result, now.result_variable ? now.result_variable.type.bits : 0, next.value->place);
    if (!given) return;
    if (!now.result_variable)
        now.result_variable = {new_value(Value::Kind::variable, given.type.container(), given.type.lanes), given.type};
    if (given.type.lanes == 1) agree(now, given);
    const Type type = now.result_variable.type;
    if (given.type.bits != type.bits || given.type.lanes != type.lanes) {
        error(next.place, fmt::format("this returns {}, but another `return` of the function {}", to_text(given.type),
                                      to_text(type)));
        return;
    }
    ValueId from = in_lanes(given.id, type.lanes, type.container());
    Step& copy = emit_step(Action::copy);
    copy.container = static_cast<std::uint8_t>(type.container());
    copy.lanes = static_cast<std::uint16_t>(type.lanes);
    copy.result = now.result_variable.id;
    copy.a = from;
    now.returns.push_back(code.steps.size());
    emit_step(Action::jump);
}

// What a function returns is as wide as the widest `return` on its paths: the variable and the copies into it become so.
void Lowering::agree(Context& function, Typed& given) {
    Typed& result = function.result_variable;
    const Type narrow = result.type;
    if (given.type.bits < narrow.bits) widen(given, narrow);
    if (given.type.bits <= narrow.bits || narrow.lanes != 1 || !widen(result, given.type)) {
        result.exact |= given.exact;
        return;
    }
    code.values[result.id].container = static_cast<std::uint8_t>(given.type.container());
    for (std::size_t jump : function.returns)
        code.steps[jump - 1].container = static_cast<std::uint8_t>(given.type.container());
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

// The target's address is computed first. Several targets share one value, the first taking its high bits.
void Lowering::assign(const Statement& next) {
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
            Step& step = emit_step(Action::write_pc);
            step.a = assigned.id;
            step.delay = static_cast<std::uint8_t>(delay);
            return;
        }
        case Location::Kind::local: return assign_local(*location.local, assigned, place);
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
    Step& step = emit_step(Action::write);
    step.container = static_cast<std::uint8_t>(assigned.type.container());
    step.object = whole.object;
    step.a = assigned.id;
    step.number = whole.number;
    if (whole.number == no_number) step.b = whole.index.id;
    return true;
}

void Lowering::assign_local(Local& local, Typed assigned, Place place) {
    const Type type = local.item.value.type;
    if (type.bits != assigned.type.bits || (type.lanes != assigned.type.lanes && assigned.type.lanes != 1)) {
        if (needs_steering(assigned)) return;
        error(place, fmt::format("`{}` is {} but the value is {}", local.name, to_text(type), to_text(assigned.type)))
            .note(local.place, "it is declared here");
        return;
    }
    unsigned container = type.container();
    ValueId from = in_lanes(assigned.id, type.lanes, container);
    if (context().lane_branch_depth != 0 && mask != no_value) {
        if (code.values[mask].lanes != type.lanes) {
            error(place, fmt::format("`{}` is assigned under a condition that differs from lane to lane", local.name));
            return;
        }
        from = emit(Action::select, container, resize(mask, container), from, local.item.value.id);
    }
    Step& step = emit_step(Action::copy);
    step.container = static_cast<std::uint8_t>(container);
    step.lanes = static_cast<std::uint16_t>(type.lanes);
    step.result = local.item.value.id;
    step.a = from;
}

// Registers and memory. In registers of several lanes, and in memory at addresses that differ by lane, only the lanes
// of the mask are written. Lanes may be of another size than the register's where all of them together are as wide.
void Lowering::write_element(const Location& location, Typed assigned, unsigned delay, Place place) {
    bool is_memory = location.kind == Location::Kind::memory;
    const Type type = location.type;
    unsigned container = type.container();
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
    ValueId from = in_lanes(assigned.id, type.lanes, container);
    ValueId address = is_memory ? resize(location.index.id, 64) : no_value;
    Step& step = emit_step(is_memory ? Action::store : Action::write);
    step.container = static_cast<std::uint8_t>(container);
    step.lanes = static_cast<std::uint16_t>(type.lanes);
    step.object = location.object;
    step.delay = static_cast<std::uint8_t>(delay);
    if (type.lanes != 1) step.c = mask;
    if (is_memory) {
        step.a = address;
        step.b = from;
    } else {
        step.a = from;
        step.number = location.number;
        if (location.number == no_number) step.b = location.index.id;
    }
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
        Typed chooser{mask, {1, false, code.values[mask].lanes}}, old = read(location, place);
        if (!old || !match_lanes(chooser, old, place)) return;
        assigned.id = emit(Action::select, type.container(), resize(chooser.id, type.container()), assigned.id, old.id);
    }
    const unsigned unit = whole.type.bits, whole_lanes = type.total_bits() / unit;
    const unsigned first = location.first * type.bits;
    if (type.total_bits() % unit != 0 || first % unit != 0 || first / unit + whole_lanes > whole.type.lanes) {
        error(place, fmt::format("{} lanes of {} bits do not fill lanes of {}", type.lanes, type.bits,
                                 to_text(Type{unit, false, 1})));
        return;
    }
    Type inner{unit, false, whole_lanes};
    if (type.bits != unit) assigned = lane_step(Action::reinterpret, assigned, {}, inner);
    write_lanes(whole, {assigned.id, inner}, place, first / unit);
}

// The first lanes of a register, as many as the value has, but not those that the location keeps.
void Lowering::write_lanes(const Location& location, Typed assigned, Place place, unsigned first) {
    const Type type = assigned.type;
    ValueId chosen = no_value;
    Typed keeping = location.kept;
    if (keeping && first != 0)
        keeping = shift(Operator::shift_right, keeping, typed_constant(first, {16, false, 1}), place);
    auto kept = keeping ? known(keeping.id) : std::optional<std::uint64_t>(0);
    bool keeps_none = kept && (*kept & mask_of(std::min(type.lanes, 64u))) == 0;
    if (!keeps_none && location.type.lanes == 1) {
        Typed keep = extract(keeping, typed_constant(0, {8, false, 1}), 1), old = read(location, place);
        if (!old) return;
        assigned.id = emit(Action::select, type.container(), resize(keep.id, type.container()), old.id, assigned.id);
    } else if (!keeps_none) {
        Typed spread = type.lanes == 1 ? extract(keeping, typed_constant(0, {8, false, 1}), 1)
                                       : lane_step(Action::spread, keeping, {}, {1, false, type.lanes});
        chosen = emit(Action::bit_xor, 8, spread.id, in_lanes(constant(1, 8), type.lanes));
    }
    Step& step = emit_step(Action::write);
    step.container = static_cast<std::uint8_t>(type.container());
    step.lanes = static_cast<std::uint16_t>(type.lanes);
    step.object = location.object;
    step.a = assigned.id;
    step.c = chosen;
    step.first = static_cast<std::uint16_t>(first);
    step.number = location.number;
    if (location.number == no_number) step.b = location.index.id;
}

}  // namespace isaforge::semantics

// Translation of one instruction: drop what nobody uses, let operations read registers and write them directly where
// nothing can tell the difference, give the remaining values scratch places, and choose handlers.
//
// All jumps inside an instruction go forward. So the order of the steps is an order of time on every path, and "between
// two steps" can be judged by their numbers.
#include "machine/translate.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace isaforge::machine {

namespace {

using ir::Op;

constexpr std::uint32_t unplaced = ~std::uint32_t{0};

bool is_jump(Op op) { return op == Op::jump || op == Op::branch; }

// Each lane of the result depends on the same lane of the operands only, so that it may replace one of them.
bool is_lanewise(Op op) { return ir::is_computed(op) || op == Op::cast || op == Op::splat; }

bool is_copy(const Step& step, const Sequence& code) {
    return step.op == Op::cast && code.values[step.a].container == code.values[step.result].container &&
           code.values[step.a].lanes == code.values[step.result].lanes;
}

// What an operation was made for, where the end behind it may become part of it.
struct Made {
    enum class As : std::uint8_t { other, computation, copy, late_pc, late_write, low_write, end } as = As::other;
    Op op{};                     // of a computation
    unsigned container = 0;      // the same, and of a write of low parts
};

class Translator {
public:
    Translator(const TranslateInput& input, Layout& layout)
        : isa_(*input.isa),
          code_(sequence_of(*input.graph)),
          input_(input),
          layout_(layout),
          steps_(code_.steps),
          places_(code_.values.size(), unplaced),
          last_use_(code_.values.size(), 0),
          uses_(code_.values.size(), 0),
          defined_(code_.values.size(), 0) {}

    Translation run();

private:
    void note_uses();
    void read_directly();
    void write_directly();
    bool may_write_directly(std::size_t write, std::size_t& definition);
    void place_values();
    void note_touches();
    void emit_all();
    void emit(std::size_t index);
    void emit_write(const Step& step);
    void emit_late_write(const Step& step);
    void emit_access(const Step& step, bool big);
    void emit_check(const Step& step, bool big);
    void emit_check_lanes(const Step& step);
    void emit_softly(const Step& step);
    void emit_update(const Step& step, bool big);
    void emit_given(const Step& step, bool big);
    bool changes_modes() const {
        return std::any_of(steps_.begin(), steps_.end(), [](const Step& step) { return step.op == Op::put_mode; });
    }
    bool skips(const Step& branch) const {  // where the condition does not hold the instruction does nothing
        return branch.op == Op::branch && steps_[branch.number].op == Op::skip;
    }
    std::optional<std::uint64_t> known(ValueId id) const {
        const Value& value = code_.values[id];
        return value.kind == Value::Kind::constant ? std::optional(value.constant) : std::nullopt;
    }
    bool leads_elsewhere(const Step& leave) const { return known(leave.a) != input_.next_address; }
    bool goes_two_ways(std::size_t branch) const;
    void emit_leave(const Step& step);
    void emit_part(std::uint32_t result, std::uint32_t from, ValueId value);
    void check_ports();
    bool is_part_of_branch(std::size_t index) const;
    void emit_get(const Step& step);
    void count_jump(ValueId to) {
        if (input_.count_executions)
            add(handlers::count_jump, input_.jump_counter, place(to), layout_.constant(input_.next_address));
    }
    void emit_branch(std::size_t index);
    void add_end(Handler handler, std::uint64_t next, std::uint32_t ports);
    void add_plain_end(std::uint64_t next);
    MicroOp& add(Handler handler, std::uint32_t result = 0, std::uint32_t a = 0, std::uint32_t b = 0,
                 std::uint32_t c = 0);
    MicroOp& fault(StopReason reason);
    void fuse_end(std::size_t end);
    Handler with_tail(std::size_t computation, Tail tail) const;
    bool fuse_low_write(std::size_t write);
    bool strict_floats() const { return isa_.floats.flush_subnormals && isa_.floats.canonical_nan; }
    void add_copy(std::uint32_t result, std::uint32_t from) {
        add(handlers::copy_scalar, result, from);
        made_.back().as = Made::As::copy;
    }
    std::uint32_t place(ValueId id);
    static std::uint32_t first_byte(const Step& step);
    bool is_direct(const Step& read) const;
    std::uint32_t bytes_of(ValueId id) const;
    bool touches_register(const Step& step, Index file, std::uint32_t number) const;

    const Isa& isa_;
    const Sequence code_;
    const TranslateInput& input_;
    Layout& layout_;
    std::vector<Step> steps_;
    std::vector<std::uint32_t> places_;  // offset of each value
    std::vector<std::size_t> last_use_;
    std::vector<unsigned> uses_;
    std::vector<std::size_t> defined_;
    std::map<std::uint32_t, unsigned> scratch_used_;
    std::vector<std::size_t> first_op_;                       // of each step
    std::vector<std::pair<std::size_t, std::size_t>> jumps_;  // operation, step it goes to
    bool has_jumps_ = false;
    ValueId origin(ValueId id) const;
    std::map<ValueId, ValueId> same_bytes_;  // values that are other values in lanes of another size
    std::map<ValueId, std::pair<Index, std::uint32_t>> read_from_;  // values that are registers themselves
    std::uint32_t ports_ = 0;
    std::size_t update_ = 0;  // the operation that begins each lane of the last one
    std::vector<Made> made_;  // each of out_.ops
    Translation out_;
};

std::uint32_t Translator::bytes_of(ValueId id) const {
    const Value& value = code_.values[id];
    return value.lanes == 1 ? 8 : value.container / 8u * value.lanes;
}

// How often each value is used, where first and last.
void Translator::note_uses() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        has_jumps_ |= is_jump(steps_[i].op) && !skips(steps_[i]);
        for (ValueId id : steps_[i].inputs()) {
            if (id == no_value) continue;
            ++uses_[id];
            last_use_[id] = i;
        }
        if (steps_[i].result != no_value) defined_[steps_[i].result] = i;
    }
}

bool Translator::touches_register(const Step& step, Index file, std::uint32_t number) const {
    return step.object == file && (step.number == number || step.number == no_number);
}

// Where what is read or written begins in its register: lanes are counted in those of the value.
std::uint32_t Translator::first_byte(const Step& step) { return step.first * (step.container / 8u); }

// Whether what is read lies in the register as a value would: one lane has zeros above it.
bool Translator::is_direct(const Step& read) const {
    const RegisterFile& file = isa_.register_files[read.object];
    return read.lanes != 1 || (file.lanes == 1 && read.first == 0 && read.container >= lane_bytes(file) * 8);
}

// A read stands for the register itself as long as nothing writes the register before the value's last use.
void Translator::read_directly() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const Step read = steps_[i];
        if (read.op != Op::get || read.number == no_number || !is_direct(read)) continue;
        bool disturbed = false;
        for (std::size_t k = i + 1; k < last_use_[read.result] && !disturbed; ++k)
            disturbed =
                steps_[k].op == Op::transaction_abort || (steps_[k].op == Op::put && steps_[k].delay == 0 &&
                                                          touches_register(steps_[k], read.object, read.number));
        if (disturbed) continue;
        places_[read.result] = layout_.offset(read.object, read.number) + first_byte(read);
        read_from_[read.result] = {read.object, read.number};
        steps_[i] = {};
    }
    // The same bytes in other lanes need no copy: of a register as long as it is not written, of other values always.
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const Step view = steps_[i];
        if (view.op != Op::cast || code_.values[view.a].kind != Value::Kind::temporary ||
            code_.values[view.result].kind != Value::Kind::temporary)
            continue;
        const Value& seen = code_.values[view.result];
        if (seen.lanes == 1 && seen.container < 64 && !is_copy(view, code_))
            continue;  // the bits above a single lane are zeros
        auto from = read_from_.find(view.a);
        if (from == read_from_.end()) {
            same_bytes_[view.result] = view.a;
            continue;
        }
        auto [file, number] = from->second;
        bool disturbed = false;
        for (std::size_t k = i + 1; k < last_use_[view.result] && !disturbed; ++k)
            disturbed = steps_[k].op == Op::put && steps_[k].delay == 0 && touches_register(steps_[k], file, number);
        if (disturbed) continue;
        places_[view.result] = places_[view.a];
        read_from_[view.result] = {file, number};
        steps_[i] = {};
    }
}

// The value whose bytes another one is.
ValueId Translator::origin(ValueId id) const {
    for (auto same = same_bytes_.find(id); same != same_bytes_.end(); same = same_bytes_.find(id)) id = same->second;
    return id;
}

// Whether the value that step `write` puts into a register can be computed there at once.
bool Translator::may_write_directly(std::size_t write, std::size_t& definition) {
    const Step& step = steps_[write];
    if (step.op != Op::put || step.delay != 0 || step.c != no_value || step.number == no_number) return false;
    const ValueId source = origin(step.a);
    for (ValueId id = step.a; id != source; id = same_bytes_.at(id))
        if (uses_[id] != 1) return false;
    const Value& value = code_.values[source];
    if (value.kind != Value::Kind::temporary || uses_[source] != 1 || places_[source] != unplaced) return false;
    definition = defined_[source];
    const Step& computation = steps_[definition];
    if (computation.result != source) return false;
    const RegisterFile& file = isa_.register_files[step.object];
    // What computes one lane stores all eight bytes of a value.
    if (file.lanes == 1 && step.container < semantics::Type{file.bits}.container()) return false;
    if (file.lanes != 1 && value.lanes == 1) return false;
    std::uint32_t offset = layout_.offset(step.object, step.number) + first_byte(step);
    const bool is_lane_by_lane = computation.op == Op::cast ? is_copy(computation, code_)
                                                            : is_lanewise(computation.op) || computation.op == Op::load;
    if (!is_lane_by_lane && value.lanes != 1) return false;
    bool resizes_lanes = value.lanes != 1 && (ir::is_test(computation.op) || computation.container != value.container);
    if (resizes_lanes || (value.lanes != 1 && computation.op == Op::load)) return false;
    for (std::size_t k = definition + 1; k < write; ++k) {
        const Step& between = steps_[k];
        if (is_jump(between.op)) return false;
        if ((between.op == Op::get || between.op == Op::put) && touches_register(between, step.object, step.number))
            return false;
        const ir::Effect effect = about(between.op).effect;
        if (between.op != Op::at && (effect == ir::Effect::acts || effect == ir::Effect::ends)) return false;
        for (ValueId id : between.inputs())
            if (id != no_value && places_[id] == offset) return false;
        if (between.result != no_value && places_[between.result] == offset) return false;
    }
    // A jump from before the definition may lead between it and the write.
    for (std::size_t k = 0; k < definition; ++k)
        if (is_jump(steps_[k].op) && steps_[k].number > definition && steps_[k].number <= write) return false;
    return true;
}

void Translator::write_directly() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        std::size_t definition = 0;
        if (!may_write_directly(i, definition)) continue;
        places_[origin(steps_[i].a)] = layout_.offset(steps_[i].object, steps_[i].number) + first_byte(steps_[i]);
        steps_[i].op = Op::at;  // its number and object still say what is written
    }
}

void Translator::place_values() {
    for (ValueId id = 0; id < code_.values.size(); ++id) {
        const Value& value = code_.values[id];
        if (places_[id] != unplaced || same_bytes_.contains(id)) continue;
        if (value.kind == Value::Kind::constant) {
            if (uses_[id] != 0) places_[id] = layout_.constant(value.constant);
        } else if (uses_[id] != 0 || steps_[defined_[id]].result == id) {
            std::uint32_t bytes = bytes_of(id);
            places_[id] = layout_.scratch(scratch_used_[bytes]++, bytes);
        }
    }
    for (const auto& [id, from] : same_bytes_) places_[id] = places_[origin(from)];
}

std::uint32_t Translator::place(ValueId id) { return id == no_value ? 0 : places_[id]; }

MicroOp& Translator::add(Handler handler, std::uint32_t result, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    MicroOp& op = out_.ops.emplace_back();
    made_.emplace_back();
    op.run = handler != nullptr ? handler : handlers::fault;
    op.result = result;
    op.a = a;
    op.b = b;
    op.c = c;
    if (handler == nullptr) op.detail.n = static_cast<std::uint32_t>(StopReason::undefined);
    return op;
}

MicroOp& Translator::fault(StopReason reason) {
    MicroOp& op = add(handlers::fault);
    op.detail.n = static_cast<std::uint32_t>(reason);
    return op;
}

// What the instruction reads and writes, for traces and hazard warnings. The trees are asked, not the operations: they
// say the same whatever became direct.
void Translator::note_touches() {
    std::size_t guard = 0;  // what is read before decides whether the instruction does anything
    for (std::size_t i = 0; i < steps_.size(); ++i)
        if (skips(steps_[i])) guard = i;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const Step& step = steps_[i];
        if (step.op != Op::get && (step.op != Op::put || step.delay != 0)) continue;
        Touch touch{.file = step.object, .in_guard = i < guard};
        if (step.number != no_number)
            touch.first = step.number;
        else
            touch.count = isa_.register_files[step.object].count;
        (step.op == Op::get ? out_.reads : out_.writes).push_back(touch);
    }
}

void Translator::emit_write(const Step& step) {
    const RegisterFile& file = isa_.register_files[step.object];
    std::uint32_t size = layout_.register_size(step.object), port = (*input_.ports)[step.object];
    if (port != 0 && has_jumps_)
        add(handlers::note_ports).detail.n = port;
    else
        ports_ += port;
    bool indexed = step.number == no_number;
    const std::uint32_t offset = first_byte(step);
    std::uint32_t target = layout_.offset(step.object, indexed ? 0 : step.number) + offset;
    if (file.lanes == 1 && step.container < semantics::Type{file.bits}.container()) {
        if (indexed) {
            add(handlers::write_part_indexed, target, place(step.a), place(step.b)).detail = {file.count, size};
            add(handlers::fault, step.container / 8u);
        } else {
            add(handlers::write_low(step.container), target, place(step.a));
            made_.back() = {Made::As::low_write, step.op, step.container};
        }
        return;
    }
    const std::uint32_t written = lane_bytes(file) * step.lanes;
    if (step.c == no_value && file.lanes != 1 && written < lane_bytes(file) * file.lanes) {
        if (indexed) {
            add(handlers::write_part_indexed, target, place(step.a), place(step.b)).detail = {file.count, size};
            add(handlers::fault, written);
        } else {
            add(handlers::copy_bytes, target, place(step.a)).detail.n = written;
        }
        return;
    }
    if (step.c != no_value) {
        MicroOp& op = add(indexed ? handlers::write_masked_indexed : handlers::write_masked, target, place(step.a),
                          indexed ? place(step.b) : 0, place(step.c));
        std::uint32_t bytes = written, mask_lanes = code_.values[step.c].lanes;
        op.detail = {mask_lanes, bytes / mask_lanes};
        if (bytes % mask_lanes != 0 || bytes / mask_lanes > 8)
            fault(StopReason::undefined);
        else if (indexed)
            add(handlers::fault, 0, file.count, size);
        return;
    }
    if (indexed) {
        add(handlers::write_indexed, target, place(step.a), place(step.b)).detail = {file.count, size};
    } else if (file.lanes == 1) {
        add_copy(target, place(step.a));
    } else {
        add(handlers::copy_bytes, target, place(step.a)).detail.n = size;
    }
}

void Translator::emit_late_write(const Step& step) {
    std::uint32_t port = (*input_.ports)[step.object];
    bool indexed = step.number == no_number;
    MicroOp& op =
        add(indexed ? handlers::late_write_indexed : handlers::late_write,
            layout_.offset(step.object, indexed ? 0 : step.number), place(step.a), port, indexed ? place(step.b) : 0);
    op.detail = {step.delay, static_cast<std::uint32_t>(input_.address)};
    if (!indexed) made_.back().as = Made::As::late_write;
    if (indexed) add(handlers::fault, 0, isa_.register_files[step.object].count);
}

void Translator::emit_access(const Step& step, bool big) {
    const bool loads = step.op == Op::load, masked = step.c != no_value;
    const bool main = step.object == input_.main_memory && isa_.memories[step.object].unit_bits == 8;
    Handler handler = nullptr;
    if (step.lanes != 1)
        handler = (loads ? handlers::gather : handlers::scatter)(step.container, big, masked, main);
    else
        handler = (loads ? handlers::load : handlers::store)(step.container, big, input_.aligned, main);
    const bool may_be_left_out = step.lanes == 1 && masked;
    if (may_be_left_out) add(handlers::jump_if_zero, 0, place(step.c)).detail.n = loads ? 3 : 2;
    add(handler, loads ? place(step.result) : 0, place(step.a), place(step.b), place(step.c)).detail = {step.object,
                                                                                                        step.lanes};
    if (!may_be_left_out || !loads) return;
    add(handlers::jump).detail.n = 2;
    add_copy(place(step.result), layout_.constant(0));
}

void Translator::emit_check(const Step& step, bool big) {
    CheckDetail detail{.object = step.object, .bytes = step.container / 8u, .lanes = step.lanes, .big = big};
    detail.masked = step.c != no_value;
    const bool has_number = step.op == Op::check_access || step.op == Op::check_use;
    if (step.op == Op::check_use) detail.object = 0;
    const std::uint32_t result = step.op == Op::check_use ? (*input_.signals)[step.object] : place(step.result);
    if (step.op == Op::check_use && step.lanes == 1) detail.bytes = 8;
    const Handler handler = step.op == Op::check_access  ? handlers::check_access
                            : step.op == Op::check_load  ? handlers::check_load
                            : step.op == Op::check_store ? handlers::check_store
                                                         : handlers::check_use;
    add(handler, result, place(step.a), has_number ? step.number : place(step.b), place(step.c)).detail =
        detail.packed();
}

void Translator::emit_check_lanes(const Step& step) {
    const CheckDetail detail{
        .bytes = step.lanes == 1 ? 8u : 1u, .lanes = step.lanes, .big = false, .masked = step.c != no_value};
    const bool is_step = step.op == Op::check_step;
    add(is_step ? handlers::check_step : handlers::check_that, is_step ? 0 : (*input_.signals)[step.object],
        place(step.a), 0, place(step.c))
        .detail = detail.packed();
}

// The first operation prepares all lanes, the second begins each; it has another one behind it, for its operands. Those of the
// function follow, and the last leads back.
void Translator::emit_update(const Step& step, bool big) {
    const std::uint32_t progress = layout_.scratch(scratch_used_[16]++, 16);
    update_ = out_.ops.size() + 1;
    add(handlers::update_clear, progress, place(step.result)).detail.n = bytes_of(step.result);
    MicroOp& begin =
        add(handlers::update_begin(step.container, big), progress, place(step.a), place(step.b), place(step.c));
    begin.detail = {step.object, step.lanes};
    // Arguments that the function does not use have a place, too.
    for (ValueId argument = step.number; argument < step.number + 3; ++argument)
        if (places_[argument] == unplaced) places_[argument] = layout_.scratch(scratch_used_[8]++, 8);
    MicroOp& more =
        add(handlers::fault, place(step.number), place(step.number + 1), place(step.number + 2), place(step.d));
    more.detail.more = step.c != no_value;
}

void Translator::emit_given(const Step& step, bool big) {
    const std::uint32_t progress = out_.ops[update_].result;
    out_.ops[update_ + 1].detail.n = static_cast<std::uint32_t>(out_.ops.size() + 1 - update_);
    const auto back = static_cast<std::uint32_t>(out_.ops.size() - update_);
    add(handlers::update_end(step.container, big), place(step.result), place(step.a), place(step.b), progress)
        .detail = {step.object, back};
}

void Translator::emit_softly(const Step& step) {
    const char letter = ir::operand_letters(step.op)[0];
    const unsigned container = code_.values[step.result].container;
    const SoftDetail detail{.lanes = step.lanes,
                            .operand_bits = letter == 'W' || letter == 'D' ? 64u : step.container,
                            .result_bits = container,
                            .op = step.op,
                            .rounding = step.rounding,
                            .raised_by = step.raised_by};
    add(handlers::compute_softly, place(step.result), place(step.a), place(step.b), place(step.c)).detail =
        detail.packed();
}

void Translator::emit(std::size_t index) {
    const Step& step = steps_[index];
    std::uint32_t result = place(step.result), a = place(step.a), b = place(step.b), c = place(step.c);
    bool accesses = step.op == Op::load || step.op == Op::store || step.op == Op::load_linked ||
                    step.op == Op::store_conditional || step.op == Op::update || step.op == Op::give ||
                    step.op == Op::check_load || step.op == Op::check_store;
    bool big = accesses && isa_.memories[step.object].big_endian;
    if (ir::is_computed(step.op)) {
        if (step.raised_by != 0 || step.rounding == Rounding::nearest_away)
            emit_softly(step);
        else if (step.rounding != Rounding::nearest)
            add(rounded_handler(step.op, step.container), result, a, b, c).detail = {
                step.lanes, static_cast<std::uint32_t>(step.rounding)};
        else if (step.lanes == 1) {
            add(scalar_handler(step.op, step.container, strict_floats(), Tail::none), result, a, b, c);
            made_.back() = {Made::As::computation, step.op, step.container};
        } else
            add(vector_handler(step.op, step.container), result, a, b, c).detail.n = step.lanes;
        return;
    }
    switch (step.op) {
        case Op::at:
            if (step.object != no_index) {  // a write that became direct
                std::uint32_t port = (*input_.ports)[step.object];
                if (port != 0 && has_jumps_)
                    add(handlers::note_ports).detail.n = port;
                else
                    ports_ += port;
            }
            return;
        case Op::spread: add(handlers::spread, result, a).detail.n = step.lanes; return;
        case Op::put_mode: add(handlers::set_mode, 0, a).detail.n = step.object; return;
        case Op::count_cycles:
            add(handlers::count_cycles, 0, a);
            if (input_.count_executions)
                add(scalar_handler(Op::add, 64, false, Tail::none), input_.cycle_counter, input_.cycle_counter, a);
            return;
        case Op::cast:
            if (same_bytes_.contains(step.result)) return;
            if (is_copy(step, code_) && step.lanes == 1)
                add_copy(result, a);
            else if (code_.values[step.result].lanes == 1)
                add(handlers::resize_scalar(code_.values[step.result].container), result, a);
            else
                add(handlers::copy_bytes, result, a).detail.n = std::max(bytes_of(step.result), 8u);
            return;
        case Op::truncate:
            if (step.lanes == 1)
                add(handlers::resize_scalar(step.container), result, a);
            else
                add(handlers::resize_vector(code_.values[step.a].container, step.container), result, a).detail.n =
                    step.lanes;
            return;
        case Op::take: return emit_part(result, a + step.number * (step.container / 8u), step.result);
        case Op::splat: add(handlers::splat(step.container), result, a).detail.n = step.lanes; return;
        case Op::lane_number: add(handlers::lane_number(step.container), result).detail.n = step.lanes; return;
        case Op::pick: add(handlers::pick(step.container), result, a, b).detail.n = step.lanes; return;
        case Op::permute: add(handlers::permute(step.container), result, a, b).detail.n = step.lanes; return;
        case Op::reduce_or:
        case Op::reduce_and:
        case Op::reduce_add: add(handlers::reduce(step.op, step.container), result, a).detail.n = step.lanes; return;
        case Op::ballot: add(handlers::ballot, result, a).detail.n = step.lanes; return;
        case Op::get: return emit_get(step);
        case Op::put: return step.delay != 0 ? emit_late_write(step) : emit_write(step);
        case Op::load:
        case Op::store: return emit_access(step, big);
        case Op::check_access:
        case Op::check_load:
        case Op::check_store:
        case Op::check_use: return emit_check(step, big);
        case Op::update: return emit_update(step, big);
        case Op::give: return emit_given(step, big);
        case Op::check_that:
        case Op::check_step: return emit_check_lanes(step);
        case Op::check_wait: add(handlers::check_wait, (*input_.signals)[step.object], a); return;
        case Op::check_kind: add(handlers::check_kind, 0, a, step.number); return;
        case Op::check_arrival: add(handlers::check_arrival, (*input_.signals)[step.object], a, step.number); return;
        case Op::put_pc:
            count_jump(step.a);
            add(handlers::late_pc, 0, a).detail = {step.delay, static_cast<std::uint32_t>(input_.address)};
            made_.back().as = Made::As::late_pc;
            return;
        case Op::jump:
        case Op::branch:
            if (goes_two_ways(index)) return emit_branch(index);
            jumps_.emplace_back(out_.ops.size(), step.number);
            add(step.op == Op::jump ? handlers::jump : handlers::jump_if_zero, 0, a);
            return;
        case Op::leave: return emit_leave(step);
        case Op::skip: return add_end(handlers::end_skipped, input_.next_address, 0);
        case Op::fault: fault(static_cast<StopReason>(step.number)); return;
        case Op::stop: add(handlers::stop); return;
        case Op::signal: add(handlers::signal).detail.n = (*input_.signals)[step.object]; return;
        case Op::fail: add(handlers::fail, 0, a).detail.n = (*input_.signals)[step.object]; return;
        case Op::event_value: add(handlers::event_value, result).detail.n = step.number; return;
        case Op::code: add(handlers::code, result, a); return;
        case Op::hart_number: add(handlers::hart_number, result); return;
        case Op::hart_count: add(handlers::hart_count, result); return;
        case Op::group_number: add(handlers::group_number, result); return;
        case Op::group_count: add(handlers::group_count, result); return;
        case Op::now: add(handlers::now, result); return;
        case Op::executed: add(handlers::executed, result).detail.n = step.number; return;
        case Op::host_argument: add(handlers::host_argument, 0, a).detail.n = step.number; return;
        case Op::host: add(handlers::host, result, a).detail.n = step.number; return;
        case Op::wait: add(handlers::wait); return;
        case Op::barrier: add(handlers::barrier); return;
        case Op::yield: add(handlers::yield); return;
        case Op::stall: add(handlers::stall); return;
        case Op::fence: add(handlers::fence); return;
        case Op::lock: add(handlers::lock, 0, a).detail.n = step.object; return;
        case Op::unlock: add(handlers::unlock); return;
        case Op::load_linked:
            add(handlers::load_linked, result, a, 0, step.object).detail = {step.container / 8u, big};
            return;
        case Op::store_conditional:
            add(handlers::store_conditional, result, a, b, step.object).detail = {step.container / 8u, big};
            return;
        case Op::transaction_begin: add(handlers::transaction_begin, 0, layout_.constant(input_.address)); return;
        case Op::transaction_end: add(handlers::transaction_end, result); return;
        case Op::transaction_abort: add(handlers::transaction_abort, result); return;
        case Op::transaction_depth: add(handlers::transaction_depth, result); return;
        default: fault(StopReason::undefined); return;
    }
}

// An end; the instruction that follows is found when it is first reached.
void Translator::add_end(Handler handler, std::uint64_t next, std::uint32_t ports) {
    add(handler, 0, static_cast<std::uint32_t>(next >> 32), static_cast<std::uint32_t>(next), ports).link = nullptr;
}

void Translator::add_plain_end(std::uint64_t next) {
    add_end(handlers::end, next, ports_);
    made_.back().as = Made::As::end;
}

// Whether both ways of a branch are known addresses and nothing more.
bool Translator::goes_two_ways(std::size_t branch) const {
    const Step& step = steps_[branch];
    if (step.op != Op::branch || input_.count_executions || input_.aside || changes_modes()) return false;
    const Step &taken = steps_[branch + 1], &other = steps_[step.number];
    return taken.op == Op::leave && other.op == Op::leave && known(taken.a) && known(other.a);
}

// The branch and its two ends: first the one where the condition does not hold. A test just before is part of it.
void Translator::emit_branch(std::size_t index) {
    const Step& branch = steps_[index];
    Handler fused = nullptr;
    if (!out_.ops.empty() && uses_[branch.a] == 1 && places_[branch.a] == out_.ops.back().result && index > 0) {
        std::size_t before = index;
        while (before > 0 && steps_[before - 1].op == Op::at) --before;
        bool reached_by_jump = std::any_of(jumps_.begin(), jumps_.end(), [&](const auto& each) {
            return each.second > before - 1 && each.second <= index;
        });
        const Step* test = before > 0 ? &steps_[before - 1] : nullptr;
        if (test != nullptr && !reached_by_jump && test->result == branch.a && test->lanes == 1)
            fused = branch_handler(test->op, test->container);
    }
    if (fused != nullptr) {
        out_.ops.back().run = fused;
        made_.back() = {};
    } else {
        add(handlers::branch, 0, place(branch.a));
    }
    check_ports();
    add_plain_end(*known(steps_[branch.number].a));
    add_plain_end(*known(steps_[index + 1].a));
}

void Translator::emit_leave(const Step& step) {
    if (input_.aside) {
        add(handlers::come_back);
        return;
    }
    check_ports();
    const auto address = known(step.a);
    if (address != input_.next_address) count_jump(step.a);
    if (address && !changes_modes()) return add_plain_end(*address);
    add(handlers::set_target, 0, place(step.a));
    if (!changes_modes()) out_.computed_ends.push_back(out_.ops.size());
    add_end(changes_modes() ? handlers::end_modes : handlers::end_jump, input_.next_address, ports_);
}

// What is written at once must not take more ports than there are.
void Translator::check_ports() {
    for (unsigned file = 0; file < max_limited_files; ++file)
        if (input_.port_limits[file] != 0 && (ports_ >> 4 * file & 15) > input_.port_limits[file])
            fault(StopReason::port_collision);
}

void Translator::emit_get(const Step& step) {
    const RegisterFile& file = isa_.register_files[step.object];
    const std::uint32_t size = layout_.register_size(step.object), result = place(step.result);
    if (step.number != no_number)
        return emit_part(result, layout_.offset(step.object, step.number) + first_byte(step), step.result);
    const bool whole = is_direct(step) && step.first == 0 && bytes_of(step.result) == size;
    const std::uint32_t to = whole ? result : layout_.scratch(scratch_used_[size]++, size);
    add(handlers::read_indexed, to, layout_.offset(step.object, 0), place(step.b)).detail = {file.count, size};
    if (!whole) emit_part(result, to + first_byte(step), step.result);
}

// A value from the bytes of a larger one.
void Translator::emit_part(std::uint32_t result, std::uint32_t from, ValueId value) {
    const Value& meant = code_.values[value];
    if (meant.lanes == 1 && meant.container < 64)
        add(handlers::resize_scalar(meant.container), result, from);
    else if (meant.lanes == 1)
        add_copy(result, from);
    else
        add(handlers::copy_bytes, result, from).detail.n = bytes_of(value);
}

// The two ways of a branch whose ends it has itself are not emitted again, but where something else leads there.
bool Translator::is_part_of_branch(std::size_t index) const {
    if (steps_[index].op != Op::leave) return false;
    bool part = false;
    for (std::size_t i = 0; i < index; ++i) {
        if (!is_jump(steps_[i].op)) continue;
        const bool two = goes_two_ways(i);
        const bool leads = steps_[i].number == index;
        if (leads && !two) return false;
        part = part || (two && (leads || i + 1 == index));
    }
    const bool falls = index > 0 && about(steps_[index - 1].op).effect != ir::Effect::ends;
    return part && !falls;
}

void Translator::emit_all() {
    if (input_.count_executions) add(handlers::count_execution, input_.counter);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        first_op_.push_back(out_.ops.size());
        if (!is_part_of_branch(i)) emit(i);
    }
    first_op_.push_back(out_.ops.size());
    for (auto [op, step] : jumps_)
        out_.ops[op].detail.n = static_cast<std::uint32_t>(first_op_[std::min(step, steps_.size())] - op);
}

// The handler of that operation with a tail; null where it computes nothing, or there is none.
Handler Translator::with_tail(std::size_t computation, Tail tail) const {
    const Made& made = made_[computation];
    if (made.as != Made::As::computation) return nullptr;
    return scalar_handler(made.op, made.container, strict_floats(), tail);
}

// What is computed just before the low part of a register is written goes there at once.
bool Translator::fuse_low_write(std::size_t write) {
    MicroOp& computation = out_.ops[write - 1];
    const bool is_of_its_size =
        made_[write].as == Made::As::low_write && made_[write - 1].container == made_[write].container;
    if (!is_of_its_size || computation.result != out_.ops[write].a || computation.result < layout_.registers_end())
        return false;
    const Handler fused = with_tail(write - 1, Tail::low_write_end);
    if (fused == nullptr) return false;
    computation.run = fused;
    computation.result = out_.ops[write].result;
    return true;
}

// The operation before a plain end does the end's work too, where it can. A jump to the end still finds it.
void Translator::fuse_end(std::size_t end) {
    const std::size_t before = end - 1;
    MicroOp& last = out_.ops[before];
    const bool computed_just_before = before >= 1 && jumps_.empty();
    switch (made_[before].as) {
        case Made::As::copy: last.run = handlers::copy_scalar_end; return;
        case Made::As::late_pc: last.run = handlers::late_pc_end; return;
        case Made::As::late_write: {
            last.run = handlers::late_write_end;
            if (!computed_just_before || out_.ops[before - 1].result != last.a) return;
            const Handler fused = with_tail(before - 1, Tail::late_write_end);
            if (fused != nullptr) out_.ops[before - 1].run = fused;
            return;
        }
        case Made::As::low_write:
            if (computed_just_before) fuse_low_write(before);
            return;
        case Made::As::computation:
            if (const Handler fused = with_tail(before, Tail::end)) last.run = fused;
            return;
        case Made::As::end:
        case Made::As::other: return;
    }
}

Translation Translator::run() {
    note_uses();
    note_touches();
    read_directly();
    write_directly();
    place_values();
    emit_all();
    for (std::size_t end = 1; end < out_.ops.size(); ++end)
        if (made_[end].as == Made::As::end) fuse_end(end);
    return std::move(out_);
}

}  // namespace

Translation translate(const TranslateInput& input, Layout& layout) { return Translator(input, layout).run(); }

}  // namespace isaforge::machine

// Translation of one instruction: drop what nobody uses, let operations read registers and write them directly where
// nothing can tell the difference, give the remaining values scratch places, and choose handlers.
//
// All jumps inside an instruction go forward. So the order of the steps is an order of time on every path, and "between
// two steps" can be judged by their numbers.
#include "machine/translate.hpp"

#include <algorithm>
#include <map>

namespace isaforge::machine {

namespace {

using semantics::Action;
using semantics::Code;
using semantics::no_number;
using semantics::no_value;
using semantics::Step;
using semantics::Value;
using semantics::ValueId;

constexpr std::uint32_t unplaced = ~std::uint32_t{0};

bool is_jump(Action action) { return action == Action::jump || action == Action::jump_if_zero; }

// Each lane of the result depends on the same lane of the operands only, so that it may replace one of them.
bool is_lanewise(Action action) {
    return semantics::is_compute(action) || action == Action::copy || action == Action::splat;
}

class Translator {
public:
    Translator(const TranslateInput& input, Layout& layout)
        : isa_(*input.isa),
          code_(*input.code),
          input_(input),
          layout_(layout),
          steps_(input.code->steps),
          places_(code_.values.size(), unplaced),
          last_use_(code_.values.size(), 0),
          uses_(code_.values.size(), 0),
          defined_(code_.values.size(), 0) {}

    Translation run();

private:
    void drop_unused();
    void read_directly();
    void write_directly();
    bool may_write_directly(std::size_t write, std::size_t& definition);
    void place_values();
    void note_touches();
    void emit_all();
    void emit(std::size_t index);
    void emit_write(const Step& step);
    void emit_late_write(const Step& step);
    void emit_mapped(const Step& step, bool big);
    void emit_end();
    bool jumps_at_once() const {
        return std::any_of(steps_.begin(), steps_.end(),
                           [](const Step& step) { return step.action == Action::write_pc && step.delay == 0; });
    }
    bool changes_modes() const {
        return std::any_of(steps_.begin(), steps_.end(),
                           [](const Step& step) { return step.action == Action::set_mode; });
    }
    void find_branch();
    void emit_branch();
    void add_end(Handler handler, std::uint64_t next, std::uint32_t ports);
    MicroOp& add(Handler handler, std::uint32_t result = 0, std::uint32_t a = 0, std::uint32_t b = 0,
                 std::uint32_t c = 0);
    MicroOp& fault(StopReason reason);
    void fuse_ends();
    Handler with_tail(Handler plain, Tail tail, unsigned container = 0) const;
    bool fuse_low_write(MicroOp& computation, const MicroOp& write);
    std::uint32_t place(ValueId id);
    std::uint32_t bytes_of(ValueId id) const;
    bool touches_register(const Step& step, Index file, std::uint32_t number) const;

    const Isa& isa_;
    const Code& code_;
    const TranslateInput& input_;
    Layout& layout_;
    std::vector<Step> steps_;
    std::vector<std::uint32_t> places_;      // offset of each value
    std::vector<std::size_t> last_use_;
    std::vector<unsigned> uses_;
    std::vector<std::size_t> defined_;
    std::map<std::uint32_t, unsigned> scratch_used_;
    std::vector<std::size_t> first_op_;      // of each step
    std::vector<std::pair<std::size_t, std::size_t>> jumps_;  // operation, step it goes to
    std::vector<std::size_t> guards_;
    bool has_jumps_ = false;
    // Where the last thing an instruction does is to set pc to a known address, always or on a condition, each way out has an
    // end of its own, which knows the instruction that follows.
    enum class Exit { computed, known, branch } exit_ = Exit::computed;
    std::size_t exit_write_ = 0, exit_jump_ = 0;
    ValueId origin(ValueId id) const;
    std::map<ValueId, ValueId> same_bytes_;  // values that are other values in lanes of another size
    std::map<ValueId, std::pair<Index, std::uint32_t>> read_from_;  // values that are registers themselves
    std::uint32_t ports_ = 0;
    Translation out_;
};

std::uint32_t Translator::bytes_of(ValueId id) const {
    const Value& value = code_.values[id];
    return value.lanes == 1 ? 8 : value.container / 8u * value.lanes;
}

// Pure steps whose result nothing reads, from the last to the first, for each may have been the reader of another.
void Translator::drop_unused() {
    for (const Step& step : steps_)
        for (ValueId id : {step.a, step.b, step.c})
            if (id != no_value) ++uses_[id];
    for (std::size_t i = steps_.size(); i-- > 0;) {
        Step& step = steps_[i];
        has_jumps_ |= is_jump(step.action);
        if (!semantics::is_pure(step.action) || step.result == no_value || uses_[step.result] != 0) continue;
        for (ValueId id : {step.a, step.b, step.c})
            if (id != no_value) --uses_[id];
        step = {};
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        for (ValueId id : {steps_[i].a, steps_[i].b, steps_[i].c})
            if (id != no_value) last_use_[id] = i;
        if (steps_[i].result != no_value) defined_[steps_[i].result] = i;
    }
}

bool Translator::touches_register(const Step& step, Index file, std::uint32_t number) const {
    return step.object == file && (step.number == number || step.number == no_number);
}

// A read stands for the register itself as long as nothing writes the register before the value's last use.
void Translator::read_directly() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const Step read = steps_[i];
        if (read.action != Action::read || read.number == no_number) continue;
        bool disturbed = false;
        for (std::size_t k = i + 1; k < last_use_[read.result] && !disturbed; ++k)
            disturbed = steps_[k].action == Action::transaction_abort ||
                        (steps_[k].action == Action::write && steps_[k].delay == 0 &&
                         touches_register(steps_[k], read.object, read.number));
        if (disturbed) continue;
        places_[read.result] = layout_.offset(read.object, read.number);
        read_from_[read.result] = {read.object, read.number};
        steps_[i] = {};
    }
    // The same bytes in other lanes need no copy: of a register as long as it is not written, of other values always.
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const Step view = steps_[i];
        if (view.action != Action::reinterpret || code_.values[view.a].kind != Value::Kind::temporary) continue;
        const Value& seen = code_.values[view.result];
        if (seen.lanes == 1 && seen.container < 64) continue;  // the bits above a single lane are zeros
        auto from = read_from_.find(view.a);
        if (from == read_from_.end()) {
            same_bytes_[view.result] = view.a;
            continue;
        }
        auto [file, number] = from->second;
        bool disturbed = false;
        for (std::size_t k = i + 1; k < last_use_[view.result] && !disturbed; ++k)
            disturbed =
                steps_[k].action == Action::write && steps_[k].delay == 0 && touches_register(steps_[k], file, number);
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
    if (step.action != Action::write || step.delay != 0 || step.c != no_value || step.number == no_number) return false;
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
    std::uint32_t offset = layout_.offset(step.object, step.number) + step.first * lane_bytes(file);
    if (!is_lanewise(computation.action) && computation.action != Action::load) {
        if (value.lanes != 1) return false;
    }
    bool resizes_lanes =
        value.lanes != 1 && (semantics::is_test(computation.action) || computation.container != value.container);
    if (resizes_lanes || (value.lanes != 1 && computation.action == Action::load)) return false;
    for (std::size_t k = definition + 1; k < write; ++k) {
        const Step& between = steps_[k];
        if (is_jump(between.action) || between.action == Action::leave_if_zero) return false;
        if ((between.action == Action::read || between.action == Action::write) &&
            touches_register(between, step.object, step.number))
            return false;
        if (between.action == Action::load || between.action == Action::store || between.action >= Action::fail)
            return false;
        for (ValueId id : {between.a, between.b, between.c})
            if (id != no_value && places_[id] == offset) return false;
        if (between.result != no_value && places_[between.result] == offset) return false;
    }
    // A jump from before the definition may lead between it and the write.
    for (std::size_t k = 0; k < definition; ++k)
        if (is_jump(steps_[k].action) && steps_[k].number > definition && steps_[k].number <= write) return false;
    return true;
}

void Translator::write_directly() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        std::size_t definition = 0;
        if (!may_write_directly(i, definition)) continue;
        places_[origin(steps_[i].a)] = layout_.offset(steps_[i].object, steps_[i].number) +
                                       steps_[i].first * lane_bytes(isa_.register_files[steps_[i].object]);
        steps_[i].action = Action::nothing;   // its number and object still say what is written
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
    bool before_guard = std::any_of(code_.steps.begin(), code_.steps.end(),
                                    [](const Step& step) { return step.action == Action::leave_if_zero; });
    for (const Step& step : code_.steps) {
        if (step.action == Action::leave_if_zero) before_guard = false;
        if (step.action == Action::write_pc) out_.writes_pc = true;
        if (step.action != Action::read && step.action != Action::write) continue;
        if (step.action == Action::read ? uses_[step.result] == 0 : step.delay != 0) continue;
        Touch touch{.file = step.object, .in_guard = before_guard};
        if (step.number != no_number)
            touch.first = step.number;
        else
            touch.count = isa_.register_files[step.object].count;
        (step.action == Action::read ? out_.reads : out_.writes).push_back(touch);
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
    std::uint32_t offset = step.first * lane_bytes(file);
    std::uint32_t target = layout_.offset(step.object, indexed ? 0 : step.number) + offset;
    if (file.lanes == 1 && step.container < semantics::Type{file.bits}.container()) {
        if (indexed) {
            add(handlers::write_part_indexed, target, place(step.a), place(step.b)).detail = {file.count, size};
            add(handlers::fault, step.container / 8u);
        } else {
            add(handlers::write_low(step.container), target, place(step.a));
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
        add(handlers::copy_scalar, target, place(step.a));
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
    if (indexed) add(handlers::fault, 0, isa_.register_files[step.object].count);
}

// Loads and stores of memory that holds code.
void Translator::emit_mapped(const Step& step, bool big) {
    const bool loads = step.action == Action::load, masked = step.c != no_value;
    Handler handler = nullptr;
    if (step.lanes != 1)
        handler = (loads ? handlers::gather_mapped : handlers::scatter_mapped)(step.container, big, masked);
    else
        handler = (loads ? handlers::load_mapped : handlers::store_mapped)(step.container, big, input_.aligned);
    add(handler, loads ? place(step.result) : 0, place(step.a), place(step.b), place(step.c)).detail = {step.object,
                                                                                                        step.lanes};
}

void Translator::emit(std::size_t index) {
    const Step& step = steps_[index];
    std::uint32_t result = place(step.result), a = place(step.a), b = place(step.b), c = place(step.c);
    bool accesses = step.action == Action::load || step.action == Action::store || step.action == Action::load_linked ||
                    step.action == Action::store_conditional;
    bool big = accesses && isa_.memories[step.object].big_endian;
    if (semantics::is_compute(step.action)) {
        bool strict = isa_.floats.flush_subnormals && isa_.floats.canonical_nan;
        if (step.rounding != Rounding::nearest)
            add(rounded_handler(step.action, step.container), result, a, b, c).detail = {
                step.lanes, static_cast<std::uint32_t>(step.rounding)};
        else if (step.lanes == 1)
            add(scalar_handler(step.action, step.container, strict, Tail::none), result, a, b, c);
        else
            add(vector_handler(step.action, step.container), result, a, b, c).detail.n = step.lanes;
        return;
    }
    switch (step.action) {
        case Action::nothing:
            if (step.object != no_index) {  // a write that became direct
                std::uint32_t port = (*input_.ports)[step.object];
                if (port != 0 && has_jumps_)
                    add(handlers::note_ports).detail.n = port;
                else
                    ports_ += port;
            }
            return;
        case Action::copy:
            if (step.lanes == 1)
                add(handlers::copy_scalar, result, a);
            else
                add(handlers::copy_bytes, result, a).detail.n = bytes_of(step.result);
            return;
        case Action::spread: add(handlers::spread, result, a).detail.n = step.lanes; return;
        case Action::set_mode: add(handlers::set_mode, 0, a).detail.n = step.object; return;
        case Action::reinterpret:
            if (same_bytes_.contains(step.result)) return;
            if (code_.values[step.result].lanes == 1) {
                add(handlers::resize_scalar(code_.values[step.result].container), result, a);
                return;
            }
            add(handlers::copy_bytes, result, a).detail.n = std::max(bytes_of(step.result), 8u);
            return;
        case Action::resize:
            if (step.lanes == 1)
                add(handlers::resize_scalar(step.container), result, a);
            else
                add(handlers::resize_vector(code_.values[step.a].container, step.container), result, a).detail.n =
                    step.lanes;
            return;
        case Action::splat: add(handlers::splat(step.container), result, a).detail.n = step.lanes; return;
        case Action::lane_number: add(handlers::lane_number(step.container), result).detail.n = step.lanes; return;
        case Action::pick: add(handlers::pick(step.container), result, a, b).detail.n = step.lanes; return;
        case Action::permute: add(handlers::permute(step.container), result, a, b).detail.n = step.lanes; return;
        case Action::reduce_or:
        case Action::reduce_and:
        case Action::reduce_sum:
            add(handlers::reduce(step.action, step.container), result, a).detail.n = step.lanes;
            return;
        case Action::ballot: add(handlers::ballot, result, a).detail.n = step.lanes; return;
        case Action::read: {
            const RegisterFile& file = isa_.register_files[step.object];
            std::uint32_t size = layout_.register_size(step.object);
            if (step.number == no_number)
                add(handlers::read_indexed, result, layout_.offset(step.object, 0), b).detail = {file.count, size};
            else if (file.lanes == 1)
                add(handlers::copy_scalar, result, layout_.offset(step.object, step.number));
            else
                add(handlers::copy_bytes, result, layout_.offset(step.object, step.number)).detail.n = size;
            return;
        }
        case Action::write: return step.delay != 0 ? emit_late_write(step) : emit_write(step);
        case Action::load:
            if (isa_.memories[step.object].holds_code)
                emit_mapped(step, big);
            else if (step.lanes == 1)
                add(handlers::load(step.container, big), result, a).detail.n = step.object;
            else
                add(handlers::gather(step.container, big, step.c != no_value), result, a, 0, c).detail = {step.object,
                                                                                                          step.lanes};
            return;
        case Action::store:
            if (isa_.memories[step.object].holds_code)
                emit_mapped(step, big);
            else if (step.lanes == 1)
                add(handlers::store(step.container, big), 0, a, b).detail.n = step.object;
            else
                add(handlers::scatter(step.container, big, step.c != no_value), 0, a, b, c).detail = {step.object,
                                                                                                      step.lanes};
            return;
        case Action::write_pc:
            if (exit_ != Exit::computed) return;
            if (input_.count_executions) add(handlers::count_execution, input_.jump_counter);
            if (step.delay == 0)
                add(handlers::set_target, 0, a);
            else
                add(handlers::late_pc, 0, a).detail = {step.delay, static_cast<std::uint32_t>(input_.address)};
            return;
        case Action::jump:
        case Action::jump_if_zero:
            if (exit_ == Exit::branch && index == exit_jump_) return emit_branch();
            jumps_.emplace_back(out_.ops.size(), step.number);
            add(step.action == Action::jump ? handlers::jump : handlers::jump_if_zero, 0, a);
            return;
        case Action::leave_if_zero:
            guards_.push_back(out_.ops.size());
            add(handlers::leave_if_zero, 0, a);
            return;
        case Action::stop: add(handlers::stop); return;
        case Action::signal: add(handlers::signal).detail.n = (*input_.signals)[step.object]; return;
        case Action::fail: add(handlers::fail, 0, a).detail.n = (*input_.signals)[step.object]; return;
        case Action::event_value: add(handlers::event_value, result).detail.n = step.number; return;
        case Action::next_pc: add(handlers::next_pc, result); return;
        case Action::hart_number: add(handlers::hart_number, result); return;
        case Action::hart_count: add(handlers::hart_count, result); return;
        case Action::now: add(handlers::now, result); return;
        case Action::executed: add(handlers::executed, result).detail.n = step.number; return;
        case Action::host_argument: add(handlers::host_argument, 0, a).detail.n = step.number; return;
        case Action::host: add(handlers::host, result, a); return;
        case Action::wait: add(handlers::wait); return;
        case Action::fence: add(handlers::fence); return;
        case Action::lock: add(handlers::lock, 0, a); return;
        case Action::unlock: add(handlers::unlock); return;
        case Action::load_linked: add(handlers::load_linked, result, a).detail = {step.container / 8u, big}; return;
        case Action::store_conditional:
            add(handlers::store_conditional, result, a, b).detail = {step.container / 8u, big};
            return;
        case Action::transaction_begin: add(handlers::transaction_begin, 0, layout_.constant(input_.address)); return;
        case Action::transaction_end: add(handlers::transaction_end, result); return;
        case Action::transaction_abort: add(handlers::transaction_abort, result); return;
        case Action::transaction_depth: add(handlers::transaction_depth, result); return;
        default: fault(StopReason::undefined); return;
    }
}

// An end; the instruction that follows is found when it is first reached.
void Translator::add_end(Handler handler, std::uint64_t next, std::uint32_t ports) {
    add(handler, 0, static_cast<std::uint32_t>(next >> 32), static_cast<std::uint32_t>(next), ports).link = nullptr;
}

// Looks whether the last thing that happens is a write of a known address to pc.
void Translator::find_branch() {
    if (input_.count_executions) return;  // those that are taken are counted where they write
    std::size_t writes = 0, last = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        if (steps_[i].action == Action::set_mode || (steps_[i].action == Action::next_pc)) return;
        if (steps_[i].action != Action::nothing) last = i;
        if (steps_[i].action == Action::write_pc) ++writes;
    }
    if (writes != 1 || steps_[last].action != Action::write_pc || steps_[last].delay != 0 ||
        code_.values[steps_[last].a].kind != Value::Kind::constant)
        return;
    std::size_t jump = last;
    while (jump > 0 && steps_[jump - 1].action == Action::nothing) --jump;
    bool conditional = jump > 0 && steps_[jump - 1].action == Action::jump_if_zero && steps_[jump - 1].number > last;
    for (std::size_t i = 0; i < last; ++i)  // no other way around the write
        if (is_jump(steps_[i].action) && steps_[i].number > (conditional ? jump - 1 : last) &&
            !(conditional && i == jump - 1))
            return;
    exit_write_ = last;
    exit_jump_ = conditional ? jump - 1 : last;
    exit_ = conditional ? Exit::branch : Exit::known;
}

// The branch and its two ends: first the one where the condition does not hold. A test just before is part of it.
void Translator::emit_branch() {
    const Step& jump = steps_[exit_jump_];
    const std::uint64_t target = code_.values[steps_[exit_write_].a].constant;
    Handler fused = nullptr;
    if (!out_.ops.empty() && uses_[jump.a] == 1 && places_[jump.a] == out_.ops.back().result && exit_jump_ > 0) {
        std::size_t before = exit_jump_;
        while (before > 0 && steps_[before - 1].action == Action::nothing) --before;
        bool reached_by_jump = std::any_of(jumps_.begin(), jumps_.end(), [&](const auto& each) {
            return each.second > before - 1 && each.second <= exit_jump_;
        });
        const Step* test = before > 0 ? &steps_[before - 1] : nullptr;
        if (test != nullptr && !reached_by_jump && test->result == jump.a && test->lanes == 1)
            fused = branch_handler(test->action, test->container);
    }
    if (fused != nullptr)
        out_.ops.back().run = fused;
    else
        add(handlers::branch, 0, place(jump.a));
    add_end(handlers::end, input_.next_address, ports_);
    add_end(handlers::end, target, ports_);
}

void Translator::emit_end() {
    for (unsigned file = 0; file < max_limited_files; ++file)
        if (input_.port_limits[file] != 0 && (ports_ >> 4 * file & 15) > input_.port_limits[file])
            fault(StopReason::port_collision);
    if (exit_ != Exit::branch) {
        const Handler handler = changes_modes()                              ? handlers::end_modes
                                : jumps_at_once() && exit_ == Exit::computed ? handlers::end_jump
                                                                             : handlers::end;
        add_end(handler, exit_ == Exit::known ? code_.values[steps_[exit_write_].a].constant : input_.next_address,
                ports_);
    }
    if (guards_.empty()) return;
    for (std::size_t at : guards_) out_.ops[at].detail.n = static_cast<std::uint32_t>(out_.ops.size() - at);
    add_end(handlers::end_skipped, input_.next_address, 0);
}

void Translator::emit_all() {
    if (input_.count_executions) add(handlers::count_execution, input_.counter);
    find_branch();
    if (exit_ == Exit::computed && ((jumps_at_once() && has_jumps_) || changes_modes()))
        add(handlers::set_target, 0, layout_.constant(input_.next_address));
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        first_op_.push_back(out_.ops.size());
        emit(i);
    }
    first_op_.push_back(out_.ops.size());
    for (auto [op, step] : jumps_)
        out_.ops[op].detail.n = static_cast<std::uint32_t>(first_op_[std::min(step, steps_.size())] - op);
}

// The handler that computes as `plain` does, in that container if one is given, and has a tail; null where there is none.
Handler Translator::with_tail(Handler plain, Tail tail, unsigned container) const {
    bool strict = isa_.floats.flush_subnormals && isa_.floats.canonical_nan;
    for (const Step& step : steps_)
        if (semantics::is_compute(step.action) && step.lanes == 1 && step.rounding == Rounding::nearest &&
            (container == 0 || step.container == container) &&
            scalar_handler(step.action, step.container, strict, Tail::none) == plain)
            return scalar_handler(step.action, step.container, strict, tail);
    return nullptr;
}

// What is computed just before the low part of a register is written goes there at once.
bool Translator::fuse_low_write(MicroOp& computation, const MicroOp& write) {
    unsigned written = 0;
    for (unsigned container : {8u, 16u, 32u})
        if (write.run == handlers::write_low(container)) written = container;
    if (written == 0 || computation.result != write.a || computation.result < layout_.registers_end()) return false;
    Handler fused = with_tail(computation.run, Tail::low_write_end, written);
    if (fused == nullptr) return false;
    computation.run = fused;
    computation.result = write.result;
    return true;
}

// The operation before the plain end does the end's work too, where it can. A jump to the end still finds it.
void Translator::fuse_ends() {
    std::size_t end = 0;
    while (end < out_.ops.size() && out_.ops[end].run != handlers::end) ++end;
    if (end == 0 || end == out_.ops.size() || exit_ == Exit::branch) return;
    MicroOp& last = out_.ops[end - 1];
    if (last.run == handlers::copy_scalar)
        last.run = handlers::copy_scalar_end;
    else if (last.run == handlers::late_pc)
        last.run = handlers::late_pc_end;
    else if (last.run == handlers::late_write) {
        last.run = handlers::late_write_end;
        bool computed_just_before = end >= 2 && out_.ops[end - 2].result == last.a && jumps_.empty();
        Handler fused = computed_just_before ? with_tail(out_.ops[end - 2].run, Tail::late_write_end) : nullptr;
        if (fused != nullptr) out_.ops[end - 2].run = fused;
    } else if (end >= 2 && jumps_.empty() && fuse_low_write(out_.ops[end - 2], last)) {
        return;
    } else if (Handler fused = with_tail(last.run, Tail::end)) {
        last.run = fused;
    }
}

Translation Translator::run() {
    drop_unused();
    note_touches();
    read_directly();
    write_directly();
    place_values();
    emit_all();
    if (input_.aside) {
        add(handlers::come_back);
        return std::move(out_);
    }
    emit_end();
    fuse_ends();
    return std::move(out_);
}

}  // namespace

Translation translate(const TranslateInput& input, Layout& layout) { return Translator(input, layout).run(); }

}  // namespace isaforge::machine

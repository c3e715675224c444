// What instructions do with registers: operands, masks, flags, traps and results of everything that computes.
#include "fabrisc_model.hpp"

#include <tuple>

#include "fabrisc_plan.hpp"

namespace fabrisc_reference {

using soft_float::Rounding;
using soft_float::Wide;

namespace {

Rounding rounding_of(const Layout& layout, const State& state) {
    return static_cast<Rounding>(state.special[layout.csr] >> layout.rounding & 3);
}

}  // namespace

const Layout& layout_of(Revision revision) {
    static const Layout march{
        13,         23,         17,        32, 14, 18,       24,
        26,         2,          7,         13, 15, 28,       24,
        31,         19,         3,         16, 16, 1u << 12, 1u << 12 | 7u << 19 | 1u << 22 | 1u << 23,
        0xff780000, 0x50ffffff, 0xffffffff};
    static const Layout may{16,         17,      15,        18, 12, 14,       19,
                            22,         2,       0,         6,  8,  9,        18,
                            24,         25,      3,         32, 10, 3u << 10, 3u << 10 | 3u << 17 | 7u << 25,
                            0xfff80000, 0x3ffff, 0x0fffffff};
    static const Layout may_last{5,          7,       4,         6,  0,  3, 8,
                                 11,         3,       0,         6,  8,  9, 20,
                                 26,         15,      4,         32, 12, 0, 3u << 6 | 15u << 15 | 1u << 23,
                                 0x00ffff00, 0xfffff, 0x7fffffff};
    return revision == Revision::march ? march : revision == Revision::may ? may : may_last;
}

// To the user's handler.
void Operation::Plan::exception(State& s, unsigned id) const {
    const u64 wide = ones(configuration.wlen);
    s.special[layout.user_buffer] = s.pc & wide;
    s.special[layout.user_buffer + 1] = s.special[layout.csr];
    if (layout.buffers == 3) s.special[layout.user_buffer + 2] = s.special[layout.cause];
    if (layout.cause < 32) s.special[layout.cause] = id;
    set_csr_bit(s, layout.traps, false);
    set_csr_bit(s, layout.trap, configuration.revision == Revision::march);
    if (configuration.revision == Revision::may_last) set_csr_bit(s, 10, true);  // debug registers freeze
    s.pc = s.special[layout.user_handler] + (configuration.revision == Revision::march ? 8 * id : 0);
    s.pc &= wide;
}

// To the supervisor's handler.
void Operation::Plan::fault(State& s, unsigned id) const {
    const u64 wide = ones(configuration.wlen);
    s.special[layout.supervisor_buffer] = s.pc & wide;
    s.special[layout.supervisor_buffer + 1] = s.special[layout.csr];
    if (layout.cause < 32) {
        s.special[layout.supervisor_buffer + 2] = s.special[layout.cause];
        s.special[layout.cause] = id;
    }
    set_csr_bit(s, layout.supervisor, true);
    set_csr_bit(s, layout.trap, true);
    switch (configuration.revision) {
        case Revision::march:  // no interrupts
            set_csr_bit(s, 29, false);
            set_csr_bit(s, 30, false);
            break;
        case Revision::may:
            set_csr_bit(s, 22, true);
            set_csr_bit(s, 23, true);
            break;
        case Revision::may_last:
            for (unsigned bit : {10, 11, 24, 25}) set_csr_bit(s, bit, true);
            break;
    }
    s.pc = s.special[layout.supervisor_handler] + (configuration.revision == Revision::march ? 8 * id : 0);
    s.pc &= wide;
}

u64 Operation::Plan::immediate_value(const State& s) const {
    s64 value = immediate_number();
    if (!is_float(meaning.op)) return low(static_cast<u64>(value), n);
    soft_float::Flags ignored;
    return soft_float::from_signed(soft_float::format_of(n), value, rounding_of(layout, s), ignored);
}

// What all elements have in common; of a scalar instruction, everything.
Operands Operation::Plan::operands(const State& s) const {
    Operands o;
    o.n = n;
    o.is_unsigned = meaning.is_unsigned;
    o.rounding = rounding_of(layout, s);
    o.flags = scalar_flags(s);
    if (meaning.immediate) o.direction = immediate_number();
    o.c = scalar(s, ra);
    o.a = meaning.two_operands ? o.c : scalar(s, rb);
    o.b = meaning.immediate ? immediate_value(s) : meaning.two_operands ? scalar(s, rb) : scalar(s, rc);
    return o;
}

void Operation::Plan::finish_scalar(State& s, u64 value, unsigned bits, unsigned raised, bool float_result,
                                    unsigned carried) const {
    set_scalar_flags(s, raised | carried | look_of(value, bits, float_result));
    if (auto id = trap(s, raised)) return exception(s, *id);
    write_scalar(s, ra, value, bits);
    s.pc += bytes;
}

void Operation::Plan::run_scalar(Run run) const {
    State& s = run.state;
    Operands o = operands(s);
    if (run.witness != nullptr) {
        o.witness = low(run.witness->scalar[ra], n);
        o.witness_bits = ones(n);
    }
    Result r = compute(meaning.op, o);
    finish_scalar(s, r.value, n, r.raised, is_float(meaning.op), r.carried);
}

void Operation::Plan::finish_vector(State& s, const std::vector<Result>& results, unsigned bits,
                                    bool float_result) const {
    unsigned raised = 0;
    for (unsigned e = 0; e < results.size(); ++e) {
        if (!vector_masked(s, e * bits / 8)) raised |= results[e].raised;
        if (configuration.revision == Revision::may_last) continue;
        u64 flags = results[e].raised | results[e].carried | look_of(results[e].value, bits, float_result);
        write_element(s, s.vector_flags, bits, e, flags * 0x0101010101010101);
    }
    if (auto id = trap(s, raised)) return exception(s, *id);
    for (unsigned e = 0; e < results.size(); ++e) write_element(s, s.vector[ra], bits, e, results[e].value);
    used(s, Bank::vector, ra);
    s.pc += bytes;
}

void Operation::Plan::run_vector(Run run) const {
    State& s = run.state;
    Operands o = operands(s);
    std::vector<Result> results;
    for (unsigned e = 0; e < elements(s, n); ++e) {
        o.a = element(s.vector[rb], n, e);
        if (!meaning.immediate && !scalar_second && !meaning.unary) o.b = element(s.vector[rc], n, e);
        o.c = element(s.vector[ra], n, e);
        o.flags = s.vector_flags[e * n / 8];
        if (run.witness != nullptr) {
            o.witness = element(run.witness->vector[ra], n, e);
            o.witness_bits = 0;
            for (unsigned i = 0; i < n / 8; ++i)
                o.witness_bits |= vector_masked(s, e * n / 8 + i) ? 0 : u64{0xff} << 8 * i;
        }
        results.push_back(compute(meaning.op, o));
    }
    finish_vector(s, results, n, is_float(meaning.op));
}

void Operation::Plan::run_reduction(State& s) const {
    const bool accumulates = meaning.op == Op::mac || meaning.op == Op::fmac;
    const bool by_magnitude = meaning.is_unsigned && is_float(meaning.op);
    Operands o = operands(s);
    bool first = true;
    u64 sum = 0;
    unsigned raised = 0;
    if (accumulates) sum = scalar(s, ra);
    const unsigned length = elements(s, n);
    for (unsigned i = 0; i < length; ++i) {
        unsigned e = meaning.backward || backward ? length - 1 - i : i;
        if (vector_masked(s, e * n / 8)) continue;
        u64 value = element(s.vector[rb], n, e);
        if (by_magnitude) value &= ~top_bit(n);
        o.a = accumulates ? value : sum;
        o.b = value;
        o.c = sum;
        o.is_unsigned = meaning.is_unsigned && !is_float(meaning.op);
        if (first && !accumulates) {
            sum = value;
        } else {
            Result r = compute(meaning.op, o);
            sum = r.value;
            if ((meaning.op == Op::div && o.b == 0) ||
                (meaning.op == Op::fdiv && soft_float::is_zero(soft_float::format_of(n), o.b)))
                raised |= div0;
        }
        first = false;
    }
    finish_scalar(s, sum, n, raised, is_float(meaning.op));
}

void Operation::Plan::run_scalar_cast(State& s) const {
    bool to_float = meaning.cast == Cast::float_float || meaning.cast == Cast::integer_float;
    u64 value = cast(meaning.cast, scalar(s, rb), n, to, meaning.is_unsigned, rounding_of(layout, s));
    finish_scalar(s, value, to, 0, to_float);
}

void Operation::Plan::run_vector_cast(State& s) const {
    bool to_float = meaning.cast == Cast::float_float || meaning.cast == Cast::integer_float;
    std::vector<Result> results;
    for (unsigned e = 0; e < elements(s, std::max(n, to)); ++e)
        results.push_back(
            {cast(meaning.cast, element(s.vector[rb], n, e), n, to, meaning.is_unsigned, rounding_of(layout, s))});
    finish_vector(s, results, to, to_float);
}

void Operation::Plan::run_multiword(State& s) const {
    const u64 b = scalar(s, rb), c = scalar(s, rc), d = scalar(s, rd);
    const auto k = static_cast<unsigned>(c % n);
    u64 result = 0, rest = 0;
    unsigned raised = 0;
    switch (meaning.multiword) {
        case Multiword::add: {
            Wide exact = static_cast<Wide>(b) + c + (d & 1);
            result = static_cast<u64>(exact);
            rest = static_cast<u64>(exact >> n);
            break;
        }
        case Multiword::sub:
            result = b - c - (d & 1);
            rest = static_cast<Wide>(b) < static_cast<Wide>(c) + (d & 1) ? 1 : 0;
            break;
        case Multiword::mul: {
            Wide exact = static_cast<Wide>(b) * c + d;
            result = static_cast<u64>(exact);
            rest = static_cast<u64>(exact >> n);
            break;
        }
        case Multiword::div: {
            Wide dividend = static_cast<Wide>(d) << n | b;
            if (c == 0) raised = div0;
            result = c <= d ? ~u64{0} : static_cast<u64>(dividend / c);
            rest = c <= d ? b : static_cast<u64>(dividend % c);
            break;
        }
        case Multiword::left:
            result = b << k | (d & ones(k));
            rest = k == 0 ? 0 : b >> (n - k);
            break;
        case Multiword::arithmetic_right:
            result = shifted_right(b, k, n, true);
            rest = k == 0 ? 0 : b & ones(k);
            break;
        case Multiword::logical_right:
            result = k == 0 ? b : b >> k | d << (n - k);
            rest = k == 0 ? 0 : b & ones(k);
            break;
    }
    if (auto id = trap(s, raised)) return exception(s, *id);
    write_scalar(s, rd, rest, n);
    write_scalar(s, ra, result, n);
    s.pc += bytes;
}

void Operation::Plan::run_scalar_mask(State& s) const {
    bool mask = !csr_bit(s, layout.scalar_mask);  // inverted
    if (meaning.shape != Shape::invert_scalar_mask) {
        u64 other = meaning.shape == Shape::scalar_test ? 0 : scalar(s, rb);
        mask = holds(condition, scalar(s, ra), other, n, meaning.floating_point, meaning.is_unsigned);
    }
    set_csr_bit(s, layout.scalar_mask, mask);
    s.pc += bytes;
}

void Operation::Plan::run_vector_mask(State& s) const {
    u64& mask = s.special[layout.mask];
    if (meaning.shape == Shape::invert_vector_mask) {
        mask = low(~mask, configuration.wlen);
        s.pc += bytes;
        return;
    }
    const bool test = meaning.shape == Shape::vector_test;
    for (unsigned e = 0; e < elements(s, n); ++e) {
        u64 a = test && meaning.scalar_operand ? scalar(s, ra) : element(s.vector[ra], n, e);
        u64 b = test ? 0 : meaning.scalar_operand ? scalar(s, rb) : element(s.vector[rb], n, e);
        bool set = holds(condition, a, b, n, meaning.floating_point, meaning.is_unsigned);
        for (unsigned byte = e * n / 8; byte < (e + 1) * n / 8 && byte < configuration.wlen; ++byte) {
            bool stays = masked && (mask >> byte & 1) != 0;
            mask = (mask & ~(u64{1} << byte)) | static_cast<u64>(set || stays ? 1 : 0) << byte;
        }
    }
    s.pc += bytes;
}

// More bits than a scalar register has, or a float of 8 bits.
bool Operation::Plan::is_malformed() const {
    const bool too_wide = std::max(n, to) > configuration.wlen;
    switch (meaning.shape) {
        case Shape::invert_scalar_mask:
        case Shape::invert_vector_mask:
        case Shape::vector_memory:
        case Shape::gather:
        case Shape::block:
        case Shape::flag_branch:
        case Shape::jump:
        case Shape::nothing: return false;
        case Shape::move: return moves_scalars() && n > configuration.wlen;
        case Shape::scalar_cast:
        case Shape::vector_cast: {
            bool from_float = meaning.cast == Cast::float_float || meaning.cast == Cast::float_integer;
            bool to_float = meaning.cast == Cast::float_float || meaning.cast == Cast::integer_float;
            return (meaning.shape == Shape::scalar_cast && too_wide) || (from_float && n == 8) || (to_float && to == 8);
        }
        case Shape::vector: return !fits(scalar_second);
        case Shape::vector_compare:
        case Shape::vector_test: return !fits(meaning.scalar_operand);
        default: return !fits(true);
    }
}

// Whether SMSK masks it, not VMSK.
bool Operation::Plan::is_scalar() const {
    switch (meaning.shape) {
        case Shape::scalar:
        case Shape::scalar_cast:
        case Shape::multiword:
        case Shape::scalar_compare:
        case Shape::scalar_test:
        case Shape::scalar_memory:
        case Shape::block:
        case Shape::load_linked:
        case Shape::store_conditional:
        case Shape::compare_and_swap: return true;
        case Shape::move: return moves_scalars() && (meaning.to != Bank::vector || meaning.exchange);
        default: return false;
    }
}

bool Operation::Plan::moves_scalars() const {
    auto is_vector = [](Bank bank) { return bank == Bank::vector || bank == Bank::vector_flags; };
    return !is_vector(meaning.to) || !is_vector(meaning.from);
}

// What a user's instruction may write may count as written, whatever becomes of it: a mask, a trap, a fault.
void Operation::Plan::mark_destinations(State& s) const {
    auto mark = [&](Bank bank, unsigned number) {
        if (bank <= Bank::helper) s.usage[usage_of(bank)] |= u64{1} << number;
    };
    switch (meaning.shape) {
        case Shape::scalar:
        case Shape::scalar_cast:
        case Shape::reduction:
        case Shape::load_linked:
        case Shape::store_conditional:
        case Shape::compare_and_swap: mark(Bank::scalar, ra); break;
        case Shape::multiword:
            mark(Bank::scalar, ra);
            mark(Bank::scalar, rd);
            break;
        case Shape::vector:
        case Shape::vector_cast: mark(Bank::vector, ra); break;
        case Shape::scalar_memory:
        case Shape::vector_memory:
        case Shape::gather:
            if (!meaning.store) mark(meaning.shape == Shape::scalar_memory ? Bank::scalar : Bank::vector, ra);
            if (update != 0) mark(Bank::scalar, rb);
            break;
        case Shape::jump:
            if (meaning.call) mark(Bank::scalar, has_ra ? ra : 31);
            break;
        case Shape::move:
        case Shape::block:
            touches([&](Bank bank, unsigned number, bool written) {
                if (written) mark(bank, number);
                return false;
            });
            break;
        default: break;
    }
}

void Operation::Plan::run(State& state, const State* witness) const {
    state.user_mode = in_user_mode(state);
    state.usage = {};
    if (state.user_mode) mark_destinations(state);
    if (masked && is_scalar() && csr_bit(state, layout.scalar_mask)) {
        state.pc += bytes;
        return;
    }
    if (forbidden(state)) return fault(state, configuration.revision == Revision::may ? 0xe4 : 0xe5);
    if (is_malformed()) return malformed(state);
    switch (meaning.shape) {
        case Shape::scalar: return run_scalar({state, witness});
        case Shape::vector: return run_vector({state, witness});
        case Shape::reduction: return run_reduction(state);
        case Shape::scalar_cast: return run_scalar_cast(state);
        case Shape::vector_cast: return run_vector_cast(state);
        case Shape::multiword: return run_multiword(state);
        case Shape::scalar_compare:
        case Shape::scalar_test:
        case Shape::invert_scalar_mask: return run_scalar_mask(state);
        case Shape::vector_compare:
        case Shape::vector_test:
        case Shape::invert_vector_mask: return run_vector_mask(state);
        default: return run_transfer(state);
    }
}

namespace {

// "8-16" and so on, in the order of the codes of March.
constexpr std::array<std::pair<unsigned, unsigned>, 12> march_casts{
    {{8, 16}, {8, 32}, {8, 64}, {16, 8}, {16, 32}, {16, 64}, {32, 8}, {32, 16}, {32, 64}, {64, 8}, {64, 16}, {64, 32}}};

}  // namespace

std::optional<Operation> Operation::of(const Configuration& configuration, const Instruction& instruction) {
    const Names& names = names_of(configuration.revision);
    auto found = names.find(instruction.name);
    if (found == names.end()) return {};
    auto plan = std::make_shared<Plan>();
    plan->configuration = configuration;
    plan->layout = layout_of(configuration.revision);
    Meaning& m = plan->meaning = found->second;
    Fields fields(instruction);
    plan->bytes = instruction.bytes;
    plan->ra = fields.number("RA");
    plan->rb = fields.number("RB");
    plan->rc = fields.number("RC");
    plan->rd = fields.number("RD");
    plan->immediate = fields.field("IMM");
    plan->masked = fields.code("MASK") != 0;
    plan->backward = fields.code("BACK") != 0;
    plan->extend_sign = fields.code("EXTEND") != 0;
    plan->condition = fields.number("COND");
    plan->n = m.whole_registers ? configuration.wlen : m.bits != 0 ? m.bits : fields.size("SIZE");
    if (fields.has("FROM")) {
        plan->n = fields.size("FROM");
        plan->to = fields.size("TO");
    }
    if (fields.has("CAST")) {
        if (fields.code("CAST") >= march_casts.size()) return {};
        std::tie(plan->n, plan->to) = march_casts[fields.code("CAST")];
    }
    if (fields.code("SIGN") != 0) {
        m.is_unsigned = true;
        m.op = logical_of(m.op);
    }
    if (fields.code("VECTOR") != 0) {
        // The last revision: 1 vectors, 2 a vector and a scalar. The one before: 1 a vector and a scalar.
        plan->scalar_second = configuration.revision == Revision::may || fields.code("VECTOR") == 2;
        m.shape = Shape::vector;
    }
    plan->take_transfer_fields(fields);
    Operation out;
    out.plan_ = plan;
    return out;
}

void Operation::run(State& state, const State* witness) const { plan_->run(state, witness); }

bool Operation::malformed() const { return plan_->is_malformed(); }

Group Operation::group() const { return plan_->group(); }

bool Operation::leaves() const { return plan_->meaning.to_register; }

bool Operation::privileged() const { return plan_->meaning.privileged; }

bool Operation::strides() const { return plan_->stride; }

std::uint64_t Operation::widest_stride() const { return plan_->widest_stride(); }

bool Operation::writes_status() const { return plan_->writes_status(); }

bool Operation::writes_modes() const { return plan_->writes_modes(); }

bool Operation::forbidden(const State& state) const { return plan_->forbidden(state); }

std::uint64_t Operation::displacement(const State& state) const { return plan_->displacement(state); }

bool Operation::nearly() const { return is_nearly(plan_->meaning.op); }

bool Operation::vectors() const {
    const Shape shape = plan_->meaning.shape;
    return shape == Shape::vector || shape == Shape::vector_cast || shape == Shape::reduction ||
           shape == Shape::vector_compare || shape == Shape::vector_test;
}

unsigned Operation::bits() const { return plan_->n; }

bool Operation::floats() const {
    const Meaning& m = plan_->meaning;
    if (m.shape == Shape::scalar_cast || m.shape == Shape::vector_cast)
        return m.cast == Cast::float_float || m.cast == Cast::float_integer;
    return m.floating_point;
}

}  // namespace fabrisc_reference

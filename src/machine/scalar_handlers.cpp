// Handlers of the computing operations on one lane, expanded from the list of operations.
#include "machine/micro_op.hpp"
#include "semantics/kernels.hpp"

namespace isaforge::machine {

namespace {

using ir::Op;
using semantics::StrictFloatRules;

template <class Rules>
Rules rules_of(const Core& core) {
    if constexpr (std::is_same_v<Rules, FloatRules>)
        return core.rules;
    else
        return {};
}

template <class Kernel, class T, class Rules, Tail tail, unsigned operands>
void compute(ISAFORGE_HANDLER_PARAMETERS) {
    using In = typename Kernel::template In<T>;
    In a = load<In>(state, op->a), b{}, c{};
    if constexpr (operands > 1) b = load<In>(state, op->b);
    if constexpr (operands > 2) c = load<In>(state, op->c);
    std::uint64_t value = Kernel::template apply<T>(a, b, c, rules_of<Rules>(*core));
    if constexpr (tail == Tail::late_write_end) {
        const MicroOp& write = op[1];
        if (LateResult* late = new_landing(*core, count, pending, write.detail.n)) {
            *late = {write.result, write.b, write.detail.more, value};
            ++op;
            ISAFORGE_FINISH_NEXT;
        }
        // The late write itself reports that there is no room.
        store(state, op->result, value);
        ISAFORGE_NEXT;
    } else if constexpr (tail == Tail::low_write_end) {
        const T low = static_cast<T>(value);
        std::memcpy(state + op->result, &low, sizeof low);
        ++op;
        ISAFORGE_FINISH_NEXT;
    } else {
        store(state, op->result, value);
        if constexpr (tail == Tail::end)
            ISAFORGE_FINISH_NEXT;
        else
            ISAFORGE_NEXT;
    }
}

template <class Kernel, class T, class Rules, unsigned operands>
Handler choose_tail(Tail tail) {
    switch (tail) {
        case Tail::none: return compute<Kernel, T, Rules, Tail::none, operands>;
        case Tail::end: return compute<Kernel, T, Rules, Tail::end, operands>;
        case Tail::low_write_end:
            if constexpr (std::is_same_v<typename Kernel::template Out<T>, T> && sizeof(T) < 8)
                return compute<Kernel, T, Rules, Tail::low_write_end, operands>;
            else
                return nullptr;
        default: break;
    }
    // Results are late where they take long to compute: integers are not worth the room.
    if constexpr (std::is_same_v<Kernel, semantics::kernels::FloatAdd> ||
                  std::is_same_v<Kernel, semantics::kernels::FloatSub> ||
                  std::is_same_v<Kernel, semantics::kernels::FloatMul> ||
                  std::is_same_v<Kernel, semantics::kernels::FloatDiv>)
        return compute<Kernel, T, Rules, Tail::late_write_end, operands>;
    else
        return nullptr;
}

template <class Kernel, unsigned operands>
Handler integer_handler(unsigned container, Tail tail) {
    switch (container) {
        case 8: return choose_tail<Kernel, std::uint8_t, StrictFloatRules, operands>(tail);
        case 16: return choose_tail<Kernel, std::uint16_t, StrictFloatRules, operands>(tail);
        case 32: return choose_tail<Kernel, std::uint32_t, StrictFloatRules, operands>(tail);
        default: return choose_tail<Kernel, std::uint64_t, StrictFloatRules, operands>(tail);
    }
}

template <class Kernel, class Rules, unsigned operands>
Handler float_handler(unsigned container, Tail tail) {
    switch (container) {
        case 16: return choose_tail<Kernel, std::uint16_t, Rules, operands>(tail);
        case 32: return choose_tail<Kernel, std::uint32_t, Rules, operands>(tail);
        case 64: return choose_tail<Kernel, std::uint64_t, Rules, operands>(tail);
        default: return nullptr;
    }
}

template <class Kernel, unsigned operands>
Handler float_handler(unsigned container, bool strict, Tail tail) {
    return strict ? float_handler<Kernel, StrictFloatRules, operands>(container, tail)
                  : float_handler<Kernel, FloatRules, operands>(container, tail);
}

}  // namespace

Handler scalar_handler(Op wanted, unsigned container, bool strict, Tail tail) {
    switch (wanted) {
#define X(name, kernel, ...) \
    case Op::name: return integer_handler<semantics::kernels::kernel, ir::operand_count(Op::name)>(container, tail);
        ISAFORGE_IR_INTEGERS(X)
#undef X
#define X(name, kernel, ...) \
    case Op::name:           \
        return float_handler<semantics::kernels::kernel, ir::operand_count(Op::name)>(container, strict, tail);
        ISAFORGE_IR_FLOATS(X)
#undef X
        default: return nullptr;
    }
}

}  // namespace isaforge::machine

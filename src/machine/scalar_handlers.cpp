// Handlers of the computing operations on one lane, expanded from the list of actions.
#include "machine/micro_op.hpp"
#include "semantics/kernels.hpp"

namespace isaforge::machine {

namespace {

using semantics::Action;
using semantics::StrictFloatRules;

template <class Rules> Rules rules_of(const Core& core) {
    if constexpr (std::is_same_v<Rules, FloatRules>) return core.rules;
    else return {};
}

template <class Kernel, class T, class Rules, bool ends, unsigned operands>
void compute(ISAFORGE_HANDLER_PARAMETERS) {
    using In = typename Kernel::template In<T>;
    In a = load<In>(state, op->a), b{}, c{};
    if constexpr (operands > 1) b = load<In>(state, op->b);
    if constexpr (operands > 2) c = load<In>(state, op->c);
    store(state, op->result, Kernel::template apply<T>(a, b, c, rules_of<Rules>(*core)));
    if constexpr (ends) ISAFORGE_FINISH_NEXT;
    else ISAFORGE_NEXT;
}

template <class Kernel, class T, class Rules, unsigned operands> Handler choose_end(bool ends) {
    return ends ? compute<Kernel, T, Rules, true, operands> : compute<Kernel, T, Rules, false, operands>;
}

template <class Kernel, unsigned operands> Handler integer_handler(unsigned container, bool ends) {
    switch (container) {
    case 8: return choose_end<Kernel, std::uint8_t, StrictFloatRules, operands>(ends);
    case 16: return choose_end<Kernel, std::uint16_t, StrictFloatRules, operands>(ends);
    case 32: return choose_end<Kernel, std::uint32_t, StrictFloatRules, operands>(ends);
    default: return choose_end<Kernel, std::uint64_t, StrictFloatRules, operands>(ends);
    }
}

template <class Kernel, class Rules, unsigned operands> Handler float_handler(unsigned container, bool ends) {
    switch (container) {
    case 16: return choose_end<Kernel, std::uint16_t, Rules, operands>(ends);
    case 32: return choose_end<Kernel, std::uint32_t, Rules, operands>(ends);
    case 64: return choose_end<Kernel, std::uint64_t, Rules, operands>(ends);
    default: return nullptr;
    }
}

template <class Kernel, unsigned operands> Handler float_handler(unsigned container, bool strict, bool ends) {
    return strict ? float_handler<Kernel, StrictFloatRules, operands>(container, ends)
                  : float_handler<Kernel, FloatRules, operands>(container, ends);
}

}  // namespace

Handler scalar_handler(Action action, unsigned container, bool strict, bool ends) {
    switch (action) {
#define X(name, kernel, operands) \
    case Action::name: return integer_handler<semantics::kernels::kernel, operands>(container, ends);
        ISAFORGE_INTEGER_ACTIONS(X)
#undef X
#define X(name, kernel, operands) \
    case Action::name: return float_handler<semantics::kernels::kernel, operands>(container, strict, ends);
        ISAFORGE_FLOAT_ACTIONS(X)
#undef X
    default: return nullptr;
    }
}

}  // namespace isaforge::machine

// Floats that are rounded up, down or towards zero. The host rounds so too while a handler computes; this file is compiled with
// the knowledge that it may (-frounding-math). detail: lanes, rounding.
#include "machine/micro_op.hpp"
#include "semantics/host_rounding.hpp"
#include "semantics/kernels.hpp"

namespace isaforge::machine {

namespace {

using ir::Op;

// A function of its own because it must have ended, and the host round to nearest again, before the next handler is called:
// that call is in tail position, where nothing is left to be destroyed.
template <class Kernel, class T, unsigned operands>
void compute_lanes(const MicroOp* op, std::byte* state, const Core* core) {
    using In = typename Kernel::template In<T>;
    using Out = typename Kernel::template Out<T>;
    FloatRules rules = core->rules;
    rules.rounding = static_cast<Rounding>(op->detail.more);
    const semantics::HostRounding host(rules.rounding);
    const auto lane = [&]<class Lane>(std::uint32_t offset, std::size_t i, Lane) {
        return load<Lane>(state, offset + static_cast<std::uint32_t>(i * sizeof(Lane)));
    };
    const std::size_t n = op->detail.n;
    for (std::size_t i = 0; i < n; ++i) {
        const In a = lane(op->a, i, In{}), b = operands > 1 ? lane(op->b, i, In{}) : In{},
                 c = operands > 2 ? lane(op->c, i, In{}) : In{};
        const Out value = Kernel::template apply<T>(a, b, c, rules);
        if (n == 1)
            store(state, op->result, value);
        else
            std::memcpy(state + op->result + i * sizeof(Out), &value, sizeof value);
    }
}

template <class Kernel, class T, unsigned operands>
void compute_rounded(ISAFORGE_HANDLER_PARAMETERS) {
    compute_lanes<Kernel, T, operands>(op, state, core);
    ISAFORGE_NEXT;
}

template <class Kernel, unsigned operands>
Handler by_container(unsigned container) {
    switch (container) {
        case 16: return compute_rounded<Kernel, std::uint16_t, operands>;
        case 32: return compute_rounded<Kernel, std::uint32_t, operands>;
        case 64: return compute_rounded<Kernel, std::uint64_t, operands>;
        default: return nullptr;
    }
}

}  // namespace

Handler rounded_handler(Op wanted, unsigned container) {
    switch (wanted) {
#define X(name, kernel, ...) \
    case Op::name: return by_container<semantics::kernels::kernel, ir::operand_count(Op::name)>(container);
        ISAFORGE_IR_FLOATS(X)
#undef X
        default: return nullptr;
    }
}

}  // namespace isaforge::machine

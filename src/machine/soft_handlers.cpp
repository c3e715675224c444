// Floats in integer arithmetic: what no host rounds so, and the exceptions that operations raise.
#include <algorithm>

#include "ir/evaluate.hpp"
#include "machine/micro_op.hpp"

namespace isaforge::machine {

MicroOp::Detail SoftDetail::packed() const {
    return {lanes | static_cast<std::uint32_t>(op) << 16 | static_cast<std::uint32_t>(rounding) << 24,
            operand_bits | result_bits << 8 | raised_by << 16};
}

SoftDetail SoftDetail::of(const MicroOp::Detail& detail) {
    return {.lanes = detail.n & 0xffff,
            .operand_bits = detail.more & 0xff,
            .result_bits = detail.more >> 8 & 0xff,
            .op = static_cast<ir::Op>(detail.n >> 16 & 0xff),
            .rounding = static_cast<Rounding>(detail.n >> 24),
            .raised_by = detail.more >> 16};
}

namespace {

[[gnu::noinline]] void compute_lanes(const MicroOp* op, std::byte* state, const Core* core) {
    const SoftDetail detail = SoftDetail::of(op->detail);
    const ir::FloatMode mode{.rounding = detail.rounding,
                             .flush_subnormals = core->rules.flush_subnormals,
                             .canonical_nan = core->rules.canonical_nan,
                             .raised_by = static_cast<std::uint8_t>(detail.raised_by)};
    const std::size_t count = std::min<std::size_t>(ir::operand_count(detail.op), ir::most_operands);
    const unsigned bytes = detail.operand_bits / 8;
    const std::uint32_t places[ir::most_operands] = {op->a, op->b, op->c};
    for (std::uint32_t lane = 0; lane < detail.lanes; ++lane) {
        std::uint64_t given[ir::most_operands] = {};
        for (std::size_t i = 0; i < count; ++i)
            std::memcpy(&given[i], state + places[i] + std::size_t{lane} * bytes, bytes);
        const std::uint64_t value = ir::compute(detail.op, ir::Type::integer(detail.operand_bits),
                                                ir::Type::integer(detail.result_bits), {given, count}, mode);
        if (detail.lanes == 1)
            store(state, op->result, value);
        else
            std::memcpy(state + op->result + std::size_t{lane} * (detail.result_bits / 8), &value,
                        detail.result_bits / 8);
    }
}

}  // namespace

namespace handlers {

void compute_softly(ISAFORGE_HANDLER_PARAMETERS) {
    compute_lanes(op, state, core);
    ISAFORGE_NEXT;
}

}  // namespace handlers

}  // namespace isaforge::machine

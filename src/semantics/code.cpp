// Folding and listing of the intermediate form.
#include "semantics/code.hpp"

#include <fmt/format.h>

#include "ir/evaluate.hpp"

namespace isaforge::semantics {

namespace {

const char* name_of(Action action) {
    static constexpr const char* names[] = {
#define X(name, kernel, ...) #name,
        ISAFORGE_INTEGER_ACTIONS(X) ISAFORGE_FLOAT_ACTIONS(X)
#undef X
            "copy",
        "resize",
        "splat",
        "lane_number",
        "pick",
        "permute",
        "reduce_or",
        "reduce_and",
        "reduce_sum",
        "ballot",
        "spread",
        "reinterpret",
        "read",
        "write",
        "load",
        "store",
        "write_pc",
        "nothing",
        "jump",
        "jump_if_zero",
        "leave_if_zero",
        "stop",
        "signal",
        "fail",
        "set_mode",
        "event_value",
        "next_pc",
        "hart_number",
        "hart_count",
        "now",
        "executed",
        "host_argument",
        "host",
        "wait",
        "fence",
        "lock",
        "unlock",
        "load_linked",
        "store_conditional",
        "transaction_begin",
        "transaction_end",
        "transaction_abort",
        "transaction_depth"};
    return names[static_cast<unsigned>(action)];
}

std::string operand_text(const Code& code, ValueId id) {
    const Value& value = code.values[id];
    return value.kind == Value::Kind::constant ? fmt::format("{:#x}", value.constant) : fmt::format("%{}", id);
}

}  // namespace

// The types of a container in the signature of the operation.
std::uint64_t evaluate(Action action, unsigned container, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                       FloatRules rules) {
    const auto op = static_cast<ir::Op>(action);
    const std::string_view signature = ir::about(op).signature;
    const auto type = [container](char letter) {
        switch (letter) {
            case 'B': return ir::Type::integer(1);
            case 'W': return ir::Type::integer(64);
            case 'D': return ir::Type::floating(64);
            case 'F': return ir::Type::floating(container);
            default: return ir::Type::integer(container);
        }
    };
    const std::uint64_t given[] = {a, b, c};
    return ir::compute(
        op, type(signature[signature.find(':') + 1]), type(signature[0]), {given, ir::operand_count(op)},
        {.rounding = rules.rounding, .flush_subnormals = rules.flush_subnormals, .canonical_nan = rules.canonical_nan});
}

std::string to_text(const Code& code, const Isa& isa) {
    std::string text;
    for (std::size_t i = 0; i < code.steps.size(); ++i) {
        const Step& step = code.steps[i];
        if (step.action == Action::nothing) continue;
        text += fmt::format("{:3} ", i);
        if (step.result != no_value) text += fmt::format("%{} = ", step.result);
        text += fmt::format("{}.{}", name_of(step.action), step.container);
        if (step.lanes != 1) text += fmt::format("x{}", step.lanes);
        if (step.object != no_index) {
            bool is_memory = step.action == Action::load || step.action == Action::store ||
                             step.action == Action::load_linked || step.action == Action::store_conditional ||
                             step.action == Action::lock || step.action == Action::unlock;
            text += " " + (step.action == Action::signal || step.action == Action::fail ? code.signals[step.object]
                           : step.action == Action::set_mode                            ? isa.modes[step.object].name
                           : is_memory                                                  ? isa.memories[step.object].name
                                       : isa.register_files[step.object].name);
        }
        if (step.number != no_number) text += fmt::format(" #{}", step.number);
        for (ValueId id : {step.a, step.b, step.c})
            text += id == no_value ? std::string(" -") : " " + operand_text(code, id);
        while (text.ends_with(" -")) text.resize(text.size() - 2);
        if (step.delay != 0) text += fmt::format(" after {}", step.delay);
        text += '\n';
    }
    return text;
}

}  // namespace isaforge::semantics

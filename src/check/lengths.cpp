// Lengths that a description tells by the first unit, against those of its instructions.
#include <fmt/format.h>

#include <algorithm>

#include "check/findings.hpp"

namespace isaforge::check {

namespace {

// What follows an instruction counts too, and is another matter of its operands.
bool may_bring_more(const Isa& isa, const Form& form) {
    return std::ranges::any_of(form.fields, [&](const Field& field) {
        return std::ranges::any_of(isa.operand_types[field.type].rows,
                                   [](const OperandRow& row) { return row.tail_bits != 0; });
    });
}

}  // namespace

void find_wrong_lengths(const Isa& isa, Diagnostics& diagnostics) {
    for (const Form& form : isa.forms) {
        if (isa.lengths.empty() || diagnostics.overflowing()) return;
        if (form.alias || may_bring_more(isa, form)) continue;
        const std::uint64_t mask = form.mask.words[0], value = form.value.words[0];
        for (const LengthRule& rule : isa.lengths) {
            if (((value ^ rule.value) & mask & rule.mask) != 0) continue;  // none of its words
            if (rule.bits != form.bits) {
                diagnostics
                    .error(form.where, fmt::format("{} has {} bits, but by its first unit it would have {}",
                                                   isa.instruction_of(form).names.front(), form.bits, rule.bits))
                    .note(rule.where, "the length is said here");
                break;
            }
            if ((rule.mask & ~mask) == 0) break;  // all of its words
        }
    }
}

}  // namespace isaforge::check

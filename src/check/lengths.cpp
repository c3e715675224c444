// Lengths that a description tells by the first unit, against those of its instructions.
#include <fmt/format.h>

#include "check/findings.hpp"
#include "codec/tables.hpp"

namespace isaforge::check {

void find_wrong_lengths(const Codec& codec, Diagnostics& diagnostics) {
    const Isa& isa = codec.isa();
    for (Index i = 0; i < isa.forms.size(); ++i) {
        if (isa.lengths.empty() || diagnostics.overflowing()) return;
        const Form& form = isa.forms[i];
        // What follows an instruction counts too, and is another matter of its operands.
        if (form.alias || codec.tables().forms[i].longest_tail != 0) continue;
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

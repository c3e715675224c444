// Which codes an operand's row stands for.
#include <algorithm>

#include "isaforge/isa.hpp"

namespace isaforge {

bool OperandRow::claims(std::uint64_t code) const {
    if ((code & mask) != value) return false;
    return std::all_of(constraints.begin(), constraints.end(), [&](const Constraint& constraint) {
        const std::uint64_t bits = fields[constraint.field].place.extract(code);
        return bits >= constraint.low && bits <= constraint.high &&
               (constraint.step == 1 || (bits - constraint.low) % constraint.step == 0);
    });
}

}  // namespace isaforge

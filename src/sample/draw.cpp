// Every row of an operand is as likely as the others, however many codes it has; numbers are often at an edge.
#include "sample/draw.hpp"

#include <algorithm>

namespace isaforge::sample {

// Edges, small numbers, numbers of any length, any numbers.
std::uint64_t Draw::number(unsigned width) {
    if (width == 0) return 0;
    const std::uint64_t all = low_bits(width);
    switch (random_.below(10)) {
        case 0: return 0;
        case 1: return all;
        case 2: return std::uint64_t{1} << (width - 1);
        case 3: return all >> 1;
        case 4: return random_.below(16) & all;
        case 5: return (all - random_.below(16)) & all;
        case 6: return random_.next() & low_bits(static_cast<unsigned>(1 + random_.below(width)));
        default: return random_.next() & all;
    }
}

// A value that its constraints allow, where it has any.
std::uint64_t Draw::capture(const OperandRow& row, Index index, Tail& tail) {
    const Field& field = row.fields[index];
    for (const Constraint& constraint : row.constraints) {
        if (constraint.field != index) continue;
        const std::uint64_t high = std::min(constraint.high, low_bits(field.place.width));
        if (high < constraint.low) return constraint.low;
        const std::uint64_t steps = (high - constraint.low) / constraint.step;
        const std::uint64_t chosen = random_.one_in(6)   ? 0
                                     : random_.one_in(6) ? steps
                                     : steps + 1 == 0    ? random_.next()
                                                         : random_.below(steps + 1);
        return constraint.low + chosen * constraint.step;
    }
    return code(field.type, tail);
}

std::uint64_t Draw::row(const OperandType& type, Tail& tail) {
    if (type.rows.empty()) return 0;
    const OperandRow* row = nullptr;
    constexpr unsigned tries = 16;  // some rows are reserved
    for (unsigned i = 0; i < tries && (row == nullptr || row->reserved); ++i)
        row = &type.rows[random_.below(type.rows.size())];
    std::uint64_t code = row->written;
    for (Index i = 0; i < row->fields.size(); ++i) {
        const Field& field = row->fields[i];
        const std::uint64_t value = capture(*row, i, tail);
        if (field.in_tail) {
            tail.push_back({&field.place, value});
        } else {
            code = field.place.insert(code, value);
        }
    }
    // Bits that are ignored are nobody's capture; they stay as they are assembled.
    return code;
}

std::uint64_t Draw::code(Index index, Tail& tail) {
    const OperandType& type = isa_.operand_types[index];
    switch (type.kind) {
        case OperandKind::number: return number(type.width);
        case OperandKind::registers:
        case OperandKind::enumeration:
            if (type.entries.empty()) return number(type.width);
            if (random_.one_in(8)) return type.entries.front().code;
            if (random_.one_in(8)) return type.entries.back().code;
            return type.entries[random_.below(type.entries.size())].code;
        case OperandKind::table: return row(type, tail);
    }
    return 0;
}

}  // namespace isaforge::sample

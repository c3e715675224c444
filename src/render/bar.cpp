#include "render/bar.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace isaforge::render {

namespace {

constexpr unsigned row_bits = 32;

}  // namespace

unsigned bar_row_bits(const Isa& isa) { return std::max(1U, row_bits / isa.unit_bits) * isa.unit_bits; }

std::vector<BarBit> bar_of(const Isa& isa, const Form& form) {
    std::vector<BarBit> by_position(form.bits);
    for (unsigned position = 0; position < form.bits; ++position) {
        by_position[position].position = position;
        by_position[position].one = form.written.get(position, 1) != 0;
        by_position[position].ignored = form.mask.get(position, 1) == 0;
    }
    for (Index index = 0; index < form.fields.size(); ++index) {
        const Field& field = form.fields[index];
        if (field.in_tail) continue;
        for (const BitPiece& piece : field.place.pieces) {
            for (unsigned i = 0; i < piece.width && piece.position + i < form.bits; ++i) {
                BarBit& bit = by_position[piece.position + i];
                bit.field = index;
                bit.value_bit = piece.shift + i;
                bit.digit = field.fixed;
                if (field.fixed) bit.one = (form.fixed_value(field) >> bit.value_bit & 1) != 0;
            }
        }
    }
    const bool row_is_unit = isa.unit_bits * 2 > row_bits;
    std::vector<BarBit> bar;
    bar.reserve(form.bits);
    for (unsigned i = 0; i < form.bits; ++i) {
        const unsigned position = isa.bar_position(i, form.bits);
        BarBit bit = by_position[position];
        bit.number = row_is_unit ? position : form.bits - 1 - i;
        bar.push_back(bit);
    }
    return bar;
}

bool share_a_cell(const BarBit& left, const BarBit& right) {
    if (left.field != right.field) return false;
    return left.field == no_index ? left.ignored == right.ignored : left.value_bit == right.value_bit + 1;
}

const BarBit* cell_end(const BarBit* begin, const BarBit* end) {
    const BarBit* next = begin + 1;
    while (next != end && share_a_cell(next[-1], *next)) ++next;
    return next;
}

std::string bar_label(const Form& form, const BarBit* begin, const BarBit* end) {
    const BarBit &first = *begin, &last = end[-1];
    std::string out;
    if (first.digit) {
        for (const BarBit* bit = begin; bit != end; ++bit) out += bit->one ? '1' : '0';
        if (first.ignored) out += '?';
        return out;
    }
    const Field& field = form.fields[first.field];
    out = field.name;
    if (static_cast<std::size_t>(end - begin) == field.place.width) return out;
    return out + (first.value_bit == last.value_bit ? fmt::format("[{}]", first.value_bit)
                                                    : fmt::format("[{}:{}]", first.value_bit, last.value_bit));
}

}  // namespace isaforge::render

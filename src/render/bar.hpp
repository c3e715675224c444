// A form's bits in the order of its bar, and who has which of them: what pictures of formats are drawn from.
#pragma once

#include <string>
#include <vector>

#include "isaforge/isa.hpp"

namespace isaforge::render {

// Who owns one bit of the bar, and which bit of the owner's value it is.
struct BarBit {
    Index field = no_index;  // no_index: nobody, the bit is fixed or unused
    unsigned value_bit = 0;
    bool digit = true;  // shown as a digit instead of as part of a name
    bool one = false;
    bool ignored = false;   // a digit that may be another
    unsigned position = 0;  // in the image
    unsigned number = 0;    // shown above
};

// First unit first, or last unit first where the description says so, the most significant bit of each unit first. Bits are numbered as in their unit's place of the image where
// a row is one unit, else downwards to 0 at the end of the bar.
std::vector<BarBit> bar_of(const Isa& isa, const Form& form);

// How many bits of a bar stand in a row: 32, or a unit where that has more. Units are never split.
unsigned bar_row_bits(const Isa& isa);

// Whether two neighbours stand in one box.
bool share_a_cell(const BarBit& left, const BarBit& right);

// The end of the box that begins there.
const BarBit* cell_end(const BarBit* begin, const BarBit* end);

// What is written into a box: digits, the field's name, or which part of it.
std::string bar_label(const Form& form, const BarBit* begin, const BarBit* end);

}  // namespace isaforge::render

// The separate inquiries of `isaforge check`. Each adds what it finds to the diagnostics and knows nothing of the others.
#pragma once

#include "isaforge/codec.hpp"
#include "isaforge/diagnostics.hpp"
#include "isaforge/isa.hpp"

namespace isaforge::check {

// Rows of an operand, or forms of instructions, that claim the same bits; rows that no bits ever reach (overlaps.cpp).
void find_overlaps(const Codec& codec, Diagnostics& diagnostics);

// Texts that do not come back to the bits they were printed for, because another row takes them (texts.cpp).
void find_ambiguous_texts(const Codec& codec, Diagnostics& diagnostics);

// Where `opcodes accounted` is asked for: opcodes below the highest that no row uses or reserves (opcodes.cpp).
void find_opcode_gaps(const Isa& isa, Diagnostics& diagnostics);

// Claims of pools that do not hold, instructions outside of their pools or on reserved patterns (pools.cpp).
void find_pool_defects(const Isa& isa, Diagnostics& diagnostics);

// Instructions that are not as long as their first unit says (lengths.cpp).
void find_wrong_lengths(const Codec& codec, Diagnostics& diagnostics);

// A code in binary, `width` digits.
std::string binary(std::uint64_t code, unsigned width);

// An instruction's bits in hexadecimal, unit by unit in the order of the bar.
std::string word_text(const Isa& isa, const Image& image, unsigned bits);

}  // namespace isaforge::check

// The bits of an instruction for people to read.
#pragma once

#include <string>
#include <string_view>

#include "isaforge/isa.hpp"

namespace isaforge {

// `bits` bits of an image, which are whole units, in hexadecimal: unit by unit with `between` between them, as they lie in
// memory; or as one number where the description's bars have the last unit first.
std::string words_in_hex(const Isa& isa, const Image& image, unsigned bits, std::string_view between);

}  // namespace isaforge

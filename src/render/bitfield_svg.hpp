// Pictures of instruction formats for pages: to scale, every bit as wide as the others.
#pragma once

#include <string>

#include "isaforge/isa.hpp"

namespace isaforge::render {

// One instruction below the picture of its form, bit below bit.
struct PicturedExample {
    Image image;
    unsigned bits = 0;  // with what follows the instruction
};

// An SVG of rows as in bitfield_picture: above the boxes the bits' numbers, in them names of fields or fixed bits, with the
// field's name below those; parts of one field are joined by a line; under the boxes, with `bytes`, the bytes by their
// addresses from the instruction's. It has classes and no colours: whoever shows it has those. `what` names it for those who do not see it.
std::string bitfield_svg(const Isa& isa, const Form& form, const PicturedExample* example, const std::string& what,
                         bool bytes = true);

// The same picture in words: "bits 31 to 27 OP are 00100, 26 to 22 COND".
std::string bitfield_words(const Isa& isa, const Form& form);

}  // namespace isaforge::render

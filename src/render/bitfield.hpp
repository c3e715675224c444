// Pictures of instruction formats for the terminal, and the syntax of an instruction as one line. Both say what a form
// looks like without an example of it; manuals and maps build on them too.
#pragma once

#include <string>

#include "isaforge/isa.hpp"

namespace isaforge::render {

// Which characters a picture is drawn with.
enum class Charset { ascii, unicode };

// Boxes with bit numbers above them: fields by name, fixed bits as digits, unused bits as 0. Up to 32 bits stand in a row;
// units are never split, so a 64-bit unit has a row of its own. Bits are numbered as they are in their unit's place of
// the image where a row is one unit, else downwards to 0 at the end of the bar. `caption` stands right of the first row.
std::string bitfield_picture(const Isa& isa, const Form& form, Charset charset, const std::string& caption = {});

// A text template with its fields in braces: "{COND}fadd {A}, {B}, {C}".
std::string syntax_text(const Isa& isa, const Form& form, const TextTemplate& text);

}  // namespace isaforge::render

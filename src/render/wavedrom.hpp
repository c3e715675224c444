// Pictures of instruction formats for WaveDrom, as JSON that its tools draw and that `isaforge import` reads.
#pragma once

#include <string>
#include <vector>

#include "isaforge/isa.hpp"

namespace isaforge::render {

// `{"reg": [{"bits": 7, "name": "OP", "attr": 51, "type": 8}, …], "config": {"bits": 32, "label": {"left": "add"}}}`, the fields
// from the end of the bar on, each in a line. Fixed bits have their value as `attr`, or, where they have no name, as `name`;
// more than 32 as text. Fields in several places are `NAME[HIGH:LOW]`; ignored bits have no name.
std::string wavedrom_picture(const Isa& isa, const Form& form);

// Several in one list.
std::string wavedrom_pictures(const Isa& isa, const std::vector<const Form*>& forms);

}  // namespace isaforge::render

// Text in markup: SVG and HTML.
#pragma once

#include <string>
#include <string_view>

namespace isaforge::render {

// What XML can hold of a text, between tags or in a quoted attribute: the five signs of markup as entities, a control
// character as a blank, and what is no UTF-8 as a question mark.
std::string escape_xml(std::string_view text);

}  // namespace isaforge::render

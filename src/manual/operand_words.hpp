// What may stand for an operand, in few words and in whole tables.
#pragma once

#include <string>

#include "manual/html.hpp"
#include "manual/site.hpp"

namespace isaforge::manual {

// Names in few words: "r0 … r31", "a, b, c".
std::string names_in_short(const std::vector<std::string>& names, std::size_t most);

// "a number from -32 to 31", "r0 … r31", "", with markup.
Html operand_words(const Edition& edition, Index type, const std::string& root);

// The same in whole, for the page of operands: what follows its heading.
Html operand_body(const Edition& edition, Index type);

// Whether the page of operands tells of it: not of registers, which have a page, and not of plain numbers as `u5`.
bool is_told(const OperandType& type);

// Where the page of operands tells of a type.
std::string operand_anchor(const OperandType& type);

// A text template as readers write it; fields and captures as <var>, with what the form fixes filled in.
Html syntax_html(const std::vector<Field>& fields, const std::string& name, const TextTemplate& text);

}  // namespace isaforge::manual

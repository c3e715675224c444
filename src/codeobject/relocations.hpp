// Relocations of AMD's code objects and how they are written behind a symbol. AMDGPUUsage, "Relocation Records".
#pragma once

#include "object/flavour.hpp"

namespace isaforge::codeobject {

// What stands behind a symbol; the numbers are places in modifier_texts.
enum Modifier : unsigned {
    no_modifier,
    rel32_lo,
    rel32_hi,
    gotpcrel32_lo,
    gotpcrel32_hi,
    abs32_lo,
    abs32_hi,
    rel64,
    gotpcrel
};
std::span<const std::string_view> modifier_texts();

inline constexpr std::uint32_t relocation_abs64 = 3;

std::optional<LinkedNumber> find_relocation(unsigned modifier, unsigned bits, bool in_instruction, bool relative,
                                            bool branch);
std::optional<LinkedNumber> find_relocation(std::uint32_t type);

}  // namespace isaforge::codeobject

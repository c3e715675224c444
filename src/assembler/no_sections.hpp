// For expressions that stand outside of a program: nothing has an address.
#pragma once

#include "assembler/expression.hpp"

namespace isaforge::assembler {

class NoSections final : public SectionMap {
public:
    unsigned step(Index) const override { return 1; }
    std::uint64_t address(const Position&) const override { return 0; }
    bool addresses_final() const override { return false; }
};

}  // namespace isaforge::assembler

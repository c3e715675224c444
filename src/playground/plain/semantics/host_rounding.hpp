// WebAssembly rounds to nearest and in no other direction.
#pragma once

#include "isaforge/isa.hpp"

namespace isaforge::semantics {

class HostRounding {
public:
    explicit HostRounding(Rounding) {}
    HostRounding(const HostRounding&) = delete;
    HostRounding& operator=(const HostRounding&) = delete;
};

}  // namespace isaforge::semantics

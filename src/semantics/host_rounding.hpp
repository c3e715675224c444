// The host's direction of rounding, for as long as a computation lasts.
#pragma once

#include <cfenv>

#include "isaforge/isa.hpp"

namespace isaforge::semantics {

class HostRounding {
public:
    explicit HostRounding(Rounding rounding) : changed_(rounding != Rounding::nearest) {
        if (changed_) std::fesetround(direction(rounding));
    }
    ~HostRounding() {
        if (changed_) std::fesetround(FE_TONEAREST);
    }
    HostRounding(const HostRounding&) = delete;
    HostRounding& operator=(const HostRounding&) = delete;

private:
    static int direction(Rounding rounding) {
        switch (rounding) {
            case Rounding::up: return FE_UPWARD;
            case Rounding::down: return FE_DOWNWARD;
            case Rounding::zero: return FE_TOWARDZERO;
            default: return FE_TONEAREST;
        }
    }

    bool changed_;
};

}  // namespace isaforge::semantics

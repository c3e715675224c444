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
    ~HostRounding() { done(); }
    HostRounding(const HostRounding&) = delete;
    HostRounding& operator=(const HostRounding&) = delete;

    // Back to nearest: for where the destructor comes too late, as before a call in tail position.
    void done() const {
        if (changed_) std::fesetround(FE_TONEAREST);
        changed_ = false;
    }

private:
    static int direction(Rounding rounding) {
        switch (rounding) {
            case Rounding::up: return FE_UPWARD;
            case Rounding::down: return FE_DOWNWARD;
            case Rounding::zero: return FE_TOWARDZERO;
            default: return FE_TONEAREST;
        }
    }

    mutable bool changed_;
};

}  // namespace isaforge::semantics

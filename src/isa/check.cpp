// What `isaforge check` finds in a model that resolved.
#include "isaforge/isa.hpp"

namespace isaforge {

void check_isa(const Isa& isa, Diagnostics& diagnostics) {
    for (const Diagnostic& unused : isa.unused) diagnostics.warning(unused.place, unused.message);
}

}  // namespace isaforge

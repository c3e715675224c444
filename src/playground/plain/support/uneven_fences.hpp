// Without threads no fence is needed.
#pragma once

namespace isaforge {

inline bool has_uneven_fences() { return true; }
inline void light_fence() {}
inline void heavy_fence() {}

}  // namespace isaforge

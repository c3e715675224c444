// There are no large pages.
#pragma once

#include <cstddef>

namespace isaforge {

inline void prefer_large_pages(const void*, std::size_t) {}

}  // namespace isaforge

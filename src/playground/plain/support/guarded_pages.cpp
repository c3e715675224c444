// Without pages of a system there are no guards: what is accessed behind the end is found out by nobody.
#include "support/guarded_pages.hpp"

#include <cstdlib>

namespace isaforge {

GuardedPages::GuardedPages(std::uint64_t bytes, bool) : bytes_(bytes), mapped_(bytes) {
    constexpr std::uint64_t most = std::uint64_t{1} << 30;
    if (bytes <= most) data_ = static_cast<std::uint8_t*>(std::calloc(static_cast<std::size_t>(bytes) + 1, 1));
}

GuardedPages::~GuardedPages() { std::free(data_); }

}  // namespace isaforge

// Without pages of a system there are no guards: what is accessed behind the end is found out by nobody.
#include "support/guarded_pages.hpp"

#include <cstdlib>
#include <cstring>

namespace isaforge {

GuardedPages::GuardedPages(std::uint64_t bytes, bool, std::uint64_t alignment) : bytes_(bytes), mapped_(bytes) {
    constexpr std::uint64_t most = std::uint64_t{1} << 30;
    if (bytes > most || alignment > most) return;
    const auto size = static_cast<std::size_t>((bytes / alignment + 1) * alignment);
    data_ = static_cast<std::uint8_t*>(std::aligned_alloc(static_cast<std::size_t>(alignment), size));
    if (data_ != nullptr) std::memset(data_, 0, size);
}

GuardedPages::~GuardedPages() { std::free(data_); }

}  // namespace isaforge

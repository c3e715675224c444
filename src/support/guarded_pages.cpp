#include "support/guarded_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>

#include "isaforge/limits.hpp"

namespace isaforge {

namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t large = 1 << 20, gap = 37 << 14;
constexpr std::uint64_t first_address = 0x200000000000;   // far from where a process has anything else
std::atomic<std::uint64_t> next_address = first_address;

}  // namespace

GuardedPages::GuardedPages(std::uint64_t bytes, bool is_accessible) : bytes_(bytes) {
    if (bytes > most_memory_bytes) return;
    const std::uint64_t used = (std::max<std::uint64_t>(bytes, 1) + page - 1) / page * page;
    mapped_ = used + page;
    // Large ones begin at addresses of which the low bits differ, for these choose places in caches and in tables of pages.
    const std::uint64_t apart = mapped_ < large ? 0 : gap;
    auto* const wanted =
        reinterpret_cast<void*>(next_address.fetch_add(mapped_ + apart));  // NOLINT(performance-no-int-to-ptr)
    constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const at = ::mmap(wanted, mapped_, is_accessible ? PROT_READ | PROT_WRITE : PROT_NONE, kind, -1, 0);
    if (at == MAP_FAILED) return;  // NOLINT(performance-no-int-to-ptr): a macro's
    data_ = static_cast<std::uint8_t*>(at);
    if (is_accessible) ::mprotect(data_ + used, page, PROT_NONE);
}

GuardedPages::~GuardedPages() {
    if (data_ != nullptr) ::munmap(data_, mapped_);
}

}  // namespace isaforge

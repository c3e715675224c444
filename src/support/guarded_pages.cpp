#include "support/guarded_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>

#include "isaforge/limits.hpp"

namespace isaforge {

namespace {

constexpr std::uint64_t large = 1 << 20, gap = 37 << 14;
constexpr std::uint64_t first_address = 0x200000000000;   // far from where a process has anything else
std::atomic<std::uint64_t> next_address = first_address;

// Null where there is no room.
void* map(std::uint64_t wanted, std::uint64_t bytes, bool is_accessible) {
    constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    auto* const hint = reinterpret_cast<void*>(wanted);  // NOLINT(performance-no-int-to-ptr)
    void* const at = ::mmap(hint, bytes, is_accessible ? PROT_READ | PROT_WRITE : PROT_NONE, kind, -1, 0);
    return at == MAP_FAILED ? nullptr : at;  // NOLINT(performance-no-int-to-ptr): a macro's
}

}  // namespace

GuardedPages::GuardedPages(std::uint64_t bytes, bool is_accessible, std::uint64_t alignment) : bytes_(bytes) {
    if (bytes > most_memory_bytes) return;
    const std::uint64_t used = (std::max<std::uint64_t>(bytes, 1) + page - 1) / page * page;
    mapped_ = used + page;
    // Large ones begin at addresses of which the low bits differ, for these choose places in caches and in tables of pages.
    const std::uint64_t apart = mapped_ < large ? 0 : gap;
    const auto aligned = [&](std::uint64_t address) { return (address + alignment - 1) & ~(alignment - 1); };
    const std::uint64_t more = alignment - page;
    void* const at = map(aligned(next_address.fetch_add(mapped_ + apart + more)), mapped_, is_accessible);
    if (at == nullptr) return;
    data_ = static_cast<std::uint8_t*>(at);
    if (aligned(address()) != address()) {  // another address than the one that was asked for
        ::munmap(data_, mapped_);
        data_ = static_cast<std::uint8_t*>(map(0, mapped_ + more, is_accessible));
        if (data_ == nullptr) return;
        const std::uint64_t before = aligned(address()) - address();
        if (before != 0) ::munmap(data_, before);
        data_ += before;
        if (before != more) ::munmap(data_ + mapped_, more - before);
    }
    if (is_accessible) ::mprotect(data_ + used, page, PROT_NONE);
}

GuardedPages::~GuardedPages() {
    if (data_ != nullptr) ::munmap(data_, mapped_);
}

}  // namespace isaforge

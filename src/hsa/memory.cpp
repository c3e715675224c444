#include "hsa/memory.hpp"

#include <fmt/format.h>
#include <functional>

#include "hsa/runtime.hpp"

namespace isaforge::hsa {

namespace {

constexpr std::size_t large_page_bytes = std::size_t{2} << 20;
constexpr std::size_t most_kept_bytes = 4 * large_page_bytes;
constexpr std::size_t host_pool_bytes = std::size_t{16} << 30, device_pool_bytes = std::size_t{8} << 30;

// How far kernels may go in whole pages that were given to hold so many bytes. A GPU knows no less than pages, and programs that
// run on one may count on that; where checks look at bounds, memory ends where what was asked for ends.
std::uint64_t mapped_of(std::uint64_t bytes, std::uint64_t in_pages) {
    return runtime().settings().checks.bounds ? bytes : in_pages;
}

}  // namespace

bool Pool::is_host() const { return !agent->is_gpu(); }

std::uint32_t Pool::flags() const {
    switch (kind) {
        case Kind::fine: return HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
        case Kind::kernarg:
            return HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED | HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT;
        case Kind::coarse: return HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
        case Kind::group: break;
    }
    return 0;
}

std::size_t Pool::bytes() const {
    if (kind == Kind::group) return agent->device().most_group_bytes();
    return is_host() ? host_pool_bytes : device_pool_bytes;
}

void Memory::register_everywhere(const Allocation& allocation, const std::string& name) const {
    for (Agent* const gpu : runtime().gpus())
        gpu->device().register_memory({allocation.host, allocation.mapped}, {}, name, allocation.base);
}

hsa_status_t Memory::allocate(const Pool& pool, std::size_t bytes, void** memory) {
    if (bytes == 0 || memory == nullptr || pool.kind == Pool::Kind::group) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (bytes > pool.bytes()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    // Where kernels allocate memory by themselves, what they get is found again by the large page that it is in.
    auto pages = std::make_shared<GuardedPages>(bytes, true, bytes == large_page_bytes ? bytes : page_bytes);
    std::uint8_t* const host = pages->data();
    if (host == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    const std::optional<std::uint64_t> offset = file_.map(host, bytes);
    if (!offset) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    const Allocation made{.base = reinterpret_cast<std::uint64_t>(host),
                          .bytes = bytes,
                          .mapped = mapped_of(bytes, whole_pages(bytes)),
                          .host = host,
                          .pool = &pool,
                          .offset = *offset,
                          .pages = std::move(pages)};
    const std::uint64_t number = take_in(made);
    register_everywhere(made, fmt::format("allocation {} ({})", number, pool.is_host() ? "host" : "device"));
    if (!pool.is_host() && runtime().settings().checks.uninitialised)
        for (Agent* const gpu : runtime().gpus()) gpu->device().note_unwritten({host, bytes});
    *memory = host;
    return HSA_STATUS_SUCCESS;
}

// Its number, from 1 on.
std::uint64_t Memory::take_in(const Allocation& allocation) {
    const std::lock_guard lock(mutex_);
    allocations_[allocation.base] = allocation;
    return ++made_;
}

std::optional<Allocation> Memory::take_out(const void* memory, bool is_attached) {
    const std::lock_guard lock(mutex_);
    const auto found = allocations_.find(reinterpret_cast<std::uint64_t>(memory));
    if (found == allocations_.end()) return std::nullopt;
    const Allocation& allocation = found->second;
    if (allocation.is_locked || allocation.is_attached != is_attached || (allocation.is_internal && !is_attached))
        return std::nullopt;
    Allocation gone = std::move(found->second);
    allocations_.erase(found);
    return gone;
}

// Those who watch are called without a lock, as they may ask.
void Memory::tell_watchers(const Allocation& gone, const void* memory) {
    for (const Allocation::Watcher& watcher : gone.watchers) watcher.call(const_cast<void*>(memory), watcher.user);
}

void Memory::give_back(const Allocation& gone) {
    for (Agent* const gpu : runtime().gpus()) gpu->device().unregister_memory(gone.base, gone.mapped);
    if (!gone.is_shared && !gone.is_attached) file_.release(gone.offset, gone.bytes);
}

// Those that are given back instead, as there are too many now.
std::vector<Allocation> Memory::keep(Allocation gone) {
    const std::lock_guard lock(mutex_);
    kept_bytes_ += whole_pages(gone.bytes);
    kept_.push_back(std::move(gone));
    std::vector<Allocation> over;
    while (kept_bytes_ > most_kept_bytes) {
        kept_bytes_ -= whole_pages(kept_.front().bytes);
        over.push_back(std::move(kept_.front()));
        kept_.pop_front();
    }
    return over;
}

hsa_status_t Memory::release(void* memory) {
    if (memory == nullptr) return HSA_STATUS_SUCCESS;
    std::optional<Allocation> gone = take_out(memory, false);
    if (!gone) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    tell_watchers(*gone, memory);
    if (gone->bytes >= large_page_bytes || runtime().settings().checks.bounds)
        give_back(*gone);
    else
        for (const Allocation& each : keep(std::move(*gone))) give_back(each);
    return HSA_STATUS_SUCCESS;
}

std::optional<SharedPlace> Memory::share(const void* memory, std::size_t bytes, bool is_internal) {
    const std::lock_guard lock(mutex_);
    const Allocation* const found = look_up(reinterpret_cast<std::uint64_t>(memory));
    if (found == nullptr || found->is_locked || found->is_attached || found->is_internal != is_internal)
        return std::nullopt;
    const std::uint64_t within = reinterpret_cast<std::uint64_t>(memory) - found->base;
    if (!is_internal && (within != 0 || whole_pages(bytes) != whole_pages(found->bytes))) return std::nullopt;
    allocations_.at(found->base).is_shared = true;
    return file_.place(found->offset + within, is_internal ? bytes : found->bytes);
}

hsa_status_t Memory::attach(const SharedPlace& place, void** memory, bool is_internal) {
    const std::uint64_t within = place.offset % page_bytes;
    auto pages = std::make_shared<GuardedPages>(place.bytes + within);
    if (place.bytes == 0 || pages->data() == nullptr || !SharedFile::map(place, pages->data()))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::uint8_t* const host = pages->data() + within;
    const Allocation made{.base = reinterpret_cast<std::uint64_t>(host),
                          .bytes = place.bytes,
                          .mapped = mapped_of(place.bytes, whole_pages(within + place.bytes) - within),
                          .host = host,
                          .pool = runtime().gpus().front()->pools().data(),
                          .is_attached = true,
                          .is_internal = is_internal,
                          .pages = std::move(pages)};
    const std::uint64_t number = take_in(made);
    register_everywhere(made, fmt::format("allocation {} (process {})", number, place.process));
    *memory = made.host;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t Memory::detach(void* memory) {
    const std::optional<Allocation> gone = take_out(memory, true);
    if (!gone) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    tell_watchers(*gone, memory);
    give_back(*gone);
    return HSA_STATUS_SUCCESS;
}

// A second address is one of this process at which nothing is.
hsa_status_t Memory::lock(void* host, std::size_t bytes, const Pool& pool, bool same_address, void** memory) {
    if (host == nullptr || bytes == 0 || memory == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto own = reinterpret_cast<std::uint64_t>(host);
    std::uint64_t base = own;
    std::shared_ptr<GuardedPages> pages;
    if (!same_address) {
        const std::uint64_t offset = own % page_bytes;
        pages = std::make_shared<GuardedPages>(bytes + offset, false);
        if (pages->data() == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
        base = pages->address() + offset;
    }
    const Allocation made{.base = base,
                          .bytes = bytes,
                          .mapped = bytes,
                          .host = static_cast<std::uint8_t*>(host),
                          .pool = &pool,
                          .is_locked = true,
                          .pages = std::move(pages)};
    {
        const std::lock_guard lock(mutex_);
        allocations_[base] = made;
        locked_[own] = base;
    }
    register_everywhere(made, "locked memory of the program");
    if (!same_address)
        for (Agent* const gpu : runtime().gpus())
            gpu->device().register_memory({made.host, made.mapped}, {}, "locked memory of the program");
    *memory = reinterpret_cast<void*>(base);  // NOLINT(performance-no-int-to-ptr): what clients get
    return HSA_STATUS_SUCCESS;
}

hsa_status_t Memory::unlock(void* host) {
    Allocation gone;
    {
        const std::lock_guard lock(mutex_);
        const auto found = locked_.find(reinterpret_cast<std::uint64_t>(host));
        if (found == locked_.end()) return HSA_STATUS_SUCCESS;
        gone = allocations_.at(found->second);
        allocations_.erase(found->second);
        locked_.erase(found);
    }
    const auto own = reinterpret_cast<std::uint64_t>(host);
    for (Agent* const gpu : runtime().gpus()) {
        gpu->device().unregister_memory(gone.base, gone.mapped);
        if (own != gone.base) gpu->device().unregister_memory(own, gone.mapped);
    }
    return HSA_STATUS_SUCCESS;
}

// Under the lock.
const Allocation* Memory::look_up(std::uint64_t address) const {
    const auto inside = [&](std::uint64_t base) -> const Allocation* {
        const Allocation& allocation = allocations_.at(base);
        const std::uint64_t host = reinterpret_cast<std::uint64_t>(allocation.host);
        const bool is_there = address - allocation.base < allocation.bytes || address - host < allocation.bytes;
        return is_there ? &allocation : nullptr;
    };
    if (const auto behind = allocations_.upper_bound(address); behind != allocations_.begin())
        if (const Allocation* const found = inside(std::prev(behind)->first)) return found;
    if (const auto behind = locked_.upper_bound(address); behind != locked_.begin())
        return inside(std::prev(behind)->second);
    return nullptr;
}

std::optional<Allocation> Memory::find(const void* address) const {
    const std::lock_guard lock(mutex_);
    const Allocation* const found = look_up(reinterpret_cast<std::uint64_t>(address));
    return found == nullptr ? std::nullopt : std::optional(*found);
}

void* Memory::host_address(const void* address) const {
    const std::lock_guard lock(mutex_);
    const auto number = reinterpret_cast<std::uint64_t>(address);
    const Allocation* const found = look_up(number);
    if (found == nullptr || number - found->base >= found->bytes) return const_cast<void*>(address);
    return found->host + (number - found->base);
}

namespace {

// What checks call unwritten no longer is.
void note_written(const void* to, std::size_t bytes) {
    if (!runtime().settings().checks.uninitialised) return;
    for (Agent* const gpu : runtime().gpus()) gpu->device().note_written({static_cast<const std::uint8_t*>(to), bytes});
}

}  // namespace

void Memory::copy(void* to, const void* from, std::size_t bytes) const {
    std::memmove(host_address(to), host_address(from), bytes);
    note_written(to, bytes);
}

void Memory::fill(void* to, std::uint32_t value, std::size_t count) const {
    auto* const words = static_cast<std::uint32_t*>(host_address(to));
    std::fill(words, words + count, value);
    note_written(to, count * sizeof value);
}

bool Memory::change(const void* address, const std::function<void(Allocation&)>& change) {
    const std::lock_guard lock(mutex_);
    const Allocation* const found = look_up(reinterpret_cast<std::uint64_t>(address));
    if (found == nullptr) return false;
    change(allocations_.at(found->base));
    return true;
}

}  // namespace isaforge::hsa

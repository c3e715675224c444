// Memory of a device: what the caller registers, and what is allocated for it.
#include <sys/mman.h>

#include <atomic>

#include "device/device_impl.hpp"
#include "isaforge/limits.hpp"

namespace isaforge::device {

namespace {

constexpr std::uint64_t page = 4096;
// Where allocations lie if there is room, so that a program that does the same again finds them at the same addresses.
constexpr std::uint64_t first_address = 0x200000000000;
std::atomic<std::uint64_t> next_address = first_address;

}  // namespace

// With a page behind them that belongs to nobody.
Pages::Pages(std::uint64_t bytes) : bytes_(bytes) {
    if (bytes > most_memory_bytes) return;
    mapped_ = (std::max<std::uint64_t>(bytes, 1) + page - 1) / page * page + page;
    auto* const wanted = reinterpret_cast<void*>(next_address.fetch_add(mapped_));  // NOLINT(performance-no-int-to-ptr)
    void* const at =
        ::mmap(wanted, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED) data_ = static_cast<std::uint8_t*>(at);  // NOLINT(performance-no-int-to-ptr): a macro's
}

Pages::~Pages() {
    if (data_ != nullptr) ::munmap(data_, mapped_);
}

std::string Implementation::register_memory(std::span<std::uint8_t> memory, Permissions permissions, std::string name,
                                            std::optional<std::uint64_t> address) {
    return dispatcher_->add_storage(address.value_or(reinterpret_cast<std::uint64_t>(memory.data())), memory, permissions,
                                    std::move(name));
}

void Implementation::unregister_memory(std::uint64_t address, std::uint64_t bytes) {
    if (bytes != 0) dispatcher_->remove_storage(address, bytes);
}

std::uint8_t* Implementation::allocate(std::uint64_t bytes, std::string name) {
    auto pages = std::make_unique<Pages>(bytes);
    std::uint8_t* const data = pages->data();
    if (data == nullptr || (bytes != 0 && !register_memory(pages->span(), {}, std::move(name)).empty())) return nullptr;
    const std::lock_guard lock(lock_);
    allocated_[data] = std::move(pages);
    return data;
}

void Implementation::release(std::uint8_t* memory) {
    std::unique_ptr<Pages> pages;
    {
        const std::lock_guard lock(lock_);
        const auto found = allocated_.find(memory);
        if (found == allocated_.end()) return;
        pages = std::move(found->second);
        allocated_.erase(found);
    }
    unregister_memory(pages->address(), pages->span().size());
}

// The smallest that is large enough, else a new one.
std::shared_ptr<Pages> Implementation::take_from(std::vector<std::shared_ptr<Pages>>& pool, std::uint64_t bytes,
                                                 const char* name) {
    {
        const std::lock_guard lock(lock_);
        auto best = pool.end();
        for (auto each = pool.begin(); each != pool.end(); ++each) {
            const std::uint64_t size = (*each)->span().size();
            if (size >= bytes && (best == pool.end() || size < (*best)->span().size())) best = each;
        }
        if (best != pool.end()) {
            std::shared_ptr<Pages> taken = std::move(*best);
            pool.erase(best);
            return taken;
        }
    }
    auto fresh = std::make_shared<Pages>(bytes);
    if (fresh->data() == nullptr || !register_memory(fresh->span(), {}, name).empty()) return nullptr;
    return fresh;
}

std::shared_ptr<Pages> Implementation::take_scratch(std::uint64_t bytes) {
    std::shared_ptr<Pages> pages = take_from(scratch_, bytes, "private memory");
    if (pages != nullptr)
        dispatcher_->note_unwritten(pages->address(), pages->span().size(), true);
    return pages;
}

std::shared_ptr<Pages> Implementation::take_block(std::uint64_t bytes) {
    constexpr std::uint64_t usual = 16 * page;
    return take_from(blocks_, std::max(bytes, usual), "the launch's arguments");
}

namespace {

constexpr std::size_t most_kept = 16;

}  // namespace

// Kept for who asks next, where not too many are.
void Implementation::give_to(std::vector<std::shared_ptr<Pages>>& pool, std::shared_ptr<Pages> pages) {
    {
        const std::lock_guard lock(lock_);
        if (pool.size() < most_kept) return pool.push_back(std::move(pages));
    }
    unregister_memory(pages->address(), pages->span().size());
}

void Implementation::give_scratch(std::shared_ptr<Pages> pages) { give_to(scratch_, std::move(pages)); }

void Implementation::give_block(std::shared_ptr<Pages> pages) { give_to(blocks_, std::move(pages)); }

}  // namespace isaforge::device

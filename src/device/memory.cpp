// Memory of a device: what the caller registers, and what is allocated for it.
#include "device/device_impl.hpp"

namespace isaforge::device {

std::string Implementation::register_memory(std::span<std::uint8_t> memory, Permissions permissions, std::string name,
                                            std::optional<std::uint64_t> address) {
    return dispatcher_->add_storage(address.value_or(reinterpret_cast<std::uint64_t>(memory.data())), memory,
                                    permissions, std::move(name));
}

void Implementation::unregister_memory(std::uint64_t address, std::uint64_t bytes) {
    if (bytes != 0) dispatcher_->remove_storage(address, bytes);
}

std::uint8_t* Implementation::allocate(std::uint64_t bytes, std::string name) {
    auto pages = std::make_unique<GuardedPages>(bytes);
    std::uint8_t* const data = pages->data();
    if (data == nullptr || (bytes != 0 && !register_memory(pages->span(), {}, std::move(name)).empty())) return nullptr;
    const std::lock_guard lock(lock_);
    allocated_[data] = std::move(pages);
    return data;
}

void Implementation::release(std::uint8_t* memory) {
    std::unique_ptr<GuardedPages> pages;
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
std::shared_ptr<GuardedPages> Implementation::take_from(std::vector<std::shared_ptr<GuardedPages>>& pool,
                                                        std::uint64_t bytes, const char* name) {
    {
        const std::lock_guard lock(lock_);
        auto best = pool.end();
        for (auto each = pool.begin(); each != pool.end(); ++each) {
            const std::uint64_t size = (*each)->span().size();
            if (size >= bytes && (best == pool.end() || size < (*best)->span().size())) best = each;
        }
        if (best != pool.end()) {
            std::shared_ptr<GuardedPages> taken = std::move(*best);
            pool.erase(best);
            return taken;
        }
    }
    auto fresh = std::make_shared<GuardedPages>(bytes);
    if (fresh->data() == nullptr || !register_memory(fresh->span(), {}, name).empty()) return nullptr;
    return fresh;
}

std::shared_ptr<GuardedPages> Implementation::take_scratch(std::uint64_t bytes) {
    std::shared_ptr<GuardedPages> pages = take_from(scratch_, bytes, "private memory");
    if (pages != nullptr) dispatcher_->note_unwritten(pages->address(), pages->span().size(), true);
    return pages;
}

std::shared_ptr<GuardedPages> Implementation::take_block(std::uint64_t bytes) {
    constexpr std::uint64_t usual = 16 << 12;
    return take_from(blocks_, std::max(bytes, usual), "the launch's arguments");
}

namespace {

constexpr std::size_t most_kept = 16;

}  // namespace

// Kept for who asks next, where not too many are.
void Implementation::give_to(std::vector<std::shared_ptr<GuardedPages>>& pool, std::shared_ptr<GuardedPages> pages) {
    {
        const std::lock_guard lock(lock_);
        if (pool.size() < most_kept) return pool.push_back(std::move(pages));
    }
    unregister_memory(pages->address(), pages->span().size());
}

void Implementation::give_scratch(std::shared_ptr<GuardedPages> pages) { give_to(scratch_, std::move(pages)); }

void Implementation::give_block(std::shared_ptr<GuardedPages> pages) { give_to(blocks_, std::move(pages)); }

}  // namespace isaforge::device

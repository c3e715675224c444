#include "machine/checked_memory.hpp"

#include <algorithm>
#include <cstring>

namespace isaforge::machine {

namespace {

// What all pages of a memory may take; more is not watched.
constexpr std::size_t most_shadows = std::size_t{1} << 18, most_cells = std::size_t{1} << 15;

}  // namespace

void CheckedMemory::clear() {
    shadows_.clear();
    last_ = nullptr;
    clear_accesses();
}

void CheckedMemory::know_as(const CheckedMemory& other) {
    clear();
    for (const auto& [page, shadow] : other.shadows_) shadows_[page] = std::make_unique<Shadow>(*shadow);
}

// Null: as at the beginning.
CheckedMemory::Shadow* CheckedMemory::find(std::uint64_t page) {
    if (last_ != nullptr && last_page_ == page) return last_;
    const auto found = shadows_.find(page);
    if (found == shadows_.end()) return nullptr;
    last_page_ = page;
    return last_ = found->second.get();
}

CheckedMemory::Shadow* CheckedMemory::make(std::uint64_t page) {
    if (Shadow* const found = find(page)) return found;
    if (shadows_.size() >= most_shadows) return nullptr;
    auto made = std::make_unique<Shadow>();
    made->fill(is_undefined_ ? 0xff : 0);
    last_page_ = page;
    last_ = made.get();
    shadows_.emplace(page, std::move(made));
    return last_;
}

void CheckedMemory::set(std::uint64_t address, std::uint64_t bytes, bool is_undefined) {
    while (bytes != 0) {
        const std::uint64_t in_page = address % page_bytes, now = std::min(bytes, page_bytes - in_page);
        const std::uint64_t page = address / page_bytes;
        const bool as_at_first = is_undefined == is_undefined_;
        if (as_at_first && now == page_bytes) {
            if (shadows_.erase(page) != 0 && last_page_ == page) last_ = nullptr;
        } else if (Shadow* const shadow = as_at_first ? find(page) : make(page)) {
            std::memset(shadow->data() + in_page, is_undefined ? 0xff : 0, now);
        }
        address += now;
        bytes -= now;
    }
}

void CheckedMemory::load(std::uint64_t address, std::span<std::byte> undefined) {
    while (!undefined.empty()) {
        const std::uint64_t in_page = address % page_bytes;
        const std::uint64_t now = std::min<std::uint64_t>(undefined.size(), page_bytes - in_page);
        if (const Shadow* const shadow = find(address / page_bytes))
            std::memcpy(undefined.data(), shadow->data() + in_page, now);
        else
            std::memset(undefined.data(), is_undefined_ ? 0xff : 0, now);
        address += now;
        undefined = undefined.subspan(now);
    }
}

void CheckedMemory::store(std::uint64_t address, std::span<const std::byte> undefined) {
    while (!undefined.empty()) {
        const std::uint64_t in_page = address % page_bytes;
        const std::uint64_t now = std::min<std::uint64_t>(undefined.size(), page_bytes - in_page);
        const std::span<const std::byte> here = undefined.first(now);
        Shadow* shadow = find(address / page_bytes);
        const bool is_defined = !is_undefined_ && std::all_of(here.begin(), here.end(),
                                                              [](std::byte each) { return each == std::byte{0}; });
        if (shadow == nullptr && !is_defined) shadow = make(address / page_bytes);
        if (shadow != nullptr) std::memcpy(shadow->data() + in_page, here.data(), now);
        address += now;
        undefined = undefined.subspan(now);
    }
}

CheckedMemory::Cells* CheckedMemory::cells_of(std::uint64_t page) {
    const auto found = cells_.find(page);
    if (found != cells_.end()) return found->second.get();
    if (cells_.size() >= most_cells) return nullptr;
    return cells_.emplace(page, std::make_unique<Cells>()).first->second.get();
}

}  // namespace isaforge::machine

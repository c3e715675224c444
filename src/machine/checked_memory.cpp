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

std::uint64_t CheckedMemory::undefined(std::uint64_t address, unsigned bytes) {
    const std::uint64_t in_page = address % page_bytes;
    std::uint64_t found = 0;
    if (in_page + bytes <= page_bytes) {
        const Shadow* const shadow = find(address / page_bytes);
        if (shadow == nullptr) return is_undefined_ ? ~std::uint64_t{0} >> (64 - 8 * bytes) : 0;
        std::memcpy(&found, shadow->data() + in_page, bytes);
        return found;
    }
    for (unsigned i = 0; i < bytes; ++i) found |= undefined(address + i, 1) << 8 * i;
    return found;
}

void CheckedMemory::store(std::uint64_t address, unsigned bytes, std::uint64_t undefined) {
    const std::uint64_t in_page = address % page_bytes;
    if (in_page + bytes <= page_bytes) {
        Shadow* shadow = find(address / page_bytes);
        if (shadow == nullptr && undefined == 0 && !is_undefined_) return;
        if (shadow == nullptr) shadow = make(address / page_bytes);
        if (shadow != nullptr) std::memcpy(shadow->data() + in_page, &undefined, bytes);
        return;
    }
    for (unsigned i = 0; i < bytes; ++i) store(address + i, 1, undefined >> 8 * i & 0xff);
}

AccessCell* CheckedMemory::cell(std::uint64_t address) {
    const std::uint64_t page = address / page_bytes, number = address % page_bytes / word;
    if (last_cells_ == nullptr || last_cell_page_ != page) {
        auto found = cells_.find(page);
        if (found == cells_.end()) {
            if (cells_.size() >= most_cells) return nullptr;
            found = cells_.emplace(page, std::make_unique<Cells>()).first;
        }
        last_cell_page_ = page;
        last_cells_ = found->second.get();
    }
    return &(*last_cells_)[number];
}

}  // namespace isaforge::machine

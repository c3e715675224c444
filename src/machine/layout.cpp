#include "machine/layout.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "machine/pages.hpp"

namespace isaforge::machine {

HartBlock::HartBlock(std::size_t bytes) : size_(bytes) {
    bytes_ = reinterpret_cast<std::byte*>(take_pages(bytes));
    if (bytes_ == nullptr) throw std::bad_alloc();
}

HartBlock::~HartBlock() { release_pages(reinterpret_cast<std::uint8_t*>(bytes_), size_); }

Layout::Layout(const Isa& isa) {
    for (const RegisterFile& file : isa.register_files) {
        std::uint32_t size = register_bytes(file);
        sizes_.push_back(size);
        files_.push_back(allocate(std::size_t{size} * file.count));
    }
    registers_end_ = static_cast<std::uint32_t>(std::min<std::size_t>(used_, ~std::uint32_t{0}));
    if (has_registers()) limit_ = used_ + room;
}

// Vectors begin at a cache line, so that they can be loaded aligned.
std::uint32_t Layout::allocate(std::size_t bytes) {
    std::size_t unit = bytes <= 8 ? 8 : cache_line;
    used_ = (used_ + unit - 1) / unit * unit;
    std::uint32_t offset = static_cast<std::uint32_t>(used_);
    used_ += (bytes + 7) / 8 * 8;
    return exhausted() ? 0 : offset;
}

void Layout::put(std::uint32_t offset, std::uint64_t value) {
    if (exhausted()) return;
    for (std::byte* block : blocks_) std::memcpy(block + offset, &value, sizeof value);
}

std::uint32_t Layout::constant(std::uint64_t value) {
    auto [place, added] = constants_.try_emplace(value, 0);
    if (added) {
        place->second = allocate(8);
        put(place->second, value);
    }
    return place->second;
}

std::uint32_t Layout::counter() {
    counters_.push_back(allocate(8));
    put(counters_.back(), 0);
    return counters_.back();
}

std::uint32_t Layout::scratch(unsigned k, std::uint32_t bytes) {
    std::vector<std::uint32_t>& offsets = scratch_[bytes];
    while (offsets.size() <= k) offsets.push_back(allocate(bytes));
    return offsets[k];
}

void Layout::attach(std::byte* block) {
    blocks_.push_back(block);
    if (exhausted()) return;
    for (const auto& [value, offset] : constants_) std::memcpy(block + offset, &value, sizeof value);
    for (const std::uint32_t offset : counters_) std::memset(block + offset, 0, 8);
}

}  // namespace isaforge::machine

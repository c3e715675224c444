// The layout of the machine's block of bytes: registers first, then what instructions need, as they are translated.
#include "machine/layout.hpp"

#include <algorithm>
#include <cstring>

namespace isaforge::machine {

Layout::Layout(const Isa& isa) {
    for (const RegisterFile& file : isa.register_files) {
        std::uint32_t size = register_bytes(file);
        sizes_.push_back(size);
        files_.push_back(allocate(std::size_t{size} * file.count));
    }
    registers_end_ = static_cast<std::uint32_t>(used_);
}

std::uint32_t Layout::allocate(std::size_t bytes) {
    std::size_t unit = bytes <= 8 ? 8 : cache_line;
    used_ = (used_ + unit - 1) / unit * unit;
    std::uint32_t offset = static_cast<std::uint32_t>(used_);
    used_ += (bytes + 7) / 8 * 8;
    if (exhausted()) return 0;
    if (used_ > state_.size()) state_.resize(std::max(used_, state_.size() * 2));
    return offset;
}

std::uint32_t Layout::constant(std::uint64_t value) {
    auto [place, added] = constants_.try_emplace(value, 0);
    if (added) {
        const bool reuses = !free_.empty();
        place->second = reuses ? free_.back() : allocate(8);
        if (reuses) free_.pop_back();
        if (!exhausted()) std::memcpy(state() + place->second, &value, sizeof value);
    }
    return place->second;
}

void Layout::forget_constants() {
    for (const auto& [value, offset] : constants_) free_.push_back(offset);
    constants_.clear();
}

std::uint32_t Layout::scratch(unsigned k, std::uint32_t bytes) {
    std::vector<std::uint32_t>& offsets = scratch_[bytes];
    while (offsets.size() <= k) offsets.push_back(allocate(bytes));
    return offsets[k];
}

void Layout::clear_registers() {
    std::fill_n(state_.begin(), std::min<std::size_t>(registers_end_, state_.size()), std::byte{0});
}

}  // namespace isaforge::machine

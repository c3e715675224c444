// Growing sections, within the limit on all output.
#include "assembler/sections.hpp"

#include <algorithm>

namespace isaforge::assembler {

namespace {

bool has_name(std::string_view name, std::string_view well_known) {
    return name.starts_with(well_known) && (name.size() == well_known.size() || name[well_known.size()] == '.');
}

}  // namespace

Index Sections::find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? no_index : found->second;
}

Index Sections::add(std::string_view name) {
    SectionBuffer& made = all_.emplace_back();
    made.section.name = name;
    const auto index = static_cast<Index>(all_.size() - 1);
    by_name_.emplace(name, index);
    made.section.allocated = false;
    if (has_name(name, ".text")) {
        made.section.allocated = true;
        set_code(index, true);
    } else if (has_name(name, ".data") || has_name(name, ".bss")) {
        made.section.allocated = made.section.writable = true;
        made.section.no_bits = has_name(name, ".bss");
    } else if (has_name(name, ".tdata") || has_name(name, ".tbss")) {
        made.section.allocated = made.section.writable = made.section.of_thread = true;
        made.section.no_bits = has_name(name, ".tbss");
    } else if (has_name(name, ".rodata")) {
        made.section.allocated = true;
    } else if (has_name(name, ".note")) {
        made.section.note = true;
    }
    return index;
}

void Sections::set_code(Index section, bool executable) {
    all_[section].section.executable = executable;
    all_[section].step = executable ? address_bytes_ : 1;
}

std::uint8_t* Sections::reserve_slowly(SectionBuffer& section, std::uint64_t count) {
    constexpr std::uint64_t smallest = 4096, largest = 1 << 18;  // what is not used has been zeroed in vain
    if (section.section.no_bits) return nullptr;
    const std::uint64_t capacity = section.section.bytes.size();
    const std::uint64_t room = limit_ - total_;
    const std::uint64_t missing = count - (capacity - section.used);
    if (missing > room) {
        over_limit_ = true;
        return nullptr;
    }
    const std::uint64_t growth = std::min(room, std::max(missing, std::clamp(capacity, smallest, largest)));
    section.section.bytes.resize(capacity + growth);
    total_ += growth;
    return reserve(section, count);
}

bool Sections::skip(SectionBuffer& section, std::uint64_t count) {
    if (count == 0) return true;
    if (!section.section.no_bits) return reserve(section, count) != nullptr;
    constexpr std::uint64_t largest = std::uint64_t{1} << 40;
    if (count > largest - section.used) {
        over_limit_ = true;
        return false;
    }
    section.used += count;
    return true;
}

}  // namespace isaforge::assembler

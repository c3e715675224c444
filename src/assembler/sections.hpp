// Sections while they are filled. Bytes go straight to one growing buffer per section. Only what has no known size yet,
// an alignment behind something that may grow, `.org`, an instruction with several lengths, begins a new fragment; a
// section without those needs no layout at all.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assembler/expression.hpp"
#include "isaforge/object.hpp"

namespace isaforge::assembler {

enum class GapKind : std::uint8_t { none, align, origin, space, instruction };

// A stretch of the buffer from `start` to the next fragment's, and the gap of variable size that stands before it.
struct Fragment {
    std::uint64_t start = 0;    // in the buffer
    std::uint64_t address = 0;  // of `start`, from the section's begin, by the current layout
    std::uint64_t gap = 0;      // bytes before it, by the current layout
    GapKind kind = GapKind::none;
    std::uint8_t fill_size = 1;
    std::uint64_t fill = 0;
    std::uint64_t alignment = 1;  // align
    std::uint64_t limit = 0;      // align: the most bytes to skip, 0 for no limit
    Index node = no_index;        // origin, space: the expression
    Index relaxation = no_index;  // instruction: Engine::relaxations_
    Place place;
};

struct SectionBuffer {
    Section section;  // `bytes` is the buffer, larger than what is used
    std::uint64_t used = 0;
    std::vector<Fragment> fragments{1};
    unsigned step = 1;        // bytes that an address counts here
    bool may_shrink = false;  // a linker may take bytes out: see Engine::choose_shrinking
    Index symbol = no_index;  // in the object, once made

    Index last_fragment() const { return static_cast<Index>(fragments.size() - 1); }
    bool fixed() const { return fragments.size() == 1; }
    std::uint64_t extent() const { return fragments.back().address + (used - fragments.back().start); }
};

class Sections final : public SectionMap {
public:
    explicit Sections(unsigned address_bytes, std::uint64_t limit) : address_bytes_(address_bytes), limit_(limit) {}

    SectionBuffer& operator[](Index index) { return all_[index]; }
    const SectionBuffer& operator[](Index index) const { return all_[index]; }
    Index size() const { return static_cast<Index>(all_.size()); }

    Index find(std::string_view name) const;
    Index add(std::string_view name);  // with the flags that go with well-known names
    void set_code(Index section, bool executable);

    // Room for `count` bytes at the section's end, zeroed, which count as used; null where the limit is reached or the
    // section holds no bytes.
    std::uint8_t* reserve(SectionBuffer& section, std::uint64_t count) {
        const std::uint64_t capacity = section.section.bytes.size();
        if (section.used > capacity || count > capacity - section.used) return reserve_slowly(section, count);
        std::uint8_t* at = section.section.bytes.data() + section.used;
        section.used += count;
        return at;
    }
    // As `reserve`, also in a section without bytes; false where the limit is reached.
    bool skip(SectionBuffer& section, std::uint64_t count);
    bool over_limit() const { return over_limit_; }
    // Counts bytes that layout adds; false where that passes the limit.
    bool fits(std::uint64_t more) const { return more <= limit_; }

    // SectionMap
    unsigned step(Index section) const override { return all_[section].step; }
    std::uint64_t address(const Position& position) const override {
        const SectionBuffer& section = all_[position.section];
        const Fragment& fragment = section.fragments[position.fragment];
        return fragment.address + (position.offset - fragment.start) + (final_ ? section.section.address : 0);
    }
    bool addresses_final() const override { return final_; }
    void set_addresses_final(bool final) { final_ = final; }

private:
    std::uint8_t* reserve_slowly(SectionBuffer& section, std::uint64_t count);

    std::deque<SectionBuffer> all_;
    std::unordered_map<std::string, Index, NameHash, std::equal_to<>> by_name_;
    unsigned address_bytes_;
    std::uint64_t limit_;
    std::uint64_t total_ = 0;  // capacity handed out
    bool over_limit_ = false;
    bool final_ = false;
};

}  // namespace isaforge::assembler

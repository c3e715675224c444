#include "isaforge/line_table.hpp"

#include <algorithm>
#include <tuple>

#include "support/leb128.hpp"

namespace isaforge {

namespace {

void put(std::vector<std::uint8_t>& out, std::uint64_t value) {
    std::uint8_t bytes[longest_leb];
    out.insert(out.end(), bytes, bytes + put_unsigned_leb(value, bytes));
}

std::uint64_t get(const std::uint8_t*& p) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        value |= static_cast<std::uint64_t>(*p & 0x7f) << shift;
        if (*p++ < 0x80) return value;
    }
}

auto order_of(const LineEntry& entry) { return std::tuple(entry.section, entry.offset, entry.line != 0); }

}  // namespace

LineTable::LineTable(std::span<const LineEntry> entries) {
    for (const LineEntry& entry : entries) add(entry);
}

void LineTable::add_far(const LineEntry& entry, std::uint64_t offset, std::int64_t line) {
    const bool is_moved = entry.section != last_.section || entry.file != last_.file;
    const std::uint64_t near_offset = std::min(offset, far_offset);
    const std::uint64_t near_line = std::min(static_cast<std::uint64_t>(line - least_line), far_line);
    bytes_.push_back(static_cast<std::uint8_t>((is_moved ? moved : 0) | near_line << line_shift | near_offset));
    if (near_offset == far_offset) put(bytes_, offset);
    if (near_line == far_line) put(bytes_, entry.line);
    if (is_moved) {
        put(bytes_, entry.section);
        put(bytes_, entry.file);
    }
    is_sorted_ = is_sorted_ && (count_ == 0 || order_of(last_) <= order_of(entry));
    last_ = entry;
    ++count_;
}

void LineTable::sort() {
    if (is_sorted_) return;
    std::vector<LineEntry> entries(begin(), end());
    std::ranges::stable_sort(entries, {}, order_of);
    *this = LineTable(entries);
}

LineTable::Iterator LineTable::begin() const {
    Iterator out;
    if (empty()) return out;
    out.next_ = bytes_.data();
    out.left_ = count_;
    out.entry_ = first;
    out.read();
    return out;
}

void LineTable::Iterator::read() {
    const std::uint8_t head = *next_++;
    const std::uint64_t offset = head & 0xf, line = head >> line_shift & 7;
    entry_.offset += offset == far_offset ? get(next_) : offset;
    if (line == far_line) {
        entry_.line = static_cast<std::uint32_t>(get(next_));
    } else {
        entry_.line = static_cast<std::uint32_t>(entry_.line + line + static_cast<std::uint64_t>(least_line));
    }
    if ((head & moved) == 0) return;
    entry_.section = static_cast<Index>(get(next_));
    entry_.file = static_cast<Index>(get(next_));
}

}  // namespace isaforge

// Which line of which file the bytes of an object come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "isaforge/isa.hpp"

namespace isaforge {

// From `offset` of the section on, the bytes come from this line, or, where it is 0, from none.
struct LineEntry {
    Index section = no_index;
    Index file = 0;  // Object::files
    std::uint64_t offset = 0;
    std::uint32_t line = 0;

    bool operator==(const LineEntry&) const = default;
};

// Entries in the order in which they were added. There is one for each statement of a program, so each is kept as its distance from
// the one before, in one byte for most: they are read one after the other.
class LineTable {
public:
    class Iterator {
    public:
        using iterator_concept = std::input_iterator_tag;
        using iterator_category = std::input_iterator_tag;
        using value_type = LineEntry;
        using difference_type = std::ptrdiff_t;
        using pointer = const LineEntry*;
        using reference = const LineEntry&;

        Iterator() = default;
        const LineEntry& operator*() const { return entry_; }
        const LineEntry* operator->() const { return &entry_; }
        Iterator& operator++() {
            if (--left_ != 0) read();
            return *this;
        }
        Iterator operator++(int) {
            Iterator before = *this;
            ++*this;
            return before;
        }
        bool operator==(const Iterator& other) const { return left_ == other.left_; }  // of one table

    private:
        friend class LineTable;
        void read();

        const std::uint8_t* next_ = nullptr;
        std::size_t left_ = 0;
        LineEntry entry_;
    };

    LineTable() = default;
    explicit LineTable(std::span<const LineEntry> entries);

    void add(const LineEntry& entry) {
        const std::uint64_t offset = entry.offset - last_.offset;  // modulo 2^64
        const auto line = static_cast<std::uint64_t>(static_cast<std::int64_t>(entry.line) - last_.line - least_line);
        const bool is_near = entry.section == last_.section && entry.file == last_.file && offset < far_offset &&
                             line < far_line && offset != 0;
        if (!is_near) return add_far(entry, offset, line);
        bytes_.push_back(static_cast<std::uint8_t>(line << line_shift | offset));
        last_.offset = entry.offset;
        last_.line = entry.line;
        ++count_;
    }
    void clear() { *this = LineTable(); }
    // By section, then by rising offset, where what comes from no line stands first; else as they were added.
    void sort();

    std::size_t size() const { return count_; }
    bool empty() const { return count_ == 0; }
    Iterator begin() const;
    Iterator end() const { return {}; }

private:
    // An entry is one byte that says how far the offset and the line are from those before, and whether section and file are the
    // same. What does not fit stands behind it, as LEB128.
    static constexpr unsigned line_shift = 4;
    static constexpr std::uint64_t far_offset = 15, far_line = 7;  // it follows
    static constexpr std::int64_t least_line = -1;                 // of those that fit
    static constexpr std::uint8_t moved = 0x80;                    // section and file follow

    void add_far(const LineEntry& entry, std::uint64_t offset, std::uint64_t line);

    std::vector<std::uint8_t> bytes_;
    std::size_t count_ = 0;
    LineEntry last_ = first;
    bool is_sorted_ = true;

    static constexpr LineEntry first{0, 0, 0, 0};  // what the first entry's distance is from
};

}  // namespace isaforge

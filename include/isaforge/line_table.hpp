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
    class Iterator;

    LineTable() = default;
    explicit LineTable(std::span<const LineEntry> entries);

    void add(const LineEntry& entry) {
        const std::uint64_t offset = entry.offset - last_.offset;  // modulo 2^64
        const std::int64_t line = static_cast<std::int64_t>(entry.line) - last_.line;
        const bool is_moved = entry.section != last_.section || entry.file != last_.file;
        const Step step = is_moved ? far : step_of(offset, line);
        if (step == far) return add_far(entry, offset, line);
        add(step);
    }

    // How far an entry is from the one before, in the same section and file, if that is little.
    enum class Step : std::uint8_t {};
    static constexpr Step far{};
    static constexpr std::uint64_t bytes_of(Step step) { return static_cast<std::uint8_t>(step) & far_offset; }
    static constexpr std::int64_t lines_of(Step step) {
        return (static_cast<std::uint8_t>(step) >> line_shift) + least_line;
    }
    static constexpr std::uint64_t most_step_bytes = 14;
    static constexpr std::int64_t most_step_lines = 5;
    static Step step_of(std::uint64_t offset, std::int64_t line) {
        const auto lines = static_cast<std::uint64_t>(line - least_line);
        const bool is_near = offset - 1 < far_offset - 1 && lines < far_line;
        return is_near ? static_cast<Step>(lines << line_shift | offset) : far;
    }
    void add(Step step) {
        bytes_.push_back(static_cast<std::uint8_t>(step));
        last_.offset += bytes_of(step);
        last_.line += static_cast<std::uint32_t>(lines_of(step));
        ++count_;
    }

    void clear() { *this = LineTable(); }
    // By section, then by rising offset, where what comes from no line stands first; else as they were added.
    void sort();

    std::size_t size() const { return count_; }
    bool empty() const { return count_ == 0; }
    Iterator begin() const;
    Iterator end() const;

private:
    // An entry is one byte that says how far the offset and the line are from those before, and whether section and file are the
    // same. What does not fit stands behind it, as LEB128.
    static constexpr unsigned line_shift = 4;
    static constexpr std::int64_t least_line = -1;  // of those that fit
    static constexpr std::uint64_t far_offset = most_step_bytes + 1,
                                   far_line = most_step_lines - least_line + 1;  // it follows
    static constexpr std::uint8_t moved = 0x80;                    // section and file follow

    void add_far(const LineEntry& entry, std::uint64_t offset, std::int64_t line);

    std::vector<std::uint8_t> bytes_;
    std::size_t count_ = 0;
    LineEntry last_ = first;
    bool is_sorted_ = true;

    static constexpr LineEntry first{0, 0, 0, 0};  // what the first entry's distance is from
};

class LineTable::Iterator {
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
        if (--left_ == 0) return *this;
        if (is_step()) {
            take_step();
        } else {
            read();
        }
        return *this;
    }
    // Goes on to the last of those that follow with a step each, and calls `visit(step)` for them.
    template <typename Visit>
    void visit_steps(Visit&& visit) {
        for (; left_ > 1 && is_step(); --left_) visit(take_step());
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
    bool is_step() const { return (*next_ & far_offset) != far_offset && *next_ >> line_shift < far_line; }
    Step take_step() {
        const auto step = static_cast<Step>(*next_++);
        entry_.offset += bytes_of(step);
        entry_.line += static_cast<std::uint32_t>(lines_of(step));
        return step;
    }

    const std::uint8_t* next_ = nullptr;
    std::size_t left_ = 0;
    LineEntry entry_;
};

inline LineTable::Iterator LineTable::end() const { return {}; }

}  // namespace isaforge

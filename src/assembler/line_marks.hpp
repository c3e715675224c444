// Which line of which file the bytes of sections come from, noted as they are emitted. There is a mark for each statement, so what
// is noted is the table that the object gets; only what layout moves is worked out again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "assembler/expression.hpp"
#include "assembler/limits.hpp"
#include "isaforge/object.hpp"
#include "support/line_counter.hpp"

namespace isaforge::assembler {

class LineMarks {
public:
    explicit LineMarks(const SourceManager& sources) : sources_(sources), lines_(sources) {}

    // From `here` on, bytes come from the statement at this place of a source, which may have been marked already.
    void mark(const Position& here, FileId file, std::uint32_t offset) {
        if (waits_ && offset == source_offset_ && file == source_file_ && here.section == last_.section) return;
        if (file != source_file_) file_ = index_of(file);
        source_file_ = file;
        source_offset_ = offset;
        // One that emitted nothing gives way to the next.
        const bool gives_way =
            last_.offset == here.offset && last_.section == here.section && fragment_ == here.fragment;
        if (waits_ && !gives_way) add_last();
        waits_ = true;
        step_ = LineTable::far;
        fragment_ = here.fragment;
        last_ = {here.section, file_, here.offset, lines_.line(file, offset)};
    }
    // The same of a statement of which it is known how many bytes, and how many line ends of the same file, lie between the last one's
    // begin and its own.
    void mark_next(std::uint64_t bytes, std::uint32_t offset, std::uint32_t line_ends) {
        if (bytes != 0) add_last();
        last_.offset += bytes;
        last_.line += line_ends;
        step_ = bytes != 0 ? LineTable::step_of(bytes, line_ends) : LineTable::far;
        source_offset_ = offset;
        lines_.pass(offset, line_ends);
    }

    // The files and the table that the object has. `offset_of` says how far from its section's begin a position came to lie.
    template <typename OffsetOf>
    void put_into(Object& object, const OffsetOf& offset_of) {
        if (waits_) add_last();
        waits_ = false;
        for (const FileId file : files_) object.files.emplace_back(sources_.name(file));
        object.lines = moves_ ? moved(offset_of) : std::move(table_);
        object.lines.sort();
    }

private:
    // Entries of one fragment, from `first` on.
    struct Stretch {
        std::size_t first = 0;
        Index section = no_index, fragment = 0;
    };

    void add_last() {
        if (step_ != LineTable::far && table_.size() < limits::marks) return table_.add(step_);
        if (stretches_.empty() || stretches_.back().section != last_.section ||
            stretches_.back().fragment != fragment_) {
            stretches_.push_back({table_.size(), last_.section, fragment_});
            moves_ |= fragment_ != 0;
        }
        if (table_.size() < limits::marks) table_.add(last_);
    }
    Index index_of(FileId file);
    template <typename OffsetOf>
    LineTable moved(const OffsetOf& offset_of) const;

    const SourceManager& sources_;
    LineCounter lines_;
    LineTable table_;                 // offsets are those of positions
    std::vector<Stretch> stretches_;
    bool moves_ = false;              // one of them is not the first of its section
    std::vector<FileId> files_;       // by LineEntry::file
    std::unordered_map<FileId, Index> indices_;  // the other way
    FileId source_file_ = 0;          // of the last mark …
    std::uint32_t source_offset_ = 0;
    Index file_ = 0, fragment_ = 0;
    LineEntry last_;                  // … which is not in the table yet …
    LineTable::Step step_ = LineTable::far;  // … and how far it is from the one before that, if it followed it
    bool waits_ = false;              // there is one
};

inline Index LineMarks::index_of(FileId file) {
    const auto [known, fresh] = indices_.try_emplace(file, static_cast<Index>(files_.size()));
    if (fresh) files_.push_back(file);
    return known->second;
}

// What layout has put to the same place as the next is none.
template <typename OffsetOf>
LineTable LineMarks::moved(const OffsetOf& offset_of) const {
    LineTable out;
    LineEntry last;
    bool waits = false;
    std::size_t at = 0, stretch = 0;
    for (const LineEntry& mark : table_) {
        while (stretch + 1 < stretches_.size() && stretches_[stretch + 1].first <= at) ++stretch;
        ++at;
        LineEntry entry = mark;
        entry.offset = offset_of(Position{mark.section, stretches_[stretch].fragment, mark.offset});
        if (waits && (last.section != entry.section || last.offset != entry.offset)) out.add(last);
        last = entry;
        waits = true;
    }
    if (waits) out.add(last);
    return out;
}

}  // namespace isaforge::assembler

// Line numbers for places that mostly come in the order of the text: it counts on from the last one, which is many times
// faster than searching a table of all lines. Separate from SourceManager because it has a state.
#pragma once

#include "isaforge/source.hpp"
#include "support/text_scan.hpp"

namespace isaforge {

class LineCounter {
public:
    explicit LineCounter(const SourceManager& sources) : sources_(sources) {}

    // The line of byte `offset`, from 1.
    std::uint32_t line(FileId file, std::uint32_t offset) {
        return file == file_ && offset == offset_ ? line_ : move_to(file, offset);
    }
    // Byte `offset` is so many line ends behind the one that was asked for last.
    void pass(std::uint32_t offset, std::uint32_t line_ends) {
        offset_ = offset;
        line_ += line_ends;
    }

private:
    std::uint32_t move_to(FileId file, std::uint32_t offset) {
        if (file != file_) {
            file_ = file;
            text_ = sources_.text(file);
            offset_ = 0;
            line_ = 1;
        }
        constexpr std::uint32_t far = 1 << 16;
        if (offset < offset_ || offset - offset_ > far) {
            line_ = sources_.line_column({file, offset, 0}).line;
            offset_ = offset;
            return line_;
        }
        const char* p = text_.data() + offset_;
        const char* const end = text_.data() + (offset < text_.size() ? offset : text_.size());
        while (p < end) {
            p = scan_line(p, end);
            if (p == end) break;
            ++line_;
            ++p;
        }
        offset_ = offset;
        return line_;
    }

    const SourceManager& sources_;
    FileId file_ = 0;
    std::string_view text_;
    std::uint32_t offset_ = 0, line_ = 1;
};

}  // namespace isaforge

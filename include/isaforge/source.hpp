// Source text and places in it. Descriptions and assembly programs share this: a `Place` is eight bytes, and only a
// `SourceManager` can turn it back into file, line and column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isaforge {

using FileId = std::uint32_t;

// A stretch of a source file: `length` bytes from byte `offset`. File 0 is "nowhere".
struct Place {
    FileId file = 0;
    std::uint32_t offset = 0;
    std::uint32_t length = 0;

    bool known() const { return file != 0; }
};

// Line and column as people count them: both from 1, the column in bytes.
struct LineColumn {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

// Owns the text of every file that was read. Text stays at one address for the manager's life, so views into it hold.
class SourceManager {
public:
    // Takes text under a name that diagnostics show. The text may not exceed 4 GiB.
    FileId add(std::string name, std::string text);

    // Reads a file as it is; `-` is standard input. Nothing where it cannot be read or has more than `most` bytes, with the
    // reason in `error`.
    std::optional<FileId> load(const std::string& path, std::string& error, std::size_t most = longest_file);

    // The same for text: a byte-order mark in front is no part of it, and text in another encoding than UTF-8 is refused.
    std::optional<FileId> load_text(const std::string& path, std::string& error, std::size_t most = longest_file);

    static constexpr std::size_t longest_file = UINT32_MAX - 1;  // places count in 32 bits

    std::string_view name(FileId file) const;
    std::string_view text(FileId file) const;
    std::string_view text(Place place) const;
    LineColumn line_column(Place place) const;

    // The whole line that holds the place's first byte, without its line end.
    std::string_view line_text(Place place) const;

private:
    struct File {
        std::string name;
        std::string text;
        mutable std::vector<std::uint32_t> line_starts;  // found when first asked for
    };
    const File& file(FileId id) const { return files_[id - 1]; }
    const std::vector<std::uint32_t>& line_starts(const File& file) const;

    std::deque<File> files_;
};

}  // namespace isaforge

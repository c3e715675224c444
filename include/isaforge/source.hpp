// Source text and places in it. Descriptions and assembly programs share this: a `Place` is eight bytes, and only a
// `SourceManager` can turn it back into file, line and column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isaforge/limits.hpp"

namespace isaforge {

// What may stand behind the name of a file that is read.
enum class Readable {
    anything,     // that a user named: files, pipes, devices; `-` is standard input
    only_regular  // that an input named: a pipe would be waited for, a device may do things when it is read
};

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

// How a text was put together from pieces of another one.
struct Derivation {
    struct Piece {
        std::uint32_t begin = 0;           // in the new text; pieces stand in its order
        std::uint32_t offset = 0, length = 0;  // in the other one
        bool replaced = false;             // something else stands for it
    };
    FileId from = 0;
    std::vector<Piece> pieces;
    std::string because;                   // what messages say of the difference; empty: nothing
    Place place;                           // … and where
};

// A text: a string, or bytes of a file, which were read into memory that nobody had cleared before, or are mapped. A zero stands behind it.
class SourceText {
public:
    SourceText() = default;
    SourceText(std::string text) : string_(std::move(text)), end_(string_.size()) {}
    SourceText(std::shared_ptr<const char[]> bytes, std::size_t size) : bytes_(std::move(bytes)), end_(size) {}

    std::string_view view() const { return {(bytes_ ? bytes_.get() : string_.data()) + begin_, end_ - begin_}; }
    void drop_front(std::size_t count) { begin_ += count; }

private:
    std::string string_;
    std::shared_ptr<const char[]> bytes_;  // null: it is the string
    std::size_t begin_ = 0, end_ = 0;
};

// Owns the text of every file that was read. Text stays at one address for the manager's life, so views into it hold.
class SourceManager {
public:
    // Takes text under a name that diagnostics show. The text may not exceed 4 GiB; a byte-order mark in front is no part of it.
    FileId add(std::string name, std::string text);

    // Reads a file as it is. Nothing where it cannot be read, or has more than `most` bytes or than limits.hpp allows, with the
    // reason in `error`.
    std::optional<FileId> load(const std::string& path, std::string& error, Readable what = Readable::anything,
                               std::uint64_t most = most_file_bytes);

    // The same for text: a byte-order mark in front is no part of it, and text in another encoding than UTF-8 is refused.
    std::optional<FileId> load_text(const std::string& path, std::string& error, Readable what = Readable::anything,
                                    std::uint64_t most = most_file_bytes);

    // The next `count` files are those that `read` adds to an empty manager, the same each time: when one of them is first asked
    // for. `paths`: of those of them that were loaded. Returns the first one's number; 1 where there were no files.
    FileId expect(std::size_t count, std::function<void(SourceManager&)> read, std::vector<std::string> paths = {});

    // How many files there are, of numbers from 1 on.
    std::size_t size() const { return next_ - 1; }

    // The paths of all that was loaded; `-` for standard input.
    std::vector<std::string> paths() const;

    // Takes a text that was put together from another one. Names, lines and columns of places in it are those of the other one.
    FileId derive(std::string text, Derivation derivation);
    // Where what stands at the place was written: itself, or in the text that its own was put together from.
    Place origin(Place place) const;
    // Of a text that was put together, how; else null.
    const Derivation* derivation(FileId file) const;

    std::string_view name(FileId file) const;
    std::string_view text(FileId file) const;
    std::string_view text(Place place) const;
    LineColumn line_column(Place place) const;

    // The whole line that holds the place's first byte, without its line end.
    std::string_view line_text(Place place) const;
    // The same as it was read: of a text that was put together, with what stands for names in it.
    std::string_view line_as_read(Place place) const;

private:
    struct File {
        std::string name;
        SourceText text;
        std::string path;                                // empty where it was not loaded
        std::optional<Derivation> derivation;
        mutable std::vector<std::uint32_t> line_starts;  // found when first asked for
    };
    struct Expected {
        FileId first = 0;
        std::size_t count = 0;
        std::function<void(SourceManager&)> read;  // null once it has been called
        std::vector<std::string> paths;
        std::deque<File> files;
    };
    FileId keep(std::string name, SourceText text);
    const File& file(FileId id) const;
    static void fill(Expected& expected);
    const std::vector<std::uint32_t>& line_starts(const File& file) const;

    std::deque<File> files_;
    mutable std::vector<Expected> expected_;  // by number
    FileId next_ = 1;
};

}  // namespace isaforge

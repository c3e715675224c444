// What we tell the user about their text: errors, warnings and notes, each with a place, printed as clang prints them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/source.hpp"

namespace isaforge {

enum class Severity { note, warning, error };

// One message. `notes` point at the other places involved; `suggestion`, where not empty, is what to write instead of
// the text at `place`.
struct Diagnostic {
    Severity severity = Severity::error;
    Place place;
    std::string message;
    std::string suggestion;
    std::vector<Diagnostic> notes;

    Diagnostic& note(Place where, std::string text);
    Diagnostic& suggest(std::string text);
};

// Collects messages in the order they are found. Past `limit` errors it only counts, so that no input can fill memory.
class Diagnostics {
public:
    explicit Diagnostics(std::size_t limit = 1000) : limit_(limit) {}

    Diagnostic& error(Place place, std::string message);
    Diagnostic& warning(Place place, std::string message);

    const std::vector<Diagnostic>& all() const { return list_; }
    std::size_t errors() const { return errors_; }
    std::size_t warnings() const { return warnings_; }
    bool ok() const { return errors_ == 0; }
    bool full() const { return list_.size() >= limit_; }  // whether further messages are only counted
    // More was found than is kept: whoever can stop looking had better do so.
    bool overflowing() const { return errors_ + warnings_ > limit_; }

    // Takes a copy of a message that was made elsewhere.
    void take(const Diagnostic& diagnostic);

    // Moves the messages of `other` behind ours.
    void append(Diagnostics&& other);

private:
    Diagnostic& add(Severity severity, Place place, std::string message);

    std::vector<Diagnostic> list_;
    std::size_t limit_;
    std::size_t errors_ = 0;
    std::size_t warnings_ = 0;
    Diagnostic overflow_;
};

// `file:line:col: error: …`, the line, a caret under the place, the suggestion, then the notes likewise.
std::string to_text(const Diagnostic& diagnostic, const SourceManager& sources, bool colour = false);
std::string to_text(const Diagnostics& diagnostics, const SourceManager& sources, bool colour = false);

// One JSON array of objects with severity, file, line, column, length, message, suggestion and notes.
std::string to_json(const Diagnostics& diagnostics, const SourceManager& sources);

// The candidate nearest to `word` by edit distance, or an empty view where none is near enough to be meant.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace isaforge

#include "isaforge/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "support/printable.hpp"

namespace isaforge {

namespace {

constexpr std::size_t most_notes = 100;  // of one message

}  // namespace

Diagnostic& Diagnostic::note(Place where, std::string text) {
    if (notes.size() == most_notes) notes.push_back({Severity::note, {}, "and more of these", {}, {}});
    if (notes.size() < most_notes) notes.push_back({Severity::note, where, std::move(text), {}, {}});
    return *this;
}

Diagnostic& Diagnostic::suggest(std::string text) {
    suggestion = std::move(text);
    return *this;
}

Diagnostic& Diagnostics::add(Severity severity, Place place, std::string message) {
    if (list_.size() >= limit_) {
        overflow_ = {};
        return overflow_;
    }
    list_.push_back({severity, place, std::move(message), {}, {}});
    return list_.back();
}

Diagnostic& Diagnostics::error(Place place, std::string message) {
    ++errors_;
    return add(Severity::error, place, std::move(message));
}

Diagnostic& Diagnostics::warning(Place place, std::string message) {
    ++warnings_;
    return add(Severity::warning, place, std::move(message));
}

void Diagnostics::take(const Diagnostic& diagnostic) {
    (diagnostic.severity == Severity::error ? errors_ : warnings_) += 1;
    if (list_.size() < limit_) list_.push_back(diagnostic);
}

void Diagnostics::append(Diagnostics&& other) {
    for (Diagnostic& diagnostic : other.list_) {
        if (list_.size() < limit_) list_.push_back(std::move(diagnostic));
    }
    errors_ += other.errors_;
    warnings_ += other.warnings_;
    other = Diagnostics(other.limit_);
}

namespace {

const char* word(Severity severity) {
    switch (severity) {
        case Severity::note: return "note";
        case Severity::warning: return "warning";
        case Severity::error: return "error";
    }
    return "";
}

const char* colour_of(Severity severity) {
    switch (severity) {
        case Severity::note: return "\x1b[1;36m";
        case Severity::warning: return "\x1b[1;35m";
        case Severity::error: return "\x1b[1;31m";
    }
    return "";
}

constexpr std::size_t widest_line_shown = 200;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The part of a very long line that is shown, from a little before the place; `column` is counted from its begin.
std::string_view shown_part(std::string_view line, std::size_t& column) {
    if (line.size() <= widest_line_shown) return line;
    std::size_t first = std::min(column > widest_line_shown / 2 ? column - widest_line_shown / 2 : 0, line.size());
    while (first > 0 && first < line.size() && continues_character(line[first])) --first;
    std::size_t end = std::min(first + widest_line_shown, line.size());
    while (end > first && end < line.size() && continues_character(line[end])) --end;
    column -= first;
    return line.substr(first, end - first);
}

// The source line and the caret below it.
std::string excerpt(const Diagnostic& diagnostic, const SourceManager& sources, bool colour) {
    std::size_t column = sources.line_column(diagnostic.place).column - 1;
    const std::string_view line = shown_part(sources.line_text(diagnostic.place), column);
    const std::size_t behind = column + sources.origin(diagnostic.place).length;
    std::string shown, marks;
    bool has_caret = false;
    for (std::size_t at = 0; at < line.size();) {
        const Character next = first_character(line.substr(at));
        const std::string piece = printable_in_line(line.substr(at, next.length));
        const std::size_t width = next.is_printable ? 1 : piece.size();
        shown += piece;
        if (at + next.length <= column) {
            marks.append(width, next.code == '\t' ? '\t' : ' ');
        } else if (!has_caret) {
            marks.append(1, '^').append(width - 1, '~');
            has_caret = true;
        } else if (at < behind) {
            marks.append(width, '~');
        }
        at += next.length;
    }
    if (!has_caret) {  // the place is the line's end
        const std::size_t missing = column > line.size() ? column - line.size() : 0;
        shown.append(missing, ' ');
        marks.append(missing, ' ').append(1, '^');
    }
    std::string out = fmt::format("{}\n", shown);
    out += colour ? fmt::format("\x1b[1;32m{}\x1b[0m\n", marks) : fmt::format("{}\n", marks);
    if (!diagnostic.suggestion.empty()) {
        const std::string indent = marks.substr(0, marks.find('^'));
        out += fmt::format("{}{}\n", indent, printable(diagnostic.suggestion));
    }
    return out;
}

// Its notes, and what stands for the names in a text that is repeated.
std::vector<Diagnostic> notes_of(const Diagnostic& diagnostic, const SourceManager& sources) {
    std::vector<Diagnostic> out = diagnostic.notes;
    if (diagnostic.severity == Severity::note) return out;
    const Derivation* how = sources.derivation(diagnostic.place.file);
    for (; how != nullptr; how = sources.derivation(how->from)) {
        if (how->because.empty()) continue;
        Diagnostic& note = out.emplace_back();
        note.severity = Severity::note;
        note.place = how->place;
        note.message = "where " + how->because;
    }
    return out;
}

nlohmann::json json_of(const Diagnostic& diagnostic, const SourceManager& sources) {
    nlohmann::json out;
    out["severity"] = word(diagnostic.severity);
    out["message"] = diagnostic.message;
    if (diagnostic.place.known()) {
        const LineColumn at = sources.line_column(diagnostic.place);
        out["file"] = sources.name(diagnostic.place.file);
        out["line"] = at.line;
        out["column"] = at.column;
        out["length"] = sources.origin(diagnostic.place).length;
    }
    if (!diagnostic.suggestion.empty()) out["suggestion"] = diagnostic.suggestion;
    for (const Diagnostic& note : notes_of(diagnostic, sources)) out["notes"].push_back(json_of(note, sources));
    return out;
}

}  // namespace

std::string to_text(const Diagnostic& diagnostic, const SourceManager& sources, bool colour) {
    std::string out;
    if (diagnostic.place.known()) {
        const LineColumn at = sources.line_column(diagnostic.place);
        const std::string file = printable_in_line(sources.name(diagnostic.place.file));
        out += fmt::format("{}:{}:{}: ", file, at.line, at.column);
    }
    const std::string message = printable(diagnostic.message);
    if (colour) {
        out += fmt::format("{}{}:\x1b[0m {}\n", colour_of(diagnostic.severity), word(diagnostic.severity), message);
    } else {
        out += fmt::format("{}: {}\n", word(diagnostic.severity), message);
    }
    if (diagnostic.place.known()) out += excerpt(diagnostic, sources, colour);
    for (const Diagnostic& note : notes_of(diagnostic, sources)) out += to_text(note, sources, colour);
    return out;
}

std::string to_text(const Diagnostics& diagnostics, const SourceManager& sources, bool colour) {
    std::string out;
    for (const Diagnostic& diagnostic : diagnostics.all()) out += to_text(diagnostic, sources, colour);
    const std::size_t total = diagnostics.errors() + diagnostics.warnings();
    if (total > diagnostics.all().size())
        out += fmt::format("and at least {} more\n", total - diagnostics.all().size());
    return out;
}

std::string to_json(const Diagnostics& diagnostics, const SourceManager& sources) {
    nlohmann::json out = nlohmann::json::array();
    for (const Diagnostic& diagnostic : diagnostics.all()) out.push_back(json_of(diagnostic, sources));
    return printable(out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

namespace {

constexpr std::size_t longest_word_compared = 64;
constexpr std::size_t most_candidates = 5000;

// How many letters to insert, remove, replace or swap with their neighbour; `enough` or more where it is so many, which is
// mostly seen early. Both words are at most longest_word_compared long.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t enough) {
    using Row = std::array<std::uint8_t, longest_word_compared + 1>;
    Row rows[3];
    Row *before = &rows[0], *last = &rows[1], *row = &rows[2];
    for (std::size_t j = 0; j <= b.size(); ++j) (*row)[j] = static_cast<std::uint8_t>(j);
    std::size_t least_before = 0;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        Row* const oldest = before;
        before = last, last = row, row = oldest;
        std::size_t least = i;
        (*row)[0] = static_cast<std::uint8_t>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t value = std::min((*last)[j], (*row)[j - 1]) + std::size_t{1};
            value = std::min<std::size_t>(value, (*last)[j - 1] + std::size_t{a[i - 1] != b[j - 1]});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) value = std::min<std::size_t>(value, (*before)[j - 2] + 1);
            (*row)[j] = static_cast<std::uint8_t>(value);
            least = std::min(least, value);
        }
        // Every later row begins with one of these two, and with the earlier one by a swap.
        if (least >= enough && least_before + 1 >= enough) return enough;
        least_before = least;
    }
    return (*row)[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
    std::string_view best;
    if (word.size() > longest_word_compared || candidates.size() > most_candidates) return best;
    std::size_t best_distance = word.size() < 4 ? 2 : word.size() / 3 + 1;
    for (const std::string_view candidate : candidates) {
        const std::size_t difference =
            candidate.size() > word.size() ? candidate.size() - word.size() : word.size() - candidate.size();
        if (difference >= best_distance || candidate.size() > longest_word_compared) continue;
        const std::size_t distance = edit_distance(word, candidate, best_distance);
        if (distance < best_distance && distance < candidate.size()) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

}  // namespace isaforge

// A line of notes, read from left to right. Every token knows its place.
#pragma once

#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isaforge/source.hpp"
#include "support/characters.hpp"

namespace isaforge::notes {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }
inline bool is_name_character(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '.'; }

using isaforge::lower;
inline std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = lower(c);
    return out;
}

inline std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

class Scanner {
public:
    Scanner(FileId file, std::uint32_t offset, std::string_view text) : file_(file), offset_(offset), text_(text) {
        while (!text_.empty() && is_blank(text_.back())) text_.remove_suffix(1);
        blanks();
    }

    std::size_t at() const { return at_; }
    void back_to(std::size_t at) { at_ = at; }
    bool done() const { return at_ >= text_.size(); }
    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    std::string_view rest() const { return text_.substr(at_); }
    std::string_view text() const { return text_; }

    void blanks() {
        while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    }
    void next() {
        if (!done()) ++at_;
    }
    // Each of these leaves the position alone where it finds nothing, and skips the blanks behind what it finds.
    bool take(std::string_view what) {
        if (!rest().starts_with(what)) return false;
        at_ += what.size();
        blanks();
        return true;
    }
    template <typename Predicate>
    std::string_view while_all(Predicate predicate) {
        const std::size_t start = at_;
        while (!done() && predicate(text_[at_])) ++at_;
        const std::string_view found = text_.substr(start, at_ - start);
        blanks();
        return found;
    }
    std::string_view name() { return is_letter(peek()) ? while_all(is_name_character) : std::string_view{}; }
    std::optional<std::uint64_t> number() {
        const std::size_t start = at_;
        std::size_t end = at_;
        std::uint64_t value = 0;
        while (end < text_.size() && is_digit(text_[end]) && end - start < 18) {
            value = value * 10 + static_cast<unsigned>(text_[end++] - '0');
        }
        if (end == start || (end < text_.size() && is_digit(text_[end]))) return std::nullopt;
        at_ = end;
        blanks();
        return value;
    }

    // The place from `start` to the last character read that is not a blank.
    Place since(std::size_t start) const {
        std::size_t end = at_;
        while (end > start && is_blank(text_[end - 1])) --end;
        return place(start, end);
    }
    Place place(std::size_t start, std::size_t end) const {
        return {file_, offset_ + static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end - start)};
    }
    Place to_end(std::size_t start) const { return place(start, text_.size()); }

private:
    FileId file_;
    std::uint32_t offset_;
    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace isaforge::notes

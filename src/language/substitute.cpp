#include "language/substitute.hpp"

#include <algorithm>
#include <utility>

#include "language/lexer.hpp"

namespace isaforge::language {

class Repeated::Finder {
public:
    Finder(std::string_view whole, const std::vector<std::string_view>& names, std::vector<Slot>& slots)
        : whole_(whole), names_(names), slots_(slots) {}

    void look_at(Lexer& lexer, Place body);

private:
    std::size_t name_of(std::string_view word) const {
        return static_cast<std::size_t>(std::ranges::find(names_, word) - names_.begin());
    }
    bool add(std::uint32_t offset, std::uint32_t length, std::string_view word);
    bool hole_at(std::uint32_t offset, std::uint32_t& length);
    void string_at(std::uint32_t offset, std::uint32_t end);

    const std::string_view whole_;
    const std::vector<std::string_view>& names_;
    std::vector<Slot>& slots_;
};

bool Repeated::Finder::add(std::uint32_t offset, std::uint32_t length, std::string_view word) {
    const std::size_t name = name_of(word);
    if (name == names_.size()) return false;
    slots_.push_back({offset, length, name});
    return true;
}

// `{name}`, where one of the names stands between these.
bool Repeated::Finder::hole_at(std::uint32_t offset, std::uint32_t& length) {
    if (whole_[offset] != '{') return false;
    std::uint32_t end = offset + 1;
    while (end < whole_.size() && is_name(whole_[end])) ++end;
    if (end >= whole_.size() || whole_[end] != '}') return false;
    length = end + 1 - offset;
    return add(offset, length, whole_.substr(offset + 1, length - 2));
}

// In a string names are replaced inside of holes only.
void Repeated::Finder::string_at(std::uint32_t offset, std::uint32_t end) {
    bool in_hole = false;
    for (std::uint32_t at = offset; at < end; ++at) {
        std::uint32_t length = 0;
        if (hole_at(at, length)) {
            at += length - 1;
        } else if (whole_[at] == '{' || whole_[at] == '}') {
            in_hole = whole_[at] == '{';
        } else if (in_hole && is_name(whole_[at])) {
            std::uint32_t behind = at;
            while (behind < end && is_name(whole_[behind])) ++behind;
            if (is_name_start(whole_[at])) add(at, behind - at, whole_.substr(at, behind - at));
            at = behind - 1;
        }
    }
}

void Repeated::Finder::look_at(Lexer& lexer, Place body) {
    const std::uint32_t end = body.offset + body.length;
    lexer.seek(body.offset);
    for (Token token = lexer.next(); token.kind != TokenKind::end && token.place.offset < end; token = lexer.next()) {
        const std::uint32_t offset = token.place.offset;
        std::uint32_t length = 0;
        if (token.kind == TokenKind::string) {
            string_at(offset, offset + token.place.length);
        } else if (token.kind == TokenKind::name) {
            add(offset, token.place.length, token.text);
        } else if (hole_at(offset, length)) {
            lexer.seek(offset + length);
        }
    }
}

Repeated::Repeated(Place body, const std::vector<std::string_view>& names, const SourceManager& sources) : body_(body) {
    if (names.empty()) return;
    Diagnostics ignored(0);  // the body has been looked at before
    Lexer lexer(body.file, sources, ignored);
    Finder(sources.text(body.file), names, slots_).look_at(lexer, body);
}

FileId Repeated::with(const std::vector<Replacement>& replacements, SourceManager& sources, bool by_lines) const {
    std::string_view body = sources.text(body_);
    std::uint32_t copied = body_.offset;  // of the source, up to there
    if (const std::size_t first = body.find_first_not_of(" \t\r\n"); !by_lines && first != std::string_view::npos) {
        body = body.substr(0, body.find_last_not_of(" \t\r\n") + 1);
        copied += static_cast<std::uint32_t>(first);
    }
    const std::string_view whole = sources.text(body_.file);
    std::string text;
    Derivation derivation;
    text.reserve(body.size() + 1);
    derivation.pieces.reserve(2 * slots_.size() + 1);
    const auto add = [&](std::string_view piece, std::uint32_t offset, std::uint32_t length, bool replaced) {
        derivation.pieces.push_back({static_cast<std::uint32_t>(text.size()), offset, length, replaced});
        text += piece;
        copied = offset + length;
    };
    const auto copy_to = [&](std::uint32_t offset) {
        if (offset > copied) add(whole.substr(copied, offset - copied), copied, offset - copied, false);
    };
    for (const Slot& slot : slots_) {
        const Replacement& bound = replacements[slot.name];
        if (bound.name.empty()) continue;  // there is none, which has been said
        copy_to(slot.offset);
        add(bound.text, slot.offset, slot.length, true);
    }
    copy_to(body_.offset + static_cast<std::uint32_t>(body.size()));
    if (by_lines) text += '\n';
    derivation.from = body_.file;
    for (const Replacement& each : replacements) {
        if (!derivation.because.empty()) derivation.because += ", ";
        (derivation.because += each.name) += " is ";
        derivation.because += each.text;
    }
    if (!replacements.empty()) derivation.place = replacements.front().place;
    return sources.derive(std::move(text), std::move(derivation));
}

}  // namespace isaforge::language

#include "language/substitute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "language/lexer.hpp"

namespace isaforge::language {

namespace {

class Substitution {
public:
    Substitution(Place body, const std::vector<Binding>& bindings, const SourceManager& sources)
        : body_(body), whole_(sources.text(body.file)), bindings_(bindings), copied_(body.offset) {}

    void names_of(Lexer& lexer);
    Derivation finish();
    std::string text;

private:
    const Binding* binding_of(std::string_view name) const {
        const auto found = std::ranges::find(bindings_, name, &Binding::name);
        return found == bindings_.end() ? nullptr : &*found;
    }
    void copy_to(std::uint32_t offset);
    void replace(std::uint32_t offset, std::uint32_t length, const std::string& by);
    const Binding* hole_at(std::uint32_t offset, std::uint32_t& size) const;
    void string_at(std::uint32_t offset, std::uint32_t end);

    const Place body_;
    const std::string_view whole_;
    const std::vector<Binding>& bindings_;
    std::uint32_t copied_;  // up to there
    Derivation derivation_;
};

void Substitution::copy_to(std::uint32_t offset) {
    if (offset <= copied_) return;
    derivation_.pieces.push_back({static_cast<std::uint32_t>(text.size()), copied_, offset - copied_, false});
    text += whole_.substr(copied_, offset - copied_);
    copied_ = offset;
}

void Substitution::replace(std::uint32_t offset, std::uint32_t length, const std::string& by) {
    copy_to(offset);
    derivation_.pieces.push_back({static_cast<std::uint32_t>(text.size()), offset, length, true});
    text += by;
    copied_ = offset + length;
}

// What `{name}` stands for that begins there; null where it is none of the names.
const Binding* Substitution::hole_at(std::uint32_t offset, std::uint32_t& size) const {
    std::uint32_t end = offset + 1;
    while (end < whole_.size() && is_name(whole_[end])) ++end;
    if (whole_[offset] != '{' || end >= whole_.size() || whole_[end] != '}') return nullptr;
    size = end + 1 - offset;
    return binding_of(whole_.substr(offset + 1, size - 2));
}

// In a string names are replaced inside of holes only.
void Substitution::string_at(std::uint32_t offset, std::uint32_t end) {
    bool in_hole = false;
    for (std::uint32_t at = offset; at < end; ++at) {
        std::uint32_t length = 0;
        if (const Binding* binding = hole_at(at, length)) {
            replace(at, length, binding->text);
            at += length - 1;
        } else if (whole_[at] == '{' || whole_[at] == '}') {
            in_hole = whole_[at] == '{';
        } else if (in_hole && is_name_start(whole_[at])) {
            std::uint32_t behind = at;
            while (behind < end && is_name(whole_[behind])) ++behind;
            if (const Binding* named = binding_of(whole_.substr(at, behind - at)))
                replace(at, behind - at, named->text);
            at = behind - 1;
        } else if (in_hole && is_name(whole_[at])) {
            while (at + 1 < end && is_name(whole_[at + 1])) ++at;
        }
    }
}

void Substitution::names_of(Lexer& lexer) {
    const std::uint32_t end = body_.offset + body_.length;
    lexer.seek(body_.offset);
    for (Token token = lexer.next(); token.kind != TokenKind::end && token.place.offset < end; token = lexer.next()) {
        const std::uint32_t offset = token.place.offset;
        std::uint32_t length = 0;
        if (token.kind == TokenKind::string) {
            string_at(offset, offset + token.place.length);
        } else if (const Binding* hole = hole_at(offset, length)) {
            replace(offset, length, hole->text);
            lexer.seek(offset + length);
        } else if (token.kind == TokenKind::name) {
            if (const Binding* binding = binding_of(token.text)) replace(offset, token.place.length, binding->text);
        }
    }
    copy_to(end);
}

Derivation Substitution::finish() {
    derivation_.from = body_.file;
    for (const Binding& binding : bindings_) {
        if (!derivation_.because.empty()) derivation_.because += ", ";
        derivation_.because += fmt::format("{} is {}", binding.name, binding.text);
    }
    if (!bindings_.empty()) derivation_.place = bindings_.front().place;
    return std::move(derivation_);
}

}  // namespace

FileId substitute(Place body, const std::vector<Binding>& bindings, SourceManager& sources, bool by_lines) {
    const std::string_view text = sources.text(body);
    if (const std::size_t first = text.find_first_not_of(" \t\r\n"); !by_lines && first != std::string_view::npos) {
        body.length = static_cast<std::uint32_t>(text.find_last_not_of(" \t\r\n") + 1 - first);
        body.offset += static_cast<std::uint32_t>(first);
    }
    Diagnostics ignored(0);  // the body has been looked at before
    Lexer lexer(body.file, sources, ignored);
    Substitution substitution(body, bindings, sources);
    substitution.names_of(lexer);
    if (by_lines) substitution.text += '\n';
    Derivation derivation = substitution.finish();
    return sources.derive(std::move(substitution.text), std::move(derivation));
}

}  // namespace isaforge::language

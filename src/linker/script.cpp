// Reads link scripts: a statement a line.
#include <algorithm>
#include <cctype>
#include <charconv>

#include "isaforge/linker.hpp"

namespace isaforge {

namespace {

constexpr std::size_t most_terms = 256;

class ScriptReader {
public:
    ScriptReader(FileId file, const SourceManager& sources, LinkScript& script, Diagnostics& diagnostics)
        : file_(file), text_(sources.text(file)), script_(script), diagnostics_(diagnostics) {}

    bool run() {
        while (at_ < text_.size() && !diagnostics_.overflowing()) {
            next();
            if (!word_.empty()) statement();
            skip_line();
        }
        return good_;
    }

private:
    static bool in_name(char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$' || c == '*' || c == '@';
    }
    void skip_line() {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
        if (at_ < text_.size()) ++at_;
    }
    // The next word of the line into word_: a name, a number, a mark; empty at the line's end.
    void next() {
        while (at_ < text_.size() && text_[at_] != '\n' && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
        const std::size_t begin = at_;
        const bool ends =
            at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '#' || text_.substr(at_, 2) == "//";
        if (!ends) {
            if (in_name(text_[at_])) {
                while (at_ < text_.size() && in_name(text_[at_])) ++at_;
            } else {
                ++at_;
            }
        }
        word_ = text_.substr(begin, at_ - begin);
        place_ = {file_, static_cast<std::uint32_t>(begin),
                  static_cast<std::uint32_t>(std::max<std::size_t>(at_ - begin, 1))};
    }
    bool fail(std::string message) {
        diagnostics_.error(place_, std::move(message));
        good_ = false;
        return false;
    }
    std::string found() const { return word_.empty() ? "the line's end" : "'" + std::string(word_) + "'"; }
    bool expect(std::string_view word) {
        if (word_ != word) return fail("expected '" + std::string(word) + "', found " + found());
        next();
        return true;
    }
    bool at_number() const { return !word_.empty() && std::isdigit(static_cast<unsigned char>(word_[0])); }
    bool number(std::uint64_t& value);
    bool name(std::string& out, std::string_view what) {
        if (word_.empty() || !in_name(word_[0]) || at_number())
            return fail("expected " + std::string(what) + ", found " + found());
        out = word_;
        next();
        return true;
    }
    bool region(Index& out);
    bool end() { return word_.empty() || fail("expected the line's end, found " + found()); }

    bool statement();
    bool describe_region();
    bool place_sections();
    bool define(std::string_view symbol, Place place);
    bool term(LinkScript::Definition& definition, bool minus);

    FileId file_;
    std::string_view text_;
    LinkScript& script_;
    Diagnostics& diagnostics_;
    std::size_t at_ = 0;
    std::string_view word_;
    Place place_;
    bool good_ = true;
};

// As on the command line: 4096, 0x1000, 4K.
bool ScriptReader::number(std::uint64_t& value) {
    if (!at_number()) return fail("expected a number such as 4096, 0x1000 or 4K, found " + found());
    const bool hexadecimal = word_.starts_with("0x") || word_.starts_with("0X");
    const char* const begin = word_.data() + (hexadecimal ? 2 : 0);
    const char* const end = word_.data() + word_.size();
    const auto [after, wrong] = std::from_chars(begin, end, value, hexadecimal ? 16 : 10);
    unsigned shift = 0;
    if (end - after == 1) shift = *after == 'K' ? 10 : *after == 'M' ? 20 : *after == 'G' ? 30 : 0;
    const bool whole = after == end || shift != 0;
    if (wrong != std::errc() || !whole || (value << shift >> shift) != value)
        return fail("'" + std::string(word_) + "' is not a number such as 4096, 0x1000 or 4K");
    value <<= shift;
    next();
    return true;
}

bool ScriptReader::region(Index& out) {
    const auto known = std::ranges::find(script_.regions, word_, &LinkScript::Region::name);
    if (known == script_.regions.end()) {
        std::vector<std::string_view> names;
        for (const auto& region : script_.regions) names.push_back(region.name);
        const std::string_view near = nearest(word_, names);
        Diagnostic& error =
            diagnostics_.error(place_, word_.empty() ? "expected the name of a region, found the line's end"
                                                     : "there is no region '" + std::string(word_) + "'");
        if (!near.empty()) error.suggest(std::string(near));
        return good_ = false;
    }
    out = static_cast<Index>(known - script_.regions.begin());
    next();
    return true;
}

// region NAME ADDRESS size SIZE
bool ScriptReader::describe_region() {
    LinkScript::Region region;
    region.place = place_;
    if (!name(region.name, "the region's name")) return false;
    if (std::ranges::find(script_.regions, region.name, &LinkScript::Region::name) != script_.regions.end()) {
        place_ = region.place;
        return fail("there is a region '" + region.name + "' already");
    }
    if (!number(region.address) || !expect("size") || !number(region.size)) return false;
    if (region.address + region.size < region.address) return fail("the region reaches beyond the last address");
    script_.regions.push_back(std::move(region));
    return end();
}

// PATTERN … in REGION [at ADDRESS] [stored in REGION]
bool ScriptReader::place_sections() {
    LinkScript::Placement placement;
    placement.place = place_;
    while (word_ != "in") {
        std::string pattern;
        if (!name(pattern, "the name of a section, or 'in'")) return false;
        placement.patterns.push_back(std::move(pattern));
    }
    next();
    if (!region(placement.region)) return false;
    if (word_ == "at") {
        next();
        if (!number(placement.address.emplace())) return false;
    }
    if (word_ == "stored") {
        next();
        if (!expect("in") || !region(placement.stored)) return false;
    }
    script_.placements.push_back(std::move(placement));
    return end();
}

bool ScriptReader::term(LinkScript::Definition& definition, bool minus) {
    using Kind = LinkScript::Term::Kind;
    LinkScript::Term term;
    term.minus = minus;
    term.place = place_;
    if (definition.terms.size() == most_terms) return fail("a sum has at most 256 terms");
    if (at_number()) {
        if (!number(term.number)) return false;
    } else {
        if (!name(term.name, "a number, a symbol, or start(…), end(…), size(…), stored(…)")) return false;
        term.kind = Kind::symbol;
        if (word_ == "(") {
            static constexpr std::pair<std::string_view, Kind> functions[] = {
                {"start", Kind::start}, {"end", Kind::end}, {"size", Kind::size}, {"stored", Kind::stored}};
            const auto* const known =
                std::ranges::find(functions, term.name, &std::pair<std::string_view, Kind>::first);
            if (known == std::end(functions)) {
                place_ = term.place;
                return fail("expected start(…), end(…), size(…) or stored(…)");
            }
            term.kind = known->second;
            next();
            term.place = place_;
            if (!name(term.name, "the name of a section or region") || !expect(")")) return false;
        }
    }
    definition.terms.push_back(std::move(term));
    return true;
}

// SYMBOL = TERM [+ TERM | - TERM] …
bool ScriptReader::define(std::string_view symbol, Place place) {
    LinkScript::Definition definition;
    definition.name = symbol;
    definition.place = place;
    bool minus = false;
    do {
        next();
        if (!term(definition, minus)) return false;
        minus = word_ == "-";
    } while (word_ == "+" || word_ == "-");
    script_.definitions.push_back(std::move(definition));
    return end();
}

bool ScriptReader::statement() {
    const std::string_view first = word_;
    const Place place = place_;
    const std::size_t behind = at_;
    next();
    if (word_ == "=") {
        if (first.find('*') != std::string_view::npos || !in_name(first[0]) ||
            std::isdigit(static_cast<unsigned char>(first[0]))) {
            place_ = place;
            return fail("expected the name of a symbol before '='");
        }
        return define(first, place);
    }
    if (first == "region") return describe_region();
    if (first == "entry") {
        if (!name(script_.entry, "the symbol at which the program begins")) return false;
        return end();
    }
    at_ = behind;
    word_ = first;
    place_ = place;
    return place_sections();
}

}  // namespace

bool read_link_script(FileId file, const SourceManager& sources, LinkScript& script, Diagnostics& diagnostics) {
    return ScriptReader(file, sources, script, diagnostics).run();
}

}  // namespace isaforge

#include "lsp/scan.hpp"

#include <algorithm>

#include "assembler/characters.hpp"
#include "lsp/program.hpp"

namespace isaforge::lsp {

namespace {

using assembler::class_blank;
using assembler::class_digit;
using assembler::class_name;
using assembler::is;

constexpr std::uint32_t most_lines_of_a_statement = 16;

std::size_t behind_name(std::string_view text, std::size_t p) {
    while (p < text.size() && is(text[p], class_name)) ++p;
    return p;
}

std::size_t behind_quoted(std::string_view text, std::size_t p) {
    const char quote = text[p++];
    // A character's closing quote may be missing.
    const std::size_t longest = quote == '\'' ? std::min(text.size(), p + 3) : text.size();
    std::size_t q = p;
    while (q < longest && text[q] != quote) q += text[q] == '\\' ? 2 : 1;
    if (q < text.size() && text[q] == quote) return q + 1;
    return quote == '\'' ? std::min(p + 1, text.size()) : text.size();
}

}  // namespace

bool is_word(char c) { return is(c, class_name); }

// Whether a label stands at `at`, where a word ends at `end`; where its name begins.
bool Scanner::label(std::string_view line, std::size_t at, std::size_t end, std::size_t& name) const {
    const std::string& prefix = surface_.label_prefix;
    const std::string& suffix = surface_.label_suffix;
    name = at;
    if (!line.substr(at).starts_with(prefix)) return false;
    name = at + prefix.size();
    if (name >= end && prefix.empty()) return false;
    if (!prefix.empty()) end = behind_name(line, name);
    if (suffix.empty()) return !prefix.empty() && end > name;
    if (!line.substr(end).starts_with(suffix)) return false;
    if (line.substr(end).starts_with("::")) return false;
    if (!prefix.empty()) return end > name;
    const std::string_view word = line.substr(at, end - at);
    return !codec_.reads_as_label(word) && !codec_.reads_as_label(word.substr(0, word.find('.', 1)));
}

// Whether what begins with this word is an assignment or a macro's call.
bool Scanner::ends_with_line(std::string_view line, std::size_t begin, std::size_t end) const {
    std::size_t next = end;
    while (next < line.size() && is(line[next], class_blank)) ++next;
    if (next < line.size() && line[next] == '=' && line.substr(next, 2) != "==") return true;
    const Index name = program_ ? program_->find(line.substr(begin, end - begin)) : no_index;
    return name != no_index && program_->names.names[name].kind == ProgramName::Kind::macro;
}

void Scanner::line(std::string_view text, Span whole, LineState& state, std::vector<Lexeme>& out) const {
    const std::string_view line = text.substr(whole.begin, whole.size());
    std::size_t p = 0;
    bool fresh = !state.statement;  // nothing of the statement was seen
    bool is_directive = false;
    unsigned brackets = 0;  // before the mnemonic
    const auto add = [&](Lexeme::Kind kind, std::size_t begin, std::size_t end) {
        out.push_back(
            {kind, {whole.begin + static_cast<std::uint32_t>(begin), whole.begin + static_cast<std::uint32_t>(end)}});
    };
    const auto block_end = [&](std::size_t from, std::string_view close) {
        const std::size_t found = line.find(close, from);
        if (found == std::string_view::npos) return line.size();
        state.comment = 0;
        return found + close.size();
    };
    if (state.comment != 0 && state.comment <= surface_.block_comments.size()) {
        p = block_end(0, surface_.block_comments[state.comment - 1].second);
        if (p != 0) add(Lexeme::Kind::comment, 0, p);
    }
    bool has_mnemonic = state.statement;
    while (p < line.size()) {
        const char c = line[p];
        if (is(c, class_blank)) {
            ++p;
            continue;
        }
        const std::string_view rest = line.substr(p);
        const auto begins = [&](const std::string& mark) { return !mark.empty() && rest.starts_with(mark); };
        if (std::any_of(surface_.line_comments.begin(), surface_.line_comments.end(), begins)) {
            add(Lexeme::Kind::comment, p, line.size());
            break;
        }
        bool is_comment = false;
        for (std::size_t i = 0; i < surface_.block_comments.size() && !is_comment; ++i) {
            const auto& [open, close] = surface_.block_comments[i];
            if (!rest.starts_with(open)) continue;
            is_comment = true;
            state.comment = static_cast<std::uint8_t>(i + 1);
            const std::size_t end = block_end(p + open.size(), close);
            add(Lexeme::Kind::comment, p, end);
            p = end;
        }
        if (is_comment) continue;
        const std::string& mark = surface_.statement_end.empty() ? surface_.separator : surface_.statement_end;
        if (begins(mark)) {
            add(Lexeme::Kind::end, p, p + mark.size());
            p += mark.size();
            fresh = true;
            has_mnemonic = is_directive = false;
            brackets = 0;
            continue;
        }
        if (c == '"' || c == '\'') {
            const std::size_t end = behind_quoted(line, p);
            add(Lexeme::Kind::string, p, end);
            p = end;
            fresh = false;
            continue;
        }
        const std::size_t end = behind_name(line, p);
        std::size_t name = p;
        if (fresh && brackets == 0 && (end > p || !surface_.label_prefix.empty()) && label(line, p, end, name)) {
            const std::size_t name_end = behind_name(line, name);
            const std::string_view word = line.substr(p, name_end - p);
            // `.byte` where labels begin with a dot and end with nothing.
            if (!surface_.label_suffix.empty() || !word.starts_with('.')) {
                add(Lexeme::Kind::label, name, name_end);
                p = name_end + surface_.label_suffix.size();
                continue;
            }
        }
        if (fresh && (begins(surface_.define) || begins(surface_.undefine))) {
            std::size_t q = p + 1;
            q = behind_name(line, q);
            add(Lexeme::Kind::directive, p, q);
            p = q;
            fresh = false;
            is_directive = has_mnemonic = true;
            continue;
        }
        if (end == p) {
            if (fresh && c == '[') ++brackets;
            if (fresh && c == ']' && brackets > 0) --brackets;
            // Marks of registers, as `$`, are letters; others stand by themselves.
            add(Lexeme::Kind::mark, p, p + 1);
            ++p;
            continue;
        }
        if (is(c, class_digit)) {
            std::size_t q = end;
            const char last = q > p ? line[q - 1] : c;
            const bool exponent = (last == 'e' || last == 'E' || last == 'p' || last == 'P') && q < line.size() &&
                                  (line[q] == '-' || line[q] == '+') && line.substr(p, 2) != "0x";
            if (exponent) q = behind_name(line, q + 1);
            add(Lexeme::Kind::number, p, q);
            p = q;
            if (brackets == 0) fresh = false;
            continue;
        }
        if (fresh && brackets == 0) {
            fresh = false;
            is_directive = c == '.';
            has_mnemonic = true;
            add(is_directive ? Lexeme::Kind::directive : Lexeme::Kind::mnemonic, p, end);
            is_directive = is_directive || ends_with_line(line, p, end);
        } else {
            add(Lexeme::Kind::word, p, end);
        }
        p = end;
    }
    state.statement = !surface_.statement_end.empty() && has_mnemonic && !is_directive;
}

LineState Scanner::state_at(const Text& text, std::uint32_t line) const {
    LineState state;
    if (line >= text.lines()) return state;
    const std::string_view before = std::string_view(text.str()).substr(0, text.line(line).begin);
    for (std::size_t i = 0; i < surface_.block_comments.size(); ++i) {
        const auto& [open, close] = surface_.block_comments[i];
        const std::size_t opened = before.rfind(open), closed = before.rfind(close);
        if (opened == std::string_view::npos) continue;
        if (closed == std::string_view::npos || closed < opened + open.size()) {
            // Inside of a line's comment it opens nothing.
            const std::size_t begin = before.rfind('\n', opened) + 1;
            std::vector<Lexeme> lexemes;
            LineState own;
            this->line(before, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(opened + open.size())},
                       own, lexemes);
            if (own.comment == i + 1) state.comment = own.comment;
        }
    }
    if (surface_.statement_end.empty() || state.comment != 0) return state;
    std::uint32_t first = line;
    for (std::uint32_t i = 0; i < most_lines_of_a_statement && first > 0; ++i) {
        --first;
        std::string_view above = text.line_text(first);
        while (above.ends_with(' ') || above.ends_with('\t')) above.remove_suffix(1);
        if (above.ends_with(surface_.statement_end) || above.empty()) break;
    }
    std::vector<Lexeme> lexemes;
    for (; first < line; ++first) this->line(text.str(), text.line(first), state, lexemes);
    return state;
}

StatementAt statement_at(const Scanner& scanner, const Text& text, std::uint32_t offset) {
    StatementAt out;
    const std::uint32_t line = text.line_of(offset);
    // The statement may have begun on a line above.
    std::uint32_t first = line;
    LineState state = scanner.state_at(text, first);
    while (state.statement && first > 0 && line - first < most_lines_of_a_statement)
        state = scanner.state_at(text, --first);
    out.end = text.line(line).end;
    std::vector<Lexeme> lexemes;
    const auto begin_at = [&](std::uint32_t where) {
        out.begin = where;
        out.head.reset();
        out.lexemes.clear();
    };
    for (std::uint32_t i = first; i <= line; ++i) {
        if (!state.statement) begin_at(text.line(i).begin);
        lexemes.clear();
        scanner.line(text.str(), text.line(i), state, lexemes);
        for (const Lexeme& one : lexemes) {
            if (one.kind == Lexeme::Kind::comment) {
                if (one.span.begin < offset && offset <= one.span.end) out.in_comment = true;
                if (one.span.end <= offset && out.lexemes.empty()) begin_at(one.span.end);
                continue;
            }
            if (one.kind == Lexeme::Kind::string && one.span.begin < offset && offset < one.span.end)
                out.in_string = true;
            if (one.kind == Lexeme::Kind::end || one.kind == Lexeme::Kind::label) {
                if (one.span.end > offset) {
                    out.end = one.span.begin;
                    return out;
                }
                begin_at(scanner.behind_label(text, one));
                continue;
            }
            const bool heads = one.kind == Lexeme::Kind::mnemonic || one.kind == Lexeme::Kind::directive;
            if (heads && !out.head) out.head = one;
            out.lexemes.push_back(one);
        }
    }
    out.begin = std::min(out.begin, offset);
    return out;
}

std::uint32_t Scanner::behind_label(const Text& text, const Lexeme& one) const {
    const bool marked = one.kind == Lexeme::Kind::label &&
                        std::string_view(text.str()).substr(one.span.end).starts_with(surface_.label_suffix);
    return one.span.end + static_cast<std::uint32_t>(marked ? surface_.label_suffix.size() : 0);
}

Span word_at(const Text& text, std::uint32_t offset) {
    const std::string& all = text.str();
    Span out{std::min<std::uint32_t>(offset, static_cast<std::uint32_t>(all.size())), 0};
    out.end = out.begin;
    while (out.begin > 0 && is_word(all[out.begin - 1])) --out.begin;
    while (out.end < all.size() && is_word(all[out.end])) ++out.end;
    return out;
}

}  // namespace isaforge::lsp

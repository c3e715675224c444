// What belongs together, to be folded, and how it is laid out.
#include <algorithm>
#include <map>

#include "lsp/features.hpp"

namespace isaforge::lsp {

namespace {

constexpr std::size_t most_indent = 40;

void add_fold(Json& out, std::uint32_t first, std::uint32_t last, const char* kind = nullptr) {
    if (last <= first) return;
    Json one{{"startLine", first}, {"endLine", last}};
    if (kind) one["kind"] = kind;
    out.push_back(std::move(one));
}

// Runs of lines that are comments alone.
class Comments {
public:
    explicit Comments(Json& out) : out_(out) {}
    void line(std::uint32_t number, bool is_comment) {
        if (is_comment) {
            if (!open_) first_ = number;
            open_ = true;
            last_ = number;
        } else if (open_) {
            open_ = false;
            add_fold(out_, first_, last_, "comment");
        }
    }

private:
    Json& out_;
    bool open_ = false;
    std::uint32_t first_ = 0, last_ = 0;
};

bool is_any(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

Json program_folding(const Asked& asked) {
    Json out = Json::array();
    const Machine* const machine = asked.machine();
    if (!machine) return out;
    const Text& text = asked.text();
    const Scanner scanner(*machine->codec, asked.document.program.get());
    LineState state;
    std::vector<Lexeme> lexemes;
    std::vector<std::pair<char, std::uint32_t>> open;  // what kind, and its line
    Comments comments(out);
    for (std::uint32_t line = 0; line < text.lines(); ++line) {
        lexemes.clear();
        scanner.line(text.str(), text.line(line), state, lexemes);
        comments.line(line, !lexemes.empty() && lexemes.size() == 1 && lexemes[0].kind == Lexeme::Kind::comment);
        const auto close = [&](char kind, std::uint32_t last) {
            if (open.empty() || open.back().first != kind) return;
            add_fold(out, open.back().second, last);
            open.pop_back();
        };
        for (const Lexeme& one : lexemes) {
            if (one.kind != Lexeme::Kind::directive) continue;
            const std::string_view word = text.view(one.span);
            if (word == ".macro") open.emplace_back('m', line);
            if (is_any(word, {".rept", ".irp", ".irpc", ".for", ".while"})) open.emplace_back('r', line);
            if (word.starts_with(".if")) open.emplace_back('i', line);
            if (is_any(word, {".scope"})) open.emplace_back('s', line);
            if (is_any(word, {".endm", ".endmacro"})) close('m', line);
            if (is_any(word, {".endr", ".endrept"})) close('r', line);
            if (is_any(word, {".ends", ".endscope"})) close('s', line);
            if (word.starts_with(".else") && line > 0) {
                close('i', line - 1);
                open.emplace_back('i', line);
            }
            if (word == ".endif") close('i', line);
        }
    }
    comments.line(text.lines(), false);
    return out;
}

Json description_folding(const Asked& asked) {
    Json out = Json::array();
    const Text& text = asked.text();
    Comments comments(out);
    std::vector<std::uint32_t> open;
    for (std::uint32_t line = 0; line < text.lines(); ++line) {
        std::string_view all = text.line_text(line);
        const std::size_t first = all.find_first_not_of(" \t");
        comments.line(line, first != std::string_view::npos && all.substr(first).starts_with("//"));
        bool quoted = false;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (quoted && all[i] == '\\')
                ++i;
            else if (all[i] == '"')
                quoted = !quoted;
            else if (quoted)
                continue;
            else if (all.substr(i).starts_with("//"))
                break;
            else if (all[i] == '{')
                open.push_back(line);
            else if (all[i] == '}' && !open.empty()) {
                if (line > 0) add_fold(out, open.back(), line - 1);
                open.pop_back();
            }
        }
    }
    comments.line(text.lines(), false);
    return out;
}

// --- layout -----------------------------------------------------------------------------------------------------------

std::string_view indent_of(std::string_view line) {
    return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

std::string_view without_end(std::string_view line) {
    const std::size_t last = line.find_last_not_of(" \t\r");
    return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// One line of a program: what it says, and the comment behind that.
struct Line {
    std::string code, comment;
    bool fixed = false;  // begins or ends inside of something
};

// The statement with one blank behind each comma and none before.
std::string spaced(std::string_view text, Span span, const std::vector<Lexeme>& lexemes) {
    std::string out;
    bool in_operands = false;
    std::uint32_t at = span.begin;
    for (const Lexeme& one : lexemes) {
        if (one.span.begin < span.begin || one.span.end > span.end) continue;
        std::string_view gap = text.substr(at, one.span.begin - at);
        const bool is_comma = one.kind == Lexeme::Kind::mark && text[one.span.begin] == ',';
        const bool behind_comma = at > span.begin && out.ends_with(',');
        if (in_operands && is_comma) gap = gap.substr(0, 0);
        out += in_operands && behind_comma ? std::string_view(" ") : gap;
        out += text.substr(one.span.begin, one.span.size());
        at = one.span.end;
        if (one.kind == Lexeme::Kind::mnemonic) in_operands = true;
        if (one.kind == Lexeme::Kind::end || one.kind == Lexeme::Kind::directive) in_operands = false;
    }
    return out + std::string(text.substr(at, span.end - at));
}

Line line_of(const Text& text, std::uint32_t number, LineState before, const std::vector<Lexeme>& lexemes,
             const LineState& after, std::string_view indent) {
    Line out;
    const Span span = text.line(number);
    const std::string_view all = text.view(span);
    out.fixed = before.comment != 0 || after.comment != 0 || without_end(all).ends_with('\\');
    if (out.fixed) {
        out.code = all;
        return out;
    }
    Span code = span;
    if (!lexemes.empty() && lexemes.back().kind == Lexeme::Kind::comment && lexemes.size() > 1) {
        code.end = lexemes.back().span.begin;
        out.comment = without_end(text.view(lexemes.back().span));
    }
    const bool plain = before.statement || lexemes.empty();
    const Lexeme::Kind first = plain ? Lexeme::Kind::mark : lexemes.front().kind;
    std::string said = spaced(text.str(), code, lexemes);
    if (first == Lexeme::Kind::mnemonic && said.starts_with(' '))
        said = std::string(indent) + said.substr(indent_of(said).size());
    out.code = without_end(said);
    return out;
}

// The indentation that most instructions have.
std::string usual_indent(const Text& text, const Scanner& scanner) {
    std::map<std::string, std::size_t> counts;
    LineState state;
    std::vector<Lexeme> lexemes;
    for (std::uint32_t line = 0; line < text.lines(); ++line) {
        lexemes.clear();
        const bool inside = state.statement || state.comment != 0;
        scanner.line(text.str(), text.line(line), state, lexemes);
        if (inside || lexemes.empty() || lexemes.front().kind != Lexeme::Kind::mnemonic) continue;
        const std::string_view indent = indent_of(text.line_text(line));
        if (!indent.empty() && indent.size() <= most_indent) ++counts[std::string(indent)];
    }
    std::string out = "    ";
    std::size_t most = 0;
    for (const auto& [indent, count] : counts)
        if (count > most) out = indent, most = count;
    return out;
}

void add_edit(Json& edits, const Text& text, std::uint32_t line, const std::string& with) {
    Span span = text.line(line);
    // What else stands before the line's end, a carriage return, stays.
    if (text.view(span) == with) return;
    edits.push_back({{"range", to_json(text.range_of(span))}, {"newText", with}});
}

void format_program(const Asked& asked, std::uint32_t first, std::uint32_t last, Json& edits) {
    const Machine* const machine = asked.machine();
    if (!machine) return;
    const Text& text = asked.text();
    const Scanner scanner(*machine->codec, asked.document.program.get());
    const std::string indent = usual_indent(text, scanner);
    LineState state = scanner.state_at(text, first);
    std::vector<Lexeme> lexemes;
    std::vector<Line> run;  // lines with comments behind what they say: these begin in one column
    std::uint32_t run_begin = first;
    const auto finish = [&](std::uint32_t next) {
        std::size_t widest = 0;
        for (const Line& line : run) widest = std::max(widest, line.code.size());
        for (std::size_t i = 0; i < run.size(); ++i) {
            const std::string padding(widest + 2 - run[i].code.size(), ' ');
            add_edit(edits, text, run_begin + static_cast<std::uint32_t>(i), run[i].code + padding + run[i].comment);
        }
        run.clear();
        run_begin = next;
    };
    for (std::uint32_t number = first; number <= last; ++number) {
        lexemes.clear();
        const LineState before = state;
        scanner.line(text.str(), text.line(number), state, lexemes);
        Line line = line_of(text, number, before, lexemes, state, indent);
        if (!line.fixed && !line.comment.empty()) {
            if (run.empty()) run_begin = number;
            run.push_back(std::move(line));
            continue;
        }
        finish(number);
        if (!line.fixed) add_edit(edits, text, number, line.code);
    }
    finish(last);
}

void format_description(const Asked& asked, std::uint32_t first, std::uint32_t last, Json& edits) {
    const Text& text = asked.text();
    for (std::uint32_t line = first; line <= last; ++line) {
        const std::string_view all = without_end(text.line_text(line));
        std::string out;
        for (const char c : indent_of(all)) out += c == '\t' ? "    " : " ";
        add_edit(edits, text, line, out + std::string(all.substr(indent_of(all).size())));
    }
}

}  // namespace

Json folding(Asked& asked) {
    return asked.document.is_description ? description_folding(asked) : program_folding(asked);
}

Json formatting(Asked& asked) {
    const std::uint32_t lines = asked.text().lines();
    std::uint32_t first = 0, last = lines - 1;
    if (asked.params.contains("range")) {
        const Range range = read_range(asked.params.at("range"));
        first = std::min(range.start.line, lines - 1);
        last = std::min(std::max(range.end.line, first), lines - 1);
    }
    Json edits = Json::array();
    if (asked.document.is_description)
        format_description(asked, first, last, edits);
    else
        format_program(asked, first, last, edits);
    return edits;
}

}  // namespace isaforge::lsp

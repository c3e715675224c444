// What each word is, for colours.
#include <algorithm>
#include <unordered_map>

#include "language/lexer.hpp"
#include "lsp/features.hpp"

namespace isaforge::lsp {

namespace {

enum class Token : std::uint8_t {
    comment,
    string,
    number,
    keyword,
    macro,
    directive,
    label,
    registers,
    constant,
    property,
    operand,
    type,
    function,
    none,
};

constexpr const char* names[] = {"comment",  "string",     "number",   "keyword",   "macro", "decorator", "function",
                                 "variable", "enumMember", "property", "parameter", "type",  "method"};

class Writer {
public:
    explicit Writer(const Text& text) : text_(text) {}

    void add(std::uint32_t line, Span in_line, Span span, Token token, bool declares) {
        if (token == Token::none || span.size() == 0) return;
        // Bytes are columns up to the first that is no ASCII.
        const std::string_view before = text_.view({in_line.begin, span.end});
        const bool plain =
            std::none_of(before.begin(), before.end(), [](char c) { return static_cast<signed char>(c) < 0; });
        const std::uint32_t column = plain ? span.begin - in_line.begin : text_.position_of(span.begin).character;
        const std::uint32_t end = plain ? span.end - in_line.begin : text_.position_of(span.end).character;
        if (line != line_) column_ = 0;
        out.insert(out.end(), {line - line_, column - column_, end - column, static_cast<std::uint32_t>(token),
                               declares ? 1u : 0u});
        line_ = line;
        column_ = column;
    }

    std::vector<std::uint32_t> out;

private:
    const Text& text_;
    std::uint32_t line_ = 0, column_ = 0;
};

Token token_of(const Lexeme& lexeme, std::string_view word, const Codec& codec, const Program& program) {
    switch (lexeme.kind) {
        case Lexeme::Kind::comment: return Token::comment;
        case Lexeme::Kind::string: return Token::string;
        case Lexeme::Kind::number: return Token::number;
        case Lexeme::Kind::label: return Token::label;
        case Lexeme::Kind::directive: return Token::directive;
        case Lexeme::Kind::mnemonic: {
            const Index name = program.find(word);
            const bool is_macro = name != no_index && program.names.names[name].kind == ProgramName::Kind::macro;
            return is_macro ? Token::macro : Token::keyword;
        }
        case Lexeme::Kind::mark:
        case Lexeme::Kind::end: return Token::none;
        case Lexeme::Kind::word: break;
    }
    const Index name = program.find(word);
    if (name != no_index) {
        switch (program.names.names[name].kind) {
            case ProgramName::Kind::label:
            case ProgramName::Kind::undefined:
            case ProgramName::Kind::common: return Token::label;
            case ProgramName::Kind::macro: return Token::macro;
            default: return Token::constant;
        }
    }
    if (codec.names_register(word)) return Token::registers;
    return word.size() <= 4 && codec.names_register(std::string(word) + "0") ? Token::registers : Token::property;
}

void program_tokens(const Asked& asked, std::uint32_t first, std::uint32_t last, Writer& writer) {
    const Machine* const machine = asked.machine();
    if (!machine) return;
    const Text& text = asked.text();
    const Scanner scanner(*machine->codec, asked.document.program.get());
    LineState state = scanner.state_at(text, first);
    std::vector<Lexeme> lexemes;
    std::unordered_map<std::string_view, Token> words;  // most stand there again and again
    const auto token = [&](const Lexeme& one) {
        const std::string_view word = text.view(one.span);
        if (one.kind != Lexeme::Kind::word) return token_of(one, word, *machine->codec, *asked.document.program);
        const auto [found, is_new] = words.try_emplace(word, Token::none);
        if (is_new) found->second = token_of(one, word, *machine->codec, *asked.document.program);
        return found->second;
    };
    for (std::uint32_t line = first; line <= last && line < text.lines(); ++line) {
        lexemes.clear();
        const Span whole = text.line(line);
        scanner.line(text.str(), whole, state, lexemes);
        for (const Lexeme& one : lexemes)
            writer.add(line, whole, one.span, token(one), one.kind == Lexeme::Kind::label);
    }
}

Token token_of(const Description* description, std::uint32_t then, std::string_view word, bool& declares) {
    if (!description) return Token::none;
    const DescribedNames::Use* const use = description->names.at(description->main, then);
    if (!use || description->names.names[use->name].name != word) return Token::none;
    declares = use->declares;
    switch (description->names.names[use->name].kind) {
        case DescribedName::Kind::format:
        case DescribedName::Kind::operand:
        case DescribedName::Kind::number:
        case DescribedName::Kind::enumeration:
        case DescribedName::Kind::type: return Token::type;
        case DescribedName::Kind::field: return Token::operand;
        case DescribedName::Kind::registers:
        case DescribedName::Kind::memory:
        case DescribedName::Kind::mode: return Token::registers;
        case DescribedName::Kind::function: return Token::function;
        case DescribedName::Kind::part: return Token::macro;
        case DescribedName::Kind::constant: return Token::constant;
        case DescribedName::Kind::instruction: return Token::label;
        default: return Token::property;
    }
}

void description_tokens(const Asked& asked, std::uint32_t first, std::uint32_t last, Writer& writer) {
    const Text& text = asked.text();
    const Description* const description = asked.document.description.get();
    bool in_comment = false;
    for (std::uint32_t line = 0; line <= last && line < text.lines(); ++line) {
        const Span whole = text.line(line);
        const std::string_view all = text.view(whole);
        const auto add = [&](std::size_t begin, std::size_t end, Token token, bool declares = false) {
            if (line < first) return;
            writer.add(line, whole,
                       {whole.begin + static_cast<std::uint32_t>(begin), whole.begin + static_cast<std::uint32_t>(end)},
                       token, declares);
        };
        bool first_word = true;
        for (std::size_t p = 0; p < all.size();) {
            const char c = all[p];
            std::size_t end = p + 1;
            if (in_comment || all.substr(p).starts_with("/*")) {
                const std::size_t close = all.find("*/", in_comment ? p : p + 2);
                end = close == std::string_view::npos ? all.size() : close + 2;
                in_comment = close == std::string_view::npos;
                add(p, end, Token::comment);
            } else if (all.substr(p).starts_with("//")) {
                end = all.size();
                add(p, end, Token::comment);
            } else if (c == '"') {
                while (end < all.size() && all[end] != '"') end += all[end] == '\\' ? 2 : 1;
                end = std::min(end + 1, all.size());
                add(p, end, Token::string);
            } else if (language::is_name(c)) {
                while (end < all.size() && language::is_name(all[end])) ++end;
                const std::string_view word = all.substr(p, end - p);
                bool declares = false;
                Token token = Token::none;
                if (c >= '0' && c <= '9') {
                    token = Token::number;
                } else {
                    if (line >= first)
                        token = token_of(description, asked.document.then(whole.begin + static_cast<std::uint32_t>(p)),
                                         word, declares);
                    if (token == Token::none && is_keyword(word, first_word && p == 0)) token = Token::keyword;
                }
                add(p, end, token, declares);
                first_word = false;
            }
            if (c != ' ' && c != '\t') first_word = false;
            p = end;
        }
    }
}

std::vector<std::uint32_t> all_tokens(const Asked& asked, std::uint32_t first, std::uint32_t last) {
    Writer writer(asked.text());
    writer.out.reserve(static_cast<std::size_t>(last - first + 1) * 24);
    if (asked.document.is_description)
        description_tokens(asked, first, last, writer);
    else
        program_tokens(asked, first, last, writer);
    return std::move(writer.out);
}

Json keep(Document& document, std::vector<std::uint32_t> tokens) {
    document.tokens = std::move(tokens);
    ++document.tokens_number;
    return std::to_string(document.tokens_number);
}

}  // namespace

Json tokens_legend() {
    Json out{{"tokenTypes", Json::array()}, {"tokenModifiers", {"declaration"}}};
    for (const char* const name : names) out["tokenTypes"].push_back(name);
    return out;
}

Json tokens(Asked& asked) {
    std::vector<std::uint32_t> all = all_tokens(asked, 0, asked.text().lines() - 1);
    Json data = all;
    return {{"resultId", keep(asked.document, std::move(all))}, {"data", std::move(data)}};
}

// What lies between the same begin and the same end is sent.
Json tokens_delta(Asked& asked) {
    Document& document = asked.document;
    const Json previous = asked.params.value("previousResultId", Json());
    if (!previous.is_string() || previous.get<std::string>() != std::to_string(document.tokens_number))
        return tokens(asked);
    std::vector<std::uint32_t> all = all_tokens(asked, 0, asked.text().lines() - 1);
    const std::vector<std::uint32_t>& old = document.tokens;
    const std::size_t most = std::min(all.size(), old.size());
    std::size_t begin = 0, end = 0;
    while (begin < most && all[begin] == old[begin]) ++begin;
    begin -= begin % 5;
    while (end < most - begin && all[all.size() - 1 - end] == old[old.size() - 1 - end]) ++end;
    end -= end % 5;
    Json edits = Json::array();
    if (begin + end != all.size() || all.size() != old.size()) {
        const std::vector<std::uint32_t> between(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                                 all.end() - static_cast<std::ptrdiff_t>(end));
        edits.push_back({{"start", begin}, {"deleteCount", old.size() - begin - end}, {"data", between}});
    }
    return {{"resultId", keep(document, std::move(all))}, {"edits", std::move(edits)}};
}

Json tokens_in_range(Asked& asked) {
    const Range range = read_range(asked.params.value("range", Json()));
    const std::uint32_t last = asked.text().lines() - 1;
    const std::uint32_t from = std::min(range.start.line, last), to = std::min(std::max(range.end.line, from), last);
    return {{"data", all_tokens(asked, from, to)}};
}

}  // namespace isaforge::lsp

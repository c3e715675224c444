// Declarations: everything of a description but meanings.
#include "language/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "codec/tables.hpp"
#include "language/limits.hpp"
#include "language/parser_base.hpp"
#include "language/substitute.hpp"

namespace isaforge::language {

namespace {

constexpr unsigned most_aligned = 1024;
constexpr std::string_view name_letters = ".-";
constexpr std::string_view mnemonic_letters = ".";

constexpr std::string_view declarations[] = {
    "isa",       "variants",     "include",  "code",     "opcodes", "floats",   "syntax",  "constant",
    "parameter", "registers",    "register", "memory",   "enum",    "number",   "operand", "format",
    "function",  "instructions", "pool",     "reserved", "objects", "dialects", "limit",   "where",
    "mode",      "on",           "device",   "meanings", "type",    "class",    "hazards", "part",
    "use",       "for",          "doc",      "page",     "length",  "expand",   "kind",
};

std::string without_underscores(std::string_view digits) {
    std::string out(digits);
    std::erase(out, '_');
    return out;
}

class Parser : public ParserBase {
public:
    Parser(FileId file, SourceManager& sources, Includer& includer, Diagnostics& diagnostics, Description& out,
           std::vector<FileId> chain)
        : ParserBase(file, sources, diagnostics),
          file_(file),
          sources_(sources),
          includer_(includer),
          out_(out),
          chain_(std::move(chain)) {}

    void run();

private:
    bool declaration();
    void identity();
    FileId included(const Text& path);
    void include();
    bool at_doc() const;
    void doc();
    void page();
    void code();
    void length();
    void syntax();
    void expansion();
    void constant(bool parameter);
    void kind();
    void registers(bool single);
    void memory();
    void enumeration();
    void number();
    void operand();
    void format();
    void limit();
    std::vector<Name> members(std::string_view what);
    void instruction_class();
    HazardSideSyntax hazard_side(bool is_second);
    HazardSyntax hazard();
    void hazards();
    TakesSyntax takes();
    void function();
    void type();
    std::vector<ArrivalSyntax> arrivals();
    void instructions();
    void pool();
    void reserved();
    void device();
    void mode();
    void event();

    std::string piece(std::initializer_list<std::string_view> ends);
    Place body();
    Repeated repeated_text(Place body, const std::vector<Name>& names) const;
    void repeat(const std::vector<std::vector<Replacement>>& bindings, const Repeated& text, bool by_lines);
    void repetition();
    std::vector<std::vector<Replacement>> repeated(const std::vector<Name>& names);
    std::vector<Replacement> tuple(const std::vector<Name>& names, std::string_view context);
    void part();
    void use_part(bool by_lines);
    bool repeats(bool by_lines);

    BitPattern pattern();
    void variants();
    void variant_base(const Name& name);
    void dialects();
    void limit_names(std::vector<Name>& names, std::string_view what, Place place);
    std::vector<Name> words_until_row_end();
    void objects();
    std::vector<Name> parameters();
    TypeRef type_ref();
    std::vector<TypeRef> type_arguments();
    std::optional<Slice> slice();
    unsigned width(std::string_view what, Place* place = nullptr, unsigned most = 64);
    std::optional<std::int64_t> signed_number(std::string_view what);
    Only only();
    std::vector<Name> span_of_variants();
    std::vector<Text> texts();

    std::vector<EntrySyntax> entries(std::vector<BitFieldSyntax>* fields = nullptr);
    EntrySyntax entry();
    void bit_fields(std::vector<BitFieldSyntax>& out);
    Cell cell(bool in_bar);
    void cell_name(Cell& cell, bool in_bar);
    void append_bar(Bar& bar);
    OperandRowSyntax operand_row();
    void operand_rows(OperandDeclaration& out);
    void number_term(NumberDeclaration& number);

    WhereSyntax naming();
    std::vector<WhereSyntax> where();
    EncodingSyntax encoding(std::vector<Column>* columns);
    std::vector<Column> columns();
    std::vector<Name> mnemonic();
    void row_names(InstructionRow& row);
    bool at_dialect() const;
    std::string dialect();
    bool at_meaning_of_value(const InstructionRow& row) const;
    bool has_more_values(const std::vector<Column>& columns);
    bool misses_value(const std::vector<Column>& columns, InstructionRow& row);
    void row_meaning(InstructionRow& row);
    InstructionRow instruction_row(const std::vector<Column>& columns);
    Value value(const Column& column);
    bool at_dotted_word() const;
    TypeRef mnemonic_ref();

    template <typename Row>
    void rows(std::string_view what, Row&& row);
    template <typename Row>
    void rows_inside(std::string_view what, Row& row, Place open);

    FileId file_;
    SourceManager& sources_;
    Includer& includer_;
    Description& out_;
    Place told_;                 // what `doc` tells of, which was declared last; unknown where that has no place
    std::vector<FileId> chain_;  // this file and those that include it, the outermost first
    std::shared_ptr<const Only> only_;           // of the blocks that rows stand in
    ExpressionPointer condition_;                // likewise, of an operand's rows; null: none
    std::size_t version_ = 0, versions_ = 1;     // of the parts that a format uses: which is read, and how many there are
    std::shared_ptr<const Only> version_only_;   // … and where it is
};

void Parser::run() {
    for (;;) {
        skip_newlines();
        if (at(TokenKind::end) || diagnostics_.overflowing()) break;
        if (repeats(true)) {  // what it stands for may begin on the same line
            told_ = {};
            continue;
        }
        const Token first = peek();
        if (!declaration()) {
            std::vector<std::string_view> known(std::begin(declarations), std::end(declarations));
            Diagnostic& error = diagnostics_.error(
                first.place,
                fmt::format("expected a declaration (format, operand, instructions, …), found '{}'", first.text));
            const std::string_view meant = nearest(first.text, known);
            if (!meant.empty()) error.suggest(std::string(meant));
            // What follows belongs to what could not be read: go on where a line begins like a declaration.
            move_on();
            if (at(TokenKind::name)) broken_.insert(std::string(peek().text));
            const auto known_here = [&] {
                return at(TokenKind::name) && std::find(known.begin(), known.end(), peek().text) != known.end();
            };
            do {
                if (at(TokenKind::newline)) skip_newlines();
                while (!at(TokenKind::newline) && !at(TokenKind::end)) move_on();
                skip_newlines();
            } while (!at(TokenKind::end) && !known_here());
        } else if (!at(TokenKind::newline) && !at(TokenKind::end)) {
            complain("the end of the line");
            skip_row();
        }
        accept("}");
    }
    out_.end = peek().place;
    out_.broken.merge(broken_);
}

bool Parser::declaration() {
    if (accept("doc")) return doc(), true;
    told_ = {};
    if (accept("isa")) return identity(), true;
    if (accept("variants")) return variants(), true;
    if (accept("dialects")) return dialects(), true;
    if (accept("include")) return include(), true;
    if (accept("page")) return page(), true;
    if (at("code")) return code(), true;
    if (at("length")) return length(), true;
    if (accept("opcodes")) return out_.opcodes = words_until_row_end(), true;
    if (accept("objects")) return objects(), true;
    if (accept("floats")) return out_.floats.push_back(words_until_row_end()), true;
    if (accept("syntax")) return syntax(), true;
    if (accept("expand")) return expansion(), true;
    if (accept("constant")) return constant(false), true;
    if (accept("parameter")) return constant(true), true;
    if (accept("kind")) return kind(), true;
    if (accept("registers")) return registers(false), true;
    if (accept("register")) return registers(true), true;
    if (accept("memory")) return memory(), true;
    if (accept("enum")) return enumeration(), true;
    if (accept("number")) return number(), true;
    if (accept("operand")) return operand(), true;
    if (accept("format")) return format(), true;
    if (accept("limit")) return limit(), true;
    if (accept("class")) return instruction_class(), true;
    if (accept("hazards")) return hazards(), true;
    if (accept("function")) return function(), true;
    if (accept("type")) return type(), true;
    if (at("instructions")) return instructions(), true;
    if (accept("part")) return part(), true;
    if (accept("pool")) return pool(), true;
    if (accept("reserved")) return reserved(), true;
    if (accept("meanings")) return out_.meanings = words_until_row_end(), true;
    if (accept("device")) return device(), true;
    if (accept("mode")) return mode(), true;
    if (accept("on")) return event(), true;
    if (accept("where")) {
        for (WhereSyntax& each : where()) out_.where.push_back(std::move(each));
        return true;
    }
    return false;
}

// --- small pieces ---------------------------------------------------------------------------------------------------

// variants NAME "title" NAME of NAME …
void Parser::variants() {
    const Place begin = peek().place;
    while (!at_row_end()) {
        const Name name = word(name_letters);
        if (name.text.empty()) {
            complain("the name of a variant");
            return skip_row();
        }
        out_.variants.push_back(name);
        if (accept("of")) variant_base(name);
        if (at(TokenKind::string)) out_.variant_titles[name.text] = unquote(advance().text);
    }
    limit_names(out_.variants, "variants", from(begin));
}

// It has everything that another one has, which stands before it.
void Parser::variant_base(const Name& name) {
    const Name base = word(name_letters);
    const auto is_base = [&](const Name& known) { return known.text == base.text && known.text != name.text; };
    if (std::any_of(out_.variants.begin(), out_.variants.end(), is_base)) {
        out_.variant_bases[name.text] = base;
        return;
    }
    diagnostics_.error(
        base.place, fmt::format("there is no variant '{}' before {}, which is said to be of it", base.text, name.text));
    out_.variants.pop_back();
}

// Each row may say something of each of them.
void Parser::limit_names(std::vector<Name>& names, std::string_view what, Place place) {
    if (names.size() <= most_variants) return;
    diagnostics_.error(place,
                       fmt::format("there are {} {}: at most {} are possible", names.size(), what, most_variants));
    names.resize(most_variants);
}

void Parser::dialects() {
    const Place begin = peek().place;
    out_.dialects = words_until_row_end();
    limit_names(out_.dialects, "dialects", from(begin));
}

// objects NAME | objects elf64 machine N … { absolute32 N … }
void Parser::objects() {
    ObjectsDeclaration made;
    const auto parts = [&] {
        while (!at_row_end() && !at("only") && !at("since") && !at("until") && !at("before") && !at("{")) {
            ObjectsDeclaration::Part part{word(name_letters), std::nullopt, std::nullopt};
            if (part.word.text.empty()) {
                complain("a name");
                return skip_row();
            }
            if (at(TokenKind::string)) part.text = expect_string("");
            if (at(TokenKind::number)) part.number = take_number().number;
            made.parts.push_back(std::move(part));
        }
    };
    parts();
    if (at("{")) rows("objects", parts);
    made.only = only();
    out_.objects.push_back(std::move(made));
}

std::vector<Name> Parser::words_until_row_end() {
    std::vector<Name> out;
    while (!at_row_end()) {
        const Name name = word(name_letters);
        if (name.text.empty()) {
            complain("a name");
            skip_row();
            break;
        }
        out.push_back(name);
    }
    return out;
}

std::vector<Name> Parser::parameters() {
    std::vector<Name> out;
    if (!accept("(")) return out;
    do {
        out.push_back(expect_name("the name of a parameter"));
    } while (accept(","));
    expect(")", "to close the parameters");
    return out;
}

std::vector<TypeRef> Parser::type_arguments() {
    std::vector<TypeRef> out;
    if (!accept("(")) return out;
    if (!deeper()) return out;
    do {
        out.push_back(type_ref());
    } while (accept(","));
    shallower();
    expect(")", "to close the arguments");
    return out;
}

TypeRef Parser::type_ref() {
    TypeRef out;
    out.place = peek().place;
    if (at(TokenKind::number) || at("(")) {
        auto literal = std::make_shared<semantics::Expression>();
        literal->kind = semantics::ExpressionKind::integer;
        literal->place = peek().place;
        literal->integer = peek().number;
        if (at("(")) {
            out.number = expression();
        } else {
            take_number();
            out.number = literal;
        }
        out.place = from(out.place);
        return out;
    }
    out.name = expect_name("a width or the name of an operand").text;
    out.arguments = type_arguments();
    out.place = from(out.place);
    return out;
}

std::optional<Slice> Parser::slice() {
    const Place begin = peek().place;
    if (!accept("[")) return std::nullopt;
    Slice out;
    out.high = static_cast<unsigned>(std::min<std::uint64_t>(expect_number("the high bit").value_or(0), 9999));
    out.low = out.high;
    if (accept(":"))
        out.low = static_cast<unsigned>(std::min<std::uint64_t>(expect_number("the low bit").value_or(0), 9999));
    expect("]", "to close the bit range");
    out.place = from(begin);
    return out;
}

unsigned Parser::width(std::string_view what, Place* place, unsigned most) {
    if (place) *place = peek().place;
    const Place where = peek().place;
    const auto number = expect_number(what);
    if (number && *number > most) {
        diagnostics_.error(where, fmt::format("{} is at most {} bits, not {}", what, most, *number));
        return most;
    }
    return static_cast<unsigned>(number.value_or(0));
}

std::optional<std::int64_t> Parser::signed_number(std::string_view what) {
    const bool negative = accept("-");
    const Place where = peek().place;
    const auto number = expect_number(what);
    if (!number) return std::nullopt;
    const std::uint64_t limit = negative ? std::uint64_t{1} << 63 : INT64_MAX;
    if (*number > limit) {
        diagnostics_.error(where, "this number does not fit in 64 bits with a sign");
        return std::nullopt;
    }
    return static_cast<std::int64_t>(negative ? 0 - *number : *number);
}

// since NAME, until NAME: those of the variants that are of none, in their order
std::vector<Name> Parser::span_of_variants() {
    std::vector<Name> all;
    for (const Name& variant : out_.variants)
        if (!out_.variant_bases.contains(variant.text)) all.push_back(variant);
    while (at("since") || at("until")) {
        const bool since = advance().text == "since";
        const Name name = word(name_letters);
        const auto found = std::ranges::find(all, name.text, &Name::text);
        if (name.text.empty())
            complain("the name of a variant");
        else if (found == all.end())
            all = {name};  // which is none of them: said where it is looked up
        else if (since)
            all.erase(all.begin(), found);
        else
            all.erase(std::next(found), all.end());
    }
    return all;
}

Only Parser::only() {
    Only out;
    out.within = only_;
    const auto names = [&](const char* keyword, std::vector<Name>& list, const char* what) {
        if (!accept(keyword)) return;
        while (at(TokenKind::name) && !at("before") && !at("use")) list.push_back(word(name_letters));
        if (list.empty()) complain(what);
    };
    if (at("since") || at("until")) {
        out.names = span_of_variants();
        while (at_dialect()) out.names.push_back(word(name_letters));
    }
    names("only", out.names, "the names of the variants or dialects that it is in");
    names("before", out.before, "the names of the variants that it is in no more");
    return out;
}

// Whether the name of a dialect is next.
bool Parser::at_dialect() const {
    return at(TokenKind::name) &&
           std::any_of(out_.dialects.begin(), out_.dialects.end(), [&](const Name& known) { return at(known.text); });
}

// [DIALECT], before the text or the name that is its own.
std::string Parser::dialect() { return at_dialect() ? std::string(advance().text) : std::string(); }

std::vector<Text> Parser::texts() {
    std::vector<Text> out;
    do {
        if (!out.empty()) skip_newlines();  // a list goes on in the next line
        while (repeats(false)) {
        }
        const std::string whose = dialect();
        if (auto text = expect_string(out_.dialects.empty() ? "a text in quotes" : "a text in quotes or a dialect")) {
            out.push_back(std::move(*text));
            out.back().dialect = whose;
        }
    } while (accept("|"));
    return out;
}

// Rows between braces, one a line.
template <typename Row>
void Parser::rows(std::string_view what, Row&& row) {
    const Place open = peek().place;
    if (!expect("{", fmt::format("to begin the {}", what)) || !deeper()) return;
    rows_inside(what, row, open);
    shallower();
}

template <typename Row>
void Parser::rows_inside(std::string_view what, Row& row, Place open) {
    for (;;) {
        skip_newlines();
        if (accept("}")) return;
        if (repeats(true)) continue;
        if (at_only()) {  // of all rows of a block
            const std::shared_ptr<const Only> outer = only_;
            only_ = std::make_shared<const Only>(only());
            rows(what, row);
            only_ = outer;
            continue;
        }
        if (at(TokenKind::end)) {
            complain(fmt::format("'}}' to close the {}", what)).note(open, "they begin here");
            return;
        }
        if (diagnostics_.overflowing()) return;
        const Place before = peek().place;
        row();
        if (!at_row_end()) {
            complain("the end of the row");
            skip_row();
        }
        if (same(peek().place, before) && !at("}")) move_on();
    }
}

// --- what stands for more ---------------------------------------------------------------------------------------------

// Of a string, as it is written.
std::string_view between_quotes(std::string_view token) {
    token.remove_prefix(1);
    token.remove_suffix(1);
    return token;
}

// The text up to one of these, outside of brackets; of a string what stands between its quotes.
std::string Parser::piece(std::initializer_list<std::string_view> ends) {
    const Place begin = peek().place;
    if (at(TokenKind::string)) return std::string(between_quotes(advance().text));
    unsigned open = 0;
    const auto ended = [&] {
        return at(TokenKind::end) || at(TokenKind::newline) ||
               (open == 0 && std::ranges::any_of(ends, [&](std::string_view end) { return at(end); }));
    };
    Place last = begin;
    last.length = 0;
    while (!ended()) {
        if (at("(") || at("[")) ++open;
        if ((at(")") || at("]")) && open > 0) --open;
        last = advance().place;
    }
    return std::string(sources_.text({begin.file, begin.offset, last.offset + last.length - begin.offset}));
}

// What stands in the braces that begin here.
Place Parser::body() {
    const Place open = peek().place;
    if (!expect("{", "to begin what is repeated")) return {};
    unsigned depth = 1;
    while (!at(TokenKind::end)) {
        if (at("{")) ++depth;
        if (at("}") && --depth == 0) break;
        move_on();
    }
    Place out{open.file, open.offset + 1, peek().place.offset - open.offset - 1};
    if (at(TokenKind::end)) complain("'}' to close what is repeated").note(open, "it begins here");
    accept("}");
    return out;
}

Repeated Parser::repeated_text(Place body, const std::vector<Name>& names) const {
    std::vector<std::string_view> words;
    words.reserve(names.size());
    for (const Name& name : names) words.emplace_back(name.text);
    return {body, words, sources_};
}

void Parser::repeat(const std::vector<std::vector<Replacement>>& bindings, const Repeated& text, bool by_lines) {
    std::vector<FileId> files;
    for (const std::vector<Replacement>& each : bindings) {
        out_.repeated += text.body().length + 1;
        if (out_.repeated > most_repeated) {
            diagnostics_.error(text.body(), fmt::format("`for` and `use` make more than {} characters", most_repeated));
            return;
        }
        files.push_back(text.with(each, sources_, by_lines));
    }
    read_first(std::move(files));
}

// (x, y) for as many names
std::vector<Replacement> Parser::tuple(const std::vector<Name>& names, std::string_view context) {
    std::vector<Replacement> out;
    const Place begin = peek().place;
    if (!expect("(", context)) return std::vector<Replacement>(names.size());
    skip_newlines();
    while (!at(")") && !at(TokenKind::end)) {
        if (out.size() == names.size()) {
            complain("')', as there are no more names");
            skip_to({")"});
            break;
        }
        const Place where = peek().place;
        std::string text = piece({",", ")"});
        out.push_back({names[out.size()].text, std::move(text), from(where)});
        if (!accept(",")) break;
        skip_newlines();
        if (at(")") && out.size() < names.size()) out.push_back({names[out.size()].text, {}, from(where)});
    }
    if (at(")") && out.size() < names.size())
        diagnostics_.error(from(begin),
                           fmt::format("there are {} names, and this is for {}", names.size(), out.size()));
    expect(")", "to close the list");
    out.resize(names.size());
    return out;
}

// 1..4 "text" word (x, y): what stands for the names, each time
std::vector<std::vector<Replacement>> Parser::repeated(const std::vector<Name>& names) {
    std::vector<std::vector<Replacement>> out;
    while (!at("{") && !at(TokenKind::end) && out.size() <= longest_range) {
        skip_newlines();
        const Place where = peek().place;
        if (at("{")) break;
        if (at("(")) {
            out.push_back(tuple(names, ""));
        } else if (names.size() != 1) {
            complain("'(' before what stands for the names");
            skip_to({"{"});
        } else if (at(TokenKind::string)) {
            out.push_back({{names[0].text, std::string(between_quotes(advance().text)), where}});
        } else if (at(TokenKind::number)) {
            const Token first = advance();
            if (!accept("..")) {
                out.push_back({{names[0].text, std::string(first.text), where}});
                continue;
            }
            const std::uint64_t last = expect_number("the end of the range").value_or(first.number);
            for (std::uint64_t n = first.number; n <= last && out.size() <= longest_range; ++n)
                out.push_back({{names[0].text, std::to_string(n), from(where)}});
        } else {
            const Name one = word(mnemonic_letters);
            if (one.text.empty()) {
                complain("what stands for the name: numbers, words or strings");
                skip_to({"{"});
            } else {
                out.push_back({{names[0].text, one.text, where}});
            }
        }
    }
    if (out.size() > longest_range) {
        diagnostics_.error(peek().place, fmt::format("more than {} repetitions", longest_range));
        out.clear();
    }
    return out;
}

// for NAME in … { … }
void Parser::repetition() {
    std::vector<Name> names;
    if (at("(")) {
        names = parameters();
    } else {
        names.push_back(expect_name("a name that stands for something else each time"));
    }
    if (!expect("in", "before what the name stands for")) return skip_row();
    const std::vector<std::vector<Replacement>> bindings = repeated(names);
    const Place what = body();
    if (what.known()) repeat(bindings, repeated_text(what, names), true);
}

// part NAME(parameters) [only …] { … }
void Parser::part() {
    PartDeclaration out;
    out.name = expect_name("the name of the part");
    out.parameters = parameters();
    out.only = only();
    const Place text = body();
    if (!text.known()) return;
    out.text = repeated_text(text, out.parameters);
    auto& versions = out_.parts[out.name.text];
    if (!versions.empty() && (out.only.empty() || versions.front().only.empty())) {
        diagnostics_.error(out.name.place, fmt::format("there is a part '{}' already", out.name.text))
            .note(versions.front().name.place, "it is here");
        return;
    }
    versions.push_back(std::move(out));
}

// use NAME(arguments)
void Parser::use_part(bool by_lines) {
    const Name name = expect_name("the name of a part");
    const auto found = out_.parts.find(name.text);
    if (found == out_.parts.end()) {
        std::vector<std::string_view> known;
        for (const auto& part : out_.parts) known.push_back(part.first);
        Diagnostic& error = diagnostics_.error(name.place, fmt::format("there is no part '{}' above", name.text));
        if (const std::string_view meant = nearest(name.text, known); !meant.empty()) error.suggest(std::string(meant));
        return skip_row();
    }
    out_.used_parts.insert(name.text);
    const std::vector<PartDeclaration>& versions = found->second;
    if (versions.size() > 1 && versions_ > 1 && versions_ != versions.size())
        diagnostics_.error(name.place, "the parts that a format uses have different numbers of versions");
    if (versions.size() > 1 && by_lines)
        diagnostics_.error(name.place, "a part that differs by variant is for the bars and names of formats");
    const PartDeclaration& part = versions[std::min(version_, versions.size() - 1)];
    if (!part.only.empty()) {  // in what all the parts are in
        Only both = part.only;
        both.within = version_only_;
        version_only_ = std::make_shared<const Only>(std::move(both));
    }
    versions_ = std::max(versions_, versions.size());
    std::vector<Replacement> bindings;
    const std::size_t errors = diagnostics_.errors();
    if (!part.parameters.empty()) bindings = tuple(part.parameters, "before the arguments of the part");
    // Of what is no token it has been said before.
    const bool all_bound = std::ranges::none_of(bindings, &std::string::empty, &Replacement::name);
    if (diagnostics_.errors() != errors || !all_bound) return skip_row();
    repeat({std::move(bindings)}, part.text, by_lines);
}

// Whether `for` or `use` is next, of which each is read as what it stands for.
bool Parser::repeats(bool by_lines) {
    if (by_lines && accept("for")) return repetition(), true;
    if (accept("use")) return use_part(by_lines), true;
    return false;
}

// --- what a description is --------------------------------------------------------------------------------------------

void Parser::identity() {
    const Name name = word(name_letters);
    if (name.text.empty()) complain("the name of the instruction set");
    if (!out_.name.text.empty()) {
        diagnostics_.error(name.place, "this description names its instruction set twice")
            .note(out_.name.place, "the first name is here");
        return;
    }
    out_.name = name;
    if (at(TokenKind::string)) out_.title = unquote(advance().text);
}

// The text of another file; 0, with a message, where it cannot be had.
FileId Parser::included(const Text& path) {
    if (++out_.includes > most_includes) {
        if (out_.includes == most_includes + 1)
            diagnostics_.error(path.place, fmt::format("more than {} files are included", most_includes));
        return 0;
    }
    std::string why;
    const FileId file = includer_.include(path.text, file_, why);
    if (file == 0) diagnostics_.error(path.place, fmt::format("'{}' cannot be included: {}", path.text, why));
    return file;
}

void Parser::include() {
    const auto path = expect_string("the path of a file in quotes");
    if (!path) return skip_row();
    if (chain_.size() > deepest_include) {
        diagnostics_.error(path->place, fmt::format("files include one another more than {} deep", deepest_include));
        return;
    }
    const FileId file = included(*path);
    if (file == 0) return;
    for (const FileId including : chain_) {
        if (sources_.name(including) != sources_.name(file)) continue;
        diagnostics_.error(path->place, fmt::format("'{}' includes itself", path->text));
        return;
    }
    std::vector<FileId> chain = chain_;
    chain.push_back(file);
    Parser(file, sources_, includer_, diagnostics_, out_, std::move(chain)).run();
}

// page "title" "file.md": prose that stands in a file of its own
void Parser::page() {
    PageSyntax out;
    auto title = expect_string("the title of the page in quotes");
    if (!title) return skip_row();
    out.title = std::move(*title);
    const auto path = expect_string("the path of the page's file in quotes");
    if (!path) return skip_row();
    out.only = only();
    if (out.title.text.empty()) {
        diagnostics_.error(out.title.place, "a page has a title");
        return;
    }
    const FileId file = included(*path);
    if (file == 0) return;
    if (sources_.text(file).size() > largest_page) {
        diagnostics_.error(path->place, fmt::format("'{}' has more than {} bytes", path->text, largest_page));
        return;
    }
    out.text = sources_.text(file);
    out.file = path->text.substr(path->text.rfind('/') + 1);
    out_.pages.push_back(std::move(out));
}

// In a table, where `doc` may be a mnemonic, which has no text behind it but its title.
bool Parser::at_doc() const {
    const std::string_view word = peek().text;
    const char* behind = word.data() + word.size();
    while (*behind == ' ' || *behind == '\t') ++behind;
    return at("doc") && *behind == '"';
}

// doc "…", below what it tells of: each is a line of Markdown
void Parser::doc() {
    const Place begin = peek().place;
    const auto text = expect_string("what there is to say, in quotes");
    if (!text) return skip_row();
    DocSyntax out{told_, text->text, only()};
    if (told_.file == begin.file)
        out_.docs.push_back(std::move(out));
    else
        diagnostics_.error(
            begin,
            "`doc` stands below what it tells of: an instruction, registers, a memory, a mode, an event, "
            "an operand, a format or a function");
}

void Parser::code() {
    CodeDeclaration code;
    code.place = advance().place;
    while (!at_row_end()) {
        if (accept("unit")) {
            const Place where = peek().place;
            const auto bits = expect_number("the width of a unit in bits");
            if (bits && *bits != 8 && *bits != 16 && *bits != 32 && *bits != 64) {
                diagnostics_.error(where, fmt::format("a unit has 8, 16, 32 or 64 bits, not {}", *bits));
            } else if (bits) {
                code.unit_bits = static_cast<unsigned>(*bits);
            }
        } else if (accept("little")) {
            code.big_endian = false;
        } else if (accept("big")) {
            code.big_endian = true;
        } else if (accept("addressed")) {
            expect("in", "after `addressed`");
            if (accept("units")) {
                code.addressed_in_units = true;
            } else {
                expect("bytes", "or 'units' after `addressed in`");
            }
        } else if (accept("last")) {
            expect("unit", "after `last`");
            expect("first", "after `last unit`");
            code.last_unit_first = true;
        } else {
            complain("unit, little, big, addressed or last", {"unit", "little", "big", "addressed", "last"});
            skip_row();
        }
    }
    if (out_.code) diagnostics_.error(code.place, "`code` is declared twice").note(out_.code->place, "first here");
    if (!out_.code) out_.code = code;
}

// length 32 bits when xxxxxxxxxxxxxx11
void Parser::length() {
    LengthDeclaration out;
    const Place begin = advance().place;
    out.bits = expect_number("how many bits an instruction has").value_or(0);
    if (!expect("bits", "after the number")) return skip_row();
    if (accept("when")) {
        out.pattern = pattern();
        if (out.pattern.digits.empty()) return skip_row();
    }
    out.place = from(begin);
    out_.lengths.push_back(std::move(out));
}

void Parser::syntax() {
    Name dialect;
    if (at(TokenKind::name)) dialect = expect_name("");
    rows("syntax", [&] {
        SurfaceSetting setting;
        setting.dialect = dialect;
        setting.key = expect_name("a setting of the syntax");
        while (!at_row_end()) {
            if (at(TokenKind::string)) {
                setting.values.push_back(*expect_string(""));
            } else if (at(TokenKind::name)) {
                setting.words.push_back(expect_name(""));
            } else {
                complain("a text in quotes");
                return skip_row();
            }
        }
        out_.surface.push_back(std::move(setting));
    });
}

// expand "la rd, symbol" { "auipc {rd}, %pcrel_hi({symbol})" … }
void Parser::expansion() {
    ExpansionSyntax out;
    const auto head = expect_string("how the pseudo-instruction is written");
    if (!head) return skip_row();
    out.head = *head;
    rows("expand", [&] {
        if (const auto line = expect_string("a line of the program that it becomes"))
            out.lines.push_back(*line);
        else
            skip_row();
    });
    out.only = only();
    out_.expansions.push_back(std::move(out));
}

void Parser::constant(bool parameter) {
    ConstantDeclaration constant;
    constant.parameter = parameter;
    constant.name = expect_name("the name of the constant");
    if (!expect("=", "after the name")) return give_up(constant.name);
    constant.value = expression();
    if (parameter && accept("in")) {
        do {
            constant.allowed.push_back(expression());
        } while (accept(","));
    }
    constant.only = only();
    out_.constants.push_back(std::move(constant));
}

// kind F32 = bits 32, float
void Parser::kind() {
    ConstantDeclaration kind;
    kind.name = expect_name("the name of the kind");
    if (!expect("=", "after the name")) return give_up(kind.name);
    do {
        WhereSyntax fact{.name = expect_name("what the kind says, as in bits 32")};
        if (fact.name.text.empty()) return give_up(kind.name);
        if (at(",") || at_row_end() || at_only()) {
            auto one = std::make_shared<semantics::Expression>();
            one->integer = 1;
            one->place = fact.name.place;
            fact.value = std::move(one);
        } else {
            fact.value = expression();
        }
        kind.facts.push_back(std::move(fact));
    } while (accept(","));
    kind.only = only();
    out_.constants.push_back(std::move(kind));
}

// registers r : 5 of u32 "r{n}"  one write port   |   register pc : u32
void Parser::registers(bool single) {
    RegistersDeclaration out;
    out.single = single;
    out.name = expect_name("the name of the registers");
    told_ = out.name.place;
    if (!expect(":", "after the name")) return give_up(out.name);
    if (!single) {
        out.index_bits = width("the width of a register number", &out.index_place);
        if (!expect("of", "before the registers' type")) return give_up(out.name);
    }
    out.type = type_name();
    if (!out.type.written()) return give_up(out.name);
    while (!at_row_end()) {
        if (at(TokenKind::string)) {
            out.text = expect_string("");
        } else if (accept("lanes")) {
            const std::size_t before = diagnostics_.errors();
            out.lanes = expression();
            if (diagnostics_.errors() != before) out.lanes = nullptr;
        } else if (at("one") || at(TokenKind::number)) {
            out.write_ports = at("one") ? 1 : static_cast<unsigned>(std::min<std::uint64_t>(peek().number, 64));
            move_on();
            expect("write", "after the number of ports");
            if (!accept("port")) expect("ports", "after `write`");
        } else if (accept("zero")) {
            out.is_zero_at_reset = true;
            if (expect("at", "after `zero`")) expect("reset", "after `zero at`");
        } else if (at("{") && single) {
            rows("fields of the register", [&] { bit_fields(out.fields); });
        } else if (at("{")) {
            out.entries = entries(&out.fields);
        } else {
            complain("a text, lanes, write ports, `zero at reset` or a block of names", {"lanes", "one", "zero"});
            return give_up(out.name);
        }
    }
    out_.registers.push_back(std::move(out));
}

void Parser::memory() {
    MemoryDeclaration out;
    out.name = expect_name("the name of the memory");
    told_ = out.name.place;
    if (!expect(":", "after the name")) return give_up(out.name);
    out.type = type_name();
    if (accept("big")) {
        out.big_endian = true;
    } else if (accept("little")) {
        out.big_endian = false;
    }
    if (accept("holds")) out.holds_code = expect("code", "after `holds`");
    if (accept("per")) out.per_group = expect("group", "after `per`");
    if (accept("of")) {
        out.cells = unconditional();
        expect("cells", "after how many there are");
    }
    out_.memories.push_back(std::move(out));
}

// NAME [= HIGH [: LOW]], …
void Parser::bit_fields(std::vector<BitFieldSyntax>& out) {
    do {
        skip_newlines();
        BitFieldSyntax field;
        field.place = peek().place;
        field.name = expect_new_name("the name of a field");
        if (field.name.text.empty()) return skip_row();
        if (accept("=")) {
            field.high = unconditional();
            if (accept(":")) field.low = unconditional();
        }
        field.place = from(field.place);
        field.only = only();
        out.push_back(std::move(field));
    } while (accept(","));
}

// [code] "text" | "other" [= value]
EntrySyntax Parser::entry() {
    EntrySyntax entry;
    entry.place = peek().place;
    if (accept("alias")) entry.alias = true;
    if (at(TokenKind::number)) entry.code = take_number().number;
    entry.texts = texts();
    if (accept("=")) entry.value = expression();
    entry.only = only();
    entry.place = from(entry.place);
    return entry;
}

// Of registers also the fields: of one behind its name, of all where a name stands without quotes.
std::vector<EntrySyntax> Parser::entries(std::vector<BitFieldSyntax>* fields) {
    std::vector<EntrySyntax> out;
    rows("entries", [&] {
        while (!at_row_end()) {
            const Place before = peek().place;
            if (fields && at(TokenKind::name) && !at("alias") && !at_dialect()) return bit_fields(*fields);
            out.push_back(entry());
            if (same(peek().place, before)) return skip_row();
            if (fields && at("{")) rows("fields of the register", [&] { bit_fields(out.back().fields); });
        }
    });
    return out;
}

void Parser::enumeration() {
    EnumDeclaration out;
    out.name = expect_name("the name of the enumeration");
    told_ = out.name.place;
    if (!expect(":", "after the name")) return give_up(out.name);
    const std::size_t before = diagnostics_.errors();
    out.width = width("the width of an enumeration", &out.width_place);
    if (diagnostics_.errors() != before) return give_up(out.name);
    if (accept("of")) out.type = type_name();
    out.only = only();
    out.entries = entries();
    out_.enums.push_back(std::move(out));
}

// One summand of a number: pc, a bias, or the bits with a factor.
void Parser::number_term(NumberDeclaration& number) {
    if (accept("pc")) {
        number.relative = true;
        return;
    }
    if (at(TokenKind::number) || at("-")) {
        const auto value = signed_number("a number").value_or(0);
        if (!accept("*")) {
            number.bias += value;
            return;
        }
        number.scale = value;
    }
    if (!number.base.text.empty()) {
        complain("only one part that is in the bits");
        return skip_row();
    }
    number.base = expect_name("the bits: s18, u32, f32, …");
    number.slice = slice();
    if (accept("*")) number.scale = signed_number("a factor").value_or(1);
}

// number target = pc + 2 * s16 in -100..100 hex or u16 relocation 3 "R_X"
void Parser::number() {
    NumberDeclaration out;
    out.name = expect_name("the name of the number");
    told_ = out.name.place;
    if (!expect("=", "after the name")) return give_up(out.name);
    const Place begin = peek().place;
    number_term(out);
    while (at("+") || at("-")) {
        if (at("+")) move_on();
        number_term(out);
    }
    out.place = from(begin);
    while (!at_row_end()) {
        if (accept("in")) {
            out.range_place = peek().place;
            const auto low = signed_number("the smallest value");
            if (!expect("..", "between the bounds")) return give_up(out.name);
            const auto high = signed_number("the largest value");
            if (low && high) out.range = {*low, *high};
            out.range_place = from(out.range_place);
        } else if (at("hex") || at("decimal")) {
            out.format = std::string(advance().text);
        } else if (accept("or")) {
            out.plain = expect_name("what a number without a label is: u16, s16 or i16");
        } else if (accept("relocation")) {
            const auto type = static_cast<unsigned>(expect_number("the relocation's number").value_or(0));
            const auto name = expect_string("the relocation's name");
            if (out.relocation != 0) {
                out.other_relocations.push_back(type);
            } else {
                out.relocation = type;
                if (name) out.relocation_name = name->text;
            }
        } else if (accept("based")) {
            out.based = true;
        } else if (accept("linked")) {
            while (at("slot") || at("thread") || at("label")) out.linked.push_back(expect_name(""));
            if (out.linked.empty()) complain("slot, thread or label", {"slot", "thread", "label"});
        } else if (accept("carried")) {
            do {
                const Place where = peek().place;
                const auto bit = expect_number("how many of the low bits are signed");
                if (bit && (*bit < 1 || *bit > 63)) {
                    diagnostics_.error(where, "1 to 63 of the low bits may be signed");
                } else if (bit) {
                    out.carries |= std::uint64_t{1} << *bit;
                }
            } while (accept(","));
        } else {
            complain("in, hex, decimal, or, carried, relocation, based, linked",
                     {"in", "hex", "decimal", "or", "carried", "relocation", "based", "linked"});
            return give_up(out.name);
        }
    }
    out_.numbers.push_back(std::move(out));
}

// --- bits -------------------------------------------------------------------------------------------------------------

// NAME[17:10]:type/type by FIELD in low..high
void Parser::cell_name(Cell& cell, bool in_bar) {
    cell.kind = Cell::Kind::named;
    cell.name = expect_name("a field");
    cell.slice = slice();
    if (accept(":")) {
        do {
            cell.types.push_back(type_ref());
        } while (accept("/"));
    }
    if (accept("by")) cell.selector = expect_name("the field that chooses the length");
    if (in_bar && at("in")) {
        diagnostics_.error(peek().place,
                           fmt::format("which values '{}' may have is said of its type: a number of its own, "
                                       "or the rows of an operand",
                                       cell.name.text));
        cell.broken = true;
        while (!at("|") && !at(TokenKind::newline) && !at(TokenKind::end)) move_on();
    }
    if (accept("in")) {
        cell.low = expression();
        cell.high = cell.low;
        if (accept("..")) cell.high = expression();
        if (accept("step")) cell.step = expression();
    }
}

Cell Parser::cell(bool in_bar) {
    Cell out;
    out.place = peek().place;
    if (at("-") || at(TokenKind::dashes)) {
        const Token dashes = advance();
        if (accept(":")) {
            out.kind = Cell::Kind::zero;
            out.width = width("the number of zero bits", nullptr, max_instruction_bits);
        } else {
            out.kind = in_bar ? Cell::Kind::zero : Cell::Kind::bits;
            out.bits = std::string(dashes.text);
            out.width = static_cast<unsigned>(dashes.text.size());
        }
    } else if (at(TokenKind::number)) {
        const Token number = advance();
        if (accept(":")) {
            if (number.too_large) diagnostics_.error(number.place, "this number does not fit in 64 bits");
            out.kind = Cell::Kind::value;
            out.value = number.number;
            out.width = width("the number of bits");
        } else {
            out.kind = Cell::Kind::bits;
            out.bits = without_underscores(number.text);
            if (out.bits.find_first_not_of("01") != std::string::npos) {
                diagnostics_.error(number.place, fmt::format("'{}' is not made of bits; write {}:width for a number",
                                                             out.bits, out.bits));
                out.broken = true;
            }
        }
    } else if (!in_bar && accept("+")) {
        cell_name(out, in_bar);
        out.kind = Cell::Kind::tail;
        out.shared = accept("shared");
    } else {
        cell_name(out, in_bar);
    }
    out.broken |= out.kind != Cell::Kind::zero && out.kind != Cell::Kind::bits && out.kind != Cell::Kind::value &&
                  out.name.text.empty();
    if (at("?")) {
        const Place mark = advance().place;
        out.ignored = true;
        if (out.kind == Cell::Kind::named || out.kind == Cell::Kind::tail) {
            diagnostics_.error(mark,
                               "only digits can be ignored (`?`): a field is where a column or `with` gives its value");
            out.broken = true;
        }
    }
    out.place = from(out.place);
    return out;
}

void Parser::append_bar(Bar& bar) {
    const Place begin = bar.place = peek().place;
    bar.broken = true;
    if (!expect("|", "to begin the bar")) return skip_row();
    for (;;) {
        if (at(TokenKind::newline) && next_line_begins("|")) {  // a long bar goes on in the next line
            skip_newlines();
            move_on();
        }
        if (at_row_end() || at("takes") || at("where") || at_only()) break;
        const Place before = peek().place;
        if (repeats(false)) continue;
        if (at("then")) {  // another instruction
            Cell then;
            then.kind = Cell::Kind::then;
            then.place = advance().place;
            bar.cells.push_back(then);
        } else {
            bar.cells.push_back(cell(true));
        }
        if (at(TokenKind::newline) && next_line_begins("|")) skip_newlines();
        if (!expect("|", "after a cell of the bar") || same(peek().place, before)) return skip_row();
    }
    bar.broken = false;
    bar.place = from(begin);
}

// Parts that it uses may be different by variant: then it is read once with each.
void Parser::format() {
    const Position begin = position();
    const std::size_t errors = diagnostics_.errors();
    const std::shared_ptr<const Only> outer = only_;
    version_ = 0;
    versions_ = 1;
    do {
        if (version_ > 0) go_back(begin);
        version_only_ = outer;
        FormatDeclaration out;
        out.name = expect_name("the name of the format");
        out.parameters = parameters();
        skip_newlines();
        append_bar(out.bar);
        told_ = out.bar.place;
        while (accept("takes")) out.takes.push_back(takes());
        if (accept("where")) out_.with_meanings ? void(out.where = where()) : pass_over_meaning();
        only_ = version_only_;
        out.only = only();
        only_ = outer;
        out_.formats.push_back(std::move(out));
    } while (++version_ < versions_ && diagnostics_.errors() == errors);
    version_ = 0;
    versions_ = 1;
}

// limit bus 1 "an instruction reads one of these"
void Parser::limit() {
    LimitDeclaration out;
    out.name = expect_name("the name of the limit");
    const Place where = peek().place;
    const auto most = expect_number("how many an instruction may have");
    if (!most) return give_up(out.name);
    if (*most < 1 || *most > codec::most_taken) {
        diagnostics_.error(where, fmt::format("a limit is 1 to {}, not {}", codec::most_taken, *most));
        return give_up(out.name);
    }
    out.most = static_cast<unsigned>(*most);
    const auto reason = expect_string("what is said where there are more, in quotes");
    if (!reason) return give_up(out.name);
    out.reason = reason->text;
    out_.limits.push_back(std::move(out));
}

// NAME, BEGINNING*, …
std::vector<Name> Parser::members(std::string_view what) {
    std::vector<Name> out;
    do {
        skip_newlines();  // a long list goes on in the next line
        Name name = word(mnemonic_letters);
        if (name.text.empty()) return complain(what), out;
        if (accept("*")) name.text += '*';
        name.place = from(name.place);
        out.push_back(std::move(name));
    } while (accept(","));
    return out;
}

// class vector of VOP*, v_nop
void Parser::instruction_class() {
    ClassDeclaration out;
    out.name = expect_name("the name of the class");
    if (!expect("of", "before the formats and instructions of the class")) return give_up(out.name);
    out.members = members("the name of a format or of an instruction");
    out_.classes.push_back(std::move(out));
}

// CLASS [reads|writes FILE, …] [in FIELD, …] [if condition]
HazardSideSyntax Parser::hazard_side(bool is_second) {
    HazardSideSyntax out;
    out.of = expect_name("the name of a class");
    const bool reads = accept("reads");
    if (reads || accept("writes")) {
        out.touches = reads ? HazardSide::Touches::reads : HazardSide::Touches::writes;
        if (is_second)
            expect("it", "for the register of the first instruction");
        else
            do out.files.push_back(expect_name("the name of registers"));
            while (accept(","));
        if (accept("in")) do
                out.fields.push_back(expect_name("the name of a field"));
            while (accept(","));
    }
    if (accept("if")) out.condition = expression();
    return out;
}

// 4 CLASS … then CLASS …; CLASS lasts expression; CLASS reads v in DATA until counter
HazardSyntax Parser::hazard() {
    HazardSyntax out;
    out.place = peek().place;
    if (!at(TokenKind::number)) {
        out.first = hazard_side(false);
        if (accept("until")) {
            out.counter = expect_name("the name of a counter").text;
            if (accept("up") && expect("to", "behind `up`")) out.most = expect_number("how many it counts").value_or(0);
        } else if (expect("lasts", "or `until`, behind a class")) {
            out.lasts = expression();
        }
    } else {
        const Token number = take_number();
        out.states = static_cast<unsigned>(std::min<std::uint64_t>(number.number, most_wait_states));
        if (number.number < 1 || number.number > most_wait_states)
            diagnostics_.error(number.place, fmt::format("wait states are 1 to {}", most_wait_states));
        out.first = hazard_side(false);
        if (expect("then", "before the second of the two instructions")) out.second = hazard_side(true);
    }
    out.only = only();
    out.place = from(out.place);
    return out;
}

void Parser::hazards() {
    rows("hazards", [&] {
        const std::size_t before = diagnostics_.errors();
        HazardSyntax next = hazard();
        if (diagnostics_.errors() == before) return out_.hazards.push_back(std::move(next));
        skip_row();
    });
}

// LIMIT in FIELD, FIELD, "text", NUMBER
TakesSyntax Parser::takes() {
    TakesSyntax out;
    out.limit = expect_name("the name of a limit");
    if (!expect("in", "before the fields that count for the limit")) return out;
    do {
        if (at(TokenKind::string)) {
            out.own.push_back(*expect_string(""));
        } else if (at(TokenKind::number)) {
            const Token number = take_number();
            if (number.number > codec::most_taken)
                diagnostics_.error(number.place, fmt::format("a limit is at most {}", codec::most_taken));
            out.besides += static_cast<unsigned>(std::min<std::uint64_t>(number.number, codec::most_taken));
        } else {
            out.fields.push_back(expect_name("a field of the format, a text or a number"));
        }
    } while (accept(","));
    return out;
}

OperandRowSyntax Parser::operand_row() {
    OperandRowSyntax out;
    out.place = peek().place;
    while (!at(TokenKind::string) && !at_dialect() && !at_row_end() && !at("reserved") && !at("if") && !at("=")) {
        const Place before = peek().place;
        out.cells.push_back(cell(false));
        if (same(peek().place, before)) return skip_row(), out;
    }
    if (accept("reserved")) {
        out.reserved = true;
        if (accept("=")) out.meaning = expression();  // where a table gives it
    } else if (at_row_end() && !out.cells.empty() && !nearest(out.cells.back().name.text, {"reserved"}).empty()) {
        Cell& last = out.cells.back();
        diagnostics_.error(last.place, fmt::format("expected a text or reserved, found '{}'", last.name.text))
            .suggest("reserved");
        last.broken = true;
    } else {
        out.texts = texts();
        if (accept("alias")) out.alias = true;
        if (accept("=")) {
            out.meaning = expression();
            while (accept(",")) {
                out.facts.push_back(naming());
                const WhereSyntax& fact = out.facts.back();
                if (!fact.value) return out;
                if (!fact.parameter.text.empty())
                    diagnostics_.error(fact.parameter.place, "what a row says besides is a value: NAME = expression");
            }
        }
        while (accept("takes")) out.takes.push_back(expect_name("the name of a limit"));
    }
    if (accept("if")) out.condition = expression();
    if (condition_)
        out.condition =
            out.condition ? compare(semantics::Operator::logical_and, condition_, out.condition) : condition_;
    out.only = only();
    out.place = from(out.place);
    return out;
}

void Parser::operand_rows(OperandDeclaration& out) {
    rows("rows of the operand", [&] {
        if (!accept("if")) return out.rows.push_back(operand_row());
        const ExpressionPointer outer = condition_;
        condition_ = expression();
        if (outer) condition_ = compare(semantics::Operator::logical_and, outer, condition_);
        operand_rows(out);
        condition_ = outer;
    });
}

void Parser::operand() {
    OperandDeclaration out;
    out.name = expect_name("the name of the operand");
    told_ = out.name.place;
    out.parameters = parameters();
    if (!expect(":", "before the operand's width")) return give_up(out.name);
    out.width = type_ref();
    while (accept("takes")) out.takes.push_back(expect_name("the name of a limit"));
    out.only = only();
    operand_rows(out);
    out_.operands.push_back(std::move(out));
}

// --- meaning ----------------------------------------------------------------------------------------------------------

// NAME = expression; no value where it cannot be read.
WhereSyntax Parser::naming() {
    WhereSyntax out;
    out.name = expect_name("a name for the meanings");
    if (accept("(")) {
        out.parameter = expect_name("a name for what is assigned");
        if (!expect(")", "after the parameter")) return skip_row(), out;
    }
    if (!expect("=", "after the name")) return skip_row(), out;
    out.value = expression();
    return out;
}

// A list of them may go on in the next line.
std::vector<WhereSyntax> Parser::where() {
    std::vector<WhereSyntax> out;
    do {
        skip_newlines();
        while (repeats(false)) {
        }
        WhereSyntax one = naming();
        if (!one.value) return out;
        out.push_back(std::move(one));
    } while (accept(","));
    return out;
}

void Parser::device() {
    DeviceDeclaration out;
    out.kind = expect_name("the kind of device");
    if (!expect("at", "before the device's address")) return skip_row();
    out.address = expression();
    if (accept("in")) out.memory = expect_name("the name of a memory");
    out_.devices.push_back(std::move(out));
}

void Parser::mode() {
    ModeDeclaration out;
    out.name = expect_name("the name of the mode");
    told_ = out.name.place;
    if (!expect(":", "after the name")) return give_up(out.name);
    out.type = type_name();
    if (!out.type.written() || !expect("=", "before what the mode is")) return give_up(out.name);
    out.value = expression();
    out_.modes.push_back(std::move(out));
}

void Parser::event() {
    EventDeclaration out;
    out.name = expect_name("the name of an event");
    told_ = out.name.place;
    if (accept("(")) {
        while (at(TokenKind::name)) {
            out.parameters.emplace_back(advance().text);
            if (!accept(",")) break;
        }
        expect(")", "to close the parameters");
    }
    if (accept("when")) out.condition = expression();
    out.body = std::make_shared<const semantics::Block>(statements_until_row_end());
    out_.events.push_back(std::move(out));
}

void Parser::function() {
    auto out = std::make_shared<semantics::Function>();
    const Name name = expect_name("the name of the function");
    out->name = name.text;
    out->place = name.place;
    told_ = name.place;
    if (!expect("(", "after the function's name")) return give_up(name);
    while (at(TokenKind::name)) {
        out->parameters.push_back(std::string(advance().text));
        if (!accept(",")) break;
    }
    expect(")", "to close the parameters");
    if (!out_.with_meanings) return pass_over_meaning();
    if (accept("=")) {
        semantics::Statement give;
        give.kind = semantics::StatementKind::give;
        give.place = peek().place;
        skip_newlines();
        give.value = expression();
        out->body.push_back(std::move(give));
    } else {
        out->body = block();
    }
    out_.functions.push_back(std::move(out));
}

// type NAME [(parameters)] = TYPE
void Parser::type() {
    auto out = std::make_shared<semantics::TypeAlias>();
    const Name name = expect_new_name("the name of the type");
    out->name = name.text;
    out->place = name.place;
    for (const Name& parameter : parameters()) out->parameters.push_back(parameter.text);
    if (!expect("=", "after the name of the type")) return give_up(name);
    out->meaning = type_name();
    if (!out->meaning.written()) return give_up(name);
    out_.types.push_back(std::move(out));
}

// --- instructions -----------------------------------------------------------------------------------------------------

// FORMAT(arguments) [columns] with FIELD = value, … "text" | "text" if condition only …
// The columns stand in the first encoding of a table; `columns` is null for the others.
EncodingSyntax Parser::encoding(std::vector<Column>* column_list) {
    EncodingSyntax out;
    out.format = expect_name("the name of a format");
    out.arguments = type_arguments();
    if (column_list && at("[")) *column_list = columns();
    if (accept("with")) {
        do {
            With with;
            with.field = expect_name("a field of the format");
            expect("=", "after the field");
            if (at(TokenKind::name)) {
                const Place begin = peek().place;
                ExpressionPointer value = unconditional();
                if (value->kind == semantics::ExpressionKind::name) {
                    with.value.name = value->name;
                } else {
                    with.value.number = value;
                }
                with.value.place = from(begin);
            } else {
                with.value.place = peek().place;
                with.value.number = unconditional();
            }
            with.ignored = accept("?");
            out.with.push_back(std::move(with));
        } while (accept(","));
    }
    skip_newlines();
    out.texts = texts();
    if (accept("alias")) out.alias = true;
    while (accept("takes")) out.takes.push_back(takes());
    if (accept("where")) out.where = where();
    if (accept("if")) out.condition = expression();
    out.only = only();
    return out;
}

std::vector<Column> Parser::columns() {
    std::vector<Column> out;
    if (!expect("[", "before the names of the columns")) return out;
    while (!at("]") && !at(TokenKind::end)) {
        Column column;
        column.bits = accept("bits");
        column.name = expect_name("the name of a column");
        if (accept("by")) {
            expect("variant", "after `by`");
            column.by_variant = true;
        }
        out.push_back(std::move(column));
        if (!accept(",")) break;
    }
    if (!expect("]", "to close the columns")) {
        skip_to({"]", "{"});
        accept("]");
    }
    return out;
}

Value Parser::value(const Column& column) {
    Value out;
    out.place = peek().place;
    if (accept("-")) {
        out.kind = Value::Kind::absent;
    } else if (accept("auto")) {
        out.kind = Value::Kind::automatic;
        if (sources_.derivation(out.place.file) != nullptr)
            diagnostics_.error(out.place, "`auto` in what is repeated: each time it would need a number of its own");
    } else if (at(TokenKind::number)) {
        const Token token = column.bits ? advance() : take_number();
        out.low = out.high = token.number;
        if (column.bits) {
            out.digits = without_underscores(token.text);
            out.low = 0;
            for (const char c : out.digits) out.low = out.low << 1 | (c == '1');
            if (out.digits.find_first_not_of("01") != std::string::npos) {
                diagnostics_.error(token.place, fmt::format("'{}' is not made of bits, as column {} is", out.digits,
                                                            column.name.text));
            }
            out.high = out.low;
        }
        while (!column.bits && accept("+")) out.low = out.high += expect_number("a number to add").value_or(0);
        if (accept("..")) {
            out.kind = Value::Kind::range;
            out.high = expect_number("the end of the range").value_or(out.low);
        } else {
            out.ignored = accept("?");
        }
    } else {
        out.kind = Value::Kind::type;
        out.type = std::make_shared<const TypeRef>(at_dotted_word() ? mnemonic_ref() : type_ref());
    }
    out.place = from(out.place);
    return out;
}

// Whether a mnemonic with a dot is next, as only names of rows have.
bool Parser::at_dotted_word() const {
    if (!at(TokenKind::name)) return false;
    const char* const behind = peek().text.data() + peek().text.size();
    return behind[0] == '.' && behind[1] != '.';
}

TypeRef Parser::mnemonic_ref() {
    const Name name = word(mnemonic_letters);
    TypeRef out;
    out.place = name.place;
    out.name = name.text;
    return out;
}

// add, BLE.8, ftou8_{ll lh hl hh}
std::vector<Name> Parser::mnemonic() {
    Name prefix;
    prefix.place = peek().place;
    prefix.place.length = 0;
    if (at(TokenKind::name) || at(TokenKind::number)) prefix = word(mnemonic_letters);
    const bool adjacent = peek().place.offset == prefix.place.offset + prefix.place.length;
    if (!at("{") || !adjacent) {
        if (prefix.text.empty()) complain("a mnemonic");
        return {prefix};
    }
    move_on();
    std::vector<Name> out;
    while (at(TokenKind::name) || at(TokenKind::number)) {
        Name name = word(mnemonic_letters);
        name.text = prefix.text + name.text;
        out.push_back(std::move(name));
    }
    if (out.empty()) {
        complain("a name in the list");
        accept("}");
        return {prefix};
    }
    const Place close = peek().place;
    if (!expect("}", "to close the list of names")) return {prefix};
    if (at(TokenKind::name) && peek().place.offset == close.offset + 1) {
        const Name suffix = word(mnemonic_letters);
        for (Name& name : out) name.text += suffix.text;
    }
    return out;
}

// A row that lacks a column's value: its mnemonic was taken for the value, its first operand for the mnemonic.
bool Parser::misses_value(const std::vector<Column>& columns, InstructionRow& row) {
    if (row.values.empty() || row.values.back().kind != Value::Kind::type || !row.values.back().type->arguments.empty())
        return false;
    const Column& column = columns.back();
    const char* each = column.by_variant ? ", one for each variant" : "";
    diagnostics_.error(row.values.back().place, fmt::format("expected a value for column {}{}, found '{}'",
                                                            column.name.text, each, row.values.back().type->name));
    return row.broken = true;
}

// Whether what was taken for the mnemonic, which was read last, begins the meaning.
bool Parser::at_meaning_of_value(const InstructionRow& row) const {
    if (at("=")) return true;
    if (row.names.empty() || row.names.back().members.empty()) return false;
    const auto& [name, place] = row.names.back().members[0];
    const bool is_call = at("(") && peek().place.offset == place.offset + place.length;
    return is_call || name == "if" || name == "let" || name == "repeat";
}

// A row with a number more than there are columns: it would be taken for the mnemonic.
bool Parser::has_more_values(const std::vector<Column>& columns) {
    const bool negative = at("-") || at(TokenKind::dashes);
    if (!negative && !at(TokenKind::number)) return false;
    const Place number = peek().place;
    const char* behind = peek().text.data() + peek().text.size();
    const bool ends = *behind == ' ' || *behind == '\t';
    while (*behind == ' ' || *behind == '\t') ++behind;
    if (!negative && (!ends || !is_name_start(*behind))) return false;
    std::string names;
    for (const Column& column : columns) names += (names.empty() ? "" : ", ") + column.name.text;
    diagnostics_.error(number, columns.empty() ? std::string("expected a mnemonic: the table has no columns")
                                               : fmt::format("expected a mnemonic: the table has {} column{}, {}",
                                                             columns.size(), columns.size() == 1 ? "" : "s", names));
    return true;
}

// [relax] [DIALECT] mnemonic | …
void Parser::row_names(InstructionRow& row) {
    do {
        std::vector<RowName>& names = accept("relax") ? row.relax_names : row.names;
        std::string whose = dialect();
        names.push_back({mnemonic(), std::move(whose)});
    } while (accept("|"));
}

void Parser::row_meaning(InstructionRow& row) {
    const bool braces = at("{");  // a meaning, also where nothing stands in them
    if (!out_.with_meanings) {
        if (!at_row_end() && !at_only()) pass_over_meaning();
        return;
    }
    semantics::Block block = statements_until_row_end();
    if (!block.empty() || braces) row.meaning = std::make_shared<semantics::Block>(std::move(block));
}

InstructionRow Parser::instruction_row(const std::vector<Column>& columns) {
    InstructionRow out;
    out.place = peek().place;
    out.values.reserve(columns.size() +
                       (out_.variants.empty() ? 0 : out_.own_variants() - 1));  // most have one by variant
    for (const Column& column : columns) {
        const std::size_t count = column.by_variant ? std::max<std::size_t>(out_.own_variants(), 1) : 1;
        for (std::size_t i = 0; i < count; ++i) {
            if (at_row_end()) {
                complain(fmt::format("a value for column {}", column.name.text));
                out.broken = true;
                return out;
            }
            const bool same = i > 0 && accept("=");  // as in the variant before
            out.values.push_back(same ? out.values.back() : value(column));
        }
    }
    if (accept("reserved")) {
        out.reserved = true;
    } else {
        if (has_more_values(columns)) {
            out.broken = true;
            return skip_row(), out;
        }
        row_names(out);
        if (at(TokenKind::string)) out.title = unquote(advance().text);
        if (accept("as")) out.texts = texts();
        if (accept("alias")) out.alias = true;
        const Place names_end = from(out.place);
        if (at_meaning_of_value(out) && misses_value(columns, out)) return skip_row(), out;
        row_meaning(out);
        out.only = only();
        out.place = names_end;
        return out;
    }
    out.only = only();
    out.place = from(out.place);
    return out;
}

// by vmcnt, by lgkmcnt [in any order] [if any(x)]
std::vector<ArrivalSyntax> Parser::arrivals() {
    std::vector<ArrivalSyntax> out;
    do {
        if (!expect("by", "before the name of a counter")) break;
        ArrivalSyntax arrival;
        arrival.counter = expect_name("the name of a counter").text;
        if (accept("in")) {
            arrival.in_order = false;
            if (expect("any", "after `in`")) expect("order", "after `in any`");
        }
        if (accept("if")) arrival.condition = expression();
        out.push_back(std::move(arrival));
    } while (accept(","));
    return out;
}

void Parser::instructions() {
    InstructionsDeclaration out;
    out.place = advance().place;
    if (at("["))
        out.columns = columns();  // all encodings stand behind them
    else
        out.encodings.push_back(encoding(&out.columns));
    skip_newlines();
    while (at("also") || at("as") || at("use") || at("for")) {
        if (!repeats(true)) {
            move_on();
            out.encodings.push_back(encoding(nullptr));
        }
        skip_newlines();
    }
    if (out.encodings.empty()) {
        complain("an encoding: as FORMAT …");
        skip_to({"{"});
    }
    while (!at("{") && !at(TokenKind::end)) {
        if (accept("when")) {
            out.guard = expression();
        } else if (accept("lanes")) {
            out.lanes =
                static_cast<unsigned>(std::min<std::uint64_t>(expect_number("the number of lanes").value_or(1), 4096));
            if (accept("under")) out.lane_mask = expression();
        } else if (accept("arrives")) {
            out.arrivals = arrivals();
        } else if (accept("aligned")) {
            const Place place = peek().place;
            const std::uint64_t count = expect_number("the number of rows that stand together").value_or(1);
            out.aligned = static_cast<unsigned>(std::min<std::uint64_t>(count, most_aligned));
            if (!std::has_single_bit(count) || count > most_aligned)
                diagnostics_.error(place, fmt::format("`aligned` takes a power of two up to {}", most_aligned));
        } else {
            complain("when, lanes, arrives, aligned, also, or '{' to begin the rows",
                     {"when", "lanes", "arrives", "aligned", "also"});
            skip_to({"{"});
        }
        skip_newlines();
    }
    rows("rows of the table", [&] {
        const std::size_t before = diagnostics_.errors();
        if (accept("where")) {
            out.where.push_back(where());
            return;
        }
        if (at_doc()) return advance(), doc();
        out.rows.push_back(instruction_row(out.columns));
        told_ = out.rows.back().place;
        out.rows.back().where = out.where.size() - 1;
        out.rows.back().broken |= diagnostics_.errors() != before;
    });
    told_ = {};
    out_.instructions.push_back(std::move(out));
}

// --- the opcode space -------------------------------------------------------------------------------------------------

// 1111101 00000xxxx: words of 0, 1 and x, put together.
BitPattern Parser::pattern() {
    BitPattern out;
    out.place = peek().place;
    while ((at(TokenKind::pattern) || at(TokenKind::number) || at(TokenKind::name)) &&
           peek().text.find_first_not_of("01x_") == std::string_view::npos)
        out.digits += without_underscores(advance().text);
    if (out.digits.empty()) {
        complain("leading bits of an instruction, made of 0, 1 and x");
    } else if (out.digits.size() > 64) {
        diagnostics_.error(from(out.place), "a pattern has at most 64 bits");
        out.digits.clear();
    }
    out.place = from(out.place);
    return out;
}

void Parser::pool() {
    PoolDeclaration out;
    const Place begin = peek().place;
    if (at(TokenKind::name) && peek().text.find_first_not_of("01x_") != std::string_view::npos)
        out.name = expect_name("the name of the pool");
    out.low = pattern();
    if (out.low.digits.empty()) return skip_row();
    if (!expect("..", "between the pool's bounds")) return skip_row();
    out.high = pattern();
    if (out.high.digits.empty()) return skip_row();
    if (!expect("for", "before the formats that the pool is for")) return skip_row();
    out.formats = members("the name of a format");
    if (accept("capacity")) out.capacity = expect_number("how many opcodes the pool is said to hold");
    out.place = from(begin);
    out_.pools.push_back(std::move(out));
}

void Parser::reserved() {
    ReservedDeclaration out;
    out.pattern = pattern();
    if (out.pattern.digits.empty()) return skip_row();
    if (at(TokenKind::string)) out.reason = unquote(advance().text);
    out_.reserved.push_back(std::move(out));
}

}  // namespace

void parse(FileId file, SourceManager& sources, Includer& includer, Diagnostics& diagnostics,
           Description& description) {
    Parser(file, sources, includer, diagnostics, description, {file}).run();
}

}  // namespace isaforge::language

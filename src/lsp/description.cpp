#include "lsp/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

#include "language/lexer.hpp"
#include "language/limits.hpp"
#include "support/input_file.hpp"

namespace isaforge::lsp {

namespace fs = std::filesystem;

using language::Token;
using language::TokenKind;
using Kind = DescribedName::Kind;

namespace {

constexpr std::size_t most_free = 32, most_neighbours = 64;
constexpr unsigned widest_column = 12;

struct Declaration {
    std::string_view word;
    std::optional<Kind> kind;  // of the name behind it
};

// The words that a declaration begins with.
constexpr Declaration declarations[] = {
    {"isa", {}},
    {"variants", Kind::variant},
    {"dialects", {}},
    {"code", {}},
    {"opcodes", {}},
    {"objects", {}},
    {"meanings", {}},
    {"floats", {}},
    {"syntax", {}},
    {"expand", {}},
    {"constant", Kind::constant},
    {"parameter", Kind::constant},
    {"kind", Kind::constant},
    {"registers", Kind::registers},
    {"register", Kind::registers},
    {"memory", Kind::memory},
    {"device", {}},
    {"where", {}},
    {"mode", Kind::mode},
    {"on", {}},
    {"enum", Kind::enumeration},
    {"operand", Kind::operand},
    {"number", Kind::number},
    {"limit", Kind::limit},
    {"class", Kind::set},
    {"hazards", {}},
    {"format", Kind::format},
    {"part", Kind::part},
    {"function", Kind::function},
    {"type", Kind::type},
    {"instructions", {}},
    {"pool", {}},
    {"reserved", {}},
    {"include", {}},
    {"doc", {}},
    {"page", {}},
    {"for", {}},
    {"use", {}},
    {"length", {}},
};

constexpr std::string_view other_words[] = {
    "when",  "with",   "where",  "if",    "else", "let",   "return",     "in",    "step",    "auto",  "alias",
    "takes", "also",   "repeat", "as",    "at",   "of",    "of",         "after", "one",     "write", "port",
    "ports", "little", "big",    "units", "bits", "lanes", "relocation", "hex",   "decimal", "to"};

const Declaration* declaration_of(std::string_view word) {
    const auto found = std::find_if(std::begin(declarations), std::end(declarations),
                                    [&](const Declaration& one) { return one.word == word; });
    return found == std::end(declarations) ? nullptr : found;
}

Span span_of(const Token& token) { return {token.place.offset, token.place.offset + token.place.length}; }

// The tokens of one file, cut into declarations.
struct Part {
    FileId file = 0;
    std::vector<Token> tokens;
    struct Piece {
        std::size_t first = 0, last = 0;  // tokens
        const Declaration* declaration = nullptr;
        Index name = no_index;
    };
    std::vector<Piece> pieces;
};

class Collector {
public:
    Collector(const SourceManager& sources, DescribedNames& out) : sources_(sources), out_(out) {}

    void run(const std::vector<FileId>& files) {
        for (const FileId file : files) read(file);
        for (Part& part : parts_)
            for (Part::Piece& piece : part.pieces) declare(part, piece);
        join_.resize(out_.names.size());
        for (Index i = 0; i < join_.size(); ++i) join_[i] = i;
        for (const Part& part : parts_)
            for (const Part::Piece& piece : part.pieces)
                if (piece.declaration->word == "instructions") table(part, piece);
        for (const Part& part : parts_)
            for (const Part::Piece& piece : part.pieces) uses(part, piece);
        for (DescribedNames::Use& use : out_.uses) use.name = root(use.name);
        std::sort(out_.uses.begin(), out_.uses.end(), [](const auto& a, const auto& b) {
            return std::make_tuple(a.file, a.span.begin, !a.declares) <
                   std::make_tuple(b.file, b.span.begin, !b.declares);
        });
        const auto same = [](const auto& a, const auto& b) { return a.file == b.file && a.span.begin == b.span.begin; };
        out_.uses.erase(std::unique(out_.uses.begin(), out_.uses.end(), same), out_.uses.end());
    }

private:
    void read(FileId file) {
        Part& part = parts_.emplace_back();
        part.file = file;
        Diagnostics none(0);
        language::Lexer lexer(file, sources_, none);
        while (true) {
            const Token token = lexer.next();
            if (token.kind == TokenKind::end) break;
            part.tokens.push_back(token);
        }
        unsigned depth = 0;
        bool begins_line = true;
        for (std::size_t i = 0; i < part.tokens.size(); ++i) {
            const Token& token = part.tokens[i];
            // A declaration begins a line, in its first column: also where braces before it are missing.
            const bool first_column = token.place.offset == 0 || sources_.text(file)[token.place.offset - 1] == '\n';
            const Declaration* const declaration =
                begins_line && token.kind == TokenKind::name && (depth == 0 || first_column)
                    ? declaration_of(token.text)
                    : nullptr;
            if (declaration && (depth == 0 || declaration->kind || declaration->word == "instructions")) {
                depth = 0;
                if (!part.pieces.empty()) part.pieces.back().last = i;
                part.pieces.push_back({i, part.tokens.size(), declaration, no_index});
            }
            if (token.text == "{") ++depth;
            if (token.text == "}" && depth > 0) --depth;
            begins_line = token.kind == TokenKind::newline;
        }
    }

    Span whole(const Part& part, const Part::Piece& piece) const {
        std::size_t last = piece.last;
        while (last > piece.first + 1 && part.tokens[last - 1].kind == TokenKind::newline) --last;
        return {span_of(part.tokens[piece.first]).begin, span_of(part.tokens[last - 1]).end};
    }

    Index add(Kind kind, const Part& part, const Token& token, Span around, Index owner) {
        const auto index = static_cast<Index>(out_.names.size());
        out_.names.push_back({kind, std::string(token.text), part.file, span_of(token), around, owner});
        if (kind == Kind::field)
            fields_[owner].try_emplace(std::string(token.text), index);
        else
            globals_.try_emplace(std::string(token.text), index);
        out_.uses.push_back({part.file, span_of(token), index, true});
        return index;
    }

    void declare(const Part& part, Part::Piece& piece) {
        const Declaration& declaration = *piece.declaration;
        std::size_t i = piece.first + 1;
        if (!declaration.kind || i >= piece.last) return;
        const Span around = whole(part, piece);
        if (*declaration.kind == Kind::variant) {
            for (; i < piece.last && part.tokens[i].kind != TokenKind::newline; ++i)
                if (part.tokens[i].kind == TokenKind::name && part.tokens[i].text != "of" &&
                    !globals_.contains(part.tokens[i].text))
                    add(Kind::variant, part, part.tokens[i], around, no_index);
            return;
        }
        if (part.tokens[i].kind != TokenKind::name) return;
        const Token& token = part.tokens[i];
        // Declarations for several variants have one name.
        const auto known = globals_.find(token.text);
        if (known != globals_.end() && out_.names[known->second].kind == *declaration.kind &&
            *declaration.kind != Kind::format) {
            piece.name = known->second;
            out_.uses.push_back({part.file, span_of(token), piece.name, true});
        } else {
            piece.name = add(*declaration.kind, part, token, around, no_index);
        }
        if (*declaration.kind == Kind::format) declare_fields(part, piece, i + 1, around);
    }

    void declare_fields(const Part& part, const Part::Piece& piece, std::size_t i, Span around) {
        if (i < piece.last && part.tokens[i].text == "(") {
            for (; i < piece.last && part.tokens[i].text != ")"; ++i)
                if (part.tokens[i].kind == TokenKind::name) add(Kind::field, part, part.tokens[i], around, piece.name);
        }
        for (; i + 1 < piece.last; ++i) {
            const Token& token = part.tokens[i + 1];
            if (part.tokens[i].text != "|" || token.kind != TokenKind::name) continue;
            const auto& own = fields_[piece.name];
            const auto known = own.find(std::string(token.text));
            if (known == own.end())
                add(Kind::field, part, token, around, piece.name);
            else
                out_.uses.push_back({part.file, span_of(token), known->second, true});
        }
    }

    void table(const Part& part, const Part::Piece& piece) {
        DescribedTable made;
        made.file = part.file;
        made.whole = whole(part, piece);
        made.head = {made.whole.begin, made.whole.begin};
        bool in_columns = false;
        std::size_t i = piece.first + 1;
        for (; i < piece.last && part.tokens[i].text != "{"; ++i) {
            const Token& token = part.tokens[i];
            if (token.kind == TokenKind::newline) continue;
            made.head.end = span_of(token).end;
            if (token.text == "[" || token.text == "]") in_columns = token.text == "[";
            if (token.kind != TokenKind::name) continue;
            const auto known = globals_.find(token.text);
            const bool is_format = known != globals_.end() && out_.names[known->second].kind == Kind::format;
            if (in_columns && token.text == "bits")
                made.bits = true;
            else if (in_columns)
                made.columns.emplace_back(token.text);
            else if (is_format)
                made.formats.emplace_back(token.text);
        }
        for (; i < piece.last; ++i)
            made.hexadecimal |= part.tokens[i].kind == TokenKind::number && part.tokens[i].text.starts_with("0x");
        // A field of a row is one in each of the table's formats.
        for (std::size_t f = 1; f < made.formats.size(); ++f) {
            for (const auto& [name, index] : fields_of(made.formats[f])) {
                const auto& first = fields_of(made.formats[0]);
                const auto other = first.find(name);
                if (other != first.end()) join_[root(index)] = root(other->second);
            }
        }
        tables_of_[{part.file, made.whole.begin}] = out_.tables.size();
        out_.tables.push_back(std::move(made));
    }

    const std::map<std::string, Index>& fields_of(const std::string& format) const {
        static const std::map<std::string, Index> none;
        const auto found = globals_.find(format);
        if (found == globals_.end()) return none;
        const auto fields = fields_.find(found->second);
        return fields == fields_.end() ? none : fields->second;
    }

    Index root(Index name) const {
        while (name < join_.size() && join_[name] != name) name = join_[name];
        return name;
    }

    void uses(const Part& part, const Part::Piece& piece) {
        const std::string_view word = piece.declaration->word;
        std::vector<const std::map<std::string, Index>*> scopes;
        std::set<std::string_view> locals;
        if (word == "instructions") {
            const auto found = tables_of_.find({part.file, whole(part, piece).begin});
            if (found != tables_of_.end())
                for (const std::string& format : out_.tables[found->second].formats)
                    scopes.push_back(&fields_of(format));
        } else if (word == "format" && piece.name != no_index) {
            const auto fields = fields_.find(piece.name);
            if (fields != fields_.end()) scopes.push_back(&fields->second);
        } else if (word == "function" || word == "operand" || word == "part" || word == "on") {
            local_names(part, piece, locals);
        }
        for (std::size_t i = piece.first + 1; i < piece.last; ++i) {
            const Token& token = part.tokens[i];
            if (token.kind == TokenKind::string && !scopes.empty()) in_text(part, token, scopes);
            if (token.kind != TokenKind::name || locals.contains(token.text)) continue;
            if (i > 0 && part.tokens[i - 1].text == ".") continue;  // a member
            mention(part, token.text, span_of(token), scopes, true);
        }
    }

    void mention(const Part& part, std::string_view word, Span span,
                 const std::vector<const std::map<std::string, Index>*>& scopes, bool with_globals) {
        for (const auto* const scope : scopes) {
            const auto found = scope->find(std::string(word));
            if (found == scope->end()) continue;
            out_.uses.push_back({part.file, span, found->second, false});
            return;
        }
        const auto found = globals_.find(word);
        if (with_globals && found != globals_.end()) out_.uses.push_back({part.file, span, found->second, false});
    }

    // "{name} {A}": fields in braces.
    void in_text(const Part& part, const Token& token, const std::vector<const std::map<std::string, Index>*>& scopes) {
        for (std::size_t at = token.text.find('{'); at != std::string_view::npos; at = token.text.find('{', at + 1)) {
            std::size_t end = at + 1;
            while (end < token.text.size() && language::is_name(token.text[end])) ++end;
            const std::uint32_t begin = token.place.offset + static_cast<std::uint32_t>(at + 1);
            if (end > at + 1)
                mention(part, token.text.substr(at + 1, end - at - 1),
                        {begin, token.place.offset + static_cast<std::uint32_t>(end)}, scopes, false);
        }
    }

    // Parameters, what a row of an operand captures, what `let` names.
    static void local_names(const Part& part, const Part::Piece& piece, std::set<std::string_view>& out) {
        std::size_t i = piece.first + 2;
        if (i < piece.last && part.tokens[i].text == "(") {
            for (; i < piece.last && part.tokens[i].text != ")"; ++i)
                if (part.tokens[i].kind == TokenKind::name) out.insert(part.tokens[i].text);
        }
        for (; i + 1 < piece.last; ++i) {
            const Token& token = part.tokens[i];
            if (token.kind != TokenKind::name) continue;
            if (piece.declaration->word == "operand" && part.tokens[i + 1].text == ":") out.insert(token.text);
            if (token.text == "let" && part.tokens[i + 1].kind == TokenKind::name) out.insert(part.tokens[i + 1].text);
        }
    }

    const SourceManager& sources_;
    DescribedNames& out_;
    std::vector<Part> parts_;
    std::map<std::string, Index, std::less<>> globals_;
    std::map<Index, std::map<std::string, Index>> fields_;  // by format
    std::map<std::pair<FileId, std::uint32_t>, std::size_t> tables_of_;
    std::vector<Index> join_;  // fields that are one for whoever renames them
};

// The mnemonics of rows, which only the model knows for certain.
void add_instructions(const Isa& isa, const SourceManager& sources, DescribedNames& out) {
    std::set<std::pair<FileId, std::uint32_t>> seen;
    for (const Instruction& instruction : isa.instructions) {
        if (!instruction.where.known() || instruction.names.empty()) continue;
        const Place where = sources.origin(instruction.where);
        const std::string_view text = sources.text(where.file);
        const std::size_t line_begin = where.offset == 0 ? 0 : text.rfind('\n', where.offset - 1) + 1;
        const std::string_view line =
            text.substr(line_begin, std::min(text.find('\n', line_begin), text.size()) - line_begin);
        const std::string& name = instruction.names.front();
        for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
            const bool whole = (at == 0 || !is_word(line[at - 1])) &&
                               (at + name.size() >= line.size() || !is_word(line[at + name.size()]));
            if (!whole) continue;
            const auto begin = static_cast<std::uint32_t>(line_begin + at);
            const Span span{begin, begin + static_cast<std::uint32_t>(name.size())};
            if (!seen.insert({where.file, begin}).second) break;
            const auto index = static_cast<Index>(out.names.size());
            out.names.push_back({Kind::instruction, name, where.file, span, span, no_index});
            out.uses.push_back({where.file, span, index, true});
            break;
        }
    }
}

bool is_whole(std::string_view text) {
    return text.starts_with("isa ") || text.find("\nisa ") != std::string_view::npos;
}

// A description that includes this file; empty where none is beside it.
std::string includer_of(const std::string& path) {
    std::error_code code;
    const std::string name = fs::path(path).filename().string();
    std::size_t count = 0;
    for (fs::directory_iterator entry(fs::path(path).parent_path(), code), end; !code && entry != end;
         entry.increment(code)) {
        if (entry->path().extension() != ".isa" || ++count > most_neighbours) continue;
        std::string text, error;
        if (entry->path() == path || !read_input(entry->path().string(), Readable::only_regular, text, error, 1 << 20))
            continue;
        if (is_whole(text) && text.find("include \"" + name + "\"") != std::string::npos) return entry->path().string();
    }
    return {};
}

}  // namespace

const DescribedNames::Use* DescribedNames::at(FileId file, std::uint32_t offset) const {
    const auto behind = std::upper_bound(
        uses.begin(), uses.end(), std::make_pair(file, offset),
        [](const auto& where, const Use& one) { return where < std::make_pair(one.file, one.span.begin); });
    if (behind == uses.begin()) return nullptr;
    const Use& before = *std::prev(behind);
    return before.file == file && before.span.has(offset) ? &before : nullptr;
}

DescribedNames names_of(const SourceManager& sources, const std::vector<FileId>& files) {
    DescribedNames out;
    Collector(sources, out).run(files);
    return out;
}

std::shared_ptr<const Description> read_description(const Text& text, const std::string& path, const Overlays& overlays,
                                                    Text::Columns columns, const Description* before) {
    const auto machine = std::make_shared<Machine>();
    Overlays own = overlays;
    own[path] = {0, std::make_shared<const std::string>(text.str())};
    const StandIns stand_ins(texts_of(own));
    const std::string whole = is_whole(text.str()) || path.empty() ? std::string() : includer_of(path);
    auto out = std::make_shared<Description>(machine);
    if (whole.empty()) {
        machine->isa =
            load_isa_text(path.empty() ? "<description>" : path, text.str(), machine->sources, machine->diagnostics);
    } else {
        machine->isa = load_isa(whole, machine->sources, machine->diagnostics);
    }
    std::vector<FileId> files;
    for (FileId file = 1; file <= machine->sources.size(); ++file) {
        if (machine->sources.derivation(file)) continue;
        const std::string_view name = machine->sources.name(file);
        if (name.ends_with(".md")) continue;  // a page of prose
        if (fs::path(name).lexically_normal() == fs::path(path).lexically_normal() || name == "<description>")
            out->main = file;
        files.push_back(file);
    }
    if (out->main == 0) {
        out->main = machine->sources.add(path, text.str());
        files.push_back(out->main);
    }
    out->findings = findings_of(machine->diagnostics, machine->sources, path, columns);
    out->names = names_of(machine->sources, files);
    if (machine->isa) {
        machine->codec = std::make_unique<Codec>(machine->isa);
        out->machine = machine;
        add_instructions(*machine->isa, machine->sources, out->names);
        std::stable_sort(out->names.uses.begin(), out->names.uses.end(), [](const auto& a, const auto& b) {
            return std::make_tuple(a.file, a.span.begin, !a.declares) <
                   std::make_tuple(b.file, b.span.begin, !b.declares);
        });
        Diagnostics none;
        out->has_space = account_space(*machine->isa, out->space, none);
    } else if (before) {
        out->machine = before->machine;
        out->space = before->space;
        out->has_space = before->has_space;
    }
    return out;
}

std::string_view kind_text(Kind kind) {
    switch (kind) {
        case Kind::format: return "format";
        case Kind::field: return "field";
        case Kind::operand: return "operand";
        case Kind::number: return "number";
        case Kind::enumeration: return "enumeration";
        case Kind::registers: return "registers";
        case Kind::memory: return "memory";
        case Kind::function: return "function";
        case Kind::constant: return "constant";
        case Kind::type: return "type";
        case Kind::limit: return "limit";
        case Kind::set: return "class of instructions";
        case Kind::mode: return "mode";
        case Kind::part: return "part";
        case Kind::pool: return "pool";
        case Kind::instruction: return "instruction";
        case Kind::variant: return "variant";
    }
    return {};
}

bool is_keyword(std::string_view word, bool begins_line) {
    if (begins_line && declaration_of(word)) return true;
    return std::find(std::begin(other_words), std::end(other_words), word) != std::end(other_words);
}

const std::vector<std::string_view>& declaration_words() {
    static const std::vector<std::string_view> words = [] {
        std::vector<std::string_view> out;
        for (const Declaration& one : declarations) out.push_back(one.word);
        return out;
    }();
    return words;
}

std::vector<std::pair<std::string, std::string>> free_opcodes(const Description& description,
                                                              const DescribedTable& table) {
    std::vector<std::pair<std::string, std::string>> out;
    if (!description.machine || table.columns.size() != 1 || table.formats.empty()) return out;
    const Isa& isa = *description.machine->isa;
    // A form of each of the formats: a code is free where no instruction has it with the bits that these give.
    std::vector<const Form*> own;
    for (const std::string& format : table.formats) {
        const auto found = std::find_if(isa.forms.begin(), isa.forms.end(), [&](const Form& form) {
            const Field* const field = field_of(form, table.columns[0]);
            return form.format != no_index && isa.formats[form.format].name == format && field && field->fixed &&
                   field->place.width > 0 && field->place.width <= widest_column;
        });
        if (found != isa.forms.end()) own.push_back(&*found);
    }
    if (own.empty()) return out;
    const Field* const field = field_of(*own[0], table.columns[0]);
    std::vector<bool> used(std::size_t{1} << field->place.width);
    for (const Form* const one : own) {
        const Field* const column = field_of(*one, table.columns[0]);
        if (column->place.width != field->place.width) continue;
        for (const Form& other : isa.forms) {
            bool meets = true;  // in all bits but those of the column
            Image all{};
            column->place.insert(all, low_bits(column->place.width));
            for (std::size_t i = 0; i < all.words.size(); ++i)
                meets &= (one->mask.words[i] & other.mask.words[i] & ~all.words[i] &
                          (one->value.words[i] ^ other.value.words[i])) == 0;
            if (!meets) continue;
            const std::uint64_t mask = column->place.extract(other.mask), value = column->place.extract(other.value);
            for (std::size_t code = 0; code < used.size(); ++code)
                if ((code & mask) == (value & mask)) used[code] = true;
        }
    }
    for (const OpcodeRow& row : isa.opcode_rows) {
        if (!row.reserved || row.columns.size() != 1 || row.columns[0].place.width != field->place.width) continue;
        for (std::uint64_t code = row.columns[0].low; code <= row.columns[0].high && code < used.size(); ++code)
            used[code] = true;
    }
    for (std::size_t code = 0; code < used.size() && out.size() < most_free; ++code) {
        if (used[code]) continue;
        std::string text;
        if (table.bits)
            text = fmt::format("{:0{}b}", code, field->place.width);
        else if (table.hexadecimal)
            text = fmt::format("0x{:0{}x}", code, (field->place.width + 3) / 4);
        else
            text = std::to_string(code);
        out.emplace_back(std::move(text), fmt::format("free in {}", fmt::join(table.formats, ", ")));
    }
    return out;
}

}  // namespace isaforge::lsp

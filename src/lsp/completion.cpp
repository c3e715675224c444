// What may be written next, and how what is being written goes on. For instructions the grammar of the description says it.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "isaforge/expected.hpp"
#include "lsp/features.hpp"
#include "lsp/reader.hpp"

namespace isaforge::lsp {

namespace {

// Of the protocol.
enum class ItemKind : std::uint8_t {
    method = 2,
    function = 3,
    field = 5,
    variable = 6,
    module = 9,
    property = 10,
    value = 12,
    enumeration = 13,
    keyword = 14,
    structure = 22,
    constant = 21,
    reference = 18,
};

class Items {
public:
    Items(const Text& text, Span word) : text_(text), word_(word) {}

    // `order`: groups of items, the first one first.
    void add(std::string_view label, ItemKind kind, std::string detail, char order, std::optional<Span> instead = {}) {
        if (all_.size() >= most_completions) {
            more = true;
            return;
        }
        const auto [found, is_new] = seen_.try_emplace(std::string(label), 0);
        if (!is_new) return;
        Json item{{"label", label},
                  {"kind", static_cast<int>(kind)},
                  {"sortText", std::string(1, order) + std::string(label)}};
        if (!detail.empty()) item["detail"] = std::move(detail);
        item["textEdit"] = {{"range", to_json(text_.range_of(instead.value_or(word_)))}, {"newText", label}};
        all_.push_back(std::move(item));
    }

    Json json() const { return {{"isIncomplete", more}, {"items", all_}}; }

    bool more = false;

private:
    const Text& text_;
    Span word_;
    std::map<std::string, int> seen_;
    Json all_ = Json::array();
};

bool begins(std::string_view text, std::string_view prefix) {
    return text.size() >= prefix.size() &&
           std::equal(prefix.begin(), prefix.end(), text.begin(),
                      [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

std::string value_text(const ProgramName& name) {
    switch (name.kind) {
        case ProgramName::Kind::label: return fmt::format("label {:#x}", name.value);
        case ProgramName::Kind::number:
            return name.floating   ? "number"
                   : name.negative ? fmt::format("{}", static_cast<std::int64_t>(name.value))
                                   : fmt::format("{} = {:#x}", name.value, name.value);
        case ProgramName::Kind::macro: return name.text.empty() ? "macro" : "macro " + name.text;
        case ProgramName::Kind::definition: return name.text;
        default: return "symbol";
    }
}

void add_names(const Program* program, std::string_view prefix, const std::string& mark, bool macros, Items& items) {
    if (!program) return;
    for (const ProgramName& name : program->names.names) {
        if (name.name.empty() || name.kind == ProgramName::Kind::undefined) continue;
        const bool is_macro = name.kind == ProgramName::Kind::macro;
        if (is_macro != macros || !begins(name.name, prefix)) continue;
        const bool is_definition = name.kind == ProgramName::Kind::definition;
        items.add(is_macro || is_definition ? name.name : mark + name.name,
                  is_macro                                ? ItemKind::function
                  : name.kind == ProgramName::Kind::label ? ItemKind::reference
                                                          : ItemKind::constant,
                  value_text(name), is_macro ? '1' : '3');
    }
}

void add_directives(std::string_view prefix, Items& items) {
    if (!prefix.empty() && !prefix.starts_with('.')) return;
    for (const std::string_view directive : assembler_directives())
        if (begins(directive, prefix)) items.add(directive, ItemKind::module, "directive", '4');
}

void add_expected(const Machine& machine, const Expected& expected, Span word, Items& items) {
    for (const Continuation& one : expected.continuations) {
        switch (one.kind) {
            case Continuation::Kind::mnemonic: {
                const Instruction* instruction =
                    one.instruction == no_index ? nullptr : &machine.isa->instructions[one.instruction];
                items.add(one.text, ItemKind::keyword, instruction ? instruction->title : std::string(), '2', word);
                break;
            }
            case Continuation::Kind::registers: items.add(one.text, ItemKind::variable, one.place, '2', word); break;
            case Continuation::Kind::word: items.add(one.text, ItemKind::property, one.place, '1', word); break;
            case Continuation::Kind::mark: break;  // one key
        }
    }
    items.more |= expected.more;
}

// Where the words begin that a text may go on from: what a description takes for a word is not always what is one here.
std::vector<std::uint32_t> cuts_of(const Text& text, Span word, std::uint32_t begin, std::uint32_t cursor) {
    std::vector<std::uint32_t> out{word.begin};
    const std::string& all = text.str();
    if (word.begin > begin && std::string_view("$%@#").find(all[word.begin - 1]) != std::string_view::npos)
        out.push_back(word.begin - 1);
    // Inside of brackets: where the word before them begins, as `s` of `s[1`.
    const std::size_t bracket = text.view({begin, word.begin}).find_last_of("[]");
    if (bracket != std::string_view::npos && all[begin + bracket] == '[')
        out.push_back(std::max(begin, word_at(text, begin + static_cast<std::uint32_t>(bracket)).begin));
    for (std::uint32_t at = cursor; at > word.begin; --at) {
        if (all[at - 1] == '.') out.push_back(at);
        if (all[at - 1] == '.') out.push_back(at - 1);
    }
    if (out.size() > 5) out.resize(5);
    return out;
}

Json program_completion(Asked& asked) {
    const Machine* const machine = asked.machine();
    if (!machine) return nullptr;
    const Text& text = asked.text();
    const Scanner scanner(*machine->codec, asked.document.program.get());
    const StatementAt at = statement_at(scanner, text, asked.offset);
    if (at.in_comment || at.in_string) return nullptr;
    Span word = word_at(text, asked.offset);
    word.begin = std::max(word.begin, at.begin);
    const std::string_view prefix = text.view({word.begin, asked.offset});
    const Program* const program = asked.document.program.get();
    Items items(text, word);
    const Surface& surface = machine->isa->surface;
    const bool is_head = !at.head || asked.offset <= at.head->span.end;
    if (is_head) add_directives(prefix, items);
    if (is_head) add_names(program, prefix, "", true, items);
    const bool is_directive = !is_head && at.head->kind == Lexeme::Kind::directive;
    const bool is_macro = !is_head && program && [&] {
        const Index name = program->find(text.view(at.head->span));
        return name != no_index && program->names.names[name].kind == ProgramName::Kind::macro;
    }();
    bool names = is_directive || is_macro;
    if (!names) {
        ProgramReader reader(*machine->codec, nullptr);
        for (const std::uint32_t cut : cuts_of(text, word, at.begin, asked.offset)) {
            const Expected expected =
                expected_behind(*machine->codec, text.view({at.begin, cut}), text.view({cut, asked.offset}), 0,
                                reader.reader(), most_completions);
            names |= expected.numbers;
            add_expected(*machine, expected, {cut, word.end}, items);
        }
        // The statement above may only lack its end.
        const std::uint32_t line = text.line(text.line_of(asked.offset)).begin;
        const bool first_word =
            text.view({std::min(line, word.begin), word.begin}).find_first_not_of(" \t") == std::string_view::npos;
        if (at.begin < line && first_word && at.head && at.head->span.begin < line) {
            const Expected fresh = expected_behind(*machine->codec, "", prefix, 0, reader.reader(), most_completions);
            add_expected(*machine, fresh, word, items);
            add_directives(prefix, items);
            add_names(program, prefix, "", true, items);
        }
    }
    if (names) {
        const std::string& mark = surface.label_reference_prefix;
        const bool has_mark = !mark.empty() && text.view({0, word.begin}).ends_with(mark);
        add_names(program, prefix, is_directive || is_macro || has_mark ? "" : mark, false, items);
    } else if (!is_head) {
        // A definition may stand for any operand.
        for (const ProgramName& name : program ? program->names.names : std::vector<ProgramName>())
            if (name.kind == ProgramName::Kind::definition && begins(name.name, prefix))
                items.add(name.name, ItemKind::constant, name.text, '3');
    }
    return items.json();
}

ItemKind kind_of(DescribedName::Kind kind) {
    switch (kind) {
        case DescribedName::Kind::format: return ItemKind::structure;
        case DescribedName::Kind::field: return ItemKind::field;
        case DescribedName::Kind::function: return ItemKind::function;
        case DescribedName::Kind::enumeration: return ItemKind::enumeration;
        case DescribedName::Kind::registers: return ItemKind::variable;
        case DescribedName::Kind::constant: return ItemKind::constant;
        default: return ItemKind::property;
    }
}

// Numbers that are free in the table, as the row before would have them.
void add_free_opcodes(Asked& asked, Items& items) {
    const Description& description = *asked.document.description;
    const std::uint32_t then = asked.document.then(asked.offset);
    const DescribedTable* table = nullptr;
    for (const DescribedTable& one : description.names.tables)
        if (one.file == description.main && one.head.end < then && one.whole.has(then)) table = &one;
    if (!table) return;
    for (const auto& [text, detail] : free_opcodes(description, *table)) {
        items.add(text, ItemKind::value, detail, '0');
    }
}

Json description_completion(Asked& asked) {
    if (!asked.document.description) return nullptr;
    const Text& text = asked.text();
    const Description& description = *asked.document.description;
    const Span word = word_at(text, asked.offset);
    const std::string_view prefix = text.view({word.begin, asked.offset});
    const std::string_view before = text.view({text.line(text.line_of(asked.offset)).begin, word.begin});
    if (before.find("//") != std::string_view::npos) return nullptr;
    if (std::count(before.begin(), before.end(), '"') % 2 == 1) {
        // Inside of a text fields stand in braces.
        if (before.rfind('{') == std::string_view::npos ||
            (before.rfind('}') != std::string_view::npos && before.rfind('}') > before.rfind('{')))
            return nullptr;
    }
    Items items(text, word);
    const bool first_word = before.find_first_not_of(" \t") == std::string_view::npos;
    if (first_word) add_free_opcodes(asked, items);
    if (first_word && before.empty())
        for (const std::string_view keyword : declaration_words())
            if (begins(keyword, prefix)) items.add(keyword, ItemKind::keyword, "", '3');
    const std::uint32_t then = asked.document.then(asked.offset);
    std::vector<std::string> formats;
    for (const DescribedTable& table : description.names.tables)
        if (table.file == description.main && table.whole.has(then)) formats = table.formats;
    for (const DescribedName& name : description.names.names) {
        if (!begins(name.name, prefix) || name.kind == DescribedName::Kind::instruction) continue;
        const bool is_field = name.kind == DescribedName::Kind::field;
        if (is_field && name.owner != no_index) {
            const std::string& format = description.names.names[name.owner].name;
            const bool here = std::find(formats.begin(), formats.end(), format) != formats.end() ||
                              description.names.names[name.owner].whole.has(then);
            if (!here) continue;
        }
        items.add(name.name, kind_of(name.kind), std::string(kind_text(name.kind)), is_field ? '1' : '2');
    }
    return items.json();
}

}  // namespace

Json completion(Asked& asked) {
    return asked.document.is_description ? description_completion(asked) : program_completion(asked);
}

Json signature_help(Asked& asked) {
    const Machine* const machine = asked.machine();
    if (!machine) return nullptr;
    const Text& text = asked.text();
    const StatementAt at = statement_at(Scanner(*machine->codec, asked.document.program.get()), text, asked.offset);
    if (!at.head || asked.offset <= at.head->span.end || at.in_comment) return nullptr;
    const Program* const program = asked.document.program.get();
    Json signatures = Json::array();
    std::size_t active = 0;
    const Index called = program ? program->find(text.view(at.head->span)) : no_index;
    if (called != no_index && program->names.names[called].kind == ProgramName::Kind::macro) {
        const ProgramName& macro = program->names.names[called];
        const std::string_view written = text.view({at.head->span.end, asked.offset});
        Json parameters = Json::array();
        const std::size_t first = macro.name.size() + 1;
        for (std::size_t begin = 0; begin < macro.text.size();) {
            const std::size_t end = std::min(macro.text.find(", ", begin), macro.text.size());
            parameters.push_back({{"label", {first + begin, first + end}}});
            begin = end + 2;
        }
        signatures.push_back({{"label", macro.name + " " + macro.text},
                              {"parameters", parameters},
                              {"activeParameter", std::count(written.begin(), written.end(), ',')}});
    } else if (at.head->kind == Lexeme::Kind::mnemonic) {
        ProgramReader reader(*machine->codec, nullptr);
        Span word = word_at(text, asked.offset);
        word.begin = std::max(word.begin, at.head->span.end);
        if (word.begin > at.begin &&
            std::string_view("$%@#").find(text.str()[word.begin - 1]) != std::string_view::npos)
            --word.begin;
        const Expected expected =
            expected_behind(*machine->codec, text.view({at.begin, word.begin}), "", 0, reader.reader(), 0);
        for (const Signature& one : expected.signatures) {
            Json signature{{"label", one.label}};
            const Form& form = machine->isa->forms[one.form];
            const std::string& title = machine->isa->instruction_of(form).title;
            if (!title.empty()) signature["documentation"] = title;
            Json parameters = Json::array();
            for (const Signature::Part& part : one.parts) {
                Json parameter{{"label", {part.begin, part.end}}};
                for (const ExpectedOperand& operand : expected.operands)
                    if (operand.type == form.fields[part.field].type && !operand.words.empty())
                        parameter["documentation"] = operand.words;
                parameters.push_back(std::move(parameter));
            }
            signature["parameters"] = std::move(parameters);
            if (one.active) signature["activeParameter"] = *one.active;
            signatures.push_back(std::move(signature));
        }
    }
    if (signatures.empty()) return nullptr;
    return {{"signatures", signatures}, {"activeSignature", active}};
}

}  // namespace isaforge::lsp

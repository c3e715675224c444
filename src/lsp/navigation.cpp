// Where a name is defined and where it stands, and another name for it everywhere.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lsp/features.hpp"

namespace isaforge::lsp {

namespace {

// Of the protocol: SymbolKind.
enum class SymbolKind : std::uint8_t {
    module = 2,
    space = 3,
    klass = 5,
    property = 7,
    field = 8,
    enumeration = 10,
    function = 12,
    variable = 13,
    constant = 14,
    number = 16,
    array = 18,
    key = 20,
    structure = 23,
    event = 24,
};

// A place where a name stands.
struct Stand {
    std::string path;
    Range range;
    bool writes = false;
};

class Ranges {
public:
    Ranges(const Asked& asked, const SourceManager& sources, FileId main)
        : asked_(asked), sources_(sources), main_(main) {}

    Stand stand(FileId file, Span span, bool writes) {
        if (file == main_)
            return {asked_.document.path, asked_.document.text.range_of(asked_.document.now(span)), writes};
        const auto [found, is_new] = texts_.try_emplace(file);
        if (is_new) found->second = Text(std::string(sources_.text(file)));
        return {std::string(sources_.name(file)), found->second.range_of(span), writes};
    }

private:
    const Asked& asked_;
    const SourceManager& sources_;
    FileId main_;
    std::map<FileId, Text> texts_;
};

Json location(const Asked& asked, const Stand& stand) {
    const bool own = stand.path == asked.document.path;
    return {{"uri", own ? asked.document.uri : uri_of(stand.path)}, {"range", to_json(stand.range)}};
}

bool is_disk_file(std::string_view name) { return !name.empty() && name[0] != '<'; }

Index name_at(const Asked& asked, const Program& program) {
    const Text& text = asked.text();
    Span word = word_at(text, asked.offset);
    const std::string_view written = text.view(word);
    if (written.empty()) return no_index;
    const std::uint32_t then = asked.document.then(asked.offset);
    const Mention* const mention = program.mention_at(program.main, then);
    const auto fits = [&](const Mention& one) {
        const std::string& name = program.names.names[one.name].name;
        return name.empty() || written.ends_with(name) || name.ends_with(written) ||
               (written.starts_with('.') && name.ends_with(written.substr(1)));
    };
    if (mention && fits(*mention)) return mention->name;
    const Index found = program.find(written);
    // In a macro's body, labels may have a prefix that is part of no name.
    return found == no_index && written.starts_with('.') ? program.find(written.substr(1)) : found;
}

// The words of the bodies of macros that are the name: what macros make of them is in no file.
void add_words_in_macros(const Program& program, FileId file, const std::string& name, std::vector<Span>& out) {
    const std::string_view text = program.sources.text(file);
    for (std::size_t at = text.find(".macro"); at != std::string_view::npos; at = text.find(".macro", at + 6)) {
        const std::size_t begin = text.find('\n', at), end = std::min(text.find(".endm", at), text.size());
        for (std::size_t p = text.find(name, begin); p < end && p != std::string_view::npos;
             p = text.find(name, p + 1)) {
            const bool whole = (p == 0 || (!is_word(text[p - 1]) && text[p - 1] != '\\')) &&
                               (p + name.size() >= text.size() || !is_word(text[p + name.size()]));
            if (whole) out.push_back({static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(p + name.size())});
        }
    }
}

std::vector<Stand> stands_of(const Asked& asked, const Program& program, Index name) {
    Ranges ranges(asked, program.sources, program.main);
    std::vector<Stand> out;
    std::set<std::pair<FileId, std::uint32_t>> seen;
    for (const std::uint32_t i : program.mentions_of[name]) {
        const Mention& one = program.names.mentions[i];
        if (!is_disk_file(program.sources.name(one.place.file))) continue;
        seen.insert({one.place.file, one.place.offset});
        out.push_back(
            ranges.stand(one.place.file, {one.place.offset, one.place.offset + one.place.length}, one.defines));
    }
    const std::string& text = program.names.names[name].name;
    if (text.empty() || text.find("::") != std::string::npos) return out;
    for (FileId file = 1; file <= program.sources.size(); ++file) {
        if (!is_disk_file(program.sources.name(file))) continue;
        std::vector<Span> words;
        add_words_in_macros(program, file, text, words);
        for (const Span word : words)
            if (seen.insert({file, word.begin}).second) out.push_back(ranges.stand(file, word, false));
    }
    return out;
}

const DescribedNames::Use* use_at(const Asked& asked, const Description& description) {
    return description.names.at(description.main, asked.document.then(asked.offset));
}

std::vector<Stand> stands_of(const Asked& asked, const Description& description, Index name) {
    Ranges ranges(asked, description.sources, description.main);
    std::vector<Stand> out;
    for (const DescribedNames::Use& use : description.names.uses)
        if (use.name == name) out.push_back(ranges.stand(use.file, use.span, use.declares));
    return out;
}

// All places of the name at the place that was asked for.
std::vector<Stand> stands_at(const Asked& asked) {
    const Document& document = asked.document;
    if (document.description) {
        const DescribedNames::Use* const use = use_at(asked, *document.description);
        return use ? stands_of(asked, *document.description, use->name) : std::vector<Stand>();
    }
    if (!document.program || document.program->main == 0) return {};
    const Index name = name_at(asked, *document.program);
    return name == no_index ? std::vector<Stand>() : stands_of(asked, *document.program, name);
}

bool flag(const Json& params, const char* object, const char* name) {
    if (!params.is_object() || !params.contains(object) || !params.at(object).is_object()) return true;
    const Json& value = params.at(object).value(name, Json(true));
    return !value.is_boolean() || value.get<bool>();
}

Json instruction_definition(const Asked& asked) {
    const Machine* const machine = asked.machine();
    if (!machine || machine->path.empty()) return nullptr;
    const StatementAt at =
        statement_at(Scanner(*machine->codec, asked.document.program.get()), asked.text(), asked.offset);
    if (!at.head || !at.head->span.has(asked.offset)) return nullptr;
    const std::string word(asked.text().view(at.head->span));
    for (const Instruction& instruction : machine->isa->instructions) {
        if (std::find(instruction.names.begin(), instruction.names.end(), word) == instruction.names.end()) continue;
        const Place where = machine->sources.origin(instruction.where);
        const std::string path(machine->sources.name(where.file));
        if (!where.known() || !path.starts_with('/')) return nullptr;
        const Text text{std::string(machine->sources.text(where.file))};
        return location(asked, {path, text.range_of({where.offset, where.offset + where.length})});
    }
    return nullptr;
}

}  // namespace

Json definition(Asked& asked) {
    const Document& document = asked.document;
    if (document.description) {
        Json out = Json::array();
        for (const Stand& stand : stands_at(asked))
            if (stand.writes) out.push_back(location(asked, stand));
        return out.empty() ? Json() : out;
    }
    if (!document.program || document.program->main == 0) return nullptr;
    const Program& program = *document.program;
    const Index name = name_at(asked, program);
    if (name == no_index) return instruction_definition(asked);
    Ranges ranges(asked, program.sources, program.main);
    Json out = Json::array();
    for (const std::uint32_t i : program.mentions_of[name]) {
        const Mention& one = program.names.mentions[i];
        if (one.defines && is_disk_file(program.sources.name(one.place.file)))
            out.push_back(location(
                asked, ranges.stand(one.place.file, {one.place.offset, one.place.offset + one.place.length}, true)));
    }
    // What a macro defines is defined where it is called.
    const ProgramName& told = program.names.names[name];
    if (out.empty() && told.kind != ProgramName::Kind::undefined && told.where.known()) {
        const Place where = program.sources.origin(told.where);
        if (is_disk_file(program.sources.name(where.file)))
            out.push_back(location(asked, ranges.stand(where.file, {where.offset, where.offset + where.length}, true)));
    }
    return out.empty() ? Json() : out;
}

Json references(Asked& asked) {
    const bool with_definition = flag(asked.params, "context", "includeDeclaration");
    Json out = Json::array();
    for (const Stand& stand : stands_at(asked))
        if (with_definition || !stand.writes) out.push_back(location(asked, stand));
    return out;
}

Json highlights(Asked& asked) {
    Json out = Json::array();
    for (const Stand& stand : stands_at(asked))
        if (stand.path == asked.document.path)
            out.push_back({{"range", to_json(stand.range)}, {"kind", stand.writes ? 3 : 2}});
    return out;
}

Json prepare_rename(Asked& asked) {
    const std::uint32_t offset = asked.offset;
    for (const Stand& stand : stands_at(asked)) {
        if (stand.path != asked.document.path) continue;
        const Span span = asked.text().span_of(stand.range);
        if (span.has(offset)) return {{"range", to_json(stand.range)}, {"placeholder", asked.text().view(span)}};
    }
    return nullptr;
}

Json rename(Asked& asked) {
    const Document& document = asked.document;
    const auto problem = [](std::string text) { return Json{{"problem", std::move(text)}}; };
    std::string name;
    if (asked.params.contains("newName") && asked.params.at("newName").is_string())
        name = asked.params.at("newName").get<std::string>();
    const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), is_word) &&
                         !(name[0] >= '0' && name[0] <= '9') &&
                         (!document.is_description || name.find_first_of(".$") == std::string::npos);
    if (!is_name) return problem(fmt::format("'{}' is no name", name));
    if (document.analysed != document.revision) return problem("the document is still being looked at: try again");
    const std::vector<Stand> stands = stands_at(asked);
    if (stands.empty()) return problem("there is no name here");
    if (std::none_of(stands.begin(), stands.end(), [](const Stand& one) { return one.writes; }))
        return problem("this is not defined in the program");
    if (document.program) {
        const Machine* const machine = asked.machine();
        const Index known = document.program->find(name);
        if (known != no_index && document.program->names.names[known].kind != ProgramName::Kind::undefined)
            return problem(fmt::format("there is a '{}' already", name));
        if (machine && machine->codec->names_register(name)) return problem(fmt::format("'{}' is a register", name));
    } else if (document.description) {
        const DescribedNames::Use* const use = use_at(asked, *document.description);
        const Index own = use ? document.description->names.names[use->name].owner : no_index;
        for (const DescribedName& other : document.description->names.names)
            if (other.name == name && other.owner == own) return problem(fmt::format("there is a '{}' already", name));
    }
    Json changes = Json::object();
    for (const Stand& stand : stands) {
        const std::string uri = stand.path == document.path ? document.uri : uri_of(stand.path);
        changes[uri].push_back({{"range", to_json(stand.range)}, {"newText", name}});
    }
    return {{"changes", changes}};
}

Json symbols(Asked& asked) {
    const Document& document = asked.document;
    Json out = Json::array();
    const auto add = [&](const std::string& name, SymbolKind kind, const std::string& detail, Span span, Span whole) {
        if (name.empty() || out.size() >= 20000) return;
        const Json range = to_json(document.text.range_of(document.now(span)));
        Json one{{"name", name}, {"kind", static_cast<int>(kind)}, {"selectionRange", range}};
        const Span now = document.now(whole);
        one["range"] = whole.has(span.begin) && whole.has(span.end) ? to_json(document.text.range_of(now)) : range;
        if (!detail.empty()) one["detail"] = detail;
        out.push_back(std::move(one));
    };
    if (document.description) {
        const Description& description = *document.description;
        for (const DescribedName& name : description.names.names) {
            if (name.file != description.main || name.kind == DescribedName::Kind::field) continue;
            const SymbolKind kind = name.kind == DescribedName::Kind::format        ? SymbolKind::structure
                                    : name.kind == DescribedName::Kind::function    ? SymbolKind::function
                                    : name.kind == DescribedName::Kind::enumeration ? SymbolKind::enumeration
                                    : name.kind == DescribedName::Kind::registers   ? SymbolKind::variable
                                    : name.kind == DescribedName::Kind::constant    ? SymbolKind::constant
                                    : name.kind == DescribedName::Kind::instruction ? SymbolKind::key
                                                                                    : SymbolKind::property;
            add(name.name, kind, std::string(kind_text(name.kind)), name.span, name.whole);
        }
        return out;
    }
    if (!document.program || document.program->main == 0) return out;
    const Program& program = *document.program;
    for (const Mention& one : program.names.mentions) {
        if (!one.defines || one.place.file != program.main) continue;
        const ProgramName& name = program.names.names[one.name];
        const SymbolKind kind = name.kind == ProgramName::Kind::macro   ? SymbolKind::module
                                : name.kind == ProgramName::Kind::label ? SymbolKind::function
                                                                        : SymbolKind::constant;
        const Span span{one.place.offset, one.place.offset + one.place.length};
        add(name.name, kind, name.kind == ProgramName::Kind::label ? fmt::format("{:#x}", name.value) : "", span, span);
    }
    return out;
}

}  // namespace isaforge::lsp

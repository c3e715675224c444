#include "language/resolver.hpp"
#include "language/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "object/flavour.hpp"
#include "semantics/types.hpp"

namespace isaforge::language {

Resolver::Resolver(const Description& description, const LoadOptions& options, const Assignments* assignments, Isa& isa,
                   Diagnostics& diagnostics)
    : description_(description),
      options_(options),
      assignments_(assignments),
      isa_(isa),
      diagnostics_(diagnostics),
      broken_(description.broken) {}

void Resolver::run() {
    isa_.name = description_.name.text;
    isa_.title = description_.title;
    if (isa_.name.empty() && !description_.name.place.known())
        diagnostics_.error({description_.end.file, 0, 1}, "the description does not begin with `isa NAME`");
    if (!within_limits()) return;
    choose_variant();
    choose_dialect();
    reject_duplicates();
    index_declarations();
    resolve_constants();
    resolve_settings();
    resolve_surface();
    resolve_expansions();
    resolve_limits();
    resolve_types();
    resolve_registers();
    resolve_memories();
    resolve_functions();
    resolve_execution();
    for (const NumberDeclaration& number : description_.numbers) resolve_number(number);
    for (const EnumDeclaration& declaration : description_.enums) {
        if (here(declaration.only)) resolve_enum(declaration);
    }
    for (const OperandDeclaration& operand : description_.operands) {
        if (operand.parameters.empty() && here(operand.only))
            resolve_operand(operand, {operand.name.place, {}, operand.name.text, {}}, {});
    }
    for (const FormatDeclaration& format : description_.formats)
        isa_.formats.push_back({format.name.text, format.bar.place});
    resolve_pools();
    resolve_reserved();
    resolve_lengths();
    find_auto_rows();
    for (const InstructionsDeclaration& table : description_.instructions) {
        if (here(table.only)) resolve_table(table);
    }
    resolve_own_takings();
    if (description_.with_meanings) {
        resolve_classes();
        resolve_hazards();
    }
    number_relocations();
    resolve_prose();
}

void Resolver::resolve_prose() {
    for (const DocSyntax& doc : description_.docs) {
        if (!here(doc.only)) continue;
        const auto same = [&](const Doc& known) {
            return known.of.file == doc.of.file && known.of.offset == doc.of.offset;
        };
        if (!isa_.docs.empty() && same(isa_.docs.back()))
            isa_.docs.back().text += "\n" + doc.text;
        else
            isa_.docs.push_back({doc.of, doc.text});
    }
    std::ranges::sort(isa_.docs, {}, [](const Doc& doc) { return std::make_pair(doc.of.file, doc.of.offset); });
    std::map<std::string_view, Place> titles;
    for (const PageSyntax& page : description_.pages) {
        if (!here(page.only)) continue;
        const auto [known, is_new] = titles.emplace(page.title.text, page.title.place);
        if (is_new)
            isa_.pages.push_back({page.title.text, page.text, page.file});
        else
            diagnostics_.error(page.title.place, fmt::format("there is a page '{}' already", page.title.text))
                .note(known->second, "the other is here");
    }
}

// Whether there is no more of anything than what takes its time with each other can bear.
bool Resolver::within_limits() {
    const std::size_t before = diagnostics_.errors();
    const auto count = [&](const auto& list, std::size_t most, const char* what, auto place) {
        if (list.size() <= most) return;
        diagnostics_.error(place(list[most]),
                           fmt::format("there are {} {}: at most {} are possible", list.size(), what, most));
    };
    const auto by_name = [](const auto& one) { return one.name.place; };
    count(description_.registers, most_registers, "register files", by_name);
    count(description_.pools, most_pools, "pools", [](const PoolDeclaration& pool) { return pool.place; });
    count(description_.functions, most_functions, "functions", [](const auto& function) { return function->place; });
    count(description_.where, most_functions, "names for expressions", by_name);
    count(description_.hazards, most_hazards, "hazards", [](const HazardSyntax& hazard) { return hazard.place; });
    count(description_.types, most_functions, "types", [](const auto& type) { return type->place; });
    for (const OperandDeclaration& operand : description_.operands)
        count(operand.rows, most_rows, "rows of an operand", [](const OperandRowSyntax& row) { return row.place; });
    for (const InstructionsDeclaration& table : description_.instructions)
        count(table.columns, most_columns, "columns", by_name);
    return diagnostics_.errors() == before;
}

// The declarations that others name most, of the chosen variant; of several with one name the first.
void Resolver::index_declarations() {
    for (const FormatDeclaration& format : description_.formats) {
        if (here(format.only)) formats_.emplace(format.name.text, &format);
    }
    for (const OperandDeclaration& operand : description_.operands) {
        if (here(operand.only)) operands_.emplace(operand.name.text, &operand);
    }
}

void Resolver::number_relocations() {
    std::set<unsigned> given;
    for (const OperandType& type : isa_.operand_types) {
        given.insert(type.number.relocation);
        given.insert(type.number.other_relocations.begin(), type.number.other_relocations.end());
    }
    unsigned next = first_automatic_relocation;
    for (OperandType& type : isa_.operand_types) {
        if (type.kind != OperandKind::number) continue;
        type.number.relocation_type = type.number.relocation;
        if (type.number.relocation != 0) continue;
        while (given.contains(next)) ++next;
        type.number.relocation_type = next++;
    }
}

void Resolver::choose_variant() {
    const auto& variants = description_.variants;
    isa_.variant = isa_.name;
    isa_.lineage = {isa_.name};
    for (const Name& variant : variants) isa_.variants.push_back(variant.text);
    if (variants.empty()) {
        if (!options_.variant.empty() && options_.variant != isa_.name)
            diagnostics_.error(description_.name.place, fmt::format("there is no variant '{}' of {}, which has none",
                                                                    options_.variant, isa_.name));
        return;
    }
    std::vector<std::string_view> names;
    names.reserve(variants.size());
    for (const Name& variant : variants) names.push_back(variant.text);
    const auto found = std::find(names.begin(), names.end(), options_.variant);
    if (found == names.end() && !options_.variant.empty()) {
        Diagnostic& error = diagnostics_.error(
            variants.front().place, fmt::format("there is no variant '{}' of {}", options_.variant, isa_.name));
        const std::string_view meant = nearest(options_.variant, names);
        if (!meant.empty()) error.suggest(std::string(meant));
    }
    isa_.variant = found != names.end() ? std::string(*found) : variants.front().text;
    find_lineage();
    const auto title = description_.variant_titles.find(isa_.variant);
    if (title != description_.variant_titles.end()) isa_.title = title->second;
}

// The chosen variant, what it is of, and so on; columns by variant have a value for the last of these.
void Resolver::find_lineage() {
    const auto& bases = description_.variant_bases;
    for (const auto& [name, base] : bases) isa_.variant_bases[name] = base.text;
    isa_.lineage = {isa_.variant};
    for (auto base = bases.find(isa_.variant); base != bases.end(); base = bases.find(isa_.lineage.back()))
        isa_.lineage.push_back(base->second.text);
    for (const Name& variant : description_.variants) {
        if (variant.text == isa_.lineage.back()) return;
        if (!bases.contains(variant.text)) ++variant_index_;
    }
}

void Resolver::choose_dialect() {
    std::vector<std::string_view> known;
    for (const Name& dialect : description_.dialects) {
        known.push_back(dialect.text);
        isa_.dialects.push_back(dialect.text);
    }
    if (!known.empty()) isa_.dialect = known.front();
    if (options_.dialect.empty()) return;
    if (std::find(known.begin(), known.end(), options_.dialect) != known.end()) {
        isa_.dialect = options_.dialect;
        return;
    }
    const Place place = known.empty() ? description_.name.place : description_.dialects.front().place;
    Diagnostic& error =
        diagnostics_.error(place, fmt::format("there is no dialect '{}' of {}", options_.dialect, isa_.name));
    const std::string_view meant = nearest(options_.dialect, known);
    if (!meant.empty()) error.suggest(std::string(meant));
}

// Of the variants that are named it has to be one, and of the dialects.
bool Resolver::here(const Only& only) {
    if (only.within && !here(*only.within)) return false;
    bool variant_named = false, dialect_named = false, variant_found = false, dialect_found = false;
    const auto is_here = [&](const Name& name) {
        return std::find(isa_.lineage.begin(), isa_.lineage.end(), name.text) != isa_.lineage.end();
    };
    for (const Name& name : only.before) {
        const auto is_name = [&](const Name& known) { return known.text == name.text; };
        if (std::none_of(description_.variants.begin(), description_.variants.end(), is_name)) report_only(name);
        if (is_here(name)) return false;
    }
    for (const Name& name : only.names) {
        const auto is_name = [&](const Name& known) { return known.text == name.text; };
        if (is_here(name)) {
            variant_named = variant_found = true;
        } else if (name.text == isa_.dialect) {
            dialect_named = dialect_found = true;
        } else if (std::any_of(description_.dialects.begin(), description_.dialects.end(), is_name)) {
            dialect_named = true;
        } else {
            variant_named = true;
            if (std::none_of(description_.variants.begin(), description_.variants.end(), is_name)) report_only(name);
        }
    }
    return variant_found == variant_named && dialect_found == dialect_named;
}

void Resolver::report_only(const Name& name) {
    const std::uint64_t key = std::uint64_t{name.place.file} << 32 | name.place.offset;
    if (!only_reported_.insert(key).second) return;
    std::vector<std::string_view> known;
    for (const auto* names : {&description_.variants, &description_.dialects}) {
        for (const Name& one : *names) known.push_back(one.text);
    }
    const bool has_dialects = !description_.dialects.empty();
    Diagnostic& error = diagnostics_.error(
        name.place, fmt::format("there is no variant {}'{}'", has_dialects ? "or dialect " : "", name.text));
    const std::string_view meant = nearest(name.text, known);
    if (!meant.empty()) error.suggest(std::string(meant));
}

// A word that is none of those which may stand there.
void Resolver::unknown_word(const Name& word, const std::vector<std::string_view>& known) {
    std::string list;
    for (std::size_t i = 0; i < known.size(); ++i) {
        if (i > 0) list += i + 1 < known.size() ? ", " : " or ";
        list += known[i];
    }
    Diagnostic& error = diagnostics_.error(word.place, fmt::format("expected {}, found '{}'", list, word.text));
    const std::string_view meant = nearest(word.text, known);
    if (!meant.empty()) error.suggest(std::string(meant));
}

void Resolver::resolve_objects(const ObjectsDeclaration& declaration) {
    if (declaration.parts.empty()) return;
    const Name& first = declaration.parts[0].word;
    if (!isa_.object_flavour.empty() || isa_.elf.machine != 0) {
        diagnostics_.error(first.place, "what the objects are has been said already");
    } else if (first.text == "elf32" || first.text == "elf64") {
        resolve_elf(declaration);
    } else if (object_flavour(first.text) && declaration.parts.size() == 1 && !declaration.parts[0].number) {
        isa_.object_flavour = first.text;
    } else if (object_flavour(first.text)) {
        diagnostics_.error(declaration.parts.back().word.place, fmt::format("nothing follows `{}`", first.text));
    } else {
        std::vector<std::string_view> known = {"elf32", "elf64"};
        for (const ObjectFlavour* flavour : object_flavours()) known.push_back(flavour->name());
        unknown_word(first, known);
    }
}

namespace {

// The words behind `elf64` that are read and not written: what is done to how many bits.
std::optional<ElfMachine::Operation> operation_of(std::string_view word) {
    using Kind = ElfMachine::Operation::Kind;
    if (word == "set_leb") return ElfMachine::Operation{Kind::set_leb, 0, 0};
    if (word == "subtract_leb") return ElfMachine::Operation{Kind::subtract_leb, 0, 0};
    static constexpr std::pair<std::string_view, Kind> kinds[] = {{"absolute", Kind::absolute},
                                                                  {"relative", Kind::relative},
                                                                  {"set", Kind::set},
                                                                  {"add", Kind::add},
                                                                  {"subtract", Kind::subtract}};
    for (const auto& [name, kind] : kinds) {
        if (!word.starts_with(name)) continue;
        for (const std::uint8_t bits : {6, 8, 16, 32, 64})
            if (word.substr(name.size()) == fmt::to_string(bits)) return ElfMachine::Operation{kind, bits, 0};
    }
    return std::nullopt;
}

}  // namespace

// objects elf64 machine N [flags N] [absolute8 N …] [relative8 N …] [add8 N …] …
void Resolver::resolve_elf(const ObjectsDeclaration& declaration) {
    static constexpr std::string_view data[] = {"absolute8", "absolute16", "absolute32", "absolute64",
                                                "relative8", "relative16", "relative32", "relative64"};
    constexpr std::uint64_t largest_type = 0xFF;  // that ELF32 has room for
    ElfMachine elf;
    elf.wide = declaration.parts[0].word.text == "elf64";
    bool is_first_datum = true;
    std::set<std::string_view> said;
    for (std::size_t i = 1; i < declaration.parts.size(); ++i) {
        const ObjectsDeclaration::Part& part = declaration.parts[i];
        const std::string_view word = part.word.text;
        const auto* const datum = std::find(std::begin(data), std::end(data), word);
        const bool is_other = datum == std::end(data) || said.contains(word);
        std::optional<ElfMachine::Operation> operation = is_other ? operation_of(word) : std::nullopt;
        std::uint32_t* const own = word == "align"           ? &elf.align
                                   : word == "relax"         ? &elf.relax
                                   : word == "none"          ? &elf.none
                                   : word == "varying_flags" ? &elf.varying_flags
                                                             : nullptr;
        const bool is_symbol = word == "symbol";
        if (word != "machine" && word != "flags" && datum == std::end(data) && !operation && !own && !is_symbol) {
            std::vector<std::string_view> known = {
                "machine",      "flags", "varying_flags", "align",      "relax",      "none",      "symbol", "set_leb",
                "subtract_leb", "set6",  "set8",          "set16",      "set32",      "subtract6", "add8",   "add16",
                "add32",        "add64", "subtract8",     "subtract16", "subtract32", "subtract64"};
            known.insert(known.end(), std::begin(data), std::end(data));
            return unknown_word(part.word, known);
        }
        const bool is_flags = word == "flags" || word == "varying_flags" || is_symbol;
        const std::uint64_t largest = word == "machine" ? 0xFFFF : is_flags ? 0xFFFFFFFF : largest_type;
        if (part.text.has_value() != is_symbol) {
            diagnostics_.error(part.word.place, is_symbol ? "`symbol` wants a name in quotes, and where it is"
                                                          : fmt::format("`{}` wants a number, and no text", word));
            return;
        }
        if (!part.number || *part.number > largest || (*part.number == 0 && !is_flags)) {
            diagnostics_.error(part.word.place, fmt::format("`{}` wants a number from {} to {:#x} behind it", word,
                                                            is_flags ? 0 : 1, largest));
            return;
        }
        if (operation) {
            operation->type = static_cast<std::uint32_t>(*part.number);
            elf.operations.push_back(*operation);
            continue;
        }
        if (!said.insert(word).second) {
            diagnostics_.error(part.word.place, fmt::format("`{}` has been said already", word));
            return;
        }
        if (word == "machine") {
            elf.machine = static_cast<std::uint16_t>(*part.number);
        } else if (word == "flags") {
            elf.flags = static_cast<std::uint32_t>(*part.number);
        } else if (own) {
            *own = static_cast<std::uint32_t>(*part.number);
        } else if (is_symbol) {
            elf.data_symbol = part.text->text;
            elf.data_symbol_offset = *part.number;
        } else {
            if (is_first_datum) elf.data.fill(0);  // the machine's own numbers, and no others
            is_first_datum = false;
            elf.data[static_cast<std::size_t>(datum - std::begin(data))] = static_cast<std::uint32_t>(*part.number);
        }
    }
    if (elf.machine == 0) {
        diagnostics_.error(declaration.parts[0].word.place,
                           fmt::format("`{0}` says which machine its files are for: `objects {0} machine N`",
                                       declaration.parts[0].word.text));
        return;
    }
    isa_.elf = elf;
}

// Of files that say no machine: what is beside the numbers that ElfMachine begins with.
static void use_own_relocations(ElfMachine& elf) {
    using Kind = ElfMachine::Operation::Kind;
    constexpr std::uint32_t first = 40;
    std::uint32_t next = first;
    for (const Kind kind : {Kind::add, Kind::subtract})
        for (const std::uint8_t bits : {8, 16, 32, 64}) elf.operations.push_back({kind, bits, next++});
    elf.align = 57;
    elf.relax = 58;
}

void Resolver::resolve_settings() {
    if (isa_.elf.machine == 0) use_own_relocations(isa_.elf);
    if (description_.code) {
        isa_.unit_bits = description_.code->unit_bits;
        isa_.big_endian = description_.code->big_endian;
        isa_.last_unit_first = description_.code->last_unit_first;
        isa_.address_bits = description_.code->addressed_in_units ? isa_.unit_bits : 8;
    }
    for (const Name& word : description_.opcodes) {
        if (word.text == "accounted") {
            isa_.opcodes_accounted = true;
        } else {
            unknown_word(word, {"accounted"});
        }
    }
    for (const ObjectsDeclaration& declaration : description_.objects)
        if (here(declaration.only)) resolve_objects(declaration);
    for (const Name& word : description_.meanings) {
        if (word.text == "complete") {
            isa_.meanings_complete = true;
        } else {
            unknown_word(word, {"complete"});
        }
    }
    for (const std::vector<Name>& words : description_.floats) resolve_floats(words);
}

void Resolver::resolve_surface() {
    for (const SurfaceSetting& setting : description_.surface) {
        if (setting.dialect.text.empty()) apply_setting(isa_.surface, setting);
    }
    const Surface common = isa_.surface;
    for (const SurfaceSetting& setting : description_.surface) {
        const std::string& dialect = setting.dialect.text;
        if (dialect.empty()) continue;
        if (std::find(isa_.dialects.begin(), isa_.dialects.end(), dialect) == isa_.dialects.end()) {
            unknown_word(setting.dialect, {isa_.dialects.begin(), isa_.dialects.end()});
            return;
        }
        auto [own, fresh] = isa_.dialect_surfaces.emplace(dialect, common);
        if (fresh) {  // comments of its own take the place of the common ones
            const auto comment = [&](const SurfaceSetting& one) {
                return one.dialect.text == dialect && one.key.text == "comment";
            };
            if (std::any_of(description_.surface.begin(), description_.surface.end(), comment)) {
                own->second.line_comments.clear();
                own->second.block_comments.clear();
            }
        }
        apply_setting(own->second, setting);
    }
    const auto chosen = isa_.dialect_surfaces.find(isa_.dialect);
    if (chosen != isa_.dialect_surfaces.end()) isa_.surface = chosen->second;
}

void Resolver::add_number_mark(Surface& surface, const SurfaceSetting& setting, unsigned radix) {
    constexpr std::size_t longest = 4;
    NumberMark mark{radix, setting.values[0].text, setting.values.size() > 1 ? setting.values[1].text : std::string()};
    const bool word_before = !mark.before.empty() &&
                             (std::isalpha(static_cast<unsigned char>(mark.before[0])) != 0 || mark.before[0] == '_');
    if (mark.before.empty() && mark.behind.empty()) {
        diagnostics_.error(setting.key.place, "a number needs a mark before its digits or behind them");
    } else if (word_before) {
        diagnostics_.error(setting.values[0].place, "what begins with a letter is a name, and no number");
    } else if (mark.before.size() > longest || mark.behind.size() > longest) {
        diagnostics_.error(setting.key.place, fmt::format("a mark of numbers has at most {} characters", longest));
    } else {
        surface.number_marks.push_back(std::move(mark));
    }
}

// switch ".option norvc" "C = 0"
void Resolver::add_switch(Surface& surface, const SurfaceSetting& setting) {
    constexpr std::size_t most = 32;  // as many as Form::needs has bits
    if (setting.values.size() != 2 || !setting.words.empty() || !setting.values[0].text.starts_with('.')) {
        diagnostics_.error(
            setting.key.place,
            "`switch` takes two texts: a directive with its words, and `push`, `pop` or `PARAMETER = NUMBER`");
        return;
    }
    Surface::Switch made;
    made.statement = setting.values[0].text;
    const std::string& what = setting.values[1].text;
    const std::size_t sign = what.find(" = ");
    if (what == "push" || what == "pop") {
        made.kind = what == "push" ? Surface::Switch::Kind::push : Surface::Switch::Kind::pop;
        surface.switches.push_back(std::move(made));
        return;
    }
    const std::string name = what.substr(0, sign);
    const auto known =
        std::ranges::find_if(isa_.parameters, [&](const Parameter& parameter) { return parameter.name == name; });
    std::uint64_t value = 0;
    const char* const end = what.data() + what.size();
    const bool has_number = sign != std::string::npos &&
                            std::from_chars(what.data() + sign + 3, end, value).ptr == end && sign + 3 < what.size();
    if (known == isa_.parameters.end() || !has_number) {
        diagnostics_.error(setting.values[1].place,
                           "expected `push`, `pop`, or a parameter and its value: `NAME = NUMBER`");
        return;
    }
    auto at = std::ranges::find(isa_.switched, name);
    if (at == isa_.switched.end()) {
        if (isa_.switched.size() == most) {
            diagnostics_.error(setting.values[1].place,
                               fmt::format("at most {} parameters may change in a program", most));
            return;
        }
        at = isa_.switched.insert(isa_.switched.end(), name);
    }
    made.parameter = static_cast<Index>(at - isa_.switched.begin());
    made.value = value;
    surface.switches.push_back(std::move(made));
}

// Texts name parameters as {name}, and {@} is a number that no other expansion has: the assembler's macros write \name and \@.
void Resolver::resolve_expansions() {
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    for (const ExpansionSyntax& expansion : description_.expansions) {
        if (!here(expansion.only)) continue;
        Expansion made;
        made.where = expansion.head.place;
        const std::string& head = expansion.head.text;
        std::size_t at = 0;
        while (at < head.size() && !blank(head[at])) made.name += head[at++];
        while (at < head.size()) {
            std::string name;
            while (at < head.size() && (blank(head[at]) || head[at] == ',')) ++at;
            while (at < head.size() && !blank(head[at]) && head[at] != ',') name += head[at++];
            if (!name.empty()) made.parameters.push_back(std::move(name));
        }
        if (made.name.empty()) {
            diagnostics_.error(expansion.head.place, "an expansion begins with the name of the pseudo-instruction");
            continue;
        }
        for (const Text& line : expansion.lines) {
            for (std::size_t i = 0; i < line.text.size(); ++i) {
                const std::size_t close = line.text[i] == '{' ? line.text.find('}', i) : std::string::npos;
                if (close == std::string::npos) {
                    made.body += line.text[i];
                    continue;
                }
                const std::string name = line.text.substr(i + 1, close - i - 1);
                if (name != "@" && std::ranges::find(made.parameters, name) == made.parameters.end())
                    diagnostics_.error(line.place, fmt::format("'{}' has no operand '{}'", made.name, name));
                made.body += "\\" + name;
                if (name != "@") made.body += "\\()";
                i = close;
            }
            made.body += '\n';
        }
        isa_.expansions.push_back(std::move(made));
    }
}

// Which of the parameters that a program may change have to be what they are, for the condition to hold.
std::uint32_t Resolver::needs_of(const ExpressionPointer& condition, const Bindings& bindings) {
    std::uint32_t needs = 0;
    for (std::size_t i = 0; condition && i < isa_.switched.size(); ++i) {
        Bindings without = bindings;
        without.set(isa_.switched[i], Binding{0, no_index});
        if (evaluate(condition, without, false) == 0u) needs |= 1u << i;
    }
    return needs;
}

void Resolver::apply_setting(Surface& surface, const SurfaceSetting& setting) {
    const std::string& key = setting.key.text;
    const std::string first = setting.values.empty() ? std::string() : setting.values[0].text;
    const std::size_t count = setting.values.size();
    if (key == "case") {
        if (setting.words.size() != 1 || count != 0) {
            diagnostics_.error(setting.key.place, "`case` takes one word: sensitive or insensitive");
        } else if (setting.words[0].text == "insensitive") {
            surface.case_insensitive = true;
        } else if (setting.words[0].text != "sensitive") {
            unknown_word(setting.words[0], {"sensitive", "insensitive"});
        }
        return;
    }
    const unsigned radix = key == "hex" ? 16 : key == "octal" ? 8 : key == "binary" ? 2 : 0;
    if (key == "switch") return add_switch(surface, setting);
    if (key == "directive") {
        if (count != 2 || !first.starts_with('.') || first.size() < 2)
            diagnostics_.error(setting.key.place,
                               "`directive` takes two texts: a name with a dot, and the directive that it is, or \"\"");
        else
            surface.directives.emplace_back(first, setting.values[1].text);
        return;
    }
    const bool may_pair = key == "comment" || radix != 0;
    const bool pair = may_pair && count == 2;
    if (count != 1 && !pair) {
        diagnostics_.error(setting.key.place, fmt::format("`{}` takes one text{}", key, may_pair ? " or two" : ""));
        return;
    }
    if (radix != 0) {
        add_number_mark(surface, setting, radix);
    } else if (pair) {
        surface.block_comments.emplace_back(first, setting.values[1].text);
    } else if (key == "comment") {
        surface.line_comments.push_back(first);
    } else if (key == "end") {
        surface.statement_end = first;
    } else if (key == "separator") {
        surface.separator = first;
    } else if (key == "label") {
        const std::size_t hole = first.find("{name}");
        if (hole == std::string::npos) {
            diagnostics_.error(setting.values[0].place, "the form of a label has {name} where its name stands");
            return;
        }
        surface.label_prefix = first.substr(0, hole);
        surface.label_suffix = first.substr(hole + 6);
    } else if (key == "define") {
        surface.define = first;
    } else if (key == "undefine") {
        surface.undefine = first;
    } else if (key == "immediate") {
        surface.immediate_prefix = first;
    } else if (key == "expression") {
        surface.expression_prefix = first;
    } else if (key == "reference") {
        surface.label_reference_prefix = first;
    } else if (key == "low") {
        surface.low_byte = first;
    } else if (key == "high") {
        surface.high_byte = first;
    } else {
        static const std::vector<std::string_view> known = {
            "comment", "end", "separator", "label",  "define", "undefine", "immediate", "reference", "expression",
            "case",    "hex", "octal",     "binary", "low",    "high",     "directive", "switch"};
        Diagnostic& error = diagnostics_.error(setting.key.place, fmt::format("the syntax has no setting '{}'", key));
        const std::string_view meant = nearest(key, known);
        if (!meant.empty()) error.suggest(std::string(meant));
    }
}

namespace {

// "P{0..5}" as P0, P1, …; "r{n}" is left to the caller. Nothing where the text holds no such range.
std::vector<std::string> expand_range(const std::string& text) {
    const std::size_t open = text.find('{'), dots = text.find(".."), close = text.find('}');
    if (open == std::string::npos || dots == std::string::npos || close == std::string::npos || dots < open ||
        close < dots)
        return {text};
    unsigned low = 0, high = 0;
    const char* base = text.data();
    const auto first = std::from_chars(base + open + 1, base + dots, low);
    const auto last = std::from_chars(base + dots + 2, base + close, high);
    if (first.ptr != base + dots || last.ptr != base + close || high < low || high - low > longest_range) return {text};
    std::vector<std::string> out;
    for (unsigned i = low; i <= high; ++i)
        out.push_back(fmt::format("{}{}{}", text.substr(0, open), i, text.substr(close + 1)));
    return out;
}

}  // namespace

std::vector<Entry> Resolver::resolve_entries(const std::vector<EntrySyntax>& entries, unsigned width, Place place) {
    std::vector<Entry> out;
    std::unordered_map<std::uint64_t, std::size_t> by_code;  // in `out`
    std::uint64_t next = 0;
    for (const EntrySyntax& syntax : entries) {
        if (!here(syntax.only)) continue;
        if (syntax.code) next = *syntax.code;
        std::vector<std::vector<std::string>> columns;
        std::size_t count = 1;
        for (const Text* text : in_dialect_order(syntax.texts)) {
            columns.push_back(expand_range(text->text));
            count = std::max(count, columns.back().size());
        }
        for (std::size_t i = 0; i < count; ++i, ++next) {
            Entry entry;
            entry.code = next;
            entry.where = syntax.place;
            for (const auto& column : columns) entry.texts.push_back(column[std::min(i, column.size() - 1)]);
            entry.value = syntax.value ? evaluate(syntax.value, {}).value_or(0) + i : next;
            if (width < 64 && next >> width != 0) {
                diagnostics_.error(syntax.place, fmt::format("code {} does not fit in {} bits", next, width))
                    .note(place, "the width is given here");
                return out;
            }
            if (out.size() >= most_entries) {
                diagnostics_.error(syntax.place, fmt::format("more than {} codes have a name", most_entries))
                    .note(place, "the width is given here");
                return out;
            }
            const auto [same, added] = by_code.emplace(next, out.size());
            if (added) {
                out.push_back(std::move(entry));
            } else if (Entry& known = out[same->second]; syntax.alias) {
                known.texts.insert(known.texts.end(), entry.texts.begin(), entry.texts.end());
            } else {
                diagnostics_.error(syntax.place, fmt::format("code {} is given twice", next))
                    .note(known.where, "first here");
            }
        }
    }
    std::map<std::string, const Entry*> seen;
    for (const Entry& entry : out) {
        for (const std::string& text : entry.texts) {
            const auto [it, inserted] = seen.emplace(text, &entry);
            if (!inserted && it->second != &entry) {
                diagnostics_
                    .error(entry.where,
                           fmt::format("\"{}\" names code {} and code {}", text, it->second->code, entry.code))
                    .note(it->second->where, "the other is here");
            }
        }
    }
    std::sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) { return a.code < b.code; });
    return out;
}

void Resolver::resolve_registers() {
    constexpr unsigned widest_index = 12;
    for (const RegistersDeclaration& declaration : description_.registers) {
        RegisterFile file;
        file.name = declaration.name.text;
        file.where = declaration.name.place;
        file.index_bits = declaration.index_bits;
        file.lanes = 1;
        if (declaration.lanes) {
            const std::uint64_t lanes = evaluate(declaration.lanes, {}).value_or(1);
            if (lanes < 1 || lanes > semantics::max_lanes)
                diagnostics_.error(declaration.lanes->place,
                                   fmt::format("a register has 1 to {} lanes, not {}", semantics::max_lanes, lanes));
            else
                file.lanes = static_cast<unsigned>(lanes);
        }
        file.write_ports = declaration.write_ports;
        file.is_zero_at_reset = declaration.is_zero_at_reset;
        file.bits = evaluate_type(declaration.type).value_or(32);
        if (file.index_bits > widest_index) {
            diagnostics_.error(declaration.index_place,
                               fmt::format("a register number has at most {} bits", widest_index));
            broken_.insert(file.name);
            continue;
        }
        file.count = declaration.single ? 1 : 1u << file.index_bits;
        const auto first = std::find_if(isa_.register_files.begin(), isa_.register_files.end(),
                                        [&](const RegisterFile& other) { return other.name == file.name; });
        if (first != isa_.register_files.end()) continue;  // reject_duplicates has said so
        if (declaration.text) {
            const std::size_t hole = declaration.text->text.find("{n}");
            if (hole == std::string::npos) {
                diagnostics_.error(declaration.text->place,
                                   "the names of numbered registers have {n} where the number stands");
            } else {
                for (unsigned i = 0; i < file.count; ++i) {
                    std::string name = declaration.text->text;
                    name.replace(hole, 3, std::to_string(i));
                    file.entries.push_back({i, {name}, i, declaration.text->place});
                }
            }
        }
        std::vector<EntrySyntax> named = declaration.entries;
        if (!file.entries.empty()) {
            for (EntrySyntax& entry : named) {
                if (!entry.code || *entry.code >= file.count) {
                    diagnostics_.error(entry.place,
                                       "a second name of a register needs the register's number before it");
                    continue;
                }
                for (const Text* text : in_dialect_order(entry.texts))
                    file.entries[*entry.code].texts.push_back(text->text);
            }
        } else if (!declaration.single) {
            file.entries = resolve_entries(named, file.index_bits, declaration.index_place);
            if (file.entries.empty() && !declaration.text)
                diagnostics_.error(
                    file.where, fmt::format("the registers '{}' have no names: say \"{}{{n}}\" or list them", file.name,
                                            file.name));
        }
        reject_blanks(file);
        if (!declaration.single) {
            OperandType type;
            type.name = file.name;
            type.kind = OperandKind::registers;
            type.width = file.index_bits;
            type.registers = static_cast<Index>(isa_.register_files.size());
            type.entries = file.entries;
            type.where = file.where;
            add_type(file.name, std::move(type));
        }
        resolve_fields(declaration.fields, BitField::of_all, file);
        for (const EntrySyntax& syntax : declaration.entries) {
            for (const Entry& entry : file.entries) {
                const bool meant =
                    declaration.text ? syntax.code == entry.code : entry.where.offset == syntax.place.offset;
                if (meant && !syntax.fields.empty()) resolve_fields(syntax.fields, entry.code, file);
            }
        }
        isa_.register_files.push_back(std::move(file));
    }
}

// What stands around a name in a statement is none of it.
void Resolver::reject_blanks(const RegisterFile& file) {
    for (const Entry& entry : file.entries) {
        const auto has_blank = [](const std::string& name) { return name.starts_with(' ') || name.ends_with(' '); };
        const auto found = std::ranges::find_if(entry.texts, has_blank);
        if (found == entry.texts.end()) continue;
        diagnostics_.error(
            entry.where, fmt::format("the name of a register begins and ends without a blank, unlike \"{}\"", *found));
        return;
    }
}

// The fields of register `number`. One may lie inside of another, as a flag does in a group of flags; but two that share
// some of their bits are a mistake.
void Resolver::resolve_fields(const std::vector<BitFieldSyntax>& syntax, std::uint64_t number, RegisterFile& file) {
    unsigned next = 0;
    for (const BitFieldSyntax& each : syntax) {
        if (!here(each.only)) continue;
        const std::uint64_t high = each.high ? evaluate(each.high, {}).value_or(next) : next;
        const std::uint64_t low = each.low ? evaluate(each.low, {}).value_or(high) : high;
        if (high < low) {
            diagnostics_.error(each.place,
                               fmt::format("{}:{} is no range of bits: the high bit stands first", high, low));
            continue;
        }
        if (high >= file.bits) {
            diagnostics_.error(each.place, fmt::format("bit {} of a register of {} bits", high, file.bits));
            continue;
        }
        BitField field{each.name.text, static_cast<unsigned>(low), static_cast<unsigned>(high - low + 1), number,
                       each.place};
        next = field.high() + 1;
        for (const BitField& other : file.fields) {
            if (!other.belongs_to(number) && number != BitField::of_all) continue;
            const bool apart = other.high() < field.low || field.high() < other.low;
            const bool inside = (other.low <= field.low && field.high() <= other.high()) ||
                                (field.low <= other.low && other.high() <= field.high());
            const bool same = other.low == field.low && other.width == field.width;
            if (other.name != field.name && (apart || (inside && !same))) continue;
            const std::string what = other.name == field.name ? fmt::format("field '{}' is given twice", field.name)
                                     : same ? fmt::format("'{}' has the same bits as '{}'", field.name, other.name)
                                            : fmt::format("'{}' shares bits with '{}', and neither lies in the other",
                                                          field.name, other.name);
            diagnostics_.error(each.place, what).note(other.where, "the other is here");
            break;
        }
        file.fields.push_back(std::move(field));
    }
}

void Resolver::resolve_memories() {
    for (const MemoryDeclaration& declaration : description_.memories) {
        MemorySpace memory;
        memory.name = declaration.name.text;
        memory.where = declaration.name.place;
        memory.big_endian = declaration.big_endian.value_or(isa_.big_endian);
        memory.unit_bits = evaluate_type(declaration.type).value_or(8);
        if (memory.unit_bits != 8 && memory.unit_bits != 16 && memory.unit_bits != 32 && memory.unit_bits != 64) {
            diagnostics_.error(declaration.type.place,
                               fmt::format("a memory is made of u8, u16, u32 or u64, not of u{}", memory.unit_bits));
        }
        memory.holds_code = declaration.holds_code;
        memory.per_group = declaration.per_group;
        if (memory.holds_code && memory.per_group)
            diagnostics_.error(declaration.name.place,
                               "code is the same for all: a memory that holds it is no group's");
        if (declaration.cells) memory.cells = evaluate(declaration.cells, {}).value_or(1);
        if (declaration.cells && (memory.cells == 0 || memory.cells > most_own_cells))
            diagnostics_.error(declaration.cells->place,
                               fmt::format("a memory has from 1 to {} cells", most_own_cells));
        if (declaration.cells && (memory.holds_code || memory.per_group))
            diagnostics_.error(declaration.cells->place,
                               "whoever runs a program says how large the memory of a group, or of code, is");
        if (memory.holds_code && memory.unit_bits != 8)
            diagnostics_.error(declaration.type.place, "a memory that holds code is made of bytes: u8");
        isa_.memories.push_back(std::move(memory));
    }
}

void Resolver::resolve_functions() {
    std::map<std::string, std::shared_ptr<const semantics::Function>> known;
    for (const auto& function : description_.functions) {
        const auto [it, inserted] = known.emplace(function->name, function);
        if (!inserted)
            diagnostics_.error(function->place, fmt::format("function '{}' is declared twice", function->name))
                .note(it->second->place, "first here");
    }
    for (const auto& [name, function] : known) {
        isa_.functions.names.push_back(name);
        isa_.functions.all.push_back(function);
    }
}

// Registers, enumerations, numbers and operands share one space of names, as a bar refers to all of them alike.
void Resolver::reject_duplicates() {
    struct Declared {
        std::string_view what;
        Name name;
    };
    std::vector<Declared> formats, types;
    for (const auto& file : description_.registers) types.push_back({"register file", file.name});
    for (const auto& number : description_.numbers) types.push_back({"number", number.name});
    for (const auto& alias : description_.types) types.push_back({"type", {alias->name, alias->place}});
    for (const auto& declaration : description_.enums) {
        if (here(declaration.only)) types.push_back({"enumeration", declaration.name});
    }
    for (const auto& operand : description_.operands) {
        if (here(operand.only)) types.push_back({"operand", operand.name});
    }
    for (const auto& format : description_.formats) {
        if (here(format.only)) formats.push_back({"format", format.name});
    }
    for (std::vector<Declared>* list : {&types, &formats}) {
        std::stable_sort(list->begin(), list->end(), [](const Declared& a, const Declared& b) {
            return std::pair(a.name.place.file, a.name.place.offset) <
                   std::pair(b.name.place.file, b.name.place.offset);
        });
        std::map<std::string_view, const Declared*> seen;
        for (const Declared& declared : *list) {
            const auto [it, inserted] = seen.emplace(declared.name.text, &declared);
            if (inserted || declared.name.text.empty()) continue;
            const Declared& first = *it->second;
            const std::string as = first.what == declared.what ? "" : fmt::format(", there as {}", first.what);
            diagnostics_
                .error(declared.name.place, fmt::format("{} '{}' is declared twice", declared.what, declared.name.text))
                .note(first.name.place, "first here" + as);
        }
    }
}

}  // namespace isaforge::language

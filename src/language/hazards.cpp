// Hazards: which instructions have to keep a distance that the hardware does not see to. Classes gather the instructions by
// their formats and mnemonics; a hazard names two classes, and the registers that the first touches and the second again.
#include <fmt/format.h>

#include <algorithm>

#include "language/resolver.hpp"

namespace isaforge::language {

namespace {

// Whether a member of a class, as it is written, means the name.
bool means(std::string_view member, std::string_view name) {
    if (!member.ends_with('*')) return member == name;
    return name.starts_with(member.substr(0, member.size() - 1));
}

}  // namespace

void Resolver::resolve_classes() {
    for (const ClassDeclaration& syntax : description_.classes) {
        const auto same = std::find_if(isa_.classes.begin(), isa_.classes.end(),
                                       [&](const InstructionClass& known) { return known.name == syntax.name.text; });
        if (same != isa_.classes.end()) {
            diagnostics_.error(syntax.name.place, fmt::format("class '{}' is declared twice", syntax.name.text))
                .note(same->where, "first here");
        } else if (isa_.classes.size() == most_classes) {
            diagnostics_.error(syntax.name.place, fmt::format("there are more than {} classes", most_classes));
        } else {
            isa_.classes.push_back({syntax.name.text, syntax.name.place});
            for (const Name& member : syntax.members) add_member(member, 1u << (isa_.classes.size() - 1));
        }
    }
}

void Resolver::add_member(const Name& name, std::uint32_t bit) {
    bool found = false;
    for (Form& form : isa_.forms) {
        const auto& names = isa_.instructions[form.instruction].names;
        const bool is_member = means(name.text, isa_.formats[form.format].name) ||
                               std::any_of(names.begin(), names.end(),
                                           [&](const std::string& mnemonic) { return means(name.text, mnemonic); });
        if (is_member) form.classes |= bit;
        found |= is_member;
    }
    if (!found && !is_anywhere(name))
        diagnostics_.error(name.place,
                           fmt::format("there is no format and no instruction {}'{}'",
                                       name.text.ends_with('*') ? "whose name begins as in " : "", name.text));
}

// Other variants may have what this one has not.
bool Resolver::is_anywhere(const Name& member) const {
    for (const FormatDeclaration& format : description_.formats)
        if (means(member.text, format.name.text)) return true;
    for (const InstructionsDeclaration& table : description_.instructions)
        for (const InstructionRow& row : table.rows)
            for (const RowName& alternative : row.names)
                for (const Name& name : alternative.members)
                    if (means(member.text, name.text)) return true;
    return false;
}

Index Resolver::find_class(const Name& name) {
    std::vector<std::string_view> known;
    for (Index i = 0; i < isa_.classes.size(); ++i) {
        if (isa_.classes[i].name == name.text) return i;
        known.push_back(isa_.classes[i].name);
    }
    if (broken_.contains(name.text)) return no_index;
    Diagnostic& error = diagnostics_.error(name.place, fmt::format("there is no class '{}'", name.text));
    const std::string_view meant = nearest(name.text, known);
    if (!meant.empty()) error.suggest(std::string(meant));
    return no_index;
}

// Whether an instruction of the class has it; also where the class is empty here.
bool Resolver::has_field(Index of, const std::string& field) const {
    bool is_empty = true;
    for (const Form& form : isa_.forms) {
        if ((form.classes >> of & 1) == 0) continue;
        is_empty = false;
        if (field_of(form, field) != nullptr) return true;
    }
    return is_empty;
}

std::optional<HazardSide> Resolver::hazard_side(const HazardSideSyntax& syntax) {
    HazardSide out;
    out.of = find_class(syntax.of);
    if (out.of == no_index) return std::nullopt;
    out.touches = syntax.touches;
    out.condition = syntax.condition;
    const std::size_t before = diagnostics_.errors();
    for (const Name& name : syntax.files) {
        const auto file = std::find_if(isa_.register_files.begin(), isa_.register_files.end(),
                                       [&](const RegisterFile& known) { return known.name == name.text; });
        out.files.push_back(static_cast<Index>(file - isa_.register_files.begin()));
        if (file != isa_.register_files.end() || broken_.contains(name.text)) continue;
        std::vector<std::string_view> known;
        for (const RegisterFile& each : isa_.register_files) known.push_back(each.name);
        Diagnostic& error = diagnostics_.error(name.place, fmt::format("there are no registers '{}'", name.text));
        const std::string_view meant = nearest(name.text, known);
        if (!meant.empty()) error.suggest(std::string(meant));
    }
    for (const Name& name : syntax.fields) {
        out.fields.push_back(name.text);
        if (!has_field(out.of, name.text))
            diagnostics_.error(
                name.place, fmt::format("no instruction of the class {} has a field '{}'", syntax.of.text, name.text));
    }
    if (diagnostics_.errors() != before) return std::nullopt;
    return out;
}

void Resolver::resolve_hazards() {
    for (const HazardSyntax& syntax : description_.hazards) {
        if (!here(syntax.only)) continue;
        if (syntax.lasts) {
            const Index of = find_class(syntax.first.of);
            if (of != no_index) isa_.durations.push_back({of, syntax.lasts, syntax.place});
            continue;
        }
        const auto first = hazard_side(syntax.first);
        if (!syntax.counter.empty()) {
            if (first && first->touches != HazardSide::Touches::reads)
                diagnostics_.error(syntax.first.of.place,
                                   "what a counter is waited for is something that is read: say "
                                   "which registers, as in `reads v in DATA until …`");
            else if (first)
                isa_.held.push_back({*first, syntax.counter, syntax.most, syntax.place});
            continue;
        }
        const auto second = hazard_side(syntax.second);
        if (!first || !second) continue;
        if (second->touches != HazardSide::Touches::none && first->touches == HazardSide::Touches::none)
            diagnostics_.error(syntax.second.of.place,
                               "`it` is a register that the first instruction reads or writes: "
                               "say which, as in `writes s then … reads it`");
        else
            isa_.hazards.push_back({syntax.states, *first, *second, syntax.place});
    }
}

}  // namespace isaforge::language

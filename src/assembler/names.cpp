// What names a program has and where they stand, for whoever asked: see ProgramNames. Text that macros made stands in no file,
// so only what is defined there is told, at the place of the call.
#include <fmt/format.h>

#include <algorithm>

#include "assembler/engine.hpp"
#include "assembler/limits.hpp"

namespace isaforge::assembler {

void Engine::mention(Named kind, Index index, const char* begin, const char* end, bool defines) {
    if (names_) mention_at(kind, index, place(begin, end), defines);
}

void Engine::mention_at(Named kind, Index index, Place where, bool defines) {
    if (!names_ || mentions_.size() >= limits::mentions || index == no_index) return;
    if (where.file < calls_.size() && calls_[where.file].macro) return;
    mentions_.push_back({where, kind, defines, index});
}

Index Engine::number_of(Named kind, std::string_view name) {
    const NamedTexts& told = kind == Named::macro ? macros_told_ : definitions_told_;
    const auto found = told.latest.find(name);
    return found == told.latest.end() ? no_index : found->second;
}

void Engine::note_macro(const Macro& macro) {
    if (!names_ || macros_told_.all.size() >= limits::mentions) return;
    ProgramName told;
    told.kind = ProgramName::Kind::macro;
    told.name = macro.name;
    told.where = macro.where;
    for (const MacroParameter& parameter : macro.parameters) {
        if (!told.text.empty()) told.text += ", ";
        told.text += parameter.name;
        if (parameter.required || parameter.rest) told.text += parameter.rest ? ":vararg" : ":req";
        if (!parameter.preset.empty()) told.text += "=" + parameter.preset;
    }
    const auto index = static_cast<Index>(macros_told_.all.size());
    macros_told_.latest.insert_or_assign(macro.name, index);
    macros_told_.all.push_back(std::move(told));
    mention_at(Named::macro, index, macro.where, true);
}

void Engine::note_definition(std::string_view name, const Definition& definition) {
    if (!names_ || definitions_told_.all.size() >= limits::mentions) return;
    ProgramName told;
    told.kind = ProgramName::Kind::definition;
    told.name = name;
    told.where = definition.where;
    told.text = definition.value;
    const auto index = static_cast<Index>(definitions_told_.all.size());
    definitions_told_.latest.insert_or_assign(std::string(name), index);
    definitions_told_.all.push_back(std::move(told));
    mention_at(Named::definition, index, definition.where, true);
}

void Engine::tell_symbol(const SymbolEntry& entry, ProgramName& out) const {
    switch (entry.kind) {
        case SymbolKind::undefined: out.kind = ProgramName::Kind::undefined; break;
        case SymbolKind::label: {
            const Position& position = entry.position;
            out.kind = ProgramName::Kind::label;
            out.section = position.section;
            out.value = offset_of(position) / std::max(1u, sections_[position.section].step);
            break;
        }
        case SymbolKind::integer:
        case SymbolKind::floating:
            out.kind = ProgramName::Kind::number;
            out.value = entry.value;
            out.negative = entry.negative;
            out.floating = entry.kind == SymbolKind::floating;
            break;
        case SymbolKind::expression: out.kind = ProgramName::Kind::expression; break;
        case SymbolKind::common:
            out.kind = ProgramName::Kind::common;
            out.value = entry.value;
            break;
    }
}

void Engine::tell_names() {
    const auto in_a_file = [&](Place where) {
        while (where.file < calls_.size() && calls_[where.file].macro) where = calls_[where.file].place;
        return where;
    };
    ProgramNames& out = *names_;
    out = {};
    out.names.reserve(symbols_.size() + macros_told_.all.size() + definitions_told_.all.size());
    for (Index i = 0; i < symbols_.size(); ++i) {
        const SymbolEntry& entry = symbols_[i];
        ProgramName& told = out.names.emplace_back();
        told.name = entry.name;
        told.where = in_a_file(entry.where);
        tell_symbol(entry, told);
        Resolved value;
        if (entry.kind == SymbolKind::expression &&
            expressions_.evaluate(static_cast<Index>(entry.value), false, value)) {
            const bool is_label = value.base == Resolved::Base::section;
            if (value.base == Resolved::Base::symbol) continue;
            told.kind = is_label ? ProgramName::Kind::label : ProgramName::Kind::number;
            told.section = is_label ? value.index : no_index;
            told.value = value.offset.bits;
            told.negative = value.offset.negative;
        }
    }
    const Index macros = symbols_.size(), definitions = macros + static_cast<Index>(macros_told_.all.size());
    for (NamedTexts* texts : {&macros_told_, &definitions_told_}) {
        for (ProgramName& told : texts->all) {
            told.where = in_a_file(told.where);
            out.names.push_back(std::move(told));
        }
    }
    out.mentions.reserve(mentions_.size());
    for (const NamedMention& one : mentions_) {
        const Index first = one.kind == Named::symbol ? 0 : one.kind == Named::macro ? macros : definitions;
        out.mentions.push_back({one.place, first + one.index, one.defines});
    }
    // Texts are read more than once: where forms are tried, and in repetitions. What defines comes first.
    const auto key = [](const Mention& one) { return std::make_tuple(one.place.file, one.place.offset, !one.defines); };
    std::stable_sort(out.mentions.begin(), out.mentions.end(),
                     [&](const Mention& a, const Mention& b) { return key(a) < key(b); });
    const auto same = [](const Mention& a, const Mention& b) {
        return a.place.file == b.place.file && a.place.offset == b.place.offset;
    };
    out.mentions.erase(std::unique(out.mentions.begin(), out.mentions.end(), same), out.mentions.end());
}

}  // namespace isaforge::assembler

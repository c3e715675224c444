// Limits: what the operands of one instruction may have together. Rows of operands say that they count, forms in which of
// their fields.
#include <fmt/format.h>

#include <algorithm>

#include "codec/tables.hpp"
#include "isaforge/image.hpp"
#include "language/resolver.hpp"

namespace isaforge::language {

void Resolver::resolve_limits() {
    for (const LimitDeclaration& syntax : description_.limits) {
        const auto same = std::find_if(isa_.limits.begin(), isa_.limits.end(),
                                       [&](const Limit& limit) { return limit.name == syntax.name.text; });
        if (same != isa_.limits.end()) {
            diagnostics_.error(syntax.name.place, fmt::format("limit '{}' is declared twice", syntax.name.text))
                .note(same->where, "first here");
        } else if (isa_.limits.size() == most_limits) {
            diagnostics_.error(syntax.name.place, fmt::format("there are more than {} limits", most_limits));
        } else {
            isa_.limits.push_back({syntax.name.text, syntax.most, syntax.reason, syntax.name.place});
        }
    }
}

Index Resolver::find_limit(const Name& name) {
    std::vector<std::string_view> known;
    for (Index i = 0; i < isa_.limits.size(); ++i) {
        if (isa_.limits[i].name == name.text) return i;
        known.push_back(isa_.limits[i].name);
    }
    // Once is enough: a row is resolved for each use of its operand.
    if (name.text.empty() || !broken_.insert(name.text).second) return no_index;
    Diagnostic& error = diagnostics_.error(name.place, fmt::format("there is no limit '{}'", name.text));
    const std::string_view meant = nearest(name.text, known);
    if (!meant.empty()) error.suggest(std::string(meant));
    return no_index;
}

// Several `takes` of one limit, at the format and at the encoding, count together.
void Resolver::add_taking(const TakesSyntax& syntax, const FormatDeclaration& format, const std::vector<Field>& fields,
                          const std::shared_ptr<std::vector<Taking>>& takes) {
    const Index limit = find_limit(syntax.limit);
    if (limit == no_index) return;
    auto taking = std::find_if(takes->begin(), takes->end(), [&](const Taking& t) { return t.limit == limit; });
    if (taking == takes->end()) {
        takes->emplace_back().limit = limit;
        taking = takes->end() - 1;
    }
    for (const Name& name : syntax.fields) {
        const auto field = std::find_if(fields.begin(), fields.end(),
                                        [&](const Field& candidate) { return candidate.name == name.text; });
        if (field == fields.end()) {
            diagnostics_.error(name.place, fmt::format("format {} has no field '{}'", format.name.text, name.text))
                .note(format.bar.place, "the format is here");
            return;
        }
        const OperandType& type = isa_.operand_types[field->type];
        if (type.width > codec::widest_table) {
            diagnostics_
                .error(name.place, fmt::format("'{}' has {} bits: what counts for a limit has at most {}", name.text,
                                               type.width, codec::widest_table))
                .note(field->where, "the field is here");
            return;
        }
        const auto index = static_cast<Index>(field - fields.begin());
        if (std::find(taking->fields.begin(), taking->fields.end(), index) == taking->fields.end())
            taking->fields.push_back(index);
    }
    taking->besides += syntax.besides;
    for (const Text& text : syntax.own)
        own_takings_.push_back({takes, static_cast<std::size_t>(taking - takes->begin()), &text});
}

namespace {

// Whether a row is just this text, for one code.
bool is_written(const OperandRow& row, unsigned width, const std::string& text) {
    if (row.mask != low_bits(width) || row.reserved) return false;
    return std::any_of(row.texts.begin(), row.texts.end(), [&](const TextTemplate& written) {
        return written.size() == 1 && written[0].kind == TextKind::literal && written[0].text == text;
    });
}

}  // namespace

void Resolver::resolve_own_takings() {
    for (const OwnTaking& own : own_takings_) {
        Taking& taking = (*own.list)[own.taking];
        bool found = false;
        for (Index i = 0; i < isa_.operand_types.size() && !found; ++i) {
            const OperandType& type = isa_.operand_types[i];
            for (const OperandRow& row : type.rows) {
                if ((row.takes >> taking.limit & 1) == 0 || !is_written(row, type.width, own.text->text)) continue;
                taking.own.emplace_back(i, row.value);
                found = true;
                break;
            }
        }
        if (found || !broken_.insert("\"" + own.text->text).second) continue;
        diagnostics_.error(own.text->place, fmt::format("no operand that takes from '{}' is written \"{}\"",
                                                        isa_.limits[taking.limit].name, own.text->text));
    }
}

}  // namespace isaforge::language

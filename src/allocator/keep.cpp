// Numbers that an earlier output of the allocator has: rows are known again by mnemonic and format.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "isaforge/allocate.hpp"

namespace isaforge {

namespace {

using Key = std::pair<std::string, std::string>;  // mnemonic, format

Key key_of(const Isa& isa, const Form& form) {
    return {isa.instructions[form.instruction].names.front(), isa.formats[form.format].name};
}

// A row may stand several times, or in several forms of one format: those of one key, by instruction, in order.
std::map<Key, std::vector<Index>> forms_by_key(const Isa& isa) {
    std::map<Key, std::vector<Index>> forms;
    for (Index i = 0; i < isa.forms.size(); ++i) {
        if (isa.forms[i].alias) continue;
        std::vector<Index>& list = forms[key_of(isa, isa.forms[i])];
        if (list.empty() || isa.forms[list.back()].instruction != isa.forms[i].instruction) list.push_back(i);
    }
    return forms;
}

std::optional<std::uint64_t> number_in(const Form& form, const std::string& field_name, unsigned width) {
    for (const Field& field : form.fields) {
        if (field.name != field_name || field.in_tail || field.place.width != width) continue;
        if (field.place.extract(form.mask) != low_bits(width)) return std::nullopt;  // it waits there, too
        return field.place.extract(form.value);
    }
    return std::nullopt;
}

bool overlap(const Form& a, const Form& b) {
    for (std::size_t i = 0; i < a.mask.words.size(); ++i) {
        if ((a.mask.words[i] & b.mask.words[i] & (a.value.words[i] ^ b.value.words[i])) != 0) return false;
    }
    return true;
}

// A row that has got a number by hand since then may have one that another row had.
void find_clashes(const Isa& draft, const Isa& kept, Diagnostics& diagnostics) {
    std::set<Index> waited, waiting;
    const auto forms_of = [](const Isa& isa, std::set<Index>& forms) {
        for (const AutoRow& row : isa.auto_rows) {
            for (const AutoRow::Column& column : row.columns) {
                for (const auto& [form, field] : column.fields) forms.insert(form);
            }
        }
    };
    forms_of(draft, waited);
    forms_of(kept, waiting);
    for (const Index index : waited) {
        if (waiting.contains(index) || kept.forms[index].alias) continue;
        for (Index other = 0; other < kept.forms.size(); ++other) {
            if (waited.contains(other) || kept.forms[other].alias) continue;
            if (!overlap(kept.forms[index], kept.forms[other])) continue;
            diagnostics
                .error(kept.forms[index].where, fmt::format("the number that {} had before overlaps with {} now",
                                                            kept.instruction_of(kept.forms[index]).names.front(),
                                                            kept.instruction_of(kept.forms[other]).names.front()))
                .note(kept.forms[other].where, "the other row is here");
            return;
        }
    }
}

}  // namespace

std::shared_ptr<const Isa> keep_numbers(const Isa& draft, const Isa& previous, std::vector<AutoChoice>& choices,
                                        Diagnostics& diagnostics) {
    const std::size_t errors = diagnostics.errors();
    auto kept = std::make_shared<Isa>(draft);
    const auto before = forms_by_key(previous);
    std::map<Key, std::set<Index>> seen;  // instructions of a key so far, to tell rows of one name
    for (AutoRow& row : kept->auto_rows) {
        std::map<Key, std::size_t> turns;
        for (const AutoRow::Column& column : row.columns) {
            for (const auto& [form, field] : column.fields) {
                const Key key = key_of(draft, draft.forms[form]);
                seen[key].insert(draft.forms[form].instruction);
                turns.emplace(key, seen[key].size() - 1);
            }
        }
        std::erase_if(row.columns, [&](const AutoRow::Column& column) {
            if (column.fields.empty()) return false;
            const auto& [first, first_field] = column.fields.front();
            const Key key = key_of(draft, draft.forms[first]);
            const auto found = before.find(key);
            if (found == before.end() || turns[key] >= found->second.size()) return false;
            const auto number = number_in(previous.forms[found->second[turns[key]]],
                                          draft.forms[first].fields[first_field].name, column.width);
            if (!number) return false;
            for (const auto& [index, field] : column.fields) {
                Form& form = kept->forms[index];
                form.fields[field].place.insert(form.mask, ~std::uint64_t{0});
                form.fields[field].place.insert(form.value, *number);
                form.fields[field].place.insert(form.written, *number);
            }
            choices.push_back({column.where, *number, column.width, column.bits});
            return true;
        });
    }
    std::erase_if(kept->auto_rows, [](const AutoRow& row) { return row.columns.empty(); });
    find_clashes(draft, *kept, diagnostics);
    return diagnostics.errors() == errors ? kept : nullptr;
}

}  // namespace isaforge

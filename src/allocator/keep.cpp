// Numbers that an earlier output of the allocator has: rows are known again by mnemonic and format.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "isaforge/allocate.hpp"
#include "support/bits.hpp"

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

}  // namespace

std::shared_ptr<const Isa> keep_numbers(const Isa& draft, const Isa& previous, std::vector<AutoChoice>& choices) {
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
            }
            choices.push_back({column.where, *number, column.width, column.bits});
            return true;
        });
    }
    std::erase_if(kept->auto_rows, [](const AutoRow& row) { return row.columns.empty(); });
    return kept;
}

}  // namespace isaforge

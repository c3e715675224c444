// Gives opcodes to the rows that wait for one, in the order of the description: each takes the lowest that is free.
#include "isaforge/allocate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/bits.hpp"

namespace isaforge {

namespace {

bool overlap(const Form& a, const Form& b) {
    for (std::size_t w = 0; w < a.mask.words.size(); ++w) {
        if ((a.mask.words[w] & b.mask.words[w] & (a.value.words[w] ^ b.value.words[w])) != 0) return false;
    }
    return true;
}

struct Leading {
    std::uint64_t mask = 0, value = 0;
};

Leading leading_bits(const Isa& isa, const Form& form, unsigned width) {
    Leading out;
    for (unsigned i = 0; i < width; ++i) {
        const unsigned position = isa.leading_bit_position(i);
        out.mask = out.mask << 1 | form.mask.get(position, 1);
        out.value = out.value << 1 | (form.mask.get(position, 1) & form.value.get(position, 1));
    }
    return out;
}

class FirstFit {
public:
    FirstFit(const Isa& draft, std::vector<AutoChoice>& choices) : isa_(draft), forms_(draft.forms), choices_(choices) {
        placed_.resize(forms_.size(), true);
        for (const AutoRow& row : isa_.auto_rows) {
            for (const AutoRow::Column& column : row.columns) {
                for (const auto& [form, field] : column.fields) placed_[form] = false;
            }
        }
    }

    // Tries the numbers of the row's columns from 0, the last column fastest.
    bool place(const AutoRow& row, std::size_t column) {
        if (column == row.columns.size()) return true;
        const AutoRow::Column& here = row.columns[column];
        const bool inner = column + 1 < row.columns.size() && shares_form(here, row.columns[column + 1]);
        const std::uint64_t last = low_bits(std::min(here.width, 20U));
        for (std::uint64_t value = 0; value <= last; ++value) {
            for (const auto& [form, field] : here.fields) set(form, field, value);
            if (!inner && !all_free(here)) continue;
            choices_.push_back({here.where, value, here.width});
            if (!inner)
                for (const auto& [form, field] : here.fields) placed_[form] = true;
            if (inner ? place(row, column + 1) : true) return inner || place(row, column + 1);
            choices_.pop_back();
        }
        return false;
    }

    void keep(const AutoRow& row) {
        for (const AutoRow::Column& column : row.columns) {
            for (const auto& [form, field] : column.fields) placed_[form] = true;
        }
    }

private:
    static bool shares_form(const AutoRow::Column& a, const AutoRow::Column& b) {
        return std::any_of(a.fields.begin(), a.fields.end(), [&](const auto& x) {
            return std::any_of(b.fields.begin(), b.fields.end(), [&](const auto& y) { return x.first == y.first; });
        });
    }

    void set(Index form, Index field, std::uint64_t value) {
        const BitPlace& place = forms_[form].fields[field].place;
        place.insert(forms_[form].mask, ~std::uint64_t{0});
        place.insert(forms_[form].value, value);
    }

    bool all_free(const AutoRow::Column& column) const {
        return std::all_of(column.fields.begin(), column.fields.end(), [&](const auto& f) { return free(f.first); });
    }

    bool free(Index index) const {
        const Form& form = forms_[index];
        bool in_pool = false, has_pool = false;
        for (const Pool& pool : isa_.pools) {
            const Leading bits = leading_bits(isa_, form, pool.width);
            const std::uint64_t highest = bits.value | (low_bits(pool.width) & ~bits.mask);
            const bool mine = std::find(pool.formats.begin(), pool.formats.end(), form.format) != pool.formats.end();
            has_pool |= mine;
            if (mine) in_pool |= bits.value >= pool.low && highest <= pool.high;
            if (!mine && bits.value <= pool.high && highest >= pool.low) return false;
        }
        if (has_pool && !in_pool) return false;
        for (const ReservedPattern& reserved : isa_.reserved) {
            const Leading bits = leading_bits(isa_, form, reserved.width);
            if ((bits.mask & reserved.mask & (bits.value ^ reserved.value)) == 0) return false;
        }
        for (Index other = 0; other < forms_.size(); ++other) {
            if (placed_[other] && !forms_[other].alias && overlap(forms_[other], form)) return false;
        }
        return true;
    }

    const Isa& isa_;
    std::vector<Form> forms_;
    std::vector<bool> placed_;
    std::vector<AutoChoice>& choices_;
};

}  // namespace

bool allocate(const Isa& draft, std::vector<AutoChoice>& choices, Diagnostics& diagnostics) {
    FirstFit fit(draft, choices);
    const std::size_t before = diagnostics.errors();
    for (const AutoRow& row : draft.auto_rows) {
        if (!fit.place(row, 0)) diagnostics.error(row.where, "there is no opcode left for this row");
        fit.keep(row);
    }
    return diagnostics.errors() == before;
}

}  // namespace isaforge

#include "allocator/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <string>

namespace isaforge::allocator {

namespace {

constexpr unsigned most_extra_bits = 16;

// The first 64 bits of an image, in the order of a bar.
Bits leading(const Isa& isa, const Image& image, unsigned bits) {
    Bits out = 0;
    for (unsigned i = 0; i < std::min(bits, 64u); ++i) {
        const unsigned position = isa.leading_bit_position(i);
        if (position < max_instruction_bits && image.get(position, 1)) out |= leading_bit(i);
    }
    return out;
}

Cube constants_of(const Isa& isa, const Form& form) {
    const Bits mask = leading(isa, form.mask, form.bits);
    return {mask, leading(isa, form.value, form.bits) & mask};
}

// Whether a form has constants that leading() does not see.
bool is_told_behind(const Isa& isa, const Form& form) {
    for (unsigned i = 64; i < form.bits; ++i) {
        if (form.mask.get(isa.leading_bit_position(i), 1)) return true;
    }
    return false;
}

Image image_of(const Isa& isa, Bits word) {
    Image image;
    for (unsigned i = 0; i < 64; ++i) {
        if (word & leading_bit(i)) image.set(isa.leading_bit_position(i), 1, 1);
    }
    return image;
}

void turn(Cube& cube, unsigned by) {
    cube = {std::rotl(cube.mask, static_cast<int>(by)), std::rotl(cube.value, static_cast<int>(by))};
}

// What a title says beside the words that tell variants of one operation.
std::string operation_of(const std::string& title) {
    static const std::set<std::string> passed_over = {"immediate", "long", "short", "vector", "scalar", "compressed"};
    std::string out, word;
    const auto finish = [&] {
        if (!word.empty() && !passed_over.contains(word)) out += word + " ";
        word.clear();
    };
    for (const char c : title) {
        if (c == ' ') {
            finish();
        } else {
            word += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        }
    }
    finish();
    return out;
}

class ModelMaker {
public:
    ModelMaker(const Isa& isa, Diagnostics& diagnostics) : isa_(isa), diagnostics_(diagnostics) {}

    std::optional<Model> make() {
        const std::size_t before = diagnostics_.errors();
        Problem& problem = model_.problem;
        for (const Format& format : isa_.formats) problem.formats.push_back(format.name);
        for (const Pool& pool : isa_.pools) {
            problem.pools.push_back({pool.name, pool.width, pool.low, pool.high, {}});
            problem.pools.back().formats.assign(pool.formats.begin(), pool.formats.end());
        }
        for (const ReservedPattern& pattern : isa_.reserved) {
            const unsigned shift = 64 - pattern.width;
            problem.reserved.push_back({{pattern.mask << shift, pattern.value << shift}, pattern.reason});
        }
        group_columns();
        for (const Choice& choice : model_.choices) add_item(choice);
        for (Index i = 0; i < isa_.forms.size(); ++i) {
            const Form& form = isa_.forms[i];
            problem.partial = problem.partial || is_told_behind(isa_, form);
            if (waiting_.contains(i) || form.alias) continue;
            problem.fixed.push_back({{form.format, form.bits, constants_of(isa_, form)},
                                     isa_.instructions[form.instruction].names.front()});
        }
        if (diagnostics_.errors() != before) return std::nullopt;
        relate();
        skip_operands();
        return std::move(model_);
    }

private:
    // Columns that share a form are one choice.
    void group_columns() {
        std::vector<std::pair<Index, Index>> columns;
        for (Index row = 0; row < isa_.auto_rows.size(); ++row) {
            for (Index column = 0; column < isa_.auto_rows[row].columns.size(); ++column) {
                if (!isa_.auto_rows[row].columns[column].fields.empty()) columns.emplace_back(row, column);
            }
        }
        std::vector<std::size_t> leader(columns.size());
        std::iota(leader.begin(), leader.end(), std::size_t{0});
        const auto find = [&](std::size_t i) {
            while (leader[i] != i) i = leader[i] = leader[leader[i]];
            return i;
        };
        std::map<Index, std::size_t> first;  // form: a column in it
        for (std::size_t i = 0; i < columns.size(); ++i) {
            for (const auto& [form, field] : isa_.auto_rows[columns[i].first].columns[columns[i].second].fields) {
                const std::size_t a = find(i), b = find(first.emplace(form, i).first->second);
                leader[std::max(a, b)] = std::min(a, b);
                waiting_.insert(form);
            }
        }
        std::map<std::size_t, std::size_t> known;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const auto [place, added] = known.emplace(find(i), model_.choices.size());
            if (added) model_.choices.emplace_back();
            Choice& choice = model_.choices[place->second];
            choice.columns.push_back(columns[i]);
            for (const auto& [form, field] : isa_.auto_rows[columns[i].first].columns[columns[i].second].fields) {
                if (std::find(choice.forms.begin(), choice.forms.end(), form) == choice.forms.end()) {
                    choice.forms.push_back(form);
                }
            }
        }
    }

    const AutoRow::Column& column(const std::pair<Index, Index>& which) const {
        return isa_.auto_rows[which.first].columns[which.second];
    }

    // Where a form keeps the numbers of a choice.
    Bits chosen_in(const Choice& choice, Index form) {
        Bits chosen = 0;
        for (const auto& which : choice.columns) {
            for (const auto& [in, field] : column(which).fields) {
                if (in != form) continue;
                Image image;
                isa_.forms[form].fields[field].place.insert(image, ~std::uint64_t{0});
                const Bits bits = leading(isa_, image, isa_.forms[form].bits);
                if (std::popcount(bits) != static_cast<int>(column(which).width)) {
                    diagnostics_.error(column(which).where,
                                       "this number is not in the first 64 bits, where the allocator chooses");
                }
                chosen |= bits;
            }
        }
        return chosen;
    }

    // Whether each bit of the word is the same bit of the same number in all forms of the choice.
    bool alike(const Choice& choice, Bits chosen) const {
        for (Bits left = chosen; left != 0; left &= left - 1) {
            const Image image = image_of(isa_, left & (~left + 1));
            for (const auto& which : choice.columns) {
                const auto& fields = column(which).fields;
                const auto number = [&](const auto& f) {
                    return isa_.forms[f.first].fields[f.second].place.extract(image);
                };
                for (const auto& f : fields) {
                    if (number(f) != number(fields.front())) return false;
                }
            }
        }
        return true;
    }

    void add_item(const Choice& choice) {
        const AutoRow& row = isa_.auto_rows[choice.columns.front().first];
        Item item;
        item.chosen = chosen_in(choice, choice.forms.front());
        item.table = row.table;
        item.aligned = row.aligned;
        bool same = true;
        for (const Index index : choice.forms) {
            const Form& form = isa_.forms[index];
            Cube constants = constants_of(isa_, form);
            const Bits chosen = chosen_in(choice, index);
            same = same && chosen == item.chosen;
            constants.mask &= ~chosen;
            constants.value &= constants.mask;
            item.forms.push_back({form.format, form.bits, constants});
        }
        const Place where = column(choice.columns.front()).where;
        if (!same || !alike(choice, item.chosen)) {
            diagnostics_.error(where,
                               "the encodings of this row keep the number in different bits: the allocator cannot "
                               "choose one for all of them; give it a number");
        }
        Bits used = item.chosen;
        for (const Shape& form : item.forms) used |= form.constants.mask;
        const Bits front = item.chosen & leading_bits(static_cast<unsigned>(std::countl_one(used)));
        if (std::popcount(item.chosen & ~front) > static_cast<int>(most_extra_bits)) {
            diagnostics_.error(where, fmt::format("this row has more than {} opcode bits behind its leading ones: the "
                                                  "allocator cannot choose so many",
                                                  most_extra_bits));
        }
        if (front != 0 && 64 - std::countr_zero(front) > static_cast<int>(widest_block)) {
            diagnostics_.error(
                where,
                fmt::format("this opcode ends behind the first {} bits, where the allocator chooses", widest_block));
        }
        model_.problem.items.push_back(std::move(item));
    }

    // Neighbours of a table, the two numbers of one row, and operations of one title: one bit apart, if that can be.
    void relate() {
        const std::vector<Item>& items = model_.problem.items;
        std::map<Index, std::size_t> in_table, in_row;             // the last without a partner; the last of the row
        std::map<std::string, std::size_t> by_operation;
        std::set<std::pair<std::size_t, std::size_t>> pairs;
        const auto pair = [&](std::size_t a, std::size_t b) {
            if (a != b && items[a].chosen == items[b].chosen) pairs.insert({a, b});
        };
        for (std::size_t i = 0; i < items.size(); ++i) {
            const Index row = model_.choices[i].columns.front().first;
            const auto [last, first_of_row] = in_row.emplace(row, i);
            if (!first_of_row) {
                pair(last->second, i);
                continue;
            }
            const auto [waiting, alone] = in_table.emplace(isa_.auto_rows[row].table, i);
            if (!alone) {
                pair(waiting->second, i);
                in_table.erase(waiting);
            }
            if (isa_.auto_rows[row].instruction == no_index) continue;
            const std::string operation = operation_of(isa_.instructions[isa_.auto_rows[row].instruction].title);
            if (operation.empty()) continue;
            const auto [before, unknown] = by_operation.emplace(operation, i);
            if (unknown) continue;
            pair(before->second, i);
            before->second = i;
        }
        model_.problem.related.assign(pairs.begin(), pairs.end());
    }

    // Bits at the front that are operands of every row with `auto` go behind all others.
    void skip_operands() {
        Problem& problem = model_.problem;
        Bits used = 0;
        for (const Item& item : problem.items) {
            used |= item.chosen;
            for (const Shape& form : item.forms) used |= form.constants.mask;
        }
        const unsigned by = used == 0 ? 0 : static_cast<unsigned>(std::countl_zero(used));
        if (by == 0) return;
        problem.skipped = by;
        for (Item& item : problem.items) {
            item.chosen = std::rotl(item.chosen, static_cast<int>(by));
            for (Shape& form : item.forms) turn(form.constants, by);
        }
        for (FixedRow& row : problem.fixed) turn(row.shape.constants, by);
        for (ReservedWords& words : problem.reserved) turn(words.pattern, by);
    }

    const Isa& isa_;
    Diagnostics& diagnostics_;
    Model model_;
    std::set<Index> waiting_;  // forms
};

}  // namespace

std::optional<Model> model_of(const Isa& draft, Diagnostics& diagnostics) {
    return ModelMaker(draft, diagnostics).make();
}

void add_numbers(const Isa& draft, const Model& model, const Assignment& assignment, std::vector<AutoChoice>& choices) {
    for (std::size_t i = 0; i < model.choices.size(); ++i) {
        const Bits word = std::rotr(assignment[i], static_cast<int>(model.problem.skipped));
        const Image image = image_of(draft, word);
        for (const auto& [row, column] : model.choices[i].columns) {
            const AutoRow::Column& waiting = draft.auto_rows[row].columns[column];
            const auto& [form, field] = waiting.fields.front();
            choices.push_back(
                {waiting.where, draft.forms[form].fields[field].place.extract(image), waiting.width, waiting.bits});
        }
    }
}

}  // namespace isaforge::allocator

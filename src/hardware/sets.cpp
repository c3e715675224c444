#include "hardware/sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "allocator/cover.hpp"

namespace isaforge::hardware {

namespace {

constexpr unsigned most_bits = 64;              // that a cover looks at

}  // namespace

unsigned width_of(const Slices& slices) {
    unsigned width = 0;
    for (const Slice& slice : slices) width += slice.high - slice.low + 1;
    return width;
}

Slices slices_of(const BitPlace& place) {
    std::vector<BitPiece> pieces(place.pieces.begin(), place.pieces.end());
    std::ranges::stable_sort(pieces, std::greater<>{}, &BitPiece::shift);
    Slices out;
    for (const BitPiece& piece : pieces) {
        const Slice slice{piece.position + piece.width - 1u, piece.position};
        if (!out.empty() && out.back().low == slice.high + 1) {
            out.back().low = slice.low;
        } else {
            out.push_back(slice);
        }
    }
    return out;
}

// Operands inside others come before them.
DecoderSets::DecoderSets(const Isa& isa) : WordSets(isa), can_have_tail_(isa.operand_types.size()) {
    for (std::size_t i = 0; i < can_have_tail_.size(); ++i) {
        for (const OperandRow& row : isa.operand_types[i].rows) {
            if (row.alias || row.reserved) continue;
            can_have_tail_[i] = can_have_tail_[i] || std::ranges::any_of(row.fields, [&](const Field& field) {
                                    return field.in_tail || (field.type < i && can_have_tail_[field.type]);
                                });
        }
    }
}

Slices moved(const Slices& slices, unsigned by) {
    Slices out = slices;
    for (Slice& slice : out) {
        slice.high += by;
        slice.low += by;
    }
    return out;
}

bool is_signed(const OperandType& type) {
    return type.kind == OperandKind::number && !type.number.sliced && type.number.base == NumberBase::signed_integer;
}

DecoderSets::Levels DecoderSets::levels_of(const Slices& slices) const {
    Levels out;
    for (std::size_t i = slices.size(); i-- > 0;) {
        for (unsigned position = slices[i].low; position <= slices[i].high; ++position)
            out.push_back(isa_.leading_bit_position(position));
    }
    return out;
}

DecoderSets::Set DecoderSets::codes_of(Index type) { return valid(type, levels_of(type)); }

DecoderSets::Set DecoderSets::code_in(const Slices& of, std::uint64_t code) {
    return cube(low_bits(width_of(of)), code, levels_of(of));
}

// --- What follows an instruction ----------------------------------------------------------------------------------------

namespace {

// Adds to a list of cases, of which equal ones are one.
template <typename Case>
void add_case(std::vector<std::pair<Case, DecoderSets::Set>>& list, const Case& one, DecoderSets::Set words,
              DecoderSets& sets) {
    if (words == DecoderSets::none) return;
    const auto known = std::ranges::find(list, one, &std::pair<Case, DecoderSets::Set>::first);
    if (known == list.end()) {
        list.emplace_back(one, words);
    } else {
        known->second = sets.either(known->second, words);
    }
}

// What an operand calls for that has one value of its own, and another one by an operand inside of it.
Tail together(const Tail& a, const Tail& b) {
    if (a.width == 0) return b;
    if (b.width == 0) return a;
    Tail out = a;
    out.broken = a.broken || b.broken || !a.shared || !b.shared || a.width != b.width;
    out.types.insert(out.types.end(), b.types.begin(), b.types.end());
    return out;
}

}  // namespace

DecoderSets::Tails DecoderSets::tails_of(Index index, const Levels& levels) {
    if (!can_have_tail_[index]) return {{Tail{}, valid(index, levels)}};
    Tails out;
    each_row(isa_.operand_types[index], levels, [&](const OperandRow& row, Set codes) {
        if (row.reserved) return;
        Tails cases = {{Tail{}, codes}};
        for (const Field& field : row.fields) {
            Tails inner;
            if (field.in_tail) {
                const OperandType& type = isa_.operand_types[field.type];
                Tail tail{field.place.width, field.shared, is_signed(type), false, slices_of(field.place), {}};
                if (codes_of(field.type) != all) tail.types.push_back(field.type);
                inner = {{tail, all}};
            } else if (can_have_tail_[field.type]) {
                inner = tails_of(field.type, inside(field.place, levels));
            } else {
                continue;
            }
            Tails more;
            for (const auto& [a, those] : cases) {
                for (const auto& [b, these] : inner) add_case(more, together(a, b), both(those, these), *this);
            }
            cases = std::move(more);
        }
        for (const auto& [tail, those] : cases) add_case(out, tail, those, *this);
    });
    return out;
}

// As they are written: in the order of the text that is printed; what it does not mention stands behind.
std::vector<Index> DecoderSets::tail_order(const Form& form) const {
    std::vector<Index> out;
    const bool any = std::ranges::any_of(
        form.fields, [&](const Field& field) { return !field.fixed && can_have_tail_[field.type]; });
    if (!any) return out;  // what a form fixes calls for nothing by itself
    const auto add = [&](Index index) {
        if (can_have_tail_[form.fields[index].type] && std::ranges::find(out, index) == out.end()) out.push_back(index);
    };
    for (const TextElement& element : form.texts.empty() ? TextTemplate() : form.texts[0]) {
        if (element.kind == TextKind::field || element.kind == TextKind::number) add(element.field);
        if (element.kind == TextKind::any) std::ranges::for_each(element.fields, add);
    }
    for (Index i = 0; i < form.fields.size(); ++i) add(i);
    return out;
}

// Values that are shared are one, at the place of the first.
std::vector<DecoderSets::Layout> DecoderSets::layouts_of(const Form& form) {
    std::vector<Layout> out = {{{}, form.bits, false, all}};
    for (const Index index : tail_order(form)) {
        const Field& field = form.fields[index];
        const Tails cases = tails_of(field.type, levels_of(slices_of(field.place)));
        std::vector<Layout> more;
        for (const Layout& before : out) {
            for (const auto& [of_case, codes] : cases) {
                Layout next = before;
                next.codes = both(before.codes, codes);
                if (next.codes == none) continue;
                const auto& tail = of_case;  // which lambdas take, as they do not take parts of a pair
                next.broken |= tail.broken;
                const auto one = std::ranges::find_if(
                    next.tails, [&](const TailPlace& place) { return place.tail.shared && tail.shared; });
                if (tail.width != 0 && one != next.tails.end()) {
                    next.broken |= one->tail.width != tail.width;
                    next.tails.push_back({index, one->at, tail});
                } else if (tail.width != 0) {
                    next.tails.push_back({index, next.bits, tail});
                    next.bits += tail.width;
                }
                next.broken |= next.bits > max_instruction_bits;
                more.push_back(std::move(next));
            }
        }
        out = std::move(more);
    }
    return out;
}

DecoderSets::Set DecoderSets::kept_by(const Layout& layout) {
    if (layout.broken) return none;
    Set out = layout.codes;
    for (const TailPlace& place : layout.tails) {
        for (const Index type : place.tail.types) out = both(out, codes_of(type, moved(place.tail.of, place.at)));
    }
    return out;
}

// --- What counts for limits ---------------------------------------------------------------------------------------------

Thing DecoderSets::thing(const OperandRow& row, const Levels& levels) {
    const auto tail = std::ranges::find_if(row.fields, [](const Field& field) { return field.in_tail; });
    const auto kind = tail == row.fields.end() ? Thing::Kind::row
                      : tail->shared           ? Thing::Kind::shared_tail
                                               : Thing::Kind::own_tail;
    return {kind, &row, levels};
}

std::optional<Thing> DecoderSets::thing_of(Index type, std::uint64_t code) {
    const Levels levels = levels_of(type);
    const Set wanted = cube(low_bits(static_cast<unsigned>(levels.size())), code, levels);
    std::optional<Thing> out;
    each_row(isa_.operand_types[type], levels, [&](const OperandRow& row, Set codes) {
        if (!row.reserved && both(codes, wanted) != none) out = thing(row, levels);
    });
    return out;
}

std::vector<std::pair<DecoderSets::Things, DecoderSets::Set>> DecoderSets::things_of(Index index, Index limit) {
    return things_of(index, limit, levels_of(index));
}

std::vector<std::pair<DecoderSets::Things, DecoderSets::Set>> DecoderSets::things_of(Index index, Index limit,
                                                                                     const Levels& levels) {
    const OperandType& type = isa_.operand_types[index];
    if (type.kind != OperandKind::table) return {{Things{}, valid(index, levels)}};
    std::vector<std::pair<Things, Set>> out;
    each_row(type, levels, [&](const OperandRow& row, Set codes) {
        if (row.reserved) return;
        Things own;
        if (row.takes >> limit & 1) own.push_back(thing(row, levels));
        std::vector<std::pair<Things, Set>> cases = {{own, codes}};
        for (const Field& field : row.fields) {
            if (field.in_tail) continue;
            std::vector<std::pair<Things, Set>> more;
            for (const auto& [inner, these] : things_of(field.type, limit, inside(field.place, levels))) {
                for (const auto& [things, those] : cases) {
                    Things joined = things;
                    joined.insert(joined.end(), inner.begin(), inner.end());
                    add_case(more, joined, both(those, these), *this);
                }
            }
            cases = std::move(more);
        }
        for (const auto& [things, those] : cases) add_case(out, things, those, *this);
    });
    return out;
}

// --- What is looked at --------------------------------------------------------------------------------------------------

void DecoderSets::find_levels(Set set, std::set<Set>& seen, std::set<unsigned>& levels) const {
    if (set == none || set == all || !seen.insert(set).second) return;
    const unsigned level = bdd_.level(set);
    levels.insert(level);
    find_levels(bdd_.half(set, level, false), seen, levels);
    find_levels(bdd_.half(set, level, true), seen, levels);
}

// The same set with each bit at the place that it has in a list.
DecoderSets::Set DecoderSets::packed(Set set, const std::vector<unsigned>& levels, std::map<Set, Set>& done) {
    if (set == none || set == all) return set;
    if (const auto known = done.find(set); known != done.end()) return known->second;
    const unsigned level = bdd_.level(set);
    const auto place = static_cast<unsigned>(std::ranges::lower_bound(levels, level) - levels.begin());
    const Set low = packed(bdd_.half(set, level, false), levels, done);
    const Set high = packed(bdd_.half(set, level, true), levels, done);
    return done[set] = bdd_.node(place, low, high);
}

// Covers see the first 64 bits of words: those that matter are packed side by side where there are some behind.
Match DecoderSets::match_at(Set wanted, Set unwanted, const std::function<unsigned(unsigned)>& position_of) {
    std::set<Set> seen;
    std::set<unsigned> those;
    find_levels(wanted, seen, those);
    find_levels(unwanted, seen, those);
    std::vector<unsigned> levels(those.begin(), those.end());
    if (levels.size() > most_bits) {
        problem_ = fmt::format("more than {} bits together tell instructions apart", most_bits);
        return {};
    }
    if (!levels.empty() && levels.back() >= most_bits) {
        std::map<Set, Set> done;
        wanted = packed(wanted, levels, done);
        unwanted = packed(unwanted, levels, done);
    } else {
        levels.resize(most_bits);
        std::iota(levels.begin(), levels.end(), 0u);
    }
    const std::vector<allocator::Cube> cover = allocator::minimise(bdd_, wanted, without(all, unwanted));
    allocator::Bits used = 0;
    for (const allocator::Cube& cube : cover) used |= cube.mask;
    Match out;
    std::vector<unsigned> places;
    for (unsigned place = 0; place < levels.size(); ++place) {
        if (!(used & allocator::leading_bit(place))) continue;
        places.push_back(place);
        const unsigned position = position_of(levels[place]);
        if (!out.of.empty() && out.of.back().low == position + 1) {
            out.of.back().low = position;
        } else {
            out.of.push_back({position, position});
        }
    }
    for (const allocator::Cube& cube : cover) {
        std::string pattern;
        for (const unsigned place : places) {
            const allocator::Bits at = allocator::leading_bit(place);
            pattern += !(cube.mask & at) ? '-' : cube.value & at ? '1' : '0';
        }
        out.patterns.push_back(std::move(pattern));
    }
    std::ranges::sort(out.patterns);
    return out;
}

Match DecoderSets::match(Set wanted, Set unwanted) {
    return match_at(wanted, unwanted, [&](unsigned level) { return isa_.leading_bit_position(level); });
}

Match DecoderSets::match_codes(Set wanted, Set unwanted, unsigned width) {
    return match_at(wanted, unwanted, [&](unsigned level) { return width - 1 - level; });
}

Slices DecoderSets::slices_of_mask(const Image& mask, unsigned bits) const {
    Slices out;
    for (unsigned level = 0; level < bits; ++level) {
        const unsigned position = isa_.leading_bit_position(level);
        if (mask.get(position, 1) == 0) continue;
        if (!out.empty() && out.back().low == position + 1) {
            out.back().low = position;
        } else {
            out.push_back({position, position});
        }
    }
    return out;
}

std::string DecoderSets::pattern_of(const Image& every, const Image& mask, const Image& value, unsigned bits) const {
    std::string out;
    for (unsigned level = 0; level < bits; ++level) {
        const unsigned position = isa_.leading_bit_position(level);
        if (every.get(position, 1) == 0) continue;
        out += mask.get(position, 1) == 0 ? '-' : value.get(position, 1) != 0 ? '1' : '0';
    }
    return out;
}

}  // namespace isaforge::hardware

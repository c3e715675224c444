#include "hardware/sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "allocator/cover.hpp"
#include "encoding/diagram.hpp"
#include "support/wide.hpp"

namespace isaforge::hardware {

namespace {

constexpr unsigned most_bits = 64;              // that a cover looks at
constexpr std::uint64_t most_listed = 1 << 16;  // codes of a range whose step is no power of two

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
WordSets::WordSets(const Isa& isa) : isa_(isa), can_have_tail_(isa.operand_types.size()) {
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

WordSets::Levels WordSets::levels_of(const Slices& slices) const {
    Levels out;
    for (std::size_t i = slices.size(); i-- > 0;) {
        for (unsigned position = slices[i].low; position <= slices[i].high; ++position)
            out.push_back(level_of(position));
    }
    return out;
}

WordSets::Levels WordSets::levels_of(Index type) const {
    Levels out(isa_.operand_types[type].width);
    for (unsigned i = 0; i < out.size(); ++i) out[i] = static_cast<unsigned>(out.size()) - 1 - i;
    return out;
}

WordSets::Levels WordSets::inside(const BitPlace& place, const Levels& levels) {
    Levels out(place.width);
    for (const BitPiece& piece : place.pieces) {
        for (unsigned i = 0; i < piece.width; ++i) out[piece.shift + i] = levels[piece.position + i];
    }
    return out;
}

WordSets::Set WordSets::bit(unsigned level, bool one) {
    return one ? bdd_.node(level, none, all) : bdd_.node(level, all, none);
}

WordSets::Set WordSets::cube(const Levels& levels, std::uint64_t mask, std::uint64_t value) {
    Set out = all;
    for (unsigned i = 0; i < levels.size(); ++i) {
        if (mask >> i & 1) out = both(out, bit(levels[i], value >> i & 1));
    }
    return out;
}

WordSets::Set WordSets::range(const Levels& levels, std::uint64_t low, std::uint64_t high) {
    const auto width = static_cast<unsigned>(levels.size());
    high = std::min(high, low_bits(width));
    if (low > high) return none;
    Set out = none;
    for (const encoding::Prefix& block : encoding::blocks_of(low, high, width)) {
        const unsigned open = width - block.width;
        const std::uint64_t mask = block.width == 0 ? 0 : low_bits(block.width) << open;
        out = either(out, cube(levels, mask, block.width == 0 ? 0 : block.bits << open));
    }
    return out;
}

WordSets::Set WordSets::constrained(const Levels& levels, const Constraint& constraint) {
    const std::uint64_t step = constraint.step;
    const Set in_range = range(levels, constraint.low, constraint.high);
    if (step <= 1) return in_range;
    if ((step & (step - 1)) == 0) return both(in_range, cube(levels, step - 1, constraint.low));
    const std::uint64_t high = std::min(constraint.high, low_bits(static_cast<unsigned>(levels.size())));
    if (high < constraint.low) return none;
    if ((high - constraint.low) / step > most_listed) {
        problem_ = fmt::format("a range has more than {} codes that are {} apart", most_listed, step);
        return in_range;
    }
    Set out = none;
    for (std::uint64_t code = constraint.low; code <= high; code += step) out = either(out, range(levels, code, code));
    return out;
}

// Those whose value lies between the type's bounds: a stretch of the numbers that are not negative, and one of those that are.
WordSets::Set WordSets::numbers(const OperandType& type, const Levels& levels) {
    const NumberRule& rule = type.number;
    if (!rule.minimum && !rule.maximum) return all;
    const auto width = static_cast<unsigned>(levels.size());
    if (rule.sliced || rule.scale == 0 || rule.carries != 0) {
        problem_ = fmt::format("operand '{}' is a part of a number that has bounds", type.name);
        return all;
    }
    const auto floor_of = [&](Wide value) {
        const Wide whole = value / rule.scale;
        return whole - (whole * rule.scale != value && (value < 0) != (rule.scale < 0) ? 1 : 0);
    };
    const auto ceiling_of = [&](Wide value) {
        return floor_of(value) + (floor_of(value) * rule.scale != value ? 1 : 0);
    };
    const std::optional<Wide> from = rule.scale > 0 ? rule.minimum : rule.maximum;
    const std::optional<Wide> to = rule.scale > 0 ? rule.maximum : rule.minimum;
    const auto stretch = [&](Wide first, Wide last) {
        const Wide low = from ? std::max(first, ceiling_of(*from - rule.bias)) : first;
        const Wide high = to ? std::min(last, floor_of(*to - rule.bias)) : last;
        if (low > high) return none;
        return range(levels, static_cast<std::uint64_t>(low) & low_bits(width),
                     static_cast<std::uint64_t>(high) & low_bits(width));
    };
    const Wide span = Wide{1} << width;
    if (rule.base != NumberBase::signed_integer) return stretch(0, span - 1);
    return either(stretch(0, span / 2 - 1), stretch(-span / 2, -1));
}

// The first row that has a code decides: one that is reserved takes it away from those behind.
template <typename Visit>
void WordSets::each_row(const OperandType& type, const Levels& levels, Visit&& visit) {
    Set before = none;
    for (const OperandRow& row : type.rows) {
        if (row.alias) continue;
        Set own = cube(levels, row.mask, row.value);
        for (const Constraint& constraint : row.constraints)
            own = both(own, constrained(inside(row.fields[constraint.field].place, levels), constraint));
        for (const Field& field : row.fields) {
            if (!field.in_tail) own = both(own, valid(field.type, inside(field.place, levels)));
        }
        const Set codes = without(own, before);
        before = either(before, own);
        if (codes != none) visit(row, codes);
    }
}

WordSets::Set WordSets::valid(Index index, const Levels& levels) {
    const auto known = known_.find({index, levels});
    if (known != known_.end()) return known->second;
    const OperandType& type = isa_.operand_types[index];
    Set out = none;
    switch (type.kind) {
        case OperandKind::number: out = numbers(type, levels); break;
        case OperandKind::registers:
        case OperandKind::enumeration:
            if (type.width < 64 && type.entries.size() == std::uint64_t{1} << type.width) {
                out = all;
            } else {
                for (const Entry& entry : type.entries)
                    out = either(out, cube(levels, low_bits(type.width), entry.code));
            }
            break;
        case OperandKind::table:
            each_row(type, levels, [&](const OperandRow& row, Set codes) {
                if (!row.reserved) out = either(out, codes);
            });
            break;
    }
    known_.emplace(std::pair(index, levels), out);
    return out;
}

WordSets::Set WordSets::bits_of(const Form& form) {
    Set out = all;
    for (unsigned position = 0; position < form.bits; ++position) {
        if (form.mask.get(position, 1) != 0) out = both(out, bit(level_of(position), form.value.get(position, 1) != 0));
    }
    return out;
}

WordSets::Set WordSets::claims_of(const Form& form) {
    Set out = bits_of(form);
    for (const Field& field : form.fields) {
        if (field.fixed) continue;
        out = both(out, codes_of(field.type, slices_of(field.place)));
    }
    return out;
}

WordSets::Set WordSets::codes_of(Index type) { return valid(type, levels_of(type)); }

WordSets::Set WordSets::code_in(const Slices& of, std::uint64_t code) {
    return cube(levels_of(of), low_bits(width_of(of)), code);
}

// --- What follows an instruction ----------------------------------------------------------------------------------------

namespace {

// Adds to a list of cases, of which equal ones are one.
template <typename Case>
void add_case(std::vector<std::pair<Case, WordSets::Set>>& list, const Case& one, WordSets::Set words, WordSets& sets) {
    if (words == WordSets::none) return;
    const auto known = std::ranges::find(list, one, &std::pair<Case, WordSets::Set>::first);
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

WordSets::Tails WordSets::tails_of(Index index, const Levels& levels) {
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
std::vector<Index> WordSets::tail_order(const Form& form) const {
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
std::vector<WordSets::Layout> WordSets::layouts_of(const Form& form) {
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

WordSets::Set WordSets::kept_by(const Layout& layout) {
    if (layout.broken) return none;
    Set out = layout.codes;
    for (const TailPlace& place : layout.tails) {
        for (const Index type : place.tail.types) out = both(out, codes_of(type, moved(place.tail.of, place.at)));
    }
    return out;
}

// --- What counts for limits ---------------------------------------------------------------------------------------------

Thing WordSets::thing(const OperandRow& row, const Levels& levels) {
    const auto tail = std::ranges::find_if(row.fields, [](const Field& field) { return field.in_tail; });
    const auto kind = tail == row.fields.end() ? Thing::Kind::row
                      : tail->shared           ? Thing::Kind::shared_tail
                                               : Thing::Kind::own_tail;
    return {kind, &row, levels};
}

std::optional<Thing> WordSets::thing_of(Index type, std::uint64_t code) {
    const Levels levels = levels_of(type);
    const Set wanted = cube(levels, low_bits(static_cast<unsigned>(levels.size())), code);
    std::optional<Thing> out;
    each_row(isa_.operand_types[type], levels, [&](const OperandRow& row, Set codes) {
        if (!row.reserved && both(codes, wanted) != none) out = thing(row, levels);
    });
    return out;
}

std::vector<std::pair<WordSets::Things, WordSets::Set>> WordSets::things_of(Index index, Index limit) {
    return things_of(index, limit, levels_of(index));
}

std::vector<std::pair<WordSets::Things, WordSets::Set>> WordSets::things_of(Index index, Index limit,
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

void WordSets::find_levels(Set set, std::set<Set>& seen, std::set<unsigned>& levels) const {
    if (set == none || set == all || !seen.insert(set).second) return;
    const unsigned level = bdd_.level(set);
    levels.insert(level);
    find_levels(bdd_.half(set, level, false), seen, levels);
    find_levels(bdd_.half(set, level, true), seen, levels);
}

// The same set with each bit at the place that it has in a list.
WordSets::Set WordSets::packed(Set set, const std::vector<unsigned>& levels, std::map<Set, Set>& done) {
    if (set == none || set == all) return set;
    if (const auto known = done.find(set); known != done.end()) return known->second;
    const unsigned level = bdd_.level(set);
    const auto place = static_cast<unsigned>(std::ranges::lower_bound(levels, level) - levels.begin());
    const Set low = packed(bdd_.half(set, level, false), levels, done);
    const Set high = packed(bdd_.half(set, level, true), levels, done);
    return done[set] = bdd_.node(place, low, high);
}

// Covers see the first 64 bits of words: those that matter are packed side by side where there are some behind.
Match WordSets::match_at(Set wanted, Set unwanted, const std::function<unsigned(unsigned)>& position_of) {
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

Match WordSets::match(Set wanted, Set unwanted) {
    return match_at(wanted, unwanted, [&](unsigned level) { return isa_.leading_bit_position(level); });
}

Match WordSets::match_codes(Set wanted, Set unwanted, unsigned width) {
    return match_at(wanted, unwanted, [&](unsigned level) { return width - 1 - level; });
}

Slices WordSets::slices_of_mask(const Image& mask, unsigned bits) const {
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

std::string WordSets::pattern_of(const Image& every, const Image& mask, const Image& value, unsigned bits) const {
    std::string out;
    for (unsigned level = 0; level < bits; ++level) {
        const unsigned position = isa_.leading_bit_position(level);
        if (every.get(position, 1) == 0) continue;
        out += mask.get(position, 1) == 0 ? '-' : value.get(position, 1) != 0 ? '1' : '0';
    }
    return out;
}

}  // namespace isaforge::hardware

#include "hardware/sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "allocator/cover.hpp"
#include "encoding/diagram.hpp"
#include "support/wide.hpp"

namespace isaforge::hardware {

namespace {

constexpr unsigned seen_bits = 64;             // of a word, from the first on: covers see no more
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

WordSets::Set WordSets::bit(unsigned level, bool one) {
    if (level >= seen_bits) {
        problem_ = fmt::format("bits behind the first {} tell instructions apart", seen_bits);
        return all;
    }
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
WordSets::Set WordSets::rows(const OperandType& type, const Levels& levels) {
    Set out = none, before = none;
    for (const OperandRow& row : type.rows) {
        if (row.alias) continue;
        Set own = cube(levels, row.mask, row.value);
        const auto levels_of = [&](const Field& field) {
            Levels of(field.place.width);
            for (const BitPiece& piece : field.place.pieces) {
                for (unsigned i = 0; i < piece.width; ++i) of[piece.shift + i] = levels[piece.position + i];
            }
            return of;
        };
        for (const Constraint& constraint : row.constraints)
            own = both(own, constrained(levels_of(row.fields[constraint.field]), constraint));
        for (const Field& field : row.fields) {
            if (!field.in_tail) own = both(own, valid(field.type, levels_of(field)));
        }
        if (!row.reserved) out = either(out, without(own, before));
        before = either(before, own);
    }
    return out;
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
        case OperandKind::table: out = rows(type, levels); break;
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
        Levels levels(field.place.width);
        for (const BitPiece& piece : field.place.pieces) {
            for (unsigned i = 0; i < piece.width; ++i) levels[piece.shift + i] = level_of(piece.position + i);
        }
        out = both(out, valid(field.type, levels));
    }
    if (bdd_.exhausted()) problem_ = "what tells its instructions apart is too entangled";
    return out;
}

WordSets::Set WordSets::codes_of(Index type) {
    const unsigned width = isa_.operand_types[type].width;
    Levels levels(width);
    for (unsigned i = 0; i < width; ++i) levels[i] = width - 1 - i;
    return valid(type, levels);
}

Match WordSets::match_cubes(const std::vector<allocator::Cube>& cover, bool of_code, unsigned width) const {
    allocator::Bits used = 0;
    for (const allocator::Cube& cube : cover) used |= cube.mask;
    Match out;
    std::vector<unsigned> levels;
    for (unsigned level = 0; level < seen_bits; ++level) {
        if (!(used & allocator::leading_bit(level))) continue;
        levels.push_back(level);
        const unsigned position = of_code ? width - 1 - level : isa_.leading_bit_position(level);
        if (!out.of.empty() && out.of.back().low == position + 1) {
            out.of.back().low = position;
        } else {
            out.of.push_back({position, position});
        }
    }
    for (const allocator::Cube& cube : cover) {
        std::string pattern;
        for (const unsigned level : levels) {
            const allocator::Bits at = allocator::leading_bit(level);
            pattern += !(cube.mask & at) ? '-' : cube.value & at ? '1' : '0';
        }
        out.patterns.push_back(std::move(pattern));
    }
    std::ranges::sort(out.patterns);
    return out;
}

Match WordSets::match(Set wanted, Set unwanted) {
    return match_cubes(allocator::minimise(bdd_, wanted, without(all, unwanted)), false, 0);
}

Match WordSets::match_codes(Set codes, unsigned width) {
    return match_cubes(allocator::minimise(bdd_, codes, codes), true, width);
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

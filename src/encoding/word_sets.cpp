#include "encoding/word_sets.hpp"

#include <algorithm>
#include <bit>

#include "codec/tables.hpp"

namespace isaforge::encoding {

namespace {

using allocator::Bdd;

constexpr std::size_t much_room = Bdd::most_nodes / 4;
constexpr std::uint64_t most_listed = 4096;     // values of a range with a step, or of a number, that are taken one by one
constexpr std::uint64_t longest_step = 512;     // that is no power of two, of longer ranges
constexpr unsigned widest_list = 12;            // bits of a number whose rule is tried out

}  // namespace

WordSets::Levels WordSets::code_levels(unsigned width) {
    Levels out(width);
    for (unsigned bit = 0; bit < width; ++bit) out[bit] = width - 1 - bit;
    return out;
}

WordSets::Levels WordSets::inside(const BitPlace& place, const Levels& levels) {
    Levels out(place.width);
    for (const BitPiece& piece : place.pieces) {
        for (unsigned k = 0; k < piece.width; ++k) out[piece.shift + k] = levels[piece.position + k];
    }
    return out;
}

// leading_bit_position counts units from their top: it is its own inverse.
WordSets::Levels WordSets::in_word(const BitPlace& place) const {
    Levels out(place.width);
    for (const BitPiece& piece : place.pieces) {
        for (unsigned k = 0; k < piece.width; ++k) out[piece.shift + k] = isa_.leading_bit_position(piece.position + k);
    }
    return out;
}

WordSets::Ref WordSets::cube(std::uint64_t mask, std::uint64_t value, const Levels& levels) {
    std::vector<std::pair<unsigned, bool>> bits;
    for (unsigned bit = 0; bit < levels.size(); ++bit) {
        if (mask >> bit & 1) bits.emplace_back(levels[bit], value >> bit & 1);
    }
    std::sort(bits.rbegin(), bits.rend());
    Ref out = Bdd::all;
    for (const auto& [level, one] : bits)
        out = one ? bdd_.node(level, Bdd::none, out) : bdd_.node(level, out, Bdd::none);
    return out;
}

// Values from low to high; of signed ones, in the order of their codes with the sign turned over.
WordSets::Ref WordSets::between(std::uint64_t low, std::uint64_t high, const Levels& levels, bool is_signed) {
    if (low > high) return Bdd::none;
    Ref from = Bdd::all, to = Bdd::all;
    for (unsigned bit = 0; bit < levels.size(); ++bit) {
        const bool turned = is_signed && bit + 1 == levels.size();
        const auto decide = [&](Ref zero, Ref one) {
            return turned ? bdd_.choose(levels[bit], one, zero) : bdd_.choose(levels[bit], zero, one);
        };
        from = low >> bit & 1 ? decide(Bdd::none, from) : decide(from, Bdd::all);
        to = high >> bit & 1 ? decide(Bdd::all, to) : decide(to, Bdd::none);
    }
    return bdd_.both(from, to);
}

WordSets::Ref WordSets::steps(const Constraint& constraint, const Levels& levels) {
    const std::uint64_t step = constraint.step, low = constraint.low;
    const std::uint64_t high = std::min(constraint.high, low_bits(static_cast<unsigned>(levels.size())));
    const Ref range = between(low, high, levels);
    if (step <= 1 || low > high) return range;
    if (std::has_single_bit(step)) return bdd_.both(range, cube(step - 1, low & (step - 1), levels));
    if ((high - low) / step <= most_listed) {
        Ref out = Bdd::none;
        for (std::uint64_t value = low;; value += step) {
            out = bdd_.either(out, cube(~std::uint64_t{0}, value, levels));
            if (high - value < step) return out;
        }
    }
    if (step > longest_step) return unsure_ = true, range;
    // By remainder: the values of the bits so far that leave it.
    std::vector<Ref> leaving(step, Bdd::none);
    leaving[0] = Bdd::all;
    std::uint64_t weight = 1 % step;
    for (const unsigned level : levels) {
        std::vector<Ref> next(step);
        for (std::uint64_t rest = 0; rest < step; ++rest)
            next[rest] = bdd_.choose(level, leaving[rest], leaving[(rest + step - weight) % step]);
        leaving = std::move(next);
        weight = weight * 2 % step;
    }
    return bdd_.both(range, leaving[low % step]);
}

// The numbers of a rule rise with its codes, or fall: those in its range lie between two codes.
WordSets::Ref WordSets::number(const NumberRule& rule, unsigned width, const Levels& levels) {
    if (!rule.minimum && !rule.maximum) return Bdd::all;
    const auto good = [&](std::uint64_t code) {
        const std::int64_t value = codec::decode_number(rule, width, code, 0);
        return (!rule.minimum || value >= *rule.minimum) && (!rule.maximum || value <= *rule.maximum);
    };
    if (width <= widest_list) {
        Ref out = Bdd::none;
        for (std::uint64_t code = 0; code < std::uint64_t{1} << width; ++code) {
            if (good(code)) out = bdd_.either(out, cube(~std::uint64_t{0}, code, levels));
        }
        return out;
    }
    if (rule.base == NumberBase::floating || rule.base == NumberBase::any_bits || rule.carries != 0)
        return unsure_ = true, Bdd::all;
    const bool is_signed = rule.base == NumberBase::signed_integer && !rule.sliced;
    const std::uint64_t turn = is_signed ? std::uint64_t{1} << (width - 1) : 0;
    const auto value = [&](std::uint64_t place) { return codec::decode_number(rule, width, place ^ turn, 0); };
    const std::uint64_t last = low_bits(width);
    const bool rises = value(0) <= value(last);
    // The first place from which on something holds; nothing where it never does.
    const auto first = [&](auto holds) -> std::optional<std::uint64_t> {
        std::uint64_t low = 0, high = last;
        if (!holds(last)) return std::nullopt;
        while (low < high) {
            const std::uint64_t middle = low + (high - low) / 2;
            if (holds(middle))
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    };
    const auto above = [&](std::uint64_t place) { return !rule.minimum || value(place) >= *rule.minimum; };
    const auto below = [&](std::uint64_t place) { return !rule.maximum || value(place) <= *rule.maximum; };
    const auto begin = rises ? first(above) : first(below);
    const auto behind = rises ? first([&](std::uint64_t place) { return !below(place); })
                              : first([&](std::uint64_t place) { return !above(place); });
    if (!begin || (behind && *behind == 0)) return Bdd::none;
    return between(*begin, behind ? *behind - 1 : last, levels, is_signed);
}

// Codes with a name: they are listed in order, and mostly without gaps.
WordSets::Ref WordSets::entries(const OperandType& type, const Levels& levels) {
    Ref out = Bdd::none;
    for (std::size_t i = 0; i < type.entries.size();) {
        std::size_t end = i + 1;
        while (end < type.entries.size() && type.entries[end].code == type.entries[i].code + (end - i)) ++end;
        out = bdd_.either(out, between(type.entries[i].code, type.entries[end - 1].code, levels));
        i = end;
    }
    return out;
}

WordSets::Ref WordSets::rows(const OperandType& type, const Levels& levels) {
    Ref out = Bdd::none;
    each_row(type, levels, [&](const OperandRow& row, Ref codes) {
        if (!row.reserved) out = bdd_.either(out, codes);
    });
    return out;
}

WordSets::Ref WordSets::valid(Index index, const Levels& levels) {
    const auto known = valid_.find({index, levels});
    if (known != valid_.end()) return known->second;
    const OperandType& type = isa_.operand_types[index];
    Ref out = Bdd::all;
    switch (type.kind) {
        case OperandKind::number: out = number(type.number, type.width, levels); break;
        case OperandKind::registers:
        case OperandKind::enumeration: out = entries(type, levels); break;
        case OperandKind::table: out = rows(type, levels); break;
    }
    valid_.emplace(std::pair(index, levels), out);
    return out;
}

WordSets::Ref WordSets::claimed(const OperandRow& row, const Levels& levels) {
    Ref out = cube(row.mask, row.value, levels);
    for (const Constraint& constraint : row.constraints)
        out = bdd_.both(out, steps(constraint, inside(row.fields[constraint.field].place, levels)));
    return out;
}

WordSets::Ref WordSets::matched(const OperandRow& row, const Levels& levels) {
    Ref out = claimed(row, levels);
    for (const Field& field : row.fields) {
        if (!field.in_tail) out = bdd_.both(out, valid(field.type, inside(field.place, levels)));
    }
    return out;
}

WordSets::Ref WordSets::words(const Form& form) {
    const auto [operands, added] = operands_.try_emplace(form.fields.data(), Bdd::all);
    if (added) {
        Ref all = Bdd::all;
        for (const Field& field : form.fields) {
            if (!field.fixed && !field.in_tail) all = bdd_.both(all, valid(field.type, in_word(field.place)));
        }
        operands->second = all;
    }
    return bdd_.both(bits_of(form), operands->second);
}

WordSets::Ref WordSets::bits_of(const Form& form) {
    Ref out = Bdd::all;
    for (unsigned level = form.bits; level-- > 0;) {
        const unsigned position = isa_.leading_bit_position(level);
        if (form.mask.get(position, 1) == 0) continue;
        out = form.value.get(position, 1) != 0 ? bdd_.node(level, Bdd::none, out) : bdd_.node(level, out, Bdd::none);
    }
    return out;
}

std::uint64_t WordSets::code_in(Ref set, unsigned width) const {
    std::uint64_t code = 0;
    while (set > Bdd::all && bdd_.level(set) < width) {
        const unsigned level = bdd_.level(set);
        const bool one = bdd_.half(set, level, false) == Bdd::none;
        if (one) code |= std::uint64_t{1} << (width - 1 - level);
        set = bdd_.half(set, level, one);
    }
    return code;
}

Image WordSets::image_in(Ref set) const {
    Image image;
    while (set > Bdd::all) {
        const unsigned level = bdd_.level(set);
        const bool one = bdd_.half(set, level, false) == Bdd::none;
        if (one) image.set(isa_.leading_bit_position(level), 1, 1);
        set = bdd_.half(set, level, one);
    }
    return image;
}

void WordSets::clean_up() {
    if (bdd_.size() < much_room && !unsure()) return;
    bdd_ = Bdd();
    valid_.clear();
    operands_.clear();
    unsure_ = false;
}

}  // namespace isaforge::encoding

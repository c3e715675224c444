// Bars: which bits of the word each cell has. A bar is read from its most significant bit; where it crosses from one unit
// to the next the cell gets a piece in each.
#include <fmt/format.h>

#include <algorithm>

#include "isaforge/image.hpp"
#include "language/resolver.hpp"

namespace isaforge::language {

namespace {

// The pieces of `width` bits that begin `begin` bits into a bar, for bits shift .. shift+width-1 of a value.
BitPieces pieces_at(unsigned begin, unsigned width, unsigned shift, unsigned unit_bits) {
    BitPieces out;
    for (unsigned done = 0; done < width;) {
        const unsigned at = begin + done, in_unit = at % unit_bits;
        const unsigned count = std::min(width - done, unit_bits - in_unit);
        BitPiece piece;
        piece.position = static_cast<std::uint16_t>(at / unit_bits * unit_bits + unit_bits - in_unit - count);
        piece.width = static_cast<std::uint8_t>(count);
        piece.shift = static_cast<std::uint8_t>(shift + width - done - count);
        out.push_back(piece);
        done += count;
    }
    return out;
}

void fix_bits(Layout& layout, const Cell& cell, unsigned width, std::uint64_t value, unsigned unit_bits) {
    for (const BitPiece& piece : pieces_at(layout.bits, width, 0, unit_bits)) {
        layout.written.set(piece.position, piece.width, value >> piece.shift);
        if (cell.ignored) continue;
        layout.mask.set(piece.position, piece.width, ~std::uint64_t{0});
        layout.value.set(piece.position, piece.width, value >> piece.shift);
    }
    layout.bits += width;
}

}  // namespace

std::optional<Layout> Resolver::lay_out(const std::vector<Cell>& cells, unsigned unit_bits, const Bindings& bindings,
                                        const std::optional<Alternative>& alternative) {
    Layout layout;
    bool good = true;
    if (std::any_of(cells.begin(), cells.end(), [](const Cell& cell) { return cell.broken; })) return std::nullopt;
    for (const Cell& cell : cells) {
        good &= place_cell(cell, unit_bits, bindings, alternative, layout);
        if (layout.bits > max_instruction_bits - 64) {
            diagnostics_.error(cell.place, fmt::format("up to here the bar has {} bits: an instruction has at most {}",
                                                       layout.bits, max_instruction_bits - 64));
            return std::nullopt;
        }
    }
    good = good && finish_slices(layout);
    if (!good) return std::nullopt;
    for (const Cell& cell : cells) {
        if (!cell.low) continue;
        const auto field = std::find_if(layout.fields.begin(), layout.fields.end(),
                                        [&](const Field& f) { return f.name == cell.name.text; });
        Constraint constraint;
        constraint.field = static_cast<Index>(field - layout.fields.begin());
        const auto low = evaluate(cell.low, bindings), high = evaluate(cell.high, bindings);
        if (!low || !high) return std::nullopt;
        constraint.low = *low;
        constraint.high = *high;
        if (cell.step) constraint.step = std::max<std::uint64_t>(evaluate(cell.step, bindings).value_or(1), 1);
        const unsigned width = field->place.width;
        if (*low > *high || (width < 64 && *high >> width != 0)) {
            diagnostics_.error(cell.place, fmt::format("the range {}..{} is not within the {} bits of '{}'", *low,
                                                       *high, width, cell.name.text));
            return std::nullopt;
        }
        layout.constraints.push_back(constraint);
    }
    return layout;
}

bool Resolver::place_cell(const Cell& cell, unsigned unit_bits, const Bindings& bindings,
                          const std::optional<Alternative>& alternative, Layout& layout) {
    switch (cell.kind) {
        case Cell::Kind::zero:
            if (cell.width == 0) return diagnostics_.error(cell.place, "a cell has at least one bit"), false;
            fix_bits(layout, cell, cell.width, 0, unit_bits);
            return true;
        case Cell::Kind::bits:
            if (cell.bits.size() > 64) return diagnostics_.error(cell.place, "more than 64 bits in one cell"), false;
            for (const char c : cell.bits) {
                if (c == '-') {
                    ++layout.bits;
                } else {
                    fix_bits(layout, cell, 1, c == '1', unit_bits);
                }
            }
            return true;
        case Cell::Kind::value:
            if (cell.width == 0 || (cell.width < 64 && cell.value >> cell.width != 0)) {
                diagnostics_.error(cell.place, fmt::format("{} does not fit in {} bits", cell.value, cell.width));
                return false;
            }
            fix_bits(layout, cell, cell.width, cell.value, unit_bits);
            return true;
        case Cell::Kind::named: return place_named(cell, unit_bits, bindings, alternative, layout);
        case Cell::Kind::tail: return place_tail(cell, bindings, layout);
    }
    return false;
}

bool Resolver::place_named(const Cell& cell, unsigned unit_bits, const Bindings& bindings,
                           const std::optional<Alternative>& alternative, Layout& layout) {
    Index type = no_index;
    if (!cell.selector.text.empty()) {
        if (!alternative || alternative->selector != cell.selector.text || alternative->choice >= cell.types.size()) {
            diagnostics_.error(cell.selector.place,
                               fmt::format("'{}' cannot choose a length here", cell.selector.text));
            return false;
        }
        type = type_of(cell.types[alternative->choice], bindings);
        if (type == no_index) return false;
    } else if (cell.types.size() > 1) {
        diagnostics_.error(cell.place, fmt::format("'{}' has several types but no `by` that says which field chooses",
                                                   cell.name.text));
        return false;
    } else if (!cell.types.empty()) {
        type = type_of(cell.types[0], bindings);
        if (type == no_index) return false;
    }
    if (cell.slice) return place_slice(cell, type, unit_bits, layout);
    if (type == no_index) {
        diagnostics_.error(cell.place, fmt::format("'{}' has no width: write {}:width or {}:operand", cell.name.text,
                                                   cell.name.text, cell.name.text));
        return false;
    }
    for (const Field& field : layout.fields) {
        if (field.name != cell.name.text) continue;
        diagnostics_.error(cell.place, fmt::format("'{}' is in this bar twice", field.name))
            .note(field.where, "first here");
        return false;
    }
    Field field;
    field.name = cell.name.text;
    field.type = type;
    field.where = cell.place;
    field.place.width = isa_.operand_types[type].width;
    field.place.pieces = pieces_at(layout.bits, field.place.width, 0, unit_bits);
    layout.bits += field.place.width;
    layout.fields.push_back(std::move(field));
    return true;
}

// A part of a field that stands in several cells: the parts are put together in finish_slices.
bool Resolver::place_slice(const Cell& cell, Index type, unsigned unit_bits, Layout& layout) {
    if (cell.slice->high < cell.slice->low || cell.slice->high > 63) {
        diagnostics_.error(cell.slice->place,
                           fmt::format("bits {}:{} are no range from high to low", cell.slice->high, cell.slice->low));
        return false;
    }
    auto field = std::find_if(layout.fields.begin(), layout.fields.end(),
                              [&](const Field& f) { return f.name == cell.name.text; });
    if (field == layout.fields.end()) {
        Field fresh;
        fresh.name = cell.name.text;
        fresh.where = cell.place;
        layout.fields.push_back(std::move(fresh));
        field = layout.fields.end() - 1;
    }
    if (type != no_index) field->type = type;
    const unsigned width = cell.slice->high - cell.slice->low + 1;
    for (const BitPiece& piece : pieces_at(layout.bits, width, cell.slice->low, unit_bits))
        field->place.pieces.push_back(piece);
    field->place.width += width;
    layout.bits += width;
    return true;
}

bool Resolver::place_tail(const Cell& cell, const Bindings& bindings, Layout& layout) {
    const Index type = cell.types.size() == 1 ? type_of(cell.types[0], bindings) : no_index;
    if (type == no_index) {
        if (cell.types.size() != 1)
            diagnostics_.error(cell.place, "what follows the instruction needs one type: + name:type");
        return false;
    }
    if (layout.tail_bits != 0) return diagnostics_.error(cell.place, "a row brings along one value at most"), false;
    const unsigned width = isa_.operand_types[type].width;
    if (width % isa_.unit_bits != 0) {
        diagnostics_.error(cell.place, fmt::format("what follows is {} bits, which is no multiple of the {}-bit unit",
                                                   width, isa_.unit_bits));
        return false;
    }
    Field field;
    field.name = cell.name.text;
    field.type = type;
    field.where = cell.place;
    field.in_tail = true;
    field.shared = cell.shared;
    field.place.width = width;
    field.place.pieces = pieces_at(0, width, 0, isa_.unit_bits);
    layout.tail_bits = width;
    layout.fields.push_back(std::move(field));
    return true;
}

// The slices of a field must cover its bits, each once.
bool Resolver::finish_slices(Layout& layout) {
    bool good = true;
    for (Field& field : layout.fields) {
        std::uint64_t covered = 0;
        bool overlap = false;
        for (const BitPiece& piece : field.place.pieces) {
            const std::uint64_t bits = low_bits(piece.width) << piece.shift;
            overlap |= (covered & bits) != 0;
            covered |= bits;
        }
        const unsigned width = field.place.width;
        const std::uint64_t all = low_bits(width);
        if (overlap || covered != all) {
            diagnostics_.error(
                field.where,
                fmt::format(
                    "the parts of '{}' {}", field.name,
                    overlap ? "overlap" : "leave bits out: together they should be bits 0 and up without a gap"));
            good = false;
            continue;
        }
        if (field.type == no_index) field.type = builtin_type(fmt::format("u{}", width));
        const OperandType& type = isa_.operand_types[field.type];
        if (type.width != width) {
            diagnostics_
                .error(field.where, fmt::format("the parts of '{}' have {} bits together, but '{}' has {}", field.name,
                                                width, type.name, type.width))
                .note(type.where, "declared here");
            good = false;
        }
        std::sort(field.place.pieces.begin(), field.place.pieces.end(),
                  [](const BitPiece& a, const BitPiece& b) { return a.shift > b.shift; });
    }
    return good;
}

// "OP:5 + COND:5 + -:22 = 32", for messages about a wrong sum.
std::string Resolver::sum_of(const std::vector<Cell>& cells, const Bindings& bindings) {
    std::string out;
    for (const Cell& cell : cells) {
        if (cell.kind == Cell::Kind::tail) continue;
        unsigned width = cell.width;
        if (cell.kind == Cell::Kind::bits) width = static_cast<unsigned>(cell.bits.size());
        if (cell.kind == Cell::Kind::named) {
            width = 0;
            Diagnostics silent;
            if (cell.slice) {
                width = cell.slice->high - cell.slice->low + 1;
            } else if (!cell.types.empty()) {
                const Index type = type_of(cell.types[0], bindings);
                if (type != no_index) width = isa_.operand_types[type].width;
            }
        }
        if (!out.empty()) out += " + ";
        out += std::to_string(width);
    }
    return out;
}

}  // namespace isaforge::language

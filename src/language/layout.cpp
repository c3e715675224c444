// Bars: which bits of the word each cell has. A bar is read from its most significant bit; where it crosses from one unit
// to the next the cell gets a piece in each, unless the last unit stands first: then the bar is one number.
#include <fmt/format.h>

#include <algorithm>

#include "isaforge/image.hpp"
#include "language/resolver.hpp"

namespace isaforge::language {

namespace {

// The pieces of `width` bits that begin `begin` bits into a bar, for bits shift .. shift+width-1 of a value.
BitPieces pieces_at(unsigned begin, unsigned width, unsigned shift, const BarOrder& order) {
    BitPieces out;
    if (std::max(begin + width, order.end) > max_instruction_bits) return out;  // no room: lay_out says so
    if (order.end != 0) {
        const unsigned end = begin + width;
        if (width == 0 || end > order.end) return out;  // which is reported as a wrong sum
        const unsigned position = order.begin + order.end - end;
        out.push_back(
            {static_cast<std::uint16_t>(position), static_cast<std::uint8_t>(width), static_cast<std::uint8_t>(shift)});
        return out;
    }
    const unsigned unit_bits = order.unit_bits;
    if (width != 0 && (begin + width + unit_bits - 1) / unit_bits * unit_bits > max_instruction_bits) return out;
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

void fix_bits(Layout& layout, const Cell& cell, unsigned width, std::uint64_t value) {
    for (const BitPiece& piece : pieces_at(layout.bits, width, 0, layout.order)) {
        layout.written.set(piece.position, piece.width, value >> piece.shift);
        if (cell.ignored) continue;
        layout.mask.set(piece.position, piece.width, ~std::uint64_t{0});
        layout.value.set(piece.position, piece.width, value >> piece.shift);
    }
    layout.bits += width;
}

}  // namespace

BarOrder Resolver::bar_order() const { return {isa_.unit_bits, 0, isa_.last_unit_first ? isa_.unit_bits : 0}; }

// Where the instruction ends that begins with this cell.
void Resolver::begin_part(const std::vector<Cell>& cells, std::size_t first, const Bindings& bindings,
                          const std::optional<Alternative>& alternative, Layout& layout) {
    if (layout.order.end == 0) return;
    unsigned bits = 0;
    for (std::size_t i = first; i < cells.size() && cells[i].kind != Cell::Kind::then; ++i)
        bits += width_of(cells[i], bindings, alternative, &layout);
    layout.order.begin = layout.bits;
    layout.order.end = layout.bits + std::max(1u, bits);
}

std::optional<Layout> Resolver::lay_out(const std::vector<Cell>& cells, const BarOrder& order, const Bindings& bindings,
                                        const std::optional<Alternative>& alternative) {
    Layout layout;
    layout.order = order;
    bool good = true;
    if (std::any_of(cells.begin(), cells.end(), [](const Cell& cell) { return cell.broken; })) return std::nullopt;
    const bool several = std::ranges::any_of(cells, [](const Cell& cell) { return cell.kind == Cell::Kind::then; });
    begin_part(cells, 0, bindings, alternative, layout);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const Cell& cell = cells[i];
        if (cell.kind == Cell::Kind::then) {
            layout.parts.push_back(layout.bits);
            begin_part(cells, i + 1, bindings, alternative, layout);
            continue;
        }
        good &= place_cell(cell, bindings, alternative, layout);
        if (layout.bits > max_instruction_bits - 64) {
            diagnostics_.error(cell.place, fmt::format("up to here the bar has {} bits: an instruction has at most {}",
                                                       layout.bits, max_instruction_bits - 64));
            return std::nullopt;
        }
    }
    good = good && finish_slices(layout, several);
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

bool Resolver::place_cell(const Cell& cell, const Bindings& bindings, const std::optional<Alternative>& alternative,
                          Layout& layout) {
    switch (cell.kind) {
        case Cell::Kind::zero:
            if (cell.width == 0) return diagnostics_.error(cell.place, "a cell has at least one bit"), false;
            for (unsigned left = cell.width; left != 0;) {  // at most a value's width each
                const unsigned count = std::min(left, 64U);
                fix_bits(layout, cell, count, 0);
                left -= count;
            }
            return true;
        case Cell::Kind::bits:
            if (cell.bits.size() > 64) return diagnostics_.error(cell.place, "more than 64 bits in one cell"), false;
            for (const char c : cell.bits) {
                if (c == '-') {
                    ++layout.bits;
                } else {
                    fix_bits(layout, cell, 1, c == '1');
                }
            }
            return true;
        case Cell::Kind::value:
            if (cell.width == 0 || (cell.width < 64 && cell.value >> cell.width != 0)) {
                diagnostics_.error(cell.place, fmt::format("{} does not fit in {} bits", cell.value, cell.width));
                return false;
            }
            fix_bits(layout, cell, cell.width, cell.value);
            return true;
        case Cell::Kind::named: return place_named(cell, bindings, alternative, layout);
        case Cell::Kind::tail: return place_tail(cell, bindings, layout);
        case Cell::Kind::then: break;
    }
    return false;
}

bool Resolver::place_named(const Cell& cell, const Bindings& bindings, const std::optional<Alternative>& alternative,
                           Layout& layout) {
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
    if (cell.slice) return place_slice(cell, type, layout);
    const auto known = std::ranges::find(layout.fields, cell.name.text, &Field::name);
    const bool is_known = known != layout.fields.end();
    // Of several instructions each may have the same field, which is known as a whole.
    if (is_known && !layout.parts.empty() && known->type != no_index && (type == no_index || type == known->type)) {
        const unsigned width = isa_.operand_types[known->type].width;
        for (const BitPiece& piece : pieces_at(layout.bits, width, 0, layout.order))
            known->place.pieces.push_back(piece);
        layout.bits += width;
        return true;
    }
    if (type == no_index) {
        diagnostics_.error(cell.place, fmt::format("'{}' has no width: write {}:width or {}:operand", cell.name.text,
                                                   cell.name.text, cell.name.text));
        return false;
    }
    if (is_known) {
        diagnostics_.error(cell.place, fmt::format("'{}' is in this bar twice", known->name))
            .note(known->where, "first here");
        return false;
    }
    Field field;
    field.name = cell.name.text;
    field.type = type;
    field.where = cell.place;
    field.place.width = isa_.operand_types[type].width;
    field.place.pieces = pieces_at(layout.bits, field.place.width, 0, layout.order);
    layout.bits += field.place.width;
    layout.fields.push_back(std::move(field));
    return true;
}

// A part of a field that stands in several cells: the parts are put together in finish_slices.
bool Resolver::place_slice(const Cell& cell, Index type, Layout& layout) {
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
    for (const BitPiece& piece : pieces_at(layout.bits, width, cell.slice->low, layout.order))
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
    BarOrder order = bar_order();
    if (order.end != 0) order.end = width;
    field.place.pieces = pieces_at(0, width, 0, order);
    layout.tail_bits = width;
    layout.fields.push_back(std::move(field));
    return true;
}

// The slices of a field must cover its bits, each once.
bool Resolver::finish_slices(Layout& layout, bool may_repeat) {
    bool good = true;
    for (Field& field : layout.fields) {
        std::uint64_t covered = 0;
        bool overlap = false;
        for (const BitPiece& piece : field.place.pieces) {
            const std::uint64_t bits = low_bits(piece.width) << piece.shift;
            overlap |= !may_repeat && (covered & bits) != 0;
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

// The bits of a cell of a bar; 0 where that cannot be said, which is reported when it is placed.
unsigned Resolver::width_of(const Cell& cell, const Bindings& bindings, const std::optional<Alternative>& alternative,
                            const Layout* before) {
    if (cell.kind == Cell::Kind::tail || cell.kind == Cell::Kind::then) return 0;
    if (cell.kind == Cell::Kind::bits) return static_cast<unsigned>(cell.bits.size());
    if (cell.kind != Cell::Kind::named) return cell.width;
    if (cell.slice) return cell.slice->high < cell.slice->low ? 0 : cell.slice->high - cell.slice->low + 1;
    if (cell.types.empty() && before != nullptr)
        for (const Field& field : before->fields)
            if (field.name == cell.name.text) return field.place.width;
    const std::size_t choice = alternative && !cell.selector.text.empty() ? alternative->choice : 0;
    if (choice >= cell.types.size()) return 0;
    const Index type = type_of(cell.types[choice], bindings);
    return type == no_index ? 0 : isa_.operand_types[type].width;
}

// "OP:5 + COND:5 + -:22 = 32", for messages about a wrong sum.
std::string Resolver::sum_of(const std::vector<Cell>& cells, const Bindings& bindings) {
    std::string out;
    for (const Cell& cell : cells) {
        if (cell.kind == Cell::Kind::tail || cell.kind == Cell::Kind::then) continue;
        if (!out.empty()) out += " + ";
        out += std::to_string(width_of(cell, bindings, std::nullopt, nullptr));
    }
    return out;
}

}  // namespace isaforge::language

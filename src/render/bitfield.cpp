#include "render/bitfield.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "render/bar.hpp"

namespace isaforge::render {

namespace {

// Neighbouring bits that share a box.
struct Cell {
    std::string label;
    std::string left, right;  // the numbers of the first and the last bit; no right one for a single bit
    std::size_t width = 0;
};

struct Strokes {
    std::string_view horizontal, vertical;
    std::string_view top_left, top, top_right;
    std::string_view bottom_left, bottom, bottom_right;
};

const Strokes& strokes(Charset charset) {
    static constexpr Strokes plain{"-", "|", "+", "+", "+", "+", "+", "+"};
    static constexpr Strokes boxes{"─", "│", "┌", "┬", "┐", "└", "┴", "┘"};
    return charset == Charset::ascii ? plain : boxes;
}

Cell cell_of(const Form& form, const BarBit* begin, const BarBit* end) {
    Cell cell;
    const BarBit &first = *begin, &last = end[-1];
    cell.label = bar_label(form, begin, end);
    cell.left = std::to_string(first.number);
    if (end - begin > 1) cell.right = std::to_string(last.number);
    const std::size_t numbers = cell.left.size() + (cell.right.empty() ? 0 : 1 + cell.right.size());
    cell.width = std::max({cell.label.size() + 2, numbers, static_cast<std::size_t>(end - begin)});
    return cell;
}

std::vector<Cell> cells_of(const Form& form, const BarBit* begin, const BarBit* end) {
    std::vector<Cell> cells;
    for (const BarBit* cell = begin; cell != end;) {
        const BarBit* const next = cell_end(cell, end);
        cells.push_back(cell_of(form, cell, next));
        cell = next;
    }
    return cells;
}

void append_border(std::string& out, const std::vector<Cell>& cells, std::string_view left, std::string_view between,
                   std::string_view right, std::string_view line) {
    out += left;
    for (const Cell& cell : cells) {
        if (&cell != &cells.front()) out += between;
        for (std::size_t i = 0; i < cell.width; ++i) out += line;
    }
    out += right;
    out += '\n';
}

void append_row(std::string& out, const std::vector<Cell>& cells, const Strokes& stroke, const std::string& caption) {
    std::string numbers;
    for (const Cell& cell : cells) {
        numbers += fmt::format(" {}{:>{}}", cell.left, cell.right, cell.width - cell.left.size());
    }
    numbers.erase(numbers.find_last_not_of(' ') + 1);
    out += numbers + '\n';
    append_border(out, cells, stroke.top_left, stroke.top, stroke.top_right, stroke.horizontal);
    for (const Cell& cell : cells) out += fmt::format("{}{:^{}}", stroke.vertical, cell.label, cell.width);
    out += stroke.vertical;
    if (!caption.empty()) out += "  " + caption;
    out += '\n';
    append_border(out, cells, stroke.bottom_left, stroke.bottom, stroke.bottom_right, stroke.horizontal);
}

void append_element(std::string& out, const Instruction& instruction, const Form& form, const TextElement& element) {
    switch (element.kind) {
        case TextKind::literal:
        case TextKind::constant: out += element.text; break;
        case TextKind::space: out += ' '; break;
        case TextKind::name: out += instruction.names.front(); break;
        case TextKind::field:
        case TextKind::number: out += fmt::format("{{{}}}", form.fields[element.field].name); break;
        case TextKind::any:
            for (const Index field : element.fields) {
                if (field != element.fields.front()) out += element.text;
                out += fmt::format("{{{}}}", form.fields[field].name);
            }
            break;
    }
}

}  // namespace

std::string bitfield_picture(const Isa& isa, const Form& form, Charset charset, const std::string& caption) {
    const std::vector<BarBit> bar = bar_of(isa, form);
    const std::size_t step = bar_row_bits(isa);
    std::string out;
    for (std::size_t begin = 0; begin < bar.size(); begin += step) {
        const std::size_t end = std::min(begin + step, bar.size());
        append_row(out, cells_of(form, bar.data() + begin, bar.data() + end), strokes(charset),
                   begin == 0 ? caption : std::string{});
    }
    for (const Field& field : form.fields) {
        if (field.in_tail) out += fmt::format("followed by {}: {} bits\n", field.name, field.place.width);
    }
    return out;
}

std::string syntax_text(const Isa& isa, const Form& form, const TextTemplate& text) {
    std::string out;
    for (const TextElement& element : text) append_element(out, isa.instruction_of(form), form, element);
    return out;
}

}  // namespace isaforge::render

// Walks the texts of a form and of its operands' rows, and takes any of them.
#include "sample/wording.hpp"

#include <algorithm>
#include <charconv>

#include "codec/numerals.hpp"
#include "codec/tables.hpp"
#include "support/text_scan.hpp"

namespace isaforge::sample {

namespace {

bool goes_on(char c) { return is_word(c) || c == '.'; }

}  // namespace

std::uint64_t Wording::code_of(const Scope& scope, Index index) {
    const Field& field = scope.fields[index];
    if (scope.form == no_index) return field.code_in(scope.code, *image_, tail_at_);
    tail_at_ = codec::tail_at(codec_, scope.form, index, *image_);
    return field.place.extract(*image_);
}

// In either radix, unless it goes on a word as in `s12`.
void Wording::integer(std::int64_t value, bool is_signed, std::string& out, unsigned radix) {
    auto magnitude = static_cast<std::uint64_t>(value);
    const bool in_word = !out.empty() && goes_on(out.back());
    if (is_signed && value < 0) {
        out += '-';
        magnitude = 0 - magnitude;
    }
    if (!in_word && random_.one_in(3)) radix = 26 - radix;  // 10 or 16
    char digits[codec::longest_numeral];
    const std::vector<NumberMark>& marks = codec_.isa().surface.number_marks;
    if (radix == 16) {
        const auto known = random_.one_in(2) ? std::span<const NumberMark>() : std::span(marks);
        out.append(digits, codec::put_numeral(known, digits, magnitude, radix));
    } else {
        out.append(digits, std::to_chars(digits, digits + sizeof digits, magnitude).ptr);
    }
}

void Wording::number(const OperandType& type, std::uint64_t code, std::string& out) {
    const NumberRule& rule = type.number;
    if (rule.format == NumberFormat::floating) {
        char text[Codec::max_text];
        const codec::PrintContext context{codec_.isa(), codec_.tables(), *image_,           0,
                                          address_,     nullptr,         text + sizeof text};
        out.append(text, codec::print_operand(text, context,
                                              static_cast<Index>(codec_.isa().operand_types.index_of(type)), code));
        return;
    }
    const std::int64_t value = codec::decode_number(rule, type.width, code, address_);
    const bool either = rule.base == NumberBase::either_integer || rule.base == NumberBase::any_bits;
    const bool is_signed = rule.base == NumberBase::signed_integer || rule.relative || rule.scale < 0 || rule.bias < 0;
    if (random_.one_in(2)) out += codec_.isa().surface.immediate_prefix;
    // Bits that may be of either sign are read as a negative number, too.
    if (either && !rule.sliced && rule.scale == 1 && rule.bias == 0 && type.width < 64 && random_.one_in(3) &&
        (code >> (type.width - 1) & 1) != 0)
        return integer(static_cast<std::int64_t>(code | ~low_bits(type.width)), true, out, 10);
    integer(value, is_signed, out, rule.format == NumberFormat::hexadecimal ? 16 : 10);
}

// One of the rows that the code may be read by: the one that decodes it, or an alias.
bool Wording::table(const OperandType& type, Index index, std::uint64_t code, std::string& out) {
    const Index printed = codec_.row_of(index, code);
    if (printed == no_index || type.rows[printed].reserved) return false;
    const OperandRow* chosen = &type.rows[printed];
    unsigned seen = 1;
    for (const OperandRow& row : type.rows) {
        if (row.alias && row.claims(code) && random_.one_in(++seen)) chosen = &row;
    }
    const std::size_t before = out.size();
    for (const OperandRow* row : {chosen, &type.rows[printed]}) {
        if (row->texts.empty()) return false;
        if (text(row->texts[random_.below(row->texts.size())], {row->fields, {}, code}, out)) return true;
        out.resize(before);
    }
    return false;
}

bool Wording::operand(Index index, std::uint64_t code, std::string& out) {
    const OperandType& type = codec_.isa().operand_types[index];
    switch (type.kind) {
        case OperandKind::number: number(type, code, out); return true;
        case OperandKind::registers:
        case OperandKind::enumeration: {
            const auto entry = std::ranges::find_if(type.entries, [&](const Entry& e) { return e.code == code; });
            if (entry == type.entries.end()) return false;
            out += entry->texts[random_.below(entry->texts.size())];
            return true;
        }
        case OperandKind::table: return table(type, index, code, out);
    }
    return false;
}

// The fields in any order.
bool Wording::any(const TextElement& element, const Scope& scope, std::string& out) {
    std::vector<Index> order = element.fields;
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
    bool first = true;
    for (const Index index : order) {
        std::string one;
        if (!operand(scope.fields[index].type, code_of(scope, index), one)) return false;
        if (one.empty()) continue;
        if (!first) out += element.text;
        first = false;
        out += one;
    }
    return true;
}

bool Wording::element(const TextElement& element, const Scope& scope, std::string& out) {
    switch (element.kind) {
        case TextKind::constant:
        case TextKind::literal:
        case TextKind::space: out += element.text; return true;
        case TextKind::name: out += scope.name; return true;
        case TextKind::field: {
            return operand(scope.fields[element.field].type, code_of(scope, element.field), out);
        }
        case TextKind::number: {
            const auto code = static_cast<std::int64_t>(code_of(scope, element.field));
            integer(code * element.scale + element.bias, true, out, element.radix);
            return true;
        }
        case TextKind::any: return any(element, scope, out);
    }
    return false;
}

bool Wording::text(const TextTemplate& text, const Scope& scope, std::string& out) {
    return std::ranges::all_of(text, [&](const TextElement& one) { return element(one, scope, out); });
}

bool Wording::write(Index index, const Image& image, std::uint64_t address, std::string& out) {
    const Form& form = codec_.isa().forms[index];
    const std::vector<std::string>& names = codec_.isa().instruction_of(form).names;
    image_ = &image;
    address_ = address;
    out.clear();
    return text(form.texts[random_.below(form.texts.size())],
                {form.fields, names[random_.below(names.size())], 0, index}, out);
}

}  // namespace isaforge::sample

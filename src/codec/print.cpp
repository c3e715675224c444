// From a decoded instruction to its text. Most steps are copies of at most 15 characters made ready when the codec was
// built; only numbers that depend on the address, long texts and nested operands take the slow way.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "codec/tables.hpp"
#include "support/half.hpp"

namespace isaforge {

namespace codec {

namespace {

char* put(char* out, const char* limit, std::string_view text) {
    const std::size_t room = limit ? static_cast<std::size_t>(limit - out) : text.size();
    return std::copy_n(text.data(), std::min(room, text.size()), out);
}

char* put_number(char* out, char* limit, std::int64_t value, bool is_signed, unsigned radix) {
    char text[72];
    char* end = text;
    std::uint64_t magnitude = static_cast<std::uint64_t>(value);
    if (is_signed && value < 0) {
        *end++ = '-';
        magnitude = 0 - magnitude;
    }
    if (radix == 16) {
        *end++ = '0';
        *end++ = 'x';
    }
    end = std::to_chars(end, text + sizeof text, magnitude, static_cast<int>(radix)).ptr;
    return put(out, limit, {text, static_cast<std::size_t>(end - text)});
}

template <typename Float>
char* put_float(char* out, char* limit, Float value) {
    char text[64];
    char* end = std::to_chars(text, text + sizeof text - 2, value).ptr;
    const std::string_view written(text, static_cast<std::size_t>(end - text));
    if (std::isfinite(value) && written.find_first_of(".e") == std::string_view::npos) {
        *end++ = '.';
        *end++ = '0';
    }
    return put(out, limit, {text, static_cast<std::size_t>(end - text)});
}

char* print_float(char* out, const PrintContext& context, const NumberRule& rule, std::uint64_t code) {
    const std::uint64_t bits = code << rule.slice_low;
    if (rule.value_bits == 64) return put_float(out, context.limit, std::bit_cast<double>(bits));
    if (rule.value_bits == 32)
        return put_float(out, context.limit, std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    return put_float(out, context.limit, double_from_half(static_cast<std::uint16_t>(bits)));
}

char* print_number(char* out, const PrintContext& context, const OperandType& type, std::uint64_t code,
                   bool hexadecimal = false) {
    const NumberRule& rule = type.number;
    const unsigned radix = hexadecimal || rule.format == NumberFormat::hexadecimal ? 16 : 10;
    if (rule.format == NumberFormat::floating) return print_float(out, context, rule, code);
    std::int64_t value = decode_number(rule, type.width, code, context.address);
    if (rule.relative && context.labels) {
        const std::string_view label = context.labels->label(static_cast<std::uint64_t>(value));
        if (!label.empty()) {
            out = put(out, context.limit, context.isa.surface.label_reference_prefix);
            return put(out, context.limit, label);
        }
    }
    out = put(out, context.limit, context.isa.surface.immediate_prefix);
    if (rule.plain) {
        const NumberRule plain = plain_rule(rule);
        value = decode_number(plain, type.width, code, 0);
        return put_number(out, context.limit, value, plain.base == NumberBase::signed_integer, radix);
    }
    const bool is_signed = rule.base == NumberBase::signed_integer || rule.relative || rule.scale < 0 || rule.bias < 0;
    return put_number(out, context.limit, value, is_signed, radix);
}

char* print_entry(char* out, const PrintContext& context, const OperandType& type, std::uint64_t code) {
    if (code < type.entries.size() && type.entries[code].code == code)
        return put(out, context.limit, type.entries[code].texts[0]);
    for (const Entry& entry : type.entries) {
        if (entry.code == code) return put(out, context.limit, entry.texts[0]);
    }
    return put(out, context.limit, "?");
}

// Prints the fields of an `any` that are not at their default, in the order they are listed.
template <typename CodeOf>
char* print_any(char* out, const PrintContext& context, const TextElement& element, const std::vector<Field>& fields,
                CodeOf&& code_of) {
    bool first = true;
    for (const Index index : element.fields) {
        char text[Codec::max_text];
        PrintContext inner = context;
        inner.limit = text + sizeof text;
        const char* end = print_operand(text, inner, fields[index].type, code_of(fields[index]));
        if (end == text) continue;
        if (!first) out = put(out, context.limit, element.text);
        first = false;
        out = put(out, context.limit, {text, static_cast<std::size_t>(end - text)});
    }
    return out;
}

template <typename CodeOf>
char* print_element(char* out, const PrintContext& context, const TextElement& element,
                    const std::vector<Field>& fields, std::string_view name, CodeOf&& code_of) {
    switch (element.kind) {
        case TextKind::constant:
        case TextKind::literal:
        case TextKind::space: return put(out, context.limit, element.text);
        case TextKind::name: return put(out, context.limit, name);
        case TextKind::field: {
            const Field& field = fields[element.field];
            if (element.radix == 16)
                return print_number(out, context, context.isa.operand_types[field.type], code_of(field), true);
            return print_operand(out, context, field.type, code_of(field));
        }
        case TextKind::number: {
            const auto value = static_cast<std::int64_t>(code_of(fields[element.field])) * element.scale + element.bias;
            return put_number(out, context.limit, value, true, element.radix);
        }
        case TextKind::any: return print_any(out, context, element, fields, code_of);
    }
    return out;
}

}  // namespace

char* print_template(char* out, const PrintContext& context, const TextTemplate& text, const std::vector<Field>& fields,
                     std::uint64_t code, std::string_view name) {
    for (const TextElement& element : text) {
        out = print_element(out, context, element, fields, name,
                            [&](const Field& field) { return field.code_in(code, context.image, context.tail_at); });
    }
    return out;
}

char* print_operand(char* out, const PrintContext& context, Index index, std::uint64_t code) {
    const OperandType& type = context.isa.operand_types[index];
    for (const RowChoice& choice : context.choices) {
        if (choice.type != index || !type.rows[choice.row].claims(code)) continue;
        const OperandRow& row = type.rows[choice.row];
        return print_template(out, context, row.texts[0], row.fields, code, {});
    }
    const OperandTable& table = context.tables.operands[index];
    if (!table.printed.empty() && code < table.printed.size()) {
        return put(out, context.limit, {table.printed[code].text, table.printed[code].size});
    }
    switch (type.kind) {
        case OperandKind::number: return print_number(out, context, type, code);
        case OperandKind::registers:
        case OperandKind::enumeration: return print_entry(out, context, type, code);
        case OperandKind::table: break;
    }
    const Index row = table.row.empty()                         ? find_row(type, code, context.isa)
                      : table.row[code] == OperandTable::no_row ? no_index
                                                                : table.row[code];
    if (row == no_index) return put(out, context.limit, "?");
    return print_template(out, context, type.rows[row].texts[0], type.rows[row].fields, code, {});
}

}  // namespace codec

using codec::PrintContext;
using codec::PrintStep;

char* Codec::print(char* out, Index index, const Image& image, unsigned bits, std::uint64_t address,
                   LabelNamer* labels) const {
    const Form& form = isa_->forms[index];
    (void)bits;
    char* const limit = out + max_text;
    const std::uint64_t word = image.words[0];
    for (const PrintStep& step : tables_->printable(index).print) {
        if (limit - out < 32) return out;
        switch (step.kind) {
            case PrintStep::Kind::text:
                std::memcpy(out, &step.text, sizeof step.text);  // one move, of a size that suits the machine
                out += step.text.size;
                break;
            case PrintStep::Kind::table: {
                const codec::Piece& piece = step.pieces[word >> step.shift & step.mask];
                std::memcpy(out, &piece, sizeof piece);
                out += piece.size;
                break;
            }
            case PrintStep::Kind::element: {
                const PrintContext context{*isa_, *tables_, image, form.bits, address, labels, limit};
                out = codec::print_element(out, context, *step.element, form.fields,
                                           isa_->instructions[form.instruction].names[0],
                                           [&](const Field& field) { return field.place.extract(image); });
            }
        }
    }
    return out;
}

char* Codec::print(char* out, Index index, const Image& image, std::uint64_t address,
                   std::span<const RowChoice> choices) const {
    tables_->printable(index);  // and with it the texts of its operands
    const Form& form = isa_->forms[index];
    PrintContext context{*isa_, *tables_, image, form.bits, address, nullptr, out + max_text};
    std::vector<RowChoice> own;
    for (const TextElement& element : form.texts[0]) {
        own.clear();
        for (const RowChoice& choice : choices) {
            if (element.kind == TextKind::any || choice.field == element.field) own.push_back(choice);
        }
        context.choices = own;
        out = codec::print_element(out, context, element, form.fields, isa_->instructions[form.instruction].names[0],
                                   [&](const Field& field) { return field.place.extract(image); });
    }
    return out;
}

namespace {

void add_targets(const Codec& codec, Index index, std::uint64_t code, std::uint64_t address,
                 std::vector<std::uint64_t>& out) {
    const OperandType& type = codec.isa().operand_types[index];
    if (type.kind == OperandKind::number && type.number.relative) {
        out.push_back(static_cast<std::uint64_t>(codec::decode_number(type.number, type.width, code, address)));
    }
    if (type.kind != OperandKind::table) return;
    const Index row = codec.row_of(index, code);
    if (row == no_index) return;
    for (const Field& field : type.rows[row].fields) {
        if (!field.in_tail) add_targets(codec, field.type, field.place.extract(code), address, out);
    }
}

}  // namespace

void Codec::targets(Index index, const Image& image, unsigned bits, std::uint64_t address,
                    std::vector<std::uint64_t>& out) const {
    (void)bits;
    if (!tables_->forms[index].has_relative) return;
    for (const Field& field : isa_->forms[index].fields)
        add_targets(*this, field.type, field.place.extract(image), address, out);
}

}  // namespace isaforge

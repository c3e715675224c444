// The text of an element of a form, of an operand, of a number. What whole instructions are printed by is made of these:
// printer.cpp.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "codec/numerals.hpp"
#include "codec/operands.hpp"
#include "codec/printer.hpp"
#include "codec/tables.hpp"
#include "support/half.hpp"

namespace isaforge {

namespace codec {

namespace {

char* put(char* out, const char* limit, std::string_view text) {
    const std::size_t room = limit ? static_cast<std::size_t>(limit - out) : text.size();
    return std::copy_n(text.data(), std::min(room, text.size()), out);
}

char* put_number(char* out, const PrintContext& context, std::int64_t value, bool is_signed, unsigned radix) {
    char text[longest_numeral];
    char* end = text;
    std::uint64_t magnitude = static_cast<std::uint64_t>(value);
    if (is_signed && value < 0) {
        *end++ = '-';
        magnitude = 0 - magnitude;
    }
    end = put_numeral(context.isa.surface.number_marks, end, magnitude, radix);
    return put(out, context.limit, {text, static_cast<std::size_t>(end - text)});
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
        return put_number(out, context, value, plain.base == NumberBase::signed_integer, radix);
    }
    const bool is_signed = rule.base == NumberBase::signed_integer || rule.relative || rule.scale < 0 || rule.bias < 0;
    return put_number(out, context, value, is_signed, radix);
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
    OperandRecord* const record = context.record;
    for (const Index index : element.fields) {
        char text[Codec::max_text];
        PrintContext inner = context;
        inner.limit = text + sizeof text;
        const InField inside(record, fields[index], index);
        const char* const begin = record ? std::exchange(record->begin, text) : nullptr;
        const std::size_t recorded = record ? record->size() : 0;
        if (context.form != no_index)
            inner.tail_at = tail_at(context.isa, context.tables, context.form, index, context.image);
        inner.form = no_index;
        const char* end = print_operand(text, inner, fields[index].type, code_of(fields[index]));
        if (record) record->begin = begin;
        if (end == text) continue;
        if (!first) out = put(out, context.limit, element.text);
        first = false;
        if (record) record->move(recorded, out);
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
            const InField inside(context.record, field, element.field);
            return print_operand(out, context, field.type, code_of(field), element.radix == 16);
        }
        case TextKind::number: {
            const Field& field = fields[element.field];
            const std::uint64_t code = code_of(field);
            const auto value = static_cast<std::int64_t>(code) * element.scale + element.bias;
            char* const end = put_number(out, context, value, true, element.radix);
            const InField inside(context.record, field, element.field);
            if (context.record) context.record->add_sum(field.type, code, value, context, out, end);
            return end;
        }
        case TextKind::any: return print_any(out, context, element, fields, code_of);
    }
    return out;
}

}  // namespace

char* print_element(char* out, const PrintContext& context, const TextElement& element, Index index) {
    const Form& form = context.isa.forms[index];
    PrintContext own = context;
    if (context.tables.forms[index].several_tails) {
        if (element.kind == TextKind::any) own.form = index;
        if (element.kind == TextKind::field)
            own.tail_at = tail_at(context.isa, context.tables, index, element.field, context.image);
    }
    return print_element(out, own, element, form.fields, context.isa.instructions[form.instruction].names[0],
                         [&](const Field& field) { return field.place.extract(context.image); });
}

char* print_template(char* out, const PrintContext& context, const TextTemplate& text, const std::vector<Field>& fields,
                     std::uint64_t code, std::string_view name) {
    for (const TextElement& element : text) {
        out = print_element(out, context, element, fields, name,
                            [&](const Field& field) { return field.code_in(code, context.image, context.tail_at); });
    }
    return out;
}

namespace {

// The row of a table as which it is printed.
Index printed_row(const PrintContext& context, Index index, std::uint64_t code) {
    const OperandType& type = context.isa.operand_types[index];
    for (const RowChoice& choice : context.choices) {
        if (choice.type == index && type.rows[choice.row].claims(code)) return choice.row;
    }
    return row_of(context.isa, context.tables, index, code);
}

}  // namespace

char* print_operand(char* out, const PrintContext& context, Index index, std::uint64_t code, bool hexadecimal) {
    const OperandType& type = context.isa.operand_types[index];
    char* end = out;
    Index row = no_index;
    switch (type.kind) {
        case OperandKind::number: end = print_number(out, context, type, code, hexadecimal); break;
        case OperandKind::registers:
        case OperandKind::enumeration: end = print_entry(out, context, type, code); break;
        case OperandKind::table: {
            row = printed_row(context, index, code);
            if (row == no_index) return put(out, context.limit, "?");
            const OperandRow& found = type.rows[row];
            if (!context.record || context.record->looks_into(index, row))
                return print_template(out, context, found.texts[0], found.fields, code, {});
            PrintContext whole = context;
            whole.record = nullptr;
            end = print_template(out, whole, found.texts[0], found.fields, code, {});
        }
    }
    if (context.record) context.record->add(index, row, code, context, out, end);
    return end;
}

}  // namespace codec

char* Codec::print(char* out, Index form, const Image& image, unsigned, std::uint64_t address,
                   LabelNamer* labels) const {
    return printer_->print(out, form, image, address, labels);
}

char* Codec::print(char* out, Index index, const Image& image, std::uint64_t address,
                   std::span<const RowChoice> choices, std::vector<PrintedOperand>& operands,
                   LabelNamer* labels) const {
    tables_->need_codes(index);
    const Form& form = isa_->forms[index];
    operand_plans_->of(index);
    codec::OperandRecord record(*operand_plans_, operands, out);
    codec::PrintContext context{*isa_, *tables_, image, form.bits, address, labels, out + max_text, {}, &record};
    std::vector<RowChoice> own;
    for (const TextElement& element : form.texts[0]) {
        own.clear();
        for (const RowChoice& choice : choices) {
            if (element.kind == TextKind::any || choice.field == element.field) own.push_back(choice);
        }
        context.choices = own;
        out = codec::print_element(out, context, element, index);
    }
    return out;
}

}  // namespace isaforge

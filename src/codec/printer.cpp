#include "codec/printer.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "codec/numerals.hpp"
#include "support/short_lock.hpp"

namespace isaforge::codec {

namespace {

constexpr unsigned widest_tabulated = 16;       // of operands whose texts are kept by code
constexpr std::size_t pointer_size = sizeof(void*);

// As many as there is room for.
char* put_text(char* out, const char* limit, std::string_view text) {
    return std::copy_n(text.data(), std::min(static_cast<std::size_t>(limit - out), text.size()), out);
}

}  // namespace

Printer::Printer(const Isa& isa, const Codec::Tables& tables)
    : isa_(isa),
      codec_tables_(tables),
      forms_(isa.forms.size()),
      tables_(isa.operand_types.size()),
      texts_(std::make_unique_for_overwrite<Text[]>(most_texts)) {
    texts_[unknown].state = Text::unknown;
    texts_[by_image].state = Text::by_image;
}

Printer::~Printer() = default;

// --- making steps -----------------------------------------------------------------------------------------------------

const Printer::Step* Printer::compile(Index form) const {
    const ShortLock lock(mutex_);
    codec_tables_.need_codes(form);
    const Step* const made = forms_[form].load(std::memory_order_relaxed);
    if (made) return made;
    Steps& steps = steps_.emplace_back();
    compile(isa_.forms[form], steps);
    if (steps.size() > few_steps) steps.insert(steps.begin(), Step(Step::Kind::many));
    if (may_end_blank(isa_.forms[form])) steps.emplace_back(Step::Kind::trim);
    steps.emplace_back(Step::Kind::end);
    steps.shrink_to_fit();
    forms_[form].store(steps.data(), std::memory_order_release);
    return steps.data();
}

void Printer::compile(const Form& form, Steps& steps) const {
    const TextTemplate& text = form.texts[0];
    const std::string& name = isa_.instructions[form.instruction].names[0];
    for (std::size_t i = 0; i < text.size(); ++i) {
        switch (text[i].kind) {
            case TextKind::literal:
            case TextKind::space: add_text(steps, text[i].text); break;
            case TextKind::name: add_text(steps, name); break;
            case TextKind::field: {
                if (text[i].radix != 10) {
                    add_element(text[i], steps);
                    break;
                }
                // Fixed texts behind a tabulated operand belong to its texts.
                const Index field = text[i].field;
                const bool is_tabulated = this->is_tabulated(form.fields[field]);
                std::string suffix;
                while (is_tabulated && i + 1 < text.size() &&
                       (text[i + 1].kind == TextKind::literal || text[i + 1].kind == TextKind::space))
                    suffix += text[++i].text;
                add_field(form, field, suffix, steps);
                break;
            }
            case TextKind::any:
                if (!add_any(form, text[i], steps)) add_element(text[i], steps);
                break;
            case TextKind::constant:
            case TextKind::number: add_element(text[i], steps); break;
        }
    }
}

void Printer::add_element(const TextElement& element, Steps& steps) {
    steps.emplace_back(Step::Kind::element).element = &element;
}

// Most instructions have nothing there: one comparison tells. Not where something stands between the operands.
bool Printer::add_any(const Form& form, const TextElement& element, Steps& steps) const {
    if (!element.text.empty()) return false;
    Step skip(Step::Kind::skip);
    skip.skip = {0, 0};
    bool simple = true;
    for (const Index index : element.fields) {
        const Field& field = form.fields[index];
        const OperandTable& table = codec_tables_.operands[field.type];
        QuickPlace place;
        if (!table.nullable || !place.set(field.place) || !prints_nothing(field.type, table.left_out)) {
            simple = false;
            break;
        }
        Image empty;
        field.place.insert(empty, table.left_out);
        skip.skip.mask |= place.bits();
        skip.skip.value |= empty.words[0];
    }
    const std::size_t at = steps.size();
    if (simple) steps.push_back(skip);
    for (const Index index : element.fields) add_field(form, index, {}, steps);
    if (simple) steps[at].size = static_cast<std::uint8_t>(steps.size() - at - 1);
    return true;
}

// Whether only operands that may be left out stand behind the last blank.
bool Printer::may_end_blank(const Form& form) const {
    const TextTemplate& text = form.texts[0];
    for (auto element = text.rbegin(); element != text.rend(); ++element) {
        if (element->kind == TextKind::space) return element != text.rbegin();
        if (!may_print_nothing(*element, form.fields)) return false;
    }
    return false;
}

bool Printer::may_print_nothing(const TextElement& element, const std::vector<Field>& fields) const {
    const auto is_so = [&](Index field) { return may_print_nothing(isa_.operand_types[fields[field].type]); };
    switch (element.kind) {
        case TextKind::literal: return element.text.empty();
        case TextKind::field: return is_so(element.field);
        case TextKind::any: return std::ranges::all_of(element.fields, is_so);
        default: return false;
    }
}

bool Printer::may_print_nothing(const OperandType& type) const {
    return std::ranges::any_of(type.entries, [](const Entry& entry) { return entry.texts[0].empty(); }) ||
           std::ranges::any_of(type.rows, [&](const OperandRow& row) {
               return !row.alias && !row.texts.empty() &&
                      std::ranges::all_of(row.texts[0],
                                          [&](const TextElement& each) { return may_print_nothing(each, row.fields); });
           });
}

bool Printer::prints_nothing(Index type, std::uint64_t code) const {
    char text[Codec::max_text];
    const Image nothing;
    const PrintContext context{isa_, codec_tables_, nothing, 0, 0, nullptr, text + sizeof text};
    return print_operand(text, context, type, code) == text;
}

void Printer::add_text(Steps& steps, std::string_view text) const {
    while (!text.empty()) {
        if (steps.empty() || steps.back().kind != Step::Kind::text || steps.back().size == sizeof steps.back().text)
            steps.emplace_back(Step::Kind::text);
        Step& step = steps.back();
        const std::size_t count = std::min(text.size(), sizeof step.text - step.size);
        std::memcpy(step.text + step.size, text.data(), count);
        step.size = static_cast<std::uint8_t>(step.size + count);
        text.remove_prefix(count);
    }
}

bool Printer::is_tabulated(const Field& field) const {
    const OperandType& type = isa_.operand_types[field.type];
    QuickPlace place;
    if (type.width == 0 || type.width > widest_tabulated || !place.set(field.place)) return false;
    return type.width <= widest_table || !wide_rows(field.type).is_all;  // numbers are made faster than they are found
}

void Printer::add_field(const Form& form, Index index, std::string_view suffix, Steps& steps) const {
    const Field& field = form.fields[index];
    Step step(Step::Kind::operand, static_cast<std::uint16_t>(index));
    QuickPlace place;
    if (place.set(field.place)) {
        if (is_tabulated(field)) {
            step.kind = Step::Kind::table;
            step.of.table = &table_of(field.type, suffix);
            step.of.place = place;
        } else if (const std::vector<WideRow>& rows = wide_rows(field.type).rows; !rows.empty()) {
            step.kind = Step::Kind::wide;
            step.of.rows = &rows;
            step.of.place = place;
        }
    }
    steps.push_back(step);
}

Printer::Table& Printer::table_of(Index type, std::string_view suffix) const {
    std::vector<Table*>& known = tables_[type];
    const auto found = std::ranges::find(known, suffix, &Table::suffix);
    if (found != known.end()) return **found;
    const std::size_t codes = std::size_t{1} << isa_.operand_types[type].width;
    auto& memory = memory_.emplace_back(std::make_unique<std::byte[]>(sizeof(Table) + codes * sizeof(TextNumber)));
    return *known.emplace_back(new (memory.get()) Table{type, suffixes_.emplace_back(suffix)});
}

// What rows behind the first of another kind have is printed in the usual way.
Printer::Wide& Printer::wide_rows(Index index) const {
    const auto [place, is_new] = wide_.try_emplace(index);
    Wide& wide = place->second;
    if (!is_new) return wide;
    const OperandType& type = isa_.operand_types[index];
    if (type.kind == OperandKind::number) {
        WideRow row;
        wide.is_all = set_number(type, nullptr, row);
        if (wide.is_all) wide.rows.push_back(std::move(row));
        return wide;
    }
    wide.is_all = type.kind == OperandKind::table;
    for (const OperandRow& row : type.rows) {
        if (row.alias) continue;
        WideRow made;
        wide.is_all = make_wide_row(row, made);
        if (!wide.is_all) break;
        wide.rows.push_back(std::move(made));
    }
    return wide;
}

bool Printer::make_wide_row(const OperandRow& row, WideRow& out) const {
    if (row.reserved || row.tail_bits != 0 || row.fields.size() > 1 || row.constraints.size() > row.fields.size())
        return false;
    out.mask = row.mask;
    out.value = row.value;
    for (const TextElement& element : row.texts[0]) {
        const bool number = element.kind == TextKind::field && out.radix == 0;
        if (!number && element.kind != TextKind::literal && element.kind != TextKind::space) return false;
        if (!number) (out.radix == 0 ? out.before : out.behind) += element.text;
        if (number && !set_number(isa_.operand_types[row.fields[0].type], &row.fields[0], out)) return false;
        if (number && element.radix == 16) out.radix = 16;
    }
    if (!row.fields.empty() && out.radix == 0) return false;
    for (const Constraint& constraint : row.constraints) {
        if (constraint.step != 1) return false;
        out.low = constraint.low;
        out.high = constraint.high;
    }
    constexpr std::size_t most_fixed = 32;
    return out.before.size() + out.behind.size() < most_fixed;
}

// A plain number: the bits, perhaps with a sign, or a part of a larger one. It has all of the code, or the bits of a field.
bool Printer::set_number(const OperandType& type, const Field* field, WideRow& out) const {
    const NumberRule& rule = type.number;
    const bool plain = type.kind == OperandKind::number && !rule.relative && rule.scale == 1 && rule.bias == 0 &&
                       !rule.minimum && !rule.maximum && rule.base != NumberBase::floating &&
                       rule.format != NumberFormat::floating && !rule.plain && rule.carries == 0;
    constexpr std::size_t longest_mark = 8;  // a step's room is enough for all of it
    const std::string& prefix = isa_.surface.immediate_prefix;
    const bool is_short =
        prefix.size() <= longest_mark && std::ranges::all_of(isa_.surface.number_marks, [](const NumberMark& mark) {
            return mark.before.size() + mark.behind.size() <= longest_mark;
        });
    const unsigned below = rule.sliced ? rule.slice_low : 0;
    if (!plain || !is_short || type.width == 0 || type.width + below > 63) return false;
    if (field && (field->in_tail || field->place.pieces.size() != 1 || field->place.pieces[0].shift != 0)) return false;
    out.number_shift = field ? static_cast<std::uint8_t>(field->place.pieces[0].position) : 0;
    out.number_mask = out.high = low_bits(type.width);
    out.radix = rule.format == NumberFormat::hexadecimal ? 16 : 10;
    out.value_shift = static_cast<std::uint8_t>(below);
    out.before += prefix;
    const bool is_signed = rule.base == NumberBase::signed_integer && !rule.sliced;
    out.sign_bit = is_signed ? static_cast<std::uint8_t>(type.width - 1) : 0;
    return true;
}

// --- printing ---------------------------------------------------------------------------------------------------------

char* Printer::run_many(const Step* step, char* out, Index form, const Image& image, std::uint64_t address,
                        Codec::LabelNamer* labels) const {
    return run<false>(step, out, form, image, address, labels);
}

char* Printer::put(char* out, const Step& step, Index form, const Image& image, std::uint64_t address,
                   Codec::LabelNamer* labels, char* limit) const {
    if (step.kind == Step::Kind::wide) {
        if (char* const end = put_wide(out, *step.of.rows, step.of.place.code(image.words[0]))) return end;
    }
    const PrintContext context{isa_,    codec_tables_, image, tail_at(isa_, codec_tables_, form, step.field, image),
                               address, labels,        limit};
    if (step.kind == Step::Kind::element) return print_element(out, context, *step.element, form);
    if (step.kind == Step::Kind::table)
        return put_unusual(out, *step.of.table, step.of.place.code(image.words[0]), context);
    const Field& field = isa_.forms[form].fields[step.field];
    return print_operand(out, context, field.type, field.place.extract(image));
}

// A code that was not printed before, whose text is long, or which is not all that the text depends on.
char* Printer::put_unusual(char* out, Table& table, std::uint64_t code, const PrintContext& context) const {
    std::atomic<TextNumber>& number = table[code];
    const TextNumber known = number.load(std::memory_order_acquire);
    const Text& text = texts_[known];
    if (text.state == Text::elsewhere) {
        const std::string* found = nullptr;
        std::memcpy(&found, text.text, pointer_size);
        return put_text(out, context.limit, *found);
    }
    char* const end = put_text(print_operand(out, context, table.type, code), context.limit, table.suffix);
    if (known == by_image) return end;
    const ShortLock lock(mutex_);
    const bool is_kept = is_closed(table.type, code) && context.limit - end > step_room;
    number.store(is_kept ? number_of({out, static_cast<std::size_t>(end - out)}) : by_image, std::memory_order_release);
    return end;
}

// `by_image` where there are too many.
Printer::TextNumber Printer::number_of(std::string_view text) const {
    constexpr std::size_t first = by_image + 1;
    const std::size_t next = first + text_numbers_.size();
    if (next == most_texts) return by_image;
    const auto [place, is_new] = text_numbers_.try_emplace(std::string(text), static_cast<TextNumber>(next));
    if (!is_new) return place->second;
    Text& made = texts_[next];
    if (text.size() <= Text::longest) {
        std::ranges::copy(text, made.text);
        made.state = static_cast<std::uint8_t>(text.size());
    } else {
        const std::string* const kept = &place->first;
        std::memcpy(made.text, &kept, pointer_size);
        made.state = Text::elsewhere;
    }
    return place->second;
}

// Whether the text of a code depends on nothing else: no label, no word behind the instruction.
bool Printer::is_closed(Index index, std::uint64_t code) const {
    const OperandType& type = isa_.operand_types[index];
    if (type.kind == OperandKind::number) return !type.number.relative;
    if (type.kind != OperandKind::table) return true;
    const Index row = row_of(isa_, codec_tables_, index, code);
    if (row == no_index) return true;
    const std::vector<Field>& fields = type.rows[row].fields;
    return std::all_of(fields.begin(), fields.end(), [&](const Field& field) {
        return !field.in_tail && is_closed(field.type, field.place.extract(code));
    });
}

// Null where the usual way has to be taken.
char* Printer::put_wide(char* out, const std::vector<WideRow>& rows, std::uint64_t code) const {
    for (const WideRow& row : rows) {
        const std::uint64_t bits = code >> row.number_shift & row.number_mask;
        if ((code & row.mask) != row.value || bits < row.low || bits > row.high) continue;
        out = std::copy(row.before.begin(), row.before.end(), out);
        if (row.radix == 0) return out;
        std::uint64_t number = bits << row.value_shift;
        if (row.sign_bit != 0 && bits >> row.sign_bit != 0) {
            *out++ = '-';
            number = (std::uint64_t{1} << (row.sign_bit + 1)) - bits;
        }
        out = row.radix == 10 ? std::to_chars(out, out + 24, number).ptr
                              : put_numeral(isa_.surface.number_marks, out, number, row.radix);
        return std::copy(row.behind.begin(), row.behind.end(), out);
    }
    return nullptr;
}

}  // namespace isaforge::codec

#include "codec/spellings.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

#include "isaforge/image.hpp"

namespace isaforge::codec {

namespace {

constexpr std::size_t most_spellings = 1000;  // of one operand: what is beyond is read row by row

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A text that may be read as a number too, so that the order of the rows decides.
bool is_numeric(const Spelling& spelling) {
    if (spelling.text.empty()) return false;
    const char c = spelling.text[0];
    return c == number_mark || is_digit(c) || c == '-' || c == '+' || c == '.';
}

void add_letter(Letters& letters, char c) {
    letters.set(static_cast<unsigned char>(std::tolower(static_cast<unsigned char>(c))));
    letters.set(static_cast<unsigned char>(std::toupper(static_cast<unsigned char>(c))));
}

// A field in one piece, whose lowest bit is the field's.
bool is_simple(const BitPlace& place) { return place.pieces.size() == 1 && place.pieces[0].shift == 0; }

}  // namespace

void Spellings::add(Index index) {
    const OperandType& type = isa_.operand_types[index];
    Known& known = known_[index];
    switch (type.kind) {
        case OperandKind::number: add_number(type, known); break;
        case OperandKind::registers:
        case OperandKind::enumeration: add_entries(type, known); break;
        case OperandKind::table:
            for (std::uint32_t row = 0; row < type.rows.size(); ++row) {
                for (const TextTemplate& text : type.rows[row].texts) {
                    add_row(type, row, text, known);
                    if (!text.empty()) known.first |= first_of(text, type.rows[row].fields);
                }
                add_longer(type.rows[row].texts, known);
            }
    }
}

// Where one text of a row goes on where another ends, with a mark, a blank may stand before that: "shift" and "shift :1".
void Spellings::add_longer(const std::vector<TextTemplate>& texts, Known& known) {
    const auto word_of = [](const TextTemplate& text) {
        const bool is_word = !text.empty() && text.back().kind == TextKind::literal &&
                             (text.size() == 1 || (text.size() == 2 && text[0].kind == TextKind::space));
        return is_word ? std::string_view(text.back().text) : std::string_view();
    };
    for (const TextTemplate& text : texts) {
        const std::string_view begin = word_of(text);
        for (const TextTemplate& longer : texts) {
            const std::string_view whole = word_of(longer);
            if (begin.empty() || whole.size() <= begin.size() || !whole.starts_with(begin)) continue;
            if (std::isalnum(static_cast<unsigned char>(whole[begin.size()])) != 0) continue;
            known.unlisted = true;
            add_letter(known.goes_on, whole[begin.size()]);
        }
    }
}

// --- first characters -------------------------------------------------------------------------------------------------

// What an expression may begin with: all but some marks that texts are made of.
Letters Spellings::number_letters() const {
    Letters out;
    out.set();
    for (const char c : {',', ')', ']', '[', '{', '}', '|', ':'}) out.reset(static_cast<unsigned char>(c));
    for (const std::string& prefix : {isa_.surface.immediate_prefix, isa_.surface.label_reference_prefix}) {
        if (!prefix.empty()) add_letter(out, prefix[0]);
    }
    return out;
}

// What may go on with an expression behind a number.
Letters Spellings::operator_letters() {
    Letters out;
    for (const char c : {'+', '-', '*', '/', '%', '<', '>', '&', '|', '^', '=', '!', '?', ':', '(', '~', '.', '@'})
        out.set(static_cast<unsigned char>(c));
    return out;
}

Letters Spellings::first_of(const TextTemplate& text, const std::vector<Field>& fields) const {
    Letters out;
    for (const TextElement& element : text) {
        switch (element.kind) {
            case TextKind::space: continue;
            case TextKind::literal: add_letter(out, element.text[0]); return out;
            case TextKind::number:
            case TextKind::constant: return out | number_letters();
            case TextKind::field: {
                const Known& nested = known_[fields[element.field].type];
                out |= nested.first;
                if (!nested.empty) return out;
                continue;
            }
            case TextKind::name:
            case TextKind::any: return out.set();
        }
    }
    return out.set();
}

// --- spellings --------------------------------------------------------------------------------------------------------

// Names that count up with their codes, "v0" to "v255", are one pattern.
void Spellings::add_entries(const OperandType& type, Known& known) const {
    struct Run {
        std::string prefix;
        std::uint64_t low = 0, high = 0, bias = 0;  // number = code + bias
        std::vector<std::string> texts;
    };
    std::size_t columns = 0;
    for (const Entry& entry : type.entries) columns = std::max(columns, entry.texts.size());
    const auto flush = [&](Run& run) {
        constexpr std::size_t fewest = 4;
        if (run.texts.size() < fewest) {
            for (std::size_t i = 0; i < run.texts.size(); ++i) known.list.push_back({run.texts[i], run.low + i, {}, 0});
        } else {
            PatternNumber number;
            number.bias = static_cast<std::int64_t>(run.bias);
            number.low = static_cast<std::int64_t>(run.low);
            number.high = static_cast<std::int64_t>(run.high);
            number.mask = ~std::uint64_t{0};
            number.named = true;
            known.list.push_back({run.prefix + number_mark, 0, {number}, 0});
        }
        run = {};
    };
    for (std::size_t column = 0; column < columns; ++column) {
        Run run;
        for (const Entry& entry : type.entries) {
            if (column >= entry.texts.size()) continue;
            const std::string& text = entry.texts[column];
            known.empty |= text.empty();
            if (!text.empty()) add_letter(known.first, text[0]);
            std::size_t at = text.size();
            while (at > 0 && is_digit(text[at - 1])) --at;
            const std::size_t digits = text.size() - at;
            const bool counted =
                at > 0 && digits > 0 && digits < 10 && (text[at] != '0' || digits == 1) && entry.code >> 40 == 0;
            const std::uint64_t bias = counted ? std::stoull(text.substr(at)) - entry.code : 0;
            const bool goes_on = counted && !run.texts.empty() && run.prefix.size() == at &&
                                 text.starts_with(run.prefix) && run.bias == bias && run.high + 1 == entry.code;
            if (!goes_on) {
                flush(run);
                run.prefix = counted ? text.substr(0, at) : text;
                run.low = entry.code;
                run.bias = bias;
            }
            run.high = entry.code;
            run.texts.push_back(text);
            if (!counted) flush(run);
        }
        flush(run);
    }
}

void Spellings::add_number(const OperandType& type, Known& known) const {
    const NumberRule& rule = type.number;
    known.first = number_letters();
    known.goes_on = operator_letters();
    known.open = known.any_number = true;
    known.dropped = true;
    if (rule.relative || rule.sliced || rule.minimum || rule.maximum || rule.base == NumberBase::floating ||
        type.width > 62 || type.width == 0)
        return;
    const std::int64_t span = std::int64_t{1} << type.width;
    const bool is_signed = rule.base == NumberBase::signed_integer;
    PatternNumber number;
    number.scale = rule.scale;
    number.bias = rule.bias;
    number.mask = low_bits(type.width);
    number.low = rule.base == NumberBase::unsigned_integer ? 0 : -span / 2;
    number.high = is_signed ? span / 2 - 1 : span - 1;
    known.dropped = false;
    known.list.push_back({std::string(1, number_mark), 0, {number}, 0});
    if (number.low == 0 && rule.scale > 0 && rule.bias >= 0) return;
    number.scale = -number.scale;
    number.bias = -number.bias;
    known.list.push_back({std::string("-") + number_mark, 0, {number}, 0});
}

void Spellings::add_row(const OperandType& type, std::uint32_t row_index, const TextTemplate& text,
                        Known& known) const {
    const OperandRow& row = type.rows[row_index];
    if (text.empty()) known.empty = true;
    Partial begin;
    begin.spelling.code = row.written;
    begin.spelling.row = row_index;
    begin.seen.resize(row.fields.size());
    begin.number_of.assign(row.fields.size(), -1);
    begin.code_of.resize(row.fields.size());
    std::vector<Partial> partials{std::move(begin)};
    bool open = is_open(row, text);
    for (const TextElement& element : text) {
        if (element.kind == TextKind::field) {
            const Known& nested = known_[row.fields[element.field].type];
            known.dropped |= nested.dropped;
            if (nested.unlisted || (nested.empty && text.size() > 1)) {
                known.unlisted = true;
                add_going_on(row, text, known.goes_on);
            }
        }
        if (!extend(partials, row, element) || partials.size() + known.list.size() > most_spellings) {
            known.open = known.any_number = known.unlisted = known.dropped = true;
            add_going_on(row, text, known.goes_on);
            return;
        }
    }
    // A number at the end may be the beginning of an expression: "offset:4*2".
    if (!text.empty() && text.back().kind == TextKind::field && known_[row.fields[text.back().field].type].open) {
        known.ends_open = true;
        known.goes_on |= operator_letters();
    }
    for (Partial& partial : partials) {
        std::string& written = partial.spelling.text;
        while (!written.empty() && written.front() == ' ') written.erase(0, 1);
        while (!written.empty() && written.back() == ' ') written.pop_back();
        // A number of an earlier row that is read as an expression may be the same.
        if (known.open && is_numeric(partial.spelling) && !is_apart(text, known)) {
            known.dropped = true;
            continue;
        }
        known.empty |= written.empty();
        if (constrain(partial, row)) {
            known.list.push_back(std::move(partial.spelling));
        } else {
            open |= is_numeric(partial.spelling);
            known.dropped = true;
        }
    }
    if (!open) return;
    known.open = true;
    add_numbers(row, text, known);
}

// Whether the text may begin with a number that is written in another way than a spelling's.
bool Spellings::is_open(const OperandRow& row, const TextTemplate& text) const {
    for (const TextElement& element : text) {
        switch (element.kind) {
            case TextKind::space: continue;
            case TextKind::number: return true;
            case TextKind::constant: return element.bits != 0;  // its bits are another way to write it
            case TextKind::field: {
                const Known& nested = known_[row.fields[element.field].type];
                if (nested.open || !nested.empty) return nested.open;
                continue;
            }
            case TextKind::literal:
            case TextKind::name:
            case TextKind::any: return false;
        }
    }
    return false;
}

namespace {

std::int64_t signed_bits(std::uint64_t bits, unsigned width) {
    const unsigned unused = 64 - width;
    return static_cast<std::int64_t>(bits << unused) >> unused;
}

}  // namespace

// Which numbers the text may be: known where it is nothing but a number by its bits.
void Spellings::add_numbers(const OperandRow& row, const TextTemplate& text, Known& known) const {
    const TextElement& element = text[0];
    const bool alone = text.size() == 1 && (element.bits != 0 || element.kind == TextKind::field);
    if (alone && element.kind == TextKind::constant) {
        const std::int64_t value = signed_bits(element.pattern, element.bits);
        known.ranges.push_back({element.bits, value, value});
    } else if (alone && element.kind == TextKind::field) {
        const Known& nested = known_[row.fields[element.field].type];
        known.any_number |= nested.any_number;
        known.ranges.insert(known.ranges.end(), nested.ranges.begin(), nested.ranges.end());
    } else if (alone && (element.scale == 1 || element.scale == -1) && row.constraints.size() == 1 &&
               row.constraints[0].high < std::uint64_t{1} << 32) {
        const auto low = static_cast<std::int64_t>(row.constraints[0].low) * element.scale + element.bias;
        const auto high = static_cast<std::int64_t>(row.constraints[0].high) * element.scale + element.bias;
        known.ranges.push_back({element.bits, std::min(low, high), std::max(low, high)});
    } else {
        known.any_number = true;
    }
}

// Whether the text is a constant by its bits that no number before it may be.
bool Spellings::is_apart(const TextTemplate& text, const Known& known) {
    if (known.any_number || text.size() != 1 || text[0].kind != TextKind::constant || text[0].bits == 0) return false;
    const std::int64_t value = signed_bits(text[0].pattern, text[0].bits);
    return std::none_of(known.ranges.begin(), known.ranges.end(), [&](const NumberRange& range) {
        return range.bits != text[0].bits || (value >= range.low && value <= range.high);
    });
}

// What may stand in the text behind its begin: the letters of its literals, what its operands begin with, and all that an
// expression goes on with.
void Spellings::add_going_on(const OperandRow& row, const TextTemplate& text, Letters& out) const {
    const auto add_field = [&](Index index, bool first) {
        const Known& nested = known_[row.fields[index].type];
        if (!first) out |= nested.first;
        out |= nested.goes_on;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const TextElement& element = text[i];
        if (element.kind == TextKind::literal) {
            for (std::size_t k = i == 0 ? 1 : 0; k < element.text.size(); ++k) add_letter(out, element.text[k]);
        } else if (element.kind == TextKind::field) {
            add_field(element.field, i == 0);
        } else if (element.kind == TextKind::number || element.kind == TextKind::constant) {
            out |= i == 0 ? operator_letters() : number_letters() | operator_letters();
        } else if (element.kind == TextKind::any) {
            for (const char c : element.text) add_letter(out, c);
            for (const Index field : element.fields) add_field(field, false);
        }
    }
}

// Adds one element to each text so far. False where it cannot be written as a pattern.
bool Spellings::extend(std::vector<Partial>& partials, const OperandRow& row, const TextElement& element) const {
    std::vector<Partial> out;
    switch (element.kind) {
        case TextKind::literal:
        case TextKind::space:
        case TextKind::constant:
            for (Partial& partial : partials) partial.spelling.text += element.text;
            return true;
        case TextKind::field: {
            for (const Partial& partial : partials) {
                if (!extend_field(partial, row, element.field, out)) return false;
            }
            break;
        }
        case TextKind::number:
            for (const Partial& partial : partials) {
                if (!extend_number(partial, row, element, out)) return false;
            }
            break;
        case TextKind::name:
        case TextKind::any: return false;
    }
    partials = std::move(out);
    return true;
}

bool Spellings::extend_field(const Partial& partial, const OperandRow& row, Index index,
                             std::vector<Partial>& out) const {
    const Field& field = row.fields[index];
    const OperandType& type = isa_.operand_types[field.type];
    for (const Spelling& nested : known_[field.type].list) {
        Partial next = partial;
        const bool again = partial.seen[index];
        const bool has_numbers = !nested.numbers.empty();
        const std::size_t first = next.spelling.numbers.size();
        if (first + nested.numbers.size() > Patterns::most_numbers || out.size() > most_spellings) return false;
        if (has_numbers && !is_simple(field.place)) return false;
        const bool whole = type.kind != OperandKind::table && nested.numbers.size() == 1;
        if (again && (!whole || partial.number_of[index] < 0)) return false;
        next.seen[index] = true;
        next.spelling.text += nested.text;
        for (PatternNumber number : nested.numbers) {
            if (number.tail_bits != 0 && field.in_tail) return false;
            if (number.same_as >= 0) number.same_as = static_cast<std::int8_t>(number.same_as + first);
            if (again) number.same_as = static_cast<std::int8_t>(partial.number_of[index]);
            if (field.in_tail) {
                if (nested.code != 0 || field.place.pieces[0].position != 0) return false;
                number.tail_bits = static_cast<std::uint8_t>(field.place.width);
                number.tail_shared = field.shared;
            } else if (number.tail_bits == 0) {
                number.shift = static_cast<std::uint8_t>(number.shift + field.place.pieces[0].position);
            }
            next.spelling.numbers.push_back(number);
        }
        if (field.in_tail && !has_numbers) return false;
        if (!field.in_tail) next.spelling.code = field.place.insert(next.spelling.code, nested.code);
        if (whole && !again) next.number_of[index] = static_cast<int>(first);
        if (!has_numbers) next.code_of[index] = nested.code;
        out.push_back(std::move(next));
    }
    return true;
}

// A sum in a text: scale * field + bias.
bool Spellings::extend_number(const Partial& partial, const OperandRow& row, const TextElement& element,
                              std::vector<Partial>& out) const {
    const Field& field = row.fields[element.field];
    if ((partial.seen[element.field] && partial.number_of[element.field] < 0) || field.in_tail ||
        !is_simple(field.place) || field.place.width > 40 ||
        partial.spelling.numbers.size() == Patterns::most_numbers || element.scale == 0)
        return false;
    const bool may_be_negative = element.scale < 0 || element.bias < 0;
    for (const bool negative : {false, true}) {
        if (negative && !may_be_negative) break;
        Partial next = partial;
        PatternNumber number;
        number.scale = negative ? -element.scale : element.scale;
        number.bias = negative ? -element.bias : element.bias;
        number.high = static_cast<std::int64_t>(low_bits(field.place.width));
        number.mask = low_bits(field.place.width);
        number.shift = static_cast<std::uint8_t>(field.place.pieces[0].position);
        number.same_as = static_cast<std::int8_t>(partial.number_of[element.field]);
        next.seen[element.field] = true;
        if (number.same_as < 0) next.number_of[element.field] = static_cast<int>(next.spelling.numbers.size());
        if (negative) next.spelling.text += '-';
        next.spelling.text += number_mark;
        next.spelling.numbers.push_back(number);
        out.push_back(std::move(next));
    }
    return true;
}

// The row's ranges become those of the numbers. False where a field that is no number lies outside, or is in no text.
bool Spellings::constrain(Partial& partial, const OperandRow& row) const {
    for (const Constraint& constraint : row.constraints) {
        const int index = partial.number_of[constraint.field];
        if (index < 0) {
            if (!partial.code_of[constraint.field]) return false;
            const std::uint64_t code = *partial.code_of[constraint.field];
            if (code < constraint.low || code > constraint.high || (code - constraint.low) % constraint.step != 0)
                return false;
            continue;
        }
        constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        PatternNumber& number = partial.spelling.numbers[static_cast<std::size_t>(index)];
        if (constraint.low > largest || number.low < 0) return false;
        number.low = static_cast<std::int64_t>(constraint.low);
        number.high = std::min(number.high, static_cast<std::int64_t>(std::min(constraint.high, largest)));
        number.step = static_cast<std::int64_t>(std::min(constraint.step, largest));
    }
    return true;
}

}  // namespace isaforge::codec

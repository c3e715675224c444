#include "codec/spellings.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "codec/characters.hpp"
#include "codec/tables.hpp"
#include "isaforge/image.hpp"

namespace isaforge::codec {

namespace {

constexpr std::size_t most_spellings = 1000;  // of one operand: what is beyond is read row by row
constexpr std::size_t most_inside = 24;       // of one inside of another's: what has more is read as an operand

bool is_sign(char c) { return c == '-' || c == '+'; }

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
        case OperandKind::enumeration:
            add_entries(type, known);
            known.words = known.first;
            break;
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
            if (is_word(whole[begin.size()])) continue;
            known.unlisted = true;
            add_letter(known.goes_on, whole[begin.size()]);
        }
    }
}

// --- first characters -------------------------------------------------------------------------------------------------

Letters Spellings::letters_of_numbers(const Surface& surface) {
    Letters out;
    for (int c = 0; c < 256; ++c) out[static_cast<std::size_t>(c)] = !is_text_mark(static_cast<char>(c));
    const auto add = [&](const std::string& mark) {
        if (!mark.empty()) add_letter(out, mark[0]);
    };
    add(surface.immediate_prefix);
    add(surface.label_reference_prefix);
    add(surface.expression_prefix);
    add(surface.low_byte);
    add(surface.high_byte);
    for (const NumberMark& mark : surface.number_marks) add(mark.before);
    return out;
}

// What may go on with an expression behind a number.
Letters Spellings::operator_letters() {
    Letters out;
    for (const char c : {'+', '-', '*', '/', '%', '<', '>', '&', '|', '^', '=', '!', '?', ':', '~', '.', '@'})
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

namespace {

// So many texts that count up are written as one.
constexpr std::size_t fewest = 4, fewest_registers = 2;

}  // namespace

// Whether registers are called so, but for their numbers.
bool Spellings::is_register_word(const std::string& word) {
    if (!register_words_) {
        register_words_.emplace();
        std::string_view last;
        for (const RegisterFile& file : isa_.register_files) {
            for (const Entry& entry : file.entries) {
                for (const std::string_view text : entry.texts) {
                    const std::string_view begin = text.substr(0, text.find_last_not_of("0123456789") + 1);
                    if (begin != std::exchange(last, begin)) register_words_->emplace(begin);
                }
            }
        }
    }
    return register_words_->contains(word);
}

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
        if (run.texts.size() < (type.kind == OperandKind::registers ? fewest_registers : fewest)) {
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

namespace {

// The decimal number that a text ends with, behind a letter: where it begins, or the text's size where it ends otherwise.
std::size_t count_of(const std::string& text, std::int64_t& number) {
    constexpr std::size_t most_digits = 9;
    std::size_t at = text.size();
    while (at > 0 && is_digit(text[at - 1])) --at;
    const std::size_t digits = text.size() - at;
    if (at == 0 || !is_word(text[at - 1]) || digits > most_digits || (digits > 1 && text[at] == '0'))
        return text.size();
    if (digits != 0) number = std::stoll(text.substr(at));
    return at;
}

// One rule for spellings that count up, if there is one.
bool merge_counted(std::span<const Spelling* const> run, Spelling& out) {
    const std::uint64_t code = run[0]->code, step = run[1]->code - code;
    if (!std::has_single_bit(step)) return false;
    const auto shift = static_cast<unsigned>(std::countr_zero(step));
    std::uint64_t changed = 0;
    for (const Spelling* one : run) changed |= one->code ^ code;
    const std::uint64_t mask = low_bits(static_cast<unsigned>(std::bit_width(changed >> shift)));
    std::int64_t written = 0;
    const std::size_t at = count_of(run[0]->text, written);
    PatternNumber number;
    number.low = static_cast<std::int64_t>(code >> shift & mask);
    number.high = number.low + static_cast<std::int64_t>(run.size()) - 1;
    if (static_cast<std::uint64_t>(number.high) > mask) return false;
    number.bias = written - number.low;
    number.mask = mask;
    number.shift = static_cast<std::uint8_t>(shift);
    number.named = true;
    out = *run[0];
    out.text = out.text.substr(0, at) + number_mark;
    out.code = code & ~(mask << shift);
    out.numbers = {number};
    return true;
}

}  // namespace

void Spellings::count_up(Index type) {
    struct Counted {
        std::int64_t number = 0;
        const Spelling* spelling = nullptr;
    };
    std::vector<Spelling>& list = known_[type].list;
    std::map<std::pair<std::string, bool>, std::vector<Counted>> by_word;  // whichever rows they are of
    std::set<std::string> with_numbers;  // words that have a number behind them already
    for (const Spelling& one : list) {
        Counted counted{0, &one};
        const std::size_t at = count_of(one.text, counted.number);
        if (!one.numbers.empty()) {
            with_numbers.insert(one.text.substr(0, one.text.find(number_mark)));
        } else if (at != one.text.size()) {
            by_word[{one.text.substr(0, at), one.spaced}].push_back(counted);
        }
    }
    std::map<const Spelling*, Spelling> first_of;  // what stands for it and those that count on
    std::set<const Spelling*> gone;
    for (const auto& [word, all] : by_word) {
        if (with_numbers.contains(word.first)) continue;
        for (std::size_t first = 0; first < all.size();) {
            std::vector<const Spelling*> run{all[first].spelling};
            for (std::size_t i = first + 1; i < all.size() && all[i].number == all[i - 1].number + 1; ++i) {
                const std::uint64_t step = all[i].spelling->code - run.back()->code;
                if (run.size() > 1 && step != run[1]->code - run[0]->code) break;
                run.push_back(all[i].spelling);
            }
            Spelling together;
            const std::size_t enough = is_register_word(word.first) ? fewest_registers : fewest;
            if (run.size() >= enough && merge_counted(run, together)) {
                first_of.emplace(run[0], std::move(together));
                gone.insert(run.begin() + 1, run.end());
            }
            first += run.size();
        }
    }
    if (first_of.empty()) return;
    std::vector<Spelling> merged;
    for (const Spelling& one : list) {
        const auto found = first_of.find(&one);
        if (found != first_of.end()) {
            merged.push_back(found->second);
        } else if (!gone.contains(&one)) {
            merged.push_back(one);
        }
    }
    list = std::move(merged);
}

void Spellings::add_number(const OperandType& type, Known& known) const {
    const bool is_linked = type.number.based || type.number.linked != NumberRule::Linked::address;
    const bool is_plain = type.number.relative && type.number.plain && !is_linked;  // a number alone is what it says
    const NumberRule rule = is_plain ? plain_rule(type.number) : type.number;
    known.first = number_letters();
    known.goes_on = operator_letters();
    known.open = known.any_number = true;
    known.dropped_numbers = known.unspelled = true;
    const unsigned bits = rule.sliced ? rule.value_bits : type.width;
    const bool has_ends = rule.minimum || rule.maximum;
    // Who loads a based one asks what was read.
    if (rule.relative || is_linked || rule.base == NumberBase::floating || rule.carries != 0 || type.width == 0 ||
        bits == 0 || bits > 62 || (has_ends && (rule.scale != 1 || rule.bias != 0)))
        return;
    const std::int64_t span = std::int64_t{1} << bits;
    const bool is_signed = rule.base == NumberBase::signed_integer;
    PatternNumber number;
    number.scale = rule.scale;
    number.bias = rule.bias;
    number.mask = low_bits(type.width);
    number.drop = rule.slice_low;
    number.low = rule.base == NumberBase::unsigned_integer && !rule.sliced ? 0 : -span / 2;
    number.high = is_signed ? span / 2 - 1 : span - 1;
    if (rule.minimum) number.low = std::max(number.low, *rule.minimum);
    if (rule.maximum) number.high = std::min(number.high, *rule.maximum);
    known.dropped_numbers = known.unspelled = false;
    const std::string& prefix = isa_.surface.immediate_prefix;
    const auto add = [&](std::string text) {
        if (!prefix.empty()) known.list.push_back({prefix + text, 0, {number}, 0});
        known.list.push_back({std::move(text), 0, {number}, 0});
    };
    add(std::string(1, number_mark));
    if (!may_be_negative(rule)) return;
    number.scale = -number.scale;
    number.bias = -number.bias;
    add(std::string("-") + number_mark);
}

// Without what may stand before a number.
std::string_view Spellings::behind_prefix(std::string_view text) const {
    const std::string& prefix = isa_.surface.immediate_prefix;
    return prefix.empty() || !text.starts_with(prefix) ? text : text.substr(prefix.size());
}

void Spellings::add_row(const OperandType& type, std::uint32_t row_index, const TextTemplate& text,
                        Known& known) const {
    const OperandRow& row = type.rows[row_index];
    if (text.empty()) known.empty = true;
    known.words |= words_of(text, row.fields);
    add_dropped(row, text, known);
    Partial begin;
    begin.spelling.code = row.written;
    begin.spelling.row = row_index;
    begin.told.resize(row.fields.size());
    std::vector<Partial> partials{std::move(begin)};
    bool open = is_open(row, text), unspelled = false;
    for (const TextElement& element : text) {
        if (element.kind == TextKind::field) {
            if (open) unspelled |= known_[row.fields[element.field].type].unspelled;
            const Known& nested = known_[row.fields[element.field].type];
            if (nested.unlisted || (nested.empty && text.size() > 1)) {
                known.unlisted = true;
                add_going_on(row, text, known.goes_on);
            }
        }
        const auto at = static_cast<std::size_t>(&element - text.data());
        if (!extend(partials, row, element, {is_glued(text, at, false), begin_behind(text, at, 0)}) ||
            partials.size() + known.list.size() > most_spellings) {
            known.open = known.any_number = known.unlisted = known.dropped_numbers = known.unspelled = true;
            known.dropped |= words_of(text, row.fields);
            add_going_on(row, text, known.goes_on);
            return;
        }
    }
    // A number at the end may be the beginning of an expression: "offset:4*2". Behind a letter it is but digits.
    const TextElement* const before = text.size() > 1 ? &text[text.size() - 2] : nullptr;
    const bool in_word = before && before->kind == TextKind::literal && is_letter(before->text.back());
    if (!text.empty() && !in_word && text.back().kind == TextKind::field &&
        known_[row.fields[text.back().field].type].open) {
        known.ends_open = true;
        known.goes_on |= operator_letters();
    }
    for (Partial& partial : partials) {
        std::string& written = partial.spelling.text;
        while (!written.empty() && written.front() == ' ') {
            written.erase(0, 1);
            partial.spelling.spaced = true;
        }
        while (!written.empty() && written.back() == ' ') written.pop_back();
        // A number of an earlier row that is read as an expression may be the same.
        const bool numeric = is_numeric(partial.spelling);
        const bool is_constant = text.size() == 1 && text[0].kind == TextKind::constant;
        if (known.open && numeric && (is_constant ? !is_apart(text[0], known) : known.unspelled)) {
            known.dropped_numbers = unspelled = true;
            known.dropped |= words_of(partial.spelling);
            continue;
        }
        known.empty |= written.empty();
        switch (constrain(partial, row)) {
            case Constrained::never: break;
            case Constrained::always: known.list.push_back(std::move(partial.spelling)); break;
            case Constrained::unclear:
                open |= numeric;
                unspelled |= numeric;
                known.dropped_numbers |= numeric;
                known.dropped |= words_of(partial.spelling);
        }
    }
    known.unspelled |= unspelled;
    if (!open) return;
    known.open = true;
    add_numbers(row, text, known);
}

// The characters that the text can begin with, behind its signs, where it is no number.
Letters Spellings::words_of(const TextTemplate& text, const std::vector<Field>& fields) const {
    Letters out;
    for (const TextElement& element : text) {
        switch (element.kind) {
            case TextKind::space: continue;
            case TextKind::literal: {
                const auto first = std::ranges::find_if_not(element.text, is_sign);
                if (first == element.text.end()) continue;
                add_letter(out, *first);
                return out;
            }
            case TextKind::number:
            case TextKind::constant: return out;
            case TextKind::field: {
                const Known& nested = known_[fields[element.field].type];
                out |= nested.words;
                if (!nested.empty) return out;
                continue;
            }
            case TextKind::name:
            case TextKind::any: return out.set();
        }
    }
    return out.set();
}

Letters Spellings::words_of(const Spelling& spelling) const {
    Letters out;
    const std::string_view text = behind_prefix(spelling.text);
    const auto first = std::ranges::find_if_not(text, is_sign);
    if (first == text.end()) return out.set();
    if (*first == operand_mark) return known_[spelling.numbers[0].operand].words;
    if (*first != number_mark && !is_digit(*first)) add_letter(out, *first);
    return out;
}

// What operands inside of the text are not spelled for.
void Spellings::add_dropped(const OperandRow& row, const TextTemplate& text, Known& known) const {
    bool begins = true;
    for (const TextElement& element : text) {
        if (element.kind == TextKind::field) {
            const Known& nested = known_[row.fields[element.field].type];
            const bool all = !begins && (nested.dropped_numbers || nested.dropped.any());
            known.dropped |= all ? words_of(text, row.fields) : nested.dropped;
            known.dropped_numbers |= nested.dropped_numbers;
        }
        for (const Index index : element.fields) {  // of an `any`
            const Known& nested = known_[row.fields[index].type];
            if (nested.dropped_numbers || nested.dropped.any()) known.dropped |= words_of(text, row.fields);
        }
        const bool sign = element.kind == TextKind::literal && std::ranges::all_of(element.text, is_sign);
        begins &= element.kind == TextKind::space || sign;
    }
}

// A text that may be read as a number too, so that the order of the rows decides. A register is none, whatever its sign, and
// no word is that goes on behind what a number could be.
bool Spellings::is_numeric(const Spelling& spelling) const {
    std::string_view text = behind_prefix(spelling.text);
    const bool is_signed = !text.empty() && is_sign(text[0]);
    while (!text.empty() && is_sign(text[0])) text.remove_prefix(1);
    if (text.empty()) return is_signed;
    const char c = text[0];
    if (c == number_mark || is_digit(c) || c == '.') return true;
    if (c == operand_mark) return known_[spelling.numbers[0].operand].open;
    if (!is_signed || c == '|' || c == '[') return false;
    std::string word;
    for (const char letter : text) {
        if (!is_word(letter) && letter != number_mark) break;
        word += letter == number_mark ? '0' : letter;
    }
    const char behind = word.size() < text.size() ? text[word.size()] : '\0';
    return behind != '(' && behind != '[' && !is_register_(word);
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
    } else if (const std::optional<NumberRange> range = range_of(row, text)) {
        known.ranges.push_back(*range);
    } else {
        known.any_number = true;
    }
}

// The numbers that the text stands for where it is a sum, whose field has a range.
std::optional<Spellings::NumberRange> Spellings::range_of(const OperandRow& row, const TextTemplate& text) {
    const TextElement& element = text[0];
    if (text.size() != 1 || element.kind != TextKind::number || (element.scale != 1 && element.scale != -1) ||
        row.constraints.size() != 1 || row.constraints[0].high >= std::uint64_t{1} << 32)
        return std::nullopt;
    const auto low = static_cast<std::int64_t>(row.constraints[0].low) * element.scale + element.bias;
    const auto high = static_cast<std::int64_t>(row.constraints[0].high) * element.scale + element.bias;
    return NumberRange{element.bits, std::min(low, high), std::max(low, high)};
}

// Whether the constant is one that no number before it may be.
bool Spellings::is_apart(const TextElement& constant, const Known& known) {
    if (known.any_number) return false;
    const bool has_point = constant.text.find('.') != std::string::npos;
    return std::ranges::none_of(known.ranges, [&](const NumberRange& range) {
        if (range.bits == 0) return !has_point;  // those are integers
        if (constant.bits != 0 && constant.bits != range.bits) return true;
        const std::uint64_t bits = constant.bits != 0 ? constant.pattern : float_bits(constant.constant, range.bits);
        const std::int64_t value = signed_bits(bits, range.bits);
        return value >= range.low && value <= range.high;
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
bool Spellings::extend(std::vector<Partial>& partials, const OperandRow& row, const TextElement& element,
                       const After& after) const {
    std::vector<Partial> out;
    switch (element.kind) {
        case TextKind::literal:
        case TextKind::space:
            for (Partial& partial : partials) partial.spelling.text += element.text;
            return true;
        case TextKind::constant:
            for (const Partial& partial : partials) {
                if (!extend_constant(partial, element, out)) return false;
            }
            break;
        case TextKind::field: {
            for (const Partial& partial : partials) {
                if (!extend_field(partial, row, element.field, after, partials.size(), out)) return false;
            }
            break;
        }
        case TextKind::number:
            for (const Partial& partial : partials) {
                if (!extend_number(partial, row, element, out)) return false;
            }
            break;
        case TextKind::any:
            if (!extend_any(partials, row, element, out)) return false;
            break;
        case TextKind::name: return false;
    }
    partials = std::move(out);
    return true;
}

// Fields that may be left out, in any order, where there are two of them.
bool Spellings::extend_any(const std::vector<Partial>& partials, const OperandRow& row, const TextElement& element,
                           std::vector<Partial>& out) const {
    if (element.fields.size() > 2 || element.text.find_first_not_of(' ') != std::string::npos) return false;
    using Order = std::vector<Index>;
    std::vector<Order> orders{{}};
    for (const Index field : element.fields) orders.push_back({field});
    if (element.fields.size() == 2) {
        orders.push_back(element.fields);
        orders.push_back({element.fields[1], element.fields[0]});
    }
    for (const Order& order : orders) {
        std::vector<Partial> some = partials;
        for (const Index field : order) {
            std::vector<Partial> more;
            for (const Partial& partial : some) {
                const std::size_t size = partial.spelling.text.size();
                std::vector<Partial> longer;
                if (!extend_field(partial, row, field, {}, 1, longer)) return false;
                for (Partial& one : longer) {
                    if (one.spelling.text.size() != size) more.push_back(std::move(one));
                }
            }
            some = std::move(more);
        }
        for (const Index field : element.fields) {
            if (std::ranges::find(order, field) != order.end()) continue;
            const auto left_out = std::ranges::find_if(known_[row.fields[field].type].list,
                                                       [](const Spelling& spelling) { return spelling.text.empty(); });
            if (left_out == known_[row.fields[field].type].list.end()) return false;
            for (Partial& partial : some) {
                partial.told[field].seen = true;
                partial.told[field].codes = {{left_out->code, left_out->code}};
                partial.spelling.code = row.fields[field].place.insert(partial.spelling.code, left_out->code);
            }
        }
        out.insert(out.end(), some.begin(), some.end());
    }
    return true;
}

bool Spellings::may_be_nested(const Field& field) {
    return is_simple(field.place) && field.place.width < 62 && (!field.in_tail || field.place.pieces[0].position == 0);
}

// The operand is read as one, and only its code is known here.
Spellings::Partial Spellings::with_operand(const Partial& partial, const Field& field, Index index,
                                           const After& after) const {
    Partial next = partial;
    next.told[index].seen = true;
    next.told[index].number = static_cast<int>(partial.spelling.numbers.size());
    next.spelling.text += operand_mark;
    PatternNumber number;
    number.operand = field.type;
    const std::string& prefix = isa_.surface.immediate_prefix;
    number.is_number = known_[field.type].words.none() && (prefix.empty() || !is_word(prefix[0]));
    number.after = after;
    number.mask = low_bits(field.place.width);
    number.high = static_cast<std::int64_t>(number.mask);
    if (field.in_tail) {
        number.tail_bits = static_cast<std::uint8_t>(field.place.width);
        number.tail_shared = field.shared;
    } else {
        number.shift = static_cast<std::uint8_t>(field.place.pieces[0].position);
    }
    next.spelling.numbers.push_back(number);
    return next;
}

bool Spellings::extend_field(const Partial& partial, const OperandRow& row, Index index, const After& after,
                             std::size_t partials, std::vector<Partial>& out) const {
    const Field& field = row.fields[index];
    const OperandType& type = isa_.operand_types[field.type];
    const std::vector<Spelling>& list = known_[field.type].list;
    const bool many = !partial.spelling.text.empty() && partials * list.size() > most_inside;
    const bool hard = field.in_tail && (list.empty() || list.size() > 2 || list[0].code != 0);
    if ((many || hard) && !partial.told[index].seen && may_be_nested(field)) {
        if (partial.spelling.numbers.size() == Patterns::most_numbers) return false;
        out.push_back(with_operand(partial, field, index, after));
        return true;
    }
    for (const Spelling& nested : known_[field.type].list) {
        Partial next = partial;
        const bool again = partial.told[index].seen;
        const bool has_numbers = !nested.numbers.empty();
        const std::size_t first = next.spelling.numbers.size();
        if (first + nested.numbers.size() > Patterns::most_numbers || out.size() > most_spellings) return false;
        if (has_numbers && !is_simple(field.place)) return false;
        const bool whole = type.kind != OperandKind::table && nested.numbers.size() == 1;
        if (again && (!whole || partial.told[index].number < 0)) return false;
        next.told[index].seen = true;
        if (nested.spaced && !next.spelling.text.empty() && next.spelling.text.back() != ' ') next.spelling.text += ' ';
        next.spelling.text += nested.text;
        for (PatternNumber number : nested.numbers) {
            if ((number.tail_bits != 0 && field.in_tail) || (number.drop != 0 && again)) return false;
            if (number.same_as >= 0) number.same_as = static_cast<std::int8_t>(number.same_as + first);
            if (again) number.same_as = static_cast<std::int8_t>(partial.told[index].number);
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
        if (whole && !again) next.told[index].number = static_cast<int>(first);
        if (!has_numbers) next.told[index].codes = {{nested.code, nested.code}};
        if (const PatternNumber* const number = only_number(nested)) {
            next.told[index].codes = {{nested.code | static_cast<std::uint64_t>(number->low) << number->shift,
                                       nested.code | static_cast<std::uint64_t>(number->high) << number->shift}};
        }
        out.push_back(std::move(next));
    }
    return true;
}

// The number that alone says which code of a spelling is meant; null where it is more than that.
const PatternNumber* Spellings::only_number(const Spelling& spelling) {
    const PatternNumber* found = nullptr;
    for (const PatternNumber& number : spelling.numbers) {
        if (number.same_as >= 0) continue;
        if (found || !number.is_bits() || number.tail_bits != 0) return nullptr;
        found = &number;
    }
    return found;
}

// A constant by its bits may be written as the integer that they are, with or without a sign.
bool Spellings::extend_constant(const Partial& partial, const TextElement& element, std::vector<Partial>& out) {
    out.push_back(partial);
    out.back().spelling.text += element.text;
    if (element.bits == 0) return true;
    if (partial.spelling.numbers.size() == Patterns::most_numbers) return false;
    const std::uint64_t half = std::uint64_t{1} << (element.bits - 1);
    for (const bool negative : {false, true}) {
        const std::uint64_t value =
            negative ? (std::uint64_t{0} - element.pattern) & low_bits(element.bits) : element.pattern;
        if (value >> 63 != 0 || (negative && (value == 0 || value > half))) continue;
        Partial next = partial;
        PatternNumber number;
        number.bias = static_cast<std::int64_t>(value);
        if (negative) next.spelling.text += '-';
        next.spelling.text += number_mark;
        next.spelling.numbers.push_back(number);
        out.push_back(std::move(next));
    }
    return true;
}

// A sum in a text: scale * field + bias.
bool Spellings::extend_number(const Partial& partial, const OperandRow& row, const TextElement& element,
                              std::vector<Partial>& out) const {
    const Field& field = row.fields[element.field];
    if ((partial.told[element.field].seen && partial.told[element.field].number < 0) || field.in_tail ||
        !is_simple(field.place) || field.place.width > 40 ||
        partial.spelling.numbers.size() == Patterns::most_numbers || element.scale == 0)
        return false;
    const int before = partial.told[element.field].number;
    if (before >= 0 && partial.spelling.numbers[static_cast<std::size_t>(before)].drop != 0) return false;
    const bool may_be_negative = element.scale < 0 || element.bias < 0;
    const bool by_their_bits = may_be_negative && element.bits != 0 && element.bits <= 62;
    if (by_their_bits && !is_negative(row, element)) return false;
    for (const bool negative : {false, true}) {
        if (negative && !may_be_negative) break;
        Partial next = partial;
        PatternNumber number;
        number.scale = negative ? -element.scale : element.scale;
        number.bias = negative ? -element.bias : element.bias;
        number.high = static_cast<std::int64_t>(low_bits(field.place.width));
        number.mask = low_bits(field.place.width);
        number.shift = static_cast<std::uint8_t>(field.place.pieces[0].position);
        number.same_as = static_cast<std::int8_t>(before);
        next.told[element.field].seen = true;
        if (number.same_as < 0) next.told[element.field].number = static_cast<int>(next.spelling.numbers.size());
        if (negative) next.spelling.text += '-';
        next.spelling.text += number_mark;
        next.spelling.numbers.push_back(number);
        if (negative && by_their_bits) out.push_back(by_bits(next, element.bits));
        out.push_back(std::move(next));
    }
    return true;
}

// Whether the row's range leaves the sum no value but negative ones.
bool Spellings::is_negative(const OperandRow& row, const TextElement& element) {
    return std::ranges::any_of(row.constraints, [&](const Constraint& constraint) {
        const auto value = [&](std::uint64_t field) {
            return static_cast<std::int64_t>(field) * element.scale + element.bias;
        };
        return constraint.field == element.field && constraint.high < std::uint64_t{1} << 32 &&
               value(constraint.low) < 0 && value(constraint.high) < 0;
    });
}

// The same negative numbers without their sign: what their bits come to.
Spellings::Partial Spellings::by_bits(const Partial& negative, unsigned bits) {
    Partial out = negative;
    PatternNumber& number = out.spelling.numbers.back();
    number.scale = -number.scale;
    number.bias = (std::int64_t{1} << bits) - number.bias;
    out.spelling.text.erase(out.spelling.text.size() - 2, 1);
    return out;
}

// The row's ranges become those of the numbers. Unclear where a field that is no number lies outside in part, or is in no text.
Spellings::Constrained Spellings::constrain(Partial& partial, const OperandRow& row) const {
    for (const Constraint& constraint : row.constraints) {
        const int index = partial.told[constraint.field].number;
        if (index < 0) {
            if (!partial.told[constraint.field].codes) return Constrained::unclear;
            const auto [low, high] = *partial.told[constraint.field].codes;
            if (high < constraint.low || low > constraint.high) return Constrained::never;
            if (low == high && (low - constraint.low) % constraint.step != 0) return Constrained::never;
            if (low < constraint.low || high > constraint.high || (low != high && constraint.step != 1))
                return Constrained::unclear;
            continue;
        }
        constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        PatternNumber& number = partial.spelling.numbers[static_cast<std::size_t>(index)];
        if (constraint.low > largest || !number.is_bits()) return Constrained::unclear;
        number.low = static_cast<std::int64_t>(constraint.low);
        number.high = std::min(number.high, static_cast<std::int64_t>(std::min(constraint.high, largest)));
        number.step = static_cast<std::int64_t>(std::min(constraint.step, largest));
    }
    return Constrained::always;
}

}  // namespace isaforge::codec

// Derives programs (programs.hpp) from reading: the reader's steps with a record of what they looked at. What is told exactly is
// the operand that is written as it is printed; of every other way of reading it counts as looked at what stands there and all
// behind it, so that a program holds for these numbers alone.
#include "codec/derive.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "codec/characters.hpp"
#include "codec/reader.hpp"

namespace isaforge::codec {

namespace {

// Calls `visit` with each code that the numbers can give, until one gives false. False, too, where these are too many to look at.
template <class Visit>
bool all_codes(const Derivation& derivation, const Visit& visit) {
    constexpr std::int64_t most_codes = 1024;
    const PatternNumber* only = nullptr;
    for (const Derivation::Part& part : derivation.parts) {
        if (part.rule.tail_bits != 0 || part.rule.same_as >= 0) continue;
        if (only) return false;
        only = &part.rule;
    }
    if (!only) return visit(derivation.match.code);
    if (only->high - only->low > most_codes || only->step < 1) return false;
    for (std::int64_t value = only->low; value <= only->high; value += only->step) {
        if (!visit(derivation.base | only->bits(value) << only->shift)) return false;
    }
    return true;
}

// Whether all of them are decoded.
bool are_valid(const OperandTable& table, const Derivation& derivation) {
    if (table.all_valid || table.valid.empty()) return true;
    return all_codes(derivation,
                     [&](std::uint64_t code) { return code < table.valid.size() && table.valid[code] != 0; });
}

}  // namespace

// --- the reader

bool PatternReader::derive(Index type, const char* p, const After& behind, Derivation& out) {
    const OperandTable& table = tables_.operands[type];
    if (!table.patterns.derive(p, end_, *this, 0, behind, out)) return false;
    if (!out.end) return true;
    if (!is_known_as(type, out)) out.look_at_parts();
    if (!table.unlisted && !table.ends_open) return true;
    const char* next = out.end;
    while (next != end_ && (*next == ' ' || *next == '\t')) ++next;
    out.looked.push_back(next);
    return true;
}

// Whether each code that the text can stand for comes back, as it does for the numbers that are there.
bool PatternReader::is_known_as(Index type, const Derivation& found) const {
    const OperandTable& table = tables_.operands[type];
    if ((table.all_valid || table.valid.empty()) && (!found.match.nested || found.match.numeric)) return true;
    PatternMatch one = found.match;
    return all_codes(found, [&](std::uint64_t code) {
        one.code = code;
        return comes_back(type, one);
    });
}

// What `head` looks at. Its numbers have to be as they are.
void Reader::record_head(const char* p, const Head& head) {
    for (const Head::Slot& part : head.slots) {
        const char* const begin = skip(p);
        if (part.type == no_index) {
            if (!literal(p, part.literal, true)) return recorder_->looked_from(begin);
            recorder_->looked(begin, p);
            continue;
        }
        Derivation found;
        const OperandPlace place{&tables_.operands[part.type].patterns, 0, part.type};
        const Recorded how = record_operand(begin, place, true, found);
        if (how == Recorded::open) return recorder_->looked_from(begin);
        if (how == Recorded::none) continue;
        found.look_at_parts();
        recorder_->found(found);
        p = found.end;
    }
}

// As take_step, and tells of it.
bool Reader::recorded_step(const char*& cursor, const ReadStep& one, const Form& form, Parsed& parsed, Image& image) {
    if (one.kind == ReadStep::Kind::literal) return recorded_literal(cursor, one, form, parsed, image);
    if (one.only) return recorded_fixed(cursor, one, form, parsed, image);
    if (one.kind == ReadStep::Kind::field)
        return one.repeated ? recorded_again(cursor, one, form, parsed, image)
                            : recorded_operand(cursor, one, form, parsed, image);
    if (one.kind != ReadStep::Kind::any) {
        recorder_->look_back();  // a sum may be one that is known
        note_open(skip(cursor), end_);
    }
    return step(cursor, one, form, parsed, image);
}

bool Reader::recorded_literal(const char*& cursor, const ReadStep& one, const Form& form, Parsed& parsed,
                              Image& image) {
    const char* const begin = skip(cursor);
    if (take_step(cursor, one, form, parsed, image)) {
        recorder_->looked(begin, cursor);
        return true;
    }
    // No name begins with a mark.
    const char first = one.text.empty() ? ' ' : one.text[0];
    if (recorder_->is_name(begin) && first > ' ' && !codec::is_name(first)) return false;
    // What it was refused for: a character, if not some other way to write the same.
    const auto fold = [&](char c) { return tables_.fold[static_cast<unsigned char>(c)]; };
    const char* p = begin;
    std::size_t i = 0;
    while (p != end_ && i != one.text.size() && fold(*p) == fold(one.text[i]) && *p != ' ') ++p, ++i;
    if (p != end_ && tables_.blank[static_cast<unsigned char>(*p)] != 0) {
        recorder_->looked_from(begin);
    } else if (p != end_ && is_digit(*p) && recorder_->differs(p, std::string_view(one.text).substr(i))) {
        recorder_->looked(begin, p);
    } else {
        recorder_->looked(begin, p + 1);
    }
    return false;
}

// A field that is fixed, by the texts of its one code.
bool Reader::recorded_fixed(const char*& cursor, const ReadStep& one, const Form& form, Parsed& parsed, Image& image) {
    const char* const begin = skip(cursor);
    Derivation found;
    bool is_known = one.only->derive(begin, end_, nested_, 0, {one.glued, 0}, found);
    if (is_known) {
        found.look_at_parts();
        recorder_->found(found);
        is_known = (found.end && found.end != begin) || !tables_.operands[form.fields[one.field].type].needs_rows;
    }
    if (!is_known) note_open(begin, end_);
    return step(cursor, one, form, parsed, image);
}

// How an operand's text is found, where the reader takes what is found.
Reader::Recorded Reader::record_operand(const char* begin, const OperandPlace& place, bool glued, Derivation& found) {
    const OperandTable& table = tables_.operands[place.index];
    if (!place.texts->derive(begin, end_, nested_, place.type, {glued, 0}, found)) return Recorded::open;
    recorder_->found(found);
    const bool fits = found.end && nested_.comes_back(place.index, found.match);
    if (found.end && (!fits || found.match.nested) && !nested_.is_known_as(place.index, found)) {
        found.look_at_parts();
        recorder_->found(found);
    }
    if (!fits || found.end == begin) {
        const bool is_none = is_surely_refused(begin, place, glued, fits, !found.refused.empty());
        return is_none ? Recorded::none : Recorded::open;
    }
    if (table.unlisted || table.ends_open) {
        const char* const next = skip(found.end);
        recorder_->looked(found.end, found.end + 1);
        recorder_->looked(next, next + 1);
        if (may_go_on(table, found.end)) return Recorded::open;
    }
    return Recorded::taken;
}

// The character that it was looked at whether a text can begin with: mostly one may with any digit, or none.
void Reader::note_first(const char* begin, const OperandTable& table) {
    const auto is_alike = [&](char c) {
        return table.first[static_cast<unsigned char>(c)] == table.first[static_cast<unsigned char>('0')];
    };
    if (begin == end_ || !is_digit(*begin) || !std::ranges::all_of(std::string_view("123456789"), is_alike))
        recorder_->looked(begin, begin + 1);
}

// Whether all of what stands there is a decimal number, and no part of an expression.
bool Reader::ends_as_number(const char* p) const {
    while (p != end_ && is_digit(*p)) ++p;
    p = skip(p);
    return p == end_ || *p == ',' || *p == '(' || *p == ')' || *p == ']';
}

// Whether nothing else is looked at to find that no text of the operand stands there, but perhaps an empty one, which `fits`.
// `out_of_range`: one would fit but for its numbers. Of numbers alone the patterns have all that are plain.
bool Reader::is_surely_refused(const char* begin, const OperandPlace& place, bool glued, bool fits, bool out_of_range) {
    const OperandType& type = isa_.operand_types[place.index];
    const OperandTable& table = tables_.operands[place.index];
    const char* const word = behind_signs(begin);
    const bool is_number = word != end_ && is_digit(*word);
    if (type.kind == OperandKind::number) {
        if (out_of_range || is_register(begin)) return true;
        if (!is_number) return false;
        const bool is_negated = word != begin && word[-1] == '-' && (word - 1 == begin || word[-2] != '-');
        if (is_negated && !may_be_negative(type.number) && ends_as_number(word) && recorder_->differs(word, "0"))
            return true;
    } else if (type.kind != OperandKind::table) {
        return true;
    }
    if (table.nullable && !fits) return false;
    if (begin == end_) return true;
    note_first(begin, table);
    if (!table.first[static_cast<unsigned char>(*begin)]) return true;
    if (table.open && !is_number && !is_register(word)) recorder_->looked(word, word + word_at(word).size());
    return is_refused(walk_of(*place.texts, begin), table, place, glued);
}

// Whether the name of a register stands there, which is no number, nor the begin of one.
bool Reader::is_register(const char* p) {
    NoNested none;
    Derivation found;
    const std::string_view word = word_at(p);
    if (word.empty() || is_digit(word[0]) || !tables_.registers.derive(p, p + word.size(), none, 0, {}, found))
        return false;
    if (found.end != p + word.size()) return false;
    recorder_->found(found);
    recorder_->guard(found);
    return true;
}

bool Reader::recorded_operand(const char*& cursor, const ReadStep& one, const Form& form, Parsed& parsed,
                              Image& image) {
    const char* const begin = skip(cursor);
    if (one.table && one.table->nullable) {
        note_first(begin, *one.table);
        if (begin == end_ || !one.table->first[static_cast<unsigned char>(*begin)])
            return take_step(cursor, one, form, parsed, image);
    }
    Derivation found;
    const Recorded how = record_operand(begin, one.place, one.glued, found);
    const bool has_tail = found.match.tail_bits != 0;
    const bool is_known = how != Recorded::open && (!has_tail || (parsed.tail_bits == 0 && own_tail_count_ == 0));
    if (recorder_->is_name(begin)) return recorded_name(cursor, one, form, parsed, image, how);
    const bool good = take_step(cursor, one, form, parsed, image);
    if (!is_known) {
        const bool is_number = isa_.operand_types[one.place.index].kind == OperandKind::number;
        note_open(begin, good && is_number && cursor != end_ && *cursor == ',' ? cursor : end_);
        return good;
    }
    if (how == Recorded::taken ? !good || cursor != found.end : good && skip(cursor) != begin) recorder_->give_up();
    if (how == Recorded::taken) recorder_->take(tables_.operands[one.place.index], form.fields[one.field], found);
    return good;
}

// The name that the statement ends with. A number is what it stands for, whichever name it is, and a register is another name; of
// all else, its letters may decide.
bool Reader::recorded_name(const char*& cursor, const ReadStep& one, const Form& form, Parsed& parsed, Image& image,
                           Recorded how) {
    const OperandKind kind = isa_.operand_types[one.place.index].kind;
    const bool is_number = kind == OperandKind::number && how == Recorded::open;
    const bool is_refused = kind == OperandKind::registers && how == Recorded::none && !one.glued;
    if (!is_number && !is_refused) recorder_->give_up();
    const bool good = take_step(cursor, one, form, parsed, image);
    if (is_number ? !good || cursor != end_ || recorder_->has_tail() : good) recorder_->give_up();
    if (is_number) recorder_->take_name();
    return good;
}

// An operand that has to be the one that was read for the same field before.
bool Reader::recorded_again(const char*& cursor, const ReadStep& one, const Form& form, Parsed& parsed, Image& image) {
    const char* const begin = skip(cursor);
    const Field& field = form.fields[one.field];
    Derivation found;
    const Recorded how = record_operand(begin, one.place, one.glued, found);
    const bool is_same = found.end && found.match.code == field.place.extract(image);
    const bool is_known = how == Recorded::none || (how == Recorded::taken && found.match.tail_bits == 0 &&
                                                    recorder_->take_again(field, found, is_same));
    if (!is_known) {
        recorder_->look_back();
        note_open(begin, end_);
    }
    const bool good = step(cursor, one, form, parsed, image);
    if (is_known && good != (how == Recorded::taken && is_same)) recorder_->give_up();
    return good;
}

// An operand that may be left out.
bool Reader::recorded_member(const char*& cursor, const OperandPlace& place, const Field& field, Parsed& out) {
    const char* const begin = skip(cursor);
    Derivation found;
    const Recorded how = record_operand(begin, place, false, found);
    const bool is_known =
        how == Recorded::none || (how == Recorded::taken && !field.fixed && found.match.tail_bits == 0);
    if (!is_known) note_open(begin, end_);
    const bool good = operand(cursor, place, false, out);
    if (!is_known) return good;
    if (how == Recorded::taken ? !good || cursor != found.end || out.code != found.match.code : good && cursor != begin)
        recorder_->give_up();
    if (how == Recorded::taken) recorder_->take(tables_.operands[place.index], field, found);
    return good;
}

// Of what is read in another way nothing is known but that it reads what stands there. No number goes on behind a comma, and what
// is behind that is not looked at.
void Reader::note_open(const char* begin, const char* end) {
    recorder_->looked(begin, end);
    if (recorder_->has_tail()) recorder_->give_up();
}

// --- the record

// The number of the statement that stands there; -1: none does.
int Recorder::number_at(const char* begin, const char* end) const {
    for (unsigned i = 0; i < numbers_.size(); ++i) {
        const OutlineNumber& number = numbers_[i];
        if (begin_ + number.at == begin && begin + number.size == end) return static_cast<int>(i);
    }
    return -1;
}

void Recorder::looked(const char* begin, const char* end) {
    gave_up_ |= named_ && begin < end_ && end > named_;
    for (unsigned i = 0; i < numbers_.size(); ++i) {
        const char* const at = begin_ + numbers_[i].at;
        if (at < end && at + numbers_[i].size > begin) only(i);
    }
}

// Whether it can be said when a number that stands there is not what the text begins with, however many digits it has.
bool Recorder::differs(const char* p, std::string_view text) {
    if (text.empty() || !is_digit(text[0])) return !text.empty();  // any digit is as wrong
    constexpr std::size_t most_digits = 9;
    std::size_t size = 0;
    Operation other;
    while (size < text.size() && is_digit(text[size]))
        other.bias = other.bias * 10 + static_cast<unsigned>(text[size++] - '0');
    const bool is_whole = size < text.size() && text[size] != ' ';  // else it may be the begin of another number
    if (size > most_digits || (!is_whole && text != "0")) return false;
    for (unsigned i = 0; i < numbers_.size(); ++i) {
        if (begin_ + numbers_[i].at != p || numbers_[i].is_hexadecimal) continue;
        other.number = static_cast<std::uint8_t>(i);
        other.outside = true;
        noted_.push_back(other);
        return true;
    }
    return false;
}

namespace {

// What is asked, without what becomes of it.
Operation as_guard(Operation one) {
    one.mask = one.low = 0;
    one.shift = one.scale = one.drop = 0;
    one.negative = false;
    return one;
}

}  // namespace

// A candidate that was refused: the numbers that it had read before decide about it, too.
void Recorder::drop_candidate() {
    for (const Operation& one : noted_) {
        if (!noted_checks_.empty()) only(one.number);
        const Operation guard = as_guard(one);
        if (std::find(guards_.begin(), guards_.end(), guard) == guards_.end()) guards_.push_back(guard);
    }
    noted_.clear();
    noted_checks_.clear();
    taken_.clear();
    put_ = 0;
    has_tail_ = takes_ = took_name_ = false;
}

void Recorder::candidate(const Candidate& candidate) {
    drop_candidate();
    candidate_ = &candidate;
}

// Whether the rule is one that an operation can ask for.
bool Recorder::in_range(const PatternNumber& rule, unsigned number, Operation& out) const {
    constexpr std::int64_t most = std::int64_t{1} << 40, most_unit = std::int64_t{1} << 20;
    constexpr std::int64_t most_bits = std::numeric_limits<std::uint32_t>::max();
    const auto is_power = [](std::int64_t one) {
        return one > 0 && one <= most_unit && std::has_single_bit(static_cast<std::uint64_t>(one));
    };
    const std::int64_t scale = rule.scale < 0 ? -rule.scale : rule.scale;
    if (rule.operand != no_index || !is_power(scale) || !is_power(rule.step) || rule.bias > most || rule.bias < -most ||
        rule.low < -most || rule.high > most || (rule.scale < 0 && rule.step != 1))
        return false;
    // Numbers as they are written are not negative.
    const bool from_zero = rule.bias == 0 && rule.step == 1;
    const std::int64_t low = from_zero && rule.scale > 0 ? std::max<std::int64_t>(rule.low, 0) : rule.low;
    const std::int64_t high = from_zero && rule.scale < 0 ? std::min<std::int64_t>(rule.high, 0) : rule.high;
    const std::int64_t first = rule.scale < 0 ? high : low;  // what the least number stands for
    const std::int64_t span = (high - low) * scale, step = rule.step * scale;
    if (low > high || span > most_bits || step - 1 > most_bits || first != static_cast<std::int32_t>(first))
        return false;
    out.number = static_cast<std::uint8_t>(number);
    out.scale = static_cast<std::uint8_t>(std::countr_zero(static_cast<std::uint64_t>(scale)));
    out.negative = rule.scale < 0;
    out.bias = static_cast<std::uint64_t>(rule.bias + first * rule.scale);
    out.low = static_cast<std::int32_t>(first);
    out.span = static_cast<std::uint32_t>(span);
    out.step_mask = static_cast<std::uint32_t>(step - 1);
    return true;
}

void Recorder::found(const Derivation& derivation) {
    if (derivation.looked_on) looked_from(derivation.begin);
    for (const char* const at : derivation.looked) looked(at, at + 1);
    for (const Derivation::Part& part : derivation.refused) {
        const int number = number_at(part.written.begin, part.written.end);
        Operation out;
        if (number >= 0 && in_range(part.rule, static_cast<unsigned>(number), out)) {
            out.outside = true;
            noted_.push_back(as_guard(out));
        } else {
            looked(part.written.begin, part.written.end);
        }
    }
}

// Whether these numbers decide what counts for a limit.
bool Recorder::takes(const OperandTable& table, const Derivation& derivation) const {
    if (!table.can_take || table.taken.empty()) return table.can_take;
    const auto is_same = [&](std::uint64_t code) {
        return code < table.taken.size() && table.taken[code] == table.taken[derivation.match.code];
    };
    return !all_codes(derivation, is_same);
}

// Puts what the operation comes to where the rule says that it goes: piece by piece, where its bits do not lie together. False
// where one operation a piece cannot.
bool Recorder::put(const PatternNumber& rule, const Operation& number, const BitPlace& place, std::uint64_t base) {
    const bool in_tail = rule.tail_bits != 0;
    const unsigned room = in_tail ? rule.tail_bits : place.width - std::min<unsigned>(rule.shift, place.width);
    std::uint64_t mask = rule.mask & low_bits(room);
    if (rule.low >= 0) mask &= low_bits(static_cast<unsigned>(std::bit_width(rule.bits(rule.high))));
    const auto width = static_cast<unsigned>(std::bit_width(mask));
    if (width > 32 || (!in_tail && (base & mask << rule.shift) != 0)) return false;
    const std::size_t before = noted_.size();
    const auto add = [&](unsigned first, unsigned count, unsigned position) {  // bits of the value
        Operation one = number;
        one.mask = static_cast<std::uint32_t>(mask >> first & low_bits(count));
        one.drop = static_cast<std::uint8_t>(rule.drop + first);
        one.shift = static_cast<std::uint8_t>(position);
        noted_.push_back(one);
        return position + count <= 128 && position / 64 == (position + count - 1) / 64 && rule.drop + first < 32;
    };
    bool good = true;
    if (width == 0) {
        noted_.push_back(number);
    } else if (in_tail) {
        good = add(0, width, candidate_->bits);
    } else {
        for (const BitPiece& piece : place.pieces) {
            const unsigned low = std::max<unsigned>(piece.shift, rule.shift);
            const unsigned high = std::min<unsigned>(piece.shift + piece.width, rule.shift + width);
            if (low < high) good = good && add(low - rule.shift, high - low, piece.position + low - piece.shift);
        }
    }
    if (!good) noted_.resize(before);
    return good;
}

void Recorder::take(const OperandTable& table, const Field& field, const Derivation& derivation) {
    const BitPlace& place = field.place;
    taken_.push_back({&field, derivation.base, derivation.parts});
    std::vector<int> taken;  // the number of the statement that each is, or -1
    bool has_number = false;
    for (const auto& [rule, written] : derivation.parts) {
        const int number = number_at(written.begin, written.end);
        Operation out;
        bool good = number >= 0 && in_range(rule, static_cast<unsigned>(number), out);
        if (good && rule.same_as >= 0) {
            const PatternNumber& other = derivation.parts[static_cast<std::size_t>(rule.same_as)].rule;
            good = taken[static_cast<std::size_t>(rule.same_as)] >= 0 && rule.scale == other.scale;
            out.less = static_cast<std::uint8_t>(good ? taken[static_cast<std::size_t>(rule.same_as)] : 0);
            out.bias = static_cast<std::uint64_t>(rule.bias) - static_cast<std::uint64_t>(other.bias);
            out.span = out.low = out.step_mask = out.scale = 0;
            if (good) noted_.push_back(out);
        } else if (good) {
            good = put(rule, out, place, derivation.base);
        }
        taken.push_back(good ? number : -1);
        if (!good) {
            looked(written.begin, written.end);
            continue;
        }
        has_number = true;
        put_ |= 1u << number;
    }
    has_tail_ |= derivation.match.tail_bits != 0;
    if (!has_number) return;
    takes_ |= candidate_->limited && takes(table, derivation);
    if (are_valid(table, derivation)) return;
    CodeCheck check;
    check.codes = table.valid.data();
    if (check.place.set(place)) {
        noted_checks_.push_back(check);
    } else {
        for (const Derivation::Part& part : derivation.parts) looked(part.written.begin, part.written.end);
    }
}

// Everything that was read of the candidate so far decides.
void Recorder::look_back() {
    for (const Operation& one : noted_) only(one.number);
}

// The numbers have to be such that the text is one that was found.
void Recorder::guard(const Derivation& derivation) {
    for (const auto& [rule, written] : derivation.parts) {
        const int number = number_at(written.begin, written.end);
        Operation range;
        if (number >= 0 && rule.same_as < 0 && in_range(rule, static_cast<unsigned>(number), range)) {
            noted_.push_back(as_guard(range));
        } else {
            looked(written.begin, written.end);
        }
    }
}

namespace {

struct Codes {
    std::uint64_t low = 0, high = ~std::uint64_t{0};
};

// All that the numbers can give lie there.
Codes codes_of(std::uint64_t base, const std::vector<Derivation::Part>& parts) {
    if (parts.empty()) return {base, base};
    const PatternNumber& rule = parts[0].rule;
    if (parts.size() > 1 || rule.tail_bits != 0 || rule.operand != no_index || !rule.is_bits() ||
        (base & rule.mask << rule.shift) != 0)
        return {};
    return {base | rule.bits(rule.low) << rule.shift, base | rule.bits(rule.high) << rule.shift};
}

bool are_apart(const Codes& one, const Codes& other) { return one.high < other.low || other.high < one.low; }

}  // namespace

// Whether it can be said of the numbers when they mean the operand again that was read for the field before, as they do or not.
bool Recorder::take_again(const Field& field, const Derivation& derivation, bool is_same) {
    const auto before =
        std::find_if(taken_.begin(), taken_.end(), [&](const Taken& one) { return one.field == &field; });
    if (before == taken_.end()) return false;
    if (!is_same && are_apart(codes_of(before->base, before->parts), codes_of(derivation.base, derivation.parts))) {
        guard(derivation);
        return true;
    }
    if (before->base != derivation.base || before->parts.size() != derivation.parts.size()) return false;
    std::vector<Operation> all;
    std::uint32_t numbers = 0;
    unsigned compared = 0;
    for (std::size_t i = 0; i < derivation.parts.size(); ++i) {
        const auto& [rule, written] = derivation.parts[i];
        const auto& [first_rule, first_written] = before->parts[i];
        const int number = number_at(written.begin, written.end);
        const int first = number_at(first_written.begin, first_written.end);
        Operation range;
        if (number < 0 || first < 0 || !(rule == first_rule) || !in_range(rule, static_cast<unsigned>(number), range))
            return false;
        numbers |= 1u << number;
        compared += rule.same_as < 0;
        Operation same;
        same.number = static_cast<std::uint8_t>(number);
        same.less = static_cast<std::uint8_t>(first);
        same.outside = !is_same && rule.same_as < 0;
        if (rule.same_as < 0) all.push_back(as_guard(range));
        if (rule.same_as < 0 || is_same) all.push_back(same);
        if ((rule.same_as >= 0 || rule.drop != 0) && !is_same) return false;
    }
    if (!is_same && compared != 1) return false;
    put_ |= numbers;
    noted_.insert(noted_.end(), all.begin(), all.end());
    return true;
}

bool Recorder::derive(const Codec& codec, Programs::PlainReader& reader, std::string_view name, unsigned passed,
                      Program& out) {
    const char* p = begin_;
    reader.begin(name);
    {
        Reader with_record(codec.isa(), codec.tables_so_far(), reader, begin_, end_, 0, false);
        with_record.record(*this);
        const auto takes = [&](const Encoded&, const char*) { return passed-- == 0; };
        is_end_ = !with_record.statement(p, encoded_, takes);
    }
    if (is_end_ || gave_up_ || p != end_ || reader.depends() || encoded_.bits > 128) return false;
    if (took_name_ != (named_ != nullptr) || encoded_.deferred_count != (named_ ? 1 : 0)) return false;
    finish(out);
    return operations_.size() <= most_operations;
}

void Recorder::finish(Program& out) {
    for (unsigned i = 0; i < numbers_.size(); ++i) {
        if ((put_ >> i & 1) == 0) only(i);
        if ((only_ >> i & 1) == 0) continue;
        Operation one;
        one.number = static_cast<std::uint8_t>(i);
        one.bias = values_[i];
        operations_.push_back(one);
    }
    out.form = encoded_.form;
    out.bits = static_cast<std::uint16_t>(encoded_.bits);
    out.limited = takes_;
    out.words[0] = encoded_.image.words[0];
    out.words[1] = encoded_.image.words[1];
    const auto is_only = [&](const Operation& one) {
        return (only_ >> one.number & 1) != 0 && (one.less == Outline::nothing || (only_ >> one.less & 1) != 0);
    };
    for (const Operation& one : guards_) {
        const auto is_same = [&](const Operation& other) { return as_guard(other) == one; };
        if (!is_only(one) && std::ranges::none_of(noted_, is_same)) operations_.push_back(one);
    }
    // What has to be as it was stays in the image.
    for (const Operation& one : noted_) {
        if (is_only(one)) continue;
        out.words[one.shift >> 6] &= ~(std::uint64_t{one.mask} << (one.shift & 63));
        operations_.push_back(one);
    }
    checks_ = noted_checks_;
}

}  // namespace isaforge::codec

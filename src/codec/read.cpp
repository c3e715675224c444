// From the text of a statement to its bits. The mnemonic is looked up, then each of its forms is tried, the shortest first:
// its text is a short list of steps, literal characters and operands. An operand written as it is printed
// is found by its patterns; any other is read row by row and the row that takes the most characters wins, the first among
// equals.
//
// A form that does not fit is common (a short form before a long one), so failing must be cheap: only the furthest place is
// remembered, and the message is made once nothing fitted (explain.cpp).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "codec/characters.hpp"
#include "codec/mnemonics.hpp"
#include "codec/reader.hpp"

namespace isaforge {

using codec::Reader;

namespace codec {

bool Reader::fail(const char* at, const TextElement* element, Index type) {
    if (is_quick_) return false;
    if (element) want(at, element, type);
    if (at < furthest_) return false;
    if (depth_ > 0 && continues_word(at))
        return false;  // a row that begins like the word: the operand says what it may be
    if (at > furthest_) failures_ = 0;
    furthest_ = at;
    if (failures_ == most_failures) return false;
    Failure& failure = failure_[failures_++];
    failure.element = element;
    failure.type = type;
    failure.candidate = candidate_;
    failure.constraint = nullptr;
    failure.exact = false;
    failure.depth = depth_;
    failure.number = {};
    return false;
}

// The text of a row was read whole, but the row is not for this value.
bool Reader::fail_constraint(const char* begin, const char* end, const Constraint& constraint,
                             const TextTemplate& text) {
    const auto sum = std::find_if(text.begin(), text.end(),
                                  [&](const TextElement& element) { return element.field == constraint.field; });
    fail(end, sum == text.end() || sum->kind != TextKind::number ? nullptr : &*sum, no_index);
    if (end != furthest_ || failures_ == 0) return false;
    Failure& failure = failure_[failures_ - 1];
    failure.constraint = &constraint;
    failure.begin = begin;
    return false;
}

// A sum that is not what it must be, as the other number of a range decides, or, not `exact`, is none of a field of so many bits.
bool Reader::fail_sum(const char* at, const TextElement& element, std::int64_t value, bool exact) {
    fail(at, &element, no_index);
    if (exact) want(at, &element, no_index, value, true);
    if (at != furthest_ || failures_ == 0) return false;
    failure_[failures_ - 1].exact = exact;
    failure_[failures_ - 1].value = value;
    return false;
}

bool Reader::fail_number(const char* at, Index type, const NumberValue& value) {
    fail(at, nullptr, type);
    if (at == furthest_ && failures_ > 0 && failures_ <= most_failures) failure_[failures_ - 1].number = value;
    return false;
}

// --- numbers ----------------------------------------------------------------------------------------------------------

bool Reader::number_value(const char*& cursor, NumberValue& value, bool relative) {
    const char* p = skip(cursor);
    const char* const begin = p;
    // The rows of an operand, and forms that begin alike, look at the same number one after the other.
    if (p == number_begin_ && stop_ == number_stop_ && relative == is_target_) {
        value = number_;
        if (number_end_) {
            cursor = number_end_;
            if (*begin == '(') note_enclosed(begin, cursor);
        }
        return number_end_ != nullptr;
    }
    const bool good = read_number(p, value, relative);
    number_begin_ = begin;
    number_stop_ = stop_;
    is_target_ = relative;
    number_end_ = good ? p : nullptr;
    if (good) {
        number_ = value;
        cursor = p;
        if (*begin == '(') note_enclosed(begin, p);
    }
    return good;
}

void Reader::note_enclosed(const char* begin, const char* end) {
    int depth = 0;
    for (const char* p = begin; p != end; ++p) {
        depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
        if (depth == 0 && p + 1 != end) return;
    }
    enclosed_ = begin;
    enclosed_end_ = end;
}

// A text has a number in the parentheses that are asked for.
void Reader::note_text_around(const char* begin, const char* end) {
    const char* before = begin;
    while (before > asked_for_ && (before[-1] == ' ' || before[-1] == '\t')) --before;
    const char* const behind = skip(end);
    are_text_ |= before == asked_for_ + 1 && behind != end_ && *behind == ')';
}

// Whether the parentheses around a number of this candidate are text of another one, as those of `lda ($10),y`: nobody who writes
// them means the number alone.
bool Reader::parentheses_are_text(const char* begin, const Candidate& candidate) {
    Reader other_way(isa_, tables_, expressions_, begin_, end_, address_, thorough_);
    other_way.asked_for_ = enclosed_;
    for (const Candidate& other : found_->candidates) {
        if (&other == &candidate || other.shape->head != candidate.shape->head) continue;
        other_way.candidate_ = &other;
        other_way.own_tail_count_ = 0;
        other_way.shared_fields_ = 0;
        Parsed parsed;
        Image image;
        const char* p = begin;
        for (const ReadStep& one : other.shape->steps) {
            if (!other_way.step(p, one, isa_.forms[other.form], parsed, image)) break;
        }
        if (other_way.are_text_) return true;
    }
    return false;
}

// Whether the mark of labels stands at `p`.
bool Reader::label_marked(const char* p) const {
    const std::string& mark = isa_.surface.label_reference_prefix;
    return !mark.empty() && std::string_view(p, static_cast<std::size_t>(end_ - p)).starts_with(mark);
}

namespace {

// The digits of a name, "r007": decimal, whatever a zero before a number means.
bool read_digits(const char*& p, const char* end, NumberValue& value) {
    constexpr std::uint64_t most = 1u << 30;
    std::uint64_t number = 0;
    while (p != end && is_digit(*p) && number < most) number = number * 10 + static_cast<std::uint64_t>(*p++ - '0');
    value = {};
    value.kind = NumberValue::Kind::integer;
    value.integer = number;
    return true;
}

}  // namespace

bool Reader::read_number(const char*& p, NumberValue& value, bool relative) {
    if (p != begin_ && p != end_ && is_digit(*p) && std::isalpha(static_cast<unsigned char>(p[-1])))
        return read_digits(p, end_, value);
    const Surface& surface = isa_.surface;
    expressions_.label = label_marked(p);
    for (const std::string* prefix : {&surface.immediate_prefix, &surface.label_reference_prefix}) {
        if (prefix->empty() || !std::string_view(p, static_cast<std::size_t>(end_ - p)).starts_with(*prefix)) continue;
        p += prefix->size();
        break;
    }
    expressions_.stop = stop_;
    return p != end_ && (relative ? expressions_.read_target(p, end_, value) : expressions_.read(p, end_, value));
}

bool Reader::continues_word(const char* p) const {
    const auto is_word = [&](char c) { return tables_.letter[static_cast<unsigned char>(c)] == 1; };
    return p != begin_ && p != end_ && is_word(p[-1]) && is_word(*p) && !(*p >= '0' && *p <= '9');
}

bool Reader::number(const char*& cursor, Index index, Parsed& out) {
    const OperandType& type = isa_.operand_types[index];
    const char* begin = skip(cursor);
    NumberValue value;
    out.numeric = true;
    const bool waits = type.number.relative && !type.number.plain;  // for its place, even where the target is known
    if (continues_word(begin) || !number_value(cursor, value, waits)) return fail(begin, nullptr, index);
    if (value.kind == NumberValue::Kind::deferred) {
        if (out.deferred_count == most_deferred) return fail(begin, nullptr, index);
        out.deferred_in_tail[out.deferred_count] = Parsed::in_code;
        Deferred& deferred = out.deferred[out.deferred_count++];
        deferred = {};
        deferred.type = index;
        deferred.handle = value.handle;
        deferred.width = static_cast<std::uint8_t>(type.width);
        deferred.piece_count = 1;
        deferred.pieces[0] = {0, static_cast<std::uint8_t>(type.width), 0};
        out.code = 0;
        return true;
    }
    const bool good = type.number.plain
                          ? encode_number(plain_rule(type.number), type.width, value, 0, out.code, nullptr)
                          : encode_number(type.number, type.width, value, address_, out.code, nullptr);
    if (good) return true;
    fail_number(begin, index, value);
    out.code = 0;
    return takes_any_number_ && take_number(begin, cursor, index);
}

bool Reader::take_number(const char* begin, const char* end, Index type) {
    ++taken_numbers_;
    if (pending_.kind == Violation::Kind::none) pending_ = {Violation::Kind::range, begin, end, type, stop_};
    return true;
}

// A sum in a text, scale * field + bias: solved for the field, or compared where the field is known.
bool Reader::affine(const char*& cursor, const TextElement& element, const Field& field, std::uint64_t& code,
                    bool known) {
    const char* begin = skip(cursor);
    NumberValue value;
    const char* p = begin;
    std::int64_t number = 0;
    const auto none = [&] { return fail_sum(begin, element, static_cast<std::int64_t>(field.place.width), false); };
    if (continues_word(begin) || !number_value(p, value) || !integer_of(element, value, number)) return none();
    constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    if (__builtin_sub_overflow(number, element.bias, &number) || number == lowest || number % element.scale != 0)
        return none();
    const auto solved = static_cast<std::uint64_t>(number / element.scale);
    if (known && solved != code)
        return fail_sum(begin, element, static_cast<std::int64_t>(code) * element.scale + element.bias, true);
    if ((solved & ~low_bits(field.place.width)) != 0) return none();
    code = solved;
    cursor = p;
    return true;
}

// The integer that a sum comes to: as written, or by its bits, with their sign.
bool Reader::integer_of(const TextElement& element, const NumberValue& value, std::int64_t& number) {
    if (element.bits == 0) {
        number = static_cast<std::int64_t>(value.integer);
        return value.kind == NumberValue::Kind::integer;
    }
    std::uint64_t bits = 0;
    if (!number_bits(value, element.bits, bits)) return false;
    const unsigned unused = 64 - element.bits;
    number = static_cast<std::int64_t>(bits << unused) >> unused;
    return true;
}

// A number by its value: "1.0", "1.", "0x1p0" are all 1. Or by its bits.
bool Reader::constant(const char*& cursor, const TextElement& element) {
    const char* begin = skip(cursor);
    NumberValue value;
    const char* p = begin;
    if (continues_word(begin) || !number_value(p, value)) return fail(begin, &element, no_index);
    std::uint64_t bits = 0;
    const bool same = element.bits != 0
                          ? number_bits(value, element.bits, bits) && bits == element.pattern
                          : value.kind == NumberValue::Kind::floating && value.floating == element.constant &&
                                std::signbit(value.floating) == std::signbit(element.constant);
    if (!same) return fail(begin, &element, no_index);
    cursor = p;
    return true;
}

// --- operands ---------------------------------------------------------------------------------------------------------

bool PatternReader::is_decoded(Index index, const PatternMatch& match) const {
    const OperandTable& table = tables_.operands[index];
    if (!table.decodes(match.code)) return false;
    if (!match.nested || match.numeric) return true;
    return row_of(isa_, tables_, index, match.code) == match.row;
}

const char* PatternReader::read(Index type, const char* p, const After& behind, PatternMatch& out) {
    const OperandTable& table = tables_.operands[type];
    const char* const after = table.patterns.match(p, end_, *this, behind, out);
    if (!after || !comes_back(type, out)) return nullptr;
    if (!table.unlisted && !table.ends_open) return after;
    const char* next = after;
    while (next != end_ && (*next == ' ' || *next == '\t')) ++next;
    return next != end_ && *next != behind.stop && table.goes_on[static_cast<unsigned char>(*next)] ? nullptr : after;
}

// A text of the operand as it is printed. True, cursor unmoved, where that is the empty one.
bool Reader::take_pattern(const char*& cursor, Index type, const Found& found, Parsed& out) const {
    if (!found.end || !nested_reader().comes_back(type, found.match)) return false;
    out.code = found.match.code;
    out.tail = found.match.tail;
    out.tail_bits = found.match.tail_bits;
    out.tail_shared = found.match.tail_shared;
    out.numeric = found.match.numeric;
    cursor = found.end;
    return true;
}

// `known`: what `find_pattern` gives there, for who has asked that, and whether the operand is refused.
bool Reader::operand(const char*& cursor, Index index, bool glued, Parsed& out, const Found* known) {
    if (asked_for_ == nullptr) return read_operand(cursor, index, glued, out, known);
    const char* const begin = skip(cursor);
    const bool good = read_operand(cursor, index, glued, out, known);
    if (good && (out.numeric || out.deferred_count != 0)) note_text_around(begin, cursor);
    if (!good && number_begin_ == begin && number_end_ != nullptr) note_text_around(begin, number_end_);
    return good;
}

bool Reader::read_operand(const char*& cursor, Index index, bool glued, Parsed& out, const Found* known) {
    const OperandType& type = isa_.operand_types[index];
    const OperandTable& table = tables_.operands[index];
    const char* begin = skip(cursor);
    want(begin, nullptr, index);
    const char* after = begin;
    // It begins with a name and has all but the right numbers, so that the rows refuse it too: `v[0:3]` where two registers are
    // asked for.
    bool refused = false;
    Found found;
    if (!known) {
        find_pattern(begin, table, glued, found);
        if (asked_for_ == nullptr && (!found.end || (found.end == begin && !thorough_)))
            refused = is_refused(begin, table, found.match, thorough_, true);
    }
    const bool fits = take_pattern(after, index, known ? *known : found, out);
    if (fits && after != begin) {
        if (may_go_on(table, after)) {
            Parsed longer;
            const char* p = begin;
            if (rows(p, index, glued, longer) && p > after) {
                out = longer;
                after = p;
            }
        }
        cursor = after;
        return true;
    }
    const std::uint64_t left_out = out.code;
    if (type.kind == OperandKind::number)
        return refused && !thorough_ ? fail(begin, nullptr, index) : number(cursor, index, out);
    // The rows know other spacings of the same texts, and expressions.
    const bool may_begin = begin != end_ && table.first[static_cast<unsigned char>(*begin)];
    const bool may_fit = (may_begin && !refused) || (table.nullable && !fits);
    const bool try_rows = type.kind == OperandKind::table && (may_fit || (thorough_ && table.needs_rows));
    if (try_rows && rows(begin, index, glued, out)) {
        cursor = begin;
        return true;
    }
    if (fits) {  // the operand may be left out
        out.code = left_out;
        return true;
    }
    return fail(begin, nullptr, index);
}

// Whether the code that `row` was read as is decoded, and not as something else. A number says which code is meant.
bool Reader::comes_back(Index index, const OperandRow& row, const Parsed& parsed) const {
    if (parsed.deferred_count != 0) return true;
    const OperandType& type = isa_.operand_types[index];
    const Index found = row_of(isa_, tables_, index, parsed.code);
    if (found == no_index) return false;
    return parsed.numeric || &type.rows[found] == &row || means_itself(isa_, tables_, type, row, parsed.code);
}

// Whether it is known that no number stands there, for another row asked for one in front of the same.
bool Reader::no_number_at(const char* p, char stop) const {
    return !number_end_ && number_begin_ == skip(p) && number_stop_ == (stop == RowBegin::outer_stop ? stop_ : stop);
}

namespace {

// Of rows that read as much, the one in which a number fits that is not known yet, whatever it will be.
bool has_more_room(const Parsed& one, const Parsed& other) {
    if (one.deferred_count == 0 || other.deferred_count == 0) return false;
    if (one.tail_bits != other.tail_bits) return one.tail_bits > other.tail_bits;
    const auto is_limited = [](const Parsed& parsed) {
        return std::any_of(parsed.deferred, parsed.deferred + parsed.deferred_count,
                           [](const Deferred& number) { return number.range != nullptr; });
    };
    return is_limited(other) && !is_limited(one);
}

}  // namespace

// Tries every row; the one that reads furthest is taken.
bool Reader::rows(const char*& cursor, Index index, bool glued, Parsed& out) {
    if (++depth_ > most_depth) {
        --depth_;
        return false;
    }
    const OperandType& type = isa_.operand_types[index];
    const OperandTable& table = tables_.operands[index];
    const bool has_tail_row = table.has_tail_row;
    const char* best_end = nullptr;
    Parsed best;
    bool best_is_wrong = false;  // but for its number it fits
    const Violation before = pending_;
    const unsigned taken_before = taken_numbers_;
    Violation wrong;
    std::size_t number = 0;  // of the text, among those of all rows
    for (const OperandRow& row : type.rows) {
        for (const TextTemplate& text : row.texts) {
            const RowBegin& first = table.row_begins[number++];
            if (!thorough_ && cursor != end_ && !first.letters[static_cast<unsigned char>(*cursor)]) continue;
            if (!thorough_ && first.number && no_number_at(cursor, first.stop)) continue;
            const char* p = cursor;
            Parsed attempt;
            const bool fits = row_text(p, row, text, glued, attempt);
            if (taken_numbers_ != taken_before) {
                taken_numbers_ = taken_before;
                const Violation found = std::exchange(pending_, before);
                const bool better =
                    best_end == nullptr || p > best_end || (best_is_wrong && p == best_end && tells_more(found, wrong));
                if (!fits || !better) continue;
                best_end = p;
                best = attempt;
                best_is_wrong = true;
                wrong = found;
                continue;
            }
            if (!fits) continue;
            // A number that is not known yet may be anything: only the row with a whole word for it surely fits.
            if (has_tail_row && row.tail_bits == 0 && attempt.deferred_count > 0) continue;
            if (!comes_back(index, row, attempt)) continue;
            if (best_end && (p < best_end || (!best_is_wrong && p == best_end && !has_more_room(attempt, best))))
                continue;
            best_end = p;
            best = attempt;
            best_is_wrong = false;
        }
    }
    --depth_;
    if (!best_end) return false;
    if (best_is_wrong) {
        ++taken_numbers_;
        pending_ = wrong;
    }
    cursor = best_end;
    out = best;
    return true;
}

namespace {

// Turns places in a child's code into places in its parent's, which holds the child's bits at `place`.
bool lift(Deferred& deferred, const BitPlace& place) {
    Deferred lifted = deferred;
    lifted.piece_count = 0;
    for (unsigned i = 0; i < deferred.piece_count; ++i) {
        const BitPiece& inner = deferred.pieces[i];
        for (const BitPiece& outer : place.pieces) {
            const unsigned low = std::max<unsigned>(inner.position, outer.shift);
            const unsigned high = std::min<unsigned>(inner.position + inner.width, outer.shift + outer.width);
            if (low >= high) continue;
            if (lifted.piece_count == std::size(lifted.pieces)) return false;
            BitPiece& piece = lifted.pieces[lifted.piece_count++];
            piece.position = static_cast<std::uint16_t>(outer.position + low - outer.shift);
            piece.width = static_cast<std::uint8_t>(high - low);
            piece.shift = static_cast<std::uint8_t>(inner.shift + low - inner.position);
        }
    }
    deferred = lifted;
    return true;
}

}  // namespace

namespace {

// The bits of a tail that wait for the value of a symbol.
std::uint64_t deferred_bits(const Parsed& parsed) {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < parsed.deferred_count; ++i) {
        if (parsed.deferred_in_tail[i] != Parsed::in_tail) continue;
        for (unsigned p = 0; p < parsed.deferred[i].piece_count; ++p)
            bits |= low_bits(parsed.deferred[i].pieces[p].width) << parsed.deferred[i].pieces[p].position;
    }
    return bits;
}

void mark_repeated(Parsed& parsed) {
    for (unsigned i = 0; i < parsed.deferred_count; ++i)
        parsed.deferred[i].repeats |= parsed.deferred_in_tail[i] == Parsed::in_tail;
}

// A word that follows; operands share it where they say so and mean the same value. What is not known yet is compared once
// it is.
bool share_tail(Parsed& parent, Parsed& child) {
    if (!parent.tail_shared || !child.tail_shared || parent.tail_bits != child.tail_bits) return false;
    const std::uint64_t later = deferred_bits(parent), later_too = deferred_bits(child);
    if (((parent.tail ^ child.tail) & low_bits(parent.tail_bits) & ~(later | later_too)) != 0) return false;
    if (later_too != 0) {
        mark_repeated(child);
        return (later & ~later_too) == 0;
    }
    mark_repeated(parent);
    parent.tail = child.tail;
    return true;
}

}  // namespace

// Takes over what a field of a row or form brought along: numbers to come, and a word behind the instruction.
bool Reader::adopt(Parsed& parent, Parsed& child, const Field& field) const {
    if (parent.deferred_count + child.deferred_count > most_deferred) return false;
    for (unsigned i = 0; i < child.deferred_count; ++i) {
        if (child.deferred_in_tail[i] != Parsed::in_code) continue;
        if (!lift(child.deferred[i], field.place)) return false;
        if (field.in_tail) child.deferred_in_tail[i] = Parsed::in_tail;
    }
    if (field.in_tail) {
        child.tail_bits = field.place.width;
        child.tail_shared = field.shared;
        child.tail = 0;
        for (const BitPiece& piece : field.place.pieces)
            child.tail |= (child.code >> piece.shift & low_bits(piece.width)) << piece.position;
    }
    if (child.tail_bits != 0) {
        if (parent.tail_bits != 0 && !share_tail(parent, child)) return false;
        if (parent.tail_bits == 0) {
            parent.tail = child.tail;
            parent.tail_bits = child.tail_bits;
            parent.tail_shared = child.tail_shared;
        }
    }
    for (unsigned i = 0; i < child.deferred_count; ++i) {
        parent.deferred_in_tail[parent.deferred_count] = child.deferred_in_tail[i];
        parent.deferred[parent.deferred_count++] = child.deferred[i];
    }
    return true;
}

// The same for an operand of the instruction, whose word behind it is its own unless it is shared.
bool Reader::adopt_field(Parsed& parsed, Parsed& child, const Form& form, Index field) {
    if (child.tail_bits != 0 && child.tail_shared) {
        shared_fields_ |= 1u << (field & 31);
    } else if (child.tail_bits != 0) {
        if (own_tail_count_ == most_own_tails) return false;
        for (unsigned i = 0; i < child.deferred_count; ++i) {
            if (child.deferred_in_tail[i] == Parsed::in_tail)
                child.deferred_in_tail[i] = static_cast<std::uint8_t>(Parsed::in_first_own + own_tail_count_);
        }
        own_tails_[own_tail_count_++] = {field, child.tail_bits, child.tail};
        child.tail_bits = 0;
    }
    return adopt(parsed, child, form.fields[field]);
}

// A shared word that is another one is an error of its own kind: the rest is read first, to see whether it is the only one.
bool Reader::adopt_operand(Parsed& parsed, Parsed& child, const Form& form, Index field, const char* begin,
                           const char* end) {
    if (child.deferred_count == 0 && child.tail_bits == 0) return true;
    const bool second = parsed.tail_bits != 0 && child.tail_bits != 0 && child.tail_shared;
    if (adopt_field(parsed, child, form, field)) return true;
    if (!second) return fail(skip(begin), nullptr, form.fields[field].type);
    if (pending_.kind == Violation::Kind::none) pending_ = {Violation::Kind::other_tail, skip(begin), end};
    return true;
}

// Puts all that follows the instruction into its image.
bool Reader::place_tails(const Parsed& parsed, Index index, Encoded& out) {
    const FormTable& table = tables_.forms[index];
    unsigned places[1 + most_own_tails] = {};  // of the shared one, then of the others
    TailPlaces all(out.bits);
    for (const Index field : table.tail_order) {
        if (shared_fields_ >> (field & 31) & 1) {
            const unsigned at = all.add({parsed.tail_bits, true});
            places[0] = at;
        }
        for (unsigned i = 0; i < own_tail_count_; ++i) {
            if (own_tails_[i].field == field) places[1 + i] = all.add({own_tails_[i].bits, false});
        }
    }
    if (all.end() > max_instruction_bits) return false;
    if (parsed.tail_bits != 0) out.image.set(places[0], parsed.tail_bits, parsed.tail);
    for (unsigned i = 0; i < own_tail_count_; ++i)
        out.image.set(places[1 + i], own_tails_[i].bits, own_tails_[i].value);
    for (unsigned i = 0; i < out.deferred_count; ++i) {
        const std::uint8_t in = parsed.deferred_in_tail[i];
        if (in == Parsed::in_code) continue;
        for (BitPiece& piece : out.deferred[i].pieces)
            piece.position = static_cast<std::uint16_t>(piece.position + places[in - Parsed::in_tail]);
    }
    out.bits = all.end();
    return true;
}

namespace {

// Puts back what begins the text behind, where a text inside has set its own.
struct StopGuard {
    explicit StopGuard(char& place) : stop(place), outer(place) {}
    ~StopGuard() { stop = outer; }
    StopGuard(const StopGuard&) = delete;
    StopGuard& operator=(const StopGuard&) = delete;
    char& stop;
    const char outer;
};

}  // namespace

// What the row asks of a field holds for the numbers in it that are to come. False where it asks for more than a number.
bool Reader::constrain(const OperandRow& row, Index field, Parsed& out, unsigned first) const {
    const Field& asked = row.fields[field];
    for (const Constraint& constraint : row.constraints) {
        if (constraint.field != field) continue;
        for (unsigned i = first; i < out.deferred_count; ++i) {
            if (out.deferred_in_tail[i] != Parsed::in_code && !asked.in_tail) continue;
            if (!is_number(asked.type)) return false;
            if (out.deferred[i].range) return false;
            out.deferred[i].range = &constraint;
        }
    }
    return true;
}

bool Reader::row_text(const char*& cursor, const OperandRow& row, const TextTemplate& text, bool glued, Parsed& out) {
    std::uint64_t codes[most_fields] = {};
    std::uint32_t known = 0, waiting = 0, taken = 0;  // fields
    const StopGuard guard(stop_);
    const char* const start = skip(cursor);
    if (row.fields.size() > most_fields) return false;
    out.code = row.written;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const TextElement& element = text[i];
        stop_ = begin_behind(text, i, guard.outer);
        switch (element.kind) {
            case TextKind::space: break;
            case TextKind::name: return false;
            case TextKind::literal: {
                const char* begin = skip(cursor);
                if (!literal(cursor, element.text, is_glued(text, i, glued))) return fail(begin, &element, no_index);
                break;
            }
            case TextKind::field: {
                Parsed child;
                const Field& field = row.fields[element.field];
                const char* begin = cursor;
                const unsigned taken_before = taken_numbers_;
                if (!operand(cursor, field.type, is_glued(text, i, glued), child)) return false;
                taken |= taken_numbers_ != taken_before ? 1u << element.field : 0;
                const bool is_known = known >> element.field & 1;
                if (is_known && (child.deferred_count != 0 || child.code != codes[element.field]))
                    return fail(skip(begin), nullptr, field.type);
                const unsigned first_deferred = out.deferred_count;
                if (!(is_known && field.in_tail) && !adopt(out, child, field)) return false;
                if (child.deferred_count != 0 && !constrain(row, element.field, out, first_deferred))
                    return fail(skip(begin), nullptr, field.type);
                if (child.deferred_count != 0 && is_number(field.type)) waiting |= 1u << element.field;
                out.numeric |= child.numeric;
                codes[element.field] = child.code;
                known |= 1u << element.field;
                break;
            }
            case TextKind::number: {
                const Field& field = row.fields[element.field];
                const bool is_known = known >> element.field & 1;
                if (!affine(cursor, element, field, codes[element.field], is_known)) return false;
                known |= 1u << element.field;
                out.numeric = true;
                Parsed child;
                child.code = codes[element.field];
                if (field.in_tail && !is_known && !adopt(out, child, field)) return false;
                break;
            }
            case TextKind::constant:
                out.numeric = true;
                if (!constant(cursor, element)) return false;
                break;
            case TextKind::any:
                if (!any_of_row(cursor, element, row.fields, codes, out)) return false;
        }
    }
    for (std::size_t i = 0; i < row.fields.size(); ++i) {
        if (!row.fields[i].in_tail) out.code = row.fields[i].place.insert(out.code, codes[i]);
    }
    for (const Constraint& constraint : row.constraints) {
        if (waiting >> constraint.field & 1) continue;
        if (taken >> constraint.field & 1) {
            const bool is_plain = isa_.operand_types[row.fields[constraint.field].type].kind == OperandKind::number;
            if (pending_.kind == Violation::Kind::range && is_plain) pending_.range = &constraint;
            continue;
        }
        const std::uint64_t value = codes[constraint.field];
        if (value < constraint.low || value > constraint.high || (value - constraint.low) % constraint.step != 0)
            return fail_constraint(start, cursor, constraint, text);
    }
    return true;
}

// Fields that may be left out, in any order: `read` tries to read the one of this number.
template <class Read>
bool Reader::in_any_order(const char*& cursor, std::string_view separator, std::size_t count, const Read& read) {
    std::uint32_t seen = 0;
    for (bool more = true; more;) {
        more = false;
        const char* begin = cursor;
        if (seen != 0 && !separator.empty()) literal(begin, separator, true);
        begin = skip(begin);
        for (std::size_t i = 0; i < count && !more; ++i) {
            if (seen >> i & 1) continue;
            const char* p = begin;
            const Member how = read(p, i);
            if (how == Member::failed) return false;
            if (how == Member::absent) continue;
            seen |= 1u << i;
            cursor = p;
            more = true;
        }
    }
    return true;
}

bool Reader::any_of_row(const char*& cursor, const TextElement& element, const std::vector<Field>& fields,
                        std::uint64_t* codes, Parsed& out) {
    for (const Index field : element.fields) codes[field] = tables_.operands[fields[field].type].left_out;
    return in_any_order(cursor, trimmed(element.text), element.fields.size(), [&](const char*& p, std::size_t i) {
        const Field& field = fields[element.fields[i]];
        const char* const begin = p;
        const bool may_begin =
            thorough_ || (p != end_ && tables_.operands[field.type].first[static_cast<unsigned char>(*p)]);
        Parsed child;
        if (!may_begin || !operand(p, field.type, false, child) || p == begin) return Member::absent;
        if (!adopt(out, child, field)) return Member::failed;
        out.numeric |= child.numeric;
        codes[element.fields[i]] = child.code;
        return Member::read;
    });
}

bool Reader::any_of_form(const char*& cursor, const ReadStep& step, const Form& form, Parsed& parsed, Image& image) {
    std::uint64_t codes[most_fields];  // of those that are there
    std::uint32_t there = 0;
    const bool good = in_any_order(cursor, step.text, step.members.size(), [&](const char*& p, std::size_t i) {
        const OperandTable& table = tables_.operands[step.members[i].type];
        const bool may_begin = thorough_ || (p != end_ && table.first[static_cast<unsigned char>(*p)]);
        if (!may_begin && !looks_) return Member::absent;
        const Member how = member(p, step, static_cast<Index>(i), may_begin, form, parsed, codes[i]);
        there |= how == Member::read ? 1u << i : 0;
        return how;
    });
    if (!good) return false;
    for (std::uint32_t rest = there | step.fixed | step.filled; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(rest));
        const ReadStep& one = step.members[i];
        const Field& field = form.fields[one.field];
        const std::uint64_t code = (there >> i & 1) != 0 ? codes[i] : tables_.operands[field.type].left_out;
        if (field.fixed && form.fixed_value(field) != code) return fail(skip(cursor), nullptr, field.type);
        field.place.insert(image, code);
    }
    return true;
}

Reader::Member Reader::member(const char*& cursor, const ReadStep& step, Index at, bool may_begin, const Form& form,
                              Parsed& parsed, std::uint64_t& code) {
    const ReadStep& one = step.members[at];
    const char* const begin = cursor;
    if (may_begin && !looks_ && asked_for_ == nullptr) {
        Found found;
        const OperandTable& table = tables_.operands[one.type];
        find_pattern(begin, table, false, found);
        if (is_plain(found, begin, table, one.type)) {
            code = found.match.code;
            cursor = found.end;
            return Member::read;
        }
    }
    Parsed child;
    const bool reads = may_begin && operand(cursor, one.type, false, child);
    const bool taken = reads && cursor != begin;
    if (looks_) looks_->push_back({candidate_, &step, at, begin, taken ? cursor : nullptr, furthest_});
    if (!taken) return Member::absent;
    code = child.code;
    return adopt_field(parsed, child, form, one.field) ? Member::read : Member::failed;
}

// --- statements -------------------------------------------------------------------------------------------------------

bool Reader::form_field(const char*& cursor, const Form& form, const ReadStep& step, Parsed& parsed, Image& image,
                        const Found* known) {
    const Field& field = form.fields[step.field];
    Parsed child;
    const char* begin = cursor;
    if (!operand(cursor, step.type, step.glued, child, known)) return false;
    if (step.repeated && (child.deferred_count != 0 || child.code != field.place.extract(image)))
        return fail(skip(begin), nullptr, field.type);
    if (!adopt_operand(parsed, child, form, step.field, begin, cursor)) return false;
    field.place.insert(image, child.code);
    return true;
}

// A field with a value that the form gives: its text, or another way to write the same code.
bool Reader::fixed_field(const char*& cursor, const Form& form, const ReadStep& step) {
    const Field& field = form.fields[step.field];
    const char* const begin = skip(cursor);
    const char* p = begin;
    PatternMatch match;
    PatternReader nested = nested_reader();
    const char* const found = step.only->match(p, end_, nested, {step.glued, 0}, match);
    if (found && found != begin) {
        cursor = found;
        return true;
    }
    Parsed child;
    const bool other = tables_.operands[field.type].needs_rows && operand(p, field.type, step.glued, child);
    if (other && p != begin && child.code == form.fixed_value(field) && child.deferred_count == 0 &&
        child.tail_bits == 0) {
        cursor = p;
        return true;
    }
    return found || fail(begin, nullptr, field.type);
}

// A step that is not plain; `found`: what patterns have of a field, where they were asked.
bool Reader::other_step(const char*& cursor, const ReadStep& step, const Form& form, Parsed& parsed, Image& image,
                        const Found* found) {
    if (!step.table && !step.slow) return this->step(cursor, step, form, parsed, image);
    at_step_ = &step;
    stop_ = step.stop;
    return form_field(cursor, form, step, parsed, image, found);
}

bool Reader::step(const char*& cursor, const ReadStep& step, const Form& form, Parsed& parsed, Image& image) {
    at_step_ = &step;
    switch (step.kind) {
        case ReadStep::Kind::literal: {
            const char* begin = skip(cursor);
            return literal(cursor, step.text, step.glued) || fail(begin, step.element, no_index);
        }
        case ReadStep::Kind::field:
            stop_ = step.stop;
            return step.only ? fixed_field(cursor, form, step) : form_field(cursor, form, step, parsed, image);
        case ReadStep::Kind::number: {
            stop_ = step.stop;
            if (step.element->kind == TextKind::constant) return constant(cursor, *step.element);
            const Field& field = form.fields[step.element->field];
            std::uint64_t code = field.fixed ? form.fixed_value(field) : field.place.extract(image);
            if (!affine(cursor, *step.element, field, code, field.fixed || step.repeated)) return false;
            field.place.insert(image, code);
            return true;
        }
        case ReadStep::Kind::any:
            stop_ = 0;
            return form.fields.size() <= most_fields && any_of_form(cursor, step, form, parsed, image);
    }
    return false;
}

// The same, and tells of it.
bool Reader::told_step(const char*& cursor, const ReadStep& one, const Form& form, Parsed& parsed, Image& image) {
    const char *const begin = skip(cursor), *const before = furthest_;
    furthest_ = begin;
    const bool taken = other_step(cursor, one, form, parsed, image, nullptr);
    looks_->push_back({candidate_, &one, no_index, begin, taken ? cursor : nullptr, furthest_});
    furthest_ = std::max(before, furthest_);
    return taken;
}

Glance Reader::glance(const ReadStep& step, const Form& form, Index member, const char* begin, const char* end,
                      Index type, std::uint64_t code, std::uint64_t tail) {
    is_quick_ = false;
    const char* p = begin;
    Parsed parsed;
    bool taken = false;
    const bool is_member = step.kind == ReadStep::Kind::any;
    const Field* const field = step.kind == ReadStep::Kind::literal
                                   ? nullptr
                                   : &form.fields[is_member ? step.element->fields[member] : step.field];
    stop_ = is_member ? char{0} : step.stop;
    if (!field) {
        taken = literal(p, step.text, step.glued);
        const auto size = static_cast<std::size_t>(end - begin);
        if (step.text.size() > size && begins_alike(begin, step.text.substr(0, size)))
            return taken ? Glance{Glance::Taken::past, static_cast<std::size_t>(p - begin)}
                         : Glance{Glance::Taken::beyond};
    } else if (step.only) {
        taken = fixed_field(p, form, step);
    } else {
        taken = operand(p, is_member ? step.members[member].type : step.type, !is_member && step.glued, parsed);
    }
    Glance out;
    if (taken)
        out.taken = p == begin ? Glance::Taken::nothing
                    : p < end  ? Glance::Taken::part
                    : p == end ? Glance::Taken::whole
                               : Glance::Taken::beyond;
    if (out.taken == Glance::Taken::part) out.size = static_cast<std::size_t>(p - begin);
    const OperandTable* const table = field ? &tables_.operands[field->type] : nullptr;
    if (table && table->relative && (taken || table->first[static_cast<unsigned char>(*begin)]))
        out.taken = Glance::Taken::beyond;  // what is in range depends on the address
    const bool goes_on = out.taken == Glance::Taken::whole && table && table->goes_on_with_word;
    if (end != end_ && (furthest_ >= end || goes_on)) out.taken = Glance::Taken::beyond;
    if (out.taken != Glance::Taken::whole || !field || step.only) return out;
    out.tail = parsed.tail_bits != 0;
    out.same = field->fixed ? parsed.code == form.fixed_value(*field)
                            : field->type == type && parsed.code == code && (!out.tail || parsed.tail == tail);
    out.deferred = parsed.deferred_count != 0;
    return out;
}

bool Reader::begins_alike(const char* p, std::string_view text) const {
    const auto same = [&](char a, char b) {
        return tables_.fold[static_cast<unsigned char>(a)] == tables_.fold[static_cast<unsigned char>(b)];
    };
    return static_cast<std::size_t>(end_ - p) >= text.size() && std::equal(text.begin(), text.end(), p, same);
}

// All was read, but it is not an instruction.
bool Reader::violated() {
    if (violation_.kind == Violation::Kind::none || tells_more(pending_, violation_)) violation_ = pending_;
    return false;
}

// Of numbers that do not fit the one that may be larger, and a rule rather than a number.
bool Reader::tells_more(const Violation& one, const Violation& other) const {
    if (other.kind != Violation::Kind::range) return false;
    if (one.kind != Violation::Kind::range) return one.kind != Violation::Kind::none;
    const auto room = [&](const Violation& number) {
        const std::uint64_t all = low_bits(isa_.operand_types[number.limit].width);
        return number.range == nullptr ? all : std::min(all, number.range->high - number.range->low);
    };
    return room(one) > room(other);
}

// Which operand of a statement that was read, to `image`, is one too many: reads it again, and counts what has been read.
void Reader::find_excess(const char* begin, const Candidate& candidate, const FormLimit& limit, const Image& image) {
    const Form& form = isa_.forms[candidate.form];
    std::uint32_t seen = 0;
    for (std::size_t i = 0; i < form.fields.size() && i < most_fields; ++i) seen |= form.fields[i].fixed ? 1u << i : 0;
    for (const Shape::HeadField& head : candidate.shape->head_fields) seen |= 1u << (head.field & 31);
    Image scratch;
    own_tail_count_ = 0;
    Parsed parsed;
    const char* p = begin;
    for (const ReadStep& one : candidate.shape->steps) {
        const char* const operand = skip(p);
        if (!step(p, one, form, parsed, scratch)) break;
        if (one.field != no_index) seen |= 1u << (one.field & 31);
        if (one.element && one.kind == ReadStep::Kind::any) {
            for (const Index field : one.element->fields) seen |= 1u << (field & 31);
        }
        if (!exceeds(limit, image, seen)) continue;
        pending_ = {Violation::Kind::limit, operand, p, limit.limit};
        return;
    }
    pending_ = {Violation::Kind::limit, skip(begin), p, limit.limit};  // the instruction itself
}

bool Reader::body(const char*& cursor, const Candidate& candidate, Encoded& out) {
    candidate_ = &candidate;
    at_step_ = nullptr;
    enclosed_ = nullptr;
    pending_.kind = Violation::Kind::none;
    own_tail_count_ = 0;
    shared_fields_ = 0;
    const Form& form = isa_.forms[candidate.form];
    const Shape& shape = *candidate.shape;
    if (shape.spaced && cursor != end_ && tables_.letter[static_cast<unsigned char>(*cursor)] != 0)
        return fail(cursor, nullptr, no_index);
    takes_any_number_ = thorough_ && wanted_ == nullptr;
    Parsed parsed;
    Image& image = out.image;
    image = {};
    Progress at{cursor, 0, 0};
    if (is_quick_) forks_.go_on(shape, at);
    Found found;
    const char* p = at.p;
    for (Forks* forks = &forks_;; forks = nullptr) {
        Seen seen = Seen::unclear;
        if (is_quick_) {
            seen = steps(at, shape, forks, found);
            p = at.p;
            image.words[0] = at.word;
        }
        if (seen != Seen::refused && at.step == shape.steps.size()) break;
        const ReadStep& one = shape.steps[at.step++];
        const bool good =
            seen == Seen::unclear && (looks_ ? told_step(p, one, form, parsed, image)
                                             : other_step(p, one, form, parsed, image, is_quick_ ? &found : nullptr));
        if (!good) {
            forks_.fail(one);
            return false;
        }
        at.p = p;
        at.word = image.words[0];
    }
    if (!at_end(p)) return fail(skip(p), nullptr, no_index);
    if (enclosed_ != nullptr && parentheses_are_text(cursor, candidate)) {
        pending_ = {Violation::Kind::parentheses, enclosed_, enclosed_end_};
        return violated();
    }
    for (std::size_t i = 0; i < image.words.size(); ++i) image.words[i] |= candidate.written.words[i];
    for (std::size_t i = 0; i < shape.head_fields.size(); ++i) {
        const Shape::HeadField& head = shape.head_fields[i];
        const std::uint64_t code = head_codes_[i];
        if (head.simple) {
            image.words[0] |= code << head.shift;
        } else {
            const Field& field = form.fields[head.field];
            if (field.fixed && form.fixed_value(field) != code) return fail(cursor, nullptr, field.type);
            field.place.insert(image, code);
        }
    }
    if (pending_.kind != Violation::Kind::none) return violated();
    if (const FormLimit* const broken =
            candidate.limited ? tables_.forms[candidate.form].broken_limit(image) : nullptr) {
        if (violation_.kind == Violation::Kind::none || violation_.kind == Violation::Kind::range)
            find_excess(cursor, candidate, *broken, image);
        return violated();
    }
    out.form = candidate.form;
    out.bits = candidate.bits;
    out.deferred_count = parsed.deferred_count;
    for (unsigned i = 0; i < parsed.deferred_count; ++i) out.deferred[i] = parsed.deferred[i];
    if ((parsed.tail_bits != 0 || own_tail_count_ != 0) && !place_tails(parsed, candidate.form, out)) {
        pending_ = {Violation::Kind::long_tail, skip(cursor), p};
        return violated();
    }
    cursor = p;
    return true;
}

bool Reader::head(const char*& cursor, const Head& head) {
    takes_any_number_ = false;
    std::size_t slot = 0;
    for (const Head::Slot& part : head.slots) {
        if (part.type == no_index) {
            if (!literal(cursor, part.literal, true)) return false;
            continue;
        }
        if (slot == most_fields) return false;
        Parsed parsed;
        if (!operand(cursor, part.type, true, parsed) || parsed.deferred_count != 0 || parsed.tail_bits != 0)
            return false;
        head_codes_[slot++] = parsed.code;
    }
    return true;
}

// The same, and where there is none the word that should be one is remembered.
const Mnemonic* Reader::mnemonic_or_word(const char*& cursor) {
    const char* const begin = skip(cursor);
    const Mnemonic* const found = mnemonic(cursor);
    if (!found && begin >= furthest_) {
        word_begin_ = begin;
        word_end_ = begin;
        const bool dots = tables_.index->has_dots;
        const auto is_letter = [&](char c) {
            const std::uint8_t kind = tables_.letter[static_cast<unsigned char>(c)];
            return kind == 1 || (kind == 2 && dots && word_end_ != begin);
        };
        while (word_end_ != end_ && is_letter(*word_end_)) ++word_end_;
    }
    return found;
}

// The forms of the mnemonic whose texts begin with that head, or, no_index, all. `takes` is asked of those that fit.
bool Reader::candidates(const Mnemonic& found, Index head, const char*& cursor, const Codec::Choice& takes,
                        Encoded& out) {
    tables_.need(found);
    found_ = &found;
    std::size_t first = 0;
    if (stop_at_.mnemonic == &found) {
        first = stop_at_.candidate;
    } else {
        forks_.begin();
    }
    for (const Candidate& candidate : std::span(found.candidates).subspan(first)) {
        if ((head != no_index && candidate.shape->head != head) || (!thorough_ && forks_.failed(*candidate.shape)))
            continue;
        const char* p = cursor;
        if (!body(p, candidate, out)) continue;
        if (takes && !takes(out, p)) continue;
        cursor = p;
        return true;
    }
    return false;
}

bool Reader::statement(const char*& cursor, Encoded& out, const Codec::Choice& takes) {
    for (std::uint32_t h = stop_at_.head; h < tables_.index->heads.size(); ++h) {
        const char* p = cursor;
        const Mnemonic* found = stop_at_.mnemonic;
        if (found) {
            p = stop_at_.behind;
        } else {
            const Head& before = tables_.index->heads[h];
            found = before.slots.empty() || head(p, before) ? mnemonic_or_word(p) : nullptr;
        }
        const bool good = found && candidates(*found, h, p, takes, out);
        stop_at_.mnemonic = nullptr;
        if (!good) continue;
        cursor = p;
        return true;
    }
    return tables_.nameless && candidates(*tables_.nameless, no_index, cursor, takes, out);
}

}  // namespace codec

bool Codec::try_assemble(const char*& cursor, const char* end, std::uint64_t address, ExpressionReader& reader,
                         Encoded& out, const Choice& takes) const {
    if (takes) {
        Reader with_all(*isa_, *tables_, reader, cursor, end, address, false);
        return with_all.statement(cursor, out, takes);
    }
    codec::PrintedReader printed(*isa_, *tables_, end);
    const codec::PrintedReader::Seen seen = printed.statement(cursor, out);
    if (seen == codec::PrintedReader::Seen::unclear) return go_on(printed, cursor, address, reader, out);
    return seen == codec::PrintedReader::Seen::taken;
}

bool Codec::go_on(const codec::PrintedReader& printed, const char*& cursor, std::uint64_t address,
                  ExpressionReader& reader, Encoded& out) const {
    Reader with_all(*isa_, *tables_, reader, cursor, printed.limit(cursor), address, false);
    with_all.go_on_at(printed);
    return with_all.statement(cursor, out);
}

bool Codec::assemble(const char*& cursor, const char* end, std::uint64_t address, ExpressionReader& reader,
                     Encoded& out, ReadFailure& failure, const Choice& takes) const {
    if (try_assemble(cursor, end, address, reader, out, takes)) return true;
    // Once more with all that could stand at each place, for the message.
    Reader thorough(*isa_, *tables_, reader, cursor, end, address, true);
    if (thorough.statement(cursor, out, takes)) return true;
    thorough.explain(cursor, failure);
    return false;
}

bool Codec::may_grow(const Encoded& encoded) const { return tables_->index->forms[encoded.form].may_grow; }

namespace codec {

namespace {

// Whether an operand has a code now that no text stands for.
bool is_reserved(const Isa& isa, const Encoded& encoded) {
    if (encoded.form == no_index) return false;
    return std::ranges::any_of(isa.forms[encoded.form].fields, [&](const Field& field) {
        const OperandType& type = isa.operand_types[field.type];
        if (type.kind != OperandKind::table || field.in_tail) return false;
        const bool any = std::ranges::any_of(type.rows, [](const OperandRow& row) { return row.reserved; });
        return any && find_row(type, field.place.extract(encoded.image), isa) == no_index;
    });
}

}  // namespace

}  // namespace codec

namespace {

NumberValue number_of(std::int64_t value) {
    NumberValue number;
    number.integer = static_cast<std::uint64_t>(value);
    number.negative = value < 0;
    return number;
}

// False, with the reason in `problem` if it is asked for, where the number does not fit.
bool put_number(const Isa& isa, Encoded& encoded, const Deferred& deferred, const NumberValue& number,
                std::uint64_t address, std::string* problem) {
    const auto refuse = [&](auto&& why) {
        if (problem) *problem = why();
        return false;
    };
    const OperandType& type = isa.operand_types[deferred.type];
    std::uint64_t code = 0;
    if (!codec::encode_number(type.number, type.width, number, address, code, problem)) return false;
    if (deferred.range && !codec::holds(*deferred.range, code))
        return refuse([&] { return codec::outside_text(*deferred.range); });
    for (unsigned i = 0; i < deferred.piece_count; ++i) {
        const BitPiece& piece = deferred.pieces[i];
        if (deferred.repeats &&
            encoded.image.get(piece.position, piece.width) != (code >> piece.shift & low_bits(piece.width)))
            return refuse([] { return codec::other_tail_text; });
        encoded.image.set(piece.position, piece.width, code >> piece.shift);
    }
    if (!codec::is_reserved(isa, encoded)) return true;
    return refuse([] { return "the value gives a code that is reserved"; });
}

}  // namespace

std::string Codec::patch(Encoded& encoded, const Deferred& deferred, std::int64_t value, std::uint64_t address) const {
    return patch(encoded, deferred, number_of(value), address);
}

std::string Codec::patch(Encoded& encoded, const Deferred& deferred, const NumberValue& number,
                         std::uint64_t address) const {
    std::string problem;
    put_number(*isa_, encoded, deferred, number, address, &problem);
    return problem;
}

bool Codec::try_patch(Encoded& encoded, const Deferred& deferred, std::int64_t value, std::uint64_t address) const {
    return put_number(*isa_, encoded, deferred, number_of(value), address, nullptr);
}

BitPlace Codec::place_of(const Deferred& deferred) const {
    return {{deferred.pieces, deferred.pieces + deferred.piece_count}, deferred.width};
}

}  // namespace isaforge

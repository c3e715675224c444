#include "codec/printed_reader.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "codec/characters.hpp"
#include "codec/mnemonics.hpp"
#include "support/text_scan.hpp"

namespace isaforge::codec {

const char* PrintedReader::skip_slowly(const char* p) const {
    while (p != end_) {
        const std::uint8_t kind = tables_.blank[static_cast<unsigned char>(*p)];
        if (kind == 1) {
            ++p;
            continue;
        }
        if (kind == 0) return p;
        const char* after = skip_comment(p);
        if (after == p) return p;
        p = after;
    }
    return p;
}

const char* PrintedReader::skip_comment(const char* p) const {
    const std::string_view rest(p, static_cast<std::size_t>(limit(p) - p));
    for (const auto& [open, close] : isa_.surface.block_comments) {
        if (!rest.starts_with(open)) continue;
        const std::size_t found = rest.find(close, open.size());
        return found == std::string_view::npos ? p : p + found + close.size();
    }
    if (isa_.surface.statement_end.empty()) return p;
    for (const std::string& mark : isa_.surface.line_comments) {
        if (!rest.starts_with(mark)) continue;
        const std::size_t found = rest.find('\n');
        return found == std::string_view::npos ? end_ : p + found;
    }
    return p;
}

namespace {

bool ends_in(const Isa& isa, const Codec::Tables& tables, const Surface& surface, const char* p, const char* end) {
    const std::string_view rest(p, static_cast<std::size_t>(end - p));
    if (!surface.statement_end.empty() && rest.starts_with(surface.statement_end)) return true;
    if (!surface.separator.empty() && rest.starts_with(surface.separator)) return true;
    const auto begins = [&](const std::string& mark) { return rest.starts_with(mark); };
    if (std::any_of(surface.line_comments.begin(), surface.line_comments.end(), begins)) return true;
    for (const auto& [open, close] : surface.block_comments) {
        if (!begins(open)) continue;
        const std::size_t found = rest.find(close, open.size());
        return found == std::string_view::npos || statement_ends(isa, tables, p + found + close.size(), end);
    }
    return false;
}

}  // namespace

bool statement_ends(const Isa& isa, const Codec::Tables& tables, const char* p, const char* end) {
    while (p != end && (*p == ' ' || *p == '\t' || *p == '\r')) ++p;
    if (p == end) return true;
    const std::uint8_t kind = tables.ender[static_cast<unsigned char>(*p)];
    if (kind != 2) return kind == 1;
    // A source may say in itself whose way of writing it has.
    return ends_in(isa, tables, isa.surface, p, end) ||
           std::any_of(isa.dialect_surfaces.begin(), isa.dialect_surfaces.end(),
                       [&](const auto& own) { return ends_in(isa, tables, own.second, p, end); });
}

// --- mnemonics --------------------------------------------------------------------------------------------------------

namespace {

// The first characters of a word, in small letters where case does not matter, with zeros behind them.
struct WordBegin {
    std::uint64_t parts[2] = {};
};
constexpr std::size_t begin_size = sizeof(WordBegin);

#ifdef __SSE2__
// All bits of each of sixteen characters, and behind them none.
constexpr auto own_characters = [] {
    std::array<char, 2 * begin_size> out{};
    std::fill_n(out.begin(), begin_size, static_cast<char>(-1));
    return out;
}();
#endif

// `size`: of them, the word's, which may go on.
inline WordBegin word_begin(const char* word, std::size_t size, const char* end, bool folds) {
    WordBegin out;
#ifdef __SSE2__
    if (end - word >= static_cast<std::ptrdiff_t>(begin_size)) [[likely]] {
        const char* const own = own_characters.data() + begin_size - std::min(size, begin_size);
        __m128i text = _mm_and_si128(scan_block(word), scan_block(own));
        if (folds) text = _mm_or_si128(text, _mm_and_si128(scan_between(text, 'A', 'Z'), _mm_set1_epi8(0x20)));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out.parts), text);
        return out;
    }
#endif
    std::memcpy(out.parts, word, std::min(size, begin_size));
    for (std::uint64_t& part : out.parts) part = folds ? small_letters(part) : part;
    return out;
}

}  // namespace

inline const Mnemonic* PrintedReader::lookup(const char* word, std::size_t size) const {
    const bool folds = isa_.surface.case_insensitive;
    const WordBegin begin = word_begin(word, size, end_, folds);
    WordHash hash;
    hash.add(begin.parts[0], begin.parts[1]);
    for (std::size_t at = begin_size; at < size; at += begin_size) {
        const WordBegin more = word_begin(word + at, size - at, end_, folds);
        hash.add(more.parts[0], more.parts[1]);
    }
    const std::uint32_t wanted = hash.value();
    const MnemonicIndex::Slot* const slots = tables_.index->slots.data();
    const auto is_it = [&](const Mnemonic& one) {
        if (one.text.size() != size || one.begin[0] != begin.parts[0] || one.begin[1] != begin.parts[1]) return false;
        const auto same = [&](char folded, char c) { return folded == tables_.fold[static_cast<unsigned char>(c)]; };
        return size <= begin_size || std::equal(one.text.begin() + begin_size, one.text.end(), word + begin_size, same);
    };
    for (std::uint32_t at = wanted & tables_.slot_mask; slots[at].mnemonic != 0; at = (at + 1) & tables_.slot_mask) {
        const Mnemonic* const candidate = &tables_.mnemonics[slots[at].mnemonic - 1];
        if (slots[at].hash == wanted && is_it(*candidate)) return candidate;
    }
    return nullptr;
}

[[gnu::always_inline]] inline const Mnemonic* PrintedReader::find_mnemonic(const char*& cursor) const {
    const char* const begin = skip(cursor);
    const char* p = scan_word(begin, end_);
    const Mnemonic* found = p == begin ? nullptr : lookup(begin, static_cast<std::size_t>(p - begin));
    if (found) cursor = p;
    if (!tables_.index->has_dots) return found;
    while (p != begin && p != end_ && *p == '.') {
        p = scan_word(p + 1, end_);
        const Mnemonic* const longer = lookup(begin, static_cast<std::size_t>(p - begin));
        if (!longer) continue;
        found = longer;
        cursor = p;
    }
    return found;
}

const Mnemonic* PrintedReader::mnemonic(const char*& cursor) const { return find_mnemonic(cursor); }

// --- operands ---------------------------------------------------------------------------------------------------------

std::string_view PrintedReader::word_at(const char* p) const {
    const char* after = p;
    while (after != end_ && tables_.letter[static_cast<unsigned char>(*after)] == 1) ++after;
    return {p, static_cast<std::size_t>(after - p)};
}

// Behind the signs of what stands there, and what may stand before a number.
const char* PrintedReader::behind_signs(const char* p) const {
    const std::string& prefix = isa_.surface.immediate_prefix;
    if (!prefix.empty() && std::string_view(p, static_cast<std::size_t>(end_ - p)).starts_with(prefix)) {
        const char* const behind = p + prefix.size();
        if (behind != end_ && (is_digit(*behind) || *behind == '-')) p = behind;
    }
    while (p != end_ && *p == '-') ++p;
    return p;
}

bool PrintedReader::is_refused(const char* p, const OperandTable& table, const PatternMatch& match, bool thorough,
                               bool may_call) const {
    const auto is_letter = [&](const char* at) { return tables_.letter[static_cast<unsigned char>(*at)] == 1; };
    const char* const begin = behind_signs(p);
    if (begin == end_) return false;
    const bool is_mark = !is_letter(begin) && !tables_.begins_number[static_cast<unsigned char>(*begin)];
    const char* const word = is_mark && begin + 1 != end_ && is_letter(begin + 1) ? begin + 1 : begin;
    if (is_mark ? thorough : !is_letter(word)) return false;
    const bool is_number = is_digit(*word);
    if (is_number && !is_mark ? !table.all_numbers : table.incomplete[static_cast<unsigned char>(*begin)]) return false;
    const std::string_view name = word_at(word);
    const char* const behind = name.data() + name.size();
    const bool is_call = !thorough && !may_call && !table.may_call && behind != end_ && *behind == '(';
    const PatternRefusal refusal =
        table.patterns.refusal(p, end_, match, {is_number ? begin : word, !is_call, thorough});
    if (refusal.end) {
        const char* const next = skip(refusal.end);
        // An expression does not go on with these, nor does a text of the operand.
        return next == end_ || *next == '\n' || *next == ',' || *next == ')' || *next == ']' ||
               (*next == '(' && !table.may_call) || (next != refusal.end && *next >= 'a' && *next <= 'z');
    }
    if (refusal.may_vary || is_number) return false;
    if (!table.open || thorough) return !table.open;
    if (is_call || (is_mark && word == begin)) return true;
    const bool is_symbol = behind != end_ && is_name(*behind);  // the name goes on
    return !is_symbol && names_register(tables_, name);
}

bool PrintedReader::goes_on_with(const OperandTable& table, const char* after) const {
    const char* const next = skip(after);
    return next != end_ && table.goes_on[static_cast<unsigned char>(*next)] && !at_end(after);
}

bool PrintedReader::literal(const char*& cursor, std::string_view text, bool glued) const {
    const char* p = skip(cursor);
    const auto is_word = [&](char c) { return tables_.letter[static_cast<unsigned char>(c)] == 1; };
    bool behind_mark = false;
    for (const char c : text) {
        // Blanks may stand around marks ("[ !", "shift : 1"), not inside words.
        if (p != end_ && tables_.blank[static_cast<unsigned char>(*p)] != 0 && (behind_mark || !is_word(c)))
            p = skip(p);
        behind_mark = !is_word(c);
        if (p == end_ || tables_.fold[static_cast<unsigned char>(*p)] != tables_.fold[static_cast<unsigned char>(c)])
            return false;
        ++p;
    }
    if (!glued && p != end_ && is_word(*p) && is_word(p[-1])) return false;
    cursor = p;
    return true;
}

// The same of a step, with all characters at once. Null where it may be something else.
[[gnu::always_inline]] inline const char* PrintedReader::plain_literal(const char* p, const PlainStep& step) const {
    std::uint64_t characters = 0;
    if (end_ - p <= static_cast<std::ptrdiff_t>(sizeof characters)) return nullptr;
    std::memcpy(&characters, p, sizeof characters);
    p += step.known_size;
    const unsigned unknown = 8 * (sizeof characters - step.known_size);
    if (step.is_hard || (characters ^ step.characters) << unknown != 0) return nullptr;
    return p;
}

// A text of the operand that is all there is to it. Without an end where it may be something else.
[[gnu::always_inline]] inline Patterns::Quick PrintedReader::plain_operand(const char* p, const OperandTable& table,
                                                                           bool glued) const {
    Patterns::Quick found = table.patterns.match_quick(p, end_, glued);
    if (found.end && (!table.decodes(found.code) || may_go_on(table, found.end))) found.end = nullptr;
    return found;
}

// The field at `begin`, where there is more to it. `is_optional`: whoever asks knows what it means that it is left out.
PrintedReader::Seen PrintedReader::field_slowly(const char* begin, const ReadStep& step, Patterns::Quick& out,
                                                Found& found, bool is_optional, bool glued) {
    const OperandTable& table = tables_.operands[step.type];
    const bool may_be_left_out = table.nullable && !is_optional;
    out = {begin, table.left_out};
    if (!can_begin(begin, table) || (may_be_left_out && at_end(begin))) {
        if (may_be_left_out) return Seen::taken;
        if (!table.is_number) return Seen::refused;
    }
    if (!table.open && !table.nullable && !table.incomplete[static_cast<unsigned char>(*begin)] &&
        table.patterns.excludes(begin, end_))
        return Seen::refused;
    find_pattern(begin, table, glued, found);
    if (found.end && found.end != begin) {
        const bool is_tail = found.match.tail_bits != 0;
        if ((is_tail && (is_optional || !may_take_tail())) || !is_all(found, table, step.type)) return Seen::unclear;
        if (is_tail) tail_ = {found.match.tail, found.match.tail_bits};
        out = {found.end, found.match.code};
        return Seen::taken;
    }
    // The only text that fits may be the empty one.
    if (!table.is_listed && !is_refused(begin, table, found.match, false, step.may_call)) return Seen::unclear;
    if (!may_be_left_out) return is_optional && table.is_number ? Seen::unclear : Seen::refused;
    if (!table.is_listed && (!found.end || found.match.tail_bits != 0 || !is_all(found, table, step.type)))
        return Seen::unclear;
    if (!table.is_listed) out.code = found.match.code;
    return Seen::taken;
}

// A field that the form fixes: a text of its code, or another way to write that.
PrintedReader::Seen PrintedReader::fixed_field(const char*& cursor, const ReadStep& step, Found& found) {
    const char* const begin = skip(cursor);
    PatternMatch match;
    PatternReader nested = nested_reader();
    const char* const only = step.only->match(begin, end_, nested, {step.glued, 0}, match);
    if (only && only != begin) {
        cursor = only;
        return Seen::taken;
    }
    const OperandTable& table = tables_.operands[step.type];
    if (table.needs_rows && can_begin(begin, table)) {
        Patterns::Quick other = plain_operand(begin, table, step.glued);
        const Seen seen = other.end ? Seen::taken : field_slowly(begin, step, other, found, true, step.glued);
        if (seen == Seen::unclear) return seen;
        if (seen == Seen::taken && other.code == step.fixed_code) {
            cursor = other.end;
            return seen;
        }
    }
    return only ? Seen::taken : Seen::refused;
}

// A field that takes more than to be put at its bits.
PrintedReader::Seen PrintedReader::slow_field(const char*& cursor, const ReadStep& step, std::uint64_t& word,
                                              Found& found) {
    const char* const begin = skip(cursor);
    Patterns::Quick plain = plain_operand(begin, *step.slow, step.glued);
    const Seen seen = plain.end ? Seen::taken : field_slowly(begin, step, plain, found, false, step.glued);
    if (seen != Seen::taken) return seen;
    if (step.repeated && plain.code != step.place->extract(word)) return Seen::refused;
    word = step.place->insert(word, plain.code);
    if (plain.end != begin) cursor = plain.end;
    return seen;
}

// Fields that may be left out, in any order. What is between them is a blank at most.
PrintedReader::Seen PrintedReader::members(const char*& cursor, const ReadStep& step, std::uint64_t& word,
                                           Found& found) {
    const auto is_none = [&](const char* p) { return p == end_ || !step.first[static_cast<unsigned char>(*p)]; };
    const char* const begin = skip(cursor);
    if (is_none(begin) && step.may_be_none) {
        word |= step.none;
        return Seen::taken;
    }
    if (!step.text.empty() || step.members.size() > most_fields) return Seen::unclear;
    std::uint32_t seen = 0;
    const char* end = begin;
    for (const char* p = begin; !is_none(p); p = skip(end)) {
        const std::uint32_t before = seen;
        for (std::uint32_t some = step.may_begin(*p) & ~seen; some != 0 && seen == before; some &= some - 1) {
            const auto i = static_cast<unsigned>(std::countr_zero(some));
            const ReadStep& one = step.members[i];
            if (!can_begin(p, tables_.operands[one.type])) continue;
            if (!one.table) return Seen::unclear;
            Patterns::Quick plain = plain_operand(p, *one.table, false);
            const Seen taken = plain.end ? Seen::taken : field_slowly(p, one, plain, found, true, false);
            if (taken == Seen::unclear) return taken;
            if (taken == Seen::refused) continue;
            if ((step.fixed >> i & 1) != 0 && plain.code != one.fixed_code) return Seen::refused;
            word |= one.bits.word(plain.code);
            end = plain.end;
            seen |= 1u << i;
        }
        if (seen == before) break;
    }
    for (std::uint32_t rest = step.fixed & ~seen; rest != 0; rest &= rest - 1) {
        const ReadStep& one = step.members[static_cast<std::size_t>(std::countr_zero(rest))];
        if (tables_.operands[one.type].left_out != one.fixed_code) return Seen::refused;
    }
    for (std::uint32_t rest = step.filled & ~seen; rest != 0; rest &= rest - 1) {
        const ReadStep& one = step.members[static_cast<std::size_t>(std::countr_zero(rest))];
        if (!one.table) return Seen::unclear;
        word |= one.bits.word(one.table->left_out);
    }
    if (seen != 0) cursor = end;
    return Seen::taken;
}

[[gnu::always_inline]] inline PrintedReader::Seen PrintedReader::take_steps(Progress& at, const Shape& shape,
                                                                            Forks* forks, Found& found) {
    const char* p = at.p;
    std::uint64_t word = at.word;
    const PlainStep* const first = shape.plain.data();
    const PlainStep* step = first + at.step;
    Seen seen = Seen::taken;
    for (const PlainStep* const end = first + shape.plain.size(); step != end; ++step) {
        if (step->kind == PlainStep::Kind::literal) {
            if (const char* const behind = plain_literal(p, *step)) {
                p = behind;
            } else {
                const char* other = p;
                const ReadStep& whole = shape.steps[static_cast<std::size_t>(step - first)];
                if (!literal(other, whole.text, whole.glued)) {
                    seen = Seen::refused;
                    break;
                }
                p = other;
            }
        } else if (step->table != nullptr) {
            const char* const begin = p != end_ && tables_.blank[static_cast<unsigned char>(*p)] != 0 ? skip(p) : p;
            Patterns::Quick plain = plain_operand(begin, *step->table, step->glued);
            if (!plain.end && step->table->nullable && !can_begin(begin, *step->table)) {
                plain = {p, step->table->left_out};
            } else if (!plain.end) {
                Patterns::Quick other;
                seen = field_slowly(begin, shape.steps[static_cast<std::size_t>(step - first)], other, found, false,
                                    step->glued);
                if (seen != Seen::taken) break;
                plain = {other.end == begin ? p : other.end, other.code};
            }
            p = plain.end;
            word |= step->bits.word(plain.code);
        } else {
            const char* other = p;
            const ReadStep& whole = shape.steps[static_cast<std::size_t>(step - first)];
            std::uint64_t with_it = word;
            seen = step->kind == PlainStep::Kind::any ? members(other, whole, with_it, found)
                   : whole.only                       ? fixed_field(other, whole, found)
                   : whole.slow                       ? slow_field(other, whole, with_it, found)
                                                      : Seen::unclear;
            if (seen != Seen::taken) break;
            p = other;
            word = with_it;
        }
        if (step->forks && forks && tail_.bits == 0) [[unlikely]]
            forks->add(p, word, static_cast<std::size_t>(step - first) + 1, *step);
    }
    at = {p, static_cast<std::size_t>(step - first), word};
    return seen;
}

PrintedReader::Seen PrintedReader::steps(Progress& at, const Shape& shape, Forks* forks, Found& found) {
    return take_steps(at, shape, forks, found);
}

// --- statements -------------------------------------------------------------------------------------------------------

PrintedReader::Seen PrintedReader::plain_head(const char*& cursor, const Head& head) {
    std::size_t slot = 0;
    Found found;
    for (const Head::Slot& part : head.slots) {
        cursor = skip(cursor);
        if (part.type == no_index) {
            if (!literal(cursor, part.literal, true)) return Seen::refused;
            continue;
        }
        if (slot == most_fields) return Seen::unclear;
        const OperandTable& table = tables_.operands[part.type];
        if (!can_begin(cursor, table)) {
            if (!table.nullable) return table.is_number ? Seen::unclear : Seen::refused;
            head_codes_[slot++] = table.left_out;
            continue;
        }
        const Patterns::Quick plain = plain_operand(cursor, table, true);
        if (!plain.end) {
            find_pattern(cursor, table, true, found);
            if (!is_plain(found, cursor, table, part.type)) return Seen::unclear;
        }
        head_codes_[slot++] = plain.end ? plain.code : found.match.code;
        cursor = plain.end ? plain.end : found.end;
    }
    return Seen::taken;
}

// The forms of the mnemonic whose texts begin with that head, or, no_index, all.
[[gnu::always_inline]] inline PrintedReader::Seen PrintedReader::plain_candidates(const Mnemonic& found,
                                                                                  std::uint32_t head,
                                                                                  const char*& cursor, Encoded& out) {
    tables_.need(found);
    forks_.begin();
    Found text;
    for (const Candidate& candidate : found.candidates) {
        const Shape& shape = *candidate.shape;
        if ((head != no_index && shape.head != head) || forks_.failed(shape)) continue;
        const char next = cursor != end_ ? *cursor : '\n';
        if (tables_.letter[static_cast<unsigned char>(next)] != 0 && shape.spaced) continue;
        Progress at{cursor, 0, 0};
        at.p += static_cast<unsigned>(shape.spaced & (next == ' '));
        forks_.go_on(shape, at);
        tail_.bits = 0;
        const Seen seen = take_steps(at, shape, &forks_, text);
        if (seen == Seen::refused) {
            forks_.fail(shape.plain[at.step]);
            continue;
        }
        const bool is_simple = std::ranges::all_of(shape.head_fields, &Shape::HeadField::simple);
        if (seen == Seen::unclear || !is_simple) {
            stop_at_ = {&found, static_cast<std::size_t>(&candidate - found.candidates.data()), head, cursor};
            if (seen == Seen::unclear && at.step != 0 && tail_.bits == 0)
                forks_.add(at.p, at.word, at.step, shape.plain[at.step - 1]);
            return Seen::unclear;
        }
        if (!at_end(at.p)) continue;
        if (candidate.bits + tail_.bits > max_instruction_bits) continue;
        for (std::size_t i = 0; i < shape.head_fields.size(); ++i)
            at.word |= head_codes_[i] << shape.head_fields[i].shift;
        out.image = candidate.written;
        out.image.words[0] |= at.word;
        if (candidate.limited && tables_.forms[candidate.form].broken_limit(out.image)) continue;
        out.form = candidate.form;
        out.bits = candidate.bits + tail_.bits;
        out.deferred_count = 0;
        if (tail_.bits != 0) [[unlikely]]
            out.image.set(candidate.bits, tail_.bits, tail_.value);
        while (at.p[-1] == ' ') --at.p;  // where nothing stood behind it
        cursor = at.p;
        return Seen::taken;
    }
    return Seen::refused;
}

PrintedReader::Seen PrintedReader::statement(const char*& cursor, Encoded& out) {
    behind_mnemonic_ = nullptr;
    stop_at_.mnemonic = nullptr;
    for (std::uint32_t h = 0; h < tables_.index->heads.size(); ++h) {
        const char* p = cursor;
        const Head& before = tables_.index->heads[h];
        Seen seen = before.slots.empty() ? Seen::taken : plain_head(p, before);
        if (seen == Seen::taken) {
            const bool is_first = p == cursor;  // nothing stands before it
            const Mnemonic* const found = find_mnemonic(p);
            behind_mnemonic_ = is_first ? p : nullptr;
            seen = found ? plain_candidates(*found, h, p, out) : Seen::refused;
        }
        if (seen == Seen::refused) continue;
        if (seen == Seen::taken) cursor = p;
        return seen;
    }
    return tables_.nameless ? plain_candidates(*tables_.nameless, no_index, cursor, out) : Seen::refused;
}

}  // namespace isaforge::codec

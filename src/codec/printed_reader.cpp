#include "codec/printed_reader.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "codec/characters.hpp"
#include "codec/mnemonics.hpp"

namespace isaforge::codec {

namespace {

// So many of eight characters, and zeros.
std::uint64_t first_characters(std::uint64_t characters, std::size_t count) {
    const std::size_t others = 8 * (WordHash::step - count);
    return std::endian::native == std::endian::little ? characters << others >> others : characters >> others << others;
}

}  // namespace

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
    const std::string_view rest(p, static_cast<std::size_t>(end_ - p));
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

// How many of the characters are a word's.
std::size_t word_size(const char* const begin, const char* end) {
    const char* p = begin;
#ifdef __SSE2__
    for (constexpr unsigned block = 16; end - p >= static_cast<std::ptrdiff_t>(block);) {
        const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
        const __m128i small = _mm_or_si128(text, _mm_set1_epi8(0x20));
        const auto between = [](__m128i some, char first, char last) {
            return _mm_and_si128(_mm_cmpgt_epi8(some, _mm_set1_epi8(static_cast<char>(first - 1))),
                                 _mm_cmplt_epi8(some, _mm_set1_epi8(static_cast<char>(last + 1))));
        };
        const __m128i are_word = _mm_or_si128(_mm_or_si128(between(small, 'a', 'z'), between(text, '0', '9')),
                                              _mm_cmpeq_epi8(text, _mm_set1_epi8('_')));
        const auto count = static_cast<unsigned>(std::countr_one(static_cast<unsigned>(_mm_movemask_epi8(are_word))));
        p += count;
        if (count != block) return static_cast<std::size_t>(p - begin);
    }
#endif
    while (p != end && is_word(*p)) ++p;
    return static_cast<std::size_t>(p - begin);
}

}  // namespace

[[gnu::always_inline]] inline const Mnemonic* PrintedReader::lookup(const char* word, std::size_t size) const {
    constexpr std::size_t step = WordHash::step, both = 2 * step;
    const bool folds = isa_.surface.case_insensitive;
    // Eight of the word's characters, with zeros behind them.
    const auto characters = [&](std::size_t at) {
        const std::size_t left = std::min(size - at, step);
        std::uint64_t out = 0;
        if (end_ - (word + at) >= static_cast<std::ptrdiff_t>(step)) [[likely]] {
            std::memcpy(&out, word + at, step);
            out = first_characters(out, left);
        } else {
            std::memcpy(&out, word + at, left);
        }
        return folds ? small_letters(out) : out;
    };
    const std::uint64_t first = characters(0), second = size > step ? characters(step) : 0;
    WordHash hash;
    hash.add(first);
    if (second != 0) hash.add(second);
    for (std::size_t at = both; at < size; at += step) hash.add(characters(at));
    const std::uint32_t wanted = hash.value();
    const MnemonicIndex::Slot* const slots = tables_.index->slots.data();
    for (std::uint32_t at = wanted & tables_.slot_mask; slots[at].mnemonic != 0; at = (at + 1) & tables_.slot_mask) {
        if (slots[at].hash != wanted) continue;
        const Mnemonic& candidate = tables_.mnemonics[slots[at].mnemonic - 1];
        if (candidate.text.size() != size || candidate.begin[0] != first || candidate.begin[1] != second) continue;
        const auto same = [&](char folded, char c) { return folded == tables_.fold[static_cast<unsigned char>(c)]; };
        if (size <= both || std::equal(candidate.text.begin() + both, candidate.text.end(), word + both, same))
            return &candidate;
    }
    return nullptr;
}

const Mnemonic* PrintedReader::mnemonic(const char*& cursor) const {
    const char* const begin = skip(cursor);
    const Mnemonic* found = nullptr;
    for (const char* p = begin;; ++p) {
        p += word_size(p, end_);
        if (p == begin) return nullptr;
        if (const Mnemonic* const longer = lookup(begin, static_cast<std::size_t>(p - begin))) {
            found = longer;
            cursor = p;
        }
        if (!tables_.index->has_dots || p == end_ || *p != '.') return found;
    }
}

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

bool PrintedReader::is_refused(const char* p, const OperandTable& table, const PatternMatch& match,
                               bool thorough) const {
    const char* const word = behind_signs(p);
    if (word == end_ || tables_.letter[static_cast<unsigned char>(*word)] != 1) return false;
    const bool is_number = is_digit(*word);
    if (is_number ? !table.all_numbers : table.incomplete[static_cast<unsigned char>(*word)]) return false;
    const PatternRefusal refusal = table.patterns.refusal(p, end_, match, word);
    if (refusal.end) {
        const char* const next = skip(refusal.end);
        return next == end_ || *next == ',' || (next != refusal.end && *next >= 'a' && *next <= 'z');
    }
    if (refusal.may_vary || is_number) return false;
    return !table.open || (!thorough && names_register(tables_, word_at(word)));
}

bool PrintedReader::goes_on_with(const OperandTable& table, const char* after) const {
    const char* const next = skip(after);
    return next != end_ && table.goes_on[static_cast<unsigned char>(*next)] && !at_end(after);
}

// What a literal comes to by its characters alone.
[[gnu::always_inline]] inline PrintedReader::Seen PrintedReader::literal(const char*& cursor,
                                                                         const ReadStep& step) const {
    const char* p = cursor;
    for (const char c : step.text) {
        if (p == end_) return Seen::refused;
        if (*p != c) {
            const auto at = static_cast<unsigned char>(*p);
            if (tables_.blank[at] != 0) return Seen::unclear;
            if (tables_.fold[at] != tables_.fold[static_cast<unsigned char>(c)]) return Seen::refused;
        }
        ++p;
    }
    if (step.ends_word && p != end_ && tables_.letter[static_cast<unsigned char>(*p)] == 1) return Seen::refused;
    cursor = p;
    return Seen::taken;
}

[[gnu::always_inline]] inline PrintedReader::Seen PrintedReader::field(const char*& cursor, const ReadStep& step,
                                                                       std::uint64_t& word, Found& found) {
    const OperandTable& table = *step.table;
    std::uint64_t code = 0;
    const char* const behind = table.is_simple ? table.patterns.match_counted(cursor, end_, step.glued, code) : nullptr;
    if (behind && table.decodes(code)) {
        word |= step.bits.word(code);
        cursor = behind;
        return Seen::taken;
    }
    if (!can_begin(cursor, table)) {
        if (table.nullable) {
            word |= step.bits.word(table.left_out);
            return Seen::taken;
        }
        if (!table.is_number) return Seen::refused;
    }
    find_pattern(cursor, table, step.glued, found);
    if (!is_plain(found, cursor, table, step.type)) {
        const bool is_none =
            !found.end && !table.nullable && (table.is_listed || is_refused(cursor, table, found.match, false));
        return is_none ? Seen::refused : Seen::unclear;
    }
    word |= step.bits.word(found.match.code);
    cursor = found.end;
    return Seen::taken;
}

// Fields that may be left out, in any order. What is between them is a blank at most.
PrintedReader::Seen PrintedReader::members(const char*& cursor, const ReadStep& step, std::uint64_t& word) {
    const auto is_none = [&](const char* p) { return p == end_ || !step.first[static_cast<unsigned char>(*p)]; };
    if (is_none(cursor)) {
        if (!step.may_be_none) return Seen::unclear;
        word |= step.none;
        return Seen::taken;
    }
    if (!step.text.empty() || step.fixed != 0 || step.members.size() > most_fields) return Seen::unclear;
    std::uint32_t seen = 0;
    std::uint64_t all = 0;
    const char* end = cursor;
    Found found;
    for (const char* p = cursor; !is_none(p); p = skip(end)) {
        std::size_t i = 0;
        for (; i < step.members.size(); ++i) {
            const ReadStep& one = step.members[i];
            if ((seen >> i & 1) != 0 || !can_begin(p, tables_.operands[one.type])) continue;
            if (!one.table) return Seen::unclear;
            find_pattern(p, *one.table, false, found);
            if (is_plain(found, p, *one.table, one.type)) break;
            if (one.table->is_number || found.end || !is_refused(p, *one.table, found.match, false))
                return Seen::unclear;
        }
        if (i == step.members.size() || !found.end) break;
        seen |= 1u << i;
        all |= step.members[i].bits.word(found.match.code);
        end = found.end;
    }
    for (std::uint32_t rest = step.filled & ~seen; rest != 0; rest &= rest - 1) {
        const ReadStep& one = step.members[static_cast<std::size_t>(std::countr_zero(rest))];
        if (!one.table) return Seen::unclear;
        all |= one.bits.word(one.table->left_out);
    }
    word |= all;
    cursor = end;
    return Seen::taken;
}

[[gnu::always_inline]] inline PrintedReader::Seen PrintedReader::take_steps(Progress& at, const Shape& shape,
                                                                            Forks* forks, Found& found) {
    const char* p = at.p;
    std::uint64_t word = at.word;
    const ReadStep* step = at.step;
    Seen seen = Seen::taken;
    for (const ReadStep* const end = shape.steps.data() + shape.steps.size(); step != end; ++step) {
        const char* const begin = p != end_ && tables_.blank[static_cast<unsigned char>(*p)] != 0 ? skip(p) : p;
        const char* q = begin;
        seen = step->kind == ReadStep::Kind::literal ? literal(q, *step)
               : step->table != nullptr              ? field(q, *step, word, found)
               : step->kind == ReadStep::Kind::any   ? members(q, *step, word)
                                                     : Seen::unclear;
        if (seen != Seen::taken) break;
        if (q != begin) p = q;
        if (step->forks && forks) forks->add(p, word, step - shape.steps.data() + 1, *step);
    }
    at = {p, step, word};
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
            ReadStep step;
            step.text = part.literal;
            const Seen seen = literal(cursor, step);
            if (seen != Seen::taken) return seen;
            continue;
        }
        if (slot == most_fields) return Seen::unclear;
        const OperandTable& table = tables_.operands[part.type];
        if (!can_begin(cursor, table)) {
            if (!table.nullable) return table.is_number ? Seen::unclear : Seen::refused;
            head_codes_[slot++] = table.left_out;
            continue;
        }
        find_pattern(cursor, table, true, found);
        if (!is_plain(found, cursor, table, part.type)) return Seen::unclear;
        head_codes_[slot++] = found.match.code;
        cursor = found.end;
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
        if (shape.spaced && cursor != end_ && tables_.letter[static_cast<unsigned char>(*cursor)] != 0) continue;
        const ReadStep* const first = shape.steps.data();
        Progress at{cursor, first, 0};
        forks_.go_on(shape, at);
        const Seen seen = take_steps(at, shape, &forks_, text);
        if (seen == Seen::refused) {
            forks_.fail(*at.step);
            continue;
        }
        const bool is_simple = std::ranges::all_of(shape.head_fields, &Shape::HeadField::simple);
        if (seen == Seen::unclear || !is_simple) {
            stop_at_ = {&found, static_cast<std::size_t>(&candidate - found.candidates.data()), head, cursor};
            if (seen == Seen::unclear && at.step != first) forks_.add(at.p, at.word, at.step - first, at.step[-1]);
            return Seen::unclear;
        }
        if (!at_end(at.p)) continue;
        for (std::size_t i = 0; i < shape.head_fields.size(); ++i)
            at.word |= head_codes_[i] << shape.head_fields[i].shift;
        out.image = candidate.written;
        out.image.words[0] |= at.word;
        if (candidate.limited && std::ranges::any_of(tables_.forms[candidate.form].limits,
                                                     [&](const FormLimit& limit) { return exceeds(limit, out.image); }))
            continue;
        out.form = candidate.form;
        out.bits = candidate.bits;
        out.deferred_count = 0;
        cursor = at.p;
        return Seen::taken;
    }
    return Seen::refused;
}

PrintedReader::Seen PrintedReader::statement(const char*& cursor, Encoded& out) {
    for (std::uint32_t h = 0; h < tables_.index->heads.size(); ++h) {
        const char* p = cursor;
        const Head& before = tables_.index->heads[h];
        Seen seen = before.slots.empty() ? Seen::taken : plain_head(p, before);
        if (seen == Seen::taken) {
            const Mnemonic* const found = mnemonic(p);
            seen = found ? plain_candidates(*found, h, p, out) : Seen::refused;
        }
        if (seen == Seen::refused) continue;
        if (seen == Seen::taken) cursor = p;
        return seen;
    }
    return tables_.nameless ? plain_candidates(*tables_.nameless, no_index, cursor, out) : Seen::refused;
}

}  // namespace isaforge::codec

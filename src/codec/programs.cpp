#include "codec/programs.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "codec/characters.hpp"
#include "codec/derive.hpp"
#include "codec/reader.hpp"

namespace isaforge::codec {

namespace {

constexpr unsigned width = Outline::block;
constexpr unsigned most_digits = 16, most_hex_digits = 15;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
std::uint64_t load8(const char* p) {
    std::uint64_t out;
    std::memcpy(&out, p, sizeof out);
    return out;
}

// At most sixteen decimal digits, of which eight characters can be read.
std::uint64_t decimal_value(const char* p, unsigned size) {
    if (size > 8) return decimal_value(p, size - 8) * 100000000 + decimal_value(p + (size - 8), 8);
    if constexpr (std::endian::native == std::endian::little) {
        std::uint64_t digits = load8(p) << (64 - 8 * size) & 0x0f0f0f0f0f0f0f0f;  // zeros before them
        digits = digits * (10 * 0x100 + 1) >> 8 & 0x00ff00ff00ff00ff;
        digits = digits * (100 * 0x10000 + 1) >> 16 & 0x0000ffff0000ffff;
        return digits * (10000 * 0x100000000 + 1) >> 32;
    }
    std::uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i) value = value * 10 + static_cast<std::uint64_t>(p[i] - '0');
    return value;
}

// Sixteen characters: with a bit for each that is such a one, and what is left of them.
#ifdef __SSE2__
class Characters {
public:
    explicit Characters(const char* p) : text_(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))) {}

    unsigned blanks() const { return bits(_mm_or_si128(is(' '), is('\t'))); }
    unsigned letters_x() const { return bits(is('x')); }
    // One of these, or none that a statement is written with.
    template <std::size_t count>
    unsigned stops(const Programs::Block (&list)[count]) const {
        __m128i found = _mm_cmplt_epi8(text_, _mm_set1_epi8('\t'));
        for (unsigned i = 0; i < count; ++i) found = _mm_or_si128(found, _mm_cmpeq_epi8(text_, load(list[i].text)));
        return bits(found);
    }
    // Digits from character `first` on become the mark of numbers.
    void strike_out(unsigned first) {
        const __m128i digits =
            _mm_and_si128(_mm_cmpgt_epi8(text_, _mm_set1_epi8('0' - 1)), _mm_cmplt_epi8(text_, _mm_set1_epi8('9' + 1)));
        const __m128i struck = _mm_andnot_si128(before(first), digits);
        text_ = _mm_or_si128(_mm_andnot_si128(struck, text_), _mm_and_si128(struck, _mm_set1_epi8(Outline::decimal)));
    }
    void end_at(unsigned size) { text_ = _mm_and_si128(text_, before(size)); }
    void store(char* p) const { _mm_store_si128(reinterpret_cast<__m128i*>(p), text_); }
    static bool same(const char* a, const char* b) {
        return _mm_movemask_epi8(_mm_cmpeq_epi8(load(a), load(b))) == 0xffff;
    }

private:
    static __m128i load(const char* aligned) { return _mm_load_si128(reinterpret_cast<const __m128i*>(aligned)); }
    __m128i is(char c) const { return _mm_cmpeq_epi8(text_, _mm_set1_epi8(c)); }
    static unsigned bits(__m128i mask) { return static_cast<unsigned>(_mm_movemask_epi8(mask)); }
    static __m128i before(unsigned at) {
        const __m128i number = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        return _mm_cmplt_epi8(number, _mm_set1_epi8(static_cast<char>(at)));
    }

    __m128i text_;
};
#else
class Characters {
public:
    explicit Characters(const char* p) { std::memcpy(text_, p, width); }

    unsigned blanks() const {
        return bits([](char c) { return c == ' ' || c == '\t'; });
    }
    unsigned letters_x() const {
        return bits([](char c) { return c == 'x'; });
    }
    template <std::size_t count>
    unsigned stops(const Programs::Block (&list)[count]) const {
        return bits([&](char c) {
            return static_cast<signed char>(c) < '\t' ||
                   std::any_of(list, list + count, [&](const Programs::Block& one) { return one.text[0] == c; });
        });
    }
    void strike_out(unsigned first) {
        for (unsigned i = first; i < width; ++i) text_[i] = is_digit(text_[i]) ? Outline::decimal : text_[i];
    }
    void end_at(unsigned size) { std::memset(text_ + size, 0, width - size); }
    void store(char* p) const { std::memcpy(p, text_, width); }
    static bool same(const char* a, const char* b) { return std::memcmp(a, b, width) == 0; }

private:
    template <class Is>
    unsigned bits(const Is& is) const {
        unsigned out = 0;
        for (unsigned i = 0; i < width; ++i) out |= is(text_[i]) ? 1u << i : 0;
        return out;
    }

    char text_[width];
};
#endif

}  // namespace

Programs::Programs(const Codec& codec, bool is_fast) : codec_(codec), tables_(codec.tables_so_far()) {
    unsigned count = 0;
    const auto stop = [&](char c) {
        if (std::any_of(stops_, stops_ + count, [&](const Block& one) { return one.text[0] == c; })) return;
        usable_ &= count < most_stops;
        if (usable_) std::fill_n(stops_[count++].text, width, c);
    };
    for (const char c : {'\n', '"', '\''}) stop(c);
    const auto mark = [&](const std::string& text) {
        if (text.empty()) return;
        stop(text[0]);
        marks_.push_back(text);
    };
    const auto surface = [&](const Surface& any) {
        mark(any.statement_end);
        mark(any.separator);
        for (const std::string& text : any.line_comments) mark(text);
        for (const auto& [open, close] : any.block_comments) mark(open);
    };
    surface(codec.isa().surface);
    for (const auto& [dialect, own] : codec.isa().dialect_surfaces) surface(own);
    wide_ = is_fast && make_classes(count);
    decide_stops();
    std::fill(stops_ + count, stops_ + most_stops, stops_[0]);
}

#ifdef __SSE2__
bool Programs::is_wide_there() { return __builtin_cpu_supports("avx2"); }
#else
bool Programs::is_wide_there() { return false; }
#endif

// False where there are not enough classes for the characters with which something may end.
bool Programs::make_classes(unsigned stops) {
    const auto add = [&](unsigned c, unsigned of_class) {
        classes_low_.text[c & 15] = static_cast<char>(classes_low_.text[c & 15] | of_class);
        classes_high_.text[c >> 4] = static_cast<char>(classes_high_.text[c >> 4] | of_class);
    };
    for (unsigned c = '0'; c <= '9'; ++c) add(c, class_digit);
    add('x', class_x);
    add(' ', class_space);
    add('\t', class_tab);
    unsigned class_of[8] = {}, next = class_first_stop;  // by the first four bits
    const auto add_stop = [&](unsigned c) {
        if (c > 127) return false;
        unsigned& own = class_of[c >> 4];
        if (own == 0) own = std::exchange(next, next << 1);
        if (own > class_last_stop) return false;
        add(c, own);
        return true;
    };
    bool good = true;
    for (unsigned c = 0; c < '\t'; ++c) good = good && add_stop(c);
    for (unsigned i = 0; i < stops; ++i) good = good && add_stop(static_cast<unsigned char>(stops_[i].text[0]));
    return good;
}

// What a stop is that says so by its first character.
void Programs::decide_stops() {
    const std::string& end = codec_.isa().surface.statement_end;
    stop_at_.fill(Stop::unclear);
    for (unsigned c = 0; c < stop_at_.size(); ++c) {
        if (c < '\t' || c > 127 || c == '"' || c == '\'') stop_at_[c] = Stop::other;
    }
    stop_at_['\n'] = end.empty() ? Stop::end : Stop::other;
    const auto begin_so = [&](const std::string& mark) { return mark[0] == end[0]; };
    if (end.size() == 1 && std::ranges::count_if(marks_, begin_so) == 1)
        stop_at_[static_cast<unsigned char>(end[0])] = Stop::end;
}

// What stands at a stop: the statement's end, something else that may stand in one, or neither.
Programs::Stop Programs::find_stop(const char* p, const char* end) const {
    const Surface& surface = codec_.isa().surface;
    const std::string_view rest(p, static_cast<std::size_t>(end - p));
    const Stop known = stop_at_[static_cast<unsigned char>(*p)];
    if (known != Stop::unclear) return known;
    const auto begins = [&](const std::string& mark) {
        const std::size_t last = std::min(mark.size(), rest.size()) - 1;
        return rest[last] == mark[last] && rest.starts_with(mark);  // most differ there
    };
    if (std::none_of(marks_.begin(), marks_.end(), begins)) return Stop::text;
    if (!surface.statement_end.empty()) return rest.starts_with(surface.statement_end) ? Stop::end : Stop::other;
    return statement_ends(codec_.isa(), tables_, p, end) ? Stop::end : Stop::other;
}

// The first of these places where the statement ends; `none` where it ends at none of them, and `nowhere` where it is none that
// there are programs of.
unsigned Programs::end_among(unsigned stops, const char* begin, const char* end) const {
    for (; stops != 0; stops &= stops - 1) {
        const auto at = static_cast<unsigned>(std::countr_zero(stops));
        const Stop kind = find_stop(begin + at, end);
        if (kind != Stop::text) return kind == Stop::end ? at : nowhere;
    }
    return none;
}

// Strikes out the digits behind the first word, which are part of its name there, up to the statement's end. Returns where that is,
// or `nowhere`; `letters` is 0 where no x is behind the first word.
unsigned Programs::strike_out(const char* begin, const char* end, unsigned& letters) {
    bool in_word = true;
    for (unsigned at = 0; at != Outline::longest; at += width) {
        Characters text(begin + at);
        const unsigned size = end_among(text.stops(stops_), begin + at, end);
        if (size == nowhere) return nowhere;
        if (size != none) text.end_at(size);
        unsigned operands = 0;  // begin here
        if (in_word) {
            const unsigned blanks = text.blanks();
            in_word = blanks == 0;
            operands = in_word ? width : static_cast<unsigned>(std::countr_zero(blanks));
        }
        letters |= text.letters_x() >> operands;
        text.strike_out(operands);
        text.store(outline_.text + at);
        if (size != none) return at + size;
    }
    return nowhere;
}

// The same for thirty-two characters at a time, each of which has a bit for each class that it is in.
#ifdef __SSE2__
namespace {

[[gnu::target("avx2")]] inline __m256i spread(unsigned c) { return _mm256_set1_epi8(static_cast<char>(c)); }
[[gnu::target("avx2")]] inline __m256i table(const Programs::Block& block) {
    return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(block.text)));
}
// A bit for each that is in one of the classes.
[[gnu::target("avx2")]] inline unsigned in(__m256i classes, unsigned any) {
    const __m256i none = _mm256_cmpeq_epi8(_mm256_and_si256(classes, spread(any)), _mm256_setzero_si256());
    return ~static_cast<unsigned>(_mm256_movemask_epi8(none));
}
// All ones for those before a place.
[[gnu::target("avx2")]] inline __m256i before(unsigned at) {
    return _mm256_cmpgt_epi8(spread(at), _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
                                                          18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31));
}

}  // namespace

[[gnu::target("avx2")]] unsigned Programs::strike_out_wide(const char* begin, const char* end, unsigned& letters) {
    constexpr unsigned step = 2 * width;
    const __m256i low = table(classes_low_), high = table(classes_high_);
    bool in_word = true;
    for (unsigned at = 0; at != Outline::longest; at += step) {
        __m256i text = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(begin + at));
        const __m256i first_bits = _mm256_and_si256(_mm256_srli_epi16(text, 4), spread(15));
        const __m256i classes = _mm256_and_si256(_mm256_shuffle_epi8(low, text), _mm256_shuffle_epi8(high, first_bits));
        const auto others = static_cast<unsigned>(_mm256_movemask_epi8(text));  // not ASCII
        const unsigned size = end_among(in(classes, class_stops) | others, begin + at, end);
        if (size == nowhere) return nowhere;
        unsigned operands = 0;  // begin here
        if (in_word) {
            const unsigned blanks = in(classes, class_space | class_tab);
            in_word = blanks == 0;
            operands = in_word ? step : static_cast<unsigned>(std::countr_zero(blanks));
        }
        const __m256i digits = _mm256_cmpeq_epi8(_mm256_and_si256(classes, spread(class_digit)), spread(class_digit));
        const __m256i struck = _mm256_andnot_si256(before(operands), digits);
        text = _mm256_blendv_epi8(text, spread(Outline::decimal), struck);
        if (size != none) text = _mm256_and_si256(text, before(size));
        _mm256_store_si256(reinterpret_cast<__m256i*>(outline_.text + at), text);
        std::uint64_t letters_x = in(classes, class_x);
        if (size != none) letters_x &= (std::uint64_t{1} << size) - 1;
        letters |= static_cast<unsigned>(letters_x >> operands);
        if (size != none) return at + size;
    }
    return nowhere;
}
#else
unsigned Programs::strike_out_wide(const char* begin, const char* end, unsigned& letters) {
    return strike_out(begin, end, letters);
}
#endif

namespace {

void set_hash(Outline& outline) {
    std::uint64_t one = 0, two = 0;
    for (unsigned i = 0; i != outline.blocks * width; i += width) {
        one = (one ^ load8(outline.text + i)) * 0x9e3779b97f4a7c15;
        two = (two ^ load8(outline.text + i + 8)) * 0xc2b2ae3d27d4eb4f;
    }
    outline.hash = (one ^ std::rotl(two, 32)) * 0x9e3779b97f4a7c15;
    outline.hash ^= outline.hash >> 32;
}

}  // namespace

// The outline of what begins at `begin`.
bool Programs::outline(const char* begin, const char* end) {
    if (static_cast<std::size_t>(end - begin) < Outline::longest + width) return false;
    unsigned letters = 0;
    unsigned size = wide_ ? strike_out_wide(begin, end, letters) : strike_out(begin, end, letters);
    if (size == nowhere || size == 0) return false;
    outline_.blocks = size / width + 1;
    for (; size != 0 && is_blank(begin[size - 1]); --size) outline_.text[size - 1] = 0;
    if (letters != 0) strike_out_hexadecimals(begin, size);
    outline_.size = size;
    set_hash(outline_);
    return true;
}

// The outline without the name that the statement ends with. False where it ends with none that is an operand.
bool Programs::strike_out_name(const char* begin) {
    unsigned at = outline_.size;
    while (at != 0 && is_name(begin[at - 1])) --at;
    if (at == outline_.size || is_digit(begin[at])) return false;
    const std::string& mark = codec_.isa().surface.label_reference_prefix;
    const auto mark_size = static_cast<unsigned>(mark.size());
    const bool marked = at > mark_size && std::string_view(begin + at - mark_size, mark_size) == mark;
    const unsigned operand = marked ? at - mark_size : at;
    if (operand < 2 || (!is_blank(begin[operand - 1]) && begin[operand - 1] != ',')) return false;
    name_ = {begin + at, outline_.size - at};
    named_operand_ = begin + operand;
    named_.size = at + 1;
    named_.blocks = named_.size / width + 1;
    const unsigned last = named_.blocks * width;
    std::memcpy(named_.text, outline_.text, last);
    std::memset(named_.text + at, 0, last - at);
    named_.text[at] = Outline::name;
    set_hash(named_);
    return true;
}

// Numbers with 0x, behind what is no word.
void Programs::strike_out_hexadecimals(const char* begin, unsigned size) {
    for (const char* p = begin + 2; p < begin + size; ++p) {
        p = static_cast<const char*>(std::memchr(p, 'x', static_cast<std::size_t>(begin + size - p)));
        if (!p) return;
        if (p[-1] != '0' || outline_.text[p - 1 - begin] != Outline::decimal || is_word(p[-2])) continue;
        const char* const number = p - 1;
        while (p + 1 < begin + size && hex_digit(p[1]) < 16) ++p;
        if (p == number + 1) continue;
        std::fill(outline_.text + (number - begin), outline_.text + (p + 1 - begin), Outline::hexadecimal);
    }
}

// The outline's numbers. False where some of them are none that mean the same in all places where numbers may stand.
bool Programs::find_numbers(const Outline& outline, const char* begin, std::vector<OutlineNumber>& out) const {
    for (unsigned i = 0; i < outline.size;) {
        const char mark = outline.text[i];
        if (mark != Outline::decimal && mark != Outline::hexadecimal) {
            ++i;
            continue;
        }
        OutlineNumber number;
        number.at = static_cast<std::uint8_t>(i);
        while (i < outline.size && outline.text[i] == mark) ++i;
        number.size = static_cast<std::uint8_t>(i - number.at);
        number.is_hexadecimal = mark == Outline::hexadecimal;
        number.is_no_prefix = !number.is_hexadecimal && (begin[i] | 0x20) == 'x';
        if (out.size() == Outline::most_numbers ||
            number.size > (number.is_hexadecimal ? most_hex_digits + 2 : most_digits))
            return false;
        out.push_back(number);
    }
    return true;
}

// Not where a number does not begin as such a number does: a zero before others may mean another base.
bool Programs::value_of(const char* begin, const OutlineNumber& number, std::uint64_t& value) {
    const char* const p = begin + number.at;
    const bool begins_with_zero = *p == '0';
    if (!number.is_hexadecimal) {
        value = decimal_value(p, number.size);
        return !begins_with_zero || (number.size == 1 && !number.is_no_prefix);
    }
    value = 0;
    for (unsigned i = 2; i < number.size; ++i) value = value << 4 | hex_digit(p[i]);
    return begins_with_zero;
}

Store::At Programs::find(const Outline& outline) const {
    if (slots_.empty()) return no_index;
    for (std::size_t at = outline.hash & (slots - 1); slots_[at] != 0; at = (at + 1) & (slots - 1)) {
        const Store::At found = slots_[at] - 1;
        const Entry& entry = *store_.get<Entry>(found);
        if (entry.hash != outline.hash || entry.size != outline.size || entry.blocks != outline.blocks) continue;
        const Block* const text = store_.get<Block>(found + text_behind);
        bool same = true;
        for (unsigned i = 0; i < entry.blocks; ++i) same &= Characters::same(text[i].text, outline.text + i * width);
        if (same) return found;
    }
    return no_index;
}

bool Programs::run(Store::At at, const std::uint64_t* numbers, Encoded& out) const {
    const Program& program = *store_.get<Program>(at);
    std::uint64_t words[2] = {program.words[0], program.words[1]};
    Store::At behind = at + Store::size_of<Program>();
    const Operation* one = store_.get<Operation>(behind);
    for (const Operation* const last = one + program.count; one != last; ++one) {
        const std::uint64_t value = numbers[one->number] - numbers[one->less] - one->bias;
        const bool outside = value > one->span || (value & one->step_mask) != 0;
        if (outside != one->outside) return false;
        const auto steps = static_cast<std::uint32_t>(value >> one->scale), low = static_cast<std::uint32_t>(one->low);
        const std::uint64_t bits = (one->negative ? low - steps : low + steps) >> one->drop & one->mask;
        words[one->shift >> 6] |= bits << (one->shift & 63);
    }
    behind += Store::size_of<Operation>(program.count);
    const CodeCheck* check = store_.get<CodeCheck>(behind);
    for (const CodeCheck* const last = check + program.check_count; check != last; ++check)
        if (check->codes[check->place.code(words[0])] == 0) return false;
    out.image.words = {words[0], words[1]};
    if (program.limited) {
        for (const FormLimit& limit : tables_.forms[program.form].limits)
            if (exceeds(limit, out.image)) return false;
    }
    out.form = program.form;
    out.bits = program.bits;
    out.deferred_count = 0;
    if (program.named) {
        out.deferred[0] = *store_.get<Deferred>(behind + Store::size_of<CodeCheck>(program.check_count));
        out.deferred_count = 1;
    }
    return true;
}

bool Programs::run_any(Store::At at, const char* begin, Encoded& out) {
    const Entry& entry = *store_.get<Entry>(at);
    const OutlineNumber* const written = store_.get<OutlineNumber>(at + numbers_behind(entry));
    for (unsigned i = 0; i < entry.number_count; ++i) {
        if (!value_of(begin, written[i], values_[i])) return false;
    }
    values_[Outline::nothing] = 0;
    for (read_ = entry.first; read_ != no_index; read_ = store_.get<Program>(read_)->next)
        if (run(read_, values_, out)) return true;
    return false;
}

// Where hardly anything comes again, it is looked for now and then only.
void Programs::count_hit(bool hit) {
    constexpr unsigned window = 512, least = window / 8, shortest = 256, longest = 1u << 14;
    ++asked_;
    hits_ += hit;
    if (asked_ < window) return;
    pause_length_ = hits_ >= least ? shortest / 2 : std::min(2 * pause_length_, longest);
    pause_ = hits_ >= least ? 0 : pause_length_;
    hits_ = asked_ = 0;
}

// Whether this is the second time, or about that, that the outline comes.
Programs::Wanted Programs::glimpse(const Outline& outline) {
    if (glimpsed_.empty()) glimpsed_.resize(glimpses);
    const auto tag = static_cast<std::uint32_t>(outline.hash) | 1;
    const bool again = std::exchange(glimpsed_[outline.hash >> 16 & (glimpses - 1)], tag) == tag;
    return again ? Wanted::program : Wanted::no;
}

bool Programs::try_entry(Store::At at, const char* begin, Wanted& wanted, Encoded& out) {
    entry_ = at;
    if (run_any(at, begin, out)) return true;
    Entry& entry = *store_.get<Entry>(at);
    if (entry.tried < most_tried && ++entry.missed + soon_tried > entry.tried) {
        entry.missed = 0;
        wanted = Wanted::another;
    }
    return false;
}

bool Programs::read(const char*& cursor, const char* end, bool names, Encoded& out) {
    wanted_ = wanted_named_ = Wanted::no;
    if (pause_ != 0) {
        --pause_;
        return false;
    }
    if (!usable_ || !outline(cursor, end)) return false;
    bool hit = false;
    const Store::At index = find(outline_);
    if (index != no_index) {
        hit = try_entry(index, cursor, wanted_, out);
    } else {
        wanted_ = glimpse(outline_);
        if (names && strike_out_name(cursor)) {
            const Store::At named = find(named_);
            if (named == no_index) {
                wanted_named_ = glimpse(named_);
            } else {
                hit = try_entry(named, cursor, wanted_named_, out);
            }
        }
    }
    count_hit(hit);
    if (hit) cursor += outline_.size;
    return hit;
}

void Programs::forget() {
    slots_.assign(slots, 0);
    entry_count_ = 0;
    store_.end_at(0);
}

Store::At Programs::add_entry(const Outline& outline, const char* begin) {
    constexpr Store::At most_kept = 1u << 20;
    if (entry_count_ == most_entries || slots_.empty() || store_.end() > most_kept) forget();
    Entry fresh;
    fresh.hash = outline.hash;
    fresh.size = static_cast<std::uint16_t>(outline.size);
    fresh.blocks = static_cast<std::uint8_t>(outline.blocks);
    std::vector<OutlineNumber> numbers;
    if (!find_numbers(outline, begin, numbers)) {
        numbers.clear();
        fresh.tried = most_tried;
    }
    fresh.number_count = static_cast<std::uint8_t>(numbers.size());
    const Store::At made = store_.add(fresh);
    store_.add(std::span<const char>(outline.text, outline.blocks * width));
    store_.add(std::span<const OutlineNumber>(numbers));
    ++entry_count_;
    std::size_t at = outline.hash & (slots - 1);
    while (slots_[at] != 0) at = (at + 1) & (slots - 1);
    slots_[at] = made + 1;
    return made;
}

// Keeps the program that follows from what was recorded. `no_index` where it does not read these numbers as the reader did.
Store::At Programs::add_program(Program program, const Recorder& recorder, const std::uint64_t* values) {
    program.count = static_cast<std::uint8_t>(recorder.operations().size());
    program.check_count = static_cast<std::uint8_t>(recorder.checks().size());
    program.named = recorder.encoded().deferred_count != 0;
    const Store::At made = store_.add(program);
    store_.add(std::span(recorder.operations()));
    store_.add(std::span(recorder.checks()));
    if (program.named) store_.add(recorder.encoded().deferred[0]);
    Encoded again;
    if (run(made, values, again) && again.image.words == recorder.encoded().image.words) return made;
    store_.end_at(made);
    return no_index;
}

void Programs::learn(const char* begin, bool named, PlainReader& reader) {
    constexpr std::uint32_t failed = 8;  // times of trying
    const bool another = (named ? wanted_named_ : wanted_) == Wanted::another;
    const Store::At at = another ? entry_ : add_entry(named ? named_ : outline_, begin);
    wanted_ = wanted_named_ = Wanted::no;
    Entry* entry = store_.get<Entry>(at);
    if (entry->tried >= most_tried) return;
    entry->tried += failed;
    const OutlineNumber* const written = store_.get<OutlineNumber>(at + numbers_behind(*entry));
    const std::vector<OutlineNumber> numbers(written, written + entry->number_count);
    std::uint64_t values[Outline::most_numbers + 1];
    values[Outline::nothing] = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (!value_of(begin, numbers[i], values[i])) return;
    }
    Recorder recorder(statement_at(begin), named ? named_operand_ : nullptr, numbers, values);
    Program program;
    if (!recorder.derive(codec_, reader, named ? name_ : std::string_view(), 0, program) ||
        codec_.is_loaded(program.form))
        return;
    program.next = entry->first;
    const Store::At made = add_program(program, recorder, values);
    if (made == no_index) return;
    entry = store_.get<Entry>(at);
    entry->tried -= failed - 1;
    entry->first = made;
    if (named && codec_.may_grow(recorder.encoded())) learn_others(made, begin, numbers, values, reader);
}

// Those that are tried behind the one that is taken: of a branch the longer ones.
void Programs::learn_others(Store::At first, const char* begin, std::span<const OutlineNumber> numbers,
                            const std::uint64_t* values, PlainReader& reader) {
    constexpr unsigned most_others = 7;
    const Store::At behind = store_.end();
    for (unsigned others = 0;; ++others) {
        Recorder recorder(statement_at(begin), named_operand_, numbers, values);
        Program program;
        const bool good = recorder.derive(codec_, reader, name_, others + 1, program);
        if (good && others < most_others && add_program(program, recorder, values) != no_index) continue;
        const bool all = !good && recorder.is_end();
        if (!all) store_.end_at(behind);
        store_.get<Program>(first)->others = static_cast<std::uint8_t>(all ? others : Program::unknown_others);
        return;
    }
}

}  // namespace isaforge::codec

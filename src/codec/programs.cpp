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
constexpr unsigned most_digits = 8, most_hex_digits = 15;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
std::uint64_t load8(const char* p) {
    std::uint64_t out;
    std::memcpy(&out, p, sizeof out);
    return out;
}

// At most eight decimal digits, of which eight characters can be read.
std::uint64_t decimal_value(const char* p, unsigned size) {
    if (size == 1) return static_cast<std::uint64_t>(*p - '0');
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

// What stands at a stop: the statement's end, something else that may stand in one, or neither.
Programs::Stop Programs::stop_at(const char* p, const char* end) const {
    const Surface& surface = codec_.isa().surface;
    const std::string_view rest(p, static_cast<std::size_t>(end - p));
    if (*p == '\n') return surface.statement_end.empty() ? Stop::end : Stop::other;
    if (*p == '"' || *p == '\'' || static_cast<signed char>(*p) < '\t') return Stop::other;
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
        const Stop kind = stop_at(begin + at, end);
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

// The outline of what begins at `begin`.
bool Programs::outline(const char* begin, const char* end) {
    if (static_cast<std::size_t>(end - begin) < Outline::longest + width) return false;
    unsigned letters = 0;
    unsigned size = wide_ ? strike_out_wide(begin, end, letters) : strike_out(begin, end, letters);
    if (size == nowhere || size == 0) return false;
    outline_.blocks = size / width + 1;
    for (; size != 0 && is_blank(begin[size - 1]); --size) outline_.text[size - 1] = 0;
    if (letters != 0) strike_out_hexadecimals(begin, size);
    std::uint64_t one = 0, two = 0;
    for (unsigned i = 0; i != outline_.blocks * width; i += width) {
        one = (one ^ load8(outline_.text + i)) * 0x9e3779b97f4a7c15;
        two = (two ^ load8(outline_.text + i + 8)) * 0xc2b2ae3d27d4eb4f;
    }
    outline_.size = size;
    outline_.hash = (one ^ std::rotl(two, 32)) * 0x9e3779b97f4a7c15;
    outline_.hash ^= outline_.hash >> 32;
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
bool Programs::find_numbers(const char* begin, std::vector<OutlineNumber>& out) const {
    for (unsigned i = 0; i < outline_.size;) {
        const char mark = outline_.text[i];
        if (mark != Outline::decimal && mark != Outline::hexadecimal) {
            ++i;
            continue;
        }
        OutlineNumber number;
        number.at = static_cast<std::uint8_t>(i);
        while (i < outline_.size && outline_.text[i] == mark) ++i;
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

std::uint32_t Programs::find() const {
    if (slots_.empty()) return no_index;
    for (std::size_t at = outline_.hash & (slots - 1); slots_[at] != 0; at = (at + 1) & (slots - 1)) {
        const Entry& entry = entries_[slots_[at] - 1];
        if (entry.hash != outline_.hash || entry.size != outline_.size || entry.blocks != outline_.blocks) continue;
        bool same = true;
        for (unsigned i = 0; i < entry.blocks; ++i)
            same &= Characters::same(blocks_[entry.text + i].text, outline_.text + i * width);
        if (same) return slots_[at] - 1;
    }
    return no_index;
}

bool Programs::run(const Program& program, const std::uint64_t* numbers, Encoded& out) const {
    std::uint64_t words[2] = {program.words[0], program.words[1]};
    const Operation* one = operations_.data() + program.first;
    for (const Operation* const last = one + program.count; one != last; ++one) {
        const std::uint64_t value = numbers[one->number] - numbers[one->less] - one->bias;
        const bool outside = value > one->span || (value & one->step_mask) != 0;
        if (outside != one->outside) return false;
        const auto steps = static_cast<std::uint32_t>(value >> one->scale), low = static_cast<std::uint32_t>(one->low);
        const std::uint64_t bits = (one->negative ? low - steps : low + steps) & one->mask;
        words[one->shift >> 6] |= bits << (one->shift & 63);
    }
    const CodeCheck* check = checks_.data() + program.first_check;
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
    return true;
}

bool Programs::run(const Entry& entry, const char* begin, Encoded& out) const {
    std::uint64_t numbers[Outline::most_numbers + 1];
    const OutlineNumber* const written = numbers_.data() + entry.numbers;
    for (unsigned i = 0; i < entry.number_count; ++i) {
        if (!value_of(begin, written[i], numbers[i])) return false;
    }
    numbers[Outline::nothing] = 0;
    for (std::uint32_t i = entry.first; i != no_index; i = programs_[i].next)
        if (run(programs_[i], numbers, out)) return true;
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

bool Programs::read(const char*& cursor, const char* end, Encoded& out) {
    wanted_ = Wanted::no;
    if (pause_ != 0) {
        --pause_;
        return false;
    }
    if (!usable_ || !outline(cursor, end)) return false;
    entry_ = find();
    if (entry_ == no_index) {
        if (glimpsed_.empty()) glimpsed_.resize(glimpses);
        std::uint32_t& glimpse = glimpsed_[outline_.hash >> 16 & (glimpses - 1)];
        const auto tag = static_cast<std::uint32_t>(outline_.hash) | 1;
        if (glimpse == tag) wanted_ = Wanted::program;
        glimpse = tag;
        count_hit(false);
        return false;
    }
    Entry& entry = entries_[entry_];
    const bool hit = run(entry, cursor, out);
    count_hit(hit);
    if (hit) {
        cursor += outline_.size;
    } else if (entry.tried < most_tried && ++entry.missed + soon_tried > entry.tried) {
        entry.missed = 0;
        wanted_ = Wanted::another;
    }
    return hit;
}

void Programs::forget() {
    slots_.assign(slots, 0);
    entries_.clear();
    blocks_.clear();
    numbers_.clear();
    programs_.clear();
    operations_.clear();
    checks_.clear();
}

std::uint32_t Programs::add_entry(const char* begin) {
    constexpr std::size_t most_kept = 1u << 18;
    if (entries_.size() == most_entries || slots_.empty() || operations_.size() > most_kept) forget();
    Entry fresh;
    fresh.hash = outline_.hash;
    fresh.text = static_cast<std::uint32_t>(blocks_.size());
    fresh.size = static_cast<std::uint16_t>(outline_.size);
    fresh.blocks = static_cast<std::uint8_t>(outline_.blocks);
    for (unsigned i = 0; i < outline_.blocks; ++i) {
        blocks_.emplace_back();
        std::memcpy(blocks_.back().text, outline_.text + i * width, width);
    }
    std::vector<OutlineNumber> numbers;
    if (!find_numbers(begin, numbers)) {
        numbers.clear();
        fresh.tried = most_tried;
    }
    fresh.numbers = static_cast<std::uint32_t>(numbers_.size());
    fresh.number_count = static_cast<std::uint8_t>(numbers.size());
    numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
    entries_.push_back(fresh);
    std::size_t at = outline_.hash & (slots - 1);
    while (slots_[at] != 0) at = (at + 1) & (slots - 1);
    slots_[at] = static_cast<std::uint32_t>(entries_.size());
    return slots_[at] - 1;
}

void Programs::learn(const char* begin, PlainReader& reader) {
    constexpr std::uint32_t failed = 8;  // times of trying
    const std::uint32_t index = wanted_ == Wanted::another ? entry_ : add_entry(begin);
    wanted_ = Wanted::no;
    Entry& entry = entries_[index];
    if (entry.tried >= most_tried) return;
    entry.tried += failed;
    std::uint64_t values[Outline::most_numbers + 1];
    values[Outline::nothing] = 0;
    const std::span<const OutlineNumber> numbers(numbers_.data() + entry.numbers, entry.number_count);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (!value_of(begin, numbers[i], values[i])) return;
    }
    Recorder recorder({begin, outline_.size}, numbers, values);
    Program program;
    if (!recorder.derive(codec_, reader, program) || codec_.is_loaded(program.form)) return;
    program.first = static_cast<std::uint32_t>(operations_.size());
    program.count = static_cast<std::uint8_t>(recorder.operations().size());
    program.first_check = static_cast<std::uint32_t>(checks_.size());
    program.check_count = static_cast<std::uint8_t>(recorder.checks().size());
    program.next = entry.first;
    operations_.insert(operations_.end(), recorder.operations().begin(), recorder.operations().end());
    checks_.insert(checks_.end(), recorder.checks().begin(), recorder.checks().end());
    Encoded again;
    if (!run(program, values, again) || again.image.words != recorder.encoded().image.words) {
        operations_.resize(program.first);
        checks_.resize(program.first_check);
        return;
    }
    entry.tried -= failed - 1;
    entry.first = static_cast<std::uint32_t>(programs_.size());
    programs_.push_back(program);
}

}  // namespace isaforge::codec

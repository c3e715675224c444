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

constexpr unsigned few_digits = 4;

// At most four decimal digits, of which four characters can be read.
inline std::uint64_t value_of_few(const char* p, unsigned size) {
    if constexpr (std::endian::native == std::endian::little) {
        std::uint32_t digits;
        std::memcpy(&digits, p, sizeof digits);
        digits = digits << (32 - 8 * size) & 0x0f0f0f0f;  // zeros before them
        digits = digits * (10 * 0x100 + 1) >> 8 & 0x00ff00ff;
        return digits * (100 * 0x10000 + 1) >> 16;
    }
    std::uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i) value = value * 10 + static_cast<std::uint64_t>(p[i] - '0');
    return value;
}

std::uint64_t value_of_many(const char* p, unsigned size) {
    std::uint64_t value = 0;
    for (; size > few_digits; size -= few_digits, p += few_digits) value = value * 10000 + value_of_few(p, few_digits);
    constexpr std::uint64_t power_of[] = {1, 10, 100, 1000, 10000};
    return value * power_of[size] + value_of_few(p, size);
}

using Bits = std::array<std::uint64_t, 2>;  // one for each character

// Each as one character further.
Bits one_on(const Bits& bits) { return {bits[0] << 1, bits[1] << 1 | bits[0] >> 63}; }

unsigned ones_before(const Bits& bits, unsigned at) {
    const unsigned in_first = std::min(at, 64u);
    return static_cast<unsigned>(std::popcount(bits[0] & low_bits(in_first)) +
                                 std::popcount(bits[1] & low_bits(at - in_first)));
}

// Of an outline, by what stands between its numbers: nothing waits for the text that is put together.
class Hash {
public:
    // At most sixteen characters, of which sixteen can be read.
    [[gnu::always_inline]] void add(const char* p, std::size_t size) {
        const char* const mask = masks.data() + (width - size);
        add(load8(p) & load8(mask), load8(p + 8) & load8(mask + 8));
    }
    void add(std::uint64_t one, std::uint64_t two) {
        one_ = (one_ ^ one) * factor;
        two_ = (two_ ^ two) * factor;
    }
    std::uint64_t value() const {
        const std::uint64_t both = (one_ ^ std::rotl(two_, 32)) * factor;
        return both ^ both >> 32;
    }

private:
    static constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
    // All ones, and behind them zeros.
    static constexpr std::array<char, 2 * width> masks = [] {
        std::array<char, 2 * width> out{};
        std::fill_n(out.begin(), width, static_cast<char>(0xff));
        return out;
    }();

    std::uint64_t one_ = 0, two_ = 0;
};

// Sixteen characters: with a bit for each that is such a one.
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
    unsigned digits() const {
        return bits(_mm_and_si128(_mm_cmpgt_epi8(text_, _mm_set1_epi8('0' - 1)),
                                  _mm_cmplt_epi8(text_, _mm_set1_epi8('9' + 1))));
    }
    static bool same(const char* a, const char* b) {
        return _mm_movemask_epi8(_mm_cmpeq_epi8(load(a), load(b))) == 0xffff;
    }

private:
    static __m128i load(const char* aligned) { return _mm_load_si128(reinterpret_cast<const __m128i*>(aligned)); }
    __m128i is(char c) const { return _mm_cmpeq_epi8(text_, _mm_set1_epi8(c)); }
    static unsigned bits(__m128i mask) { return static_cast<unsigned>(_mm_movemask_epi8(mask)); }

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
    unsigned digits() const { return bits(is_digit); }
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
    const std::string& label_end = codec.isa().surface.label_suffix;
    if (codec.isa().surface.label_prefix.empty() && label_end.size() == 1) label_end_ = label_end[0];
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
[[gnu::noinline]] unsigned Programs::end_among(unsigned stops, const char* begin, const char* end) const {
    for (; stops != 0; stops &= stops - 1) {
        const auto at = static_cast<unsigned>(std::countr_zero(stops));
        Stop kind = stop_at_[static_cast<unsigned char>(begin[at])];
        if (kind == Stop::unclear) kind = find_stop(begin + at, end);
        if (kind != Stop::text) return kind == Stop::end ? at : nowhere;
    }
    return none;
}

// Numbers with 0x, behind what is no word.
void Programs::find_hexadecimals(const char* begin, unsigned size) {
    const Bits behind_digits = one_on(found_.digits);
    for (unsigned i = 0; i < 2; ++i) {
        for (std::uint64_t left = found_.letters_x[i] & behind_digits[i]; left != 0; left &= left - 1) {
            const unsigned x = 64 * i + static_cast<unsigned>(std::countr_zero(left));
            unsigned end = x + 1;
            while (end != size && hex_digit(begin[end]) < 16) ++end;
            if (begin[x - 1] != '0' || is_word(begin[x - 2]) || end == x + 1) continue;
            for (unsigned at = x - 1; at != end; ++at) {
                found_.digits[at >> 6] |= std::uint64_t{1} << (at & 63);
                found_.hexadecimals[at >> 6] |= std::uint64_t{1} << (at & 63);
            }
        }
    }
}

// Calls `visit` with where each of the numbers begins and ends. `is_short`: all are in the first word.
template <bool is_short, class Visit>
[[gnu::always_inline]] inline void Programs::Found::visit_numbers(const Visit& visit) const {
    const auto first = [](std::uint64_t bits) { return static_cast<std::size_t>(std::countr_zero(bits)); };
    std::uint64_t begins = digits[0] & ~(digits[0] << 1), ends = ~digits[0] & digits[0] << 1;
    if constexpr (is_short) {
        for (; begins != 0; begins &= begins - 1, ends &= ends - 1) visit(first(begins), first(ends));
        return;
    }
    const std::uint64_t behind = one_on(digits)[1], later_begins = digits[1] & ~behind;
    std::uint64_t later_ends = ~digits[1] & behind;
    for (std::size_t base = 0; base != 128; base += 64, begins = later_begins) {
        for (; begins != 0; begins &= begins - 1) {
            std::uint64_t& end = ends != 0 ? ends : later_ends;
            visit(base + first(begins), (ends != 0 ? 0 : 64) + first(end));
            end &= end - 1;
        }
    }
}

unsigned Programs::Found::count_before(unsigned at) const {
    const Bits behind = one_on(digits);
    return ones_before({digits[0] & ~behind[0], digits[1] & ~behind[1]}, at);
}

unsigned Programs::Found::struck_before(unsigned at) const {
    const Bits behind = one_on(digits);
    return ones_before({digits[0] & behind[0] & ~hexadecimals[0], digits[1] & behind[1] & ~hexadecimals[1]}, at);
}

// Copies the statement, with marks in place of its numbers, and finds what these are. False where there are too many. A decimal
// number may have any number of digits, and a zero before others may mean another base. Of hexadecimal ones each character is
// a mark, for they may have such zeros.
template <bool is_short>
bool Programs::strike_out_numbers(const char* const begin) {
    Hash hash;
    char* out = outline_.text;
    const char* from = begin;
    std::uint64_t* value = values_;
    const std::uint64_t* odd = std::end(values_);
    const auto copy = [&](const char* to) __attribute__((always_inline)) {
        auto left = static_cast<std::size_t>(to - from);
        for (; left > width; left -= width, out += width, from += width) {
            hash.add(from, width);
            std::memcpy(out, from, width);
        }
        hash.add(from, left);
        std::memcpy(out, from, width);
        out += left;
    };
    const auto strike_out = [&](std::size_t at, std::size_t end) __attribute__((always_inline)) {
        const char* const p = begin + at;
        copy(p);
        from = begin + end;
        const std::size_t size = end - at;
        if (!is_short && found_.is_hexadecimal(at)) {
            out = std::fill_n(out, size, Outline::hexadecimal);
            hash.add(size, 0);
            if (size > most_hex_digits + 2) odd = std::min<const std::uint64_t*>(odd, value);
            std::uint64_t read = 0;
            for (const char* digit = p + 2; digit != from; ++digit) read = read << 4 | hex_digit(*digit);
            *value++ = read;
            return;
        }
        *out++ = Outline::decimal;
        if (*p == '0' && (size != 1 || (*from | 0x20) == 'x')) odd = std::min<const std::uint64_t*>(odd, value);
        if (size <= few_digits) [[likely]] {
            *value++ = value_of_few(p, static_cast<unsigned>(size));
            return;
        }
        if (size > most_digits) odd = std::min<const std::uint64_t*>(odd, value);
        *value++ = value_of_many(p, static_cast<unsigned>(std::min(size, std::size_t{most_digits})));
    };
    found_.visit_numbers<is_short>(strike_out);
    copy(begin + size_);
    std::memset(out, 0, width);
    count_ = static_cast<unsigned>(value - values_);
    if (count_ > Outline::most_numbers) return false;
    plain_count_ = std::min(static_cast<unsigned>(odd - values_), count_);
    values_[Outline::nothing] = 0;
    outline_.size = static_cast<unsigned>(out - outline_.text);
    outline_.blocks = outline_.size / width + 1;
    outline_.hash = hash.value();
    return true;
}

// Whether the first word, with the mark behind it, is a label. Where it is a mnemonic, others may be, and nobody asks any more.
bool Programs::is_label(std::string_view word) {
    if (codec_.reads_as_label(word) || codec_.reads_as_label(word.substr(0, word.find('.', 1)))) label_end_ = 0;
    return label_end_ != 0;
}

// The outline of what begins at `begin`. A statement behind a label is asked for by itself.
bool Programs::outline(const char* begin, const char* end) {
    if (end - begin < static_cast<std::ptrdiff_t>(Outline::longest + 2 * width)) return false;
    found_ = {};
    unsigned size = wide_ ? look_wide(begin, end) : look(begin, end);
    if (size == nowhere || size == 0) return false;
    const unsigned word_end = found_.word_end;
    if (word_end != 0 && word_end < size && begin[word_end - 1] == label_end_ && is_label({begin, word_end - 1}))
        return false;
    while (size != 0 && is_blank(begin[size - 1])) --size;
    size_ = size;
    if ((found_.letters_x[0] | found_.letters_x[1]) != 0) find_hexadecimals(begin, size);
    const std::uint64_t odd =
        found_.digits[0] >> 63 | found_.digits[1] | found_.hexadecimals[0] | found_.hexadecimals[1];
    return odd == 0 ? strike_out_numbers<true>(begin) : strike_out_numbers<false>(begin);
}

// The first of the statement's numbers.
std::vector<OutlineNumber> Programs::numbers(unsigned count) const {
    std::vector<OutlineNumber> out;
    found_.visit_numbers<false>([&](std::size_t at, std::size_t end) {
        out.push_back({static_cast<std::uint8_t>(at), static_cast<std::uint8_t>(end - at), found_.is_hexadecimal(at)});
    });
    out.resize(count);
    return out;
}

// Notes what so many characters are, from `at` on, up to the statement's end at `size` of them, or `none`.
[[gnu::always_inline]] inline void Programs::Found::note(unsigned at, unsigned count, unsigned size,
                                                         const Characteristics& here) {
    std::uint64_t operands = low_bits(size == none ? count : size);
    if (word_end == at) {  // the first word goes on
        const unsigned more = here.blanks == 0 ? count : static_cast<unsigned>(std::countr_zero(here.blanks));
        word_end += more;
        operands = operands >> more << more;
    }
    digits[at >> 6] |= (here.digits & operands) << (at & 63);
    letters_x[at >> 6] |= (here.letters_x & operands) << (at & 63);
}

// Looks for the statement's end and for digits and letters x behind its first word, of whose name digits are a part. Returns where
// the end is, or `nowhere`.
unsigned Programs::look(const char* begin, const char* end) {
    for (unsigned at = 0; at != Outline::longest; at += width) {
        const Characters text(begin + at);
        const unsigned size = end_among(text.stops(stops_), begin + at, end);
        if (size == nowhere) return nowhere;
        found_.note(at, width, size, {text.blanks(), text.digits(), text.letters_x()});
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

}  // namespace

[[gnu::target("avx2")]] unsigned Programs::look_wide(const char* begin, const char* end) {
    constexpr unsigned step = 2 * width;
    static_assert(class_digit == 128 && class_x == 64);  // the first bits of a byte
    const __m256i low = table(classes_low_), high = table(classes_high_);
    for (unsigned at = 0; at != Outline::longest; at += step) {
        const __m256i text = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(begin + at));
        const __m256i first_bits = _mm256_and_si256(_mm256_srli_epi16(text, 4), spread(15));
        const __m256i classes = _mm256_and_si256(_mm256_shuffle_epi8(low, text), _mm256_shuffle_epi8(high, first_bits));
        const auto others = static_cast<unsigned>(_mm256_movemask_epi8(text));  // not ASCII
        const unsigned stops = in(classes, class_stops) | others, blanks = in(classes, class_space | class_tab);
        const auto digits = static_cast<unsigned>(_mm256_movemask_epi8(classes)),
                   letters_x = static_cast<unsigned>(_mm256_movemask_epi8(_mm256_add_epi8(classes, classes)));
        // Nothing of the above is in vectors any more, which a call would have to keep.
        unsigned size = stops == 0 ? none : static_cast<unsigned>(std::countr_zero(stops));
        if (stops != 0 && stop_at_[static_cast<unsigned char>(begin[at + size])] != Stop::end) [[unlikely]] {
            size = end_among(stops, begin + at, end);
            if (size == nowhere) return nowhere;
        }
        found_.note(at, step, size, {blanks, digits, letters_x});
        if (size != none) return at + size;
    }
    return nowhere;
}
#else
unsigned Programs::look_wide(const char* begin, const char* end) { return look(begin, end); }
#endif

// The outline without the name that the statement ends with. False where it ends with none that is an operand.
bool Programs::strike_out_name(const char* begin) {
    unsigned at = size_;
    while (at != 0 && is_name(begin[at - 1])) --at;
    if (at == size_ || is_digit(begin[at])) return false;
    const std::string& mark = codec_.isa().surface.label_reference_prefix;
    const auto mark_size = static_cast<unsigned>(mark.size());
    const bool marked = at > mark_size && std::string_view(begin + at - mark_size, mark_size) == mark;
    const unsigned operand = marked ? at - mark_size : at;
    if (operand < 2 || (!is_blank(begin[operand - 1]) && begin[operand - 1] != ',')) return false;
    name_ = {begin + at, size_ - at};
    named_operand_ = begin + operand;
    named_count_ = found_.count_before(at);
    const unsigned before = at - found_.struck_before(at);
    named_.size = before + 1;
    named_.blocks = named_.size / width + 1;
    std::memcpy(named_.text, outline_.text, before);
    std::memset(named_.text + before, 0, named_.blocks * width - before);
    named_.text[before] = Outline::name;
    Hash hash;
    for (unsigned i = 0; i != named_.blocks * width; i += width) hash.add(named_.text + i, width);
    named_.hash = hash.value();
    return true;
}

Store::At Programs::find(const Outline& outline) const {
    if (slots_.empty()) return no_index;
    const std::size_t last = slots_.size() - 1;
    for (std::size_t at = outline.hash & last; slots_[at] != 0; at = (at + 1) & last) {
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

bool Programs::run_any(Store::At at, Encoded& out) {
    for (read_ = store_.get<Entry>(at)->first; read_ != no_index; read_ = store_.get<Program>(read_)->next)
        if (run(read_, values_, out)) return true;
    return false;
}

// Where hardly anything comes again, it is looked for now and then only.
void Programs::count_hit(bool hit) {
    constexpr unsigned window = 512, least = window / 8, shortest = 256, longest = 1u << 14;
    ++asked_;
    hits_ += hit;
    known_ += hit;
    if (asked_ < window) return;
    pause_length_ = hits_ >= least ? shortest / 2 : std::min(2 * pause_length_, longest);
    pause_ = hits_ >= least ? 0 : pause_length_;
    hits_ = asked_ = 0;
}

// Whether the outline has come so often that it is worth a program. Of each that was seen last at a place there are some bits of
// its hash, and how often it was.
Programs::Wanted Programs::glimpse(const Outline& outline) {
    constexpr unsigned most_counted = 7;
    static_assert(often <= most_counted);
    if (glimpsed_.empty()) glimpsed_.resize(glimpses);
    std::uint16_t& seen = glimpsed_[outline.hash >> 16 & (glimpses - 1)];
    const auto bits = static_cast<std::uint16_t>(outline.hash & ~std::uint64_t{most_counted});
    const unsigned before = (seen & ~most_counted) == bits ? seen & most_counted : 0,
                   count = std::min(before + 1, most_counted);
    seen = static_cast<std::uint16_t>(bits | count);
    return count >= often && is_worthwhile() ? Wanted::program : Wanted::no;
}

bool Programs::try_entry(Store::At at, Wanted& wanted, Encoded& out) {
    entry_ = at;
    if (run_any(at, out)) return true;
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
        if (plain_count_ == count_) hit = try_entry(index, wanted_, out);
    } else {
        if (plain_count_ == count_) wanted_ = glimpse(outline_);
        if (names && strike_out_name(cursor) && plain_count_ >= named_count_) {
            const Store::At named = find(named_);
            if (named == no_index) {
                wanted_named_ = glimpse(named_);
            } else {
                hit = try_entry(named, wanted_named_, out);
            }
        }
    }
    count_hit(hit);
    if (hit) cursor += size_;
    return hit;
}

void Programs::forget() {
    slots_.assign(first_slots, 0);
    entry_count_ = 0;
    store_.end_at(0);
}

void Programs::put_entry(std::uint64_t hash, Store::At entry) {
    const std::size_t last = slots_.size() - 1;
    std::size_t at = hash & last;
    while (slots_[at] != 0) at = (at + 1) & last;
    slots_[at] = entry + 1;
}

Store::At Programs::add_entry(const Outline& outline) {
    constexpr Store::At most_kept = 1u << 20;
    if (entry_count_ == most_entries || slots_.empty() || store_.end() > most_kept) forget();
    if (++entry_count_ > slots_.size() / 2) {
        const std::vector<Store::At> before = std::exchange(slots_, std::vector<Store::At>(2 * slots_.size()));
        for (const Store::At one : before)
            if (one != 0) put_entry(store_.get<Entry>(one - 1)->hash, one - 1);
    }
    Entry fresh;
    fresh.hash = outline.hash;
    fresh.size = static_cast<std::uint16_t>(outline.size);
    fresh.blocks = static_cast<std::uint8_t>(outline.blocks);
    const Store::At made = store_.add(fresh);
    store_.add(std::span<const char>(outline.text, outline.blocks * width));
    put_entry(outline.hash, made);
    return made;
}

// Keeps the program that follows from what was recorded. `no_index` where it does not read these numbers as the reader did.
Store::At Programs::add_program(Program program, const Recorder& recorder) {
    program.count = static_cast<std::uint8_t>(recorder.operations().size());
    program.check_count = static_cast<std::uint8_t>(recorder.checks().size());
    program.named = recorder.encoded().deferred_count != 0;
    const Store::At made = store_.add(program);
    store_.add(std::span(recorder.operations()));
    store_.add(std::span(recorder.checks()));
    if (program.named) store_.add(recorder.encoded().deferred[0]);
    Encoded again;
    if (run(made, values_, again) && again.image.words == recorder.encoded().image.words) return made;
    store_.end_at(made);
    return no_index;
}

void Programs::learn(const char* begin, bool named, PlainReader& reader) {
    constexpr std::uint32_t failed = 8;  // times of trying
    const bool another = (named ? wanted_named_ : wanted_) == Wanted::another;
    const Store::At at = another ? entry_ : add_entry(named ? named_ : outline_);
    wanted_ = wanted_named_ = Wanted::no;
    Entry* entry = store_.get<Entry>(at);
    if (entry->tried >= most_tried) return;
    entry->tried += failed;
    const std::vector<OutlineNumber> written = numbers(named ? named_count_ : count_);
    Recorder recorder(statement_at(begin), named ? named_operand_ : nullptr, written, values_);
    Program program;
    if (!recorder.derive(codec_, reader, named ? name_ : std::string_view(), 0, program) ||
        codec_.is_loaded(program.form))
        return;
    program.next = entry->first;
    const Store::At made = add_program(program, recorder);
    if (made == no_index) return;
    ++made_;
    entry = store_.get<Entry>(at);
    entry->tried -= failed - 1;
    entry->first = made;
    if (named && codec_.may_grow(recorder.encoded())) learn_others(made, begin, reader);
}

// Those that are tried behind the one that is taken: of a branch the longer ones.
void Programs::learn_others(Store::At first, const char* begin, PlainReader& reader) {
    constexpr unsigned most_others = 7;
    const Store::At behind = store_.end();
    const std::vector<OutlineNumber> written = numbers(named_count_);
    for (unsigned others = 0;; ++others) {
        Recorder recorder(statement_at(begin), named_operand_, written, values_);
        Program program;
        const bool good = recorder.derive(codec_, reader, name_, others + 1, program);
        if (good && others < most_others && add_program(program, recorder) != no_index) continue;
        const bool all = !good && recorder.is_end();
        if (!all) store_.end_at(behind);
        store_.get<Program>(first)->others = static_cast<std::uint8_t>(all ? others : Program::unknown_others);
        return;
    }
}

}  // namespace isaforge::codec

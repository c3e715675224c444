#include "codec/patterns.hpp"

#include <bit>
#include <cctype>

#include "codec/trace.hpp"

namespace isaforge::codec {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    const char low = static_cast<char>(c | 0x20);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : 99;
}

constexpr std::int64_t most_bias = std::int64_t{1} << 40;  // of numbers whose ranges are traced

// A decimal number without leading zeros, or, where no word is being read, one with 0x. Null where it may be something
// else or does not fit into 63 bits.
const char* plain_number(const char* p, const char* end, bool in_word, std::uint64_t& value) {
    value = 0;
    const char* const begin = p;
    if (*p == '0' && end - p > 2 && (p[1] | 0x20) == 'x') {
        if (in_word) return nullptr;
        for (p += 2; p != end && hex_digit(*p) < 16; ++p) {
            if (p - begin > 16) return nullptr;
            value = value << 4 | static_cast<std::uint64_t>(hex_digit(*p));
        }
        return p - begin > 2 && value >> 63 == 0 ? p : nullptr;
    }
    for (; p != end && is_digit(*p); ++p) {
        if (p - begin > 17) return nullptr;
        value = value * 10 + static_cast<std::uint64_t>(*p - '0');
    }
    return *begin == '0' && p - begin > 1 ? nullptr : p;
}

// Whether what stands behind a number may make it a part of an expression. Blanks may stand in between.
bool may_go_on(const char* p, const char* end) {
    while (p != end && (*p == ' ' || *p == '\t')) ++p;
    return p != end && std::string_view("+-*/%<>=!&^|?.:('").find(*p) != std::string_view::npos;
}

// Whether there are digits in the text that could stand where a number of a shape stands. Others never fit there, whatever
// the number: a letter or a point follows them.
bool holds_integer(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!is_digit(text[at]) || (at > 0 && is_digit(text[at - 1]))) continue;
        std::size_t end = at;
        while (end < text.size() && is_digit(text[end])) ++end;
        if (end == text.size() || (text[end] != '.' && !is_word(text[end]))) return true;
    }
    return false;
}

}  // namespace

struct Patterns::Walk {
    const char* begin;
    const char* end;
    bool glued;
    bool may_be_number;
    PatternMatch& out;
    const char* best = nullptr;
    std::uint32_t best_spelling = 0;
    std::uint64_t numbers[most_numbers];
    Trace* trace = nullptr;
    const char* at[most_numbers] = {};  // where they stand, for the trace
};

void Patterns::add(const Spelling& spelling) {
    std::uint32_t node = 0;
    for (const char raw : spelling.text) {
        const char letter = fold(raw);
        const bool at_root = node == 0;
        std::uint32_t* link = &nodes_[node].child;
        while (*link != 0 && nodes_[*link].letter != letter) link = &nodes_[*link].sibling;
        if (*link != 0) {
            node = *link;
            continue;
        }
        node = *link = static_cast<std::uint32_t>(nodes_.size());
        nodes_.emplace_back().letter = letter;
        if (at_root) root_[static_cast<unsigned char>(letter)] = node;
    }
    if (!spelling.text.empty()) {
        fixed_numbers_ |= holds_integer(spelling.text);
        const char first = fold(spelling.text[0]);
        const auto may_be = [&](char c) { first_[static_cast<unsigned char>(c)] = true; };
        for (char digit = '0'; first == number_mark && digit <= '9'; ++digit) may_be(digit);
        if (first != number_mark) may_be(first);
        if (case_insensitive_ && first >= 'a' && first <= 'z') may_be(static_cast<char>(first & ~0x20));
    }
    const auto first_number = static_cast<std::uint32_t>(numbers_.size());
    numbers_.insert(numbers_.end(), spelling.numbers.begin(), spelling.numbers.end());
    spellings_.push_back({spelling.code, first_number, static_cast<std::uint32_t>(spelling.numbers.size()), 0});
    std::uint32_t* last = &nodes_[node].spelling;
    while (*last != 0) last = &spellings_[*last - 1].next;
    *last = static_cast<std::uint32_t>(spellings_.size());
}

void Patterns::add(std::string_view text, std::uint64_t code) { add(Spelling{std::string(text), code, {}, 0}); }

bool Patterns::match(const char*& cursor, const char* end, bool glued, PatternMatch& out, Trace* trace) const {
    if (trace && fixed_numbers_ && cursor != end && is_digit(*cursor)) trace->fix(cursor);
    if (cursor != end && !first_[static_cast<unsigned char>(*cursor)] && nodes_[0].spelling == 0) return false;
    const bool is_name = cursor != end && std::isalpha(static_cast<unsigned char>(*cursor));
    Walk walk{cursor, end, glued, expressions_ && !is_name, out, nullptr, 0, {}, trace};
    follow(walk, 0, cursor, 0);
    if (!walk.best) return false;
    cursor = walk.best;
    return true;
}

void Patterns::follow(Walk& walk, std::uint32_t node, const char* p, unsigned count) const {
    for (;;) {
        if (nodes_[node].spelling != 0 && (!walk.best || p >= walk.best)) accept(walk, node, p);
        if (p == walk.end) return;
        const char letter = fold(*p);
        std::uint32_t next = 0;
        if (node == 0 && !walk.trace && !is_digit(*p)) {
            next = root_[static_cast<unsigned char>(letter)];
            if (next == 0) return;
            node = next;
            ++p;
            continue;
        }
        bool may_vary = false;
        for (std::uint32_t child = nodes_[node].child; child != 0; child = nodes_[child].sibling) {
            may_vary |= !is_word(nodes_[child].letter);
            if (walk.trace && fixed_numbers_ && is_digit(letter) && is_digit(nodes_[child].letter)) walk.trace->fix(p);
            if (nodes_[child].letter == letter) {
                next = child;
            } else if (nodes_[child].letter == number_mark && is_digit(*p)) {
                const char* const after =
                    plain_number(p, walk.end, p != walk.begin && is_word(p[-1]), walk.numbers[count]);
                walk.at[count] = p;
                if (after) follow(walk, child, after, count + 1);
            }
        }
        if (next == 0) {
            walk.out.may_vary |= may_vary;
            return;
        }
        node = next;
        ++p;
    }
}

// Takes the first spelling that ends at the node and whose numbers are in range.
bool Patterns::accept(Walk& walk, std::uint32_t node, const char* p) const {
    if (!walk.glued && p != walk.end && p != walk.begin && is_word(*p) && is_word(p[-1])) return false;
    // A number may go on as an expression; a name does not.
    if (walk.may_be_number && p != walk.begin && is_word(p[-1]) && may_go_on(p, walk.end)) return false;
    for (std::uint32_t index = nodes_[node].spelling; index != 0; index = spellings_[index - 1].next) {
        if (p == walk.best && index > walk.best_spelling) return false;
        const Ending& ending = spellings_[index - 1];
        if (walk.trace) trace_take(ending, walk);
        if (!take(ending, walk.numbers, walk.out)) continue;
        if (walk.trace) walk.trace->matched(numbers_.data() + ending.first_number, walk.at, ending.count, ending.code);
        walk.best = p;
        walk.best_spelling = index;
        return true;
    }
    walk.out.refused = p;
    return false;
}

bool Patterns::take(const Ending& ending, const std::uint64_t* numbers, PatternMatch& out) const {
    std::uint64_t code = ending.code, tail = 0;
    unsigned tail_bits = 0;
    bool tail_shared = false, numeric = false;
    std::int64_t values[most_numbers];
    for (std::uint32_t i = 0; i < ending.count; ++i) {
        const PatternNumber& rule = numbers_[ending.first_number + i];
        std::int64_t value = 0;
        if (__builtin_sub_overflow(static_cast<std::int64_t>(numbers[i]), rule.bias, &value)) return false;
        if (rule.scale != 1) {
            if (value % rule.scale != 0) return false;
            value /= rule.scale;
        }
        values[i] = value;
        numeric |= !rule.named;
        if (rule.same_as >= 0) {
            if (value != values[rule.same_as]) return false;
            continue;
        }
        if (value < rule.low || value > rule.high || (rule.step != 1 && (value - rule.low) % rule.step != 0))
            return false;
        if (rule.tail_bits != 0) {
            tail = static_cast<std::uint64_t>(value) & rule.mask;
            tail_bits = rule.tail_bits;
            tail_shared = rule.tail_shared;
        } else {
            code |= (static_cast<std::uint64_t>(value) & rule.mask) << rule.shift;
        }
    }
    out = {code, tail, tail_bits, tail_shared, numeric};
    return true;
}

// Tells the trace what take() decides, and for which other numbers it would decide the same.
void Patterns::trace_take(const Ending& ending, const Walk& walk) const {
    Trace& trace = *walk.trace;
    std::int64_t values[most_numbers];
    for (std::uint32_t i = 0; i < ending.count; ++i) {
        const PatternNumber& rule = numbers_[ending.first_number + i];
        const int number = trace.number_at(walk.at[i]);
        const auto scale = static_cast<std::uint64_t>(rule.scale);
        const bool simple =
            rule.scale > 0 && std::has_single_bit(scale) && rule.bias > -most_bias && rule.bias < most_bias;
        if (number >= 0 && !simple) trace.fix(static_cast<unsigned>(number));
        std::int64_t value = 0;
        if (__builtin_sub_overflow(static_cast<std::int64_t>(walk.numbers[i]), rule.bias, &value)) return;
        if (rule.scale != 1) {
            if (number >= 0 && simple) trace.same_remainder(static_cast<unsigned>(number), scale);
            if (value % rule.scale != 0) return;
            value /= rule.scale;
        }
        values[i] = value;
        if (rule.same_as >= 0) {
            if (rule.scale != numbers_[ending.first_number + static_cast<std::uint32_t>(rule.same_as)].scale) {
                trace.fix(walk.at[i]);
                trace.fix(walk.at[rule.same_as]);
            }
            trace.link(trace.number_at(walk.at[rule.same_as]), number);
            if (value != values[rule.same_as]) return;
            continue;
        }
        if (number < 0 ? value < rule.low || value > rule.high || (value - rule.low) % rule.step != 0
                       : !trace_range(trace, static_cast<unsigned>(number), rule, value))
            return;
    }
}

// Whether the value is in range, and how far a number may go for the same answer.
bool Patterns::trace_range(Trace& trace, unsigned number, const PatternNumber& rule, std::int64_t value) {
    // As numbers; where that is beyond all numbers there is nothing to compare with.
    const auto written = [&](std::int64_t bound, std::int64_t& out) {
        return !__builtin_mul_overflow(bound, rule.scale, &out) && !__builtin_add_overflow(out, rule.bias, &out);
    };
    std::int64_t low = 0, high = 0;
    const bool has_low = written(rule.low, low), has_high = written(rule.high, high);
    if (value < rule.low) {
        if (has_low)
            trace.at_most(number, low - 1);
        else
            trace.fix(number);
        return false;
    }
    if (has_low) trace.at_least(number, low);
    if (value > rule.high) {
        if (has_high)
            trace.at_least(number, high + 1);
        else
            trace.fix(number);
        return false;
    }
    if (has_high) trace.at_most(number, high);
    if (rule.step == 1) return true;
    const auto step = static_cast<std::uint64_t>(rule.step) * static_cast<std::uint64_t>(rule.scale);
    if (std::has_single_bit(step))
        trace.same_remainder(number, step);
    else
        trace.fix(number);
    return (value - rule.low) % rule.step == 0;
}

}  // namespace isaforge::codec

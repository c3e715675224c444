#include "codec/numerals.hpp"

#include <algorithm>
#include <charconv>

#include "support/text_scan.hpp"

namespace isaforge::codec {

namespace {

// What goes on with a word: no number ends before it.
bool goes_on(char c) { return is_word(c) || c == '$'; }

bool same(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

const char* read_numeral(std::span<const NumberMark> marks, const char* p, const char* end, std::uint64_t& value,
                         bool& too_large) {
    for (const NumberMark& mark : marks) {
        const auto left = static_cast<std::size_t>(end - p);
        if (left <= mark.before.size() || !same({p, mark.before.size()}, mark.before)) continue;
        const char* const digits = p + mark.before.size();
        if (mark.before.empty() && !is_digit(*digits)) continue;
        const char* after = digits;
        while (after != end && goes_on(*after)) ++after;
        const std::string_view word(digits, static_cast<std::size_t>(after - digits));
        const std::size_t size = word.size() - std::min(word.size(), mark.behind.size());
        if (size == 0 || !same(word.substr(size), mark.behind)) continue;
        const auto counts = [&](char c) { return digit_value(c) < mark.radix; };
        if (!std::all_of(digits, digits + size, counts)) continue;
        value = 0;
        too_large = false;
        for (const char* q = digits; q != digits + size; ++q) {
            too_large |= value > (~std::uint64_t{0} - digit_value(*q)) / mark.radix;
            value = value * mark.radix + digit_value(*q);
        }
        return after;
    }
    return nullptr;
}

char* put_numeral(std::span<const NumberMark> marks, char* out, std::uint64_t value, unsigned radix) {
    constexpr std::size_t most_digits = 64;
    const auto mark = radix == 10 ? marks.end() : std::ranges::find(marks, radix, &NumberMark::radix);
    const bool marked = mark != marks.end();
    std::string_view before = radix == 16 ? "0x" : "";
    if (marked) before = mark->before;
    out = std::copy(before.begin(), before.end(), out);
    char* const digits = out;
    out = std::to_chars(out, out + most_digits, value, static_cast<int>(radix)).ptr;
    if (!marked) return out;
    if (before.empty() && !is_digit(*digits)) {  // it begins with a digit, or it is a name
        std::copy_backward(digits, out, out + 1);
        *digits = '0';
        ++out;
    }
    return std::copy(mark->behind.begin(), mark->behind.end(), out);
}

}  // namespace isaforge::codec

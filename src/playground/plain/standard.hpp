// What C++20 has and the C++ library that comes with Debian 12's Emscripten does not have yet, as far as this project uses it.
// Every source that is compiled for a browser begins with this. There are no threads: one more is refused, as a system refuses
// it that has no room for it.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

_LIBCPP_BEGIN_NAMESPACE_STD

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
    return __builtin_bit_cast(To, from);
}

template <class T>
unique_ptr<T> make_unique_for_overwrite(size_t count) {
    return unique_ptr<T>(new remove_extent_t<T>[count]);
}

template <class T>
constexpr T rotl(T value, int by) noexcept {
    constexpr int bits = sizeof(T) * 8;
    const int n = (by % bits + bits) % bits;
    return n == 0 ? value : static_cast<T>(value << n | value >> (bits - n));
}
template <class T>
constexpr T rotr(T value, int by) noexcept {
    return rotl(value, -by);
}

template <class T>
class atomic_ref {
public:
    explicit atomic_ref(T& object) : object_(&object) {}
    T load(memory_order = memory_order_seq_cst) const { return *object_; }
    void store(T value, memory_order = memory_order_seq_cst) const { *object_ = value; }
    T exchange(T value, memory_order = memory_order_seq_cst) const { return std::exchange(*object_, value); }
    T fetch_add(T value, memory_order = memory_order_seq_cst) const {
        return std::exchange(*object_, static_cast<T>(*object_ + value));
    }
    T fetch_or(T value, memory_order = memory_order_seq_cst) const {
        return std::exchange(*object_, static_cast<T>(*object_ | value));
    }
    T fetch_and(T value, memory_order = memory_order_seq_cst) const {
        return std::exchange(*object_, static_cast<T>(*object_ & value));
    }
    bool compare_exchange_strong(T& expected, T value, memory_order = memory_order_seq_cst) const {
        if (*object_ != expected) return expected = *object_, false;
        return *object_ = value, true;
    }

private:
    T* object_;
};

class stop_token {};

class jthread {
public:
    template <class... Arguments>
    explicit jthread(Arguments&&...) {
        throw system_error(make_error_code(errc::resource_unavailable_try_again));
    }
    void request_stop() {}
    void join() {}
    bool joinable() const { return false; }
};

namespace playground_numbers {

// The longest number from `p` on: of digits, a point and an exponent.
inline const char* end_of_number(const char* p, const char* end, bool hex) {
    const auto is_digit = [hex](char c) {
        return (c >= '0' && c <= '9') || (hex && (c | 32) >= 'a' && (c | 32) <= 'f');
    };
    const char* q = p != end && *p == '-' ? p + 1 : p;
    bool some = false;
    for (; q != end && is_digit(*q); ++q) some = true;
    if (q != end && *q == '.')
        for (++q; q != end && is_digit(*q); ++q) some = true;
    if (!some) return p;
    const char mark = hex ? 'p' : 'e';
    if (q == end || (*q | 32) != mark) return q;
    const char* e = q + 1;
    if (e != end && (*e == '-' || *e == '+')) ++e;
    if (e == end || *e < '0' || *e > '9') return q;
    while (e != end && *e >= '0' && *e <= '9') ++e;
    return e;
}

template <class Float>
from_chars_result read_float(const char* p, const char* end, Float& value, bool hex) {
    const char* const behind = end_of_number(p, end, hex);
    if (behind == p) return {p, errc::invalid_argument};
    string text(p, behind);
    if (hex) text.insert(text[0] == '-' ? 1 : 0, "0x");
    Float read = 0;
    if constexpr (sizeof(Float) == sizeof(float))
        read = std::strtof(text.c_str(), nullptr);
    else
        read = std::strtod(text.c_str(), nullptr);
    const bool is_zero =
        text.find_first_of(hex ? "123456789abcdefABCDEF" : "123456789") >= text.find_first_of(hex ? "pP" : "eE");
    if (read == HUGE_VAL || read == -HUGE_VAL || (read == 0 && !is_zero)) return {behind, errc::result_out_of_range};
    value = read;
    return {behind, errc()};
}

// The shortest text that reads as the same number: with an exponent where that is shorter.
template <class Float>
to_chars_result write_float(char* out, char* end, Float value) {
    constexpr int most_digits = sizeof(Float) == sizeof(float) ? 9 : 17;
    char scientific[48], fixed[400];
    int precision = 0;
    for (; precision < most_digits; ++precision) {
        std::snprintf(scientific, sizeof scientific, "%.*e", precision, static_cast<double>(value));
        const auto again = sizeof(Float) == sizeof(float) ? static_cast<Float>(std::strtof(scientific, nullptr))
                                                          : static_cast<Float>(std::strtod(scientific, nullptr));
        if (again == value || value != value) break;
    }
    const char* chosen = scientific;
    if (const char* const mark = std::strchr(scientific, 'e')) {
        const int exponent = std::atoi(mark + 1);
        std::snprintf(fixed, sizeof fixed, "%.*f", std::max(0, precision - exponent), static_cast<double>(value));
        if (std::strlen(fixed) <= std::strlen(scientific)) chosen = fixed;
    }
    const auto length = static_cast<ptrdiff_t>(std::strlen(chosen));
    if (length > end - out) return {end, errc::value_too_large};
    std::memcpy(out, chosen, static_cast<size_t>(length));
    return {out + length, errc()};
}

}  // namespace playground_numbers

inline to_chars_result to_chars(char* out, char* end, double value) {
    return playground_numbers::write_float(out, end, value);
}
inline to_chars_result to_chars(char* out, char* end, float value) {
    return playground_numbers::write_float(out, end, value);
}

inline from_chars_result from_chars(const char* p, const char* end, double& value,
                                    chars_format format = chars_format::general) {
    return playground_numbers::read_float(p, end, value, format == chars_format::hex);
}
inline from_chars_result from_chars(const char* p, const char* end, float& value,
                                    chars_format format = chars_format::general) {
    return playground_numbers::read_float(p, end, value, format == chars_format::hex);
}

namespace ranges {

template <class In, class Out>
struct mismatch_result {
    In in1;
    Out in2;
};

// A predicate of what a projection makes of its operands; `{}` stands for what is usual.
struct as_it_is {
    template <class T>
    constexpr T&& operator()(T&& value) const {
        return static_cast<T&&>(value);
    }
};

#define PLAYGROUND_TEST(name)                                                                                    \
    template <class Range, class Test, class Projection = as_it_is>                                              \
    constexpr auto name(Range&& range, Test test, Projection projection = {}) {                                  \
        return std::name(std::begin(range), std::end(range),                                                     \
                         [&](auto&& each) -> bool { return std::invoke(test, std::invoke(projection, each)); }); \
    }
PLAYGROUND_TEST(all_of)
PLAYGROUND_TEST(any_of)
PLAYGROUND_TEST(none_of)
PLAYGROUND_TEST(find_if)
PLAYGROUND_TEST(find_if_not)
PLAYGROUND_TEST(count_if)
#undef PLAYGROUND_TEST

template <class Range, class T, class Projection = as_it_is>
constexpr auto find(Range&& range, const T& value, Projection projection = {}) {
    return std::find_if(std::begin(range), std::end(range),
                        [&](auto&& each) -> bool { return std::invoke(projection, each) == value; });
}
template <class Range, class T>
constexpr auto count(Range&& range, const T& value) {
    return std::count(std::begin(range), std::end(range), value);
}
template <class Range, class Do>
constexpr void for_each(Range&& range, Do act) {
    for (auto&& each : range) std::invoke(act, each);
}
template <class Range, class T>
constexpr void replace(Range&& range, const T& before, const T& after) {
    std::replace(std::begin(range), std::end(range), before, after);
}
template <class Range, class Out>
constexpr void copy(Range&& range, Out out) {
    std::copy(std::begin(range), std::end(range), out);
}
template <class Range, class Out, class Make>
constexpr void transform(Range&& range, Out out, Make make) {
    for (auto&& each : range) *out++ = std::invoke(make, each);
}

#define PLAYGROUND_SORT(name)                                                                     \
    template <class Range, class Less = std::less<>, class Projection = as_it_is>                 \
    constexpr void name(Range&& range, Less less = {}, Projection projection = {}) {              \
        std::name(std::begin(range), std::end(range), [&](const auto& a, const auto& b) -> bool { \
            return std::invoke(less, std::invoke(projection, a), std::invoke(projection, b));     \
        });                                                                                       \
    }
PLAYGROUND_SORT(sort)
PLAYGROUND_SORT(stable_sort)
#undef PLAYGROUND_SORT

template <class Range, class T, class Less = std::less<>, class Projection = as_it_is>
constexpr auto lower_bound(Range&& range, const T& value, Less less = {}, Projection projection = {}) {
    return std::lower_bound(std::begin(range), std::end(range), value, [&](const auto& each, const T& wanted) -> bool {
        return std::invoke(less, std::invoke(projection, each), wanted);
    });
}
template <class Range, class T, class Less = std::less<>, class Projection = as_it_is>
constexpr auto upper_bound(Range&& range, const T& value, Less less = {}, Projection projection = {}) {
    return std::upper_bound(std::begin(range), std::end(range), value, [&](const T& wanted, const auto& each) -> bool {
        return std::invoke(less, wanted, std::invoke(projection, each));
    });
}
template <class Range, class T>
constexpr bool binary_search(Range&& range, const T& value) {
    return std::binary_search(std::begin(range), std::end(range), value);
}
template <class One, class Other, class Same = std::equal_to<>>
constexpr bool equal(One&& one, Other&& other, Same same = {}) {
    return std::equal(std::begin(one), std::end(one), std::begin(other), std::end(other), same);
}
template <class One, class Other>
constexpr auto mismatch(One&& one, Other&& other) {
    const auto [a, b] = std::mismatch(std::begin(one), std::end(one), std::begin(other), std::end(other));
    return mismatch_result<decltype(std::begin(one)), decltype(std::begin(other))>{a, b};
}
template <class One, class Other, class Less = std::less<>, class P = as_it_is, class Q = as_it_is>
constexpr bool lexicographical_compare(One&& one, Other&& other, Less less = {}, P p = {}, Q q = {}) {
    auto a = std::begin(one);
    auto b = std::begin(other);
    for (; a != std::end(one) && b != std::end(other); ++a, ++b) {
        if (std::invoke(less, std::invoke(p, *a), std::invoke(q, *b))) return true;
        if (std::invoke(less, std::invoke(q, *b), std::invoke(p, *a))) return false;
    }
    return a == std::end(one) && b != std::end(other);
}

}  // namespace ranges

_LIBCPP_END_NAMESPACE_STD

// Looks for the end of a word or of a line, several characters at a time where the machine can.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "support/characters.hpp"

namespace isaforge {

// What words are made of: letters, digits and "_".
inline constexpr std::array<bool, 256> word_characters = [] {
    std::array<bool, 256> out{};
    for (std::size_t c = 0; c < out.size(); ++c) {
        const auto character = static_cast<char>(c);
        out[c] = is_letter(character) || is_digit(character) || c == '_';
    }
    return out;
}();
inline bool is_word(char c) { return word_characters[static_cast<unsigned char>(c)]; }

// The capitals among eight characters as small letters.
inline std::uint64_t small_letters(std::uint64_t characters) {
    constexpr std::uint64_t each = 0x0101010101010101u, high = 0x80 * each;
    const std::uint64_t low_bits = characters & ~high;
    const std::uint64_t from_a = low_bits + (0x80 - 'A') * each, behind_z = low_bits + (0x7f - 'Z') * each;
    return characters | (((from_a & ~behind_z & ~characters) & high) >> 2);
}

#ifdef __SSE2__
inline constexpr std::ptrdiff_t scan_size = sizeof(__m128i);

inline __m128i scan_block(const char* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
// Which of the characters lie between these two.
inline __m128i scan_between(__m128i block, char first, char last) {
    return _mm_and_si128(_mm_cmpgt_epi8(block, _mm_set1_epi8(static_cast<char>(first - 1))),
                         _mm_cmplt_epi8(block, _mm_set1_epi8(static_cast<char>(last + 1))));
}
#endif

// Behind the word at `p`, at most `end`.
inline const char* scan_word(const char* p, const char* end) {
#ifdef __SSE2__
    while (end - p >= scan_size) {
        const __m128i block = scan_block(p), small = _mm_or_si128(block, _mm_set1_epi8(0x20));
        const __m128i are_word =
            _mm_or_si128(_mm_or_si128(scan_between(small, 'a', 'z'), scan_between(block, '0', '9')),
                         _mm_cmpeq_epi8(block, _mm_set1_epi8('_')));
        const int count = std::countr_one(static_cast<unsigned>(_mm_movemask_epi8(are_word)));
        p += count;
        if (count != scan_size) return p;
    }
#endif
    while (p != end && is_word(*p)) ++p;
    return p;
}

// The first line end at or behind `p`, or `end`.
inline const char* scan_line(const char* p, const char* end) {
#ifdef __SSE2__
    constexpr int usual_blocks = 4;
    for (int i = 0; i < usual_blocks && end - p >= scan_size; ++i, p += scan_size) {
        const __m128i are_ends = _mm_cmpeq_epi8(scan_block(p), _mm_set1_epi8('\n'));
        const auto found = static_cast<unsigned>(_mm_movemask_epi8(are_ends));
        if (found != 0) return p + std::countr_zero(found);
    }
#endif
    const void* const found = p == end ? nullptr : std::memchr(p, '\n', static_cast<std::size_t>(end - p));
    return found ? static_cast<const char*>(found) : end;
}

}  // namespace isaforge

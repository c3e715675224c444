// The same floats by way of MPFR, correctly rounded: the judge of soft_float and of the functions that soft_float does
// not have.
#pragma once

#include <cstdint>
#include <optional>

#include "soft_float.hpp"

namespace mpfr_float {

enum class Function { add, sub, mul, div, remainder, fma, pow, sin, cos, asin, acos, sqrt, convert };

// The result in the format, rounded as asked; format.nan() for every NaN. `inexact` is set where it had to round.
std::uint64_t compute(Function function, const soft_float::Format& format, std::uint64_t a, std::uint64_t b,
                      std::uint64_t c, soft_float::Rounding rounding, bool& inexact);

// Arithmetic, fma, square roots and conversions of floats, from operands of one format to a result of another, in any direction,
// and what they raise. Every NaN is to.nan().
std::uint64_t compute(Function function, const soft_float::Format& from, const soft_float::Format& to, std::uint64_t a,
                      std::uint64_t b, std::uint64_t c, soft_float::Rounding rounding, soft_float::Flags& flags);
std::uint64_t from_integer(const soft_float::Format& to, std::uint64_t a, bool is_signed, soft_float::Rounding rounding,
                           soft_float::Flags& flags);
// The whole number that `a` rounds to, as a float, which is exact where `inexact` is not set.
std::uint64_t whole(const soft_float::Format& format, std::uint64_t a, soft_float::Rounding rounding, bool& inexact);

std::uint64_t convert(const soft_float::Format& from, const soft_float::Format& to, std::uint64_t a,
                      soft_float::Rounding rounding);
std::uint64_t from_signed(const soft_float::Format& to, std::int64_t a, soft_float::Rounding rounding);
std::uint64_t from_unsigned(const soft_float::Format& to, std::uint64_t a, soft_float::Rounding rounding);
// Nothing where the result is no s64.
std::optional<std::int64_t> to_signed(const soft_float::Format& from, std::uint64_t a, soft_float::Rounding rounding);

}  // namespace mpfr_float

// Sets up MPFR as the narrow format: its precision, its range of exponents, its subnormals.
#include "mpfr_float.hpp"

#include <mpfr.h>

#include <cstdlib>

namespace mpfr_float {
namespace {

using soft_float::Flags;
using soft_float::Format;
using soft_float::Rounding;

// MPFR keeps constants and limbs for each thread, and gives them back when it is told to.
struct Cache {
    ~Cache() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
};

class Value {
public:
    explicit Value(unsigned precision) {
        static thread_local const Cache cache;
        mpfr_init2(value_, static_cast<mpfr_prec_t>(precision));
    }
    ~Value() { mpfr_clear(value_); }
    Value(const Value&) = delete;
    Value& operator=(const Value&) = delete;
    operator mpfr_ptr() { return value_; }  // NOLINT: stands for it everywhere

private:
    mpfr_t value_;
};

mpfr_rnd_t mode(Rounding rounding) {
    switch (rounding) {
        case Rounding::up: return MPFR_RNDU;
        case Rounding::down: return MPFR_RNDD;
        case Rounding::zero: return MPFR_RNDZ;
        case Rounding::nearest_away: std::abort();  // MPFR has no such mode
        case Rounding::nearest: break;
    }
    return MPFR_RNDN;
}

void set_widest_range() {
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
}

void set_range(const Format& format) {
    mpfr_set_emin(3 - format.bias() - static_cast<int>(format.fraction_bits) - 1);
    mpfr_set_emax(format.bias() + 1);
}

void set_bits(mpfr_ptr out, const Format& format, std::uint64_t a) {
    bool negative = (a & format.sign_bit()) != 0;
    std::uint64_t magnitude = a & (format.sign_bit() - 1);
    std::uint64_t fraction = magnitude & ((std::uint64_t{1} << format.fraction_bits) - 1);
    auto biased = static_cast<int>(magnitude >> format.fraction_bits);
    if (magnitude > format.infinity()) {
        mpfr_set_nan(out);
    } else if (magnitude == format.infinity()) {
        mpfr_set_inf(out, 1);
    } else {
        if (biased != 0) fraction |= std::uint64_t{1} << format.fraction_bits;
        mpfr_set_ui_2exp(out, fraction,
                         (biased == 0 ? 1 : biased) - format.bias() - static_cast<int>(format.fraction_bits),
                         MPFR_RNDN);
    }
    mpfr_setsign(out, out, negative ? 1 : 0, MPFR_RNDN);
}

// Of a value that fits the format exactly.
std::uint64_t get_bits(mpfr_ptr value, const Format& format) {
    if (mpfr_nan_p(value) != 0) return format.nan();
    std::uint64_t sign = mpfr_signbit(value) != 0 ? format.sign_bit() : 0;
    if (mpfr_inf_p(value) != 0) return sign | format.infinity();
    if (mpfr_zero_p(value) != 0) return sign;
    Value scaled(64);
    int lowest = 1 - format.bias() - static_cast<int>(format.fraction_bits);
    mpfr_abs(scaled, value, MPFR_RNDN);
    long exponent = mpfr_get_exp(scaled) - static_cast<long>(format.fraction_bits) - 1;  // of the last bit
    if (exponent < lowest) exponent = lowest;
    mpfr_div_2si(scaled, scaled, exponent, MPFR_RNDN);
    std::uint64_t significand = mpfr_get_uj(scaled, MPFR_RNDN);
    std::uint64_t biased =
        significand >> format.fraction_bits == 0 ? 0 : static_cast<std::uint64_t>(exponent - lowest + 1);
    return sign | biased << format.fraction_bits | (significand & ((std::uint64_t{1} << format.fraction_bits) - 1));
}

int apply(Function function, mpfr_ptr out, mpfr_ptr a, mpfr_ptr b, mpfr_ptr c, mpfr_rnd_t mode) {
    switch (function) {
        case Function::add: return mpfr_add(out, a, b, mode);
        case Function::sub: return mpfr_sub(out, a, b, mode);
        case Function::mul: return mpfr_mul(out, a, b, mode);
        case Function::div: return mpfr_div(out, a, b, mode);
        case Function::remainder: return mpfr_fmod(out, a, b, mode);
        case Function::fma: return mpfr_fma(out, a, b, c, mode);
        case Function::pow: return mpfr_pow(out, a, b, mode);
        case Function::sin: return mpfr_sin(out, a, mode);
        case Function::cos: return mpfr_cos(out, a, mode);
        case Function::asin: return mpfr_asin(out, a, mode);
        case Function::acos: return mpfr_acos(out, a, mode);
        case Function::sqrt: return mpfr_sqrt(out, a, mode);
        case Function::convert: return mpfr_set(out, a, mode);
    }
    std::abort();
}

// Rounds into the format: the precision of `value` has been rounded to already, as `ternary` says.
std::uint64_t finish(Value& value, int ternary, const Format& format, mpfr_rnd_t mode, bool& inexact) {
    set_range(format);
    ternary = mpfr_check_range(value, ternary, mode);
    ternary = mpfr_subnormalize(value, ternary, mode);
    inexact = ternary != 0;
    set_widest_range();
    return get_bits(value, format);
}

}  // namespace

std::uint64_t compute(Function function, const Format& format, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                      Rounding rounding, bool& inexact) {
    unsigned precision = format.fraction_bits + 1;
    Value x(precision), y(precision), z(precision), result(precision);
    set_widest_range();
    set_bits(x, format, a);
    set_bits(y, format, b);
    set_bits(z, format, c);
    int ternary = apply(function, result, x, y, z, mode(rounding));
    return finish(result, ternary, format, mode(rounding), inexact);
}

namespace {

constexpr unsigned exact_precision = 4600;  // for the sum of a product of doubles and a double

// The nearer one of two neighbours of a number, the second of which is farther from zero; that where both are as near.
bool is_nearer_away(mpfr_ptr number, mpfr_ptr towards, mpfr_ptr away) {
    Value below(exact_precision), above(exact_precision);
    mpfr_sub(below, number, towards, MPFR_RNDN);
    mpfr_sub(above, away, number, MPFR_RNDN);
    return mpfr_cmpabs(below, above) >= 0;
}

std::uint64_t in_format(mpfr_ptr exact, const Format& format, mpfr_rnd_t mode) {
    Value value(format.fraction_bits + 1);
    const int ternary = mpfr_set(value, exact, mode);
    bool inexact = false;
    return finish(value, ternary, format, mode, inexact);
}

std::uint64_t in_format(mpfr_ptr exact, const Format& format, Rounding rounding) {
    if (rounding != Rounding::nearest_away) return in_format(exact, format, mode(rounding));
    const std::uint64_t towards = in_format(exact, format, MPFR_RNDZ), away = in_format(exact, format, MPFR_RNDA);
    if (towards == away) return away;
    Value a(exact_precision), b(exact_precision);
    set_bits(a, format, towards);
    set_bits(b, format, away);
    if (mpfr_inf_p(b) != 0) mpfr_set_si_2exp(b, mpfr_sgn(exact), format.bias() + 1, MPFR_RNDN);
    return is_nearer_away(exact, a, b) ? away : towards;
}

// The magnitude as it would be if exponents had no bounds: at least 2^power?
bool reaches(mpfr_ptr exact, const Format& format, Rounding rounding, int power) {
    Value value(format.fraction_bits + 1);
    if (rounding == Rounding::nearest_away) {
        Value away(format.fraction_bits + 1);
        mpfr_set(value, exact, MPFR_RNDZ);
        mpfr_set(away, exact, MPFR_RNDA);
        if (is_nearer_away(exact, value, away)) mpfr_set(value, away, MPFR_RNDN);
    } else {
        mpfr_set(value, exact, mode(rounding));
    }
    Value limit(2);
    mpfr_set_ui_2exp(limit, 1, power, MPFR_RNDN);
    return mpfr_cmpabs(value, limit) >= 0;
}

std::uint64_t rounded(mpfr_ptr exact, const Format& format, Rounding rounding, Flags& flags) {
    const std::uint64_t bits = in_format(exact, format, rounding);
    if (mpfr_regular_p(exact) == 0) return bits;
    Value result(format.fraction_bits + 1);
    set_bits(result, format, bits);
    flags.inexact = mpfr_cmp(result, exact) != 0;
    flags.overflow = reaches(exact, format, rounding, format.bias() + 1);
    flags.underflow = flags.inexact && !reaches(exact, format, rounding, 1 - format.bias());
    return bits;
}

}  // namespace

std::uint64_t compute(Function function, const Format& from, const Format& to, std::uint64_t a, std::uint64_t b,
                      std::uint64_t c, Rounding rounding, Flags& flags) {
    const bool is_endless = function == Function::div || function == Function::sqrt;
    Value x(from.fraction_bits + 1), y(from.fraction_bits + 1), z(from.fraction_bits + 1),
        exact(is_endless ? 200 : exact_precision);
    set_widest_range();
    set_bits(x, from, a);
    set_bits(y, from, b);
    set_bits(z, from, c);
    const mpfr_rnd_t sign_of_zero = rounding == Rounding::down ? MPFR_RNDD : MPFR_RNDN;
    const int ternary = apply(function, exact, x, y, z, is_endless ? MPFR_RNDZ : sign_of_zero);
    if (ternary != 0) {  // something between this number and the next: which one does not matter
        mpfr_prec_round(exact, 201, MPFR_RNDZ);
        mpfr_signbit(exact) != 0 ? mpfr_nextbelow(exact) : mpfr_nextabove(exact);
    }
    const bool has_nan = mpfr_nan_p(x) != 0 || mpfr_nan_p(y) != 0 || mpfr_nan_p(z) != 0;
    const bool signals = is_signalling(from, a) || is_signalling(from, b) || is_signalling(from, c);
    const bool no_product = function == Function::fma && ((mpfr_inf_p(x) != 0 && mpfr_zero_p(y) != 0) ||
                                                          (mpfr_zero_p(x) != 0 && mpfr_inf_p(y) != 0));
    flags.invalid = signals || no_product || (!has_nan && mpfr_nan_p(exact) != 0);
    flags.division_by_zero = function == Function::div && mpfr_regular_p(x) != 0 && mpfr_zero_p(y) != 0;
    return rounded(exact, to, rounding, flags);
}

std::uint64_t from_integer(const Format& to, std::uint64_t a, bool is_signed, Rounding rounding, Flags& flags) {
    Value exact(64);
    set_widest_range();
    is_signed ? mpfr_set_sj(exact, static_cast<std::int64_t>(a), MPFR_RNDN) : mpfr_set_uj(exact, a, MPFR_RNDN);
    return rounded(exact, to, rounding, flags);
}

std::uint64_t whole(const Format& format, std::uint64_t a, Rounding rounding, bool& inexact) {
    Value x(format.fraction_bits + 1), result(format.fraction_bits + 1);
    set_widest_range();
    set_bits(x, format, a);
    rounding == Rounding::nearest_away ? mpfr_round(result, x) : mpfr_rint(result, x, mode(rounding));
    inexact = mpfr_nan_p(x) == 0 && mpfr_cmp(result, x) != 0;
    return get_bits(result, format);
}

std::uint64_t convert(const Format& from, const Format& to, std::uint64_t a, Rounding rounding) {
    Value x(from.fraction_bits + 1), result(to.fraction_bits + 1);
    set_widest_range();
    set_bits(x, from, a);
    int ternary = mpfr_set(result, x, mode(rounding));
    bool inexact = false;
    return finish(result, ternary, to, mode(rounding), inexact);
}

std::uint64_t from_signed(const Format& to, std::int64_t a, Rounding rounding) {
    Value result(to.fraction_bits + 1);
    set_widest_range();
    int ternary = mpfr_set_sj(result, a, mode(rounding));
    bool inexact = false;
    return finish(result, ternary, to, mode(rounding), inexact);
}

std::uint64_t from_unsigned(const Format& to, std::uint64_t a, Rounding rounding) {
    Value result(to.fraction_bits + 1);
    set_widest_range();
    int ternary = mpfr_set_uj(result, a, mode(rounding));
    bool inexact = false;
    return finish(result, ternary, to, mode(rounding), inexact);
}

std::optional<std::int64_t> to_signed(const Format& from, std::uint64_t a, Rounding rounding) {
    Value x(from.fraction_bits + 1);
    set_widest_range();
    set_bits(x, from, a);
    if (mpfr_fits_intmax_p(x, mode(rounding)) == 0) return {};
    return mpfr_get_sj(x, mode(rounding));
}

}  // namespace mpfr_float

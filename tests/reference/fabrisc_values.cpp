// One function for each operation whose rule is not one line of C++.
#include "fabrisc_values.hpp"

#include <algorithm>

#include "mpfr_float.hpp"

namespace fabrisc_reference {

using soft_float::Int128;
using soft_float::Rounding;
using soft_float::Wide;

u64 shifted_right(u64 a, unsigned k, unsigned n, bool sign) {
    return sign ? low(static_cast<u64>(as_signed(a, n) >> k), n) : a >> k;
}

namespace {

unsigned range(Int128 exact, unsigned n) {
    const Int128 one = 1;
    return exact > (one << (n - 1)) - 1 ? ovfl : exact < -(one << (n - 1)) ? unfl : 0;
}

Result sum(const Operands& o, unsigned carry) {
    Wide unsigned_exact = static_cast<Wide>(o.a) + o.b + carry;
    Int128 signed_exact = static_cast<Int128>(as_signed(o.a, o.n)) + as_signed(o.b, o.n) + carry;
    return {low(static_cast<u64>(unsigned_exact), o.n),
            (unsigned_exact > ones(o.n) ? covr : 0) | range(signed_exact, o.n)};
}

Result difference(const Operands& o, unsigned borrow) {
    Int128 unsigned_exact = static_cast<Int128>(o.a) - o.b - borrow;
    Int128 signed_exact = static_cast<Int128>(as_signed(o.a, o.n)) - as_signed(o.b, o.n) - borrow;
    return {low(static_cast<u64>(unsigned_exact), o.n), (unsigned_exact < 0 ? cund : 0) | range(signed_exact, o.n)};
}

Result product(const Operands& o, u64 plus) {
    Wide unsigned_exact = static_cast<Wide>(o.a) * o.b + plus;
    Int128 signed_exact = static_cast<Int128>(as_signed(o.a, o.n)) * as_signed(o.b, o.n) + as_signed(plus, o.n);
    return {low(static_cast<u64>(unsigned_exact), o.n),
            (unsigned_exact > ones(o.n) ? covr : 0) | range(signed_exact, o.n)};
}

u64 high_product(const Operands& o) {
    if (o.is_unsigned) return low(static_cast<u64>(static_cast<Wide>(o.a) * o.b >> o.n), o.n);
    Int128 exact = static_cast<Int128>(as_signed(o.a, o.n)) * as_signed(o.b, o.n);
    return low(static_cast<u64>(exact >> o.n), o.n);
}

Result quotient(const Operands& o) {
    if (o.b == 0) return {ones(o.n), div0};
    if (o.is_unsigned) return {o.a / o.b, 0};
    Int128 exact = static_cast<Int128>(as_signed(o.a, o.n)) / as_signed(o.b, o.n);
    return {low(static_cast<u64>(exact), o.n), range(exact, o.n)};
}

Result integer_remainder(const Operands& o) {
    if (o.b == 0) return {o.a, div0};
    if (o.is_unsigned) return {o.a % o.b, 0};
    Int128 exact = static_cast<Int128>(as_signed(o.a, o.n)) % as_signed(o.b, o.n);
    return {low(static_cast<u64>(exact), o.n), 0};
}

// Bit by bit, as one would with a pencil.
u64 carryless(u64 a, u64 b, unsigned n) {
    u64 out = 0;
    for (unsigned i = 0; i < n; ++i) {
        if ((b >> i & 1) != 0) out ^= a << i;
    }
    return low(out, n);
}

u64 groups_swapped(u64 a, u64 b, unsigned n) {
    unsigned log = n == 8 ? 3 : n == 16 ? 4 : n == 32 ? 5 : 6;
    unsigned group = 1u << b % log;
    u64 out = 0;
    for (unsigned i = 0; i < n; ++i) out |= (a >> (i ^ group) & 1) << i;
    return out;
}

u64 rotated_left(u64 a, unsigned k, unsigned n) { return k == 0 ? a : low(a << k | a >> (n - k), n); }

Result shifted_left(u64 a, unsigned k, unsigned n, bool flags) {
    return {low(a << k, n), flags ? range(static_cast<Int128>(as_signed(a, n)) * (static_cast<Int128>(1) << k), n) : 0};
}

// Through the carry, one step after the other: the bit that leaves was in the carry for as long as it takes to say so.
Result left_through_carry(const Operands& o, unsigned k) {
    unsigned carry = (o.flags & covr) != 0 ? 1 : 0;
    if (k == 0) return {o.a, 0, carry};
    return {low(o.a << k | static_cast<u64>(carry) << (k - 1), o.n), 0, static_cast<unsigned>(o.a >> (o.n - k) & 1)};
}

Result right_through_carry(const Operands& o, unsigned k, bool arithmetic) {
    unsigned carry = (o.flags & covr) != 0 ? 1 : 0;
    if (k == 0) return {o.a, 0, carry};
    u64 fill = arithmetic && carry != 0 ? low(~u64{0} << (o.n - k), o.n) : static_cast<u64>(carry) << (o.n - k);
    return {o.a >> k | fill, 0, static_cast<unsigned>(o.a >> (k - 1) & 1)};
}

u64 high_left(u64 a, unsigned k, unsigned n, bool arithmetic) {
    Wide wide = arithmetic ? static_cast<Wide>(static_cast<Int128>(as_signed(a, n))) : static_cast<Wide>(a);
    return low(static_cast<u64>((wide << k) >> n), n);
}

u64 leading(u64 a, unsigned n, unsigned bit) {
    unsigned count = 0;
    while (count < n && (a >> (n - 1 - count) & 1) == bit) ++count;
    return count;
}

u64 trailing(u64 a, unsigned n, unsigned bit) {
    unsigned count = 0;
    while (count < n && (a >> count & 1) == bit) ++count;
    return count;
}

u64 count_ones(u64 a) {
    u64 count = 0;
    for (; a != 0; a &= a - 1) ++count;
    return count;
}

// By an immediate: left where it is not negative.
Result directed(const Operands& o, Op op) {
    s64 by = o.direction;
    bool to_left = by >= 0;
    auto k = static_cast<unsigned>((to_left ? static_cast<u64>(by) : 0 - static_cast<u64>(by)) % o.n);
    if (op == Op::rotate) return {rotated_left(o.a, to_left ? k : (o.n - k) % o.n, o.n), 0};
    if (to_left) return shifted_left(o.a, k, o.n, op == Op::shift_arithmetic);
    return {shifted_right(o.a, k, o.n, op == Op::shift_arithmetic), 0};
}

Result integer(Op op, const Operands& o) {
    const unsigned n = o.n;
    const auto k = static_cast<unsigned>(o.b % n);
    switch (op) {
        case Op::add: return sum(o, 0);
        case Op::sub: return difference(o, 0);
        case Op::add_carry: return sum(o, (o.flags & covr) != 0 ? 1 : 0);
        case Op::sub_carry: return difference(o, (o.flags & cund) != 0 ? 1 : 0);
        case Op::land: return {o.a & o.b, 0};
        case Op::nand: return {low(~(o.a & o.b), n), 0};
        case Op::lor: return {o.a | o.b, 0};
        case Op::nor: return {low(~(o.a | o.b), n), 0};
        case Op::lxor: return {o.a ^ o.b, 0};
        case Op::xnor: return {low(~(o.a ^ o.b), n), 0};
        case Op::imp: return {low(~o.a | o.b, n), 0};
        case Op::nimp: return {low(o.a & ~o.b, n), 0};
        case Op::left: return shifted_left(o.a, k, n, true);
        case Op::logical_left: return shifted_left(o.a, k, n, false);
        case Op::arithmetic_right: return {shifted_right(o.a, k, n, true), 0};
        case Op::logical_right: return {shifted_right(o.a, k, n, false), 0};
        case Op::rotate_left: return {rotated_left(o.a, k, n), 0};
        case Op::rotate_right: return {rotated_left(o.a, (n - k) % n, n), 0};
        case Op::left_carry: return left_through_carry(o, k);
        case Op::arithmetic_right_carry: return right_through_carry(o, k, true);
        case Op::logical_right_carry: return right_through_carry(o, k, false);
        case Op::mul: return product(o, 0);
        case Op::mac: return product(o, o.c);
        case Op::high_mul: return {high_product(o), 0};
        case Op::high_mac: return {low(o.c + high_product(o), n), 0};
        case Op::div: return quotient(o);
        case Op::rem: return integer_remainder(o);
        case Op::carryless_mul: return {carryless(o.a, o.b, n), 0};
        case Op::swap: return {groups_swapped(o.a, o.b, n), 0};
        case Op::arithmetic_high_left: return {high_left(o.a, k, n, true), 0};
        case Op::logical_high_left: return {high_left(o.a, k, n, false), 0};
        case Op::high_right: return {k == 0 ? 0 : low(o.a << (n - k), n), 0};
        case Op::insert_field: return {(o.c & ~o.b) | (o.a & o.b), 0};
        case Op::get_field: return {o.c & o.b, 0};
        case Op::set_field: return {o.c | o.b, 0};
        case Op::shift_arithmetic:
        case Op::shift_logical:
        case Op::rotate: return directed(o, op);
        case Op::ones: return {count_ones(o.a), 0};
        case Op::zeros: return {n - count_ones(o.a), 0};
        case Op::leading_ones: return {leading(o.a, n, 1), 0};
        case Op::leading_zeros: return {leading(o.a, n, 0), 0};
        case Op::trailing_ones: return {trailing(o.a, n, 1), 0};
        case Op::trailing_zeros: return {trailing(o.a, n, 0), 0};
        default: return {};
    }
}

// Functions that MPFR computes. What the emulator says stands where it is one unit away at most.
u64 judged(mpfr_float::Function function, const Operands& o) {
    const soft_float::Format& format = soft_float::format_of(o.n);
    bool inexact = false;
    const u64 expected = mpfr_float::compute(function, format, o.a, o.b, 0, Rounding::nearest, inexact);
    if (!o.witness || soft_float::is_nan(format, expected)) return expected;
    const u64 sign = expected & format.sign_bit(), magnitude = expected ^ sign;
    for (u64 near : {magnitude, magnitude - 1, magnitude + 1}) {
        if (near <= format.infinity() && (((sign | near) ^ *o.witness) & o.witness_bits) == 0) return sign | near;
    }
    return expected;
}

Result floating(Op op, Operands o) {
    using mpfr_float::Function;
    const soft_float::Format& f = soft_float::format_of(o.n);
    if (o.is_unsigned) {
        o.a &= ~f.sign_bit();
        o.b &= ~f.sign_bit();
    }
    soft_float::Flags ignored;
    bool a_finite = !soft_float::is_nan(f, o.a) && !soft_float::is_infinite(f, o.a);
    bool b_finite = !soft_float::is_nan(f, o.b) && !soft_float::is_infinite(f, o.b);
    bool c_finite = !soft_float::is_nan(f, o.c) && !soft_float::is_infinite(f, o.c);
    bool a_zero = soft_float::is_zero(f, o.a), b_zero = soft_float::is_zero(f, o.b);
    Result r;
    switch (op) {
        case Op::fadd: r.value = soft_float::add(f, o.a, o.b, o.rounding, ignored); break;
        case Op::fsub: r.value = soft_float::sub(f, o.a, o.b, o.rounding, ignored); break;
        case Op::fmul: r.value = soft_float::mul(f, o.a, o.b, o.rounding, ignored); break;
        case Op::fdiv: r.value = soft_float::div(f, o.a, o.b, o.rounding, ignored); break;
        case Op::fmac: r.value = soft_float::fma(f, o.a, o.b, o.c, o.rounding, ignored); break;
        case Op::frem: r.value = soft_float::remainder(f, o.a, o.b, ignored); break;
        case Op::fpow: r.value = judged(Function::pow, o); break;
        case Op::sin: r.value = judged(Function::sin, o); return r;
        case Op::cos: r.value = judged(Function::cos, o); return r;
        case Op::asin: r.value = judged(Function::asin, o); return r;
        case Op::acos: r.value = judged(Function::acos, o); return r;
        default: return r;
    }
    if (op == Op::fdiv && b_zero && a_finite && !a_zero) r.raised |= div0;
    if (op == Op::frem && b_zero && !soft_float::is_nan(f, o.a)) r.raised |= div0;
    if (soft_float::is_infinite(f, r.value) && a_finite && b_finite && (op != Op::fmac || c_finite) && r.raised == 0)
        r.raised |= ovfl;
    bool small = soft_float::is_zero(f, r.value) || soft_float::is_subnormal(f, r.value);
    if (small && a_finite && !a_zero && b_finite && (op == Op::fdiv || op == Op::fpow || (op == Op::fmul && !b_zero)))
        r.raised |= unfl;
    return r;
}

}  // namespace

Result compute(Op op, const Operands& o) { return is_float(op) ? floating(op, o) : integer(op, o); }

// ZERO and SIGN of a result.
unsigned look_of(u64 value, unsigned n, bool floating_point) {
    u64 magnitude = floating_point ? value & ~top_bit(n) : value;
    return (magnitude == 0 ? zero_flag : 0) | ((value & top_bit(n)) != 0 ? sign_flag : 0);
}

u64 cast(Cast kind, u64 a, unsigned from, unsigned to, bool is_unsigned, Rounding rounding) {
    soft_float::Flags flags;
    switch (kind) {
        case Cast::integer_integer: return low(is_unsigned ? a : static_cast<u64>(as_signed(a, from)), to);
        case Cast::float_float:
            if (is_unsigned) a &= ~top_bit(from);
            return soft_float::convert(soft_float::format_of(from), soft_float::format_of(to), a, rounding, flags);
        case Cast::integer_float:
            return soft_float::from_signed(soft_float::format_of(to),
                                           is_unsigned ? static_cast<Int128>(a) : as_signed(a, from), rounding, flags);
        case Cast::float_integer: break;
    }
    const soft_float::Format& format = soft_float::format_of(from);
    const Int128 one = 1, most = is_unsigned ? (one << to) - 1 : (one << (to - 1)) - 1,
                 least = is_unsigned ? 0 : -(one << (to - 1));
    Int128 whole = soft_float::is_nan(format, a) ? most : soft_float::to_integer(format, a, rounding, flags);
    return low(static_cast<u64>(std::clamp(whole, least, most)), to);
}

// EQ NE LT LE.
bool holds(unsigned condition, u64 a, u64 b, unsigned n, bool floating_point, bool is_unsigned) {
    bool equal = false, less = false;
    if (floating_point) {
        const soft_float::Format& format = soft_float::format_of(n);
        if (is_unsigned) {
            a &= ~format.sign_bit();
            b &= ~format.sign_bit();
        }
        equal = soft_float::equal(format, a, b);
        less = soft_float::less(format, a, b);
    } else {
        equal = a == b;
        less = is_unsigned ? a < b : as_signed(a, n) < as_signed(b, n);
    }
    switch (condition) {
        case 0: return equal;
        case 1: return !equal;
        case 2: return less;
        default: return less || equal;
    }
}

}  // namespace fabrisc_reference

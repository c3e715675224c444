// The vector half of the model: VOP1, VOP2, VOPC, VOP3 and VOP3P with their modifiers, SDWA and DPP.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>

#include "gcn_model.hpp"
#include "reference/soft_float.hpp"

namespace gcn_reference {

namespace sf = soft_float;

namespace {

enum Type { i16, f16, i32, f32, i64, f64 };
constexpr unsigned bits_of(Type t) { return t <= f16 ? 16 : t <= f32 ? 32 : 64; }
constexpr bool is_float(Type t) { return t == f16 || t == f32 || t == f64; }
const sf::Format& format(Type t) { return sf::format_of(bits_of(t)); }
std::uint64_t ones(unsigned n) { return n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }
std::int64_t extended(std::uint64_t x, unsigned n) { return static_cast<std::int64_t>(x << (64 - n)) >> (64 - n); }
bool starts(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }
bool ends(const std::string& text, const std::string& with) {
    return text.size() >= with.size() && text.compare(text.size() - with.size(), with.size(), with) == 0;
}

// 2 / pi in binary, by long division of big numbers: pi from Machin's formula.
std::vector<bool> two_over_pi_bits() {
    constexpr unsigned limbs = 44, fraction = 32 * 42;  // fixed point, 64 bits before the point
    using Big = std::vector<std::uint32_t>;             // the lowest first
    const auto divide = [](Big& x, std::uint32_t d) {
        std::uint64_t rest = 0;
        for (std::size_t i = x.size(); i-- > 0;) {
            rest = rest << 32 | x[i];
            x[i] = std::uint32_t(rest / d);
            rest %= d;
        }
    };
    const auto add = [](Big& x, const Big& y, bool subtract) {
        std::int64_t carry = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const std::int64_t sum = std::int64_t{x[i]} + (subtract ? -std::int64_t{y[i]} : std::int64_t{y[i]}) + carry;
            x[i] = std::uint32_t(sum);
            carry = sum >> 32;
        }
    };
    const auto arctan = [&](std::uint32_t d, std::uint32_t times) {
        Big term(limbs), sum(limbs);
        term[fraction / 32] = times;
        divide(term, d);
        for (std::uint32_t k = 1; k < 2000; k += 2) {
            Big part = term;
            divide(part, k);
            add(sum, part, k % 4 == 3);
            divide(term, d);
            divide(term, d);
        }
        return sum;
    };
    Big pi = arctan(5, 16);
    add(pi, arctan(239, 4), true);
    // Bit by bit: is twice the rest at least pi?
    Big rest(limbs);
    rest[fraction / 32] = 2;
    std::vector<bool> result;
    for (unsigned i = 0; i < 1300; ++i) {
        const Big before = rest;
        add(rest, before, false);
        const bool bit = !std::lexicographical_compare(rest.rbegin(), rest.rend(), pi.rbegin(), pi.rend());
        if (bit) add(rest, pi, true);
        result.push_back(bit);
    }
    return result;
}

}  // namespace

int Model::dpp_lane(int i) const {
    const int p = i % 16, row = i - p;
    const unsigned c = f_.dpp_ctrl;
    if (c <= 0xff) return (i & ~3) + int(c >> (2 * (i & 3)) & 3);
    const int n = int(c & 15);
    if (c >= 0x101 && c <= 0x10f) return p + n > 15 ? -1 : i + n;
    if (c >= 0x111 && c <= 0x11f) return p < n ? -1 : i - n;
    if (c >= 0x121 && c <= 0x12f) return row + ((p - n) & 15);
    if (c == 0x130) return i == 63 ? -1 : i + 1;
    if (c == 0x134) return (i + 1) & 63;
    if (c == 0x138) return i - 1;
    if (c == 0x13c) return (i - 1) & 63;
    if (c == 0x140) return row + 15 - p;
    if (c == 0x141) return (i & ~7) + 7 - (i & 7);
    if (c == 0x142) return row - 1 < 0 ? -1 : row - 1;
    return i < 32 ? -1 : 31;
}

// One lane of one instruction.
struct Lane {
    Model& m;
    const Wave& old;  // as it was before
    Wave& w;
    const Model::Fields& f;
    int g, lane;
    bool high_half = false;  // VOP3P: the high result is being made
    std::uint64_t mask = 0;  // bits that this lane gives to a mask
    bool wrote_mask = false;

    // ---- Sources
    std::uint32_t raw32(unsigned k) const {
        unsigned code = f.src[k];
        if (code < 256) return m.scalar32(code);
        code -= 256;
        if (g >= 8 && (old.mode >> 27 & 1) != 0 && (old.m0 >> (12 + k) & 1) != 0) {
            code += old.m0 & 0xff;
            if (code > 255) code = 0;
        }
        int from = lane;
        if (f.dpp && k == 0) {
            from = m.dpp_lane(lane);
            if (from < 0 || (old.exec >> from & 1) == 0) return 0;
        }
        return old.v[code][static_cast<std::size_t>(from)];
    }
    std::uint64_t constant(unsigned code, Type t) const {
        if (code >= 240 && code <= 248 && t == f16) {
            static constexpr std::uint16_t halves[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                                       0xc000, 0x4400, 0xc400, 0x3118};
            return halves[code - 240];
        }
        if (bits_of(t) == 64) return code == 255 && t == f64 ? std::uint64_t{f.literal} << 32 : m.scalar64(code, true);
        return m.scalar32(code) & ones(bits_of(t));
    }
    // A constant of 16 bits has nothing above them; other constants are the 32 bits that they are elsewhere.
    bool half_constant(unsigned k, Type t) const { return t == f16 && f.src[k] >= 240 && f.src[k] <= 248; }
    std::uint64_t src(unsigned k, Type t) const {
        const unsigned n = bits_of(t);
        std::uint64_t x = 0;
        if (f.sdwa && k < 2) {
            const unsigned sel = f.sel[k];
            const std::uint32_t whole = half_constant(k, t) ? std::uint32_t(constant(f.src[k], t)) : raw32(k);
            const unsigned size = sel < 4 ? 8 : sel < 6 ? 16 : 32, low = sel < 4 ? 8 * sel : sel == 5 ? 16 : 0;
            x = whole >> low & ones(size);
            if ((f.sext >> k & 1) != 0) x = static_cast<std::uint64_t>(extended(x, size));
            x &= ones(n);
        } else if (f.encoding == Encoding::vop3p) {
            const unsigned half = (high_half ? f.op_sel_hi : f.op_sel) >> k & 1;
            std::uint32_t whole = raw32(k);
            if (f.src[k] >= 240 && f.src[k] <= 248) whole = std::uint32_t(constant(f.src[k], f16));
            x = whole >> (16 * half) & 0xffff;
            const unsigned negative = (high_half ? f.neg_hi : f.neg) >> k & 1;
            return negative != 0 ? x ^ 0x8000 : x;
        } else if (f.src[k] >= 128 && f.src[k] < 256 && (n != 16 || half_constant(k, t))) {
            x = (f.op_sel >> k & 1) != 0 && n == 16 ? 0 : constant(f.src[k], t);
        } else if (n == 64) {
            if (f.src[k] < 128)
                x = m.scalar64(f.src[k]);
            else {
                unsigned r = f.src[k] - 256;
                if (g >= 8 && (old.mode >> 27 & 1) != 0 && (old.m0 >> (12 + k) & 1) != 0) {
                    r += old.m0 & 0xff;
                    if (r > 254) r = 0;
                }
                const auto i = static_cast<std::size_t>(lane);
                x = old.v[r][i] | std::uint64_t{old.v[(r + 1) & 255][i]} << 32;
            }
        } else {
            x = raw32(k);
            if (n == 16) x = (f.op_sel >> k & 1) != 0 ? x >> 16 : x & 0xffff;
        }
        if (is_float(t)) {
            const std::uint64_t sign = std::uint64_t{1} << (n - 1);
            if ((f.abs >> k & 1) != 0) x &= ~sign;
            if ((f.neg >> k & 1) != 0) x ^= sign;
        }
        return x;
    }
    std::uint64_t u(unsigned k) const { return src(k, i32); }
    std::int64_t s(unsigned k) const { return extended(u(k), 32); }
    std::uint64_t u16(unsigned k) const { return src(k, i16); }
    std::int64_t s16(unsigned k) const { return extended(u16(k), 16); }
    std::uint64_t accumulator(Type t) const {
        const unsigned r = target() > 255 ? 0 : target();
        return old.v[r][static_cast<std::size_t>(lane)] & ones(bits_of(t));
    }

    // ---- Floats
    sf::Rounding rounding(Type t) const {
        static constexpr sf::Rounding how[] = {sf::Rounding::nearest, sf::Rounding::up, sf::Rounding::down,
                                               sf::Rounding::zero};
        return how[old.mode >> (t == f32 ? 0 : 2) & 3];
    }
    unsigned kept(Type t) const { return old.mode >> (t == f32 ? 4 : 6) & 3; }
    static std::uint64_t flush(Type t, std::uint64_t x) {
        return sf::is_subnormal(format(t), x) ? x & format(t).sign_bit() : x;
    }
    std::uint64_t in(Type t, std::uint64_t x) const { return (kept(t) & 1) != 0 ? x : flush(t, x); }
    std::uint64_t out(Type t, std::uint64_t x) const { return (kept(t) & 2) != 0 ? x : flush(t, x); }
    // With FP16_OVFL of GCN 1.4 halves that are too large are the largest one.
    std::uint64_t limited(Type t, std::uint64_t x, bool overflow) const {
        return t == f16 && g >= 9 && (old.mode >> 23 & 1) != 0 && overflow && sf::is_infinite(format(t), x) ? x - 1 : x;
    }
    std::uint64_t add(Type t, std::uint64_t a, std::uint64_t b) const {
        sf::Flags flags;
        const std::uint64_t x = sf::add(format(t), in(t, a), in(t, b), rounding(t), flags);
        return limited(t, out(t, x), flags.overflow);
    }
    std::uint64_t neg(Type t, std::uint64_t a) const { return a ^ format(t).sign_bit(); }
    std::uint64_t mul(Type t, std::uint64_t a, std::uint64_t b) const {
        sf::Flags flags;
        const std::uint64_t x = sf::mul(format(t), in(t, a), in(t, b), rounding(t), flags);
        return limited(t, out(t, x), flags.overflow);
    }
    std::uint64_t fma(Type t, std::uint64_t a, std::uint64_t b, std::uint64_t c) const {
        sf::Flags flags;
        const std::uint64_t x = sf::fma(format(t), in(t, a), in(t, b), in(t, c), rounding(t), flags);
        return limited(t, out(t, x), flags.overflow);
    }
    // Two roundings, and nothing subnormal anywhere.
    std::uint64_t mad(Type t, std::uint64_t a, std::uint64_t b, std::uint64_t c, bool legacy = false) const {
        sf::Flags flags;
        a = flush(t, a), b = flush(t, b), c = flush(t, c);
        std::uint64_t product = flush(t, sf::mul(format(t), a, b, rounding(t), flags));
        if (legacy && (sf::is_zero(format(t), a) || sf::is_zero(format(t), b))) product = 0;
        const std::uint64_t sum = flush(t, sf::add(format(t), product, c, rounding(t), flags));
        return limited(t, sum, flags.overflow && !sf::is_infinite(format(t), c));
    }
    bool nan(Type t, std::uint64_t a) const { return sf::is_nan(format(t), a); }
    bool less(Type t, std::uint64_t a, std::uint64_t b) const { return sf::less(format(t), in(t, a), in(t, b)); }
    bool equal(Type t, std::uint64_t a, std::uint64_t b) const { return sf::equal(format(t), in(t, a), in(t, b)); }
    std::uint64_t quiet(Type t, std::uint64_t a) const { return a | format(t).quiet_bit(); }
    std::uint64_t smaller(Type t, std::uint64_t a, std::uint64_t b, bool largest) const {
        const bool ieee = (old.mode >> 9 & 1) != 0;
        if (ieee && sf::is_signalling(format(t), a)) return quiet(t, a);
        if (ieee && sf::is_signalling(format(t), b)) return quiet(t, b);
        if (nan(t, a) && nan(t, b)) return quiet(t, a);
        const auto settle = [&](std::uint64_t x) { return g >= 9 ? out(t, in(t, x)) : x; };
        if (nan(t, a)) return settle(b);
        if (nan(t, b)) return settle(a);
        if (g >= 9) a = in(t, a), b = in(t, b);
        // -0 before +0: then the order of the bits as signed magnitudes decides.
        const auto key = [&](std::uint64_t x) {
            const auto magnitude = static_cast<std::int64_t>(x & ~format(t).sign_bit());
            return (x & format(t).sign_bit()) != 0 ? -magnitude - 1 : magnitude;
        };
        return settle((key(a) < key(b)) != largest ? a : b);
    }
    std::uint64_t three(Type t, bool largest) const {
        return smaller(t, smaller(t, src(0, t), src(1, t), largest), src(2, t), largest);
    }
    std::uint64_t to_float(Type t, sf::Int128 x) const {
        sf::Flags flags;
        const std::uint64_t made = sf::from_signed(format(t), x, rounding(t), flags);
        return limited(t, out(t, made), flags.overflow);
    }
    std::uint64_t convert(Type from, Type to, std::uint64_t x, sf::Rounding how, bool keep) const {
        sf::Flags flags;
        const std::uint64_t result = sf::convert(format(from), format(to), keep ? x : in(from, x), how, flags);
        return limited(to, keep ? result : out(to, result), flags.overflow);
    }
    static sf::Int128 whole(Type t, std::uint64_t x, sf::Rounding how) {
        sf::Flags flags;
        return sf::to_integer(format(t), x, how, flags);
    }
    static std::uint64_t saturated(sf::Int128 x, sf::Int128 low, sf::Int128 high) {
        return static_cast<std::uint64_t>(x < low ? low : x > high ? high : x);
    }
    // As a C number, and back, to the nearest.
    static double number(Type t, std::uint64_t x) {
        sf::Flags flags;
        return std::bit_cast<double>(sf::convert(format(t), sf::binary64, x, sf::Rounding::nearest, flags));
    }
    static std::uint64_t bits(Type t, double x) {
        sf::Flags flags;
        return sf::convert(sf::binary64, format(t), std::bit_cast<std::uint64_t>(x), sf::Rounding::nearest, flags);
    }
    std::uint64_t invalid(Type t) const { return format(t).sign_bit() | format(t).nan(); }

    // ---- Results
    std::uint64_t modified(Type t, std::uint64_t x) const {
        if (!is_float(t)) return x;
        const sf::Format& form = format(t);
        sf::Flags flags;
        const bool ieee = (old.mode >> 9 & 1) != 0, dx10 = (old.mode >> 8 & 1) != 0;
        if (f.omod != 0 && !ieee && (kept(t) & 2) == 0) {
            const std::uint64_t by = bits(t, f.omod == 1 ? 2 : f.omod == 2 ? 4 : 0.5);
            x = flush(t, sf::mul(form, flush(t, x), by, sf::Rounding::nearest, flags));
            x = limited(t, x, flags.overflow);
            if (sf::is_zero(form, x)) x = 0;
        }
        if (f.clamp != 0) {
            if (nan(t, x)) return dx10 ? 0 : x;
            if (!sf::less(form, 0, x)) return 0;
            if (sf::less(form, bits(t, 1), x)) return bits(t, 1);
        }
        return x;
    }
    unsigned target() const {
        const bool moved = g >= 8 && (old.mode >> 27 & 1) != 0 && (old.m0 >> 15 & 1) != 0;
        return f.vdst + (moved ? old.m0 & 0xff : 0);
    }
    bool keeps_high = false;  // of 16-bit results
    void put(Type t, std::uint64_t x, int distance = -1) {
        const auto i = static_cast<std::size_t>(lane);
        if (is_float(t) && f.omod != 0) distance = std::max(distance, 0);
        if (is_float(t)) x = modified(t, x);
        const unsigned n = bits_of(t);
        unsigned r = f.vdst;
        if (g >= 8 && (old.mode >> 27 & 1) != 0 && (old.m0 >> 15 & 1) != 0) {
            r += old.m0 & 0xff;
            if (r > (n == 64 ? 254 : 255)) return;
        }
        unsigned low = 0;
        if (n == 64) {
            w.v[r][i] = std::uint32_t(x);
            w.v[(r + 1) & 255][i] = std::uint32_t(x >> 32);
        } else if (f.sdwa) {
            const unsigned sel = f.dst_sel, size = sel < 4 ? 8 : sel < 6 ? 16 : 32;
            low = sel < 4 ? 8 * sel : sel == 5 ? 16 : 0;
            const std::uint32_t field = std::uint32_t(ones(size) << low), placed = std::uint32_t(x << low) & field;
            std::uint32_t rest = 0;
            if (size != 32 && f.dst_unused == 2) rest = old.v[r][i] & ~field;
            if (size != 32 && f.dst_unused == 1 && (x >> (size - 1) & 1) != 0)
                rest = std::uint32_t(~std::uint64_t{0} << (low + size));
            w.v[r][i] = placed | rest;
            if ((size < n || f.dst_unused == 1) && is_float(t) && nan(t, x))
                m.loose_.push_back({r, unsigned(lane), 0, 0, 0});
            // Of two neighbours the bits that are kept may differ in any way.
            if (size < n && distance > 0) m.loose_.push_back({r, unsigned(lane), 0, 0, 0});
            if (size < n) distance = -1;
        } else if (n == 16) {
            const bool high = f.encoding == Encoding::vop3 && (f.op_sel >> 3 & 1) != 0;
            const std::uint32_t before = old.v[r][i];
            low = high ? 16 : 0;
            w.v[r][i] = high ? std::uint32_t(x << 16) | (before & 0xffff)
                             : std::uint32_t(x) | (g >= 9 && keeps_high ? before & 0xffff0000 : 0);
        } else {
            w.v[r][i] = std::uint32_t(x);
        }
        if (distance >= 0) m.loose_.push_back({r, unsigned(lane), n, low, unsigned(distance)});
    }
    void put_float(Type t, std::uint64_t x) { put(t, x, 0); }
    void put_mask(bool bit) {
        wrote_mask = true;
        mask |= std::uint64_t{bit} << lane;
    }
};

namespace {

using Rule = std::function<void(Lane&)>;
using Rules = std::map<std::string, Rule>;

std::uint64_t clamp_if(const Lane& l, sf::Int128 x, sf::Int128 low, sf::Int128 high, unsigned n) {
    if (l.f.clamp != 0 && l.g >= 8) return Lane::saturated(x, low, high) & ones(n);
    return static_cast<std::uint64_t>(x) & ones(n);
}
std::uint64_t clamp_u(const Lane& l, sf::Int128 x, unsigned n) {
    return clamp_if(l, x, 0, (sf::Int128{1} << n) - 1, n);
}
std::uint64_t clamp_s(const Lane& l, sf::Int128 x, unsigned n) {
    return clamp_if(l, x, -(sf::Int128{1} << (n - 1)), (sf::Int128{1} << (n - 1)) - 1, n);
}

bool carry_in(const Lane& l) {
    const bool by_vcc = l.f.encoding != Encoding::vop3;
    const std::uint64_t from = by_vcc ? l.old.vcc : l.m.scalar64_of(l.f.src[2]);
    return (from >> l.lane & 1) != 0;
}

std::uint64_t sad(std::uint64_t a, std::uint64_t b, bool masked) {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < 32; i += 8) {
        const int x = int(a >> i & 255), y = int(b >> i & 255);
        if (!masked || y != 0) sum += static_cast<std::uint64_t>(std::abs(x - y));
    }
    return sum;
}

void integers(Rules& rules) {
    const auto i32_rule = [&](const std::string& name, auto f) {
        rules[name] = [f](Lane& l) { l.put(i32, f(l) & 0xffffffff); };
    };
    const auto i16_rule = [&](const std::string& name, auto f) {
        rules[name] = [f](Lane& l) { l.put(i16, f(l) & 0xffff); };
    };
    for (const char* name : {"v_mov_b32", "v_mov_fed_b32", "v_mov_prsv_b32"})
        i32_rule(name, [](Lane& l) { return l.u(0); });
    i32_rule("v_not_b32", [](Lane& l) { return ~l.u(0); });
    i32_rule("v_bfrev_b32", [](Lane& l) {
        std::uint64_t r = 0;
        for (unsigned i = 0; i < 32; ++i) r |= (l.u(0) >> i & 1) << (31 - i);
        return r;
    });
    i32_rule("v_ffbh_u32", [](Lane& l) {
        return l.u(0) == 0 ? ~std::uint64_t{0} : std::uint64_t(std::countl_zero(std::uint32_t(l.u(0))));
    });
    i32_rule("v_ffbl_b32",
             [](Lane& l) { return l.u(0) == 0 ? ~std::uint64_t{0} : std::uint64_t(std::countr_zero(l.u(0))); });
    i32_rule("v_ffbh_i32", [](Lane& l) {
        const auto x = std::uint32_t(l.u(0));
        const std::uint32_t y = x >> 31 != 0 ? ~x : x;
        return y == 0 ? ~std::uint64_t{0} : std::uint64_t(std::countl_zero(y));
    });
    i32_rule("v_sat_pk_u8_i16", [](Lane& l) {
        const auto one = [](std::int64_t x) { return Lane::saturated(x, 0, 255); };
        return one(extended(l.u(0) & 0xffff, 16)) | one(extended(l.u(0) >> 16, 16)) << 8;
    });
    i32_rule("v_mul_i32_i24", [](Lane& l) { return std::uint64_t(extended(l.u(0), 24) * extended(l.u(1), 24)); });
    i32_rule("v_mul_hi_i32_i24",
             [](Lane& l) { return std::uint64_t(extended(l.u(0), 24) * extended(l.u(1), 24) >> 32); });
    i32_rule("v_mul_u32_u24", [](Lane& l) { return (l.u(0) & 0xffffff) * (l.u(1) & 0xffffff); });
    i32_rule("v_mul_hi_u32_u24", [](Lane& l) { return (l.u(0) & 0xffffff) * (l.u(1) & 0xffffff) >> 32; });
    i32_rule("v_min_i32", [](Lane& l) { return std::uint64_t(std::min(l.s(0), l.s(1))); });
    i32_rule("v_max_i32", [](Lane& l) { return std::uint64_t(std::max(l.s(0), l.s(1))); });
    i32_rule("v_min_u32", [](Lane& l) { return std::min(l.u(0), l.u(1)); });
    i32_rule("v_max_u32", [](Lane& l) { return std::max(l.u(0), l.u(1)); });
    i32_rule("v_lshrrev_b32", [](Lane& l) { return l.u(1) >> (l.u(0) & 31); });
    i32_rule("v_ashrrev_i32", [](Lane& l) { return std::uint64_t(l.s(1) >> (l.u(0) & 31)); });
    i32_rule("v_lshlrev_b32", [](Lane& l) { return l.u(1) << (l.u(0) & 31); });
    i32_rule("v_lshr_b32", [](Lane& l) { return l.u(0) >> (l.u(1) & 31); });
    i32_rule("v_ashr_i32", [](Lane& l) { return std::uint64_t(l.s(0) >> (l.u(1) & 31)); });
    i32_rule("v_lshl_b32", [](Lane& l) { return l.u(0) << (l.u(1) & 31); });
    i32_rule("v_and_b32", [](Lane& l) { return l.u(0) & l.u(1); });
    i32_rule("v_or_b32", [](Lane& l) { return l.u(0) | l.u(1); });
    i32_rule("v_xor_b32", [](Lane& l) { return l.u(0) ^ l.u(1); });
    i32_rule("v_bfm_b32", [](Lane& l) { return ((std::uint64_t{1} << (l.u(0) & 31)) - 1) << (l.u(1) & 31); });
    i32_rule("v_bcnt_u32_b32", [](Lane& l) { return std::uint64_t(std::popcount(l.u(0))) + l.u(1); });
    i32_rule("v_mbcnt_lo_u32_b32", [](Lane& l) {
        const std::uint64_t below = l.lane >= 32 ? 0xffffffff : (std::uint64_t{1} << l.lane) - 1;
        return std::uint64_t(std::popcount(l.u(0) & below)) + l.u(1);
    });
    i32_rule("v_mbcnt_hi_u32_b32", [](Lane& l) {
        const std::uint64_t below = l.lane < 32 ? 0 : (std::uint64_t{1} << (l.lane - 32)) - 1;
        return std::uint64_t(std::popcount(l.u(0) & below)) + l.u(1);
    });
    i16_rule("v_add_u16", [](Lane& l) { return clamp_u(l, sf::Int128(l.u16(0)) + l.u16(1), 16); });
    i16_rule("v_sub_u16", [](Lane& l) { return clamp_u(l, sf::Int128(l.u16(0)) - l.u16(1), 16); });
    i16_rule("v_subrev_u16", [](Lane& l) { return clamp_u(l, sf::Int128(l.u16(1)) - l.u16(0), 16); });
    i16_rule("v_mul_lo_u16", [](Lane& l) { return l.u16(0) * l.u16(1); });
    i16_rule("v_lshlrev_b16", [](Lane& l) { return l.u16(1) << (l.u16(0) & 15); });
    i16_rule("v_lshrrev_b16", [](Lane& l) { return l.u16(1) >> (l.u16(0) & 15); });
    i16_rule("v_ashrrev_i16", [](Lane& l) { return std::uint64_t(l.s16(1) >> (l.u16(0) & 15)); });
    i16_rule("v_min_i16", [](Lane& l) { return std::uint64_t(std::min(l.s16(0), l.s16(1))); });
    i16_rule("v_max_i16", [](Lane& l) { return std::uint64_t(std::max(l.s16(0), l.s16(1))); });
    i16_rule("v_min_u16", [](Lane& l) { return std::min(l.u16(0), l.u16(1)); });
    i16_rule("v_max_u16", [](Lane& l) { return std::max(l.u16(0), l.u16(1)); });
    i16_rule("v_add_i16", [](Lane& l) { return l.keeps_high = true, clamp_s(l, sf::Int128(l.s16(0)) + l.s16(1), 16); });
    i16_rule("v_sub_i16", [](Lane& l) { return l.keeps_high = true, clamp_s(l, sf::Int128(l.s16(0)) - l.s16(1), 16); });
    // With a carry, and on gfx9 some without.
    const auto sum = [&](const std::string& name, bool carries, int how, bool takes_carry) {
        rules[name] = [=](Lane& l) {
            const std::uint64_t a = how == 2 ? l.u(1) : l.u(0), b = how == 2 ? l.u(0) : l.u(1),
                                c = takes_carry && carry_in(l);
            const sf::Int128 exact = how == 0 ? sf::Int128(a) + b + c : sf::Int128(a) - b - c;
            if (carries) l.put_mask(how == 0 ? exact > 0xffffffff : exact < 0);
            l.put(i32, clamp_u(l, exact, 32));
        };
    };
    for (const char* suffix : {"_u32", "_i32", "_co_u32"}) {
        sum(std::string("v_add") + suffix, true, 0, false);
        sum(std::string("v_sub") + suffix, true, 1, false);
        sum(std::string("v_subrev") + suffix, true, 2, false);
    }
    for (const char* suffix : {"_u32", "_co_u32"}) {
        sum(std::string("v_addc") + suffix, true, 0, true);
        sum(std::string("v_subb") + suffix, true, 1, true);
        sum(std::string("v_subbrev") + suffix, true, 2, true);
    }
    rules["v_cndmask_b32"] = [](Lane& l) { l.put(i32, carry_in(l) ? l.src(1, f32) : l.src(0, f32)); };
    i32_rule("v_cvt_pk_u16_u32", [](Lane& l) {
        return std::min<std::uint64_t>(l.u(0), 0xffff) | std::min<std::uint64_t>(l.u(1), 0xffff) << 16;
    });
    i32_rule("v_cvt_pk_i16_i32", [](Lane& l) {
        return (Lane::saturated(l.s(0), -32768, 32767) & 0xffff) | (Lane::saturated(l.s(1), -32768, 32767) & 0xffff)
                                                                       << 16;
    });
    i32_rule("v_mul_lo_u32", [](Lane& l) { return l.u(0) * l.u(1); });
    i32_rule("v_mul_lo_i32", [](Lane& l) { return l.u(0) * l.u(1); });
    i32_rule("v_mul_hi_u32", [](Lane& l) { return l.u(0) * l.u(1) >> 32; });
    i32_rule("v_mul_hi_i32", [](Lane& l) { return std::uint64_t(l.s(0) * l.s(1) >> 32); });
    rules["v_lshlrev_b64"] = [](Lane& l) { l.put(i64, l.src(1, i64) << (l.u(0) & 63)); };
    rules["v_lshrrev_b64"] = [](Lane& l) { l.put(i64, l.src(1, i64) >> (l.u(0) & 63)); };
    rules["v_ashrrev_i64"] = [](Lane& l) { l.put(i64, std::uint64_t(std::int64_t(l.src(1, i64)) >> (l.u(0) & 63))); };
    rules["v_lshl_b64"] = [](Lane& l) { l.put(i64, l.src(0, i64) << (l.u(1) & 63)); };
    rules["v_lshr_b64"] = [](Lane& l) { l.put(i64, l.src(0, i64) >> (l.u(1) & 63)); };
    rules["v_ashr_i64"] = [](Lane& l) { l.put(i64, std::uint64_t(std::int64_t(l.src(0, i64)) >> (l.u(1) & 63))); };
    i32_rule("v_mad_i32_i24",
             [](Lane& l) { return clamp_s(l, sf::Int128(extended(l.u(0), 24)) * extended(l.u(1), 24) + l.s(2), 32); });
    i32_rule("v_mad_u32_u24",
             [](Lane& l) { return clamp_u(l, sf::Int128(l.u(0) & 0xffffff) * (l.u(1) & 0xffffff) + l.u(2), 32); });
    const auto bfe = [](Lane& l, bool is_signed) -> std::uint64_t {
        const unsigned offset = l.u(1) & 31, width = l.u(2) & 31;
        if (width == 0) return 0;
        const std::uint64_t x = is_signed ? std::uint64_t(l.s(0) >> offset) : l.u(0) >> offset;
        if (offset + width >= 32) return x;
        return is_signed ? std::uint64_t(extended(x, width)) : x & ones(width);
    };
    i32_rule("v_bfe_u32", [bfe](Lane& l) { return bfe(l, false); });
    i32_rule("v_bfe_i32", [bfe](Lane& l) { return bfe(l, true); });
    i32_rule("v_bfi_b32", [](Lane& l) { return (l.u(0) & l.u(1)) | (~l.u(0) & l.u(2)); });
    i32_rule("v_alignbit_b32", [](Lane& l) { return (l.u(0) << 32 | l.u(1)) >> (l.u(2) & 31); });
    i32_rule("v_alignbyte_b32", [](Lane& l) { return (l.u(0) << 32 | l.u(1)) >> (8 * (l.u(2) & 3)); });
    i32_rule("v_lerp_u8", [](Lane& l) {
        std::uint64_t r = 0;
        for (unsigned i = 0; i < 32; i += 8)
            r |= (((l.u(0) >> i & 255) + (l.u(1) >> i & 255) + (l.u(2) >> i & 1)) >> 1) << i;
        return r;
    });
    const auto triple = [&](const std::string& type, Type t, bool is_signed) {
        const auto key = [=](Lane& l, unsigned k) {
            return is_signed ? extended(l.src(k, t), bits_of(t)) : std::int64_t(l.src(k, t));
        };
        const auto rule = [&](const std::string& name, int which) {
            rules[name] = [=](Lane& l) {
                l.keeps_high = true;
                std::int64_t x[] = {key(l, 0), key(l, 1), key(l, 2)};
                std::sort(x, x + 3);
                l.put(t, std::uint64_t(x[which]) & ones(bits_of(t)));
            };
        };
        rule("v_min3_" + type, 0);
        rule("v_med3_" + type, 1);
        rule("v_max3_" + type, 2);
    };
    triple("i32", i32, true);
    triple("u32", i32, false);
    triple("i16", i16, true);
    triple("u16", i16, false);
    i32_rule("v_sad_u8", [](Lane& l) { return clamp_u(l, sf::Int128(sad(l.u(0), l.u(1), false)) + l.u(2), 32); });
    i32_rule("v_msad_u8", [](Lane& l) { return clamp_u(l, sf::Int128(sad(l.u(0), l.u(1), true)) + l.u(2), 32); });
    i32_rule("v_sad_hi_u8",
             [](Lane& l) { return clamp_u(l, sf::Int128(sad(l.u(0), l.u(1), false) << 16) + l.u(2), 32); });
    i32_rule("v_sad_u16", [](Lane& l) {
        const auto apart = [&](unsigned i) {
            return std::uint64_t(std::abs(int(l.u(0) >> i & 0xffff) - int(l.u(1) >> i & 0xffff)));
        };
        return clamp_u(l, sf::Int128(apart(0) + apart(16)) + l.u(2), 32);
    });
    i32_rule("v_sad_u32", [](Lane& l) {
        return clamp_u(l, sf::Int128(l.u(0) > l.u(1) ? l.u(0) - l.u(1) : l.u(1) - l.u(0)) + l.u(2), 32);
    });
    const auto windows = [&](const std::string& name, bool masked) {
        rules[name] = [=](Lane& l) {
            std::uint64_t r = 0;
            for (unsigned i = 0; i < 4; ++i)
                r |= ((sad(l.src(0, i64) >> (8 * i), l.u(1), masked) + (l.src(2, i64) >> (16 * i))) & 0xffff)
                     << (16 * i);
            l.put(i64, r);
        };
    };
    windows("v_qsad_u8", false);
    windows("v_qsad_pk_u16_u8", false);
    windows("v_mqsad_pk_u16_u8", true);
    i32_rule("v_perm_b32", [](Lane& l) {
        const std::uint64_t all = l.u(0) << 32 | l.u(1);
        std::uint64_t r = 0;
        for (unsigned i = 0; i < 32; i += 8) {
            const unsigned sel = l.u(2) >> i & 255;
            const std::uint64_t byte = sel < 8     ? all >> (8 * sel) & 255
                                       : sel < 12  ? (all >> (16 * (sel - 8) + 15) & 1) * 255
                                       : sel == 12 ? 0
                                                   : 255;
            r |= byte << i;
        }
        return r;
    });
    i32_rule("v_xad_u32", [](Lane& l) { return (l.u(0) ^ l.u(1)) + l.u(2); });
    i32_rule("v_lshl_add_u32", [](Lane& l) { return (l.u(0) << (l.u(1) & 31)) + l.u(2); });
    i32_rule("v_add_lshl_u32", [](Lane& l) { return (l.u(0) + l.u(1)) << (l.u(2) & 31); });
    i32_rule("v_add3_u32", [](Lane& l) { return l.u(0) + l.u(1) + l.u(2); });
    i32_rule("v_lshl_or_b32", [](Lane& l) { return l.u(0) << (l.u(1) & 31) | l.u(2); });
    i32_rule("v_and_or_b32", [](Lane& l) { return (l.u(0) & l.u(1)) | l.u(2); });
    i32_rule("v_or3_b32", [](Lane& l) { return l.u(0) | l.u(1) | l.u(2); });
    i32_rule("v_pack_b32_f16", [](Lane& l) { return l.src(0, f16) | l.src(1, f16) << 16; });
    i32_rule("v_mad_u32_u16", [](Lane& l) { return clamp_u(l, sf::Int128(l.u16(0)) * l.u16(1) + l.u(2), 32); });
    i32_rule("v_mad_i32_i16", [](Lane& l) { return clamp_s(l, sf::Int128(l.s16(0)) * l.s16(1) + l.s(2), 32); });
    for (const char* infix : {"", "_legacy"}) {
        const bool legacy = infix[0] != 0;
        i16_rule(std::string("v_mad") + infix + "_u16", [legacy](Lane& l) {
            return l.keeps_high = !legacy, clamp_u(l, sf::Int128(l.u16(0)) * l.u16(1) + l.u16(2), 16);
        });
        i16_rule(std::string("v_mad") + infix + "_i16", [legacy](Lane& l) {
            return l.keeps_high = !legacy, clamp_s(l, sf::Int128(l.s16(0)) * l.s16(1) + l.s16(2), 16);
        });
    }
    rules["v_mad_u64_u32"] = [](Lane& l) {
        const sf::Int128 exact = sf::Int128(l.u(0) * l.u(1)) + l.src(2, i64);
        l.put_mask(exact >> 64 != 0);
        l.put(i64, clamp_u(l, exact, 64));
    };
    rules["v_mad_i64_i32"] = [](Lane& l) {
        const sf::Int128 exact = sf::Int128(l.s(0) * l.s(1)) + std::int64_t(l.src(2, i64));
        l.put_mask(exact != std::int64_t(exact));
        l.put(i64, clamp_s(l, exact, 64));
    };
}

void conversions(Rules& rules) {
    using R = sf::Rounding;
    const auto from_int = [&](const std::string& name, Type to, auto value) {
        rules[name] = [=](Lane& l) { l.put_float(to, l.to_float(to, value(l))); };
    };
    const auto to_int = [&](const std::string& name, Type from, Type to, sf::Int128 low, sf::Int128 high, R how) {
        rules[name] = [=](Lane& l) {
            const sf::Int128 x = Lane::whole(from, l.in(from, l.src(0, from)), how);
            l.put(to, Lane::saturated(x, low, high) & ones(bits_of(to)));
        };
    };
    constexpr sf::Int128 i32_low = -(sf::Int128{1} << 31), i32_high = (sf::Int128{1} << 31) - 1,
                         u32_high = (sf::Int128{1} << 32) - 1;
    from_int("v_cvt_f64_i32", f64, [](Lane& l) { return sf::Int128(l.s(0)); });
    from_int("v_cvt_f64_u32", f64, [](Lane& l) { return sf::Int128(l.u(0)); });
    from_int("v_cvt_f32_i32", f32, [](Lane& l) { return sf::Int128(l.s(0)); });
    from_int("v_cvt_f32_u32", f32, [](Lane& l) { return sf::Int128(l.u(0)); });
    from_int("v_cvt_f16_i16", f16, [](Lane& l) { return sf::Int128(l.s16(0)); });
    from_int("v_cvt_f16_u16", f16, [](Lane& l) { return sf::Int128(l.u16(0)); });
    for (unsigned i = 0; i < 4; ++i)
        from_int("v_cvt_f32_ubyte" + std::to_string(i), f32,
                 [i](Lane& l) { return sf::Int128(l.u(0) >> (8 * i) & 255); });
    for (const auto& [name, t] : {std::pair("f32", f32), std::pair("f64", f64)}) {
        to_int(std::string("v_cvt_i32_") + name, t, i32, i32_low, i32_high, R::zero);
        to_int(std::string("v_cvt_u32_") + name, t, i32, 0, u32_high, R::zero);
    }
    to_int("v_cvt_i16_f16", f16, i16, -32768, 32767, R::zero);
    to_int("v_cvt_u16_f16", f16, i16, 0, 65535, R::zero);
    to_int("v_cvt_flr_i32_f32", f32, i32, i32_low, i32_high, R::down);
    rules["v_cvt_rpi_i32_f32"] = [](Lane& l) {  // twice the number, one more, half of that rounded down
        const std::uint64_t a = l.src(0, f32);
        if (l.nan(f32, a)) return l.put(i32, 0);
        const double x = Lane::number(f32, a);
        const double floor = std::floor(x), rest = x - floor;
        const double r = rest >= 0.5 ? floor + 1 : floor;
        l.put(i32, std::uint64_t(std::int64_t(r < -2147483648.0  ? -2147483648.0
                                              : r > 2147483647.0 ? 2147483647.0
                                                                 : r)) &
                       0xffffffff);
    };
    rules["v_cvt_off_f32_i4"] = [](Lane& l) { l.put(f32, Lane::bits(f32, double(extended(l.u(0), 4)) / 16)); };
    rules["v_cvt_f32_f64"] = [](Lane& l) {
        l.put_float(f32, l.convert(f64, f32, l.src(0, f64), l.rounding(f32), false));
    };
    rules["v_cvt_f64_f32"] = [](Lane& l) {
        l.put_float(f64, l.convert(f32, f64, l.src(0, f32), l.rounding(f64), false));
    };
    rules["v_cvt_f16_f32"] = [](Lane& l) {
        l.put_float(f16, l.convert(f32, f16, l.src(0, f32), l.rounding(l.g >= 8 ? f16 : f32), l.g < 8));
    };
    rules["v_cvt_f32_f16"] = [](Lane& l) {
        l.put_float(f32, l.convert(f16, f32, l.src(0, f16), l.rounding(f32), l.g < 8));
    };
    rules["v_cvt_pkrtz_f16_f32"] = [](Lane& l) {
        const auto one = [&](unsigned k) { return l.convert(f32, f16, l.src(k, f32), R::zero, true); };
        l.put(i32, one(0) | one(1) << 16);
        for (const unsigned low : {0u, 16u}) l.m.note({l.target(), unsigned(l.lane), 16, low, 0});
    };
    const auto normal = [](Lane& l, unsigned k, Type t, double low, double scale) -> std::uint64_t {
        const std::uint64_t a = l.src(k, t);
        if (l.nan(t, a)) return 0;
        const double x = std::min(std::max(Lane::number(t, a), low), 1.0);
        return std::uint64_t(std::int64_t(std::nearbyint(x * scale))) & 0xffff;
    };
    for (const auto& [name, t] : {std::pair("f32", f32), std::pair("f16", f16)}) {
        const Type from = t;
        rules[std::string("v_cvt_pknorm_i16_") + name] = [=](Lane& l) {
            l.put(i32, normal(l, 0, from, -1, 32767) | normal(l, 1, from, -1, 32767) << 16);
        };
        rules[std::string("v_cvt_pknorm_u16_") + name] = [=](Lane& l) {
            l.put(i32, normal(l, 0, from, 0, 65535) | normal(l, 1, from, 0, 65535) << 16);
        };
    }
    rules["v_cvt_norm_i16_f16"] = [=](Lane& l) { l.put(i16, normal(l, 0, f16, -1, 32767)); };
    rules["v_cvt_norm_u16_f16"] = [=](Lane& l) { l.put(i16, normal(l, 0, f16, 0, 65535)); };
    const auto pk_u8 = [](Lane& l, std::uint64_t before) {
        const std::uint64_t a = l.in(f32, l.src(0, f32));
        const std::uint64_t byte = Lane::saturated(Lane::whole(f32, a, l.rounding(f32)), 0, 255);
        const unsigned at = 8 * (l.u(1) & 3);
        l.put(i32, (before & ~(std::uint64_t{255} << at)) | byte << at);
    };
    rules["v_cvt_pk_u8_f32"] = [=](Lane& l) { pk_u8(l, l.u(2)); };
    rules["v_cvt_pkaccum_u8_f32"] = [=](Lane& l) { pk_u8(l, l.accumulator(i32)); };
}

void arithmetic(Rules& rules, const std::string& suffix, Type t) {
    const auto rule = [&](const std::string& name, auto f, bool exact = false) {
        rules["v_" + name + "_" + suffix] = [f, t, exact](Lane& l) { exact ? l.put(t, f(l)) : l.put_float(t, f(l)); };
    };
    const sf::Format& form = format(t);
    rule("add", [t](Lane& l) { return l.add(t, l.src(0, t), l.src(1, t)); });
    rule("sub", [t](Lane& l) { return l.add(t, l.src(0, t), l.neg(t, l.src(1, t))); });
    rule("subrev", [t](Lane& l) { return l.add(t, l.src(1, t), l.neg(t, l.src(0, t))); });
    rule("mul", [t](Lane& l) { return l.mul(t, l.src(0, t), l.src(1, t)); });
    rule("fma", [t](Lane& l) { return l.keeps_high = true, l.fma(t, l.src(0, t), l.src(1, t), l.src(2, t)); });
    rule("fma_legacy", [t](Lane& l) { return l.fma(t, l.src(0, t), l.src(1, t), l.src(2, t)); });
    rule("mad", [t](Lane& l) { return l.keeps_high = true, l.mad(t, l.src(0, t), l.src(1, t), l.src(2, t)); });
    rule("mac", [t](Lane& l) { return l.keeps_high = true, l.mad(t, l.src(0, t), l.src(1, t), l.accumulator(t)); });
    rule("madmk", [t](Lane& l) {
        return l.keeps_high = true, l.mad(t, l.src(0, t), l.f.literal & ones(bits_of(t)), l.src(1, t));
    });
    rule("madak", [t](Lane& l) {
        return l.keeps_high = true, l.mad(t, l.src(0, t), l.src(1, t), l.f.literal & ones(bits_of(t)));
    });
    rule("min", [t](Lane& l) { return l.smaller(t, l.src(0, t), l.src(1, t), false); });
    rule("max", [t](Lane& l) { return l.smaller(t, l.src(0, t), l.src(1, t), true); });
    rule("min3", [t](Lane& l) { return l.keeps_high = true, l.three(t, false); });
    rule("max3", [t](Lane& l) { return l.keeps_high = true, l.three(t, true); });
    rule("med3", [t, form](Lane& l) {
        l.keeps_high = true;
        const std::uint64_t a = l.src(0, t), b = l.src(1, t), c = l.src(2, t);
        if (l.nan(t, a) || l.nan(t, b) || l.nan(t, c)) return l.three(t, false);
        const std::uint64_t largest = l.three(t, true);
        if (sf::equal(form, largest, a)) return l.smaller(t, b, c, true);
        return sf::equal(form, largest, b) ? l.smaller(t, a, c, true) : l.smaller(t, a, b, true);
    });
    rule("ldexp", [t](Lane& l) {
        const std::int64_t power = t == f16 ? l.s16(1) : l.s(1);
        sf::Flags flags;
        // In steps that fit: all but the last are exact, or have gone over an end for good.
        const std::uint64_t a = l.in(t, l.src(0, t));
        if (l.nan(t, a) || sf::is_infinite(format(t), a) || sf::is_zero(format(t), a))
            return l.nan(t, a) ? l.quiet(t, a) : a;
        const double x = Lane::number(t, a);
        const auto clipped = int(std::max<std::int64_t>(std::min<std::int64_t>(power, 5000), -5000));
        if (t != f64) {
            const double wide = std::ldexp(x, clipped);
            std::uint64_t bits = std::bit_cast<std::uint64_t>(wide);
            if (wide == 0) bits = (bits & (std::uint64_t{1} << 63)) | 1;  // not nothing
            if (std::isinf(wide)) --bits;
            const std::uint64_t scaled = sf::convert(sf::binary64, format(t), bits, l.rounding(t), flags);
            return l.limited(t, l.out(t, scaled), flags.overflow);
        }
        const int e = std::ilogb(x) + clipped;
        if (e < -1200)
            return l.out(t, sf::mul(sf::binary64, 1 | (a & sf::binary64.sign_bit()),
                                    0x3fe0000000000000 - (std::uint64_t{4} << 52), l.rounding(t), flags));
        if (e > 1100)
            return l.out(t, sf::mul(sf::binary64, (a & 0x800fffffffffffff) | 0x7fe0000000000000, 0x4010000000000000,
                                    l.rounding(t), flags));
        const std::uint64_t near = std::bit_cast<std::uint64_t>(std::ldexp(x, -std::ilogb(x)));
        std::uint64_t result = near;
        const int half = e / 2;
        for (const int step : {half, e - half})
            result = sf::mul(sf::binary64, result, std::uint64_t(step + 1023) << 52, l.rounding(t), flags);
        return l.out(t, result);
    });
    rule("fract", [t, form](Lane& l) {
        sf::Flags flags;
        const std::uint64_t a = l.in(t, l.src(0, t));
        if (l.nan(t, a) || sf::is_infinite(form, a)) return l.nan(t, a) ? l.quiet(t, a) : form.nan();
        const sf::Int128 floor = Lane::whole(t, a, sf::Rounding::down);
        const bool is_whole = Lane::whole(t, a, sf::Rounding::up) == floor;
        if (is_whole) return std::uint64_t{0};
        const std::uint64_t down = sf::from_signed(form, floor, sf::Rounding::nearest, flags);
        const std::uint64_t r = l.out(t, sf::sub(form, a, down, l.rounding(t), flags));
        const std::uint64_t one = Lane::bits(t, 1);
        return l.g >= 7 && r >= one ? one - 1 : r;
    });
    const auto whole = [&](const std::string& name, sf::Rounding how) {
        rule(name, [t, form, how](Lane& l) {
            sf::Flags flags;
            const std::uint64_t a = l.in(t, l.src(0, t));
            if (l.nan(t, a)) return l.quiet(t, a);
            if ((a & ~form.sign_bit()) >= (std::uint64_t(form.bias()) + form.fraction_bits) << form.fraction_bits)
                return a;
            const sf::Int128 r = Lane::whole(t, a, how);
            return sf::from_signed(form, r < 0 ? -r : r, sf::Rounding::nearest, flags) | (a & form.sign_bit());
        });
    };
    whole("trunc", sf::Rounding::zero);
    whole("ceil", sf::Rounding::up);
    whole("floor", sf::Rounding::down);
    whole("rndne", sf::Rounding::nearest);
    rule("frexp_mant", [t, form](Lane& l) {
        const std::uint64_t a = l.src(0, t);
        if (l.nan(t, a)) return l.quiet(t, a);
        if (sf::is_infinite(form, a) || sf::is_zero(form, a)) return a;
        int e = 0;
        return Lane::bits(t, std::frexp(Lane::number(t, a), &e));
    });
    const auto exponent = [&](const std::string& name, Type to) {
        rules[name] = [t, form, to](Lane& l) {
            const std::uint64_t a = l.src(0, t);
            int e = 0;
            if (!l.nan(t, a) && !sf::is_infinite(form, a) && !sf::is_zero(form, a)) std::frexp(Lane::number(t, a), &e);
            l.put(to, std::uint64_t(std::int64_t(e)) & ones(bits_of(to)));
        };
    };
    exponent(t == f16 ? "v_frexp_exp_i16_f16" : "v_frexp_exp_i32_" + suffix, t == f16 ? i16 : i32);
    // What is good to a unit in the last place. Of 32 bits nothing is subnormal.
    const auto function = [&](const std::string& name, auto f, unsigned distance) {
        rules["v_" + name + "_" + suffix] = [=](Lane& l) {
            const auto settle = [&](std::uint64_t x) { return t == f32 ? Lane::flush(t, x) : x; };
            std::uint64_t a = l.src(0, t);
            a = t == f32 ? Lane::flush(t, a) : l.in(t, a);
            if (l.nan(t, a)) return l.put(t, l.quiet(t, a), int(distance));
            const long double x = Lane::number(t, a);
            const double y = double(f(x));
            if (std::isnan(y)) return l.put(t, l.invalid(t), l.f.omod != 0 ? 0 : -1);
            const std::uint64_t r = l.limited(t, settle(Lane::bits(t, y)), !std::isinf(y));
            l.put(t, t == f32 ? r : l.out(t, r), int(distance));
        };
    };
    using LD = long double;
    const unsigned loose = t == f64 ? 1u << 29 : 1;
    function(
        "rcp", [](LD x) { return 1 / x; }, loose);
    function(
        "rcp_iflag", [](LD x) { return 1 / x; }, loose);
    function(
        "sqrt", [](LD x) { return std::sqrt(x); }, loose);
    function(
        "rsq", [](LD x) { return 1 / std::sqrt(x); }, loose);
    if (t == f64) return;
    for (const char* name : {"exp", "exp_legacy"})
        function(
            name, [](LD x) { return std::exp2(x); }, 1);
    for (const char* name : {"log", "log_legacy"})
        function(
            name, [](LD x) { return std::log2(x); }, 1);
    const auto wave = [&](const std::string& name, bool cosine) {
        rules["v_" + name + "_" + suffix] = [t, form, cosine](Lane& l) {
            l.put(
                t,
                [&]() -> std::uint64_t {
                    const std::uint64_t a = l.src(0, t);
                    if (l.nan(t, a)) return l.quiet(t, a);
                    if (sf::is_infinite(form, a)) return l.invalid(t);
                    const LD x = Lane::number(t, a);
                    if (std::fabs(x) > 256) return cosine ? Lane::bits(t, 1) : std::uint64_t{0};
                    if (x == 0) return cosine ? Lane::bits(t, 1) : a;
                    const LD turn = x - std::nearbyint(x), pi = 3.14159265358979323846264338327950288L;
                    if (cosine && std::fabs(turn) == 0.25L) return std::uint64_t{0};
                    if (!cosine && std::fabs(turn) == 0.5L) return std::uint64_t{0};
                    return Lane::bits(t, double(cosine ? std::cos(2 * pi * turn) : std::sin(2 * pi * turn)));
                }(),
                1);
        };
    };
    wave("sin", false);
    wave("cos", true);
}

void division(Rules& rules, const std::string& suffix, Type t) {
    const sf::Format& form = format(t);
    const auto e = [form](std::uint64_t x) { return int(x >> form.fraction_bits & ((1u << form.exponent_bits) - 1)); };
    const auto scaled = [t, form](const Lane& l, std::uint64_t x, int power, bool by_mode) {
        sf::Flags flags;
        const std::uint64_t by = std::uint64_t(form.bias() + power) << form.fraction_bits;
        if (by_mode) return l.mul(t, x, by);
        return sf::mul(form, x, by, sf::Rounding::nearest, flags);
    };
    rules["v_div_scale_" + suffix] = [=](Lane& l) {
        sf::Flags flags;
        const std::uint64_t a = l.src(0, t), b = l.src(1, t), c = l.src(2, t);
        const int step = t == f32 ? 64 : 128;
        const auto subnormal_ratio = [&](std::uint64_t x, std::uint64_t y) {
            return sf::is_subnormal(form, sf::div(form, x, y, sf::Rounding::nearest, flags));
        };
        const bool inverse = subnormal_ratio(Lane::bits(t, 1), b), ratio = subnormal_ratio(c, b);
        std::uint64_t d = a;
        bool vcc = false;
        if (sf::is_zero(form, b) || sf::is_zero(form, c)) {
            l.put_mask(false);
            return l.put(t, l.invalid(t), 0);
        }
        if (e(c) - e(b) >= (t == f32 ? 96 : 768))
            vcc = true, d = a == b ? scaled(l, a, step, false) : a;
        else if (sf::is_subnormal(form, b))
            d = scaled(l, a, step, false);
        else if (inverse && ratio)
            vcc = true, d = a == b ? scaled(l, a, -step, false) : a;  // up, as manuals have it, is infinity
        else if (inverse)
            d = scaled(l, a, -step, false);
        else if (ratio)
            vcc = true, d = a == c ? scaled(l, a, step, false) : a;
        else if (e(c) <= (t == f32 ? 23 : 53))
            d = scaled(l, a, step, false);
        l.put_mask(vcc);
        l.put(t, d, 0);
    };
    rules["v_div_fmas_" + suffix] = [=](Lane& l) {
        const std::uint64_t c = l.src(2, t);
        std::uint64_t r = l.fma(t, l.src(0, t), l.src(1, t), c);
        const int step = t == f32 ? 64 : 128;
        const bool large = !l.less(t, c & ~form.sign_bit(), Lane::bits(t, 2)) && !l.nan(t, c);
        if ((l.old.vcc >> l.lane & 1) != 0) r = scaled(l, r, large ? step : -step, true);
        l.put_float(t, r);
    };
    for (const char* infix : {"", "_legacy"})
        rules[std::string("v_div_fixup") + infix + "_" + suffix] = [=, legacy = infix[0] != 0](Lane& l) {
            l.keeps_high = !legacy;
            const std::uint64_t q = l.src(0, t), b = l.src(1, t), c = l.src(2, t), sign = (b ^ c) & form.sign_bit();
            const auto zero = [&](std::uint64_t x) { return sf::is_zero(form, x); };
            const auto infinite = [&](std::uint64_t x) { return sf::is_infinite(form, x); };
            const std::uint64_t r = l.nan(t, c)                                            ? l.quiet(t, c)
                                    : l.nan(t, b)                                          ? l.quiet(t, b)
                                    : (zero(b) && zero(c)) || (infinite(b) && infinite(c)) ? l.invalid(t)
                                    : zero(b) || infinite(c)                               ? sign | form.infinity()
                                    : infinite(b) || zero(c)                               ? sign
                                    : e(c) - e(b) < (t == f64 ? -1075 : -150)              ? sign
                                    : l.nan(t, q)                                          ? sign | form.infinity()
                                                  : sign | (q & ~form.sign_bit());
            l.put(t, r);
        };
}

void others(Rules& rules) {
    rules["v_mul_legacy_f32"] = [](Lane& l) {
        const std::uint64_t a = l.in(f32, l.src(0, f32)), b = l.in(f32, l.src(1, f32));
        const bool zero = sf::is_zero(sf::binary32, a) || sf::is_zero(sf::binary32, b);
        l.put_float(f32, zero ? 0 : l.mul(f32, a, b));
    };
    rules["v_mullit_f32"] = [](Lane& l) {
        constexpr std::uint64_t least = 0xff7fffff;  // of finite numbers
        const std::uint64_t a = l.in(f32, l.src(0, f32)), b = l.src(1, f32), c = l.src(2, f32);
        const bool zero = sf::is_zero(sf::binary32, a) || sf::is_zero(sf::binary32, l.in(f32, b));
        const bool dark = l.nan(f32, b) || l.nan(f32, c) || !l.less(f32, least, b) || !l.less(f32, 0, c);
        l.put_float(f32, dark ? least : zero ? 0 : l.mul(f32, a, b));
    };
    rules["v_mad_legacy_f32"] = [](Lane& l) {
        l.put_float(f32, l.mad(f32, l.src(0, f32), l.src(1, f32), l.src(2, f32), true));
    };
    rules["v_mac_legacy_f32"] = [](Lane& l) {
        l.put_float(f32, l.mad(f32, l.src(0, f32), l.src(1, f32), l.accumulator(f32), true));
    };
    rules["v_min_legacy_f32"] = [](Lane& l) {
        l.put(f32, l.less(f32, l.src(0, f32), l.src(1, f32)) ? l.src(0, f32) : l.src(1, f32));
    };
    rules["v_max_legacy_f32"] = [](Lane& l) {
        const std::uint64_t a = l.src(0, f32), b = l.src(1, f32);
        l.put(f32, l.less(f32, b, a) || l.equal(f32, a, b) ? a : b);
    };
    // The axis that is longest: z before y before x.
    const auto cube = [&](const std::string& name, auto f) {
        rules[name] = [f](Lane& l) {
            const std::uint64_t x = l.src(0, f32), y = l.src(1, f32), z = l.src(2, f32);
            const auto length = [](std::uint64_t a) { return a & 0x7fffffff; };
            const auto at_least = [&](std::uint64_t a, std::uint64_t b) {
                return sf::less_equal(sf::binary32, length(b), length(a));
            };
            const int axis = at_least(z, x) && at_least(z, y) ? 2 : at_least(y, x) ? 1 : 0;
            const auto negative = [](std::uint64_t a) { return sf::less(sf::binary32, a, 0); };
            f(l, axis, x, y, z, negative(x), negative(y), negative(z));
        };
    };
    using U = std::uint64_t;
    constexpr U sign = 0x80000000;
    cube("v_cubeid_f32", [](Lane& l, int axis, U, U, U, bool x, bool y, bool z) {
        l.put(f32, Lane::bits(f32, 2 * axis + (axis == 2 ? z : axis == 1 ? y : x)));
    });
    cube("v_cubesc_f32", [](Lane& l, int axis, U x, U, U z, bool nx, bool, bool nz) {
        l.put_float(f32, axis == 2 ? (nz ? x ^ sign : x) : axis == 1 ? x : nx ? z : z ^ sign);
    });
    cube("v_cubetc_f32", [](Lane& l, int axis, U, U y, U z, bool, bool ny, bool) {
        l.put_float(f32, axis == 1 ? (ny ? z ^ sign : z) : y ^ sign);
    });
    cube("v_cubema_f32", [](Lane& l, int axis, U x, U y, U z, bool, bool, bool) {
        l.put_float(f32, l.mul(f32, axis == 2 ? z : axis == 1 ? y : x, Lane::bits(f32, 2)));
    });
    rules["v_trig_preop_f64"] = [](Lane& l) {
        static const std::vector<bool> digits = two_over_pi_bits();
        const int e = int(l.src(0, f64) >> 52 & 2047);
        int shift = int(l.u(1) & 31) * 53;
        if (e > 1077) shift += e - 1077;
        std::uint64_t r = 0;
        for (int i = 0; i < 53; ++i) r = r << 1 | (shift + i < 1160 && digits[std::size_t(shift) + std::size_t(i)]);
        l.put(f64, std::bit_cast<std::uint64_t>(std::ldexp(double(r), -53 - shift + (e >= 1968 ? 128 : 0))), 0);
    };
    // VOP3P
    const auto packed = [&](const std::string& name, auto f) {
        rules["v_pk_" + name] = [f](Lane& l) {
            std::uint32_t r = 0;
            bool any = false;
            for (const bool high : {false, true}) {
                l.high_half = high;
                std::uint64_t x = f(l, any);
                r |= std::uint32_t(x & 0xffff) << (16 * high);
            }
            const auto i = static_cast<std::size_t>(l.lane);
            unsigned to = l.f.vdst;
            if ((l.old.mode >> 27 & 1) != 0 && (l.old.m0 >> 15 & 1) != 0) {
                to += l.old.m0 & 0xff;
                if (to > 255) return;
            }
            l.w.v[to][i] = r;
            if (any)
                for (const unsigned low : {0u, 16u}) l.m.note({to, unsigned(l.lane), 16, low, 0});
        };
    };
    packed("mul_lo_u16", [](Lane& l, bool&) { return l.u16(0) * l.u16(1); });
    packed("add_i16", [](Lane& l, bool&) { return clamp_s(l, sf::Int128(l.s16(0)) + l.s16(1), 16); });
    packed("sub_i16", [](Lane& l, bool&) { return clamp_s(l, sf::Int128(l.s16(0)) - l.s16(1), 16); });
    packed("add_u16", [](Lane& l, bool&) { return clamp_u(l, sf::Int128(l.u16(0)) + l.u16(1), 16); });
    packed("sub_u16", [](Lane& l, bool&) { return clamp_u(l, sf::Int128(l.u16(0)) - l.u16(1), 16); });
    packed("lshlrev_b16", [](Lane& l, bool&) { return l.u16(1) << (l.u16(0) & 15); });
    packed("lshrrev_b16", [](Lane& l, bool&) { return l.u16(1) >> (l.u16(0) & 15); });
    packed("ashrrev_i16", [](Lane& l, bool&) { return std::uint64_t(l.s16(1) >> (l.u16(0) & 15)); });
    packed("max_i16", [](Lane& l, bool&) { return std::uint64_t(std::max(l.s16(0), l.s16(1))); });
    packed("min_i16", [](Lane& l, bool&) { return std::uint64_t(std::min(l.s16(0), l.s16(1))); });
    packed("max_u16", [](Lane& l, bool&) { return std::max(l.u16(0), l.u16(1)); });
    packed("min_u16", [](Lane& l, bool&) { return std::min(l.u16(0), l.u16(1)); });
    packed("mad_i16", [](Lane& l, bool&) { return clamp_s(l, sf::Int128(l.s16(0)) * l.s16(1) + l.s16(2), 16); });
    packed("mad_u16", [](Lane& l, bool&) { return clamp_u(l, sf::Int128(l.u16(0)) * l.u16(1) + l.u16(2), 16); });
    packed("add_f16",
           [](Lane& l, bool& any) { return any = true, l.modified(f16, l.add(f16, l.src(0, f16), l.src(1, f16))); });
    packed("mul_f16",
           [](Lane& l, bool& any) { return any = true, l.modified(f16, l.mul(f16, l.src(0, f16), l.src(1, f16))); });
    packed("min_f16", [](Lane& l, bool& any) {
        return any = true, l.modified(f16, l.smaller(f16, l.src(0, f16), l.src(1, f16), false));
    });
    packed("max_f16", [](Lane& l, bool& any) {
        return any = true, l.modified(f16, l.smaller(f16, l.src(0, f16), l.src(1, f16), true));
    });
    packed("fma_f16", [](Lane& l, bool& any) {
        return any = true, l.modified(f16, l.fma(f16, l.src(0, f16), l.src(1, f16), l.src(2, f16)));
    });
}

// What gfx904, gfx906 and gfx908 have more.
void later(Rules& rules) {
    const auto mixed = [](Lane& l, unsigned k) {
        const std::uint32_t whole = l.raw32(k);
        std::uint64_t x = whole;
        if ((l.f.op_sel_hi >> k & 1) != 0)
            x = l.convert(f16, f32, (l.f.op_sel >> k & 1) != 0 ? whole >> 16 : whole & 0xffff, sf::Rounding::nearest,
                          false);
        if ((l.f.neg_hi >> k & 1) != 0) x &= 0x7fffffff;
        return (l.f.neg >> k & 1) != 0 ? x ^ 0x80000000 : x;
    };
    for (const bool fused : {false, true}) {
        const std::string head = fused ? "v_fma_mix" : "v_mad_mix";
        const auto sum = [=](Lane& l) {
            const std::uint64_t a = mixed(l, 0), b = mixed(l, 1), c = mixed(l, 2);
            return fused ? l.fma(f32, a, b, c) : l.mad(f32, a, b, c);
        };
        rules[head + "_f32"] = [=](Lane& l) { l.put_float(f32, sum(l)); };
        for (const bool high : {false, true})
            rules[head + (high ? "hi_f16" : "lo_f16")] = [=](Lane& l) {
                const unsigned to = l.target();
                if (to > 255) return;
                const std::uint64_t x = l.modified(f16, l.convert(f32, f16, sum(l), l.rounding(f16), false));
                std::uint32_t& r = l.w.v[to][std::size_t(l.lane)];
                r = high ? std::uint32_t(x << 16) | (r & 0xffff) : std::uint32_t(x) | (r & 0xffff0000);
                l.m.note({to, unsigned(l.lane), 16, high ? 16u : 0u, 0});
            };
    }
    rules["v_fmac_f32"] = [](Lane& l) {
        l.put_float(f32, l.fma(f32, l.src(0, f32), l.src(1, f32), l.accumulator(f32)));
    };
    rules["v_xnor_b32"] = [](Lane& l) { l.put(i32, ~(l.u(0) ^ l.u(1)) & 0xffffffff); };
    const auto wide = [](std::uint64_t half) {
        sf::Flags flags;
        return sf::convert(sf::binary16, sf::binary32, half, sf::Rounding::nearest, flags);
    };
    // Both sources as words whose parts are multiplied.
    const auto words = [](Lane& l, unsigned k, bool of_16) {
        std::uint64_t x = 0;
        if (!of_16) return std::uint64_t{l.raw32(k)};
        if (l.f.encoding != Encoding::vop3p)
            return l.f.src[k] >= 240 && l.f.src[k] <= 248 ? l.constant(l.f.src[k], f16) : std::uint64_t{l.raw32(k)};
        for (const bool high : {false, true}) {
            l.high_half = high;
            x |= l.src(k, i16) << (16 * high);
        }
        return x;
    };
    const auto third = [](Lane& l) {
        return l.f.encoding == Encoding::vop3p ? std::uint64_t{l.raw32(2)} : l.accumulator(i32);
    };
    const auto dot = [&](const std::string& name, unsigned n, bool is_signed) {
        rules[name] = [=](Lane& l) {
            const std::uint64_t a = words(l, 0, n == 16), b = words(l, 1, n == 16), c = third(l);
            sf::Int128 sum = is_signed ? extended(c, 32) : sf::Int128(c);
            for (unsigned i = 0; i < 32; i += n) {
                const std::uint64_t x = a >> i & ones(n), y = b >> i & ones(n);
                sum += is_signed ? sf::Int128(extended(x, n)) * extended(y, n) : sf::Int128(x) * y;
            }
            l.put(i32, is_signed ? clamp_s(l, sum, 32) : clamp_u(l, sum, 32));
        };
    };
    for (const char* infix : {"", "c"}) {
        dot(std::string("v_dot2") + infix + "_i32_i16", 16, true);
        dot(std::string("v_dot4") + infix + "_i32_i8", 8, true);
        dot(std::string("v_dot8") + infix + "_i32_i4", 4, true);
        rules[std::string("v_dot2") + infix + "_f32_f16"] = [=](Lane& l) {
            const std::uint64_t a = words(l, 0, true), b = words(l, 1, true);
            std::uint64_t c = third(l);
            if (l.f.encoding == Encoding::vop3p) {
                if ((l.f.neg_hi >> 2 & 1) != 0) c &= 0x7fffffff;
                if ((l.f.neg >> 2 & 1) != 0) c ^= 0x80000000;
            }
            c = l.fma(f32, wide(a & 0xffff), wide(b & 0xffff), c);
            l.put_float(f32, l.fma(f32, wide(a >> 16), wide(b >> 16), c));
        };
    }
    dot("v_dot2_u32_u16", 16, false);
    dot("v_dot4_u32_u8", 8, false);
    dot("v_dot8_u32_u4", 4, false);
    rules["v_pk_fmac_f16"] = [=](Lane& l) {
        const std::uint64_t a = words(l, 0, true), b = words(l, 1, true), c = l.accumulator(i32);
        std::uint64_t x = 0;
        for (const unsigned low : {0u, 16u}) {
            x |= l.fma(f16, a >> low & 0xffff, b >> low & 0xffff, c >> low & 0xffff) << low;
            l.m.note({l.target(), unsigned(l.lane), 16, low, 0});
        }
        l.put(i32, x);
    };
}

void comparisons(Rules& rules) {
    const auto both = [&](const std::string& name, auto f) {
        for (const char* head : {"v_cmp_", "v_cmpx_", "v_cmps_", "v_cmpsx_"})
            rules[head + name] = [f](Lane& l) { l.put_mask(f(l)); };
    };
    for (const auto& [suffix, t] : {std::pair("f16", f16), std::pair("f32", f32), std::pair("f64", f64)}) {
        const Type type = t;
        const std::string end = std::string("_") + suffix;
        struct Order {
            bool lt, eq, gt, un;
        };
        const auto order = [type](Lane& l) {
            const std::uint64_t a = l.src(0, type), b = l.src(1, type);
            return Order{l.less(type, a, b), l.equal(type, a, b), l.less(type, b, a), l.nan(type, a) || l.nan(type, b)};
        };
        both("f" + end, [](Lane&) { return false; });
        both("tru" + end, [](Lane&) { return true; });
        both("lt" + end, [=](Lane& l) { return order(l).lt; });
        both("eq" + end, [=](Lane& l) { return order(l).eq; });
        both("le" + end, [=](Lane& l) { return order(l).lt || order(l).eq; });
        both("gt" + end, [=](Lane& l) { return order(l).gt; });
        both("lg" + end, [=](Lane& l) { return order(l).lt || order(l).gt; });
        both("ge" + end, [=](Lane& l) { return order(l).gt || order(l).eq; });
        both("o" + end, [=](Lane& l) { return !order(l).un; });
        both("u" + end, [=](Lane& l) { return order(l).un; });
        both("nge" + end, [=](Lane& l) { return !(order(l).gt || order(l).eq); });
        both("nlg" + end, [=](Lane& l) { return !(order(l).lt || order(l).gt); });
        both("ngt" + end, [=](Lane& l) { return !order(l).gt; });
        both("nle" + end, [=](Lane& l) { return !(order(l).lt || order(l).eq); });
        both("neq" + end, [=](Lane& l) { return !order(l).eq; });
        both("nlt" + end, [=](Lane& l) { return !order(l).lt; });
        both("class" + end, [type](Lane& l) {
            const sf::Format& form = format(type);
            const std::uint64_t a = l.src(0, type);
            const bool negative = (a & form.sign_bit()) != 0;
            const int place = sf::is_signalling(form, a)  ? 0
                              : sf::is_nan(form, a)       ? 1
                              : sf::is_infinite(form, a)  ? (negative ? 2 : 9)
                              : sf::is_subnormal(form, a) ? (negative ? 4 : 7)
                              : sf::is_zero(form, a)      ? (negative ? 5 : 6)
                              : negative                  ? 3
                                                          : 8;
            return (l.u(1) >> place & 1) != 0;
        });
    }
    for (const unsigned n : {16u, 32u, 64u})
        for (const bool is_signed : {false, true}) {
            const Type t = n == 16 ? i16 : n == 32 ? i32 : i64;
            const std::string end = std::string(is_signed ? "_i" : "_u") + std::to_string(n);
            const auto order = [=](Lane& l) {
                std::uint64_t a = l.src(0, t), b = l.src(1, t);
                if (n == 64 && !is_signed && l.f.src[0] == 255) a &= 0xffffffff;
                if (!is_signed) return a < b ? -1 : int(a > b);
                const std::int64_t x = extended(a, n), y = extended(b, n);
                return x < y ? -1 : int(x > y);
            };
            both("f" + end, [](Lane&) { return false; });
            both("t" + end, [](Lane&) { return true; });
            both("lt" + end, [=](Lane& l) { return order(l) < 0; });
            both("eq" + end, [=](Lane& l) { return order(l) == 0; });
            both("le" + end, [=](Lane& l) { return order(l) <= 0; });
            both("gt" + end, [=](Lane& l) { return order(l) > 0; });
            both("ne" + end, [=](Lane& l) { return order(l) != 0; });
            both("ge" + end, [=](Lane& l) { return order(l) >= 0; });
        }
}

const Rules& all_rules() {
    static const Rules rules = [] {
        Rules made;
        integers(made);
        conversions(made);
        arithmetic(made, "f16", f16);
        arithmetic(made, "f32", f32);
        arithmetic(made, "f64", f64);
        division(made, "f16", f16);
        division(made, "f32", f32);
        division(made, "f64", f64);
        others(made);
        later(made);
        comparisons(made);
        return made;
    }();
    return rules;
}

}  // namespace

bool Model::vector(const std::string& name) {
    const auto found = all_rules().find(name);
    if (found == all_rules().end()) return false;
    // What constants are where halves and words may be asked for, and the signs of words of halves, nobody says.
    const bool has_constant = std::any_of(f_.src, f_.src + 3, [](unsigned code) { return code >= 240 && code <= 248; });
    if (name.find("_mix") != std::string::npos && has_constant) return false;
    if (starts(name, "v_dot2c") && f_.dpp && (f_.neg | f_.abs) != 0) return false;
    // On gfx9 these names are of additions without a carry.
    const bool no_carry = generation_ >= 9 && !starts(name, "v_cmp") &&
                          (name == "v_add_u32" || name == "v_sub_u32" || name == "v_subrev_u32" ||
                           name == "v_add_i32" || name == "v_sub_i32");
    const Wave old = wave_;
    std::uint64_t mask = 0;
    bool writes_mask =
        starts(name, "v_cmp") || starts(name, "v_div_scale") || starts(name, "v_mad_u64") || starts(name, "v_mad_i64");
    for (const char* head : {"v_add_", "v_sub_", "v_subrev_", "v_addc", "v_subb"})
        if (starts(name, head) && (ends(name, "u32") || ends(name, "i32")) && !no_carry &&
            name.find("lshl") == std::string::npos)
            writes_mask = true;
    for (int lane = 0; lane < 64; ++lane) {
        if ((old.exec >> lane & 1) == 0) continue;
        if (f_.dpp) {
            if ((f_.row_mask >> (lane / 16) & 1) == 0 || (f_.bank_mask >> (lane % 16 / 4) & 1) == 0) continue;
            const int from = dpp_lane(lane);
            if ((from < 0 || (old.exec >> from & 1) == 0) && f_.bound == 0) continue;
        }
        Lane l{*this, old, wave_, f_, generation_, lane};
        if (no_carry) {
            const bool is_signed = ends(name, "i32");
            const sf::Int128 a = is_signed ? l.s(0) : sf::Int128(l.u(0)), b = is_signed ? l.s(1) : sf::Int128(l.u(1));
            const sf::Int128 exact = starts(name, "v_add") ? a + b : starts(name, "v_subrev") ? b - a : a - b;
            l.put(i32, is_signed ? clamp_s(l, exact, 32) : clamp_u(l, exact, 32));
        } else {
            found->second(l);
        }
        mask |= l.mask;
    }
    if (writes_mask && !no_carry) {
        f_.encoding == Encoding::vop3 || !f_.mask_to_vcc
            ? set64(f_.encoding == Encoding::vop3 && starts(name, "v_cmp") ? f_.vdst & 127 : f_.sdst, mask)
            : void(wave_.vcc = mask);
        if (starts(name, "v_cmpx") || starts(name, "v_cmpsx")) wave_.exec = mask;
    }
    return true;
}

// What looks at several lanes, or at none.
bool Model::whole_wave(const std::string& name) {
    Wave& w = wave_;
    const auto moved = [&](unsigned r, unsigned bit) {
        return generation_ >= 8 && (w.mode >> 27 & 1) != 0 && (w.m0 >> bit & 1) != 0 ? r + (w.m0 & 0xff) : r;
    };
    const auto any_lane = [&](unsigned code, unsigned lane) {
        return code < 256 ? scalar32(code) : w.v[moved(code - 256, 12) > 255 ? 0 : moved(code - 256, 12)][lane];
    };
    if (name == "v_nop") return true;
    if (name == "v_readfirstlane_b32" || starts(name, "v_readlane")) {
        const unsigned chosen = name == "v_readfirstlane_b32"
                                    ? (w.exec == 0 ? 0 : unsigned(std::countr_zero(w.exec)))
                                    : scalar32(f_.encoding == Encoding::vop2 ? f_.src[1] - 256 : f_.src[1]) & 63;
        set32(f_.encoding == Encoding::vop3 ? f_.vdst & 127 : f_.vdst, any_lane(f_.src[0], chosen));
        return true;
    }
    if (name == "v_writelane_b32") {
        if (moved(f_.vdst, 15) <= 255)
            w.v[moved(f_.vdst, 15)][scalar32(f_.encoding == Encoding::vop2 ? f_.src[1] - 256 : f_.src[1]) & 63] =
                scalar32(f_.src[0]);
        return true;
    }
    if (name == "v_swap_b32") {
        for (unsigned i = 0; i < 64; ++i)
            if ((w.exec >> i & 1) != 0) std::swap(w.v[f_.vdst][i], w.v[f_.src[0] - 256][i]);
        return true;
    }
    return false;
}

}  // namespace gcn_reference

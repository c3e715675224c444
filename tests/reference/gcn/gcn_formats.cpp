// The part of the model that knows data formats: typed buffers, and images with their samplers. Colours are four numbers of
// 64 bits here, and an element is a row of bytes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "gcn_model.hpp"
#include "reference/soft_float.hpp"

namespace gcn_reference {

namespace sf = soft_float;

namespace {

unsigned bits_of(std::uint32_t word, unsigned high, unsigned low) {
    return unsigned(word >> low & ((std::uint64_t{1} << (high - low + 1)) - 1));
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Names list the high bits first; X is the last number.
constexpr const char* names[] = {
    "",           "8",          "16",      "8_8",     "32",          "16_16",    "10_11_11",    "11_11_10",
    "10_10_10_2", "2_10_10_10", "8_8_8_8", "32_32",   "16_16_16_16", "32_32_32", "32_32_32_32", "",
    "5_6_5",      "1_5_5_5",    "5_5_5_1", "4_4_4_4", "8_24",        "24_8",     "24_8_32"};

struct Layout {
    std::vector<unsigned> bits;  // of X, Y …
    unsigned bytes = 0;

    explicit Layout(unsigned data) {
        if (data >= std::size(names)) return;
        unsigned all = 0;
        for (const char* at = names[data]; *at != 0;) {
            char* end = nullptr;
            bits.insert(bits.begin(), unsigned(std::strtoul(at, &end, 10)));
            all += bits.front();
            at = *end == '_' ? end + 1 : end;
        }
        bytes = all / 8;
        if (bits.size() == 3 && all == 64) bits.pop_back();  // what X24 says is nothing
    }
    unsigned begin(unsigned k) const {
        unsigned sum = 0;
        for (unsigned i = 0; i < k; ++i) sum += bits[i];
        return sum;
    }
    unsigned component_bytes() const { return bits[0] % 8 == 0 && bits[0] != 24 ? bits[0] / 8 : std::min(bytes, 4u); }
};

bool is_whole(unsigned numbers) { return numbers == 4 || numbers == 5; }
double float_of(std::uint64_t x, unsigned bits) {
    sf::Flags flags;
    if (bits == 10 || bits == 11) x <<= 15 - bits, bits = 16;  // the sign is missing, and the last bits of the fraction
    return std::bit_cast<double>(sf::convert(sf::format_of(bits), sf::binary64, x, sf::Rounding::nearest, flags));
}
std::uint32_t single(double x) {
    sf::Flags flags;
    return std::uint32_t(
        sf::convert(sf::binary64, sf::binary32, std::bit_cast<std::uint64_t>(x), sf::Rounding::nearest, flags));
}

std::int64_t sign_extended(std::uint64_t raw, unsigned n) {
    return static_cast<std::int64_t>(raw << (64 - n)) >> (64 - n);
}

// Floats have 10, 11, 16 or 32 bits.
bool is_known(const Layout& layout, unsigned numbers) {
    return numbers != 7 || std::all_of(layout.bits.begin(), layout.bits.end(),
                                       [](unsigned n) { return n == 10 || n == 11 || n == 16 || n == 32; });
}

// What a component says, as a number; of whole numbers its bits.
double number_of(std::uint64_t raw, unsigned n, unsigned numbers) {
    const auto u = double(raw), s = double(sign_extended(raw, n));
    const double all = std::ldexp(1.0, int(n)) - 1;
    switch (numbers) {
        case 0: return u / all;
        case 1: return std::max(s / (std::ldexp(1.0, int(n) - 1) - 1), -1.0);
        case 2: return u;
        case 3: return s;
        case 6: return (2 * s + 1) / all;
        default: return float_of(raw, n);
    }
}
std::uint32_t register_of(std::uint64_t raw, unsigned n, unsigned numbers) {
    if (numbers == 4) return std::uint32_t(raw);
    if (numbers == 5) return std::uint32_t(sign_extended(raw, n));
    return single(number_of(raw, n, numbers));
}

// To the nearest, ties to even, of a float without a sign.
std::uint64_t small_float(double x, unsigned fraction) {
    if (x <= 0) return 0;
    if (std::isinf(x)) return 31u << fraction;
    int exponent = std::max(std::ilogb(x), -14);
    const double scaled = std::ldexp(x, int(fraction) - exponent);  // 2^fraction to twice as much, or less
    double whole = std::nearbyint(scaled);
    std::uint64_t bits = std::uint64_t(whole);
    if (whole >= std::ldexp(1.0, int(fraction) + 1)) whole /= 2, ++exponent, bits = std::uint64_t(whole);
    if (exponent > 15) return 31u << fraction;
    return bits < (1u << fraction) ? bits : (std::uint64_t(exponent + 15) << fraction) + bits - (1u << fraction);
}
// The nearest; of no number, what fits of its bits.
std::uint16_t half_of_float(std::uint32_t x) {
    sf::Flags flags;
    if (sf::is_nan(sf::binary32, x)) return std::uint16_t(x >> 16 & 0x8000) | 0x7e00 | std::uint16_t(x >> 13 & 0x3ff);
    return std::uint16_t(sf::convert(sf::binary32, sf::binary16, x, sf::Rounding::nearest, flags));
}
std::uint64_t raw_of(std::uint32_t x, unsigned n, unsigned numbers) {
    const std::uint64_t all = (std::uint64_t{1} << n) - 1;
    if (is_whole(numbers)) return x & all;
    const double value = float_of(x, 32);
    if (numbers == 7) {
        if (n == 32) return x;
        if (n == 16) return half_of_float(x);
        if (std::isnan(value)) return half_of_float(x & 0x7fffffff) >> (15 - n);
        if (n < 16) return small_float(value, n - 5);
        return x & all;
    }
    if (std::isnan(value)) return 0;
    const double most = double(all), half = std::ldexp(1.0, int(n) - 1);
    switch (numbers) {
        case 0: return std::uint64_t(std::nearbyint(std::clamp(value, 0.0, 1.0) * most));
        case 1: return std::uint64_t(std::int64_t(std::nearbyint(std::clamp(value, -1.0, 1.0) * (half - 1)))) & all;
        case 2: return std::uint64_t(std::clamp(std::trunc(value), 0.0, most));
        case 3: return std::uint64_t(std::int64_t(std::clamp(std::trunc(value), -half, half - 1))) & all;
        default:
            return std::uint64_t(std::int64_t(std::nearbyint((std::clamp(value, -1.0, 1.0) * most - 1) / 2))) & all;
    }
}
std::uint16_t half_of(std::uint32_t x, unsigned numbers) {
    return is_whole(numbers) ? std::uint16_t(x) : half_of_float(x);
}
std::uint32_t from_half(std::uint16_t x, unsigned numbers) {
    if (is_whole(numbers)) return x;
    sf::Flags flags;
    if (sf::is_nan(sf::binary16, x))
        return std::uint32_t(x & 0x8000) << 16 | 0x7fc00000 | std::uint32_t(x & 0x3ff) << 13;
    return std::uint32_t(sf::convert(sf::binary16, sf::binary32, x, sf::Rounding::nearest, flags));
}
std::uint32_t one_of(unsigned numbers) { return is_whole(numbers) ? 1 : 0x3f800000; }

using Element = std::array<std::uint8_t, 16>;
std::uint64_t raw_component(const Element& element, const Layout& layout, unsigned k) {
    std::uint64_t value = 0;
    for (unsigned bit = 0; bit < layout.bits[k]; ++bit) {
        const unsigned at = layout.begin(k) + bit;
        value |= std::uint64_t{element[at / 8] >> at % 8 & 1u} << bit;
    }
    return value;
}

}  // namespace

// ---- Typed buffers: `place` gives bytes of word k.
bool Model::format_access(const std::string& name, const Wave& old, Access& a, unsigned data, unsigned numbers,
                          std::uint32_t select, bool inside, const std::function<std::uint64_t(unsigned)>& address) {
    const Layout layout(data);
    if (layout.bits.empty() || !is_known(layout, numbers)) return false;
    const std::string which = name.substr(name.rfind('_') + 1);
    const unsigned count = unsigned(which.size());
    const bool d16 = has(name, "d16"), packed = d16 && packs_halves, high = has(name, "_hi_");
    const auto aligned = [&](std::uint64_t at) {
        return generation_ == 6 ? at & ~std::uint64_t{layout.component_bytes() - 1} : at;
    };
    Element element{};
    if (has(name, "load")) {
        for (unsigned i = 0; i < layout.bytes && inside; ++i) {
            const std::uint64_t at = aligned(address(i / 4)) + i % 4;
            if (at < memory_bytes.size()) element[i] = memory_bytes[at];
        }
        for (unsigned k = 0; k < count; ++k) {
            const unsigned sel = select >> (3 * k) & 7;
            std::uint32_t x = 0;
            if (sel == 1 || (sel == 7 && layout.bits.size() < 4)) x = one_of(numbers);
            if (sel >= 4 && sel - 4 < layout.bits.size())
                x = register_of(raw_component(element, layout, sel - 4), layout.bits[sel - 4], numbers);
            if (!inside) x = 0;
            std::uint32_t& r = wave_.v[(a.data + (packed ? k / 2 : k)) & 255][a.lane];
            const std::uint16_t half = half_of(x, numbers);
            if (!d16)
                r = x;
            else if (!packed)
                r = half;
            else
                r = generation_ < 9 && count == 1 ? half
                    : k % 2 != 0 || high          ? (r & 0xffff) | std::uint32_t{half} << 16
                                                  : (r & 0xffff0000) | half;
            if (!is_whole(numbers)) {
                const bool upper = packed && (k % 2 != 0 || high);
                loose_.push_back({(a.data + (packed ? k / 2 : k)) & 255, a.lane, d16 ? 16u : 32u, upper ? 16u : 0u, 0});
            }
        }
        return true;
    }
    for (unsigned k = 0; k < layout.bits.size(); ++k) {
        std::uint32_t x = 0;
        if (k < count) {
            const std::uint32_t r = old.v[(a.data + (packed ? k / 2 : k)) & 255][a.lane];
            x = !d16 ? r : from_half(std::uint16_t(packed && (k % 2 != 0 || high) ? r >> 16 : r), numbers);
        }
        const std::uint64_t raw = k < count ? raw_of(x, layout.bits[k], numbers) : 0;
        for (unsigned bit = 0; bit < layout.bits[k]; ++bit) {
            const unsigned at = layout.begin(k) + bit;
            element[at / 8] = std::uint8_t(element[at / 8] | (raw >> bit & 1) << at % 8);
        }
    }
    for (unsigned i = a.round * 4; i < a.round * 4 + 4 && i < layout.bytes && inside; ++i) {
        const std::uint64_t at = aligned(address(i / 4)) + i % 4;
        if (at < memory_bytes.size()) memory_bytes[at] = element[i];
    }
    return true;
}

// ---- Images
namespace {

struct Surface {
    std::uint64_t base = 0;
    unsigned data = 0, numbers = 0, kind = 0, width = 0, height = 0, depth = 1, pitch = 0;
    unsigned first_level = 0, last_level = 0, first_slice = 0, last_slice = 0, select = 0;
    double least_lod = 0;
    Layout layout{0};

    bool is_line() const { return kind == 8 || kind == 12; }
    bool has_slices() const { return kind >= 11; }
    unsigned at(unsigned size, unsigned level) const { return std::max(size >> level, 1u); }
    std::uint64_t level_texels(unsigned level) const {
        return std::uint64_t{at(pitch, level)} * at(height, level) * (has_slices() ? last_slice + 1 : at(depth, level));
    }
    // In bytes; nothing where there is no such texel.
    std::optional<std::uint64_t> place(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t level) const {
        if (level > last_level || x >= at(width, level) || y >= at(height, level)) return {};
        if (has_slices() ? z + first_slice > last_slice : z >= at(depth, level)) return {};
        std::uint64_t before = 0;
        for (unsigned k = 0; k < level; ++k) before += level_texels(k);
        const std::uint64_t row = std::uint64_t{z + (has_slices() ? first_slice : 0)} * at(height, level) + y;
        return base + (before + row * at(pitch, level) + x) * layout.bytes;
    }
};

struct Filter {
    unsigned clamp[3] = {}, border = 0, mip = 0, between_slices = 0, compare = 0;
    bool unnormalised = false, mag = false, min = false;
    double least_lod = 0, most_lod = 0;
};

// -1 is the border.
std::int64_t clamped(std::int64_t i, std::int64_t n, unsigned mode) {
    const auto modulo = [](std::int64_t a, std::int64_t b) { return ((a % b) + b) % b; };
    const std::int64_t mirrored = modulo(i, 2 * n) < n ? modulo(i, 2 * n) : 2 * n - 1 - modulo(i, 2 * n);
    const std::int64_t once = i < 0 ? -1 - i : i;
    switch (mode) {
        case 0: return modulo(i, n);
        case 1: return mirrored;
        case 2: return std::clamp<std::int64_t>(i, 0, n - 1);
        case 3: return std::min(once, n - 1);
        case 7: return once < n ? once : -1;
        default: return i < 0 || i >= n ? -1 : i;
    }
}
bool compares(unsigned how, double reference, double x) {
    switch (how) {
        case 0: return false;
        case 1: return reference < x;
        case 2: return reference == x;
        case 3: return reference <= x;
        case 4: return reference > x;
        case 5: return reference != x;  // of no number, too, as Direct3D and Vulkan have it
        case 6: return reference >= x;
        default: return true;
    }
}
std::int64_t parts_of(double x) {
    const double scaled = std::floor(x * 256);
    if (std::isnan(scaled)) return 0;
    return std::int64_t(std::clamp(scaled, -536870912.0, 536870911.0));
}

}  // namespace

bool Model::image_memory(const std::string& name, std::uint32_t w0, std::uint32_t w1) {
    const Wave old = wave_;
    const unsigned vaddr = bits_of(w1, 7, 0), vdata = bits_of(w1, 15, 8), srsrc = 4 * bits_of(w1, 20, 16),
                   ssamp = 4 * bits_of(w1, 25, 21), dmask = bits_of(w0, 11, 8) == 0 ? 1 : bits_of(w0, 11, 8);
    const bool d16 = generation_ >= 8 && bits_of(w1, 31, 31) != 0, tfe = bits_of(w0, 16, 16) != 0,
               unorm = bits_of(w0, 12, 12) != 0, glc = bits_of(w0, 13, 13) != 0,
               r128 = generation_ < 9 && bits_of(w0, 15, 15) != 0;
    if (generation_ >= 9 && bits_of(w0, 15, 15) != 0) return false;
    if (has(name, "4h") || has(name, "8h") || has(name, "get_lod")) return false;
    std::uint32_t t[8], q[4];
    for (unsigned k = 0; k < 8; ++k) t[k] = k < 4 || !r128 ? scalar32(srsrc + k) : 0;
    for (unsigned k = 0; k < 4; ++k) q[k] = scalar32(ssamp + k);
    Surface s;
    s.base = (t[0] | std::uint64_t{t[1] & 0xff} << 32) << 8;
    s.least_lod = bits_of(t[1], 19, 8) / 256.0;
    s.data = bits_of(t[1], 25, 20), s.numbers = bits_of(t[1], 29, 26);
    s.width = bits_of(t[2], 13, 0) + 1, s.height = bits_of(t[2], 27, 14) + 1;
    s.select = bits_of(t[3], 11, 0), s.first_level = bits_of(t[3], 15, 12), s.last_level = bits_of(t[3], 19, 16);
    s.kind = bits_of(t[3], 31, 28);
    if (s.is_line()) s.height = 1;
    if (s.kind == 10) s.depth = bits_of(t[4], 12, 0) + 1;
    s.pitch = r128 ? s.width : bits_of(t[4], generation_ >= 9 ? 28 : 26, 13) + 1;
    if (s.has_slices()) {
        s.first_slice = bits_of(t[5], 12, 0);
        s.last_slice = generation_ >= 9 ? bits_of(t[4], 12, 0) : bits_of(t[5], 25, 13);
    }
    if (bits_of(t[3], 24, 20) != (generation_ >= 9 ? 0u : 8u) || s.kind < 8 || s.kind > 13 || s.numbers > 7)
        return false;
    s.layout = Layout(s.data);
    if (s.layout.bits.empty()) return false;

    // Where things stand in the address, and in the registers of the datum.
    const unsigned coordinates = s.is_line() ? (generation_ >= 9 ? 2 : 1) + (s.kind == 12) : s.kind == 9 ? 2 : 3;
    const auto reg = [&](unsigned k, unsigned lane) { return old.v[(vaddr + k) & 255][lane]; };
    const auto third = [&](unsigned first, unsigned lane) {
        return s.kind >= 10 ? reg(first + coordinates - 1, lane) : 0;
    };
    const auto row = [&](unsigned first, unsigned lane) { return s.is_line() ? 0 : reg(first + 1, lane); };
    const bool packed = d16 && packs_halves;
    const auto put = [&](unsigned lane, unsigned place, std::uint32_t x, bool exact, unsigned distance = 0) {
        const unsigned number = (vdata + (packed ? place / 2 : place)) & 255;
        std::uint32_t& r = wave_.v[number][lane];
        const std::uint16_t half = half_of(x, s.numbers);
        if (!d16)
            r = x;
        else if (!packed)
            r = half;
        else
            r = place % 2 != 0 ? (r & 0xffff) | std::uint32_t{half} << 16 : (r & 0xffff0000) | half;
        if (!exact) loose_.push_back({number, lane, d16 ? 16u : 32u, packed && place % 2 != 0 ? 16u : 0u, distance});
    };
    const auto status = [&](unsigned lane, unsigned places) {
        if (tfe) wave_.v[(vdata + (packed ? (places + 1) / 2 : places)) & 255][lane] = 0;
    };
    const auto fetch = [&](std::uint64_t at) {
        Element element{};
        for (unsigned i = 0; i < s.layout.bytes; ++i)
            if (at + i < memory_bytes.size()) element[i] = memory_bytes[at + i];
        return element;
    };
    const auto places = unsigned(std::popcount(dmask));
    const bool whole = is_whole(s.numbers);

    if (has(name, "atomic")) {
        const std::string op = name.substr(13);
        const bool two = has(op, "cmpswap");
        const unsigned n = places == (two ? 4u : 2u) ? 64 : 32;
        if (places != (n / 32) * (two ? 2 : 1) || op == "fcmpswap") return false;
        for (unsigned lane = 0; lane < 64; ++lane) {
            if ((old.exec >> lane & 1) == 0) continue;
            const auto at = s.place(reg(0, lane), row(0, lane), third(0, lane), s.first_level);
            const auto value = [&](unsigned k) {
                const std::uint64_t low = old.v[(vdata + k) & 255][lane];
                return n == 64 ? low | std::uint64_t{old.v[(vdata + k + 1) & 255][lane]} << 32 : low;
            };
            Access a{lane, vdata, vdata, glc, {}, 0};
            a.place = [&](unsigned, unsigned) -> Bytes* { return a.at = at.value_or(0), at ? &memory_bytes : nullptr; };
            if (!atomic(op, a, value(0), two ? value(n / 32) : 0, n, old.mode)) return false;
            status(lane, places);
        }
        return true;
    }
    if (name == "image_get_resinfo") {
        for (unsigned lane = 0; lane < 64; ++lane) {
            if ((old.exec >> lane & 1) == 0) continue;
            const std::uint32_t level = s.first_level + reg(0, lane);
            const auto at = [&](std::uint32_t size) { return level > 31 ? 1u : std::max(size >> level, 1u); };
            const std::uint32_t all[] = {at(s.width), at(s.height),
                                         s.has_slices() ? s.last_slice - s.first_slice + 1 : at(s.depth),
                                         s.last_level - s.first_level + 1};
            unsigned place = 0;
            const unsigned numbers = s.numbers;
            s.numbers = 4;
            for (unsigned k = 0; k < 4; ++k)
                if ((dmask >> k & 1) != 0) put(lane, place++, all[k], true);
            s.numbers = numbers;
            status(lane, places);
        }
        return true;
    }
    if (has(name, "load") || has(name, "store")) {
        const bool stores = has(name, "store"), as_words = has(name, "_pck"), widens = has(name, "_sgn");
        for (unsigned turn = 0; turn < (stores ? 256u : 64u); ++turn) {
            const unsigned lane = turn % 64;
            if ((old.exec >> lane & 1) == 0) continue;
            const std::uint32_t level = s.first_level + (has(name, "_mip") ? reg(coordinates, lane) : 0);
            const auto at = s.place(reg(0, lane), row(0, lane), third(0, lane), level);
            if (!stores) {
                const Element element = at ? fetch(*at) : Element{};
                unsigned place = 0;
                for (unsigned k = 0; k < 4; ++k) {
                    if ((dmask >> k & 1) == 0) continue;
                    if (as_words) {
                        std::uint64_t word = 0;
                        for (unsigned i = 0; i < 4 && 4 * k + i < s.layout.bytes; ++i)
                            word |= std::uint64_t{element[4 * k + i]} << 8 * i;
                        if (widens && s.layout.bytes < 4) word = std::uint64_t(sign_extended(word, 8 * s.layout.bytes));
                        put(lane, place++, std::uint32_t(word), true);
                        continue;
                    }
                    const unsigned sel = s.select >> (3 * k) & 7;
                    std::uint32_t x = sel == 1 || (sel == 7 && s.layout.bits.size() < 4) ? one_of(s.numbers) : 0;
                    if (sel >= 4 && sel - 4 < s.layout.bits.size())
                        x = at ? register_of(raw_component(element, s.layout, sel - 4), s.layout.bits[sel - 4],
                                             s.numbers)
                               : 0;
                    put(lane, place++, x, whole);
                }
                status(lane, places);
                continue;
            }
            Element element{};
            unsigned place = 0;
            for (unsigned k = 0; k < 4; ++k) {
                std::uint64_t raw = 0;
                if (as_words) {
                    const std::uint32_t word = (dmask >> k & 1) != 0 ? old.v[(vdata + place++) & 255][lane] : 0;
                    for (unsigned i = 0; i < 4; ++i) element[4 * k + i] = std::uint8_t(word >> 8 * i);
                    continue;
                }
                if ((dmask >> k & 1) != 0) {
                    const std::uint32_t r = old.v[(vdata + (packed ? place / 2 : place)) & 255][lane];
                    const std::uint32_t x =
                        !d16 ? r : from_half(std::uint16_t(packed && place % 2 != 0 ? r >> 16 : r), s.numbers);
                    if (k < s.layout.bits.size()) raw = raw_of(x, s.layout.bits[k], s.numbers);
                    ++place;
                }
                if (k >= s.layout.bits.size()) continue;
                for (unsigned bit = 0; bit < s.layout.bits[k]; ++bit) {
                    const unsigned where = s.layout.begin(k) + bit;
                    element[where / 8] = std::uint8_t(element[where / 8] | (raw >> bit & 1) << where % 8);
                }
            }
            for (unsigned i = turn / 64 * 4; i < turn / 64 * 4 + 4 && i < s.layout.bytes && at; ++i)
                if (*at + i < memory_bytes.size()) memory_bytes[*at + i] = element[i];
        }
        return true;
    }

    // Samples. What the name says: image_sample[_c][_d|_cd|_l|_b|_lz][_cl][_o].
    const bool gathers = has(name, "gather4"), with_offset = has(name, "_o"), with_bias = has(name, "_b"),
               with_compare = has(name, "_c_") || (name.size() > 2 && name.substr(name.size() - 2) == "_c"),
               zero = has(name, "_lz"), explicit_lod = !zero && (has(name, "_l_") || name.ends_with("_l"));
    const bool with_derivatives = has(name, "_d_") || name.ends_with("_d") || has(name, "_cd");
    Filter f;
    for (unsigned i = 0; i < 3; ++i) f.clamp[i] = bits_of(q[0], 3 * i + 2, 3 * i);
    f.compare = bits_of(q[0], 14, 12), f.unnormalised = bits_of(q[0], 15, 15) != 0 || unorm;
    f.least_lod = bits_of(q[1], 11, 0) / 256.0, f.most_lod = bits_of(q[1], 23, 12) / 256.0;
    f.mag = bits_of(q[2], 20, 20) != 0, f.min = bits_of(q[2], 22, 22) != 0;
    f.between_slices = bits_of(q[2], 25, 24), f.mip = bits_of(q[2], 27, 26), f.border = bits_of(q[3], 31, 30);
    if (f.border == 3 || (with_compare && whole)) return false;
    for (const unsigned mode : f.clamp)
        if (mode == 4 || mode == 5) return false;
    const bool one_level = f.mip == 0 || s.first_level == s.last_level;
    if (!zero && !explicit_lod && (f.mag != f.min || !one_level)) return false;

    // A texel's component as a number, or its bits where these are not mixed.
    const auto texel = [&](std::int64_t x, std::int64_t y, std::int64_t z, unsigned level, unsigned sel, bool compare,
                           double reference) -> double {
        double value = 0;
        const bool there = sel >= 4 && sel - 4 < s.layout.bits.size();
        if (sel == 1 || (sel == 7 && !there)) value = 1;
        if (there && (x < 0 || y < 0 || z < 0)) value = f.border == 2 || (f.border == 1 && sel == 7) ? 1 : 0;
        if (there && x >= 0 && y >= 0 && z >= 0) {
            std::uint64_t before = 0;
            for (unsigned k = 0; k < level; ++k) before += s.level_texels(k);
            const std::uint64_t line = std::uint64_t(z) * s.at(s.height, level) + std::uint64_t(y);
            const Element element =
                fetch(s.base + (before + line * s.at(s.pitch, level) + std::uint64_t(x)) * s.layout.bytes);
            const std::uint64_t raw = raw_component(element, s.layout, sel - 4);
            value = s.numbers == 4   ? double(raw)
                    : s.numbers == 5 ? double(sign_extended(raw, s.layout.bits[sel - 4]))
                                     : number_of(raw, s.layout.bits[sel - 4], s.numbers);
        }
        if (!compare) return value;
        return compares(f.compare, reference, value) ? 1 : 0;
    };
    for (unsigned lane = 0; lane < 64; ++lane) {
        if ((old.exec >> lane & 1) == 0) continue;
        unsigned next = 0;
        const std::uint32_t offset = with_offset ? reg(next++, lane) : 0;
        next += with_bias;
        const double reference = with_compare ? float_of(reg(next++, lane), 32) : 0;
        const bool is_line = s.kind == 8 || s.kind == 12;
        if (with_derivatives) next += s.kind == 10 ? 6 : is_line && generation_ < 9 ? 2 : 4;
        const auto coordinate = [&](std::uint32_t r) {
            const double x = float_of(r, 32);
            return s.kind == 11 ? float_of(single(x - 1), 32) : x;
        };
        const double u = coordinate(reg(next, lane)), v = coordinate(row(next, lane)),
                     w = float_of(third(next, lane), 32);
        double lod = explicit_lod ? float_of(reg(next + coordinates, lane), 32) : 0;
        if (zero || explicit_lod) {
            lod = std::isnan(lod) ? s.least_lod : std::max(lod, s.least_lod);
            lod = std::max(std::min(lod, f.most_lod), f.least_lod);
        }
        const bool linear = gathers || ((lod <= 0 ? f.mag : f.min) && (!whole || with_compare));
        const std::int64_t levels = f.mip == 0 ? 0 : std::max<std::int64_t>(parts_of(lod + (f.mip == 1 ? 0.5 : 0)), 0);
        const auto level = unsigned(std::min<std::int64_t>(s.first_level + (levels >> 8), s.last_level));
        const bool between = f.mip == 2 && s.first_level != s.last_level && !gathers && (!whole || with_compare);
        const bool deep = s.kind == 10 && linear && f.between_slices == 2 && !gathers;
        if (between && deep) return false;
        const auto axis = [&](double c, unsigned size, unsigned at_level, unsigned shift, bool mixes) {
            const double texels = f.unnormalised ? c : c * s.at(size, at_level);
            const auto step = std::int64_t(sign_extended(offset >> shift & 63, 6)) * 256;
            return parts_of(texels - (mixes ? 0.5 : 0)) + step;
        };
        const double slice_number = std::isnan(w) ? 0 : std::nearbyint(w);
        const std::int64_t slice =
            std::int64_t(std::clamp(slice_number, 0.0, double(s.last_slice - s.first_slice))) + s.first_slice;
        unsigned place = 0;
        for (unsigned k = 0; k < 4; ++k) {
            if (!gathers && (dmask >> k & 1) == 0) continue;
            const unsigned which = gathers ? unsigned(std::countr_zero(dmask)) : k;
            const unsigned sel = s.select >> (3 * which) & 7;
            const bool compare = with_compare && (gathers || k == 0);
            const bool there = sel >= 4 && sel - 4 < s.layout.bits.size();
            double reached = 0;  // without signs
            const auto in_level = [&](unsigned at_level) {
                const std::int64_t px = axis(u, s.width, at_level, 0, linear),
                                   py = s.is_line() ? 0 : axis(v, s.height, at_level, 8, linear),
                                   pz = axis(w, s.depth, at_level, 16, deep);
                const auto column = [&](std::int64_t i) { return clamped(i, s.at(s.width, at_level), f.clamp[0]); };
                const auto line = [&](std::int64_t i) { return clamped(i, s.at(s.height, at_level), f.clamp[1]); };
                const auto layer = [&](std::int64_t i) {
                    return s.kind == 10 ? clamped(i, s.at(s.depth, at_level), f.clamp[2]) : slice;
                };
                const auto corner = [&](unsigned i) {
                    return texel(column((px >> 8) + (i & 1)), line((py >> 8) + (i >> 1 & 1)),
                                 layer((pz >> 8) + (i >> 2)), at_level, sel, compare, reference);
                };
                if (gathers) {
                    static constexpr unsigned order[] = {2, 3, 1, 0};
                    return s.is_line() ? corner(order[k] & 1) : corner(order[k]);
                }
                double sum = 0;
                for (unsigned i = 0; i < 8; ++i) {
                    const auto weight = [](std::int64_t p, bool second, bool mixes) {
                        return mixes ? (second ? double(p & 255) : 256.0 - double(p & 255)) / 256 : second ? 0.0 : 1.0;
                    };
                    const double share = weight(px, (i & 1) != 0, linear) *
                                         weight(py, (i & 2) != 0, linear && !s.is_line()) *
                                         weight(pz, (i & 4) != 0, deep);
                    // What has no share is not looked at; but what is no number spreads as far as the filter reaches.
                    const bool reaches = ((i & 1) == 0 || linear) && ((i & 2) == 0 || (linear && !s.is_line())) &&
                                         ((i & 4) == 0 || deep);
                    if (!reaches) continue;
                    const double part = share * corner(i);
                    sum += part;
                    reached += std::abs(part);
                }
                return sum;
            };
            double value = there || compare ? in_level(level) : texel(0, 0, 0, level, sel, false, 0);
            if (between && there) {
                const double part = double(levels & 255) / 256;
                value = value * (1 - part) + in_level(std::min(level + 1, s.last_level)) * part;
            }
            const bool as_bits = whole && !compare;
            put(lane, place++, as_bits ? std::uint32_t(std::int64_t(value)) : single(value), as_bits, 4);
            // What is left where texels cancel each other out depends on the order of the sum.
            if (!as_bits && std::abs(value) < reached * 0x1p-28) loose_.back().bits = 0;
        }
        status(lane, gathers ? 4 : places);
    }
    return true;
}

}  // namespace gcn_reference

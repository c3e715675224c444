// Numbers between text and bits: sign, scale, bias, distance from the instruction, part of a larger value.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "codec/tables.hpp"
#include "support/half.hpp"
#include "support/wide.hpp"

namespace isaforge::codec {

std::uint64_t float_bits(double value, unsigned width) {
    if (width == 64) return std::bit_cast<std::uint64_t>(value);
    if (width == 32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return half_from_double(value);
}

namespace {

// Whether a float of so many bits is near `value`: it does not become infinite, and if it is not exact, not subnormal or 0.
bool float_holds(double value, unsigned width) {
    if (width == 64 || !std::isfinite(value)) return true;
    const std::uint64_t bits = float_bits(value, width);
    const double kept = width == 32 ? static_cast<double>(static_cast<float>(value))
                                    : double_from_half(static_cast<std::uint16_t>(bits));
    if (!std::isfinite(kept)) return false;
    const double smallest = width == 32 ? 0x1p-126 : 0x1p-14;
    return kept == value || std::fabs(kept) >= smallest;
}

Wide wide(const NumberValue& value) {
    return value.negative ? Wide{static_cast<std::int64_t>(value.integer)} : Wide{value.integer};
}

std::string text(Wide value) {
    const bool negative = value < 0;
    UnsignedWide rest = negative ? -static_cast<UnsignedWide>(value) : static_cast<UnsignedWide>(value);
    std::string out;
    do {
        out.insert(out.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
        rest /= 10;
    } while (rest != 0);
    return negative ? "-" + out : out;
}

struct Range {
    Wide low, high;
};

// What the bits can hold, before scale and bias.
Range range_of(const NumberRule& rule, unsigned width) {
    const unsigned bits = rule.sliced ? rule.value_bits : width;
    const Wide span = Wide{1} << bits;
    if (rule.base == NumberBase::signed_integer) return {-span / 2, span / 2 - 1};
    if (rule.base == NumberBase::either_integer || rule.base == NumberBase::any_bits || rule.sliced)
        return {-span / 2, span - 1};
    return {0, span - 1};
}

bool fail(std::string* problem, std::string message) {
    if (problem) *problem = std::move(message);
    return false;
}

bool out_of_range(const NumberRule& rule, unsigned width, Wide value, std::string* problem) {
    if (!problem) return false;
    Range range = range_of(rule, width);
    range = {range.low * rule.scale + rule.bias, range.high * rule.scale + rule.bias};
    if (range.low > range.high) std::swap(range.low, range.high);
    if (rule.minimum) range.low = *rule.minimum;
    if (rule.maximum) range.high = *rule.maximum;
    if (rule.relative)
        return fail(problem, fmt::format("the target is {} away; the reach is {} to {}", text(value), text(range.low),
                                         text(range.high)));
    return fail(problem, fmt::format("{} is out of range: {} to {}", text(value), text(range.low), text(range.high)));
}

// In which format the bits of a float are meant: that of its suffix, or that of where it stands.
unsigned format_of(const NumberValue& number, unsigned width) {
    return number.float_width == 0 ? width : number.float_width;
}

// The bits of a float in so many: those of a smaller format with zeros above, the upper half of a larger one.
bool float_number_bits(const NumberValue& number, unsigned width, std::uint64_t& bits) {
    const unsigned format = format_of(number, width);
    if (!float_holds(number.floating, format)) return false;
    bits = float_bits(number.floating, format);
    if (format > width) bits >>= format - width;
    return true;
}

}  // namespace

bool number_bits(const NumberValue& number, unsigned width, std::uint64_t& bits) {
    if (number.kind == NumberValue::Kind::deferred) return false;
    if (number.kind == NumberValue::Kind::floating) {
        return float_number_bits(number, width, bits);
    }
    bits = number.integer & low_bits(width);
    const bool extended = (number.integer | low_bits(width - 1)) == ~std::uint64_t{0};  // a negative number, in 64 bits
    return extended || (!number.negative && bits == number.integer);
}

bool encode_number(const NumberRule& rule, unsigned width, const NumberValue& number, std::uint64_t address,
                   std::uint64_t& code, std::string* problem) {
    const bool by_bits = rule.base == NumberBase::any_bits && number.kind == NumberValue::Kind::floating;
    if (by_bits) {
        // Another format than the operand's is what the field itself has.
        const unsigned format = format_of(number, rule.value_bits);
        const bool is_own = format == rule.value_bits;
        std::uint64_t bits = 0;
        if (!float_number_bits(number, is_own ? format : width, bits))
            return fail(problem, fmt::format("{} is out of range for a float of {} bits", number.floating, format));
        code = (is_own ? bits >> rule.slice_low : bits) & low_bits(width);
        return true;
    }
    if (rule.base == NumberBase::floating) {
        const double value =
            number.kind == NumberValue::Kind::floating ? number.floating : static_cast<double>(wide(number));
        code = float_bits(value, rule.value_bits) >> rule.slice_low & low_bits(width);
        return true;
    }
    if (number.kind == NumberValue::Kind::floating)
        return fail(problem, fmt::format("an integer is expected here, not {}", number.floating));
    Wide value = wide(number);
    if (rule.relative) value -= static_cast<std::int64_t>(address);
    const Wide shown = value;
    if ((rule.minimum && value < *rule.minimum) || (rule.maximum && value > *rule.maximum))
        return out_of_range(rule, width, shown, problem);
    value -= rule.bias;
    // Numbers of 128 bits are slow to divide.
    if (rule.scale != 1 && value % rule.scale != 0) {
        if (!problem) return false;
        return fail(problem, fmt::format("{} is no multiple of {}",
                                         rule.relative ? fmt::format("the distance to the target, {},", text(shown))
                                                       : text(shown),
                                         rule.scale));
    }
    if (rule.scale != 1) value /= rule.scale;
    const Range range = range_of(rule, width);
    if (range.low < 0 && !rule.sliced && value > range.high) {  // a negative number as its 64 bits
        std::uint64_t unused = 0;
        if (number_bits(number, width, unused)) value = static_cast<std::int64_t>(number.integer);
    }
    if (value < range.low || value > range.high) return out_of_range(rule, width, shown, problem);
    code = rule.carry(static_cast<std::uint64_t>(value)) >> rule.slice_low & low_bits(width);
    return true;
}

bool holds(const Constraint& range, std::uint64_t code) {
    return code >= range.low && code <= range.high && (code - range.low) % range.step == 0;
}

std::string outside_text(const Constraint& range) {
    std::string text = fmt::format("the bits of this operand are from {} to {}", range.low, range.high);
    if (range.step != 1) text += fmt::format(" by {}", range.step);
    return text;
}

NumberRule plain_rule(const NumberRule& rule) {
    NumberRule out;
    out.base = rule.plain.value_or(rule.base);
    out.format = rule.format;
    out.value_bits = rule.value_bits;
    return out;
}

std::int64_t decode_number(const NumberRule& rule, unsigned width, std::uint64_t code, std::uint64_t address) {
    if (rule.carries != 0 && !rule.sliced) code = rule.without_carry(code) & low_bits(width);
    auto value = static_cast<std::int64_t>(code);
    if (rule.sliced) {
        value = static_cast<std::int64_t>(code << rule.slice_low);
    } else if (rule.base == NumberBase::signed_integer && width - 1 < 63 && (code >> (width - 1) & 1) != 0) {
        value = static_cast<std::int64_t>(code | ~low_bits(width));
    }
    value = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(rule.scale) +
                                      static_cast<std::uint64_t>(rule.bias));
    return rule.relative ? static_cast<std::int64_t>(static_cast<std::uint64_t>(value) + address) : value;
}

}  // namespace isaforge::codec

// The types of values: integers of 1 to 64 bits, floats of 16, 32 and 64, in one lane or in up to 1024; masks, which have a
// bit for each lane; and tuples of equal values, as consecutive registers hold them. A truth value is an integer of one bit
// where there is one lane, and a mask where there are more: there are no lanes of one bit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace isaforge::ir {

inline constexpr unsigned most_lanes = 1024;
inline constexpr unsigned most_tuple_bits = 512;  // of one lane

enum class Kind : std::uint8_t { none, integer, floating, mask };

struct Type {
    Kind kind = Kind::none;
    std::uint8_t bits = 0;    // of one element of one lane; of a mask 1
    std::uint16_t lanes = 1;
    std::uint8_t count = 1;   // of elements, more than one in a tuple

    bool operator==(const Type&) const = default;
    explicit operator bool() const { return kind != Kind::none; }
    bool is_integer() const { return kind == Kind::integer; }
    bool is_float() const { return kind == Kind::floating; }
    bool is_mask() const { return kind == Kind::mask; }
    bool is_truth() const { return count == 1 && (is_mask() || (is_integer() && bits == 1 && lanes == 1)); }
    bool is_valid() const;
    // Bits of all lanes and elements.
    unsigned total_bits() const { return unsigned{bits} * lanes * count; }
    // The smallest of 8, 16, 32 and 64 bits that hold an element: what a host computes with.
    unsigned container() const { return bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64; }

    Type element() const { return {kind, bits, lanes, 1}; }
    Type lane() const { return kind == Kind::mask ? integer(1) : Type{kind, bits, 1, count}; }
    Type with_bits(unsigned width) const { return {kind, static_cast<std::uint8_t>(width), lanes, count}; }
    Type with_lanes(unsigned n) const { return {kind, bits, static_cast<std::uint16_t>(n), count}; }
    Type with_kind(Kind other) const { return {other, bits, lanes, count}; }

    static constexpr Type integer(unsigned bits, unsigned lanes = 1) {
        return {Kind::integer, static_cast<std::uint8_t>(bits), static_cast<std::uint16_t>(lanes), 1};
    }
    static constexpr Type floating(unsigned bits, unsigned lanes = 1) {
        return {Kind::floating, static_cast<std::uint8_t>(bits), static_cast<std::uint16_t>(lanes), 1};
    }
    // A truth value for each of the lanes.
    static constexpr Type truth(unsigned lanes) {
        return lanes == 1 ? integer(1) : Type{Kind::mask, 1, static_cast<std::uint16_t>(lanes), 1};
    }
};

// "i32", "f16x64", "m64", "i32x64*2"; and back, nothing where it is no type.
std::string to_text(Type type);
std::optional<Type> parse_type(std::string_view text);

}  // namespace isaforge::ir

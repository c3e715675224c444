#include "ir/type.hpp"

#include <charconv>

namespace isaforge::ir {

bool Type::is_valid() const {
    if (lanes < 1 || lanes > most_lanes || count < 1 || unsigned{bits} * count > most_tuple_bits) return false;
    switch (kind) {
        case Kind::none: return false;
        case Kind::mask: return bits == 1 && lanes > 1 && count == 1;
        case Kind::floating: return bits == 16 || bits == 32 || bits == 64;
        case Kind::integer: return bits >= 1 && bits <= 64 && (bits > 1 || lanes == 1);
    }
    return false;
}

std::string to_text(Type type) {
    std::string text;
    switch (type.kind) {
        case Kind::none: return "nothing";
        case Kind::mask: return "m" + std::to_string(type.lanes);
        case Kind::integer: text = "i"; break;
        case Kind::floating: text = "f"; break;
    }
    text += std::to_string(type.bits);
    if (type.lanes != 1) text += "x" + std::to_string(type.lanes);
    if (type.count != 1) text += "*" + std::to_string(type.count);
    return text;
}

namespace {

// Takes a number of at most `most` from the front.
std::optional<unsigned> take_number(std::string_view& text, unsigned most) {
    unsigned value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || value > most) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

// Takes `mark` and the number behind it, or nothing and 1 where the mark is not there.
std::optional<unsigned> take_factor(std::string_view& text, char mark, unsigned most) {
    if (!text.starts_with(mark)) return 1;
    text.remove_prefix(1);
    return take_number(text, most);
}

}  // namespace

std::optional<Type> parse_type(std::string_view text) {
    if (text.empty()) return std::nullopt;
    const char kind = text[0];
    text.remove_prefix(1);
    const auto first = take_number(text, most_lanes);
    if (!first) return std::nullopt;
    Type type;
    if (kind == 'm') {
        type = {Kind::mask, 1, static_cast<std::uint16_t>(*first), 1};
    } else if (kind == 'i' || kind == 'f') {
        const auto lanes = take_factor(text, 'x', most_lanes), count = take_factor(text, '*', most_tuple_bits / 8);
        if (*first > 64 || !lanes || !count) return std::nullopt;
        type = {kind == 'i' ? Kind::integer : Kind::floating, static_cast<std::uint8_t>(*first),
                static_cast<std::uint16_t>(*lanes), static_cast<std::uint8_t>(*count)};
    }
    return text.empty() && type.is_valid() ? std::optional(type) : std::nullopt;
}

}  // namespace isaforge::ir

// Bytes as text, as RFC 4648 has it in chapter 4.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isaforge::dap {

inline constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

inline std::string to_base64(std::span<const std::uint8_t> bytes) {
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t three = 0;
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
        for (std::size_t i = 0; i < count; ++i) three |= std::uint32_t{bytes[at + i]} << (16 - 8 * i);
        for (std::size_t i = 0; i < 4; ++i) text += i <= count ? base64_digits[three >> (18 - 6 * i) & 63] : '=';
    }
    return text;
}

// Nothing where it is none.
inline std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    while (text.ends_with('=') && text.size() % 4 != 2) text.remove_suffix(1);
    std::vector<std::uint8_t> bytes;
    std::uint32_t held = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const std::size_t digit = base64_digits.find(c);
        if (digit == std::string_view::npos) return std::nullopt;
        held = held << 6 | static_cast<std::uint32_t>(digit);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes.push_back(static_cast<std::uint8_t>(held >> bits));
    }
    return bytes;
}

}  // namespace isaforge::dap

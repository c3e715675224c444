#include "debugger/gdb_packet.hpp"

namespace isaforge::debugger {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::string unescaped(std::string_view text) {
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escapes = text[i] == '}' && i + 1 < text.size();
        bytes += escapes ? static_cast<char>(text[++i] ^ 0x20) : text[i];
    }
    return bytes;
}

}  // namespace

PacketEvent PacketReader::finished(char second_digit) {
    unsigned sum = 0;
    for (char each : body_) sum += static_cast<unsigned char>(each);
    const int high = digit(first_digit_), low = digit(second_digit);
    const bool good = high >= 0 && low >= 0 && sum % 256 == static_cast<unsigned>(high * 16 + low);
    PacketEvent event{good ? PacketEvent::Kind::packet : PacketEvent::Kind::damaged, {}};
    if (good) event.payload = unescaped(body_);
    return event;
}

std::vector<PacketEvent> PacketReader::feed(std::string_view bytes) {
    std::vector<PacketEvent> events;
    for (char c : bytes) {
        switch (state_) {
            case State::outside:
                if (c == '\x03') events.push_back({PacketEvent::Kind::interrupt, {}});
                if (c == '-') events.push_back({PacketEvent::Kind::repeat, {}});
                if (c != '$') break;  // also an acknowledgement, or noise
                state_ = State::body;
                body_.clear();
                too_long_ = false;
                break;
            case State::body:
                if (c == '#') {
                    state_ = State::first_digit;
                } else if (!too_long_ && body_.size() < most_packet_bytes) {
                    body_ += c;
                } else if (!too_long_) {
                    // Said at once, for its end may never come. What follows is no payload any more.
                    too_long_ = true;
                    events.push_back({PacketEvent::Kind::damaged, {}});
                } else if (c == '\x03') {
                    events.push_back({PacketEvent::Kind::interrupt, {}});
                }
                break;
            case State::first_digit:
                first_digit_ = c;
                state_ = State::second_digit;
                break;
            case State::second_digit:
                if (!too_long_) events.push_back(finished(c));
                state_ = State::outside;
                break;
        }
    }
    return events;
}

std::string packet_bytes(std::string_view payload) {
    std::string bytes = "$";
    unsigned sum = 0;
    auto add = [&](char c) {
        bytes += c;
        sum += static_cast<unsigned char>(c);
    };
    for (char c : payload) {
        const bool special = c == '$' || c == '#' || c == '}' || c == '*';
        if (special) add('}');
        add(special ? static_cast<char>(c ^ 0x20) : c);
    }
    bytes += '#';
    bytes += digits[sum / 16 % 16];
    bytes += digits[sum % 16];
    return bytes;
}

std::string to_hex(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size() * 2);
    for (char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text += digits[byte / 16];
        text += digits[byte % 16];
    }
    return text;
}

std::optional<std::string> from_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = digit(text[i]), low = digit(text[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

std::optional<std::uint64_t> take_hex(std::string_view& text) {
    std::uint64_t value = 0;
    std::size_t used = 0;
    for (; used < text.size() && digit(text[used]) >= 0; ++used) {
        if (value >> 60 != 0) return std::nullopt;
        value = value << 4 | static_cast<unsigned>(digit(text[used]));
    }
    if (used == 0) return std::nullopt;
    text.remove_prefix(used);
    return value;
}

}  // namespace isaforge::debugger

// Packets of the GDB remote serial protocol as bytes on a line: `$payload#checksum`, acknowledged with `+` or `-`; a
// byte 3 outside of packets asks for an interrupt. See the GDB manual, "Remote Protocol, Overview".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isaforge::debugger {

inline constexpr std::size_t most_packet_bytes = std::size_t{1} << 18;  // of a payload, either way

// What came in.
struct PacketEvent {
    enum class Kind {
        packet,   // a payload, unescaped
        damaged,  // the checksum is wrong, or it is too long: to be sent again
        interrupt,
        repeat,  // the other side wants our last packet again
    };
    Kind kind = Kind::packet;
    std::string payload;
};

// Takes bytes as they arrive, in any pieces, and keeps no more than a packet of them.
class PacketReader {
public:
    // The events that these bytes complete, in their order.
    std::vector<PacketEvent> feed(std::string_view bytes);

private:
    enum class State { outside, body, first_digit, second_digit };
    PacketEvent finished(char second_digit);

    State state_ = State::outside;
    std::string body_;       // as it came
    bool too_long_ = false;  // the body is dropped until its end
    char first_digit_ = '0';
};

// `$payload#checksum`, with what must not stand in a payload escaped.
std::string packet_bytes(std::string_view payload);

// Hexadecimal, two digits a byte; nothing where the text is none.
std::string to_hex(std::string_view bytes);
std::optional<std::string> from_hex(std::string_view text);

// Takes a hexadecimal number off the begin of `text`; nothing where none begins there or it has more than 64 bits.
std::optional<std::uint64_t> take_hex(std::string_view& text);

}  // namespace isaforge::debugger

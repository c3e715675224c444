// Messages of the protocols that editors speak, as bytes on a line: a header, `Content-Length: N` and an empty line, and then
// N bytes of JSON. The Language Server Protocol ("Base Protocol") and the Debug Adapter Protocol share it.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace isaforge::protocol {

using Json = nlohmann::json;

inline constexpr std::size_t most_message_bytes = std::size_t{1} << 27;  // of a message's JSON
inline constexpr std::size_t most_header_bytes = 8192;
inline constexpr std::size_t deepest_message = 200;  // arrays and objects in one another

// What came in.
struct Incoming {
    enum class Kind {
        message,  // JSON of any shape
        damaged,  // no JSON, a header without a length, a message that is too long or too deep: it was passed over
    };
    Kind kind = Kind::message;
    Json content;
    std::string problem;  // of a damaged one: what is wrong with it, ready to show
};

// Takes bytes as they arrive, in any pieces, and keeps no more than a message of them.
class FrameReader {
public:
    // What these bytes complete, in their order.
    std::vector<Incoming> feed(std::string_view bytes);

private:
    void header_ended(std::vector<Incoming>& out);
    void body_ended(std::vector<Incoming>& out);

    std::string header_, body_;
    bool in_body_ = false, drops_ = false;  // the header is too long, or the body
    std::size_t missing_ = 0;               // bytes of the body
};

// The text of a message. What is no UTF-8 in its strings becomes U+FFFD.
std::string to_text(const Json& message);

// The bytes that carry a message.
std::string frame(const Json& message);

}  // namespace isaforge::protocol

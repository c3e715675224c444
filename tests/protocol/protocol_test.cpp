// Messages between editors and servers: framing, the connection, and what JSON-RPC makes of them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

#include "protocol/connection.hpp"
#include "protocol/json_rpc.hpp"
#include "support/descriptor.hpp"

namespace isaforge::protocol {
namespace {

// What comes in, as text; of what is damaged the problem behind an exclamation mark.
std::string told(const std::vector<Incoming>& events) {
    std::string out;
    for (const Incoming& event : events)
        out += (event.kind == Incoming::Kind::message ? to_text(event.content) : "!" + event.problem) + "\n";
    return out;
}

std::string read_all(std::string_view bytes, std::size_t piece) {
    FrameReader reader;
    std::string out;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
        out += told(reader.feed(bytes.substr(0, piece)));
    return out;
}

TEST(Framing, PiecesDoNotMatter) {
    const std::string bytes = "Content-Length: 7\r\n\r\n{\"a\":1}Content-Type: x\r\ncontent-length:2\r\n\r\n[]" +
                              frame({{"text", "\xc3\xa9\n"}}) + "\r\nContent-Length: 4\n\nnull";
    const std::string expected = "{\"a\":1}\n[]\n{\"text\":\"\xc3\xa9\\n\"}\nnull\n";
    for (std::size_t piece = 1; piece < bytes.size(); ++piece) EXPECT_EQ(read_all(bytes, piece), expected) << piece;
    EXPECT_EQ(read_all(bytes, bytes.size()), expected);
}

TEST(Framing, WhatIsDamagedIsPassedOver) {
    const std::string good = "Content-Length: 1\r\n\r\n1";
    const auto expect = [&](const std::string& bad, const std::string& problem) {
        EXPECT_EQ(read_all(bad + good, 1000), "!" + problem + "\n1\n") << bad;
    };
    expect("Content-Length: 3\r\n\r\n{]}", "a message that is no JSON");
    expect("Content-Length: 0\r\n\r\n", "a message that is no JSON");
    expect("Content-Length: 3\r\n\r\n\"\xff\"", "a message that is no JSON");
    expect("Content-Length: 12x\r\n\r\n", "a message without a Content-Length");
    expect("Content-Length: -1\r\n\r\n", "a message without a Content-Length");
    expect("Content-Length: 99999999999999999999999\r\n\r\n", "a message without a Content-Length");
    expect("Length: 5\r\n\r\n", "a message without a Content-Length");
    expect(std::string(100000, 'x') + "\r\n\r\n", "a message without a Content-Length");
    const std::string deep = std::string(100000, '[') + "\"]\\\"]\"" + std::string(100000, ']');
    expect("Content-Length: " + std::to_string(deep.size()) + "\r\n\r\n" + deep, "a message with more than 200 levels");
}

TEST(Framing, WhatIsTooLongIsPassedOverAndNotKept) {
    const std::size_t length = most_message_bytes + 1;
    FrameReader reader;
    EXPECT_EQ(told(reader.feed("Content-Length: " + std::to_string(length) + "\r\n\r\n")),
              "!a message of more than 134217728 bytes\n");
    const std::string piece(1 << 20, ' ');
    for (std::size_t left = length; left != 0;) {
        const std::size_t count = std::min(left, piece.size());
        EXPECT_EQ(told(reader.feed(std::string_view(piece).substr(0, count))), "");
        left -= count;
    }
    EXPECT_EQ(told(reader.feed("Content-Length: 1\r\n\r\n1")), "1\n");
}

TEST(Framing, WhatIsNoUtf8IsReplaced) { EXPECT_EQ(frame("a\xff"), "Content-Length: 6\r\n\r\n\"a\xef\xbf\xbd\""); }

TEST(ConnectionTest, MessagesOfThreadsDoNotMix) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const Descriptor input(ends[0]);
    Connection reading(input.number(), -1);
    constexpr int each = 200;
    {
        const Descriptor output(ends[1]);
        Connection writing(-1, output.number());
        const auto send = [&](char letter) {
            for (int i = 0; i < each; ++i) EXPECT_TRUE(writing.send(std::string(1000, letter)));
        };
        std::thread first(send, 'a'), second(send, 'b');
        int count = 0;
        while (count < 2 * each) {
            const auto incoming = reading.receive();
            ASSERT_TRUE(incoming && incoming->kind == Incoming::Kind::message);
            const auto text = incoming->content.get<std::string>();
            EXPECT_EQ(text, std::string(1000, text.front()));
            ++count;
        }
        first.join();
        second.join();
    }
    EXPECT_FALSE(reading.receive());  // the other end is closed
}

TEST(ConnectionTest, NobodyReads) {
    Connection connection(-1, -1);
    EXPECT_FALSE(connection.send(1));
    EXPECT_FALSE(connection.receive());
}

TEST(JsonRpc, Calls) {
    const auto kind = [](const char* text) { return read_call(Json::parse(text)).kind; };
    EXPECT_EQ(kind(R"({"jsonrpc":"2.0","id":1,"method":"m"})"), Call::Kind::request);
    EXPECT_EQ(kind(R"({"id":"x","method":"m","params":{}})"), Call::Kind::request);
    EXPECT_EQ(kind(R"({"method":"m"})"), Call::Kind::notification);
    EXPECT_EQ(kind(R"({"id":1,"result":null})"), Call::Kind::reply);
    EXPECT_EQ(kind(R"({"id":1,"error":{"code":1}})"), Call::Kind::reply);
    for (const char* none : {"1", "[]", "{}", R"({"id":1})", R"({"method":1})", R"({"id":[],"method":"m"})"})
        EXPECT_EQ(kind(none), Call::Kind::none) << none;
    const Call call = read_call(request(7, "m", {{"a", 1}}));
    EXPECT_EQ(call.id, 7);
    EXPECT_EQ(call.method, "m");
    EXPECT_EQ(call.params, Json({{"a", 1}}));
}

TEST(JsonRpc, Answers) {
    EXPECT_EQ(to_text(result(1, "x")), R"({"id":1,"jsonrpc":"2.0","result":"x"})");
    EXPECT_EQ(to_text(error("i", ErrorCode::method_not_found, "there is no 'm'")),
              R"({"error":{"code":-32601,"message":"there is no 'm'"},"id":"i","jsonrpc":"2.0"})");
    EXPECT_EQ(to_text(notification("m", Json::object())), R"({"jsonrpc":"2.0","method":"m","params":{}})");
}

}  // namespace
}  // namespace isaforge::protocol

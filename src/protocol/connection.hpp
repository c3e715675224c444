// The two descriptors by which an editor and a server speak.
#pragma once

#include <deque>
#include <mutex>
#include <optional>

#include "protocol/framing.hpp"

namespace isaforge::protocol {

// Whoever writes to a pipe that nobody reads gets a signal: a program that serves one ignores SIGPIPE.
class Connection {
public:
    // The descriptors stay the caller's, who closes them when no thread is inside any more.
    Connection(int input, int output) : input_(input), output_(output) {}

    // The next message, for which it waits; nothing where the input has ended or cannot be read. One thread at a time.
    std::optional<Incoming> receive();

    // False where the output takes no more. Any thread may send; messages do not mix.
    bool send(const Json& message);

private:
    int input_, output_;
    FrameReader reader_;
    std::deque<Incoming> waiting_;
    std::mutex sending_;
};

}  // namespace isaforge::protocol

#include "protocol/connection.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace isaforge::protocol {

namespace {

// Whether it is worth trying again: descriptors that do not block are waited for.
bool waits(int descriptor, short what) {
    if (errno == EINTR) return true;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
    pollfd wanted{descriptor, what, 0};
    return poll(&wanted, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace

std::optional<Incoming> Connection::receive() {
    std::array<char, 1 << 16> buffer;
    while (waiting_.empty()) {
        const ssize_t count = read(input_, buffer.data(), buffer.size());
        if (count < 0 && waits(input_, POLLIN)) continue;
        if (count <= 0) return std::nullopt;
        for (Incoming& incoming : reader_.feed({buffer.data(), static_cast<std::size_t>(count)}))
            waiting_.push_back(std::move(incoming));
    }
    Incoming first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
}

bool Connection::send(const Json& message) {
    const std::string bytes = frame(message);
    const std::lock_guard lock(sending_);
    std::string_view rest = bytes;
    while (!rest.empty()) {
        const ssize_t count = write(output_, rest.data(), rest.size());
        if (count < 0 && waits(output_, POLLOUT)) continue;
        if (count <= 0) return false;
        rest.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace isaforge::protocol

#include "protocol/loopback.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "support/descriptor.hpp"

namespace isaforge::protocol {

namespace {

int listen_on(std::uint16_t& port) {
    const int socket_number = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_number < 0) return -1;
    const int yes = 1;
    setsockopt(socket_number, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    if (bind(socket_number, plain, size) != 0 || listen(socket_number, 1) != 0 ||
        getsockname(socket_number, plain, &size) != 0) {
        const int reason = errno;
        close(socket_number);
        errno = reason;
        return -1;
    }
    port = ntohs(address.sin_port);
    return socket_number;
}

}  // namespace

int accept_on_loopback(std::uint16_t port, const std::function<void(std::uint16_t port)>& listening,
                       std::string& error) {
    const Descriptor listener(listen_on(port));
    if (listener.number() < 0) {
        error = std::strerror(errno);
        return -1;
    }
    listening(port);
    int client = -1;
    do {
        client = accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC);
    } while (client < 0 && errno == EINTR);
    if (client < 0) {
        error = std::strerror(errno);
        return -1;
    }
    const int yes = 1;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return client;
}

}  // namespace isaforge::protocol

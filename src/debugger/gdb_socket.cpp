#include "debugger/gdb_socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "debugger/gdb_packet.hpp"

namespace isaforge::debugger {

namespace {

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return number_; }

private:
    int number_;
};

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

// One debugger's connection.
class Connection {
public:
    Connection(int socket_number, GdbServer& server) : socket_(socket_number), server_(server) {}

    void serve();
    // Whether the debugger wants the running program to stop; a broken connection wants that too.
    bool wants_interrupt();

private:
    bool receive(int flags);
    bool send_bytes(std::string_view bytes);
    bool handle(const PacketEvent& event);

    int socket_;
    GdbServer& server_;
    PacketReader reader_;
    std::string last_sent_;
    bool broken_ = false, interrupt_ = false;
    std::vector<PacketEvent> early_;  // what came while the program ran
};

bool Connection::receive(int flags) {
    char buffer[1 << 14];
    while (true) {
        const ssize_t count = recv(socket_, buffer, sizeof buffer, flags);
        if (count > 0) {
            reader_.feed({buffer, static_cast<std::size_t>(count)});
            return true;
        }
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
        broken_ = true;
        return false;
    }
}

bool Connection::send_bytes(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            broken_ = true;
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

bool Connection::wants_interrupt() {
    constexpr std::size_t most_early = 64;
    receive(MSG_DONTWAIT);
    while (early_.size() < most_early) {
        const std::optional<PacketEvent> event = reader_.next();
        if (!event) break;
        if (event->kind == PacketEvent::Kind::interrupt) {
            interrupt_ = true;
        } else {
            early_.push_back(*event);
        }
    }
    const bool wanted = interrupt_ || broken_;
    interrupt_ = false;
    return wanted;
}

bool Connection::handle(const PacketEvent& event) {
    switch (event.kind) {
        case PacketEvent::Kind::interrupt: return true;  // nothing is running
        case PacketEvent::Kind::repeat: return send_bytes(last_sent_);
        case PacketEvent::Kind::damaged: return send_bytes("-");
        case PacketEvent::Kind::packet: break;
    }
    if (!server_.without_acknowledgements() && !send_bytes("+")) return false;
    const std::string reply = server_.answer(event.payload);
    if (!server_.sends_reply()) return true;
    last_sent_ = packet_bytes(reply);
    return send_bytes(last_sent_);
}

void Connection::serve() {
    while (!broken_ && server_.end() == GdbServer::End::none) {
        std::optional<PacketEvent> event;
        if (!early_.empty()) {
            event = early_.front();
            early_.erase(early_.begin());
        } else {
            event = reader_.next();
        }
        if (event) {
            handle(*event);
        } else {
            receive(0);
        }
    }
}

}  // namespace

bool serve_gdb(GdbServer& server, Execution& execution, std::uint16_t port,
               const std::function<void(std::uint16_t port)>& listening, std::string& error) {
    int client_number = -1;
    {
        const Descriptor listener(listen_on(port));
        if (listener.number() < 0) {
            error = std::strerror(errno);
            return false;
        }
        listening(port);
        do {
            client_number = accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC);
        } while (client_number < 0 && errno == EINTR);
        if (client_number < 0) error = std::strerror(errno);
    }
    const Descriptor client(client_number);
    if (client.number() < 0) return false;
    const int yes = 1;
    setsockopt(client.number(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    Connection connection(client.number(), server);
    const auto before = execution.interrupted;
    execution.interrupted = [&] { return connection.wants_interrupt(); };
    connection.serve();
    execution.interrupted = before;
    return true;
}

}  // namespace isaforge::debugger

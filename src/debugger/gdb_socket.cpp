#include "debugger/gdb_socket.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>

#include "debugger/gdb_packet.hpp"
#include "protocol/loopback.hpp"
#include "support/descriptor.hpp"

namespace isaforge::debugger {

namespace {

// What may wait while the program runs. What comes behind it is answered with an error, so that a wish to interrupt can be
// looked for behind any number of packets.
constexpr std::size_t most_waiting = 64;                           // packets
constexpr std::size_t most_waiting_bytes = 2 * most_packet_bytes;  // of them together
constexpr unsigned most_repeats = 3;                               // of one reply that did not arrive
constexpr std::string_view busy = "E10";

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
    void keep(PacketEvent event, bool running);
    void handle(const PacketEvent& event);
    void reply(std::string_view payload);
    void refuse();

    int socket_;
    GdbServer& server_;
    PacketReader reader_;
    std::string last_sent_;
    unsigned repeats_ = 0;
    bool broken_ = false, interrupt_ = false;
    std::deque<PacketEvent> waiting_;
    std::size_t waiting_bytes_ = 0;
    std::uint64_t refused_ = 0;  // packets that came behind those that wait
};

// An interrupt is for the program that runs; where none runs, for what the packets before it let run.
void Connection::keep(PacketEvent event, bool running) {
    if (running && event.kind == PacketEvent::Kind::interrupt) {
        interrupt_ = true;
        return;
    }
    const bool fits = waiting_.size() < most_waiting && waiting_bytes_ + event.payload.size() <= most_waiting_bytes;
    if (!running || (fits && refused_ == 0)) {
        waiting_bytes_ += event.payload.size();
        waiting_.push_back(std::move(event));
    } else if (event.kind == PacketEvent::Kind::packet) {
        ++refused_;
    }
}

bool Connection::receive(int flags) {
    char buffer[1 << 14];
    while (true) {
        const ssize_t count = recv(socket_, buffer, sizeof buffer, flags);
        if (count > 0) {
            for (PacketEvent& event : reader_.feed({buffer, static_cast<std::size_t>(count)}))
                keep(std::move(event), (flags & MSG_DONTWAIT) != 0);
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
    constexpr unsigned most_reads = 64;  // so that a debugger that never stops sending does not stop the program
    for (unsigned i = 0; i < most_reads && receive(MSG_DONTWAIT); ++i) {
    }
    const auto found = std::find_if(waiting_.begin(), waiting_.end(), [](const PacketEvent& event) {
        return event.kind == PacketEvent::Kind::interrupt;
    });
    const bool wanted = interrupt_ || broken_ || found != waiting_.end();
    if (found != waiting_.end()) waiting_.erase(found);
    interrupt_ = false;
    return wanted;
}

void Connection::reply(std::string_view payload) {
    last_sent_ = packet_bytes(payload);
    repeats_ = 0;
    send_bytes(last_sent_);
}

void Connection::handle(const PacketEvent& event) {
    const bool acknowledges = !server_.without_acknowledgements();
    switch (event.kind) {
        case PacketEvent::Kind::interrupt: return;
        case PacketEvent::Kind::repeat:
            if (acknowledges && repeats_++ < most_repeats) send_bytes(last_sent_);
            return;
        case PacketEvent::Kind::damaged:
            if (acknowledges) send_bytes("-");
            return;
        case PacketEvent::Kind::packet: break;
    }
    if (acknowledges && !send_bytes("+")) return;
    interrupt_ = false;  // it was for a program that has stopped by itself
    const std::string answer = server_.answer(event.payload);
    if (server_.sends_reply()) reply(answer);
}

// A packet for which there was no room.
void Connection::refuse() {
    --refused_;
    if (!server_.without_acknowledgements() && !send_bytes("+")) return;
    reply(busy);
}

void Connection::serve() {
    while (!broken_ && server_.end() == GdbServer::End::none) {
        if (!waiting_.empty()) {
            const PacketEvent event = std::move(waiting_.front());
            waiting_.pop_front();
            waiting_bytes_ -= event.payload.size();
            handle(event);
        } else if (refused_ != 0) {
            refuse();
        } else {
            receive(0);
        }
    }
}

}  // namespace

bool serve_gdb(GdbServer& server, Execution& execution, std::uint16_t port,
               const std::function<void(std::uint16_t port)>& listening, std::string& error) {
    const Descriptor client(protocol::accept_on_loopback(port, listening, error));
    if (client.number() < 0) return false;
    Connection connection(client.number(), server);
    const auto before = execution.interrupted;
    execution.interrupted = [&] { return connection.wants_interrupt(); };
    connection.serve();
    execution.interrupted = before;
    return true;
}

}  // namespace isaforge::debugger

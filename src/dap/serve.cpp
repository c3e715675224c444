#include "dap/serve.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "dap/adapter.hpp"
#include "protocol/connection.hpp"

namespace isaforge::dap {

namespace {

constexpr std::size_t most_waiting = 256;  // messages; who sends more waits

// What has come and is not answered yet.
class Inbox {
public:
    void add(Json message) {
        const std::string command = text(message, "command");
        std::unique_lock lock(lock_);
        room_.wait(lock, [&] { return waiting_.size() < most_waiting || closed_; });
        if (command == "pause" || command == "disconnect" || command == "terminate") ++to_stop_;
        ++all_;
        waiting_.push_back(std::move(message));
        news_.notify_one();
    }
    void close() {
        const std::lock_guard lock(lock_);
        closed_ = true;
        ++all_, ++to_stop_;
        news_.notify_one();
        room_.notify_all();
    }
    // The next one; nothing where none will come, or none is there and nobody is to wait.
    std::optional<Json> take(bool waits) {
        std::unique_lock lock(lock_);
        if (waits) news_.wait(lock, [&] { return !waiting_.empty() || closed_; });
        if (waiting_.empty()) return std::nullopt;
        Json message = std::move(waiting_.front());
        waiting_.pop_front();
        const std::string command = text(message, "command");
        if (command == "pause" || command == "disconnect" || command == "terminate") --to_stop_;
        --all_;
        room_.notify_one();
        return message;
    }
    bool asks(bool only_to_stop) const { return (only_to_stop ? to_stop_ : all_) != 0; }
    bool is_closed() const {
        const std::lock_guard lock(lock_);
        return closed_ && waiting_.empty();
    }

private:
    mutable std::mutex lock_;
    std::condition_variable news_, room_;
    std::deque<Json> waiting_;
    std::atomic<unsigned> all_ = 0, to_stop_ = 0;
    bool closed_ = false;
};

}  // namespace

bool serve(int input, int output, Launcher launcher, const std::function<std::string()>& said) {
    // The reader may wait for input for good when the session has ended: what it needs stays.
    struct Shared {
        Shared(int in, int out) : connection(in, out) {}
        protocol::Connection connection;
        Inbox inbox;
    };
    const auto shared = std::make_shared<Shared>(input, output);
    std::thread([shared] {
        while (std::optional<protocol::Incoming> incoming = shared->connection.receive())
            if (incoming->kind == protocol::Incoming::Kind::message) shared->inbox.add(std::move(incoming->content));
        shared->inbox.close();
    }).detach();
    Inbox& inbox = shared->inbox;
    bool broken = false;
    Adapter adapter(
        std::move(launcher), [&](const Json& message) { broken |= !shared->connection.send(message); },
        [&](bool only_to_stop) { return inbox.asks(only_to_stop); });
    while (!adapter.has_ended() && !broken) {
        if (const auto message = inbox.take(!adapter.is_running()))
            adapter.handle(*message);
        else if (inbox.is_closed())
            break;
        else
            adapter.run();
        if (said) adapter.output("stderr", said());
    }
    inbox.close();
    return adapter.has_detached();
}

}  // namespace isaforge::dap

#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>

#include "cli/terminal.hpp"
#include "isaforge/machine.hpp"

namespace isaforge::cli {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto patience = std::chrono::seconds(2);
constexpr auto pause = std::chrono::milliseconds(100);

// "12,345,678"
std::string grouped(std::uint64_t number) {
    std::string out = std::to_string(number);
    for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, ",");
    return out;
}

std::string bar(std::uint64_t done, std::uint64_t total) {
    constexpr std::uint64_t width = 30;
    const std::uint64_t full = std::min(
        width,
        total == 0 ? 0 : static_cast<std::uint64_t>(static_cast<double>(done) / static_cast<double>(total) * width));
    return "[" + std::string(full, '#') + std::string(width - full, '.') + "]";
}

}  // namespace

// The line is drawn by a thread of its own: what takes long may be a single call.
struct Progress::State {
    std::string what, things;
    std::uint64_t total = 0;
    std::atomic<std::uint64_t> done{0};
    const Clock::time_point begin = Clock::now();

    std::mutex mutex;
    std::condition_variable wake;
    Clock::time_point next = begin + patience;
    bool drawn = false, over = false;
    std::thread thread;

    std::string line() const {
        const std::uint64_t now = done.load(std::memory_order_relaxed);
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin).count();
        std::string out = what + ": ";
        if (total != 0) out += bar(now, total) + " ";
        if (!things.empty()) out += grouped(now) + (total != 0 ? " of " + grouped(total) : "") + " " + things + ", ";
        return out + fmt::format("{} s", seconds);
    }

    // With the mutex.
    void erase() {
        if (drawn) (void)!::write(STDERR_FILENO, "\r\x1b[K", 4);
        drawn = false;
    }

    void hide() {
        const std::lock_guard lock(mutex);
        erase();
        next = Clock::now() + patience;
    }

    void draw() {
        std::unique_lock lock(mutex);
        while (!over) {
            if (wake.wait_until(lock, next, [&] { return over; })) break;
            if (Clock::now() < next) continue;  // it was hidden meanwhile
            const std::string text = "\r" + line() + "\x1b[K";
            (void)!::write(STDERR_FILENO, text.data(), text.size());
            drawn = true;
            next = Clock::now() + pause;
        }
        erase();
    }

    static inline std::mutex shown_lock;
    static inline State* shown = nullptr;
};

Progress::Progress(std::string what, std::string things, std::uint64_t total) {
    if (!stderr_can_erase()) return;
    state_ = std::make_unique<State>();
    state_->what = std::move(what);
    state_->things = std::move(things);
    state_->total = total;
    state_->thread = std::thread([this] { state_->draw(); });
    const std::lock_guard lock(State::shown_lock);
    State::shown = state_.get();
}

Progress::~Progress() {
    if (!state_) return;
    {
        const std::lock_guard lock(State::shown_lock);
        State::shown = nullptr;
    }
    {
        const std::lock_guard lock(state_->mutex);
        state_->over = true;
    }
    state_->wake.notify_one();
    state_->thread.join();
}

void Progress::at(std::uint64_t done) {
    if (state_) state_->done.store(done, std::memory_order_relaxed);
}

void Progress::hide() {
    const std::lock_guard lock(State::shown_lock);
    if (State::shown != nullptr) State::shown->hide();
}

namespace {

class StreamsBesideProgress : public Streams {
public:
    std::size_t read(std::span<std::uint8_t> bytes) override {
        Progress::hide();
        return all_->read(bytes);
    }
    bool ready() override { return all_->ready(); }
    void write(unsigned file, std::span<const std::uint8_t> bytes) override {
        Progress::hide();
        all_->write(file, bytes);
    }
    void flush() override { all_->flush(); }

private:
    std::shared_ptr<Streams> all_ = standard_streams();
};

}  // namespace

std::shared_ptr<Streams> streams_beside_progress() { return std::make_shared<StreamsBesideProgress>(); }

RunResult run_with_progress(Machine& machine, std::uint64_t limit, bool in_pieces) {
    Progress progress("run", in_pieces ? "instructions" : "");
    if (!progress.is_shown() || !in_pieces) return machine.run(limit);
    constexpr std::uint64_t piece = 50'000'000;
    RunResult all;
    for (;;) {
        const std::uint64_t left = limit == 0 ? piece : std::min(piece, limit - all.instructions);
        RunResult result = machine.run(left);
        result.instructions += all.instructions;
        result.cycles += all.cycles;
        result.seconds += all.seconds;
        all = std::move(result);
        progress.at(all.instructions);
        if (all.reason != StopReason::limit || (limit != 0 && all.instructions >= limit)) return all;
    }
}

}  // namespace isaforge::cli

// How threads wait for what others change: signals, indices of queues. Kernels change such words too, and tell nobody; so who
// waits looks again and again, first without a pause and then after naps that grow.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace isaforge::hsa {

class Changes {
public:
    using Clock = std::chrono::steady_clock;

    // Something has changed that others may wait for.
    void announce() {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if (waiting_.load(std::memory_order_relaxed) == 0) return;
        { const std::lock_guard lock(mutex_); }
        changed_.notify_all();
    }

    // Until `done` says so, which changes nothing, or that time has come. False: it has, and `done` does not.
    template <typename Done>
    bool wait(const Done& done, std::optional<Clock::time_point> until = {}) {
        for (unsigned looks = 0; looks < looks_before_nap; ++looks) {
            if (done()) return true;
            std::this_thread::yield();
        }
        std::unique_lock lock(mutex_);
        ++waiting_;
        std::atomic_thread_fence(std::memory_order_seq_cst);
        bool good = done();
        for (auto nap = shortest_nap; !good; nap = std::min(2 * nap, longest_nap)) {
            const auto now = Clock::now();
            if (until && now >= *until) break;
            changed_.wait_until(lock, until ? std::min(now + nap, *until) : now + nap);
            good = done();
        }
        --waiting_;
        return good;
    }

private:
    static constexpr unsigned looks_before_nap = 32;
    static constexpr Clock::duration shortest_nap = std::chrono::microseconds(20),
                                     longest_nap = std::chrono::microseconds(1000);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::atomic<unsigned> waiting_ = 0;
};

}  // namespace isaforge::hsa

// A lock that is mostly held for less time than a thread needs to fall asleep and wake up again.
#pragma once

#include <atomic>

namespace isaforge::machine {

class BriefLock {
public:
    void lock() {
        constexpr unsigned looks = 2'000;
        for (;;) {
            for (unsigned i = 0; i < looks; ++i)
                if (!taken_.load(std::memory_order_relaxed) && try_lock()) return;
            taken_.wait(true, std::memory_order_relaxed);
        }
    }
    bool try_lock() { return !taken_.exchange(true, std::memory_order_acquire); }
    void unlock() {
        taken_.store(false, std::memory_order_release);
        taken_.notify_one();
    }

private:
    std::atomic<bool> taken_ = false;
};

}  // namespace isaforge::machine

// A lock for what takes microseconds: who goes to sleep until somebody else is done with it sleeps longer than that.
#pragma once

#include <mutex>

#ifdef __SSE2__
#include <emmintrin.h>
#else
#include <thread>
#endif

namespace isaforge {

class ShortLock {
public:
    explicit ShortLock(std::mutex& mutex) : mutex_(mutex) {
        constexpr int most_tries = 200;
        for (int i = 0; i < most_tries; ++i) {
            if (mutex_.try_lock()) return;
#ifdef __SSE2__
            for (int pause = 0; pause < 8; ++pause) _mm_pause();
#else
            std::this_thread::yield();
#endif
        }
        mutex_.lock();
    }
    ~ShortLock() { mutex_.unlock(); }
    ShortLock(const ShortLock&) = delete;
    ShortLock& operator=(const ShortLock&) = delete;

private:
    std::mutex& mutex_;
};

}  // namespace isaforge

// Threads that help where the system gives them. Where it gives fewer than were asked for, those that there are do all of the
// work; and memory that runs out on one of them is an error of the whole, not the end of the process.
#pragma once

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace isaforge {

// How many threads to use: as many as asked for, or where that is 0 as the machine has processors.
inline unsigned thread_count(unsigned asked) {
    const unsigned there = std::max(1u, std::thread::hardware_concurrency());
    return asked == 0 ? there : asked;
}

// Starts one more thread. False where there is no room for it.
template <typename... Arguments>
bool start_thread(std::vector<std::jthread>& threads, Arguments&&... arguments) {
    try {
        threads.emplace_back(std::forward<Arguments>(arguments)...);
        return true;
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    return false;
}

// The first exception of several threads, for the one that waits for them.
class FirstFailure {
public:
    // For a handler of exceptions.
    void note_current() {
        const std::scoped_lock lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
    }
    // With all other threads at their end.
    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    std::mutex mutex_;
    std::exception_ptr failure_;
};

}  // namespace isaforge

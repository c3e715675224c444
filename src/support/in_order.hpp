// Work in pieces on several threads whose results are needed in order.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace isaforge {

// How many threads to use: as many as asked for, or where that is 0 as the machine has processors.
inline unsigned thread_count(unsigned asked) {
    const unsigned there = std::max(1u, std::thread::hardware_concurrency());
    return asked == 0 ? there : asked;
}

// Calls `make(worker, piece)` for the pieces 0 .. count-1, on `threads` workers at a time, and `emit(worker, piece)` behind
// it for one piece after the other. A worker holds one piece at a time, so memory stays bounded.
template <typename Make, typename Emit>
void in_order(unsigned threads, std::size_t count, Make&& make, Emit&& emit) {
    std::mutex mutex;
    std::condition_variable turn;
    std::size_t next_made = 0, next_emitted = 0;
    const auto work = [&](unsigned worker) {
        std::unique_lock lock(mutex);
        while (next_made < count) {
            const std::size_t piece = next_made++;
            lock.unlock();
            make(worker, piece);
            lock.lock();
            turn.wait(lock, [&] { return next_emitted == piece; });
            lock.unlock();
            emit(worker, piece);
            lock.lock();
            ++next_emitted;
            turn.notify_all();
        }
    };
    std::vector<std::jthread> others;
    for (unsigned worker = 1; worker < threads && worker < count; ++worker) others.emplace_back(work, worker);
    work(0);
}

}  // namespace isaforge

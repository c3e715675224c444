// Work in pieces on several threads whose results are needed in order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

#include "support/threads.hpp"

namespace isaforge {

// Calls `make(worker, piece)` for the pieces 0 .. count-1, on `threads` workers at a time, and `emit(worker, piece)` behind
// it for one piece after the other. A worker holds one piece at a time, so memory stays bounded. The first exception of
// either ends the work and goes to the caller.
template <typename Make, typename Emit>
void in_order(unsigned threads, std::size_t count, Make&& make, Emit&& emit) {
    std::mutex mutex;
    std::condition_variable turn;
    std::size_t next_made = 0, next_emitted = 0;
    bool failed = false;
    FirstFailure failure;
    const auto work = [&](unsigned worker) {
        std::unique_lock lock(mutex);
        while (next_made < count && !failed) {
            const std::size_t piece = next_made++;
            lock.unlock();
            make(worker, piece);
            lock.lock();
            turn.wait(lock, [&] { return next_emitted == piece || failed; });
            if (failed) return;
            lock.unlock();
            emit(worker, piece);
            lock.lock();
            ++next_emitted;
            turn.notify_all();
        }
    };
    const auto try_to_work = [&](unsigned worker) {
        try {
            work(worker);
        } catch (...) {
            failure.note_current();
            const std::scoped_lock lock(mutex);
            failed = true;
            turn.notify_all();
        }
    };
    {
        std::vector<std::jthread> others;
        for (unsigned worker = 1; worker < threads && worker < count; ++worker) {
            if (!start_thread(others, try_to_work, worker)) break;
        }
        try_to_work(0);
    }
    failure.rethrow();
}

}  // namespace isaforge

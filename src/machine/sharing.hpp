// What harts share to keep out of each other's way. Memory is divided into lines, lines share stripes, and each stripe
// has a word: whether somebody holds it, and a version that counts the stores made there. An access holds its stripes
// while it lasts. Reservations and transactions remember versions and see by them that somebody else has stored.
//
// Nobody waits for a stripe while holding another, but for the one hart that is in an `atomic` block: so nobody waits in
// a circle.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>

namespace isaforge::machine {

class Stripe {
public:
    // With the stripe taken, its version.
    bool try_take() {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        return (word & 1) == 0 && word_.compare_exchange_weak(word, word | 1, std::memory_order_acquire);
    }
    void take() {
        for (unsigned round = 1; !try_take(); ++round)
            if (round % 64 == 0) std::this_thread::yield();
    }
    void give_back() {
        word_.store(word_.load(std::memory_order_relaxed) & ~std::uint64_t{1}, std::memory_order_release);
    }
    // By who holds it.
    void count_store() { word_.store(word_.load(std::memory_order_relaxed) + 2, std::memory_order_relaxed); }
    std::uint64_t version() const { return word_.load(std::memory_order_acquire) >> 1; }
    bool taken() const { return (word_.load(std::memory_order_acquire) & 1) != 0; }

private:
    alignas(64) std::atomic<std::uint64_t> word_ = 0;
};

struct Sharing {
    static constexpr unsigned count = 1024;
    static constexpr unsigned line_shift = 6;
    static std::uint32_t stripe_of(std::uint64_t address) {
        return static_cast<std::uint32_t>((address >> line_shift) % count);
    }

    Stripe stripes[count];
    std::atomic<std::uint64_t> clock = 0;   // counts the stores of all harts, before their stripes are given back
    std::mutex exclusive;                   // held by the hart that is in an `atomic` block
};

}  // namespace isaforge::machine

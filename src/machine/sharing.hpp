// What harts share to keep out of each other's way. Memory is divided into lines. Most of them are plain: harts access
// them by their tables (see Bus) and no lock, in what order the host likes. A line that a reservation, an `atomic` block or
// a transaction has touched is watched from then on, and those accesses go another way: lines share stripes, and each
// stripe has a word that says whether somebody holds it, and a version that counts the stores made there. An access to a
// watched line holds its stripes while it lasts. Reservations and transactions remember versions and see by them that
// somebody else has stored.
//
// What becomes of a line. Its flags (see Block) are set first, then all others are told (Bus::tell_others): a new round
// begins, and whoever runs drops its tables and says which round it has seen. When all have, no table has the line any
// more and none will, for the flags are looked at before a line gets into a table (those of its page and of its block stand
// for it, and are set behind its own); only then it counts as known, and only then anybody relies on it. The same for lines
// that instructions are translated from, of which only stores are kept out of tables. Who is quiet, that is asleep, waiting
// for a device, ended or not yet begun, is not waited for: it looks at the round when it goes on.
//
// Why nobody waits for ever. A hart waits for a stripe, for `exclusive`, or for others to see a round. While it does it
// says itself which rounds it has seen, or is quiet, and one that executes does so at the end of its instruction, which
// another makes it look up at by setting its stop_at to 0, again and again until it has. So a round is seen by all after
// finite time, whatever locks are held, and waiting for it adds nothing to what follows for locks: nobody waits for a
// stripe while holding another but for the one hart that is in an `atomic` block, so nobody waits in a circle.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>

#include "isaforge/machine.hpp"
#include "machine/memory_map.hpp"
#include "machine/micro_op.hpp"

namespace isaforge::machine {

class Stripe {
public:
    // With the stripe taken, its version.
    bool try_take() {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        return (word & 1) == 0 && word_.compare_exchange_weak(word, word | 1, std::memory_order_acquire);
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

// A hart as the others see it.
struct Member {
    static constexpr std::uint64_t quiet = ~std::uint64_t{0};
    alignas(64) std::atomic<std::uint64_t> seen = quiet;   // the round that its tables are of
    std::atomic<std::uint64_t> settled = quiet;            // the same between two instructions: it has nothing older in hand
    StopCount* stop_at = nullptr;
};

struct Sharing {
    static constexpr unsigned count = 1024;
    static std::uint32_t stripe_of(std::uint64_t address) {
        return static_cast<std::uint32_t>(address / Block::line % count);
    }

    Stripe stripes[count];
    std::atomic<std::uint64_t> clock = 0;   // counts stores to watched lines, before their stripes are given back
    std::atomic<std::uint64_t> round = 0;   // counts how often lines were flagged
    Member members[most_resident_harts];
    std::atomic<unsigned> used = 0;         // of members, from the first on
    std::mutex exclusive;                   // held by the hart that is in an `atomic` block
};

}  // namespace isaforge::machine

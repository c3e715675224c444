// Harts that belong together: they have memories of their own, and barriers at which they wait for each other. A machine has
// as many groups as live at the same time; where one has ended, the next one takes its place, with its harts.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <random>
#include <vector>

#include "isaforge/machine.hpp"
#include "machine/checker.hpp"
#include "machine/memory_map.hpp"

namespace isaforge::machine {

// Where the harts of a group wait until all of them that have not stopped have come.
class Barrier {
public:
    // `one_thread`: no other thread than the one that calls this has harts of the group.
    void begin(unsigned harts, bool one_thread = false);
    // The number of the barrier that the hart has come to.
    std::uint64_t come();
    void leave();   // a hart has stopped: nobody waits for it any more
    void rejoin();  // … and goes on
    bool has_passed(std::uint64_t number) const { return passed_.load(std::memory_order_acquire) != number; }
    std::uint64_t passed() const { return passed_.load(std::memory_order_acquire); }
    bool is_first() const { return passed() == begun_; }  // none was passed yet
    // How many harts had stopped when the last one was passed.
    unsigned missed() const { return missed_.load(std::memory_order_acquire); }
    bool has_several() const { return live_.load(std::memory_order_acquire) > 1; }
    bool all_left() const { return live_.load(std::memory_order_acquire) == 0; }

    // While no hart runs.
    struct Saved {
        unsigned live = 0, left = 0, missed = 0, come = 0;
        std::uint64_t passed = 0;
    };
    Saved save() const { return {live_, left_, missed_, come_, passed_}; }
    void restore(const Saved& saved);

private:
    void look();
    std::unique_lock<std::mutex> guard() {
        return one_thread_ ? std::unique_lock<std::mutex>() : std::unique_lock(lock_);
    }
    // Under the lock: others only look.
    static void add(std::atomic<unsigned>& number, int difference) {
        number.store(number.load(std::memory_order_relaxed) + static_cast<unsigned>(difference),
                     std::memory_order_release);
    }

    std::mutex lock_;
    bool one_thread_ = false;
    std::atomic<unsigned> live_ = 0, left_ = 0, missed_ = 0;
    unsigned come_ = 0;
    std::atomic<std::uint64_t> passed_ = 0;   // barriers, by all
    std::uint64_t begun_ = 0;                 // `passed_` when this group began
};

// The order in which harts take turns, by a seed.
struct TurnOrder {
    void begin(std::uint64_t seed);

    std::mt19937_64 random;
    unsigned turn = 0;            // whose next one is …
    unsigned turn_of = 0;         // … whose it is now …
    std::uint64_t turn_left = 0;  // … for so many instructions more
    std::uint64_t elapsed = 0;    // nanoseconds of machine time
};

struct Group {
    // `shared` are the machine's spaces, of which those that are each group's are replaced. What could not be had is added to
    // `problem`.
    Group(const Isa& isa, const MachineOptions& options, std::deque<Space>& shared, std::string& problem);

    // For a dispatch: those that are each group's get as many bytes as it says, by the memory's number, all zero. Why not;
    // empty where they are there.
    Group(const Isa& isa, std::deque<Space>& shared);
    std::string give_memories(const std::vector<std::uint64_t>& bytes);

    bool is_own(Index space) const { return !own.empty() && spaces[space]->is_of_group; }
    void clear_memories();
    void clear_flags() const;

    std::deque<Space> own;
    std::vector<Space*> spaces;   // all that its harts access, by number
    Barrier barrier;
    TurnOrder turns;              // where a group has a thread of its own
    CheckedGroup checked;         // where the run is checked
};

// Storage from address 0 on, as long as the description or the options say. Why there is none; empty where there is.
std::string add_memory(Space& space, const MemorySpace& memory, const MachineOptions& options);

}  // namespace isaforge::machine

// What a machine has done since its beginning, so that it can be made to stand at any earlier moment again: it goes back to
// a snapshot and does the same once more. A machine's runs are the same each time, and what came from outside, input and
// what the user changed, is kept.
//
// Snapshots are taken as time passes, those that lie close together are dropped first, so that there are few however long a
// program runs; where what is kept becomes too much, the oldest of it is forgotten.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "debugger/taped_streams.hpp"
#include "isaforge/machine.hpp"

namespace isaforge::debugger {

using Change = std::function<bool(Machine&)>;

// Instructions between two looks at the user's wishes. The count is fixed, and not the time, so that runs are the same
// each time; it is small because some programs, such as those that write themselves, are slow.
inline constexpr std::uint64_t running_slice = std::uint64_t{1} << 16;

class History {
public:
    explicit History(Machine& machine) : machine_(machine) {}

    // A moment: how many steps and instructions of runs came before it, all in a row.
    std::uint64_t now() const { return now_; }
    // The earliest moment that can be gone back to.
    std::uint64_t begin() const { return moments_.empty() ? now_ : moments_.front().at; }

    // What the machine did. Steps and instructions count one each; those of a run are done again in the same slices.
    enum class Kind { run, step_any, step, change };
    void begin_run();
    void did(Kind kind, unsigned hart, std::uint64_t count);
    // Something from outside, of so many bytes, done to a hart.
    void did_change(unsigned hart, Change change, std::size_t bytes);
    // Called before the machine does something, and now and then meanwhile.
    void look();
    // The machine begins anew.
    void forget();

    // Puts the machine to a moment from begin() on; false where `interrupted` is said meanwhile. What comes behind is kept.
    bool go_to(std::uint64_t moment);
    // What comes behind now() is not so any more.
    void drop_future();

    // What is done in the stretch from now() to `end`, one piece after the other, for whoever does it in their own way: each
    // is told to `piece`, which says how many it has done, 0 to stop.
    struct Piece {
        Kind kind = Kind::run;
        unsigned hart = 0;
        std::uint64_t count = 0;  // at most; of a run what is left of its slice
    };
    bool walk(std::uint64_t end, const std::function<std::uint64_t(const Piece& piece)>& piece);

    TapedStreams* streams = nullptr;     // of the program; null: it has none
    std::uint64_t snapshots_every = 0;   // for tests: so many steps apart; 0: by time
    std::size_t snapshots() const { return moments_.size(); }

    std::function<bool()> interrupted;

private:
    struct Part {
        Kind kind = Kind::run;
        unsigned hart = 0;
        std::uint64_t first = 0, count = 0;
        Change change;
        std::size_t bytes = 0;
    };
    struct Moment {
        std::uint64_t at = 0;
        std::size_t part = 0;  // how many had begun; counted from the first ever
        std::shared_ptr<const Machine::Snapshot> snapshot;
        TapedStreams::Place streams;
    };
    using Clock = std::chrono::steady_clock;

    void keep();
    void keep_now_and_then();
    void thin_out();
    void forget_oldest();
    const Part* part_at(std::uint64_t moment, std::size_t& index) const;
    bool replay(std::uint64_t end);

    Machine& machine_;
    std::vector<Part> parts_;
    std::size_t forgotten_parts_ = 0;
    std::vector<Moment> moments_;
    std::uint64_t now_ = 0;
    std::size_t next_part_ = 0;  // in parts_: the one that now_ is in, or the first behind it
    std::uint64_t kept_bytes_ = 0;
    Clock::time_point last_keeping_{};
    Clock::duration cost_{};
    bool begins_run_ = false, refused_ = false;
};

}  // namespace isaforge::debugger

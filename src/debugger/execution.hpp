// Running a machine until something of interest happens: a breakpoint, a change of something watched, the user who wants
// it back. Shared by the terminal debugger and the remote protocol.
//
// With nothing watched the machine runs at its full speed, in slices. Otherwise it is stepped, and what is watched is
// compared after each instruction: a watchpoint stops where a value changes, whoever wrote it, late results included. One
// for reading stops where an instruction loads from its stretch of memory.
//
// What the machine does is kept, so that it can go back (see History); whoever changes registers or memory does so by
// change().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "debugger/expression.hpp"
#include "debugger/history.hpp"
#include "isaforge/machine.hpp"

namespace isaforge::debugger {

// A register, or a stretch of a memory.
struct Watch {
    enum class When { changed, read, accessed };  // the last two of memory only
    When when = When::changed;
    bool is_register = false;
    Index object = no_index;   // register file, or memory
    std::uint64_t number = 0;  // register, or address
    std::uint64_t length = 0;  // bytes; of memory only
    unsigned hart = 0;         // whose register
    bool operator==(const Watch&) const = default;
};
inline constexpr std::uint64_t most_watched_bytes = 1 << 16;  // of all watches together

struct Stop {
    enum class Kind {
        done,  // the steps that were asked for
        breakpoint,
        watch,
        interrupted,  // by the user
        limit,        // Execution::limit
        machine,      // the program ended, or did something wrong: see `result`
        beginning,    // going back: nothing is known of what was before
    };
    Kind kind = Kind::done;
    RunResult result;           // of the last instruction or slice
    bool back = false;          // it came there by going back
    std::uint64_t address = 0;  // watch: of the instruction behind which the value is another one
    Watch watch;
    std::string change;  // watch: "r5: 00000001 -> 00000002", "data[0x40:4] is read"
};

class Execution {
public:
    // `streams`: the machine's, where a program that goes back is to read the same again.
    explicit Execution(Machine& machine, std::shared_ptr<TapedStreams> streams = nullptr);
    ~Execution();
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

    // The hart that is looked at and stepped: the one that stopped last, or the one that was chosen. All of them run.
    Machine& machine() const { return machine_.hart(hart_); }
    Machine& machine(unsigned hart) const { return machine_.hart(hart); }
    unsigned hart() const { return hart_; }
    unsigned harts() const { return machine_.harts(); }
    bool choose(unsigned hart);
    // "hart 2", and what reports call it where that is something else.
    std::string hart_text(unsigned hart) const;
    std::uint64_t executed() const;  // instructions, by all harts

    // Asked now and then while the program runs; true stops it. Null: never asked.
    std::function<bool()> interrupted;
    // The most instructions that one call of run() executes; 0: no limit.
    std::uint64_t limit = std::uint64_t{1} << 32;

    // Several may want to stop at one address: each that adds has to remove.
    void add_breakpoint(std::uint64_t address);
    void remove_breakpoint(std::uint64_t address);
    bool breaks_at(std::uint64_t address) const { return breakpoints_.contains(address); }

    // False where there is no such register or memory, or too much is watched.
    bool add_watch(const Watch& watch);
    void remove_watch(const Watch& watch);
    // Changes something from outside, of so many bytes, in the hart that is looked at. False where `what` says so: then
    // nothing may have been changed.
    bool change(const Change& what, std::size_t bytes = 8);
    // The machine and its program are at their beginning again, and what was is forgotten.
    void restarted();

    // Runs until something happens. A breakpoint where it begins does not count.
    Stop run();
    // One instruction. What it changed comes into `record` where given.
    Stop step(TraceRecord* record = nullptr);

    // Back before the last instruction that this hart executed, or so many; or to the beginning.
    Stop step_back(std::uint64_t times = 1);
    // Back to the last stop that `wants` wants, which is asked about those of a stretch in the order in which they were;
    // else to the beginning. At a watchpoint the machine stands before the instruction.
    Stop run_back(const std::function<bool(const Stop&)>& wants);
    // Whether there is anything to go back to, or would be, had the program done something.
    bool can_go_back() const;
    History& history() { return history_; }

private:
    struct Watched {
        Watch watch;
        std::vector<std::uint8_t> last;
    };
    std::vector<std::uint8_t> value_of(const Watch& watch) const;
    void find_watch(Stop& stop, std::uint64_t address, const TraceRecord& record);
    bool find_change(Stop& stop);
    bool find_access(Stop& stop, const TraceRecord& record) const;
    Stop step_any();
    std::uint64_t slice() const;
    Stop run_watching(std::uint64_t most);
    bool wants_stop() const { return interrupted && interrupted(); }
    void look();

    // Going back: going_back.cpp.
    struct Found {
        std::uint64_t moment = 0;
        unsigned hart = 0;
        Stop stop;
    };
    using Event = std::function<void(std::uint64_t moment, const Stop& stop)>;
    void set_breakpoints(bool on);
    bool go_to(std::uint64_t moment);
    std::uint64_t run_again(std::uint64_t most, const Event& event);
    std::uint64_t step_again(const History::Piece& piece, const Event& event);
    bool do_again(std::uint64_t end, bool by_steps, const Event& event);
    std::optional<Found> find_back(std::uint64_t window, bool by_steps, const std::function<bool(const Stop&)>& wants,
                                   bool& given_up);
    Stop stand_at(std::uint64_t moment, unsigned hart, Stop stop);

    Machine& machine_;  // hart 0
    unsigned hart_ = 0;
    std::map<std::uint64_t, unsigned> breakpoints_;
    std::vector<Watched> watched_;
    std::uint64_t watched_bytes_ = 0;
    std::shared_ptr<TapedStreams> streams_;
    History history_;
};

// "r5", "data[0x40:4]".
std::string watch_name(const Watch& watch, const Machine& machine);

}  // namespace isaforge::debugger

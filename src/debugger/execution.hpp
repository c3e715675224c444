// Running a machine until something of interest happens: a breakpoint, a change of something watched, the user who wants
// it back. Shared by the terminal debugger and the remote protocol.
//
// With nothing watched the machine runs at its full speed, in slices. Otherwise it is stepped, and what is watched is
// compared after each instruction: a watchpoint stops where a value changes, whoever wrote it, late results included. One
// for reading stops where an instruction loads from its stretch of memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "debugger/expression.hpp"
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
    };
    Kind kind = Kind::done;
    RunResult result;           // of the last instruction or slice
    std::uint64_t address = 0;  // watch: of the instruction behind which the value is another one
    Watch watch;
    std::string change;  // watch: "r5: 00000001 -> 00000002", "data[0x40:4] is read"
};

class Execution {
public:
    explicit Execution(Machine& machine) : machine_(machine) {}

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
    // Takes over the values of now, after something was changed from outside.
    void look();

    // Runs until something happens. A breakpoint where it begins does not count.
    Stop run();
    // One instruction. What it changed comes into `record` where given.
    Stop step(TraceRecord* record = nullptr);

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

    Machine& machine_;  // hart 0
    unsigned hart_ = 0;
    std::map<std::uint64_t, unsigned> breakpoints_;
    std::vector<Watched> watched_;
    std::uint64_t watched_bytes_ = 0;
};

// "r5", "data[0x40:4]".
std::string watch_name(const Watch& watch, const Machine& machine);

}  // namespace isaforge::debugger

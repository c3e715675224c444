// The emulator: runs a program with the meanings that its description gives. Each instruction of the program is decoded
// once and its meaning specialised for its operands; what executes afterwards is a short row of micro-operations.
//
// Addresses of code are in address units of the code (Isa::address_bits), addresses of data in units of their memory.
//
// Each memory has a map: storage with permissions, and devices, at any of 2^64 addresses, shared by all harts. One that
// holds code is one address space for code and data; else the code lies by itself, where no instruction can reach it.
// docs/machine.md describes all that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/codec.hpp"
#include "isaforge/findings.hpp"
#include "isaforge/limits.hpp"

namespace isaforge {

struct Executable;

namespace machine {
struct Dispatch;
class MemoryMap;
}  // namespace machine

// Where a program's files lead: 0 is read; 1 and 2 are written.
class Streams {
public:
    virtual ~Streams() = default;
    // As many bytes as are there, but at least one: waits for it. 0 at the end.
    virtual std::size_t read(std::span<std::uint8_t> bytes) = 0;
    // Whether read() would not wait.
    virtual bool ready() = 0;
    virtual void write(unsigned file, std::span<const std::uint8_t> bytes) = 0;
    // What was written is to be seen now: called whenever a run ends, or waits.
    virtual void flush() {}
};
// Output that does not go to a terminal is collected, until it is much, input is asked for, or the run ends.
std::shared_ptr<Streams> standard_streams();

// What executes instructions: an interpreter, and a compiler for what runs long, where LLVM is there for it. They do the same.
enum class Engine {
    automatic,      // interpreted, and compiled what turns out to run long; or as the variable ISAFORGE_ENGINE says: see below
    interpreter,
    compiler,       // compiled as soon as an instruction has been executed; for tests of it
};

// "interpreter", "jit" or "auto"; nothing where it is none of these. The environment's ISAFORGE_ENGINE says it where no engine was
// chosen, so that whole suites of tests run on each.
std::optional<Engine> parse_engine(std::string_view name);

// What a program is told that runs as a process of Linux, and what of the host it may see.
struct ProcessOptions {
    struct Folder {
        std::string path;
        bool is_writable = false;
    };
    std::vector<std::string> arguments;    // the program's name first
    std::vector<std::string> environment;  // "NAME=VALUE"
    std::vector<Folder> folders;           // whose files it may open; none: only the standard streams
    std::uint64_t memory_bytes = std::uint64_t{4} << 30;  // that it may have at a time: program, heap, mappings, stack
};

struct MachineOptions {
    std::uint64_t memory_bytes = std::uint64_t{64} << 20;        // of each memory that `memory_sizes` does not name
    std::map<std::string, std::uint64_t, std::less<>> memory_sizes;  // bytes, by the memory's name
    bool require_alignment = false;   // an access at no multiple of its size is a bad one
    bool warn_hazards = false;        // warn where a register is read before its late result has landed
    Checks checks;                    // what the run is watched for (slower)
    bool count_instructions = false;  // keep counts for each instruction of the program (slower)
    bool count_cycles = false;        // add up the cycles that the description says of instructions, if it does
    unsigned harts = 1;                // of a group, at most most_harts
    unsigned groups = 1;               // as many run at the same time as most_harts allows, on threads as there are processors
    bool dispatches = false;           // further harts come and go: see src/machine/dispatcher.hpp
    Engine engine = Engine::automatic;
    std::uint64_t seed = 0;           // of the order in which harts take turns: the same seed gives the same run
    bool threads = false;             // harts run at once instead
    // How many instructions stay translated, of all harts together; with more, all of them are translated anew.
    std::uint64_t most_translated = std::uint64_t{1} << 18;
    bool real_time = false;           // the machine's time is the host's, and not one nanosecond an instruction
    std::shared_ptr<Streams> streams; // null: standard_streams()
    ProcessOptions process;
    // The place of a code address in the program's source ("draw.s:12"), for reports; empty where unknown.
    std::function<std::string(std::uint64_t)> source_line;
    // What reports call a hart, by its number among all that run; null: "hart 3".
    std::function<std::string(std::uint64_t)> hart_name;
};

enum class StopReason {
    running,            // step(): more to do
    stopped,            // the program called stop()
    limit,              // the number of instructions allowed
    bad_index,          // a register number outside its file
    illegal,            // no instruction has these bits
    undefined,          // the instruction has no meaning, or one that does not fit its operands
    port_collision,     // more results due in one cycle than the file has write ports
    breakpoint,         // run(): before an instruction with a breakpoint
    // Where the description has an event for one of these, or for `illegal`, that is what happens instead.
    bad_read,           // of an address that may not be read
    bad_write,
    bad_execute,
    misaligned,         // an access at no multiple of its size, where those are asked for
    misaligned_code,    // pc at no multiple of the code's unit
    aborted,            // a transaction was taken back, and nothing says what then
    failed,             // fail() in the description
    waiting,            // every hart waits, and nothing will wake one
    event_loop,         // events without end, and no instruction executed between them
};

// What was compiled, of all harts.
struct EngineFigures {
    Engine engine = Engine::automatic;
    std::uint64_t regions = 0, instructions = 0;
    double seconds = 0;               // that it took, beside the run
    std::string problem;              // why nothing was, where the compiler was asked for
};

struct Permissions {
    bool read = true, write = true, execute = false;
};

struct RunResult {
    StopReason reason = StopReason::running;
    std::uint64_t address = 0;        // of the instruction that stopped the run; at a limit, of the next one
    std::uint64_t instructions = 0;   // executed in this run
    std::uint64_t cycles = 0;         // that they, and events, took; 0 where nobody counts them
    double seconds = 0;               // of this run
    std::optional<int> exit_status;   // where the program ended by the host call `exit`
    unsigned hart = 0;                // the one that ended the run, as Machine::hart counts them
    std::string message;              // one line ready to show, with the instruction and its source line; empty if stopped()

    bool ok() const { return reason == StopReason::running || reason == StopReason::stopped; }
};

// What one instruction did, for a trace.
struct TraceRecord {
    struct Change {
        std::string name;             // "r5", "data[0x40]", "pc"
        std::uint64_t value = 0;      // of the first lane
        std::vector<std::uint64_t> lanes;  // all lanes, where there are several
        unsigned bits = 0;            // of one lane
        bool late = false;            // written by an earlier instruction, landed now
    };
    struct Access {                   // a load or a store
        Index memory = no_index;
        std::uint64_t address = 0;
        unsigned bits = 0;
        bool is_store = false;
    };
    std::uint64_t number = 0;         // instructions executed before it, by its hart
    unsigned hart = 0;
    std::uint64_t address = 0;
    Index form = no_index;
    Image image;
    unsigned bits = 0;
    bool executed = true;             // its guard held
    std::vector<Change> changes;
    std::vector<Access> accesses;
};

// How an instruction may go on elsewhere than behind itself, as its meaning says.
struct Jump {
    bool computed = false;            // it writes pc with something that is not known before it executes
    bool calls = false;               // it writes pc, and the address behind itself to a register or to memory
};

// A late result on its way to its register.
struct PendingResult {
    std::string target;               // "r5", "pc"
    std::uint64_t value = 0;
    unsigned instructions = 0;        // it lands after so many more instructions have executed (1: after the next one)
    std::uint64_t origin = 0;         // address of the instruction that computed it
};

// How often an instruction wrote pc, which may be never.
struct JumpCount {
    std::uint64_t address = 0;
    std::uint64_t count = 0;
    bool late = false;                // with a delay: instructions behind it execute first
};

class Machine {
public:
    Machine(const std::shared_ptr<const Codec>& codec, const MachineOptions& options = {});
    // The harts of a dispatch, in turns, for whoever wants to look at them while they run; the dispatch lives as long as this.
    Machine(const std::shared_ptr<const Codec>& codec, const MachineOptions& options,
            const machine::Dispatch& dispatch);
    ~Machine();
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    const Isa& isa() const;
    const Codec& codec() const;

    // Replaces the code, which begins at code address 0. Bytes as in an object file: units in the machine's byte order.
    void load_code(std::span<const std::uint8_t> bytes);

    // Storage and devices in the main memory. What is added replaces what was there. Nothing where it worked, else why not.
    // A device is a "console", a "timer" or a "doorbell".
    std::string add_storage(std::uint64_t address, std::uint64_t bytes, Permissions permissions, std::string name);
    std::string add_storage(std::uint64_t address, std::span<std::uint8_t> bytes, Permissions permissions,
                            std::string name);   // that belongs to the caller, who keeps it
    std::string add_device(const std::string& kind, std::uint64_t address);
    std::string protect(std::uint64_t address, std::uint64_t bytes, Permissions permissions, const std::string& name);
    // Storage for the segments of an executable, with their bytes and permissions, in the memory that holds code. Nothing where
    // it worked, else why not.
    std::string load_executable(const Executable& executable);
    // The calls of Linux that the program has asked for and that are not known, by their numbers.
    std::vector<std::uint64_t> unknown_calls() const;
    Index code_memory() const;            // no_index where code is apart
    Index main_memory() const;            // the one that holds code, else the first; no_index where there is none
    std::vector<std::string> memory_map() const;  // a line for each region

    // Copies bytes into a memory; false, and nothing done, where they do not fit. Permissions do not count.
    bool load_data(Index memory, std::uint64_t address, std::span<const std::uint8_t> bytes);

    // Back to the beginning: registers zero, nothing pending, pc where start() was last, counts zero. Memory and code are
    // kept. A description's `on reset` runs.
    void reset();
    void start(std::uint64_t address);

    // Each hart is a machine of its own that shares memory and code; this one is hart 0. With more groups than live at the same
    // time these are the harts that do; where a group has ended, its harts begin anew as those of another.
    unsigned harts() const;
    Machine& hart(unsigned number);
    const Machine& hart(unsigned number) const;
    // Which one it is now, of all that run: of its group's harts, the number of its group times as many come before it.
    std::uint64_t hart_number() const;
    std::uint64_t group_number() const;
    // As reports call it: "hart 3".
    std::string hart_name() const;

    // Runs until something stops it, or for `limit` instructions (0: no limit), of all harts together. Called for another
    // hart than 0 it runs that one alone.
    RunResult run(std::uint64_t limit = 0);

    // Executes one instruction; fills `record` where given.
    RunResult step(TraceRecord* record = nullptr);

    // The same for whichever hart has its turn, so that calls of it in a row are the run that run() makes; `hart` of the
    // result says which it was. Of several harts it stops before breakpoints.
    RunResult step_any(TraceRecord* record = nullptr);

    // Makes run() stop before the instruction at this code address, however it is reached; only not where it begins there,
    // of several harts: where it has stopped that hart before.
    void set_breakpoint(std::uint64_t address, bool on);

    std::uint64_t pc() const;
    void set_pc(std::uint64_t address);
    EngineFigures engine_figures() const;
    std::uint64_t instructions() const;   // executed since reset
    std::uint64_t cycles() const;         // that they took, with the events between them; 0 where nobody counts them

    // All that a program can find out and that decides how it goes on: registers, results under way, memories, devices, the
    // order of turns; not what was counted for reports. Pages that are as in `before`, an earlier one of this machine or null,
    // are shared with it. Null where it cannot be had now: inside of a transaction or between load-linked and
    // store-conditional; or ever: with checks, on threads, by the host's time, of more than a gibibyte of memory.
    struct Snapshot;
    std::shared_ptr<const Snapshot> save(const Snapshot* before = nullptr) const;
    // Goes on from there. Of this machine, whose map of memory is as it was then.
    void restore(const Snapshot& snapshot);
    // What it and those that share pages with it take together.
    static std::uint64_t bytes_held(const Snapshot& snapshot);

    // Registers by file and number; values are zero-extended. Numbers and lanes must exist.
    std::uint64_t get(Index file, std::uint64_t number, unsigned lane = 0) const;
    void set(Index file, std::uint64_t number, std::uint64_t value, unsigned lane = 0);

    // A register's name as the description prints it: "r5", or the file's name for a single register.
    std::string register_name(Index file, std::uint64_t number) const;
    // Finds a register by any of its names.
    bool find_register(std::string_view name, Index& file, std::uint64_t& number) const;

    // Bytes of a memory, past permissions and without asking devices. False where some are not there.
    bool peek(Index memory, std::uint64_t address, std::span<std::uint8_t> bytes) const;

    // The storage of a memory that begins at address 0; and a memory by its name, no_index where there is none.
    std::span<std::uint8_t> memory(Index memory);
    Index find_memory(std::string_view name) const;
    // How many bytes of a memory there are from an address on without a gap.
    std::uint64_t room(Index memory, std::uint64_t address) const;
    // Why a memory that the options ask for is not there; empty where all are.
    const std::string& memory_problem() const;
    // All bytes zero.
    void clear_memories();

    std::vector<PendingResult> pending() const;

    // The instruction at a code address: decoded, and as text ("illegal" where it is none), in which `labels` may name the
    // targets of jumps.
    bool decode(std::uint64_t address, Index& form, Image& image, unsigned& bits) const;
    std::string text(std::uint64_t address, Codec::LabelNamer* labels = nullptr) const;
    Jump jump_at(std::uint64_t address) const;
    bool has_code(std::uint64_t address) const;  // whether there is anything at a code address

    // signal("name") calls so far, in the order of the names' first use; of hart 0 and its others together.
    std::vector<std::pair<std::string, std::uint64_t>> signals() const;

    // With count_instructions: how often each code address was executed, addresses never reached left out; likewise.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> counts() const;

    // With count_cycles too: the cycles that the instruction at each code address has taken, those that took none left out.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> cycle_counts() const;

    // Likewise, of each instruction that was reached and can write pc.
    std::vector<JumpCount> jump_counts() const;

    // With warn_hazards: one line for each instruction that read a register before its late result had landed.
    const std::vector<std::string>& warnings() const;

    // With checks: what was found since the machine was made, by rising addresses.
    std::vector<Finding> findings() const;

    struct State;

private:
    explicit Machine(std::unique_ptr<State> state);
    void make(const std::shared_ptr<const Codec>& codec, const MachineOptions& options,
              const machine::Dispatch* dispatch);
    std::string change_main(std::uint64_t address,
                            const std::function<std::string(machine::MemoryMap&, std::uint64_t)>& change);
    RunResult run_harts(std::uint64_t limit);
    StopReason begin_harts(unsigned& last);
    void begin_groups();
    void finish(RunResult& result, StopReason reason);
    void map_changed();
    State& hart_state(unsigned number) const;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> sum_of_harts(
        std::map<std::uint64_t, std::uint64_t> State::*counts) const;

    std::unique_ptr<State> state_;
    std::vector<std::unique_ptr<Machine>> others_;   // of hart 0: the other harts
};

// One line of a trace: number, address, word, text, what changed. `labels` may name the targets of jumps.
std::string to_text(const TraceRecord& record, const Codec& codec, Codec::LabelNamer* labels = nullptr);

// All lanes of a register, the first one first.
std::vector<std::uint64_t> register_lanes(const Machine& machine, Index file, std::uint64_t number);
// The lanes of a register, of so many bits each: one by one, "0001:0007:…"; those of many lanes as stretches that are equal or
// go up or down by one step, "{0..31: 0004 +2; 32..63: 0000}", where that is shorter.
std::string lanes_text(std::span<const std::uint64_t> lanes, unsigned bits);
// "r5=00000001".
std::string to_text(const TraceRecord::Change& change);

// All registers with their names, several a line.
std::string register_dump(const Machine& machine);

// `length` bytes of a memory from `address`, which counts its units, in hexadecimal and as characters, 16 a line; what lies
// outside is left out.
std::string memory_dump(const Machine& machine, Index memory, std::uint64_t address, std::uint64_t length);

enum class PixelFormat { xrgb8888, rgb888, rgb565, gray8 };  // little-endian words; rgb888 is three bytes r, g, b
unsigned bytes_per_pixel(PixelFormat format);

// A range of memory as a picture.
struct Picture {
    std::uint64_t address = 0;
    std::uint32_t width = 0, height = 0;
    PixelFormat format = PixelFormat::xrgb8888;

    std::uint64_t bytes() const { return std::uint64_t{width} * height * bytes_per_pixel(format); }
};

// The picture as the text of a PNG file. Nothing where it worked, else what went wrong.
std::string make_png(std::span<const std::uint8_t> memory, const Picture& picture, std::string& png);

}  // namespace isaforge

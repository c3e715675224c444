// The emulator: runs a program with the meanings that its description gives. Each instruction of the program is decoded
// once and its meaning specialised for its operands; what executes afterwards is a short row of micro-operations.
//
// Addresses of code are in address units of the code (Isa::address_bits), addresses of data in units of their memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/codec.hpp"

namespace isaforge {

struct MachineOptions {
    std::uint64_t memory_bytes = std::uint64_t{64} << 20;        // of each memory that `memory_sizes` does not name
    std::map<std::string, std::uint64_t, std::less<>> memory_sizes;  // bytes, by the memory's name
    bool require_alignment = false;   // an access at no multiple of its size is a bad one
    bool warn_hazards = false;        // warn where a register is read before its late result has landed
    bool count_instructions = false;  // keep counts for each instruction of the program (slower)
    // The place of a code address in the program's source ("draw.s:12"), for reports; empty where unknown.
    std::function<std::string(std::uint64_t)> source_line;
};

enum class StopReason {
    running,            // step(): more to do
    stopped,            // the program called stop()
    limit,              // the number of instructions allowed
    bad_access,         // a load or store outside its memory
    bad_index,          // a register number outside its file
    bad_code_address,   // pc outside the code
    illegal,            // no instruction has these bits
    undefined,          // the instruction has no meaning, or one that does not fit its operands
    port_collision,     // more results due in one cycle than the file has write ports
    breakpoint,         // run(): before an instruction with a breakpoint
    // Of memory that holds code. Where the description has an event for one of these, that is what happens instead.
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

struct Permissions {
    bool read = true, write = true, execute = false;
};

struct RunResult {
    StopReason reason = StopReason::running;
    std::uint64_t address = 0;        // of the instruction that stopped the run; at a limit, of the next one
    std::uint64_t instructions = 0;   // executed in this run
    double seconds = 0;               // of this run
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
    std::uint64_t number = 0;         // instructions executed before it
    std::uint64_t address = 0;
    Index form = no_index;
    Image image;
    unsigned bits = 0;
    bool executed = true;             // its guard held
    std::vector<Change> changes;
};

// A late result on its way to its register.
struct PendingResult {
    std::string target;               // "r5", "pc"
    std::uint64_t value = 0;
    unsigned instructions = 0;        // it lands after so many more instructions have executed (1: after the next one)
    std::uint64_t origin = 0;         // address of the instruction that computed it
};

class Machine {
public:
    Machine(std::shared_ptr<const Codec> codec, MachineOptions options = {});
    ~Machine();
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    const Isa& isa() const;

    // Replaces the code, which begins at code address 0. Bytes as in an object file: units in the machine's byte order.
    void load_code(std::span<const std::uint8_t> bytes);

    // Copies bytes into a memory; false, and nothing done, where they do not fit.
    bool load_data(Index memory, std::uint64_t address, std::span<const std::uint8_t> bytes);

    // Back to the beginning: registers zero, nothing pending, pc 0, counts zero. Memory and code are kept.
    void reset();

    // Runs until something stops it, or for `limit` instructions (0: no limit).
    RunResult run(std::uint64_t limit = 0);

    // Executes one instruction; fills `record` where given.
    RunResult step(TraceRecord* record = nullptr);

    // Makes run() stop before the instruction at this code address, however it is reached; only not where it begins there.
    void set_breakpoint(std::uint64_t address, bool on);

    std::uint64_t pc() const;
    void set_pc(std::uint64_t address);
    std::uint64_t instructions() const;   // executed since reset

    // Registers by file and number; values are zero-extended. Numbers and lanes must exist.
    std::uint64_t get(Index file, std::uint64_t number, unsigned lane = 0) const;
    void set(Index file, std::uint64_t number, std::uint64_t value, unsigned lane = 0);

    // A register's name as the description prints it: "r5", or the file's name for a single register.
    std::string register_name(Index file, std::uint64_t number) const;
    // Finds a register by any of its names.
    bool find_register(std::string_view name, Index& file, std::uint64_t& number) const;

    // The bytes of a memory; and a memory by its name, no_index where there is none.
    std::span<std::uint8_t> memory(Index memory);
    Index find_memory(std::string_view name) const;

    std::vector<PendingResult> pending() const;

    // The instruction at a code address: decoded, and as text ("illegal" where it is none).
    bool decode(std::uint64_t address, Index& form, Image& image, unsigned& bits) const;
    std::string text(std::uint64_t address) const;
    std::uint64_t code_size() const;      // in address units

    // signal("name") calls so far, in the order of the names' first use.
    std::vector<std::pair<std::string, std::uint64_t>> signals() const;

    // With count_instructions: how often each code address was executed, addresses never reached left out.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> counts() const;

    // With warn_hazards: one line for each instruction that read a register before its late result had landed.
    const std::vector<std::string>& warnings() const;

    struct State;

private:
    std::unique_ptr<State> state_;
};

// One line of a trace: number, address, word, text, what changed.
std::string to_text(const TraceRecord& record, const Codec& codec);

// "r5=00000001"; lanes are separated by colons.
std::string to_text(const TraceRecord::Change& change);

// All registers with their names, several a line.
std::string register_dump(const Machine& machine);

// `length` bytes of a memory from `address` in hexadecimal and as characters, 16 a line; what lies outside is left out.
std::string memory_dump(Machine& machine, Index memory, std::uint64_t address, std::uint64_t length);

enum class PixelFormat { xrgb8888, rgb888, rgb565, gray8 };  // little-endian words; rgb888 is three bytes r, g, b

// Writes width * height pixels at `address` of a memory as a PNG file. Nothing where it worked, else what went wrong.
std::string write_png(const std::string& path, std::span<const std::uint8_t> memory, std::uint64_t address,
                      std::uint32_t width, std::uint32_t height, PixelFormat format);

}  // namespace isaforge

// A program as the harts of a machine run it, all of them the same one: its instructions, ready to run, by address and modes,
// what of it is compiled, and where values lie in every hart's block.
//
// Harts on threads run it while others add to it. So what is there stays where it is, and of operations others change only
// the handler and the link, each at once: an instruction that is overwritten becomes a pointer to its successor, one with a
// breakpoint or a way into compiled code begins with another handler. What nobody needs any more is freed with the whole
// program, which a new one takes the place of when there is too much of it: each hart goes over to that between two
// instructions, and the last one that leaves takes the old one away.
//
// Who holds the lock waits for nobody.
#pragma once

#include <atomic>
#include <bitset>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "isaforge/machine.hpp"
#include "machine/compile_thread.hpp"
#include "machine/hazards.hpp"
#include "machine/layout.hpp"
#include "machine/micro_op.hpp"
#include "machine/translate.hpp"

namespace isaforge::machine {

// One instruction of the program, or an event at it.
struct Instruction {
    std::uint64_t address = 0;
    Index form = no_index;
    Image image;
    unsigned bits = 0;
    std::vector<MicroOp> ops;            // never resized once it is here; the first is its mark: see instruction_of
    std::vector<Touch> reads, writes;
    std::vector<std::size_t> computed_ends;  // Translation::computed_ends, counted behind the mark
    std::shared_ptr<const Watched> watched;  // for the checker; null: by none of the rules
    std::uint32_t place = 0;             // what the checker calls it
    std::vector<Touch> highest;          // for the checker: of each file of which it uses registers the last one
    std::vector<bool> open;                  // bytes that may be overwritten: it looks them up each time; empty: none
    std::uint64_t touched = 0;           // touched_bits() of what it reads and writes, likewise
    std::string trouble;                 // why it has no meaning
    bool warned = false;
    bool is_event = false;
    // What the first operation does where it is not a breakpoint, or not where compiled code is entered; null: neither.
    Handler before_breakpoint = nullptr, interpreted = nullptr;

    void set_ops(std::vector<MicroOp> body);
    MicroOp& first() { return ops[1]; }
    const MicroOp& first() const { return ops[1]; }
    bool is_open(std::uint64_t byte) const { return byte < open.size() && open[byte]; }
};

// The instruction that an operation belongs to; null where it belongs to none.
Instruction* instruction_of(const MicroOp* op);

// What was translated under one combination of modes.
struct Translations {
    std::unordered_map<std::uint64_t, std::unique_ptr<Instruction>> instructions;  // by code address
    std::map<std::pair<Index, std::uint64_t>, std::unique_ptr<Instruction>> events;
};

// The bytes that instructions were translated from.
class CodeBytes {
public:
    void note(std::uint64_t address, std::uint64_t bytes);
    // Whether some of them were noted; they are not any more.
    bool take(std::uint64_t address, std::uint64_t bytes);

private:
    static constexpr std::uint64_t page = 4096;
    std::unordered_map<std::uint64_t, std::bitset<page>> pages_;
};

struct JumpCounter {
    std::uint32_t counter = 0;
    bool late = false;
};

// What is compiled of a program.
struct CompiledParts {
    std::atomic<bool> on = false;                // compiled code is entered
    std::shared_ptr<CompileJob> job;             // the one under way
    std::vector<std::unique_ptr<CompiledRegion>> regions, retired;
    std::vector<std::pair<Instruction*, Handler>> entries;
    std::unordered_set<std::uint64_t> entered;   // addresses where they begin, also where they could not
    std::unordered_set<std::uint64_t> within;    // addresses of all that they have
};

struct Program {
    Program(const Isa& given_isa, std::uint64_t given_number)
        : isa(given_isa), number(given_number), layout(given_isa), written(given_isa.register_files.size()) {}

    Translations& under(std::uint64_t modes);
    Instruction* find(const Translations& translations, std::uint64_t address) const;
    // Under any modes.
    Instruction* find(std::uint64_t address) const;
    Instruction& add(Translations& translations, std::unique_ptr<Instruction> instruction);
    void set_breakpoint(Instruction& instruction, bool on);
    void set_breakpoint(std::uint64_t address, bool on);
    // Bytes were written. Whether they were translated: then those instructions are looked for anew.
    bool drop_written(std::uint64_t address, std::uint64_t bytes);
    // Whether the instruction there was overwritten so often that its bytes should be open.
    bool is_often_rewritten(std::uint64_t address) const;
    bool is_full(std::uint64_t most_translated) const;

    void use_compiled(bool on);
    bool drop_regions();                         // whether there were any
    bool forget_job();                           // which may own this program; whether anything was compiled

    const Isa& isa;
    const std::uint64_t number;                  // later ones have higher ones
    std::mutex lock;                             // for everything below
    Layout layout;
    Instruction mode_values;                     // computes all modes; without operations: not yet made
    std::map<std::uint64_t, std::uint32_t> counters;     // offsets of the counts by code address
    std::map<std::uint64_t, std::uint32_t> cycle_counters;   // the same of cycles
    std::map<std::uint64_t, JumpCounter> jump_counters;  // and of writes to pc, of instructions that have some
    CodeBytes code;
    CompiledParts compiled;
    std::vector<std::uint32_t> written;          // of each file the registers, from the first on, that instructions may write
    std::atomic<std::uint64_t> written_changes = 0;   // of that; read without the lock
    std::vector<Touch> mode_registers;           // what modes are computed from, where that is known

private:
    void retire(std::unique_ptr<Instruction> instruction);
    std::unordered_map<std::uint64_t, unsigned> rewritten_;  // how often instructions were overwritten, by code address

    std::unordered_map<std::uint64_t, std::unique_ptr<Translations>> translations_;   // by the modes, packed
    std::size_t translated_ = 0;
    std::vector<std::unique_ptr<Instruction>> retired_;  // others may still lead to them
};

}  // namespace isaforge::machine

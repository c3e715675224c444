// What a Machine holds, for the files that implement it.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "isaforge/machine.hpp"
#include "machine/bus.hpp"
#include "machine/layout.hpp"
#include "machine/micro_op.hpp"
#include "machine/system.hpp"
#include "machine/translate.hpp"

namespace isaforge {

inline constexpr unsigned max_events_in_row = 64;

// The state of one hart. What harts share is in the system.
struct Machine::State {
    // One instruction of the program, or an event at it, ready to run.
    struct Instruction {
        std::uint64_t address = 0;
        Index form = no_index;
        Image image;
        unsigned bits = 0;
        std::vector<machine::MicroOp> ops;   // never resized once it is here
        std::vector<machine::Touch> reads, writes;
        std::uint32_t counter = 0;           // offset of its count, with count_instructions
        std::string trouble;                 // why it has no meaning
        bool warned = false;
        bool is_event = false;
        // Of an instruction where compiled code is entered: what its first operation does otherwise.
        machine::Handler interpreted = nullptr;
    };

    // What was translated under one combination of modes.
    struct Translations {
        std::unordered_map<std::uint64_t, std::unique_ptr<Instruction>> instructions;  // by code address
        std::map<std::pair<Index, std::uint64_t>, std::unique_ptr<Instruction>> events;
        std::array<machine::JumpSlot, machine::jump_slots> jumps{};
    };

    State(std::shared_ptr<const Codec> codec, MachineOptions options, std::shared_ptr<machine::System> system,
          std::uint32_t hart);

    // From addresses to translated instructions: translations.cpp.
    const machine::MicroOp* resolve(std::uint64_t address);
    const machine::MicroOp* nothing_at(std::uint64_t address, StopReason reason, std::uint64_t where);
    std::unique_ptr<Instruction> translate_at(std::uint64_t address, const std::uint8_t* bytes, std::size_t available);
    const machine::MicroOp* no_room_at(std::uint64_t address);
    bool lacks_room() { return core.reason == StopReason::limit && look_again(); }
    bool look_again();
    semantics::Site site_of(std::uint64_t address, unsigned bits) const;
    static std::unique_ptr<Instruction> refused(std::unique_ptr<Instruction> made, StopReason reason);
    std::unique_ptr<Instruction> finish_translation(std::unique_ptr<Instruction> made, const ir::Graph& graph);
    Instruction* event_at(Index event, std::uint64_t address);
    Instruction* instruction_of(const machine::MicroOp* op) const;
    Instruction* known_instruction(std::uint64_t address) const;
    std::uint64_t next_pc() const;
    void set_breakpoint(Instruction& instruction, bool on);
    std::uint32_t signal_number(const std::string& name);
    void set_next(std::uint64_t address);
    void forget_translations();
    void choose_translations();
    void modes_changed();
    void refresh_modes();
    void code_written(std::uint64_t address, std::uint64_t bytes);
    void drop_written();
    static void make_stale(Instruction& instruction);
    void retire(std::unique_ptr<Instruction> instruction);
    bool load_image(std::uint64_t address, Image& image, std::size_t& available) const;
    // Where the instruction at a code address begins, by bytes. False where it would have no address.
    bool code_byte(std::uint64_t address, std::uint64_t& byte) const {
        byte = address * (isa.address_bits / 8);
        return byte / (isa.address_bits / 8) == address;
    }

    // Using the compiler: compiled.cpp.
    struct Hot {
        bool on = false;                         // compiled code is entered
        std::uint64_t next_look = 0, interval = 0;   // by core.count; 0: not yet known
        unsigned drops = 0;
        bool hopeless = false;                   // compiling costs more than it gives: see compile_around
        std::shared_ptr<machine::CompileJob> job;
        std::vector<std::unique_ptr<machine::CompiledRegion>> regions;
        std::vector<std::pair<Instruction*, machine::Handler>> entries;
        std::unordered_set<std::uint64_t> entered;   // addresses where they begin, also where they could not
        EngineFigures figures;
    };
    bool may_compile(bool single) const;
    std::uint64_t next_look(std::uint64_t stop_at) const;
    void use_compiled(bool on);
    void drop_regions();
    void look_for_hot();
    void compile_around(std::uint64_t address);
    bool add_unit(std::uint64_t address, machine::CompileJob& job, std::vector<std::uint64_t>& targets) const;
    void install();

    // Running: execute.cpp.
    StopReason execute(std::uint64_t stop_at, bool single = false);
    StopReason execute_awake(std::uint64_t stop_at);   // on a thread of its own
    void take_notes(std::vector<machine::AccessNote>* notes) {
        core.notes = notes;
        bus.choose_pages();
    }
    void run_aside(const std::vector<machine::MicroOp>& ops);
    void settle() {
        bus.acknowledge();
        if (const std::uint64_t now = system->code_map().code_version; now != code_version) {
            code_version = now;
            drop_all = true;
        }
        if (drop_all || !written.empty()) drop_now();
    }
    void drop_now();
    std::uint64_t next_stop(std::uint64_t stop_at);
    bool handle_fault();
    bool handle_event(Index event, std::uint64_t address, std::uint64_t first_value, std::uint64_t second_value = 0);
    bool handle_abort(machine::AbortReason reason);
    std::uint64_t take_back();
    bool may_be_interrupted() const { return interrupt_event != no_index && system->may_be_raised(core.hart, time()); }
    bool look_at_interrupts();
    bool interrupt_in_transaction(std::uint64_t address, std::uint32_t line);
    bool sleep();
    Index find_event(std::string_view name) const;
    void reset(std::uint64_t address);
    StopReason begin();
    std::uint64_t time() const { return system->time(core.time_base + core.count); }

    std::string describe(std::uint64_t address);
    std::string code_text(std::uint64_t address) const;
    std::string access_text(StopReason reason, std::uint64_t address, unsigned bits) const;
    std::string message(StopReason reason, std::uint64_t address);
    // The late results under way that an instruction reads: origin, register, whether its guard reads it.
    struct Hazard {
        std::uint32_t origin = 0, offset = 0;
        bool in_guard = false;
    };
    std::vector<Hazard> hazards(const Instruction& instruction) const;
    std::string register_name(Index file, std::uint64_t number) const;
    std::string name_at(std::uint32_t offset) const;

    std::shared_ptr<const Codec> codec;
    const Isa& isa;
    MachineOptions options;
    std::shared_ptr<machine::System> system;
    machine::Layout layout;
    machine::Core core;
    machine::Bus bus;
    std::vector<std::uint32_t> ports;        // for each file what a write adds to the counts
    std::unordered_map<std::uint64_t, std::unique_ptr<Translations>> translations;  // by the modes, packed
    Translations* current = nullptr;
    std::map<const machine::MicroOp*, Instruction*> by_first_op;                    // also of what is retired
    std::vector<std::unique_ptr<Instruction>> retired;   // others may still lead to them
    std::vector<std::pair<std::uint64_t, std::uint64_t>> written;  // code that was, since settle()
    std::uint64_t code_version = 0;          // MemoryMap::code_version as it was last seen
    bool drop_all = false;                   // all translations, as soon as none runs
    bool modes_stale = true;                 // registers were set from outside
    std::vector<machine::MicroOp> modes_ops; // computes all modes
    std::map<std::uint64_t, std::uint32_t> counters;     // offsets of the counts by code address
    struct JumpCounter {
        std::uint32_t counter = 0;
        bool late = false;
    };
    std::map<std::uint64_t, JumpCounter> jump_counters;  // the same of writes to pc, of instructions that have some
    machine::MicroOp outside;                // stands for every address without code
    std::uint64_t outside_address = 0;
    std::unordered_set<std::uint64_t> breakpoints;           // code addresses
    std::unordered_map<const machine::MicroOp*, machine::Handler> replaced;  // by a breakpoint: what the operation does
    std::uint64_t outside_fault = 0;         // which of its bytes is missing
    std::vector<std::string> signal_names;
    std::vector<std::uint64_t> signal_counts;
    std::vector<std::string> warnings;
    std::uint64_t start_address = 0;
    bool started = false;                    // `on reset` has run …
    StopReason begun = StopReason::running;  // … and ended so
    bool stopped = false;
    Hot hot;
    unsigned events_in_row = 0;              // since an instruction was executed
    std::uint64_t event_count = 0;           // core.count when the last event was
    std::string event_trouble;               // why an event could not be handled
    Index failed_event = no_index;           // which one …
    std::string event_cause;                 // … and what it was for
    Index interrupt_event = no_index;
};

}  // namespace isaforge

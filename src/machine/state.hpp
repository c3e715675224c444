// What a Machine holds, for the files that implement it.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "isaforge/machine.hpp"
#include "machine/bus.hpp"
#include "machine/dispatch.hpp"
#include "machine/layout.hpp"
#include "machine/micro_op.hpp"
#include "machine/program.hpp"
#include "machine/system.hpp"

namespace isaforge {

inline constexpr unsigned max_events_in_row = 64;

// What the environment says where no engine was asked for.
Engine chosen_engine(Engine engine);

// The state of one hart. What harts share is in the system.
struct Machine::State {
    using Instruction = machine::Instruction;

    // The program under one combination of modes, and where this hart has jumped lately.
    struct View {
        machine::Translations* translations = nullptr;
        std::array<machine::JumpSlot, machine::jump_slots> jumps{};
    };

    State(std::shared_ptr<const Codec> codec, MachineOptions options, std::shared_ptr<machine::System> system,
          machine::Group& group, std::uint32_t slot);
    ~State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    // From addresses to translated instructions: translations.cpp.
    const machine::MicroOp* resolve(std::uint64_t address);
    const machine::MicroOp* nothing_at(std::uint64_t address, StopReason reason, std::uint64_t where);
    std::unique_ptr<Instruction> translate_at(std::uint64_t address, const std::uint8_t* bytes, std::size_t available);
    const machine::MicroOp* no_room_at(std::uint64_t address);
    bool lacks_room() { return core.reason == StopReason::limit && look_again(); }
    bool look_again();
    semantics::Site site_of(std::uint64_t address, unsigned bits) const;
    static std::unique_ptr<Instruction> refused(std::unique_ptr<Instruction> made, StopReason reason);
    void add_checks(ir::Graph& graph) const;
    std::unique_ptr<Instruction> finish_translation(std::unique_ptr<Instruction> made, const ir::Graph& graph);
    Instruction* event_at(Index event, std::uint64_t address);
    Instruction* next_instruction() const;             // null: there is none
    Instruction* known_instruction(std::uint64_t address) const;
    // The same, or what it was under other modes.
    Instruction* translated_instruction(std::uint64_t address) const;
    const machine::MicroOp* modes_code();
    // The modes found last, and the words that they were computed from.
    struct KnownModes {
        std::vector<std::pair<std::uint32_t, std::uint64_t>> from;   // offset in the block, and what was there
        std::array<std::uint64_t, max_modes> values{};
        View* view = nullptr;   // null: none are known
    };
    bool has_known_modes() const;
    void note_modes();
    const machine::MicroOp* enter(Instruction& instruction);
    std::uint64_t next_pc() const;
    void set_next(std::uint64_t address);
    void jump_to(std::uint64_t address);
    void join(std::shared_ptr<machine::Program> other);
    void leave_program();
    void collect_counts();
    void forget_translations();
    void choose_translations();
    void modes_changed();
    void refresh_modes();
    void code_written(std::uint64_t address, std::uint64_t bytes);
    void drop_written();
    bool load_image(std::uint64_t address, Image& image, std::size_t& available) const;
    std::optional<ir::Graph> graph_of(const Instruction& instruction, std::vector<bool>* open,
                                      std::string& trouble) const;
    Image image_of(const Instruction& instruction) const;
    // Where the instruction at a code address begins, by bytes. False where it would have no address.
    bool code_byte(std::uint64_t address, std::uint64_t& byte) const {
        byte = address * (isa.address_bits / 8);
        return byte / (isa.address_bits / 8) == address;
    }

    // Using the compiler: compiled.cpp.
    struct Hot {
        std::uint64_t next_look = 0, interval = 0;   // by core.count; 0: not yet known
        std::uint64_t seen = 0;                      // core.count when System::since_look was told last
        std::chrono::steady_clock::time_point began;
        bool late = false;                           // results were under way at a look
    };
    bool may_compile(bool single) const;
    std::uint64_t next_look(std::uint64_t stop_at) const;
    void use_compiled(bool on);
    void look_for_hot();
    void look_around(std::uint64_t usual);
    void compile_around(std::uint64_t address, bool closes_loop = false);
    bool is_entered(std::uint64_t address) const;
    std::uint64_t begin_of_gap(std::uint64_t address) const;
    bool add_unit(std::uint64_t address, machine::CompileJob& job, std::vector<std::uint64_t>& targets) const;
    void install(const std::shared_ptr<machine::CompileJob>& job);

    // Running: execute.cpp.
    StopReason execute(std::uint64_t stop_at, bool single = false);
    StopReason execute_turn(std::uint64_t stop_at, bool single);
    // The last turn has shown that others have to do something first, and nobody has done anything since.
    bool is_stalled() const { return stalled_at != 0 && stalled_at == system->progress.sum(); }
    StopReason execute_awake(std::uint64_t stop_at);   // on a thread of its own
    void take_notes(std::vector<machine::AccessNote>* notes) {
        if (notes != nullptr && core.notes == nullptr) ++system->watching;
        if (notes == nullptr && core.notes != nullptr) --system->watching;
        core.notes = notes;
        bus.choose_pages();
    }
    void run_aside(const machine::MicroOp& first);
    void settle() {
        bus.settle();
        if (drop_all || !written.empty() || program->number != system->newest_program) drop_now();
    }
    void drop_now();
    std::uint64_t next_stop(std::uint64_t stop_at);
    bool handle_fault();
    bool handle_event(Index event, std::uint64_t address, std::uint64_t first_value, std::uint64_t second_value = 0);
    bool handle_abort(machine::AbortReason reason);
    std::uint64_t take_back();
    bool may_be_interrupted() const { return interrupt_event != no_index && system->may_be_raised(core.slot, time()); }
    bool look_at_interrupts();
    bool interrupt_in_transaction(std::uint64_t address, std::uint32_t line);
    bool sleep();
    Index find_event(std::string_view name) const;
    void reset(std::uint64_t address);
    void clear();
    void clear_registers();
    void clear_again(std::span<const std::uint32_t> used);
    void note_written_registers();
    void be_in_group(unsigned number);
    void begin_again(unsigned group_number);
    void begin_dispatched(bool first);
    void begin_in(machine::Group& other, const machine::HartPlace& place, const machine::Dispatch& dispatch);
    // A dispatcher's, for which nothing has to be done before its first turn.
    bool begins_at_once() const { return options.dispatches && reset_event == no_index; }
    void set(Index file, std::uint64_t number, std::uint64_t value, unsigned lane);
    std::uint64_t get(Index file, std::uint64_t number, unsigned lane) const;
    StopReason begin();
    bool has_passed_barrier();
    void stop_if_asked();
    std::uint64_t time() const { return system->time(core.time_base + core.count); }

    std::string describe(std::uint64_t address);
    std::string instruction_text(std::uint64_t address) const;   // empty where none is known
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
    unsigned slot_in_group;
    std::shared_ptr<machine::System> system;
    machine::Group* group;
    std::shared_ptr<machine::Program> program;
    machine::HartBlock block;
    machine::Core core;
    machine::Bus bus;
    machine::CheckedHart checked;            // where the run is checked
    std::vector<std::uint32_t> ports;        // for each file what a write adds to the counts
    std::unordered_map<std::uint64_t, View> views;       // by the modes, packed
    View* current = nullptr;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> written;  // code that was, since settle()
    bool drop_all = false;                   // all translations, as soon as none runs
    bool modes_stale = true;                 // registers were set from outside
    std::vector<std::uint32_t> dirty;        // of each file how many registers, from the first on, may be other than zero
    std::vector<std::uint32_t> program_writes;           // Program::written, when it had changed so often
    std::uint64_t written_seen = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>>
        clearing;  // of the block: from where to where clear_again() does it
    KnownModes known_modes;
    std::map<std::uint64_t, std::uint64_t> counts;       // of executions by code address, without those still in the block
    std::map<std::uint64_t, std::uint64_t> cycle_counts; // the same of the cycles that they took
    std::map<std::uint64_t, JumpCount> jump_counts;      // and of writes to pc
    machine::MicroOp outside;                // stands for every address without code
    std::uint64_t outside_address = 0;
    std::uint64_t outside_fault = 0;         // which of its bytes is missing
    std::vector<std::string> warnings;
    std::uint64_t start_address = 0;
    std::uint64_t barrier = 0;               // at a barrier: its number
    // System::progress when the last turn began, if that and the one before ended with a stall; else 0.
    std::atomic<std::uint64_t> stalled_at = 0;
    bool did_nothing = false;                // in the last turn, but stall once more
    bool is_beginning = false;               // `on reset` runs
    bool started = false;                    // `on reset` has run …
    StopReason begun = StopReason::running;  // … and ended so
    bool stopped = false;
    Hot hot;
    unsigned events_in_row = 0;              // since an instruction was executed
    std::uint64_t event_count = 0;           // core.count when the last event was
    std::string event_trouble;               // why an event could not be handled
    Index failed_event = no_index;           // which one …
    std::string event_cause;                 // … and what it was for
    Index interrupt_event = no_index, reset_event = no_index;
    unsigned progress_place = 0;             // in System::progress
};

}  // namespace isaforge

// The machine: its state, the way from a code address to translated instructions, running and the reports of how a run
// ended.
#include "isaforge/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <set>

#include "machine/state.hpp"
#include "semantics/lower.hpp"

namespace isaforge {

using machine::Core;
using machine::LandingSlot;
using machine::LateResult;
using machine::MicroOp;

namespace {

constexpr std::uint64_t no_limit = ~std::uint64_t{0};

const MicroOp* resolve_for(Core& core, std::uint64_t address) {
    return static_cast<Machine::State*>(core.owner)->resolve(address);
}

void modes_changed_for(Core& core) { static_cast<Machine::State*>(core.owner)->modes_changed(); }

void code_written_for(Core& core, std::uint64_t address, unsigned bytes) {
    static_cast<Machine::State*>(core.owner)->code_written(address, bytes);
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// State

std::optional<Engine> parse_engine(std::string_view name) {
    if (name == "auto") return Engine::automatic;
    if (name == "interpreter") return Engine::interpreter;
    return name == "jit" ? std::optional(Engine::compiler) : std::nullopt;
}

Engine chosen_engine(Engine engine) {
    const char* const other = std::getenv("ISAFORGE_ENGINE");
    return engine == Engine::automatic && other != nullptr ? parse_engine(other).value_or(engine) : engine;
}

Machine::State::State(std::shared_ptr<const Codec> given_codec, MachineOptions given_options,
                      std::shared_ptr<machine::System> given_system, machine::Group& own_group, std::uint32_t slot)
    : codec(std::move(given_codec)),
      isa(*given_system->isa),
      options(std::move(given_options)),
      slot_in_group(slot % given_system->group_harts),
      system(std::move(given_system)),
      group(&own_group),
      program(system->current_program()),
      block(program->layout.block_bytes()),
      bus(*system, *group, core, slot),
      dirty(isa.register_files.size()) {
    options.engine = chosen_engine(options.engine);
    unsigned limited = 0;
    for (const RegisterFile& file : isa.register_files) {
        const bool is_limited =
            file.write_ports != 0 && file.write_ports <= machine::max_ports && limited < machine::max_limited_files;
        ports.push_back(is_limited ? std::uint32_t{1} << 4 * limited : 0);
        if (!is_limited) continue;
        core.port_bias += (machine::max_ports - file.write_ports) << 4 * limited;
        core.port_limits[limited++] = file.write_ports;
    }
    outside.run = machine::handlers::fault;
    core.outside = &outside;
    core.rules = isa.floats;
    core.alignment = options.require_alignment ? no_limit : 0;
    core.resolve = resolve_for;
    core.modes_changed = modes_changed_for;
    core.code_written = code_written_for;
    core.owner = this;
    core.state = block.bytes();
    interrupt_event = find_event("interrupt");
    reset_event = find_event("reset");
    progress_place = slot;
    program_writes.resize(dirty.size());
    core.harts = system->group_harts * system->group_count;
    core.groups = system->group_count;
    be_in_group(slot / system->group_harts);
    {
        const std::lock_guard lock(program->lock);
        program->layout.attach(block.bytes());
    }
    choose_translations();
    set_next(0);
}

Machine::State::~State() { leave_program(); }

// ---------------------------------------------------------------------------------------------------------------------
// Reports

std::string Machine::State::instruction_text(std::uint64_t address) const {
    const Instruction* const known = translated_instruction(address);
    if (known == nullptr || known->form == no_index) return {};
    char buffer[Codec::max_text];
    return {buffer, codec->print(buffer, known->form, image_of(*known), known->bits, address)};
}

std::string Machine::State::describe(std::uint64_t address) {
    std::string text = fmt::format("{:#x}", address);
    if (const std::string instruction = instruction_text(address); !instruction.empty())
        text += " `" + instruction + "`";
    if (!options.source_line) return text;
    std::string line = options.source_line(address);
    return line.empty() ? text : text + " (" + line + ")";
}

// What lies at a code address.
std::string Machine::State::code_text(std::uint64_t address) const {
    std::uint64_t byte = 0;
    return code_byte(address, byte) ? system->code_map().describe(byte) : "no address goes so far";
}

// What an access was, and what lies where it went; nothing of other reasons.
std::string Machine::State::access_text(StopReason reason, std::uint64_t address, unsigned bits) const {
    switch (reason) {
        case StopReason::bad_read:
        case StopReason::bad_write:
            return fmt::format("{} of {} bits at address {:#x}, {}", reason == StopReason::bad_read ? "read" : "write",
                               bits, address, group->spaces[core.fault_space]->describe(address));
        case StopReason::bad_execute: return fmt::format("{:#x} cannot be executed, {}", address, code_text(address));
        case StopReason::misaligned: return fmt::format("misaligned access of {} bits at address {:#x}", bits, address);
        default: return {};
    }
}

std::string Machine::State::message(StopReason reason, std::uint64_t address) {
    std::string where = describe(address);
    if (failed_event != no_index) where += fmt::format(", event `{}`", isa.events[failed_event].name);
    switch (reason) {
        case StopReason::limit:
            return fmt::format("stopped after the allowed number of instructions, before {}", where);
        case StopReason::bad_index:
            return fmt::format("there is no register number {}, asked for by the instruction at {}", core.fault_address,
                               where);
        case StopReason::illegal: {
            const Instruction* known = known_instruction(address);
            std::uint64_t word = known == nullptr ? 0 : known->image.get(0, std::min(64u, isa.unit_bits));
            return fmt::format("illegal instruction {:#0{}x} at {}", word, isa.unit_bits / 4 + 2, where);
        }
        case StopReason::undefined: {
            const Instruction* known = known_instruction(address);
            std::string trouble = failed_event != no_index ? event_trouble : known == nullptr ? "" : known->trouble;
            return fmt::format("the instruction at {} cannot be executed: {}", where,
                               trouble.empty() ? "its meaning is not supported" : trouble);
        }
        case StopReason::port_collision: {
            std::uint64_t other = core.fault_other == no_limit ? address : core.fault_other;
            return fmt::format("two results fall due in one cycle: of the instruction at {} and of the one at {}",
                               describe(core.fault_address), describe(other));
        }
        case StopReason::bad_read:
        case StopReason::bad_write:
            return fmt::format("bad {} of {} bits at address {:#x} by the instruction at {}: {}",
                               reason == StopReason::bad_read ? "read" : "write", core.fault_bits, core.fault_address,
                               where, group->spaces[core.fault_space]->describe(core.fault_address));
        case StopReason::bad_execute:
            return fmt::format("pc is {:#x}, which cannot be executed: {}", address, code_text(outside_fault));
        case StopReason::misaligned_code:
            return fmt::format("pc is {:#x}, but instructions begin at multiples of {}", address, isa.unit_bytes());
        case StopReason::misaligned:
            return fmt::format("misaligned access of {} bits at address {:#x} by the instruction at {}",
                               core.fault_bits, core.fault_address, where);
        case StopReason::aborted:
            return fmt::format("the transaction that begins at {} was taken back: {}", where,
                               machine::text_of(static_cast<machine::AbortReason>(core.fault_address)));
        case StopReason::failed:
            return fmt::format("{}: {:#x}, at {}{}{}", system->text_of_signal(core.fault_other), core.fault_address,
                               where, event_cause.empty() ? "" : ": ", event_cause);
        case StopReason::waiting: {
            const unsigned known = system->groups_begun, all = system->group_count;
            const std::string others =
                known != 0 && known < all
                    ? fmt::format("; {} of {} groups have not begun, for no more live at the same time", all - known,
                                  all)
                    : std::string{};
            return fmt::format("nothing will end the waiting before {}{}", where, others);
        }
        case StopReason::event_loop:
            return fmt::format("more than {} events without an instruction between them at {}, the last one `{}`",
                               max_events_in_row, where, isa.events[core.fault_other].name);
        default: return {};
    }
}

std::string Machine::State::register_name(Index file_index, std::uint64_t number) const {
    const RegisterFile& file = isa.register_files[file_index];
    for (const Entry& entry : file.entries)
        if (entry.code == number && !entry.texts.empty()) return entry.texts[0];
    return file.index_bits == 0 ? file.name : fmt::format("{}[{}]", file.name, number);
}

std::string Machine::State::name_at(std::uint32_t offset) const {
    if (offset == LateResult::to_pc) return "pc";
    for (Index file = 0; file < isa.register_files.size(); ++file) {
        std::uint32_t begin = program->layout.offset(file, 0), size = program->layout.register_size(file);
        if (offset >= begin && offset < begin + size * isa.register_files[file].count)
            return register_name(file, (offset - begin) / size);
    }
    return "?";
}

// ---------------------------------------------------------------------------------------------------------------------
// Machine

void Machine::make(const std::shared_ptr<const Codec>& codec, const MachineOptions& options,
                   const machine::Dispatch* dispatch) {
    auto system = std::make_shared<machine::System>(codec, options, dispatch);
    const machine::System* const lender = dispatch == nullptr ? nullptr : dispatch->lender;
    if (lender != nullptr && lender->checker && system->checker)
        system->checker->lend(*lender->checker, lender->spaces[lender->main], system->spaces[system->main]);
    state_ = std::make_unique<State>(codec, options, system, system->groups[0], 0);
    begin_groups();
    for (unsigned i = 1; i < system->harts; ++i)
        others_.push_back(std::unique_ptr<Machine>(
            new Machine(std::make_unique<State>(codec, options, system, system->groups[i / system->group_harts], i))));
}

Machine::Machine(const std::shared_ptr<const Codec>& codec, const MachineOptions& options) {
    make(codec, options, nullptr);
}

Machine::Machine(const std::shared_ptr<const Codec>& codec, const MachineOptions& options,
                 const machine::Dispatch& dispatch) {
    MachineOptions dispatched = options;
    dispatched.harts = dispatch.group_harts;
    dispatched.groups = static_cast<unsigned>(std::min<std::uint64_t>(dispatch.groups, ~0u));
    dispatched.threads = false;
    for (const MemorySpace& memory : codec->isa().memories) dispatched.memory_sizes[memory.name] = 0;
    make(codec, dispatched, &dispatch);
}

Machine::Machine(std::unique_ptr<State> state) : state_(std::move(state)) {}

Machine::~Machine() = default;

const Isa& Machine::isa() const { return state_->codec->isa(); }

const Codec& Machine::codec() const { return *state_->codec; }

unsigned Machine::harts() const { return 1 + static_cast<unsigned>(others_.size()); }

Machine& Machine::hart(unsigned number) {
    return number == 0 || number > others_.size() ? *this : *others_[number - 1];
}

const Machine& Machine::hart(unsigned number) const {
    return number == 0 || number > others_.size() ? *this : *others_[number - 1];
}

std::uint64_t Machine::hart_number() const { return state_->core.hart; }

std::uint64_t Machine::group_number() const { return state_->core.group; }

std::string Machine::hart_name() const {
    const State& state = *state_;
    return state.options.hart_name ? state.options.hart_name(state.core.hart) : fmt::format("hart {}", state.core.hart);
}

Machine::State& Machine::hart_state(unsigned number) const {
    return number == 0 ? *state_ : *others_[number - 1]->state_;
}

Index Machine::code_memory() const { return state_->system->code_is_apart ? no_index : state_->system->code; }

Index Machine::main_memory() const { return state_->isa.memories.empty() ? no_index : state_->system->main; }

std::vector<std::string> Machine::memory_map() const {
    std::vector<std::string> lines;
    for (Index i = 0; i < state_->isa.memories.size(); ++i) {
        const machine::Space& space = *state_->group->spaces[i];
        for (const machine::Region& region : space.map.regions())
            lines.push_back(fmt::format("{:#018x}..{:#018x} {} {}", region.first >> space.unit_shift,
                                        region.last >> space.unit_shift, machine::letters(region.permissions),
                                        region.name));
    }
    return lines;
}

// Harts remember where regions and code are.
void Machine::map_changed() {
    for (unsigned i = 0; i < harts(); ++i) {
        State& state = *hart(i).state_;
        const std::uint64_t address = state.next_pc();
        state.bus.forget_pages();
        state.forget_translations();
        state.set_next(address);
    }
    for (machine::Space& space : state_->system->spaces) space.map.drop_old();
}

// Changes the map of the main memory from an address on. Nothing where it worked, else why not.
std::string Machine::change_main(std::uint64_t address,
                                 const std::function<std::string(machine::MemoryMap&, std::uint64_t)>& change) {
    if (main_memory() == no_index) return "there is no memory";
    machine::System& system = *state_->system;
    if (isa().memories[system.main].per_group) return "each group has a memory of its own";
    machine::Space& space = system.spaces[system.main];
    std::uint64_t byte = 0;
    std::string problem = space.byte_of(address, byte) ? change(space.map, byte) : "no address goes so far";
    map_changed();
    return problem;
}

std::string Machine::add_storage(std::uint64_t address, std::uint64_t bytes, Permissions permissions,
                                 std::string name) {
    return change_main(address, [&](machine::MemoryMap& map, std::uint64_t byte) {
        return map.add_storage(byte, bytes, permissions, std::move(name));
    });
}

std::string Machine::add_storage(std::uint64_t address, std::span<std::uint8_t> bytes, Permissions permissions,
                                 std::string name) {
    return change_main(address, [&](machine::MemoryMap& map, std::uint64_t byte) {
        return map.add_storage(byte, bytes, permissions, std::move(name));
    });
}

std::string Machine::add_device(const std::string& kind, std::uint64_t address) {
    return change_main(address, [&](machine::MemoryMap& map, std::uint64_t byte) {
        return state_->system->add_device(map, kind, byte);
    });
}

std::string Machine::protect(std::uint64_t address, std::uint64_t bytes, Permissions permissions,
                             const std::string& name) {
    return change_main(address, [&](machine::MemoryMap& map, std::uint64_t byte) {
        return map.protect(byte, bytes, permissions, name);
    });
}

std::string Machine::load_executable(const Executable& executable) {
    std::string problem = state_->system->process->load(*state_, executable);
    map_changed();
    return problem;
}

std::vector<std::uint64_t> Machine::unknown_calls() const {
    const std::set<std::uint64_t>& calls = state_->system->process->unknown_calls;
    return {calls.begin(), calls.end()};
}

// Code that lies apart is all that there is: what was there before is gone.
void Machine::load_code(std::span<const std::uint8_t> bytes) {
    machine::System& system = *state_->system;
    machine::MemoryMap& map = system.code_map();
    if (system.code_is_apart) {
        const std::uint64_t unit = state_->isa.address_bits / 8;
        bytes = bytes.first(std::min<std::uint64_t>(bytes.size() / unit, most_code_units) * unit);
        map.clear();
        if (!bytes.empty()) map.add_storage(0, bytes.size(), {}, system.spaces[system.code].name);
    }
    const bool reachable = !system.code_is_apart;
    if (system.spaces[system.code].checked) system.spaces[system.code].checked->set(0, bytes.size(), false);
    if (map.poke(0, bytes)) map.protect(0, bytes.size(), {reachable, reachable, true}, "code");
    map_changed();
}

bool Machine::load_data(Index memory, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    const machine::System& system = *state_->system;
    if (memory >= state_->isa.memories.size() || !state_->group->spaces[memory]->poke(address, bytes)) return false;
    if (memory == system.code) map_changed();
    state_->group->spaces[memory]->note_written(address, bytes.size());
    return true;
}

bool Machine::peek(Index memory, std::uint64_t address, std::span<std::uint8_t> bytes) const {
    return memory < state_->isa.memories.size() && state_->group->spaces[memory]->peek(address, bytes);
}

void Machine::reset() { start(state_->start_address); }

void Machine::start(std::uint64_t address) {
    {
        std::scoped_lock lock(state_->system->device_lock);
        state_->system->exit_status.reset();
        state_->system->ending = false;
        state_->system->turns.begin(state_->options.seed);
        for (auto& device : state_->system->devices) device->reset();
        state_->system->devices_changed();
    }
    for (const machine::Space& space : state_->system->spaces) space.map.clear_flags();
    state_->system->clear_own_memories();
    begin_groups();
    for (unsigned i = 0; i < harts(); ++i) {
        hart(i).state_->reset(address);
        if (state_->system->dispatch != nullptr)
            hart(i).state_->begin_dispatched(true);
        else
            hart(i).state_->begin();
    }
}

RunResult Machine::run(std::uint64_t limit) {
    if (!others_.empty() || state_->system->group_count > 1) return run_harts(limit);
    State& state = *state_;
    RunResult result;
    auto begin = std::chrono::steady_clock::now();
    state.begin();
    const std::uint64_t first = state.core.count, cycles = state.core.cycles;
    state.core.passes_at = first;
    std::uint64_t stop_at = limit == 0 || limit > no_limit - first ? no_limit : first + limit;
    StopReason reason = state.stopped ? StopReason::stopped : state.begun;
    if (!state.options.warn_hazards) {
        if (reason == StopReason::running) reason = state.execute(stop_at);
    } else {
        while (reason == StopReason::running && state.core.count < stop_at) {
            reason = step().reason;
            const bool breaks = reason == StopReason::running && state.system->breakpoints.contains(pc());
            if (breaks && state.core.count < stop_at) reason = StopReason::breakpoint;
        }
    }
    finish(result, reason);
    result.instructions = state.core.count - first;
    result.cycles = state.core.cycles - cycles;
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

void Machine::set_breakpoint(std::uint64_t address, bool on) {
    if (on) state_->system->breakpoints.insert(address);
    if (!on) state_->system->breakpoints.erase(address);
    for (unsigned i = 0; i < harts(); ++i) {
        machine::Program& program = *hart(i).state_->program;
        const std::lock_guard lock(program.lock);
        program.use_compiled(false);
        program.set_breakpoint(address, on);
    }
}

// Where a hart ended, and why.
void Machine::finish(RunResult& result, StopReason reason) {
    State& state = *state_;
    result.reason = reason == StopReason::running ? StopReason::limit : reason;
    result.address = pc();
    result.hart = state.core.slot;
    result.message = state.message(result.reason, result.address);
    if (!result.message.empty() && state.core.harts > 1)
        result.message = fmt::format("{}: {}", hart_name(), result.message);
    std::scoped_lock lock(state.system->device_lock);
    state.system->streams->flush();
    result.exit_status = state.system->exit_status;
}

std::uint64_t Machine::pc() const { return state_->next_pc(); }

void Machine::set_pc(std::uint64_t address) {
    if (state_->stopped) state_->group->barrier.rejoin();
    state_->stopped = state_->core.waiting = state_->core.at_barrier = false;
    state_->set_next(address);
}

std::uint64_t Machine::instructions() const { return state_->core.count; }

std::uint64_t Machine::cycles() const { return state_->core.cycles; }

std::uint64_t Machine::get(Index file, std::uint64_t number, unsigned lane) const {
    return state_->get(file, number, lane);
}

std::uint64_t Machine::State::get(Index file, std::uint64_t number, unsigned lane) const {
    unsigned bytes = machine::lane_bytes(isa.register_files[file]);
    std::uint64_t value = 0;
    const machine::Layout& layout = program->layout;
    if (!layout.has_registers()) return value;
    std::memcpy(&value, block.bytes() + layout.offset(file, number) + lane * bytes, bytes);
    return value;
}

void Machine::set(Index file, std::uint64_t number, std::uint64_t value, unsigned lane) {
    state_->set(file, number, value, lane);
}

void Machine::State::set(Index file, std::uint64_t number, std::uint64_t value, unsigned lane) {
    const RegisterFile& registers = isa.register_files[file];
    const machine::Layout& layout = program->layout;
    if (!layout.has_registers()) return;
    value &= semantics::mask_of(registers.bits);
    unsigned bytes = machine::lane_bytes(registers);
    std::memcpy(block.bytes() + layout.offset(file, number) + lane * bytes, &value, bytes);
    dirty[file] = std::max(dirty[file], static_cast<std::uint32_t>(number) + 1);
    modes_stale = !isa.modes.empty();
    if (system->checker) system->checker->set_register(*this, file, number, lane);
}

std::string Machine::register_name(Index file, std::uint64_t number) const {
    return state_->register_name(file, number);
}

bool Machine::find_register(std::string_view name, Index& file, std::uint64_t& number) const {
    for (Index i = 0; i < state_->isa.register_files.size(); ++i) {
        const RegisterFile& registers = state_->isa.register_files[i];
        for (const Entry& entry : registers.entries)
            if (std::find(entry.texts.begin(), entry.texts.end(), name) != entry.texts.end()) {
                file = i;
                number = entry.code;
                return true;
            }
        if (registers.index_bits == 0 && registers.name == name) {
            file = i;
            number = 0;
            return true;
        }
    }
    return false;
}

std::span<std::uint8_t> Machine::memory(Index memory) {
    if (memory >= state_->isa.memories.size()) return {};
    const machine::Region* region = state_->group->spaces[memory]->map.find(0);
    return region != nullptr && region->block ? std::span(region->block->bytes, region->block->size)
                                              : std::span<std::uint8_t>();
}

std::uint64_t Machine::room(Index memory, std::uint64_t address) const {
    return memory < state_->isa.memories.size() ? state_->group->spaces[memory]->storage_from(address) : 0;
}

const std::string& Machine::memory_problem() const { return state_->system->problem; }

void Machine::clear_memories() {
    for (Index i = 0; i < state_->isa.memories.size(); ++i) state_->system->spaces[i].map.clear_bytes();
    for (machine::Group& group : state_->system->groups) group.clear_memories();
    for (const machine::Space& space : state_->system->spaces)
        if (space.checked) space.checked->clear();
}

Index Machine::find_memory(std::string_view name) const {
    for (Index i = 0; i < state_->isa.memories.size(); ++i)
        if (state_->isa.memories[i].name == name) return i;
    return no_index;
}

std::vector<PendingResult> Machine::pending() const {
    std::vector<PendingResult> all;
    const Core& core = state_->core;
    for (unsigned delay = 0; delay < machine::ring_size; ++delay) {
        if ((core.pending >> delay & 1) == 0) continue;
        const LandingSlot& slot = core.ring[(core.count + delay) % machine::ring_size];
        for (std::uint32_t i = 0; i < slot.used; ++i) {
            const LateResult& late = slot.results[i];
            all.push_back({state_->name_at(late.offset), late.value, delay + 1, late.origin});
        }
    }
    return all;
}

bool Machine::decode(std::uint64_t address, Index& form, Image& image, unsigned& bits) const {
    std::size_t available = 0;
    if (!state_->load_image(address, image, available)) return false;
    form = state_->codec->decode(image, static_cast<unsigned>(available * 8), bits);
    return form != no_index;
}

std::string Machine::text(std::uint64_t address, Codec::LabelNamer* labels) const {
    Index form = no_index;
    Image image;
    unsigned bits = 0;
    if (!decode(address, form, image, bits)) return "illegal";
    char buffer[Codec::max_text];
    return {buffer, state_->codec->print(buffer, form, image, bits, address, labels)};
}

bool Machine::has_code(std::uint64_t address) const {
    std::uint64_t byte = 0;
    return state_->code_byte(address, byte) && state_->system->code_map().storage_from(byte) != 0;
}

std::vector<std::pair<std::string, std::uint64_t>> Machine::signals() const {
    std::vector<std::pair<std::string, std::uint64_t>> all;
    const std::lock_guard lock(state_->system->signal_lock);
    for (std::size_t i = 0; i < state_->system->signal_names.size(); ++i) {
        std::uint64_t sum = 0;
        for (unsigned k = 0; k < harts(); ++k) {
            const std::vector<std::uint64_t>& counts = hart_state(k).core.signal_counts;
            sum += i < counts.size() ? counts[i] : 0;
        }
        if (sum != 0) all.emplace_back(state_->system->signal_names[i], sum);
    }
    return all;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> Machine::counts() const { return sum_of_harts(&State::counts); }

std::vector<std::pair<std::uint64_t, std::uint64_t>> Machine::cycle_counts() const {
    return sum_of_harts(&State::cycle_counts);
}

// By code address, what is 0 left out.
std::vector<std::pair<std::uint64_t, std::uint64_t>> Machine::sum_of_harts(
    std::map<std::uint64_t, std::uint64_t> State::*counts) const {
    std::map<std::uint64_t, std::uint64_t> all;
    for (unsigned k = 0; k < harts(); ++k) {
        hart_state(k).collect_counts();
        for (const auto& [address, count] : hart_state(k).*counts)
            if (count != 0) all[address] += count;
    }
    return {all.begin(), all.end()};
}

std::vector<JumpCount> Machine::jump_counts() const {
    std::map<std::uint64_t, JumpCount> all;
    for (unsigned k = 0; k < harts(); ++k) {
        hart_state(k).collect_counts();
        for (const auto& [address, jumps] : hart_state(k).jump_counts) {
            JumpCount& sum = all[address];
            sum = {address, sum.count + jumps.count, jumps.late};
        }
    }
    std::vector<JumpCount> list;
    list.reserve(all.size());
    for (const auto& [address, jumps] : all) list.push_back(jumps);
    return list;
}

std::vector<Finding> Machine::findings() const {
    return state_->system->checker ? state_->system->checker->findings() : std::vector<Finding>{};
}

const std::vector<std::string>& Machine::warnings() const { return state_->warnings; }

}  // namespace isaforge

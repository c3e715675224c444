// The machine: its state, the way from a code address to translated instructions, running and the reports of how a run
// ended.
#include "isaforge/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "machine/state.hpp"
#include "semantics/lower.hpp"

namespace isaforge {

using machine::Core;
using machine::LandingSlot;
using machine::LateResult;
using machine::MicroOp;

namespace {

constexpr std::uint64_t max_code_units = std::uint64_t{1} << 26;
constexpr std::uint64_t no_limit = ~std::uint64_t{0};

machine::Memory make_memory(const MemorySpace& space, std::uint64_t bytes) {
    machine::Memory memory;
    memory.unit_shift = space.unit_bits <= 8 ? 0 : static_cast<unsigned>(std::countr_zero(space.unit_bits / 8));
    // Zero pages are only taken when they are touched.
    memory.bytes = static_cast<std::uint8_t*>(std::calloc(bytes + 8, 1));
    if (memory.bytes == nullptr) return memory;
    memory.size = bytes;
    for (unsigned i = 0; i < 4; ++i)
        memory.limits[i] = bytes >= (1u << i) ? ((bytes - (1u << i)) >> memory.unit_shift) + 1 : 0;
    return memory;
}

const MicroOp* resolve_for(Core& core, std::uint64_t address) {
    return static_cast<Machine::State*>(core.owner)->resolve(address);
}

machine::Handler replaced_handler(Core& core, const MicroOp* op) {
    return static_cast<Machine::State*>(core.owner)->replaced.at(op);
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// State

Machine::State::State(std::shared_ptr<const Codec> given_codec, MachineOptions given_options)
    : codec(std::move(given_codec)), isa(codec->isa()), options(std::move(given_options)), layout(isa) {
    unsigned limited = 0;
    for (const RegisterFile& file : isa.register_files) {
        bool counts =
            file.write_ports != 0 && file.write_ports <= machine::max_ports && limited < machine::max_limited_files;
        ports.push_back(counts ? std::uint32_t{1} << 4 * limited : 0);
        if (!counts) continue;
        core.port_bias += (machine::max_ports - file.write_ports) << 4 * limited;
        core.port_limits[limited++] = file.write_ports;
    }
    for (const MemorySpace& space : isa.memories) {
        auto size = options.memory_sizes.find(space.name);
        memories.push_back(
            make_memory(space, size != options.memory_sizes.end() ? size->second : options.memory_bytes));
    }
    outside.run = machine::handlers::fault;
    outside.detail.n = static_cast<std::uint32_t>(StopReason::bad_code_address);
    core.memories = memories.data();
    core.rules = isa.floats;
    core.alignment = options.require_alignment ? no_limit : 0;
    core.resolve = resolve_for;
    core.replaced = replaced_handler;
    core.owner = this;
    set_next(0);
}

Machine::State::~State() {
    for (machine::Memory& memory : memories) std::free(memory.bytes);
}

void Machine::State::set_next(std::uint64_t address) { core.next = resolve(address); }

void Machine::State::forget_translations() {
    instructions.clear();
    by_first_op.clear();
    replaced.clear();
    std::uint64_t units = code.size() * 8 / isa.address_bits;
    entries.assign(units, nullptr);
    instructions.resize(units);
    core.entries = entries.data();
    core.code_size = units;
}

const MicroOp* Machine::State::resolve(std::uint64_t address) {
    if (address >= core.code_size) {
        outside_address = address;
        return &outside;
    }
    if (entries[address] == nullptr) {
        instructions[address] = translate_at(address);
        entries[address] = instructions[address]->ops.data();
        by_first_op[entries[address]] = instructions[address].get();
        if (breakpoints.contains(address)) set_breakpoint(*instructions[address], true);
        core.state = layout.state();
    }
    return entries[address];
}

// A breakpoint takes the place of the first operation's handler, so that it is met on every way to the instruction.
void Machine::State::set_breakpoint(Instruction& instruction, bool on) {
    MicroOp& op = instruction.ops.front();
    auto known = replaced.find(&op);
    if (on && known == replaced.end()) {
        replaced[&op] = op.run;
        op.run = machine::handlers::breakpoint;
    } else if (!on && known != replaced.end()) {
        op.run = known->second;
        replaced.erase(known);
    }
}

namespace {

MicroOp fault_op(StopReason reason) {
    MicroOp op;
    op.run = machine::handlers::fault;
    op.detail.n = static_cast<std::uint32_t>(reason);
    return op;
}

std::string first_message(const Diagnostics& diagnostics) {
    for (const Diagnostic& diagnostic : diagnostics.all())
        if (diagnostic.severity == Severity::error) return diagnostic.message;
    return "its meaning cannot be executed";
}

}  // namespace

// Decodes, lowers and translates. What fails becomes an operation that reports it when it is executed.
std::unique_ptr<Machine::State::Instruction> Machine::State::translate_at(std::uint64_t address) {
    auto made = std::make_unique<Instruction>();
    made->address = address;
    auto refuse = [&](StopReason reason, std::string why) {
        made->trouble = std::move(why);
        made->ops = {fault_op(reason)};
        return std::move(made);
    };
    if (layout.exhausted()) return refuse(StopReason::undefined, "the machine needs too much room for its values");
    std::uint64_t byte = address * isa.address_bits / 8;
    std::size_t available = std::min<std::size_t>(code.size() - byte, max_instruction_bits / 8);
    made->image = codec->load(code.data() + byte, available);
    made->form = codec->decode(made->image, static_cast<unsigned>(available * 8), made->bits);
    if (made->form == no_index) return refuse(StopReason::illegal, {});
    const Form& form = isa.forms[made->form];
    const isaforge::Instruction& instruction = isa.instruction_of(form);
    if (!instruction.meaning && !instruction.guard) return refuse(StopReason::undefined, "it has no meaning");

    std::vector<std::uint64_t> codes;
    codec->fields(made->form, made->image, codes);
    std::vector<semantics::Binding> bindings;
    for (std::size_t i = 0; i < form.fields.size(); ++i)
        bindings.push_back(semantics::bind(*codec, form.fields[i].type, codes[i]));
    const std::uint64_t next_address = address + std::max(1u, made->bits / isa.address_bits);
    Diagnostics diagnostics;
    semantics::LowerResult lowered = semantics::lower({.isa = &isa,
                                                       .instruction = &instruction,
                                                       .fields = &form.fields.list(),
                                                       .bindings = &bindings,
                                                       .address = address,
                                                       .next_address = next_address,
                                                       .names = &form.names_in_meaning},
                                                      diagnostics);
    if (!lowered.ok) return refuse(StopReason::undefined, first_message(diagnostics));

    std::vector<std::uint32_t> signals;
    for (const std::string& name : lowered.code.signals) signals.push_back(signal_number(name));
    if (options.count_instructions) made->counter = layout.allocate(8);
    machine::TranslateInput input{.isa = &isa, .code = &lowered.code, .address = static_cast<std::uint32_t>(address)};
    input.next_address = static_cast<std::uint32_t>(next_address);
    input.ports = &ports;
    input.port_limits = core.port_limits;
    input.signals = &signals;
    input.count_executions = options.count_instructions;
    input.counter = made->counter;
    machine::Translation translation = machine::translate(input, layout);
    if (layout.exhausted()) return refuse(StopReason::undefined, "the machine needs too much room for its values");
    made->ops = std::move(translation.ops);
    made->reads = std::move(translation.reads);
    made->writes = std::move(translation.writes);
    return made;
}

std::uint32_t Machine::State::signal_number(const std::string& name) {
    auto found = std::find(signal_names.begin(), signal_names.end(), name);
    if (found != signal_names.end()) return static_cast<std::uint32_t>(found - signal_names.begin());
    signal_names.push_back(name);
    signal_counts.push_back(0);
    core.signal_counts = signal_counts.data();
    return static_cast<std::uint32_t>(signal_names.size() - 1);
}

// The instruction that an operation belongs to. Only asked when something goes wrong, so it may search.
Machine::State::Instruction* Machine::State::instruction_of(const MicroOp* op) {
    for (auto& instruction : instructions)
        if (instruction && op >= instruction->ops.data() && op < instruction->ops.data() + instruction->ops.size())
            return instruction.get();
    return nullptr;
}

std::uint64_t Machine::State::next_pc() const {
    if (core.next == &outside) return outside_address;
    return by_first_op.at(core.next)->address;
}

StopReason Machine::State::execute(std::uint64_t stop_at) {
    core.state = layout.state();
    core.stop_at = stop_at;
    core.began_at = core.count;
    core.reason = StopReason::running;
    core.stopping = false;
    machine::execute(core);
    if (core.reason != StopReason::running) {
        const bool is_first = core.fault == &outside || core.reason == StopReason::breakpoint;
        core.next = is_first ? core.fault : instruction_of(core.fault)->ops.data();
        return core.reason;
    }
    if (core.stopping) stopped = true;
    return stopped ? StopReason::stopped : StopReason::running;
}

// ---------------------------------------------------------------------------------------------------------------------
// Reports

std::string Machine::State::describe(std::uint64_t address) {
    std::string text = fmt::format("{:#x}", address);
    if (address < core.code_size && instructions[address] && instructions[address]->form != no_index) {
        const Instruction& instruction = *instructions[address];
        char buffer[Codec::max_text];
        char* end = codec->print(buffer, instruction.form, instruction.image, instruction.bits, address);
        text += " `" + std::string(buffer, end) + "`";
    }
    if (!options.source_line) return text;
    std::string line = options.source_line(address);
    return line.empty() ? text : text + " (" + line + ")";
}

std::string Machine::State::message(StopReason reason, std::uint64_t address) {
    std::string where = describe(address);
    switch (reason) {
        case StopReason::limit:
            return fmt::format("stopped after the allowed number of instructions, before {}", where);
        case StopReason::bad_access: {
            bool fits = false;
            for (const machine::Memory& memory : memories) fits |= core.fault_address < memory.limits[3];
            return fmt::format("{} access of {} bits at address {:#x} by the instruction at {}",
                               fits && options.require_alignment ? "unaligned" : "bad", core.fault_bits,
                               core.fault_address, where);
        }
        case StopReason::bad_index:
            return fmt::format("there is no register number {}, asked for by the instruction at {}", core.fault_address,
                               where);
        case StopReason::bad_code_address:
            return fmt::format("pc is {:#x}, outside the code of {:#x} units", address, core.code_size);
        case StopReason::illegal: {
            std::uint64_t word = instructions[address]->image.get(0, std::min(64u, isa.unit_bits));
            return fmt::format("illegal instruction {:#0{}x} at {}", word, isa.unit_bits / 4 + 2, where);
        }
        case StopReason::undefined:
            return fmt::format("the instruction at {} cannot be executed: {}", where,
                               instructions[address]->trouble.empty() ? "its meaning is not supported"
                                                                      : instructions[address]->trouble);
        case StopReason::port_collision: {
            std::uint64_t other = core.fault_other == no_limit ? address : core.fault_other;
            return fmt::format("two results fall due in one cycle: of the instruction at {} and of the one at {}",
                               describe(core.fault_address), describe(other));
        }
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
        std::uint32_t begin = layout.offset(file, 0), size = layout.register_size(file);
        if (offset >= begin && offset < begin + size * isa.register_files[file].count)
            return register_name(file, (offset - begin) / size);
    }
    return "?";
}

// ---------------------------------------------------------------------------------------------------------------------
// Machine

Machine::Machine(std::shared_ptr<const Codec> codec, MachineOptions options)
    : state_(std::make_unique<State>(std::move(codec), std::move(options))) {}

Machine::~Machine() = default;

const Isa& Machine::isa() const { return state_->isa; }

void Machine::load_code(std::span<const std::uint8_t> bytes) {
    State& state = *state_;
    std::size_t units = std::min<std::uint64_t>(bytes.size() * 8 / state.isa.address_bits, max_code_units);
    state.code.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(units * state.isa.address_bits / 8));
    std::uint64_t address = state.next_pc();
    state.forget_translations();
    state.set_next(address);
}

bool Machine::load_data(Index memory, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    if (memory >= state_->memories.size()) return false;
    machine::Memory& target = state_->memories[memory];
    if (address > target.size >> target.unit_shift) return false;
    std::uint64_t begin = address << target.unit_shift;
    if (bytes.size() > target.size - begin) return false;
    std::copy(bytes.begin(), bytes.end(), target.bytes + begin);
    return true;
}

void Machine::reset() {
    State& state = *state_;
    state.layout.clear_registers();
    state.core.count = state.core.pending = 0;
    state.core.ports_noted_at = no_limit;
    state.stopped = false;
    std::fill(state.signal_counts.begin(), state.signal_counts.end(), 0);
    state.warnings.clear();
    state.forget_translations();
    state.set_next(0);
}

RunResult Machine::run(std::uint64_t limit) {
    State& state = *state_;
    RunResult result;
    auto begin = std::chrono::steady_clock::now();
    std::uint64_t first = state.core.count;
    std::uint64_t stop_at = limit == 0 || limit > no_limit - first ? no_limit : first + limit;
    StopReason reason = state.stopped ? StopReason::stopped : StopReason::running;
    if (!state.options.warn_hazards) {
        if (reason == StopReason::running) reason = state.execute(stop_at);
    } else {
        while (reason == StopReason::running && state.core.count < stop_at) {
            reason = step().reason;
            const bool breaks = reason == StopReason::running && state.breakpoints.contains(pc());
            if (breaks && state.core.count < stop_at) reason = StopReason::breakpoint;
        }
    }
    result.reason = reason == StopReason::running ? StopReason::limit : reason;
    result.instructions = state.core.count - first;
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result.address = pc();
    result.message = state.message(result.reason, result.address);
    return result;
}

void Machine::set_breakpoint(std::uint64_t address, bool on) {
    State& state = *state_;
    if (on) state.breakpoints.insert(address);
    if (!on) state.breakpoints.erase(address);
    const bool translated = address < state.instructions.size() && state.instructions[address];
    if (translated) state.set_breakpoint(*state.instructions[address], on);
}

std::uint64_t Machine::pc() const { return state_->next_pc(); }

void Machine::set_pc(std::uint64_t address) {
    state_->stopped = false;
    state_->set_next(address);
}

std::uint64_t Machine::instructions() const { return state_->core.count; }

std::uint64_t Machine::get(Index file, std::uint64_t number, unsigned lane) const {
    unsigned bytes = machine::lane_bytes(state_->isa.register_files[file]);
    std::uint64_t value = 0;
    if (state_->layout.exhausted()) return value;
    std::memcpy(&value, state_->layout.state() + state_->layout.offset(file, number) + lane * bytes, bytes);
    return value;
}

void Machine::set(Index file, std::uint64_t number, std::uint64_t value, unsigned lane) {
    const RegisterFile& registers = state_->isa.register_files[file];
    if (state_->layout.exhausted()) return;
    value &= semantics::mask_of(registers.bits);
    unsigned bytes = machine::lane_bytes(registers);
    std::memcpy(state_->layout.state() + state_->layout.offset(file, number) + lane * bytes, &value, bytes);
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
    if (memory >= state_->memories.size()) return {};
    return {state_->memories[memory].bytes, state_->memories[memory].size};
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
    if (address >= state_->core.code_size) return false;
    std::uint64_t byte = address * state_->isa.address_bits / 8;
    std::size_t available = std::min<std::size_t>(state_->code.size() - byte, max_instruction_bits / 8);
    image = state_->codec->load(state_->code.data() + byte, available);
    form = state_->codec->decode(image, static_cast<unsigned>(available * 8), bits);
    return form != no_index;
}

std::string Machine::text(std::uint64_t address) const {
    Index form = no_index;
    Image image;
    unsigned bits = 0;
    if (!decode(address, form, image, bits)) return "illegal";
    char buffer[Codec::max_text];
    return {buffer, state_->codec->print(buffer, form, image, bits, address)};
}

std::uint64_t Machine::code_size() const { return state_->core.code_size; }

std::vector<std::pair<std::string, std::uint64_t>> Machine::signals() const {
    std::vector<std::pair<std::string, std::uint64_t>> all;
    for (std::size_t i = 0; i < state_->signal_names.size(); ++i)
        if (state_->signal_counts[i] != 0) all.emplace_back(state_->signal_names[i], state_->signal_counts[i]);
    return all;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> Machine::counts() const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    if (!state_->options.count_instructions) return all;
    for (const auto& instruction : state_->instructions) {
        if (!instruction || instruction->counter == 0) continue;
        std::uint64_t count = machine::load<std::uint64_t>(state_->layout.state(), instruction->counter);
        if (count != 0) all.emplace_back(instruction->address, count);
    }
    return all;
}

const std::vector<std::string>& Machine::warnings() const { return state_->warnings; }

}  // namespace isaforge

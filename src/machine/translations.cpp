// From code addresses to instructions that are ready to run. Each combination of modes has translations of its own, for a
// mode's value is built into them. What a program overwrites is translated again.
#include <algorithm>

#include "machine/state.hpp"

namespace isaforge {

using machine::MicroOp;

namespace {

constexpr std::size_t max_bytes = max_instruction_bits / 8;
constexpr std::size_t max_translations = 64;   // combinations of modes at a time
constexpr std::size_t max_events = 4096;       // translated, under one of them
constexpr std::size_t max_retired = 4096;

MicroOp fault_op(StopReason reason) {
    MicroOp op;
    op.run = machine::handlers::fault;
    op.detail.n = static_cast<std::uint32_t>(reason);
    return op;
}

struct Jumps {
    bool any = false, late = false;
};

// Whether an instruction may go on elsewhere than behind it.
Jumps jumps_of(const ir::Graph& graph, std::uint64_t next_address) {
    Jumps found;
    for (const ir::Block& block : graph.blocks) {
        found.any =
            found.any || (block.end.op == ir::Op::leave && !graph.is_known(block.end.operands[0], next_address));
        for (const ir::Instruction& each : block.body) found.late = found.late || each.op == ir::Op::put_pc;
    }
    found.any = found.any || found.late;
    return found;
}

}  // namespace

void Machine::State::set_next(std::uint64_t address) { core.next = resolve(address); }

std::uint64_t Machine::State::next_pc() const {
    if (core.next == &outside) return outside_address;
    return by_first_op.at(core.next)->address;
}

// The instruction that an operation belongs to.
Machine::State::Instruction* Machine::State::instruction_of(const MicroOp* op) const {
    auto after = by_first_op.upper_bound(op);
    if (after == by_first_op.begin()) return nullptr;
    Instruction* found = std::prev(after)->second;
    return op < found->ops.data() + found->ops.size() ? found : nullptr;
}

Machine::State::Instruction* Machine::State::known_instruction(std::uint64_t address) const {
    auto found = current->instructions.find(address);
    return found != current->instructions.end() ? found->second.get() : nullptr;
}

// ---------------------------------------------------------------------------------------------------------------------
// Modes

// The translations for the modes as they are now.
void Machine::State::choose_translations() {
    std::uint64_t key = 0;
    unsigned at = 0;
    for (std::size_t i = 0; i < isa.modes.size(); ++i) {
        if (at < 64) key |= (core.mode_values[i] & semantics::mask_of(isa.modes[i].bits)) << at;
        at += isa.modes[i].bits;
    }
    auto found = translations.find(key);
    if (found == translations.end()) {
        if (translations.size() >= max_translations) {
            for (auto& [modes, each] : translations) {
                for (auto& [address, instruction] : each->instructions) retire(std::move(instruction));
                for (auto& [place, instruction] : each->events) retire(std::move(instruction));
            }
            translations.clear();
            drop_all = true;
            core.stop_at = core.count + 1;
        }
        found = translations.emplace(key, std::make_unique<Translations>()).first;
    }
    current = found->second.get();
    core.jumps = current->jumps.data();
}

// Called at the end of an instruction. An interrupt that was masked may not be any more.
void Machine::State::modes_changed() {
    choose_translations();
    if (interrupt_event != no_index && !system->devices.empty()) core.stop_at = core.count + 1;
}

// After registers were set from outside.
void Machine::State::refresh_modes() {
    modes_stale = false;
    if (isa.modes.empty()) return;
    if (modes_ops.empty()) {
        std::string trouble;
        const auto graph = system->forms.modes(trouble);
        if (!graph) return;
        machine::TranslateInput input{.isa = &isa, .graph = &*graph, .aside = true};
        input.ports = &ports;
        input.port_limits = core.port_limits;
        modes_ops = machine::translate(input, layout).ops;
    }
    run_aside(modes_ops);
    choose_translations();
}

// ---------------------------------------------------------------------------------------------------------------------
// Translating

const MicroOp* Machine::State::nothing_at(std::uint64_t address, StopReason reason, std::uint64_t where) {
    outside.detail.n = static_cast<std::uint32_t>(reason);
    outside_address = address;
    outside_fault = where;
    return &outside;
}

// Too much is translated: all of it is dropped as soon as nothing runs, and then this address is looked for again.
const MicroOp* Machine::State::no_room_at(std::uint64_t address) {
    drop_all = true;
    return nothing_at(address, StopReason::limit, address);
}

// Whether the run came to where no_room_at() was the answer.
bool Machine::State::look_again() {
    core.reason = StopReason::running;
    core.next = &outside;
    return true;
}

// The bytes at a code address, as far as they may be executed.
bool Machine::State::load_image(std::uint64_t address, Image& image, std::size_t& available) const {
    std::uint8_t bytes[max_bytes];
    std::uint64_t byte = 0;
    available = code_byte(address, byte) ? max_bytes : 0;
    while (available != 0 && !system->code_map().peek(byte, std::span(bytes, available))) --available;
    image = codec->load(bytes, available);
    return available != 0;
}

const MicroOp* Machine::State::resolve(std::uint64_t address) {
    if (Instruction* known = known_instruction(address)) {
        current->jumps[machine::jump_slot(address)] = {address, known->ops.data()};
        return known->ops.data();
    }
    if (by_first_op.size() >= std::max<std::uint64_t>(1, options.most_translated / core.harts))
        return no_room_at(address);
    if (address % (isa.unit_bits / isa.address_bits) != 0)
        return nothing_at(address, StopReason::misaligned_code, address);
    std::uint8_t bytes[max_bytes];
    std::uint64_t byte = 0;
    const std::size_t available = code_byte(address, byte) ? bus.fetch(byte, bytes) : 0;
    if (available == 0) return nothing_at(address, StopReason::bad_execute, address);
    std::unique_ptr<Instruction> made = translate_at(address, bytes, available);
    core.state = layout.state();
    if (made == nullptr)
        return nothing_at(address, StopReason::bad_execute, address + available * 8 / isa.address_bits);
    const MicroOp* first = made->ops.data();
    by_first_op[first] = made.get();
    if (breakpoints.contains(address)) set_breakpoint(*made, true);
    bus.note_code(byte, std::max(made->bits, isa.unit_bits) / 8);
    current->jumps[machine::jump_slot(address)] = {address, first};
    current->instructions[address] = std::move(made);
    return first;
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

// Decodes, lowers and translates. What fails becomes an operation that reports it when it is executed. Null where the
// instruction goes on beyond what may be executed.
std::unique_ptr<Machine::State::Instruction> Machine::State::translate_at(std::uint64_t address,
                                                                          const std::uint8_t* bytes,
                                                                          std::size_t available) {
    auto made = std::make_unique<Instruction>();
    made->address = address;
    auto refuse = [&](StopReason reason, std::string why) {
        made->trouble = std::move(why);
        return refused(std::move(made), reason);
    };
    if (layout.exhausted()) return refuse(StopReason::undefined, "the machine needs too much room for its values");
    made->image = codec->load(bytes, available);
    made->form = codec->decode(made->image, static_cast<unsigned>(available * 8), made->bits);
    if (made->form == no_index) {
        Image whole;
        std::size_t there = 0;
        unsigned bits = 0;
        if (available < max_bytes && load_image(address, whole, there) && there > available &&
            codec->decode(whole, static_cast<unsigned>(there * 8), bits) != no_index)
            return nullptr;
        return refuse(StopReason::illegal, {});
    }
    std::string trouble;
    const auto graph = system->forms.instruction(made->form, made->image, site_of(address, made->bits), trouble);
    return graph ? finish_translation(std::move(made), *graph) : refuse(StopReason::undefined, trouble);
}

// Under the modes as they are now.
semantics::Site Machine::State::site_of(std::uint64_t address, unsigned bits) const {
    return {address, address + std::max(1u, bits / isa.address_bits),
            std::vector<std::uint64_t>(core.mode_values, core.mode_values + isa.modes.size())};
}

// What an event does at an instruction; null where that is known to fail, as `trouble` of the machine says.
Machine::State::Instruction* Machine::State::event_at(Index event, std::uint64_t address) {
    auto found = current->events.find({event, address});
    if (found != current->events.end()) return found->second.get();
    if (current->events.size() >= max_events) drop_all = true;
    auto made = std::make_unique<Instruction>();
    made->address = address;
    made->is_event = true;
    semantics::Site site = site_of(address, 0);
    site.next_address = address;
    const auto graph = system->forms.event(event, site, made->trouble);
    made = graph ? finish_translation(std::move(made), *graph) : refused(std::move(made), StopReason::undefined);
    core.state = layout.state();
    by_first_op[made->ops.data()] = made.get();
    return (current->events[{event, address}] = std::move(made)).get();
}

// What cannot be executed is an operation that says so.
std::unique_ptr<Machine::State::Instruction> Machine::State::refused(std::unique_ptr<Instruction> made,
                                                                     StopReason reason) {
    made->ops = {fault_op(reason)};
    return made;
}

std::unique_ptr<Machine::State::Instruction> Machine::State::finish_translation(std::unique_ptr<Instruction> made,
                                                                                const ir::Graph& graph) {
    if (isa.memories.size() > machine::max_spaces) {
        made->trouble = "the machine has too many memories";
        return refused(std::move(made), StopReason::undefined);
    }
    const std::uint64_t next_address =
        made->is_event ? made->address : made->address + std::max(1u, made->bits / isa.address_bits);
    std::vector<std::uint32_t> signals;
    for (const std::string& name : graph.texts) signals.push_back(signal_number(name));
    machine::TranslateInput translated{.isa = &isa, .graph = &graph, .address = made->address};
    if (options.count_instructions && !made->is_event) {
        auto [counter, added] = counters.try_emplace(made->address, 0);
        if (added) counter->second = layout.allocate(8);
        made->counter = counter->second;
        translated.count_executions = true;
        translated.counter = made->counter;
        if (const auto [jumps, late] = jumps_of(graph, next_address); jumps) {
            auto [place, first] = jump_counters.try_emplace(made->address);
            if (first) place->second = {layout.allocate(8), late};
            translated.jump_counter = place->second.counter;
        }
    }
    translated.next_address = next_address;
    translated.ports = &ports;
    translated.port_limits = core.port_limits;
    translated.signals = &signals;
    translated.aligned = options.require_alignment;
    translated.main_memory = system->main;
    machine::Translation translation = machine::translate(translated, layout);
    if (layout.exhausted()) {
        made->trouble = "the machine needs too much room for its values";
        return refused(std::move(made), StopReason::undefined);
    }
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

// ---------------------------------------------------------------------------------------------------------------------
// Forgetting

// Nothing may be running.
void Machine::State::forget_translations() {
    drop_regions();
    translations.clear();
    retired.clear();
    by_first_op.clear();
    replaced.clear();
    written.clear();
    modes_ops.clear();
    layout.forget_constants();
    drop_all = false;
    current = nullptr;
    bus.forget_code();
    choose_translations();
}

// Others may still lead to it: it stays until all are forgotten.
void Machine::State::retire(std::unique_ptr<Instruction> instruction) { retired.push_back(std::move(instruction)); }

// Called while an instruction runs, perhaps the very one that is overwritten: it goes on to its end.
void Machine::State::code_written(std::uint64_t address, std::uint64_t bytes) {
    written.emplace_back(address, bytes);
    core.stop_at = core.count + 1;
}

void Machine::State::make_stale(Instruction& instruction) {
    MicroOp& first = instruction.ops[0];
    first.run = machine::handlers::stale;
    first.a = static_cast<std::uint32_t>(instruction.address >> 32);
    first.b = static_cast<std::uint32_t>(instruction.address);
}

// With no instruction running, those that were overwritten become mere pointers to their successors.
void Machine::State::drop_written() {
    const std::uint64_t unit = isa.unit_bits / 8;
    for (auto [address, bytes] : written)
        for (auto& [modes, each] : translations) {
            const std::uint64_t before = std::min<std::uint64_t>(address, max_bytes);
            for (std::uint64_t i = (unit - (address - before) % unit) % unit; i < before + bytes; i += unit) {
                auto found = each->instructions.find((address - before + i) / (isa.address_bits / 8));
                if (found == each->instructions.end()) continue;
                const std::uint64_t length = std::max(found->second->bits, isa.unit_bits) / 8;
                if (i < before && length <= before - i) continue;
                drop_regions();
                make_stale(*found->second);
                each->jumps[machine::jump_slot(found->first)] = {};
                retire(std::move(found->second));
                each->instructions.erase(found);
            }
        }
    written.clear();
    if (retired.size() > max_retired) drop_all = true;
}

}  // namespace isaforge

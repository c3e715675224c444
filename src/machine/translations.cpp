// A hart's way from code addresses to instructions that are ready to run, through the program that all harts share. Each
// combination of modes has translations of its own, for a mode's value is built into them. What a program overwrites is
// translated again.
#include <algorithm>

#include "ir/passes/check.hpp"
#include "ir/passes/passes.hpp"
#include "machine/state.hpp"

namespace isaforge {

using machine::MicroOp;

namespace {

constexpr std::size_t max_bytes = max_instruction_bits / 8;

constexpr const char* no_room_for_values = "the machine needs too much room for its values";

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

// Whether what it computes follows from registers alone.
bool depends_on_registers(const ir::Graph& graph) {
    return std::all_of(graph.blocks.begin(), graph.blocks.end(), [](const ir::Block& block) {
        return std::all_of(block.body.begin(), block.body.end(), [](const ir::Instruction& each) {
            return each.op == ir::Op::get || each.op == ir::Op::put_mode ||
                   ir::about(each.op).effect == ir::Effect::pure;
        });
    });
}

// Of each file of which the instruction uses registers the last one.
std::vector<machine::Touch> highest_of(const Isa& isa, const std::vector<machine::Touch>& reads,
                                       const std::vector<machine::Touch>& writes) {
    std::vector<machine::Touch> out;
    for (const auto* const touches : {&reads, &writes}) {
        for (const machine::Touch& touch : *touches) {
            if (touch.count != 1 || isa.register_files[touch.file].index_bits == 0) continue;
            const auto known = std::ranges::find(out, touch.file, &machine::Touch::file);
            if (known == out.end())
                out.push_back(touch);
            else
                known->first = std::max(known->first, touch.first);
        }
    }
    return out;
}

}  // namespace

void Machine::State::set_next(std::uint64_t address) { core.next = resolve(address); }

// As jumps go: what is written over since is found out by what lies there.
void Machine::State::jump_to(std::uint64_t address) {
    const machine::JumpSlot& slot = current->jumps[machine::jump_slot(address)];
    core.next = slot.address == address && slot.op != nullptr ? slot.op : resolve(address);
}

std::uint64_t Machine::State::next_pc() const {
    return core.next == &outside ? outside_address : machine::instruction_of(core.next)->address;
}

Machine::State::Instruction* Machine::State::next_instruction() const {
    return core.next == &outside ? nullptr : machine::instruction_of(core.next);
}

Machine::State::Instruction* Machine::State::known_instruction(std::uint64_t address) const {
    const std::lock_guard lock(program->lock);
    return program->find(*current->translations, address);
}

Machine::State::Instruction* Machine::State::translated_instruction(std::uint64_t address) const {
    const std::lock_guard lock(program->lock);
    Instruction* const known = program->find(*current->translations, address);
    return known != nullptr ? known : program->find(address);
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
    current = &views[key];
    if (current->translations == nullptr) {
        const std::lock_guard lock(program->lock);
        current->translations = &program->under(key);
    }
    core.jumps = current->jumps.data();
}

// Called at the end of an instruction. An interrupt that was masked may not be any more.
void Machine::State::modes_changed() {
    choose_translations();
    if (interrupt_event != no_index && !system->devices.empty()) core.stop_at = core.count + 1;
}

// What computes all modes; null where nothing can.
const MicroOp* Machine::State::modes_code() {
    const std::lock_guard lock(program->lock);
    Instruction& code = program->mode_values;
    if (code.ops.empty()) {
        const auto graph = system->forms.modes(code.trouble);
        if (!graph) return nullptr;
        machine::TranslateInput input{.isa = &isa, .graph = &*graph, .aside = true};
        input.ports = &ports;
        input.port_limits = core.port_limits;
        machine::Translation made = machine::translate(input, program->layout);
        code.set_ops(std::move(made.ops));
        if (depends_on_registers(*graph)) program->mode_registers = std::move(made.reads);
    }
    return &code.first();
}

bool Machine::State::has_known_modes() const {
    return known_modes.view != nullptr &&
           std::all_of(known_modes.from.begin(), known_modes.from.end(), [&](const auto& word) {
               return machine::load<std::uint64_t>(block.bytes(), word.first) == word.second;
           });
}

// Where it is known what they are computed from, and little. Behind modes_code().
void Machine::State::note_modes() {
    constexpr std::size_t most_words = 8;
    known_modes.view = nullptr;
    known_modes.from.clear();
    for (const machine::Touch& touch : program->mode_registers) {
        const std::uint32_t first = program->layout.offset(touch.file, touch.first);
        const std::uint64_t bytes = std::uint64_t{touch.count} * program->layout.register_size(touch.file);
        if (known_modes.from.size() + bytes / 8 > most_words) return;
        for (std::uint32_t offset = first; offset < first + bytes; offset += 8)
            known_modes.from.emplace_back(offset, machine::load<std::uint64_t>(block.bytes(), offset));
    }
    if (known_modes.from.empty()) return;
    known_modes.view = current;
    std::copy_n(core.mode_values, isa.modes.size(), known_modes.values.begin());
}

// After registers were set from outside.
void Machine::State::refresh_modes() {
    modes_stale = false;
    if (isa.modes.empty()) return;
    if (has_known_modes()) {
        std::copy_n(known_modes.values.begin(), isa.modes.size(), core.mode_values);
        current = known_modes.view;
        core.jumps = current->jumps.data();
        return;
    }
    const machine::MicroOp* const first = modes_code();
    if (first != nullptr) run_aside(*first);
    choose_translations();
    if (first != nullptr) note_modes();
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

const MicroOp* Machine::State::enter(Instruction& instruction) {
    const MicroOp* const first = &instruction.first();
    current->jumps[machine::jump_slot(instruction.address)] = {instruction.address, first};
    return first;
}

// The bytes are fetched without the lock, for that may wait for other harts.
const MicroOp* Machine::State::resolve(std::uint64_t address) {
    // A dispatcher's hart that stops does not go on.
    if (core.stopping && options.dispatches) return nothing_at(address, StopReason::bad_execute, address);
    if (Instruction* const known = known_instruction(address)) return enter(*known);
    if (address % (isa.unit_bits / isa.address_bits) != 0)
        return nothing_at(address, StopReason::misaligned_code, address);
    std::uint8_t bytes[max_bytes];
    std::uint64_t byte = 0;
    const std::size_t available = code_byte(address, byte) ? bus.fetch(byte, bytes) : 0;
    if (available == 0) return nothing_at(address, StopReason::bad_execute, address);
    const std::lock_guard lock(program->lock);
    if (Instruction* const known = program->find(*current->translations, address)) return enter(*known);
    if (program->is_full(std::max<std::uint64_t>(1, options.most_translated))) return no_room_at(address);
    std::unique_ptr<Instruction> made = translate_at(address, bytes, available);
    if (made == nullptr)
        return nothing_at(address, StopReason::bad_execute, address + available * 8 / isa.address_bits);
    Instruction& added = program->add(*current->translations, std::move(made));
    if (system->breakpoints.contains(address)) program->set_breakpoint(added, true);
    bus.note_code(byte, std::max(added.bits, isa.unit_bits) / 8);
    return enter(added);
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
    if (!program->layout.has_registers()) return refuse(StopReason::undefined, no_room_for_values);
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
    const bool may_change = !system->checker && program->is_often_rewritten(address);
    auto graph = graph_of(*made, may_change ? &made->open : nullptr, trouble);
    return graph ? finish_translation(std::move(made), *graph) : refuse(StopReason::undefined, trouble);
}

// What an instruction does that was decoded; with `open`, what becomes that, the bytes that it looks up each time.
std::optional<ir::Graph> Machine::State::graph_of(const Instruction& instruction, std::vector<bool>* open,
                                                  std::string& trouble) const {
    const semantics::Site site = site_of(instruction.address, instruction.bits);
    std::uint64_t byte = 0;
    if (open != nullptr && code_byte(instruction.address, byte))
        if (auto graph =
                system->forms.rewritten(instruction.form, instruction.image, instruction.bits, site, byte, *open))
            return graph;
    if (open != nullptr) open->clear();
    auto graph = system->forms.instruction(instruction.form, instruction.image, site, trouble);
    if (graph) add_checks(*graph);
    return graph;
}

// As it lies there now.
Image Machine::State::image_of(const Instruction& instruction) const {
    Image image = instruction.image;
    std::size_t available = 0;
    if (!instruction.open.empty()) load_image(instruction.address, image, available);
    return image;
}

// Under the modes as they are now.
semantics::Site Machine::State::site_of(std::uint64_t address, unsigned bits) const {
    return {address, address + std::max(1u, bits / isa.address_bits),
            std::vector<std::uint64_t>(core.mode_values, core.mode_values + isa.modes.size())};
}

// What an event does at an instruction.
Machine::State::Instruction* Machine::State::event_at(Index event, std::uint64_t address) {
    const std::lock_guard lock(program->lock);
    std::unique_ptr<Instruction>& place = current->translations->events[{event, address}];
    if (place) return place.get();
    if (program->is_full(options.most_translated)) drop_all = true;
    auto made = std::make_unique<Instruction>();
    made->address = address;
    made->is_event = true;
    semantics::Site site = site_of(address, 0);
    site.next_address = address;
    auto graph = system->forms.event(event, site, made->trouble);
    if (graph) add_checks(*graph);
    place = graph ? finish_translation(std::move(made), *graph) : refused(std::move(made), StopReason::undefined);
    return place.get();
}

// What it is watched for becomes a part of it.
void Machine::State::add_checks(ir::Graph& graph) const {
    if (!system->checker) return;
    const Checks& checks = system->checker->checks();
    ir::optimise(graph);  // a register combined with itself is one value: x ^ x is 0, whatever x is
    ir::add_checks(graph,
                   {.definedness = checks.uninitialised,
                    .accesses = checks.bounds || checks.races,
                    .shadow_files = system->checker->files()},
                   isa);
    ir::optimise(graph);
}

// What cannot be executed is an operation that says so.
std::unique_ptr<Machine::State::Instruction> Machine::State::refused(std::unique_ptr<Instruction> made,
                                                                     StopReason reason) {
    made->set_ops({fault_op(reason)});
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
    for (const std::string& name : graph.texts) signals.push_back(system->signal_number(name));
    machine::TranslateInput translated{.isa = &isa, .graph = &graph, .address = made->address};
    if (options.count_instructions && !made->is_event) {
        const auto counter_in = [&](std::map<std::uint64_t, std::uint32_t>& counters) {
            const auto [counter, added] = counters.try_emplace(made->address, 0);
            if (added) counter->second = program->layout.counter();
            return counter->second;
        };
        translated.count_executions = true;
        translated.counter = counter_in(program->counters);
        if (options.count_cycles && isa.has_cycles) translated.cycle_counter = counter_in(program->cycle_counters);
        if (const auto [jumps, late] = jumps_of(graph, next_address); jumps) {
            auto [place, first] = program->jump_counters.try_emplace(made->address);
            if (first) place->second = {program->layout.counter(), late};
            translated.jump_counter = place->second.counter;
        }
    }
    translated.next_address = next_address;
    translated.ports = &ports;
    translated.port_limits = core.port_limits;
    translated.signals = &signals;
    translated.aligned = options.require_alignment;
    translated.main_memory = system->main;
    machine::Translation translation = machine::translate(translated, program->layout);
    if (program->layout.exhausted()) {
        made->trouble = no_room_for_values;
        return refused(std::move(made), StopReason::undefined);
    }
    made->set_ops(std::move(translation.ops));
    made->computed_ends = std::move(translation.computed_ends);
    made->reads = std::move(translation.reads);
    made->writes = std::move(translation.writes);
    for (const machine::Touch& touch : made->writes) {
        std::uint32_t& count = program->written[touch.file];
        if (touch.first + touch.count <= count) continue;
        count = touch.first + touch.count;
        ++program->written_changes;
    }
    if (system->checker)
        for (auto* const touches : {&made->reads, &made->writes})
            std::erase_if(*touches, [&](const auto& touch) { return touch.file >= system->checker->files(); });
    if (system->checker) {
        made->place = system->checker->add_place(made->address);
        made->touched = machine::touched_bits(made->reads) | machine::touched_bits(made->writes);
        made->highest = highest_of(isa, made->reads, made->writes);
    }
    if (system->checker && made->form != no_index)
        made->watched = machine::watched_of(isa, system->forms, made->form, made->image, {made->reads, made->writes});
    return made;
}

// ---------------------------------------------------------------------------------------------------------------------
// From one program to the next

// Nothing of this hart may be running.
void Machine::State::join(std::shared_ptr<machine::Program> other) {
    leave_program();
    program = std::move(other);
    views.clear();
    known_modes = {};
    written_seen = 0;
    clearing.clear();
    current = nullptr;
    written.clear();
    drop_all = false;
    {
        const std::lock_guard lock(program->lock);
        program->layout.attach(block.bytes());
    }
    choose_translations();
}

void Machine::State::leave_program() {
    if (system->checker) system->checker->leave_program(*this);
    collect_counts();
    note_written_registers();
    const std::lock_guard lock(program->lock);
    program->layout.detach(block.bytes());
}

// From the block, where instructions count.
void Machine::State::collect_counts() {
    const std::lock_guard lock(program->lock);
    const auto take = [&](std::uint32_t counter) {
        const auto count = machine::load<std::uint64_t>(block.bytes(), counter);
        machine::store(block.bytes(), counter, 0);
        return count;
    };
    if (program->layout.exhausted()) return;
    for (const auto& [address, counter] : program->counters) counts[address] += take(counter);
    for (const auto& [address, counter] : program->cycle_counters) cycle_counts[address] += take(counter);
    for (const auto& [address, jumps] : program->jump_counters) {
        JumpCount& sum = jump_counts[address];
        sum = {address, sum.count + take(jumps.counter), jumps.late};
    }
}

// All harts are to forget what was translated: each goes over to a new program, of which there is only one.
void Machine::State::forget_translations() { join(system->program_after(program, drop_all)); }

// Called while an instruction runs, perhaps the very one that is overwritten: it goes on to its end.
void Machine::State::code_written(std::uint64_t address, std::uint64_t bytes) {
    const std::lock_guard lock(program->lock);
    if (!program->code.take(address, bytes)) return;
    written.emplace_back(address, bytes);
    core.stop_at = core.count + 1;
}

// With no instruction of this hart running.
void Machine::State::drop_written() {
    const std::lock_guard lock(program->lock);
    for (auto [address, bytes] : written)
        if (program->drop_written(address, bytes)) ++system->drops;
    written.clear();
    if (program->is_full(~std::uint64_t{0})) drop_all = true;
}

}  // namespace isaforge

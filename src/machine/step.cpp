// Executing one instruction and saying what it did: for traces, for hazard warnings, for debuggers.
#include <fmt/format.h>

#include <algorithm>

#include "machine/state.hpp"

namespace isaforge {

using machine::Core;
using machine::LandingSlot;

namespace {

// What an instruction may change, as it was before.
struct Before {
    Index file;
    std::uint64_t number;
    std::vector<std::byte> bytes;
    bool late = false;
    bool certain = true;  // the instruction names this register; else it is one of a file
};

class Tracer {
public:
    Tracer(Machine& machine, Machine::State& state) : machine_(machine), state_(state) {}

    void look_before(const Machine::State::Instruction& instruction);
    void look_after(TraceRecord& record);

    std::vector<machine::AccessNote> notes;

private:
    void keep(Index file, std::uint64_t number, bool late, bool certain);
    void keep_landings();
    std::vector<std::byte> bytes_of(Index file, std::uint64_t number) const;

    Machine& machine_;
    Machine::State& state_;
    std::vector<Before> before_;
};

std::vector<std::byte> Tracer::bytes_of(Index file, std::uint64_t number) const {
    const machine::Layout& layout = state_.program->layout;
    const std::byte* begin = state_.block.bytes() + layout.offset(file, number);
    return {begin, begin + layout.register_size(file)};
}

void Tracer::keep(Index file, std::uint64_t number, bool late, bool certain) {
    before_.push_back({file, number, bytes_of(file, number), late, certain});
}

void Tracer::keep_landings() {
    const Core& core = state_.core;
    if ((core.pending & 1) == 0) return;
    const LandingSlot& slot = core.ring[core.count % machine::ring_size];
    for (std::uint32_t i = 0; i < slot.used; ++i)
        for (Index file = 0; file < state_.isa.register_files.size(); ++file) {
            const machine::Layout& layout = state_.program->layout;
            std::uint32_t begin = layout.offset(file, 0), size = layout.register_size(file);
            std::uint32_t offset = slot.results[i].offset;
            if (offset >= begin && offset < begin + size * state_.isa.register_files[file].count)
                keep(file, (offset - begin) / size, true, true);
        }
}

void Tracer::look_before(const Machine::State::Instruction& instruction) {
    for (const machine::Touch& touch : instruction.writes)
        for (std::uint32_t i = 0; i < touch.count; ++i) keep(touch.file, touch.first + i, false, touch.count == 1);
    keep_landings();
}

void Tracer::look_after(TraceRecord& record) {
    for (const Before& each : before_) {
        if (!each.late && !record.executed) continue;
        if (!each.certain && bytes_of(each.file, each.number) == each.bytes) continue;
        const RegisterFile& file = state_.isa.register_files[each.file];
        TraceRecord::Change change{
            .name = state_.register_name(each.file, each.number), .bits = file.bits, .late = each.late};
        change.value = machine_.get(each.file, each.number);
        if (file.lanes > 1)
            for (unsigned lane = 0; lane < file.lanes; ++lane)
                change.lanes.push_back(machine_.get(each.file, each.number, lane));
        bool again = std::any_of(record.changes.begin(), record.changes.end(),
                                 [&](const TraceRecord::Change& other) { return other.name == change.name; });
        if (!again) record.changes.push_back(std::move(change));
    }
    for (const machine::AccessNote& note : notes) {
        record.accesses.push_back({note.memory, note.address, note.bits, note.is_store});
        if (!note.is_store) continue;
        record.changes.push_back({fmt::format("{}[{:#x}]", state_.isa.memories[note.memory].name, note.address),
                                  note.value,
                                  {},
                                  note.bits,
                                  false});
    }
    std::uint64_t expected = record.address + std::max(1u, record.bits / state_.isa.address_bits);
    if (machine_.pc() != expected) record.changes.push_back({"pc", machine_.pc(), {}, 32, false});
}

}  // namespace

std::vector<Machine::State::Hazard> Machine::State::hazards(const Instruction& instruction) const {
    std::vector<Hazard> found;
    for (unsigned delay = 0; delay < machine::ring_size && core.pending >> delay != 0; ++delay) {
        if ((core.pending >> delay & 1) == 0) continue;
        const LandingSlot& slot = core.ring[(core.count + delay) % machine::ring_size];
        for (std::uint32_t i = 0; i < slot.used; ++i)
            for (const machine::Touch& read : instruction.reads)
                if (read.count == 1 && slot.results[i].offset == program->layout.offset(read.file, read.first))
                    found.push_back({slot.results[i].origin, slot.results[i].offset, read.in_guard});
    }
    return found;
}

RunResult Machine::step(TraceRecord* record) {
    State& state = *state_;
    machine::System& system = *state.system;
    RunResult result;
    result.address = pc();
    if (const StopReason begun = state.begin(); state.stopped || begun != StopReason::running) {
        result.reason = state.stopped ? StopReason::stopped : begun;
        result.message = state.message(result.reason, result.address);
        return result;
    }
    state.settle();
    result.address = pc();
    const State::Instruction* instruction = state.next_instruction();
    std::vector<State::Hazard> hazards;
    if (instruction != nullptr && state.options.warn_hazards && !instruction->warned && state.core.pending != 0)
        hazards = state.hazards(*instruction);
    Tracer tracer(*this, state);
    if (record != nullptr) {
        *record = {.number = state.core.count, .hart = state.core.hart, .address = result.address};
        if (instruction != nullptr) {
            record->form = instruction->form;
            record->image = state.image_of(*instruction);
            record->bits = instruction->bits;
            tracer.look_before(*instruction);
            state.take_notes(&tracer.notes);
        }
    }
    state.core.skipped = false;
    const std::uint64_t first = state.core.count, cycles = state.core.cycles;
    state.core.passes_at = first;
    result.reason = state.execute(first + 1, true);
    state.take_notes(nullptr);
    result.hart = state.core.slot;
    result.instructions = state.core.count - first;
    result.cycles = state.core.cycles - cycles;
    if (!result.ok()) result.message = state.message(result.reason, result.address);
    if (system.exit_status) result.exit_status = system.exit_status;
    if (record != nullptr && instruction != nullptr) {
        record->executed = !state.core.skipped;
        tracer.look_after(*record);
    }
    State::Instruction* const hazardous = state.known_instruction(result.address);  // it may have overwritten itself
    for (const State::Hazard& hazard : hazards) {
        if (hazardous == nullptr || hazardous->warned || (state.core.skipped && !hazard.in_guard)) continue;
        hazardous->warned = true;
        state.warnings.push_back(fmt::format(
            "the instruction at {} reads {} before the result of the one at {} has landed",
            state.describe(hazardous->address), state.name_at(hazard.offset), state.describe(hazard.origin)));
    }
    return result;
}

}  // namespace isaforge

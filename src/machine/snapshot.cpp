// How a machine is at one moment, to go back there. Memory is kept in pages, of which snapshots share those that are alike,
// and nothing is kept of those that are zero.
#include <algorithm>
#include <array>
#include <cstring>

#include "machine/page_table.hpp"
#include "machine/state.hpp"

namespace isaforge {

namespace {

constexpr std::uint64_t page_bytes = std::uint64_t{1} << machine::page_shift;
constexpr std::uint64_t most_saved_bytes = std::uint64_t{1} << 30;  // all of it is looked through
using Page = std::array<std::uint8_t, page_bytes>;
using PagePointer = std::shared_ptr<const Page>;  // null: all zero

bool is_zero(const std::uint8_t* bytes, std::size_t size) {
    static const Page zeros{};
    return std::memcmp(bytes, zeros.data(), size) == 0;
}

bool is_same(const PagePointer& page, const std::uint8_t* bytes, std::size_t size) {
    return page == nullptr ? is_zero(bytes, size) : std::memcmp(page->data(), bytes, size) == 0;
}

struct SavedBlock {
    std::shared_ptr<machine::Block> block;
    std::vector<PagePointer> pages;

    std::size_t size_of(std::size_t page) const {
        return static_cast<std::size_t>(std::min<std::uint64_t>(page_bytes, block->size - page * page_bytes));
    }
};

struct SavedHart {
    std::uint64_t pc = 0, start_address = 0;
    std::vector<std::byte> registers;
    std::vector<machine::LandingSlot> ring;
    std::uint64_t pending = 0, count = 0, time_base = 0, passes_at = 0, ports_noted_at = 0;
    std::uint32_t ports_noted = 0;
    std::uint32_t hart = 0, group = 0;
    std::vector<std::uint64_t> signal_counts;
    std::array<std::uint64_t, 4> counters{};
    std::uint64_t cycles = 0;
    bool waiting = false, at_barrier = false, yields = false, stalls = false;
    bool stopped = false, started = false, stalled = false, did_nothing = false;
    StopReason begun = StopReason::running;
    std::uint64_t barrier = 0, event_count = 0;
    unsigned events_in_row = 0;
};

struct SavedGroup {
    machine::Barrier::Saved barrier;
    machine::TurnOrder turns;
};

}  // namespace

struct Machine::Snapshot {
    std::shared_ptr<std::uint64_t> held;  // bytes, of all that share pages
    std::vector<SavedBlock> blocks;
    std::vector<SavedHart> harts;
    std::vector<SavedGroup> groups;
    std::vector<std::vector<std::uint64_t>> devices;
    machine::TurnOrder turns;
    std::optional<int> exit_status;
    unsigned groups_begun = 0;
};

namespace {

PagePointer make_page(const std::uint8_t* bytes, std::size_t size, const std::shared_ptr<std::uint64_t>& held) {
    auto* const page = new Page;
    std::copy_n(bytes, size, page->begin());
    *held += page_bytes;
    return {page, [held](const Page* gone) {
                *held -= page_bytes;
                delete gone;
            }};
}

void save_block(const std::shared_ptr<machine::Block>& block, const SavedBlock* before, Machine::Snapshot& snapshot) {
    SavedBlock saved{block, {}};
    saved.pages.resize((block->size + page_bytes - 1) / page_bytes);
    for (std::size_t i = 0; i < saved.pages.size(); ++i) {
        const std::uint8_t* const bytes = block->bytes + i * page_bytes;
        const std::size_t size = saved.size_of(i);
        if (before != nullptr && is_same(before->pages[i], bytes, size))
            saved.pages[i] = before->pages[i];
        else if (!is_zero(bytes, size))
            saved.pages[i] = make_page(bytes, size, snapshot.held);
    }
    snapshot.blocks.push_back(std::move(saved));
}

// Of storage, each region for itself.
std::uint64_t storage_of(const machine::Space& space) {
    std::uint64_t bytes = 0;
    for (const machine::Region& region : space.map.regions()) {
        if (region.block) bytes += std::min(region.block->size, most_saved_bytes + 1);
    }
    return bytes;
}

// All storage that a space has. A block may have several regions.
void save_space(const machine::Space& space, const Machine::Snapshot* before, Machine::Snapshot& snapshot) {
    for (const machine::Region& region : space.map.regions()) {
        const auto is_of = [&](const SavedBlock& each) { return each.block == region.block; };
        if (!region.block || std::ranges::any_of(snapshot.blocks, is_of)) continue;
        const SavedBlock* same = nullptr;
        if (before != nullptr) {
            const auto found = std::ranges::find_if(before->blocks, is_of);
            if (found != before->blocks.end()) same = &*found;
        }
        save_block(region.block, same, snapshot);
    }
}

SavedHart save_hart(const Machine::State& state) {
    const machine::Core& core = state.core;
    SavedHart saved;
    saved.pc = state.next_pc();
    saved.start_address = state.start_address;
    saved.registers.assign(state.block.bytes(), state.block.bytes() + state.program->layout.registers_end());
    if (core.pending != 0) saved.ring.assign(std::begin(core.ring), std::end(core.ring));
    saved.pending = core.pending, saved.count = core.count, saved.time_base = core.time_base;
    saved.passes_at = core.passes_at;
    saved.ports_noted = core.ports_noted, saved.ports_noted_at = core.ports_noted_at;
    saved.hart = core.hart, saved.group = core.group;
    saved.signal_counts = core.signal_counts;
    std::ranges::copy(core.counters, saved.counters.begin());
    saved.cycles = core.cycles;
    saved.waiting = core.waiting, saved.at_barrier = core.at_barrier;
    saved.yields = core.yields, saved.stalls = core.stalls;
    saved.stopped = state.stopped, saved.started = state.started;
    saved.stalled = state.is_stalled(), saved.did_nothing = state.did_nothing;
    saved.begun = state.begun;
    saved.barrier = state.barrier, saved.event_count = state.event_count;
    saved.events_in_row = state.events_in_row;
    return saved;
}

// Whether instructions may have been translated from some of what is written.
bool restore_block(const SavedBlock& saved) {
    const machine::Block& block = *saved.block;
    bool was_code = false;
    for (std::size_t i = 0; i < saved.pages.size(); ++i) {
        std::uint8_t* const bytes = block.bytes + i * page_bytes;
        const std::size_t size = saved.size_of(i);
        if (is_same(saved.pages[i], bytes, size)) continue;
        if (saved.pages[i] == nullptr)
            std::memset(bytes, 0, size);
        else
            std::memcpy(bytes, saved.pages[i]->data(), size);
        const std::uint64_t first = block.first + i * page_bytes;
        was_code |= ((block.page_flags(first) | block.page_flags(first + size - 1)) & machine::Block::code) != 0;
    }
    return was_code;
}

void restore_hart(const SavedHart& saved, Machine::State& state) {
    machine::Core& core = state.core;
    if (state.bus.transaction.active()) state.bus.transaction.clear();
    state.bus.unlock_all();
    state.bus.forget_reservation();
    state.bus.choose_pages();
    // What was written since may be anything; what has been cleared since is not zero any more.
    for (Index file = 0; file < state.dirty.size(); ++file) state.dirty[file] = state.isa.register_files[file].count;
    std::ranges::copy(saved.registers, state.block.bytes());
    if (!saved.ring.empty()) std::ranges::copy(saved.ring, std::begin(core.ring));
    core.pending = saved.pending, core.count = saved.count, core.time_base = saved.time_base;
    core.passes_at = saved.passes_at;
    core.ports_noted = saved.ports_noted, core.ports_noted_at = saved.ports_noted_at;
    core.hart = saved.hart, core.group = saved.group;
    core.signal_counts = saved.signal_counts;
    std::ranges::copy(saved.counters, std::begin(core.counters));
    core.cycles = saved.cycles;
    core.waiting = saved.waiting, core.at_barrier = saved.at_barrier;
    core.yields = saved.yields, core.stalls = saved.stalls;
    core.stopping = false;
    core.reason = StopReason::running;
    core.left_at = 0;
    state.stopped = saved.stopped, state.started = saved.started;
    state.stalled_at = saved.stalled ? state.system->progress.sum() : 0;
    state.did_nothing = saved.did_nothing;
    state.begun = saved.begun;
    state.barrier = saved.barrier, state.event_count = saved.event_count;
    state.events_in_row = saved.events_in_row;
    state.failed_event = no_index;
    state.start_address = saved.start_address;
    state.hot.next_look = state.hot.interval = 0;
    state.hot.seen = core.count;
    state.refresh_modes();
    state.set_next(saved.pc);
}

}  // namespace

std::uint64_t Machine::bytes_held(const Snapshot& snapshot) { return *snapshot.held; }

std::shared_ptr<const Machine::Snapshot> Machine::save(const Snapshot* before) const {
    machine::System& system = *state_->system;
    if (system.checker || system.real_time || state_->options.threads || system.process->has_begun()) return nullptr;
    for (unsigned i = 0; i < harts(); ++i) {
        const State& hart = hart_state(i);
        if (hart.bus.transaction.active() || hart.bus.has_reservation() || hart.bus.holds_lock()) return nullptr;
        if (!hart.program->layout.has_registers()) return nullptr;
    }
    std::uint64_t bytes = 0;
    for (const machine::Space& space : system.spaces) bytes += storage_of(space);
    for (const machine::Group& group : system.groups) {
        for (const machine::Space& space : group.own) bytes += storage_of(space);
    }
    if (bytes > most_saved_bytes) return nullptr;
    auto made = std::make_shared<Snapshot>();
    made->held = before != nullptr ? before->held : std::make_shared<std::uint64_t>(0);
    for (const machine::Space& space : system.spaces) save_space(space, before, *made);
    for (const machine::Group& group : system.groups) {
        for (const machine::Space& space : group.own) save_space(space, before, *made);
        made->groups.push_back({group.barrier.save(), group.turns});
    }
    for (unsigned i = 0; i < harts(); ++i) made->harts.push_back(save_hart(hart_state(i)));
    const std::scoped_lock lock(system.device_lock);
    for (const auto& device : system.devices) made->devices.push_back(device->save());
    made->turns = system.turns;
    made->exit_status = system.exit_status;
    made->groups_begun = system.groups_begun;
    return made;
}

void Machine::restore(const Snapshot& snapshot) {
    machine::System& system = *state_->system;
    for (unsigned i = 0; i < harts(); ++i) hart_state(i).settle();
    bool was_code = false;
    for (const SavedBlock& block : snapshot.blocks) was_code |= restore_block(block);
    {
        const std::scoped_lock lock(system.device_lock);
        for (std::size_t i = 0; i < system.devices.size(); ++i) system.devices[i]->restore(snapshot.devices[i]);
        system.devices_changed();
        system.exit_status = snapshot.exit_status;
        system.ending = false;
        system.turns = snapshot.turns;
    }
    system.groups_begun = snapshot.groups_begun;
    for (std::size_t i = 0; i < system.groups.size(); ++i) {
        system.groups[i].barrier.restore(snapshot.groups[i].barrier);
        system.groups[i].turns = snapshot.groups[i].turns;
    }
    if (was_code) map_changed();
    for (unsigned i = 0; i < harts(); ++i) restore_hart(snapshot.harts[i], hart_state(i));
}

}  // namespace isaforge

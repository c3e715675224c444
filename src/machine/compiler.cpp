// Loading the plug-in, and what its code calls here.
#include "machine/compiler.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <span>

#include "ir/evaluate.hpp"
#include "ir/passes/passes.hpp"
#include "machine/bus.hpp"
#include "machine/memory_bytes.hpp"

namespace isaforge::machine {

namespace {

// Where the bytes are, if the table knows.
bool place_of(const Core& core, const PageEntry* pages, std::uint64_t address, std::uint32_t bytes,
              std::uint8_t*& place) {
    const PageEntry& page = pages[page_of(address)];
    return find_place(page, address, bytes, static_cast<unsigned>(page.unit_shift), core.alignment != 0, place);
}

bool load(Core* core, const AccessSite* access, std::uint64_t address, std::uint64_t* raw, Stretch* stretches) {
    const PageEntry* const pages = core->load_pages[access->space];
    std::uint8_t* place = nullptr;
    const bool at_once = place_of(*core, pages, address, access->bytes, place);
    if (at_once) {
        *raw = load_shared(place, access->bytes);
    } else {
        if (!core->bus->load(access->space, address, access->bytes, *raw)) return false;
        --core->counters[static_cast<std::size_t>(ir::Counter::loads)];
    }
    find_stretch(core->load_pages[access->space], address, *access, !at_once, stretches);
    return true;
}

bool store(Core* core, const AccessSite* access, std::uint64_t address, std::uint64_t raw, Stretch* stretches) {
    const PageEntry* const pages = core->store_pages[access->space];
    std::uint8_t* place = nullptr;
    const bool at_once = place_of(*core, pages, address, access->bytes, place);
    if (at_once) {
        store_shared(place, access->bytes, raw);
    } else {
        if (!core->bus->store(access->space, address, access->bytes, raw)) return false;
        --core->counters[static_cast<std::size_t>(ir::Counter::stores)];
    }
    find_stretch(core->store_pages[access->space], address, *access, !at_once, stretches);
    return true;
}

// What lanes have found is where the others look first.
struct LanesAtHand {
    LanesAtHand(const Core& core, const PageEntry* pages, const AccessSite& access, const Stretch* stretches)
        : stretch(stretches[access.stretch]),
          shift(static_cast<unsigned>(pages->unit_shift)),
          aligned(core.alignment != 0) {}
    std::uint8_t* find(std::uint64_t address) const {
        const std::uint64_t offset = address - stretch.first;
        return offset < stretch.room && !aligned ? stretch.bytes + (offset << shift) : nullptr;
    }
    const Stretch& stretch;
    unsigned shift;
    bool aligned;
};

bool load_lanes(Core* core, const AccessSite* access, const std::uint64_t* addresses, std::uint64_t mask,
                std::uint8_t* values, Stretch* stretches) {
    const LanesAtHand at_hand(*core, core->load_pages[access->space], *access, stretches);
    for (std::uint64_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        std::uint64_t raw = 0;
        if (const std::uint8_t* const place = at_hand.find(addresses[lane])) {
            raw = load_shared(place, access->bytes);
        } else if (!load(core, access, addresses[lane], &raw, stretches)) {
            core->counters[static_cast<std::size_t>(ir::Counter::loads)] += std::popcount(mask & ~left);
            return false;
        }
        std::memcpy(values + std::size_t{lane} * access->bytes, &raw, access->bytes);
    }
    return true;
}

bool store_lanes(Core* core, const AccessSite* access, const std::uint64_t* addresses, std::uint64_t mask,
                 const std::uint8_t* values, Stretch* stretches) {
    const LanesAtHand at_hand(*core, core->store_pages[access->space], *access, stretches);
    for (std::uint64_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        std::uint64_t raw = 0;
        std::memcpy(&raw, values + std::size_t{lane} * access->bytes, access->bytes);
        if (std::uint8_t* const place = at_hand.find(addresses[lane])) {
            store_shared(place, access->bytes, raw);
        } else if (!store(core, access, addresses[lane], raw, stretches)) {
            core->counters[static_cast<std::size_t>(ir::Counter::stores)] += std::popcount(mask & ~left);
            return false;
        }
    }
    return true;
}

// The stretch around the address that may be loaded and stored.
Stretch both_ways(const Core& core, std::uint64_t address, const AccessSite& access, Stretch* stretches) {
    Stretch& found = stretches[access.stretch];
    find_stretch(core.load_pages[access.space], address, access, true, stretches);
    const Stretch loads = found;
    find_stretch(core.store_pages[access.space], address, access, true, stretches);
    const Stretch stores = found;
    const auto shift = core.store_pages[access.space][page_of(address)].unit_shift;
    const std::uint64_t first = std::max(loads.first, stores.first);
    const std::uint64_t end = std::min(loads.first + loads.room, stores.first + stores.room);
    if (loads.room == 0 || stores.room == 0 || first >= end) return {};
    std::uint8_t* const bytes = stores.bytes + ((first - stores.first) << shift);
    return bytes == loads.bytes + ((first - loads.first) << shift) ? Stretch{first, end - first, bytes} : Stretch{};
}

UpdateWay update_begin(Core* core, const AccessSite* access, std::uint64_t address, std::uint64_t* raw,
                       Stretch* stretches) {
    core->bus->remember_for_update(access->space, address, access->bytes);
    const Stretch around = stretches[access->stretch] = both_ways(*core, address, *access, stretches);
    if (address - around.first < around.room &&
        std::bit_cast<std::uintptr_t>(around.bytes + (address - around.first)) % access->bytes == 0)
        return UpdateWay::at_hand;
    core->bus->lock(access->space, address);
    if (!core->bus->load(access->space, address, access->bytes, *raw)) return UpdateWay::refused;
    --core->counters[static_cast<std::size_t>(ir::Counter::loads)];
    return UpdateWay::locked;
}

bool update_end(Core* core, const AccessSite* access, std::uint64_t address, std::uint64_t raw, Stretch* stretches) {
    std::fill_n(stretches, access->stretches, Stretch{});
    if (!core->bus->store(access->space, address, access->bytes, raw)) return false;
    core->bus->unlock();
    --core->counters[static_cast<std::size_t>(ir::Counter::stores)];
    return true;
}

std::uint64_t compute(const Computation* what, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    const std::uint64_t operands[] = {a, b, c};
    return ir::compute(what->op, what->operand, what->result, {operands, ir::operand_count(what->op)}, what->mode);
}

// The instruction ends the run where the count is reached: one that is smaller than any, and that nobody else sets. What the
// instruction or another hart asks for meanwhile stands there instead, and stays.
const MicroOp* interpret(const MicroOp* op, Handler run, Core* core, std::uint64_t count) {
    constexpr std::uint64_t at_once = 1;
    const std::uint64_t stop_at = core->stop_at.exchange(at_once);
    const bool asked = count + 1 >= stop_at || count == 0;
    core->op = nullptr;
    run(op, core->state, core, count, 0);
    while (core->op != nullptr) get_shared(core->op->run)(core->op, core->state, core, core->count, core->pending);
    if (core->reason != StopReason::running) return nullptr;
    if (!core->stop_at.replace(at_once, stop_at) || asked) return nullptr;
    return core->next;
}

std::uint64_t land_later(Core* core, std::uint64_t count, const LateShape* shape, const LateValue* values) {
    std::uint64_t pending = 0;
    for (std::size_t i = 0; i < shape->size(); ++i) {
        const LateSite& site = (*shape)[i];
        if (values[i].valid == 0) continue;
        if (LateResult* const late = new_landing(*core, count, pending, site.delay))
            *late = {site.any_offset ? values[i].offset : site.offset, site.port, values[i].origin, values[i].value};
    }
    return pending;
}

bool is_at(const LateSite& site, unsigned delay, const LateResult& result) {
    const bool fits =
        site.any_offset ? result.offset >= site.offset && result.offset < site.end : result.offset == site.offset;
    return site.delay == delay && fits && (!site.target || *site.target == result.value);
}

bool take_under_way(Core* core, std::uint64_t count, std::uint64_t pending, const LateShape* shape, LateValue* values) {
    std::size_t i = 0;
    const auto skip = [&] {
        values[i] = {};
        return !(*shape)[i++].always;
    };
    for (unsigned delay = 0; pending != 0; ++delay, pending >>= 1) {
        if ((pending & 1) == 0) continue;
        const LandingSlot& slot = core->ring[(count + delay) % ring_size];
        for (const LateResult& result : std::span(slot.results, slot.used)) {
            while (i < shape->size() && !is_at((*shape)[i], delay, result))
                if (!skip()) return false;
            if (i == shape->size()) return false;
            values[i++] = {result.value, result.offset, result.origin, 1};
        }
    }
    while (i < shape->size())
        if (!skip()) return false;
    return true;
}

}  // namespace

LateShape results_under_way(const Core& core, std::uint64_t count, std::uint64_t pending) {
    LateShape found;
    for (unsigned delay = 0; pending != 0; ++delay, pending >>= 1) {
        const LandingSlot& slot = core.ring[(count + delay) % ring_size];
        for (std::uint32_t i = 0; (pending & 1) != 0 && i < slot.used; ++i) {
            LateSite& site = found.emplace_back(LateSite{.delay = delay, .offset = slot.results[i].offset});
            if (site.offset == LateResult::to_pc) site.target = slot.results[i].value;
        }
    }
    return found;
}

void find_stretch(const PageEntry* pages, std::uint64_t address, const AccessSite& access, bool changed,
                  Stretch* stretches) {
    if (changed) std::fill_n(stretches, access.stretches, Stretch{});
    const PageEntry& page = pages[page_of(address)];
    const std::uint64_t room = (page.room + (8 - access.bytes)) >> page.unit_shift;
    const bool is_known = page.bytes != nullptr && address - page.first <= room;
    stretches[access.stretch] = is_known ? Stretch{page.first, room + 1, page.bytes} : Stretch{};
}

Callouts machine_callouts() {
    return {.end = handlers::end,
            .end_jump = handlers::end_jump,
            .raise = raise,
            .load = load,
            .store = store,
            .load_lanes = load_lanes,
            .store_lanes = store_lanes,
            .update_begin = update_begin,
            .update_end = update_end,
            .optimise = ir::optimise,
            .interpret = interpret,
            .compute = compute,
            .land_later = land_later,
            .take_under_way = take_under_way};
}

// It is never unloaded: code of a region may be freed after the compiler.
std::unique_ptr<Compiler> load_compiler(const std::string& path, const CompilerTarget& target, std::string& error) {
    if (path.empty()) {  // which dlopen takes for the program itself
        error = std::string(compiler_library) + " is neither beside the program nor in the folder of its libraries";
        return nullptr;
    }
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        error = dlerror();
        return nullptr;
    }
    const auto make = reinterpret_cast<MakeCompiler>(dlsym(library, compiler_symbol));
    std::unique_ptr<Compiler> made(make != nullptr ? make(compiler_version, &target) : nullptr);
    if (made == nullptr) error = path + " does not belong to this version";
    return made;
}

}  // namespace isaforge::machine

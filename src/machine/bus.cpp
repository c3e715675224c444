// Accesses to memory, where the tables do not know the way.
#include "machine/bus.hpp"

#include <algorithm>
#include <cstring>

#include "machine/memory_bytes.hpp"
#include "support/uneven_fences.hpp"

namespace isaforge::machine {

namespace {

constexpr unsigned spins_before_conflict = 256;
constexpr std::uint64_t pages_together = 8;   // that get into a table

std::size_t index_of(ir::Counter counter) { return static_cast<std::size_t>(counter); }

std::uint64_t low_bytes(std::uint64_t value, unsigned bytes) {
    return bytes == 8 ? value : value & ((std::uint64_t{1} << 8 * bytes) - 1);
}

}  // namespace

const char* text_of(AbortReason reason) {
    switch (reason) {
        case AbortReason::conflict: return "another hart has stored to what it has read";
        case AbortReason::event: return "there was an event inside of it";
        case AbortReason::depth: return "too many of them in each other";
        default: return "it has written too much";
    }
}

// The stripes of an access to watched lines, held while it lasts.
struct Bus::Section {
    Section(Bus& owner, std::uint64_t address, unsigned bytes)
        : bus(owner), first(Sharing::stripe_of(address)), second(Sharing::stripe_of(address + bytes - 1)) {
        for (;;) {
            bus.take(first);
            if (second == first || bus.try_take(second)) return;
            if (bus.lock_depth_ != 0) {
                bus.take(second);
                return;
            }
            bus.give_back(first);
            bus.acknowledge();
            std::this_thread::yield();
        }
    }
    ~Section() {
        if (stores) {
            bus.sharing_->clock.fetch_add(1);
            bus.count_store(first);
            if (second != first) bus.count_store(second);
        }
        bus.give_back(first);
        if (second != first) bus.give_back(second);
    }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;

    Bus& bus;
    std::uint32_t first, second;
    bool stores = false;
};

Bus::Bus(System& system, Group& group, Core& core, std::uint32_t slot)
    : system_(system), sharing_(system.sharing.get()), core_(core) {
    core_.bus = this;
    core_.slot = slot;
    if (sharing_ != nullptr) {
        sharing_->members[core_.slot].stop_at = &core_.stop_at;
        for (unsigned used = sharing_->used; used <= slot && !sharing_->used.compare_exchange_weak(used, slot + 1);)
            continue;
    }
    for (Index i = 0; i < system.spaces.size(); ++i) views_.emplace_back(*group.spaces[i], i);
    clear(empty_);
    forget_pages();
    choose_pages();
}

// No address finds an entry of its own here: each begins in the page after.
void Bus::clear(Pages& pages, unsigned unit_shift) {
    for (std::uint64_t i = 0; i < page_count; ++i)
        pages[i] = {(i + 1) % page_count << page_shift, 0, nullptr, unit_shift};
}

void Bus::forget_pages() {
    for (View& view : views_) forget(view);
}

void Bus::forget(View& view) {
    view.region = nullptr;
    clear(view.loads, view.space->unit_shift);
    clear(view.stores, view.space->unit_shift);
}

void Bus::join(const Group& group) {
    for (View& view : views_) {
        if (view.space == group.spaces[view.number] && !group.is_own(view.number)) continue;
        view.space = group.spaces[view.number];
        forget(view);
    }
}

void Bus::choose_pages() {
    const bool direct = !transaction.active() && core_.notes == nullptr;
    for (std::size_t i = 0; i < std::min(views_.size(), max_spaces); ++i) {
        core_.load_pages[i] = direct ? views_[i].loads.data() : empty_.data();
        core_.store_pages[i] = direct ? views_[i].stores.data() : empty_.data();
    }
    core_.main_load_pages = direct ? views_[system_.main].loads.data() : empty_.data();
    core_.main_store_pages = direct ? views_[system_.main].stores.data() : empty_.data();
}

bool Bus::refuse(StopReason reason, const View& view, std::uint64_t address, unsigned bytes) {
    core_.reason = reason;
    core_.fault_space = view.number;
    core_.fault_address = address >> view.space->unit_shift;
    core_.fault_bits = bytes * 8;
    return false;
}

bool Bus::refuse(Access access, const View& view, std::uint64_t address, unsigned bytes) {
    return refuse(access == Access::read ? StopReason::bad_read : StopReason::bad_write, view, address, bytes);
}

bool Bus::find_byte(Access access, const View& view, std::uint64_t address, unsigned bytes, std::uint64_t& byte) {
    if (!view.space->byte_of(address, byte)) {
        refuse(access, view, byte, bytes);
        core_.fault_address = address;
        return false;
    }
    return (byte & (bytes - 1) & core_.alignment) == 0 || refuse(StopReason::misaligned, view, byte, bytes);
}

const Region* Bus::region_of(View& view, std::uint64_t address) {
    if (view.region == nullptr || address < view.region->first || address > view.region->last)
        view.region = view.space->map.find(address);
    return view.region;
}

// Puts the stretch around an address into the table, as far as it has no flags.
void Bus::remember(View& view, const Region& region, Access access, std::uint64_t address) {
    if (core_.notes != nullptr) return;
    const bool stores = access == Access::write;
    const unsigned shift = view.space->unit_shift;
    Pages& table = stores ? view.stores : view.loads;
    PageEntry& entry = table[page_of(address >> shift)];
    if ((address >> shift) - entry.first <= entry.room >> shift) return;  // it is there
    std::uint64_t first = 0, last = 0;
    view.space->map.stretch(region, access, first, last);
    const Block& block = *region.block;
    if (!block.narrow(address, stores ? Block::code | Block::watched : Block::watched, first, last)) return;
    if (last - first < 7) return;
    entry = {first >> shift, last - first - 7, block.at(first), shift};
    // The next pages, as far as they are of it too: most programs come there next.
    for (std::uint64_t page = 1; page < pages_together && address + (page << page_shift << shift) <= last; ++page)
        table[page_of((address >> shift) + (page << page_shift))] = entry;
}

void Bus::remember_for_update(Index space, std::uint64_t address, unsigned bytes) {
    View& view = views_[space];
    if (transaction.active() || !view.space->byte_of(address, address)) return;
    const Region* const region = region_of(view, address);
    const bool is_storage = region != nullptr && region->block && region->last - address >= bytes - 1 &&
                            region->allows(Access::read) && region->allows(Access::write);
    if (!is_storage || is_watched(*region, address, bytes)) return;
    remember(view, *region, Access::read, address);
    remember(view, *region, Access::write, address);
}

// ---------------------------------------------------------------------------------------------------------------------
// Plain accesses

bool Bus::load(Index space, std::uint64_t address, unsigned bytes, std::uint64_t& value) {
    View& view = views_[space];
    std::uint64_t at = 0;
    if (!find_byte(Access::read, view, address, bytes, at) || !load_uncounted(view, at, bytes, value)) return false;
    ++core_.counters[index_of(ir::Counter::loads)];
    note(view, address, bytes, value, false);
    return true;
}

bool Bus::store(Index space, std::uint64_t address, unsigned bytes, std::uint64_t value) {
    View& view = views_[space];
    std::uint64_t at = 0;
    if (!find_byte(Access::write, view, address, bytes, at) || !store_uncounted(view, at, bytes, value)) return false;
    ++core_.counters[index_of(ir::Counter::stores)];
    note(view, address, bytes, value, true);
    return true;
}

void Bus::note(const View& view, std::uint64_t address, unsigned bytes, std::uint64_t value, bool is_store) {
    if (core_.notes == nullptr) return;
    const std::uint64_t number =
        view.space->big_endian ? __builtin_bswap64(value) >> (64 - 8 * bytes) : low_bytes(value, bytes);
    core_.notes->push_back({view.number, address, number, bytes * 8, is_store});
}

bool Bus::load_uncounted(View& view, std::uint64_t address, unsigned bytes, std::uint64_t& value) {
    const Region* region = region_of(view, address);
    if (region == nullptr || !region->allows(Access::read)) return refuse(Access::read, view, address, bytes);
    if (region->last - address < bytes - 1) return crossing_load(view, address, bytes, value);
    if (region->device == nullptr) return load_storage(view, *region, address, bytes, value);
    if (transaction.active()) return abort(AbortReason::event);
    Pause pause(*this);
    std::scoped_lock lock(system_.device_lock);
    system_.devices_changed();
    value = low_bytes(region->device->read(address - region->device_first, bytes, asker()), bytes);
    return true;
}

bool Bus::store_uncounted(View& view, std::uint64_t address, unsigned bytes, std::uint64_t value) {
    const Region* region = region_of(view, address);
    if (region == nullptr || !region->allows(Access::write)) return refuse(Access::write, view, address, bytes);
    if (region->last - address < bytes - 1) return crossing_store(view, address, bytes, value);
    if (region->device == nullptr) return store_storage(view, *region, address, bytes, value);
    if (transaction.active()) return abort(AbortReason::event);
    Pause pause(*this);
    std::scoped_lock lock(system_.device_lock);
    system_.devices_changed();
    region->device->write(address - region->device_first, bytes, low_bytes(value, bytes), asker());
    core_.stop_at = core_.count + 1;  // it may have raised a line
    return true;
}

// Whether an access over a region's end may be made: refuses the first byte that may not.
bool Bus::crosses(Access access, const View& view, std::uint64_t address, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) {
        const Region* region = address + i < address ? nullptr : view.space->map.find(address + i);
        if (region == nullptr || !region->block || !region->allows(access))
            return refuse(access, view, address + i < address ? address : address + i, bytes);
    }
    return true;
}

bool Bus::crossing_load(View& view, std::uint64_t address, unsigned bytes, std::uint64_t& value) {
    if (!crosses(Access::read, view, address, bytes)) return false;
    value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
        std::uint64_t byte = 0;
        if (!load_storage(view, *view.space->map.find(address + i), address + i, 1, byte)) return false;
        value |= byte << 8 * i;
    }
    return true;
}

bool Bus::crossing_store(View& view, std::uint64_t address, unsigned bytes, std::uint64_t value) {
    if (!crosses(Access::write, view, address, bytes)) return false;
    for (unsigned i = 0; i < bytes; ++i)
        if (!store_storage(view, *view.space->map.find(address + i), address + i, 1, value >> 8 * i & 0xff))
            return false;
    return true;
}

bool Bus::load_storage(View& view, const Region& region, std::uint64_t address, unsigned bytes, std::uint64_t& value) {
    if (transaction.active()) return load_in_transaction(view, region, address, bytes, value);
    if (is_watched(region, address, bytes)) {
        Section section(*this, address, bytes);
        value = load_shared(region.block->at(address), bytes);
    } else {
        value = load_shared(region.block->at(address), bytes);
        remember(view, region, Access::read, address);
    }
    return true;
}

bool Bus::store_storage(View& view, const Region& region, std::uint64_t address, unsigned bytes, std::uint64_t value) {
    if (transaction.active()) return transaction.write(view.number, address, bytes, value) || abort(AbortReason::size);
    if (is_watched(region, address, bytes)) {
        Section section(*this, address, bytes);
        section.stores = true;
        put(region, address, bytes, value);
    } else {
        if (!put(region, address, bytes, value)) remember(view, region, Access::write, address);
    }
    return true;
}

// Whether it went where code is, which no table leads to.
bool Bus::put(const Region& region, std::uint64_t address, unsigned bytes, std::uint64_t value) {
    store_shared(region.block->at(address), bytes, value);
    return look_at_code(region, address, bytes);
}

// ---------------------------------------------------------------------------------------------------------------------
// Code

std::size_t Bus::fetch(std::uint64_t address, std::span<std::uint8_t> bytes) {
    std::size_t done = 0;
    while (done < bytes.size() && address + done >= address) {
        const std::uint64_t at = address + done;
        const Region* region = system_.code_map().find(at);
        if (region == nullptr || !region->block || !region->allows(Access::execute)) break;
        const std::size_t in_line = Block::line - at % Block::line;
        const std::size_t part = std::min<std::uint64_t>({bytes.size() - done, in_line, region->last - at + 1});
        // Before they are read, so that whoever stores there later knows of it.
        flag_lines(*region, at, part, Block::code);
        std::optional<Section> section;
        if (is_watched(*region, at, static_cast<unsigned>(part)))
            section.emplace(*this, at, static_cast<unsigned>(part));
        const std::uint8_t* from = region->block->at(at);
        for (std::size_t i = 0; i < part; ++i) bytes[done + i] = load_shared<std::uint8_t>(from + i);
        done += part;
    }
    return done;
}

std::uint64_t Bus::code_at(std::uint64_t address) {
    const Region* const region = region_of(views_[system_.code], address);
    return region != nullptr && region->block ? load_shared<std::uint8_t>(region->block->at(address)) : 0;
}

void Bus::note_code(std::uint64_t address, std::uint64_t bytes) {
    View& view = views_[system_.code];
    for (std::uint64_t at = address; at < address + bytes; ++at) {
        const Region* region = region_of(view, at);
        if (region == nullptr || !region->block) continue;
        const Block& block = *region->block;
        if ((block.flags(at) & Block::code) != 0) continue;
        // As long as no line of its page had the flag, stretches of other pages went over it.
        if ((block.page_flags(at) & Block::code) == 0) clear(view.stores);
        block.set_flag(at, Block::code);
        view.stores[page_of(at)] = empty_[page_of(at)];
    }
}

// After a store: whether it went where instructions were translated from.
bool Bus::look_at_code(const Region& region, std::uint64_t address, unsigned bytes) const {
    const Block& block = *region.block;
    if (((block.flags(address) | block.flags(address + bytes - 1)) & Block::code) == 0) return false;
    if (core_.code_written != nullptr) core_.code_written(core_, address, bytes);
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Flags of lines, and who knows of them

// Of at most eight bytes.
bool Bus::is_watched(const Region& region, std::uint64_t address, unsigned bytes) const {
    const Block& block = *region.block;
    return ((block.flags(address) | block.flags(address + (bytes - 1))) & Block::watched) != 0;
}

// Sets a flag of lines; with the return all harts know it.
void Bus::flag_lines(const Region& region, std::uint64_t address, std::uint64_t bytes, std::uint8_t flag) {
    if (sharing_ == nullptr) return;
    const Block& block = *region.block;
    const std::uint64_t begin = address / Block::line, end = (address + (bytes - 1)) / Block::line + 1;
    const auto known = [&](std::uint64_t number) {
        return (block.flags(number * Block::line) & Block::known(flag)) != 0;
    };
    std::uint64_t number = begin;
    while (number != end && known(number)) ++number;
    if (number == end) return;
    for (number = begin; number != end; ++number) block.set_flag(number * Block::line, flag);
    tell_others();
    for (number = begin; number != end; ++number) block.set_flag(number * Block::line, Block::known(flag));
}

// The same for all that a transaction has written.
void Bus::watch_written() {
    std::vector<std::pair<const Block*, std::uint64_t>> fresh;
    for (const auto& [place, word] : transaction.words())
        for (unsigned i = 0; i < 8; ++i) {
            if ((word.mask >> i & 1) == 0) continue;
            const std::uint64_t address = place.address;
            const Block* block = region_of(views_[place.space], address + i)->block.get();
            if ((block->flags(address) & Block::known(Block::watched)) == 0) fresh.emplace_back(block, address);
        }
    if (fresh.empty()) return;
    for (auto [block, address] : fresh) block->set_flag(address, Block::watched);
    tell_others();
    for (auto [block, address] : fresh) block->set_flag(address, Block::known(Block::watched));
}

// Until no hart has in its tables what was flagged before this.
void Bus::tell_others() {
    const std::uint64_t round = sharing_->round.fetch_add(1) + 1;
    heavy_fence();
    acknowledge();
    for (Member& other : std::span(sharing_->members, sharing_->used))
        for (unsigned spins = 1; &other != &sharing_->members[core_.slot] && other.seen.load() < round; ++spins) {
            *other.stop_at = 0;  // again and again: it may be setting it itself
            acknowledge();
            if (spins % 64 == 0) std::this_thread::yield();
        }
}

void Bus::see_round() {
    const std::uint64_t round = sharing_->round.load();
    round_ = round;
    forget_pages();
    if (!awake_) return;
    sharing_->members[core_.slot].seen.store(round, std::memory_order_release);
    std::this_thread::yield();  // whoever waits for it may be waiting for this processor too
}

void Bus::say_settled() {
    settled_ = round_;
    sharing_->members[core_.slot].settled.store(round_, std::memory_order_release);
}

void Bus::wake() {
    if (sharing_ == nullptr) return;
    awake_ = true;
    Member& own = sharing_->members[core_.slot];
    own.seen.store(0, std::memory_order_release);   // who sees it finds the hart made
    own.settled.store(0, std::memory_order_release);
    light_fence();   // before the round is looked at
    acknowledge();
    own.seen.store(round_, std::memory_order_release);
    say_settled();
}

void Bus::rest() {
    if (sharing_ == nullptr) return;
    awake_ = false;
    sharing_->members[core_.slot].seen.store(Member::quiet, std::memory_order_release);
    sharing_->members[core_.slot].settled.store(Member::quiet, std::memory_order_release);
}

// ---------------------------------------------------------------------------------------------------------------------
// Stripes and locks

bool Bus::holds(std::uint32_t stripe) const { return std::find(held_.begin(), held_.end(), stripe) != held_.end(); }

void Bus::take(std::uint32_t stripe) {
    if (holds(stripe)) return;
    for (unsigned round = 1; !sharing_->stripes[stripe].try_take(); ++round) {
        acknowledge();
        if (round % 64 == 0) std::this_thread::yield();
    }
}

bool Bus::try_take(std::uint32_t stripe) { return holds(stripe) || sharing_->stripes[stripe].try_take(); }

void Bus::give_back(std::uint32_t stripe) {
    if (!holds(stripe)) sharing_->stripes[stripe].give_back();
}

// The hart's own stores leave its reservation alone.
void Bus::count_store(std::uint32_t stripe) {
    Stripe& counted = sharing_->stripes[stripe];
    const bool reserved =
        reservation_.bytes != 0 && reservation_.stripe == stripe && reservation_.version == counted.version();
    counted.count_store();
    if (reserved) reservation_.version = counted.version();
}

void Bus::lock(Index space, std::uint64_t address) {
    View& view = views_[space];
    if (sharing_ == nullptr || transaction.active() || !view.space->byte_of(address, address)) return;
    for (std::uint64_t at : {address, address + 7})
        if (const Region* region = region_of(view, at); region != nullptr && region->block)
            flag_lines(*region, at, 1, Block::watched);
    if (lock_depth_++ == 0 && !sharing_->exclusive.try_lock()) {
        Pause pause(*this);
        sharing_->exclusive.lock();
    }
    for (std::uint32_t stripe : {Sharing::stripe_of(address), Sharing::stripe_of(address + 7)}) {
        if (holds(stripe)) continue;
        take(stripe);
        held_.push_back(stripe);
    }
}

void Bus::unlock() {
    if (lock_depth_ == 0 || --lock_depth_ != 0) return;
    for (std::uint32_t stripe : held_) sharing_->stripes[stripe].give_back();
    held_.clear();
    sharing_->exclusive.unlock();
}

void Bus::unlock_all() {
    if (lock_depth_ == 0) return;
    lock_depth_ = 1;
    unlock();
}

// ---------------------------------------------------------------------------------------------------------------------
// Reservations

const Region* Bus::storage_for(Access access, View& view, std::uint64_t address, unsigned bytes) {
    const Region* region = region_of(view, address);
    if (region == nullptr || !region->allows(access) || !region->block || region->last - address < bytes - 1) {
        refuse(access, view, address, bytes);
        return nullptr;
    }
    if (Sharing::stripe_of(address) != Sharing::stripe_of(address + bytes - 1)) {
        refuse(StopReason::misaligned, view, address, bytes);
        return nullptr;
    }
    return region;
}

bool Bus::load_linked(Index space, std::uint64_t unit, unsigned bytes, std::uint64_t& value) {
    View& view = views_[space];
    std::uint64_t address = 0;
    if (!find_byte(Access::read, view, unit, bytes, address)) return false;
    const Region* region = storage_for(Access::read, view, address, bytes);
    if (region == nullptr) return false;
    ++core_.counters[index_of(ir::Counter::loads)];
    reservation_ = {space, address, 0, bytes, Sharing::stripe_of(address)};
    if (transaction.active() || sharing_ == nullptr) {
        if (!load_storage(view, *region, address, bytes, value)) return false;
    } else {
        flag_lines(*region, address, bytes, Block::watched);
        Section section(*this, address, bytes);
        value = load_shared(region->block->at(address), bytes);
        reservation_.version = sharing_->stripes[reservation_.stripe].version();
    }
    note(view, unit, bytes, value, false);
    return true;
}

bool Bus::store_conditional(Index space, std::uint64_t unit, unsigned bytes, std::uint64_t value, bool& stored) {
    stored = false;
    View& view = views_[space];
    std::uint64_t address = 0;
    if (!find_byte(Access::write, view, unit, bytes, address)) return false;
    const Region* region = storage_for(Access::write, view, address, bytes);
    if (region == nullptr) return false;
    ++core_.counters[index_of(ir::Counter::stores)];
    const Reservation reservation = reservation_;
    forget_reservation();
    if (reservation.bytes != bytes || reservation.space != space || reservation.address != address) return true;
    if (transaction.active() || sharing_ == nullptr) {
        if (!store_storage(view, *region, address, bytes, value)) return false;
        stored = true;
    } else {
        Section section(*this, address, bytes);
        if (sharing_->stripes[section.first].version() != reservation.version) return true;
        section.stores = stored = true;
        put(*region, address, bytes, value);
    }
    note(view, unit, bytes, value, true);
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Transactions

bool Bus::abort(AbortReason reason) {
    core_.reason = StopReason::aborted;
    core_.fault_address = static_cast<std::uint64_t>(reason);
    return false;
}

bool Bus::begin(std::uint64_t pc, std::span<const std::byte> registers) {
    if (transaction.depth() == Transaction::max_depth) return abort(AbortReason::depth);
    forget_reservation();
    if (!transaction.active() && sharing_ != nullptr) transaction.seen = sharing_->clock.load();
    transaction.begin(pc, registers);
    choose_pages();
    return true;
}

bool Bus::end() {
    forget_reservation();
    if (transaction.depth() > 1) {
        transaction.merge();
        return true;
    }
    if (!publish()) return abort(AbortReason::conflict);
    transaction.clear();
    choose_pages();
    return true;
}

// Everything read so far comes from one moment, at the latest from now.
bool Bus::reads_hold() const {
    return std::all_of(transaction.reads().begin(), transaction.reads().end(), [&](const Transaction::Read& read) {
        return sharing_->stripes[read.stripe].version() == read.version;
    });
}

bool Bus::load_in_transaction(View& view, const Region& region, std::uint64_t address, unsigned bytes,
                              std::uint64_t& value) {
    bool unchanged = true;
    if (sharing_ == nullptr) {
        value = load_shared(region.block->at(address), bytes);
    } else {
        flag_lines(region, address, bytes, Block::watched);
        Section section(*this, address, bytes);
        value = load_shared(region.block->at(address), bytes);
        for (std::uint32_t stripe : {section.first, section.second})
            unchanged = unchanged && transaction.note_read(stripe, sharing_->stripes[stripe].version());
    }
    while (unchanged && sharing_ != nullptr) {
        acknowledge();
        const std::uint64_t now = sharing_->clock.load();
        if (now == transaction.seen) break;
        unchanged = reads_hold();
        transaction.seen = now;
    }
    if (!unchanged) return abort(AbortReason::conflict);
    value = transaction.overlay(view.number, address, bytes, value);
    return true;
}

// Takes all stripes that are written, looks whether what was read still holds, and only then stores.
bool Bus::publish() {
    if (sharing_ != nullptr) watch_written();
    std::vector<std::uint32_t> stripes;
    for (const auto& [place, word] : transaction.words()) stripes.push_back(Sharing::stripe_of(place.address));
    std::sort(stripes.begin(), stripes.end());
    stripes.erase(std::unique(stripes.begin(), stripes.end()), stripes.end());
    const auto give_back = [&](std::size_t count) {
        while (count-- > 0) sharing_->stripes[stripes[count]].give_back();
    };
    for (std::size_t taken = 0; sharing_ != nullptr && taken < stripes.size();) {
        if (sharing_->stripes[stripes[taken]].try_take()) {
            ++taken;
            continue;
        }
        give_back(taken);
        taken = 0;
        acknowledge();
        std::this_thread::yield();
    }
    const auto still_holds = [&](const Transaction::Read& read) {
        const Stripe& stripe = sharing_->stripes[read.stripe];
        const bool own = std::binary_search(stripes.begin(), stripes.end(), read.stripe);
        // Another's transaction may be about to store there.
        for (unsigned spins = 0; !own && stripe.taken(); ++spins)
            if (spins == spins_before_conflict) return false;
        return stripe.version() == read.version;
    };
    if (sharing_ != nullptr && !std::all_of(transaction.reads().begin(), transaction.reads().end(), still_holds)) {
        give_back(stripes.size());
        return false;
    }
    for (const auto& [place, word] : transaction.words())
        for (unsigned i = 0; i < 8; ++i) {
            const std::uint64_t at = place.address + i;
            if ((word.mask >> i & 1) != 0) put(*region_of(views_[place.space], at), at, 1, word.bytes >> 8 * i & 0xff);
        }
    if (sharing_ == nullptr) return true;
    sharing_->clock.fetch_add(1);
    for (std::uint32_t stripe : stripes) sharing_->stripes[stripe].count_store();
    give_back(stripes.size());
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// In the program's name

bool Bus::read_bytes(std::uint64_t address, std::span<std::uint8_t> bytes) {
    View& view = views_[system_.main];
    for (std::size_t done = 0; done < bytes.size();) {
        const std::uint64_t at = address + done;
        const Region* region = at < address ? nullptr : region_of(view, at);
        if (region == nullptr || !region->block || !region->allows(Access::read)) return false;
        const std::size_t part = std::min<std::uint64_t>({bytes.size() - done, 8 - at % 8, region->last - at + 1});
        std::uint64_t value = 0;
        if (!load_storage(view, *region, at, static_cast<unsigned>(part), value)) return false;
        std::memcpy(bytes.data() + done, &value, part);
        done += part;
    }
    return true;
}

bool Bus::write_bytes(std::uint64_t address, std::span<const std::uint8_t> bytes) {
    View& view = views_[system_.main];
    for (std::size_t done = 0; done < bytes.size();) {
        const std::uint64_t at = address + done;
        const Region* region = at < address ? nullptr : region_of(view, at);
        if (region == nullptr || !region->block || !region->allows(Access::write)) return false;
        const std::size_t part = std::min<std::uint64_t>({bytes.size() - done, 8 - at % 8, region->last - at + 1});
        std::uint64_t value = 0;
        std::memcpy(&value, bytes.data() + done, part);
        if (!store_storage(view, *region, at, static_cast<unsigned>(part), value)) return false;
        done += part;
    }
    if (view.space->checked) view.space->checked->set(address, bytes.size(), false);
    return true;
}

}  // namespace isaforge::machine

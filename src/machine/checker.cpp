#include "machine/checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "machine/state.hpp"

namespace isaforge {

std::optional<Checks> parse_checks(std::string_view text) {
    Checks checks;
    for (;;) {
        const std::size_t comma = text.find(',');
        const std::string_view name = text.substr(0, comma);
        if (name == "all") {
            checks = all_checks;
        } else if (name == "bounds") {
            checks.bounds = true;
        } else if (name == "uninitialised") {
            checks.uninitialised = true;
        } else if (name == "races") {
            checks.races = true;
        } else if (name == "waits") {
            checks.waits = true;
        } else if (name == "hazards") {
            checks.hazards = true;
        } else {
            return std::nullopt;
        }
        if (comma == std::string_view::npos) return checks;
        text.remove_prefix(comma + 1);
    }
}

std::string lanes_text(std::uint64_t lanes) {
    constexpr unsigned most_runs = 6;
    std::string text;
    unsigned runs = 0;
    for (unsigned lane = 0; lane < 64; ++lane) {
        if ((lanes >> lane & 1) == 0) continue;
        if (++runs > most_runs) return fmt::format("{} and more, {} together", text, std::popcount(lanes));
        unsigned last = lane;
        while (last < 63 && (lanes >> (last + 1) & 1) != 0) ++last;
        text += fmt::format("{}{}", text.empty() ? "" : ", ", lane);
        if (last != lane) text += fmt::format("-{}", last);
        lane = last;
    }
    return text;
}

namespace machine {

namespace {

constexpr std::size_t most_acquired = 64;  // harts apart from each other
constexpr std::size_t most_findings = 4096, most_removed = 1024;
constexpr std::uint32_t most_harts_named = (1u << 27) - 1;

std::uint64_t bit_of(unsigned lane) { return lane < 64 ? std::uint64_t{1} << lane : 0; }

// Calls `visit` for each run of lanes that access memory side by side: the first of them, how many they are, and their first byte.
template <class Visit>
void for_each_run(const LanesOf& lanes, const Space& space, unsigned bytes, const std::uint64_t* addresses,
                  Visit&& visit) {
    const std::uint64_t step = bytes >> space.unit_shift;
    std::uint64_t byte = 0, behind = 0;
    for (unsigned lane = 0; lane < lanes.lanes;) {
        unsigned run = 1;
        if (lanes.acts(lane) && space.byte_of(addresses[lane], byte)) {
            while (lane + run < lanes.lanes && lanes.acts(lane + run) && step != 0 &&
                   addresses[lane + run] == addresses[lane] + run * step &&
                   space.byte_of(addresses[lane + run], behind))
                ++run;
            visit(lane, run, byte);
        }
        lane += run;
    }
}

}  // namespace

std::uint64_t LanesOf::that_act() const {
    std::uint64_t acting = 0;
    for (unsigned lane = 0; lanes != 1 && lane < lanes; ++lane)
        if (acts(lane)) acting |= bit_of(lane);
    return acting;
}

struct Checker::Watch {
    Machine::State& hart;
    const Space& space;
    ir::AccessKind kind;
    Accessor now;                    // but for its bytes
    std::uint32_t ordered = 0;       // all that was done before this time is in order with it
    Race race;
    bool raced = false;
    std::uint32_t acquired_from = 0;  // the hart whose word it has updated last

    bool is_ordered(const Accessor& access) const {
        return access.hart == 0 || access.hart == now.hart || access.time < ordered;
    }
};

// ---------------------------------------------------------------------------------------------------------------------
// Order

bool Acquired::covers(const Accessor& access, std::uint32_t its_group) const {
    if (access.time < all) return true;
    return std::any_of(harts.begin(), harts.end(), [&](const auto& each) {
        return (each.first == access.hart || each.first == (group | its_group)) && access.time < each.second;
    });
}

// With too many, everything before: that is more than came.
void Acquired::add(std::uint32_t hart, std::uint32_t time) {
    if (time <= all) return;
    for (auto& [known, when] : harts)
        if (known == hart) {
            when = std::max(when, time);
            return;
        }
    harts.emplace_back(hart, time);
    if (harts.size() <= most_acquired) return;
    for (const auto& each : harts) all = std::max(all, each.second);
    harts.clear();
}

void Acquired::add(const Acquired& other) {
    if (other.all > all) {
        all = other.all;
        std::erase_if(harts, [&](const auto& each) { return each.second <= all; });
    }
    if (&other == this) return;
    for (const auto& [hart, time] : other.harts) add(hart, time);
}

// All harts of the group have passed it, and none has accessed anything since, or come to another one.
void Checker::see_barriers(Group& group) {
    CheckedGroup& checked = group.checked;
    if (!group.barrier.has_passed(checked.barriers)) return;
    checked.barrier_time = ++now_;
    checked.acquired.add(checked.coming);
    checked.unfinished.swap(checked.coming_unfinished);
    checked.coming_unfinished.clear();
    std::uint32_t ordered = checked.barrier_time;
    for (const Accessor& access : checked.unfinished) ordered = std::min(ordered, access.time);
    std::atomic_ref(checked.ordered_before).store(ordered, std::memory_order_relaxed);
    std::atomic_ref(checked.barriers).store(group.barrier.passed(), std::memory_order_release);
}

// Others may see what the hart does in memory of all, and with it what its group did before their last barrier.
void Checker::see_barriers_at(Machine::State& hart, const Space& space, ir::AccessKind kind) {
    const std::atomic_ref barriers(hart.group->checked.barriers);
    const std::uint64_t seen = barriers.load(std::memory_order_acquire);
    const bool is_new = hart.group->barrier.has_passed(seen);
    const bool shows = kind.atomic || (kind.stores && !space.is_of_group);
    if (!is_new && !(shows && hart.checked.brought != seen)) return;
    const auto order = lock_beside(space);
    see_barriers(*hart.group);
    if (!shows) return;
    bring_barrier(hart);
    hart.checked.brought = barriers.load(std::memory_order_relaxed);
}

// The checker's lock, where an access to that memory is done with another one.
std::unique_lock<BriefLock> Checker::lock_beside(const Space& space) {
    return space.is_of_group ? std::unique_lock(lock_) : std::unique_lock<BriefLock>();
}

// Whether it may come behind the barrier that its hart did not wait before.
bool Checker::is_unfinished(const CheckedGroup& group, const Accessor& access) {
    return std::any_of(group.unfinished.begin(), group.unfinished.end(), [&](const Accessor& each) {
        return each.hart == access.hart && each.place == access.place && each.time == access.time;
    });
}

bool Checker::is_ordered(const Accessor& access, const Machine::State& hart) const {
    const CheckedGroup& group = hart.group->checked;
    const std::uint32_t ended = dispatches_[names_[access.hart].dispatch].end;
    if (ended != 0 && ended < dispatches_[names_[hart.checked.number].dispatch].begin) return true;
    const std::uint32_t its_group = names_[access.hart].checked_group;
    if (its_group == group.number && access.time < group.barrier_time && !is_unfinished(group, access)) return true;
    return acquired_[hart.checked.number].covers(access, its_group) || group.acquired.covers(access, its_group);
}

void Checker::acquire(Machine::State& hart, const Accessor& from) {
    Acquired& mine = acquired_[hart.checked.number];
    mine.add(from.hart, ++now_);
    mine.add(acquired_[from.hart]);
    hart.group->checked.coming.add(mine);
}

// Others may have written the words of its last access between the look at them and the access itself.
void Checker::acquire_awaited(Machine::State& hart) {
    std::vector<std::uint64_t>& words = hart.checked.awaited;
    if (words.empty()) return;
    const Space& space = *hart.group->spaces[hart.checked.awaited_in];
    const std::lock_guard lock(lock_of(space));
    std::uint32_t acquired_from = 0;
    for (const std::uint64_t word : words) {
        const AccessCell* const cell = space.checked->cell(word);
        const Accessor write = cell != nullptr ? cell->write : Accessor{};
        if (write.hart == 0 || write.hart == hart.checked.number || write.hart == acquired_from) continue;
        if (!write.atomic && hart.checked.awaited_stores) continue;
        const auto order = lock_beside(space);
        acquire(hart, write);
        acquired_from = write.hart;
    }
    words.clear();
}

// What was accessed before is in order with what it does now: in memory of its group, where nobody else was, by the last
// barrier, and anywhere else where nobody ran when its dispatch began.
std::uint32_t Checker::ordered_before(const Machine::State& hart, const Space& space) const {
    if (space.is_of_group) return std::atomic_ref(hart.group->checked.ordered_before).load(std::memory_order_relaxed);
    const std::uint32_t dispatch = names_[hart.checked.number].dispatch;
    return std::max(acquired_[hart.checked.number].all, dispatches_[dispatch].alone_from);
}

// Who sees what it does now has what its group did before their last barrier, too.
void Checker::bring_barrier(Machine::State& hart) {
    const CheckedGroup& group = hart.group->checked;
    Acquired& mine = acquired_[hart.checked.number];
    if (group.barrier_time != 0) mine.add(Acquired::group | group.number, group.barrier_time);
    mine.add(group.acquired);
}

void Checker::fence(Machine::State& hart) {
    const std::lock_guard lock(lock_);
    acquired_[hart.checked.number].all = ++now_;
    acquired_[hart.checked.number].harts.clear();
    hart.group->checked.coming.add(acquired_[hart.checked.number]);
}

// ---------------------------------------------------------------------------------------------------------------------
// Beginnings

Checker::Checker(const Checks& checks, const Isa& isa, std::string hart_name)
    : checks_(checks),
      isa_(isa),
      hart_name_(std::move(hart_name)),
      files_(static_cast<Index>(isa.register_files.size() / (checks.uninitialised ? 2 : 1))) {
    acquired_.emplace_back();
    names_.emplace_back();
    for (const Hazard& hazard : isa.hazards) most_states_ = std::max<std::size_t>(most_states_, hazard.states);
    for (const auto& event : isa.events) narrows_ = narrows_ && event.name != "bad_read" && event.name != "bad_write";
}

void Checker::begin(Machine::State& hart, std::uint64_t group, unsigned number) { begin(hart, group, number, nullptr); }

void Checker::begin(Machine::State& hart, const HartPlace& place, const Dispatch& dispatch) {
    begin(hart, place.group, place.number, &dispatch);
    const PrivateMemory& pieces = dispatch.private_memory;
    if (pieces.bytes_of_hart == 0) return;
    hart.checked.private_first = pieces.first + place.slot * pieces.bytes_of_hart;
    hart.checked.private_last = hart.checked.private_first + (pieces.bytes_of_hart - 1);
}

void Checker::begin(Machine::State& hart, std::uint64_t group, unsigned number, const Dispatch* dispatch) {
    const std::lock_guard lock(lock_);
    if (acquired_.size() < most_harts_named) {
        acquired_.emplace_back();
        names_.push_back({group, number, hart.group->checked.number, dispatch != nullptr ? dispatch->checked : 0});
    }
    hart.checked = {.number = static_cast<std::uint32_t>(acquired_.size() - 1),
                    .group = group,
                    .number_in_group = number,
                    .dispatch = dispatch};
    if (!checks_.uninitialised || !hart.program->layout.has_registers()) return;
    for (Index file = 0; file < files_; ++file) {
        const RegisterFile& registers = isa_.register_files[file];
        const std::uint64_t mask = registers.is_zero_at_reset ? 0 : semantics::mask_of(registers.bits);
        const unsigned bytes = lane_bytes(registers);
        std::byte* at = hart.block.bytes() + hart.program->layout.offset(file + files_, 0);
        if (8 % bytes == 0 && mask == ~std::uint64_t{0} >> (64 - 8 * bytes) && registers.lanes != 1) {
            std::memset(at, 0xff, std::size_t{register_bytes(registers)} * registers.count);
            continue;
        }
        for (unsigned i = 0; i < registers.count; ++i, at += register_bytes(registers))
            for (unsigned lane = 0; lane < registers.lanes; ++lane) std::memcpy(at + lane * bytes, &mask, bytes);
    }
}

void Checker::begin(Group& group) {
    const std::lock_guard lock(lock_);
    group.checked = {.number = ++groups_, .barriers = group.barrier.passed()};
    for (Space& space : group.own)
        if (space.checked) space.checked->clear();
}

std::uint32_t Checker::begin_dispatch() {
    const std::lock_guard lock(lock_);
    const std::uint32_t begin = ++now_;
    dispatches_.push_back({.begin = begin, .alone_from = running_++ == 0 ? begin : 0});
    return static_cast<std::uint32_t>(dispatches_.size() - 1);
}

void Checker::end_dispatch(std::uint32_t dispatch) {
    const std::lock_guard lock(lock_);
    dispatches_[dispatch].end = ++now_;
    --running_;
}

void Checker::note_unordered(std::uint64_t first, std::uint64_t bytes) {
    const std::lock_guard lock(lock_);
    private_[first] = first + (bytes - 1);
}

void Checker::note_unwritten(const Space& space, std::uint64_t first, std::uint64_t bytes, bool is_private) {
    const std::lock_guard lock(lock_);
    if (space.checked && bytes != 0) space.checked->set(first, bytes, true);
    if (is_private && bytes != 0) private_[first] = first + (bytes - 1);
}

void Checker::lend(const Checker& lender, const Space& from, const Space& space) {
    const std::scoped_lock locks(lock_, lender.lock_);
    private_ = lender.private_;
    if (from.checked && space.checked) space.checked->know_as(*from.checked);
}

void Checker::note_written(const Space& space, std::uint64_t first, std::uint64_t bytes) {
    const std::lock_guard lock(lock_);
    if (space.checked && bytes != 0) space.checked->set(first, bytes, false);
}

bool Checker::is_private(std::uint64_t byte, Stretch& known) const {
    if (byte >= known.first && byte <= known.last) return known.is_private;
    const auto behind = private_.upper_bound(byte);
    known = {.first = 0, .last = behind != private_.end() ? behind->first - 1 : ~std::uint64_t{0}};
    if (behind == private_.begin()) return false;
    const auto& [first, last] = *std::prev(behind);
    known.is_private = byte <= last;
    known.first = known.is_private ? first : last + 1;
    if (known.is_private) known.last = std::min(known.last, last);
    return known.is_private;
}

void Checker::note_removed(const Space& space, const Region& region) {
    const std::lock_guard lock(lock_);
    if (space.checked) space.checked->set(region.first, region.last - region.first + 1, false);
    if (removed_.size() >= most_removed) removed_.erase(removed_.begin());
    removed_.push_back({&space, region.first, region.last, region.name});
}

namespace {

// Whether its instruction accesses memory of which it has a piece.
bool accesses_its_own(const Machine::State& hart) {
    return hart.checked.private_last != 0 && hart.checked.private_at == hart.core.count;
}

}  // namespace

// What lies where the hart may not go.
std::string Checker::place_text(const Machine::State& hart, const Space& space, std::uint64_t byte) const {
    const CheckedHart& own = hart.checked;
    const Region* const region = accesses_its_own(hart) ? space.map.find(byte) : nullptr;
    if (region != nullptr && region->first <= own.private_first && own.private_last <= region->last)
        return "outside of " + own.dispatch->private_memory.name;
    for (auto each = removed_.rbegin(); each != removed_.rend(); ++each)
        if (each->space == &space && byte >= each->first && byte <= each->last)
            return fmt::format("in `{}` of {} bytes, which was given back", each->name, each->last - each->first + 1);
    return space.map.describe_near(byte);
}

void Checker::set_register(Machine::State& hart, Index file, std::uint64_t number, unsigned lane) const {
    if (!checks_.uninitialised || !hart.program->layout.has_registers()) return;
    const unsigned bytes = lane_bytes(isa_.register_files[file]);
    std::memset(hart.block.bytes() + hart.program->layout.offset(file + files_, number) + lane * bytes, 0, bytes);
}

// ---------------------------------------------------------------------------------------------------------------------
// Reports

void Checker::report(Machine::State& hart, const Instruction& instruction, std::string_view check, unsigned kind,
                     const std::string& message, std::uint64_t lanes) {
    if (hart.is_beginning) return;  // a machine may look whether there is anything to begin with
    hart.checked.told = &instruction;
    hart.checked.told_at = hart.core.count;
    const std::tuple key(std::string(check), instruction.address, kind);
    auto found = found_.find(key);
    if (found == found_.end()) {
        if (found_.size() >= most_findings) return;
        Finding made{.check = std::string(check), .message = message, .address = instruction.address};
        made.text = hart.instruction_text(instruction.address);
        if (hart.options.source_line) made.source_line = hart.options.source_line(instruction.address);
        if (hart.checked.dispatch != nullptr) made.program = hart.checked.dispatch->name;
        made.group = hart.checked.group;
        made.hart = hart.checked.number_in_group;
        made.lanes = lanes;
        found = found_.emplace(key, std::move(made)).first;
    }
    ++found->second.count;
}

std::vector<Finding> Checker::findings() const {
    const std::lock_guard lock(lock_);
    std::vector<Finding> all;
    for (const auto& [key, finding] : found_) all.push_back(finding);
    std::stable_sort(all.begin(), all.end(), [](const Finding& a, const Finding& b) { return a.address < b.address; });
    return all;
}

// ---------------------------------------------------------------------------------------------------------------------
// Accesses

std::string Checker::access_text(const Space& space, ir::AccessKind kind, std::uint64_t byte) const {
    const char* const verb = !kind.stores ? "reads" : kind.atomic ? "updates" : "writes";
    const std::string where = isa_.memories.size() > 1 ? fmt::format(" of `{}`", space.name) : std::string();
    return fmt::format("{} {} byte{} at {:#x}{}", verb, kind.bytes, kind.bytes == 1 ? "" : "s",
                       byte >> space.unit_shift, where);
}

std::uint32_t Checker::add_place(std::uint64_t address) {
    const std::lock_guard lock(places_lock_);
    const auto [found, added] = place_numbers_.try_emplace(address, static_cast<std::uint32_t>(places_.size()));
    if (added) places_.push_back(address);
    return found->second;
}

std::uint64_t Checker::address_of_place(std::uint32_t place) {
    const std::lock_guard lock(places_lock_);
    return places_[place];
}

// A hart that reads or writes what another one has written, or writes what it has read: is it in no order?
void Checker::see_race(const Accessor& before, bool wrote, const Accessor& now, std::uint64_t byte, unsigned lane,
                       Watch& watch) {
    // A look at a word that others update atomically is not told from an atomic load.
    // A word that some read so that they see what all have written may be written in any way.
    const bool is_atomic = (before.atomic && (now.atomic || !watch.kind.stores || !wrote)) ||
                           (now.atomic && (!wrote || !watch.kind.stores));
    if ((before.bytes & now.bytes) == 0 || is_atomic) return;
    const auto lock = lock_beside(watch.space);
    if (is_ordered(before, watch.hart)) return;
    if (!watch.raced) watch.race = {.address = byte, .other = before, .other_wrote = wrote};
    watch.raced = true;
    watch.race.lanes |= bit_of(lane);
}

namespace {

// Words by their places. Where two want one, what is known of the former is lost: a store into it is taken for a plain one.
constexpr std::size_t most_updated = 1024;
std::size_t updated_place(std::uint64_t byte) { return (byte / CheckedMemory::word * 0x9e3779b97f4a7c15u) >> 54; }

void keep_updated(CheckedHart& hart, std::uint64_t byte) {
    if (hart.updated.empty()) hart.updated.assign(most_updated, ~std::uint64_t{0});
    hart.updated[updated_place(byte)] = byte / CheckedMemory::word;
}

bool has_updated(const CheckedHart& hart, std::uint64_t byte) {
    return !hart.updated.empty() && hart.updated[updated_place(byte)] == byte / CheckedMemory::word;
}

}  // namespace

void Checker::note_word(AccessCell& cell, unsigned bytes, std::uint64_t byte, unsigned lane, Watch& watch) {
    if (watch.kind.atomic) {
        std::vector<std::uint64_t>& awaited = watch.hart.checked.awaited;
        if (awaited.empty() || awaited.back() != byte) awaited.push_back(byte);
    }
    const bool acquires = watch.kind.atomic && (cell.write.atomic || !watch.kind.stores);
    if (acquires && cell.write.hart != 0 && cell.write.hart != watch.now.hart && (cell.write.bytes & bytes) != 0 &&
        cell.write.hart != watch.acquired_from) {
        const auto lock = lock_beside(watch.space);
        acquire(watch.hart, cell.write);
        watch.acquired_from = cell.write.hart;
        watch.now.time = now_.load(std::memory_order_relaxed);
    }
    Accessor now = watch.now;
    now.bytes = bytes & 15u;
    if (watch.kind.stores && watch.kind.atomic)
        keep_updated(watch.hart.checked, byte);
    else if (watch.kind.stores && cell.write.atomic && has_updated(watch.hart.checked, byte))
        now.atomic = true;
    if (!watch.is_ordered(cell.write)) see_race(cell.write, true, now, byte, lane, watch);
    if (watch.kind.stores) {
        for (const Accessor& read : cell.reads)
            if (!watch.is_ordered(read)) see_race(read, false, now, byte, lane, watch);
        cell.write = now;
    } else if (cell.reads[0].hart == now.hart) {
        now.bytes = (bytes | cell.reads[0].bytes) & 15u;
        cell.reads[0] = now;
    } else {
        cell.reads[1] = cell.reads[0];
        cell.reads[0] = now;
    }
}

void Checker::note(std::uint64_t byte, unsigned bytes, unsigned lane, Watch& watch) {
    constexpr std::uint64_t word = CheckedMemory::word;
    for (std::uint64_t at = byte, left = bytes; left != 0;) {
        const std::uint64_t here = std::min(left, word - at % word);
        if (AccessCell* const cell = watch.space.checked->cell(at))
            note_word(*cell, ((1u << here) - 1) << at % word, at, lane, watch);
        at += here;
        left -= here;
    }
}

std::string Checker::race_text(const Machine::State& hart, const Race& race, const Space& space, ir::AccessKind kind) {
    const Name& other = names_[race.other.hart];
    std::string who = fmt::format("{} {}", hart_name_, other.number);
    if (other.group != hart.checked.group) who += fmt::format(" of group {}", other.group);
    const std::uint64_t address = address_of_place(race.other.place);
    const bool unfinished = space.is_of_group && is_unfinished(hart.group->checked, race.other);
    return fmt::format("{}, which {} {}{} in no order with it, by the instruction at {:#x} `{}`{}",
                       access_text(space, kind, race.address), who, race.other.atomic ? "atomically " : "",
                       race.other_wrote ? "wrote" : "read", address, hart.instruction_text(address),
                       unfinished ? ", for which it did not wait before the barrier" : "");
}

// What accesses memory of the group may be under way when its hart comes to a barrier.
void Checker::note_in_group(Machine::State& hart, const Accessor& access) {
    std::vector<UnderWay>& under_way = hart.checked.under_way;
    for (auto each = under_way.rbegin(); each != under_way.rend() && each->begun_at == hart.core.count; ++each) {
        each->accessed_at = access.time;
        each->place = access.place;
    }
}

void Checker::access(Machine::State& hart, const LanesOf& lanes, Index space_number, ir::AccessKind kind,
                     const std::uint64_t* addresses, std::uint8_t* allowed) {
    const Space& space = *hart.group->spaces[space_number];
    if (checks_.races) acquire_awaited(hart);
    const std::lock_guard lock(lock_of(space));
    const bool is_coherent = hart.checked.coherent_at == hart.core.count;
    kind.atomic |= hart.bus.holds_lock() || (is_coherent && !kind.stores);
    const bool was_told = hart.checked.told == &lanes.instruction && hart.checked.told_at == hart.core.count;
    Outside outside, misaligned;
    Watch watch{.hart = hart, .space = space, .kind = kind};
    Stretch known;
    if (checks_.races) see_barriers_at(hart, space, kind);
    watch.now.hart = hart.checked.number;
    watch.now.atomic = kind.atomic || is_coherent;
    watch.now.time = now_.load(std::memory_order_relaxed);
    watch.now.place = lanes.instruction.place;
    watch.ordered = ordered_before(hart, space);
    hart.checked.awaited_in = space_number;
    hart.checked.awaited_stores = kind.stores;
    if (space.is_of_group) note_in_group(hart, watch.now);
    std::uint64_t low = 1, high = 0;  // a stretch of storage that was found
    std::uint64_t noted = ~std::uint64_t{0};  // by the lane before, as this one would
    const auto add = [](Outside& to, std::uint64_t byte, unsigned lane) {
        if (!to.any) to.first = byte;
        to.any = true;
        to.lanes |= bit_of(lane);
    };
    for (unsigned lane = 0; lane < lanes.lanes; ++lane) {
        allowed[lane] = lanes.acts(lane) ? 1 : 0;
        std::uint64_t byte = 0;
        if (allowed[lane] == 0 || !space.byte_of(addresses[lane], byte)) continue;
        const std::uint64_t last = byte + kind.bytes - 1;
        if (byte < low || last > high || last < byte) {
            const Region* const region = space.map.find(byte);
            const Region* const end = region != nullptr && last <= region->last ? region : space.map.find(last);
            if (region == nullptr || end == nullptr || last < byte) {
                add(outside, byte, lane);
                allowed[lane] = narrows_ && checks_.bounds ? 0 : 1;
                continue;
            }
            low = region->first;
            high = std::max(last, region->last);
            if (const CheckedHart& own = hart.checked;
                checks_.bounds && accesses_its_own(hart) && low <= own.private_first && own.private_last <= high) {
                if (byte < own.private_first || last > own.private_last) {
                    add(outside, byte, lane);
                    allowed[lane] = narrows_ ? 0 : 1;
                    low = 1, high = 0;
                    continue;
                }
                low = own.private_first;
                high = own.private_last;
            }
            if (region->device != nullptr) high = low;  // nothing lies there
            if (region->device != nullptr) continue;
        }
        if ((byte & (kind.bytes - 1)) != 0) add(misaligned, byte, lane);
        if (!checks_.races || (byte == noted && !watch.raced && !kind.atomic) ||
            (space.is_shown && is_private(byte, known)))
            continue;
        note(byte, kind.bytes, lane, watch);
        noted = byte;
    }
    if (was_told || !(outside.any || misaligned.any || watch.raced)) return;
    const auto order = lock_beside(space);
    const std::uint64_t all = lanes.lanes == 1 ? 0 : ~std::uint64_t{0};
    if (outside.any && checks_.bounds && narrows_)
        report(hart, lanes.instruction, "bounds", kind.stores ? 1 : 0,
               access_text(space, kind, outside.first) + ", " + place_text(hart, space, outside.first),
               outside.lanes & all);
    // Compute devices allow such loads and stores, and compilers make some.
    if (misaligned.any && checks_.bounds && ((kind.atomic && kind.stores) || hart.checked.dispatch == nullptr))
        report(hart, lanes.instruction, "bounds", 2,
               access_text(space, kind, misaligned.first) + fmt::format(", which is no multiple of {}", kind.bytes),
               misaligned.lanes & all);
    if (watch.raced)
        report(hart, lanes.instruction, "races", watch.race.other_wrote ? 0 : 1,
               race_text(hart, watch.race, space, kind), watch.race.lanes & all);
}

void Checker::load(Machine::State& hart, const LanesOf& lanes, Index space_number, unsigned bytes,
                   const std::uint64_t* addresses, std::byte* shadows) {
    const Space& space = *hart.group->spaces[space_number];
    const std::lock_guard lock(lock_of(space));
    std::memset(shadows, 0, std::size_t{lanes.lanes} * bytes);
    for_each_run(lanes, space, bytes, addresses, [&](unsigned lane, unsigned run, std::uint64_t byte) {
        space.checked->load(byte, {shadows + std::size_t{lane} * bytes, std::size_t{run} * bytes});
    });
}

void Checker::store(Machine::State& hart, const LanesOf& lanes, Index space_number, unsigned bytes,
                    const std::uint64_t* addresses, const std::byte* shadows) {
    const Space& space = *hart.group->spaces[space_number];
    const std::lock_guard lock(lock_of(space));
    std::uint64_t nothing = 0, first = 0;
    bool any = false;
    Stretch known;
    for_each_run(lanes, space, bytes, addresses, [&](unsigned begin, unsigned run, std::uint64_t byte) {
        space.checked->store(byte, {shadows + std::size_t{begin} * bytes, std::size_t{run} * bytes});
        for (unsigned lane = begin; space.is_shown && lane < begin + run; ++lane, byte += bytes) {
            // Above the lowest byte there may be gaps between members.
            if (shadows[std::size_t{lane} * bytes] == std::byte{0} || is_private(byte, known)) continue;
            nothing |= lanes.lanes == 1 ? 0 : bit_of(lane);
            first = any ? first : byte;
            any = true;
        }
    });
    const bool was_told = hart.checked.told == &lanes.instruction && hart.checked.told_at == hart.core.count;
    if (!any || was_told) return;
    const auto order = lock_beside(space);
    report(hart, lanes.instruction, "uninitialised", 16,
           access_text(space, {.bytes = bytes, .stores = true}, first) + " with what nobody has written", nothing);
}

// ---------------------------------------------------------------------------------------------------------------------
// Values

// The name of a register with undefined bits, and the lanes that have some; empty where none has. They count as written from now
// on: what comes of them was told.
std::string Checker::undefined_lanes(Machine::State& hart, Index number_of_file, std::uint64_t number) const {
    const RegisterFile& file = isa_.register_files[number_of_file];
    const Layout& layout = hart.program->layout;
    std::byte* const at = hart.block.bytes() + layout.offset(number_of_file + files_, number);
    const unsigned bytes = lane_bytes(file);
    std::uint64_t lanes = 0;
    unsigned some = 0;
    for (unsigned lane = 0; lane < file.lanes; ++lane) {
        std::uint64_t shadow = 0;
        std::memcpy(&shadow, at + lane * bytes, bytes);
        if (shadow == 0) continue;
        ++some;
        lanes |= bit_of(lane);
    }
    if (some == 0) return {};
    std::memset(at, 0, layout.register_size(number_of_file));
    const std::string name = hart.register_name(number_of_file, number);
    return some == file.lanes ? name : fmt::format("{} (lanes {})", name, lanes_text(lanes));
}

std::string Checker::undefined_registers(Machine::State& hart, std::string_view sources) const {
    std::string text;
    while (!sources.empty()) {
        const std::string_view source = sources.substr(0, sources.find(' '));
        sources.remove_prefix(std::min(sources.size(), source.size() + 1));
        const std::size_t mark = source.rfind('#');
        const std::string_view name = source.substr(0, mark);
        for (Index file = 0; file < files_; ++file) {
            if (isa_.register_files[file].name != name) continue;
            const std::string found = undefined_lanes(hart, file, std::stoul(std::string(source.substr(mark + 1))));
            if (!found.empty()) text += (text.empty() ? "" : " and ") + found;
        }
    }
    return text;
}

void Checker::use(Machine::State& hart, const LanesOf& lanes, ir::Decides what, std::string_view sources,
                  std::uint64_t some_lanes) {
    const std::lock_guard lock(lock_);
    if (hart.checked.told == &lanes.instruction && hart.checked.told_at == hart.core.count) return;
    static constexpr const char* uses[] = {
        "which way it goes",         "in which lanes it acts", "the address it accesses",
        "the register it means",     "where it goes",          "a mode",
        "what the host is asked for"};
    const std::string registers = undefined_registers(hart, sources);
    const std::string message =
        fmt::format("{} depends on {}", uses[static_cast<std::size_t>(what)],
                    registers.empty() ? "what nobody has written" : registers + ", which nobody has written");
    report(hart, lanes.instruction, "uninitialised", static_cast<unsigned>(what), message,
           lanes.lanes == 1 ? 0 : some_lanes);
}

void Checker::that(Machine::State& hart, const LanesOf& lanes, const std::string& text, std::uint64_t some_lanes) {
    const std::lock_guard lock(lock_);
    if (!checks_.bounds || (hart.checked.told == &lanes.instruction && hart.checked.told_at == hart.core.count)) return;
    report(hart, lanes.instruction, "bounds", 3, text, lanes.lanes == 1 ? 0 : some_lanes);
}

// ---------------------------------------------------------------------------------------------------------------------
// Results under way

// Where they come in any order, only having waited for all says which are there.
void Checker::wait(Machine::State& hart, std::string_view counter, std::uint64_t left) {
    std::vector<UnderWay>& under_way = hart.checked.under_way;
    const auto counts = [&](const UnderWay& each) { return each.counter == counter; };
    const auto all = static_cast<std::uint64_t>(std::count_if(under_way.begin(), under_way.end(), counts));
    if (left >= all) return;
    const bool in_order = std::none_of(under_way.begin(), under_way.end(),
                                       [&](const UnderWay& each) { return counts(each) && !each.in_order; });
    if (left != 0 && !in_order) return;
    std::uint64_t there = all - left;
    std::erase_if(under_way, [&](const UnderWay& each) { return counts(each) && there != 0 && there-- != 0; });
}

// The register that is under way and that an instruction reads, or else writes. What comes by the same counter in order comes
// behind it, also where it leaves a part of the register alone.
const Touch* Checker::touched(const UnderWay& under_way, const Instruction& instruction, bool& reads) const {
    const auto& arrivals = isa_.instruction_of(isa_.forms[instruction.form]).arrivals;
    const bool comes_behind =
        under_way.in_order && std::any_of(arrivals.begin(), arrivals.end(), [&](const Arrival& arrival) {
            return arrival.in_order && arrival.counter == under_way.counter;
        });
    for (const Touch& given : under_way.registers) {
        const auto is_same = [&](const Touch& touch) {
            return touch.count == 1 && touch.file == given.file && touch.first == given.first;
        };
        const bool writes = std::any_of(instruction.writes.begin(), instruction.writes.end(), is_same);
        reads = !under_way.is_read && std::any_of(instruction.reads.begin(), instruction.reads.end(), is_same);
        if ((reads || writes) && !(writes && comes_behind)) return &given;
    }
    return nullptr;
}

void Checker::step(Machine::State& hart, const LanesOf& lanes) {
    if (lanes.instruction.form == no_index) return;
    if (checks_.bounds && !lanes.instruction.highest.empty()) see_registers(hart, lanes);
    if (checks_.waits) see_waits(hart, lanes);
    if (checks_.hazards) see_hazards(hart, lanes);
}

// A dispatch says how many registers its harts have.
void Checker::see_registers(Machine::State& hart, const LanesOf& lanes) {
    const Dispatch* const dispatch = hart.checked.dispatch;
    if (dispatch == nullptr || dispatch->registers_used.empty()) return;
    for (const Touch& touch : lanes.instruction.highest) {
        const std::uint32_t count = dispatch->registers_used[touch.file];
        if (touch.first < count || count == 0) continue;
        const std::lock_guard lock(lock_);
        report(hart, lanes.instruction, "bounds", 4,
               fmt::format("uses {}, and its kernel has no registers behind {}",
                           hart.register_name(touch.file, touch.first), hart.register_name(touch.file, count - 1)),
               lanes.that_act());
    }
}

void Checker::see_waits(Machine::State& hart, const LanesOf& lanes) {
    const Instruction& instruction = lanes.instruction;
    for (UnderWay& each : hart.checked.under_way) {
        if ((each.touched & instruction.touched) == 0) continue;
        bool reads = false;
        const Touch* const found = touched(each, instruction, reads);
        if (found == nullptr) continue;
        const std::lock_guard lock(lock_);
        const std::string name = hart.register_name(found->file, found->first);
        report(hart, instruction, "waits", reads ? 0 : 1,
               fmt::format("{} {} while it is {}: no wait for {} has seen it {} the instruction at {:#x} `{}`",
                           reads ? "reads" : "writes", name, each.is_read ? "still read" : "under way", each.counter,
                           each.is_read ? "read by" : "come from", each.address, hart.instruction_text(each.address)),
               lanes.that_act());
        each.registers.clear();  // once for each is enough
    }
    if (instruction.watched == nullptr) return;
    for (const auto& [held, registers] : instruction.watched->held) {
        add_under_way(hart, {.address = instruction.address,
                             .counter = held->counter,
                             .registers = registers,
                             .is_read = true,
                             .begun_at = hart.core.count});
        if (held->most != 0) wait(hart, held->counter, held->most);  // the hardware waits before it counts more
    }
}

void Checker::add_under_way(Machine::State& hart, UnderWay added) {
    constexpr std::size_t most_under_way = 256;
    std::vector<UnderWay>& under_way = hart.checked.under_way;
    if (under_way.size() >= most_under_way) under_way.erase(under_way.begin());
    added.touched = touched_bits(added.registers);
    under_way.push_back(std::move(added));
}

void Checker::arrive(Machine::State& hart, const Instruction& instruction, std::string counter, bool in_order) {
    UnderWay added{.address = instruction.address,
                   .counter = std::move(counter),
                   .in_order = in_order,
                   .begun_at = hart.core.count};
    for (const Touch& touch : instruction.writes)
        if (touch.count == 1) added.registers.push_back(touch);
    add_under_way(hart, std::move(added));
}

// ---------------------------------------------------------------------------------------------------------------------
// Hazards

// Every instruction is a wait state, but for those that the description says are more.
void Checker::see_hazards(Machine::State& hart, const LanesOf& lanes) {
    CheckedHart& checked = hart.checked;
    const Watched* const watched = lanes.instruction.watched.get();
    if (watched == nullptr) {
        ++checked.states;
        return;
    }
    std::uint64_t told = 0;
    for (std::size_t i = checked.hazards.size(); watched->ends != 0 && i != 0; --i) {  // the last one first
        const NearHazard& near = checked.hazards[(checked.next_hazard + i - 1) % checked.hazards.size()];
        if (checked.states - near.behind < most_states_ && (near.watched->begins & watched->ends) != 0)
            see_hazards_between(hart, lanes, near, told);
    }
    checked.states += watched->states;
    if (watched->first.empty()) return;
    if (checked.hazards.size() < most_states_) checked.hazards.resize(checked.hazards.size() + 1);
    checked.hazards[checked.next_hazard] = {lanes.instruction.address, checked.states, watched};
    checked.next_hazard = checked.next_hazard + 1 < most_states_ ? checked.next_hazard + 1 : 0;
}

// `told`: a bit for each hazard that a later instruction was the first of; so many have one.
void Checker::see_hazards_between(Machine::State& hart, const LanesOf& lanes, const NearHazard& near,
                                  std::uint64_t& told) {
    for (const HazardTouches& second : lanes.instruction.watched->second) {
        const std::uint64_t bit = second.hazard < 64 ? std::uint64_t{1} << second.hazard : 0;
        if ((told & bit) != 0 || hart.checked.states - near.behind >= isa_.hazards[second.hazard].states) continue;
        for (const HazardTouches& first : near.watched->first)
            if (first.hazard == second.hazard && see_hazard(hart, lanes, second, near, first)) told |= bit;
    }
}

void Checker::leave_program(Machine::State& hart) const {
    CheckedHart& checked = hart.checked;
    std::vector<std::shared_ptr<const Watched>> kept;
    for (const NearHazard& near : checked.hazards) kept.push_back(near.watched->shared_from_this());
    checked.kept = std::move(kept);
}

bool Checker::see_hazard(Machine::State& hart, const LanesOf& lanes, const HazardTouches& second,
                         const NearHazard& near, const HazardTouches& first) {
    const std::vector<Touch>&before = first.registers, &now = second.registers;
    const auto again =
        std::find_first_of(now.begin(), now.end(), before.begin(), before.end(),
                           [](const Touch& a, const Touch& b) { return a.file == b.file && a.first == b.first; });
    if (!now.empty() && again == now.end()) return false;
    const Hazard& rule = isa_.hazards[second.hazard];
    const std::uint64_t states = hart.checked.states - near.behind;
    const std::string found = fmt::format("{} wait state{}", states, states == 1 ? "" : "s");
    const bool was_read = rule.first.touches == HazardSide::Touches::reads;
    std::string message;
    if (now.empty()) {
        message = fmt::format("comes {} behind", found);
    } else {
        const bool reads = rule.second.touches == HazardSide::Touches::reads;
        message = fmt::format("{} {} {} after it was {} by", reads ? "reads" : "writes",
                              hart.register_name(again->file, again->first), found, was_read ? "read" : "written");
    }
    message += fmt::format(" the instruction at {:#x} `{}`", near.address, hart.instruction_text(near.address));
    if (hart.options.source_line)
        if (const std::string line = hart.options.source_line(near.address); !line.empty()) message += " of " + line;
    const std::lock_guard lock(lock_);
    report(hart, lanes.instruction, "hazards", second.hazard,
           fmt::format("{}: {} {} needed", message, rule.states, rule.states == 1 ? "is" : "are"), lanes.that_act());
    return true;
}

void Checker::come_to_barrier(Machine::State& hart, const Instruction& instruction) {
    hart.checked.barrier_address = instruction.address;
    if (!checks_.races) return;
    acquire_awaited(hart);
    const std::lock_guard lock(lock_);
    see_barriers(*hart.group);
    for (const UnderWay& each : hart.checked.under_way) {
        if (each.accessed_at == 0) continue;
        hart.group->checked.coming_unfinished.push_back(
            {.hart = hart.checked.number, .time = each.accessed_at, .place = each.place});
    }
}

void Checker::barrier(Machine::State& hart) {
    const std::lock_guard lock(lock_);
    const unsigned left = hart.group->barrier.missed();
    if (!checks_.races || left == 0) return;
    const Instruction* const instruction = hart.translated_instruction(hart.checked.barrier_address);
    if (instruction == nullptr) return;
    report(hart, *instruction, "races", 2,
           fmt::format("{} {}{} of the group ended without coming to this barrier", left, hart_name_,
                       left == 1 ? "" : "s"),
           0);
}

}  // namespace machine
}  // namespace isaforge

#include "machine/dispatcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "machine/state.hpp"
#include "support/threads.hpp"
#include "support/uneven_fences.hpp"

namespace isaforge::machine {

namespace {

constexpr std::uint64_t turn_instructions = 8192;   // of a hart
constexpr auto nap = std::chrono::microseconds(200);
constexpr unsigned most_in_row = 64;   // groups in one place until it is the turn of another
constexpr unsigned most_of_worker = 64, fewest_of_worker = 16;   // harts, as long as one of them can go on
constexpr unsigned looks_before_nap = 256;
constexpr auto patience = std::chrono::milliseconds(500);   // with harts that wait, for dispatches that may come
constexpr unsigned most_workers = (most_resident_harts - 1) / fewest_of_worker;
static_assert(most_workers < TurnCount::count);

}  // namespace

void HartRegisters::set(Index file, std::uint64_t number, std::uint64_t value) { hart_.set(file, number, value, 0); }

void HartRegisters::set_lanes(Index file, std::uint64_t number, std::span<const std::uint32_t> lanes) {
    if (!hart_.program->layout.has_registers()) return;
    hart_.dirty[file] = std::max(hart_.dirty[file], static_cast<std::uint32_t>(number) + 1);
    std::copy(lanes.begin(), lanes.end(),
              reinterpret_cast<std::uint32_t*>(hart_.block.bytes() + hart_.program->layout.offset(file, number)));
    if (hart_.system->checker)
        for (unsigned lane = 0; lane < lanes.size(); ++lane)
            hart_.system->checker->set_register(hart_, file, number, lane);
}

RegisterImage::RegisterImage(const Isa& isa) : isa_(isa), layout_(isa) {}

void RegisterImage::set(Index file, std::uint64_t number, std::uint64_t value) {
    const unsigned bytes = lane_bytes(isa_.register_files[file]);
    const std::uint32_t offset = layout_.offset(file, number), size = layout_.register_size(file);
    if (pieces_.empty() || pieces_.back().offset + pieces_.back().bytes != offset)
        pieces_.push_back({offset, static_cast<std::uint32_t>(bytes_.size()), 0});
    pieces_.back().bytes += size;
    bytes_.resize(bytes_.size() + size);
    value &= semantics::mask_of(isa_.register_files[file].bits);
    std::memcpy(bytes_.data() + bytes_.size() - size, &value, bytes);
    registers_.push_back({file, static_cast<std::uint32_t>(number)});
    const auto end = std::find_if(ends_.begin(), ends_.end(), [&](const Register& each) { return each.file == file; });
    const auto behind = static_cast<std::uint32_t>(number) + 1;
    if (end == ends_.end())
        ends_.push_back({file, behind});
    else
        end->number = std::max(end->number, behind);
}

void RegisterImage::put(Machine::State& hart) const {
    if (!hart.program->layout.has_registers()) return;
    for (const Piece& each : pieces_)
        std::memcpy(hart.block.bytes() + each.offset, bytes_.data() + each.at, each.bytes);
    for (const Register& end : ends_) hart.dirty[end.file] = std::max(hart.dirty[end.file], end.number);
    hart.modes_stale = !hart.isa.modes.empty();
    if (!hart.system->checker) return;
    for (const Register& each : registers_) hart.system->checker->set_register(hart, each.file, each.number, 0);
}

std::uint64_t HartRegisters::get(Index file, std::uint64_t number) const { return hart_.get(file, number, 0); }

// ---------------------------------------------------------------------------------------------------------------------

// A thread's harts and the groups that it has begun.
class Dispatcher::Worker {
public:
    Worker(Dispatcher& owner, unsigned number)
        : owner_(owner), number_(number), first_slot_(1 + number * owner.most_slots_of_worker_) {}

    // Gives one group its turn, one that begins with it perhaps. False where there is none.
    bool run_some_safely();

    // Nothing that it has can go on, nor can anything begin, as long as System::progress is this. Or else it has nothing, and
    // `asleep`, or is about to go on.
    static constexpr std::uint64_t asleep = ~std::uint64_t{0}, busy = 0;
    std::atomic<std::uint64_t> idle_at = busy;

private:
    bool run_some();
    void begin_round();
    void wait_for_others();
    struct Resident {
        explicit Resident(Dispatcher& owner) : group(owner.isa(), owner.system_->spaces) {}
        Group group;
        Dispatch* dispatch = nullptr;
        std::uint64_t dispatch_number = 0;   // the last one; 0: none
        std::uint64_t number = 0;
        std::uint64_t executed = 0;          // instructions that the dispatch does not know of yet
        std::vector<Machine::State*> harts;
    };

    unsigned room();
    bool begin_another();
    void begin(Resident& resident, Dispatch& dispatch, std::uint64_t number);
    void take_harts(Resident& resident, unsigned count);
    bool run_turn(Resident& resident);
    static void count_executed(Resident& resident) {
        resident.dispatch->instructions.fetch_add(std::exchange(resident.executed, 0), std::memory_order_relaxed);
    }
    static std::size_t stalled_hart(const Resident& resident);
    bool run_harts_once(Resident& resident, std::uint64_t& executed, bool& yielded);
    void leave(Resident& resident);
    DispatchFault fault_of(const Resident& resident, Machine::State& hart, unsigned number, StopReason reason) const;

    Dispatcher& owner_;
    unsigned number_, first_slot_;
    std::deque<Machine::State> states_;
    std::vector<Machine::State*> free_harts_;
    std::vector<std::unique_ptr<Resident>> residents_, free_residents_;
    std::size_t turn_ = 0;
    bool has_begun_some_ = false;   // in this round
    bool has_run_some_ = false;     // likewise
    bool goes_on_some_ = false;     // some group did behind its turn, likewise
    bool stalls_ = false;           // all that it has did in the round before
    std::uint64_t round_progress_ = 0;   // System::progress when the round began
    std::uint64_t waits_at_ = 0;         // what it was when all began to wait; for so many rounds, since then
    unsigned waited_ = 0;
    std::chrono::steady_clock::time_point waits_since_;
    unsigned in_row_ = 0;
};

namespace {

// A hart that runs, or whose instructions are looked for.
struct Awake {
    explicit Awake(Machine::State& hart) : bus(hart.bus) { bus.wake(); }
    ~Awake() { bus.rest(); }
    Awake(const Awake&) = delete;
    Awake& operator=(const Awake&) = delete;
    Bus& bus;
};

}  // namespace

// How many harts more there are for a group. Where all wait for what others do, there are more, for those may not have begun.
unsigned Dispatcher::Worker::room() {
    const std::size_t most = stalls_ ? owner_.most_slots_of_worker_ : owner_.slots_of_worker_;
    const std::size_t used = states_.size() - free_harts_.size();
    return most > used ? static_cast<unsigned>(most - used) : 0;
}

void Dispatcher::Worker::take_harts(Resident& resident, unsigned count) {
    while (resident.harts.size() > count) {
        free_harts_.push_back(resident.harts.back());
        resident.harts.pop_back();
    }
    while (resident.harts.size() < count) {
        if (free_harts_.empty()) {
            const unsigned slot = first_slot_ + static_cast<unsigned>(states_.size());
            free_harts_.push_back(
                &states_.emplace_back(owner_.codec_, owner_.options_, owner_.system_, owner_.system_->groups[0], slot));
            states_.back().progress_place = number_;
        }
        resident.harts.push_back(free_harts_.back());
        free_harts_.pop_back();
    }
}

// In a new place, if there are harts for it.
bool Dispatcher::Worker::begin_another() {
    std::uint64_t number = 0;
    Dispatch* const dispatch = owner_.take_group(room(), stalls_, number);
    if (dispatch == nullptr) return false;
    if (free_residents_.empty()) free_residents_.push_back(std::make_unique<Resident>(owner_));
    residents_.push_back(std::move(free_residents_.back()));
    free_residents_.pop_back();
    begin(*residents_.back(), *dispatch, number);
    return true;
}

void Dispatcher::Worker::begin(Resident& resident, Dispatch& dispatch, std::uint64_t number) {
    const bool first = resident.dispatch_number != dispatch.number;
    resident.dispatch = &dispatch;
    resident.dispatch_number = dispatch.number;
    resident.number = number;
    if (first) take_harts(resident, dispatch.group_harts);
    if (const std::string problem = resident.group.give_memories(dispatch.group_memory); !problem.empty())
        return owner_.end(dispatch, problem);
    resident.group.barrier.begin(dispatch.group_harts, true);
    if (owner_.system_->checker) owner_.system_->checker->begin(resident.group);
    for (unsigned i = 0; i < dispatch.group_harts; ++i) {
        Machine::State& hart = *resident.harts[i];
        const HartPlace place{number, dispatch.groups, i, dispatch.group_harts, hart.core.slot - 1, first};
        std::optional<Awake> awake;
        if (!hart.begins_at_once()) awake.emplace(hart);
        hart.begin_in(resident.group, place, dispatch);
    }
}

// The group has ended, or is given up: another begins in its place, or the place is free.
void Dispatcher::Worker::leave(Resident& resident) {
    Dispatch& dispatch = *resident.dispatch;
    std::uint64_t number = 0;
    // Before the one that has ended is counted, for the dispatch is there only as long as one is missing.
    const bool goes_on = owner_.take_next_group(dispatch, stalls_, number);
    if (!goes_on) count_executed(resident);
    resident.dispatch = nullptr;
    owner_.groups_ended(dispatch, 1);
    if (goes_on) return begin(resident, dispatch, number);
    Dispatch* const next = owner_.take_group(room() + static_cast<unsigned>(resident.harts.size()), stalls_, number);
    if (next != nullptr) {
        begin(resident, *next, number);
    } else {
        resident.dispatch_number = 0;
        take_harts(resident, 0);
        free_residents_.push_back(std::move(residents_[turn_]));
        residents_.erase(residents_.begin() + static_cast<std::ptrdiff_t>(turn_));
    }
}

DispatchFault Dispatcher::Worker::fault_of(const Resident& resident, Machine::State& hart, unsigned number,
                                           StopReason reason) const {
    const std::lock_guard lock(owner_.system_->map_lock);
    DispatchFault fault{.reason = reason};
    fault.address = hart.next_pc();
    fault.message = hart.message(reason, fault.address);
    fault.place = {resident.number, resident.dispatch->groups, number, resident.dispatch->group_harts,
                   hart.core.slot - 1};
    fault.text = hart.instruction_text(fault.address);
    if (owner_.options_.source_line) fault.source_line = owner_.options_.source_line(fault.address);
    if (reason == StopReason::bad_read || reason == StopReason::bad_write || reason == StopReason::misaligned) {
        fault.data_address = hart.core.fault_address;
        fault.data_bits = hart.core.fault_bits;
    }
    if (resident.dispatch->look_at) fault.seen = resident.dispatch->look_at(HartRegisters(hart));
    return fault;
}

// Each hart that can go on does once. False where none could, or one has failed.
//
// Behind a barrier the first hart is the last, and goes on when all others have come to wait again. Compilers that have the first
// tell the others what to do write into the same place behind every barrier, and rely on the others to have read it by then.
bool Dispatcher::Worker::run_harts_once(Resident& resident, std::uint64_t& executed, bool& yielded) {
    bool any = false;
    const auto count = static_cast<unsigned>(resident.harts.size());
    const Barrier& barrier = resident.group.barrier;
    const std::uint64_t passed = barrier.passed();
    const unsigned first = barrier.is_first() ? 0 : 1;
    for (unsigned turn = first; turn < first + count; ++turn) {
        const unsigned i = turn % count;
        if (i == 0 && barrier.passed() != passed) return true;
        Machine::State& hart = *resident.harts[i];
        if (hart.stopped || !hart.has_passed_barrier() || hart.is_stalled()) continue;
        any = true;
        const std::uint64_t before = hart.core.count;
        StopReason reason = hart.begun;
        if (reason == StopReason::running) reason = hart.execute_awake(before + turn_instructions);
        executed += hart.core.count - before;
        has_run_some_ |= !hart.did_nothing;
        yielded |= hart.core.yields;
        if (reason != StopReason::running && reason != StopReason::stopped) {
            owner_.fail(*resident.dispatch, fault_of(resident, hart, i, reason));
            return false;
        }
    }
    return any;
}

// The first of those that wait for what others do; as many as there are: none does.
std::size_t Dispatcher::Worker::stalled_hart(const Resident& resident) {
    const auto found = std::find_if(resident.harts.begin(), resident.harts.end(),
                                    [](const Machine::State* hart) { return !hart->stopped && hart->stalled_at != 0; });
    return static_cast<std::size_t>(found - resident.harts.begin());
}

// False where the group has ended, or is not to go on.
bool Dispatcher::Worker::run_turn(Resident& resident) {
    Dispatch& dispatch = *resident.dispatch;
    std::uint64_t executed = 0;
    bool yielded = false, goes_on = true;
    while (goes_on && !yielded && !dispatch.failed && executed < turn_instructions * resident.harts.size())
        goes_on = run_harts_once(resident, executed, yielded);
    resident.executed += executed;
    if (dispatch.most_instructions != 0) count_executed(resident);
    if (dispatch.failed || resident.group.barrier.all_left()) return false;
    if (!goes_on && stalled_hart(resident) == resident.harts.size())
        owner_.end(dispatch, "nothing will end the waiting of its harts");
    if (dispatch.most_instructions != 0 && dispatch.instructions >= dispatch.most_instructions) {
        const auto here = std::ranges::find_if(
            resident.harts, [](const Machine::State* hart) { return !hart->stopped && !hart->core.at_barrier; });
        DispatchFault fault;
        std::string place;
        if (here != resident.harts.end()) {
            fault = fault_of(resident, **here, static_cast<unsigned>(here - resident.harts.begin()), StopReason::limit);
            const std::lock_guard lock(owner_.system_->map_lock);
            place = ", before " + (*here)->describe(fault.address);
        }
        fault.reason = StopReason::failed;
        fault.message =
            fmt::format("stopped after {} instructions, the allowed number{}", dispatch.most_instructions, place);
        owner_.fail(dispatch, std::move(fault));
    }
    return !dispatch.failed;
}

void Dispatcher::Worker::begin_round() {
    turn_ = 0;
    stalls_ = !residents_.empty() && !has_run_some_;
    // As many as there are, for what all of those wait for may be in one that has not begun; but none where groups were so
    // short that each has ended in its turn.
    const std::size_t before = residents_.size();
    const bool enough = before != 0 && (has_begun_some_ || !goes_on_some_);
    const std::size_t most = enough ? 0 : std::max<std::size_t>(1, before);
    goes_on_some_ = false;
    for (std::size_t i = 0; i < most && begin_another(); ++i) turn_ = before;
    has_begun_some_ = residents_.size() != before;
    if (residents_.empty() || (stalls_ && !has_begun_some_)) {
        idle_at = round_progress_;
        if (!residents_.empty()) wait_for_others();
    }
    has_run_some_ = false;
    round_progress_ = owner_.system_->progress.sum();
}

// Nothing that is here can go on. Where that is so everywhere, and stays so, one dispatch ends, which may be what others wait for.
void Dispatcher::Worker::wait_for_others() {
    const auto now = std::chrono::steady_clock::now();
    if (std::exchange(waits_at_, round_progress_) != round_progress_) {
        waits_since_ = now;
        waited_ = 0;
    }
    if (++waited_ < looks_before_nap)
        std::this_thread::yield();
    else
        std::this_thread::sleep_for(nap);
    if (now - waits_since_ < patience || !owner_.nothing_goes_on(round_progress_)) return;
    for (const std::unique_ptr<Resident>& each : residents_) {
        const std::size_t hart = stalled_hart(*each);
        if (hart == each->harts.size() || each->dispatch->failed) continue;
        DispatchFault fault = fault_of(*each, *each->harts[hart], static_cast<unsigned>(hart), StopReason::waiting);
        const std::uint64_t left = each->dispatch->groups - each->dispatch->begun;
        if (left != 0)
            fault.message += fmt::format("; {} of {} groups have not begun, for no more live at the same time", left,
                                         each->dispatch->groups);
        return owner_.fail(*each->dispatch, std::move(fault));
    }
}

bool Dispatcher::Worker::run_some() {
    if (turn_ >= residents_.size()) {
        begin_round();
        if (residents_.empty()) return false;
    }
    idle_at = busy;
    Resident& resident = *residents_[turn_];
    const bool goes_on = run_turn(resident);
    goes_on_some_ |= goes_on;
    if (!goes_on) leave(resident);
    // Short groups come one after the other in the same place, but not so that the others wait for ever.
    in_row_ = goes_on ? 0 : in_row_ + 1;
    if (goes_on || in_row_ == most_in_row) {
        ++turn_;
        in_row_ = 0;
    }
    return true;
}

// Memory that runs out is the end of what was running, and not of the process.
bool Dispatcher::Worker::run_some_safely() {
    try {
        return run_some();
    } catch (const std::bad_alloc&) {
        if (turn_ < residents_.size() && residents_[turn_]->dispatch != nullptr)
            owner_.end(*residents_[turn_]->dispatch, "the memory of this machine has run out");
        return true;
    }
}

// ---------------------------------------------------------------------------------------------------------------------

Dispatcher::Dispatcher(std::shared_ptr<const Codec> codec, MachineOptions options, unsigned threads)
    : codec_(std::move(codec)), options_(std::move(options)) {
    options_.harts = options_.groups = 1;
    options_.threads = options_.dispatches = true;
    for (const MemorySpace& memory : codec_->isa().memories) options_.memory_sizes[memory.name] = 0;
    options_.engine = chosen_engine(options_.engine);
    system_ = std::make_shared<System>(codec_, options_, nullptr);
    const unsigned workers = std::min(thread_count(threads), most_workers);
    most_slots_of_worker_ = (most_resident_harts - 1) / workers;
    slots_of_worker_ = std::min(most_slots_of_worker_, most_of_worker);
    for (unsigned i = 0; i < workers; ++i) workers_.push_back(std::make_unique<Worker>(*this, i));
    for (unsigned i = 0; i < workers; ++i)
        if (!start_thread(threads_, [this, i] { work(i); })) break;
}

Dispatcher::~Dispatcher() {
    std::vector<std::pair<Dispatch*, std::uint64_t>> left;
    {
        const std::lock_guard lock(lock_);
        ending_ = true;
        for (Dispatch* const each : running_)
            left.emplace_back(each, give_up(*each, {.reason = StopReason::failed, .message = "its device is gone"}));
    }
    for (const auto& [dispatch, groups] : left) groups_ended(*dispatch, groups);
    work_there_.notify_all();
}

void Dispatcher::work(unsigned number) {
    Worker& worker = *workers_[number];
    std::uint64_t seen = 0;
    for (;;) {
        while (worker.run_some_safely()) continue;
        std::unique_lock lock(lock_);
        // What is there may have its share of the harts already.
        if (seen == started_ && !active_.empty()) work_there_.wait_for(lock, nap);
        if (active_.empty()) worker.idle_at = Worker::asleep;
        work_there_.wait(lock, [&] { return ending_ || !active_.empty(); });
        worker.idle_at = Worker::busy;
        if (ending_ && active_.empty()) return;
        seen = started_;
    }
}

bool Dispatcher::start(Dispatch& dispatch) {
    if (threads_.empty()) return false;
    dispatch.begin = std::chrono::steady_clock::now();
    {
        const std::lock_guard lock(lock_);
        if (system_->checker) dispatch.checked = system_->checker->begin_dispatch();
        dispatch.number = ++started_;
        system_->progress.note(TurnCount::count - 1);
        active_.push_back(&dispatch);
        running_.push_back(&dispatch);
        count_dispatches();
    }
    if (dispatch.groups == 1)
        work_there_.notify_one();
    else
        work_there_.notify_all();
    return true;
}

// Whether nobody can do anything, and nothing can begin, since System::progress was this.
bool Dispatcher::nothing_goes_on(std::uint64_t progress) {
    const std::lock_guard lock(lock_);
    const bool all_idle = std::all_of(workers_.begin(), workers_.end(), [&](const std::unique_ptr<Worker>& each) {
        const std::uint64_t idle_at = each->idle_at;
        return idle_at == progress || (idle_at == Worker::asleep && active_.empty());
    });
    return all_idle && system_->progress.sum() == progress;
}

// How many harts of one dispatch may live: never all, for another one may come that it waits for. `stalls`: those of the
// thread that asks wait.
std::uint64_t Dispatcher::share(bool stalls) const {
    const std::uint64_t all = stalls ? most_harts() : all_harts();
    const unsigned running = running_count_;
    return running < 2 ? all - all_harts() / 4 : all / running;
}

// Under the lock.
void Dispatcher::count_dispatches() {
    active_count_ = static_cast<unsigned>(active_.size());
    running_count_ = static_cast<unsigned>(running_.size());
}

// Whether one more group of it may begin.
bool Dispatcher::has_share(const Dispatch& dispatch, bool stalls) const {
    const std::uint64_t live = dispatch.begun - dispatch.ended;
    return live == 0 || (live + 1) * dispatch.group_harts <= share(stalls);
}

// Another group of the dispatch whose group has ended, where no other dispatch has its turn; but not the last one, behind which
// there is more to do. False: take_group() knows what comes next.
bool Dispatcher::take_next_group(Dispatch& dispatch, bool stalls, std::uint64_t& number) {
    const std::uint64_t live = dispatch.begun - dispatch.ended;   // with the one that has ended
    if (active_count_ != 1 || live * dispatch.group_harts > share(stalls)) return false;
    std::uint64_t next = dispatch.begun;
    while (next + 1 < dispatch.groups)
        if (dispatch.begun.compare_exchange_weak(next, next + 1)) {
            number = next;
            return true;
        }
    return false;
}

// The next group of those that are to begin, each dispatch in turn; null where there is none, or not enough room for it.
Dispatch* Dispatcher::take_group(unsigned room, bool stalls, std::uint64_t& number) {
    const std::lock_guard lock(lock_);
    for (std::size_t passed = 0; passed < active_.size(); ++passed, ++turn_) {
        if (turn_ >= active_.size()) turn_ = 0;
        if (has_share(*active_[turn_], stalls)) break;
    }
    if (turn_ >= active_.size()) turn_ = 0;
    if (active_.empty() || !has_share(*active_[turn_], stalls)) return nullptr;
    Dispatch* const dispatch = active_[turn_];
    if (dispatch->group_harts > room) return nullptr;
    number = dispatch->begun++;
    if (number + 1 == dispatch->groups)
        active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(turn_));
    else
        ++turn_;
    count_dispatches();
    return dispatch;
}

void Dispatcher::groups_ended(Dispatch& dispatch, std::uint64_t count) {
    // Read before: once this is counted another may count the last group, and the dispatch is gone.
    const std::uint64_t groups = dispatch.groups;
    if (count == 0 || dispatch.ended.fetch_add(count) + count != groups) return;
    {
        const std::lock_guard lock(lock_);
        std::erase(running_, &dispatch);
        count_dispatches();
        if (system_->checker) system_->checker->end_dispatch(dispatch.checked);
    }
    dispatch.end = std::chrono::steady_clock::now();
    const std::function<void(Dispatch&)> completed = std::move(dispatch.completed);
    completed(dispatch);
}

// The first fault is the one that is told. Groups that have not begun do not begin any more: so many. Under the lock.
std::uint64_t Dispatcher::give_up(Dispatch& dispatch, DispatchFault fault) {
    if (dispatch.failed) return 0;
    dispatch.fault = std::move(fault);
    dispatch.failed = true;
    std::erase(active_, &dispatch);
    count_dispatches();
    return dispatch.groups - dispatch.begun.exchange(dispatch.groups);
}

void Dispatcher::fail(Dispatch& dispatch, DispatchFault fault) {
    std::uint64_t left = 0;
    {
        const std::lock_guard lock(lock_);
        left = give_up(dispatch, std::move(fault));
    }
    groups_ended(dispatch, left);
}

void Dispatcher::end(Dispatch& dispatch, const std::string& message) {
    fail(dispatch, {.reason = StopReason::failed, .message = message});
}

// ---------------------------------------------------------------------------------------------------------------------

// Behind it no hart looks at what was there before. `change` says whether code was among it.
void Dispatcher::change_map(const std::function<bool()>& change) {
    const std::lock_guard lock(system_->map_lock);
    if (change()) system_->program_after(system_->current_program(), false);
    Sharing& sharing = *system_->sharing;
    const std::uint64_t round = sharing.round.fetch_add(1) + 1;
    heavy_fence();
    for (Member& member : std::span(sharing.members, sharing.used))
        while (member.settled.load() < round) {
            *member.stop_at = 0;   // again and again: it may be setting it itself
            std::this_thread::yield();
        }
    system_->spaces[system_->main].map.drop_old();
}

std::string Dispatcher::add_storage(std::uint64_t address, std::span<std::uint8_t> bytes, Permissions permissions,
                                    std::string name) {
    std::string problem;
    change_map([&] {
        MemoryMap& map = system_->spaces[system_->main].map;
        problem = map.add_storage(address, bytes, permissions, std::move(name));
        return false;
    });
    return problem;
}

std::string Dispatcher::protect(std::uint64_t address, std::uint64_t bytes, Permissions permissions,
                                const std::string& name) {
    std::string problem;
    change_map([&] {
        problem = system_->spaces[system_->main].map.protect(address, bytes, permissions, name);
        return false;
    });
    return problem;
}

void Dispatcher::remove_storage(std::uint64_t address, std::uint64_t bytes) {
    Space& space = system_->spaces[system_->main];
    if (system_->checker) {
        const std::lock_guard lock(system_->map_lock);
        if (const Region* const region = space.map.find(address)) system_->checker->note_removed(space, *region);
    }
    change_map([&] { return space.map.remove(address, bytes); });
}

void Dispatcher::note_unwritten(std::uint64_t address, std::uint64_t bytes, bool is_private) {
    if (system_->checker) system_->checker->note_unwritten(system_->spaces[system_->main], address, bytes, is_private);
}

void Dispatcher::note_unordered(std::uint64_t address, std::uint64_t bytes) {
    if (system_->checker) system_->checker->note_unordered(address, bytes);
}

void Dispatcher::note_written(std::uint64_t address, std::uint64_t bytes) {
    if (system_->checker) system_->checker->note_written(system_->spaces[system_->main], address, bytes);
}

std::vector<Finding> Dispatcher::findings() const {
    return system_->checker ? system_->checker->findings() : std::vector<Finding>{};
}

void Dispatcher::for_each_storage(const UseStorage& use) const {
    const std::lock_guard lock(system_->map_lock);
    for (const Region& region : system_->spaces[system_->main].map.regions()) {
        if (!region.block) continue;
        const auto allows = [&](Access access) { return region.allows(access); };
        use(region.first, {region.block->at(region.first), region.last - region.first + 1},
            {allows(Access::read), allows(Access::write), allows(Access::execute)}, region.name);
    }
}

std::string Dispatcher::neighbour(std::uint64_t address) const {
    constexpr std::uint64_t far = 1 << 20;
    const std::lock_guard lock(system_->map_lock);
    const MemoryMap& map = system_->spaces[system_->main].map;
    const MemoryMap::Neighbour near = map.nearest(address);
    if (near.region == nullptr || near.distance >= far || map.find(address) != nullptr) return {};
    if (near.is_behind && near.distance == 0) return fmt::format("right behind {}", near.region->name);
    return fmt::format("{} bytes {} {}", near.distance, near.is_behind ? "behind" : "before", near.region->name);
}

EngineFigures Dispatcher::engine_figures() const {
    const std::lock_guard lock(system_->compiler_lock);
    EngineFigures figures = system_->compiled;
    figures.engine = options_.engine;
    if (system_->compiler) figures.problem = system_->compiler->problem();
    return figures;
}

}  // namespace isaforge::machine

// What a run is watched for, and what was found. Instructions tell of what they do by operations that ir/passes/check.hpp puts
// among theirs; harts and groups tell when they begin.
//
// Which accesses are ordered. Time here counts events that order something. A barrier orders all that its group did before it.
// A fence orders all that anybody did before it; an atomic operation what those did who have accessed the same word so, up to
// now, with what came to them in the same way or at a barrier; a coherent load what the one did who wrote the word, in any way. A
// coherent store is an atomic operation that reads nothing, and so is a plain store into a word that the same hart has updated
// atomically before: it gives a lock back. That is more than the machine promises, so that what is reported is wrong.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/operations.hpp"
#include "isaforge/findings.hpp"
#include "isaforge/machine.hpp"
#include "machine/brief_lock.hpp"
#include "machine/checked_memory.hpp"
#include "machine/hazards.hpp"
#include "machine/memory_map.hpp"
#include "machine/touch.hpp"

namespace isaforge::machine {

struct Dispatch;
struct Group;
struct HartPlace;
struct Instruction;

// What came to a hart: all before a time, and of some harts, or groups by their barriers, what they did before others.
struct Acquired {
    static constexpr std::uint32_t group = 1u << 31;  // with it, the number of a group instead of a hart

    std::uint32_t all = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> harts;  // few: number and time

    bool covers(const Accessor& access, std::uint32_t its_group) const;
    void add(std::uint32_t hart, std::uint32_t time);
    void add(const Acquired& other);
};

// What an instruction has asked for and is not there yet.
struct UnderWay {
    std::uint64_t address = 0;  // of the instruction
    std::string counter;
    bool in_order = true;
    std::vector<Touch> registers;
    bool is_read = false;      // by the instruction, and not written
    std::uint64_t touched = 0;  // touched_bits(registers)
    std::uint64_t begun_at = 0;      // at this count of instructions
    std::uint32_t accessed_at = 0;   // when it has accessed memory of its hart's group; 0: not
    std::uint32_t place = 0;         // by this instruction
};

// An instruction a short while ago that another one may be too close to.
struct NearHazard {
    std::uint64_t address = 0;
    std::uint64_t behind = 0;  // in wait states: CheckedHart::states where it had been issued
    const Watched* watched = nullptr;
};

// What is known of a hart …
struct CheckedHart {
    std::uint32_t number = 0;  // of all that ever began, from 1
    std::uint64_t group = 0;   // as reports name it
    unsigned number_in_group = 0;
    const Dispatch* dispatch = nullptr;           // which lives longer; null: of none
    std::uint64_t private_first = 0, private_last = 0;   // its piece of Dispatch::private_memory; 0, 0: it has none
    // At this count of instructions accesses are those of memory that all see, and of its own.
    std::uint64_t coherent_at = ~std::uint64_t{0}, private_at = ~std::uint64_t{0};
    std::uint64_t brought = 0;  // so many barriers of its group were seen when it last showed others what it does
    std::vector<std::uint64_t> updated;  // words that it has updated atomically, by their hashes; empty: none
    // Words that its last access has waited for, of this space, and whether it has stored there. What was seen of it before it
    // was done is seen again at the next one: another hart may have written between.
    std::vector<std::uint64_t> awaited;
    Index awaited_in = no_index;
    bool awaited_stores = false;
    const Instruction* told = nullptr;  // something was reported while this was executed …
    std::uint64_t told_at = 0;          // … at this count of instructions
    std::uint64_t barrier_address = 0;  // of the barrier it came to last
    std::vector<UnderWay> under_way;    // the oldest first
    std::uint64_t states = 0;           // wait states that passed
    std::vector<NearHazard> hazards;    // as many of the last ones as may be near enough, in a ring
    std::size_t next_hazard = 0;        // which of them is the oldest
    std::vector<std::shared_ptr<const Watched>> kept;  // of programs that it has left
};

// … and of a group.
struct CheckedGroup {
    std::uint32_t number = 0;    // of all that ever began, from 1
    std::uint64_t barriers = 0;  // that were seen
    std::uint32_t barrier_time = 0;
    Acquired coming, acquired;  // what its harts have, and what all have by the last barrier
    // Accesses to memory of the group that may come behind that barrier, for nobody has waited for them; and those that may come
    // behind the one that its harts are coming to.
    std::vector<Accessor> unfinished, coming_unfinished;
    std::uint32_t ordered_before = 0;  // barrier_time, and none of these
};

// An operation of an instruction, for all lanes. `mask` null: in all of them.
struct LanesOf {
    const Instruction& instruction;
    const std::byte* mask = nullptr;
    unsigned lanes = 1;

    bool acts(unsigned lane) const { return mask == nullptr || mask[lane] != std::byte{0}; }
    std::uint64_t that_act() const;  // of those that have a bit; 0 of one lane
};

class Checker {
public:
    // Harts are called `hart_name`: "hart", "wavefront".
    Checker(const Checks& checks, const Isa& isa, std::string hart_name);

    const Checks& checks() const { return checks_; }
    // The files of registers that are not shadows.
    Index files() const { return files_; }

    // Its registers hold nothing yet.
    void begin(Machine::State& hart, std::uint64_t group, unsigned number);
    void begin(Machine::State& hart, const HartPlace& place, const Dispatch& dispatch);
    void begin(Group& group);
    // A dispatch, by the number that its harts begin with. What those accessed that had ended before is in order with it.
    std::uint32_t begin_dispatch();
    void end_dispatch(std::uint32_t dispatch);
    // What lies in storage is what nobody has written. Where it is private to harts they may store what they like there.
    void note_unwritten(const Space& space, std::uint64_t first, std::uint64_t bytes, bool is_private);
    // Its memory is another's, of which that one's checker knows what was written.
    void lend(const Checker& lender, const Space& from, const Space& space);
    // Harts access it in orders that are not to be seen here.
    void note_unordered(std::uint64_t first, std::uint64_t bytes);
    // By somebody who is no hart.
    void note_written(const Space& space, std::uint64_t first, std::uint64_t bytes);
    // Storage was given back.
    void note_removed(const Space& space, const Region& region);
    void set_register(Machine::State& hart, Index file, std::uint64_t number, unsigned lane) const;
    // What was translated for it may go.
    void leave_program(Machine::State& hart) const;
    // An instruction was translated: what it is called here. Under its program's lock.
    std::uint32_t add_place(std::uint64_t address);

    // `allowed`: a byte for each lane, which is 1 where the access may be done.
    void access(Machine::State& hart, const LanesOf& lanes, Index space, ir::AccessKind kind,
                const std::uint64_t* addresses, std::uint8_t* allowed);
    // The bytes of a lane's shadow lie as those of its value do in memory.
    void load(Machine::State& hart, const LanesOf& lanes, Index space, unsigned bytes, const std::uint64_t* addresses,
              std::byte* shadows);
    void store(Machine::State& hart, const LanesOf& lanes, Index space, unsigned bytes, const std::uint64_t* addresses,
               const std::byte* shadows);
    // `sources`: of a `check_use`.
    void use(Machine::State& hart, const LanesOf& lanes, ir::Decides what, std::string_view sources,
             std::uint64_t some_lanes);
    void that(Machine::State& hart, const LanesOf& lanes, const std::string& text, std::uint64_t some_lanes);
    void wait(Machine::State& hart, std::string_view counter, std::uint64_t left);
    void step(Machine::State& hart, const LanesOf& lanes);
    void arrive(Machine::State& hart, const Instruction& instruction, std::string counter, bool in_order);
    void fence(Machine::State& hart);
    void come_to_barrier(Machine::State& hart, const Instruction& instruction);
    void barrier(Machine::State& hart);  // it has passed one

    // A finding of the hart that executes the instruction. `kind` tells those of one place apart.
    void report(Machine::State& hart, const Instruction& instruction, std::string_view check, unsigned kind,
                const std::string& message, std::uint64_t lanes);
    std::vector<Finding> findings() const;

private:
    struct Name {
        std::uint64_t group = 0;
        unsigned number = 0;  // in the group
        std::uint32_t checked_group = 0, dispatch = 0;
    };
    struct DispatchTimes {
        std::uint32_t begin = 0, end = 0;  // 0: it has not ended
        std::uint32_t alone_from = 0;      // no other one was running then
    };
    struct Outside {
        std::uint64_t lanes = 0, first = 0;
        bool any = false;
    };
    struct Race {
        std::uint64_t lanes = 0, address = 0;
        Accessor other;
        bool other_wrote = false;
    };
    // Bytes around one, which are private to harts or not as it is.
    struct Stretch {
        std::uint64_t first = 1, last = 0;
        bool is_private = false;
    };
    struct Watch;  // of one access

    void begin(Machine::State& hart, std::uint64_t group, unsigned number, const Dispatch* dispatch);
    void see_registers(Machine::State& hart, const LanesOf& lanes);
    const Touch* touched(const UnderWay& under_way, const Instruction& instruction, bool& reads) const;
    void add_under_way(Machine::State& hart, UnderWay added);
    void see_waits(Machine::State& hart, const LanesOf& lanes);
    void see_hazards(Machine::State& hart, const LanesOf& lanes);
    void see_hazards_between(Machine::State& hart, const LanesOf& lanes, const NearHazard& near, std::uint64_t& told);
    bool see_hazard(Machine::State& hart, const LanesOf& lanes, const HazardTouches& second, const NearHazard& near,
                    const HazardTouches& first);

    void note(std::uint64_t byte, unsigned bytes, unsigned lane, Watch& watch);
    void note_word(AccessCell& cell, unsigned bytes, std::uint64_t byte, unsigned lane, Watch& watch);
    void see_race(const Accessor& before, bool wrote, const Accessor& now, std::uint64_t byte, unsigned lane,
                  Watch& watch);
    BriefLock& lock_of(const Space& space) { return space.is_of_group ? space.checked->lock : lock_; }
    std::unique_lock<BriefLock> lock_beside(const Space& space);
    bool is_ordered(const Accessor& access, const Machine::State& hart) const;
    void see_barriers(Group& group);
    void see_barriers_at(Machine::State& hart, const Space& space, ir::AccessKind kind);
    std::uint32_t ordered_before(const Machine::State& hart, const Space& space) const;
    void acquire(Machine::State& hart, const Accessor& from);
    void acquire_awaited(Machine::State& hart);
    void bring_barrier(Machine::State& hart);
    bool is_private(std::uint64_t byte, Stretch& known) const;
    static void note_in_group(Machine::State& hart, const Accessor& access);
    static bool is_unfinished(const CheckedGroup& group, const Accessor& access);
    std::string place_text(const Machine::State& hart, const Space& space, std::uint64_t byte) const;
    std::string access_text(const Space& space, ir::AccessKind kind, std::uint64_t byte) const;
    std::string undefined_registers(Machine::State& hart, std::string_view sources) const;
    std::string undefined_lanes(Machine::State& hart, Index file, std::uint64_t number) const;
    std::uint64_t address_of_place(std::uint32_t place);
    std::string race_text(const Machine::State& hart, const Race& race, const Space& space, ir::AccessKind kind);

    const Checks checks_;
    const Isa& isa_;
    const std::string hart_name_;
    const Index files_;
    std::size_t most_states_ = 0;  // that a hazard needs
    bool narrows_ = true;  // no event is told of bad accesses: they are left out
    // For what is below, but for places. Of a group's own memory the pages have a lock of their own, which is taken before.
    mutable BriefLock lock_;
    std::vector<Acquired> acquired_;  // by the number of a hart
    std::vector<Name> names_;         // likewise
    std::uint32_t groups_ = 0;
    std::vector<DispatchTimes> dispatches_{1};  // by their number
    unsigned running_ = 0;                      // of them
    std::atomic<std::uint32_t> now_ = 1;
    struct Removed {
        const Space* space = nullptr;
        std::uint64_t first = 0, last = 0;
        std::string name;
    };
    std::map<std::uint64_t, std::uint64_t> private_;  // of memory that is shared: first and last
    std::vector<Removed> removed_;                    // the latest last
    std::mutex places_lock_;  // taken behind any other, for the next two
    std::unordered_map<std::uint64_t, std::uint32_t> place_numbers_;
    std::vector<std::uint64_t> places_;  // of instructions: their addresses
    std::map<std::tuple<std::string, std::uint64_t, unsigned>, Finding> found_;
};

}  // namespace isaforge::machine

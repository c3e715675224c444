// What the harts of a machine share: memory, devices, the host.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "isaforge/machine.hpp"
#include "machine/checker.hpp"
#include "machine/compile_thread.hpp"
#include "machine/devices.hpp"
#include "machine/dispatch.hpp"
#include "machine/group.hpp"
#include "machine/memory_map.hpp"
#include "machine/process.hpp"
#include "machine/program.hpp"
#include "machine/sharing.hpp"
#include "semantics/forms.hpp"

namespace isaforge::machine {

inline constexpr unsigned max_harts = most_harts;

// Turns of harts in which more happened than that it stalled once more: each counted behind what was done there. A dispatcher's
// threads count each in a place of its own; only who waits adds them up.
class TurnCount {
public:
    void note(unsigned place) { places_[place % count].turns.fetch_add(1); }
    // The same where no other thread has the place.
    void note_own(unsigned place) {
        std::atomic<std::uint64_t>& turns = places_[place % count].turns;
        turns.store(turns.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    // Never 0.
    std::uint64_t sum() const {
        std::uint64_t sum = 1;
        for (const Place& each : places_) sum += each.turns.load();
        return sum;
    }

    static constexpr unsigned count = 64;

private:
    struct alignas(cache_line) Place {
        std::atomic<std::uint64_t> turns = 0;
    };
    Place places_[count];
};

struct System {
    // `its_dispatch`: whose the harts are; null: they begin as resets say.
    System(const std::shared_ptr<const Codec>& codec, const MachineOptions& options, const Dispatch* its_dispatch);
    ~System();
    System(const System&) = delete;
    System& operator=(const System&) = delete;

    std::shared_ptr<Program> current_program();
    // The program that harts go over to when they leave this one; `was_full`: for it had no room for more.
    std::shared_ptr<Program> program_after(const std::shared_ptr<Program>& left, bool was_full);
    // The machine's number of a text that signals or failures are called by.
    std::uint32_t signal_number(const std::string& name);
    std::string text_of_signal(std::uint64_t number);

    MemoryMap& code_map() { return spaces[code].map; }
    const MemoryMap& code_map() const { return spaces[code].map; }
    // Those whose size the description says, where they are the machine's own.
    void clear_own_memories();
    std::string add_device(MemoryMap& map, const std::string& kind, std::uint64_t address);
    // The lowest line that interrupts a hart now; and when the next one will by itself, the end of time where none will.
    std::optional<std::uint32_t> raised(std::uint32_t hart, std::uint64_t now);
    std::uint64_t due(std::uint32_t hart) {
        const std::uint64_t known = quiet_until[hart].load(std::memory_order_relaxed);
        return known != 0 ? known : ask_due(hart);
    }
    // Whether raised() may say something. Asked at each turn of a hart.
    bool may_be_raised(std::uint32_t hart, std::uint64_t now) const {
        return now >= quiet_until[hart].load(std::memory_order_relaxed);
    }
    // Called under device_lock.
    void devices_changed();
    // Whether input from outside may interrupt some hart.
    bool input_may_come();
    // Nanoseconds of the machine's time, given how many there are without a clock.
    std::uint64_t time(std::uint64_t counted) const { return real_time ? clock() : counted; }
    std::uint64_t clock() const;
    std::uint64_t ask_due(std::uint32_t hart);
    std::uint64_t first_due(std::uint32_t hart) const;   // as due(), under device_lock

    semantics::FormGraphs forms;
    std::shared_ptr<const Isa> isa;              // with shadows of the registers where these are checked
    std::unique_ptr<Checker> checker;            // null: nothing is
    CompileThread& compile_thread(const std::shared_ptr<const Codec>& codec, const MachineOptions& options,
                                  const std::vector<std::uint32_t>& ports);

    std::deque<Space> spaces;                    // the memories; then the code, where it lies in none of them
    Index code = 0;                              // which one holds the code …
    Index main = 0;                              // … and which one an address without a memory's name is of
    bool code_is_apart = false;                  // no memory holds it
    std::deque<Group> groups;                    // those that live at the same time
    unsigned harts = 1, group_harts = 1;         // that do; of each group
    unsigned group_count = 1;                    // of all that are to run …
    std::atomic<unsigned> groups_begun = 0;      // … of which so many have begun
    const Dispatch* dispatch = nullptr;      // as above
    std::string problem;               // why a memory that was asked for is not there
    std::unique_ptr<Sharing> sharing;            // null where there is one hart for good
    bool has_several() const { return sharing != nullptr; }
    std::mutex device_lock;                      // for devices and streams
    std::vector<std::unique_ptr<Device>> devices;
    std::atomic<std::uint64_t> quiet_until[most_resident_harts] = {};   // no line is up before; 0: that is not known
    std::shared_ptr<Streams> streams;
    std::unique_ptr<Process> process;            // what runs is one of Linux, as far as the description asks for that
    std::optional<int> exit_status;              // under device_lock
    std::atomic<bool> ending = false;            // a hart has ended the run of all
    TurnOrder turns;                             // where all harts take turns
    bool real_time = false;
    std::mutex map_lock;                         // for changes of the map while harts run
    std::mutex program_lock;                     // for `program`; taken before that one's own
    std::shared_ptr<Program> program;
    std::mutex signal_lock;
    std::vector<std::string> signal_names;
    std::unordered_map<std::string, std::uint32_t> signal_numbers;   // of those
    std::atomic<std::uint64_t> newest_program = 0;   // its number
    std::unordered_set<std::uint64_t> breakpoints;   // code addresses; set while nothing runs
    std::atomic<unsigned> watching = 0;              // harts whose accesses are noted
    std::atomic<unsigned> drops = 0;                 // of compiled code that the run overwrote, or had no room for
    std::mutex compiler_lock;                    // for the next two
    EngineFigures compiled;
    std::unique_ptr<CompileThread> compiler;     // since it was first wanted
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    TurnCount progress;
    // What harts on all threads write, apart from what they only read.
    alignas(cache_line) std::atomic<std::uint64_t> since_look = 0;   // instructions since one looked for what is hot
};

}  // namespace isaforge::machine

// Runs dispatches, several at the same time, on a few threads. Each thread has harts of its own, which it gives to groups of
// any dispatch.
//
// Who is next. A thread stays with a group until its harts have had a turn of some thousand instructions each, or one of
// them gives its turn up, or all have ended; harts of a group take turns at barriers. Then come the other groups that the
// thread has begun, each in turn, and then as many begin as there are, if there are harts for them. So short groups run one
// after the other in the same place, and those that wait for each other all go on, as many as live at the same time. Harts that
// stall have no turn before another one has done something; where all that a thread has wait so, more groups begin than have
// turns otherwise. Where nothing can go on or begin in any thread, a dispatch that waits is ended, and then the others go on.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "machine/dispatch.hpp"
#include "machine/group.hpp"
#include "machine/system.hpp"

namespace isaforge::machine {

class Dispatcher {
public:
    // `threads` 0: as many as there are processors. The memories that are not each group's have no storage at first.
    Dispatcher(std::shared_ptr<const Codec> codec, MachineOptions options, unsigned threads);
    // What runs is ended.
    ~Dispatcher();
    Dispatcher(const Dispatcher&) = delete;
    Dispatcher& operator=(const Dispatcher&) = delete;

    const std::shared_ptr<const Codec>& codec() const { return codec_; }
    const Isa& isa() const { return codec_->isa(); }
    unsigned threads() const { return static_cast<unsigned>(workers_.size()); }
    // How many harts live at the same time: of a group, of a dispatch that is alone, and of all.
    unsigned most_group_harts() const { return slots_of_worker_; }
    unsigned resident_harts() const { return all_harts() - all_harts() / 4; }
    unsigned most_waiting_harts() const { return most_harts() - all_harts() / 4; }  // where all of them wait
    unsigned all_harts() const { return slots_of_worker_ * threads(); }
    // With those that begin because all others wait for them.
    unsigned most_harts() const { return most_slots_of_worker_ * threads(); }

    // Storage in the main memory that belongs to the caller, also while dispatches run. Nothing where it worked, else why not.
    std::string add_storage(std::uint64_t address, std::span<std::uint8_t> bytes, Permissions permissions,
                            std::string name);
    std::string protect(std::uint64_t address, std::uint64_t bytes, Permissions permissions, const std::string& name);
    // When it comes back, no hart touches these bytes any more.
    void remove_storage(std::uint64_t address, std::uint64_t bytes);

    using UseStorage = std::function<void(std::uint64_t address, std::span<std::uint8_t> bytes, Permissions permissions,
                                          const std::string& name)>;
    void for_each_storage(const UseStorage& use) const;
    // For a dispatch that another machine runs in this memory.
    const System& lender() const { return *system_; }

    // Begins a dispatch, which the caller keeps until `completed` is called. At most most_group_harts() harts in a group.
    // False, and nothing done, where the system gives no thread.
    bool start(Dispatch& dispatch);
    // It is to end soon, with this as what ended it.
    void end(Dispatch& dispatch, const std::string& message);

    // What lies around an address where nothing is: "12 bytes behind `a`", "4 bytes before `b`"; empty where all is far.
    std::string neighbour(std::uint64_t address) const;
    EngineFigures engine_figures() const;
    // What MachineOptions::checks found. For these: nobody has written there; it is private to harts where nobody outside reads it.
    std::vector<Finding> findings() const;
    void note_unwritten(std::uint64_t address, std::uint64_t bytes, bool is_private);
    void note_unordered(std::uint64_t address, std::uint64_t bytes);
    void note_written(std::uint64_t address, std::uint64_t bytes);

private:
    class Worker;
    friend class Worker;

    void change_map(const std::function<bool()>& change);
    bool nothing_goes_on(std::uint64_t progress);
    std::uint64_t share(bool stalls) const;
    bool has_share(const Dispatch& dispatch, bool stalls) const;
    void count_dispatches();
    bool take_next_group(Dispatch& dispatch, bool stalls, std::uint64_t& number);
    Dispatch* take_group(unsigned room, bool stalls, std::uint64_t& number);
    void groups_ended(Dispatch& dispatch, std::uint64_t count);
    std::uint64_t give_up(Dispatch& dispatch, DispatchFault fault);
    void fail(Dispatch& dispatch, DispatchFault fault);
    void work(unsigned number);

    std::shared_ptr<const Codec> codec_;
    MachineOptions options_;
    std::shared_ptr<System> system_;
    unsigned slots_of_worker_, most_slots_of_worker_;
    std::mutex lock_;                            // for all that follows, and faults
    std::condition_variable work_there_;
    std::vector<Dispatch*> active_;              // with groups that have not begun
    std::vector<Dispatch*> running_;             // that have not ended
    std::atomic<unsigned> active_count_ = 0, running_count_ = 0;   // of these
    std::size_t turn_ = 0;
    std::uint64_t started_ = 0;
    bool ending_ = false;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<std::jthread> threads_;
};

}  // namespace isaforge::machine

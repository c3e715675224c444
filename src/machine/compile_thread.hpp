// The thread that compiles, while harts go on in the interpreter. It loads the plug-in when the first region comes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "machine/compiler.hpp"

namespace isaforge::machine {

// A region on its way. Whoever gave it waits for `done` before looking at `code`, or forgets it.
struct CompileJob {
    std::shared_ptr<const void> program;  // that the region's operations are of
    std::deque<ir::Graph> graphs;         // of the units
    CodeRegion region;
    bool is_full = false;                  // of what leads from there to elsewhere, this is a part
    bool is_part_of_loop = false;          // … which comes back
    std::optional<std::uint64_t> onward;   // where code goes on that was too long
    std::unique_ptr<CompiledRegion> code;  // null: it cannot be compiled
    std::atomic<bool> done = false;
};

class CompileThread {
public:
    // `path` of the plug-in; the registers are where every layout of the instruction set has them. What the target refers
    // to belongs to `owner`.
    CompileThread(std::string path, const Isa& isa, std::shared_ptr<const void> owner, CompilerTarget target);
    // Waits for what is being compiled, unless leave_compiles_behind() was called.
    ~CompileThread();
    CompileThread(const CompileThread&) = delete;
    CompileThread& operator=(const CompileThread&) = delete;

    void start(std::shared_ptr<CompileJob> job);
    void wait_for(const CompileJob& job);
    // Why there is no compiler; empty where there is one, or it was not asked for.
    std::string problem();

private:
    // What the thread has, as long as it lives.
    struct Work {
        std::string path;
        std::shared_ptr<const void> owner;
        Layout layout;
        CompilerTarget target;
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<std::shared_ptr<CompileJob>> jobs;
        std::string problem;
        bool ending = false;
    };
    static void work(Work& work);

    std::shared_ptr<Work> work_;
    std::thread thread_;
};

// For a program that ends soon after its last machine: nobody waits for a compile any more. Where one is left then, the program
// must end by _Exit: a compiler cannot go on while its library is taken apart.
void leave_compiles_behind();
bool compiles_are_left();

// Where the plug-in of this build or installation is; empty where it is not.
std::string find_compiler();

}  // namespace isaforge::machine

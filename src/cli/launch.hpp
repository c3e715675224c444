// `isaforge run` of a compute kernel: a code object, a kernel of it, a grid of work-items, arguments.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/trace.hpp"
#include "isaforge/device.hpp"
#include "isaforge/machine.hpp"

namespace isaforge::cli {

class Arguments;
struct ProgramChoice;
struct Session;

struct LaunchChoice {
    std::string kernel;              // as --kernel gives it; `no_kernel` where it is not given, empty: to be listed
    std::string grid, group;         // X[,Y[,Z]]
    std::vector<std::string> arguments;
    std::string threads;             // how many; empty: one for each processor

    static constexpr const char* no_kernel = "\n";
    bool is_asked_for() const { return kernel != no_kernel || !grid.empty() || !group.empty() || !arguments.empty(); }
};
void add_launch_options(Arguments& app, LaunchChoice& choice);

// FILE@PLACE:WIDTHxHEIGHT:FORMAT; the place is an address, or for a kernel an argument: "image", "2", "image+4096".
struct PictureFile {
    std::string path, place;
    Picture picture;                 // without an address
};
std::optional<PictureFile> parse_picture(const std::string& text);

struct LaunchSettings {
    std::string path;                // of the code object
    std::string engine;
    std::uint64_t most_instructions = 0;
    std::uint64_t seed = 0;  // of the turns of wavefronts, where they take turns
    std::vector<std::string> pictures;
    Checks checks;
    TraceChoice trace;
    std::string profile_json;
    bool stats = false, profile = false;

    bool profiles() const { return profile || !profile_json.empty(); }
    bool looks() const { return !trace.file.empty() || profiles(); }
};

// A launch whose wavefronts are harts of a machine, for a debugger.
class LaunchToDebug {
public:
    virtual ~LaunchToDebug() = default;
    virtual Machine& machine() = 0;
    virtual const debugger::ProgramMap& map() const = 0;
    // From the beginning, with the buffers as they were.
    virtual void restart() = 0;
    // What the kernel prints, and the files that its arguments name. False after a complaint.
    virtual bool finish() = 0;
};
// Null after a complaint, with the exit status that it calls for; or where kernels were to be listed alone.
std::unique_ptr<LaunchToDebug> launch_to_debug(const std::vector<std::uint8_t>& bytes, const LaunchChoice& choice,
                                               const LaunchSettings& settings, const Session& session, int& status);

// Whether it is a code object with kernels that is not to be run as a mere program: who wants that says which instruction
// set it is.
bool holds_kernels(const ProgramChoice& choice);
// An option that asks for what a kernel does not take, memory, devices and harts of a program's own; empty where none does.
std::string_view foreign_to_kernels(const ProgramChoice& choice);
// Whether a kernel can be debugged as it is asked for; a complaint where it cannot.
bool can_debug_kernel(const ProgramChoice& choice);
// The exit status.
int run_kernel(const std::vector<std::uint8_t>& bytes, const LaunchChoice& choice, const LaunchSettings& settings,
               const Session& session);

}  // namespace isaforge::cli

#include "hsa/reports.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

#include "hsa/messages.hpp"
#include "hsa/runtime.hpp"

namespace isaforge::hsa {

namespace {

std::string launched_by(const CallStack& launched) {
    const std::string calls = launched.text("      ");
    return calls.empty() ? calls : "    launched by\n" + calls;
}

// "256x1x1"; what is 1 at the end is left out.
std::string text(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return z != 1 ? fmt::format("{}x{}x{}", x, y, z) : y != 1 ? fmt::format("{}x{}", x, y) : fmt::format("{}", x);
}

// Whether it is in a source of which nothing is to be said. A `*` stands for folders, too.
bool is_ignored(const Finding& finding) {
    const std::string path = finding.source_line.substr(0, finding.source_line.rfind(':'));
    const auto fits = [&](const std::string& pattern) { return ::fnmatch(pattern.c_str(), path.c_str(), 0) == 0; };
    return std::ranges::any_of(runtime().settings().ignored, fits);
}

}  // namespace

void report(const Agent& agent, const LaunchResult& result, const CallStack& launched) {
    say_line(fmt::format("isaforge: {} {}: {}\n", agent.processor(), agent.number(), result.message) +
             launched_by(launched));
    if (!is_access(result)) return;
    hsa_amd_event_t event{};
    event.event_type = HSA_AMD_GPU_MEMORY_FAULT_EVENT;
    event.memory_fault = {handle_of<hsa_agent_t>(&agent), result.fault.data_address,
                          HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT};
    if (!runtime().tell(event)) std::abort();
}

void report_findings(Agent& agent, const std::function<CallStack()>& launched) {
    static std::mutex mutex;
    static std::set<std::string> told;
    if (!runtime().settings().checks.any()) return;
    const std::lock_guard lock(mutex);
    for (const Finding& finding : agent.device().findings()) {
        if (is_ignored(finding)) continue;
        const std::string whose =
            fmt::format(", kernel {}, group {}, wavefront {}", finding.program, finding.group, finding.hart);
        Finding once = finding;   // how often it has been found by now makes it no other one
        once.count = 1;
        if (!told.insert(to_text(once, whose)).second) continue;
        say_line("isaforge: " + to_text(finding, whose) + "\n" + launched_by(launched()));
    }
}

bool is_access(const LaunchResult& result) {
    return result.fault.reason == StopReason::bad_read || result.fault.reason == StopReason::bad_write;
}

hsa_status_t status_of(const LaunchResult& result) {
    if (is_access(result)) return static_cast<hsa_status_t>(HSA_STATUS_ERROR_MEMORY_FAULT);
    return result.fault.reason == StopReason::illegal ? static_cast<hsa_status_t>(HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION)
                                                      : HSA_STATUS_ERROR_EXCEPTION;
}

namespace {

struct Share {
    std::uint64_t launches = 0, instructions = 0;
    double seconds = 0;
};

std::mutex profile_mutex;
std::map<std::string, Share> profile;   // by the kernel's name

double rate(std::uint64_t instructions, double seconds) {
    return seconds > 0 ? static_cast<double>(instructions) / seconds / 1e6 : 0;
}

// Kernels that took longest come first.
std::string profile_text() {
    const std::lock_guard lock(profile_mutex);
    std::vector<std::pair<std::string, Share>> kernels(profile.begin(), profile.end());
    std::sort(kernels.begin(), kernels.end(),
              [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
    double all = 0;
    for (const auto& [name, share] : kernels) all += share.seconds;
    std::string text =
        fmt::format("{:>10} {:>6} {:>9} {:>15} {:>9}  kernel\n", "time", "share", "launches", "instructions", "M/s");
    for (const auto& [name, share] : kernels)
        text += fmt::format("{:>7.1f} ms {:>5.1f}% {:>9} {:>15} {:>9.1f}  {}\n", share.seconds * 1e3,
                            all > 0 ? 100 * share.seconds / all : 0, share.launches, share.instructions,
                            rate(share.instructions, share.seconds), readable_name(name));
    return text;
}

// When the program ends, or this library is left.
[[gnu::destructor]] void print_at_end() { print_profile(); }

void trace(const hsa_kernel_dispatch_packet_t& packet, const KernelInfo& kernel, const LaunchResult& result) {
    say_line(fmt::format(
        "dispatch {} grid {} group {} lds {} vgprs {} sgprs {} private {}: {:.3f} ms, {} instructions, "
        "{:.1f} M/s{}\n",
        readable_name(kernel.name), text(packet.grid_size_x, packet.grid_size_y, packet.grid_size_z),
        text(packet.workgroup_size_x, packet.workgroup_size_y, packet.workgroup_size_z), packet.group_segment_size,
        kernel.vector_registers, kernel.scalar_registers, packet.private_segment_size, result.seconds * 1e3,
        result.instructions, rate(result.instructions, result.seconds), result.ok ? "" : ", failed"));
}

}  // namespace

void note_running(const hsa_kernel_dispatch_packet_t& packet, std::uint64_t seconds) {
    if (!runtime().settings().trace) return;
    const KernelInfo kernel = runtime().executables().find_kernel(packet.kernel_object);
    say_line(fmt::format("dispatch {} grid {} group {}: goes on after {} s\n", readable_name(kernel.name),
                         text(packet.grid_size_x, packet.grid_size_y, packet.grid_size_z),
                         text(packet.workgroup_size_x, packet.workgroup_size_y, packet.workgroup_size_z), seconds));
}

void print_profile() {
    if (!profile.empty()) say_line(profile_text());
}

void note_launch(const hsa_kernel_dispatch_packet_t& packet, const LaunchResult& result) {
    const Settings& settings = runtime().settings();
    if (!settings.trace && !settings.profile) return;
    const KernelInfo kernel = runtime().executables().find_kernel(packet.kernel_object);
    if (settings.trace) trace(packet, kernel, result);
    if (!settings.profile) return;
    const std::lock_guard lock(profile_mutex);
    Share& share = profile[kernel.name];
    ++share.launches;
    share.instructions += result.instructions;
    share.seconds += result.seconds;
}

}  // namespace isaforge::hsa

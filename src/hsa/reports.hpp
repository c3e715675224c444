// What the user of the program is told of its kernels: faults, what checks have found, a line for each launch.
#pragma once

#include <functional>

#include "hsa/agent.hpp"
#include "hsa/call_stack.hpp"

namespace isaforge::hsa {

// A launch that ended before its time, or did not begin. It ends the program, as drivers do, where that was for an access to what
// is not there and no handler of the program's takes it: not all clients can go on, or end, with a queue that has failed.
void report(const Agent& agent, const LaunchResult& result, const CallStack& launched);
// What checks have found that was not told yet.
void report_findings(Agent& agent, const std::function<CallStack()>& launched);

bool is_access(const LaunchResult& result);
// What clients are told that it was.
hsa_status_t status_of(const LaunchResult& result);

// The profile, where it is asked for; otherwise it is printed when the program ends.
void print_profile();

// For the trace: a kernel that has not ended after so long.
void note_running(const hsa_kernel_dispatch_packet_t& packet, std::uint64_t seconds);
// For the trace and the profile, where they are asked for.
void note_launch(const hsa_kernel_dispatch_packet_t& packet, const LaunchResult& result);

}  // namespace isaforge::hsa

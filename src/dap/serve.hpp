// An adapter and its client on two descriptors.
#pragma once

#include "dap/debuggee.hpp"

namespace isaforge::dap {

// Until the client disconnects or goes away. What comes while the program runs is heard at once. Whether the program, to which
// it had attached, is to go on without it.
// `said`: what was said elsewhere since the last time, for the client to see; may be null.
bool serve(int input, int output, Launcher launcher, const std::function<std::string()>& said);

}  // namespace isaforge::dap

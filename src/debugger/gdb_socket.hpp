// The remote protocol on a TCP port of this machine, for one debugger.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "debugger/gdb_server.hpp"

namespace isaforge::debugger {

// Listens on the loopback address, tells `listening` the port (port 0: a free one), waits for a debugger to connect and
// serves it until it detaches, kills or goes away. False, with the reason in `error`, where that cannot be done.
bool serve_gdb(GdbServer& server, Execution& execution, std::uint16_t port,
               const std::function<void(std::uint16_t port)>& listening, std::string& error);

}  // namespace isaforge::debugger

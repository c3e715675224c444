// One client of a TCP port of this machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace isaforge::protocol {

// Listens on the loopback address, tells `listening` the port (port 0: a free one), and waits for somebody to connect. The
// connection's descriptor, which is the caller's; negative, with the reason in `error`, where that cannot be done.
int accept_on_loopback(std::uint16_t port, const std::function<void(std::uint16_t port)>& listening,
                       std::string& error);

}  // namespace isaforge::protocol

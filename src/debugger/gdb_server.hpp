// A machine behind the GDB remote serial protocol: each packet in gives a packet out. It knows nothing of sockets, see
// gdb_socket.hpp.
//
// Addresses count bytes. Those of code are as in the object file, also where the machine's pc counts something larger;
// those of data are of the machine's first memory, others follow with their number in the highest byte of the address.
// Each hart is a thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "debugger/debugger.hpp"
#include "debugger/execution.hpp"
#include "debugger/gdb_target.hpp"

namespace isaforge::debugger {

class GdbServer {
public:
    // `debugger` carries out what `monitor` hands over.
    GdbServer(Execution& execution, Debugger& debugger);

    // The payload that answers a payload; an empty one says that the packet is not known. Where `sends_reply()` is false
    // afterwards, nothing is to be sent.
    std::string answer(std::string_view packet);
    bool sends_reply() const { return sends_reply_; }

    // The other side has agreed to go on without acknowledgements.
    bool without_acknowledgements() const { return without_acknowledgements_; }

    enum class End { none, detached, killed };
    End end() const { return end_; }

private:
    std::string query(std::string_view packet);
    std::string supported(std::string_view features);
    std::string transfer(std::string_view request);
    std::string monitor(std::string_view hex);
    std::string all_registers() const;
    std::string set_all_registers(std::string_view hex);
    std::string get_register(std::string_view text) const;
    std::string set_register(std::string_view text);
    bool set_one(const RemoteRegister& reg, std::string_view bytes);
    std::string read_memory(std::string_view text);
    std::string write_memory(std::string_view text, bool binary);
    std::string point(std::string_view text, bool on);
    Machine& machine() const { return execution_.machine(); }
    // The hart that the name of a thread means; nothing where it is none. Threads are numbered from 1.
    std::optional<unsigned> hart_of(std::string_view thread) const;
    std::string choose_thread(std::string_view text);
    std::string vcont(std::string_view actions);
    std::string go_on(bool step, std::string_view address);
    std::string go_back(bool step);
    bool go_behind(bool step);
    void run();
    bool is_ours(const Stop& stop) const;
    std::string pc_bytes() const;
    std::string stop_reply(const Stop& stop) const;
    // The memory and the address in it that an address of the protocol means; false where there is none.
    bool find_memory(std::uint64_t address, Index& memory, std::uint64_t& inside) const;

    Execution& execution_;
    Debugger& debugger_;
    std::shared_ptr<const RemoteTarget> target_;
    std::string description_;
    std::set<std::uint64_t> breakpoints_;                        // addresses of the protocol
    std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> watches_;  // type, address, length
    // gdb takes machines that it knows as RISC-V to stop before the access that a watchpoint is for, and lets that one
    // instruction execute before it looks. Here the access has been made: until that step, which does nothing, the hart
    // stands before the instruction as far as gdb can see.
    struct Before {
        unsigned hart = 0;
        std::uint64_t address = 0;  // of the code
    };
    std::optional<Before> before_;
    Stop last_;
    unsigned code_bytes_ = 1;
    bool tells_breakpoints_ = false, without_acknowledgements_ = false, sends_reply_ = true;
    End end_ = End::none;
};

}  // namespace isaforge::debugger

// Any bytes from a debugger: packets are read from them, in pieces, and answered by a machine with a small program in a small
// memory. What is no packet is passed over, what is a wrong one gets an error, and commands handed over are carried out.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "debugger/gdb_packet.hpp"
#include "debugger/gdb_server.hpp"
#include "machines.hpp"

using namespace isaforge;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::shared_ptr<const Codec>& codec = fuzz::choose(data[0]);
    MachineOptions options;
    options.memory_bytes = 4096;
    Machine machine(codec, options);
    const std::size_t code = std::min<std::size_t>(size - 1, 64);
    machine.load_code({data + 1, code});
    const Object object = make_object(codec->isa());
    const debugger::ProgramMap map(object);
    debugger::Execution execution(machine);
    execution.limit = 1000;
    debugger::Debugger commands(execution, *codec, map);
    debugger::GdbServer server(execution, commands);
    debugger::PacketReader reader;
    std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::size_t piece = 1 + data[1] % 64;
    unsigned packets = 0;
    while (!rest.empty() && packets < 64) {
        const auto events = reader.feed(rest.substr(0, piece));
        rest.remove_prefix(std::min(piece, rest.size()));
        for (const debugger::PacketEvent& event : events) {
            if (event.kind != debugger::PacketEvent::Kind::packet || ++packets > 64) continue;
            const std::string reply = server.answer(event.payload);
            if (reply.size() > debugger::most_packet_bytes) std::abort();
            debugger::PacketReader back;
            const auto same = back.feed(debugger::packet_bytes(reply));
            if (same.size() != 1 || same[0].payload != reply) std::abort();
        }
    }
    // The bytes are most often no packets with the right sums; as payloads they go further.
    server.answer({reinterpret_cast<const char*>(data) + 1, size - 1});
    commands.execute({reinterpret_cast<const char*>(data) + 1, size - 1});
    return 0;
}

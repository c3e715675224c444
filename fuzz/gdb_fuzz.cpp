// Any bytes from a debugger: packets are read from them, in pieces, and answered by a machine with a small program in a small
// memory. What is no packet is passed over, what is a wrong one gets an error, and commands handed over are carried out.
#include "debugger/gdb_server.hpp"
#include "packets.hpp"

using namespace isaforge;

namespace {

constexpr unsigned most_packets = 64;

void answer(debugger::GdbServer& server, const std::string& payload) {
    const std::string reply = server.answer(payload);
    fuzz::require(reply.size() <= debugger::most_packet_bytes);
    debugger::PacketReader back;
    const auto same = back.feed(debugger::packet_bytes(reply));
    fuzz::require(same.size() == 1 && same[0].payload == reply);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return fuzz::mutate_behind(data, size, most, seed, [](std::string& stream, fuzz::Random& random, std::uint8_t) {
        fuzz::change_packets(stream, random);
    });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    fuzz::Debugged debugged(data[0]);
    debugger::GdbServer server(*debugged.execution, *debugged.commands);
    debugger::PacketReader reader;
    std::string_view rest = fuzz::text_of(data + 1, size - 1);
    const std::size_t piece = 1 + data[size - 1] % 64;
    unsigned packets = 0;
    while (!rest.empty() && packets < most_packets) {
        const auto events = reader.feed(rest.substr(0, piece));
        rest.remove_prefix(std::min(piece, rest.size()));
        for (const debugger::PacketEvent& event : events) {
            if (event.kind != debugger::PacketEvent::Kind::packet || ++packets > most_packets) continue;
            answer(server, event.payload);
        }
    }
    return 0;
}

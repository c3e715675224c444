// Packets of the GDB remote protocol as an input: payloads by a grammar, in envelopes whose sums are right.
#pragma once

#include "debugged.hpp"
#include "debugger/gdb_packet.hpp"

namespace isaforge::fuzz {

inline std::string packet(Random& random) {
    static const Grammar grammar(
        {
            {'p',
             {"?",
              "g",
              "G%h",
              "p%1",
              "P%1=%h",
              "m%a,%1",
              "M%a,%1:%h",
              "X%a,%1:%r",
              "Z%t,%a,%1",
              "z%t,%a,%1",
              "c",
              "bs",
              "bc",
              "c%a",
              "s",
              "s%a",
              "C05",
              "S05;%a",
              "Hg%d",
              "Hc%d",
              "T%d",
              "D",
              "qSupported:swbreak+;qRelocInsn+",
              "QStartNoAckMode",
              "qXfer:features:read:target.xml:%1,%1",
              "qRcmd,%c",
              "qAttached",
              "qC",
              "qfThreadInfo",
              "qsThreadInfo",
              "qThreadExtraInfo,%d",
              "qSymbol::",
              "qHostInfo",
              "qProcessInfo",
              "qRegisterInfo%1",
              "vCont?",
              "vCont;c:%d",
              "vCont;s:%d;c",
              "vKill;1",
              "%r",
              "%p%r"}},
            {'a', {"0", "4", "%1", "01000000000000%h", "ff"}},
            {'t', {"0", "1", "2", "3", "4", "%1"}},
            {'d', {"1", "0", "-1", "p1.1", "p1.-1", "%1"}},
            {'h', {"00", "%1%1", "00000000%h", "ffffffff", "%h%h"}},
        },
        [](char rule, Random& r) {
            char hex[20];
            std::snprintf(hex, sizeof hex, "%llx", static_cast<unsigned long long>(r.edge()));
            if (rule == '1') return std::string(hex);
            if (rule == 'c') return debugger::to_hex(command_line(r));
            return std::string(1 + r.below(4), static_cast<char>(r.next()));
        });
    return grammar.make('p', random);
}

// What stands between the packets of a stream, and the packets; each with what frames it.
inline std::vector<std::string> packets_of(std::string_view stream) {
    std::vector<std::string> parts;
    while (!stream.empty()) {
        std::size_t end = stream.find('$', 1);
        if (end == std::string_view::npos) end = stream.size();
        parts.emplace_back(stream.substr(0, end));
        stream.remove_prefix(end);
    }
    return parts;
}

// One change: a packet more, less, again, elsewhere, with another payload; sometimes its frame.
inline void change_packets(std::string& stream, Random& random) {
    std::vector<std::string> parts = packets_of(stream);
    const auto place = parts.begin() + static_cast<long>(random.below(parts.size() + 1));
    switch (parts.empty() ? 0 : random.below(8)) {
        case 0:
        case 1:
        case 2: parts.insert(place, debugger::packet_bytes(packet(random))); break;
        case 3: parts.insert(place, std::string(1 + random.below(4), "+-\x03$#}*"[random.below(7)])); break;
        case 4: parts.erase(parts.begin() + static_cast<long>(random.below(parts.size()))); break;
        case 5: parts.insert(place, std::string(random.pick(parts))); break;
        case 6: {
            std::string& part = parts[random.below(parts.size())];
            debugger::PacketReader reader;
            const auto events = reader.feed(part);
            if (events.empty()) break;
            std::string payload = events[0].payload;
            change_bytes(payload, random.below(payload.size() + 1), payload.size());
            part = debugger::packet_bytes(payload);
            break;
        }
        default: {
            std::string& part = parts[random.below(parts.size())];
            change_bytes(part, random.below(part.size()), part.size());
        }
    }
    stream.clear();
    for (const std::string& part : parts) stream += part;
}

}  // namespace isaforge::fuzz

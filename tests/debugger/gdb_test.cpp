// The remote protocol below the sockets: packets whole, in pieces and damaged, and what the server answers. The protocol as
// a debugger uses it is tested by gdb_client.py.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "debugger/gdb_packet.hpp"
#include "debugger/gdb_server.hpp"
#include "debugger/program.hpp"

namespace isaforge::debugger {
namespace {

TEST(GdbPacket, ComesBackAsItWasSent) {
    std::mt19937 random(3);
    for (int i = 0; i < 2000; ++i) {
        std::string payload;
        for (unsigned n = random() % 40; n-- > 0;) payload += static_cast<char>(random());
        const std::string bytes = packet_bytes(payload);
        for (char c : bytes.substr(1, bytes.size() - 4)) ASSERT_TRUE(c != '$' && c != '#');
        PacketReader reader;
        std::vector<PacketEvent> events;
        for (const char& c : bytes) {
            ASSERT_TRUE(events.empty());
            events = reader.feed({&c, 1});
        }
        ASSERT_EQ(events.size(), 1u);
        EXPECT_EQ(events[0].kind, PacketEvent::Kind::packet);
        EXPECT_EQ(events[0].payload, payload);
    }
}

TEST(GdbPacket, TheManualsExamples) {
    EXPECT_EQ(packet_bytes("OK"), "$OK#9a");
    EXPECT_EQ(packet_bytes(""), "$#00");
    EXPECT_EQ(packet_bytes("a}b"), "$a}]b#9d");  // 0x61 + 0x7d + 0x5d + 0x62 = 0x19d
    EXPECT_EQ(to_hex("monitor"), "6d6f6e69746f72");
    EXPECT_EQ(from_hex("4f4b"), "OK");
    EXPECT_FALSE(from_hex("4f4"));
    EXPECT_FALSE(from_hex("4g"));
    std::string_view text = "ff,10";
    EXPECT_EQ(take_hex(text), 255u);
    EXPECT_EQ(text, ",10");
    EXPECT_FALSE(take_hex(text));
    text = "12345678123456781";
    EXPECT_FALSE(take_hex(text));
}

TEST(GdbPacket, DamageIsSeen) {
    PacketReader reader;
    const std::vector<PacketEvent> events = reader.feed("+$OK#9b$OK#9a\x03$x#zz-");
    ASSERT_EQ(events.size(), 5u);
    EXPECT_EQ(events[0].kind, PacketEvent::Kind::damaged);
    EXPECT_EQ(events[1].payload, "OK");
    EXPECT_EQ(events[2].kind, PacketEvent::Kind::interrupt);
    EXPECT_EQ(events[3].kind, PacketEvent::Kind::damaged);
    EXPECT_EQ(events[4].kind, PacketEvent::Kind::repeat);
}

TEST(GdbPacket, APacketWithoutAnEndIsDropped) {
    PacketReader reader;
    unsigned damaged = 0;
    for (int i = 0; i < 100; ++i) {
        for (const PacketEvent& event : reader.feed("$" + std::string(9999, '-')))
            damaged += event.kind == PacketEvent::Kind::damaged ? 1 : 1000;
    }
    EXPECT_EQ(damaged, 1u);
    // Nobody waits for its end to be heard.
    std::vector<PacketEvent> events = reader.feed("\x03");
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].kind, PacketEvent::Kind::interrupt);
    events = reader.feed("#00$OK#9a");
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].payload, "OK");
}

// In whatever pieces bytes arrive, the events are the same.
TEST(GdbPacket, PiecesDoNotMatter) {
    std::mt19937 random(5);
    for (int i = 0; i < 500; ++i) {
        std::string bytes;
        for (unsigned n = random() % 30; n-- > 0;) {
            switch (random() % 4) {
                case 0: bytes += packet_bytes(std::string(random() % 5, static_cast<char>(random()))); break;
                case 1: bytes += "+-\x03#$"[random() % 5]; break;
                case 2: bytes += static_cast<char>(random()); break;
                default: bytes += packet_bytes("m0,4").substr(random() % 3); break;
            }
        }
        PacketReader whole, pieces;
        const std::vector<PacketEvent> expected = whole.feed(bytes);
        std::vector<PacketEvent> events;
        for (std::size_t at = 0; at < bytes.size();) {
            const std::size_t length = 1 + random() % 7;
            for (PacketEvent& event : pieces.feed(std::string_view(bytes).substr(at, length)))
                events.push_back(std::move(event));
            at += length;
        }
        ASSERT_EQ(events.size(), expected.size());
        for (std::size_t k = 0; k < events.size(); ++k) {
            EXPECT_EQ(events[k].kind, expected[k].kind);
            EXPECT_EQ(events[k].payload, expected[k].payload);
        }
    }
}

struct Served {
    Loaded loaded;
    GdbServer server;

    explicit Served(const std::string& name) : loaded(example(name)), server(*loaded.execution, *loaded.debugger) {}
    std::string operator()(std::string_view packet) { return server.answer(packet); }
};

TEST(GdbServer, StepsAsTheReferenceDoes) {
    Served served("calls.s");
    auto reference = served.loaded.reference();
    while (reference.step() && !reference.stopped) {
        ASSERT_TRUE(served("s").starts_with("T05"));
        std::string registers;
        auto add = [&](std::uint64_t value, unsigned bytes) {
            for (unsigned i = 0; i < bytes; ++i) registers += static_cast<char>(value >> 8 * i);
        };
        for (std::uint32_t value : reference.registers) add(value, 4);
        for (bool value : reference.conditions) add(value, 1);
        add(reference.address_register, 4);
        add(reference.latch, 2);
        add(reference.pc * 4, 4);
        ASSERT_EQ(served("g"), to_hex(registers)) << reference.steps;
    }
    EXPECT_EQ(served("s"), "W00");
    EXPECT_EQ(served("?"), "W00");
    EXPECT_EQ(served("c"), "W00");
}

TEST(GdbServer, BreakpointsAndWatchpoints) {
    Served served("calls.s");
    EXPECT_EQ(served("Z0,44,4"), "OK");
    EXPECT_EQ(served("c"), "T052a:44000000;thread:1;");
    EXPECT_EQ(served("Z2,fc8,4"), "OK");
    EXPECT_EQ(served("z0,44,4"), "OK");
    EXPECT_TRUE(served("c").ends_with(";watch:fc8;"));
    EXPECT_EQ(served("mfc8,4"), "00008040");
    EXPECT_EQ(served("z2,fc8,4"), "OK");
    EXPECT_EQ(served("vCont;c:1"), "W00");
}

TEST(GdbServer, WatchpointsForReading) {
    Served served("calls.s");
    EXPECT_EQ(served("Z3,fc8,4"), "OK");
    EXPECT_EQ(served("Z4,ff8,4"), "OK");
    std::vector<std::string> met;
    for (std::string reply = served("c"); reply != "W00"; reply = served("c")) {
        ASSERT_TRUE(reply.starts_with("T05")) << reply;
        met.push_back(reply.substr(reply.find("thread:1;") + 9));
        ASSERT_LT(met.size(), 100u) << reply;
    }
    std::size_t reads = 0, accesses = 0;
    for (const std::string& each : met) {
        reads += each == "rwatch:fc8;";
        accesses += each == "awatch:ff8;";
    }
    EXPECT_EQ(reads + accesses, met.size());
    EXPECT_GE(reads, 1u);
    EXPECT_GE(accesses, 2u);
}

// gdb steps a RISC-V, which it takes us for, over the access before it looks at what is watched.
TEST(GdbServer, ToGdbAWatchpointStopsBeforeTheAccess) {
    for (const bool gdb : {false, true}) {
        Served served("calls.s");
        if (gdb) served("qSupported:swbreak+;qRelocInsn+");
        const std::string pc = "p2a";
        ASSERT_EQ(served("Z2,fc8,4"), "OK");
        const std::string reply = served("c");
        ASSERT_TRUE(reply.ends_with(";watch:fc8;")) << reply;
        const std::uint64_t real = served.loaded.machine->pc() * 4, executed = served.loaded.machine->instructions();
        const auto as_hex = [](std::uint64_t address) {
            return fmt::format("{:02x}{:02x}0000", address % 256, address / 256);
        };
        const std::string seen = served(pc);
        if (!gdb) {
            EXPECT_EQ(seen, as_hex(real));
            continue;
        }
        EXPECT_EQ(seen, as_hex(real - 4));
        EXPECT_EQ(reply.substr(3, 11), "2a:" + seen);
        EXPECT_EQ(served("P2a=" + seen), "OK");  // is where it stands: nothing moves
        EXPECT_EQ(served("z2,fc8,4"), "OK");
        EXPECT_EQ(served("vCont;s:1"), "T052a:" + as_hex(real) + ";thread:1;");
        EXPECT_EQ(served.loaded.machine->instructions(), executed);
        EXPECT_EQ(served(pc), as_hex(real));
        served("s");
        EXPECT_EQ(served.loaded.machine->instructions(), executed + 1);
    }
}

TEST(GdbServer, NoRegisterIsCalledAsAValueOfTheHistory) {
    const char* const description = R"(isa t "T"
code unit 8 little
registers r : 2 of u32 "${n}"
format F | OP:8 |
instructions F [OP] "{name}" { 0 nop r[0] = r[0] }
)";
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa_text("t.isa", description, sources, diagnostics);
    ASSERT_TRUE(isa) << to_text(diagnostics, sources);
    const Machine machine(std::make_shared<const Codec>(isa));
    ASSERT_EQ(machine.register_name(0, 3), "$3");
    const RemoteTarget target(machine, true);
    EXPECT_EQ(target.registers()[3].name, "r3");
}

// So many bytes are compared at each step, and no more.
TEST(GdbServer, WhatIsWatchedIsBounded) {
    Served served("calls.s");
    unsigned accepted = 0;
    for (unsigned i = 0; i < 16; ++i) accepted += served(fmt::format("Z2,{:x},2000", i)) == "OK";
    EXPECT_EQ(accepted, most_watched_bytes / 0x2000);
    EXPECT_EQ(served("z2,0,2000"), "OK");
    EXPECT_EQ(served("Z3,0,2000"), "OK");
    EXPECT_EQ(served("Z3,1,1"), "E14");
}

TEST(GdbServer, StateCanBeChanged) {
    Served served("calls.s");
    EXPECT_EQ(served("P5=78563412"), "OK");
    EXPECT_EQ(served("p5"), "78563412");
    EXPECT_EQ(served("M100,4:01020304"), "OK");
    EXPECT_EQ(served(std::string_view("X104,2:\0\xff", 9)), "OK");
    EXPECT_EQ(served("m100,8"), "0102030400ff0000");
    EXPECT_EQ(served("mfffe,8"), "0000");
    EXPECT_EQ(served("m10000,1"), "E14");
    EXPECT_EQ(served("m100000000000000,1"), "E14");
    const std::string all = served("g");
    EXPECT_EQ(served("P2a=44000000"), "OK");
    EXPECT_EQ(served.loaded.machine->pc(), 0x11u);
    EXPECT_EQ(served("G" + all), "OK");
    EXPECT_EQ(served("g"), all);
    EXPECT_EQ(served("qRcmd," + to_hex("print 1 + 1")), to_hex("2  0x2\n"));
}

TEST(GdbServer, WrongRequestsGetErrors) {
    Served served("calls.s");
    const char* wrong[] = {"p",
                           "pff",
                           "pzz",
                           "P5=7",
                           "P5",
                           "Pff=00000000",
                           "G00",
                           "m",
                           "m1",
                           "m1,",
                           "m1,1x",
                           "M1,1:0",
                           "M1,2:00",
                           "X1,5:a",
                           "Z0,1,4",
                           "Z0,ffffff,4",
                           "Z0",
                           "Z2,0,0",
                           "Z2,0,ffffffffff",
                           "Z2,ffff,4",
                           "cxyz",
                           "sxyz",
                           "C",
                           "C5,0",
                           "vCont;x",
                           "vCont;",
                           "vCont;c:7",
                           "Hg7",
                           "T9",
                           "qRcmd,1",
                           "qRegisterInfo99",
                           "qXfer:features:read:target.xml:9999999,1",
                           "qXfer:features:read:other:0,1"};
    for (const char* packet : wrong) EXPECT_EQ(served(packet).substr(0, 1), "E") << packet;
    const char* unknown[] = {"", "Z5,0,4", "vMustReplyEmpty", "qTStatus", "jThreadsInfo", "\x80", "_M", "!"};
    for (const char* packet : unknown) EXPECT_EQ(served(packet), "") << packet;
    EXPECT_EQ(served.loaded.machine->instructions(), 0u);
}

TEST(GdbServer, TheDescriptionNamesEveryRegister) {
    Served served("calls.s");
    std::string text;
    for (std::size_t offset = 0;; offset += 100) {
        const std::string piece = served("qXfer:features:read:target.xml:" + fmt::format("{:x}", offset) + ",64");
        text += piece.substr(1);
        if (piece[0] == 'l') break;
        ASSERT_EQ(piece.size(), 101u);
    }
    for (const char* name : {"r0", "r31", "cr7", "address", "latch", "pc"}) {
        EXPECT_NE(text.find(fmt::format("<reg name=\"{}\" ", name)), std::string::npos) << name;
    }
    EXPECT_EQ(text.find("riscv"), std::string::npos);
    served("qSupported:swbreak+;qRelocInsn+");  // gdb
    EXPECT_NE(served("qXfer:features:read:target.xml:0,fff").find("org.gnu.gdb.riscv.cpu"), std::string::npos);
    EXPECT_EQ(served("g").size(), 2 * (32 * 4 + 8 + 4 + 2 + 4 + 32 * 4u));
}

// Valid packets with a few bytes changed: whatever they come to mean, the server answers and goes on.
TEST(GdbServer, AnythingMayBeSent) {
    Served served("fib.s");
    served.loaded.execution->limit = 2000;
    const std::vector<std::string> packets = {"?",
                                              "g",
                                              "p5",
                                              "P5=00112233",
                                              "m0,40",
                                              "M0,2:1234",
                                              "X0,2:ab",
                                              "Z0,10,4",
                                              "z0,10,4",
                                              "Z2,0,8",
                                              "z2,0,8",
                                              "c",
                                              "s",
                                              "C05",
                                              "S05;0",
                                              "vCont;s:1;c",
                                              "Hg1",
                                              "qC",
                                              "qRcmd,73",
                                              "qXfer:features:read:target.xml:0,fff",
                                              "qSupported:swbreak+",
                                              "qRegisterInfo3",
                                              "qRcmd,7072696e742072312b31",
                                              "T1",
                                              "D",
                                              "vCont?",
                                              "qHostInfo"};
    std::mt19937 random(11);
    for (int i = 0; i < 20000; ++i) {
        std::string packet = packets[random() % packets.size()];
        for (unsigned n = random() % 3; n-- > 0 && !packet.empty();) {
            const std::size_t at = random() % packet.size();
            switch (random() % 3) {
                case 0: packet[at] = static_cast<char>(random()); break;
                case 1: packet.erase(at, 1); break;
                default: packet.insert(at, 1, "0123456789abcdef,:;="[random() % 20]);
            }
        }
        EXPECT_LE(served(packet).size(), most_packet_bytes);
    }
}

}  // namespace
}  // namespace isaforge::debugger

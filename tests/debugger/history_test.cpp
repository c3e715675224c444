// Going back: the machine is again as it was, whatever it did, and what stops it on the way is what stopped it before.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "debugger/program.hpp"

namespace isaforge::debugger {
namespace {

// All that can be seen of a machine's harts and their memory.
std::string state_of(const Execution& execution) {
    std::string text;
    for (unsigned i = 0; i < execution.harts(); ++i) {
        const Machine& hart = execution.machine(i);
        text += fmt::format("{} {:#x}\n", hart.instructions(), hart.pc()) + register_dump(hart);
        for (const PendingResult& each : hart.pending())
            text += fmt::format("{} {} {}\n", each.target, each.value, each.instructions);
        std::vector<std::uint8_t> bytes(hart.room(0, 0));
        hart.peek(0, 0, bytes);
        std::uint64_t sum = 0;
        for (const std::uint8_t byte : bytes) sum = sum * 31 + byte;
        text += fmt::format("{:x}\n", sum);
    }
    return text;
}

// Goes forth and back by random stretches, and changes what it knows nothing of; each state is as it was before.
TEST(History, EveryMomentIsAsItWas) {
    for (const std::uint64_t every : {0, 1, 7, 50}) {
        Loaded loaded = example("calls.s");
        loaded.execution->history().snapshots_every = every;
        std::vector<std::string> states{state_of(*loaded.execution)};
        for (Stop stop; stop.kind == Stop::Kind::done; states.push_back(state_of(*loaded.execution)))
            stop = loaded.execution->step();
        const std::size_t last = loaded.execution->history().now();
        ASSERT_GT(last, 150u);
        std::mt19937 random(1);
        for (int i = 0; i < 200; ++i) {
            const std::size_t now = loaded.execution->history().now();
            const std::size_t count = random() % 100;
            if (random() % 2 == 0) {
                loaded.execution->step_back(count);
                ASSERT_EQ(state_of(*loaded.execution), states[now - std::min(now, count)]) << every << " " << i;
            } else {
                const std::size_t most = std::min(count, last - now);
                loaded.execution->limit = most;
                if (most != 0) loaded.execution->run();
                ASSERT_EQ(state_of(*loaded.execution), states[now + most]) << every << " " << i;
            }
        }
    }
}

TEST(History, TheLastBreakpointBefore) {
    Loaded loaded = example("calls.s");
    loaded.execution->history().snapshots_every = 100;
    loaded("break factorial");
    loaded("break factorial_end");
    std::vector<std::string> states;
    while (loaded("continue").starts_with("breakpoint")) states.push_back(state_of(*loaded.execution));
    ASSERT_EQ(states.size(), 20u);
    while (!states.empty()) {
        ASSERT_TRUE(loaded("reverse-continue").starts_with("breakpoint"));
        ASSERT_EQ(state_of(*loaded.execution), states.back());
        states.pop_back();
    }
    EXPECT_TRUE(loaded("rc").starts_with("the beginning: nothing was before\n0x0 "));
    EXPECT_EQ(loaded.machine->instructions(), 0u);
    EXPECT_TRUE(loaded("rs").starts_with("the beginning"));
}

TEST(History, ConditionsHoldOnTheWayBack) {
    Loaded loaded = example("calls.s");
    loaded("break factorial if r2 == 3.f");
    loaded("break factorial_end");
    loaded("disable 2");
    const std::string said = loaded("continue");
    ASSERT_TRUE(said.starts_with("breakpoint 1")) << said;
    const std::string state = state_of(*loaded.execution);
    loaded("continue");
    EXPECT_EQ(loaded("reverse-continue"), said);
    EXPECT_EQ(state_of(*loaded.execution), state);
    EXPECT_TRUE(loaded("rc").starts_with("the beginning"));
}

TEST(History, WatchpointsStopBeforeTheInstruction) {
    Loaded loaded =
        program("copy 1.f, r3;\n copy e, r4;\n copy -1.f, r3;\n copy pi, r5;\n i_store r3;\n nop;\n nop;\n stop_core;");
    loaded("watch r3");
    loaded("awatch 4:4");
    loaded("continue");
    loaded("continue");
    EXPECT_TRUE(
        loaded("continue").starts_with("watchpoint 2, data[0x4:4] is written\nbehind the instruction at 0x4\n"));
    loaded("continue");
    EXPECT_TRUE(loaded("rc").starts_with("watchpoint 2, data[0x4:4] is written\nbefore the instruction at 0x4\n0x4 "));
    EXPECT_EQ(loaded("print data.u32[4]"), "0  0x0\n");
    EXPECT_TRUE(loaded("rc").starts_with("watchpoint 1, r3: 3f800000 -> bf800000\nbefore the instruction at 0x2\n"));
    EXPECT_EQ(loaded("print /x r3"), "0x3f800000\n");
    EXPECT_TRUE(loaded("rc").starts_with("watchpoint 1, r3: 00000000 -> 3f800000\nbefore the instruction at 0x0\n"));
    EXPECT_TRUE(loaded("rc").starts_with("the beginning"));
}

// What the user changed is part of what was; what lay behind a moment that the user changes is gone.
TEST(History, ChangesFromOutside) {
    Loaded loaded = program("nop;\n nop;\n add r1, r1, r2;\n add r1, r1, r2;\n nop;\n nop;\n stop_core;");
    loaded("step 2");
    loaded("set r1 = 0x3f800000");
    loaded("set data.u32[8] = 5");
    loaded("step");
    loaded("set pc = 4");
    const std::string state = state_of(*loaded.execution);
    loaded("step 2");
    loaded("rs 2");
    EXPECT_EQ(state_of(*loaded.execution), state);
    loaded("rs");
    EXPECT_EQ(loaded("print r1"), "1065353216  0x3f800000\n");
    EXPECT_EQ(loaded("print data.u32[8]"), "5  0x5\n");
    EXPECT_EQ(loaded("print pc"), "2  0x2\n");
    loaded("rs");
    EXPECT_EQ(loaded("print r1"), "0  0x0\n");
    EXPECT_EQ(loaded("print data.u32[8]"), "0  0x0\n");
    loaded("step 4");
    EXPECT_EQ(loaded("print pc"), "5  0x5\n");
    EXPECT_EQ(loaded("print r1"), "0  0x0\n");
}

TEST(History, ARunBeginsAnew) {
    Loaded loaded = example("calls.s");
    loaded("step 10");
    loaded("reset");
    EXPECT_TRUE(loaded("rs").starts_with("the beginning"));
    loaded("step 5");
    EXPECT_FALSE(loaded("rs 5").starts_with("the beginning"));
    EXPECT_EQ(loaded.machine->instructions(), 0u);
}

// A long run keeps few snapshots, and is gone back in all the same.
TEST(History, FewSnapshotsAreKept) {
    Loaded loaded = program("loop: nop;\n jump loop;\n nop;");
    loaded.execution->limit = 20'000'000;
    loaded.execution->history().snapshots_every = 1 << 16;
    loaded("continue");
    EXPECT_LE(loaded.execution->history().snapshots(), 64u);
    EXPECT_GE(loaded.execution->history().snapshots(), 32u);
    loaded("rs 2");
    EXPECT_EQ(loaded.machine->pc(), 19'999'998u % 3);
    EXPECT_EQ(loaded.machine->instructions(), 19'999'998u);
    loaded("rs 10000000");
    EXPECT_EQ(loaded.machine->instructions(), 9'999'998u);
}

struct Harts {
    SourceManager sources;
    Object object;
    std::shared_ptr<const Codec> codec;
    std::unique_ptr<isaforge::Machine> machine;
    ProgramMap map;
    std::unique_ptr<Execution> execution;
    std::unique_ptr<Debugger> debugger;

    explicit Harts(const std::string& text, const std::shared_ptr<TapedStreams>& streams = nullptr,
                   unsigned harts = 3) {
        Diagnostics diagnostics;
        codec = std::make_shared<const Codec>(load_isa("fabrisc-2022-05-15", sources, diagnostics));
        AssembleOptions options;
        options.flat = true;
        const FileId file = sources.add("t.s", text);
        EXPECT_TRUE(assemble(*codec, file, sources, options, object, diagnostics)) << to_text(diagnostics, sources);
        MachineOptions how;
        how.memory_bytes = memory_bytes;
        how.harts = harts;
        how.streams = streams;
        machine = std::make_unique<isaforge::Machine>(codec, how);
        machine->load_code(object.sections[object.find_section(".text")].bytes);
        machine->start(0);
        map = ProgramMap(object);
        execution = std::make_unique<Execution>(*machine, streams);
        debugger = std::make_unique<Debugger>(*execution, *codec, map);
    }
    std::string operator()(std::string_view line) const { return debugger->execute(line); }
};

TEST(History, SeveralHarts) {
    Harts harts(".loop:\n IADD.32: $S0, $S0, #1;\n MST.32: $S0, $S3, #64;\n MLD.32: $S2, $S3, #64;\n JMP: @loop;\n");
    harts.execution->history().snapshots_every = 100;
    std::vector<std::string> states;
    std::vector<unsigned> stopped;
    harts("break .loop + 4 if S0 == 20");
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(harts("continue").starts_with("breakpoint 1\nhart "));
        states.push_back(state_of(*harts.execution));
        stopped.push_back(harts.execution->hart());
    }
    harts("delete");
    harts.execution->limit = 1000;
    harts("continue");
    // Each hart's own instructions, one back.
    for (unsigned hart = 0; hart < 3; ++hart) {
        harts(fmt::format("hart {}", hart));
        const std::uint64_t before = harts.execution->machine().instructions();
        const std::uint64_t pc = harts.execution->machine().pc();
        harts("rs");
        EXPECT_EQ(harts.execution->machine().instructions(), before - 1);
        EXPECT_NE(harts.execution->machine().pc(), pc);
        EXPECT_EQ(harts.execution->hart(), hart);
        harts("step");
        EXPECT_EQ(harts.execution->machine().pc(), pc);
    }
    harts("break .loop + 4 if S0 == 20");
    for (int i = 2; i >= 0; --i) {
        const std::string said = harts("rc");
        ASSERT_TRUE(said.starts_with("breakpoint 2\nhart ")) << said;
        EXPECT_EQ(state_of(*harts.execution), states[static_cast<std::size_t>(i)]);
        EXPECT_EQ(harts.execution->hart(), stopped[static_cast<std::size_t>(i)]);
    }
    EXPECT_TRUE(harts("rc").starts_with("the beginning"));
}

// What is there to be read, and what was written.
class Texts : public Streams {
public:
    std::string input, output;

    std::size_t read(std::span<std::uint8_t> bytes) override {
        const std::size_t count = std::min(bytes.size(), input.size());
        std::copy_n(input.begin(), count, bytes.begin());
        input.erase(0, count);
        return count;
    }
    bool ready() override { return !input.empty(); }
    void write(unsigned, std::span<const std::uint8_t> bytes) override { output.append(bytes.begin(), bytes.end()); }
};

TEST(TapedStreams, TheSameIsReadAgainAndNothingIsShownTwice) {
    const auto texts = std::make_shared<Texts>();
    TapedStreams tape(texts);
    std::uint64_t time = 0;
    tape.now = [&] { return time; };
    const auto read = [&](std::size_t most) {
        std::vector<std::uint8_t> bytes(most);
        bytes.resize(tape.read(bytes));
        return std::string(bytes.begin(), bytes.end());
    };
    const auto write = [&](const std::string& text) {
        tape.write(1, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    };
    const TapedStreams::Place begin = tape.place();
    EXPECT_FALSE(tape.ready());
    time = 5, texts->input = "one";
    EXPECT_TRUE(tape.ready());
    time = 7;
    EXPECT_EQ(read(2), "on");
    write("ab");
    const TapedStreams::Place middle = tape.place();
    EXPECT_EQ(read(9), "e");
    write("cd");
    EXPECT_EQ(read(9), "");
    texts->input = "two";
    tape.go_to(begin), time = 4;
    EXPECT_FALSE(tape.ready());
    time = 5;
    EXPECT_TRUE(tape.ready());
    EXPECT_EQ(read(2), "on");
    write("abc");
    EXPECT_EQ(read(9), "e");
    write("de");
    EXPECT_EQ(texts->output, "abcde");
    EXPECT_EQ(read(9), "");
    EXPECT_EQ(read(9), "two");
    tape.go_to(middle);
    tape.diverge();
    write("xy");
    EXPECT_EQ(texts->output, "abcdexy");
    EXPECT_EQ(read(9), "e");
    EXPECT_EQ(tape.kept(), 6u);
    tape.forget_before(tape.place());
    EXPECT_EQ(tape.kept(), 3u);
    EXPECT_EQ(read(1), "");
    EXPECT_EQ(read(9), "two");
    tape.begin_again();
    write("!");
    EXPECT_EQ(texts->output, "abcdexy!");
}

TEST(History, AProgramReadsTheSameAgain) {
    const auto texts = std::make_shared<Texts>();
    texts->input = "abcdefgh";
    std::ifstream file(ISAFORGE_SOURCE_DIR "/examples/fabrisc/macros.inc");
    const std::string macros{std::istreambuf_iterator<char>(file), {}};
    const auto streams = std::make_shared<TapedStreams>(texts);
    Harts harts(macros +
                    "begin\n.more:\n li $S1, buffer\n li $S2, 1\n read $S1, $S2\n MLD.8: $S0, $S1, #0;\n.got:\n"
                    " li $S2, 1\n write $S1, $S2\n JMP: @more;\n.buffer:\n .space 16\n",
                streams, 1);
    harts("break .got");
    for (const char c : std::string("abcd")) {
        harts("continue");
        ASSERT_EQ(harts("print S0"), fmt::format("{0}  {0:#x}\n", static_cast<int>(c)));
    }
    EXPECT_EQ(texts->output, "abc");
    EXPECT_TRUE(harts("rc").starts_with("breakpoint"));
    EXPECT_TRUE(harts("rc").starts_with("breakpoint"));
    EXPECT_EQ(harts("print S0"), "98  0x62\n");
    for (const char c : std::string("cdef")) {
        harts("continue");
        ASSERT_EQ(harts("print S0"), fmt::format("{0}  {0:#x}\n", static_cast<int>(c)));
    }
    EXPECT_EQ(texts->output, "abcde");
}

}  // namespace
}  // namespace isaforge::debugger

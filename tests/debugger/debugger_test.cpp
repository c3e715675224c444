// The debugger's commands: what they say, and that the program is then where the reference machine is after as many
// instructions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "debugger/program.hpp"

namespace isaforge::debugger {
namespace {

using wishbone_reference::Machine;

// Steps the reference machine until `stops` holds behind an instruction. The number of instructions executed then.
std::uint64_t steps_until(Machine& reference, const std::function<bool(const Machine&)>& stops) {
    while (reference.step()) {
        if (stops(reference)) return reference.steps;
    }
    return 0;
}

std::uint64_t address_of(const Loaded& loaded, std::string_view label) {
    const NamedAddress* symbol = loaded.map.find(label);
    EXPECT_NE(symbol, nullptr) << label;
    return symbol == nullptr ? 0 : symbol->value;
}

TEST(Debugger, SaysWhereTheProgramStands) {
    Loaded loaded = program("start: nop;\nloop: jump loop; // for ever\n nop;");
    EXPECT_EQ(loaded("where"),
              "0x0 <start>              nop\nt.s:1                    start: nop;\n0 instructions executed\n");
    EXPECT_EQ(loaded("step"),
              "0x1 <loop>               jump loop\nt.s:2                    loop: jump loop; // for ever\n");
    EXPECT_EQ(loaded("list"), "       1  start: nop;\n=>     2  loop: jump loop; // for ever\n       3   nop;\n");
    EXPECT_EQ(loaded("print pc"), "1  0x1  <loop>\n");
}

TEST(Debugger, StepsAsTheReferenceDoes) {
    Loaded loaded = example("calls.s");
    Machine reference = loaded.reference();
    std::mt19937 random(1);
    while (!reference.stopped) {
        const unsigned count = 1 + random() % 7;
        for (unsigned i = 0; i < count; ++i) reference.step();
        loaded("step " + std::to_string(count));
        if (reference.stopped) break;
        ASSERT_EQ(loaded.machine->pc(), reference.pc);
        ASSERT_EQ(loaded.machine->instructions(), reference.steps);
    }
    EXPECT_EQ(loaded("continue"), "the program has ended after " + std::to_string(reference.steps) + " instructions\n");
}

TEST(Debugger, AStepTellsWhatChanged) {
    Loaded loaded = program("copy 1.f, r3;\n i_store r3;\n stop_core;");
    EXPECT_TRUE(loaded("step").starts_with("    r3=3f800000\n"));
    EXPECT_TRUE(loaded("step").starts_with("    address=00000004 data[0x4]=3f800000\n"));
}

TEST(Debugger, StopsAtEveryBreakpoint) {
    Loaded loaded = example("calls.s");
    Machine reference = loaded.reference();
    const std::uint64_t factorial = address_of(loaded, "factorial"), end = address_of(loaded, "factorial_end");
    EXPECT_EQ(loaded("break factorial"), "breakpoint 1 at 0x11 <factorial>, calls.s:40\n");
    loaded("b factorial_end");
    while (steps_until(reference, [&](const Machine& now) { return now.pc == factorial || now.pc == end; }) != 0) {
        const std::string said = loaded("continue");
        ASSERT_EQ(loaded.machine->pc(), reference.pc) << said;
        ASSERT_EQ(loaded.machine->instructions(), reference.steps);
        ASSERT_TRUE(said.starts_with(reference.pc == factorial ? "breakpoint 1\n" : "breakpoint 2\n")) << said;
    }
    EXPECT_TRUE(loaded("c").starts_with("the program has ended"));
    EXPECT_EQ(loaded("info breakpoints"),
              "breakpoint 1 at 0x11 <factorial>, calls.s:40, met 10 times\n"
              "breakpoint 2 at 0x1f <factorial_end>, calls.s:53, met 10 times\n");
}

TEST(Debugger, AConditionChooses) {
    Loaded loaded = example("calls.s");
    Machine reference = loaded.reference();
    const std::uint64_t factorial = address_of(loaded, "factorial");
    auto is_three = [&](const Machine& now) { return now.pc == factorial && now.registers[2] == 0x40400000; };
    ASSERT_NE(steps_until(reference, is_three), 0u);
    loaded("break factorial if r2 == 0x40400000");
    loaded("continue");
    EXPECT_EQ(loaded.machine->instructions(), reference.steps);
    EXPECT_EQ(loaded("print /f r2"), "3\n");
    EXPECT_EQ(loaded("condition 1 r2 ="), "error: the condition: '=' is too much here\n");
    EXPECT_TRUE(loaded("condition 1").starts_with("breakpoint 1 at 0x11 <factorial>, calls.s:40, met 1 time"));
    EXPECT_TRUE(loaded("continue").starts_with("breakpoint 1\n"));
}

TEST(Debugger, TemporaryDisabledAndDeletedBreakpoints) {
    Loaded loaded = example("calls.s");
    loaded("tbreak factorial");
    loaded("break 0x12");
    loaded("break 0x14");
    EXPECT_TRUE(loaded("c").starts_with("temporary breakpoint 1\n0x11 "));
    loaded("disable 2");
    EXPECT_TRUE(loaded("c").starts_with("breakpoint 3\n"));
    loaded("enable 2");
    loaded("delete 3");
    EXPECT_TRUE(loaded("c").starts_with("breakpoint 2\n"));
    loaded("delete");
    EXPECT_EQ(loaded("info b"), "no breakpoints\n");
    EXPECT_TRUE(loaded("c").starts_with("the program has ended"));
}

// A call's `next` ends when the call has returned: the stack is where it was before. The stack pointer of the program is
// its own; the reference machine is stepped until pc is behind the call for the same depth.
TEST(Debugger, NextRunsOverCallsAlsoRecursiveOnes) {
    Loaded loaded = example("calls.s");
    Machine reference = loaded.reference();
    const std::uint64_t call = 0x19;  // `rcall factorial` inside of factorial
    ASSERT_EQ(loaded.machine->text(call), "rcall 17");
    for (int level = 0; level < 3; ++level) {  // into the third call
        steps_until(reference, [&](const Machine& now) { return now.pc == call; });
        loaded("advance 0x19");
    }
    ASSERT_EQ(loaded.machine->instructions(), reference.steps);
    const std::uint32_t stack = reference.registers[31];
    reference.step(), reference.step();  // the call and its delay slot
    steps_until(reference, [&](const Machine& now) { return now.pc == call + 1 && now.address_register == stack; });
    loaded("next");
    EXPECT_EQ(loaded.machine->pc(), call + 1);
    EXPECT_EQ(loaded.machine->instructions(), reference.steps);
    EXPECT_EQ(loaded.machine->get(0, 3), reference.registers[3]);
}

TEST(Debugger, NextStopsWhereTheCalledFunctionBegins) {
    Loaded loaded = example("calls.s");
    loaded("advance 0x19");  // `rcall factorial` inside of factorial
    loaded("break factorial");
    EXPECT_TRUE(loaded("next").find("breakpoint 1\n") != std::string::npos);
    EXPECT_EQ(loaded.machine->pc(), address_of(loaded, "factorial"));
}

TEST(Debugger, NextStopsAtBreakpointsInsideTheCall) {
    Loaded loaded = example("calls.s");
    loaded("advance 0x9");
    while (loaded.machine->text(loaded.machine->pc()).find("rcall") == std::string::npos) loaded("next");
    loaded("break factorial_end if r2 == 0x40000000");
    loaded("next");
    EXPECT_EQ(loaded("where").substr(0, 4), "0x1f");
    EXPECT_EQ(loaded("print /f r2"), "2\n");
}

// As `next` above: the reference machine is stepped until pc is behind the call with the stack as it was at the call.
TEST(Debugger, FinishRunsUntilTheFunctionReturns) {
    Loaded loaded = example("calls.s");
    Machine reference = loaded.reference();
    const std::uint64_t call = 0x19;  // `rcall factorial` inside of factorial
    for (int level = 0; level < 3; ++level) {
        steps_until(reference, [&](const Machine& now) { return now.pc == call; });
        loaded("advance 0x19");
    }
    // Inside of the third call; its caller goes on behind the second.
    const std::uint32_t stack = reference.registers[31];
    steps_until(reference, [&](const Machine& now) { return now.pc == call + 1 && now.address_register > stack; });
    loaded("finish");
    EXPECT_EQ(loaded.machine->pc(), call + 1);
    EXPECT_EQ(loaded.machine->instructions(), reference.steps);
    // A breakpoint inside of what is called stops it; outside of all functions it ends with the program.
    loaded("break factorial");
    loaded("run");
    EXPECT_TRUE(loaded("finish").starts_with("breakpoint 1\n"));
    loaded("delete");
    loaded("advance factorial_end");
    for (int level = 0; level < 10; ++level) EXPECT_EQ(loaded("finish").find("ended"), std::string::npos);
    EXPECT_TRUE(loaded("finish").starts_with("the program has ended"));
    EXPECT_EQ(loaded("finish 1"), "error: finish takes no arguments\n");
}

TEST(Debugger, WatchpointsForReadingAndWriting) {
    Loaded loaded = program(
        "ploadu_l 64;\n loadu_h 64, r1;\n load r1, r2;\n store_addr r1;\n i_store r3;\n load r1, r2;\n load r1, r2;\n "
        "stop_core;");
    EXPECT_EQ(loaded("rwatch 64:4"), "watchpoint 1 for reading data[0x40:4]\n");
    EXPECT_TRUE(loaded("c").starts_with("watchpoint 1, data[0x40:4] is read\nbehind the instruction at 0x2\n"));
    loaded("delete");
    EXPECT_EQ(loaded("awatch 68:4"), "watchpoint 2 for reading and writing data[0x44:4]\n");
    EXPECT_TRUE(loaded("c").starts_with("watchpoint 2, data[0x44:4] is written\nbehind the instruction at 0x4\n"));
    EXPECT_TRUE(loaded("c").starts_with("the program has ended"));
    EXPECT_EQ(loaded("rwatch r1"), "error: only memory can be watched for reading\n");
    EXPECT_TRUE(loaded("info breakpoints").find("met 1 time") != std::string::npos);
}

TEST(Debugger, WatchpointsSeeEveryChange) {
    Loaded loaded = example("fib.s");
    Machine reference = loaded.reference();
    loaded("watch 16:8");
    loaded("watch r3");
    auto words = [](const Machine& now) { return std::pair(now.word_at(16), now.word_at(20)); };
    unsigned stops = 0;
    auto memory = words(reference);
    std::uint32_t r3 = 0;
    auto changed = [&](const Machine& now) {
        const bool both = words(now) != memory || now.registers[3] != r3;
        memory = words(now), r3 = now.registers[3];
        return both;
    };
    while (steps_until(reference, changed) != 0) {
        const std::string said = loaded("continue");
        ASSERT_TRUE(said.starts_with("watchpoint")) << said;
        ASSERT_EQ(loaded.machine->instructions(), reference.steps);
        ++stops;
    }
    EXPECT_GT(stops, 30u);
    EXPECT_TRUE(loaded("continue").starts_with("the program has ended"));
}

TEST(Debugger, ALateResultIsSeenWhenItLands) {
    Loaded loaded = program("copy 1.f, r1;\n fadd r1, r1, r2;\n nop;\n nop;\n nop;\n stop_core;");
    loaded("watch r2");
    loaded("step 2");
    EXPECT_EQ(loaded("info pending"), "r2 = 0x40000000 in 2 instructions, from 0x1\n");
    EXPECT_TRUE(loaded("continue").starts_with("watchpoint 1, r2: 00000000 -> 40000000\n"));
    EXPECT_EQ(loaded.machine->pc(), 4u);
}

TEST(Debugger, RunBeginsAgain) {
    Loaded loaded = example("calls.s");
    loaded("break factorial");
    loaded("continue");
    loaded("set data.u32[0] = 5");
    EXPECT_TRUE(loaded("run").starts_with("breakpoint 1\n"));
    EXPECT_EQ(loaded("print data.u32[0]"), "0  0x0\n");
    EXPECT_TRUE(loaded("reset").starts_with("0x0 "));
    EXPECT_EQ(loaded.machine->instructions(), 0u);
}

TEST(Debugger, PlacesInTheSource) {
    Loaded loaded = program("nop;\n\n// nothing\nnop;\nlast: nop;\nstop_core;");
    EXPECT_EQ(loaded("break t.s:2"), "breakpoint 1 at 0x1, t.s:4\n");
    EXPECT_EQ(loaded("break :5"), "breakpoint 2 at 0x2 <last>, t.s:5\n");
    EXPECT_EQ(loaded("break last + 1"), "breakpoint 3 at 0x3 <last+1>, t.s:6\n");
    EXPECT_EQ(loaded("break t.s:7"), "error: no code comes from t.s:7\n");
    EXPECT_EQ(loaded("break 4"), "error: there is no code at 0x4\n");
    EXPECT_EQ(loaded("break lst"), "error: there is no register and no symbol 'lst'; did you mean 'last'?\n");
    EXPECT_EQ(loaded("list t.s:4"),
              "=>     1  nop;\n       2  \n       3  // nothing\n       4  nop;\n       5  last: nop;\n"
              "       6  stop_core;\n");
    EXPECT_EQ(loaded("disassemble last 2"),
              "last:\n  * 0x0002  nop                                      t.s:5\n"
              "  * 0x0003  stop_core                                t.s:6\n");
}

TEST(Debugger, Expressions) {
    Loaded loaded = program("start: stop_core;");
    loaded("set r5 = 7");
    const std::pair<const char*, std::uint64_t> sums[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"r5 - 1", 6},
        {"$r5 << 4 | 1", 113},
        {"10 - 3 - 2", 5},
        {"-1 >> 60", 15},
        {"r5 == 7 && r5 != 8", 1},
        {"~0 & 0xff", 255},
        {"!r5", 0},
        {"100 / 7 % 5", 4},
        {"0b101 + 0o17", 20},
        {"1 << 64", 0},
        {"r[5]", 7},
        {"start + r5", 7},
        {"2 < 3 == 1", 1},
        {"1_000", 1000},
    };
    for (const auto& [text, value] : sums) {
        EXPECT_EQ(loaded(std::string("print /u ") + text), std::to_string(value) + "\n") << text;
    }
    const char* wrong[] = {"1 +",   "(1", "1)",  "1 / 0", "r99", "data.u7[0]", "data.u32[65533]",
                           "r[32]", "0x", "08f", "@",     ""};
    for (const char* text : wrong) EXPECT_TRUE(loaded(std::string("print ") + text).starts_with("error: ")) << text;
    loaded("print " + std::string(100000, '('));
    EXPECT_TRUE(loaded.debugger->failed());
    loaded("print " + std::string(100000, '-') + "1");
    EXPECT_TRUE(loaded.debugger->failed());
}

TEST(Debugger, SetsAndShowsState) {
    Loaded loaded = program("stop_core;");
    loaded("set r2 = -1.5");
    EXPECT_EQ(loaded("registers r2"), "r2       bfc00000  3217031168  -1077936128\n");
    EXPECT_EQ(loaded("print/f r2"), "-1.5\n");
    loaded("set cr3 = 1");
    EXPECT_EQ(loaded("print cr3"), "1  0x1\n");
    loaded("set data.u16[0x10] = 0x4241");
    EXPECT_EQ(loaded("memory data 0x10 4"), "00000010  41 42 00 00                                      |AB..|\n");
    EXPECT_EQ(loaded("x/2xh 0x10"), "0x00000010: 0x4241 0x0000\n");
    EXPECT_EQ(loaded("x/3cb 0x10"), "0x00000010: 'A' 'B' 0x0\n");
    EXPECT_EQ(loaded("set 5 = 6"), "error: only a register, pc or memory can be set\n");
    EXPECT_EQ(loaded("set r2 5"), "error: set WHAT = VALUE: a = is missing\n");
    EXPECT_EQ(loaded("registers r77"), "error: there is no register 'r77'; did you mean 'r7'?\n");
}

TEST(Debugger, CommandsAreFoundByTheirBegins) {
    Loaded loaded = program("nop;\nnop;\nnop;\nstop_core;");
    EXPECT_EQ(loaded("stap"), "error: there is no command 'stap'; did you mean 'step'?\n");
    EXPECT_EQ(loaded("di"), "error: 'di' may be disable or disassemble\n");
    EXPECT_TRUE(loaded("wh").starts_with("0x0"));
    EXPECT_TRUE(loaded("s").starts_with("0x1"));
    EXPECT_TRUE(loaded("").starts_with("0x2"));
    EXPECT_EQ(loaded("# nothing"), "");
    EXPECT_EQ(loaded("quit"), "");
    EXPECT_TRUE(loaded.debugger->finished());
}

TEST(Debugger, WhatGoesOnForEverEnds) {
    Loaded loaded = program("loop: jump loop;\n nop;");
    loaded.execution->limit = 10000;
    EXPECT_TRUE(loaded("c").starts_with("10000 instructions were executed without a stop"));
    loaded("break 1 if r1 == 1");
    EXPECT_TRUE(loaded("c").find("instructions were executed without a stop") != std::string::npos);
    loaded("watch r9");
    EXPECT_TRUE(loaded("c").find("instructions were executed without a stop") != std::string::npos);
    EXPECT_TRUE(loaded("step 0xffffffffffffffff").find("executed without a stop") != std::string::npos);
    EXPECT_TRUE(loaded("finish").find("executed without a stop") != std::string::npos);
    loaded.execution->limit = 0;
    unsigned asked = 0;
    loaded.execution->interrupted = [&] { return ++asked == 3; };
    EXPECT_TRUE(loaded("c").starts_with("interrupted\n"));
}

TEST(Debugger, AnErrorOfTheProgramIsReported) {
    Loaded loaded = program("ploadu_l 0;\n loadu_h 0x7fff0000, r1;\n load r1, r2;\n stop_core;");
    EXPECT_TRUE(loaded("c").starts_with("bad read of 32 bits at address 0x7fff0000 by the instruction at 0x2"));
    loaded("set r1 = 0");
    EXPECT_TRUE(loaded("c").starts_with("the program has ended"));
}

// Two harts run one program, each with a count of its own. A breakpoint stops whoever comes, and nobody passes it unseen.
TEST(Debugger, SeveralHarts) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa("fabrisc-2022-05-15", sources, diagnostics);
    ASSERT_TRUE(isa) << to_text(diagnostics, sources);
    const auto codec = std::make_shared<const Codec>(isa);
    Object object;
    AssembleOptions options;
    options.flat = true;
    const FileId file = sources.add("t.s", ".loop:\n IADD.32: $S0, $S0, #1;\n IADD.32: $S1, $S1, #2;\n JMP: @loop;\n");
    ASSERT_TRUE(assemble(*codec, file, sources, options, object, diagnostics)) << to_text(diagnostics, sources);
    MachineOptions how;
    how.memory_bytes = memory_bytes;
    how.harts = 2;
    isaforge::Machine machine(codec, how);
    machine.load_code(object.sections[object.find_section(".text")].bytes);
    machine.start(0);
    const ProgramMap map(object);
    Execution execution(machine);
    Debugger debugger(execution, *codec, map);
    EXPECT_EQ(debugger.execute("break .loop + 4"), "breakpoint 1 at 0x4 <loop+4>, t.s:3\n");
    std::uint64_t counts[2] = {};
    for (int i = 0; i < 200; ++i) {
        const std::string said = debugger.execute("continue");
        ASSERT_TRUE(said.starts_with("breakpoint 1\nhart ")) << said;
        ++counts[execution.hart()];
        ASSERT_EQ(debugger.execute("print S0"), fmt::format("{0}  {0:#x}\n", counts[execution.hart()])) << i;
        ASSERT_EQ(debugger.execute("print $S1"), fmt::format("{0}  {0:#x}\n", 2 * counts[execution.hart()] - 2));
    }
    EXPECT_GT(counts[0], 20u);
    EXPECT_GT(counts[1], 20u);
    debugger.execute("delete");
    debugger.execute("hart 1");
    const unsigned long before =
        std::stoul(debugger.execute("print $S1"));  // its turn may have ended before the addition
    EXPECT_TRUE(before == 2 * counts[1] - 2 || before == 2 * counts[1]) << before;
    EXPECT_TRUE(debugger.execute("watch S1").starts_with("watchpoint 2 on "));
    EXPECT_TRUE(debugger.execute("continue")
                    .starts_with(fmt::format("watchpoint 2, $S1: {:08x} -> {:08x}\n", before, before + 2)));
    EXPECT_EQ(execution.hart(), 1u);
    EXPECT_EQ(debugger.execute("hart 2"), "error: there is no hart '2': this machine has 2\n");
    debugger.execute("delete");
    EXPECT_EQ(debugger.execute("break .loop + 4 hart 2"), "error: there is no hart 2: this machine has 2\n");
    EXPECT_EQ(debugger.execute("break .loop + 4 hart 0 if S0 != 0"),
              "breakpoint 3 at 0x4 <loop+4>, t.s:3, hart 0 if S0 != 0\n");
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(debugger.execute("continue").starts_with("breakpoint 3\nhart 0:"));
        ASSERT_EQ(execution.hart(), 0u);
    }
    EXPECT_TRUE(debugger.execute("hart hart 1").starts_with("0x"));
    EXPECT_EQ(execution.hart(), 1u);
}

TEST(Debugger, LongAndDeepCommandsAreRefused) {
    Loaded loaded = example("fib.s");
    EXPECT_EQ(loaded(std::string(1 << 20, 'x')), "error: a command of 1048576 bytes: 4096 are possible\n");
    EXPECT_EQ(loaded("print " + std::string(4000, '(')), "error: this is nested too deeply\n");
    EXPECT_EQ(loaded("print " + std::string(4000, '-') + "1"), "error: this is nested too deeply\n");
    std::string chain = "1";
    while (chain.size() < 4000) chain += "+1";
    EXPECT_EQ(loaded("print " + chain), "2001  0x7d1\n");
    std::string indices = "1";
    for (int i = 0; i < 400; ++i) indices = "data[" + indices + "]";
    EXPECT_EQ(loaded("print " + indices), "error: this is nested too deeply\n");
}

// Commands put together at random from words of commands: none crashes, and every answer ends its line.
TEST(Debugger, AnythingMayBeTyped) {
    Loaded loaded = example("fib.s");
    loaded.execution->limit = 1000;
    const std::vector<std::string> words = {
        "step",      "next",        "break",  "watch",   "if",        "r1",   "data.u32[",
        "]",         "(",           ")",      "==",      "5",         "x",    "/4xw",
        "info",      "b",           "delete", "set",     "=",         "list", "fib.s:9",
        ":",         "disassemble", "memory", "print",   "-",         "*",    "0xffffffffffffffff",
        "condition", "run",         "c",      "advance", "registers", "next", "symbols",
        "/",         "tbreak"};
    std::mt19937 random(7);
    for (int i = 0; i < 3000; ++i) {
        std::string line;
        for (unsigned n = random() % 6; n-- > 0;)
            line += words[random() % words.size()] + (random() % 4 == 0 ? "" : " ");
        const std::string said = loaded(line);
        ASSERT_TRUE(said.empty() || said.ends_with('\n')) << line;
    }
}

}  // namespace
}  // namespace isaforge::debugger

// Late results, delay slots, write ports and hazards, one rule at a time, on a machine made for it.
#include <gtest/gtest.h>

#include "semantics/bench_machine.hpp"

namespace isaforge {
namespace {

const char* const declarations = R"(registers r : 3 of u32 "r{n}" one write port
registers f : 3 of u32 "f{n}"
register flag : u1
)";

// The lines of the test machine; a program is a row of their numbers.
enum Line : std::uint32_t {
    nop,
    r1_late,
    r1_late_3,
    r1_now,
    r2_is_r1,
    jump_4,
    jump_6,
    stop,
    count_r3,
    f1_late,
    f1_late_1,
    if_flag_r1_late,
    if_flag_r1_now,
    if_flag_r2_is_r1,
    flag_late,
    jump_now_3,
    r1_in_branch,
    r2_late_2,
    f2_is_f1
};

const std::vector<std::string> lines = {"flag = flag",
                                        "r[1] = 100 after 2",
                                        "r[1] = 200 after 3",
                                        "r[1] = 300",
                                        "r[2] = r[1]",
                                        "pc = 4 after 1",
                                        "pc = 6 after 1",
                                        "stop()",
                                        "r[3] = r[3] + 1",
                                        "f[1] = 1 after 2",
                                        "f[1] = 2 after 1",
                                        "if (flag) { f[2] = 1 }",
                                        "if (flag) { r[1] = 300 }",
                                        "if (flag) { r[2] = r[1] }",
                                        "flag = 1 after 2",
                                        "pc = 3",
                                        "if (r[4] == 0) { r[1] = 7 } else { r[2] = 8 }",
                                        "r[2] = 5 after 2",
                                        "f[2] = f[1]"};

BenchMachine bench(const std::vector<std::uint32_t>& program, const MachineOptions& options = {.memory_bytes = 64}) {
    BenchMachine made(declarations, lines, "", options);
    made.program(program);
    return made;
}

TEST(Timing, ALateResultIsReadByTheThirdInstructionAfter) {
    BenchMachine m = bench({f1_late, f2_is_f1, f2_is_f1, f2_is_f1});
    std::uint64_t seen[] = {0, 0, 0, 1};
    for (std::uint64_t expected : seen) {
        ASSERT_TRUE(m.machine().step().ok());
        EXPECT_EQ(m.get("f2"), expected);
    }
}

TEST(Timing, PendingResultsAreListed) {
    BenchMachine m = bench({nop, r1_late, nop, nop});
    m.machine().run(2);
    auto pending = m.machine().pending();
    ASSERT_EQ(pending.size(), 1u);
    EXPECT_EQ(pending[0].target, "r1");
    EXPECT_EQ(pending[0].value, 100u);
    EXPECT_EQ(pending[0].instructions, 2u);
    EXPECT_EQ(pending[0].origin, 1u);
    m.machine().run(2);
    EXPECT_TRUE(m.machine().pending().empty());
}

TEST(Timing, TheDelaySlotExecutesAndNothingElse) {
    BenchMachine m = bench({jump_4, count_r3, count_r3, count_r3, stop});
    RunResult result = m.machine().run();
    EXPECT_EQ(result.reason, StopReason::stopped);
    EXPECT_EQ(result.instructions, 3u);
    EXPECT_EQ(m.get("r3"), 1u);
}

TEST(Timing, AJumpInADelaySlotLetsOneInstructionOfTheFirstTargetExecute) {
    BenchMachine m = bench({jump_4, jump_6, count_r3, count_r3, count_r3, count_r3, stop});
    EXPECT_EQ(m.machine().run().instructions, 4u);
    EXPECT_EQ(m.get("r3"), 1u);
}

TEST(Timing, AnImmediateJumpHasNoDelaySlot) {
    BenchMachine m = bench({jump_now_3, count_r3, count_r3, stop});
    EXPECT_EQ(m.machine().run().instructions, 2u);
    EXPECT_EQ(m.get("r3"), 0u);
}

TEST(Timing, ALateResultCrossesAJump) {
    BenchMachine m = bench({jump_4, f1_late, nop, nop, nop, f2_is_f1, f2_is_f1, stop});
    m.machine().run(4);
    EXPECT_EQ(m.get("f2"), 0u);
    m.machine().run(1);
    EXPECT_EQ(m.get("f2"), 1u);
}

TEST(Timing, TwoLateResultsInOneCycleCollide) {
    BenchMachine m = bench({r1_late_3, r1_late, nop, nop, nop});
    RunResult result = m.machine().run(5);
    EXPECT_EQ(result.reason, StopReason::port_collision);
    EXPECT_EQ(result.message,
              "two results fall due in one cycle: of the instruction at 0x1 `op1` and of the one at 0x0 `op2`");
    EXPECT_EQ(result.address, 3u);
}

TEST(Timing, ALateResultCollidesWithOneWrittenAtOnce) {
    BenchMachine m =
        bench({r1_late, nop, count_r3, nop}, {.memory_bytes = 64, .source_line = [](std::uint64_t address) {
                                                  return "a.s:" + std::to_string(address + 10);
                                              }});
    RunResult result = m.machine().run(4);
    EXPECT_EQ(result.reason, StopReason::port_collision);
    EXPECT_EQ(result.message,
              "two results fall due in one cycle: of the instruction at 0x0 `op1` (a.s:10) and of the one at 0x2 "
              "`op8` (a.s:12)");
    BenchMachine other = bench({r1_late, count_r3, nop, count_r3});
    EXPECT_EQ(other.machine().run(4).reason, StopReason::limit);
}

TEST(Timing, FilesWithoutAPortLimitDoNotCollide) {
    BenchMachine m = bench({f1_late, f1_late_1, count_r3, nop});
    EXPECT_EQ(m.machine().run(4).reason, StopReason::limit);
    EXPECT_EQ(m.get("f1"), 2u);  // the later instruction's result lands last
}

TEST(Timing, AWriteThatDoesNotHappenDoesNotCollide) {
    BenchMachine m = bench({r1_late, nop, if_flag_r1_now, nop});
    EXPECT_EQ(m.machine().run(4).reason, StopReason::limit);
    EXPECT_EQ(m.get("r1"), 100u);
    BenchMachine set = bench({r1_late, nop, if_flag_r1_now, nop});
    set.set("flag", 1);
    EXPECT_EQ(set.machine().run(4).reason, StopReason::port_collision);
    BenchMachine either = bench({r1_in_branch, nop, r2_late_2, nop, r1_in_branch, nop});
    EXPECT_EQ(either.machine().run(6).reason, StopReason::port_collision);
}

TEST(Timing, PiecesOfARunAreTheWholeRun) {
    std::vector<std::uint32_t> program = {r1_late,   flag_late, f1_late,   count_r3, jump_6, r2_is_r1, if_flag_r2_is_r1,
                                          f1_late_1, count_r3,  r1_late_3, nop,      jump_4, nop,      nop};
    for (std::uint64_t piece : {1, 2, 3, 5, 7}) {
        BenchMachine whole = bench(program), pieces = bench(program);
        RunResult at_once = whole.machine().run(210), last;
        for (std::uint64_t done = 0; done < 210 && (last.ok() || last.reason == StopReason::limit); done += piece)
            last = pieces.machine().run(std::min(piece, 210 - done));
        EXPECT_EQ(at_once.reason, last.reason);
        EXPECT_EQ(whole.machine().pc(), pieces.machine().pc());
        EXPECT_EQ(register_dump(whole.machine()), register_dump(pieces.machine())) << piece;
        EXPECT_EQ(whole.machine().instructions(), pieces.machine().instructions());
    }
}

TEST(Hazards, AreWarnedOfOncePerInstruction) {
    MachineOptions options{.memory_bytes = 64, .warn_hazards = true};
    BenchMachine m = bench({r1_late, r2_is_r1, jump_now_3, r2_is_r1, r1_late, r2_is_r1, jump_now_3}, options);
    m.machine().run(20);
    EXPECT_EQ(m.machine().warnings(),
              (std::vector<std::string>{
                  "the instruction at 0x1 `op4` reads r1 before the result of the one at 0x0 `op1` has landed",
                  "the instruction at 0x5 `op4` reads r1 before the result of the one at 0x4 `op1` has landed"}));
}

TEST(Hazards, AreSilentWhenTheResultHasLanded) {
    MachineOptions options{.memory_bytes = 64, .warn_hazards = true};
    BenchMachine m = bench({r1_late, nop, nop, r2_is_r1, stop}, options);
    EXPECT_EQ(m.machine().run().reason, StopReason::stopped);
    EXPECT_TRUE(m.machine().warnings().empty());
}

// A guard that fails reads nothing but itself.
TEST(Hazards, KnowTheGuard) {
    MachineOptions options{.memory_bytes = 64, .warn_hazards = true};
    BenchMachine m(std::string(declarations) + "register go : u1\n",
                   {"r[1] = 1 after 2", "r[2] = r[1]", "go = 1 after 1"}, "when go", options);
    m.set("go", 1);
    m.program({0, 1});
    m.machine().run(2);
    EXPECT_EQ(m.machine().warnings().size(), 1u);
    m.machine().reset();
    m.set("go", 1);
    m.program({0, 1});
    m.machine().run(1);
    m.set("go", 0);
    m.machine().run(1);
    EXPECT_TRUE(m.machine().warnings().empty());
    m.machine().reset();
    m.set("go", 1);
    m.program({2, 1});
    m.machine().run(2);
    EXPECT_EQ(m.machine().warnings().size(), 1u);
}

}  // namespace
}  // namespace isaforge

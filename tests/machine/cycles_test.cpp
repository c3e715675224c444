// Cycles: where a description says them, what statements add, and that nobody who counts changes anything else. Whatever the
// interpreter counts compiled code counts too.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "isaforge/assembler.hpp"
#include "isaforge/machine.hpp"
#include "semantics/cycles.hpp"

namespace isaforge {
namespace {

constexpr const char* description = R"isa(isa clocked "Cycles, said in every place"
code unit 16 little
constant pc_bits = 16
registers r : 3 of u16 "r{n}"
register  flag : u1
register  handled : u16
memory mem : u8 little holds code
where cycles = 1

operand source : 4 {
    0 n:r   "{n}"     = n
    1 n:r   "({n})"   = mem.u16[n & 0x00fe], wait = 2
}
number near = pc + 2 * s8
format RR | OP:5 | D:r | A:r | -:5 |
format RS | OP:5 | D:r | S:source | -:4 | where cycles = 3 + S.wait
format RK | OP:5 | D:r | K:u8 |
format RT | OP:5 | D:r | T:near |

function slowly(n) { cycles += n }
function twice(n) {
    if n == 0 { return u16(1) }
    cycles += 1
    return u16(2)
}
on bad_read(address) { cycles += 20
                       handled += 1
                       pc = u16(pc + 2) }

instructions RR [OP] "{name} {D}, {A}" {
    0   mov      D = A
    1   loops    { for i in 1..3 { slowly(u32(A[1:0])) } }
    2   ways     { if A == 0 { cycles += 10 } else { cycles = 7 } }
    3   gives    D = twice(A)
    4   mode     flag = A[0]
    5   faults   { cycles += 50
                   D = mem.u16[u16(0xf000) | A] }
    where cycles = 4
    6   four     {}
    7   leaves   { cycles += 2
                   leave() }
    where many = 2, cycles = many + cycles
    8   inner    {}
}
instructions RR [OP, cycles] "{name} {D}, {A}" {
    9   5   column    {}
    10  -   nothing   {}
}
instructions RS [OP] "{name} {D}, {S}" {
    11  load     D = S
    where cycles = cycles * 2
    12  load2    D = S
}
instructions RR [OP] "{name} {D}, {A}" where cycles = 6   when flag {
    13  guarded  { cycles += 5
                   D = D + A }
}
instructions RK [OP] "{name} {D}, {K}" where cycles = u32(K) {
    14  waits    {}
    15  set      D = u16(K)
    where cycles = 0
    16  add      D = D + u16(K)
    17  halt     stop()
}
instructions RT [OP] "{name} {D}, {T}" where cycles = 2 {
    18  loop     { D -= 1
                   if D != 0 { cycles += 1; pc = T } }
}
)isa";

struct Clocked {
    SourceManager sources;
    std::shared_ptr<const Isa> isa;
    std::shared_ptr<const Codec> codec;

    Clocked() {
        Diagnostics diagnostics;
        isa = load_isa_text("clocked.isa", description, sources, diagnostics);
        if (isa) check_isa(*isa, diagnostics);
        EXPECT_TRUE(isa && diagnostics.ok()) << to_text(diagnostics, sources);
        codec = std::make_shared<const Codec>(isa);
    }
    std::vector<std::uint8_t> assembled(const std::string& text) {
        Diagnostics diagnostics;
        Object object;
        AssembleOptions options;
        options.flat = true;
        EXPECT_TRUE(assemble(*codec, sources.add("t.s", text), sources, options, object, diagnostics))
            << to_text(diagnostics, sources);
        for (const Section& section : object.sections)
            if (section.executable) return section.bytes;
        return {};
    }
    std::unique_ptr<Machine> machine(const std::string& text, MachineOptions options = {}) {
        options.memory_bytes = 4096;
        auto made = std::make_unique<Machine>(codec, options);
        made->load_code(assembled(text));
        made->set_pc(0);
        return made;
    }
    const Form& form(const std::string& name) const {
        for (const Form& form : isa->forms)
            if (isa->instruction_of(form).names[0] == name) return form;
        ADD_FAILURE() << name;
        return isa->forms[0];
    }
};

// What one instruction takes, with r1 to r6 being 0, 1, 2 and so on before.
std::uint64_t cycles_of(Clocked& clocked, const std::string& instruction, bool flag = false) {
    auto machine =
        clocked.machine(instruction + "\nhalt r0, 0\n", {.count_cycles = true, .engine = Engine::interpreter});
    Index file = 0;
    std::uint64_t number = 0;
    for (unsigned i = 0; i < 7; ++i) machine->set(0, i, i);
    EXPECT_TRUE(machine->find_register("flag", file, number));
    machine->set(file, number, flag);
    const RunResult result = machine->step();
    EXPECT_TRUE(result.ok()) << result.message;
    EXPECT_EQ(result.cycles, machine->cycles());
    return machine->cycles();
}

TEST(Cycles, AreWhatTheInnermostOfNamesAndColumnsSays) {
    Clocked clocked;
    for (const auto& [instruction, cycles] : std::map<std::string, std::uint64_t>{{"mov r1, r2", 1},
                                                                                  {"four r1, r2", 4},
                                                                                  {"inner r1, r2", 3},
                                                                                  {"column r1, r2", 5},
                                                                                  {"nothing r1, r2", 1},
                                                                                  {"load r1, r2", 3},
                                                                                  {"load r1, (r2)", 5},
                                                                                  {"load2 r1, r2", 6},
                                                                                  {"load2 r1, (r2)", 10},
                                                                                  {"waits r1, 0", 0},
                                                                                  {"waits r1, 200", 200},
                                                                                  {"add r1, 3", 0}})
        EXPECT_EQ(cycles_of(clocked, instruction), cycles) << instruction;
}

TEST(Cycles, AreAddedByStatements) {
    Clocked clocked;
    for (const auto& [instruction, cycles] : std::map<std::string, std::uint64_t>{{"loops r1, r0", 1},
                                                                                  {"loops r1, r2", 7},
                                                                                  {"ways r1, r0", 11},
                                                                                  {"ways r1, r3", 7},
                                                                                  {"gives r1, r0", 1},
                                                                                  {"gives r1, r3", 2},
                                                                                  {"leaves r1, r2", 6},
                                                                                  {"loop r1, 0", 2},
                                                                                  {"loop r2, 0", 3}})
        EXPECT_EQ(cycles_of(clocked, instruction), cycles) << instruction;
}

TEST(Cycles, AnInstructionWhoseGuardDoesNotHoldTakesWhatItSays) {
    Clocked clocked;
    EXPECT_EQ(cycles_of(clocked, "guarded r1, r2", true), 11u);
    EXPECT_EQ(cycles_of(clocked, "guarded r1, r2", false), 6u);
}

// The instruction comes to nothing, and so does what it would have taken.
TEST(Cycles, OfAnEventAreItsOwn) {
    Clocked clocked;
    auto machine = clocked.machine("faults r1, r2\nmov r1, r2\nhalt r0, 0\n", {.count_cycles = true});
    EXPECT_EQ(machine->run().cycles, 21u);
    EXPECT_EQ(machine->instructions(), 2u);
}

// Of many rounds, so that most of it is compiled.
constexpr const char* rounds = R"(
        set r7, 250
        set r6, 200
        mode r0, r6
outer:  set r7, 250
again:  mov r1, r7
        loops r1, r7
        ways r1, r7
        load r2, (r7)
        load r3, r7
        gives r4, r2
        guarded r5, r7
        mode r0, r7
        column r1, r1
        inner r1, r1
        loop r7, again
        loop r6, outer
        halt r0, 0
)";

TEST(Cycles, AreTheSameCompiledAndInterpretedStepByStepAndAtOnce) {
    Clocked clocked;
    const auto machine_on = [&](Engine engine) {
        return clocked.machine(rounds, {.count_cycles = true, .engine = engine});
    };
    auto interpreted = machine_on(Engine::interpreter), compiled = machine_on(Engine::compiler);
    const RunResult one = interpreted->run(), other = compiled->run();
    EXPECT_EQ(one.reason, StopReason::stopped);
    EXPECT_EQ(one.instructions, other.instructions);
    EXPECT_EQ(one.cycles, other.cycles);
    EXPECT_GT(one.cycles, 3 * one.instructions);
    EXPECT_GT(compiled->engine_figures().instructions, 0u) << compiled->engine_figures().problem;

    auto stepped = machine_on(Engine::interpreter);
    std::uint64_t sum = 0;
    constexpr std::uint64_t some = 5000;
    for (std::uint64_t i = 0; i < some; ++i) sum += stepped->step().cycles;
    auto stopped = machine_on(Engine::compiler);
    EXPECT_EQ(stopped->run(some).cycles, sum);
    stopped->reset();
    EXPECT_EQ(stopped->cycles(), 0u);
}

TEST(Cycles, NobodyNeedCount) {
    Clocked clocked;
    auto counted = clocked.machine(rounds, {.count_cycles = true, .engine = Engine::interpreter});
    auto plain = clocked.machine(rounds, {.engine = Engine::interpreter});
    const RunResult one = counted->run(), other = plain->run();
    EXPECT_EQ(one.instructions, other.instructions);
    EXPECT_EQ(other.cycles, 0u);
    for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(counted->get(0, i), plain->get(0, i));
}

TEST(Cycles, OfEachInstructionAddUp) {
    Clocked clocked;
    auto machine = clocked.machine(rounds, {.count_instructions = true, .count_cycles = true});
    const RunResult result = machine->run();
    std::map<std::uint64_t, std::uint64_t> executed, cycles;
    for (const auto& [address, count] : machine->counts()) executed[address] = count;
    std::uint64_t sum = 0;
    for (const auto& [address, count] : machine->cycle_counts()) sum += cycles[address] = count;
    EXPECT_EQ(sum, result.cycles);
    EXPECT_EQ(cycles[8], executed[8]);          // mov
    EXPECT_EQ(cycles[14], 5 * executed[14]);    // load r2, (r7)
    EXPECT_EQ(cycles[16], 3 * executed[16]);    // load r3, r7
    EXPECT_EQ(cycles[24], 5 * executed[24]);    // column
    EXPECT_EQ(cycles[28], 3 * executed[28] - 200);  // loop r7: the last time of each round is not taken
}

TEST(Cycles, OfHartsAreTheirOwnAndAddUpInARun) {
    Clocked clocked;
    for (const bool threads : {false, true}) {
        auto machine = clocked.machine("four r1, r2\nfour r1, r2\ncolumn r1, r1\nhalt r0, 0\n",
                                       {.count_cycles = true, .harts = 3, .threads = threads});
        const RunResult result = machine->run();
        EXPECT_EQ(result.cycles, 3 * 13u);
        for (unsigned hart = 0; hart < 3; ++hart) EXPECT_EQ(machine->hart(hart).cycles(), 13u);
    }
}

TEST(Cycles, AreTakenBackWithTheMachine) {
    Clocked clocked;
    auto machine = clocked.machine(rounds, {.count_cycles = true});
    machine->run(1000);
    const std::uint64_t before = machine->cycles();
    const auto snapshot = machine->save();
    ASSERT_TRUE(snapshot);
    machine->run(1000);
    EXPECT_GT(machine->cycles(), before);
    machine->restore(*snapshot);
    EXPECT_EQ(machine->cycles(), before);
}

TEST(Cycles, AreToldOfForms) {
    Clocked clocked;
    for (const auto& [name, text] : std::map<std::string, std::string>{{"mov", "1 cycle"},
                                                                       {"loops", "1 to 10 cycles"},
                                                                       {"ways", "7 to 11 cycles"},
                                                                       {"gives", "1 or 2 cycles"},
                                                                       {"four", "4 cycles"},
                                                                       {"column", "5 cycles"},
                                                                       {"load", "3 to 5 cycles"},
                                                                       {"load2", "6 to 10 cycles"},
                                                                       {"guarded", "6 to 11 cycles"},
                                                                       {"waits", "0 to 255 cycles"},
                                                                       {"loop", "2 or 3 cycles"}}) {
        const auto range = semantics::cycles_of(*clocked.isa, clocked.form(name));
        ASSERT_TRUE(range) << name;
        EXPECT_EQ(to_text(*range), text) << name;
    }
}

}  // namespace
}  // namespace isaforge

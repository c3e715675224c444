// Groups of harts: memories of their own, barriers, and groups that take the place of those that have ended.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <span>
#include <string>
#include <vector>

#include "isaforge/machine.hpp"

namespace isaforge {
namespace {

// r3 counts rounds. In each one every hart writes a number to its place of the group's memory, meets the others, and adds what
// its neighbour has written, meets again. Hart k of a group leaves after 2 + k rounds where `staggered`.
constexpr const char* description = R"(isa groups "Groups"
code unit 16 little
registers r : 3 of u64 "r{n}"
memory data : u64 little
memory own  : u64 little per group
memory gate : u64 little of 2 cells
function size() = u64(harts() / groups())
function place() = u64(hart()) % size()
format F | OP:8 | D:r | A:r | -:2 |
format B | OP:8 | K:s8 |
instructions F [OP] "{name} {D}, {A}" {
    1  seen   D = own.u64[place()]                       // zero when the group begins
    2  keep   own.u64[place()] = 1000 * u64(hart()) + A
    3  meet   barrier()
    4  next   D = D * 3 + own.u64[(place() + 1) % size()]
    5  inc    D = D + 1
    6  put    data.u64[u64(hart())] = D
    7  halt   stop()
    8  sleep  { if place() == 0 { wait() } }
    9  pass   yield()
    10 tick   data.u64[0] = data.u64[0] + 1
    11 other  { data.u64[1 + u64(hart())] = data.u64[0] }
    12 come   { let _old = update(gate.u64[0], +, u64(1)) }
    13 gather { let all = D == 0 ? size() : u64(harts()) + 1        // until so many have come, or one that is not there
                if update(gate.u64[0], +, u64(0)) < all {
                    pc = pc
                    stall()
                } }
}
instructions B [OP] "{name} {K}" {
    0x20 again { if r[3] < 4 { pc = pc + u32(s32(K)) } }
    0x21 round { if r[3] < 2 + place() { pc = pc + u32(s32(K)) } }
}
)";

enum Code : std::uint16_t {
    seen = 1,
    keep,
    meet,
    next,
    inc,
    put,
    halt,
    sleep,
    pass,
    tick,
    other,
    come,
    gather,
    again = 0x20,
    round = 0x21
};

std::uint16_t word(Code code, unsigned d = 0, unsigned a = 0) {
    return static_cast<std::uint16_t>(code << 8 | d << 5 | a << 2);
}
std::uint16_t back(Code code, int units) {
    return static_cast<std::uint16_t>(code << 8 | (static_cast<unsigned>(units) & 0xff));
}

struct Setting {
    unsigned harts, groups;
    bool threads;
    Engine engine;
    std::uint64_t seed = 0;
};

class GroupMachine {
public:
    explicit GroupMachine(const Setting& setting) {
        SourceManager sources;
        Diagnostics diagnostics;
        const auto isa = load_isa_text("groups.isa", description, sources, diagnostics);
        if (!isa) throw std::runtime_error(to_text(diagnostics, sources));
        MachineOptions options;
        options.memory_bytes = 1 << 20;
        options.harts = setting.harts;
        options.groups = setting.groups;
        options.threads = setting.threads;
        options.engine = setting.engine;
        options.seed = setting.seed;
        machine_ = std::make_unique<Machine>(std::make_shared<const Codec>(isa), options);
    }
    Machine* operator->() { return machine_.get(); }

    RunResult run(const std::vector<std::uint16_t>& words, std::uint64_t limit = 2'000'000) {
        std::vector<std::uint8_t> bytes;
        for (const std::uint16_t each : words) {
            bytes.push_back(static_cast<std::uint8_t>(each));
            bytes.push_back(static_cast<std::uint8_t>(each >> 8));
        }
        machine_->load_code(bytes);
        machine_->start(0);
        return machine_->run(limit);
    }
    std::uint64_t data(std::uint64_t number) {
        std::uint64_t value = 0;
        std::memcpy(&value, machine_->memory(0).data() + 8 * number, 8);
        return value;
    }

private:
    std::unique_ptr<Machine> machine_;
};

std::vector<Setting> settings() {
    std::vector<Setting> all;
    for (const Engine engine : {Engine::interpreter, Engine::compiler})
        for (const bool threads : {false, true})
            for (const auto& [harts, groups] :
                 {std::pair{1u, 1u}, {1u, 5u}, {3u, 1u}, {4u, 7u}, {16u, 50u}, {64u, 3u}, {1u, 500u}})
                for (std::uint64_t seed = 0; seed < 3; ++seed) all.push_back({harts, groups, threads, engine, seed});
    return all;
}

[[maybe_unused]] std::ostream& operator<<(std::ostream& out, const Setting& setting) {
    return out << fmt::format("{} harts, {} groups, {}, {}, seed {}", setting.harts, setting.groups,
                              setting.threads ? "threads" : "turns",
                              setting.engine == Engine::compiler ? "compiled" : "interpreted", setting.seed);
}

class Groups : public testing::TestWithParam<Setting> {};

TEST_P(Groups, MeetAtBarriers) {
    const Setting& setting = GetParam();
    GroupMachine machine(setting);
    // r4: what was there at first, r3: the round, r5: the sum.
    const RunResult result = machine.run({word(seen, 5), word(keep, 0, 3), word(meet), word(next, 5), word(inc, 3),
                                          word(meet), back(again, -10), word(put, 5), word(halt)});
    ASSERT_EQ(result.reason, StopReason::stopped) << result.message;
    EXPECT_EQ(result.instructions, std::uint64_t{setting.harts} * setting.groups * (1 + 4 * 6 + 2));
    for (unsigned group = 0; group < setting.groups; ++group)
        for (unsigned k = 0; k < setting.harts; ++k) {
            const std::uint64_t neighbour = group * setting.harts + (k + 1) % setting.harts;
            std::uint64_t sum = 0;
            for (std::uint64_t i = 0; i < 4; ++i) sum = sum * 3 + 1000 * neighbour + i;
            ASSERT_EQ(machine.data(group * setting.harts + k), sum) << "hart " << k << " of group " << group;
        }
}

TEST_P(Groups, DoNotWaitForThoseThatHaveStopped) {
    const Setting& setting = GetParam();
    GroupMachine machine(setting);
    const RunResult result =
        machine.run({word(keep, 0, 3), word(inc, 3), word(meet), back(round, -6), word(put, 3), word(halt)});
    ASSERT_EQ(result.reason, StopReason::stopped) << result.message;
    for (unsigned i = 0; i < setting.harts * setting.groups; ++i)
        ASSERT_EQ(machine.data(i), 2 + i % setting.harts) << "hart " << i;
}

TEST_P(Groups, ARunGoesOnWhereItsLimitWas) {
    const Setting& setting = GetParam();
    GroupMachine whole(setting), parts(setting);
    const std::vector<std::uint16_t> program = {word(keep, 0, 3), word(inc, 3), word(meet),
                                                back(round, -6),  word(put, 3), word(halt)};
    const RunResult all = whole.run(program);
    RunResult part = parts.run(program, 5);
    std::uint64_t sum = part.instructions;
    while (part.reason == StopReason::limit) sum += (part = parts->run(37)).instructions;
    EXPECT_EQ(part.reason, StopReason::stopped) << part.message;
    EXPECT_EQ(sum, all.instructions);
    for (unsigned i = 0; i < setting.harts * setting.groups; ++i) ASSERT_EQ(parts.data(i), whole.data(i));
}

// The memory is the machine's, of all groups, and zero when it starts.
TEST_P(Groups, StallUntilOthersHaveCome) {
    const Setting& setting = GetParam();
    GroupMachine machine(setting);
    for (int run = 0; run < 2; ++run) {
        const RunResult result = machine.run({word(come), word(gather), word(put, 3), word(halt)});
        ASSERT_EQ(result.reason, StopReason::stopped) << result.message;
        std::uint64_t came = 0;
        ASSERT_EQ(machine->memory(2).size(), 16u);
        std::memcpy(&came, machine->memory(2).data(), 8);
        EXPECT_EQ(came, std::uint64_t{setting.harts} * setting.groups);
    }
}

TEST_P(Groups, AreToldThatAllStall) {
    const Setting& setting = GetParam();
    GroupMachine machine(setting);
    const RunResult result = machine.run({word(come), word(inc, 3), word(gather, 3), word(halt)});
    EXPECT_EQ(result.reason, StopReason::waiting);
    EXPECT_NE(result.message.find("nothing will end the waiting"), std::string::npos) << result.message;
    const bool all_begin = setting.harts * setting.groups <= 64 && !setting.threads;
    EXPECT_TRUE(!all_begin || result.message.find("have not begun") == std::string::npos) << result.message;
    if (setting.groups == 500) {
        EXPECT_NE(result.message.find("of 500 groups have not begun"), std::string::npos) << result.message;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Groups, testing::ValuesIn(settings()));

// Taking turns, steps in a row are the run.
TEST(GroupTurns, StepsAreTheRun) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const Setting setting{3, 50, false, Engine::interpreter, seed};
        GroupMachine ran(setting), stepped(setting);
        const std::vector<std::uint16_t> program = {word(seen, 5),    word(keep, 0, 3), word(meet),
                                                    word(next, 5),    word(inc, 3),     word(meet),
                                                    back(again, -10), word(put, 5),     word(halt)};
        const RunResult result = ran.run(program);
        RunResult step = stepped.run(program, 1);
        std::uint64_t count = step.instructions;
        while ((step = stepped->step_any()).reason == StopReason::running) count += step.instructions;
        EXPECT_EQ(step.reason, StopReason::stopped) << step.message;
        EXPECT_EQ(count + step.instructions, result.instructions);
        for (unsigned i = 0; i < 150; ++i) ASSERT_EQ(stepped.data(i), ran.data(i)) << seed << " " << i;
    }
}

// Whoever yields has had its turn, alone it goes on.
TEST(GroupTurns, AYieldEndsATurn) {
    for (const bool stepping : {false, true})
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            GroupMachine machine({2, 1, false, Engine::interpreter, seed});
            const std::vector<std::uint16_t> program = {word(tick), word(pass), word(other), word(halt)};
            RunResult result = machine.run(program, stepping ? 1 : 0);
            while (stepping && (result = machine->step_any()).reason == StopReason::running) continue;
            EXPECT_EQ(result.reason, StopReason::stopped);
            EXPECT_EQ(machine.data(0), 2u);
            EXPECT_EQ(std::min(machine.data(1), machine.data(2)), 2u) << seed;
        }
    GroupMachine alone({1, 1, false, Engine::interpreter});
    EXPECT_EQ(alone.run({word(tick), word(pass), word(other), word(halt)}).reason, StopReason::stopped);
    EXPECT_EQ(alone.data(1), 1u);
}

TEST(GroupTurns, WhoWaitsForEverIsNamed) {
    for (const bool threads : {false, true}) {
        GroupMachine machine({3, 4, threads, Engine::automatic});
        // The first of each group sleeps, the others wait for it.
        const RunResult result = machine.run({word(sleep), word(meet), word(halt)});
        EXPECT_EQ(result.reason, StopReason::waiting);
        EXPECT_NE(result.message.find("nothing will end the waiting"), std::string::npos) << result.message;
    }
}

TEST(GroupTurns, AMemoryOfGroupsIsNoOthers) {
    GroupMachine machine({2, 2, false, Engine::interpreter});
    const Index own = machine->find_memory("own");
    machine->load_data(own, 0, std::vector<std::uint8_t>(8, 1));
    EXPECT_EQ(machine->hart(0).memory(own)[0], 1);
    EXPECT_EQ(machine->hart(1).memory(own)[0], 1);
    EXPECT_EQ(machine->hart(2).memory(own)[0], 0);
}

}  // namespace
}  // namespace isaforge

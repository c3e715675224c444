// Loops in which instructions ask the machine for something: compiled code has the interpreter do these and goes on, so that
// whole loops are compiled and come to the same.
#include <gtest/gtest.h>

#include "isaforge/machine.hpp"

namespace isaforge {
namespace {

constexpr const char* description = R"(isa asks "Asks"
code unit 32 little
constant pc_bits = 64
memory mem : u8 little holds code
registers r : 8 of u64 "r{n}"
register state : u8
mode m : u8 = state
format F | OP:32 |
instructions F [OP] "{name}" {
    0 one     r[1] = r[1] + 1
    1 fence   fence()
    2 time    r[2] = r[2] ^ now()
    3 number  r[3] = r[3] + count("instructions")
    4 tell    signal("told")
    5 linked  let old = load_linked(mem.u64[0x8000]); let done = store_conditional(mem.u64[0x8000], old + 3); r[4] = r[4] + u64(done)
    6 locked  atomic 0x8008 { mem.u64[0x8008] = mem.u64[0x8008] + r[1] }
    7 begin   transaction_begin()
    8 within  mem.u64[0x8010] = mem.u64[0x8010] ^ r[2]
    9 end     r[5] = r[5] + u64(transaction_end())
    10 turn   state = state ^ 1
    11 by_mode r[6] = r[6] + (m == 1 ? u64(5) : u64(7))
    12 again  if r[1] != r[0] { pc = u64(0x1000) }
    13 done   stop()
}
)";

std::shared_ptr<const Codec> codec_of(const char* text) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa_text("asks.isa", text, sources, diagnostics);
    EXPECT_TRUE(isa) << to_text(diagnostics, sources);
    return isa ? std::make_shared<const Codec>(isa) : nullptr;
}

std::unique_ptr<Machine> run(const std::shared_ptr<const Codec>& codec, const std::vector<std::uint8_t>& operations,
                             Engine engine, std::uint64_t limit) {
    auto machine = std::make_unique<Machine>(codec, MachineOptions{.memory_bytes = 1 << 16, .engine = engine});
    std::vector<std::uint8_t> code;
    for (const std::uint8_t each : operations) code.insert(code.end(), {each, 0, 0, 0});
    const Index mem = machine->find_memory("mem");
    EXPECT_TRUE(machine->load_data(mem, 0x1000, code));
    EXPECT_EQ(machine->protect(0x1000, code.size(), {true, true, true}, "code"), "");
    machine->start(0x1000);
    machine->reset();
    Index file = no_index;
    std::uint64_t number = 0;
    EXPECT_TRUE(machine->find_register("r0", file, number));
    machine->set(file, number, 3000);
    machine->run(limit);
    return machine;
}

TEST(Callouts, DoWhatTheInterpreterDoes) {
    const auto codec = codec_of(description);
    ASSERT_TRUE(codec);
    const std::vector<std::vector<std::uint8_t>> programs = {
        {0, 1, 12, 13},          {0, 2, 3, 4, 12, 13}, {0, 5, 6, 12, 13},
        {0, 2, 7, 8, 9, 12, 13}, {0, 10, 11, 12, 13},  {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}};
    for (const auto& program : programs)
        for (const std::uint64_t limit : {0, 7777}) {
            const auto interpreted = run(codec, program, Engine::interpreter, limit);
            const auto compiled = run(codec, program, Engine::compiler, limit);
            EXPECT_EQ(compiled->engine_figures().problem, "");
            EXPECT_EQ(register_dump(*interpreted), register_dump(*compiled));
            EXPECT_EQ(interpreted->instructions(), compiled->instructions());
            EXPECT_EQ(interpreted->signals(), compiled->signals());
            EXPECT_EQ(interpreted->pc(), compiled->pc());
            const Index mem = interpreted->find_memory("mem");
            EXPECT_TRUE(std::ranges::equal(interpreted->memory(mem), compiled->memory(mem)));
        }
}

TEST(Callouts, LeaveNothingOfALoopOut) {
    const auto codec = codec_of(description);
    ASSERT_TRUE(codec);
    const std::vector<std::uint8_t> loop = {0, 1, 2, 3, 4, 5, 6, 12, 13};
    const auto machine = run(codec, loop, Engine::compiler, 0);
    EXPECT_GE(machine->engine_figures().instructions, loop.size() - 1);
}

// Instructions of 1,200 operations, and of more than the compiler takes.
constexpr const char* large = R"(isa large "Large"
code unit 32 little
constant pc_bits = 64
memory mem : u8 little holds code
registers r : 8 of u64 "r{n}"
format F | OP:32 |
instructions F [OP] "{name}" {
    0 one     r[1] = r[1] + 1
    1 many    { for i in 0..599 { r[2] = r[2] * r[1] + i } }
    2 most    { for i in 0..1299 { r[3] = r[3] * r[2] + i } }
    3 again   if r[1] != r[0] { pc = u64(0x1000) }
    4 done    stop()
    5 light   { for i in 0..599 { r[4] = (r[4] << 1) + i } }
}
)";

TEST(Limits, InstructionsAboveThemDoTheSame) {
    const auto codec = codec_of(large);
    ASSERT_TRUE(codec);
    const std::vector<std::uint8_t> program = {0, 2, 1, 2, 3, 4};
    for (const std::uint64_t limit : {0, 777}) {
        const auto interpreted = run(codec, program, Engine::interpreter, limit);
        const auto compiled = run(codec, program, Engine::compiler, limit);
        EXPECT_EQ(compiled->engine_figures().problem, "");
        EXPECT_GT(compiled->engine_figures().instructions, 2u);
        EXPECT_EQ(register_dump(*interpreted), register_dump(*compiled));
        EXPECT_EQ(interpreted->instructions(), compiled->instructions());
        EXPECT_EQ(interpreted->pc(), compiled->pc());
    }
}

// A loop of more operations than one region has is compiled as two, each once.
TEST(Limits, LoopsAboveThemAreTwoRegions) {
    const auto codec = codec_of(large);
    ASSERT_TRUE(codec);
    for (const auto& [count, regions] : {std::pair{2u, 1u}, std::pair{20u, 2u}}) {
        std::vector<std::uint8_t> program(count, 5);  // which compilers are soon done with
        program.insert(program.begin(), 0);
        program.insert(program.end(), {3, 4});
        const auto interpreted = run(codec, program, Engine::interpreter, 30000);
        const auto compiled = run(codec, program, Engine::compiler, 30000);
        EXPECT_EQ(register_dump(*interpreted), register_dump(*compiled));
        EXPECT_EQ(compiled->engine_figures().regions, regions);
        EXPECT_GE(compiled->engine_figures().instructions, count + 2);
        EXPECT_LT(compiled->engine_figures().instructions, count + 7);
    }
}

// Code that its owner puts in the place of other code is no program that overwrites itself.
TEST(Callouts, CodeIsCompiledHoweverOftenOtherCodeIsLoaded) {
    const auto codec = codec_of(description);
    ASSERT_TRUE(codec);
    const std::vector<std::uint8_t> operations = {0, 1, 12, 13};
    const auto machine = run(codec, operations, Engine::compiler, 2000);
    Index file = no_index;
    std::uint64_t number = 0;
    EXPECT_TRUE(machine->find_register("r0", file, number));
    machine->set(file, number, ~std::uint64_t{0});
    for (unsigned i = 1; i <= 20; ++i) {
        EXPECT_EQ(machine->engine_figures().regions, i);
        const std::uint8_t other[] = {std::uint8_t(i % 2 == 0 ? 1 : 11)};
        EXPECT_TRUE(machine->load_data(machine->find_memory("mem"), 0x1004, other));
        machine->run(2000);
    }
}

}  // namespace
}  // namespace isaforge

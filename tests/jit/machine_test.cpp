// A machine that compiles and one that only interprets do the same: wherever they are stopped, with breakpoints, where code
// is overwritten, where accesses are refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mapped/mapped_machine.hpp"

namespace isaforge {
namespace {

constexpr std::uint64_t first = 0x1000;

std::unique_ptr<MappedMachine> machine_with(Engine engine, const std::vector<Word>& words) {
    MachineOptions options{.memory_bytes = 1 << 20};
    options.engine = engine;
    auto made = std::make_unique<MappedMachine>("", options);
    made->load(first, words, {true, true, true});
    (*made)->start(first);
    return made;
}

std::string state_of(MappedMachine& machine, const RunResult& result) {
    std::string text = fmt::format("{} at {:x} after {}: {}\n", int(result.reason), result.address, result.instructions,
                                   result.message);
    for (unsigned i = 0; i < 16; ++i) text += fmt::format("{:x} ", machine.r(i));
    return text + fmt::format("mem {:x} {:x}", machine.word(0x8000), machine.word(0x8008));
}

// A loop that loads, adds, stores and calls a function: r1 counts up to r2.
std::vector<Word> loop(std::int64_t turns) {
    return {{Op::li, 1, 0, 0},    {Op::li, 2, 0, turns},   {Op::li, 3, 0, 0},     {Op::lih, 3, 0, 0x8000},
            {Op::li, 9, 0, 0},    {Op::lih, 9, 0, 0x1040},  // the function
            {Op::addi, 1, 1, 1},  {Op::ld64, 4, 3, 0},     {Op::add, 4, 1, 0},    {Op::st64, 4, 3, 0},
            {Op::st16, 1, 3, 10}, {Op::call, 10, 9, 0},    {Op::bltu, 1, 2, -24}, {Op::executed, 5, 0, 0},
            {Op::stop, 0, 0, 0},  {Op::stop, 0, 0, 0},     {Op::addi, 6, 6, 3},   {Op::mul, 7, 6, 0},
            {Op::jr, 10, 0, 0},   {Op::stop, 0, 0, 0}};
}

TEST(Engines, StopAtTheSameInstruction) {
    const auto plain = machine_with(Engine::interpreter, loop(3000)),
               compiled = machine_with(Engine::compiler, loop(3000));
    std::uint64_t random = 1;
    for (unsigned i = 0; i < 400; ++i) {
        random = random * 6364136223846793005 + 1442695040888963407;
        const std::uint64_t limit = 1 + (random >> 40) % 150;
        const RunResult expected = (*plain)->run(limit), result = (*compiled)->run(limit);
        ASSERT_EQ(state_of(*compiled, result), state_of(*plain, expected));
        if (expected.reason == StopReason::stopped) break;
    }
    const EngineFigures figures = (*compiled)->engine_figures();
    EXPECT_EQ(figures.problem, "");
    EXPECT_GT(figures.regions, 0u);
    EXPECT_GE(figures.instructions, 10u);
    EXPECT_EQ((*plain)->engine_figures().regions, 0u);
}

TEST(Engines, RunToTheEnd) {
    const auto plain = machine_with(Engine::interpreter, loop(30000)),
               compiled = machine_with(Engine::compiler, loop(30000));
    const RunResult expected = (*plain)->run(0), result = (*compiled)->run(0);
    EXPECT_EQ(state_of(*compiled, result), state_of(*plain, expected));
    EXPECT_EQ(expected.reason, StopReason::stopped);
}

TEST(Engines, BreakpointsInCompiledCode) {
    const auto compiled = machine_with(Engine::compiler, loop(30000));
    EXPECT_EQ((*compiled)->run(5000).reason, StopReason::limit);
    ASSERT_GT((*compiled)->engine_figures().regions, 0u);
    const std::uint64_t place = first + 4 * 8;
    (*compiled)->set_breakpoint(place, true);
    for (unsigned i = 0; i < 3; ++i) {
        const RunResult result = (*compiled)->run(0);
        EXPECT_EQ(result.reason, StopReason::breakpoint);
        EXPECT_EQ(result.address, place);
    }
    (*compiled)->set_breakpoint(place, false);
    EXPECT_EQ((*compiled)->run(0).reason, StopReason::stopped);
}

// A store to an address that nothing is mapped at, from inside of a loop.
TEST(Engines, FaultsInCompiledCode) {
    std::vector<Word> words = loop(30000);
    words[10] = {Op::st16, 1, 3, 10};
    words[16] = {Op::addi, 3, 3, 8};  // the pointer goes up until it is outside
    const auto plain = machine_with(Engine::interpreter, words), compiled = machine_with(Engine::compiler, words);
    const RunResult expected = (*plain)->run(0), result = (*compiled)->run(0);
    EXPECT_EQ(state_of(*compiled, result), state_of(*plain, expected));
    EXPECT_GT((*compiled)->engine_figures().regions, 0u);
}

// The loop changes the function that it calls.
TEST(Engines, CodeThatIsOverwritten) {
    std::vector<Word> words = loop(2000);
    words[2] = {Op::li, 3, 0, 0x1042};  // the number that the function's first instruction adds
    words[3] = {Op::li, 4, 0, 0};
    words[7] = {Op::addi, 4, 1, 0};
    words[8] = {Op::addi, 4, 4, 5};
    words[9] = {Op::st8, 4, 3, 0};
    words[10] = {Op::add, 5, 6, 0};
    const auto plain = machine_with(Engine::interpreter, words), compiled = machine_with(Engine::compiler, words);
    for (unsigned i = 0; i < 60; ++i) {
        const RunResult expected = (*plain)->run(100), result = (*compiled)->run(100);
        ASSERT_EQ(state_of(*compiled, result), state_of(*plain, expected)) << i;
    }
    EXPECT_GT((*compiled)->engine_figures().regions, 0u);
}

}  // namespace
}  // namespace isaforge

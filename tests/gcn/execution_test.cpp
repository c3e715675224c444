// Every instruction of the four generations in all of its encodings, with random operands and modes: the emulator and the
// independent model side by side.
#include "effort.hpp"
#include "gcn/execution_run.hpp"

namespace isaforge::test {
namespace {

class Execution : public testing::TestWithParam<const char*> {
protected:
    // Most of what a single processor has, its generation has too; and much of what a generation has, another.
    static bool is_generation() { return std::string(GetParam()).starts_with("gcn"); }
    static std::string base() {
        const std::string name = GetParam();
        return name == "gcn1.2" ? "" : is_generation() || name.starts_with("gfx8") ? "gcn1.2" : "gcn1.4";
    }
};

TEST_P(Execution, EqualsTheModel) {
    ExecutionRun run(GetParam(), Engine::interpreter,
                     {.variants = 1, .rounds = effort(), .base = base(), .base_step = 3});
    run.run();
    run.tell();
    EXPECT_GT(run.compared, is_generation() ? 500u : 350u);
}

TEST_P(Execution, CompiledEqualsTheModel) {
    ExecutionRun run(GetParam(), Engine::compiler,
                     {.step = is_generation() ? 48u : 96u, .variants = 1, .rounds = times_effort(8), .seed = 2});
    run.run();
    run.tell();
    EXPECT_GT(run.compared, is_generation() ? 180u : 80u);
    EXPECT_GT(run.compiled, run.not_compiled);
}

TEST_P(Execution, ProgramsEqualTheModel) {
    for (const Engine engine : {Engine::interpreter, Engine::compiler}) {
        ExecutionRun run(GetParam(), engine, {.rounds = 3, .seed = 5});
        run.run_programs(times_effort(20));
        run.tell();
        EXPECT_GT(run.compared, 10u);
        EXPECT_TRUE(engine == Engine::interpreter || run.compiled > 100u) << run.compiled;
    }
}

// Above the compiler's limit of operations the interpreter does them, called from code.
TEST(Samples, CompiledEqualTheModel) {
    ExecutionRun run("gcn1.2", Engine::compiler, {.step = 3, .rounds = 8, .seed = 6, .only = "image_sample_lz_o"});
    run.run();
    run.tell();
    EXPECT_GT(run.compared, 10u);
    EXPECT_GT(run.compiled, run.not_compiled);
}

INSTANTIATE_TEST_SUITE_P(All, Execution, testing::ValuesIn(execution_variants), variant_name);

}  // namespace
}  // namespace isaforge::test

// Every instruction of the four generations in all of its encodings, with random operands and modes: the emulator and the
// independent model side by side. ISAFORGE_GCN_VARIANTS and ISAFORGE_GCN_ROUNDS ask for more than a sample.
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
                     {.variants = asked_for("ISAFORGE_GCN_VARIANTS", 1),
                      .rounds = asked_for("ISAFORGE_GCN_ROUNDS", 1),
                      .base = base(),
                      .base_step = 3});
    run.run();
    run.tell();
    EXPECT_GT(run.compared, is_generation() ? 500u : 350u);
}

TEST_P(Execution, CompiledEqualsTheModel) {
    ExecutionRun run(GetParam(), Engine::compiler,
                     {.step = asked_for("ISAFORGE_GCN_STEP", is_generation() ? 48 : 96),
                      .variants = asked_for("ISAFORGE_GCN_VARIANTS", 1),
                      .rounds = asked_for("ISAFORGE_GCN_ROUNDS", 8),
                      .seed = 2});
    run.run();
    run.tell();
    EXPECT_GT(run.compared, is_generation() ? 180u : 80u);
    EXPECT_GT(run.compiled, run.not_compiled);
}

TEST_P(Execution, ProgramsEqualTheModel) {
    for (const Engine engine : {Engine::interpreter, Engine::compiler}) {
        ExecutionRun run(GetParam(), engine, {.rounds = 3, .seed = 5});
        run.run_programs(asked_for("ISAFORGE_GCN_PROGRAMS", 20));
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

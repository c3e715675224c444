// All instructions of the four generations against the independent model, many variants of each from many states: interpreted,
// and every one of them in compiled code. Some minutes for each generation and engine.
#include "gcn/execution_run.hpp"

namespace isaforge::test {
namespace {

class ExecutionSweep : public testing::TestWithParam<const char*> {};

TEST_P(ExecutionSweep, EqualsTheModel) {
    ExecutionRun run(GetParam(), Engine::interpreter, {.variants = 12, .rounds = 12, .seed = 3});
    run.run();
    EXPECT_GT(run.compared, 100000u);
}

TEST_P(ExecutionSweep, CompiledEqualsTheModel) {
    ExecutionRun run(GetParam(), Engine::compiler, {.variants = 2, .rounds = 16, .seed = 4});
    run.run();
    EXPECT_GT(run.compared, 40000u);
    EXPECT_GT(run.compiled, run.not_compiled);
}

INSTANTIATE_TEST_SUITE_P(All, ExecutionSweep, testing::ValuesIn(execution_variants), variant_name);

}  // namespace
}  // namespace isaforge::test

// What operations_test.cpp does, on all machines that the parameters allow and with many times as many operands.
#include "fabrisc/operations_bench.hpp"

namespace isaforge::test {
namespace {

constexpr Parameters machines[] = {{32, 64},  {64, 64},  {32, 128}, {64, 128},
                                   {32, 256}, {64, 256}, {32, 512}, {64, 512}};

class OperationsSweep : public OfRevision {};

TEST_P(OperationsSweep, EqualsTheModel) {
    for_all_encodings(GetParam(), machines, 10000, Engine::interpreter, [](Trial& trial, Index form) {
        return trial.run(form, {.modes = 8, .variants = 24, .rounds = 400});
    });
}

TEST_P(OperationsSweep, ProgramsEqualTheModel) {
    for_all_encodings(GetParam(), machines, 20000, Engine::interpreter, [](Trial& trial, Index form) {
        return form % 2 == 0 ? trial.run_program(200) : trial.run_program(20);
    });
}

TEST_P(OperationsSweep, CompiledEqualsTheModel) {
    for_all_encodings(GetParam(), machines, 30000, Engine::compiler, [](Trial& trial, Index form) {
        return trial.run_compiled(form, {.variants = 24, .rounds = 400});
    });
}

TEST_P(OperationsSweep, CompiledFaultsEqualTheModels) {
    for_all_encodings(GetParam(), machines, 40000, Engine::compiler, [](Trial& trial, Index form) {
        return trial.run_compiled_faults(form, {.variants = 8, .rounds = 20});
    });
}

TEST_P(OperationsSweep, CompiledProgramsEqualTheModel) {
    for_all_encodings(GetParam(), machines, 50000, Engine::compiler,
                      [](Trial& trial, Index form) { return form % 4 == 0 ? trial.run_program(100) : std::string(); });
}

INSTANTIATE_TEST_SUITE_P(Revisions, OperationsSweep, ::testing::ValuesIn(revisions), revision_name);

}  // namespace
}  // namespace isaforge::test

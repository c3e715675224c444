// What operations_test.cpp does, on all machines that the parameters allow and with many times as many operands.
#include "fabrisc/operations_bench.hpp"

namespace isaforge::test {
namespace {

constexpr Parameters machines[] = {{32, 64},  {64, 64},  {32, 128}, {64, 128},
                                   {32, 256}, {64, 256}, {32, 512}, {64, 512}};

class OperationsSweep : public OfRevision {};

TEST_P(OperationsSweep, EqualsTheModel) {
    for_all_encodings(GetParam(), machines, 10000, [](Trial& trial, Index form) {
        return trial.run(form, {.modes = 8, .variants = 24, .rounds = 400});
    });
}

TEST_P(OperationsSweep, ProgramsEqualTheModel) {
    for_all_encodings(GetParam(), machines, 20000, [](Trial& trial, Index form) {
        return form % 2 == 0 ? trial.run_program(200) : trial.run_program(20);
    });
}

INSTANTIATE_TEST_SUITE_P(Revisions, OperationsSweep, ::testing::ValuesIn(revisions), revision_name);

}  // namespace
}  // namespace isaforge::test

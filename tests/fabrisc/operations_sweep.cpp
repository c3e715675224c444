// What operations_test.cpp does, on all machines that the parameters allow and with many times as many operands.
#include "fabrisc/operations_bench.hpp"

namespace isaforge::test {
namespace {

constexpr Parameters machines[] = {{32, 64},  {64, 64},  {32, 128}, {64, 128},
                                   {32, 256}, {64, 256}, {32, 512}, {64, 512}};

class OperationsSweep : public OfRevision {};

TEST_P(OperationsSweep, EqualsTheModel) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        for_all_encodings(GetParam(), machines, 10000 * seed, [](Trial& trial, Index form) {
            return trial.run(form, {.modes = 12, .variants = 24, .rounds = 400});
        });
    }
}

INSTANTIATE_TEST_SUITE_P(Revisions, OperationsSweep, ::testing::ValuesIn(revisions), revision_name);

}  // namespace
}  // namespace isaforge::test

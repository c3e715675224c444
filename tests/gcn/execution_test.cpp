// Every computing instruction of the four generations in all of its encodings, with random operands and modes: the emulator
// and the independent model side by side.
#include "gcn/execution_bench.hpp"

namespace isaforge::test {
namespace {

class Execution : public testing::TestWithParam<const char*> {};

unsigned trials() {
    const char* const asked = std::getenv("ISAFORGE_GCN_TRIALS");
    return asked ? unsigned(std::atoi(asked)) : 2;
}

TEST_P(Execution, EqualsTheModel) {
    ExecutionBench bench(GetParam());
    ASSERT_FALSE(HasFailure());
    const char* const only = std::getenv("ISAFORGE_GCN_ONLY");
    std::mt19937_64 random(1);
    std::set<std::string> unknown, undrawn;
    std::size_t compared = 0, failures = 0;
    std::map<std::string, unsigned> failed;
    for (Index index = 0; index < bench.isa().forms.size(); ++index) {
        const Form& form = bench.isa().forms[index];
        const std::string& name = bench.isa().instruction_of(form).names[0];
        if (form.alias || (only && name != only)) continue;
        for (unsigned i = 0; i < trials(); ++i) {
            const auto words = bench.draw(index, random);
            if (words.empty()) {
                undrawn.insert(name);
                continue;
            }
            bool known = false;
            const std::string wrong = bench.run(words, name, random, known);
            if (!known) unknown.insert(name);
            compared += known;
            if (wrong.empty()) continue;
            ++failures;
            if (++failed[name] <= 2 && failures <= 200) ADD_FAILURE() << wrong;
        }
    }
    EXPECT_GT(compared, trials() * 700u);
    if (std::getenv("ISAFORGE_GCN_TELL") == nullptr) return;
    std::string names;
    for (const auto& each : unknown) names += " " + each;
    std::printf("%zu compared; not compared:%s\nwithout operands:", compared, names.c_str());
    for (const auto& each : undrawn) std::printf(" %s", each.c_str());
    std::printf("\n");
}

INSTANTIATE_TEST_SUITE_P(All, Execution, testing::Values("gcn1.0", "gcn1.1", "gcn1.2", "gcn1.4"),
                         [](const auto& each) { return "gcn1_" + std::string(1, each.param[5]); });

}  // namespace
}  // namespace isaforge::test

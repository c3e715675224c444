// Every instruction of every revision that computes, moves, loads, stores or branches, in all encodings and modes, on
// random operands and on the edges: the emulator and the independent model side by side.
#include <algorithm>
#include <set>
#include <span>
#include <string_view>

#include "effort.hpp"
#include "fabrisc/operations_bench.hpp"

namespace isaforge::test {
namespace {

// Events and transactions; other tests look at them.
bool is_elsewhere(const std::string& name);

constexpr Parameters machines[] = {{64, 512}, {32, 256}, {32, 128}, {64, 64}};  // the slowest first

constexpr Parameters compiled_machines[] = {{64, 128}, {32, 256}, {64, 256}};

class Operations : public OfRevision {
protected:
    // One for each revision, for the compiler takes long.
    static std::span<const Parameters> compiled_machine() {
        return std::span(compiled_machines).subspan(revision(), 1);
    }
    // Two for each in a sample.
    static std::span<const Parameters> some_machines() {
        const std::span<const Parameters> all(machines);
        return effort() > 1 ? all : all.subspan(revision(), 2);
    }

private:
    static std::size_t revision() {
        const auto found = std::ranges::find(revisions, std::string_view(GetParam().date), &Revision::date);
        return static_cast<std::size_t>(found - revisions.begin());
    }
};

TEST_P(Operations, AllAreKnown) {
    for (const Form& form : isa().forms) {
        const std::string& name = OperationsBench::name_of(isa(), form);
        if (is_elsewhere(name)) continue;
        model::Instruction instruction;
        instruction.name = name;
        EXPECT_TRUE(model::Operation::of({model_revision(GetParam()), 32, 512}, instruction)) << name;
    }
}

TEST_P(Operations, EqualTheModel) {
    for_all_encodings(GetParam(), some_machines(), 1000, Engine::interpreter,
                      [](Trial& trial, Index form) { return trial.run(form, {.rounds = 40}); });
}

TEST_P(Operations, EndInTheSameFaults) {
    for_all_encodings(GetParam(), some_machines(), 2000, Engine::interpreter,
                      [](Trial& trial, Index form) { return trial.run_faults(form, 4); });
}

TEST_P(Operations, MovesToTheStatusEqualTheModel) {
    for_all_encodings(GetParam(), some_machines(), 3000, Engine::interpreter,
                      [](Trial& trial, Index form) { return trial.run_status(form, 100); });
}

// Random programs, run in one go.
TEST_P(Operations, OfAProgramEqualTheModel) {
    for_all_encodings(GetParam(), some_machines(), 4000, Engine::interpreter,
                      [](Trial& trial, Index form) { return form % 8 == 0 ? trial.run_program(40) : std::string(); });
}

// The same in compiled code, every second. What sets modes is left out: that is always interpreted.
TEST_P(Operations, CompiledEqualTheModel) {
    for_all_encodings(GetParam(), compiled_machine(), 5000, Engine::compiler, [](Trial& trial, Index form) {
        return form % 2 == 0 ? trial.run_compiled(form, {.variants = 2, .rounds = 30}) : std::string();
    });
}

TEST_P(Operations, CompiledEndInTheSameFaults) {
    for_all_encodings(
        GetParam(), std::span(compiled_machines).first(1), 6000, Engine::compiler, [](Trial& trial, Index form) {
            return form % 2 != 0 ? trial.run_compiled_faults(form, {.variants = 2, .rounds = 4}) : std::string();
        });
}

TEST_P(Operations, OfACompiledProgramEqualTheModel) {
    for_all_encodings(GetParam(), compiled_machine(), 7000, Engine::compiler,
                      [](Trial& trial, Index form) { return form % 32 == 0 ? trial.run_program(40) : std::string(); });
}

INSTANTIATE_TEST_SUITE_P(Revisions, Operations, ::testing::ValuesIn(revisions), revision_name);

bool is_elsewhere(const std::string& name) {
    static const std::set<std::string> names = {"BPTRG", "ERET", "UERET", "SERET", "SYSCL", "RSYSCL", "WINT",
                                                "SDMP",  "SRST", "TBEG",  "TEND",  "TABT",  "TCHK"};
    return names.contains(name);
}

}  // namespace
}  // namespace isaforge::test

// Graphs that watch themselves: that they verify and do what they did, and that shadows are right. The referee of shadows flips
// bits: what nobody has written may be anything, and only what then differs has to be called undefined.
#include "ir/passes/check.hpp"

#include <gtest/gtest.h>

#include "effort.hpp"
#include "ir/bench_isa.hpp"
#include "ir/model.hpp"
#include "ir/passes/passes.hpp"
#include "ir/random_graph.hpp"
#include "ir/text.hpp"
#include "ir/verify.hpp"

namespace isaforge::ir {
namespace {

const Isa& checked_isa() {
    static const Isa isa = with_shadow_files(bench_isa());
    return isa;
}

const Index shadow_files = static_cast<Index>(bench_isa().register_files.size());

Graph checked(Graph graph, bool accesses = true) {
    add_checks(graph, {.definedness = true, .accesses = accesses, .shadow_files = shadow_files}, checked_isa());
    return graph;
}

// The model with a checker that allows everything. Registers are those that somebody gives it.
class CheckedModel : public Model {
public:
    CheckedModel(const Graph& graph, const Isa& isa, std::uint64_t seed, std::map<Place, bool> given)
        : Model(graph, isa, seed), registers(std::move(given)), graph_here_(graph) {}

    std::map<Place, bool> registers;
    bool told = false;  // that something undefined decides

protected:
    bool bit(const Place& place) override {
        const auto found = registers.find(place);
        return found != registers.end() ? found->second : std::get<0>(place) < shadow_files && Model::bit(place);
    }
    void set_bit(const Place& place, bool on) override {
        registers[place] = on;
        if (std::get<0>(place) < shadow_files) Model::set_bit(place, on);
    }
    void act(const Instruction& instruction) override {
        switch (instruction.op) {
            case Op::check_access: {
                const Type type = graph_here_.type(instruction.result);
                values_[instruction.result] = mask_of(instruction, type.lanes);
                return;
            }
            case Op::check_load: values_[instruction.result] = zero(instruction.result); return;
            case Op::check_store: return;
            case Op::check_use: return note_use(instruction);
            default: return Model::act(instruction);
        }
    }
    void put_later(const Instruction& instruction, std::uint64_t number, std::uint64_t value) override {
        if (instruction.object < shadow_files) Model::put_later(instruction, number, value);
    }

private:
    Lanes zero(Value value) const { return uniform(graph_here_.type(value), 0); }
    void note_use(const Instruction& instruction) {
        const Lanes shadow = get(instruction.operands[0]);
        const unsigned lanes = graph_here_.type(instruction.operands[0]).lanes;
        const Lanes mask = mask_of(instruction, lanes);
        for (std::size_t i = 0; i < shadow.size(); ++i) told |= shadow[i] != 0 && mask[i % lanes] != 0;
    }

    const Graph& graph_here_;
};

using Registers = std::map<Model::Place, bool>;

// Every bit of every register.
template <class Function>
void for_each_bit(Function&& function) {
    const Isa& isa = bench_isa();
    for (Index file = 0; file < isa.register_files.size(); ++file)
        for (unsigned number = 0; number < isa.register_files[file].count; ++number)
            for (unsigned bit = 0; bit < isa.register_files[file].bits * isa.register_files[file].lanes; ++bit)
                function(Model::Place{file, number, bit});
}

// Some registers wholly, some in single bits.
Registers random_shadows(SplitMix64& random) {
    Registers shadows;
    std::map<std::pair<Index, std::uint64_t>, unsigned> kinds;
    for_each_bit([&](const Model::Place& place) {
        const auto [file, number, bit] = place;
        const auto [kind, first] = kinds.try_emplace({file, number}, 0u);
        if (first) kind->second = static_cast<unsigned>(random.below(4));
        const bool on = kind->second == 1 || (kind->second == 2 && random.below(8) == 0);
        if (on) shadows[{file + shadow_files, number, bit}] = true;
    });
    return shadows;
}

TEST(Checks, ChangeNothingOfWhatAGraphDoes) {
    std::size_t ended = 0;
    for (std::uint64_t seed = 0; seed < test::times_effort(1500); ++seed) {
        const Graph plain = RandomGraph(bench_isa(), seed).make();
        Graph graph = checked(plain);
        const auto problems = verify(graph, checked_isa());
        ASSERT_TRUE(problems.empty()) << problems[0] << "\n"
                                      << to_text(plain, bench_isa()) << to_text(graph, checked_isa());
        SplitMix64 random(seed);
        const Registers shadows = random_shadows(random);
        const std::vector<std::uint64_t> arguments = {seed, ~seed, seed * 3};
        Model expected(plain, bench_isa(), seed);
        if (!expected.run(arguments, 2000)) continue;
        ++ended;
        for (const bool after_passes : {false, true}) {
            if (after_passes) optimise(graph);
            CheckedModel model(graph, checked_isa(), seed, shadows);
            ASSERT_TRUE(model.run(arguments, 200000));
            if (after_passes) {
                ASSERT_TRUE(verify(graph, checked_isa()).empty());
                continue;  // registers that are written twice show it
            }
            ASSERT_EQ(model.trace, expected.trace) << to_text(plain, bench_isa()) << to_text(graph, checked_isa());
        }
    }
    EXPECT_GT(ended, test::times_effort(1000));
}

TEST(Checks, OnlyBitsThatAreCalledUndefinedDependOnUndefinedBits) {
    std::size_t flipped_bits = 0, compared = 0, told = 0;
    GraphScope scope;
    scope.loops = false;
    for (std::uint64_t seed = 0; seed < test::times_effort(2000); ++seed) {
        const Graph plain = RandomGraph(bench_isa(), seed, scope).make();
        const Graph graph = checked(plain, false);
        SplitMix64 random(seed * 7 + 1);
        const Registers shadows = random_shadows(random);
        const std::vector<std::uint64_t> arguments = {seed, ~seed, seed * 3};
        CheckedModel model(graph, checked_isa(), seed, shadows);
        ASSERT_TRUE(model.run(arguments, 200000));
        if (model.told) {
            ++told;
            continue;
        }
        const std::string texts = to_text(plain, bench_isa()) + to_text(graph, checked_isa());
        CheckedModel base(plain, bench_isa(), seed, {});
        ASSERT_TRUE(base.run(arguments, 200000));
        for (unsigned turn = 0; turn < 4; ++turn) {
            Registers flipped;
            CheckedModel look(plain, bench_isa(), seed, {});
            for (const auto& [place, on] : shadows) {
                const auto [file, number, bit] = place;
                if (on && random.below(2) == 0) flipped[{file - shadow_files, number, bit}] = random.below(2) != 0;
            }
            CheckedModel other(plain, bench_isa(), seed, flipped);
            ASSERT_TRUE(other.run(arguments, 200000));
            for (const auto& [place, on] : other.registers) {
                const auto written = base.registers.find(place);
                if (written == base.registers.end() || written->second == on) continue;
                const auto [file, number, bit] = place;
                const auto shadow = model.registers.find({file + shadow_files, number, bit});
                ++flipped_bits;
                ASSERT_TRUE(shadow != model.registers.end() && shadow->second)
                    << bench_isa().register_files[file].name << number << " bit " << bit << "\n"
                    << texts;
            }
            ++compared;
        }
    }
    EXPECT_GT(flipped_bits, test::times_effort(500));
    EXPECT_GT(compared, test::times_effort(2000));
    EXPECT_GT(told, test::times_effort(50));
}

}  // namespace
}  // namespace isaforge::ir

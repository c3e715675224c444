// Random programs, mixed of compiled and interpreted instructions: stopped anywhere, they are in the state in which they are
// where nothing is compiled.
#include <gtest/gtest.h>

#include "jit/engines.hpp"

namespace isaforge::jit {
namespace {


struct Figures {
    std::size_t programs = 0, regions = 0, units = 0, compiled = 0, stops = 0, faults = 0;
    std::size_t instructions = 0, interpreted = 0;
};

class Pair {
public:
    Pair(const std::vector<ir::Graph>& graphs, std::uint64_t seed, bool aligned)
        : graphs_(graphs), random_(seed), plain_(program_isa(), graphs), mixed_(program_isa(), graphs) {
        mixed_.target.aligned = aligned;
        mixed_.memory.learns = random_.below(4) != 0;
        for (ProgramMachine* machine : {&plain_, &mixed_}) machine->core.alignment = aligned ? ~std::uint64_t{0} : 0;
        Random values(seed);
        for (Index file = 0; file < mixed_.isa().register_files.size(); ++file) {
            const RegisterFile& registers = mixed_.isa().register_files[file];
            for (unsigned i = 0; i < registers.count; ++i)
                for (unsigned lane = 0; lane < registers.lanes; ++lane) {
                    const std::uint64_t value =
                        (values.below(3) == 0 ? values.below(100) : values.next()) & low_bits(registers.bits);
                    plain_.set(file, i, value, lane);
                    mixed_.set(file, i, value, lane);
                }
        }
    }

    void compile(machine::Compiler& compiler, Figures& figures) {
        std::vector<std::size_t> units, entries;
        const unsigned left_out = random_.below(3) == 0 ? 3 : 1000;
        for (std::size_t i = 0; i < graphs_.size(); ++i)
            if (random_.below(left_out) != 1) units.push_back(i);
        for (std::size_t i = 0; i < units.size(); ++i)
            if (i == 0 || random_.below(4) == 0) entries.push_back(i);
        if (units.empty()) return;
        machine::CodeRegion region = mixed_.region(units, entries);
        for (machine::Unit& unit : region.units)
            if (random_.below(2) == 0) unit.targets.push_back(4 * random_.below(graphs_.size()));
        region_ = compiler.compile(region);
        figures.units += units.size();
        if (!region_) return;
        ++figures.regions;
        for (std::size_t i = 0; i < units.size(); ++i) figures.compiled += region_->compiled[i] ? 1u : 0u;
        for (std::size_t i = 0; i < entries.size(); ++i) mixed_.enter(units[entries[i]], region_->entries[i]);
    }

    // False where the model found no end of an instruction.
    bool run(Figures& figures) {
        plain_.start(0);
        mixed_.start(0);
        for (unsigned stretch = 0; stretch < 12; ++stretch) {
            static constexpr unsigned far[] = {5, 50, 1000};
            const std::uint64_t stop_at = plain_.core.count + 1 + random_.below(far[random_.below(3)]);
            plain_.go(stop_at);
            if (plain_.core.reason == StopReason::limit) return true;
            mixed_.go(stop_at);
            ++figures.stops;
            EXPECT_EQ(mixed_.state(), plain_.state());
            EXPECT_TRUE(mixed_.same_memory(plain_));
            if (testing::Test::HasFailure()) return false;
            if (plain_.core.reason == StopReason::running) continue;
            ++figures.faults;
            // Somewhere else, with what is under way.
            const std::uint64_t address = 4 * random_.below(graphs_.size());
            plain_.start(address);
            mixed_.start(address);
        }
        figures.instructions += mixed_.core.count;
        figures.interpreted += mixed_.interpreted;
        return true;
    }

    ProgramMachine& mixed() { return mixed_; }

private:
    const std::vector<ir::Graph>& graphs_;
    Random random_;
    ProgramMachine plain_, mixed_;
    std::unique_ptr<machine::CompiledRegion> region_;
};

std::string text_of(const std::vector<ir::Graph>& graphs, const Isa& isa) {
    std::string text;
    for (std::size_t i = 0; i < graphs.size(); ++i)
        text += fmt::format("at {:x}\n{}", 4 * i, ir::to_text(graphs[i], isa));
    return text;
}

void try_programs(std::uint64_t first, std::uint64_t count, std::size_t length, std::vector<Op> without,
                  Figures& figures) {
    const auto isa = program_isa();
    without.push_back(Op::update);
    std::unique_ptr<ProgramMachine> owners[2];
    const std::vector<ir::Graph> none;
    for (unsigned aligned = 0; aligned < 2; ++aligned) {
        owners[aligned] = std::make_unique<ProgramMachine>(isa, none);
        owners[aligned]->target.aligned = aligned != 0;
        owners[aligned]->target.tail_calls = aligned == 0;  // as builds with sanitizers want it
    }
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        Random random(seed);
        const std::vector<ir::Graph> graphs = RandomProgram(*isa, ir::Choices(seed), {.without = without})
                                                  .make(length == 1 ? 1 : 1 + random.below(length));
        const bool aligned = random.below(4) == 0;
        Pair pair(graphs, seed, aligned);
        for (const ir::Graph& graph : graphs) ASSERT_EQ(pair.mixed().problems(graph), "");
        pair.compile(owners[aligned]->compiler(), figures);
        ++figures.programs;
        ASSERT_TRUE(pair.run(figures)) << "seed " << seed << "\n" << text_of(graphs, *isa);
    }
}

void show(const Figures& f) {
    fmt::print(
        "{} programs, {} regions, {} of {} instructions compiled, {} stops, {} faults, {} executed, {} of them "
        "interpreted\n",
        f.programs, f.regions, f.compiled, f.units, f.stops, f.faults, f.instructions, f.interpreted);
}

TEST(Programs, OneInstruction) {
    Figures figures;
    try_programs(1, 500, 1, {}, figures);
    show(figures);
    EXPECT_GT(figures.regions, figures.programs / 2);
    EXPECT_GT(figures.faults, 100u);
}

TEST(Programs, ManyInstructions) {
    Figures figures;
    try_programs(100000, 250, 12, {}, figures);
    show(figures);
    EXPECT_GT(figures.compiled, figures.units / 2);
    EXPECT_LT(figures.interpreted, figures.instructions / 4 * 3);
}

// Every way to do a program.
TEST(Programs, EveryEngine) {
    const auto isa = program_isa();
    Engines engines(isa);
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        RandomProgram program(*isa, ir::Choices(seed), scope_of_engines(*isa));
        const std::string wrong = engines.run(program.make(1 + seed % 4), seed);
        ASSERT_EQ(wrong, "") << "seed " << seed;
    }
    fmt::print("{} of {} instructions compiled, {} executed\n", engines.compiled, engines.units, engines.instructions);
    EXPECT_GT(engines.compiled, engines.units / 4 * 3);
}

}  // namespace
}  // namespace isaforge::jit

// Random programs, mixed of compiled and interpreted instructions: stopped anywhere, they are in the state in which they are
// where nothing is compiled.
#include <gtest/gtest.h>

#include "effort.hpp"
#include "jit/engines.hpp"

namespace isaforge::jit {
namespace {

struct Figures {
    std::size_t programs = 0, regions = 0, units = 0, compiled = 0, stops = 0, faults = 0;
    std::size_t instructions = 0, interpreted = 0, with_pending = 0;
};

class Pair {
public:
    Pair(const std::shared_ptr<const Isa>& isa, const std::vector<ir::Graph>& graphs, std::uint64_t seed, bool aligned)
        : graphs_(graphs), random_(seed), plain_(isa, graphs), mixed_(isa, graphs) {
        mixed_.target.aligned = aligned;
        mixed_.memory.learns = random_.below(4) != 0;
        later_ = random_.below(2) == 0;
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

    // Half of them in the middle of a run, to be entered with what is under way then.
    bool compiles_later() const { return later_; }
    void compile_here(machine::Compiler& compiler, Figures& figures) {
        const std::size_t here = mixed_.address_of(mixed_.core.next) / 4;
        if (here >= graphs_.size()) return;
        std::vector<std::size_t> units = {here};
        for (std::size_t i = 0; i < graphs_.size(); ++i)
            if (i != here) units.push_back(i);
        std::vector<std::size_t> entries = {0};
        for (std::size_t i = 1; i < units.size(); ++i)
            if (random_.below(3) == 0) entries.push_back(i);
        machine::CodeRegion region = mixed_.region(units, entries);
        region.under_way = machine::results_under_way(mixed_.core, mixed_.core.count, mixed_.core.pending);
        region_ = compiler.compile(region);
        if (!region_) return;
        if (!region.under_way.empty()) ++figures.with_pending;
        for (std::size_t i = 0; i < entries.size(); ++i) mixed_.enter(units[entries[i]], region_->entries[i]);
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
    bool run(machine::Compiler& compiler, Figures& figures) {
        plain_.start(0);
        mixed_.start(0);
        for (unsigned stretch = 0; stretch < 12; ++stretch) {
            const bool pending = mixed_.core.pending != 0 || stretch == 6;
            if (later_ && region_ == nullptr && stretch != 0 && pending) compile_here(compiler, figures);
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
    void set_both(Index file, std::uint64_t number, std::uint64_t value) {
        plain_.set(file, number, value);
        mixed_.set(file, number, value);
    }

private:
    const std::vector<ir::Graph>& graphs_;
    Random random_;
    ProgramMachine plain_, mixed_;
    std::unique_ptr<machine::CompiledRegion> region_;
    bool later_ = false;
};

// A loop over vectors in memory, their lanes side by side or apart, across the ends of pages that refuse or watch accesses.
constexpr const char* vector_loop[] = {R"(b0():
  %1: i32 = get r #1
  %2: i32 = get r #2
  %3: i32x8 = lane_number
  %4: i32x8 = splat %2
  %5: i32x8 = mul %3, %4
  %6: i32x8 = splat %1
  %7: i32x8 = add %6, %5
  %8: i8 = get flags #0
  %9: m8 = spread %8
  %10: i32x8 = load mem %7 if %9
  put v #1 %10
  leave 0x4:i32
)",
                                       R"(b0():
  %1: i32 = get r #3
  %2: i32 = get r #2
  %3: i32x8 = lane_number
  %4: i32x8 = splat %2
  %5: i32x8 = mul %3, %4
  %6: i32x8 = splat %1
  %7: i32x8 = add %6, %5
  %8: i8 = get flags #0
  %9: m8 = spread %8
  %10: i32x8 = get v #1
  %11: i32x8 = add %10, %3
  store mem %7, %11 if %9
  leave 0x8:i32
)",
                                       R"(b0():
  %1: i32 = get r #3
  %2: i32x8 = lane_number
  %3: i32x8 = splat %1
  %4: i32x8 = add %3, %2
  %5: i32x8 = bit_and %4, 0x7fff:i32x8
  %6: i16x8 = load lds %5
  store lds %5, %6
  %7: i32 = get r #1
  %8: i32 = add %7, 0x2c:i32
  put r #1 %8
  %9: i32 = get r #3
  %10: i32 = add %9, 0x30:i32
  put r #3 %10
  leave 0x0:i32
)"};

std::string text_of(const std::vector<ir::Graph>& graphs, const Isa& isa) {
    std::string text;
    for (std::size_t i = 0; i < graphs.size(); ++i)
        text += fmt::format("at {:x}\n{}", 4 * i, ir::to_text(graphs[i], isa));
    return text;
}

void try_programs(const std::shared_ptr<const Isa>& isa, std::uint64_t first, std::uint64_t count, std::size_t length,
                  ir::GraphScope scope, Figures& figures) {
    scope.without.push_back(Op::update);
    std::unique_ptr<ProgramMachine> owners[2];
    const std::vector<ir::Graph> none;
    for (unsigned aligned = 0; aligned < 2; ++aligned) {
        owners[aligned] = std::make_unique<ProgramMachine>(isa, none);
        owners[aligned]->target.aligned = aligned != 0;
        owners[aligned]->target.tail_calls = aligned == 0;  // as builds with sanitizers want it
    }
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        Random random(seed);
        const std::vector<ir::Graph> graphs =
            RandomProgram(*isa, ir::Choices(seed), scope).make(length == 1 ? 1 : 1 + random.below(length));
        const bool aligned = random.below(4) == 0;
        Pair pair(isa, graphs, seed, aligned);
        for (const ir::Graph& graph : graphs) ASSERT_EQ(pair.mixed().problems(graph), "");
        machine::Compiler& compiler = owners[aligned]->compiler();
        if (!pair.compiles_later()) pair.compile(compiler, figures);
        ++figures.programs;
        ASSERT_TRUE(pair.run(compiler, figures)) << "seed " << seed << "\n" << text_of(graphs, *isa);
    }
}

void show(const Figures& f) {
    fmt::print(
        "{} programs, {} regions, {} of {} instructions compiled, {} stops, {} faults, {} executed, {} of them "
        "interpreted, {} entered with results under way\n",
        f.programs, f.regions, f.compiled, f.units, f.stops, f.faults, f.instructions, f.interpreted, f.with_pending);
}

TEST(Programs, OneInstruction) {
    Figures figures;
    try_programs(program_isa(), 1, 180, 1, {}, figures);
    show(figures);
    EXPECT_GT(figures.regions, figures.programs / 4);
    EXPECT_GT(figures.faults, 60u);
}

TEST(Programs, ManyInstructions) {
    Figures figures;
    try_programs(program_isa(), 100000, 90, 12, {}, figures);
    show(figures);
    EXPECT_GT(figures.compiled, figures.units / 2);
    EXPECT_LT(figures.interpreted, figures.instructions / 4 * 3);
    EXPECT_GT(figures.with_pending, 10u);
}

// Groups of lanes are computed one after the other, for as many instructions as can be.
TEST(Programs, ManyLanes) {
    Figures figures;
    ir::GraphScope scope;
    scope.late = scope.parts = scope.tuples = false;
    scope.blocks = 2;
    try_programs(wide_program_isa(), 200000, test::times_effort(150), 12, scope, figures);
    show(figures);
    EXPECT_GT(figures.compiled, figures.units / 2);
    EXPECT_LT(figures.interpreted, figures.instructions / 4 * 3);
}

TEST(Programs, VectorsInMemory) {
    const auto isa = program_isa();
    std::vector<ir::Graph> graphs;
    for (const char* const text : vector_loop) {
        std::string error;
        auto graph = ir::parse(text, *isa, error);
        ASSERT_TRUE(graph) << error;
        graphs.push_back(std::move(*graph));
    }
    const std::vector<ir::Graph> none;
    ProgramMachine owner(isa, none);
    Figures figures;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Pair pair(isa, graphs, seed, false);
        Random random(seed);
        for (const ir::Graph& graph : graphs) ASSERT_EQ(pair.mixed().problems(graph), "");
        static constexpr std::uint64_t strides[] = {4, 4, 4, 0, 8, 3};
        pair.set_both(0, 1, random.next() & 0xffffff);
        pair.set_both(0, 3, random.next() & 0xffffff);
        pair.set_both(0, 2, strides[random.below(6)]);
        if (random.below(2) == 0) pair.set_both(3, 0, 0xff);
        pair.compile(owner.compiler(), figures);
        ++figures.programs;
        ASSERT_TRUE(pair.run(owner.compiler(), figures)) << "seed " << seed;
    }
    show(figures);
    EXPECT_GT(figures.regions, figures.programs / 2);
    EXPECT_LT(figures.interpreted, figures.instructions / 2);
}

// A loop of three, of which the second has so many operations: the bytes of its code.
std::size_t code_bytes_with(std::size_t operations) {
    const auto isa = program_isa();
    std::string many = "b0():\n  %1: i32 = get r #0\n";
    for (std::size_t i = 2; i + 1 < operations; ++i)
        many += fmt::format("  %{}: i32 = {} %{}, {:#x}:i32\n", i, i % 2 == 0 ? "mul" : "bit_xor", i - 1, 2 * i + 1);
    many += fmt::format("  put r #0 %{}\n  leave 0x8:i32\n", operations - 2);
    std::vector<ir::Graph> graphs;
    for (const std::string& text :
         {std::string("b0():\n  leave 0x4:i32\n"), many, std::string("b0():\n  leave 0x0:i32\n")}) {
        std::string error;
        auto graph = ir::parse(text, *isa, error);
        EXPECT_TRUE(graph) << error;
        if (graph) graphs.push_back(std::move(*graph));
    }
    ProgramMachine machine(isa, graphs);
    const machine::CodeRegion region = machine.region({0, 1, 2}, {0});
    EXPECT_EQ(region.units[1].operations(), operations);
    const auto compiled = machine.compiler().compile(region);
    return compiled != nullptr ? compiled->code_bytes : 0;
}

// Above the limit the interpreter is called for it.
TEST(Programs, InstructionsOfMoreOperationsThanTheLimitAreNotCompiled) {
    const std::size_t small = code_bytes_with(10), most = code_bytes_with(machine::most_operations_of_unit),
                      more = code_bytes_with(machine::most_operations_of_unit + 1);
    ASSERT_GT(small, 0u);
    EXPECT_GT(most, small + machine::most_operations_of_unit);
    EXPECT_LT(more, small + machine::most_operations_of_unit / 2);
    EXPECT_GT(more, 0u);
}

// Every way to do a program.
TEST(Programs, EveryEngine) {
    const auto isa = program_isa();
    Engines engines(isa);
    for (std::uint64_t seed = 1; seed <= 72; ++seed) {
        RandomProgram program(*isa, ir::Choices(seed), scope_of_engines(*isa));
        const std::string wrong = engines.run(program.make(1 + seed % 4), seed);
        ASSERT_EQ(wrong, "") << "seed " << seed;
    }
    fmt::print("{} of {} instructions compiled, {} executed\n", engines.compiled, engines.units, engines.instructions);
    EXPECT_GT(engines.compiled, engines.units / 4 * 3);
}

std::vector<ir::Graph> graphs_of(const Isa& isa, const std::vector<std::string>& texts) {
    std::vector<ir::Graph> graphs;
    for (const std::string& text : texts) {
        std::string error;
        auto graph = ir::parse(text, isa, error);
        if (!graph) throw std::runtime_error(error);
        graphs.push_back(std::move(*graph));
    }
    return graphs;
}

// Compiled, and by the model.
void run_compiled(const std::shared_ptr<const Isa>& isa, const std::vector<std::string>& texts) {
    const std::vector<ir::Graph> graphs = graphs_of(*isa, texts), none;
    ProgramMachine owner(isa, none);
    Figures figures;
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
        Pair pair(isa, graphs, seed, false);
        pair.compile(owner.compiler(), figures);
        ASSERT_TRUE(pair.run(owner.compiler(), figures)) << "seed " << seed;
    }
    EXPECT_GT(figures.compiled, figures.units / 2);
}

// The second one picks a lane of what the first one has written.
TEST(Programs, ALaneIsReadWhenItHasBeenWritten) {
    run_compiled(wide_program_isa(), {R"(b0():
  %1: i32x64 = get v #1
  %2: i32x64 = add %1, 0x9:i32x64
  put v #1 %2
  leave 0x4:i32
)",
                                      R"(b0():
  %1: i32 = get v #1 first 31
  %2: i32x64 = splat %1
  put v #0 %2
  put v #1 0x77:i32 first 5
  leave 0x8:i32
)",
                                      R"(b0():
  %1: i32x64 = get v #1
  put v #2 %1
  put v #1 0x78:i32 first 6
  %2: i32x64 = get v #1
  put v #3 %2
  leave 0x0:i32
)"});
}

TEST(Programs, LanesAreWrittenBeforeARegisterIsMissing) {
    run_compiled(wide_program_isa(), {R"(b0():
  %1: i64 = get w #1
  %2: m64 = spread %1
  put v #0 0x29:i32x64 if %2
  %3: i8 = get r #1
  put_at r %3, 0x38:i32
  %4: i32x64 = get v #0
  %5: i32x64 = add %4, 0x1:i32x64
  put v #0 %5 if %2
  leave 0x0:i32
)"});
}

// LLVM 19 does not come to an end with the exclusive or of two masks that are used elsewhere, too, unless it gets it in other words.
TEST(Programs, TwoMasksDiffer) {
    run_compiled(wide_program_isa(), {R"(b0():
  %1: i64 = get w #1
  %2: i64 = get w #2
  %3: m64 = spread %1
  %4: m64 = spread %2
  %5: m64 = bit_xor %3, %4
  %6: i32x64 = get v #1
  %7: i32x64 = get v #2
  %8: i32x64 = select %5, %7, 0x1:i32x64
  %9: i32x64 = mul %8, %6
  %10: i32x64 = select %3, 0x5:i32x64, 0x7:i32x64
  %11: i32x64 = select %4, %10, %6
  put v #0 %9
  put v #3 %11
  leave 0x0:i32
)"});
}

// What both ways give has to be there on either: the second one is taken.
TEST(Programs, BothWaysOfABranchGiveTheSameLanes) {
    const auto isa = program_isa();
    const std::vector<ir::Graph> graphs = graphs_of(*isa, {R"(b0():
  %1: i32 = get r #1
  %2: i32x8 = splat %1
  put v #0 0x1234:i32x8
  put v #1 %2
  leave 0x4:i32
)",
                                                           R"(b0():
  branch 0x0:i1 b1(0x7:i32x8) b2(0x7:i32x8)
b1(%1: i32x8):
  put v #1 %1
  leave 0x8:i32
b2(%2: i32x8):
  put v #2 %2
  leave 0x8:i32
)"});
    Engines engines(isa);
    EXPECT_EQ(engines.run(graphs, 1), "");
}

// The bits above it are not part of what is read.
TEST(Programs, TheLowPartOfARegisterIsReadByItsNumberToo) {
    const auto isa = program_isa();
    std::string error;
    auto graph = ir::parse(R"(b0():
  %0: i8 = get r #1
  %1: i8 = bit_and %0, 0x7:i8
  %2: i8 = get_at r %1
  %3: i32 = zero_extend %2
  put r #6 %3
  put w #0 %2 after 2
  leave 0x4:i32
)",
                           *isa, error);
    ASSERT_TRUE(graph) << error;
    Engines engines(isa);
    for (unsigned seed = 1; seed < 8; ++seed) EXPECT_EQ(engines.run({*graph, *graph, *graph}, seed), "");
}

// The first comes behind any of the others, with what they have under way: together far more than compiled code keeps.
TEST(Programs, TooMuchUnderWayIsHandedOver) {
    const auto isa = program_isa();
    std::vector<std::string> texts = {R"(b0():
  %0: i32 = get r #1
  %1: i32 = remainder_unsigned %0, 0x6:i32
  %2: i32 = mul %1, 0x4:i32
  leave %2
)"};
    for (unsigned delay = 3; delay < 13; ++delay) {
        if (delay % 2 == 1) texts.emplace_back("b0():\n");
        for (unsigned i = 0; i < 8; ++i)
            texts.back() += fmt::format("  put r #{} {:#x}:i32 after {}\n", i, 100 * delay + i, delay);
        for (unsigned i = 0; i < 4; ++i)
            texts.back() += fmt::format("  put w #{} {:#x}:i64 after {}\n", i, 200 * delay + i, delay);
        if (delay % 2 == 0) texts.back() += "  leave 0x0:i32\n";
    }
    const std::vector<ir::Graph> graphs = graphs_of(*isa, texts);
    Engines engines(isa);
    for (unsigned seed = 1; seed < 10; ++seed) EXPECT_EQ(engines.run(graphs, seed), "");
    EXPECT_LT(engines.compiled, engines.units);
}

// A result for some register of a file is none for a register of another one that lands at the same time: the way back is
// found outside of the region, where only the machine knows what is under way.
TEST(Programs, ResultsForAnyRegisterStayInTheirFile) {
    const auto isa = program_isa();
    const std::vector<ir::Graph> graphs = graphs_of(*isa, {R"(b0():
  put r #2 0x241987af:i32 after 3
  leave 0x4:i32
)",
                                                           R"(b0():
  branch 0x0:i1 b1() b2()
b1():
  %0: i8 = bit_and 0x5b:i8, 0x3:i8
  put_at w %0, 0x0:i64 after 4
  leave 0x0:i32
b2():
  %1: i32 = remainder_unsigned 0x0:i32, 0x2:i32
  leave %1
)"});
    Engines engines(isa);
    for (unsigned seed = 1070; seed < 1080; ++seed) EXPECT_EQ(engines.run(graphs, seed), "");
}

}  // namespace
}  // namespace isaforge::jit

// What passes make of graphs: by examples, and that random graphs do the same before and after each.
#include "ir/passes/passes.hpp"

#include <gtest/gtest.h>

#include "effort.hpp"
#include "ir/bench_isa.hpp"
#include "ir/model.hpp"
#include "ir/random_graph.hpp"
#include "ir/text.hpp"
#include "ir/verify.hpp"

namespace isaforge::ir {
namespace {

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

Graph graph_of(std::string_view text) {
    std::string error;
    auto graph = parse(text, bench_isa(), error);
    EXPECT_TRUE(graph) << error << "\n" << text;
    if (!graph) return {};
    EXPECT_EQ(joined(verify(*graph, bench_isa())), "") << text;
    return std::move(*graph);
}

// As text, values numbered from 0 on in the order of the text.
std::string plain(const Graph& graph) {
    const std::string text = to_text(graph, bench_isa());
    std::map<std::string, std::string> names;
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] != '%') {
            out += text[i++];
            continue;
        }
        std::size_t end = i + 1;
        while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
        out += names.try_emplace(text.substr(i, end - i), "%" + std::to_string(names.size())).first->second;
        i = end;
    }
    return out;
}

std::string optimised(std::string_view text) {
    Graph graph = graph_of(text);
    optimise(graph);
    EXPECT_EQ(joined(verify(graph, bench_isa())), "");
    return plain(graph);
}

TEST(Passes, HalvesOfAPairAreThePairsOwn) {
    EXPECT_EQ(optimised(R"(b0():
  %1: i32 = get r #1
  %2: i32 = get r #2
  %3: i64 = zero_extend %1
  %4: i64 = zero_extend %2
  %5: i64 = shift_left %4, 0x20:i64
  %6: i64 = bit_or %5, %3
  %7: i32 = truncate %6
  %8: i64 = shift_right %6, 0x20:i64
  %9: i32 = truncate %8
  put r #3 %7
  put r #4 %9
  skip
)"),
              R"(b0():
  %0: i32 = get r #0x1
  %1: i32 = get r #0x2
  put r #0x3 %0
  put r #0x4 %1
  skip
)");
}

TEST(Passes, AValueBesideItselfIsRotated) {
    EXPECT_EQ(optimised(R"(b0():
  %1: i32 = get r #1
  %3: i64 = zero_extend %1
  %5: i64 = shift_left %3, 0x20:i64
  %6: i64 = bit_or %5, %3
  %8: i64 = shift_right %6, 0x7:i64
  %9: i32 = truncate %8
  put r #3 %9
  skip
)"),
              R"(b0():
  %0: i32 = get r #0x1
  %1: i32 = rotate_left %0, 0x19:i32
  put r #0x3 %1
  skip
)");
}

// The first sum is read only where the mask holds, so that it need not be put together with what the others have.
constexpr const char* under_a_mask = R"(b0(%0: i8):
  %1: m8 = spread %0
  %2: i32x8 = get v #0
  %3: i32x8 = add %2, 0x1:i32x8
  put v #1 %3 if %1
  %4: i32x8 = get v #1
  %5: i32x8 = add %4, 0x5:i32x8
)";

TEST(Passes, WhatAMaskHidesIsNotReadAgain) {
    EXPECT_EQ(optimised(std::string(under_a_mask) + "  put v #1 %5 if %1\n  skip\n"), R"(b0(%0: i8):
  %1: m8 = spread %0
  %2: i32x8 = get v #0x0
  %3: i32x8 = add %2, 0x6:i32x8
  put v #0x1 %3 if %1
  skip
)");
    const std::string seen = optimised(std::string(under_a_mask) + "  put v #0 %5\n  skip\n");
    EXPECT_NE(seen.find("get v #0x1"), std::string::npos) << seen;
    const std::string other = optimised(std::string(under_a_mask) + "  put v #1 %5 if full:m8\n  skip\n");
    EXPECT_NE(other.find("get v #0x1"), std::string::npos) << other;
}

TEST(Passes, MasksAreTheirBits) {
    EXPECT_EQ(optimised(R"(b0(%0: i8):
  %1: m8 = spread %0
  %2: i8 = ballot %1
  %3: m8 = spread %2
  put v #0 0x1:i32x8 if %3
  leave %2
)"),
              R"(b0(%0: i8):
  %1: m8 = spread %0
  put v #0x0 0x1:i32x8 if %1
  leave %0
)");
}

TEST(Passes, ConstantsAreComputed) {
    EXPECT_EQ(optimised(R"(b0():
  %1: i5 = add 0x1f:i5, 0x2:i5
  %2: i32 = zero_extend %1
  %3: i32 = shift_left %2, 0x4:i32
  put r #0x0 %3
  leave 0x0:i32
)"),
              R"(b0():
  put r #0x0 0x10:i32
  leave 0x0:i32
)");
}

TEST(Passes, AKnownOperandChoosesAWay) {
    EXPECT_EQ(optimised(R"(b0():
  %1: i1 = less_signed 0xff:i8, 0x0:i8
  branch %1 b1(0x5:i32) b2()
b1(%2: i32):
  put r #0x1 %2
  jump b2()
b2():
  leave 0x4:i32
)"),
              R"(b0():
  put r #0x1 0x5:i32
  leave 0x4:i32
)");
}

TEST(Passes, FullAndEmptyMasks) {
    EXPECT_EQ(optimised(R"(b0():
  %1: m8 = spread 0xff:i8
  %2: m8 = bit_not %1
  %3: i32x8 = get v #0x0
  put v #0x1 %3 if %1
  put v #0x2 %3 if %2
  leave 0x0:i32
)"),
              R"(b0():
  %0: i32x8 = get v #0x0
  put v #0x1 %0
  leave 0x0:i32
)");
}

TEST(Passes, RegistersAreReadOnceAndWrittenOnce) {
    EXPECT_EQ(optimised(R"(b0():
  %1: i32 = get r #0x1
  %2: i32 = add %1, 0x1:i32
  put r #0x1 %2
  put flags #0x0 0x1:i8
  %3: i32 = get r #0x1
  %4: i32 = add %3, 0x2:i32
  put r #0x1 %4
  put flags #0x0 0x0:i8
  leave 0x8:i32
)"),
              R"(b0():
  %0: i32 = get r #0x1
  %1: i32 = add %0, 0x3:i32
  put r #0x1 %1
  put flags #0x0 0x0:i8
  leave 0x8:i32
)");
}

// Whoever looks when a load fails sees what was written before.
TEST(Passes, WritesBeforeAnAccessStay) {
    const char* const text = R"(b0(%0: i32):
  put r #0x1 0x1:i32
  %1: i32 = load mem %0
  put r #0x1 %1
  leave 0x8:i32
)";
    EXPECT_EQ(optimised(text), text);
}

TEST(Passes, TheSameIsComputedOnce) {
    EXPECT_EQ(optimised(R"(b0(%0: i32, %1: i1):
  %2: i32 = mul %0, %0
  branch %1 b1() b2()
b1():
  %3: i32 = mul %0, %0
  put r #0x0 %3
  leave %2
b2():
  leave %2
)"),
              R"(b0(%0: i32, %1: i1):
  %2: i32 = mul %0, %0
  branch %1 b1() b2()
b1():
  put r #0x0 %2
  leave %2
b2():
  leave %2
)");
}

TEST(Passes, ALoopKeepsOnlyWhatChanges) {
    EXPECT_EQ(optimised(R"(b0(%0: i32):
  jump b1(%0, 0x0:i32, %0)
b1(%1: i32, %2: i32, %3: i32):
  %4: i32 = sub %1, 0x1:i32
  %5: i32 = add %2, %3
  %6: i1 = not_equal %4, 0x0:i32
  branch %6 b1(%4, %5, %3) b2()
b2():
  leave %4
)"),
              R"(b0(%0: i32):
  jump b1(%0)
b1(%1: i32):
  %2: i32 = sub %1, 0x1:i32
  %3: i1 = not_equal %2, 0x0:i32
  branch %3 b1(%2) b2()
b2():
  leave %2
)");
}

// There may be no register of that number: whoever looks at the fault sees what was written before.
TEST(Passes, WhatIsWrittenBeforeAComputedNumberStays) {
    const std::string text = R"(b0():
  %0: i32 = get r #0x1
  put r #0x2 %0
  %1: i32 = get_at r %0
  put r #0x2 %1
  leave %1
)";
    EXPECT_EQ(optimised(text), text);
}

// ---------------------------------------------------------------------------------------------------------------------

struct Pass {
    const char* name;
    bool (*run)(Graph&);
};

const Pass all_passes[] = {
    {"fold", fold},
    {"share", share},
    {"forward", forward_registers},
    {"masked", forward_masked},
    {"dead writes", drop_dead_writes},
    {"unused", drop_unused},
    {"all",
     [](Graph& graph) {
         optimise(graph);
         return true;
     }},
};

constexpr std::size_t most_steps = 400;

std::string trace_of(const Graph& graph, std::uint64_t seed, bool& ends) {
    Model model(graph, bench_isa(), seed);
    ends = model.run({seed, seed * 77777777777, 3}, most_steps);
    return model.trace;
}

TEST(Passes, RandomGraphsDoTheSameAfterEach) {
    const unsigned count = test::times_effort(3'000);
    unsigned compared = 0, changes[std::size(all_passes)] = {};
    for (std::uint64_t seed = 0; seed < count; ++seed) {
        const Graph before = RandomGraph(bench_isa(), seed).make();
        ASSERT_EQ(joined(verify(before, bench_isa())), "") << "seed " << seed << "\n" << to_text(before, bench_isa());
        bool ends = false;
        const std::string expected = trace_of(before, seed, ends);
        if (!ends) continue;
        ++compared;
        for (std::size_t i = 0; i < std::size(all_passes); ++i) {
            Graph after = before;
            changes[i] += all_passes[i].run(after) ? 1 : 0;
            const std::string described = std::string(all_passes[i].name) + ", seed " + std::to_string(seed) + "\n" +
                                          to_text(before, bench_isa()) + "becomes\n" + to_text(after, bench_isa());
            ASSERT_EQ(joined(verify(after, bench_isa())), "") << described;
            bool still_ends = false;
            ASSERT_EQ(trace_of(after, seed, still_ends), expected) << described;
            ASSERT_TRUE(still_ends) << described;
        }
    }
    EXPECT_GT(compared, count / 2);
    for (std::size_t i = 0; i < std::size(all_passes); ++i)
        EXPECT_GT(changes[i], count / 100) << all_passes[i].name << " hardly ever had something to do";
}

}  // namespace
}  // namespace isaforge::ir

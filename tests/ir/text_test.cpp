// The text form, both ways, and what is said of text that is no graph.
#include "ir/text.hpp"

#include <gtest/gtest.h>

#include <regex>

#include "ir/bench_isa.hpp"
#include "ir/random_graph.hpp"
#include "ir/verify.hpp"

namespace isaforge::ir {
namespace {

std::string error_of(std::string_view text) {
    std::string error;
    EXPECT_FALSE(parse(text, bench_isa(), error)) << text;
    return error;
}

TEST(Text, EveryKindOfOperation) {
    const std::string text = R"(b0(%0: i5, %1: i32x8):
  at #0x40
  %2: i32 = get r #0x3
  %3: i32 = get_at r %0
  %4: f32 = cast %2
  %5: f32 = fadd up flush canonical %4, 0x3f800000:f32
  %6: f32 = fmul by quick %5, %5
  %15: i5 = fdiv nearest_away flush raised_by 32 %5, %6
  %7: m8 = less_signed %1, 0x0:i32x8
  %8: i32x8 = load mem %1 if %7
  store lds %1, %8 if full:m8
  %9: i32 = update mem f0 %2, %3, %3
  put r #0x4 %9 after 2
  put v #0x1 %8 if %7
  put_pc %2 after 1
  put_mode quick 0x1:i1
  count_cycles %2
  signal "a \"quoted\" name"
  %10: i32*2 = join %2, %3
  %11: i32 = item #0x1 %10
  %12: i1 = equal %11, %2
  branch %12 b1(%11, empty:m8) b2()
b1(%13: i32, %14: m8):
  leave %13
b2():
  fail "no" %2
f0(%0: i32, %1: i32, %2: i32):
  %3: i32 = add %0, %1
  give %3
)";
    std::string error;
    const auto graph = parse(text, bench_isa(), error);
    ASSERT_TRUE(graph) << error;
    for (const std::string& problem : verify(*graph, bench_isa())) ADD_FAILURE() << problem;
    const std::string again = to_text(*graph, bench_isa());
    const auto twice = parse(again, bench_isa(), error);
    ASSERT_TRUE(twice) << error << again;
    // But for the values' numbers it is the same.
    const auto without_numbers = [](const std::string& given) {
        return std::regex_replace(given, std::regex("%[0-9]+"), "%");
    };
    EXPECT_EQ(without_numbers(again), without_numbers(text));
}

TEST(Text, RandomGraphsReadBack) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const Graph graph = RandomGraph(bench_isa(), seed).make();
        const std::string text = to_text(graph, bench_isa());
        std::string error;
        const auto read = parse(text, bench_isa(), error);
        ASSERT_TRUE(read) << error << "\n" << text;
        const std::string again = to_text(*read, bench_isa());
        const auto twice = parse(again, bench_isa(), error);
        ASSERT_TRUE(twice) << error;
        const auto problems = verify(*read, bench_isa());
        ASSERT_TRUE(problems.empty()) << problems[0] << "\n" << text;
        ASSERT_EQ(to_text(*twice, bench_isa()).size(), again.size());
    }
}

TEST(Text, ErrorsNameTheLineAndWhatIsExpected) {
    EXPECT_EQ(error_of("  put r #0 1:i32\n"), "line 1: expected a block");
    EXPECT_EQ(error_of("b0():\n  put x #0 1:i32\n"), "line 2: expected a name of the instruction set");
    EXPECT_EQ(error_of("b0():\n  %1: i32 = sum 1:i32, 2:i32\n"), "line 2: expected an operation that gives a value");
    EXPECT_EQ(error_of("b0():\n  leave %1\n"), "line 2: %1 has no definition");
    EXPECT_EQ(error_of("b0():\n  leave 0:i65\n"), "line 2: expected a type");
    EXPECT_EQ(error_of("b0():\n  leave 256:i8\n"), "line 2: expected a number that fits the type");
    EXPECT_EQ(error_of("b0():\n  %1: i8 = get flags #0\n  %1: i8 = get flags #0\n"),
              "line 3: this value is defined already");
    EXPECT_EQ(error_of("b0():\n  stop\n"), "line 3: expected an end of the last block");
    EXPECT_EQ(error_of("b0():\n  skip\n  stop\n"), "line 3: expected a block, for this one has its end");
}

}  // namespace
}  // namespace isaforge::ir

// Every way in which a graph can be none is found.
#include "ir/verify.hpp"

#include <gtest/gtest.h>

#include "ir/bench_isa.hpp"
#include "ir/text.hpp"

namespace isaforge::ir {
namespace {

struct Case {
    const char* text;
    const char* problem;
};

TEST(Verify, WhatIsWrongIsSaid) {
    const Case cases[] = {
        {"b0():\n  %1: i32 = add 1:i32, 2:i8\n  leave %1\n", "i8 does not fit T"},
        {"b0():\n  %1: i32 = equal 1:i32, 2:i32\n  leave %1\n", "i32 does not fit B"},
        {"b0():\n  %1: m8 = equal 1:i32, 2:i32\n  skip\n", "i32 does not fit L"},
        {"b0():\n  %1: i32 = select full:m8, 1:i32, 2:i32\n  leave %1\n", "i32 does not fit A"},
        {"b0():\n  %1: i64x8 = float_to_u64 1:f32\n  skip\n", "f32 does not fit F"},
        {"b0():\n  %1: i8 = truncate 1:i8\n  leave %1\n", "the types do not follow `T:U<`"},
        {"b0():\n  %1: i64 = cast 1:f32\n  leave %1\n", "the types do not follow `P:P=`"},
        {"b0():\n  %1: f32 = fadd 1:f32, 1:i32\n  skip\n", "i32 does not fit F"},
        {"b0():\n  %1: f32 = fscale 1:f32, 1:i16\n  skip\n", "i16 does not fit N"},
        {"b0():\n  %1: m8 = spread 1:i9\n  skip\n", "the types do not follow `M:s|`"},
        {"b0():\n  %1: i32x8 = splat 1:i16\n  skip\n", "the types do not follow `A:e`"},
        {"b0():\n  %1: i32*2 = join 1:i32, 1:i16\n  skip\n", "the types do not follow `A:PP*`"},
        {"b0():\n  %1: i32 = item #2 0:i32*2\n  skip\n", "the types do not follow `e:A*`"},
        {"b0():\n  put r #8 1:i32\n  skip\n", "there is no such register"},
        {"b0():\n  put r #7 0:i32*2\n  skip\n", "there is no such register"},
        {"b0():\n  put r #18446744073709551615 1:i32\n  skip\n", "there is no such register"},
        {"b0():\n  %1: i32x4 = take #5 0:i32x8\n  skip\n", "the types do not follow `P:P^`"},
        {"b0():\n  %1: i32x4 = take #18446744073709551614 0:i32x8\n  skip\n", "the types do not follow `P:P^`"},
        {"b0():\n  put r #1 1:i33\n  skip\n", "the register has fewer bits"},
        {"b0():\n  put v #1 0:i32x8 first 1\n  skip\n", "the register has fewer bits"},
        {"b0():\n  put v #1 0:i32x8 after 1\n  skip\n", "only one lane can land later"},
        {"b0():\n  put v #1 0:i32x8 if 1:i1\n  skip\n", "the mask is not of its lanes"},
        {"b0():\n  %1: i8 = load mem 0:i32x8\n  skip\n", "there are not as many addresses as lanes"},
        {"b0():\n  %1: i8 = update mem f0 0:i32, 1:i8, 1:i8\n  skip\n", "memory is not updated so"},
        {"b0():\n  %1: i8 = update mem f0 0:i32, 1:i8, 1:i8\n  skip\nf0(%1: i8):\n  give %1\n",
         "memory is not updated so"},
        {"b0():\n  %1: i8 = update mem f0 0:i32, 1:i8, 1:i16\n  skip\nf0(%1: i8, %2: i8, %3: i8):\n  give %1\n",
         "differ in type"},
        {"b0():\n  skip\nf0(%1: i8):\n  %2: i8 = load mem 0:i32\n  give %2\n", "one block of pure operations"},
        {"b0():\n  skip\nf0(%1: i8):\n  skip\n", "one block of pure operations"},
        {"b0():\n  give 1:i8\n", "only functions give a value"},
        {"b0():\n  branch 1:i8 b1() b1()\nb1():\n  skip\n", "i8 does not fit b"},
        {"b0():\n  jump b1()\nb1(%1: i8):\n  skip\n", "b1 takes 1 values, not 0"},
        {"b0():\n  jump b1(1:i16)\nb1(%1: i8):\n  skip\n", "b1 takes i8 where it gets i16"},
        {"b0():\n  jump b0()\n", "it leads to no block"},
        {"b0():\n  jump b7()\n", "it leads to no block"},
        {"b0():\n  jump b1() b1()\nb1():\n  skip\n", "it leads to 2 blocks, not 1"},
        {"b0():\n  put r #0 %1\n  %1: i32 = get r #1\n  skip\n", "%0 is not assigned on every path here"},
        {"b0(%9: i1):\n  branch %9 b1() b2()\nb1():\n  %1: i32 = get r #1\n  jump b2()\nb2():\n  leave %1\n",
         "is not assigned on every path here"},
    };
    for (const Case& each : cases) {
        std::string error;
        const auto graph = parse(each.text, bench_isa(), error);
        ASSERT_TRUE(graph) << error << "\n" << each.text;
        const auto problems = verify(*graph, bench_isa());
        ASSERT_FALSE(problems.empty()) << each.text;
        EXPECT_NE(problems[0].find(each.problem), std::string::npos) << each.text << problems[0];
    }
}

// What text cannot say.
TEST(Verify, GraphsThatWereNotParsed) {
    Graph graph;
    EXPECT_EQ(verify(graph, bench_isa()), std::vector<std::string>{"there is no block"});
    graph.blocks.push_back({.end = {.op = Op::leave}});
    EXPECT_EQ(verify(graph, bench_isa())[0], "b0: `leave`: an operand is missing");
    graph.blocks[0].end = {.op = Op::stop};
    EXPECT_EQ(verify(graph, bench_isa())[0], "b0: the block has no end");
    const Value value = graph.new_value(Type::integer(32));
    graph.blocks[0].end = {.op = Op::skip};
    graph.blocks[0].body = {{.op = Op::hart_number, .result = value}, {.op = Op::hart_number, .result = value}};
    EXPECT_EQ(verify(graph, bench_isa())[0], "b0: %0 is assigned twice");
    graph.blocks[0].body = {{.op = Op::hart_number, .result = graph.constant(Type::integer(32), 1)}};
    EXPECT_EQ(verify(graph, bench_isa())[0], "b0: %1 is a constant");
}

}  // namespace
}  // namespace isaforge::ir

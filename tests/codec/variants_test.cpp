// Variants that are of others: what is in each of them.
#include <gtest/gtest.h>

#include <set>

#include "isaforge/isa.hpp"

namespace isaforge {
namespace {

constexpr const char* description = R"(isa sample "Sample"
code unit 16 little
variants one "One" two "Two"
variants two_b of two "Two, later"  two_c of two_b
constant HAS_MORE = 0 only one two before two_b
constant HAS_MORE = 1 only two_b
registers r : 4 of u16 "r{n}"
format RR | OP:8 | D:r | S:r |
instructions RR [OP by variant] "{name} {D}, {S}" {
    1 1  add   D = D + S
    - 2  mul   D = D * S  only two
    - 3  mulh  D = mul_high_unsigned(D, S)  only two_b
    - 4  div   D = D / S  before two_b
    - 4  udiv  D = D / S  only two_b before two_c
    - 5  more  D = HAS_MORE + S
}
)";

std::set<std::string> names(const std::string& variant, bool meanings = true) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa =
        load_isa_text("sample.isa", description, sources, diagnostics, {.variant = variant, .meanings = meanings});
    EXPECT_TRUE(isa) << to_text(diagnostics, sources);
    std::set<std::string> found;
    if (!isa) return found;
    EXPECT_EQ(isa->variant, variant);
    for (const Form& form : isa->forms) {
        const Instruction& instruction = isa->instruction_of(form);
        EXPECT_EQ(instruction.meaning != nullptr, meanings);
        found.insert(instruction.names[0]);
    }
    return found;
}

using Names = std::set<std::string>;

TEST(Variants, HaveWhatTheOnesHaveThatTheyAreOf) {
    EXPECT_EQ(names("one"), (Names{"add"}));
    EXPECT_EQ(names("two"), (Names{"add", "mul", "div", "more"}));
    EXPECT_EQ(names("two_b"), (Names{"add", "mul", "mulh", "udiv", "more"}));
    EXPECT_EQ(names("two_c"), (Names{"add", "mul", "mulh", "more"}));
}

TEST(Variants, AreTheSameWithoutMeanings) { EXPECT_EQ(names("two_b", false), names("two_b")); }

TEST(Variants, SayWhichTheyAreOf) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa_text("sample.isa", description, sources, diagnostics, {.variant = "two_c"});
    ASSERT_TRUE(isa) << to_text(diagnostics, sources);
    EXPECT_EQ(isa->lineage, (std::vector<std::string>{"two_c", "two_b", "two"}));
    EXPECT_EQ(isa->constants.at("HAS_MORE"), 1);
    const auto base = load_isa_text("sample.isa", description, sources, diagnostics, {.variant = "two"});
    EXPECT_TRUE(base->is_refined_by("two_c"));
    EXPECT_FALSE(base->is_refined_by("one"));
    EXPECT_FALSE(isa->is_refined_by("two"));
}

}  // namespace
}  // namespace isaforge

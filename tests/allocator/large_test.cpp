// A problem of the size of a large machine.
#include <gtest/gtest.h>

#include <set>

#include "allocator/large_space.hpp"
#include "allocator/problem.hpp"

namespace isaforge::allocator {
namespace {

TEST(Large, TwoThousandRowsInTwentyFormats) {
    const Problem problem = large_problem();
    ASSERT_EQ(problem.items.size(), 2000u);
    const Outcome outcome = solve(problem);
    ASSERT_EQ(outcome.answer, Answer::yes);
    // No two rows share a word: blocks and codes sorted by their words, each must end before the next begins.
    std::set<std::pair<Bits, Bits>> seen;
    for (std::size_t i = 0; i < problem.items.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            const Bits mask = problem.items[i].chosen & problem.items[k].chosen;
            ASSERT_NE((outcome.assignment[i] ^ outcome.assignment[k]) & mask, 0u) << i << " and " << k;
        }
        for (const FixedRow& row : problem.fixed) {
            ASSERT_NE((outcome.assignment[i] ^ row.shape.constants.value) & problem.items[i].chosen &
                          row.shape.constants.mask, 0u);
        }
    }
    ASSERT_TRUE(outcome.in_order && outcome.first_fit);
    EXPECT_LT(outcome.ours.cost(), outcome.in_order->cost());
    EXPECT_LT(outcome.ours.cost(), outcome.first_fit->cost());
    const auto show = [&](const char* name, const Figures& f) {
        RecordProperty(name, std::to_string(f.length.bits) + " " + std::to_string(f.length.terms) + " " +
                                 std::to_string(f.format.bits) + " " + std::to_string(f.format.terms) + " " +
                                 std::to_string(f.apart));
    };
    show("ours", outcome.ours);
    show("in_order", *outcome.in_order);
    show("first_fit", *outcome.first_fit);
}

}  // namespace
}  // namespace isaforge::allocator

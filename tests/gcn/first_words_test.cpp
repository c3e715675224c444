// A sample of the words that the sweep tries all of.
#include <gtest/gtest.h>

#include "gcn/first_words.hpp"

namespace isaforge::test {
namespace {

class Generation : public testing::TestWithParam<const char*> {};

TEST_P(Generation, WordsComeBack) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa(GetParam(), sources, diagnostics);
    ASSERT_TRUE(isa) << to_text(diagnostics, sources);
    const Codec codec(isa);
    FirstWords words(codec);
    constexpr std::uint32_t count = 300000;
    for (std::uint32_t i = 0; i < count; ++i) words.check(i * 2654435761u);
    EXPECT_EQ(words.counts().failed, 0u) << words.failures();
    EXPECT_GT(words.counts().returned, count / 3);
}

INSTANTIATE_TEST_SUITE_P(All, Generation, testing::Values("gcn1.0", "gcn1.1", "gcn1.2", "gcn1.4"),
                         [](const auto& which) { return "gcn1_" + std::string(1, which.param[5]); });

}  // namespace
}  // namespace isaforge::test

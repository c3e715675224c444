// The candidate that was meant: against the definition of the distance, a table of all begins of both words.
#include <gtest/gtest.h>

#include <random>

#include "isaforge/diagnostics.hpp"

namespace isaforge {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            table[i][j] =
                std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
        }
    }
    return table[a.size()][b.size()];
}

// The first of the nearest ones that is less than a third of the word away, and not all of itself.
std::string_view expected(std::string_view word, const std::vector<std::string_view>& candidates) {
    std::size_t best = word.size() < 4 ? 2 : word.size() / 3 + 1;
    std::string_view found;
    for (const std::string_view candidate : candidates) {
        const std::size_t far = distance(word, candidate);
        if (far < best && far < candidate.size()) best = far, found = candidate;
    }
    return found;
}

TEST(Nearest, SaysWhatWasMeant) {
    EXPECT_EQ(nearest("ad", {"sub", "add", "and"}), "add");
    EXPECT_EQ(nearest("lodaw", {"load", "loadw"}), "loadw");  // two letters that are swapped are one mistake
    EXPECT_EQ(nearest("frobnicate", {"add", "sub"}), "");
    EXPECT_EQ(nearest("", {"a"}), "");
    EXPECT_EQ(nearest(std::string(1000, 'a'), {std::string_view("a")}), "");
}

TEST(Nearest, IsTheOneWithTheLeastDistance) {
    std::mt19937 random(1);
    const auto word = [&] {
        std::string text(random() % 12, 'a');
        for (char& c : text) c = static_cast<char>('a' + random() % 3);
        return text;
    };
    unsigned found = 0;
    for (unsigned round = 0; round < 2000; ++round) {
        std::vector<std::string> words(10);
        for (std::string& each : words) each = word();
        const std::vector<std::string_view> candidates(words.begin(), words.end());
        const std::string asked = word();
        EXPECT_EQ(nearest(asked, candidates), expected(asked, candidates)) << asked;
        found += !expected(asked, candidates).empty();
    }
    EXPECT_GT(found, 400u);
}

}  // namespace
}  // namespace isaforge

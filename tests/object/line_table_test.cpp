#include "isaforge/line_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <tuple>

using namespace isaforge;

namespace {

std::vector<LineEntry> entries_of(const LineTable& table) { return {table.begin(), table.end()}; }

// Steps as programs have them, and now and then any.
std::vector<LineEntry> random_entries(std::mt19937_64& random, std::size_t count) {
    std::vector<LineEntry> out;
    LineEntry entry{0, 0, 0, 1};
    const auto one_in = [&](unsigned n) { return random() % n == 0; };
    while (out.size() < count) {
        entry.offset = one_in(50) ? random() >> random() % 64 : entry.offset + random() % 20;
        entry.line = one_in(50) ? static_cast<std::uint32_t>(random() >> random() % 64)
                                : entry.line + static_cast<std::uint32_t>(random() % 12) - 3;
        if (one_in(20)) entry.section = static_cast<Index>(random() % 300);
        if (one_in(20)) entry.file = static_cast<Index>(random() % 3);
        out.push_back(entry);
    }
    return out;
}

}  // namespace

TEST(LineTable, GivesBackWhatWasAdded) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 200; ++i) {
        const std::vector<LineEntry> entries = random_entries(random, i);
        const LineTable table(entries);
        EXPECT_EQ(table.size(), entries.size());
        EXPECT_EQ(table.empty(), entries.empty());
        ASSERT_EQ(entries_of(table), entries);
    }
}

TEST(LineTable, HoldsWhatIsFarAway) {
    constexpr std::uint32_t last_line = std::numeric_limits<std::uint32_t>::max();
    constexpr std::uint64_t last_offset = std::numeric_limits<std::uint64_t>::max();
    const std::vector<LineEntry> entries = {{no_index, no_index, last_offset, last_line},
                                            {0, 0, 0, 0},
                                            {0, 0, 14, 5},
                                            {0, 0, 29, 11},
                                            {0, 0, 28, 10},
                                            {0, 0, 28, last_line},
                                            {0, 0, 28, 0}};
    EXPECT_EQ(entries_of(LineTable(entries)), entries);
}

TEST(LineTable, SortsAsTheEntriesAre) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 200; ++i) {
        std::vector<LineEntry> entries = random_entries(random, i);
        LineTable table(entries);
        table.sort();
        std::ranges::stable_sort(
            entries, {}, [](const LineEntry& one) { return std::tuple(one.section, one.offset, one.line != 0); });
        ASSERT_EQ(entries_of(table), entries);
    }
}

TEST(LineTable, CanBeFilledAgain) {
    LineTable table({{{1, 2, 3, 4}}});
    table.clear();
    EXPECT_TRUE(table.empty());
    EXPECT_EQ(table.begin(), table.end());
    table.add({5, 6, 7, 8});
    EXPECT_EQ(entries_of(table), (std::vector<LineEntry>{{5, 6, 7, 8}}));
}

// The minimiser against truth tables, and its sizes against the exact minimum.
#include "allocator/cover.hpp"
#include "allocator/large_space.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace isaforge::allocator {
namespace {

// A function by its table: for each word, whether it is wanted, and whether it is allowed.
struct Table {
    unsigned inputs = 0;
    std::vector<bool> wanted, allowed;
};

Table random_table(unsigned inputs, std::mt19937& random) {
    Table table{inputs, std::vector<bool>(1u << inputs), std::vector<bool>(1u << inputs)};
    const unsigned ones = 1 + random() % 8, free = random() % 8;
    for (unsigned i = 0; i < 1u << inputs; ++i) {
        table.wanted[i] = random() % 9 < ones;
        table.allowed[i] = table.wanted[i] || random() % 9 < free;
    }
    return table;
}

Bdd::Ref set_of(Bdd& bdd, unsigned inputs, const std::vector<bool>& members) {
    Bdd::Ref set = Bdd::none;
    for (unsigned i = 0; i < members.size(); ++i) {
        if (members[i]) set = bdd.either(set, bdd.range(inputs, i, i));
    }
    return set;
}

bool holds(const Cube& cube, unsigned inputs, unsigned word) {
    return ((Bits{word} << (64 - inputs) ^ cube.value) & cube.mask) == 0;
}

void expect_cover(const Table& table, const std::vector<Cube>& cover) {
    for (unsigned word = 0; word < table.wanted.size(); ++word) {
        const bool inside =
            std::any_of(cover.begin(), cover.end(), [&](const Cube& cube) { return holds(cube, table.inputs, word); });
        ASSERT_TRUE(inside || !table.wanted[word]) << word;
        ASSERT_TRUE(!inside || table.allowed[word]) << word;
    }
}

// The smallest number of cubes: all primes, and the fewest of them that cover, found by trying.
class Exact {
public:
    explicit Exact(const Table& table) {
        for (unsigned word = 0; word < table.wanted.size(); ++word) {
            if (table.wanted[word]) wanted_ |= 1u << word;
        }
        std::vector<std::uint32_t> implicants;
        for (unsigned mask = 0; mask < 1u << table.inputs; ++mask) {
            for (unsigned value = mask;; value = (value - 1) & mask) {
                std::uint32_t words = 0;
                bool allowed = true;
                for (unsigned word = 0; word < table.wanted.size(); ++word) {
                    if ((word & mask) != value) continue;
                    words |= 1u << word;
                    allowed = allowed && table.allowed[word];
                }
                if (allowed) implicants.push_back(words);
                if (value == 0) break;
            }
        }
        for (const std::uint32_t a : implicants) {
            const bool prime = std::none_of(implicants.begin(), implicants.end(),
                                            [&](std::uint32_t b) { return a != b && (a & ~b) == 0; });
            if (prime) primes_.push_back(a);
        }
        for (best_ = 0; !cover(wanted_, best_); ++best_) {
        }
    }

    std::size_t size() const { return best_; }

private:
    bool cover(std::uint32_t left, std::size_t most) const {
        if (left == 0) return true;
        if (most == 0) return false;
        const std::uint32_t word = left & (~left + 1);
        for (const std::uint32_t prime : primes_) {
            if ((prime & word) && cover(left & ~prime, most - 1)) return true;
        }
        return false;
    }

    std::uint32_t wanted_ = 0;
    std::vector<std::uint32_t> primes_;
    std::size_t best_ = 0;
};

TEST(Cover, IsTheFunctionWhereItMatters) {
    std::mt19937 random(1);
    for (unsigned i = 0; i < 1500; ++i) {
        const Table table = random_table(1 + i % 8, random);
        Bdd bdd;
        const auto wanted = set_of(bdd, table.inputs, table.wanted), allowed = set_of(bdd, table.inputs, table.allowed);
        expect_cover(table, quick_cover(bdd, wanted, allowed));
        expect_cover(table, minimise(bdd, wanted, allowed));
        EXPECT_LE(minimise(bdd, wanted, allowed).size(), quick_cover(bdd, wanted, allowed).size());
    }
}

TEST(Cover, IsNearlyAsSmallAsCanBe) {
    std::mt19937 random(2);
    std::size_t ours = 0, exact = 0, functions = 0, not_minimal = 0;
    for (unsigned i = 0; i < 1000; ++i) {
        const Table table = random_table(2 + i % 4, random);
        Bdd bdd;
        const auto cover =
            minimise(bdd, set_of(bdd, table.inputs, table.wanted), set_of(bdd, table.inputs, table.allowed));
        const Exact best(table);
        ASSERT_LE(best.size(), cover.size());
        ASSERT_LE(cover.size(), best.size() + 2);
        ours += cover.size();
        exact += best.size();
        ++functions;
        not_minimal += cover.size() != best.size();
    }
    EXPECT_LE(ours, exact + exact / 50) << exact << " at best; " << not_minimal << " of " << functions << " functions";
}

TEST(Cover, OfNothingAndOfEverything) {
    Bdd bdd;
    EXPECT_TRUE(minimise(bdd, Bdd::none, Bdd::none).empty());
    EXPECT_TRUE(minimise(bdd, Bdd::none, Bdd::all).empty());
    EXPECT_EQ(minimise(bdd, Bdd::all, Bdd::all), std::vector<Cube>{Cube{}});
    EXPECT_EQ(minimise(bdd, bdd.range(4, 3, 9), Bdd::all), std::vector<Cube>{Cube{}});
}

TEST(Cover, OfSixteenInputsAndHundredsOfCubes) {
    Bdd bdd;
    const Bdd::Ref wanted = three_hundred_cubes(bdd);
    const auto cover = minimise(bdd, wanted, wanted);
    Bdd::Ref covered = Bdd::none;
    for (const Cube& cube : cover) covered = bdd.either(covered, bdd.cube(cube));
    EXPECT_EQ(covered, wanted);
    EXPECT_LE(cover.size(), 300u);
}

}  // namespace
}  // namespace isaforge::allocator

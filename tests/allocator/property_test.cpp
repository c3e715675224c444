// The allocator against exhaustive search, over thousands of small random problems.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "allocator/problem.hpp"
#include "allocator/small_space.hpp"
#include "effort.hpp"

namespace isaforge::allocator {
namespace {

class Generator {
public:
    explicit Generator(unsigned seed) : random_(seed) {}

    unsigned bits = 0;

    Problem problem() {
        Problem problem;
        bits = 3 + below(4);
        const unsigned formats = 1 + below(4);
        for (unsigned i = 0; i < formats; ++i) {
            problem.formats.push_back(std::string(1, static_cast<char>('A' + i)));
            kinds_.push_back(kind());
            if (i > 0 && below(3) == 0) kinds_[i] = kinds_[below(i)];
        }
        for (unsigned i = below(5) / 2; i > 0; --i) problem.pools.push_back(pool(formats));
        if (below(4) == 0) problem.reserved.push_back({random_cube(1 + below(bits)), "because"});
        for (unsigned i = below(3); i > 0; --i) problem.fixed.push_back(fixed(formats));
        unsigned rows = 1 + below(bits < 5 ? 6 : 10);
        for (unsigned table = 0; rows > 0; ++table) {
            const unsigned format = below(formats), count = 1 + below(rows);
            const unsigned aligned = below(4) == 0 ? 1u << below(4) : 1;
            for (unsigned i = 0; i < count; ++i) problem.items.push_back(item(format, table, aligned));
            rows -= count;
        }
        kinds_.clear();
        return problem;
    }

private:
    struct Kind {
        Bits chosen = 0;
        Cube constants;
        Bits length_bit = 0;  // tells two forms
    };

    unsigned below(unsigned count) { return static_cast<unsigned>(random_() % count); }

    Kind kind() {
        Kind kind;
        const unsigned width = 1 + below(bits);
        for (unsigned i = 0; i < width; ++i) {
            if (below(8) == 0) {
                kind.constants.mask |= leading_bit(i);
                if (below(2)) kind.constants.value |= leading_bit(i);
            } else {
                kind.chosen |= leading_bit(i);
            }
        }
        for (unsigned i = width + 1; i < bits; ++i) {
            if (below(3) == 0) {
                kind.chosen |= leading_bit(i);
            } else if (below(5) == 0) {
                kind.constants.mask |= leading_bit(i);
                if (below(2)) kind.constants.value |= leading_bit(i);
            } else if (below(6) == 0) {
                kind.length_bit = leading_bit(i);
            }
        }
        if (kind.chosen == 0) kind.chosen = leading_bit(0), kind.constants = {};
        return kind;
    }

    std::vector<Shape> forms(unsigned format) {
        const Kind& kind = kinds_[format];
        if (kind.length_bit == 0) return {{format, 16, kind.constants}};
        Cube other = kind.constants;
        other.mask |= kind.length_bit;
        Shape first{format, 16, other};
        other.value |= kind.length_bit;
        return {first, {format, 32, other}};
    }

    Item item(unsigned format, unsigned table, unsigned aligned) {
        return {forms(format), kinds_[format].chosen, table, aligned};
    }

    Cube random_cube(unsigned width) {
        Cube cube{leading_bits(width) & (random_() | (random_() << 32 | random_())), 0};
        cube.value = cube.mask & (random_() << 32 | random_());
        return cube;
    }

    FixedRow fixed(unsigned formats) {
        const unsigned format = below(formats);
        if (below(4) == 0) return {{format, 16, random_cube(bits)}, "odd"};
        const auto shapes = forms(format);
        Shape shape = shapes[below(static_cast<unsigned>(shapes.size()))];
        shape.constants.mask |= kinds_[format].chosen;
        shape.constants.value |= kinds_[format].chosen & (random_() << 32 | random_());
        return {shape, "row"};
    }

    PoolRange pool(unsigned formats) {
        PoolRange pool;
        pool.width = 1 + below(bits);
        const unsigned a = below(1u << pool.width), b = below(1u << pool.width);
        pool.low = std::min(a, b);
        pool.high = std::max(a, b);
        for (unsigned i = 0; i < formats; ++i) {
            if (below(2)) pool.formats.push_back(i);
        }
        return pool;
    }

    std::mt19937_64 random_;
    std::vector<Kind> kinds_;
};

Problem without_rows(Problem problem, const std::vector<std::pair<unsigned, std::uint64_t>>& rows) {
    for (auto [format, count] : rows) {
        for (std::size_t i = problem.items.size(); i-- > 0 && count != 0;) {
            if (problem.items[i].forms[0].format != format) continue;
            problem.items.erase(problem.items.begin() + static_cast<std::ptrdiff_t>(i));
            --count;
        }
    }
    return problem;
}

Problem changed(Problem problem, const Change& change) {
    switch (change.kind) {
        case Change::Kind::drop_rows: return without_rows(problem, change.rows);
        case Change::Kind::grow_pool_up: problem.pools[change.subject].high += change.amount; break;
        case Change::Kind::grow_pool_down: problem.pools[change.subject].low -= change.amount; break;
        default:
            for (Item& item : problem.items) {
                if (item.forms[0].format != change.subject) continue;
                Bits used = item.chosen;
                for (const Shape& form : item.forms) used |= form.constants.mask;
                int at = std::countl_one(used) + (change.kind == Change::Kind::extra_bit);
                while (used & leading_bit(static_cast<unsigned>(at))) ++at;
                item.chosen |= leading_bit(static_cast<unsigned>(at));
            }
    }
    return problem;
}

std::string text_of(const Problem& problem, unsigned bits) {
    const auto cube = [&](const Cube& c, Bits chosen) {
        std::string out;
        for (unsigned i = 0; i < bits; ++i) {
            const Bits bit = leading_bit(i);
            out += chosen & bit ? 'o' : !(c.mask & bit) ? 'x' : c.value & bit ? '1' : '0';
        }
        return out;
    };
    std::string out = std::to_string(bits) + " bits\n";
    for (const auto& pool : problem.pools) {
        out +=
            "pool /" + std::to_string(pool.width) + " " + std::to_string(pool.low) + ".." + std::to_string(pool.high);
        for (const unsigned format : pool.formats) out += " " + problem.formats[format];
        out += "\n";
    }
    for (const auto& words : problem.reserved) out += "reserved " + cube(words.pattern, 0) + "\n";
    for (const auto& row : problem.fixed) {
        out += "fixed " + problem.formats[row.shape.format] + " " + cube(row.shape.constants, 0) + "\n";
    }
    for (const auto& item : problem.items) {
        out += "row of " + std::to_string(item.table) + " aligned " + std::to_string(item.aligned);
        for (const auto& form : item.forms) {
            out += " " + problem.formats[form.format] + " " + cube(form.constants, item.chosen);
        }
        out += "\n";
    }
    return out;
}

// Changes that give a row bits behind the words that exhaustive search lists cannot be tried there.
bool in_reach(const Problem& problem, unsigned bits) {
    for (const Item& item : problem.items) {
        if (item.chosen & ~leading_bits(bits)) return false;
    }
    return true;
}

TEST(Property, AgreesWithExhaustiveSearch) {
    std::size_t answered = 0, yes = 0, no = 0, gave_up = 0, changes = 0, fragmented = 0, searched = 0;
    for (unsigned seed = 0; seed < test::times_effort(700); ++seed) {
        Generator generator(seed);
        const Problem problem = generator.problem();
        const unsigned bits = generator.bits;
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + text_of(problem, bits));
        const Outcome outcome = solve(problem);
        if (outcome.answer == Answer::yes) {
            ASSERT_EQ(wrong(problem, bits, outcome.assignment), "") << [&] {
                std::string words;
                for (const Bits word : outcome.assignment) {
                    for (unsigned i = 0; i < bits; ++i) words += word & leading_bit(i) ? '1' : '0';
                    words += ' ';
                }
                return words;
            }();
            ++yes;
        }
        const auto expected = possible(problem, bits);
        if (!expected) continue;
        ++answered;
        gave_up += outcome.answer == Answer::gave_up;
        if (outcome.answer == Answer::gave_up) continue;
        ASSERT_EQ(outcome.answer == Answer::yes, *expected);
        if (*expected) continue;
        ++no;
        ASSERT_TRUE(outcome.shortage);
        fragmented += outcome.shortage->fragmented;
        searched += outcome.shortage->searched;
        ASSERT_TRUE(outcome.shortage->fragmented || outcome.shortage->searched ||
                    outcome.shortage->needed > outcome.shortage->available);
        for (const Change& change : outcome.changes) {
            const Problem better = changed(problem, change);
            if (!in_reach(better, bits)) continue;
            SCOPED_TRACE(describe(problem, std::vector{change}));
            const auto works = possible(better, bits);
            if (!works) continue;
            ASSERT_TRUE(*works);
            ++changes;
            if (change.kind != Change::Kind::drop_rows || change.rows.size() != 1) continue;
            Change less = change;
            if (--less.rows[0].second == 0 || fits(changed(problem, less), most_placements) != Answer::no) continue;
            const auto still = possible(changed(problem, less), bits);
            ASSERT_FALSE(still.value_or(false)) << "one row fewer is enough";
        }
    }
    EXPECT_GT(answered, test::times_effort(670));
    EXPECT_GT(yes, test::times_effort(270));
    EXPECT_GT(no, test::times_effort(270));
    EXPECT_GT(changes, test::times_effort(270));
    EXPECT_GT(fragmented, test::times_effort(3));
    EXPECT_GT(searched, test::times_effort(20));
    EXPECT_LT(gave_up, answered / 50);
    RecordProperty("answered", static_cast<int>(answered));
    RecordProperty("yes", static_cast<int>(yes));
    RecordProperty("no", static_cast<int>(no));
    RecordProperty("fragmented", static_cast<int>(fragmented));
    RecordProperty("gave_up", static_cast<int>(gave_up));
    RecordProperty("changes", static_cast<int>(changes));
}

TEST(Property, TheSameProblemGivesTheSameAssignment) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        const Problem problem = Generator(seed).problem();
        EXPECT_EQ(solve(problem).assignment, solve(problem).assignment);
    }
}

}  // namespace
}  // namespace isaforge::allocator

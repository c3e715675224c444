// The automaton that operands are read by: several operands at one place, the longest text, numbers and operands inside.
#include "codec/patterns.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

using namespace isaforge;
using namespace isaforge::codec;

namespace {

PatternNumber number(std::int64_t low, std::int64_t high, std::int64_t bias = 0) {
    PatternNumber out;
    out.low = low;
    out.high = high;
    out.bias = bias;
    out.mask = ~std::uint64_t{0};
    return out;
}

// Reads `!` and a letter as the letter's number: an operand inside of texts.
class Letter final : public NestedReader {
public:
    const char* read(Index, const char* p, const After&, PatternMatch& out) override {
        if (*p != '!' || p[1] < 'a' || p[1] > 'z') return nullptr;
        out.code = static_cast<std::uint64_t>(p[1] - 'a');
        return p + 2;
    }
};

struct Read {
    std::uint64_t code = 0;
    std::size_t size = 0;
    [[maybe_unused]] friend bool operator==(const Read&, const Read&) = default;
};

[[maybe_unused]] std::ostream& operator<<(std::ostream& out, const Read& read) {
    return out << read.code << " in " << read.size;
}

std::optional<Read> read(const Patterns& patterns, unsigned type, const std::string& text, const After& after = {}) {
    Letter nested;
    Patterns::Walk walk;
    PatternMatch match;
    const char *const begin = text.data(), *const end = begin + text.size();
    patterns.walk(begin, end, nested, after.stop, walk);
    const char* const at = patterns.take(walk, end, nested, type, after, match);
    return at ? std::optional(Read{match.code, static_cast<std::size_t>(at - begin)}) : std::nullopt;
}

PatternRefusal refusal(const Patterns& patterns, unsigned type, const std::string& text) {
    NoNested nested;
    Patterns::Walk walk;
    patterns.walk(text.data(), text.data() + text.size(), nested, 0, walk);
    return patterns.refusal(walk, text.data() + text.size(), type, {}, text.data());
}

const std::string n(1, number_mark);

}  // namespace

TEST(Patterns, OfSeveralOperandsAreReadByOneWalk) {
    Patterns patterns;
    const unsigned one = patterns.add_type(false), pair = patterns.add_type(false), constant = patterns.add_type(true);
    patterns.add(one, {"v" + n, 0x100, {number(0, 255)}});
    PatternNumber last = number(0, 254, 1);
    last.same_as = 0;
    patterns.add(pair, {"v[" + n + ":" + n + "]", 0x100, {number(0, 254), last}});
    patterns.add(constant, {n, 0, {number(0, 64)}});
    patterns.add(constant, "0.5", 240);
    patterns.add(constant, "vcc", 106);
    patterns.finish();

    EXPECT_EQ(read(patterns, one, "v7, v8"), (Read{0x107, 2}));
    EXPECT_EQ(read(patterns, pair, "v7, v8"), std::nullopt);
    EXPECT_EQ(read(patterns, pair, "v[6:7]"), (Read{0x106, 6}));
    EXPECT_EQ(read(patterns, pair, "v[6:8]"), std::nullopt);
    EXPECT_EQ(read(patterns, one, "v256"), std::nullopt);
    EXPECT_EQ(read(patterns, one, "v07"), std::nullopt) << "names are as they are printed";
    EXPECT_EQ(read(patterns, constant, "64"), (Read{64, 2}));
    EXPECT_EQ(read(patterns, constant, "65"), std::nullopt);
    EXPECT_EQ(read(patterns, constant, "0"), (Read{0, 1}));
    EXPECT_EQ(read(patterns, constant, "0.5"), (Read{240, 3}));
    EXPECT_EQ(read(patterns, constant, "1 + 2"), std::nullopt) << "goes on as an expression";
    EXPECT_EQ(read(patterns, constant, "1|", {.stop = '|'}), (Read{1, 1}));
    EXPECT_EQ(read(patterns, constant, "1|"), std::nullopt);
    EXPECT_EQ(read(patterns, constant, "vccz"), std::nullopt) << "ends inside of a word";
    EXPECT_EQ(read(patterns, constant, "vccz", {.glued = true}), (Read{106, 3}));
}

// A number that goes on as a fraction is none of those that have no point.
TEST(Patterns, KnowFractionsByWhatStandsBehindANumber) {
    Patterns patterns;
    const unsigned type = patterns.add_type(true), closed = patterns.add_type(false);
    patterns.add(type, {n, 0, {number(0, 64)}});
    patterns.add(type, "2.0", 240);
    patterns.add(closed, {n, 0, {number(0, 64)}});
    patterns.add(closed, {n + "." + n, 128, {number(0, 7), number(0, 7)}});
    patterns.finish();

    EXPECT_EQ(read(patterns, type, "2"), (Read{2, 1}));
    EXPECT_EQ(read(patterns, type, "2.0"), (Read{240, 3}));
    EXPECT_EQ(read(patterns, type, "2.5"), std::nullopt);
    EXPECT_EQ(read(patterns, type, "3.0"), std::nullopt);
    EXPECT_EQ(read(patterns, type, "3.0", {.stop = '.'}), (Read{3, 1})) << "the point is another text's";
    EXPECT_EQ(read(patterns, closed, "3.5"), (Read{128 | 3 | 5, 3}));
    EXPECT_EQ(read(patterns, closed, "3.9"), (Read{3, 1}));
}

TEST(Patterns, ThatAreLongestWinAndTheFirstOfThose) {
    Patterns patterns(true);
    const unsigned type = patterns.add_type(false);
    patterns.add(type, "", 1);
    patterns.add(type, "ab", 2);
    patterns.add(type, "ab cd", 3);
    patterns.add(type, {n, 0, {number(0, 9)}});
    patterns.add(type, {n, 100, {number(0, 99)}});
    patterns.add(type, "7", 200);
    patterns.finish();

    EXPECT_EQ(read(patterns, type, "AB CD"), (Read{3, 5}));
    EXPECT_EQ(read(patterns, type, "ab ce"), (Read{2, 2}));
    EXPECT_EQ(read(patterns, type, "x"), (Read{1, 0}));
    EXPECT_EQ(read(patterns, type, "7"), (Read{7, 1}));
    EXPECT_EQ(read(patterns, type, "12"), (Read{100 | 12, 2}));
}

TEST(Patterns, HaveOperandsInside) {
    Patterns patterns;
    const unsigned type = patterns.add_type(false);
    PatternNumber inner = number(0, 20);
    inner.operand = 5;
    const std::string operand(1, operand_mark);
    patterns.add(type, {"-|" + operand + "|", 0x80, {inner}});
    patterns.add(type, {"-" + operand, 0x40, {inner}});
    patterns.add(type, "-!b!", 0x30);
    patterns.finish();

    EXPECT_EQ(read(patterns, type, "-|!c|"), (Read{0x82, 5}));
    EXPECT_EQ(read(patterns, type, "-!c"), (Read{0x42, 3}));
    EXPECT_EQ(read(patterns, type, "-!z"), std::nullopt) << "out of range";
    EXPECT_EQ(read(patterns, type, "-!b"), (Read{0x41, 3})) << "may be read in two ways";
    EXPECT_EQ(read(patterns, type, "-!b!"), (Read{0x30, 4}));
}

TEST(Patterns, SayWhyTheyDoNotFit) {
    Patterns patterns;
    const unsigned pair = patterns.add_type(false), word = patterns.add_type(false);
    patterns.add(pair, {"v[" + n + "]", 0, {number(0, 3)}});
    patterns.add(word, "glc", 1);
    patterns.finish();

    const std::string text = "v[4]";
    EXPECT_EQ(read(patterns, pair, text), std::nullopt);
    EXPECT_NE(refusal(patterns, pair, text).end, nullptr);
    EXPECT_TRUE(refusal(patterns, pair, "v [3]").may_vary);
    EXPECT_FALSE(refusal(patterns, pair, "v3").may_vary);
    EXPECT_FALSE(refusal(patterns, word, "slc").may_vary);
    EXPECT_EQ(refusal(patterns, word, "slc").end, nullptr);
}

// The automaton that operands are read by: the longest text, numbers and operands inside.
#include "codec/patterns.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/splitmix.hpp"

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

std::optional<Read> read(const Patterns& patterns, const std::string& text, const After& after = {}) {
    Letter nested;
    PatternMatch match;
    const char *const begin = text.data(), *const end = begin + text.size();
    const char* const at = patterns.match(begin, end, nested, after, match);
    return at ? std::optional(Read{match.code, static_cast<std::size_t>(at - begin)}) : std::nullopt;
}

PatternRefusal refusal(const Patterns& patterns, const std::string& text) {
    NoNested nested;
    PatternMatch match;
    const char *const begin = text.data(), *const end = begin + text.size();
    EXPECT_EQ(patterns.match(begin, end, nested, {}, match), nullptr);
    return patterns.refusal(begin, end, match, {begin});
}

const std::string n(1, number_mark);

// What the rules have of a text.
std::optional<Read> read_quickly(const Patterns& patterns, const std::string& text, bool glued) {
    const char* const begin = text.data();
    const Patterns::Quick found = patterns.match_quick(begin, begin + text.size(), glued);
    return found.end ? std::optional(Read{found.code, static_cast<std::size_t>(found.end - begin)}) : std::nullopt;
}

// A register, two or four of them, numbers and fractions, words that begin alike.
Patterns many_texts(const std::string& before, bool case_insensitive, bool expressions) {
    Patterns out(case_insensitive, expressions);
    PatternNumber second = number(0, 254, 1), four = number(0, 25), last = four;
    second.same_as = 0;
    four.scale = last.scale = 4;
    last.bias = 3;
    last.same_as = 0;
    out.add({before + "v" + n, 0x100, {number(0, 255)}});
    out.add({before + "v[" + n + ":" + n + "]", 0x100, {number(0, 254), second}});
    out.add({before + "s[" + n + ":" + n + "]", 0x200, {four, last}});
    out.add({before + "t" + n, 0, {number(3, 9)}});
    out.add({before + "t" + n, 0x40, {number(10, 20)}});
    out.add({before + n, 0x300, {number(0, 64)}});
    out.add({before + "mask:" + n, 0x400, {number(0, 15)}});
    out.add(before + "0.5", 0x501);
    out.add(before + "1.0", 0x502);
    out.add(before + "a_long_name_of_a_register", 0x503);
    out.add(before + "a_long_name", 0x504);
    out.add(before + "vcc", 0x505);
    out.finish();
    return out;
}

}  // namespace

TEST(Patterns, AreKnownByRulesAsTheyAreByTheirLetters) {
    const std::string pieces[] = {"v",     "s",     "t",           "[",    "]",
                                  ":",     "vcc",   "a_long_name", "_of_", "a_r",
                                  "0.5",   "1.0",   ".",           ",",    "_of_a_register",
                                  "mask:", "0x",    "0",           "1",    "2",
                                  "4",     "7",     "12",          "64",   " ",
                                  "+",     "[4:5]", "[8:11]",      "255",  ")",
                                  "\n",    "V"};
    const std::string joined = "9[4:5], vcc + 1 and so on", apart = ", v9[4:5] + vcc and so on";
    SplitMix64 random(7);
    unsigned found = 0;
    for (unsigned kind = 0; kind < 8; ++kind) {
        const std::string before = (kind & 1) != 0 ? "%" : "";
        const Patterns patterns = many_texts(before, (kind & 2) != 0, (kind & 4) != 0);
        for (unsigned i = 0; i < 20'000; ++i) {
            std::string text = before;
            for (std::uint64_t count = 1 + random.next() % 4; count != 0; --count)
                text += pieces[random.next() % std::size(pieces)];
            const bool glued = random.next() % 4 == 0;
            for (const std::string& all : {text, text + joined, text + apart}) {
                const auto quick = read_quickly(patterns, all, glued);
                found += quick.has_value();
                EXPECT_TRUE(!quick || quick == read(patterns, all, {glued, 0}))
                    << all << ", glued: " << glued << ", kind " << kind;
            }
        }
        for (const char* const text : {"v7", "v255", "v[6:7]", "s[8:11]", "t3", "t12", "17", "0", "mask:9", "mask:0xf",
                                       "0.5", "vcc", "a_long_name", "a_long_name_of_a_register"}) {
            const std::string all = before + text + ",                        ";
            EXPECT_EQ(read_quickly(patterns, all, false), read(patterns, before + text)) << text;
        }
    }
    EXPECT_GT(found, 100'000u);
}

TEST(Patterns, AreReadByTheirLettersAndNumbers) {
    Patterns one, pair, constant(false, true);
    one.add({"v" + n, 0x100, {number(0, 255)}});
    one.finish();
    PatternNumber last = number(0, 254, 1);
    last.same_as = 0;
    pair.add({"v[" + n + ":" + n + "]", 0x100, {number(0, 254), last}});
    pair.finish();
    constant.add({n, 0, {number(0, 64)}});
    constant.add("0.5", 240);
    constant.add("vcc", 106);
    constant.finish();

    EXPECT_EQ(read(one, "v7, v8"), (Read{0x107, 2}));
    EXPECT_EQ(read(pair, "v7, v8"), std::nullopt);
    EXPECT_EQ(read(pair, "v[6:7]"), (Read{0x106, 6}));
    EXPECT_EQ(read(pair, "v[6:8]"), std::nullopt);
    EXPECT_EQ(read(one, "v256"), std::nullopt);
    EXPECT_EQ(read(one, "v07"), std::nullopt) << "names are as they are printed";
    EXPECT_EQ(read(constant, "64"), (Read{64, 2}));
    EXPECT_EQ(read(constant, "65"), std::nullopt);
    EXPECT_EQ(read(constant, "0"), (Read{0, 1}));
    EXPECT_EQ(read(constant, "0.5"), (Read{240, 3}));
    EXPECT_EQ(read(constant, "1 + 2"), std::nullopt) << "goes on as an expression";
    EXPECT_EQ(read(constant, "1|", {.stop = '|'}), (Read{1, 1}));
    EXPECT_EQ(read(constant, "1|"), std::nullopt);
    EXPECT_EQ(read(constant, "vccz"), std::nullopt) << "ends inside of a word";
    EXPECT_EQ(read(constant, "vccz", {.glued = true}), (Read{106, 3}));
}

// A number that goes on as a fraction is none of those that have no point.
TEST(Patterns, KnowFractionsByWhatStandsBehindANumber) {
    Patterns patterns(false, true), closed;
    patterns.add({n, 0, {number(0, 64)}});
    patterns.add("2.0", 240);
    patterns.finish();
    closed.add({n, 0, {number(0, 64)}});
    closed.add({n + "." + n, 128, {number(0, 7), number(0, 7)}});
    closed.finish();

    EXPECT_EQ(read(patterns, "2"), (Read{2, 1}));
    EXPECT_EQ(read(patterns, "2.0"), (Read{240, 3}));
    EXPECT_EQ(read(patterns, "2.5"), std::nullopt);
    EXPECT_EQ(read(patterns, "3.0"), std::nullopt);
    EXPECT_EQ(read(patterns, "3.0", {.stop = '.'}), (Read{3, 1})) << "the point is another text's";
    EXPECT_EQ(read(closed, "3.5"), (Read{128 | 3 | 5, 3}));
    EXPECT_EQ(read(closed, "3.9"), (Read{3, 1}));
}

TEST(Patterns, ThatAreLongestWinAndTheFirstOfThose) {
    Patterns patterns(true);
    patterns.add("", 1);
    patterns.add("ab", 2);
    patterns.add("ab cd", 3);
    patterns.add({n, 0, {number(0, 9)}});
    patterns.add({n, 100, {number(0, 99)}});
    patterns.add("7", 200);
    patterns.finish();

    EXPECT_EQ(read(patterns, "AB CD"), (Read{3, 5}));
    EXPECT_EQ(read(patterns, "ab ce"), (Read{2, 2}));
    EXPECT_EQ(read(patterns, "x"), (Read{1, 0}));
    EXPECT_EQ(read(patterns, "7"), (Read{7, 1}));
    EXPECT_EQ(read(patterns, "12"), (Read{100 | 12, 2}));
}

TEST(Patterns, HaveOperandsInside) {
    Patterns patterns;
    PatternNumber inner = number(0, 20);
    inner.operand = 5;
    const std::string operand(1, operand_mark);
    patterns.add({"-|" + operand + "|", 0x80, {inner}});
    patterns.add({"-" + operand, 0x40, {inner}});
    patterns.add("-!b!", 0x30);
    patterns.finish();

    EXPECT_EQ(read(patterns, "-|!c|"), (Read{0x82, 5}));
    EXPECT_EQ(read(patterns, "-!c"), (Read{0x42, 3}));
    EXPECT_EQ(read(patterns, "-!z"), std::nullopt) << "out of range";
    EXPECT_EQ(read(patterns, "-!b"), (Read{0x41, 3})) << "may be read in two ways";
    EXPECT_EQ(read(patterns, "-!b!"), (Read{0x30, 4}));
}

TEST(Patterns, SayWhyTheyDoNotFit) {
    Patterns pair, word;
    pair.add({"v[" + n + "]", 0, {number(0, 3)}});
    pair.finish();
    word.add("glc", 1);
    word.finish();

    const std::string text = "v[4]";
    EXPECT_EQ(read(pair, text), std::nullopt);
    EXPECT_NE(refusal(pair, text).end, nullptr);
    EXPECT_TRUE(refusal(pair, "v [3]").may_vary);
    EXPECT_FALSE(refusal(pair, "v3").may_vary);
    EXPECT_FALSE(refusal(word, "slc").may_vary);
    EXPECT_EQ(refusal(word, "slc").end, nullptr);
}

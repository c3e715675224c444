// The accounting of the code space against brute force: small random machines whose every word is decoded.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>
#include <random>
#include <set>

#include "encoding/claims.hpp"
#include "isaforge/codec.hpp"
#include "isaforge/space.hpp"

namespace isaforge::test {
namespace {

std::shared_ptr<const Isa> load(const std::string& text) {
    SourceManager sources;
    Diagnostics diagnostics;
    auto isa = load_isa_text("test.isa", text, sources, diagnostics);
    EXPECT_TRUE(isa) << to_text(diagnostics, sources) << text;
    return isa;
}

Space account(const Isa& isa) {
    Space space;
    Diagnostics diagnostics;
    EXPECT_TRUE(account_space(isa, space, diagnostics));
    return space;
}

// A machine of 8-bit units, instructions of one or two: random cubes of fixed bits that do not meet. Each is its own
// format, whose bar spells the bits out and has a field for each run of free ones.
struct RandomMachine {
    explicit RandomMachine(unsigned seed) : random(seed) {
        text = "isa random\ncode unit 8 little\n";
        const unsigned tries = 1 + random() % 24;
        for (unsigned i = 0; i < tries; ++i) add_instruction(i);
        for (unsigned i = random() % 3; i > 0; --i) add_reserved();
    }

    std::string cube(unsigned bits, unsigned free_out_of_8, unsigned prefix) {
        std::string out;
        for (unsigned i = 0; i < bits; ++i)
            out += i >= prefix && random() % 8 < free_out_of_8 ? 'x' : random() % 2 ? '1' : '0';
        return out;
    }

    static bool meet(const std::string& a, const std::string& b) {
        for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
            if (a[i] != 'x' && b[i] != 'x' && a[i] != b[i]) return false;
        }
        return true;
    }

    void add_instruction(unsigned number) {
        const unsigned bits = random() % 2 ? 8 : 16;
        const unsigned style = random() % 3;  // a prefix, scattered bits, or a prefix and some scattered ones
        const unsigned prefix = style == 1 ? 0 : 2 + random() % (bits - 3);
        const std::string bits_text = cube(bits, style == 0 ? 8 : 5, prefix);
        for (const auto& other : cubes) {
            if (meet(other, bits_text)) return;
        }
        cubes.push_back(bits_text);
        std::string bar, fields;
        for (std::size_t i = 0; i < bits;) {
            std::size_t end = i;
            while (end < bits && (bits_text[end] == 'x') == (bits_text[i] == 'x')) ++end;
            if (bits_text[i] == 'x') {
                bar += fmt::format("| F{}:{} ", i, end - i);
                fields += fmt::format(" {{F{}}}", i);
            } else {
                bar += "| " + bits_text.substr(i, end - i) + " ";
            }
            i = end;
        }
        text +=
            fmt::format("format N{0} {1}|\ninstructions N{0} \"{{name}}{2}\" {{\n    op{0}\n}}\n", number, bar, fields);
    }

    void add_reserved() {
        const std::string pattern = cube(1 + random() % 14, 3, 0);
        if (pattern.find_first_not_of('x') == std::string::npos) return;
        reserved.push_back(pattern);
        text += fmt::format("reserved {} \"because\"\n", pattern);
    }

    std::mt19937 random;
    std::string text;
    std::vector<std::string> cubes, reserved;
};

// What each of the 65,536 words of two units is, found by decoding.
struct Words {
    static constexpr unsigned count = 65536;

    Words(const std::shared_ptr<const Isa>& isa, const std::vector<std::string>& reserved)
        : form(count, no_index), kind(count) {
        const Codec codec(isa);
        for (unsigned word = 0; word < count; ++word) {
            Image image;
            image.set(0, 8, word >> 8);
            image.set(8, 8, word & 255);
            unsigned bits = 0;
            form[word] = codec.decode(image, 16, bits);
            if (form[word] != no_index) {
                kind[word] = 2;
                continue;
            }
            std::string digits;
            for (unsigned i = 16; i-- > 0;) digits += word >> i & 1 ? '1' : '0';
            for (const std::string& pattern : reserved) kind[word] |= RandomMachine::meet(pattern, digits);
        }
    }

    std::string in_units(std::size_t words) const {  // of 256 words each
        return Share::block(16).times(words).exact(8);
    }

    std::vector<Index> form;
    std::vector<int> kind;  // 0 free, 1 reserved, 2 used
};

class RandomSpace : public testing::TestWithParam<unsigned> {};

TEST_P(RandomSpace, IsWhatDecodingEveryWordFinds) {
    for (unsigned seed = GetParam() * 25; seed < GetParam() * 25 + 25; ++seed) {
        const RandomMachine machine(seed);
        if (machine.cubes.empty()) continue;
        const auto isa = load(machine.text);
        ASSERT_TRUE(isa);
        SCOPED_TRACE(fmt::format("seed {}\n{}", seed, machine.text));
        const Words words(isa, machine.reserved);
        const Space space = account(*isa);

        std::array<std::size_t, 3> totals{};
        std::map<unsigned, std::size_t> lengths;
        std::map<Index, std::size_t> formats;
        for (unsigned word = 0; word < Words::count; ++word) {
            ++totals[static_cast<std::size_t>(words.kind[word])];
            if (words.kind[word] != 2) continue;
            ++lengths[isa->forms[words.form[word]].bits];
            ++formats[isa->forms[words.form[word]].format];
        }
        EXPECT_EQ(space.free.exact(8), words.in_units(totals[0]));
        EXPECT_EQ(space.reserved.exact(8), words.in_units(totals[1]));
        EXPECT_EQ(space.used.exact(8), words.in_units(totals[2]));
        for (const SpaceLength& length : space.lengths)
            EXPECT_EQ(length.used.exact(8), words.in_units(lengths[length.bits]));
        for (const SpaceFormat& format : space.formats)
            EXPECT_EQ(format.used.exact(8), words.in_units(formats[format.format]));

        // Opcodes of each width that are free as a whole.
        for (const SpaceFit& fit : space.fits) {
            std::size_t fitting = 0;
            for (unsigned opcode = 0; opcode < 1U << fit.width; ++opcode) {
                const unsigned size = 16 - fit.width, low = opcode << size;
                bool free = true;
                for (unsigned word = low; free && word < low + (1U << size); ++word) free = words.kind[word] == 0;
                fitting += free;
            }
            EXPECT_EQ(fit.opcodes.exact(fit.width), std::to_string(fitting)) << fit.width;
        }

        // Zeros behind the first free bit of an instruction are its padding where nobody else has these words.
        std::vector<bool> taken(Words::count);
        for (unsigned word = 0; word < Words::count; ++word) taken[word] = words.kind[word] != 0;
        for (const std::string& cube : machine.cubes) {
            std::string padded = cube;
            const std::size_t first = std::min(cube.find('x'), cube.size());
            std::replace(padded.begin() + static_cast<std::ptrdiff_t>(first), padded.end(), '0', 'x');
            bool alone = true;
            for (const auto* others : {&machine.cubes, &machine.reserved}) {
                for (const std::string& other : *others) alone &= other == cube || !RandomMachine::meet(padded, other);
            }
            for (unsigned word = 0; alone && word < Words::count; ++word) {
                std::string digits;
                for (unsigned i = 16; i-- > 0;) digits += word >> i & 1 ? '1' : '0';
                if (RandomMachine::meet(padded, digits)) taken[word] = true;
            }
        }

        // The ranges, which a scattered machine counts in fewer bits.
        std::vector<std::pair<unsigned, unsigned>> ranges;
        const unsigned rest = 16 - space.depth;
        ASSERT_LE(space.depth, 16u);
        for (unsigned block = 0; block < 1U << space.depth; ++block) {
            bool free = true;
            for (unsigned word = block << rest; free && word < (block + 1) << rest; ++word) free = !taken[word];
            if (!free) continue;
            if (ranges.empty() || ranges.back().second + 1 != block) ranges.emplace_back(block, block);
            ranges.back().second = block;
        }
        ASSERT_EQ(space.free_ranges.size(), ranges.size());
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            EXPECT_EQ(space.free_ranges[i].low, ranges[i].first);
            EXPECT_EQ(space.free_ranges[i].high, ranges[i].second);
            EXPECT_LE(space.free_ranges[i].size(), space.free_ranges[space.longest].size());
            EXPECT_GE(space.free_ranges[i].size(), space.free_ranges[space.cheapest].size());
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSpace, testing::Range(0u, 8u));

// The opcode in a word, from its bits in order.
unsigned code_in(unsigned word, const std::vector<unsigned>& opcode) {
    unsigned code = 0;
    for (const unsigned bit : opcode) code = code << 1 | (word >> (15 - bit) & 1);
    return code;
}

// Opcodes in two pieces, with a field of the second format in the place of the first's lower piece.
constexpr const char* scattered = R"(
isa scattered
code unit 16 little
reserved 11111xxxxxxxxxxx "kept"
format P | OP:5 | A:4 | SEL:3 | B:4 |
format Q | OP:5 | A:8 | -:3 |
instructions P [OP, SEL] "{name} {A}, {B}" {
    0 0  p0
    0 3  p1
    1 7  p2
}
instructions Q [OP] "{name} {A}" {
    2  q0
}
)";

TEST(Further, CountsFreeCodesOfScatteredOpcodes) {
    const auto isa = load(scattered);
    const Space space = account(*isa);
    // P: 256 codes; 3 are taken, 8 lie under Q's opcode (some of its words), 8 are reserved.
    EXPECT_EQ(space.formats[0].opcode_bits, 8u);
    EXPECT_EQ(space.formats[0].further.exact(8), std::to_string(256 - 3 - 8 - 8));
    // Q: 32 opcodes; 0 is taken where P's SEL and the zeros meet … by p0 and p1 alike; so is 1; 2 is its own; 31 is kept.
    EXPECT_EQ(space.formats[1].further.exact(5), std::to_string(32 - 4));
}

// Two formats of 12 bits behind their own four, in four fields of random widths, two of them the opcode: every code is
// tried against every word.
TEST(Further, IsWhatTryingEveryCodeFinds) {
    unsigned tried = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        std::string text = "isa random\ncode unit 16 little\nreserved 0000111x0x \"kept\"\n";
        struct Bits {
            std::vector<unsigned> opcode;  // leading bits of the opcode, the most significant first
            unsigned kind = 0;             // the format's own first four bits
        } formats[2];
        std::vector<int> kind(65536);  // 0 free, 1 reserved, 2 used
        for (unsigned word = 0; word < kind.size(); ++word) kind[word] = (word >> 6 & 0b1111111010) == 0b0000111000;
        for (unsigned f = 0; f < 2; ++f) {
            formats[f].kind = random() % 2;
            const unsigned cuts[] = {static_cast<unsigned>(1 + random() % 3), static_cast<unsigned>(4 + random() % 3),
                                     static_cast<unsigned>(7 + random() % 4), 12};
            const auto first = static_cast<unsigned>(random() % 3);
            const auto second = static_cast<unsigned>(first + 1 + random() % (3 - first));
            std::string bar = formats[f].kind ? "| 0001 " : "| 0000 ", fields;
            for (unsigned i = 0; i < 4; ++i) {
                const unsigned begin = i == 0 ? 0 : cuts[i - 1];
                bar += fmt::format("| F{}:{} ", i, cuts[i] - begin);
                if (i != first && i != second) {
                    fields += fmt::format(" {{F{}}}", i);
                    continue;
                }
                for (unsigned bit = begin; bit < cuts[i]; ++bit) formats[f].opcode.push_back(4 + bit);
            }
            text += fmt::format("format N{0} {1}|\ninstructions N{0} [F{2}, F{3}] \"{{name}}{4}\" {{\n", f, bar, first,
                                second, fields);
            const unsigned low_width = cuts[second] - cuts[second - 1];
            std::set<unsigned> codes;
            for (unsigned i = 0; i < 3; ++i)
                codes.insert(static_cast<unsigned>(random() % (1U << formats[f].opcode.size())));
            for (const unsigned code : codes) {
                std::vector<unsigned> words;
                bool taken = false;
                for (unsigned word = 0; word < 65536; ++word) {
                    if (word >> 12 != formats[f].kind || code_in(word, formats[f].opcode) != code) continue;
                    words.push_back(word);
                    taken |= kind[word] == 2;
                }
                if (taken) continue;
                for (const unsigned word : words) kind[word] = 2;
                text += fmt::format("    {} {} op{}_{}\n", code >> low_width, code & ((1U << low_width) - 1), f, code);
            }
            text += "}\n";
        }
        SCOPED_TRACE(text);
        if (text.find("op0_") == std::string::npos || text.find("op1_") == std::string::npos) continue;
        const auto isa = load(text);
        ASSERT_TRUE(isa);
        const Space space = account(*isa);
        for (unsigned f = 0; f < 2; ++f) {
            const auto width = static_cast<unsigned>(formats[f].opcode.size());
            std::vector<bool> free(1U << width, true);
            for (unsigned word = 0; word < 65536; ++word) {
                if (kind[word] != 0 && word >> 12 == formats[f].kind) free[code_in(word, formats[f].opcode)] = false;
            }
            ASSERT_TRUE(space.formats[f].counted);
            EXPECT_EQ(space.formats[f].opcode_bits, width);
            EXPECT_EQ(space.formats[f].further.exact(width),
                      std::to_string(std::count(free.begin(), free.end(), true)));
            ++tried;
        }
    }
    EXPECT_GT(tried, 60u);
}

TEST(Further, StaysInsideOfPools) {
    const auto isa = load(R"(
isa pooled
code unit 16 little
pool low  0000 xx .. 0011 xx for A capacity 4
pool high 0100 00 .. 0100 10 for B
format A | OP:4 | X:12 |
format B | OP:6 | X:10 |
format C | OP:8 | X:8 |
instructions A [OP] "{name} {X}" {
    0  a0
}
instructions B [OP] "{name} {X}" {
    16  b0
    17  b1
}
instructions C [OP] "{name} {X}" {
    0xff  c0
}
)");
    const Space space = account(*isa);
    EXPECT_EQ(space.formats[0].further.exact(4), "3");
    EXPECT_EQ(space.formats[1].further.exact(6), "1");
    EXPECT_EQ(space.formats[2].further.exact(8), std::to_string(256 - 64 - 12 - 1));
    ASSERT_EQ(space.pools.size(), 2u);
    EXPECT_EQ(space.pools[0].size.exact(4), "4");
    EXPECT_EQ(space.pools[0].used.exact(4), "1");
    EXPECT_EQ(space.pools[0].free.exact(4), "3");
    EXPECT_EQ(space.pools[1].size.exact(6), "3");
    EXPECT_EQ(space.pools[1].used.exact(6), "2");
    EXPECT_EQ(space.pools[1].free.exact(6), "1");
    EXPECT_EQ(space.pools[1].instructions, 2u);
    EXPECT_EQ(space.pools[1].outside, 0u);
}

TEST(Pools, AreCountedInTheirOwnWidth) {
    const auto isa = load(R"(
isa pooled
code unit 16 little
reserved 0010111111111111 "kept"
pool 0001 .. 0011 for A, B
format A | OP:6 | X:10 |
format B | OP:4 | X:12 |
instructions A [OP] "{name} {X}" {
    4   a0
    5   a1
    60  outside
}
instructions B [OP] "{name} {X}" {
    3  b0
}
)");
    const SpacePool pool = account(*isa).pools.at(0);
    EXPECT_EQ(pool.size.exact(4), "3");
    EXPECT_EQ(pool.used.exact(4), "2");
    EXPECT_EQ(pool.partly.exact(4), "1");    // 0001 has room for two more of A
    EXPECT_EQ(pool.reserved.exact(4), "1");  // 0010 may not be given away whole
    EXPECT_EQ(pool.free.exact(4), "0");
    EXPECT_EQ(pool.words_used.exact(16), std::to_string(2 * 1024 + 4096));
    EXPECT_EQ(pool.instructions, 3u);
    EXPECT_EQ(pool.outside, 1u);
}

TEST(Share, CountsExactly) {
    EXPECT_EQ(Share::block(0).exact(16), "65536");
    EXPECT_EQ(Share::block(16).exact(16), "1");
    EXPECT_EQ(Share::block(20).exact(16), "1/2^4");
    EXPECT_EQ(Share::block(256).exact(0), "1/2^256");
    EXPECT_EQ((Share::block(0) - Share::block(256)).exact(0),
              "115792089237316195423570985008687907853269984665640564039457584007913129639935/2^256");
    EXPECT_EQ(Share::block(0).count(64), "18446744073709551616");
    EXPECT_EQ((Share::block(3) + Share::block(9)).count(8, 2), "32.5");
    EXPECT_EQ(Share::block(12).count(8, 2), "0.06");
    EXPECT_EQ(Share::block(40).count(8, 2), "<0.01");
    EXPECT_EQ(Share::block(1).half().times(3).exact(2), "3");
    EXPECT_DOUBLE_EQ((Share::block(1) + Share::block(2)).fraction(), 0.75);
}

TEST(Blocks, MakeUpARangeAndWhatLiesOutside) {
    std::mt19937 random(1);
    for (int i = 0; i < 300; ++i) {
        const unsigned width = 1 + random() % 9;
        std::uint64_t low = random() % (1U << width), high = random() % (1U << width);
        if (low > high) std::swap(low, high);
        std::vector<int> seen(1U << width);
        const auto mark = [&](const encoding::Prefix& block, int by) {
            const unsigned rest = width - block.width;
            for (std::uint64_t code = block.bits << rest; code < (block.bits + 1) << rest; ++code) seen[code] += by;
        };
        for (const auto& block : encoding::blocks_of(low, high, width)) mark(block, 1);
        for (const auto& block : encoding::blocks_outside(low, high, width)) mark(block, 100);
        for (std::uint64_t code = 0; code < seen.size(); ++code)
            EXPECT_EQ(seen[code], code >= low && code <= high ? 1 : 100);
    }
}

// The samples are prefix codes and scattered ones, of several lengths: sums have to come out even.
class SampleSpace : public testing::TestWithParam<const char*> {};

TEST_P(SampleSpace, AddsUp) {
    SourceManager sources;
    Diagnostics diagnostics;
    std::string name = GetParam();
    if (name.ends_with(".isa")) name = ISAFORGE_SOURCE_DIR "/tests/isas/" + name;
    const auto isa = load_isa(name, sources, diagnostics);
    ASSERT_TRUE(isa);
    const Space space = account(*isa);
    EXPECT_EQ(space.used + space.reserved + space.free, Share::block(0));
    Share lengths, formats, ranges;
    for (const SpaceLength& length : space.lengths) lengths += length.used;
    for (const SpaceFormat& format : space.formats) formats += format.used;
    for (const SpaceRange& range : space.free_ranges) ranges += range.size();
    EXPECT_EQ(lengths, space.used);
    EXPECT_EQ(formats, space.used);
    EXPECT_EQ(ranges, space.free_in_ranges);
    EXPECT_LE(ranges, space.free);
}

INSTANTIATE_TEST_SUITE_P(Samples, SampleSpace,
                         testing::Values("wishbone-gpu", "fabrisc-2022-03-18", "fabrisc-2022-05-02",
                                         "fabrisc-2022-05-15", "gcn-sample.isa", "fabrisc-sample.isa",
                                         "big-endian-sample.isa", "big-endian-words-sample.isa"));

// Every first halfword of the sample of prefix formats. Behind it only one format has a fixed bit, and just one: so many
// words decode as half of those with zeros behind and those with ones together.
TEST(SampleSpace, AgreesWithDecodingEveryHalfword) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa(ISAFORGE_SOURCE_DIR "/tests/isas/fabrisc-sample.isa", sources, diagnostics);
    ASSERT_TRUE(isa);
    const Codec codec(isa);
    std::map<Index, std::size_t> formats;
    std::size_t free = 0;
    for (unsigned word = 0; word < 2 * 65536; ++word) {
        Image image;
        image.set(0, 16, word >> 1);
        for (unsigned at = 16; at < 48; at += 16) image.set(at, 16, word & 1 ? 0xffff : 0);
        unsigned bits = 0;
        const Index form = codec.decode(image, 48, bits);
        if (form == no_index) {
            ++free;
        } else {
            ++formats[isa->forms[form].format];
        }
    }
    const Space space = account(*isa);
    EXPECT_EQ(space.free.exact(16), Share::block(17).times(free).exact(16));
    for (const SpaceFormat& format : space.formats)
        EXPECT_EQ(format.used.exact(16), Share::block(17).times(formats[format.format]).exact(16))
            << isa->formats[format.format].name;
}

TEST(Limits, EntangledBitsAreRefusedInTime) {
    // Each of sixty formats looks at one bit of its own: any of them may be one, in 2^60 ways.
    std::string text = "isa entangled\ncode unit 64 little\n";
    for (unsigned i = 0; i < 60; ++i) {
        text += fmt::format(
            "format F{0} | A:{1} | 1 | B:{2} |\ninstructions F{0} \"{{name}} {{A}} {{B}}\" {{\n    op{0}\n}}\n", i,
            i + 1, 62 - i);
    }
    const auto isa = load(text);
    ASSERT_TRUE(isa);
    Space space;
    Diagnostics diagnostics;
    EXPECT_FALSE(account_space(*isa, space, diagnostics));
    EXPECT_EQ(diagnostics.errors(), 1u);
}

}  // namespace
}  // namespace isaforge::test
